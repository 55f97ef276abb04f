use super::{as_integrator, assert_documented, fast_retries, is_signed, start};
use gateway_tests::{Engine, Reaction, Receiver, fresh_uuid, on_both, until};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use tokio::io::AsyncWriteExt as _;

#[tokio::test]
async fn the_events_of_an_invoice_arrive_signed_and_in_order() {
    on_both(|engine| async move {
        let (world, receiver) = start(engine).await;
        let (_, secret) = as_integrator(&world).register(&receiver.url("/a"), &[]).await;
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
        let mut arrived = receiver.until("/a", 3).await;
        assert!(arrived.iter().all(|one| is_signed(one, &secret)), "{arrived:?}");
        assert_documented(&world, &arrived).await;
        arrived.sort_by_key(|one| one.body["data"]["sequence"].as_i64());
        let event_types: Vec<_> = arrived.iter().map(|one| one.body["type"].as_str().unwrap()).collect();
        assert_eq!(event_types, ["invoice.issuing", "invoice.issued", "invoice.accepted"]);
        let document = world.read(&uuid).await;
        for one in &arrived {
            let data = &one.body["data"];
            assert_eq!((&data["id"], &data["workspace_id"]), (&json!(uuid), &json!(world.workspace)));
            assert_eq!(data["display_document_number"], document["display_document_number"]);
            assert!(data.get("lines").is_none() && data.get("recipient").is_none(), "{data}");
        }
        let ids: BTreeSet<_> = arrived.iter().map(|one| one.id.as_str()).collect();
        assert_eq!(ids.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn changes_of_the_platform_arrive_where_their_events_are_subscribed_to() {
    on_both(|engine| async move {
        let (world, receiver) = start(engine).await;
        let integrator = as_integrator(&world);
        integrator.register(&receiver.url("/all"), &[]).await;
        integrator.register(&receiver.url("/guests"), &["guest_verification.changed"]).await;
        let ids: Vec<String> = (0..4).map(|_| fresh_uuid()).collect();
        let workspace = world.workspace;
        let lines = [
            json!({"kind": "building", "id": ids[0], "workspace_id": workspace, "name": "Mayor", "address": {"locality": "Madrid"}}),
            json!({"kind": "unit_type", "id": ids[1], "workspace_id": workspace, "building_id": ids[0], "code": "S"}),
            json!({"kind": "unit", "id": ids[2], "workspace_id": workspace, "unit_type_id": ids[1], "code": "1A", "status": "active"}),
            json!({"kind": "booking", "id": ids[3], "workspace_id": workspace, "unit_id": ids[2], "confirmation_code": "C1",
                "status": "CONFIRMED", "check_in": "2026-12-01", "check_out": "2026-12-05"}),
        ];
        let lines = lines.map(|line| line.to_string()).join("\n");
        world.gateway.cli_with(&["import", "-"], &[], &lines).await.succeeded();
        let path = format!("/api/dev/bookings/{}/guest_verification", ids[3]);
        let body = json!({"guest_verification": {"status": "PENDING", "guest": {"name": "Ana"}}});
        integrator.call("PATCH", &path, Some(&body)).await.expect(200);
        let mutation = format!(
            r#"mutation {{ catalog {{ productGroup {{ create(input: {{productGroup: {{internalReference: "A", academicYear: "2026/2027", workspaceId: "{workspace}",
            contractEarliestStartDate: "2026-09-01", contractLatestStartDate: "2026-10-01",
            contractEarliestEndDate: "2027-06-01", contractLatestEndDate: "2027-08-31"}}}}) {{ id }} }} }} }}"#
        );
        let api = world.gateway.public().with_token(world.api.token());
        let made = api.post("/v1", &json!({ "query": mutation })).await;
        assert!(made.status == 200 && !made.text.contains("errors"), "{}", made.text);
        let user = json!({"kind": "user", "id": fresh_uuid(), "email": "ana@example.com",
            "role_bindings": [{"workspace_id": workspace, "roles": ["host"]}]});
        let plan = fresh_uuid();
        let prices = [
            json!({"kind": "rate_plan", "id": plan, "workspace_id": workspace, "unit_id": ids[2], "name": "P", "currency": "EUR"}),
            json!({"kind": "tariff", "id": fresh_uuid(), "rate_plan_id": plan, "start_date": "2026-12-01", "end_date": "2026-12-31",
                "price": "80.00"}),
            user,
        ];
        let prices = prices.map(|line| line.to_string()).join("\n");
        world.gateway.cli_with(&["import", "-"], &[], &prices).await.succeeded();
        let path = format!("/api/dev/bookings/{}/messages", ids[3]);
        integrator.call("POST", &path, Some(&json!({"body": "Where is the key?"}))).await.expect(201);
        let arrived = receiver.until("/all", 8).await;
        assert_documented(&world, &arrived).await;
        let mut event_types: Vec<_> = arrived.iter().map(|one| one.body["type"].as_str().unwrap()).collect();
        event_types.sort_unstable();
        assert_eq!(
            event_types,
            [
                "availability.changed",
                "booking.changed",
                "guest_verification.changed",
                "message.created",
                "product_group.changed",
                "rate_plan.changed",
                "unit.changed",
                "user.changed"
            ]
        );
        let nights = arrived.iter().find(|one| one.body["type"] == "availability.changed").unwrap();
        assert_eq!(
            nights.body["data"]["date_ranges"],
            json!([{"start_date": "2026-12-01", "end_date": "2026-12-04"}])
        );
        assert!(arrived.iter().all(|one| !one.body.to_string().contains("key")), "nothing of the message");
        let guests = receiver.until("/guests", 1).await;
        assert_eq!(guests[0].body["data"]["guest_verification"], json!({"status": "PENDING"}));
        assert!(!guests[0].body.to_string().contains("Ana"), "nothing about the guest");
    })
    .await;
}

#[tokio::test]
async fn failed_deliveries_arrive_later_and_endpoints_that_hang_delay_no_others() {
    on_both(|engine| async move {
        let (world, receiver) = start(engine).await;
        let inside = Receiver::start().await;
        let integrator = as_integrator(&world);
        receiver.reacts("/failing", Reaction::Refuses(503));
        receiver.reacts("/hanging", Reaction::Hangs);
        receiver.reacts("/moved", Reaction::Moved(inside.url("/secret")));
        let (failing, _) = integrator.register(&receiver.url("/failing"), &[]).await;
        let (hanging, _) = integrator.register(&receiver.url("/hanging"), &[]).await;
        let (moved, _) = integrator.register(&receiver.url("/moved"), &[]).await;
        let (well, _) = integrator.register(&receiver.url("/well"), &[]).await;
        let tasks = integrator.change_tasks(20).await;
        let arrived = receiver.until("/well", 20).await;
        let changed: BTreeSet<_> =
            arrived.iter().map(|one| one.body["data"]["id"].as_str().unwrap()).collect();
        assert_eq!(changed, tasks.iter().map(String::as_str).collect());
        integrator.until_deliveries(&well, "delivered", 20).await;
        receiver.until("/failing", 3).await;
        receiver.until("/hanging", 1).await;
        receiver.until("/moved", 2).await;
        assert!(inside.arrived("/secret").is_empty(), "redirects are not followed");
        for path in ["/failing", "/hanging", "/moved"] {
            receiver.reacts(path, Reaction::Takes);
        }
        for (id, error) in [(&failing, "http_503"), (&hanging, "timeout"), (&moved, "redirect")] {
            let all = integrator.until_deliveries(id, "delivered", 20).await;
            let tries: Vec<&Value> = all.iter().flat_map(|one| one["attempts"].as_array().unwrap()).collect();
            assert!(tries.iter().any(|one| one["error"] == *error), "{error}: {tries:?}");
            let arrived = tries.iter().filter(|one| one["error"].is_null() && one["status"] == 200).count();
            assert_eq!(arrived, 20, "each once");
        }
        let of_one = receiver.arrived("/failing");
        let first = of_one.iter().filter(|one| one.id == of_one[0].id).count();
        assert!(first >= 2, "the same id at every try");
        let log = integrator.deliveries(&moved).await;
        let attempts = log.iter().flat_map(|one| one["attempts"].as_array().unwrap());
        let answers: Vec<_> = attempts.filter_map(|one| one["answer"].as_str()).collect();
        assert!(answers.iter().any(|answer| answer.contains(&inside.url("/secret"))), "{answers:?}");
    })
    .await;
}

#[tokio::test]
async fn a_gateway_that_was_killed_delivers_again_under_the_same_id() {
    on_both(|engine| async move {
        let (mut world, receiver) = start(engine).await;
        receiver.reacts("/a", Reaction::Hangs);
        let (id, _) = as_integrator(&world).register(&receiver.url("/a"), &[]).await;
        as_integrator(&world).change_tasks(5).await;
        let before = receiver.until("/a", 2).await;
        world.gateway.kill9();
        receiver.reacts("/a", Reaction::Takes);
        world.serve_again().await;
        let all = as_integrator(&world).until_deliveries(&id, "delivered", 5).await;
        let ids: BTreeSet<_> = all.iter().map(|one| one["webhook_id"].as_str().unwrap()).collect();
        assert!(before.iter().all(|one| ids.contains(one.id.as_str())));
        let arrived: BTreeSet<_> = receiver.arrived("/a").into_iter().map(|one| one.id).collect();
        assert_eq!(arrived.len(), 5);
    })
    .await;
}

#[tokio::test]
async fn replicas_share_the_deliveries_and_send_none_twice() {
    let (mut world, receiver) = start(Engine::Postgres).await;
    let mut replica = world.gateway.replica();
    replica.serve().await;
    let integrator = as_integrator(&world);
    let mut ids = Vec::new();
    for path in 0..10 {
        ids.push(integrator.register(&receiver.url(&format!("/{path}")), &[]).await.0);
    }
    integrator.change_tasks(30).await;
    for (path, id) in ids.iter().enumerate() {
        let all = integrator.until_deliveries(id, "delivered", 30).await;
        let tries: Vec<&Value> = all.iter().flat_map(|one| one["attempts"].as_array().unwrap()).collect();
        let taken = tries.iter().filter(|one| one["error"].is_null()).count();
        assert_eq!(taken, 30, "each is taken once");
        let arrived = receiver.arrived(&format!("/{path}"));
        // A busy machine may let a try take too long, which is told; nothing is sent that is not.
        assert!(arrived.len() <= tries.len(), "{} arrived of {} tries", arrived.len(), tries.len());
        assert_eq!(arrived.into_iter().map(|one| one.id).collect::<BTreeSet<_>>().len(), 30);
    }
    replica.stop().await;
    world.gateway.stop().await;
}

#[tokio::test]
async fn an_endpoint_that_answers_410_gets_nothing_until_its_owner_enables_it() {
    on_both(|engine| async move {
        let (world, receiver) = start(engine).await;
        let integrator = as_integrator(&world);
        receiver.reacts("/a", Reaction::Refuses(410));
        let (id, _) = integrator.register(&receiver.url("/a"), &[]).await;
        integrator.change_tasks(1).await;
        until("the webhook is disabled", async || {
            let view = integrator.get(&format!("/{id}")).await.expect(200);
            (view["webhook_registration"]["disabled_reason"] == "gone").then_some(())
        })
        .await;
        receiver.reacts("/a", Reaction::Takes);
        integrator.change_tasks(1).await;
        integrator.register(&receiver.url("/b"), &[]).await;
        let last = integrator.change_tasks(1).await;
        until("the last change arrived elsewhere", async || {
            receiver.arrived("/b").iter().any(|one| one.body["data"]["id"] == *last[0]).then_some(())
        })
        .await;
        assert_eq!(receiver.arrived("/a").len(), 1);
        let from = json!({"from": "2026-01-01T00:00:00Z"});
        assert_eq!(integrator.post(&format!("/{id}/replay"), &from).await.fields(422), ["enabled"]);
        integrator.patch(&id, &json!({"enabled": true})).await.expect(200);
        let first = integrator.until_deliveries(&id, "delivered", 1).await;
        assert_eq!(first[0]["attempts"].as_array().unwrap().len(), 2);
        // What happened meanwhile is replayed on demand.
        let replayed = integrator.post(&format!("/{id}/replay"), &from).await.expect(202);
        assert_eq!(replayed["replayed"], 3);
        integrator.until_deliveries(&id, "delivered", 3).await;
        let ids: BTreeSet<_> = receiver.arrived("/a").into_iter().map(|one| one.id).collect();
        assert_eq!(ids.len(), 3);
    })
    .await;
}

#[tokio::test]
async fn two_secrets_sign_after_a_rotation_and_a_delivery_is_replayed() {
    on_both(|engine| async move {
        let (world, receiver) = start(engine).await;
        let integrator = as_integrator(&world);
        let (id, first) = integrator.register(&receiver.url("/a"), &["invoice.issued"]).await;
        let rotated = integrator.post(&format!("/{id}/rotate_secret"), &json!({})).await.expect(200);
        let second = rotated["webhook_registration"]["secret"].as_str().unwrap().to_owned();
        assert!(rotated["webhook_registration"]["old_secret_until"].is_string() && first != second);
        let made =
            integrator.call("POST", &format!("{}/{id}/test", super::REGISTRATIONS), None).await.expect(202);
        let arrived = receiver.until("/a", 1).await.remove(0);
        assert_eq!(arrived.body["type"], "webhook.test");
        assert!(is_signed(&arrived, &first) && is_signed(&arrived, &second));
        let body = json!({"delivery_id": made["delivery"]["id"]});
        integrator.post(&format!("/{id}/replay"), &body).await.expect(202);
        let again = receiver.until("/a", 2).await.remove(1);
        assert_eq!((&again.id, &again.body), (&arrived.id, &arrived.body));
        // The secrets survive another master key.
        world.gateway.cli(&["keys", "rotate", "master"]).await.succeeded();
        integrator.post(&format!("/{id}/test"), &json!({})).await.expect(202);
        let arrived = receiver.until("/a", 3).await.remove(2);
        assert!(is_signed(&arrived, &first) && is_signed(&arrived, &second));
    })
    .await;
}

#[tokio::test]
async fn nothing_is_sent_to_private_addresses_however_they_were_registered() {
    on_both(|engine| async move {
        let (mut world, receiver) = start(engine).await;
        let (id, _) = as_integrator(&world).register(&receiver.url("/a"), &[]).await;
        let port = receiver.url("").rsplit(':').next().unwrap().to_owned();
        // A name that leads inside.
        let (named, _) = as_integrator(&world).register(&format!("http://localhost:{port}/b"), &[]).await;
        world.gateway.stop().await;
        world.gateway.reconfigure(fast_retries().variable("GATEWAY_WEBHOOKS__ALLOW_PRIVATE", "false"));
        world.serve_again().await;
        as_integrator(&world).change_tasks(1).await;
        for id in [&id, &named] {
            let tries = until("it was tried", async || {
                let all = as_integrator(&world).deliveries(id).await;
                all.first()
                    .and_then(|one| one["attempts"].as_array().cloned())
                    .filter(|tries| !tries.is_empty())
            })
            .await;
            assert_eq!(tries[0]["error"], "address_refused", "{tries:?}");
        }
        assert!(receiver.arrived("/a").is_empty() && receiver.arrived("/b").is_empty());
    })
    .await;
}

#[tokio::test]
async fn the_log_of_deliveries_says_in_our_own_words_why_an_endpoint_is_not_reached() {
    let (world, _) = start(Engine::Sqlite).await;
    let integrator = as_integrator(&world);
    let without_tls = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let plain = without_tls.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = without_tls.accept().await {
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        }
    });
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let mut expected = Vec::new();
    for (url, answer) in [
        (format!("http://{free}/"), "no connection: nobody listens there"),
        (format!("https://{plain}/"), "no connection: it speaks no TLS that the gateway understands"),
        (
            "http://nobody.invalid/".to_owned(),
            "the name could not be looked up: there is no such name, or no name server answers",
        ),
    ] {
        let (id, _) = integrator.register(&url, &[]).await;
        expected.push((id, answer));
    }
    integrator.change_tasks(1).await;
    for (id, answer) in expected {
        let tried = until("it was tried", async || {
            let log = integrator.deliveries(&id).await;
            log.first()
                .filter(|one| one["attempts"].as_array().is_some_and(|tries| !tries.is_empty()))
                .cloned()
        })
        .await;
        assert_eq!(tried["attempts"][0]["answer"], answer, "{tried}");
    }
}
