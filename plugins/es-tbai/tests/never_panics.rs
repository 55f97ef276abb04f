//! Whatever a platform, a provider or a tester sends: an answer, never a panic.

#![cfg(test)]

use einvoice_gobl::harness::any;
use einvoice_plugin::{Authority, Country, Submission, harness};
use es_tbai::EsTbai;
use proptest::option;
use proptest::prelude::*;
use serde_json::json;

proptest! {
    #[test]
    fn any_invoice_is_converted_or_refused_with_reasons(invoice in any::invoice(), context in any::context()) {
        prop_assert_eq!(any::converts_or_says_why::<EsTbai>(&invoice, &context), Ok(()));
    }

    #[test]
    fn any_recipient_is_mapped_or_refused_with_reasons(recipient in any::recipient()) {
        prop_assert_eq!(any::is_mapped_or_says_why::<EsTbai>(&recipient), Ok(()));
    }

    #[test]
    fn any_report_has_a_verdict(report in any::report()) {
        prop_assert!(EsTbai::interpret(&report).is_ok());
    }

    #[test]
    fn any_submission_is_answered(
        document in any::text(), now in any::text(), code in option::of(any::text()), previous in option::of(any::text()),
    ) {
        let _ = EsTbai::file(&document);
        let invoice = harness::invoice(&json!({
            "number": "F-1", "issue_date": "2026-11-20", "notes": "Stay", "ext": {"region": "BI"},
            "recipient": {"type": "company", "name": "Acme", "tax_number": "B85905495", "country": "ES"},
            "lines": [{"description": "Night", "quantity": "1", "unit_price": "1.00", "tax": {"category": "VAT", "rate": "21.0"}}]
        })).unwrap();
        let document = EsTbai::convert(&invoice, &harness::context()).unwrap().body;
        let submission = Submission { document, now, previous, registered: None, amends: None, forced_code: code };
        prop_assert!(EsTbai::submit(&submission).is_ok() || submission.previous.is_some());
    }
}
