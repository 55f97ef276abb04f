//! The rules of finance: who may do what with a document, whether it goes to a tax authority, and how far its
//! submission is.
//!
//! No I/O, no async runtime, no clock, no floats. What the service needs of the provider and of a remote invoice data
//! service is in [`ports`]. To add a command: extend [`Command`], answer every `match` the compiler then points at, and
//! add the row to the state × command snapshot.

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

mod alert;
mod attempt;
mod breaker;
mod call_error;
mod command_refused;
mod commands;
mod connection;
mod decide;
mod destination;
mod earlier;
mod event;
mod facts;
pub mod fault_source;
mod figures;
mod first_number;
mod follow_up;
mod forms;
mod lists;
mod message;
mod plan;
pub mod ports;
mod proof;
mod sent;
mod settlement;
mod stage;
mod submission;
mod submission_view;
mod untrusted;
mod verdict_timeouts;
mod verdicts;

pub use alert::{Alert, AlertCode};
pub use attempt::{Attempt, accepted_after_all, contradiction};
pub use breaker::{BREAKER_DOCUMENTS, BREAKER_PAUSE_MAX_S, BREAKER_PAUSE_S, Breaker, BreakerState, Permit};
pub use call_error::{CallError, CallFailure, RETRY_BASE_S, backoff_s, retry_wait};
pub use command_refused::CommandRefused;
pub use commands::{Command, Refusal, Route, eligibility, refusal};
pub use connection::Connection;
pub use decide::{decide, ensure_taken};
pub use destination::{Destination, NotForDemonstration, demonstrable};
pub use earlier::{AuthorityRecord, EarlierAttempt, EarlierFinding, EarlierJob};
pub use event::FinanceEvent;
pub use facts::{CommandFacts, CreditNotes, Facts, SentJob, SentUnder};
pub use figures::{Difference, META, differs, sound, uploaded_differs};
pub use first_number::{is_of_supplier, last_filed};
pub use follow_up::{FollowUpDraft, follow_up_draft, released_by};
pub use forms::{AcceptanceForm, CommandForm, Edit, Proof, RejectionForm};
pub use lists::{BookingDocument, ProviderCallCount, SubmissionFilter, Unsubmitted, VerdictCount};
pub use message::{AuthorityMessage, EntryFile, MESSAGE_BYTES_MAX, media_type, message_of};
pub use plan::{InvoiceDataCall, NextStep, Plan, Record};
pub use proof::{is_duplicate, report, trusted};
pub use sent::{document_digest, entry_differs, entry_digest, entry_key, keeps_another, shows_another};
pub use settlement::{AcceptedVerdict, AttemptOutcome, RejectedVerdict, Settlement, rejection_reason};
pub use stage::Stage;
#[cfg(any(test, feature = "testing"))]
pub use submission::testing;
pub use submission::{
    AttemptEnd, CallHistory, Converting, CurrentAttempt, EndedStage, Ending, EntryDocument, ExpectedVersion,
    FailedAttempt, LaterAttempt, Open, OpenStage, Progress, Requested, Settling, StageData, Starting,
    Submission, Superseded, Unsent, Uploading, VerdictRef, Waiting, errors_notice,
};
pub use submission_view::{SubmissionBody, SubmissionView};
pub use untrusted::{BoundedReport, TEXT_BYTES_MAX, bounded, bounded_text, complaints, is_bounded};
pub use verdict_timeouts::{RETRY_WAIT_MAX, Settings, VerdictTimeouts, jitter};
pub use verdicts::is_accepted_after_all;
