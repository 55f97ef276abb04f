//! Outages, and the evidence of them.

use gateway_domain::regime::{DeclaredOutage, OutageSide};
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// How long an outage is taken to last after the last failed call, without an answer since. While calls are held back, one is tried
/// every few minutes (`BREAKER_PAUSE_MAX_S` of the rules of finance): after this time nobody calls any more, and nobody can say.
const LASTS_FOR: SignedDuration = SignedDuration::from_mins(15);
/// Longest reason of an outage that somebody declares, characters.
const REASON_CHARS_MAX: usize = 300;

/// What shows an outage: a kind of call to the provider that fails, or somebody who says so.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    ToSchema,
    strum::IntoStaticStr,
    strum::EnumString,
    strum::VariantArray,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum OutageCall {
    /// Stores a document.
    PutEntry,
    /// Starts what files it.
    PutJob,
    /// Reads a document.
    GetEntry,
    /// Reads how filing it went.
    GetJob,
    /// None: somebody declared it, such as one that the authority announced.
    Declared,
}

impl OutageCall {
    /// Every kind.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As written in JSON and in the database.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

/// A span in which every call of one kind failed, from the first that did to the answer after the last. It counts as an outage
/// once the calls have failed for some time ([`Outage::counts_since`]): one call without an answer is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outage {
    /// Which one.
    pub id: Uuid,
    /// Whose part did not work.
    pub side: OutageSide,
    /// Which calls failed.
    pub call: OutageCall,
    /// When the first of them did.
    pub since: Timestamp,
    /// When they had failed for so long that it counts; none before.
    pub counts_since: Option<Timestamp>,
    /// When a call was answered again; none while it lasts.
    pub until: Option<Timestamp>,
    /// How many calls failed.
    pub failures: i64,
    /// When the last of them did.
    pub last_failed_at: Timestamp,
    /// How it did, without secrets.
    pub last_error: String,
}

/// An outage of which calls tell nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declaration {
    /// Whose part does not work.
    pub side: OutageSide,
    /// Since when.
    pub since: Timestamp,
    /// Until when, which may lie ahead; none while nobody knows.
    pub until: Option<Timestamp>,
    /// Why it is declared, for whoever looks at the evidence.
    pub reason: String,
}

/// Why an outage is not declared, or not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotDeclared {
    /// It would end before it began.
    #[error("an outage ends after it began: look at the times")]
    EndsBefore,
    /// Nobody could tell why it was declared.
    #[error(
        "say in 1 to {} characters why: where the authority announced it, or what was cut",
        REASON_CHARS_MAX
    )]
    Reason,
    /// Another one of that side has no end yet.
    #[error(
        "an outage of that side is declared and has no end yet: end it with 'gateway submission end-outage'"
    )]
    Lasts,
    /// There is none of this id without an end that somebody declared.
    #[error("no declared outage of this id lasts: see 'gateway submission outages'")]
    Unknown,
}

/// An outage as it was read, and whether it is as it was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptOutage {
    /// The outage.
    pub outage: Outage,
    /// Whether its seal fits: nobody changed it past the gateway.
    pub is_intact: bool,
}

impl Outage {
    /// Somebody declares it. It counts at once.
    /// # Errors
    /// Its times or its reason are none.
    pub fn of(id: Uuid, declaration: Declaration) -> Result<Self, NotDeclared> {
        let Declaration { side, since, until, reason } = declaration;
        let last_error = reason.trim().to_owned();
        if !(1..=REASON_CHARS_MAX).contains(&last_error.chars().count()) {
            return Err(NotDeclared::Reason);
        }
        if until.is_some_and(|until| until <= since) {
            return Err(NotDeclared::EndsBefore);
        }
        let (call, counts_since, last_failed_at) = (OutageCall::Declared, Some(since), since);
        Ok(Self { id, side, call, since, counts_since, until, failures: 1, last_failed_at, last_error })
    }

    /// Somebody says when one that was declared ended.
    /// # Errors
    /// It was not declared or has an end, or the end lies before its beginning.
    pub fn declared_over(self, until: Timestamp) -> Result<Self, NotDeclared> {
        if self.call != OutageCall::Declared || self.until.is_some() {
            return Err(NotDeclared::Unknown);
        }
        if until <= self.since {
            return Err(NotDeclared::EndsBefore);
        }
        Ok(Self { until: Some(until), ..self })
    }

    /// A call failed, and none of its kind did before.
    pub const fn began(id: Uuid, side: OutageSide, call: OutageCall, error: String, now: Timestamp) -> Self {
        let (counts_since, until) = (None, None);
        Self {
            id,
            side,
            call,
            since: now,
            counts_since,
            until,
            failures: 1,
            last_failed_at: now,
            last_error: error,
        }
    }

    /// Another call of the kind failed. It counts from the first failure on that comes `after` the first of all, or later.
    #[must_use]
    pub fn failed_again(self, error: String, now: Timestamp, after: SignedDuration) -> Self {
        let is_long = now.duration_since(self.since) >= after;
        Self {
            counts_since: self.counts_since.or_else(|| is_long.then_some(now)),
            failures: self.failures.saturating_add(1),
            last_failed_at: self.last_failed_at.max(now),
            last_error: error,
            ..self
        }
    }

    /// Whether an answer to a call ends it. Documents may be read while none can be stored, so that an answer to another kind says
    /// nothing of calls that file; where nothing but reading failed, any answer shows that the other side is there.
    pub const fn is_ended_by(&self, answered: OutageCall) -> bool {
        match (self.call, answered) {
            (OutageCall::PutEntry, OutageCall::PutEntry)
            | (OutageCall::PutJob, OutageCall::PutJob)
            | (OutageCall::GetEntry | OutageCall::GetJob, _) => true,
            (
                OutageCall::PutEntry,
                OutageCall::PutJob | OutageCall::GetEntry | OutageCall::GetJob | OutageCall::Declared,
            )
            | (
                OutageCall::PutJob,
                OutageCall::PutEntry | OutageCall::GetEntry | OutageCall::GetJob | OutageCall::Declared,
            )
            | (OutageCall::Declared, _) => false,
        }
    }

    /// A call was answered; none when it never counted as an outage, so that nothing of it is kept.
    #[must_use]
    pub fn ended(self, now: Timestamp) -> Option<Self> {
        self.counts_since?;
        Some(Self { until: Some(now.max(self.last_failed_at)), ..self })
    }

    /// Whether it counts, and lasted at `from` or later as far as anybody can say: 15 minutes after its last failed call nobody can,
    /// and one that was declared lasts until somebody says when it ended.
    pub fn lasted_after(&self, from: Timestamp) -> bool {
        let silence = match self.call {
            OutageCall::PutEntry | OutageCall::PutJob | OutageCall::GetEntry | OutageCall::GetJob => {
                self.last_failed_at.checked_add(LASTS_FOR).ok()
            }
            OutageCall::Declared => None,
        };
        let end = self.until.or(silence);
        self.counts_since.is_some() && end.is_none_or(|end| end >= from)
    }

    /// What the seal is made of: every member, a line each, instants in microseconds as both databases keep them.
    pub fn evidence(&self) -> String {
        let Self { id, side, call, since, counts_since, until, failures, last_failed_at, last_error } = self;
        let text = |at: &Option<Timestamp>| at.map(|at| at.as_microsecond().to_string()).unwrap_or_default();
        format!(
            "{id}\n{}\n{}\n{}\n{}\n{}\n{failures}\n{}\n{last_error}",
            side.as_str(),
            call.as_str(),
            since.as_microsecond(),
            text(counts_since),
            text(until),
            last_failed_at.as_microsecond()
        )
    }

    /// As plugins are told of it.
    pub const fn declared(&self) -> DeclaredOutage {
        DeclaredOutage { side: self.side, since: self.since, until: self.until }
    }
}

/// A span in which every call of one kind to the provider failed, or that somebody declared.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Outage)]
pub struct OutageBody {
    /// Which one.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    pub id: Uuid,
    /// Whose part did not work.
    pub side: OutageSide,
    /// Which calls failed, or that somebody declared it.
    pub call: OutageCall,
    /// When the first of them did.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub since: Timestamp,
    /// When they had failed for so long that it counts as an outage.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-20T09:02:00Z"))]
    pub counts_since: Option<Timestamp>,
    /// When a call was answered again; null while it lasts.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2026-11-20T09:40:00Z"))]
    pub until: Option<Timestamp>,
    /// How many calls failed; 1 where somebody declared it.
    #[schema(examples(12))]
    pub failures: i64,
    /// When the last of them did.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:39:00Z"))]
    pub last_failed_at: Timestamp,
    /// How it did; why, where somebody declared it.
    #[schema(examples("the provider did not answer (HTTP 503): the call is repeated"))]
    pub last_error: String,
    /// Whether it is as the gateway wrote it: its seal, made with the master key, fits.
    #[schema(examples(true))]
    pub intact: bool,
}

impl From<&KeptOutage> for OutageBody {
    fn from(kept: &KeptOutage) -> Self {
        let Outage { id, side, call, since, counts_since, until, failures, last_failed_at, last_error } =
            kept.outage.clone();
        let intact = kept.is_intact;
        Self { id, side, call, since, counts_since, until, failures, last_failed_at, last_error, intact }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_795_161_600 + second).unwrap()
    }

    const AFTER: SignedDuration = SignedDuration::from_secs(120);

    fn began() -> Outage {
        Outage::began(Uuid::nil(), OutageSide::Provider, OutageCall::PutEntry, "HTTP 503".to_owned(), at(0))
    }

    fn failed(outage: Outage, second: i64) -> Outage {
        outage.failed_again("timed out".to_owned(), at(second), AFTER)
    }

    #[test]
    fn one_call_without_an_answer_is_no_outage() {
        assert_eq!(began().counts_since, None);
        assert_eq!(began().ended(at(500)), None);
        assert!(!began().lasted_after(at(-10)));
    }

    #[test]
    fn calls_that_fail_for_long_enough_are_one_and_its_evidence_has_the_first_failure_and_the_answer() {
        let soon = failed(failed(began(), 5), 119);
        assert_eq!((soon.counts_since, soon.clone().ended(at(130))), (None, None));
        let outage = failed(failed(soon, 120), 125);
        assert_eq!((outage.counts_since, outage.failures, outage.since), (Some(at(120)), 5, at(0)));
        let over = outage.ended(at(130)).unwrap();
        assert_eq!((over.until, over.last_failed_at), (Some(at(130)), at(125)));
        assert_eq!(over.last_error, "timed out");
    }

    #[test]
    fn a_clock_that_steps_back_makes_no_span_of_less_than_nothing() {
        let outage = failed(began(), 120);
        assert_eq!(failed(outage.clone(), -3).last_failed_at, at(120));
        assert_eq!(outage.ended(at(-3)).unwrap().until, Some(at(120)));
    }

    #[test]
    fn what_files_is_ended_by_its_own_kind_and_what_reads_by_any() {
        let ends = |call| {
            let outage = Outage { call, ..began() };
            OutageCall::ALL
                .iter()
                .copied()
                .filter(|answered| outage.is_ended_by(*answered))
                .collect::<Vec<_>>()
        };
        assert_eq!(ends(OutageCall::PutEntry), [OutageCall::PutEntry]);
        assert_eq!(ends(OutageCall::PutJob), [OutageCall::PutJob]);
        assert_eq!(ends(OutageCall::GetEntry), OutageCall::ALL);
        assert_eq!(ends(OutageCall::GetJob), OutageCall::ALL);
    }

    #[test]
    fn an_outage_lasts_until_its_end_or_some_time_after_its_last_failure() {
        let lasts = failed(began(), 120);
        let quiet_at = 120 + LASTS_FOR.as_secs();
        assert!(lasts.lasted_after(at(quiet_at)) && !lasts.lasted_after(at(quiet_at + 1)));
        let over = lasts.ended(at(150)).unwrap();
        assert!(over.lasted_after(at(150)) && !over.lasted_after(at(151)));
    }

    #[test]
    fn an_outage_that_somebody_declares_counts_at_once_and_lasts_until_somebody_ends_it() {
        let declare = |until: Option<i64>, reason: &str| {
            let (side, reason) = (OutageSide::Authority, reason.to_owned());
            Outage::of(Uuid::nil(), Declaration { side, since: at(0), until: until.map(at), reason })
        };
        let lasts = declare(None, " announced ").unwrap();
        assert!(lasts.lasted_after(at(1_000_000)) && lasts.last_error == "announced");
        assert!(OutageCall::ALL.iter().all(|answered| !lasts.is_ended_by(*answered)));
        assert_eq!(lasts.clone().declared_over(at(0)), Err(NotDeclared::EndsBefore));
        let over = lasts.declared_over(at(60)).unwrap();
        assert_eq!(declare(Some(60), "announced"), Ok(over.clone()));
        assert!(over.lasted_after(at(60)) && !over.lasted_after(at(61)));
        assert_eq!(over.declared_over(at(90)), Err(NotDeclared::Unknown));
        assert_eq!(began().declared_over(at(90)), Err(NotDeclared::Unknown));
        assert_eq!(declare(Some(0), "announced"), Err(NotDeclared::EndsBefore));
        for reason in ["", "  ", &"x".repeat(301)] {
            assert_eq!(declare(None, reason), Err(NotDeclared::Reason));
        }
    }

    #[test]
    fn the_evidence_changes_with_every_member() {
        let outage = began();
        let others = [
            Outage { side: OutageSide::Authority, ..outage.clone() },
            Outage { call: OutageCall::PutJob, ..outage.clone() },
            Outage { since: at(1), ..outage.clone() },
            Outage { counts_since: Some(at(1)), ..outage.clone() },
            Outage { until: Some(at(1)), ..outage.clone() },
            Outage { failures: 2, ..outage.clone() },
            Outage { last_failed_at: at(1), ..outage.clone() },
            Outage { last_error: "HTTP 500".to_owned(), ..outage.clone() },
        ];
        for other in others {
            assert_ne!(other.evidence(), outage.evidence());
        }
    }
}
