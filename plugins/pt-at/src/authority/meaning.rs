//! What the stand-in's codes mean, with what to do next.

/// The codes of a document that the AT took.
const REMARKS: [&str; 2] = ["LATE", "SEQUENCE-GAP"];

/// The AT holds a document of this number.
pub const DUPLICATE: &str = "DUPLICATE";

/// Code and sentence. Those of [`REMARKS`] come with an accepted document.
pub const CODES: &[(&str, &str)] = &[
    (
        "LATE",
        "The AT took the document after the fifth day of the month that follows; communicate documents earlier.",
    ),
    (
        "SEQUENCE-GAP",
        "The AT took the document, but numbers before it are missing in the series; communicate them.",
    ),
    (
        "ATCUD",
        "The ATCUD is not the series' validation code with the document's number; correct the workspace's series.",
    ),
    (
        "AUTHENTICATION",
        "The AT does not let this user send documents for the supplier; correct the access at the provider.",
    ),
    ("CERTIFICATE", "No program is certified under this number; correct the workspace's certificate number."),
    (
        "CUSTOMER-NIF",
        "The recipient's tax number has wrong check digits; ask the recipient for the right one.",
    ),
    (
        "CUSTOMER-NIF-UNKNOWN",
        "The AT does not know the recipient's tax number; ask the recipient for the right one.",
    ),
    ("DATE-FUTURE", "The document is dated after the day the AT received it; correct the issue date."),
    ("DATE-ORDER", "The document is dated before the last one of its series; correct the issue date."),
    (DUPLICATE, "The AT has a document of this supplier and number already; issue a credit note instead."),
    (
        "EXEMPTION",
        "A line without VAT has no reason (M01 to M99), or one with VAT has one; name or remove the exemption.",
    ),
    ("HASH", "The signature does not follow from that of the document before; sign the document again."),
    ("NUMBER", "The number is not of the form 'TYPE SERIES/NUMBER'; correct the workspace's number pattern."),
    (
        "NUMBER-TYPE",
        "The number begins with the type of another sort of document; correct the workspace's number pattern.",
    ),
    ("REFERENCE", "A credit or debit note names no document that it corrects; refer to it."),
    ("SCHEMA", "The file does not fit the SAF-T (PT) schema; correct the document."),
    (
        "SEQUENCE",
        "The number does not come after the last one of its series; issue the document under the next number.",
    ),
    ("SERIES-CLOSED", "The series is closed; register another one and add it to the workspace's settings."),
    (
        "SERIES-UNKNOWN",
        "The series is not registered with the AT; register it and add its validation code to the settings.",
    ),
    ("SUPPLIER-NIF", "The supplier's tax number has wrong check digits; correct the workspace."),
    ("SUPPLIER-NIF-UNKNOWN", "The AT does not know the supplier's tax number; correct the workspace."),
    ("TAX-RATE", "A line's VAT is no rate of its region; correct the rate or the region."),
    ("TOTALS", "The totals are not those of the lines; compute the totals again."),
];

/// Whether a code comes with an accepted document.
pub(super) fn is_remark(code: &str) -> bool {
    REMARKS.contains(&code)
}

/// What a code means, with what to do next.
pub(super) fn meaning(code: &str) -> Option<&'static str> {
    CODES.iter().find(|(known, _)| *known == code).map(|(_, sentence)| *sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_sentence() {
        for (at, (code, sentence)) in CODES.iter().enumerate() {
            assert!(CODES[..at].iter().all(|(other, _)| other != code), "{code} stands twice");
            assert!(sentence.ends_with('.') && sentence.matches(". ").count() == 0, "{code}: {sentence}");
        }
        assert!(REMARKS.iter().all(|remark| meaning(remark).is_some()));
    }
}
