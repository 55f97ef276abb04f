//! Spain, SII (immediate supply of information): documents in GOBL with the add-on `es-sii-v1`.
//!
//! | document | type at the agency |
//! |---|---|
//! | invoice | F1 |
//! | simplified invoice: with or without recipient; at most 3,000 EUR | F2 |
//! | replacement invoice: names the recipient of simplified invoices | F3 |
//! | credit note, debit note | R4, unless the document (`ext`: `doc-type`) or the workspace (`credit_note_type`) says R1, R2 or R3 |
//! | credit or debit note for a simplified invoice | R5 |
//!
//! What a document may say besides, in `ext` of the document or of a line (the line wins), else the workspace's settings:
//!
//! | key | values |
//! |---|---|
//! | `regime` | the agency's regimes for issued invoices: `01`, `05` …; one for the whole document |
//! | `product` | `goods`, `services`; for all lines or for none |
//! | `simplified-art7273` (document) | `S`, `N` |
//!
//! Each also goes by its full name: `es-sii-regime`. Without a regime exports have 02 and everything else 01, so an
//! invoice that mixes both has to choose one.
//!
//! Figures of a credit note are positive: what is credited. The agency's record states them negative.
//!
//! A document of nothing but IGIC goes into the books of the Canary Islands, any other into the state's, where IPSI and IGIC
//! are outside the scope of VAT under regime 08. A recipient who is not Spanish makes the agency want goods apart from
//! services: `product` says it; without it exports, supplies to other member states and what carries an equivalence
//! surcharge are goods, and everything else is a service.
//!
//! | module | does |
//! |---|---|
//! | [`describe`], [`settings`] | what the plugin is and what a workspace may choose |
//! | [`examine`], `books` | everything that would make the agency refuse the document; what its schemas have no place for |
//! | [`convert`], [`rows`] | the structured document, its tax rows |
//! | [`codes`] | the add-on's codes, and where a document says them |
//! | [`answers`] | the provider's report as a verdict |
//! | [`service`] | the two services, and where their schemas differ |
//! | [`authority`] | the agency's books, as the sandbox keeps them, and the very XML that goes to the agency |
//! | [`deadline`] | until when an invoice has to be in the books |
//! | [`evidence`] | what the gateway checks by itself of the authority's proofs and answers |
//! | [`printing`] | what stands on an invoice that people read |
//! | [`faults`] | every fault code, for ever |
//!
//! What it has in common with the other Spanish systems (checks, identities, tax rows) is in `einvoice_es`.
//!
//! # Notes
//! **Sources.** Schemas of the SII 1.1 and of the Canary Islands' SII; royal decree 1624/1992, article 69 bis (until when),
//! order HFP/417/2017 (what may be modified). The agency's list of codes is in no public source: sentences here are what
//! integrators report, and the agency's own words stand for any other. Proof: every payload by the schemas.
//!
//! **Decisions.** A document of nothing but IGIC goes into the books of the Canaries, any other into the state's. An
//! amendment is a communication `A1` under the same key. Codes from 2000 to 2999 leave the record standing. The stand-in
//! refuses with the first code, as one record has one (`CodigoErrorRegistro`); what the agency says nothing of, such as a
//! late record, it remarks in its own name.
//!
//! **Limits.** No code asks for an amendment by itself (`remarks`), as the agency's list of codes is in no public source and no
//! law names a time for it. Issued invoices alone: no books of received ones, investment goods, payments of the cash basis (the regime 07
//! itself is known) or matching with the recipient. Census and VIES are not asked: testers do. Holidays are those of the
//! whole country.
//!
//! **When it changes.** Rates and exemptions are in `einvoice_es`; a code that is learned is a line in [`answers`].
//!
//! # How to add a fault
//! Add a constant at the end of its group in `einvoice_es::faults`, or in [`faults`] when only this system has it, report it
//! from [`examine`], and add a case to the tests. Never reuse or renumber a code.

pub mod amend;
pub mod answers;
pub mod authority;
mod books;
pub mod codes;
pub mod convert;
pub mod deadline;
pub mod describe;
pub mod evidence;
pub mod examine;
pub mod faults;
pub mod printing;
pub mod rows;
pub mod service;
pub mod settings;

use einvoice_es::date::Date;
use einvoice_es::system::System;
use einvoice_es::text::{DESCRIPTION_CHARS_MAX, NUMBER_CHARS_MAX};
use einvoice_plugin::{
    Context, Country, Description, Document, DocumentKind, Fault, Faults, Identity, Invoice, ProviderResult,
    Recipient, Verdict,
};

/// What is particular about the SII.
pub static SYSTEM: System = System {
    prefix: "ES-SII",
    name: "SII",
    kinds: &[
        DocumentKind::Invoice,
        DocumentKind::SimplifiedInvoice,
        DocumentKind::ReplacementInvoice,
        DocumentKind::CreditNote,
        DocumentKind::DebitNote,
    ],
    doc_type_keys: &[codes::EXT_DOC_TYPE, "doc-type"],
    // The books of 2017 are the first the agency keeps.
    first_issue_date: Date::new(2017, 1, 1),
    number_chars_max: NUMBER_CHARS_MAX,
    line_chars_max: DESCRIPTION_CHARS_MAX,
    notes_chars_max: DESCRIPTION_CHARS_MAX,
    breakdown_rows_max: 15,
    preceding_max: 1000,
    more_exemptions: &[],
    simplified_is_anonymous: false,
    correction_names: false,
    insolvency_needs_nif: true,
    may_be_billed_ahead: |_| false,
};

/// The plugin.
#[derive(Debug)]
pub struct EsSii;

impl Country for EsSii {
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
        Ok(einvoice_es::interpret::interpret(&answers::ANSWERS, report))
    }
}

einvoice_plugin::samples! {
    EsSii, "../../tests/golden/es-sii":
    "rates_mixed", "credit_note", "simplified_invoice"
}

einvoice_plugin::export!(EsSii with sandbox, answers, amend, deadline, samples, evidence, printing, exemption_names);
