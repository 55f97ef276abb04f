//! What is kept with a document of how it reaches its recipient.

use super::doubt::LookupDoubt;
use super::identifier::Participant;
use super::network::{
    CODE_DOCUMENT_TYPE, CODE_NOT_REGISTERED, CODE_UNKNOWN, DocumentType, NETWORK, PARTICIPANT_SCHEME,
};
use gateway_domain::fault::Fault;
use jiff::{SignedDuration, Timestamp};
use serde::Serialize;
use utoipa::ToSchema;

/// Where the recipient stands in a document. Its address may follow from several of its members.
pub const RECIPIENT_PATH: &str = "/recipient";

/// What the network knows of a participant and a type of documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reception {
    /// It receives them.
    Receives,
    /// It is registered, and receives other documents.
    OtherDocuments,
    /// Nobody is registered under the address.
    NotRegistered,
}

/// What is known of how a document reaches its recipient.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ParticipantOutcome {
    /// The recipient receives such documents.
    CanReceive,
    /// It is registered, and receives other documents.
    OtherDocuments,
    /// Nobody is registered under its address.
    NotRegistered,
    /// Nobody knows.
    Unknown,
}

impl ParticipantOutcome {
    /// Each of them.
    pub const ALL: &'static [Self] =
        &[Self::CanReceive, Self::OtherDocuments, Self::NotRegistered, Self::Unknown];

    /// As it is stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CanReceive => "can_receive",
            Self::OtherDocuments => "other_documents",
            Self::NotRegistered => "not_registered",
            Self::Unknown => "unknown",
        }
    }

    /// By its name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|outcome| outcome.as_str() == text)
    }

    /// What the network answered; none where nobody knows.
    pub const fn reception(self) -> Option<Reception> {
        match self {
            Self::CanReceive => Some(Reception::Receives),
            Self::OtherDocuments => Some(Reception::OtherDocuments),
            Self::NotRegistered => Some(Reception::NotRegistered),
            Self::Unknown => None,
        }
    }
}

impl From<Reception> for ParticipantOutcome {
    fn from(reception: Reception) -> Self {
        match reception {
            Reception::Receives => Self::CanReceive,
            Reception::OtherDocuments => Self::OtherDocuments,
            Reception::NotRegistered => Self::NotRegistered,
        }
    }
}

/// The newest answer of the network about a participant and a type of documents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParticipantAnswer {
    /// About whom.
    pub participant: Participant,
    /// About what.
    pub document_type: DocumentType,
    /// What it knows.
    pub reception: Reception,
    /// When this gateway asked.
    pub checked_at: Timestamp,
}

impl ParticipantAnswer {
    /// Whether it is still good, and nobody has to ask.
    pub fn is_young(&self, now: Timestamp, cached_for: SignedDuration) -> bool {
        // One from the future was written by a clock that went wrong.
        self.checked_at <= now && now.duration_since(self.checked_at) < cached_for
    }
}

/// An answer as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ParticipantAnswerBody {
    /// With the scheme of participants.
    pub participant: String,
    /// About what, by its identifier.
    pub document_type: DocumentType,
    /// What is known; unknown where nobody knows.
    pub outcome: ParticipantOutcome,
    /// Why nobody knows.
    pub doubt: Option<LookupDoubt>,
    /// When this gateway asked.
    pub checked_at: Timestamp,
}

/// The look-up of a recipient, as it is kept with a document and shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ParticipantCheck {
    /// The recipient's electronic address with the scheme of participants.
    #[schema(value_type = String, examples("iso6523-actorid-upis::0192:991825827"))]
    #[serde(serialize_with = "with_scheme")]
    pub participant: Participant,
    /// What the document goes out as, by its identifier.
    #[schema(value_type = String)]
    pub document_type: DocumentType,
    /// What came of it.
    pub outcome: ParticipantOutcome,
    /// Why nobody knows.
    #[schema(required, value_type = Option<String>, examples("SMP_NO_ANSWER"))]
    pub doubt: Option<LookupDoubt>,
    /// When the network was asked last.
    #[schema(value_type = String, format = DateTime)]
    pub checked_at: Timestamp,
}

fn with_scheme<S: serde::Serializer>(participant: &Participant, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(participant)
}

impl ParticipantCheck {
    /// What the network answered.
    pub fn answered(answer: &ParticipantAnswer) -> Self {
        Self {
            participant: answer.participant.clone(),
            document_type: answer.document_type,
            outcome: answer.reception.into(),
            doubt: None,
            checked_at: answer.checked_at,
        }
    }

    /// It did not say.
    pub const fn doubtful(
        participant: Participant,
        document_type: DocumentType,
        doubt: LookupDoubt,
        checked_at: Timestamp,
    ) -> Self {
        let outcome = ParticipantOutcome::Unknown;
        Self { participant, document_type, outcome, doubt: Some(doubt), checked_at }
    }

    /// What a person has to know of it; none where the document reaches its recipient. Never an error: nobody is kept from issuing.
    pub fn warning(&self) -> Option<Fault> {
        let (address, documents) = (self.participant.value(), self.document_type.plural());
        let (code, message) = match self.outcome {
            ParticipantOutcome::CanReceive => return None,
            ParticipantOutcome::NotRegistered => (
                CODE_NOT_REGISTERED,
                format!(
                    "nobody is registered with {NETWORK} under {address}: ask the recipient for its electronic address"
                ),
            ),
            ParticipantOutcome::OtherDocuments => (
                CODE_DOCUMENT_TYPE,
                format!(
                    "{address} is registered with {NETWORK} and does not receive {documents} of BIS Billing 3: ask the recipient for another address, or send the document another way"
                ),
            ),
            ParticipantOutcome::Unknown => {
                let doubt = self.doubt.unwrap_or(LookupDoubt::Unreadable).as_str();
                (
                    CODE_UNKNOWN,
                    format!(
                        "{NETWORK} did not say whether {address} receives {documents} ({doubt}): nothing is to be done, it is asked again"
                    ),
                )
            }
        };
        Some(Fault::warning(code, RECIPIENT_PATH, message))
    }

    /// Whether the network is to be asked again.
    pub fn is_open(&self) -> bool {
        self.outcome == ParticipantOutcome::Unknown
    }
}

impl From<ParticipantCheck> for ParticipantAnswerBody {
    fn from(check: ParticipantCheck) -> Self {
        let ParticipantCheck { participant, document_type, outcome, doubt, checked_at } = check;
        Self {
            participant: format!("{PARTICIPANT_SCHEME}::{}", participant.value()),
            document_type,
            outcome,
            doubt,
            checked_at,
        }
    }
}

/// A check as it is shown with its document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ParticipantCheckBody {
    /// What is kept.
    #[serde(flatten)]
    pub check: ParticipantCheck,
    /// What a person has to know of it: one warning at most.
    pub faults: Vec<Fault>,
}

impl From<ParticipantCheck> for ParticipantCheckBody {
    fn from(check: ParticipantCheck) -> Self {
        Self { faults: check.warning().into_iter().collect(), check }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn answer(reception: Reception) -> ParticipantAnswer {
        ParticipantAnswer {
            participant: Participant::parse("9930:DE123456789").unwrap(),
            document_type: DocumentType::Invoice,
            reception,
            checked_at: at("2026-11-20T09:00:00Z"),
        }
    }

    #[test]
    fn whoever_receives_the_document_is_no_warning() {
        let check = ParticipantCheck::answered(&answer(Reception::Receives));
        assert_eq!((check.outcome, check.warning()), (ParticipantOutcome::CanReceive, None));
        assert!(!check.is_open());
    }

    #[test]
    fn whatever_else_comes_of_it_is_a_warning_and_never_an_error() {
        let participant = Participant::parse("0192:991825827").unwrap();
        let now = at("2026-11-20T09:00:00Z");
        let doubtful =
            ParticipantCheck::doubtful(participant, DocumentType::CreditNote, LookupDoubt::NoAnswer, now);
        for (check, code, is_open, part) in [
            (
                ParticipantCheck::answered(&answer(Reception::NotRegistered)),
                CODE_NOT_REGISTERED,
                false,
                "nobody",
            ),
            (
                ParticipantCheck::answered(&answer(Reception::OtherDocuments)),
                CODE_DOCUMENT_TYPE,
                false,
                "invoices",
            ),
            (doubtful, CODE_UNKNOWN, true, "credit notes (SMP_NO_ANSWER)"),
        ] {
            let warning = check.warning().unwrap();
            assert_eq!((warning.code.as_str(), warning.path.as_str()), (code, RECIPIENT_PATH));
            assert!(!warning.stops() && warning.message.contains(check.participant.value()));
            assert!(warning.message.contains(part), "{}", warning.message);
            assert_eq!(check.is_open(), is_open, "{code}");
        }
    }

    #[test]
    fn a_check_is_shown_by_the_identifiers_of_the_network() {
        let body = ParticipantCheckBody::from(ParticipantCheck::answered(&answer(Reception::NotRegistered)));
        let body = serde_json::to_value(body).unwrap();
        assert_eq!(body["participant"], "iso6523-actorid-upis::9930:de123456789");
        assert_eq!(body["document_type"], DocumentType::Invoice.identifier());
        assert_eq!((&body["outcome"], &body["doubt"]), (&"not_registered".into(), &serde_json::Value::Null));
        assert_eq!(body["faults"][0]["code"], CODE_NOT_REGISTERED);
    }

    #[test]
    fn an_outcome_is_read_as_it_is_written() {
        for &outcome in ParticipantOutcome::ALL {
            assert_eq!(ParticipantOutcome::parse(outcome.as_str()), Some(outcome));
            assert_eq!(outcome.reception().map_or(ParticipantOutcome::Unknown, Into::into), outcome);
        }
        assert_eq!(ParticipantOutcome::parse("maybe"), None);
    }

    #[test]
    fn an_answer_is_good_for_as_long_as_is_configured() {
        let answer = answer(Reception::Receives);
        let day = SignedDuration::from_hours(24);
        assert!(answer.is_young(at("2026-11-21T08:59:59Z"), day));
        assert!(!answer.is_young(at("2026-11-21T09:00:00Z"), day));
        assert!(!answer.is_young(at("2026-11-20T08:59:59Z"), day), "from the future");
    }
}
