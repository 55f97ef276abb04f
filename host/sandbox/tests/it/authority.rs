//! What the authority behind the stand-in remembers, and what jobs and entries tell about its answers.

use crate::harness::{TOKEN, WEBHOOK_TOKEN, World, document};
use gateway_domain_finance::ports::JobProgress;
use gateway_storage::Engine;
use serde_json::{Value, json};

fn codes(job: &gateway_domain_finance::ports::Job) -> Vec<&str> {
    job.faults.iter().filter_map(|fault| fault.code.as_deref()).collect()
}

fn stamp(entry: &gateway_domain_finance::ports::Entry, name: &str) -> String {
    entry.stamps.iter().find(|stamp| stamp.provider == name).unwrap().value.clone()
}

#[tokio::test]
async fn an_accepted_document_is_stamped_and_notified_on_both_engines() {
    for engine in [Engine::Sqlite, Engine::Postgres] {
        let mut world = World::on(engine).await;
        let (entry, job) = world.send(&document("F-1", "Jane Roe")).await;
        assert_eq!(job.progress, JobProgress::Succeeded);
        assert_eq!(job.faults, []);
        let stored = world.entry(entry).await;
        assert_eq!(stamp(&stored, "test-qr"), "https://qr/B98602642/F-1");
        let raw: Value = serde_json::from_str(&stored.raw).unwrap();
        assert_eq!((&raw["state"], &raw["signed"]), (&json!("sent"), &json!(true)));
        assert_eq!(raw["versions"].as_array().unwrap().len(), 2);

        let (bearer, notification) = world.receiver.next().await;
        assert_eq!(bearer, Some(format!("Bearer {WEBHOOK_TOKEN}")));
        assert_eq!(notification["silo_entry_id"], json!(entry.uuid()));
        assert_eq!(notification["transform_job_id"], json!(job.id));
        assert_eq!(notification["key"], json!(job.id.to_string()));
        assert_eq!(notification["owner_id"], json!("0190c2a8-0000-7000-8000-00000000000a"));
        assert_eq!((&notification["args"], &notification["faults"]), (&json!({}), &json!([])));
        let members: Vec<_> = notification.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(
            members,
            ["id", "event", "transform_job_id", "silo_entry_id", "owner_id", "key", "args", "faults"]
        );
    }
}

#[tokio::test]
async fn the_payload_to_the_authority_can_be_looked_at() {
    let world = World::start().await;
    let (entry, _) = world.send(&document("F-1", "Jane Roe")).await;
    let raw: Value = serde_json::from_str(&world.entry(entry).await.raw).unwrap();
    let file = &raw["attachments"][0];
    assert_eq!((&file["category"], &file["mime"]), (&json!("request"), &json!("application/xml")));
    let line = format!("GET /silo/v1/entries/{entry}/files/{} HTTP/1.1", file["id"].as_str().unwrap());
    let (status, _) = world.raw(&format!("{line}\r\nauthorization: Bearer {TOKEN}"), "").await;
    assert_eq!(status, 200);
    assert_eq!(
        file["url"],
        json!(format!("/silo/v1/entries/{entry}/files/{}", file["id"].as_str().unwrap()))
    );
    assert_eq!(file["hash"].as_str().unwrap().len(), 64);
}

#[tokio::test]
async fn what_the_authority_writes_back_is_a_file_of_the_entry() {
    let world = World::start().await;
    let (entry, _) = world.send(&document("F-1", "Jane SANDBOX-REJECT-1110")).await;
    let raw: Value = serde_json::from_str(&world.entry(entry).await.raw).unwrap();
    let categories: Vec<_> =
        raw["attachments"].as_array().unwrap().iter().map(|file| &file["category"]).collect();
    assert_eq!(categories, ["request", "response"]);
    let file = &raw["attachments"][1];
    assert_eq!((&file["name"], &file["mime"]), (&json!("answer.xml"), &json!("application/xml")));
    let id = file["id"].as_str().unwrap().parse().unwrap();
    assert_eq!(world.file(entry, id).await, "<answer accepted=\"false\"/>");
    let line = format!("GET /sandbox/v1/entries/{entry}/messages HTTP/1.1");
    let (_, record) = world.raw(&format!("{line}\r\nauthorization: Bearer {TOKEN}"), "").await;
    let answers = record["answers"].as_array().unwrap();
    assert_eq!((answers.len(), &answers[0]["file_id"]), (1, &file["id"]));
    assert_eq!(answers[0]["data"], json!("<answer accepted=\"false\"/>"));
}

#[tokio::test]
async fn every_message_to_the_authority_stands_beside_the_document_with_its_answer() {
    let world = World::start().await;
    let (entry, _) = world.send(&document("F-1", "Jane SANDBOX-REJECT-1110")).await;
    let patch = json!({"data": {"customer": {"name": "Jane Roe"}}});
    world.json(&format!("PATCH /silo/v1/entries/{entry}"), &patch).await;
    world.finished(world.submit(entry).await).await;
    let line = format!("GET /sandbox/v1/entries/{entry}/messages HTTP/1.1");
    let (status, record) = world.raw(&format!("{line}\r\nauthorization: Bearer {TOKEN}"), "").await;
    assert_eq!(status, 200);
    assert_eq!((&record["state"], &record["structured"]["code"]), (&json!("sent"), &json!("F-1")));
    let messages = record["messages"].as_array().unwrap();
    let outcomes: Vec<_> = messages.iter().map(|one| (&one["accepted"], &one["codes"])).collect();
    assert_eq!(outcomes, [(&json!(false), &json!(["1110"])), (&json!(true), &json!([]))]);
    assert!(messages.iter().all(|one| one["data"].as_str().unwrap().starts_with("<record at=")));
    let (status, _) = world.raw(&line, "").await;
    assert_eq!(status, 401);
}

#[tokio::test]
async fn records_of_a_supplier_form_one_chain() {
    let world = World::start().await;
    let mut hash = String::new();
    // Those that are due together are asked about together, in any order.
    for code in ["F-1", "F-2", "F-3"] {
        let entry = world.store(&document(code, "Jane Roe")).await;
        let job = world.submit(entry).await;
        assert_eq!(world.finished(job).await.progress, JobProgress::Succeeded);
        hash = stamp(&world.entry(entry).await, "test-hash");
    }
    assert_eq!(hash, "B98602642/F-3 after B98602642/F-2 after B98602642/F-1 after nothing");
    let mut other = document("F-1", "Jane Roe");
    other["supplier"]["tax_id"]["code"] = json!("B85905495");
    let (entry, _) = world.send(&other).await;
    assert_eq!(stamp(&world.entry(entry).await, "test-hash"), "B85905495/F-1 after nothing");
}

#[tokio::test]
async fn a_number_that_was_accepted_before_is_refused() {
    let world = World::start().await;
    world.send(&document("F-1", "Jane Roe")).await;
    let (entry, job) = world.send(&document("F-1", "John Doe")).await;
    assert_eq!(job.progress, JobProgress::Failed);
    assert_eq!(codes(&job), ["3000"]);
    let stored = world.entry(entry).await;
    assert_eq!(stored.stamps, []);
    assert_eq!(stored.faults[0].code.as_deref(), Some("3000"));
    let raw: Value = serde_json::from_str(&stored.raw).unwrap();
    assert_eq!(raw["state"], json!("error"));
}

#[tokio::test]
async fn changing_the_number_of_an_accepted_document_fails_with_3002() {
    let world = World::start().await;
    let (entry, _) = world.send(&document("F-1", "Jane Roe")).await;
    let patched = json!({"content_type": "application/merge-patch+json", "data": {"code": "F-2"}});
    let (status, _) = world.json(&format!("PATCH /silo/v1/entries/{entry}"), &patched).await;
    assert_eq!(status, 200);
    let job = world.finished(world.submit(entry).await).await;
    assert_eq!(job.progress, JobProgress::Failed);
    assert_eq!(codes(&job), ["3002"]);
}

#[tokio::test]
async fn a_rejected_document_can_be_corrected_and_sent_again() {
    let world = World::start().await;
    let (entry, job) = world.send(&document("F-1", "Jane SANDBOX-REJECT-1110")).await;
    assert_eq!(codes(&job), ["1110"]);
    let patch = json!({"data": {"code": "F-2", "customer": {"name": "Jane Roe"}}});
    world.json(&format!("PATCH /silo/v1/entries/{entry}"), &patch).await;
    assert_eq!(world.finished(world.submit(entry).await).await.progress, JobProgress::Succeeded);
    assert_eq!(stamp(&world.entry(entry).await, "test-hash"), "B98602642/F-2 after nothing");
}

#[tokio::test]
async fn a_refused_record_that_the_regime_keeps_has_its_place_in_the_chain() {
    let world = World::start().await;
    let (_, refused) = world.send(&document("F-1", "Jane SANDBOX-REJECT-1999")).await;
    assert_eq!(refused.progress, JobProgress::Failed);
    let (next, _) = world.send(&document("F-2", "Jane Roe")).await;
    assert_eq!(
        stamp(&world.entry(next).await, "test-hash"),
        "B98602642/F-2 after B98602642/F-1 after nothing"
    );
    let (_, again) = world.send(&document("F-1", "Jane Roe")).await;
    assert_eq!(codes(&again), ["3000"], "the regime was told what it kept");
}

#[tokio::test]
async fn an_acceptance_with_remarks_keeps_them_on_the_job() {
    let world = World::start().await;
    let (entry, job) = world.send(&document("F-1", "Jane SANDBOX-REJECT-2001")).await;
    assert_eq!(job.progress, JobProgress::Succeeded);
    assert_eq!(codes(&job), ["2001"]);
    assert_eq!(world.entry(entry).await.stamps.len(), 2);
}

#[tokio::test]
async fn a_regime_without_an_authority_ends_in_a_failed_step_of_the_sandbox() {
    let mut world = World::start().await;
    for addons in [json!(["xx-unknown-v1"]), json!([]), json!(["test-broken-v1"])] {
        let mut silent = document("F-1", "Jane Roe");
        silent["$addons"] = addons;
        let (entry, job) = world.send(&silent).await;
        assert_eq!(job.progress, JobProgress::Failed);
        let who: Vec<_> = job.faults.iter().map(|fault| (fault.provider.as_deref(), &fault.code)).collect();
        assert_eq!(who, [(Some("sandbox"), &None)], "not the document's fault, nor the authority's");
        let raw: Value = serde_json::from_str(&job.raw).unwrap();
        assert_eq!((&raw["faults"], &raw["intents"][1]["provider"]), (&json!([]), &json!("sandbox")));
        let last = raw["intents"].as_array().unwrap().last().unwrap()["events"]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .clone();
        assert_eq!(last["status"], json!("KO"));
        assert!(!last["message"].as_str().unwrap().is_empty());
        assert_eq!(world.entry(entry).await.stamps, []);
        assert_eq!(world.receiver.next().await.1["event"], json!("job-failed"));
    }
}

#[tokio::test]
async fn a_document_the_regime_cannot_file_fails_with_its_faults() {
    let world = World::start().await;
    let mut ugly = document("F-1", "Jane Roe");
    ugly["$addons"] = json!(["test-picky-v1"]);
    let (_, job) = world.send(&ugly).await;
    assert_eq!(codes(&job), ["PICKY-01"]);
    assert_eq!(job.faults[0].paths, ["/code"]);
}
