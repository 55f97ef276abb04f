//! Which documents may be amended, and what of them.

use crate::{Amendment, differences};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{EntryId, ProviderJobId};
use gateway_domain::invoicing::{Acceptance, Content, Invoice, InvoiceNumber, State, Totals};
use gateway_domain::regime::AmendDescription;
use gateway_domain::{ErrorCode, FieldError, StoreError, field_of};
use gateway_domain_finance::{
    Command, CurrentAttempt, EndedStage, EntryDocument, Progress, Refusal, Submission, refusal,
};
use jiff::Timestamp;

/// Never amended, whatever a plugin says: an authority knows a record by them.
const RECORD_MEMBERS: [&str; 3] = ["document_type", "currency", "issue_date"];

/// What an amendment is decided from.
#[derive(Debug, Clone, Copy)]
pub struct AmendmentFacts<'a> {
    /// The document as it stands.
    pub document: &'a Invoice,
    /// The figures of what it is to become.
    pub totals: &'a Totals,
    /// What is to change ([`changed_members`]).
    pub changes: &'a [String],
    /// What its tax system allows; none: it takes no record again.
    pub amendable: Option<&'a AmendDescription>,
    /// How it came to the authority; none: it was issued without one.
    pub submission: Option<&'a Submission>,
    /// Whether an amendment of it is under way.
    pub is_under_way: bool,
}

/// What is amended: the accepted record of a document.
#[derive(Debug, Clone, PartialEq)]
pub struct AmendmentTarget {
    /// What changes: JSON Pointers into the document, at least one.
    pub changes: Vec<String>,
    /// The document's number.
    pub number: InvoiceNumber,
    /// The authority's proof of what it accepted.
    pub acceptance: Acceptance,
    /// The attempt that filed it.
    pub job: ProviderJobId,
    /// The provider's entry that it stands in.
    pub entry: EntryId,
    /// The structured document as it was sent.
    pub structured: String,
}

/// How a document is corrected that is not amended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WayToGo {
    /// Figures.
    Credit,
    /// Whom it is for.
    Reverse,
    /// Anything else.
    CorrectiveInvoice,
}

impl WayToGo {
    /// How what stands at `path` is corrected.
    pub fn of(path: &str) -> Self {
        match first_member(path) {
            "lines" | "retentions" | "prices_include_tax" => Self::Credit,
            "recipient" => Self::Reverse,
            _ => Self::CorrectiveInvoice,
        }
    }

    /// What to do, half a sentence.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Credit => "credit what was billed wrong with the command 'credit', and bill what is right",
            Self::Reverse => "cancel the document with the command 'reverse', and issue another one",
            Self::CorrectiveInvoice => {
                "cancel the document with a credit note for all of it, and issue a corrective invoice"
            }
        }
    }
}

/// A place that may not be amended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefusedPath {
    /// JSON Pointer into the document.
    pub path: String,
    /// How it is corrected instead.
    pub way: WayToGo,
}

impl RefusedPath {
    /// A place that is never amended.
    pub fn at(path: impl Into<String>) -> Self {
        let path = path.into();
        Self { way: WayToGo::of(&path), path }
    }
}

/// Why a document is not amended. Nothing changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AmendmentRefused {
    /// Its state does not take it.
    #[error("{}", .0.message())]
    State(Refusal),
    /// No authority holds it.
    #[error(
        "the document was issued without a tax authority, so there is no record to amend: correct it with a credit note"
    )]
    NoRecord,
    /// Its tax system takes no record again under its number.
    #[error(
        "the tax system of the document takes no amendment: credit or reverse it, and issue a corrective invoice"
    )]
    NotOffered,
    /// Nobody knows in which entry of the provider its record stands.
    #[error(
        "the document was accepted by hand, so the provider's entry of its record is not known: amend it at the provider, or credit it"
    )]
    AcceptedByHand,
    /// A remote invoice data service keeps it.
    #[error(
        "the document is kept by a remote invoice data service, which takes no amendment: credit it, and issue a corrective invoice"
    )]
    RemoteDocument,
    /// The check of its tax system found what the authority would refuse.
    #[error("the tax authority would refuse the amendment: mend the faults")]
    Faults(Vec<Fault>),
    /// There is none to give up.
    #[error("no amendment of the document waits for somebody: there is none, or the tax authority has it")]
    NotWaiting,
    /// An amendment of it is under way.
    #[error("an amendment of the document is on its way: wait for its verdict")]
    UnderWay,
    /// It would become what it is.
    #[error("the amendment changes nothing of the document: give the members that change")]
    Unchanged,
    /// At least one place that may not change.
    #[error("the amendment changes what may not be amended: {}", paths(.0))]
    Paths(Vec<RefusedPath>),
}

impl AmendmentRefused {
    /// For programs; the sentence tells people.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::State(refusal) => refusal.code(),
            Self::NoRecord | Self::NotOffered | Self::AcceptedByHand | Self::RemoteDocument => {
                ErrorCode::AmendNotOffered
            }
            Self::Faults(_) => ErrorCode::PreflightFailed,
            Self::NotWaiting => ErrorCode::AmendmentNotWaiting,
            Self::UnderWay => ErrorCode::AmendUnderWay,
            Self::Unchanged => ErrorCode::AmendUnchanged,
            Self::Paths(_) => ErrorCode::AmendPathRefused,
        }
    }

    /// What is wrong, member by member.
    pub fn errors(&self) -> Vec<FieldError> {
        match self {
            Self::Faults(faults) => faults
                .iter()
                .filter(|fault| fault.stops())
                .map(|fault| FieldError::new(field_of(&fault.path), self.code(), &fault.message))
                .collect(),
            Self::Paths(paths) => {
                let error = |refused: &RefusedPath| {
                    let message = format!("may not be amended: {}", refused.way.sentence());
                    FieldError::new(field_of(&refused.path), ErrorCode::AmendPathRefused, message)
                };
                paths.iter().map(error).collect()
            }
            Self::State(_)
            | Self::NoRecord
            | Self::NotOffered
            | Self::AcceptedByHand
            | Self::RemoteDocument
            | Self::NotWaiting
            | Self::UnderWay
            | Self::Unchanged => vec![FieldError::new("base", self.code(), self.to_string())],
        }
    }
}

/// Where two versions of a document differ, as JSON Pointers into it.
///
/// # Errors
/// A document that has no form in JSON.
pub fn changed_members(before: &Content, after: &Content) -> Result<Vec<String>, StoreError> {
    Ok(differences(&StoreError::json_value(before)?, &StoreError::json_value(after)?))
}

/// Whether a document may be amended like this.
///
/// # Errors
/// Why not, and how it is corrected instead.
pub fn decide_amendment(facts: AmendmentFacts<'_>) -> Result<AmendmentTarget, AmendmentRefused> {
    let AmendmentFacts { document, totals, changes, amendable, submission, is_under_way } = facts;
    ensure_taken(document, Command::Amend)?;
    let (number, acceptance) = issued(&document.state)?;
    let attempt = accepted_attempt(submission, number)?;
    let amendable = amendable.ok_or(AmendmentRefused::NotOffered)?;
    if is_under_way {
        return Err(AmendmentRefused::UnderWay);
    }
    if changes.is_empty() {
        return Err(AmendmentRefused::Unchanged);
    }
    let mut refused: Vec<_> = changes
        .iter()
        .filter(|path| RECORD_MEMBERS.contains(&first_member(path)) || !amendable.allows(path))
        .map(RefusedPath::at)
        .collect();
    if refused.is_empty() && *totals != document.totals {
        refused.push(RefusedPath { path: "/totals".to_owned(), way: WayToGo::Credit });
    }
    if !refused.is_empty() {
        return Err(AmendmentRefused::Paths(refused));
    }
    let (CurrentAttempt { job, .. }, EntryDocument { entry, structured, .. }) = attempt;
    Ok(AmendmentTarget {
        changes: changes.to_vec(),
        number: number.clone(),
        acceptance: acceptance.clone(),
        job: *job,
        entry: *entry,
        structured: structured.to_string(),
    })
}

/// The open amendment of a document as it is given up.
///
/// # Errors
/// Nothing waits for somebody.
pub fn decide_withdrawal(
    document: &Invoice,
    open: Option<Amendment>,
    now: Timestamp,
) -> Result<Amendment, AmendmentRefused> {
    ensure_taken(document, Command::WithdrawAmendment)?;
    open.and_then(|open| open.withdrawn(now)).ok_or(AmendmentRefused::NotWaiting)
}

fn ensure_taken(document: &Invoice, command: Command) -> Result<(), AmendmentRefused> {
    refusal(document.state.status(), command).map_or(Ok(()), |refusal| Err(AmendmentRefused::State(refusal)))
}

/// Number and proof of an issued document.
const fn issued(state: &State) -> Result<(&InvoiceNumber, &Acceptance), AmendmentRefused> {
    match state {
        State::Issued { number, acceptance: Some(acceptance), .. } => Ok((number, acceptance)),
        State::Issued { acceptance: None, .. }
        | State::Issuing { .. }
        | State::Draft
        | State::Rejected { .. } => Err(AmendmentRefused::NoRecord),
    }
}

/// The attempt whose record the authority accepted under the document's number.
fn accepted_attempt<'a>(
    submission: Option<&'a Submission>,
    number: &InvoiceNumber,
) -> Result<(&'a CurrentAttempt, &'a EntryDocument), AmendmentRefused> {
    match submission.map(|submission| &submission.progress) {
        None => Err(AmendmentRefused::NoRecord),
        Some(Progress::Ended(EndedStage::Accepted { attempt, .. })) if attempt.number == *number => {
            let document = attempt.document.as_ref().ok_or(AmendmentRefused::AcceptedByHand)?;
            Ok((attempt, document))
        }
        Some(Progress::Open(_)) => Err(AmendmentRefused::UnderWay),
        Some(Progress::Ended(
            EndedStage::Accepted { .. }
            | EndedStage::Rejected { .. }
            | EndedStage::Superseded(_)
            | EndedStage::Withdrawn { .. },
        )) => Err(AmendmentRefused::AcceptedByHand),
    }
}

fn first_member(path: &str) -> &str {
    path.split('/').nth(1).unwrap_or_default()
}

fn paths(refused: &[RefusedPath]) -> String {
    let named: Vec<_> = refused.iter().map(|refused| refused.path.as_str()).collect();
    named.join(", ")
}
