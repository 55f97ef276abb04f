//! Readers of documents see none of the changes of the platform's data.

use crate::feed::{consume, new_document_id};
use crate::world::{World, here};
use gateway_domain::access::Actor;
use gateway_domain_events::EventSelection;
use gateway_events::Round;
use gateway_platform::import::Progress;
use gateway_read_models::{BookingDocuments, FinanceDocuments};
use serde_json::{Value, json};
use std::fmt::Display;
use uuid::Uuid;

const W: i64 = 7;

/// Imports lines; says what was told of those that were passed over or odd.
pub(crate) async fn import(world: &World, lines: &[impl Display]) -> Vec<String> {
    let text: String = lines.iter().fold(String::new(), |text, line| format!("{text}{line}\n"));
    let mut refused = Vec::new();
    let operator = Actor::operator();
    let imported = world.gateway.platform().importer.import(&operator, text.as_bytes(), |progress| {
        if let Progress::Refused { line, message } | Progress::Remarked { line, message } = progress {
            refused.push(format!("{line}: {message}"));
        }
    });
    imported.await.unwrap();
    refused
}

fn lines() -> Vec<Value> {
    let u = Uuid::from_u128;
    vec![
        json!({"kind": "workspace", "id": W, "name": "Casa Roja"}),
        json!({"kind": "building", "id": u(1), "workspace_id": W, "name": "Mayor", "address": {"locality": "Madrid"}}),
        json!({"kind": "unit_type", "id": u(2), "workspace_id": W, "building_id": u(1), "code": "S"}),
        json!({"kind": "unit", "id": u(4), "workspace_id": W, "unit_type_id": u(2), "code": "1A", "status": "active"}),
        json!({"kind": "booking", "id": u(5), "workspace_id": W, "unit_id": u(4), "confirmation_code": "C5",
            "status": "CONFIRMED", "check_in": "2026-12-01", "check_out": "2026-12-05"}),
        json!({"kind": "task", "id": u(6), "workspace_id": W, "title": "Clean", "booking_id": u(5)}),
    ]
}

#[tokio::test]
async fn readers_of_documents_see_documents_only_and_get_behind_the_rest() {
    for world in here().await {
        import(&world, &lines()).await;
        let id = new_document_id();
        world.bill(id, None, "10.00").await;
        import(&world, &[json!({"kind": "task", "id": id, "workspace_id": W, "title": "Clean"})]).await;
        world.relayed().await;
        let page =
            world.gateway.events().feed(&world.acting, EventSelection::Documents, 0, 100).await.unwrap();
        assert_eq!(
            page.events.iter().map(|event| event.kind.as_str()).collect::<Vec<_>>(),
            ["DocumentSaved"]
        );
        assert_eq!(page.next, 6, "behind the last event, which is none of a document");
        let one = world.gateway.events().feed(&world.acting, EventSelection::Documents, 0, 1).await.unwrap();
        assert_eq!((one.events.len(), one.next), (1, 5));
        for consumer in [FinanceDocuments::NAME, BookingDocuments::NAME] {
            let round = consume(&world.gateway, consumer).await.unwrap();
            assert_eq!(round, Round::Done { position: 6, handled: 1 });
        }
        let rebuilt = world.gateway.consumers().rebuild_read_models().await.unwrap();
        assert!(rebuilt.iter().all(|rebuilt| (rebuilt.documents, rebuilt.events) == (1, 1)), "{rebuilt:?}");
    }
}
