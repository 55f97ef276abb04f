//! Italy, FatturaPA over SdI: documents in GOBL with the add-on `it-sdi-v1`.
//!
//! | document | type at SdI (`ext`: `doc-type` chooses another of its sort) |
//! |---|---|
//! | invoice | TD01, or TD02, TD03, TD06, TD24, TD25, TD26 |
//! | simplified invoice | TD07 |
//! | credit note, debit note | TD04, TD05; for simplified invoices TD08, TD09 |
//!
//! Every document names its recipient. Other members of a recipient's `ext`, or of one document's: `sdi-code` (six
//! characters for an administration, seven for anybody else), `sdi-pec`, `b2g` (`true`). Figures of a credit note are
//! positive: what is credited.
//!
//! | module | does |
//! |---|---|
//! | [`tables`] | rates, exemptions, document types, settings |
//! | [`fiscal_code`], [`identity`] | the recipient in SdI's terms |
//! | [`check`] | everything that would make SdI, or the format, refuse the document |
//! | [`convert`], [`rows`] | the structured document, its tax rows |
//! | [`authority`] | SdI, as the sandbox plays it, and what its codes mean |
//! | [`evidence`] | what the gateway checks by itself of the authority's proofs and answers |
//!
//! # How to add a fault
//! Add it to [`OWN_FAULTS`] (or to `einvoice_eu::codes` when every country has it), report it from [`check`] and add a
//! case to the tests. Never reuse or renumber a code.

pub mod authority;
pub mod check;
pub mod convert;
pub mod evidence;
pub mod fiscal_code;
pub mod identity;
pub mod rows;
pub mod tables;

use einvoice_eu::{describe, report, taxes};
use einvoice_plugin::{
    CategoryChoice, Context, Country, Description, Document, Fault, Faults, Identity, Invoice,
    ProviderResult, Recipient, Verdict,
};

/// Before every fault code.
pub const PREFIX: &str = "IT-SDI";
/// An Italian recipient without VAT number and fiscal code.
pub const FISCAL_CODE_MISSING: &str = "FISCAL-CODE-01";
/// A fiscal code that is none.
pub const FISCAL_CODE_WRONG: &str = "FISCAL-CODE-02";
/// A number without digit.
pub const NUMBER_DIGIT: &str = "NUMBER-DIGIT-01";
/// An Italian postcode that is not five digits.
pub const POSTCODE: &str = "POSTCODE-01";
/// A destination code that is not six or seven characters.
pub const DESTINATION: &str = "DESTINATION-01";
/// A certified address that is none.
pub const CERTIFIED_MAIL: &str = "DESTINATION-02";
/// Whether the recipient is an administration is neither true nor false.
pub const ADMINISTRATION: &str = "DESTINATION-03";
/// Supplier and recipient are the same (error 00471).
pub const SUPPLIER_IS_RECIPIENT: &str = "SAME-PARTY-01";
/// The codes only this plugin has; the others are `einvoice_eu::codes`.
pub const OWN_FAULTS: &[&str] = &[
    FISCAL_CODE_MISSING,
    FISCAL_CODE_WRONG,
    NUMBER_DIGIT,
    POSTCODE,
    DESTINATION,
    CERTIFIED_MAIL,
    ADMINISTRATION,
    SUPPLIER_IS_RECIPIENT,
];

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

einvoice_plugin::export!(ItSdi with sandbox, samples, evidence);
