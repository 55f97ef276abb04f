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
//! What goes over the wire is UBL 2.1, or CII D16B where the workspace's `syntax` says so; both are valid under the rules of
//! CEN and KoSIT. Figures are asked for with the rule `currency`, because lines are printed net and in cents there; a
//! document whose figures are not by that rule says nothing of rounding and goes out as well (see [`wire`]).
//!
//! | module | does |
//! |---|---|
//! | [`tables`] | rates, exemptions, settings |
//! | [`numbers`] | the supplier's tax number, Leitweg-ID |
//! | [`check`] | everything that would make a receiver's validator, or the format, refuse the document |
//! | [`convert`], [`rows`] | the structured document, its tax rows |
//! | [`wire`] | what goes over the wire: that document as UBL or CII |
//! | [`rules`] | the fatal rules of XRechnung that a document can break |
//! | [`authority`] | a receiving platform, as the sandbox plays it, and what its codes mean |
//! | [`evidence`] | what the gateway checks by itself of the authority's proofs and answers |
//! | [`printing`] | what stands on an invoice that people read |
//! | [`faults`] | the faults that only this plugin reports |
//!
//! # Notes
//! **Sources.** Rules: KoSIT's schematron 2.5.0 of XRechnung 3.0.2 on CEN's 1.3.15, with the weights of KoSIT's
//! `scenarios.xml`: what is a warning there is no rule here. Syntax: UBL 2.1 and CII D16B. Proof: KoSIT's test suite of
//! August 2026, and the payloads of every golden case and of drawn variants by an independent validator.
//!
//! **Decisions.** One document serves both syntaxes; the setting `syntax` chooses. What a business lacks to be asked and paid
//! by (BR-DE-1, 2, 5 to 7) comes from settings, for the platform's document has no place for it. An answer lists every rule
//! that is broken, as KoSIT's report does. Neither KoSIT nor the portals have codes for a number that was sent before or a
//! recipient that nobody knows, so those are the stand-in's own.
//!
//! **Limits.** A Leitweg-ID is checked by its form and check digits, not for being in use. The extension of XRechnung, cash
//! discounts in any form but `#SKONTO#`, attachments, several accounts, and limits of portals (size, number of lines) are not
//! covered.
//!
//! **When it changes.** Access points go by CEN's 1.3.16 already, which loses BR-CO-25; the golden payloads fit
//! both. The identifier of the specification is one constant, `wire::PROFILE`.
//!
//! # How to add a fault
//! Add it to [`faults`] (or to `einvoice_eu::codes` when every country has it), report it from [`check`] and add a
//! case to the tests. Never reuse or renumber a code.

pub mod authority;
pub mod check;
pub mod convert;
pub mod evidence;
pub mod faults;
pub mod numbers;
pub mod printing;
pub mod rows;
pub mod rules;
pub mod tables;
pub mod wire;

use einvoice_eu::{Findings, describe, parties, report, taxes};
use einvoice_plugin::{
    Context, Country, Description, Document, Fault, Faults, Identity, Invoice, ProviderResult, Recipient,
    Rounding, Verdict,
};

/// Before every fault code.
pub const PREFIX: &str = "DE-XRECHNUNG";

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
            rounding: Rounding::Currency,
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

einvoice_plugin::export!(DeXrechnung with sandbox, samples, evidence, printing, exemption_names);
