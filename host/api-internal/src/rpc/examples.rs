//! Documents as they may be sent.

use gateway_domain::invoicing::{
    AddressForm, CompanyForm, DocumentForm, IdentityForm, IndividualForm, LineForm, RecipientForm,
    RetentionForm, TaxForm,
};
use serde_json::Value;

#[expect(clippy::unnecessary_wraps, reason = "members of forms may be left out")]
fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// For an individual.
pub(super) fn individual() -> Value {
    let identity = IdentityForm { kind: text("passport"), number: text("123456789"), country: text("GB") };
    let address = AddressForm {
        street: text("1 High St"),
        locality: text("Leeds"),
        postcode: text("LS1 1AA"),
        country: text("GB"),
        ..AddressForm::default()
    };
    let recipient = IndividualForm {
        name: "Jane Roe".to_owned(),
        identity_document: Some(identity),
        address: Some(address),
        ..IndividualForm::default()
    };
    sent(&DocumentForm {
        recipient: Some(recipient.into()),
        lines: Some(vec![
            line("Studio, 3 nights", ("3", "89.90"), "10.0"),
            line("Loyalty", ("1", "-10.00"), "10.0"),
        ]),
        ..invoice(true)
    })
}

/// For a Spanish company, with a retention.
pub(super) fn company() -> Value {
    let recipient = CompanyForm {
        name: "Casa Azul S.L.".to_owned(),
        tax_number: text("B98602642"),
        country: text("ES"),
        ..CompanyForm::default()
    };
    sent(&DocumentForm {
        recipient: Some(RecipientForm::from(recipient)),
        lines: Some(vec![line("Rent of an office", ("1", "500.00"), "21.0")]),
        retentions: Some(vec![RetentionForm { category: text("IRPF"), rate: text("15.0") }]),
        ..invoice(false)
    })
}

fn invoice(prices_include_tax: bool) -> DocumentForm {
    DocumentForm {
        workspace_id: Some(1),
        document_type: text("invoice"),
        currency: text("EUR"),
        issue_date: text("2026-11-20"),
        prices_include_tax: Some(prices_include_tax),
        ..DocumentForm::default()
    }
}

fn line(description: &str, (quantity, unit_price): (&str, &str), rate: &str) -> LineForm {
    LineForm {
        description: text(description),
        quantity: text(quantity),
        unit_price: text(unit_price),
        tax: Some(TaxForm { category: text("VAT"), rate: text(rate), ..TaxForm::default() }),
        ..LineForm::default()
    }
}

/// Without the members that say nothing.
fn sent(form: &DocumentForm) -> Value {
    let mut sent = serde_json::to_value(form).unwrap_or_default();
    leave_out_nulls(&mut sent);
    sent
}

fn leave_out_nulls(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|_, member| !member.is_null());
            members.values_mut().for_each(leave_out_nulls);
        }
        Value::Array(items) => items.iter_mut().for_each(leave_out_nulls),
        _ => {}
    }
}
