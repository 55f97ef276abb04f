//! What integrators follow instead of asking for everything again: units, prices, nights, people and messages.

use crate::changes::{lines, recorded, summary};
use crate::world::{World, here, id, import, sampled, seeing};
use gateway_domain::access::{Client, Workspaces};
use gateway_domain::ids::{ClientId, ConversationId, ProductGroupId, RatePlanId, UnitId};
use gateway_domain_events::EventSelection;
use gateway_domain_platform::pricing::{NewTariff, RatePlanChange};
use gateway_platform::NewRate;
use gateway_storage::clients;
use gateway_storage::events::feed;
use jiff::civil::date;
use serde_json::{Value, json};

const W: i64 = 7;

fn u(n: u64) -> ProductGroupId {
    id(9, n)
}

/// What was recorded since the last `known` events: type, workspace and data.
async fn since(world: &World, known: usize) -> Vec<(String, i64, Value)> {
    let fresh = recorded(world).await.into_iter().skip(known);
    fresh.map(|event| (event.kind.clone(), event.workspace.0, summary(&event).2)).collect()
}

fn booking(n: u64, status: &str, nights: (&str, &str)) -> Value {
    json!({"kind": "booking", "id": u(n), "workspace_id": W, "unit_id": u(4), "confirmation_code": format!("C{n}"),
        "status": status, "check_in": nights.0, "check_out": nights.1})
}

fn range(start_date: &str, end_date: &str) -> Value {
    json!({"start_date": start_date, "end_date": end_date})
}

#[tokio::test]
async fn nights_that_bookings_take_or_free_are_told_once_for_a_unit_as_ranges() {
    for world in here().await {
        import(&world, &lines()[..4]).await;
        let nights = async |lines: &[Value]| {
            let known = recorded(&world).await.len();
            import(&world, lines).await;
            let notifications = since(&world, known).await.into_iter();
            let nights: Vec<Value> = notifications
                .filter(|(kind, ..)| kind == "AvailabilityChanged")
                .map(|(_, workspace, data)| {
                    assert_eq!((workspace, &data["unit_id"], &data["id"]), (W, &json!(u(4)), &json!(u(4))));
                    data["date_ranges"].clone()
                })
                .collect();
            nights
        };
        let stays = [
            booking(20, "CONFIRMED", ("2026-12-05", "2026-12-08")),
            booking(21, "PENDING", ("2026-12-01", "2026-12-05")),
            booking(22, "CONFIRMED", ("2026-12-20", "2026-12-21")),
            booking(23, "ENQUIRY", ("2027-01-01", "2027-02-01")),
        ];
        assert_eq!(
            nights(&stays).await,
            [json!([range("2026-12-01", "2026-12-07"), range("2026-12-20", "2026-12-20")])]
        );
        assert_eq!(nights(&stays).await, [] as [Value; 0], "nothing changed");
        let confirmed = booking(21, "CONFIRMED", ("2026-12-01", "2026-12-05"));
        assert_eq!(nights(&[confirmed]).await, [] as [Value; 0], "its nights were taken already");
        let freed = [
            booking(21, "CANCELLED", ("2026-12-01", "2026-12-05")),
            booking(24, "CONFIRMED", ("2026-12-03", "2026-12-05")),
        ];
        assert_eq!(nights(&freed).await, [json!([range("2026-12-01", "2026-12-02")])], "two are sold again");
        let refused = booking(25, "CONFIRMED", ("2026-12-04", "2026-12-06"));
        assert_eq!(nights(&[refused]).await, [] as [Value; 0], "a line that was passed over");
    }
}

#[tokio::test]
async fn an_import_tells_of_a_rate_plan_once_for_all_its_tariffs() {
    for world in here().await {
        import(&world, &lines()[..4]).await;
        let tariff = |n: u64, plan: u64, first: &str, last: &str| {
            json!({"kind": "tariff", "id": u(n), "rate_plan_id": u(plan), "start_date": first, "end_date": last,
                "price": "80.00"})
        };
        let plan = |n: u64| json!({"kind": "rate_plan", "id": u(n), "workspace_id": W, "unit_id": u(4), "name": "P", "currency": "EUR"});
        let mut lines = vec![
            plan(30),
            plan(31),
            tariff(32, 30, "2026-12-01", "2026-12-31"),
            tariff(33, 30, "2027-01-01", "2027-01-31"),
        ];
        let notified = |n: u64, change: &str| {
            ("RatePlanChanged".to_owned(), W, json!({"id": u(n), "change": change, "unit_id": u(4)}))
        };
        let known = recorded(&world).await.len();
        import(&world, &lines).await;
        assert_eq!(since(&world, known).await, [notified(30, "created"), notified(31, "created")]);
        import(&world, &lines).await;
        assert_eq!(recorded(&world).await.len(), known + 2, "nothing changed");
        // A tariff that moves is a change of both plans.
        lines[3]["rate_plan_id"] = json!(u(31));
        import(&world, &lines).await;
        assert_eq!(since(&world, known + 2).await, [notified(30, "updated"), notified(31, "updated")]);
    }
}

#[tokio::test]
async fn prices_that_are_written_tell_of_their_rate_plans_and_refused_ones_of_nothing() {
    for world in sampled().await {
        let (platform, acting) = (&world.platform, seeing(&[1]));
        let (one, two): (RatePlanId, RatePlanId) = (id(0xa, 0), id(0xa, 1));
        let price = |rate_plan| NewTariff {
            rate_plan,
            start_date: date(2026, 12, 1),
            end_date: date(2026, 12, 31),
            price: "99.00".parse().unwrap(),
            min_stay: None,
        };
        let mut known = recorded(&world).await.len();
        let notified = async |known: &mut usize| {
            let fresh = since(&world, *known).await;
            *known += fresh.len();
            assert!(fresh.iter().all(|(kind, workspace, _)| kind == "RatePlanChanged" && *workspace == 1));
            fresh
                .into_iter()
                .map(|(.., data)| (data["id"].clone(), data["change"].clone()))
                .collect::<Vec<_>>()
        };
        platform.pricing.write_tariffs(&acting, &[price(two), price(one), price(one)]).await.unwrap();
        let updated = |plan: RatePlanId| (json!(plan), json!("updated"));
        assert_eq!(notified(&mut known).await, [updated(one), updated(two)]);
        platform.pricing.write_tariffs(&acting, &[price(one), price(id(0xa, 999_999))]).await.unwrap_err();
        platform.pricing.write_tariffs(&seeing(&[2]), &[price(one)]).await.unwrap_err();
        assert_eq!(notified(&mut known).await, []);
        let min_stay = |id, nights| RatePlanChange { id, min_stay: Some(nights), name: None, currency: None };
        platform.pricing.update_rate_plans(&acting, &[min_stay(two, 9), min_stay(one, 9)]).await.unwrap();
        assert_eq!(notified(&mut known).await, [updated(two), updated(one)]);
        platform.pricing.update_rate_plans(&acting, &[min_stay(one, 9)]).await.unwrap();
        assert_eq!(notified(&mut known).await, [], "it is so already");
        let mut line = json!({"kind": "unit", "id": u(40), "workspace_id": 1, "code": "New"});
        let unit = platform.spaces.units_by_ids(&acting, &[id::<UnitId>(6, 0)]).await.unwrap();
        line["unit_type_id"] = json!(unit.values().next().unwrap().unit_type);
        import(&world, &[line]).await;
        known = recorded(&world).await.len();
        let rate = NewRate {
            start_date: date(2026, 12, 1),
            end_date: date(2026, 12, 31),
            min_stay: None,
            price: "70.00".parse().unwrap(),
        };
        let client = Client {
            id: ClientId(u(41).0),
            name: "older".to_owned(),
            permissions: Vec::new(),
            workspaces: Workspaces::All,
            disabled: false,
        };
        let mut tx = world.db.db().begin().await.unwrap();
        clients::insert(&mut tx, &client, world.now()).await.unwrap();
        tx.commit().await.unwrap();
        let written =
            platform.pricing.write_rates(&acting, client.id, u(40).0.into(), &[rate]).await.unwrap();
        assert_eq!(notified(&mut known).await, [(json!(written.plan.id), json!("created"))], "one event");
    }
}

#[tokio::test]
async fn a_user_is_told_to_each_workspace_that_sees_a_difference_and_to_no_other() {
    for world in here().await {
        let workspace = |n: i64| json!({"kind": "workspace", "id": n, "name": format!("W{n}")});
        let user = |roles: Value| json!({"kind": "user", "id": u(50), "email": "ana@example.com", "name": "Ana", "role_bindings": roles});
        let role = |n: i64, role: &str| json!({"workspace_id": n, "roles": [role]});
        import(&world, &[workspace(7), workspace(8), workspace(9)]).await;
        let lines = [user(json!([role(7, "host"), role(8, "host")]))];
        import(&world, &lines).await;
        let notified = |workspace: i64, change: &str, status: Value| {
            let data = json!({"id": u(50), "change": change, "status": status});
            ("UserChanged".to_owned(), workspace, data)
        };
        let active = || json!("ACTIVE");
        assert_eq!(
            since(&world, 0).await,
            [notified(7, "created", active()), notified(8, "created", active())]
        );
        import(&world, &lines).await;
        assert_eq!(recorded(&world).await.len(), 2, "nothing changed");
        import(&world, &[user(json!([role(7, "host"), role(9, "host")]))]).await;
        assert_eq!(
            since(&world, 2).await,
            [notified(8, "removed", Value::Null), notified(9, "created", active())]
        );
        let only = Workspaces::Only([W].into_iter().map(gateway_domain::ids::WorkspaceId).collect());
        let listed = feed(world.db.db(), &only, EventSelection::All, 0, 100).await.unwrap();
        assert_eq!(listed.len(), 1, "what happens elsewhere is not theirs to see");
    }
}

#[tokio::test]
async fn a_message_is_told_when_it_is_written_without_its_text() {
    for world in here().await {
        import(&world, &lines()[..5]).await;
        let known = recorded(&world).await.len();
        let acting = seeing(&[W]);
        let written = world
            .platform
            .conversations
            .write_about_booking(&acting, u(5).0.into(), "Where is the key?", None, "api")
            .await
            .unwrap();
        let conversation = written.conversation;
        let next = world
            .platform
            .conversations
            .send_message(&acting, conversation, "Found it.", None, "api")
            .await
            .unwrap();
        let refused = world
            .platform
            .conversations
            .send_message(&acting, ConversationId(u(1).0), "x", None, "api")
            .await;
        refused.unwrap_err();
        let mut imported = json!({"kind": "message", "id": u(60), "conversation_id": conversation, "body": "Thanks!",
            "sent_at": "2026-11-20T10:00:00Z"});
        import(&world, &[&imported]).await;
        let notified = |id: Value| {
            let data =
                json!({"id": id, "change": "created", "conversation_id": conversation, "booking_id": u(5)});
            ("MessageCreated".to_owned(), W, data)
        };
        let all = [notified(json!(written.id)), notified(json!(next.id)), notified(json!(u(60)))];
        assert_eq!(since(&world, known).await, all);
        imported["body"] = json!("Thank you!");
        import(&world, &[&imported]).await;
        assert_eq!(since(&world, known).await, all, "a message that is edited was written before");
    }
}

#[tokio::test]
async fn a_unit_tells_of_each_import_that_edits_it() {
    for world in here().await {
        let mut lines = lines();
        import(&world, &lines[..4]).await;
        lines[3]["status"] = json!("inactive");
        import(&world, &lines[..4]).await;
        import(&world, &lines[..4]).await;
        let notifications: Vec<_> = since(&world, 0)
            .await
            .into_iter()
            .map(|(kind, _, data)| (kind, data["status"].clone()))
            .collect();
        let unit = |status: &str| ("UnitChanged".to_owned(), json!(status));
        assert_eq!(notifications, [unit("ACTIVE"), unit("INACTIVE")]);
    }
}
