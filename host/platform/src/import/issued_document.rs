//! Documents that another system issued. Each is stored in a transaction of its own, behind the other lines of its batch: it holds the
//! series of its number, and nobody who issues waits for a batch.

use super::Importer;
use super::outcome::{LineOutcome, Outcome};
use gateway_domain::access::Actor;
use gateway_domain::{FieldError, StoreError};
use gateway_domain_input::document::IssuedDocumentForm;
use gateway_invoicing::ImportOutcome;

/// As the member `kind` says it.
pub(super) const NAME: &str = "issued_document";

/// Why a line is passed over: each member with a sentence and its code.
pub(super) fn refusal(faults: &[FieldError]) -> String {
    let sentence = |fault: &FieldError| format!("{}: {} ({})", fault.field, fault.message, fault.code);
    faults.iter().map(sentence).collect::<Vec<_>>().join("; ")
}

/// Stores documents, in the order of their lines.
pub(super) async fn store(
    importer: &Importer,
    actor: &Actor,
    lines: Vec<(u64, IssuedDocumentForm)>,
) -> Result<Vec<LineOutcome>, StoreError> {
    let mut all = Vec::with_capacity(lines.len());
    for (line, form) in lines {
        let outcome = match &importer.documents {
            None => Outcome::Refused(
                "the documents of this gateway are kept by another invoice data service: import them there"
                    .to_owned(),
            ),
            Some(documents) => match documents.import(actor, form).await? {
                ImportOutcome::Created => Outcome::Created,
                ImportOutcome::Unchanged => Outcome::Unchanged,
                ImportOutcome::Refused(faults) => Outcome::Refused(refusal(&faults)),
            },
        };
        all.push(LineOutcome { line, kind: NAME, outcome, remark: None });
    }
    Ok(all)
}
