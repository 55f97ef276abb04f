//! Spanish rules that more than one Spanish plugin needs: tax identifiers, dates, rates, the tax agency's (AEAT)
//! error codes, the chained record and the QR address.
//!
//! Plain Rust without I/O and without WIT: every item is a table or a function from text to text. What belongs to
//! one tax system only (VERI*FACTU, TicketBAI, SII) lives in that system's plugin.
//!
//! # How to
//! - *a rate changes*: add the new row above the old one in [`rates`], with the day it starts;
//! - *the agency documents a new error code*: add it, in code order, to the table in [`authority`].

pub mod amend;
pub mod authority;
pub mod check;
pub mod country;
pub mod dated_rules;
pub mod describe;
pub mod doc_type;
pub mod exemptions;
pub mod faults;
#[cfg(feature = "harness")]
pub mod harness;
pub mod identification;
pub mod identity;
pub mod interpret;
pub mod nif;
pub mod printing;
pub mod rates;
pub mod reader;
pub mod record;
pub mod response;
pub mod stored;
pub mod system;
pub mod taxes;
pub mod text;

pub use einvoice_gobl::date;
