//! Italy, FatturaPA over SdI: documents in GOBL with the add-on `it-sdi-v1`.
//!
//! | document | type at SdI (`ext`: `doc-type` chooses another of its sort) |
//! |---|---|
//! | invoice | TD01, or TD02, TD03, TD06, TD24, TD25, TD26 |
//! | simplified invoice | TD07 |
//! | credit note, debit note | TD04, TD05; for simplified invoices TD08, TD09 |
//!
//! Every document names its recipient. Other members of a recipient's `ext`, or of one document's: `sdi-code` (six
//! characters for an administration, seven for anybody else), `sdi-pec`, `b2g` (`true`). `vat-liability` of a document or
//! line is `S` where an administration pays the VAT itself: what is payable counts it in, what the file asks for does not.
//! Figures of a credit note are positive: what is credited.
//!
//! What goes over the wire, and what people may look at in the sandbox, is the FatturaPA file itself: [`fattura`] says
//! how the document becomes it. A document that has no place in it (`limits`) is refused before it has a number.
//!
//! | module | does |
//! |---|---|
//! | [`tables`] | rates, exemptions, document types, settings |
//! | [`fiscal_code`], [`identity`] | the recipient in SdI's terms |
//! | [`check`], `limits` | everything that would make SdI, or the format, refuse the document |
//! | [`convert`], [`rows`] | the structured document, its tax rows |
//! | [`fattura`] | the file that goes over the wire, made of the stored document |
//! | [`authority`] | SdI, as the sandbox plays it: rules, receipts, what its codes mean |
//! | [`evidence`] | what the gateway checks by itself of the authority's proofs and answers |
//! | [`printing`] | what stands on an invoice that people read |
//! | [`faults`] | the faults that only this plugin reports |
//!
//! # Notes
//! **Sources.** Schema FatturaPA 1.2.3 and that of simplified invoices 1.0.2; the list of controls in SdI's technical
//! specifications, which its notifications quote by code. Receipts by the schemas of SdI's messages. Proof: the official
//! examples (two of the six published break 00422 themselves), and every payload by an independent validator.
//!
//! **Decisions.** Prices are net with up to eight decimals, a negative price is allowed and a negative quantity is not.
//! `ImportoTotaleDocumento` is with VAT and before what is withheld, `ImportoPagamento` after it. A file that SdI discarded
//! (NS) counts as not issued: the number may be sent again, under another name of the file. Every code that the rules find is
//! in one answer.
//!
//! **Limits.** Registers (00300 to 00312) and signatures (001xx) are not looked at: testers ask for those. No batches,
//! pension funds, discounts or stamp duty (`DatiBollo`).
//!
//! **When it changes.** The schema and the list of controls have one date of force; codes are never reused, so a new one is a
//! line in `authority::meaning`.
//!
//! # How to add a fault
//! Add it to [`faults`] (or to `einvoice_eu::codes` when every country has it), report it from [`check`] and add a
//! case to the tests. Never reuse or renumber a code.

pub mod authority;
pub mod check;
pub mod convert;
pub mod evidence;
pub mod fattura;
pub mod faults;
pub mod fiscal_code;
pub mod identity;
mod limits;
pub mod printing;
pub mod rows;
pub mod tables;

use einvoice_eu::{describe, report, taxes};
use einvoice_plugin::{
    CategoryChoice, Context, Country, Description, Document, Fault, Faults, Identity, Invoice,
    ProviderResult, Recipient, Verdict,
};

/// Before every fault code.
pub const PREFIX: &str = "IT-SDI";

/// The plugin.
#[derive(Debug)]
pub struct ItSdi;

impl Country for ItSdi {
    fn describe() -> Description {
        Description {
            key: "it-sdi".to_owned(),
            title: "Italy, FatturaPA".to_owned(),
            country: "IT".to_owned(),
            tax_system: "SdI".to_owned(),
            version: einvoice_plugin::version!().to_owned(),
            kinds: tables::RULES.kinds.to_vec(),
            categories: vec![taxes::category("VAT", "VAT (IVA)", tables::RATES)],
            exemptions: taxes::choices(tables::EXEMPTIONS),
            retentions: tables::RETENTIONS
                .iter()
                .map(|(key, title)| CategoryChoice::any_percent(*key, *title))
                .collect(),
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
        identity::map(recipient)
    }

    fn interpret(result: &ProviderResult) -> Result<Verdict, Faults> {
        Ok(report::interpret(result, &authority::SYSTEM))
    }
}

einvoice_plugin::samples!(ItSdi, "../../tests/golden/it-sdi": "invoice", "credit_note", "administration");

einvoice_plugin::export!(ItSdi with sandbox, answers, samples, evidence, printing, exemption_names);
