//! A plugin as it was written against the first release of the contract: nothing but `wit/v1` as it was frozen, and no
//! SDK that learned anything since.

#![cfg(target_family = "wasm")]
#![expect(unsafe_code, reason = "generated glue")]

einvoice_plugin::wit_bindgen::generate!({
    world: "tax-regime",
    path: "../../../wit/v1",
    generate_unused_types: true,
    runtime_path: "::einvoice_plugin::wit_bindgen::rt",
});

use einvoicing::regime::types::{
    Amount, CategoryChoice, Context, Description, Document, DocumentKind, Fault, Identity, Invoice,
    OtherIdentity, ProviderResult, Recipient, Rounding, Severity, Verdict,
};

struct FirstRelease;

impl exports::einvoicing::regime::regime::Guest for FirstRelease {
    fn describe() -> Description {
        Description {
            key: "xx-first".to_owned(),
            title: "The first release".to_owned(),
            country: "XX".to_owned(),
            tax_system: "FIRST".to_owned(),
            version: "1.0.0".to_owned(),
            kinds: vec![DocumentKind::Invoice],
            categories: vec![CategoryChoice {
                key: "VAT".to_owned(),
                title: "Value added tax".to_owned(),
                rates: Vec::new(),
            }],
            exemptions: Vec::new(),
            retentions: Vec::new(),
            rounding: Rounding::Precise,
            settings_schema: r#"{"type":"object"}"#.to_owned(),
            required_workspace_fields: Vec::new(),
            ext: Vec::new(),
        }
    }

    fn check(invoice: Invoice, _: Context) -> Vec<Fault> {
        if invoice.recipient.is_some() {
            return Vec::new();
        }
        vec![Fault {
            code: "XX-FIRST-01".to_owned(),
            path: "/recipient".to_owned(),
            message: "Name a recipient.".to_owned(),
            severity: Severity::Error,
        }]
    }

    fn convert(invoice: Invoice, context: Context) -> Result<Document, Vec<Fault>> {
        let Amount { units, scale } = invoice.totals.payable;
        let (lines, today) = (invoice.lines.len(), context.today);
        Ok(Document {
            media_type: "application/json".to_owned(),
            body: format!(r#"{{"units":{units},"scale":{scale},"lines":{lines},"today":"{today}"}}"#),
            payable: invoice.totals.payable,
        })
    }

    fn map_identity(recipient: Recipient) -> Result<Identity, Vec<Fault>> {
        let (Recipient::Individual(einvoicing::regime::types::Individual { name: code, .. })
        | Recipient::Company(einvoicing::regime::types::Company { name: code, .. })) = recipient;
        let (type_key, type_code) = ("first".to_owned(), "01".to_owned());
        Ok(Identity::Other(OtherIdentity { country: "XX".to_owned(), code, type_key, type_code }))
    }

    fn interpret(outcome: ProviderResult) -> Result<Verdict, Vec<Fault>> {
        Ok(Verdict::Undecided(format!("{} stamps", outcome.stamps.len())))
    }
}

export!(FirstRelease);
