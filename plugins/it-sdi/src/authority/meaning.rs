//! What SdI's codes mean, with what to do next.

/// The codes of receipts about a file that SdI took.
const REMARKS: [&str; 6] = ["RC", "MC", "AT", "DT", "NE", "EC01"];

/// Receipts, then the list of errors of a discarded file: code and sentence.
pub const CODES: &[(&str, &str)] = &[
    ("RC", "SdI delivered the invoice."),
    ("MC", "SdI could not deliver; the recipient finds the invoice in the reserved area, tell them so."),
    ("AT", "SdI could not deliver to the administration and attests the transmission; send the attestation."),
    ("DT", "The administration did not answer in time; the invoice counts as received."),
    ("NE", "The administration accepted the invoice."),
    ("EC01", "The administration accepted the invoice."),
    ("EC02", "The administration refused the invoice; issue a credit note and a corrected invoice."),
    (
        "NS",
        "SdI discarded the file, so the invoice is not issued; correct it and send it again within five days.",
    ),
    (
        "00001",
        "The file's name is not country, tax code, underscore and up to five characters; send it under a new one.",
    ),
    ("00002", "SdI had a file of this name or content before; send it under a new name."),
    ("00003", "The file is larger than 5 MB; split the invoice."),
    ("00102", "The signature does not hold; sign the file again."),
    ("00200", "The file does not fit the FatturaPA schema; correct the document."),
    ("00300", "The sender's tax code is not registered; correct the workspace."),
    ("00301", "The supplier's VAT number is not registered; correct the workspace."),
    ("00302", "The supplier's fiscal code is not registered; correct the workspace."),
    ("00303", "The VAT number of the supplier's representative is not registered; correct the workspace."),
    ("00305", "The recipient's VAT number is not registered; ask the recipient for the right one."),
    ("00306", "The recipient's fiscal code is not registered; ask the recipient for the right one."),
    ("00311", "There is no such destination code; ask the recipient for the right one."),
    ("00312", "The destination code is not active any more; ask the recipient for the right one."),
    ("00398", "The administration has an office of its own; ask it for the office's destination code."),
    ("00399", "The administration's central office is known by another code; ask it for the code."),
    ("00400", "A line has no VAT but no reason (Natura) either; name the exemption."),
    ("00401", "A line has VAT and a reason not to have it (Natura); remove one of them."),
    ("00403", "The invoice is dated after the day SdI received it; correct the issue date."),
    ("00404", "SdI has an invoice with this supplier, year and number already; issue a credit note instead."),
    ("00409", "The batch has the same invoice twice; send it once."),
    (
        "00411",
        "A line is subject to withholding, but nothing is withheld; add the retention or remove the mark.",
    ),
    ("00413", "A pension contribution has no VAT but no reason (Natura) either; name the exemption."),
    ("00414", "A pension contribution has VAT and a reason not to have it (Natura); remove one of them."),
    (
        "00415",
        "A pension contribution is subject to withholding, but nothing is withheld; add the retention.",
    ),
    ("00417", "The recipient has neither VAT number nor fiscal code; add one."),
    ("00418", "The document is dated before one that it refers to; correct the issue date."),
    ("00419", "The VAT breakdown has no row for the rate of a line; compute the totals again."),
    ("00420", "Reverse charge and split payment exclude each other; remove one of them."),
    ("00421", "The tax is not the rate times the taxable amount; compute the totals again."),
    ("00422", "The taxable amount is not the sum of its lines; compute the totals again."),
    ("00423", "A line's total is not its price times its quantity; compute the totals again."),
    ("00424", "The VAT rate is no percent; write 22.00 for 22 %."),
    ("00425", "The number contains no digit; correct the workspace's number pattern."),
    ("00427", "The destination code has the length of another kind of recipient; correct it."),
    ("00428", "The format of the transmission is not the file's version; make the file again."),
    ("00429", "A row of the VAT breakdown has no VAT but no reason (Natura) either; name the exemption."),
    ("00430", "A row of the VAT breakdown has VAT and a reason not to have it (Natura); remove one of them."),
    ("00437", "A discount of the document has neither percent nor amount; add one."),
    ("00438", "A discount of a line has neither percent nor amount; add one."),
    ("00443", "The VAT breakdown has a row for a rate that no line has; compute the totals again."),
    (
        "00444",
        "The VAT breakdown has no row for the reason not to tax (Natura) of a line; compute the totals again.",
    ),
    ("00445", "The reason not to tax (Natura) is too general; use one of its subdivisions."),
    ("00460", "The simplified invoice exceeds the limit; issue a regular invoice."),
    ("00471", "Supplier and recipient must not be the same for this document type; correct the recipient."),
    ("00472", "Supplier and recipient must be the same for this document type; correct the recipient."),
    ("00473", "The supplier must be of another country for this document type; choose another type."),
    ("00474", "This document type takes no untaxed lines; remove them or choose another type."),
    ("00475", "This document type needs the recipient's VAT number; add it."),
    ("00476", "Supplier and recipient are both of other countries; one of them has to be of Italy."),
];

/// Receipts about a file that SdI took.
pub(super) fn is_remark(code: &str) -> bool {
    REMARKS.contains(&code)
}

/// What a code of SdI means, with what to do next.
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
