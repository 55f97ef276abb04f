//! Attempts to have a document accepted: one job of the provider each.

use crate::ports::{Entry, Job};
use crate::{Alert, AlertCode, AttemptOutcome, AuthorityRecord, EarlierFinding, bounded_text};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId};
use gateway_domain::invoicing::{Acceptance, Invoice, InvoiceNumber, State, Status};
use gateway_domain::regime::{PluginRef, Stamp};
use jiff::{SignedDuration, Timestamp};

/// How long a job that the provider does not know may still reach it: far longer than any call takes.
const LATE_CALL: SignedDuration = SignedDuration::from_mins(15);

/// One attempt.
#[derive(Debug, Clone, PartialEq)]
pub struct Attempt {
    /// The provider's job.
    pub job: ProviderJobId,
    /// What the provider's entry has to hold as its `code`; none: it has to hold no `code`.
    pub number: Option<InvoiceNumber>,
    /// The provider's entry; none when the document never got that far.
    pub entry: Option<EntryId>,
    /// Which plugin converted.
    pub plugin: Option<PluginRef>,
    /// When it began.
    pub started_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
    /// How it ended.
    pub outcome: Option<AttemptOutcome>,
    /// Of a rejection; empty for every other outcome.
    pub faults: Vec<Fault>,
    /// What the tax authority holds of it; none while nobody knows.
    pub authority_record: Option<AuthorityRecord>,
    /// The proof of an acceptance that was learned of after the attempt had ended.
    pub acceptance: Option<Acceptance>,
    /// SHA-256 of the document as the provider showed it after the upload.
    pub entry_digest: Option<String>,
}

impl Attempt {
    /// Whether the document is issued under the number of this attempt.
    pub fn is_issued_as(&self, document: &Invoice) -> bool {
        matches!(&document.state, State::Issued { number, .. } if Some(number) == self.number.as_ref())
    }

    /// Whether the provider is asked how an attempt ended: it is over here, and nobody knows what the authority holds. One that
    /// failed without a reason is the operator's to retry while its submission is open.
    pub fn is_watched(&self, submission_is_over: bool) -> bool {
        let by_hand = self.outcome == Some(AttemptOutcome::Superseded);
        let failed = self.outcome == Some(AttemptOutcome::Failed);
        self.authority_record.is_none() && (by_hand || (failed && submission_is_over))
    }

    /// Whether the call that starts the job of an attempt may still be on its way: the verdict was given by hand before the
    /// provider knew the job.
    pub fn may_start(&self, now: Timestamp) -> bool {
        let by_hand = self.outcome == Some(AttemptOutcome::Superseded);
        let ended_at = self.ended_at.unwrap_or(self.started_at);
        by_hand && self.authority_record.is_none() && now.duration_since(ended_at).abs() < LATE_CALL
    }

    /// What shows that job and entry are not about the attempt, one phrase.
    pub fn another(&self, job: &Job, entry: &Entry) -> Option<String> {
        if let Some(other) = job.entry.filter(|other| *other != entry.id) {
            return Some(format!("the provider's job {} is about entry {other}", job.id));
        }
        let code = entry.document.pointer("/code").and_then(serde_json::Value::as_str);
        let ours = self.number.as_ref().map(|number| number.0.as_str());
        (code != ours).then(|| {
            let code = code.map_or_else(|| "no number".to_owned(), bounded_text);
            format!("the provider's entry {} holds {code}", entry.id)
        })
    }

    /// Whether an entry is signed or stamped. What was there already when the authority refused the record proves nothing.
    pub fn is_marked(&self, stamps: &[Stamp], entry: &Entry) -> bool {
        match self.authority_record {
            Some(AuthorityRecord::Refused) => entry.stamps.iter().any(|stamp| !stamps.contains(stamp)),
            Some(AuthorityRecord::Nothing | AuthorityRecord::Accepted) | None => {
                entry.signed || !entry.stamps.is_empty()
            }
        }
    }

    /// What the authority is known to hold of this attempt from now on; none when it was known, is not yet, or is to be
    /// settled by somebody.
    pub fn new_authority_record(&self, finding: &EarlierFinding) -> Option<AuthorityRecord> {
        if self.authority_record.is_some() {
            return None;
        }
        match finding {
            EarlierFinding::Nothing => Some(AuthorityRecord::Nothing),
            EarlierFinding::Refused => Some(AuthorityRecord::Refused),
            EarlierFinding::Open | EarlierFinding::Accepted(_) | EarlierFinding::Doubtful(_) => None,
        }
    }
}

/// What somebody has to know of an attempt that did not end at the authority as the document shows. `proof` is that of an
/// accepted one.
pub fn contradiction(
    attempt: &Attempt,
    finding: &EarlierFinding,
    document: &Invoice,
    proof: Option<&Acceptance>,
) -> Option<Alert> {
    let number = attempt.number.as_ref();
    let is_issued = attempt.is_issued_as(document);
    let after_all = |doubt| {
        let message = match document.state.number().filter(|_| document.state.status() == Status::Issued) {
            Some(present) => uploaded_twice(document.id, number, present, proof),
            None => accepted_after_all(document.id, number, proof, doubt),
        };
        Some(Alert { code: AlertCode::AcceptedAfterAll, message })
    };
    match finding {
        EarlierFinding::Accepted(_) if !is_issued => after_all(None),
        EarlierFinding::Doubtful(why) if !is_issued => after_all(Some(why.as_str())),
        EarlierFinding::Refused if is_issued => Some(Alert {
            code: AlertCode::RejectedAfterAll,
            message: format!(
                "the tax authority refused {}, which was accepted by hand: find out what it holds, correct the sale with \
                 a credit note where it holds nothing, then acknowledge the alert with 'gateway submission acknowledge'",
                number.map_or("the document", |number| number.0.as_str())
            ),
        }),
        EarlierFinding::Accepted(_)
        | EarlierFinding::Doubtful(_)
        | EarlierFinding::Refused
        | EarlierFinding::Open
        | EarlierFinding::Nothing => None,
    }
}

/// What is known of a record that the authority holds, or may hold, and the command that settles it.
pub fn accepted_after_all(
    document: InvoiceId,
    number: Option<&InvoiceNumber>,
    proof: Option<&Acceptance>,
    doubt: Option<&str>,
) -> String {
    let number = number.map_or("", |number| number.0.as_str());
    let settle = format!("{{\"number\": \"{number}\"}}");
    match (proof, doubt) {
        (Some(proof), _) => {
            let given = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
            format!(
                "the tax authority accepted {document} as {number} (verification address {}, hash {}), which counts as \
                 rejected here: settle it with the command mark_as_accepted_by_tax_authority and {settle}, nothing is sent \
                 before",
                given(&proof.qr_url),
                given(&proof.tax_system_hash)
            )
        }
        (None, doubt) => format!(
            "the tax authority may hold {document} as {number} ({}): ask it, then settle it with the command \
             mark_as_accepted_by_tax_authority or mark_as_rejected_by_tax_authority and {settle}, nothing is sent before",
            bounded_text(doubt.unwrap_or("nobody says how it answered"))
        ),
    }
}

/// What is known of a record that the authority accepted, or may hold, beside the one that the document is issued as.
fn uploaded_twice(
    document: InvoiceId,
    number: Option<&InvoiceNumber>,
    present: &InvoiceNumber,
    proof: Option<&Acceptance>,
) -> String {
    let number = number.map_or("", |number| number.0.as_str());
    let holds = if proof.is_some() { "accepted" } else { "may hold" };
    format!(
        "the tax authority {holds} {document} as {number} too, which is issued as {}: cancel {number} there, then settle it \
         with the command mark_as_rejected_by_tax_authority and {{\"number\": \"{number}\"}}",
        present.0
    )
}
