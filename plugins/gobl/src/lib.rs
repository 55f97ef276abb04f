//! The structured document (GOBL, `bill.Invoice`) as every plugin writes it.
//!
//! | module | is |
//! |---|---|
//! | [`format`](mod@format) | the members of the document, in the order the reference implementation prints them |
//! | [`assemble`](fn@assemble) | header, lines, totals, payment and notes of any invoice; a plugin adds its [`Parts`] |
//! | [`party`] | supplier, recipient, addresses |
//! | [`ext`](mod@ext) | what documents and lines may say besides, and what is wrong with it |
//! | [`codes`], [`findings`] | the lists of fault codes, and faults as they are found |
//! | [`issued_number`], [`json_document`] | the beginning and the end of every conversion |
//! | [`lines`] | what every country finds wrong with a line |
//! | [`settings`] | settings of a workspace, read as strictly as their schemas say |
//! | [`exact`] | figures that the gateway did not compute |
//! | [`decimal`] | figures of a stored document, and how records print them |
//! | [`stored`] | a stored document, as the records of several authorities read it |
//! | [`rounding`] | which of the format's rules the gateway's figures follow |
//! | [`currency`] | currencies, and the decimals of their amounts |
//! | [`country`], [`date`], [`text`], [`email`] | what no country owns: codes, days of the calendar, texts, addresses |
//! | [`deadline`] | working days of a country, and marks of late filings |
//! | [`clock`] | the day and the time in Europe that the authorities go by |
//! | [`verdict`] | the provider's report as a verdict, in a country's words |
//! | `harness` (feature) | golden cases, schemas and the reference's examples, for native tests |
//!
//! A plugin implements [`Mapping`]: what its country says of a tax row. Everything else that differs (identities, the
//! document's own codes, members of one country) it puts into [`Parts`], or into the finished document, whose members
//! are public.
//!
//! Figures are the gateway's: nothing is added up here, but rows of the breakdown that a line's own codes split.
//!
//! ```
//! use einvoice_gobl::{Mapping, Parts, Row, Treatment, assemble, format, party, write};
//! use einvoice_plugin::harness;
//!
//! struct Germany;
//!
//! impl Mapping for Germany {
//!     const FAULT_PREFIX: &'static str = "DE";
//!     const REGIME: &'static str = "DE";
//!     const ADDONS: &'static [&'static str] = &[];
//!     const PERCENT_DECIMALS: u8 = 0;
//!
//!     fn treatment(&self, row: &Row<'_>) -> Option<Treatment> {
//!         let key = if row.rate.is_some() { "standard" } else { "exempt" };
//!         Some(Treatment { key: Some(key), ..Treatment::default() })
//!     }
//! }
//!
//! let invoice = harness::invoice(&serde_json::json!({
//!     "number": "F-1", "issue_date": "2026-11-20",
//!     "lines": [{"description": "Night", "quantity": "1", "unit_price": "100.00",
//!                "tax": {"category": "VAT", "rate": "19.0"}}]
//! }))?;
//! let context = harness::context();
//! let supplier = party::supplier(&context, "DE", "111111125");
//! let parts = Parts { code: "F-1", supplier, ..Parts::default() };
//! let document = assemble(&Germany, &invoice, parts).map_err(|faults| format!("{faults:?}"))?;
//! let json = write(&document)?;
//! assert!(json.contains(r#""percent":"19%","amount":"19.00""#));
//! # Ok::<(), String>(())
//! ```

mod assemble;
mod breakdown;
pub mod clock;
pub mod codes;
pub mod country;
pub mod currency;
pub mod date;
pub mod deadline;
pub mod decimal;
mod document;
pub mod email;
pub mod exact;
pub mod ext;
pub mod findings;
pub mod format;
#[cfg(feature = "harness")]
pub mod harness;
pub mod lines;
mod mapping;
mod number;
pub mod party;
pub mod rounding;
pub mod settings;
pub mod stored;
pub mod text;
pub mod verdict;

pub use assemble::{Parts, assemble, preceding, write};
pub use breakdown::included_category;
pub use document::{issued_number, json_document};
pub use findings::Findings;
pub use mapping::{Mapping, Row, Treatment};
pub use number::{Money, Percent};

/// Names the type of the document.
pub const SCHEMA: &str = "https://gobl.org/draft-0/bill/invoice";
