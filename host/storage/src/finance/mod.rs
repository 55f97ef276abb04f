//! What the finance service keeps: submissions with what was sent and answered, its copies of documents, and what it is
//! about to do.

pub mod attempts;
pub mod booking_documents;
pub mod correctives;
pub mod destination;
pub mod finance_documents;
pub mod intents;
pub mod issue_times;
pub mod messages;
pub mod submissions;
pub mod watchdog;
