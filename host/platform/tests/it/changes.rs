//! Changes of the platform's data are events, for whoever is told of changes.

use crate::world::{World, here, id, import, seeing};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::ProductGroupId;
use gateway_domain_events::{EventSelection, StoredEvent};
use gateway_domain_platform::catalog::{ActivationState, ProductGroupForm};
use gateway_storage::events;
use serde_json::{Value, json};

const W: i64 = 7;

pub(crate) async fn recorded(world: &World) -> Vec<StoredEvent> {
    world.relayed().await;
    let all = events::feed(world.db.db(), &Workspaces::All, EventSelection::All, 0, 100_000).await.unwrap();
    all.into_iter().filter(|event| event.source == "/platform").collect()
}

pub(crate) fn summary(event: &StoredEvent) -> (String, i64, Value) {
    (event.kind.clone(), event.sequence, serde_json::from_str(&event.data).unwrap())
}

pub(crate) fn lines() -> Vec<Value> {
    let u = |n: u64| id::<ProductGroupId>(9, n);
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
async fn an_import_tells_only_of_what_changed() {
    for world in here().await {
        let u = |n: u64| id::<ProductGroupId>(9, n);
        let mut lines = lines();
        import(&world, &lines).await;
        let first: Vec<_> = recorded(&world).await.iter().map(summary).collect();
        assert_eq!(
            first,
            [
                (
                    "UnitChanged".to_owned(),
                    1,
                    json!({"id": u(4), "change": "created", "code": "1A", "status": "ACTIVE", "unit_type_id": u(2)})
                ),
                (
                    "BookingChanged".to_owned(),
                    1,
                    json!({"id": u(5), "change": "created", "status": "CONFIRMED",
                    "confirmation_code": "C5", "unit_id": u(4)})
                ),
                (
                    "TaskChanged".to_owned(),
                    1,
                    json!({"id": u(6), "change": "created", "unit_id": null, "booking_id": u(5)})
                ),
                (
                    "AvailabilityChanged".to_owned(),
                    2,
                    json!({"id": u(4), "change": "updated", "unit_id": u(4),
                        "date_ranges": [{"start_date": "2026-12-01", "end_date": "2026-12-04"}]})
                ),
            ]
        );
        import(&world, &lines).await;
        assert_eq!(recorded(&world).await.len(), 4, "nothing changed");
        lines[4]["vetting_status"] = json!("PENDING");
        // The same booking twice in one batch: it is told in the order of the lines.
        let mut again = lines[4].clone();
        again["status"] = json!("CHECKED_IN");
        lines.push(again);
        import(&world, &lines).await;
        let later = recorded(&world).await;
        assert!(later.iter().all(|event| event.workspace.0 == W && event.actor.name() == "operator"));
        let later: Vec<_> = later.iter().skip(4).map(summary).collect();
        let kinds: Vec<_> = later.iter().map(|(kind, sequence, _)| (kind.as_str(), *sequence)).collect();
        assert_eq!(
            kinds,
            [("BookingChanged", 2), ("GuestVerificationChanged", 3), ("BookingChanged", 4)],
            "{later:?}"
        );
        assert_eq!(
            later[1].2,
            json!({"id": u(5), "change": "updated", "booking_id": u(5), "guest_verification": {"status": "PENDING"}})
        );
        assert_eq!(later[2].2["status"], "CHECKED_IN");
    }
}

#[tokio::test]
async fn a_product_group_tells_of_each_change_and_of_no_refused_one() {
    for world in here().await {
        import(&world, &lines()[..1]).await;
        let acting = seeing(&[W]);
        let mut form: Value = json!({"workspace_id": W, "internal_reference": "A",
            "contract_earliest_start_date": "2026-09-01", "contract_latest_start_date": "2026-10-01",
            "contract_earliest_end_date": "2027-06-01", "contract_latest_end_date": "2027-08-31"});
        let made: ProductGroupForm = serde_json::from_value(form.clone()).unwrap();
        let group = world.platform.catalog.create_product_group(&acting, made).await.unwrap().value;
        form["workspace_id"] = json!(99);
        let foreign: ProductGroupForm = serde_json::from_value(form).unwrap();
        world.platform.catalog.create_product_group(&acting, foreign).await.unwrap_err();
        for _ in 0..2 {
            world
                .platform
                .catalog
                .set_product_groups_state(&acting, &[group.id], ActivationState::Active)
                .await
                .unwrap();
        }
        let recorded = recorded(&world).await;
        let summary: Vec<_> = recorded.iter().map(|event| summary(event).2).collect();
        assert_eq!(
            summary,
            [
                json!({"id": group.id, "change": "created", "internal_reference": "A", "state": "INACTIVE"}),
                json!({"id": group.id, "change": "updated", "internal_reference": "A", "state": "ACTIVE"}),
            ]
        );
        assert!(recorded.iter().all(|event| event.subject == group.id.0 && event.actor.name() == "jane"));
    }
}
