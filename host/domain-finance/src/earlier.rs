//! What the tax authority holds of an attempt that is over for the gateway: one that ended by hand, failed without a
//! reason, or was refused before the document goes out again. Two records of one sale must never be accepted.

use gateway_domain::regime::Verdict;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What the tax authority holds of an ended attempt, as far as the provider showed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[derive(strum::IntoStaticStr, strum::VariantArray, strum::EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum AuthorityRecord {
    /// Nothing: the authority was never asked, or the attempt failed before it was.
    Nothing,
    /// It refused the record, or the provider's validation did before the authority saw it.
    Refused,
    /// It accepted the record.
    Accepted,
}

impl AuthorityRecord {
    /// Every kind.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As written in JSON and storage.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// Exactly as [`Self::as_str`] writes it; none for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        text.parse().ok()
    }
}

/// How far the job of an ended attempt is, as the provider shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EarlierJob {
    /// The provider does not know it.
    Unknown,
    /// It runs.
    Running,
    /// It ended well.
    Succeeded,
    /// A step of it failed for good.
    Failed,
}

/// What the provider shows of an ended attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierAttempt {
    /// How far it is now, not when the attempt ended.
    pub job: EarlierJob,
    /// What the regime reads in job and entry; none when nobody says a reason, or no plugin could be asked.
    pub verdict: Option<Verdict>,
    /// Whether the entry is signed, or has a stamp that it did not have when the attempt ended.
    pub marked: bool,
    /// What shows that job and entry are about another document, if anything.
    pub another: Option<String>,
    /// Whether the authority refused it because it holds a record under this number already.
    pub duplicate: bool,
    /// Whether a call that starts its job may still be on its way to the provider.
    pub may_start: bool,
}

/// What follows from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EarlierFinding {
    /// The authority may yet accept it.
    Open,
    /// The authority holds nothing.
    Nothing,
    /// The authority answered with a refusal, and not because it holds a record already.
    Refused,
    /// The authority accepted it: the verdict.
    Accepted(Verdict),
    /// The authority may hold it; why that is not clear, one phrase.
    Doubtful(String),
}

impl EarlierAttempt {
    /// What follows from what the provider shows. Signature and stamps may be there before the authority answered, so they
    /// decide only where its answer is not known; a job that ended well may have been accepted whatever else is missing.
    pub fn finding(self) -> EarlierFinding {
        let Self { job, verdict, marked, another, duplicate, may_start } = self;
        match (job, another, verdict) {
            (EarlierJob::Running, _, _) => EarlierFinding::Open,
            (EarlierJob::Unknown, _, _) if marked => EarlierFinding::Doubtful(
                "its entry is signed or stamped, and the provider does not know its job any more".to_owned(),
            ),
            (EarlierJob::Unknown, _, _) if may_start => EarlierFinding::Open,
            (EarlierJob::Unknown, _, _) => EarlierFinding::Nothing,
            (EarlierJob::Succeeded | EarlierJob::Failed, Some(what), _) => EarlierFinding::Doubtful(what),
            (_, None, Some(verdict @ Verdict::Accepted { .. })) => EarlierFinding::Accepted(verdict),
            // Its own record, perhaps, whose first answer was lost: a refusal of this one is no word about that one.
            (_, None, Some(Verdict::Rejected { .. })) if duplicate => EarlierFinding::Doubtful(
                "the tax authority says that it holds a record under its number already".to_owned(),
            ),
            (_, None, Some(Verdict::Rejected { .. })) => EarlierFinding::Refused,
            (job, None, verdict) => {
                let reason = match verdict {
                    Some(Verdict::Undecided { reason }) => reason.trim_end_matches('.').to_owned(),
                    Some(Verdict::Accepted { .. } | Verdict::Rejected { .. }) | None => {
                        "its job ended and nobody says how the authority answered".to_owned()
                    }
                };
                if marked || job == EarlierJob::Succeeded {
                    EarlierFinding::Doubtful(reason)
                } else {
                    EarlierFinding::Nothing
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn earlier_attempt(job: EarlierJob, verdict: Option<Verdict>, marked: bool) -> EarlierAttempt {
        EarlierAttempt { job, verdict, marked, another: None, duplicate: false, may_start: false }
    }

    fn attempt(job: EarlierJob, verdict: Option<Verdict>, marked: bool) -> EarlierFinding {
        earlier_attempt(job, verdict, marked).finding()
    }

    fn accepted() -> Verdict {
        Verdict::Accepted { qr_url: None, tax_system_hash: None, warnings: Vec::new() }
    }

    fn refused() -> Verdict {
        Verdict::Rejected { code: None, reason: "no".to_owned(), faults: Vec::new() }
    }

    fn undecided() -> Verdict {
        Verdict::Undecided { reason: "The step pdf failed.".to_owned() }
    }

    #[test]
    fn every_record_is_found_by_its_name() {
        for &record in AuthorityRecord::ALL {
            assert_eq!(AuthorityRecord::parse(record.as_str()), Some(record));
        }
    }

    #[test]
    fn the_authoritys_own_answer_decides_whatever_is_stamped() {
        for marked in [false, true] {
            assert_eq!(attempt(EarlierJob::Failed, Some(refused()), marked), EarlierFinding::Refused);
            let found = attempt(EarlierJob::Succeeded, Some(accepted()), marked);
            assert_eq!(found, EarlierFinding::Accepted(accepted()));
            assert_eq!(attempt(EarlierJob::Running, None, marked), EarlierFinding::Open);
        }
    }

    #[test]
    fn without_its_answer_a_signature_a_stamp_or_a_success_is_a_doubt() {
        let doubt = EarlierFinding::Doubtful("The step pdf failed".to_owned());
        assert_eq!(attempt(EarlierJob::Failed, Some(undecided()), true), doubt);
        assert_eq!(attempt(EarlierJob::Succeeded, Some(undecided()), false), doubt);
        assert_eq!(attempt(EarlierJob::Failed, Some(undecided()), false), EarlierFinding::Nothing);
        assert_eq!(attempt(EarlierJob::Failed, None, false), EarlierFinding::Nothing);
        assert!(matches!(attempt(EarlierJob::Unknown, None, true), EarlierFinding::Doubtful(_)));
        assert_eq!(attempt(EarlierJob::Unknown, None, false), EarlierFinding::Nothing);
    }

    #[test]
    fn a_verdict_about_another_document_is_a_doubt() {
        let another = "the entry holds F-2026-000001".to_owned();
        let earlier_attempt = EarlierAttempt {
            another: Some(another.clone()),
            ..earlier_attempt(EarlierJob::Succeeded, Some(accepted()), false)
        };
        assert_eq!(earlier_attempt.finding(), EarlierFinding::Doubtful(another));
    }

    #[test]
    fn a_job_that_may_still_be_started_is_open_until_its_call_cannot_come_any_more() {
        let attempt = EarlierAttempt { may_start: true, ..earlier_attempt(EarlierJob::Unknown, None, false) };
        assert_eq!(attempt.finding(), EarlierFinding::Open);
    }

    #[test]
    fn a_refusal_because_of_a_duplicate_is_a_doubt_about_the_first_record() {
        for marked in [false, true] {
            let attempt = EarlierAttempt {
                duplicate: true,
                ..earlier_attempt(EarlierJob::Failed, Some(refused()), marked)
            };
            assert!(matches!(attempt.finding(), EarlierFinding::Doubtful(_)), "{marked}");
        }
    }
}
