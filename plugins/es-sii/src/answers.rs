//! How the tax agency answers to the SII.
//!
//! The provider attaches no stamps: success is the proof. The wording is ours; of the codes that are not here the
//! agency's own words are told.

use einvoice_es::interpret::Answers;

/// How the agency answers.
pub const ANSWERS: Answers = Answers {
    authority: "AEAT",
    names: &["sii", "es-sii", "aeat"],
    qr: None,
    hash: None,
    is_code: einvoice_es::authority::is_code,
    accepts,
    meaning,
};

/// The agency already has an invoice of this issuer, number and date.
pub(crate) const DUPLICATE: &str = "3000";
/// The agency has no invoice that this amendment could amend.
pub(crate) const UNKNOWN_RECORD: &str = "3002";
/// A mandatory member is missing.
pub(crate) const FIELD_MISSING: &str = "4102";
/// A member has a wrong value.
pub(crate) const WRONG_VALUE: &str = "1100";

/// Codes with what the agency objects to.
const MEANINGS: &[(&str, &str)] = &[
    (WRONG_VALUE, "A value is wrong or of the wrong type; correct the document."),
    (
        DUPLICATE,
        "The agency already has an invoice with this number and date; issue it under another number.",
    ),
    ("3001", "The invoice has been withdrawn from the agency's books already."),
    (
        UNKNOWN_RECORD,
        "The agency has no such invoice: an accepted invoice cannot be renumbered; issue a credit note and then a new invoice.",
    ),
    (FIELD_MISSING, "The message lacks a mandatory member; complete the document."),
    ("4104", "The agency does not know the NIF of the holder of the books; check the workspace's tax id."),
];

/// Whether the agency accepted the invoice despite this code (2000 to 2999: accepted with errors).
fn accepts(code: &str) -> bool {
    einvoice_es::authority::is_code(code) && code.starts_with('2')
}

fn meaning(code: &str) -> Option<&'static str> {
    MEANINGS.iter().find(|(known, _)| *known == code).map(|(_, meaning)| *meaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_es::interpret::interpret;
    use einvoice_plugin::{ProviderFault, ProviderResult, Verdict};

    fn report(succeeded: bool, code: Option<&str>) -> ProviderResult {
        let fault = |code: &str| ProviderFault {
            provider: Some("sii".to_owned()),
            code: Some(code.to_owned()),
            message: Some("El NIF no está identificado".to_owned()),
            paths: Vec::new(),
        };
        let faults = code.map(fault).into_iter().collect();
        ProviderResult { succeeded, faults, stamps: Vec::new(), job: "{}".to_owned(), entry: "{}".to_owned() }
    }

    #[test]
    fn success_needs_no_stamps() {
        let Verdict::Accepted(acceptance) = interpret(&ANSWERS, &report(true, None)) else { panic!() };
        assert_eq!((acceptance.qr_url, acceptance.tax_system_hash), (None, None));
        assert!(matches!(interpret(&ANSWERS, &report(false, None)), Verdict::Undecided(_)));
    }

    #[test]
    fn an_invoice_accepted_with_errors_is_accepted_with_a_warning() {
        for succeeded in [true, false] {
            let Verdict::Accepted(acceptance) = interpret(&ANSWERS, &report(succeeded, Some("2011"))) else {
                panic!()
            };
            assert_eq!(acceptance.warnings[0].code, "2011");
        }
    }

    #[test]
    fn a_code_rejects_in_our_words_or_in_the_agencys() {
        for (code, start) in [
            ("3000", "The agency already has an invoice with this number and date;"),
            ("1117", "The tax agency refused the invoice. El NIF no está identificado (AEAT 1117)"),
            ("GOBL-ES-SII-BILL-INVOICE-14", "El NIF no está identificado (GOBL-ES-SII-BILL-INVOICE-14)"),
        ] {
            let Verdict::Rejected(rejection) = interpret(&ANSWERS, &report(false, Some(code))) else {
                panic!()
            };
            assert!(rejection.reason.starts_with(start), "{}", rejection.reason);
            assert_eq!(rejection.code.as_deref(), Some(code));
        }
    }
}
