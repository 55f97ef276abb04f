//! The finance service: who may do what with a document, whether it goes to a tax authority, and how far its
//! submission is.

mod alert;
mod breaker;
mod call_error;
mod commands;
mod decide;
mod destination;
mod earlier;
mod event;
mod figures;
mod forms;
mod message;
mod plan;
mod sent;
mod settlement;
mod stage;
mod submission;
mod untrusted;
mod verdict_timeouts;

pub use alert::{Alert, AlertCode};
pub use breaker::{BREAKER_DOCUMENTS, BREAKER_PAUSE_MAX_S, BREAKER_PAUSE_S, Breaker, BreakerState, Permit};
pub use call_error::{CallError, CallFailure, RETRY_BASE_S, backoff_s};
pub use commands::{Command, Refusal, Route, eligibility, refusal};
pub use decide::{
    CommandRefused, SentJob, Situation, decide, draft_beside, ensure_taken, is_accepted_after_all,
};
pub use destination::{Destination, NotForDemonstration, demonstrable};
pub use earlier::{AuthorityRecord, EarlierAttempt, EarlierFinding, EarlierJob};
pub use event::FinanceEvent;
pub use figures::{Difference, differs, sound, uploaded_differs};
pub use forms::{AcceptanceForm, CommandForm, Edit, Proof, RejectionForm};
pub use message::{AuthorityMessage, EntryFile, MESSAGE_BYTES_MAX, media_type, message_of};
pub use plan::{Call, NextStep, Plan, Record};
pub use sent::{canonical, entry_differs};
pub use settlement::{AcceptedVerdict, AttemptOutcome, RejectedVerdict, Settlement, rejection_reason};
pub use stage::Stage;
#[cfg(any(test, feature = "testing"))]
pub use submission::testing;
pub use submission::{
    AttemptEnd, Calls, Converting, CurrentAttempt, EndedStage, Ending, EntryDocument, FailedAttempt, Open,
    OpenStage, Progress, Requested, Settling, StageData, Starting, Submission, Superseded, Unsent, Uploading,
    VerdictRef, Waiting,
};
pub use untrusted::{Bounded, TEXT_BYTES_MAX, bounded, bounded_text, is_bounded};
pub use verdict_timeouts::{JITTER_PART, RETRY_WAIT_MAX, VerdictTimeouts};
