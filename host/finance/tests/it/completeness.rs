//! Everything that was said of a document, and everything an authority gave for it, reaches the plugin.

use crate::world::{World, both};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{Ext, Payment, Period, Status};
use gateway_domain::ports::Ids;
use gateway_domain::regime::Stamp;
use gateway_domain_finance::CommandForm;
use gateway_storage::testing::RandomIds;
use gateway_workspaces::WorkspaceChange;
use jiff::civil::date;
use serde_json::json;

fn ext(key: &str, value: &str) -> Ext {
    Ext::from([(key.to_owned(), value.to_owned())])
}

fn stamps(of: &[(&str, &str)]) -> Vec<Stamp> {
    let stamp = |(provider, value): &(&str, &str)| Stamp {
        provider: (*provider).to_owned(),
        value: (*value).to_owned(),
    };
    of.iter().map(stamp).collect()
}

/// A draft that says everything a document can say.
async fn draft(world: &World) -> InvoiceId {
    let id = InvoiceId(RandomIds.next());
    let form = json!({"workspace_id": world.workspace, "document_type": "invoice", "currency": "EUR", "prices_include_tax": false,
        "recipient": {"type": "company", "name": "Guest", "tax_number": "B1", "country": "ES"},
        "payment": {"due_date": "2026-12-20", "note": "By transfer"}, "ext": {"regime": "05"},
        "lines": [{"description": "Night", "quantity": "2", "unit_price": "10.00", "tax": {"category": "VAT", "rate": "10.0"},
                   "period": {"start": "2026-11-18", "end": "2026-11-19"}, "ext": {"product": "services"}}]});
    let form = serde_json::from_value(form).unwrap();
    world.keeper.invoicing().save(&world.acting, id, form, None).await.unwrap();
    id
}

#[tokio::test]
async fn what_a_document_says_and_its_supplier_reach_the_regime() {
    for world in both().await {
        let email = Some("casa@example.com".to_owned());
        let change = WorkspaceChange { email, ..WorkspaceChange::default() };
        world.gateway.workspaces().set(&world.acting.actor, world.workspace, &change).await.unwrap();
        let id = draft(&world).await;
        world.issue(id).await.unwrap();
        world.work().await;

        let (invoice, context) = world.regime.converted();

        let note = Some("By transfer".to_owned());
        assert_eq!(invoice.payment, Some(Payment { due_date: Some(date(2026, 12, 20)), note }));
        assert_eq!(
            (&invoice.ext, &invoice.lines[0].ext),
            (&ext("regime", "05"), &ext("product", "services"))
        );
        let nights = Period { start: date(2026, 11, 18), end: date(2026, 11, 19) };
        assert_eq!(invoice.lines[0].period, Some(nights));
        assert_eq!(context.supplier.email.as_deref(), Some("casa@example.com"));
        assert_eq!(invoice.stamps, []);
    }
}

#[tokio::test]
async fn the_stamps_of_an_attempt_are_known_to_the_next_and_those_of_an_invoice_to_its_credit_note() {
    for world in both().await {
        world.regime.takes_credit_notes();
        let id = draft(&world).await;
        world.issue(id).await.unwrap();
        world.work().await;
        world.provider.rejects("1110", "no");
        world.provider.attaches("number", "REFUSED-1");
        world.notified(id).await;
        assert_eq!(world.document(id).await.state.status(), Status::Rejected);

        world.provider.accepts();
        world.issue(id).await.unwrap();
        world.work().await;
        assert_eq!(world.regime.converted().0.stamps, stamps(&[("number", "REFUSED-1")]));
        world.notified(id).await;

        let at = "2026-11-20T08:00:00Z".parse().unwrap();
        let note = world
            .gateway
            .command(&world.acting, id, CommandForm::Reverse { at }, None)
            .await
            .unwrap()
            .document;
        assert_eq!((&note.content.payment, &note.content.ext), (&None, &ext("regime", "05")));
        world.work().await;
        let (converted, _) = world.regime.converted();
        let given = stamps(&[("qr", "https://authority.example/v"), ("hash", "ABC")]);
        assert_eq!((converted.id, &converted.preceding[0].stamps), (note.id, &given));
        assert_eq!(converted.preceding[0].ext, ext("regime", "05"));
        assert_eq!((converted.stamps, converted.payment), (Vec::new(), None));
        assert_eq!(converted.lines[0].ext, ext("product", "services"));
    }
}
