//! What myDATA's codes mean, with what to do next. The codes are those of its technical description (error messages of
//! `SendInvoices`).

use std::fmt;

/// `statusCode` of a response with errors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The file does not fit the schema.
    XmlSyntaxError,
    /// The record breaks a rule.
    ValidationError,
    /// myDATA failed.
    TechnicalError,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::XmlSyntaxError => "XMLSyntaxError",
            Self::ValidationError => "ValidationError",
            Self::TechnicalError => "TechnicalError",
        })
    }
}

use Status::{TechnicalError, ValidationError, XmlSyntaxError};

/// Code, status and sentence.
pub const CODES: &[(&str, Status, &str)] = &[
    ("101", XmlSyntaxError, "The record does not fit the myDATA schema; correct the document."),
    ("102", ValidationError, "The VAT number belongs to no active business; ask for the right one."),
    (
        "105",
        ValidationError,
        "The sender may not report for this VAT number; authorise the provider at myDATA.",
    ),
    ("201", ValidationError, "The sender may not use this method; authorise the provider at myDATA."),
    ("202", ValidationError, "A Greek VAT number is wrong; ask for the right one."),
    ("203", ValidationError, "The gross value is not net value plus taxes; compute the totals again."),
    (
        "204",
        ValidationError,
        "The record lacks what its type demands; add recipient, means of payment or reference.",
    ),
    ("205", ValidationError, "The record has what its type forbids; remove it or choose another type."),
    ("206", TechnicalError, "myDATA failed at a line; send the document again."),
    (
        "207",
        ValidationError,
        "The net values of the lines do not add up to the total; compute the totals again.",
    ),
    (
        "208",
        ValidationError,
        "The gross values of the lines do not add up to the total; compute the totals again.",
    ),
    ("209", ValidationError, "The VAT of the lines does not add up to the total; compute the totals again."),
    ("210", ValidationError, "What is withheld does not add up to its total; compute the totals again."),
    (
        "211",
        ValidationError,
        "An amount in another currency needs its rate of exchange; issue the document in euro.",
    ),
    (
        "212",
        ValidationError,
        "The number within the series is no number; correct the workspace's number pattern.",
    ),
    (
        "213",
        ValidationError,
        "A value has to be 0 for this type of document; correct it or choose another type.",
    ),
    ("214", ValidationError, "An element stands only where it is true; remove it."),
    ("215", ValidationError, "This type of document has no VAT; use an exemption or choose another type."),
    ("216", ValidationError, "Category 8 of VAT is for records without any; use a rate or an exemption."),
    ("217", ValidationError, "A line without VAT has no reason; name the exemption."),
    ("218", ValidationError, "This type of document has no VAT; use an exemption or choose another type."),
    ("219", ValidationError, "The name of a Greek supplier has no place in the record; remove it."),
    ("220", ValidationError, "The name of a Greek recipient has no place in the record; remove it."),
    ("222", ValidationError, "A value has to be above 0 for this type of document; correct it."),
    ("223", ValidationError, "myDATA takes no such document from a supplier; choose another type."),
    ("224", ValidationError, "Taxes stand on lines or on the whole, not on both; correct the document."),
    ("225", ValidationError, "A value of a line lacks another that belongs to it; add it."),
    ("226", ValidationError, "Taxes beside VAT do not add up to their total; compute the totals again."),
    ("227", ValidationError, "A value of a line stands without the one that it belongs to; remove it."),
    ("228", ValidationError, "The identifier or the type of the document is wrong; make the record again."),
    ("229", ValidationError, "A tax is not what its category says; correct the amount or the category."),
    ("230", ValidationError, "The income of a line is not classified; add category and type."),
    ("231", ValidationError, "The income of a line must not be classified; remove category and type."),
    (
        "233",
        ValidationError,
        "myDATA has a document of this supplier, type, date, series and number already; credit it instead.",
    ),
    (
        "234",
        ValidationError,
        "This type of document takes taxed lines only; remove the exemption or choose another type.",
    ),
    ("235", ValidationError, "Supplier and recipient are the same; correct the recipient."),
    ("236", ValidationError, "The sender must not be the supplier; send the document through a provider."),
    ("237", ValidationError, "What a tax is computed of exceeds the net value; correct it."),
    ("239", ValidationError, "A tax exceeds the net value; correct it."),
    ("240", ValidationError, "A tax exceeds what it is computed of; correct it."),
    ("241", ValidationError, "A tax of a line exceeds its net value; correct it."),
    (
        "242",
        ValidationError,
        "This type of document is for Greece; choose the type for the recipient's country.",
    ),
    (
        "243",
        ValidationError,
        "This type of document is for other member states; choose the type for the recipient's country.",
    ),
    (
        "244",
        ValidationError,
        "This type of document is for third countries; choose the type for the recipient's country.",
    ),
    ("245", ValidationError, "The provider may not issue for this VAT number; authorise it at myDATA."),
    ("254", ValidationError, "A tax of the whole has a member that it must not have; remove it."),
    (
        "259",
        ValidationError,
        "The document that this one replaces is referred to by others; cancel those first.",
    ),
    ("260", ValidationError, "The document is dated after today; correct the issue date."),
    ("261", ValidationError, "Two lines have the same number; number them anew."),
    ("262", ValidationError, "A text is too long; shorten it."),
    ("265", ValidationError, "A message has 5000 documents at most; send fewer."),
    ("271", ValidationError, "A line has VAT and a reason not to have it; remove one of them."),
    ("272", ValidationError, "The record lacks a member that it has to have; add it."),
    ("273", ValidationError, "The record has a member that it must not have; remove it."),
    ("304", ValidationError, "Some lines are classified and others are not; classify all of them."),
    (
        "306",
        ValidationError,
        "What is classified is not the net value of its line; compute the totals again.",
    ),
    (
        "307",
        ValidationError,
        "The type of income does not go with its category and this document; correct one of them.",
    ),
    (
        "308",
        ValidationError,
        "The category of income does not go with this type of document; correct one of them.",
    ),
    (
        "313",
        ValidationError,
        "The type of income does not go with its category and this document; correct one of them.",
    ),
    (
        "318",
        ValidationError,
        "The document differs from the one that it corrects where it must not; correct it.",
    ),
    ("319", ValidationError, "More is credited than the corrected document comes to; credit less."),
    (
        "320",
        ValidationError,
        "The corrected document is of a type that this one does not correct; refer to another.",
    ),
    ("322", ValidationError, "Documents of the type referred to cannot be corrected; refer to another."),
    (
        "331",
        TechnicalError,
        "myDATA found no rule for the classification of income; send the document again.",
    ),
];

/// The row of a code.
pub(super) fn row(code: &str) -> Option<&'static (&'static str, Status, &'static str)> {
    CODES.iter().find(|(known, ..)| *known == code)
}

/// What a code of myDATA means, with what to do next.
pub(super) fn meaning(code: &str) -> Option<&'static str> {
    row(code).map(|(_, _, sentence)| *sentence)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_one_sentence() {
        for (at, (code, _, sentence)) in CODES.iter().enumerate() {
            assert!(CODES[..at].iter().all(|(other, ..)| other != code), "{code} stands twice");
            assert!(sentence.ends_with('.') && sentence.matches(". ").count() == 0, "{code}: {sentence}");
        }
    }
}
