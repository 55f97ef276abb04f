//! What is known of the recipient of a document.

use crate::format;
use gateway_domain_recipients::{Outcome, RecipientCheck};

/// The check of a recipient, for people.
#[derive(Debug)]
pub struct RecipientCheckPart {
    /// What VIES said of the number, and when.
    pub sentence: String,
    /// What proves it.
    pub consultation_number: Option<String>,
    /// What somebody has to know of it.
    pub warning: Option<String>,
}

impl From<RecipientCheck> for RecipientCheckPart {
    fn from(check: RecipientCheck) -> Self {
        let (number, at) = (&check.vat_number, format::time(check.checked_at));
        let found = match check.outcome {
            Outcome::Valid => "valid",
            Outcome::Invalid => "not valid",
            Outcome::Malformed => "does not look like a VAT number",
            Outcome::Unknown => "unknown",
        };
        let sentence = format!("{number}: {found}, {at}");
        let whose = [&check.name, &check.address].into_iter().flatten().map(String::as_str);
        Self {
            sentence: std::iter::once(sentence.as_str()).chain(whose).collect::<Vec<_>>().join(", "),
            warning: check.warning().map(|fault| fault.message),
            consultation_number: check.consultation_number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain_recipients::{Doubt, VatNumber};

    #[test]
    fn a_doubt_is_told_with_its_reason() {
        let number = VatNumber::parse("DE123456789").unwrap();
        let at = "2026-11-20T09:00:00Z".parse().unwrap();
        let part = RecipientCheckPart::from(RecipientCheck::doubtful(&number, None, Doubt::Timeout, at));
        assert_eq!(part.sentence, "DE123456789: unknown, 2026-11-20 09:00:00 UTC");
        assert!(part.warning.unwrap().contains("TIMEOUT") && part.consultation_number.is_none());
    }
}
