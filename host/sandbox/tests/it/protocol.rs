//! The provider's protocol: what is taken, what is refused, and with which body.

use crate::harness::{TOKEN, WORKFLOW, World, access, document};
use gateway_domain_finance::ports::{JobProgress, Provider, ProviderAccess, ProviderError, ProviderToken};
use serde_json::{Value, json};
use uuid::Uuid;

fn entry_line(id: impl std::fmt::Display) -> String {
    format!("PUT /silo/v1/entries/{id}")
}

fn job_line(id: impl std::fmt::Display) -> String {
    format!("PUT /transform/v1/jobs/{id}")
}

#[tokio::test]
async fn an_entry_is_stored_in_an_envelope_and_normalised() {
    let world = World::start().await;
    let sent = document("F-1", "Jane Roe");
    let id = world.entry_id();
    let stored = world.put(id, &sent).await.unwrap();
    assert_eq!(stored.id, id.uuid());
    assert_eq!(stored.document["code"], sent["code"]);
    assert_eq!(stored.document["lines"][0]["quantity"], json!("-2"));
    assert_eq!(stored.document["lines"][0]["item"]["price"], json!("50.00"));
    let raw: Value = serde_json::from_str(&stored.raw).unwrap();
    assert_eq!(raw["data"]["$schema"], json!("https://gobl.org/draft-0/envelope"));
    assert_eq!(raw["data"]["head"]["stamps"], json!([]));
    assert_eq!(raw["data"]["head"]["dig"], raw["digest"]);
    assert_eq!(raw["doc_schema"], json!("https://gobl.org/draft-0/bill/invoice"));
    assert_eq!((&raw["state"], &raw["signed"], &raw["faults"]), (&json!("draft"), &json!(false), &json!([])));
    let by_key = format!("GET /silo/v1/entries/key/{}", raw["key"].as_str().unwrap().replace('"', "%22"));
    assert_eq!(world.json(&by_key, &json!({})).await, (200, raw));
}

#[tokio::test]
async fn the_same_upload_twice_is_one_entry() {
    let world = World::start().await;
    let sent = document("F-1", "Jane Roe");
    let id = world.entry_id();
    let first = world.put(id, &sent).await.unwrap();
    let mut reordered = json!({});
    for (name, value) in sent.as_object().unwrap().iter().rev() {
        reordered[name] = value.clone();
    }
    assert_eq!(world.put(id, &reordered).await.unwrap(), first);
    let enveloped = json!({"$schema": "https://gobl.org/draft-0/envelope", "head": {}, "doc": sent});
    let body = json!({"data": enveloped, "key": first.key});
    assert_eq!(world.json(&entry_line(id), &body).await.0, 200);
}

#[tokio::test]
async fn a_used_id_or_key_is_a_conflict() {
    let world = World::start().await;
    let sent = document("F-1", "Jane Roe");
    let id = world.store(&sent).await;
    let other = document("F-2", "Jane Roe");
    assert_eq!(world.put(id, &other).await.unwrap_err(), ProviderError::Conflict);
    let key = world.entry(id).await.key.unwrap();
    let client = world.client();
    let taken = client.put_entry(&access(), world.entry_id(), &key, &other.to_string()).await;
    assert_eq!(taken.unwrap_err(), ProviderError::Conflict);
    let renamed = client.put_entry(&access(), id, "another key", &sent.to_string()).await;
    assert_eq!(renamed.unwrap_err(), ProviderError::Conflict);
    let (status, body) = world.json(&entry_line(id), &json!({"data": other})).await;
    assert_eq!((status, &body["key"]), (409, &json!("conflict")));
}

#[tokio::test]
async fn parallel_uploads_of_one_entry_make_one() {
    let world = World::start().await;
    let (id, sent) = (world.entry_id(), document("F-1", "Jane Roe"));
    let other = document("F-2", "Jane Roe");
    let uploads = (0..10).map(|n| world.put(id, if n % 2 == 0 { &sent } else { &other }));
    let answers = futures::future::join_all(uploads).await;
    let won: Vec<_> = answers.into_iter().flatten().map(|entry| entry.document["code"].clone()).collect();
    assert_eq!(won, vec![won[0].clone(); 5]);
}

#[tokio::test]
async fn a_document_with_wrong_figures_is_refused_with_their_paths() {
    let world = World::start().await;
    let mut wrong = document("F-1", "Jane Roe");
    wrong["totals"]["payable"] = json!("-110.01");
    let id = world.entry_id();
    let ProviderError::Refused { status: 422, faults } = world.put(id, &wrong).await.unwrap_err() else {
        panic!("refused")
    };
    assert_eq!(faults[0].code.as_deref(), Some("GOBL-SANDBOX-TOTALS-01"));
    assert_eq!(faults[0].paths, ["$.doc.totals.payable"]);
    let client = world.client();
    assert_eq!(
        client.get_entry(&access(), id).await.unwrap_err(),
        ProviderError::NotFound,
        "nothing was stored"
    );
}

#[tokio::test]
async fn what_is_no_document_is_refused() {
    let world = World::start().await;
    for (data, key) in [
        (json!(null), "no-document"),
        (json!("x"), "no-document"),
        (json!({"$schema": "https://gobl.org/draft-0/envelope"}), "no-document"),
        (json!({"lines": []}), "unknown-schema"),
        (json!({"$schema": "https://gobl.org/draft-0/org/party"}), "unknown-schema"),
    ] {
        let (status, body) = world.json(&entry_line(world.entry_id()), &json!({"data": data})).await;
        assert_eq!((status, &body["key"]), (422, &json!(key)), "{data}");
        assert!(body["faults"][0]["message"].is_string());
    }
    let (status, _) = world.json(&entry_line(world.entry_id()), &json!({})).await;
    assert_eq!(status, 422);
}

#[tokio::test]
async fn an_id_without_a_time_is_refused() {
    let world = World::start().await;
    let version4 = "0190c2a8-0000-4000-8000-000000000000";
    let (status, body) = world.json(&entry_line(version4), &json!({"data": document("F-1", "x")})).await;
    assert_eq!(status, 422);
    assert!(body["fields"]["id"].as_str().unwrap().contains("version 4"), "{body}");
    assert_eq!(world.json(&job_line(version4), &json!({})).await.0, 422);
    assert_eq!(world.json(&entry_line("abc"), &json!({})).await.0, 400);
    let version1 = "ac8eee3c-2a27-11ee-be56-0242ac120002";
    let (status, _) = world.json(&entry_line(version1), &json!({"data": document("F-1", "x")})).await;
    assert_eq!(status, 200);
}

#[tokio::test]
async fn without_the_right_token_nothing_is_said() {
    let world = World::start().await;
    let wrong = ProviderAccess { token: ProviderToken::new("another") };
    let error = world.client().get_entry(&wrong, world.entry_id()).await.unwrap_err();
    assert_eq!(error, ProviderError::Unauthorised { status: 401 });
    for header in ["x: y", "authorization: Basic dTpw", "authorization: Bearer", "authorization: Bearer "] {
        for line in ["GET /utils/v1/ping", "GET /nowhere", "PUT /silo/v1/entries/x"] {
            let (status, body) = world.raw(&format!("{line} HTTP/1.1\r\n{header}"), "").await;
            assert_eq!((status, &body["key"]), (401, &json!("unauthorized")), "{line} {header}");
        }
    }
    let lower = format!("GET /utils/v1/ping HTTP/1.1\r\nauthorization: bearer {TOKEN}");
    assert_eq!(world.raw(&lower, "").await, (200, json!({"ping": "pong"})));
}

#[tokio::test]
async fn malformed_requests_are_refused_by_kind() {
    let world = World::start().await;
    let line = format!("{} HTTP/1.1\r\nauthorization: Bearer {TOKEN}", entry_line(world.entry_id()));
    let json_head = format!("{line}\r\ncontent-type: application/json");
    for body in ["", "{", "[]", "7", "\u{0}"] {
        assert_eq!(world.raw(&json_head, body).await.0, 400, "{body:?}");
    }
    assert_eq!(world.raw(&line, "{}").await.0, 415);
    assert_eq!(world.raw(&format!("{line}\r\ncontent-type: text/plain"), "{}").await.0, 415);
    assert_eq!(world.raw(&json_head, &" ".repeat(9 * 1024 * 1024)).await.0, 413);
    let (status, body) = world.json(&entry_line(world.entry_id()), &json!({"key": 7})).await;
    assert_eq!((status, body["fields"]["key"].is_string()), (422, true));
    assert_eq!(world.json("DELETE /utils/v1/ping", &json!({})).await.0, 405);
    assert_eq!(world.json("GET /nowhere", &json!({})).await.0, 404);
}

#[tokio::test]
async fn a_patch_is_merged_and_makes_a_version() {
    let world = World::start().await;
    let id = world.store(&document("F-1", "Jane Roe")).await;
    let line = format!("PATCH /silo/v1/entries/{id}");
    let patch = json!({"data": {"doc": {"customer": {"name": "John Doe"}}}, "folder": "sales"});
    let (status, body) = world.json(&line, &patch).await;
    assert_eq!((status, &body["data"]["doc"]["customer"]["name"]), (200, &json!("John Doe")));
    assert_eq!((&body["data"]["doc"]["code"], &body["folder"]), (&json!("F-1"), &json!("sales")));
    assert_eq!(body["versions"].as_array().unwrap().len(), 2);
    assert_ne!(body["versions"][0]["version"], body["versions"][1]["version"]);
    let wrong = json!({"data": {"totals": {"payable": "0.00"}}});
    assert_eq!(world.json(&line, &wrong).await.0, 422);
    let whole = json!({"content_type": "application/json", "data": document("F-1", "Joan Roe")});
    let (status, body) = world.json(&line, &whole).await;
    assert_eq!((status, &body["data"]["doc"]["customer"]["name"]), (200, &json!("Joan Roe")));
    assert_eq!(body["versions"].as_array().unwrap().len(), 3, "another document in its place");
    let part =
        json!({"content_type": "application/json", "data": {"doc": {"customer": {"name": "John Doe"}}}});
    assert_eq!(world.json(&line, &part).await.0, 422, "a part is no document");
    let foreign = json!({"content_type": "application/json-patch+json", "data": {}});
    assert_eq!(world.json(&line, &foreign).await.0, 422);
    let unknown = format!("PATCH /silo/v1/entries/{}", world.entry_id());
    assert_eq!(world.json(&unknown, &patch).await.0, 404);
}

#[tokio::test]
async fn a_job_is_taken_at_once_and_runs_later() {
    let world = World::start().await;
    let entry = world.store(&document("F-1", "Jane SANDBOX-SLOW-60")).await;
    let id = world.job_id();
    let taken = world.client().put_job(&access(), id, WORKFLOW, entry, "key").await.unwrap();
    assert_eq!(taken.progress, JobProgress::Running);
    let raw: Value = serde_json::from_str(&taken.raw).unwrap();
    assert_eq!((&raw["status"], &raw["completed_at"]), (&json!("QUEUED"), &json!(null)));
    assert_eq!((&raw["key"], &raw["workflow_id"]), (&json!("key"), &json!(WORKFLOW)));
    let stored: Value = serde_json::from_str(&world.entry(entry).await.raw).unwrap();
    assert_eq!(stored["state"], json!("processing"));
    world.clock.forward(60);
    let raw: Value = serde_json::from_str(&world.finished(id).await.raw).unwrap();
    assert_eq!(raw["status"], json!("OK"));
    assert_eq!(raw["intents"][1]["provider"], json!("test-regime"));
    assert_eq!(raw["intents"][1]["events"][1]["status"], json!("OK"));
    assert_eq!(world.json("GET /transform/v1/jobs/key/key", &json!({})).await, (200, raw));
}

#[tokio::test]
async fn the_same_job_twice_is_one_job() {
    let mut world = World::start().await;
    let entry = world.store(&document("F-1", "Jane Roe")).await;
    let (client, id) = (world.client(), world.job_id());
    for _ in 0..3 {
        client.put_job(&access(), id, WORKFLOW, entry, "key").await.unwrap();
    }
    world.finished(id).await;
    let again = client.put_job(&access(), id, WORKFLOW, entry, "key").await.unwrap();
    assert_eq!(again.progress, JobProgress::Succeeded, "the original job is answered");
    world.receiver.next().await;
    world.send(&document("F-2", "Jane Roe")).await;
    assert_ne!(world.receiver.next().await.1["transform_job_id"], json!(id.uuid()), "it ran once");
    let other = client.put_job(&access(), id, WORKFLOW, entry, "other key").await.unwrap_err();
    assert_eq!(other, ProviderError::Conflict);
    let taken = client.put_job(&access(), world.job_id(), WORKFLOW, entry, "key").await.unwrap_err();
    assert_eq!(taken, ProviderError::Conflict);
}

#[tokio::test]
async fn a_job_needs_a_known_entry_and_workflow() {
    let world = World::start().await;
    let entry = world.store(&document("F-1", "Jane Roe")).await;
    let client = world.client();
    for (workflow, entry) in [(Uuid::nil(), entry), (WORKFLOW, world.entry_id())] {
        let error = client.put_job(&access(), world.job_id(), workflow, entry, "").await.unwrap_err();
        assert_eq!(error, ProviderError::NotFound);
    }
    for body in [
        json!({"silo_entry_id": entry.uuid()}),
        json!({"workflow_id": "x", "silo_entry_id": entry.uuid()}),
        json!({"workflow_id": WORKFLOW}),
        json!({"workflow_id": WORKFLOW, "silo_entry_id": entry.uuid(), "tags": 7}),
        json!({"workflow_id": WORKFLOW, "silo_entry_id": entry.uuid(), "data": {}}),
    ] {
        let (status, answer) = world.json(&job_line(world.job_id()), &body).await;
        assert_eq!((status, answer["fields"].is_object()), (422, true), "{body}");
    }
    assert_eq!(client.get_job(&access(), world.job_id()).await.unwrap_err(), ProviderError::NotFound);
}

#[tokio::test]
async fn a_fresh_identifier_is_one_the_provider_takes() {
    let world = World::start().await;
    let (status, body) = world.json("GET /utils/v1/uuid?v=7", &json!({})).await;
    let id: Uuid = body["uuid"].as_str().unwrap().parse().unwrap();
    assert_eq!((status, id.get_version_num()), (200, 7));
    assert_eq!(world.json("GET /utils/v1/uuid?v=4", &json!({})).await.0, 422);
}
