//! What somebody hears of a run without having looked: of each document, and of what is about none.

use gateway_domain::ids::ReconciliationId;
use gateway_domain_events::notices::{Notice, NoticeKind, NoticeSubject};
use gateway_domain_reconciliation::{
    Finding, ReconciledEntry, Reconciliation, ReconciliationOutcome, ReconciliationSource,
};
use jiff::{SignedDuration, Timestamp};

/// How often somebody hears of the same.
pub(crate) const REPEAT_AFTER: SignedDuration = SignedDuration::from_hours(7 * 24);
/// The code of a notice about a run that could not go on.
const FAILED: &str = "failed";

/// What is to be said of a document that the two sides do not say the same of.
pub(crate) fn of_document(run: &Reconciliation, row: &ReconciledEntry) -> Option<Notice> {
    let document = row.document.filter(|_| row.outcome.is_open())?;
    let differences: Vec<_> = row
        .divergences
        .iter()
        .map(|found| format!("{} is {} here and {} there", found.member, found.here, found.there))
        .collect();
    let message = match (row.outcome, row.source) {
        (ReconciliationOutcome::OnlyHere, ReconciliationSource::Provider) => {
            "it was filed from here, and the provider does not have it".to_owned()
        }
        (ReconciliationOutcome::OnlyHere, ReconciliationSource::Authority) => {
            "it is accepted here, and the tax authority's own list does not have it".to_owned()
        }
        (_, ReconciliationSource::Chain) => {
            row.divergences.iter().map(|found| found.here.as_str()).collect::<Vec<_>>().join("; ")
        }
        (
            ReconciliationOutcome::Matching
            | ReconciliationOutcome::Settling
            | ReconciliationOutcome::Different
            | ReconciliationOutcome::OnlyThere,
            ReconciliationSource::Provider | ReconciliationSource::Authority,
        ) => differences.join("; "),
    };
    Some(Notice {
        kind: NoticeKind::ReconciliationDifferent,
        workspace: Some(run.workspace),
        subject: NoticeSubject::Document { id: document, number: row.number.clone() },
        code: row.outcome.as_str().to_owned(),
        message,
        next_command: command(run.id),
        since: run.updated_at,
    })
}

/// What is to be said of what a run found that is about no document.
pub(crate) fn of_run(run: &Reconciliation, found: Finding, now: Timestamp) -> Notice {
    let Finding { key, outcome, sentence } = found;
    let (key, code) = (format!("{}: {key}", run.workspace), outcome.as_str().to_owned());
    about_run(NoticeKind::ReconciliationDifferent, run, key, code, sentence, now)
}

/// What is to be said of a run that could not go on: of each workspace, whatever the reason.
pub(crate) fn of_failure(run: &Reconciliation, reason: &str, now: Timestamp) -> Notice {
    let finding = format!("{}: {FAILED}", run.workspace);
    about_run(NoticeKind::ReconciliationFailed, run, finding, FAILED.to_owned(), reason.to_owned(), now)
}

fn about_run(
    kind: NoticeKind,
    run: &Reconciliation,
    finding: String,
    code: String,
    message: String,
    since: Timestamp,
) -> Notice {
    let subject = NoticeSubject::Reconciliation { run: run.id, finding };
    let next_command = command(run.id);
    Notice { kind, workspace: Some(run.workspace), subject, code, message, next_command, since }
}

fn command(run: ReconciliationId) -> String {
    format!("gateway reconcile --show {run}")
}
