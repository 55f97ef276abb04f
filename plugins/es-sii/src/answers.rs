//! How the tax agency answers to the SII.
//!
//! The provider attaches no stamps: success is the proof. The wording is ours; of the codes that are not here the
//! agency's own words stand.

use einvoice_es::interpret::{Answers, SII_SANDBOX};

/// How the agency answers.
pub const ANSWERS: Answers = Answers {
    authority: "AEAT",
    names: &["sii", "es-sii", SII_SANDBOX, "aeat"],
    qr: None,
    hash: None,
    is_code: einvoice_es::authority::is_code,
    accepts,
    meaning,
};

/// A member has a wrong value.
pub(crate) const WRONG_VALUE: &str = "1100";
/// The country of an identity is in no list.
pub(crate) const COUNTRY: &str = "1101";
/// What should be a VAT number of the Union is none.
pub(crate) const VAT_NUMBER_WRONG: &str = "1104";
/// A NIF is malformed.
pub(crate) const NIF_MALFORMED: &str = "1153";
/// Spain and the type of the identity do not go together.
pub(crate) const COUNTRY_SPAIN: &str = "1168";
/// An identity of somebody outside the census is no NIF.
pub(crate) const ID_NO_NIF: &str = "1169";
/// Tax and base have opposite signs.
pub(crate) const OPPOSITE_SIGNS: &str = "1231";
/// The regime of exports stands on something else.
pub(crate) const EXPORT_REGIME: &str = "1252";
/// The tax is not base times rate.
pub(crate) const TAX_DIFFERS: &str = "2012";
/// The total is not the sum of the breakdown.
pub(crate) const TOTAL_DIFFERS: &str = "2025";
/// The agency already has an invoice of this issuer, number and date.
pub(crate) const DUPLICATE: &str = "3000";
/// The agency has no invoice that this amendment could amend.
pub(crate) const UNKNOWN_RECORD: &str = "3002";
/// A mandatory member is missing, or the schema is broken otherwise.
pub(crate) const FIELD_MISSING: &str = "4102";
/// The NIF of who keeps the books is malformed.
pub(crate) const HOLDER_MALFORMED: &str = "4122";

/// The codes that the stand-in knows.
pub fn codes() -> impl Iterator<Item = &'static str> {
    MEANINGS.iter().map(|(code, _)| *code)
}

/// Codes with what the agency objects to. What they mean is what integrators report of the agency's answers: its list is in
/// no public source.
pub(crate) const MEANINGS: &[(&str, &str)] = &[
    (WRONG_VALUE, "A value is wrong or of the wrong type; correct the document."),
    (COUNTRY, "The agency's list has no such country; give the country that the territory belongs to."),
    (
        VAT_NUMBER_WRONG,
        "The identity number is no registered VAT number of the Union; correct it or its type.",
    ),
    ("1116", "The agency does not know the NIF; ask the recipient for the right one."),
    (
        "1117",
        "The agency does not know this NIF together with this name; ask the recipient for both as they stand in the \
         census.",
    ),
    (NIF_MALFORMED, "The NIF is malformed; ask the recipient for the right one."),
    (
        COUNTRY_SPAIN,
        "Spain goes together with identities outside the census (07) only; identify a Spanish recipient by NIF.",
    ),
    (ID_NO_NIF, "The identity outside the census is no NIF; ask the recipient for the right one."),
    (OPPOSITE_SIGNS, "Tax and base have opposite signs; correct the row."),
    (EXPORT_REGIME, "Regime 02 is for exempt exports only; use regime 01, or split the invoice."),
    (
        "2006",
        "The breakdown has to tell goods from services, for the recipient is not Spanish; amend the record.",
    ),
    (
        "2011",
        "The recipient's NIF is not in the census; ask the recipient for the right one and amend the record.",
    ),
    (TAX_DIFFERS, "The tax does not match base and rate; check the figures and amend the record."),
    (TOTAL_DIFFERS, "The total does not match the breakdown; check the figures and amend the record."),
    (
        DUPLICATE,
        "The agency already has an invoice with this number and date; issue it under another number.",
    ),
    ("3001", "The invoice has been withdrawn from the agency's books already; issue a new one."),
    (
        UNKNOWN_RECORD,
        "The agency has no such invoice: an accepted invoice cannot be renumbered; issue a credit note and then a new invoice.",
    ),
    (FIELD_MISSING, "The message lacks a mandatory member; complete the document."),
    ("4104", "The agency does not know the NIF of the holder of the books; check the workspace's tax id."),
    (
        "4109",
        "The agency does not know a NIF of the message; check the workspace's tax id and the recipient's.",
    ),
    ("4111", "A NIF of the message is malformed; check the workspace's tax id and the recipient's."),
    (HOLDER_MALFORMED, "The NIF of the holder of the books is malformed; correct the workspace's tax id."),
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
    fn every_known_code_says_in_one_sentence_what_to_do() {
        assert!(MEANINGS.windows(2).all(|pair| pair[0].0 < pair[1].0), "in order");
        for (code, sentence) in MEANINGS {
            assert_eq!(meaning(code), Some(*sentence));
            assert!(sentence.ends_with('.') && sentence.contains("; "), "{code}: {sentence}");
        }
    }

    #[test]
    fn what_the_stand_in_adds_in_its_own_name_is_a_warning() {
        let mut late = report(true, Some("LATE"));
        late.faults[0].provider = Some(SII_SANDBOX.to_owned());
        let Verdict::Accepted(acceptance) = interpret(&ANSWERS, &late) else { panic!() };
        assert_eq!(acceptance.warnings[0].message, "El NIF no está identificado");
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
            ("1998", "The tax agency refused the invoice. El NIF no está identificado (AEAT 1998)"),
            ("1116", "The agency does not know the NIF; ask the recipient for the right one. (AEAT 1116)"),
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
