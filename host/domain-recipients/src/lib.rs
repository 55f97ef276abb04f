//! The rules of recipients: whom the VAT register of the Union (VIES of the European Commission) is asked about, how a number has to
//! look before it is, what an answer means for a document, and how long it is good; and the same for the delivery network of documents
//! that reach their recipients by an electronic address ([`participant`]).
//!
//! A recipient is never a reason not to issue: what the register or the network says, or does not say, is a warning. No I/O, no async
//! runtime, no clock, no floats. What the finance service needs of whoever asks, and what that needs of register and network, is in
//! [`ports`].
//!
//! To add a member state: a variant of [`MemberState`], and every `match` the compiler then points at. To check another type of
//! documents: a variant of [`participant::DocumentType`].

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

mod check;
mod doubt;
mod evidence;
mod known;
mod number;
pub mod participant;
pub mod ports;
mod state;
mod subject;

pub use check::{Outcome, RecipientCheck, RecipientCheckBody, TAX_NUMBER_PATH, next_check_s};
pub use doubt::Doubt;
pub use evidence::{Evidence, EvidenceBody};
pub use known::KnownRecipient;
pub use number::{NoVatNumber, VatNumber};
pub use state::MemberState;
pub use subject::{Subject, requester, subject};
