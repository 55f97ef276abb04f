//! Spain, VERI*FACTU: documents in GOBL with the add-on `es-verifactu-v1`.
//!
//! | document | type at the agency |
//! |---|---|
//! | invoice | F1 |
//! | simplified invoice: no recipient, or by name only; at most 3,000 EUR | F2 |
//! | replacement invoice: names the recipient of simplified invoices | F3 |
//! | credit note | R4, unless the document (`ext`: `doc-type`) or the workspace (`credit_note_type`) says R1, R2 or R3 |
//! | credit note for a simplified invoice | R5 |
//!
//! Figures of a credit note are positive: what is credited. The agency's record states them negative.
//! A debit note is refused: what is added goes out as another invoice. An accepted invoice is corrected by a
//! credit note that cancels it and a new invoice.
//!
//! The logic is plain Rust over the SDK's types; only this file knows that it becomes a component.
//!
//! | module | does |
//! |---|---|
//! | [`describe`] | what the plugin is and which keys documents may use |
//! | [`check`] | everything that would make the agency refuse the document |
//! | [`convert`] | the structured document |
//! | [`doc_type`], [`identity`], [`taxes`] | document type, recipient and tax rows in the agency's terms |
//! | [`interpret`] | the provider's report as a verdict |
//! | [`authority`] | the agency, as the sandbox plays it |
//! | [`faults`] | every fault code, for ever |
//!
//! # How to add a fault
//! Add a constant at the end of its group in [`faults`] and to [`faults::ALL`], report it from [`check`], and add a
//! case to the tests. Never reuse or renumber a code.

pub mod authority;
pub mod check;
pub mod convert;
pub mod describe;
pub mod doc_type;
pub mod faults;
pub mod identity;
pub mod interpret;
pub mod settings;
pub mod taxes;

use einvoice_plugin::{
    Authority, Context, Country, Description, Document, Fault, Faults, Filing, Identity, Invoice, Outcome,
    ProviderResult, Recipient, Submission, Verdict,
};

/// The plugin.
#[derive(Debug)]
pub struct EsVerifactu;

impl Country for EsVerifactu {
    fn describe() -> Description {
        describe::describe()
    }

    fn check(invoice: &Invoice, context: &Context) -> Vec<Fault> {
        check::check(invoice, context)
    }

    fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
        convert::convert(invoice, context)
    }

    fn map_identity(recipient: &Recipient) -> Result<Identity, Faults> {
        identity::map(recipient)
    }

    fn interpret(report: &ProviderResult) -> Result<Verdict, Faults> {
        Ok(interpret::interpret(report))
    }
}

impl Authority for EsVerifactu {
    fn file(document: &str) -> Result<Filing, Faults> {
        authority::file(document)
    }

    fn submit(submission: &Submission) -> Result<Outcome, Faults> {
        authority::submit(submission)
    }
}

einvoice_plugin::export!(EsVerifactu with sandbox);
