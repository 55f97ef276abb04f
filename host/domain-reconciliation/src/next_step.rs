//! What is to be done about what was found.

use crate::run::{ReconciliationOutcome, ReconciliationSource};
use crate::{authority, comparison};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{InvoiceNumber, Status};

/// What to do about what was found, one sentence; none where nothing is to be done.
pub fn next_step(
    source: ReconciliationSource,
    outcome: ReconciliationOutcome,
    document: Option<(InvoiceId, Option<Status>)>,
    number: Option<&InvoiceNumber>,
) -> Option<String> {
    match source {
        ReconciliationSource::Provider => comparison::next_step_at_provider(outcome, document, number),
        ReconciliationSource::Authority => authority::next_step(outcome, document, number),
        // What is broken says what to do, and this whether it is mended.
        ReconciliationSource::Chain => outcome.is_open().then(|| "see 'gateway doctor --chain'".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn whatever_somebody_has_to_settle_says_how() {
        let document = InvoiceId(Uuid::from_u128(1));
        let number = InvoiceNumber("F-1".to_owned());
        for (&source, &outcome) in ReconciliationSource::ALL
            .iter()
            .flat_map(|source| ReconciliationOutcome::ALL.iter().map(move |outcome| (source, outcome)))
        {
            for status in [None, Some(Status::Issued), Some(Status::Rejected)] {
                let step = next_step(source, outcome, Some((document, status)), Some(&number));
                assert_eq!(step.is_some(), outcome.is_open(), "{source:?} {outcome:?}");
            }
        }
    }
}
