//! Every row of the mapping that writes.

use super::client::Legacy;
use crate::platform::{Platform, UNITS, booking, conversation, id, plan, unit};
use gateway_tests::{Engine, Options, on_both};
use serde_json::{Value, json};

const STATUSES: [&str; 5] = ["UNVETTED", "PENDING", "NEEDS_REVIEW", "APPROVED", "FAILED"];

fn rate(start: &str, end: &str, price: &str) -> Value {
    json!({"start_date": start, "end_date": end, "min_night_stay": 3, "price": price})
}

fn rates(n: usize) -> String {
    format!("/properties/{}/rates", unit(n))
}

#[tokio::test]
async fn rates_are_tariffs_that_the_calendar_and_the_successor_show() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let legacy = Legacy::on(&platform).await;
        let sent =
            json!([rate("2026-12-10", "2026-12-11", "89.90"), rate("2026-12-20", "2026-12-20", "120.00")]);
        let written = legacy.post(&rates(0), &sent).await.expect(200);
        let tariffs: Vec<String> = written["tariffs"]
            .as_array()
            .unwrap()
            .iter()
            .map(|tariff| {
                let text = |name: &str| tariff[name].as_str().unwrap().to_owned();
                assert!(
                    tariff["id"].is_string()
                        && tariff["rate_plan"]["id"] == plan(0)
                        && tariff["min_night_stay"] == 3
                );
                [text("start_date"), text("end_date"), text("price"), text("currency")].join(" ")
            })
            .collect();
        assert_eq!(tariffs, ["2026-12-10 2026-12-11 89.90 EUR", "2026-12-20 2026-12-20 120.00 EUR"]);
        let calendar = format!("/properties/{}/calendar?start_date=2026-12-09&end_date=2026-12-12", unit(0));
        let nights = legacy.list(&calendar).await;
        let night = |n: usize| (nights[n]["min_night_stay"].clone(), nights[n]["price"].clone());
        assert_eq!([night(0), night(3)], [(json!(2), json!("80.00")), (json!(2), json!("80.00"))]);
        assert_eq!([night(1), night(2)], [(json!(3), json!("89.90")), (json!(3), json!("89.90"))]);
        let query =
            format!("{{ spaces {{ unit(id: \"{}\") {{ ratePlans {{ tariffs {{ price }} }} }} }} }}", unit(0));
        let tariffs = platform.data(&query).await["spaces"]["unit"]["ratePlans"][0]["tariffs"].clone();
        assert_eq!(tariffs.as_array().unwrap().len(), 5, "those around were trimmed and split: {tariffs}");
    })
    .await;
}

#[tokio::test]
async fn rates_of_a_property_are_written_once_a_minute_by_each_client() {
    on_both(|engine| async move {
        let mut platform = Platform::start(engine).await;
        let (legacy, other) = (Legacy::on(&platform).await, Legacy::on(&platform).await);
        let one = json!([rate("2026-12-10", "2026-12-11", "89.90")]);
        let day = |member: &str, value: Value| {
            let mut rate = rate("2026-12-10", "2026-12-11", "89.90");
            rate[member] = value;
            json!([rate])
        };
        for (body, field) in [
            (json!([]), "base"),
            (json!({"rates": []}), "base"),
            (json!([1]), "[0]"),
            (json!([{"start_date": "2026-12-10", "end_date": "2026-12-11"}]), "[0].price"),
            (day("price", json!(89.9)), "[0].price"),
            (day("price", json!("-1")), "[0].price"),
            (day("price", json!("1.234567")), "[0].price"),
            (day("price", json!("NaN")), "[0].price"),
            (day("min_night_stay", json!(0)), "[0].min_night_stay"),
            (day("min_night_stay", json!(1e9)), "[0].min_night_stay"),
            (day("start_date", json!("2026-12-12")), "[0].end_date"),
            (day("start_date", json!("2026-02-30")), "[0].start_date"),
            (day("end_date", json!(null)), "[0].end_date"),
            (day("colour", json!("red")), "[0].colour"),
        ] {
            assert_eq!(legacy.post(&rates(0), &body).await.fields(422), [field], "{body}");
        }
        legacy.post(&rates(0), &one).await.expect(200);
        for client in [&legacy, &legacy.at(&platform.gateway)] {
            let soon = client.post(&rates(0), &one).await;
            assert_eq!(soon.fields(429), ["base"]);
            let wait: u64 = soon.header("retry-after").parse().unwrap();
            assert!((1..=60).contains(&wait), "{wait}");
        }
        other.post(&rates(0), &one).await.expect(200);
        legacy.post(&rates(1), &one).await.expect(200);
        platform.gateway.kill9();
        platform.gateway.serve().await;
        assert_eq!(
            legacy.at(&platform.gateway).post(&rates(0), &one).await.status,
            429,
            "a restart gives no turn"
        );
        assert_eq!(other.at(&platform.gateway).post(&rates(UNITS), &one).await.fields(404), ["property_id"]);
        assert_eq!(
            other.at(&platform.gateway).post("/properties/1/rates", &one).await.fields(400),
            ["property_id"]
        );
    })
    .await;
}

#[tokio::test]
async fn one_of_many_concurrent_writers_of_rates_succeeds() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let legacy = Legacy::on(&platform).await;
        let one = json!([rate("2026-12-10", "2026-12-11", "89.90")]);
        let path = rates(0);
        let all = futures::future::join_all((0..8).map(|_| legacy.post(&path, &one))).await;
        let mut statuses: Vec<u16> = all.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 429, 429, 429, 429, 429, 429, 429]);
    })
    .await;
}

#[tokio::test]
async fn a_property_without_a_rate_plan_gets_one_in_the_currency_of_the_others() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let legacy = Legacy::on(&platform).await;
        let bare = id(3, 500);
        let line = json!({"kind": "unit", "id": bare, "workspace_id": 1, "unit_type_id": id(12, 1), "code": "NEW"});
        platform.gateway.cli_with(&["import", "-"], &[], &format!("{line}\n")).await.succeeded();
        let path = format!("/properties/{bare}/rates");
        let one = json!([{"start_date": "2026-12-10", "end_date": "2026-12-11", "price": "50.00"}]);
        let written = legacy.post(&path, &one).await.expect(200);
        let tariff = &written["tariffs"][0];
        assert_eq!((&tariff["currency"], &tariff["min_night_stay"]), (&json!("EUR"), &json!(1)));
        let foreign = json!({"kind": "rate_plan", "id": id(5, 600), "workspace_id": 1, "unit_id": unit(0), "name": "Pounds",
            "currency": "GBP"});
        let another = id(3, 501);
        let line = json!({"kind": "unit", "id": another, "workspace_id": 1, "unit_type_id": id(12, 1), "code": "NEW2"});
        platform.gateway.cli_with(&["import", "-"], &[], &format!("{foreign}\n{line}\n")).await.succeeded();
        let refused = legacy.post(&format!("/properties/{another}/rates"), &one).await;
        assert_eq!(refused.fields(422), ["property_id"]);
    })
    .await;
}

#[tokio::test]
async fn a_message_is_written_in_the_conversation_of_its_booking() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let legacy = Legacy::on(&platform).await;
        let path = format!("/bookings/{}/messages", booking(0));
        let message_body = json!({"body": "<b>Hola</b>\nadiós", "content_type": "text/html", "source": "crm"});
        let written = legacy.post(&path, &message_body).await.expect(201);
        assert_eq!(written["conversation"]["id"], conversation(0));
        let message = &written["message"];
        for member in ["body", "content_type", "source"] {
            assert_eq!(message[member], message_body[member]);
        }
        assert!(message["id"].is_string() && message["sent_at"].is_string(), "{written}");
        let plain = legacy.post(&path, &json!({"body": "Hola"})).await.expect(201);
        assert_eq!(plain["message"]["content_type"], "text/plain");
        let bare = id(4, 500);
        let line = json!({"kind": "booking", "id": bare, "workspace_id": 1, "unit_id": unit(0), "confirmation_code": "X",
            "status": "CONFIRMED", "check_in": "2027-01-01", "check_out": "2027-01-02"});
        platform.gateway.cli_with(&["import", "-"], &[], &format!("{line}\n")).await.succeeded();
        let fresh = format!("/bookings/{bare}/messages");
        let hello = json!({"body": "First"});
        let both = futures::future::join_all([legacy.post(&fresh, &hello), legacy.post(&fresh, &hello)]).await;
        let of: Vec<Value> = both.iter().map(|answer| answer.expect(201)["conversation"]["id"].clone()).collect();
        assert_eq!(of[0], of[1], "a booking has one conversation");
        let query = format!("{{ bookings {{ booking(bookingId: \"{bare}\") {{ conversation {{ id }} }} }} }}");
        assert_eq!(platform.data(&query).await["bookings"]["booking"]["conversation"]["id"], of[0]);
        for (body, field) in [
            (json!({}), "body"),
            (json!({"body": " "}), "body"),
            (json!({"body": "a\u{7}"}), "body"),
            (json!({"body": "x".repeat(10_001)}), "body"),
            (json!({"body": 1}), "body"),
            (json!({"body": "x", "content_type": ""}), "content_type"),
            (json!({"body": "x", "source": "a\nb"}), "source"),
            (json!({"body": "x", "to": "jane"}), "to"),
        ] {
            assert_eq!(legacy.post(&path, &body).await.fields(422), [field], "{body}");
        }
        let remote_service = format!("/bookings/{}/messages", booking(UNITS));
        assert_eq!(legacy.post(&remote_service, &hello).await.fields(404), ["booking_id"]);
        assert_eq!(legacy.post("/bookings/1/messages", &hello).await.fields(400), ["booking_id"]);
    })
    .await;
}

#[tokio::test]
async fn a_vetting_moves_as_the_table_says_and_no_other_way() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let legacy = Legacy::on(&platform).await;
        let allowed = [
            ("UNVETTED", "PENDING"),
            ("PENDING", "NEEDS_REVIEW"),
            ("PENDING", "APPROVED"),
            ("PENDING", "FAILED"),
            ("NEEDS_REVIEW", "APPROVED"),
            ("NEEDS_REVIEW", "FAILED"),
            ("FAILED", "PENDING"),
        ];
        let mut n = 0;
        for from in STATUSES {
            for to in STATUSES {
                let stay = id(4, 700 + n);
                let line = json!({"kind": "booking", "id": stay, "workspace_id": 1, "unit_id": unit(0),
                    "confirmation_code": "V", "status": "CANCELLED", "check_in": "2027-01-01", "check_out": "2027-01-02",
                    "vetting_status": from});
                platform.gateway.cli_with(&["import", "-"], &[], &format!("{line}\n")).await.succeeded();
                n += 1;
                let answer = legacy.verify(&stay, &json!({"status": to})).await;
                let query =
                    format!("{{ bookings {{ booking(bookingId: \"{stay}\") {{ vetting {{ status }} }} }} }}");
                let now = platform.data(&query).await["bookings"]["booking"]["vetting"]["status"].clone();
                if from == to || allowed.contains(&(from, to)) {
                    assert_eq!(answer.expect(200)["guest_verification"]["status"], to, "{from} to {to}");
                    assert_eq!(now, to);
                } else {
                    assert_eq!(answer.fields(422), ["guest_verification.status"], "{from} to {to}");
                    assert_eq!(now, from);
                }
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_guest_verification_is_stored_and_its_repetition_changes_nothing() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let legacy = Legacy::on(&platform).await;
        let verification = json!({"source": "vetter", "external_id": "v-1", "guest": {"name": "Jane", "documents": [1, {"a": null}]},
            "status": "PENDING"});
        let first = legacy.verify(&booking(0), &verification).await.expect(200)["guest_verification"].clone();
        for member in ["source", "external_id", "guest", "status"] {
            assert_eq!(first[member], verification[member]);
        }
        assert_eq!(first["booking"]["id"], booking(0));
        let listed = legacy.list(&format!("/bookings?property_id={}", unit(0))).await;
        assert_eq!(listed[0]["vetting"]["status"], "PENDING");
        assert_eq!(listed[0]["updated_at"], first["updated_at"], "who polls by last_modified sees it");
        let again = legacy.verify(&booking(0), &verification).await.expect(200)["guest_verification"].clone();
        assert_eq!(again, first);
        let more = legacy.verify(&booking(0), &json!({"external_id": "v-2", "guest": null})).await.expect(200);
        let more = &more["guest_verification"];
        assert_eq!((&more["source"], &more["external_id"], &more["guest"]), (&json!("vetter"), &json!("v-2"), &Value::Null));
        assert_eq!(more["status"], "PENDING");
        let admin = platform.gateway.internal().with_token(platform.api.token());
        let audit = admin.get("/admin/audit").await.expect(200);
        let entries = audit["nodes"].as_array().unwrap();
        let of = |entry: &&Value| entry["action"] == "guest_verification.update";
        assert_eq!(entries.iter().filter(of).count(), 2, "what changed nothing left no trace: {audit}");
        assert!(entries.iter().filter(of).all(|entry| entry.to_string().contains(&legacy.client)), "{audit}");
        assert!(!audit.to_string().contains("Jane"), "the trail says nothing of the guest");
        for (verification, field) in [
            (json!({"status": "GOOD"}), "guest_verification.status"),
            (json!({"status": 1}), "guest_verification.status"),
            (json!({"source": ""}), "guest_verification.source"),
            (json!({"source": "x".repeat(501)}), "guest_verification.source"),
            (json!({"guest": []}), "guest_verification.guest"),
            (json!({"guest": {"x": "y".repeat(20_000)}}), "guest_verification.guest"),
            (json!({"vetted_by": "me"}), "guest_verification.vetted_by"),
        ] {
            assert_eq!(legacy.verify(&booking(0), &verification).await.fields(422), [field], "{verification}");
        }
        let path = format!("/bookings/{}/guest_verification", booking(0));
        let flat = legacy.send("PATCH", &path, Some(&json!({"status": "APPROVED"}))).await;
        assert_eq!(flat.fields(422), ["status", "guest_verification"]);
        assert_eq!(legacy.verify(&booking(UNITS), &verification).await.fields(404), ["booking_id"]);
        assert_eq!(legacy.verify("nothing", &verification).await.fields(400), ["booking_id"]);
    })
    .await;
}

#[tokio::test]
async fn replicas_share_the_limit_of_a_client() {
    let platform = Platform::with(Engine::Postgres, Options::default()).await;
    let legacy = Legacy::on(&platform).await;
    let mut replica = platform.gateway.replica();
    replica.serve().await;
    let one = json!([rate("2026-12-10", "2026-12-11", "89.90")]);
    legacy.post(&rates(0), &one).await.expect(200);
    assert_eq!(legacy.at(&replica).post(&rates(0), &one).await.status, 429);
}
