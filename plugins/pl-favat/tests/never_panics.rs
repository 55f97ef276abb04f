//! Whatever a platform, a provider or a tester sends: an answer, never a panic.

#![cfg(test)]

mod support;

use std::sync::LazyLock;

use einvoice_eu::harness::{self, Validator, anything};
use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Authority, Country, Fault, Invoice};
use pl_favat::PlFavat;
use proptest::prelude::*;
use serde_json::{Value, json};

const WORDS: &[&str] =
    &["PL", "PLN", "9876543210", "exempt", "reverse_charge", "ZAL", "KOR", "440", "200", "{}"];

fn sound() -> Invoice {
    invoice(&json!({
        "number": "F-1", "issue_date": "2026-11-20", "currency": "PLN",
        "recipient": {"type": "company", "name": "Klient", "tax_number": "9876543210", "country": "PL"},
        "lines": [{"description": "Nocleg", "quantity": "1", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "8.0"}}]
    }))
    .unwrap()
}

/// Whatever is converted fits the format.
static SCHEMA: LazyLock<Option<Validator>> = LazyLock::new(|| harness::schema().unwrap());

proptest! {

    #[test]
    fn any_invoice_is_converted_or_refused_with_reasons(
        invoice in anything::invoice(WORDS, sound()), context in anything::context(WORDS, support::context())
    ) {
        let checked = PlFavat::check(&invoice, &context);
        match PlFavat::convert(&invoice, &context) {
            Ok(document) => {
                prop_assert!(checked.iter().all(|fault| !fault.is_error()));
                let body: Value = serde_json::from_str(&document.body).unwrap();
                let schema = SCHEMA.as_ref();
                prop_assert!(schema.is_none_or(|schema| schema.is_valid(&body)), "{body}");
            }
            Err(faults) => prop_assert!(!faults.is_empty() && faults.iter().all(Fault::is_error)),
        }
    }

    #[test]
    fn any_recipient_is_mapped_or_refused_with_reasons(recipient in anything::recipient(WORDS)) {
        if let Err(faults) = PlFavat::map_identity(&recipient) {
            prop_assert!(!faults.is_empty());
        }
    }

    #[test]
    fn any_report_is_interpreted(report in anything::report(WORDS)) {
        prop_assert!(PlFavat::interpret(&report).is_ok());
    }

    #[test]
    fn any_submission_is_answered(
        submission in {
            let document = PlFavat::convert(&sound(), &support::context()).unwrap();
            anything::submission(WORDS, document.body)
        }
    ) {
        let _ = PlFavat::file(&submission.document);
        let _ = PlFavat::submit(&submission);
    }
}
