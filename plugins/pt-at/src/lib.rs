//! Portugal, Autoridade Tributária: documents in GOBL with the add-on `pt-saft-v1`, SAF-T (PT) 1.04_01 over the wire.
//!
//! | document | type at the AT |
//! |---|---|
//! | invoice | FT; FR with `ext`: `doc-type` `FR`, an invoice that is its own receipt |
//! | simplified invoice | FS: to anybody, up to 100 EUR, a retailer's up to 1000 EUR |
//! | credit note, debit note | NC, ND; each refers to one document |
//!
//! Figures of a credit note are positive: what is credited.
//!
//! # Numbers, series and the ATCUD
//! The workspace's number pattern has to give `TYPE SERIES/NUMBER`: `FT A2026/1`, with a pattern for each type. Every series is
//! registered with the AT before its first document, which gives it a validation code; the settings have these codes, and a
//! document whose series they do not have is refused before it is issued. The ATCUD is the code with the number: it goes out as a
//! note of the document (`at-atcud`), as does the number of the program's certificate (`at-certificate`).
//!
//! # Members of `ext`
//! | key | where | says |
//! |---|---|---|
//! | `doc-type` (`pt-saft-invoice-type`) | document | `FR`, or `FT` |
//! | `payment-means` | document (FR) | how it was paid, by the format's key: `cash`, `card` |
//! | `region` (`pt-region`) | document, line | `PT`, `PT-AC` or `PT-MA`: where the tax is due |
//! | `product-type` (`pt-saft-product-type`) | document, line | `S`, `P`, `O`, `E` or `I` |
//! | `exemption` (`pt-saft-exemption`), `pt-saft-tax-rate` | line | the same as the line's tax |
//!
//! # Settings
//! `series` (type, series, validation code), `certificate_number`, `region`, `product_type`, `retail`, `cash_vat`, `payment`,
//! `refuse_warnings`.
//!
//! # What is not covered
//! - The signature with the private key of the certified program: the provider's. [`signature`] says what the stand-in does.
//! - The codes of the real web service: the stand-in answers in words of its own, the provider's answers are quoted.
//! - The content of the QR code is no address, so no acceptance has one: it is the stamp `at-qr`, and [`qr`] makes it.
//! - Lines that take something off, rates of no region, other currencies than the euro, VAT of other countries, stamp duty,
//!   self-billing, documents that were made by hand or integrated (`SourceBilling` is P), cancellation (status A), goods in
//!   transit, receipts of their own (RC, RG), and M34, of which the format's add-on makes another code.
//!
//! | module | does |
//! |---|---|
//! | [`tables`], [`settings`] | rates by region, exemptions, document types; a workspace's settings |
//! | [`number`] | numbers in their parts, the ATCUD |
//! | [`identity`] | the recipient in the AT's terms |
//! | [`check`], `limits` | everything that would make the AT, or the formats, refuse the document |
//! | [`convert`], `rows` | the structured document, its tax rows |
//! | [`saft`] | the file that goes over the wire, made of the stored document |
//! | [`qr`], [`signature`] | the QR code's fields, the chain of signatures |
//! | [`clock`] | the day and the time in Portugal |
//! | [`authority`] | the AT, as the sandbox plays it: rules, what its codes mean |
//! | [`dated_rules`] | which rules hold from which day on |
//! | [`evidence`] | what the gateway checks by itself of the authority's answers |
//! | [`printing`] | what stands on an invoice that people read |
//! | [`faults`] | the faults that only this plugin reports |
//!
//! # Notes
//! **Sources.** SAF-T (PT) 1.04_01 with its assertions; Portaria 363/2010 (certified programs, signature), the AT's
//! specifications of QR code and ATCUD, article 40 of the VAT code (simplified invoices). Rates by region and day: the VAT
//! code and those of the regions. Proof: the only public example, and every payload by an independent validator.
//!
//! **Decisions.** One SAF-T file with one document stands for what the web service and the monthly file both carry. The AT's
//! own codes are in no public source, so the stand-in's are words of its own, and its answer has every one that the rules
//! find. A document after the fifth of the next month is taken with a remark (`LATE`): it is a fine, no refusal. Consumers
//! are 999999990, whatever document they hold.
//!
//! **Limits.** See *What is not covered*. The program's key is the provider's: what stands for a signature is no RSA. Whether
//! a series is registered, open or closed only the AT knows.
//!
//! **When it changes.** Rates are rows with a day in [`tables`]; a qualified signature or seal is asked for from 1 January
//! 2027, which is the provider's too.
//!
//! # How to add a fault
//! Add it to [`faults`] (or to `einvoice_eu::codes` when every country has it), report it from [`check`] and add a
//! case to the tests. Never reuse or renumber a code.

pub mod authority;
pub mod check;
pub mod clock;
pub mod convert;
pub mod dated_rules;
pub mod evidence;
pub mod faults;
pub mod identity;
mod limits;
pub mod number;
pub mod printing;
pub mod qr;
mod rows;
pub mod saft;
pub mod settings;
pub mod signature;
pub mod tables;

use einvoice_eu::{describe, report, taxes};
use einvoice_plugin::{
    CategoryChoice, Context, Country, Description, Document, Fault, Faults, Identity, Invoice,
    ProviderResult, Recipient, Verdict,
};

/// Before every fault code.
pub const PREFIX: &str = "PT-AT";

/// The plugin.
#[derive(Debug)]
pub struct PtAt;

impl Country for PtAt {
    fn describe() -> Description {
        Description {
            key: "pt-at".to_owned(),
            title: "Portugal, SAF-T (PT)".to_owned(),
            country: "PT".to_owned(),
            tax_system: "AT".to_owned(),
            version: einvoice_plugin::version!().to_owned(),
            kinds: tables::RULES.kinds.to_vec(),
            categories: vec![taxes::category("VAT", "VAT (IVA)", tables::RATES)],
            exemptions: taxes::choices(tables::EXEMPTIONS),
            retentions: tables::RETENTIONS
                .iter()
                .map(|(key, title)| CategoryChoice::any_percent(*key, *title))
                .collect(),
            settings_schema: settings::SCHEMA.to_owned(),
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

einvoice_plugin::samples!(PtAt, "../../tests/golden/pt-at": "invoice", "credit_note", "invoice_receipt");

einvoice_plugin::export!(PtAt with sandbox, samples, rules, evidence, printing, exemption_names);
