//! Documents as drafts: saved, read, listed, deleted; and who sees them.

use gateway_tests::{Options, World, fresh_uuid, line, on_both};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const LIST: &str = "/invoicing/rpc/documents";

fn path(uuid: &str) -> String {
    format!("{LIST}/{uuid}")
}

/// The document of the contract.
fn of_the_contract(workspace: i64) -> Value {
    json!({"workspace_id": workspace, "document_type": "invoice", "currency": "EUR", "booking_id": null,
        "issue_date": "2026-11-20", "operation_date": null, "prices_include_tax": true,
        "recipient": {"type": "individual", "name": "Jane Roe",
            "identity_document": {"type": "passport", "number": "123456789", "country": "GB"},
            "address": {"street": "1 High St", "locality": "Leeds", "region": null, "postcode": "LS1 1AA", "country": "GB"},
            "email": null},
        "lines": [
            {"description": "Studio, 3 nights", "quantity": "3", "unit_price": "89.90", "tax": {"category": "VAT", "rate": "10.0"}},
            {"description": "Loyalty", "quantity": "1", "unit_price": "-10.00", "tax": {"category": "VAT", "rate": "10.0"}},
            {"description": "Rent of a dwelling", "quantity": "1", "unit_price": "500.00", "tax": {"category": "VAT", "exemption": "article_20"}}],
        "retentions": [], "referenced_document_ids": [], "notes": null})
}

#[tokio::test]
async fn a_draft_is_created_replaced_read_and_deleted() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let (uuid, sent) = (fresh_uuid(), of_the_contract(world.workspace));
        let created = world.api.put(&path(&uuid), &sent).await.expect(201);
        for (name, value) in sent.as_object().unwrap() {
            if !["recipient", "lines"].contains(&name.as_str()) {
                assert_eq!(&created[name], value, "{name}");
            }
        }
        assert_eq!(created["recipient"]["identity_document"], sent["recipient"]["identity_document"]);
        assert_eq!(created["recipient"]["address"], sent["recipient"]["address"]);
        assert_eq!((&created["uuid"], &created["status"]), (&json!(uuid), &json!("draft")));
        assert_eq!(created["send_to_tax_authority"], json!(false));
        for absent in ["display_document_number", "display_invoice_number", "issuing_at", "issued_at",
            "rejected_by_tax_authority_at", "rejection_reason", "acceptance"]
        {
            assert!(created.as_object().unwrap().contains_key(absent), "{absent} is shown");
            assert_eq!(created[absent], Value::Null, "{absent}");
        }
        assert_eq!(created["totals"], json!({
            "net": "736.09", "tax": "23.61", "gross": "759.70", "retained": "0.00", "payable": "759.70",
            "rates": [
                {"category": "VAT", "rate": "10.0", "exemption": null, "surcharge": null, "base": "236.09", "amount": "23.61"},
                {"category": "VAT", "rate": null, "exemption": "article_20", "surcharge": null, "base": "500.00", "amount": "0.00"}]}));
        assert_eq!(world.read(&uuid).await, created);
        let mut edited = sent.clone();
        edited["notes"] = json!("Thank you");
        let replaced = world.api.put(&path(&uuid), &edited).await.expect(200);
        assert_eq!(replaced["notes"], "Thank you");
        assert!(replaced["version"].as_i64() > created["version"].as_i64());
        assert_eq!(world.api.delete(&path(&uuid)).await.status, 204);
        assert_eq!(world.api.get(&path(&uuid)).await.fields(410), ["uuid"]);
        assert_eq!(world.api.delete(&path(&uuid)).await.fields(410), ["uuid"]);
    })
    .await;
}

#[tokio::test]
async fn terms_of_payment_periods_and_members_of_a_tax_system_are_shown_where_they_were_said() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let (uuid, plain) = (fresh_uuid(), of_the_contract(world.workspace));
        let mut full = plain.clone();
        full["payment"] = json!({"due_date": "2026-12-20", "note": "By transfer"});
        full["ext"] = json!({"regime": "05"});
        full["lines"][0]["period"] = json!({"start": "2026-11-17", "end": "2026-11-19"});
        full["lines"][0]["ext"] = json!({"es-verifactu-regime": "01"});
        let created = world.api.put(&path(&uuid), &full).await.expect(201);
        for member in ["/payment", "/ext", "/lines/0/period", "/lines/0/ext"] {
            assert_eq!(created.pointer(member), full.pointer(member), "{member}");
        }
        assert_eq!(world.read(&uuid).await, created);
        let replaced = world.api.put(&path(&uuid), &plain).await.expect(200);
        for member in ["/payment", "/ext", "/lines/0/period", "/lines/0/ext"] {
            assert_eq!(replaced.pointer(member), None, "{member}");
        }
    })
    .await;
}

#[tokio::test]
async fn the_shortest_document_is_enough_and_shows_what_was_left_out() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let shortest = json!({"workspace_id": world.workspace, "document_type": "receipt", "currency": "EUR", "prices_include_tax": false});
        let created = world.api.put(&path(&fresh_uuid()), &shortest).await.expect(201);
        for null in ["booking_id", "issue_date", "operation_date", "recipient", "notes"] {
            assert_eq!(created[null], Value::Null, "{null}");
        }
        for empty in ["lines", "retentions", "referenced_document_ids"] {
            assert_eq!(created[empty], json!([]), "{empty}");
        }
        assert_eq!(created["totals"]["payable"], "0.00");
    })
    .await;
}

#[tokio::test]
async fn uuids_are_the_same_whatever_their_spelling() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        world.api.get(&path(&uuid.to_uppercase())).await.expect(200);
        world.api.put(&path(&uuid.to_uppercase()), world.document().json()).await.expect(200);
        let page = world.api.get(LIST).await.expect(200);
        assert_eq!(page["nodes"].as_array().unwrap().len(), 1);
        assert_eq!(page["nodes"][0]["uuid"], json!(uuid));
    })
    .await;
}

#[tokio::test]
async fn an_edit_of_an_old_version_changes_nothing() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let read = world.read(&uuid).await;
        let version = read["version"].as_i64().unwrap().to_string();
        let put = |version: String, notes: &str| {
            let body = world.document().with("notes", json!(notes)).json().to_string().into_bytes();
            let (api, path) = (world.api.clone(), path(&uuid));
            async move {
                let headers = [("content-type", "application/json"), ("if-match", version.as_str())];
                api.send("PUT", &path, &headers, Some(body)).await
            }
        };
        put(version.clone(), "first").await.expect(200);
        assert_eq!(put(version.clone(), "second").await.errors(412).len(), 1);
        assert_eq!(world.read(&uuid).await["notes"], "first");
        let answer = world.api.send("DELETE", &path(&uuid), &[("if-match", &version)], None).await;
        assert_eq!(answer.errors(412).len(), 1);
        let now = world.read(&uuid).await["version"].as_i64().unwrap();
        put(format!("\"{now}\""), "third").await.expect(200);
        // A document that is not there has no version to match.
        let body = Some(world.document().json().to_string().into_bytes());
        let headers = [("content-type", "application/json"), ("if-match", "1")];
        assert_eq!(world.api.send("PUT", &path(&fresh_uuid()), &headers, body).await.errors(412).len(), 1);
    })
    .await;
}

#[tokio::test]
async fn what_a_document_shows_may_be_sent_back_with_the_edit() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = fresh_uuid();
        let mut sent = of_the_contract(world.workspace);
        sent["uuid"] = json!(uuid);
        let mut view = world.api.put(&path(&uuid), &sent).await.expect(201);
        view["notes"] = json!("Thank you");
        let edited = world.api.put(&path(&uuid), &view).await.expect(200);
        assert_eq!((&edited["notes"], &edited["totals"]), (&json!("Thank you"), &view["totals"]));
        // What was read before the edit is of an old version.
        assert_eq!(world.api.put(&path(&uuid), &view).await.errors(412).len(), 1);
        let mut claimed = edited.clone();
        claimed["status"] = json!("issued");
        claimed["totals"]["payable"] = json!("0.00");
        assert_eq!(world.api.put(&path(&uuid), &claimed).await.fields(422), ["status", "totals"]);
        let another = world.api.put(&path(&fresh_uuid()), &edited).await.fields(422);
        assert!(
            ["uuid", "status", "totals", "version"].iter().all(|name| another.contains(&(*name).to_owned()))
        );
        assert_eq!(world.read(&uuid).await, edited);
    })
    .await;
}

#[tokio::test]
async fn an_edit_may_say_that_the_document_is_there_or_that_it_is_not() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let body = world.document().json().to_string().into_bytes();
        let put = |uuid: &str, name: &'static str, value: &'static str| {
            let (api, path, body) = (world.api.clone(), path(uuid), body.clone());
            async move {
                api.send("PUT", &path, &[("content-type", "application/json"), (name, value)], Some(body))
                    .await
            }
        };
        let uuid = fresh_uuid();
        assert_eq!(put(&uuid, "if-match", "*").await.errors(412).len(), 1);
        assert_eq!(put(&uuid, "if-none-match", "\"1\"").await.errors(400).len(), 1);
        let made = futures::future::join_all((0..8).map(|_| put(&uuid, "if-none-match", "*"))).await;
        let mut statuses: Vec<_> = made.iter().map(|answer| answer.status).collect();
        statuses.sort_unstable();
        assert_eq!(statuses, [&[201][..], &[412; 7]].concat());
        put(&uuid, "if-match", "*").await.expect(200);
        assert_eq!(put(&uuid, "if-none-match", "*").await.errors(412).len(), 1);
        assert_eq!(world.read(&uuid).await["version"], 2);
    })
    .await;
}

#[tokio::test]
async fn one_of_many_concurrent_edits_of_a_version_succeeds() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let version = world.read(&uuid).await["version"].as_i64().unwrap().to_string();
        let edits = (0..12).map(|edit| {
            let body = world.document().with("notes", json!(format!("edit {edit}"))).json().to_string();
            let (api, path, version) = (world.api.clone(), path(&uuid), version.clone());
            async move {
                let headers = [("content-type", "application/json"), ("if-match", version.as_str())];
                api.send("PUT", &path, &headers, Some(body.into_bytes())).await.status
            }
        });
        let mut statuses = futures::future::join_all(edits).await;
        statuses.sort_unstable();
        assert_eq!(statuses, [&[200][..], &[412; 11]].concat());
    })
    .await;
}

#[tokio::test]
async fn pages_show_every_document_once_while_others_are_added() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let mut made = BTreeSet::new();
        for _ in 0..7 {
            made.insert(world.draft(&world.document()).await);
        }
        let (mut listed, mut after, mut pages) = (Vec::new(), None::<String>, 0);
        loop {
            let cursor = after.map(|cursor| format!("&after={cursor}")).unwrap_or_default();
            let page = world
                .api
                .get(&format!("{LIST}?workspace_id={}&first=3{cursor}", world.workspace))
                .await
                .expect(200);
            let nodes = page["nodes"].as_array().unwrap();
            assert!(nodes.len() <= 3);
            listed.extend(nodes.iter().map(|node| node["uuid"].as_str().unwrap().to_owned()));
            pages += 1;
            let info = &page["page_info"];
            if info["has_next_page"] == json!(false) {
                break;
            }
            after = info["end_cursor"].as_str().map(str::to_owned);
            // Somebody adds one and edits one while we read.
            if pages == 1 {
                made.insert(world.draft(&world.document()).await);
                world
                    .put_draft(&listed[0], &world.document().with("notes", json!("moved?")))
                    .await
                    .expect(200);
            }
        }
        assert_eq!(listed.len(), made.len(), "every document once");
        assert_eq!(listed.into_iter().collect::<BTreeSet<_>>(), made);
    })
    .await;
}

#[tokio::test]
async fn the_newest_come_first_where_that_is_asked_for() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let mut made = Vec::new();
        for _ in 0..5 {
            made.insert(0, world.draft(&world.document()).await);
        }
        let (mut found, mut cursor) = (Vec::new(), String::new());
        loop {
            let path = format!("{LIST}?workspace_id={}&first=2&sort=-created{cursor}", world.workspace);
            let page = world.api.get(&path).await.expect(200);
            found.extend(page["nodes"].as_array().unwrap().iter().map(|node| node["uuid"].clone()));
            let info = &page["page_info"];
            if info["has_next_page"] == json!(false) {
                break;
            }
            cursor = format!("&after={}", info["end_cursor"].as_str().unwrap());
        }
        assert_eq!(json!(found), json!(made));
        let oldest = world.api.get(&format!("{LIST}?first=1&sort=created")).await.expect(200);
        assert_eq!(oldest["nodes"][0]["uuid"], json!(made.last()));
    })
    .await;
}

#[tokio::test]
async fn a_page_has_at_most_25_documents_and_bad_parameters_are_named() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        for _ in 0..27 {
            world.draft(&world.document()).await;
        }
        for first in ["", "?first=25", "?first=26", "?first=100000"] {
            let page = world.api.get(&format!("{LIST}{first}")).await.expect(200);
            assert_eq!(page["nodes"].as_array().unwrap().len(), 25, "{first}");
            assert_eq!(page["page_info"]["has_next_page"], json!(true));
        }
        for (query, field) in [
            ("first=0", "first"),
            ("first=-1", "first"),
            ("first=x", "first"),
            ("after=nonsense", "after"),
            ("after=MQ", "after"),
            ("status=open", "status"),
            ("workspace_id=x", "workspace_id"),
            ("booking_id=7", "booking_id"),
            ("updated_after=yesterday", "updated_after"),
            ("sort=name", "sort"),
            ("colour=red", "colour"),
        ] {
            assert_eq!(world.api.get(&format!("{LIST}?{query}")).await.fields(422), [field], "{query}");
        }
    })
    .await;
}

#[tokio::test]
async fn filters_find_what_they_say() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let other = world.another_workspace(&["--tax-id", "A58818501"]).await;
        let booking = fresh_uuid();
        let booked = world.draft(&world.document().with("booking_id", json!(booking))).await;
        let remote_service = world.draft(&gateway_tests::Document::of(other)).await;
        let issued = world.draft(&world.document()).await;
        let number = world.rpc(&issued, "issue").await.expect(200)["display_invoice_number"]
            .as_str()
            .unwrap()
            .to_owned();
        let found = |query: String| {
            let api = world.api.clone();
            async move {
                let page = api.get(&format!("{LIST}?{query}")).await.expect(200);
                let nodes = page["nodes"].as_array().unwrap().clone();
                nodes.iter().map(|node| node["uuid"].as_str().unwrap().to_owned()).collect::<BTreeSet<_>>()
            }
        };
        let set = |uuids: &[&String]| uuids.iter().map(|&uuid| uuid.clone()).collect::<BTreeSet<_>>();
        assert_eq!(found(format!("workspace_id={other}")).await, set(&[&remote_service]));
        assert_eq!(found(format!("booking_id={booking}")).await, set(&[&booked]));
        assert_eq!(found("status=issued".to_owned()).await, set(&[&issued]));
        assert_eq!(found(format!("number={number}")).await, set(&[&issued]));
        assert_eq!(found(format!("number={number}&status=draft")).await, set(&[]));
        let updated = world.read(&issued).await["issued_at"].as_str().unwrap().to_owned();
        assert!(!found(format!("updated_after={updated}")).await.contains(&booked));
        assert_eq!(found("updated_after=2000-01-01T00:00:00Z".to_owned()).await.len(), 3);
        assert_eq!(found("workspace_id=999999".to_owned()).await, set(&[]));
    })
    .await;
}

#[tokio::test]
async fn a_document_of_another_workspace_looks_like_none() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let other = world.another_workspace(&["--tax-id", "A58818501"]).await;
        let stranger = world
            .as_client(&["invoicing.rpc", "finance.rpc", "finance.verdict"], &[&other.to_string()])
            .await;
        let uuid = world.draft(&world.document()).await;
        let unknown = fresh_uuid();
        for uuid in [&uuid, &unknown] {
            assert_eq!(stranger.get(&path(uuid)).await.fields(410), ["uuid"]);
            assert_eq!(stranger.delete(&path(uuid)).await.fields(410), ["uuid"]);
            for call in ["issuing", "issue", "reject"] {
                assert_eq!(
                    stranger.put_empty(&format!("{}/{call}", path(uuid))).await.fields(410),
                    ["uuid"],
                    "{call}"
                );
            }
            for view in ["", "/events", "/submission", "/structured"] {
                let answer = stranger.get(&format!("/finance/rpc/documents/{uuid}{view}")).await;
                assert_eq!(answer.fields(410), ["uuid"], "{view}");
            }
            let issue =
                stranger.post(&format!("/finance/rpc/documents/{uuid}/commands/issue"), &json!({})).await;
            assert_eq!(issue.fields(410), ["uuid"]);
            assert_eq!(
                stranger.post(&format!("/finance/rpc/submissions/{uuid}/retry"), &json!({})).await.status,
                410
            );
        }
        // Nor can it be taken over, nor can a document be put into a workspace that is not the client's.
        let own = gateway_tests::Document::of(other);
        assert_eq!(stranger.put(&path(&uuid), own.json()).await.fields(410), ["uuid"]);
        assert_eq!(
            stranger.put(&path(&fresh_uuid()), world.document().json()).await.fields(422),
            ["workspace_id"]
        );
        assert_eq!(stranger.get(LIST).await.expect(200)["nodes"], json!([]));
        assert_eq!(stranger.get("/invoicing/rpc/events").await.expect(200)["events"], json!([]));
        assert_eq!(world.read(&uuid).await["workspace_id"], json!(world.workspace));
        stranger.put(&path(&fresh_uuid()), own.json()).await.expect(201);
    })
    .await;
}

#[tokio::test]
async fn a_document_stays_in_its_workspace() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let other = world.another_workspace(&["--tax-id", "A58818501"]).await;
        let uuid = world.draft(&world.document()).await;
        let moved = world.api.put(&path(&uuid), gateway_tests::Document::of(other).json()).await;
        assert!([410, 422].contains(&moved.status), "{moved:?}");
        assert_eq!(world.read(&uuid).await["workspace_id"], json!(world.workspace));
    })
    .await;
}

#[tokio::test]
async fn every_change_is_an_event_of_the_feed_in_order() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        world
            .put_draft(&uuid, &world.document().with("lines", json!([line("B", "2", "5.00", "21.0")])))
            .await
            .expect(200);
        world.rpc(&uuid, "issuing").await.expect(200);
        world.rpc(&uuid, "reject").await.expect(200);
        world.rpc(&uuid, "issuing").await.expect(200);
        world.rpc(&uuid, "issue").await.expect(200);
        let gone = world.draft(&world.document()).await;
        world.api.delete(&path(&gone)).await;
        let (mut all, mut next) = (Vec::new(), "0".to_owned());
        let deadline = std::time::Instant::now() + gateway_tests::TIMEOUT;
        while all.len() < 8 && std::time::Instant::now() < deadline {
            let page =
                world.api.get(&format!("/invoicing/rpc/events?after={next}&limit=3")).await.expect(200);
            all.extend(page["events"].as_array().unwrap().clone());
            next = page["next"].as_str().unwrap().to_owned();
        }
        let of = |subject: &str| {
            let of_it = all.iter().filter(|event| event["subject"] == json!(subject));
            of_it.map(|event| event["type"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(
            of(&uuid),
            [
                "DocumentSaved",
                "DocumentSaved",
                "DocumentIssuing",
                "DocumentRejected",
                "DocumentIssuing",
                "DocumentIssued"
            ]
        );
        assert_eq!(of(&gone), ["DocumentSaved", "DocumentDeleted"]);
        let ids: BTreeSet<_> = all.iter().map(|event| event["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), all.len());
        for event in &all {
            assert_eq!((&event["specversion"], &event["source"]), (&json!("1.0"), &json!("/invoicing")));
            assert!(
                event["time"].is_string() && event["data"].is_object() && !event["sequence"].is_null(),
                "{event}"
            );
        }
    })
    .await;
}
