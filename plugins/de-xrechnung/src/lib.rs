//! Germany, XRechnung: documents in GOBL with the add-ons `eu-en16931-v2017` and `de-xrechnung-v3`.
//!
//! | document | type (UNTDID 1001; `ext`: `doc-type` chooses another of its sort) |
//! |---|---|
//! | invoice | 380, or 326 (partial) |
//! | credit note | 381 |
//!
//! Every document names its recipient, with an address and an electronic one, and refers to the buyer: members of a
//! recipient's `ext`, or of one document's, are `buyer-reference` (the Leitweg-ID of an administration) and `inbox`
//! (`0204:991-12345-73`, or an address for electronic mail); without them the workspace's `buyer_reference` and the
//! recipient's `email` go out.
//! Debit notes (383) and simplified invoices are no part of XRechnung (BR-DE-17).
//!
//! | module | does |
//! |---|---|
//! | [`tables`] | rates, exemptions, settings |
//! | [`numbers`] | the supplier's tax number, Leitweg-ID |
//! | [`check`] | everything that would make a receiver's validator, or the format, refuse the document |
//! | [`convert`], [`rows`] | the structured document, its tax rows |
//! | [`authority`] | a receiving platform, as the sandbox plays it, and what its codes mean |
//! | [`evidence`] | what the gateway checks by itself of the authority's proofs and answers |
//!
//! # How to add a fault
//! Add it to [`OWN_FAULTS`] (or to `einvoice_eu::codes` when every country has it), report it from [`check`] and add a
//! case to the tests. Never reuse or renumber a code.

pub mod authority;
pub mod check;
pub mod convert;
pub mod evidence;
pub mod numbers;
pub mod rows;
pub mod tables;

use einvoice_eu::{Findings, describe, parties, report, taxes};
use einvoice_plugin::{
    Context, Country, Description, Document, Fault, Faults, Identity, Invoice, ProviderResult, Recipient,
    Verdict,
};

/// Before every fault code.
pub const PREFIX: &str = "DE-XRECHNUNG";
/// Nothing says whom to ask at the supplier's (BR-DE-5, BR-DE-6).
pub const CONTACT_MISSING: &str = "CONTACT-01";
/// The supplier has no address for electronic mail (BR-DE-7).
pub const CONTACT_EMAIL: &str = "CONTACT-02";
/// The supplier has no electronic address (PEPPOL-EN16931-R020).
pub const INBOX_OF_SUPPLIER: &str = "INBOX-01";
/// The recipient has no electronic address (PEPPOL-EN16931-R010).
pub const INBOX_OF_RECIPIENT: &str = "INBOX-02";
/// There is no buyer reference (BR-DE-15).
pub const BUYER_REFERENCE_MISSING: &str = "BUYER-REFERENCE-01";
/// The buyer reference is no Leitweg-ID although it looks like one.
pub const LEITWEG_ID: &str = "BUYER-REFERENCE-02";
/// The buyer reference does not fit.
pub const BUYER_REFERENCE: &str = "BUYER-REFERENCE-03";
/// The exemption needs the recipient's VAT number (BR-AE-02, BR-IC-02).
pub const VAT_NUMBER_MISSING: &str = "VAT-01";
/// What is outside the scope stands beside what is not (BR-O-11 to BR-O-14).
pub const OUTSIDE_SCOPE_MIXED: &str = "VAT-02";
/// The codes only this plugin has; the others are `einvoice_eu::codes`.
pub const OWN_FAULTS: &[&str] = &[
    CONTACT_MISSING,
    CONTACT_EMAIL,
    INBOX_OF_SUPPLIER,
    INBOX_OF_RECIPIENT,
    BUYER_REFERENCE_MISSING,
    LEITWEG_ID,
    BUYER_REFERENCE,
    VAT_NUMBER_MISSING,
    OUTSIDE_SCOPE_MIXED,
];

/// The plugin.
#[derive(Debug)]
pub struct DeXrechnung;

impl Country for DeXrechnung {
    fn describe() -> Description {
        Description {
            key: "de-xrechnung".to_owned(),
            title: "Germany, XRechnung".to_owned(),
            country: "DE".to_owned(),
            tax_system: "XRechnung".to_owned(),
            version: einvoice_plugin::version!().to_owned(),
            kinds: tables::RULES.kinds.to_vec(),
            categories: vec![taxes::category("VAT", "VAT (USt)", tables::RATES)],
            exemptions: taxes::choices(tables::EXEMPTIONS),
            settings_schema: tables::SCHEMA.to_owned(),
            ..describe::base(tables::EXT)
        }
    }

    fn check(invoice: &Invoice, context: &Context) -> Vec<Fault> {
        check::examine(invoice, context).findings.faults
    }

    fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
        convert::convert(invoice, context)
    }

    fn map_identity(recipient: &Recipient) -> Result<Identity, Faults> {
        parties::map(recipient, "DE", Findings::new(PREFIX))
    }

    fn interpret(result: &ProviderResult) -> Result<Verdict, Faults> {
        Ok(report::interpret(result, &authority::SYSTEM))
    }
}

einvoice_plugin::samples! {
    DeXrechnung, "../../tests/golden/de-xrechnung":
    "invoice", "credit_note", "exemption_reverse_charge"
}

einvoice_plugin::export!(DeXrechnung with sandbox, samples, evidence);
