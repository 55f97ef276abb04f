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
//! What a document may say besides, in `ext` of the document or of a line (the line wins):
//!
//! | key | values |
//! |---|---|
//! | `regime` | the agency's list L8: `01`, `05` … |
//! | `simplified-art7273` (document) | `S`, `N` |
//!
//! Each also goes by its full name: `es-verifactu-regime`. Without a regime exports have 02, lines with equivalence
//! surcharge 18 and everything else 01. A regime goes with some treatments, rates, documents and recipients only; 14 and
//! 15 let an operation lie after the day of issue. `op-class` and `exempt` of a line may repeat what its tax says.
//!
//! Figures of a credit note are positive: what is credited. The agency's record states them negative.
//! A debit note is refused: what is added goes out as another invoice. An accepted invoice is amended under its number where only
//! its record is wrong ([`amend`]), and else corrected by a credit note that cancels it and a new invoice.
//!
//! The logic is plain Rust over the SDK's types; only this file knows that it becomes a component.
//!
//! | module | does |
//! |---|---|
//! | [`describe`] | what the plugin is and which keys documents may use |
//! | [`examine`] | everything that would make the agency refuse the document |
//! | [`convert`], [`rows`] | the structured document, its tax rows |
//! | `regimes` | what the agency demands under each special regime |
//! | [`codes`] | the add-on's codes, and where a document says them |
//! | [`doc_type`] | document types in the agency's terms |
//! | `schemas` | names and words of the agency's schemas |
//! | [`interpret`] | the provider's stamps |
//! | [`authority`] | the agency, as the sandbox plays it |
//! | [`amend`] | what of an accepted invoice may be amended |
//! | [`deadline`] | until when a record has to be sent, and the mark of one that an outage held up |
//! | [`chain`] | how records hold together |
//! | [`dated_rules`] | which rules hold from which day on |
//! | `reconcile` | the agency's own list of records: asked and read |
//! | [`evidence`] | what the gateway checks by itself of the authority's proofs and answers |
//! | [`printing`] | what stands on an invoice that people read |
//! | [`faults`] | every fault code, for ever |
//!
//! What it has in common with the other Spanish systems (checks, identities, tax rows) is in `einvoice_es`.
//!
//! # Notes
//! **Sources.** The agency's schemas (`SuministroLR`, `SuministroInformacion`), its list of errors and its documents on
//! fingerprint and QR code, whose vectors are tests; royal decree 1007/2023, order HAC/1177/2024. The table of regimes (L8)
//! by treatments (L9) is the agency's. Proof: every payload by the schemas, and the fingerprint recomputed by an independent
//! validator.
//!
//! **Decisions.** A credit note is an invoice of its own by differences: negative figures. An accepted record is amended
//! under its number (`Subsanacion`), and after a refusal with `RechazoPrevio`. Cancelling is for testers: the gateway
//! corrects by credit notes only. A refused record keeps its place in the chain (see `authority::memory`). One record has one
//! code, so the stand-in refuses with the first.
//!
//! **Limits.** Census and VIES are not asked: 1109, 1110 and 2001 are for testers. Certificates, waiting times and messages
//! of up to 1000 records are the provider's. Systems without VERI*FACTU (signed, nothing sent) are not covered.
//!
//! **When it changes.** A rate is a row in `einvoice_es::rates`, a code a line in `einvoice_es::authority`, a rule one in the
//! file of `authority::rules` it is about.
//!
//! # How to add a fault
//! Add a constant at the end of its group in `einvoice_es::faults`, or in [`faults`] when only this system has it,
//! report it, and add a case to the tests. Never reuse or renumber a code.

pub mod amend;
pub mod authority;
pub mod chain;
pub mod codes;
pub mod convert;
pub mod dated_rules;
pub mod deadline;
pub mod describe;
pub mod doc_type;
pub mod evidence;
pub mod examine;
pub mod faults;
pub mod interpret;
pub mod printing;
mod reconcile;
mod regimes;
pub mod rows;
mod schemas;
pub mod settings;

use einvoice_es::date::Date;
use einvoice_es::system::System;
use einvoice_es::text::{DESCRIPTION_CHARS_MAX, NUMBER_CHARS_MAX};
use einvoice_plugin::{
    Context, Country, Description, Document, DocumentKind, Fault, Faults, Identity, Invoice, ProviderResult,
    Recipient, Verdict,
};

/// What is particular about VERI*FACTU.
pub static SYSTEM: System = System {
    prefix: "ES-VERIFACTU",
    name: "VERI*FACTU",
    kinds: &[
        DocumentKind::Invoice,
        DocumentKind::SimplifiedInvoice,
        DocumentKind::ReplacementInvoice,
        DocumentKind::CreditNote,
    ],
    doc_type_keys: &["doc-type", doc_type::EXT_DOC_TYPE],
    // Error 1152.
    first_issue_date: Date::new(2024, 10, 28),
    number_chars_max: NUMBER_CHARS_MAX,
    line_chars_max: DESCRIPTION_CHARS_MAX,
    notes_chars_max: DESCRIPTION_CHARS_MAX,
    breakdown_rows_max: 12,
    preceding_max: 1000,
    more_exemptions: &[],
    // The agency refuses an identity there (1190).
    simplified_is_anonymous: true,
    correction_names: false,
    // Errors 1191 and 1192.
    insolvency_needs_nif: true,
    may_be_billed_ahead: rows::may_be_billed_ahead,
};

/// The plugin.
#[derive(Debug)]
pub struct EsVerifactu;

impl Country for EsVerifactu {
    fn describe() -> Description {
        describe::describe()
    }

    fn check(invoice: &Invoice, context: &Context) -> Vec<Fault> {
        examine::examine(invoice, context).findings.faults
    }

    fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
        convert::convert(invoice, context)
    }

    fn map_identity(recipient: &Recipient) -> Result<Identity, Faults> {
        einvoice_es::identity::map(&SYSTEM, recipient)
    }

    fn interpret(report: &ProviderResult) -> Result<Verdict, Faults> {
        Ok(einvoice_es::interpret::interpret(&einvoice_es::interpret::VERIFACTU, report))
    }
}

einvoice_plugin::export!(EsVerifactu with sandbox, answers, amend, remarks, deadline, rules, reconcile, sandbox_listing, chain, evidence, printing, exemption_names);
