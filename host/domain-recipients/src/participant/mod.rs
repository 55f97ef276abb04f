//! Whether a recipient is a participant of the delivery network, and which types of documents it receives there.

mod address;
mod check;
mod doubt;
mod identifier;
mod network;

pub use address::recipient_address;
pub use check::{
    ParticipantAnswer, ParticipantAnswerBody, ParticipantCheck, ParticipantCheckBody, ParticipantOutcome,
    RECIPIENT_PATH, Reception,
};
pub use doubt::LookupDoubt;
pub use identifier::{NoParticipant, Participant};
pub use network::{DocumentType, NETWORK, PARTICIPANT_SCHEME, PROCESS, TRANSPORT_PROFILE};
