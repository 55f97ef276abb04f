//! What the plugins of the VAT countries of Europe share.
//!
//! | module | is |
//! |---|---|
//! | [`check`] | the checks every country makes, with the [`check::Rules`] of one |
//! | [`codes`] | fault codes without their prefix |
//! | [`describe`] | what all these plugins say of themselves |
//! | [`parties`] | whom a document is for, in terms of VAT numbers |
//! | [`vat`] | VAT numbers and their check digits, country by country |
//! | [`taxes`] | rates by date, exemptions |
//! | [`payment`] | how the workspace wants to be paid |
//! | [`settings`] | a workspace's settings from JSON |
//! | [`register`] | an authority that files documents under a number, for the sandbox |
//! | [`report`] | the provider's report as a verdict |
//! | `harness` (feature) | golden cases, schemas, examples and any input at all, for the tests of plugins |
//!
//! # How to add a country
//! Write its tables and what differs, call [`check::common`] with its rules and assemble the document with
//! `einvoice-gobl`; `plugins/pl-favat` is the shortest example.

pub mod check;
pub mod codes;
pub mod describe;
#[cfg(feature = "harness")]
pub mod harness;
pub mod parties;
pub mod payment;
pub mod register;
pub mod report;
pub mod settings;
pub mod taxes;
pub mod vat;

pub use einvoice_gobl::Findings;
