//! Peppol BIS Billing 3 (3.0.21, May 2026), for suppliers of every country without a system of its own: documents in GOBL
//! with the add-on `eu-en16931-v2017`, records in UBL 2.1.
//!
//! | document | type (UNTDID 1001; `ext`: `doc-type` chooses another of its sort) |
//! |---|---|
//! | invoice | 380, or 386 (prepayment) |
//! | credit note | 381, under the root `CreditNote` |
//! | debit note | 383 |
//!
//! Suppliers are those of the countries in [`countries`]: the European Economic Area and the countries of Europe whose VAT numbers
//! the list of electronic addresses has a scheme for; recipients may be anywhere. Greek suppliers are refused: their
//! invoices carry what only myDATA gives (`gr-mydata`). Every document has:
//!
//! | what | from |
//! |---|---|
//! | the supplier's electronic address | the setting `inbox`, else the VAT number ([`endpoints`]) |
//! | the recipient's electronic address | `inbox` in `ext` of the document or the recipient (`0088:5790000435968`), else its VAT number |
//! | a buyer reference or an order | `buyer-reference`, `order-reference` in `ext`, else the setting `buyer_reference` |
//! | a legal registration, where a country demands it | the setting `legal_id`; `legal-id` in `ext` of document or recipient |
//! | why lines are exempt | the exemption's VATEX and text; of the exemption `exempt` the code in `ext` (`vatex`), else the setting `exemption_code`, and the setting `exemption_texts` |
//!
//! Figures are asked for with the rule `currency`, because lines are printed net and in cents; R120 (a line is quantity ×
//! price) holds as `einvoice-en16931` derives net prices.
//!
//! The structured format has rules of few of these countries; the documents of others state no regime. It rates nothing by
//! itself: percents are the document's, and one that is unusual in the supplier's country is a warning where its rates are
//! known here.
//!
//! **Not covered**: what is withheld and the Spanish surcharge, which the standard has no terms for; VAT in the currency of
//! its declaration (BT-111) beside a foreign one; a supplier without VAT number, a tax representative, an address in another
//! country than the workspace, Northern Ireland (`XI`); self-billing; attachments; direct debits and cards; Skonto between
//! Germans (`de-xrechnung`); Danish Giro and FIK, Icelandic claims; units other than one. PINT (Australia, Japan,
//! Singapore …) is another specification.
//!
//! | module | does |
//! |---|---|
//! | [`countries`], [`tables`], [`settings`] | countries with their rates; exemptions, codes, what is demanded of any document; what a workspace chooses |
//! | [`endpoints`], [`schemes`] | electronic addresses and legal registrations: schemes, check digits, what follows from a VAT number |
//! | [`identity`] | the recipient in terms of tax numbers |
//! | [`check`], `national` | everything that would make an access point, or the format, refuse the document; what only one country demands |
//! | [`convert`], `rows` | the structured document, its tax rows |
//! | [`wire`] | what goes over the wire: that document as UBL |
//! | [`rules`] | the fatal rules of OpenPEPPOL that a document can break |
//! | [`authority`] | an access point, as the sandbox plays it, and what its codes mean |
//! | [`evidence`] | what the gateway checks by itself of an access point's answers |
//! | [`printing`] | what stands on an invoice that people read |
//! | [`faults`] | the faults that only this plugin reports |
//!
//! # Notes
//! **Sources.** Rules: OpenPEPPOL's schematron 3.0.21 (release of May 2026) on CEN's 1.3.16, with the rules of Germany,
//! Denmark, Iceland, Italy, the Netherlands, Norway and Sweden in it. Code lists (EAS, ICD, UNCL, VATEX): those of the same
//! release. The texts of rules are the schematron's own, as access points quote them. Proof: OpenPEPPOL's unit tests, and
//! every payload by an independent validator.
//!
//! **Decisions.** One plugin for every country without a system of its own, so rates are hints and percents the document's.
//! An electronic address follows from a VAT number where EAS has a scheme for it, and is stated else. An answer lists every
//! rule that is broken. BR-CO-25 is no rule here: it left 1.3.16. Codes of the SMP and of a number that was sent before are
//! the stand-in's: Peppol has none.
//!
//! **Limits.** Whether a participant is registered only the SMP knows: a tester asks for that answer. The envelope (SBDH) and
//! AS4 are the provider's. What is under **Not covered** is refused before a number exists, or has no term in the standard.
//!
//! **When it changes.** OpenPEPPOL releases in May and November, each mandatory about three months later: rules in [`rules`],
//! codes in [`schemes`] and [`tables`].
//!
//! # How to add a fault
//! Add it to [`faults`] (or to `einvoice_eu::codes` when every country has it), report it from [`check`] and add a
//! case to the tests. Never reuse or renumber a code.
//!
//! # How to add a country
//! A row in [`countries`], and one in [`endpoints`] where its VAT numbers are addresses; its rules of OpenPEPPOL in `national`
//! (what is refused before a number exists) and in [`rules`] (what the access point refuses), with their cases.

pub mod authority;
pub mod check;
pub mod convert;
pub mod countries;
pub mod endpoints;
pub mod evidence;
pub mod faults;

pub mod identity;
mod national;
pub mod printing;
mod rows;
pub mod rules;
pub mod schemes;
pub mod settings;
pub mod tables;
pub mod wire;

use einvoice_eu::{describe, report, taxes};
use einvoice_plugin::{
    Context, Country, Description, Document, Fault, Faults, Identity, Invoice, ProviderResult, Recipient,
    Rounding, Verdict,
};

/// Before every fault code.
pub const PREFIX: &str = "EU-PEPPOL";

/// The plugin.
#[derive(Debug)]
pub struct EuPeppol;

impl Country for EuPeppol {
    fn describe() -> Description {
        Description {
            key: "eu-peppol".to_owned(),
            title: "Peppol BIS Billing 3".to_owned(),
            // Reserved in ISO 3166-1 for the European Union: no country's own system.
            country: "EU".to_owned(),
            tax_system: "Peppol".to_owned(),
            version: einvoice_plugin::version!().to_owned(),
            kinds: tables::RULES.kinds.to_vec(),
            // Without rates: any percent, for each country has its own.
            categories: vec![taxes::category("VAT", "VAT", &[])],
            exemptions: taxes::choices(tables::EXEMPTIONS),
            settings_schema: settings::SCHEMA.to_owned(),
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
        identity::map(recipient)
    }

    fn interpret(result: &ProviderResult) -> Result<Verdict, Faults> {
        Ok(report::interpret(result, &authority::SYSTEM))
    }
}

einvoice_plugin::samples! {
    EuPeppol, "../../tests/golden/eu-peppol":
    "invoice", "credit_note", "exemption_reverse_charge"
}

einvoice_plugin::export!(EuPeppol with sandbox, samples, evidence, printing, exemption_names);
