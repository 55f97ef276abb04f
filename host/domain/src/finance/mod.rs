//! The finance service: who may do what with a document, whether it goes to a tax authority, and how far its
//! submission is.

mod alert;
mod breaker;
mod commands;
mod destination;
mod figures;
mod message;
mod patience;
mod submission;

pub use alert::{Alert, AlertCode};
pub use breaker::{BREAKER_DOCUMENTS, BREAKER_PAUSE_MAX_S, BREAKER_PAUSE_S, Breaker, BreakerState, Permit};
pub use commands::{Command, Refusal, Route, eligibility, refusal};
pub use destination::{Destination, NotForDemonstration, demonstrable};
pub use figures::{Difference, differs, sound, uploaded_differs};
pub use message::{AuthorityMessage, EntryFile, MESSAGE_BYTES_MAX, media_type, message_of};
pub use patience::{JITTER_PART, Patience, RETRY_WAIT_MAX};
pub use submission::{
    AttemptOutcome, CallError, CallFailure, FinanceEvent, RETRY_BASE_S, Settlement, Stage, Submission,
    backoff_s, rejection_reason,
};
