//! What an import announces of units and users because something that they show changed.

use crate::changes::{lines, recorded, summary};
use crate::world::{World, here, id, import};
use gateway_domain::ids::ProductGroupId;
use serde_json::{Value, json};

const W: i64 = 7;

fn u(n: u64) -> ProductGroupId {
    id(9, n)
}

fn unit(n: u64, unit_type: u64, amenities: &[u64]) -> Value {
    let amenities: Vec<_> = amenities.iter().map(|n| u(*n)).collect();
    json!({"kind": "unit", "id": u(n), "workspace_id": W, "unit_type_id": u(unit_type), "code": format!("{n}A"),
        "amenity_ids": amenities})
}

fn unit_type(n: u64, code: &str) -> Value {
    json!({"kind": "unit_type", "id": u(n), "workspace_id": W, "building_id": u(1), "code": code})
}

fn named(kind: &str, n: u64, name: &str) -> Value {
    json!({"kind": kind, "id": u(n), "name": name})
}

fn building(name: &str) -> Value {
    json!({"kind": "building", "id": u(1), "workspace_id": W, "name": name, "address": {"locality": "Madrid"}})
}

/// A building with two kinds of unit: 40 and 41 are of the first, 42 of the second; 41 and 42 have an amenity.
async fn house(world: &World) {
    let mut house = lines()[..3].to_vec();
    house.extend([unit_type(20, "L"), named("amenity", 30, "Wi-Fi"), named("amenity", 31, "Pool")]);
    house.extend([unit(40, 2, &[]), unit(41, 2, &[30]), unit(42, 20, &[30])]);
    let (_, refused) = import(world, &house).await;
    assert!(refused.is_empty(), "{refused:?}");
}

/// What an import of these lines announces of things of a kind: their ids and how they changed, in the order of the ids.
async fn announced(world: &World, kind: &str, lines: &[Value]) -> Vec<(Value, Value)> {
    let known = recorded(world).await.len();
    let (_, refused) = import(world, lines).await;
    assert!(refused.is_empty(), "{refused:?}");
    let fresh = recorded(world).await.into_iter().skip(known);
    let mut fresh: Vec<_> = fresh
        .filter(|event| event.kind == kind)
        .map(|event| {
            let (_, _, data) = summary(&event);
            (data["id"].clone(), data["change"].clone())
        })
        .collect();
    fresh.sort_by_key(|(id, _)| id.to_string());
    fresh
}

fn updated(n: u64) -> (Value, Value) {
    (json!(u(n)), json!("updated"))
}

#[tokio::test]
async fn units_are_announced_when_their_building_type_or_amenity_changes() {
    for world in here().await {
        house(&world).await;
        let units = async |lines: &[Value]| announced(&world, "UnitChanged", lines).await;
        assert_eq!(units(&[building("Gran Vía")]).await, [updated(40), updated(41), updated(42)]);
        assert_eq!(units(&[building("Gran Vía")]).await, [], "nothing changed");
        assert_eq!(units(&[unit_type(2, "M")]).await, [updated(40), updated(41)]);
        assert_eq!(units(&[named("amenity", 30, "Internet")]).await, [updated(41), updated(42)]);
        assert_eq!(units(&[named("amenity", 31, "Swimming pool")]).await, [], "no unit has it");
    }
}

#[tokio::test]
async fn a_unit_is_announced_once_for_everything_that_an_import_does_to_it() {
    for world in here().await {
        house(&world).await;
        let units = async |lines: &[Value]| announced(&world, "UnitChanged", lines).await;
        let lines = [
            building("Sol"),
            unit_type(2, "N"),
            named("amenity", 30, "LAN"),
            unit(41, 2, &[]),
            unit(41, 2, &[30, 31]),
            unit(43, 2, &[30]),
        ];
        let created = (json!(u(43)), json!("created"));
        assert_eq!(units(&lines).await, [updated(40), updated(41), updated(42), created]);
        let and_back = [building("Ópera"), building("Sol"), unit(40, 2, &[31]), unit(40, 2, &[])];
        assert_eq!(units(&and_back).await, [], "all is as it was before");
    }
}

#[tokio::test]
async fn a_unit_that_an_amenity_of_every_workspace_changes_is_announced_in_its_own() {
    for world in here().await {
        house(&world).await;
        let other = [
            json!({"kind": "workspace", "id": 8, "name": "Casa Verde"}),
            json!({"kind": "building", "id": u(50), "workspace_id": 8, "name": "Mar"}),
            json!({"kind": "unit_type", "id": u(51), "workspace_id": 8, "building_id": u(50), "code": "S"}),
            json!({"kind": "unit", "id": u(52), "workspace_id": 8, "unit_type_id": u(51), "code": "1", "amenity_ids": [u(30)]}),
        ];
        import(&world, &other).await;
        let known = recorded(&world).await.len();
        import(&world, &[named("amenity", 30, "Internet")]).await;
        let fresh = recorded(&world).await.into_iter().skip(known);
        let mut units: Vec<_> = fresh.map(|event| (event.workspace.0, event.subject)).collect();
        units.sort();
        assert_eq!(units, [(W, u(41).0), (W, u(42).0), (8, u(52).0)]);
    }
}

#[tokio::test]
async fn the_members_of_a_team_are_announced_when_it_is_renamed() {
    for world in here().await {
        let user = |n: u64, teams: &[u64]| {
            let teams: Vec<_> = teams.iter().map(|n| u(*n)).collect();
            json!({"kind": "user", "id": u(n), "email": format!("{n}@example.com"), "team_ids": teams,
                "role_bindings": [{"workspace_id": W, "roles": ["host"]}, {"workspace_id": 8, "roles": ["host"]}]})
        };
        let mut lines = vec![
            json!({"kind": "workspace", "id": W, "name": "Casa Roja"}),
            json!({"kind": "workspace", "id": 8, "name": "Casa Verde"}),
        ];
        lines.extend([named("team", 60, "Cleaning"), named("team", 61, "Desk")]);
        lines.extend([user(70, &[60, 61]), user(71, &[60]), user(72, &[])]);
        import(&world, &lines).await;
        let users = async |lines: &[Value]| announced(&world, "UserChanged", lines).await;
        let both = [updated(70), updated(70), updated(71), updated(71)];
        assert_eq!(users(&[named("team", 60, "Rooms")]).await, both, "once in each workspace");
        assert_eq!(users(&[named("team", 60, "Rooms")]).await, [], "nothing changed");
        let lines =
            [named("team", 60, "Floors"), named("team", 61, "Front"), user(70, &[60]), user(72, &[61])];
        let all: Vec<_> = [70, 70, 71, 71, 72, 72].map(updated).into();
        assert_eq!(users(&lines).await, all, "by the team or by a line of their own");
    }
}
