//! What is kept with a document of its recipient.

use crate::doubt::Doubt;
use crate::evidence::Evidence;
use crate::number::{NoVatNumber, VatNumber};
use gateway_domain::fault::Fault;
use jiff::Timestamp;
use serde::Serialize;
use utoipa::ToSchema;

/// Where the tax number stands in a document.
pub const TAX_NUMBER_PATH: &str = "/recipient/tax_number";
/// The wait before the register is asked again doubles, and never grows longer, seconds.
const NEXT_CHECK_MAX_S: i64 = 6 * 60 * 60;
/// How often the register is asked again about one document: a month or so.
const CHECKS_MAX: i64 = 120;

/// What is known of the recipient of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RecipientCheckOutcome)]
pub enum Outcome {
    /// The number is valid.
    Valid,
    /// It is not.
    Invalid,
    /// It does not look like one, and nobody was asked.
    Malformed,
    /// The register did not say.
    Unknown,
}

impl Outcome {
    /// Each of them.
    pub const ALL: &'static [Self] = &[Self::Valid, Self::Invalid, Self::Malformed, Self::Unknown];

    /// As it is stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::Malformed => "malformed",
            Self::Unknown => "unknown",
        }
    }

    /// By its name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|outcome| outcome.as_str() == text)
    }
}

/// The check of a recipient, as it is kept with a document and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecipientCheck {
    /// With the code of its member state; what the document says where it does not look like one.
    #[schema(examples("DE123456789"))]
    pub vat_number: String,
    /// In whose name the register was asked.
    #[schema(required, examples("ESB17002288"))]
    pub requester: Option<String>,
    /// What came of it.
    pub outcome: Outcome,
    /// Why the register did not say, by its code; `NO_ANSWER` and `UNREADABLE` are the gateway's.
    #[schema(required, value_type = Option<String>, examples("MS_UNAVAILABLE"))]
    pub doubt: Option<Doubt>,
    /// When the register was asked last.
    #[schema(value_type = String, format = DateTime)]
    pub checked_at: Timestamp,
    /// When the register answered, as it writes it.
    #[schema(required)]
    pub request_date: Option<String>,
    /// Proves the consultation.
    #[schema(required, examples("WAPIAAAAZCuZ0Tql"))]
    pub consultation_number: Option<String>,
    /// Whose number it is, where the member state tells.
    #[schema(required)]
    pub name: Option<String>,
    /// Where that is.
    #[schema(required)]
    pub address: Option<String>,
}

impl RecipientCheck {
    /// What the register said.
    pub fn answered(evidence: &Evidence) -> Self {
        Self {
            outcome: if evidence.is_valid { Outcome::Valid } else { Outcome::Invalid },
            request_date: Some(evidence.request_date.clone()),
            consultation_number: evidence.consultation_number.clone(),
            name: evidence.name.clone(),
            address: evidence.address.clone(),
            ..Self::unknown(&evidence.number, evidence.requester.as_ref(), evidence.checked_at)
        }
    }

    /// The register did not say.
    pub fn doubtful(
        number: &VatNumber,
        requester: Option<&VatNumber>,
        doubt: Doubt,
        checked_at: Timestamp,
    ) -> Self {
        Self { doubt: Some(doubt), ..Self::unknown(number, requester, checked_at) }
    }

    /// Nobody was asked.
    pub fn malformed(text: &str, why: NoVatNumber, checked_at: Timestamp) -> Self {
        let vat_number = match why {
            NoVatNumber::State => text.to_owned(),
            NoVatNumber::Format(state) => format!("{}{}", state.code(), without(text, state.code())),
        };
        Self { outcome: Outcome::Malformed, ..Self::unknown(&vat_number, None, checked_at) }
    }

    fn unknown(number: &impl ToString, requester: Option<&VatNumber>, checked_at: Timestamp) -> Self {
        Self {
            vat_number: number.to_string(),
            requester: requester.map(ToString::to_string),
            outcome: Outcome::Unknown,
            doubt: None,
            checked_at,
            request_date: None,
            consultation_number: None,
            name: None,
            address: None,
        }
    }

    /// What a person has to know of it; none of a valid number. Never an error: nobody is kept from issuing.
    pub fn warning(&self) -> Option<Fault> {
        let number = &self.vat_number;
        let (code, message) = match self.outcome {
            Outcome::Valid => return None,
            Outcome::Invalid => (
                "VIES-INVALID",
                format!(
                    "VIES says that {number} is no valid VAT number: ask the recipient for the right one"
                ),
            ),
            Outcome::Malformed => (
                "VIES-MALFORMED",
                format!(
                    "{number} does not look like a VAT number of its country: ask the recipient for the right one"
                ),
            ),
            Outcome::Unknown => {
                let doubt = self.doubt.unwrap_or(Doubt::Unreadable);
                let (code, remedy) = (doubt.as_str(), doubt.remedy());
                (
                    "VIES-UNKNOWN",
                    format!("VIES did not say whether {number} is a valid VAT number ({code}): {remedy}"),
                )
            }
        };
        Some(Fault::warning(code, TAX_NUMBER_PATH, message))
    }

    /// Whether the register is to be asked again.
    pub fn is_open(&self) -> bool {
        self.outcome == Outcome::Unknown && self.doubt.is_none_or(Doubt::may_pass)
    }
}

/// A check as it is shown with its document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct RecipientCheckBody {
    /// What is kept.
    #[serde(flatten)]
    pub check: RecipientCheck,
    /// What a person has to know of it: one warning at most.
    pub faults: Vec<Fault>,
}

impl From<RecipientCheck> for RecipientCheckBody {
    fn from(check: RecipientCheck) -> Self {
        Self { faults: check.warning().into_iter().collect(), check }
    }
}

/// A text without the code of a state in front.
fn without<'a>(text: &'a str, code: &str) -> &'a str {
    text.strip_prefix(code).unwrap_or(text)
}

/// How long the register is left alone before it is asked again, seconds, after it was asked again so often; none: it is not asked
/// any more.
pub fn next_check_s(checks: i64, first_s: i64) -> Option<i64> {
    if checks >= CHECKS_MAX {
        return None;
    }
    let doublings = u32::try_from(checks.clamp(0, 20)).unwrap_or(20);
    Some(first_s.saturating_mul(1_i64 << doublings).min(NEXT_CHECK_MAX_S.max(first_s)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::MemberState;

    fn at() -> Timestamp {
        "2026-11-20T09:00:00Z".parse().unwrap()
    }

    fn evidence(is_valid: bool) -> Evidence {
        Evidence {
            number: VatNumber::parse("DE123456789").unwrap(),
            requester: VatNumber::parse("ESB17002288").ok(),
            is_valid,
            checked_at: at(),
            request_date: "2026-11-20T09:00:00.000Z".to_owned(),
            consultation_number: Some("WAPIAAAAZCuZ0Tql".to_owned()),
            name: Some("Blaues Haus GmbH".to_owned()),
            address: None,
        }
    }

    #[test]
    fn a_valid_number_is_evidence_and_no_warning() {
        let check = RecipientCheck::answered(&evidence(true));
        assert_eq!(check.outcome, Outcome::Valid);
        assert_eq!(check.consultation_number.as_deref(), Some("WAPIAAAAZCuZ0Tql"));
        assert_eq!(check.requester.as_deref(), Some("ESB17002288"));
        assert_eq!(check.warning(), None);
        assert!(!check.is_open());
    }

    #[test]
    fn whatever_else_comes_of_it_is_a_warning_and_never_an_error() {
        let number = VatNumber::parse("DE123456789").unwrap();
        let doubtful = RecipientCheck::doubtful(&number, None, Doubt::MsUnavailable, at());
        let malformed = RecipientCheck::malformed("DE1", NoVatNumber::Format(MemberState::De), at());
        assert_eq!(malformed.vat_number, "DE1");
        for (check, code) in [
            (RecipientCheck::answered(&evidence(false)), "VIES-INVALID"),
            (doubtful, "VIES-UNKNOWN"),
            (malformed, "VIES-MALFORMED"),
        ] {
            let warning = check.warning().unwrap();
            assert_eq!((warning.code.as_str(), warning.path.as_str()), (code, TAX_NUMBER_PATH));
            assert!(!warning.stops() && warning.message.contains(&check.vat_number), "{}", warning.message);
        }
    }

    #[test]
    fn only_a_doubt_that_may_pass_is_open() {
        let number = VatNumber::parse("DE123456789").unwrap();
        let open = |doubt| RecipientCheck::doubtful(&number, None, doubt, at()).is_open();
        assert!(open(Doubt::MsUnavailable) && open(Doubt::NoAnswer));
        assert!(!open(Doubt::InvalidInput) && !open(Doubt::VatBlocked));
        assert!(!RecipientCheck::answered(&evidence(false)).is_open());
    }

    #[test]
    fn the_register_is_asked_again_less_and_less_often_and_not_for_ever() {
        let waits: Vec<_> = (0..4).map(|checks| next_check_s(checks, 300)).collect();
        assert_eq!(waits, [Some(300), Some(600), Some(1200), Some(2400)]);
        assert_eq!(next_check_s(30, 300), Some(NEXT_CHECK_MAX_S));
        assert_eq!(next_check_s(CHECKS_MAX, 300), None);
    }

    #[test]
    fn an_outcome_is_read_as_it_is_written() {
        for &outcome in Outcome::ALL {
            assert_eq!(Outcome::parse(outcome.as_str()), Some(outcome));
        }
        assert_eq!(Outcome::parse("maybe"), None);
    }
}
