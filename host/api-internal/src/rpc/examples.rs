//! Documents as they may be sent and shown, and an event.

use gateway_domain::access::Actor;
use gateway_domain::ids::{EventId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Invoice, State, Totals};
use gateway_domain_events::StoredEvent;
use gateway_domain_input::document::{
    AddressForm, CompanyForm, DocumentForm, IdentityForm, IndividualForm, LineForm, RecipientForm,
    RetentionForm, TaxCheck, TaxForm,
};
use gateway_events::{CloudEvent, Source};
use gateway_http::openapi::to_json;
use gateway_invoicing::DocumentView;
use jiff::Timestamp;
use serde_json::Value;
use uuid::{Uuid, uuid};

const DOCUMENT: Uuid = uuid!("0197f4f2-0000-7000-8000-000000000001");
const EVENT: Uuid = uuid!("0197f4f2-0000-7000-8000-0000000000f1");

#[expect(clippy::unnecessary_wraps, reason = "members of forms may be left out")]
fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

/// For an individual.
pub(super) fn individual() -> Value {
    sent(&for_an_individual())
}

fn for_an_individual() -> DocumentForm {
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
    DocumentForm {
        recipient: Some(recipient.into()),
        lines: Some(vec![
            line("Studio, 3 nights", ("3", "89.90"), "10.0"),
            line("Loyalty", ("1", "-10.00"), "10.0"),
        ]),
        ..invoice(true)
    }
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

/// The document that [`individual`] makes; none if the rules refused it.
pub(crate) fn document() -> Option<Value> {
    let content = for_an_individual().check(TaxCheck::Syntax).ok()?;
    let totals = Totals::of(&content).ok()?;
    let at: Timestamp = "2026-11-20T09:00:00Z".parse().ok()?;
    let invoice = Invoice {
        id: InvoiceId(DOCUMENT),
        workspace: WorkspaceId(1),
        content,
        totals,
        state: State::Draft,
        send_to_tax_authority: false,
        version: 1,
        created_at: at,
        updated_at: at,
    };
    Some(to_json(&DocumentView::from(&invoice)))
}

/// An event as it is told.
pub(crate) fn event() -> Option<Value> {
    let event = StoredEvent {
        position: None,
        id: EventId(EVENT),
        source: Source::Invoicing.as_str().to_owned(),
        workspace: WorkspaceId(1),
        subject: DOCUMENT,
        sequence: 2,
        kind: "Issued".to_owned(),
        time: "2026-11-20T09:00:00Z".parse().ok()?,
        actor: Actor::gateway(),
        data: format!(r#"{{"uuid":"{DOCUMENT}","status":"issued"}}"#),
        traceparent: None,
    };
    Some(to_json(&CloudEvent::try_from(&event).ok()?))
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
    let mut sent = to_json(form);
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
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
