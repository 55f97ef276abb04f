//! France, Factur-X and e-reporting: documents in GOBL with the add-ons `eu-en16931-v2017` and `fr-facturx-v1`, records as the
//! approved platforms of the reform of 2026 take them.
//!
//! | document | type (UNTDID 1001; `ext`: `doc-type` chooses another of its sort) |
//! |---|---|
//! | invoice, simplified invoice | 380, or 386 (payment on account) |
//! | credit note | 381 |
//!
//! | recipient | treatment (note BAR) | record |
//! |---|---|---|
//! | company of France, with its SIREN | B2B | CII, profile EN 16931 of Factur-X (flux 2) |
//! | company of another country | B2BINT | the same; the platform reports it (flux 10.1) |
//! | individual, or nobody (simplified invoice) | B2C | the document's share of a report (flux 10.3), see [`wire`] |
//!
//! | `ext` | of | says |
//! |---|---|---|
//! | `treatment` | document, recipient | another treatment: `B2C` of a company that is not subject to VAT, `OUTOFSCOPE`, `ARCHIVEONLY` … |
//! | `business-process` | document | BT-23: goods (B), services (S), both (M); else as the settings say, else S1: a stay is a service |
//! | `inbox` | document, recipient | the recipient's electronic address; else `0225:` and its SIREN, or its email |
//! | `buyer-reference` | document, recipient | BT-10 |
//! | `untdid-document-type`, `doc-type` | document | the type |
//! | `untdid-tax-category`, `cef-vatex` | line | what its tax says already |
//!
//! Settings: `refuse_warnings`, `business_process`, `siret`, `inbox`, `payment_terms`, `credit_terms`, `mentions` (the notes PMT, PMD
//! and AAB, with the words of the law where they are not there), `vat_on_debits`, `exemption_texts`, `platform` and `reporting_period`
//! (of reports), `payment`.
//!
//! A tax id is a VAT number, a SIREN or a SIRET; the VAT number is made of the SIREN. Figures are asked for with the rule
//! `currency`, because lines are printed net and in cents. Figures of a credit note are positive in CII and negative in a report.
//!
//! **Not covered**: amounts in other currencies (BR-FR-CO-12: the VAT in euro, which no document states); what is withheld
//! and a surcharge on VAT (EN 16931 has no terms for either); two reasons for the same VAT category in one document; debit notes,
//! corrected (384) and self-billed invoices; processes of what is paid already (2), of public contracts (3) and of several sellers (8,
//! 9); a business that has a SIREN and no VAT number (its number is stated all the same); sales under the margin scheme
//! (`TMA1`); reports of payments (flux 10.2 and 10.4), the extract for the State (flux 1), which platforms make of flux 2, and
//! the PDF around the XML, which is the renderer's.
//!
//! | module | does |
//! |---|---|
//! | [`tables`], [`exemptions`], [`settings`] | rates, `ext`, reasons not to tax; what a workspace chooses |
//! | [`numbers`], [`identity`], [`address`] | SIREN, SIRET and VAT number; the recipient; electronic addresses |
//! | [`treatment`] | how a platform handles a document, in which business process it stands |
//! | [`check`] | everything that would make a platform, or the format, refuse the document |
//! | [`convert`], [`rows`] | the structured document, its tax rows |
//! | [`wire`], [`report`] | what goes over the wire: that document as CII, or its share of a report |
//! | [`rules`] | the fatal rules of France that a document can break |
//! | [`authority`] | the approved platform, as the sandbox plays it, and what its codes mean |
//! | [`dated_rules`] | which rules hold from which day on |
//! | [`evidence`] | what the gateway checks by itself of the authority's proofs and answers |
//! | [`printing`] | what stands on an invoice that people read |
//! | [`faults`] | the faults that only this plugin reports |
//!
//! # Notes
//! **Sources.** Invoices: CII of Factur-X 1.09.2, profile EN 16931; BR-FR 1.4.0.03 (FNFE-MPE) for flux 2. Reports: the
//! State's specification of flux 10 with its schema and rules. Life cycle: CDAR D22B with BR-FR-CDV. Mentions: code de
//! commerce, articles L441-10 and D441-5. Proof: the published examples of each, and every payload and message by an
//! independent validator.
//!
//! **Decisions.** Whom a document is for decides what is sent (see the table of treatments): companies get an invoice,
//! consumers stand in a report, which names nobody. An answer lists every rule that is broken; the message that rejects an
//! invoice (213) has a status of the reason `REJ_SEMAN` for each. A report is one document's share; platforms add them up.
//!
//! **Limits.** Whether a SIREN exists or a recipient is in the annuaire only platforms know: `DEST_INC` and its like are for
//! testers. The flux 1 extract, reports of payments and the PDF are not made here.
//!
//! **When it changes.** Rules and lists of flux 2 and 10 are versioned by FNFE-MPE and the State apart from each other; small
//! and medium-sized businesses issue from 1 September 2027.
//!
//! # How to add a fault
//! Add it to [`faults`] (or to `einvoice_eu::codes` when every country has it), report it from [`check`] and add a
//! case to the tests. Never reuse or renumber a code.

pub mod address;
pub mod authority;
pub mod check;
pub mod convert;
pub mod dated_rules;
pub mod evidence;
pub mod exemptions;
pub mod faults;
pub mod identity;
pub mod numbers;
pub mod printing;
pub mod report;
pub mod rows;
pub mod rules;
pub mod settings;
pub mod tables;
pub mod treatment;
pub mod wire;

use einvoice_eu::{describe, report as verdict, taxes};
use einvoice_plugin::{
    Context, Country, Description, Document, Fault, Faults, Identity, Invoice, ProviderResult, Recipient,
    Rounding, Verdict,
};

/// Before every fault code.
pub const PREFIX: &str = "FR-FACTURX";

/// The plugin.
#[derive(Debug)]
pub struct FrFacturx;

impl Country for FrFacturx {
    fn describe() -> Description {
        Description {
            key: "fr-facturx".to_owned(),
            title: "France, Factur-X".to_owned(),
            country: "FR".to_owned(),
            tax_system: "Factur-X".to_owned(),
            version: einvoice_plugin::version!().to_owned(),
            kinds: tables::RULES.kinds.to_vec(),
            categories: vec![taxes::category("VAT", "VAT (TVA)", tables::RATES)],
            exemptions: taxes::choices(exemptions::EXEMPTIONS),
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
        Ok(verdict::interpret(result, &authority::SYSTEM))
    }
}

einvoice_plugin::samples! {
    FrFacturx, "../../tests/golden/fr-facturx":
    "invoice", "credit_note", "individual"
}

einvoice_plugin::export!(FrFacturx with sandbox, answers, samples, rules, evidence, printing, exemption_names);
