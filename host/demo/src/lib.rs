//! The demonstration: sample data, and a dozen invoices sent to a gateway over HTTP, like anybody's.
//!
//! | module | what it holds |
//! |---|---|
//! | `demonstration` | sample data, workspace and client, and what is printed |
//! | `cases` | the invoices, one for each thing worth seeing |
//! | `invoice_run` | one invoice's way: sent, issued, watched, corrected |
//!
//! Not here: the gateway that it is shown on, which the binary starts.

mod cases;
mod demonstration;
mod invoice_run;

pub use demonstration::{Demonstration, REGIME, missing_plugin, show};
