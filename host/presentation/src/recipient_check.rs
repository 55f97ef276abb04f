//! What is known of the recipient of a document.

use crate::format;
use gateway_domain_recipients::participant::{NETWORK, ParticipantCheck, ParticipantOutcome};
use gateway_domain_recipients::{KnownRecipient, Outcome, RecipientCheck};

/// The check of a recipient, for people.
#[derive(Debug)]
pub struct RecipientCheckPart {
    /// Who was asked.
    pub source: &'static str,
    /// What VIES said of the number, or the delivery network of the address, and when.
    pub sentence: String,
    /// What proves it.
    pub consultation_number: Option<String>,
    /// What somebody has to know of it.
    pub warning: Option<String>,
}

/// Everything that is known of a recipient, by who was asked.
pub fn recipient_checks(known: KnownRecipient) -> Vec<RecipientCheckPart> {
    let KnownRecipient { number, participant } = known;
    let of_number = number.map(RecipientCheckPart::from);
    of_number.into_iter().chain(participant.as_ref().map(RecipientCheckPart::from)).collect()
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
            source: "VIES",
            sentence: std::iter::once(sentence.as_str()).chain(whose).collect::<Vec<_>>().join(", "),
            warning: check.warning().map(|fault| fault.message),
            consultation_number: check.consultation_number,
        }
    }
}

impl From<&ParticipantCheck> for RecipientCheckPart {
    fn from(check: &ParticipantCheck) -> Self {
        let (address, documents) = (check.participant.value(), check.document_type.plural());
        let found = match check.outcome {
            ParticipantOutcome::CanReceive => format!("receives {documents}"),
            ParticipantOutcome::OtherDocuments => format!("receives no {documents}"),
            ParticipantOutcome::NotRegistered => "not registered".to_owned(),
            ParticipantOutcome::Unknown => "unknown".to_owned(),
        };
        Self {
            source: NETWORK,
            sentence: format!("{address}: {found}, {}", format::time(check.checked_at)),
            consultation_number: None,
            warning: check.warning().map(|fault| fault.message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain_recipients::participant::{DocumentType, LookupDoubt, Participant};
    use gateway_domain_recipients::{Doubt, VatNumber};

    #[test]
    fn a_doubt_is_told_with_its_reason() {
        let number = VatNumber::parse("DE123456789").unwrap();
        let at = "2026-11-20T09:00:00Z".parse().unwrap();
        let part = RecipientCheckPart::from(RecipientCheck::doubtful(&number, None, Doubt::Timeout, at));
        assert_eq!(part.sentence, "DE123456789: unknown, 2026-11-20 09:00:00 UTC");
        assert!(part.warning.unwrap().contains("TIMEOUT") && part.consultation_number.is_none());
    }

    #[test]
    fn what_the_network_knows_stands_behind_what_the_register_does() {
        let number = VatNumber::parse("DE123456789").unwrap();
        let at = "2026-11-20T09:00:00Z".parse().unwrap();
        let participant = Participant::parse("9930:DE123456789").unwrap();
        let known = KnownRecipient {
            number: Some(RecipientCheck::doubtful(&number, None, Doubt::Timeout, at)),
            participant: Some(ParticipantCheck::doubtful(
                participant,
                DocumentType::Invoice,
                LookupDoubt::NoAnswer,
                at,
            )),
        };
        let parts = recipient_checks(known);
        let sources: Vec<_> = parts.iter().map(|part| part.source).collect();
        assert_eq!(sources, ["VIES", NETWORK]);
        assert_eq!(parts[1].sentence, "9930:de123456789: unknown, 2026-11-20 09:00:00 UTC");
        assert!(parts[1].warning.as_ref().unwrap().contains("SMP_NO_ANSWER"));
        assert!(recipient_checks(KnownRecipient::default()).is_empty());
    }
}
