//! The tax system XX-TEMPLATE as a plugin.
//!
//! The logic is plain Rust over the SDK's types, tested natively; only this file knows that it becomes a component.
//!
//! | module | does |
//! |---|---|
//! | [`check`] | everything that would make the authority refuse a document, with every fault code |
//! | [`convert`] | the structured document |
//! | [`format`] | what the structured document is made of |
//! | [`interpret`] | the provider's report as a verdict |
//! | [`authority`] | the authority, as the sandbox plays it |
//! | [`evidence`] | what the gateway checks by itself of the authority's proofs and answers |
//!
//! # How to add a rule
//! Add its fault code and what finds it to [`check`], and a case to `golden/cases`; `gateway plugin test --update` writes what
//! is expected of it. Never reuse a code.

pub mod authority;
pub mod check;
pub mod convert;
pub mod evidence;
pub mod format;
pub mod interpret;

use einvoice_plugin::{
    CategoryChoice, Context, Country, Description, Document, DocumentKind, Fault, Faults, Identity, Invoice,
    OtherIdentity, ProviderResult, Recipient, Rounding, TaxIdentity, Verdict,
};

/// The plugin.
#[derive(Debug)]
pub struct XxTemplate;

impl Country for XxTemplate {
    fn describe() -> Description {
        Description {
            key: "xx-template".to_owned(),
            title: "XX-TEMPLATE".to_owned(),
            country: "XX".to_owned(),
            tax_system: "XX-TEMPLATE".to_owned(),
            version: einvoice_plugin::version!().to_owned(),
            kinds: vec![DocumentKind::Invoice, DocumentKind::SimplifiedInvoice, DocumentKind::CreditNote],
            categories: vec![CategoryChoice::any_percent("VAT", "Value added tax")],
            required_workspace_fields: ["legal-name", "tax-id", "country"].map(str::to_owned).to_vec(),
            ..Description::new(Rounding::Precise)
        }
    }

    fn check(invoice: &Invoice, _: &Context) -> Vec<Fault> {
        check::check(invoice)
    }

    fn convert(invoice: &Invoice, context: &Context) -> Result<Document, Faults> {
        convert::convert(invoice, context)
    }

    fn map_identity(recipient: &Recipient) -> Result<Identity, Faults> {
        match recipient {
            Recipient::Company(company) => match (&company.country, &company.tax_number) {
                (Some(country), Some(code)) => {
                    Ok(Identity::TaxId(TaxIdentity { country: country.clone(), code: code.clone() }))
                }
                _ => Err(vec![check::company_without_tax_number()]),
            },
            Recipient::Individual(person) => match &person.identity_document {
                Some(document) => Ok(Identity::Other(OtherIdentity {
                    country: document.country.clone().unwrap_or_default(),
                    code: document.number.clone(),
                    type_key: convert::identity_key(document.kind).to_owned(),
                    type_code: String::new(),
                })),
                None => Err(vec![check::person_without_document()]),
            },
        }
    }

    fn interpret(report: &ProviderResult) -> Result<Verdict, Faults> {
        Ok(interpret::interpret(report))
    }
}

einvoice_plugin::samples!(XxTemplate, "golden": "person", "company", "credit_note");

einvoice_plugin::export!(XxTemplate with sandbox, samples, evidence, panic_text);
