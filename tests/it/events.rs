//! Events: the feed, what follows from it inside the gateway, and the bus, on both databases.

use async_nats::jetstream::{self, consumer::PullConsumer, consumer::pull};
use futures::StreamExt;
use gateway_test_nats::Nats;
use gateway_tests::{Api, Options, World, fresh_uuid, on_both, until};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const FEED: &str = "/invoicing/rpc/events";

/// Everything in the feed, read in parts of `limit`.
async fn feed(api: &Api, limit: usize) -> Vec<Value> {
    let (mut after, mut all) = ("0".to_owned(), Vec::new());
    loop {
        let page = api.get(&format!("{FEED}?after={after}&limit={limit}")).await.expect(200);
        let events = page["events"].as_array().unwrap().clone();
        assert!(events.len() <= limit);
        after = page["next"].as_str().unwrap().to_owned();
        if events.is_empty() {
            return all;
        }
        all.extend(events);
    }
}

/// The feed, once it holds so many events of a document.
async fn feed_with(world: &World, uuid: &str, count: usize) -> Vec<Value> {
    until("the events are in the feed", || async {
        let all = feed(&world.api, 100).await;
        (all.iter().filter(|event| event["subject"] == uuid).count() >= count).then_some(all)
    })
    .await
}

async fn documents_of_booking(world: &World, booking: &str) -> Vec<Value> {
    let answer = world.api.get(&format!("/finance/rpc/bookings/{booking}/documents")).await.expect(200);
    assert_eq!(answer["booking_id"], booking);
    answer["documents"].as_array().unwrap().clone()
}

/// The one document of a booking, once it has this status.
async fn booking_document_with_status(world: &World, booking: &str, status: &str) -> Value {
    until("the booking shows its document", || async {
        documents_of_booking(world, booking).await.into_iter().find(|document| document["status"] == status)
    })
    .await
}

#[tokio::test]
async fn the_feed_tells_every_change_once_in_order_and_whole() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let first = world.issue(&world.document()).await;
        let second = world.issue(&world.document()).await;
        world.until(&first, "issued").await;
        world.until(&second, "issued").await;
        let all = feed_with(&world, &first, 6).await;
        let all = if all.len() < 12 { feed_with(&world, &second, 6).await } else { all };
        assert_eq!(feed(&world.api, 1).await, all, "one by one is the same");
        let mut sequences_by_subject: BTreeMap<(String, String), Vec<i64>> = BTreeMap::new();
        for event in &all {
            assert_eq!(event["specversion"], "1.0");
            let text = |name: &str| event[name].as_str().unwrap().to_owned();
            let of = sequences_by_subject.entry((text("source"), text("subject"))).or_default();
            of.push(event["sequence"].as_i64().unwrap());
            assert_eq!(event["data"]["uuid"], event["subject"]);
        }
        assert_eq!(sequences_by_subject.len(), 4, "two documents at two services");
        assert!(
            sequences_by_subject.values().all(|sequences| *sequences == [1, 2, 3]),
            "{sequences_by_subject:?}"
        );
        let kinds = |source: &str| -> Vec<_> {
            let of = all.iter().filter(|event| event["source"] == source && event["subject"] == first);
            of.map(|event| event["type"].as_str().unwrap()).collect()
        };
        assert_eq!(kinds("/invoicing"), ["DocumentSaved", "DocumentIssuing", "DocumentIssued"]);
        assert_eq!(kinds("/finance"), ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
    })
    .await;
}

#[tokio::test]
async fn the_feed_tells_of_one_source_when_it_is_asked_for_that() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        let (building, unit_type, unit) = (fresh_uuid(), fresh_uuid(), fresh_uuid());
        for name in ["Mayor", "Sol"] {
            let lines = [
                json!({"kind": "building", "id": building, "workspace_id": world.workspace, "name": name}),
                json!({"kind": "unit_type", "id": unit_type, "workspace_id": world.workspace, "building_id": building,
                    "code": "S"}),
                json!({"kind": "unit", "id": unit, "workspace_id": world.workspace, "unit_type_id": unit_type, "code": "1A"}),
            ];
            let file = lines.map(|line| format!("{line}\n")).concat();
            world.gateway.cli_with(&["import", "-"], &[], &file).await.succeeded();
        }
        let of = async |source: &str| -> Vec<Value> {
            let page = world.api.get(&format!("{FEED}?source={source}")).await.expect(200);
            page["events"].as_array().unwrap().clone()
        };
        let units = until("the unit is in the feed, made and in a building with another name", || async {
            Some(of("platform").await).filter(|events| events.len() == 2)
        })
        .await;
        for (event, change) in units.iter().zip(["created", "updated"]) {
            assert_eq!((&event["source"], &event["type"]), (&json!("/platform"), &json!("UnitChanged")));
            assert_eq!((&event["subject"], &event["data"]["change"]), (&json!(unit), &json!(change)));
        }
        let subjects = |events: &[Value]| events.iter().map(|event| event["subject"].clone()).collect::<Vec<_>>();
        assert_eq!(subjects(&feed_with(&world, &uuid, 1).await), [json!(uuid)], "documents unless it is said");
        assert_eq!(subjects(&of("invoicing").await), [json!(uuid)]);
        assert_eq!(of("finance").await, [] as [Value; 0]);
        let stranger = world.as_client(&["invoicing.rpc"], &["4711"]).await;
        let notices = format!("{FEED}?source=notices");
        stranger.get(&notices).await.expect(403);
        let reader = world.as_client(&["invoicing.rpc", "notices.read"], &["*"]).await;
        assert_eq!(reader.get(&notices).await.expect(200)["events"], json!([]));
        let path = format!("{FEED}?source=platform");
        assert_eq!(stranger.get(&path).await.expect(200)["events"], json!([]));
        let refused = world.api.get(&format!("{FEED}?source=platforms")).await.errors(422);
        assert_eq!(refused, ["source: use one of invoicing, finance, platform, notices"]);
    })
    .await;
}

#[tokio::test]
async fn a_booking_shows_its_documents_to_whoever_may_see_them() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let booking = fresh_uuid();
        let document = world.document().with("booking_id", json!(booking)).named("SANDBOX-REJECT-1100");
        let uuid = world.issue(&document).await;
        world.until(&uuid, "rejected").await;
        let document = booking_document_with_status(&world, &booking, "rejected").await;
        assert_eq!((&document["uuid"], &document["issuing_started_at"]), (&json!(uuid), &Value::Null));
        assert!(document["rejected_by_tax_authority_at"].is_string());
        assert!(
            document["rejected_by_tax_authority_reason"].as_str().unwrap().contains("1100"),
            "{document}"
        );
        assert_eq!((&document["payable"], &document["currency"]), (&json!("110.00"), &json!("EUR")));

        let corrected = world.document().with("booking_id", json!(booking)).named("SANDBOX-SLOW-10 Jane");
        world.put_draft(&uuid, &corrected).await.expect(200);
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        let document = booking_document_with_status(&world, &booking, "issuing").await;
        assert!(document["issuing_started_at"].is_string());
        assert_eq!(document["rejected_by_tax_authority_at"], Value::Null);
        assert_eq!(document["rejected_by_tax_authority_reason"], Value::Null);
        let document = booking_document_with_status(&world, &booking, "issued").await;
        assert_eq!(document["issuing_started_at"], Value::Null);
        assert!(document["issued_at"].is_string());

        assert_eq!(documents_of_booking(&world, &fresh_uuid()).await, Vec::<Value>::new());
        let path = format!("/finance/rpc/bookings/{booking}/documents");
        let stranger = world.as_client(&["finance.rpc"], &["4711"]).await;
        assert_eq!(stranger.get(&path).await.expect(200)["documents"], json!([]));
        assert_eq!(world.as_client(&["invoicing.rpc"], &["*"]).await.get(&path).await.status, 403);
        assert_eq!(world.api.get("/finance/rpc/bookings/7/documents").await.fields(400), ["booking_id"]);
    })
    .await;
}

#[tokio::test]
async fn read_models_are_rebuilt_while_a_gateway_serves() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let booking = fresh_uuid();
        let document = world.document().with("booking_id", json!(booking));
        let uuid = world.issue(&document).await;
        world.until(&uuid, "issued").await;
        let before = booking_document_with_status(&world, &booking, "issued").await;
        let rebuilt = world.gateway.cli(&["rebuild", "read-models", "--json"]).await.json();
        let names: Vec<_> =
            rebuilt["rebuilt"].as_array().unwrap().iter().map(|model| &model["read_model"]).collect();
        assert_eq!(names, ["finance-documents", "booking-documents"]);
        assert!(rebuilt["rebuilt"][1]["events"].as_i64().unwrap() >= 6, "{rebuilt}");
        assert_eq!(documents_of_booking(&world, &booking).await, [before]);
        let metrics = world.gateway.internal().get("/metrics").await.text;
        assert!(metrics.contains("event_consumer_lag{consumer=\"booking-documents\"} 0"), "{metrics}");
        assert!(metrics.contains("finance_copy_sync_failures_total 0"), "{metrics}");
        assert!(metrics.contains("events_not_relayed 0"), "{metrics}");
    })
    .await;
}

/// Position and CloudEvent of every message in the stream.
async fn stream_messages(address: &str) -> Vec<(i64, Value)> {
    let (server, stream) = address.rsplit_once('/').unwrap();
    let context = jetstream::new(async_nats::connect(server).await.unwrap());
    let Ok(stream) = context.get_stream(stream).await else { return Vec::new() };
    let consumer: PullConsumer = stream.create_consumer(pull::Config::default()).await.unwrap();
    let mut messages = consumer.fetch().max_messages(1_000).messages().await.unwrap();
    let mut kept = Vec::new();
    while let Some(message) = messages.next().await {
        let message = message.unwrap();
        let position = message.headers.as_ref().unwrap().get("Gateway-Position").unwrap().as_str().parse();
        kept.push((position.unwrap(), serde_json::from_slice(&message.payload).unwrap()));
    }
    kept
}

/// The stream, once it holds what the feed holds.
pub(crate) async fn until_stream_equals_feed(
    world: &World,
    address: &str,
    least: usize,
) -> Vec<(i64, Value)> {
    until("the bus has what the feed has", || async {
        let (kept, feed) = (stream_messages(address).await, feed(&world.api, 500).await);
        (feed.len() >= least && kept.len() == feed.len()).then_some(kept)
    })
    .await
}

#[tokio::test]
async fn with_a_bus_the_stream_is_the_feed_and_consumers_follow_as_without() {
    on_both(|engine| async move {
        let nats = Nats::for_tests().unwrap();
        let address = nats.fresh_stream();
        let world = World::with(engine, Options::sandbox().variable("GATEWAY_EVENTS__BUS", &address)).await;
        let booking = fresh_uuid();
        let document = world.document().with("booking_id", json!(booking));
        let uuid = world.issue(&document).await;
        world.until(&uuid, "issued").await;
        booking_document_with_status(&world, &booking, "issued").await;
        let kept = until_stream_equals_feed(&world, &address, 6).await;
        let positions: Vec<_> = kept.iter().map(|(position, _)| *position).collect();
        assert_eq!(positions, (1..=6).collect::<Vec<_>>());
        let bodies: Vec<_> = kept.into_iter().map(|(_, body)| body).collect();
        assert_eq!(bodies, feed(&world.api, 500).await, "message by message the CloudEvents of the feed");
        assert_eq!(
            world.gateway.cli(&["config", "check", "--json"]).await.json()["events.bus"],
            json!(address)
        );
    })
    .await;
}

#[tokio::test]
async fn a_bus_that_goes_away_stops_nothing_and_misses_nothing() {
    on_both(|engine| async move {
        let mut nats = Nats::start().unwrap();
        let address = nats.fresh_stream();
        let world = World::with(engine, Options::sandbox().variable("GATEWAY_EVENTS__BUS", &address)).await;
        let booking = fresh_uuid();
        let first = world.issue(&world.document()).await;
        world.until(&first, "issued").await;
        until_stream_equals_feed(&world, &address, 6).await;
        nats.kill();
        let second = world.issue(&world.document().with("booking_id", json!(booking))).await;
        world.until(&second, "issued").await;
        booking_document_with_status(&world, &booking, "issued").await;
        until("the failures of the bus are counted", || async {
            let metrics = world.gateway.internal().get("/metrics").await.text;
            (!metrics.contains("event_bus_failures_total 0")).then_some(())
        })
        .await;
        nats.restart().unwrap();
        let kept = until_stream_equals_feed(&world, &address, 12).await;
        let positions: Vec<_> = kept.iter().map(|(position, _)| *position).collect();
        assert_eq!(positions, (1..=12).collect::<Vec<_>>(), "each once, in order");
    })
    .await;
}

#[tokio::test]
async fn a_gateway_that_was_killed_goes_on_with_the_events_it_left() {
    on_both(|engine| async move {
        let nats = Nats::for_tests().unwrap();
        let address = nats.fresh_stream();
        let options = Options::sandbox().variable("GATEWAY_EVENTS__BUS", &address);
        let mut world = World::with(engine, options).await;
        let booking = fresh_uuid();
        let document = world.document().with("booking_id", json!(booking));
        for _ in 0..20 {
            world.draft(&document).await;
        }
        world.gateway.kill9();
        world.gateway.serve().await;
        world.api = world.authenticated(&world.client).await;
        until("the booking shows all of its documents", || async {
            (documents_of_booking(&world, &booking).await.len() == 20).then_some(())
        })
        .await;
        let kept = until_stream_equals_feed(&world, &address, 20).await;
        let positions: Vec<_> = kept.iter().map(|(position, _)| *position).collect();
        assert_eq!(positions, (1..=20).collect::<Vec<_>>());
    })
    .await;
}
