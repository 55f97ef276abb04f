//! What the tests of this crate make requests of.

use crate::request::Issuer;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{Acceptance, Address, Invoice, InvoiceNumber, NumberPattern, State, Totals};
use gateway_domain::regime::{
    Choice, ExemptionName, PrintingDescription, RegimeDescription, RegimeDocumentKind, Rounding, Supplier,
};
use gateway_domain::workspace::{Printing, RejectionStrategy, Workspace};
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use serde_json::{Value, json};
use std::sync::Arc;

pub(crate) fn regime() -> RegimeDescription {
    RegimeDescription {
        key: "es-verifactu".parse().unwrap(),
        title: "Spain".to_owned(),
        country: "ES".to_owned(),
        tax_system: "VERI*FACTU".to_owned(),
        version: "1.0.0".to_owned(),
        kinds: vec![RegimeDocumentKind::Invoice],
        categories: Vec::new(),
        exemptions: vec![Choice {
            key: "article_20".to_owned(),
            title: "Exempt, article 20: rent of dwellings".to_owned(),
        }],
        retentions: Vec::new(),
        rounding: Rounding::Precise,
        settings_schema: json!({}),
        required_workspace_fields: Vec::new(),
        ext: Vec::new(),
    }
}

pub(crate) fn printing() -> PrintingDescription {
    let article_20 = ExemptionName {
        name: "Exenta por el artículo 20 de la Ley del Impuesto".to_owned(),
        short_name: "Exenta, art.\u{a0}20".to_owned(),
    };
    PrintingDescription {
        locale: "es".to_owned(),
        tax_id_label: "NIF".to_owned(),
        tax_names: [("VAT".to_owned(), "IVA".to_owned())].into(),
        exemption_names: [("article_20".to_owned(), article_20)].into(),
        qr_caption: Some("QR tributario:".to_owned()),
        qr_side_mm: 35,
        legend: vec!["VERI*FACTU".to_owned()],
    }
}

fn workspace() -> Workspace {
    let text = |text: &str| Some(text.to_owned());
    let address = Address {
        street: text("Carrer de la Pau, 12, 3.º"),
        locality: text("València"),
        region: None,
        postcode: text("46002"),
        country: text("ES"),
    };
    Workspace {
        id: WorkspaceId(1),
        name: "Levante".to_owned(),
        supplier: Supplier {
            legal_name: "Apartamentos Levante S.L.".to_owned(),
            tax_id: "B98602642".to_owned(),
            country: "ES".to_owned(),
            address: Some(address),
            email: text("facturas@levante.example"),
        },
        time_zone: TimeZone::get("Europe/Madrid").unwrap(),
        invoice_pattern: NumberPattern::default_invoice(),
        credit_pattern: NumberPattern::default_credit(),
        rejection_strategy: RejectionStrategy::A,
    }
}

/// In Spain, with names for everything.
pub(crate) fn issuer() -> Issuer {
    let regime = Some((Arc::new(regime()), Some(Arc::new(printing()))));
    Issuer::new(workspace(), Printing::default(), regime)
}

/// Everything that a document says, as a client sends it.
pub(crate) fn form() -> Value {
    json!({
        "workspace_id": 1, "document_type": "invoice", "currency": "EUR", "prices_include_tax": false,
        "issue_date": "2026-07-27", "operation_date": "2026-07-20",
        "recipient": {"type": "company", "name": "Żółta Łódź Podróże Sp. z o.o.", "tax_number": "PL5260250274", "country": "PL",
            "address": {"street": "ul. Świętokrzyska 14", "locality": "Warszawa", "postcode": "00-050", "country": "PL"},
            "email": "ksiegowosc@lodz.example"},
        "lines": [
            {"description": "Plaza de aparcamiento", "quantity": "1", "unit_price": "60.00",
                "period": {"start": "2026-07-01", "end": "2026-07-31"}, "tax": {"category": "VAT", "rate": "21.0"}},
            {"description": "Alquiler de la vivienda «La Ñora»", "quantity": "1", "unit_price": "850.00",
                "period": {"start": "2026-07-01", "end": "2026-07-31"}, "tax": {"category": "VAT", "exemption": "article_20"}},
            {"description": "Sábanas", "quantity": "2.5", "unit_price": "4.125",
                "tax": {"category": "VAT", "rate": "21.0"}}
        ],
        "retentions": [{"category": "IRPF", "rate": "19.0"}],
        "notes": "Con la luz y el agua.",
        "payment": {"due_date": "2026-08-26", "note": "Transferencia a ES91 2100 0418 4502 0005 1332."}
    })
}

/// The document of a form, accepted by the authority with this address and hash.
pub(crate) fn issued(form: Value, qr_url: &str, hash: &str) -> Invoice {
    let form: DocumentForm = serde_json::from_value(form).unwrap();
    let content = form.check(TaxCheck::Syntax).unwrap();
    let at: Timestamp = "2026-07-27T09:00:00Z".parse().unwrap();
    let acceptance = Acceptance {
        qr_url: Some(qr_url.to_owned()),
        tax_system_hash: Some(hash.to_owned()),
        accepted_at: at,
        warnings: Vec::new(),
        sandbox: false,
    };
    Invoice {
        id: "01985000-0000-7000-8000-000000000001".parse().unwrap(),
        workspace: WorkspaceId(1),
        totals: Totals::of(&content).unwrap(),
        content,
        state: State::Issued {
            number: InvoiceNumber("F-2026-000017".to_owned()),
            at,
            acceptance: Some(acceptance),
            imported: None,
        },
        send_to_tax_authority: true,
        version: 3,
        created_at: at,
        updated_at: at,
    }
}
