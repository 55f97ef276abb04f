//! What the register said of a number.

use crate::number::VatNumber;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// The newest answer of the register about a number, asked in somebody's name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// About whom.
    pub number: VatNumber,
    /// In whose name it was asked; none: in nobody's.
    pub requester: Option<VatNumber>,
    /// Whether the number is valid for supplies between member states.
    pub is_valid: bool,
    /// When this gateway asked.
    pub checked_at: Timestamp,
    /// When the register answered, as it writes it.
    pub request_date: String,
    /// Proves the consultation; none where nobody's name was given.
    pub consultation_number: Option<String>,
    /// Whose number it is, where the member state tells.
    pub name: Option<String>,
    /// Where that is.
    pub address: Option<String>,
}

impl Evidence {
    /// Whether it is still good, and nobody has to ask.
    pub fn is_young(&self, now: Timestamp, cached_for: SignedDuration) -> bool {
        // One from the future was written by a clock that went wrong.
        self.checked_at <= now && now.duration_since(self.checked_at) < cached_for
    }
}

/// Evidence as it is shown.
#[derive(Debug, Serialize, ToSchema)]
pub struct EvidenceBody<'a> {
    /// With the code of its member state.
    #[schema(value_type = String, examples("DE123456789"))]
    pub vat_number: String,
    /// In whose name the register was asked.
    #[schema(required)]
    pub requester: Option<String>,
    /// Whether the number is valid.
    pub valid: bool,
    /// When this gateway asked.
    #[schema(value_type = String, format = DateTime)]
    pub checked_at: Timestamp,
    /// When the register answered, as it writes it.
    pub request_date: &'a str,
    /// Proves the consultation.
    #[schema(required)]
    pub consultation_number: Option<&'a str>,
    /// Whose number it is, where the member state tells.
    #[schema(required)]
    pub name: Option<&'a str>,
    /// Where that is.
    #[schema(required)]
    pub address: Option<&'a str>,
}

impl<'a> From<&'a Evidence> for EvidenceBody<'a> {
    fn from(evidence: &'a Evidence) -> Self {
        Self {
            vat_number: evidence.number.to_string(),
            requester: evidence.requester.as_ref().map(ToString::to_string),
            valid: evidence.is_valid,
            checked_at: evidence.checked_at,
            request_date: &evidence.request_date,
            consultation_number: evidence.consultation_number.as_deref(),
            name: evidence.name.as_deref(),
            address: evidence.address.as_deref(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_is_good_for_as_long_as_is_configured() {
        let at = |text: &str| text.parse::<Timestamp>().unwrap();
        let evidence = Evidence {
            number: VatNumber::parse("DE123456789").unwrap(),
            requester: None,
            is_valid: true,
            checked_at: at("2026-11-20T09:00:00Z"),
            request_date: "2026-11-20T09:00:00.000Z".to_owned(),
            consultation_number: None,
            name: None,
            address: None,
        };
        let day = SignedDuration::from_hours(24);
        assert!(evidence.is_young(at("2026-11-20T09:00:00Z"), day));
        assert!(evidence.is_young(at("2026-11-21T08:59:59Z"), day));
        assert!(!evidence.is_young(at("2026-11-21T09:00:00Z"), day));
        assert!(!evidence.is_young(at("2026-11-20T08:59:59Z"), day), "from the future");
        assert!(!evidence.is_young(at("2026-11-20T09:00:00Z"), SignedDuration::ZERO), "nothing is cached");
    }
}
