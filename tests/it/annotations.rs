//! What people keep beside documents: over HTTP, from the command line, in the console.

use gateway_tests::{Answer, Browser, Options, World, fresh_uuid, on_both};
use serde_json::{Value, json};

fn annotations_path(uuid: &str) -> String {
    format!("/invoicing/rpc/documents/{uuid}/annotations")
}

fn attachment_path(uuid: &str, id: &str) -> String {
    format!("/invoicing/rpc/documents/{uuid}/attachments/{id}")
}

/// Attaches a file under a name that stands in an address as it is.
async fn attach(world: &World, uuid: &str, (id, name): (&str, &str), content: &[u8]) -> Answer {
    let path = format!("{}?name={name}", attachment_path(uuid, id));
    let headers = [("Content-Type", "application/pdf; version=1.7")];
    world.api.send("PUT", &path, &headers, Some(content.to_vec())).await
}

/// Who did what to a document, the newest first.
async fn trail(world: &World, uuid: &str) -> Vec<Value> {
    let admin = world.as_client(&["admin"], &["*"]).await;
    let page = admin.get(&format!("/admin/audit?subject=document:{uuid}")).await.expect(200);
    page["nodes"].as_array().unwrap().clone()
}

#[tokio::test]
async fn an_issued_document_is_annotated_at_any_time_and_stays_what_it_was() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        let events = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
        let nothing = json!({
            "note": null, "tags": [], "attachments": [], "version": 0, "actor": null, "updated_at": null,
        });
        assert_eq!(world.api.get(&annotations_path(&uuid)).await.expect(200), nothing);

        let body =
            json!({"note": " The company pays after the audit. ", "tags": ["audit-2026", "key account"]});
        let set = world.api.put(&annotations_path(&uuid), &body).await;
        assert_eq!(set.header("etag"), "\"1\"");
        let set = set.expect(200);
        assert_eq!((&set["note"], &set["version"]), (&json!("The company pays after the audit."), &json!(1)));
        assert_eq!(
            world.api.put(&annotations_path(&uuid), &body).await.expect(200),
            set,
            "the same again is nothing new"
        );
        let stale = [("If-Match", "\"0\""), ("Content-Type", "application/json")];
        let late =
            world.api.send("PUT", &annotations_path(&uuid), &stale, Some(b"{\"tags\":[]}".to_vec())).await;
        assert_eq!(late.fields(412), ["version"]);
        let changed =
            world.api.put(&annotations_path(&uuid), &json!({"tags": ["audit-2026"]})).await.expect(200);
        assert_eq!((&changed["note"], &changed["tags"]), (&Value::Null, &json!(["audit-2026"])));

        assert_eq!(world.read(&uuid).await, issued, "the document, its version and its times");
        let after = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
        assert_eq!(after, events, "nobody is told");
        let recorded = trail(&world, &uuid).await;
        assert_eq!(recorded.len(), 2, "{recorded:?}");
        let data = json!({"note_changed": true, "tags_added": [], "tags_removed": ["key account"]});
        assert_eq!((&recorded[0]["action"], &recorded[0]["data"]), (&json!("document.annotate"), &data));
        assert!(!recorded[1].to_string().contains("audit."), "what the note says stays beside the document");
    })
    .await;
}

#[tokio::test]
async fn files_are_kept_beside_a_document_byte_for_byte_until_they_are_taken_away() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        let (id, content) = (fresh_uuid(), b"%PDF-1.7 contract");
        let kept = attach(&world, &uuid, (&id, "Vertrag%20f%C3%BCr%207.pdf"), content).await.expect(201);
        assert_eq!((&kept["id"], &kept["name"]), (&json!(id), &json!("Vertrag für 7.pdf")));
        assert_eq!((&kept["media_type"], &kept["size"]), (&json!("application/pdf"), &json!(content.len())));
        let again = attach(&world, &uuid, (&id, "Vertrag%20f%C3%BCr%207.pdf"), content).await;
        assert_eq!(again.expect(200), kept, "the same again is nothing new");
        let other = attach(&world, &uuid, (&id, "other.pdf"), content).await;
        assert_eq!(other.fields(409), ["id"]);
        let listed = world.api.get(&annotations_path(&uuid)).await.expect(200);
        assert_eq!(listed["attachments"], json!([kept]));

        let read = world.api.get(&attachment_path(&uuid, &id)).await;
        assert_eq!((read.status, read.text.as_bytes()), (200, content.as_slice()));
        assert_eq!(read.header("content-type"), "application/pdf");
        assert_eq!(
            read.header("content-disposition"),
            "attachment; filename=\"Vertrag-f-r-7.pdf\"; filename*=UTF-8''Vertrag%20f%C3%BCr%207.pdf"
        );
        assert_eq!(world.api.delete(&attachment_path(&uuid, &id)).await.status, 204);
        assert_eq!(world.api.delete(&attachment_path(&uuid, &id)).await.fields(404), ["id"]);
        assert_eq!(world.api.get(&attachment_path(&uuid, &id)).await.fields(404), ["id"]);
        let actions: Vec<_> =
            trail(&world, &uuid).await.iter().map(|entry| entry["action"].clone()).collect();
        assert_eq!(actions, ["document.detach", "document.attach"]);
        // A draft takes along what is kept beside it.
        attach(&world, &uuid, (&id, "contract.pdf"), content).await.expect(201);
        world.api.put(&annotations_path(&uuid), &json!({"note": "late"})).await.expect(200);
        assert_eq!(world.api.delete(&format!("/invoicing/rpc/documents/{uuid}")).await.status, 204);
        world.api.get(&annotations_path(&uuid)).await.expect(410);
        world.api.get(&attachment_path(&uuid, &id)).await.expect(410);
    })
    .await;
}

#[tokio::test]
async fn what_cannot_be_kept_is_refused_with_every_mistake() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        let refused =
            world.api.put(&annotations_path(&uuid), &json!({"tags": ["", "a", "a"], "colour": "red"})).await;
        assert_eq!(refused.fields(422), ["colour"]);
        let refused = world.api.put(&annotations_path(&uuid), &json!({"tags": ["", "a", "a"]})).await;
        assert_eq!(refused.fields(422), ["tags[0]", "tags[2]"]);
        let id = fresh_uuid();
        for (name, content, fields) in [
            ("", b"x".as_slice(), vec!["name"]),
            ("..%2Fpasswd", b"x", vec!["name"]),
            ("a.pdf", b"", vec!["base"]),
        ] {
            let refused = attach(&world, &uuid, (&id, name), content).await;
            assert_eq!(refused.fields(422), fields, "{name}");
        }
        let path = format!("{}?name=a.pdf", attachment_path(&uuid, &id));
        let no_type = world.api.send("PUT", &path, &[], Some(b"x".to_vec())).await;
        assert_eq!(no_type.fields(422), ["media_type"]);
        let large = vec![7; (5 << 20) + 1];
        assert_eq!(attach(&world, &uuid, (&id, "a.pdf"), &large).await.fields(413), ["base"]);
        attach(&world, &uuid, (&id, "a.pdf"), &large[1..]).await.expect(201);
        for number in 1..20 {
            attach(&world, &uuid, (&fresh_uuid(), "b.pdf"), &[number]).await.expect(201);
        }
        assert_eq!(attach(&world, &uuid, (&fresh_uuid(), "c.pdf"), b"x").await.fields(422), ["base"]);

        for bad in [annotations_path("x"), attachment_path("x", &id), attachment_path(&uuid, "x")] {
            assert_eq!(world.api.get(&bad).await.status, 400, "{bad}");
        }
        world.api.put(&annotations_path("x"), &json!({})).await.expect(400);
        world.api.delete(&attachment_path(&uuid, "x")).await.expect(400);
        attach(&world, &uuid, ("x", "a.pdf"), b"x").await.expect(400);
        // Of others there is nothing.
        let stranger = world.as_client(&["invoicing.rpc"], &["4711"]).await;
        stranger.get(&annotations_path(&uuid)).await.expect(410);
        stranger.put(&annotations_path(&uuid), &json!({})).await.expect(410);
        stranger.get(&attachment_path(&uuid, &id)).await.expect(410);
        stranger.delete(&attachment_path(&uuid, &id)).await.expect(410);
        let headers = [("Content-Type", "text/plain")];
        stranger.send("PUT", &path, &headers, Some(b"x".to_vec())).await.expect(410);
    })
    .await;
}

#[tokio::test]
async fn an_operator_annotates_a_document_from_the_command_line() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.issue(&world.document()).await;
        let number = world.until(&uuid, "issued").await["display_invoice_number"].clone();
        let number = number.as_str().unwrap();
        let typed = ["invoice", "annotate", number, "--note", "Call them", "--tag", "audit", "--tag", "late"];
        let set = world.gateway.cli(&typed).await;
        assert!(set.succeeded().stdout.contains("Call them"), "{set:?}");
        world
            .gateway
            .cli(&["invoice", "annotate", &uuid, "--untag", "late", "--tag", "audit"])
            .await
            .succeeded();
        let nothing = world.gateway.cli(&["invoice", "annotate", &uuid]).await;
        assert!(nothing.code == 2 && nothing.stderr.contains("--note"), "{nothing:?}");
        let place = tempfile::tempdir().unwrap();
        let (file, copy) = (place.path().join("contract.txt"), place.path().join("copy.txt"));
        std::fs::write(&file, b"we\xff\0agree").unwrap();
        let (file, copy) = (file.to_str().unwrap(), copy.to_str().unwrap());
        let typed = ["invoice", "attach", &uuid, file, "--media-type", "text/plain", "--json"];
        let attached = world.gateway.cli(&typed).await.json();
        let id = attached["id"].as_str().unwrap();
        assert_eq!((&attached["name"], &attached["size"]), (&json!("contract.txt"), &json!(9)));
        world.gateway.cli(&["invoice", "attachment", &uuid, id, "--output", copy]).await.succeeded();
        assert_eq!(std::fs::read(copy).unwrap(), b"we\xff\0agree");
        let kept = world.gateway.cli(&["invoice", "annotations", number, "--json"]).await.json();
        assert_eq!((&kept["note"], &kept["tags"]), (&json!("Call them"), &json!(["audit"])));
        assert_eq!(kept, world.api.get(&annotations_path(&uuid)).await.expect(200));
        world.gateway.cli(&["invoice", "detach", &uuid, id]).await.succeeded();
        let gone = world.gateway.cli(&["invoice", "detach", &uuid, id]).await;
        assert!(gone.code == 1 && gone.stderr.contains("no such attachment"), "{gone:?}");
    })
    .await;
}

#[tokio::test]
async fn note_tags_and_files_are_changed_on_the_page_of_their_document() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        let page = format!("/console/invoices/{uuid}");
        let browser = async |permissions: &[&str]| {
            let client = world.another_client(permissions, &["*"]).await;
            Browser::signed_in(world.gateway.internal().base(), &client).await
        };
        let (clerk, reader) =
            (browser(&["console.read", "invoicing.rpc"]).await, browser(&["console.read"]).await);
        let fields =
            [("version", "0"), ("note", "<b>Call</b> them"), ("tags", "audit\r\n\r\nkey account\r\n")];
        let set = clerk.submit(&format!("{page}/annotations"), &fields).await;
        assert_eq!(
            (set.status, set.header("location")),
            (303, format!("{page}#annotations").as_str()),
            "{}",
            set.text
        );
        let late = clerk.submit(&format!("{page}/annotations"), &fields[..2]).await;
        assert!(late.status == 409 && late.text.contains("at version 1"), "{}", late.text);
        let kept = world.api.get(&annotations_path(&uuid)).await.expect(200);
        assert_eq!(
            (&kept["note"], &kept["tags"]),
            (&json!("<b>Call</b> them"), &json!(["audit", "key account"]))
        );

        let (id, token) = (fresh_uuid(), clerk.form_token());
        let fields = [("form_token", token.as_str()), ("attachment", id.as_str())];
        for _ in ["once", "again"] {
            let uploaded = clerk.upload(&format!("{page}/attachments"), &fields, ("file", b"contract")).await;
            assert_eq!(uploaded.status, 303, "{}", uploaded.text);
        }
        let (token, others) = (reader.form_token(), fresh_uuid());
        let fields = [("form_token", token.as_str()), ("attachment", others.as_str())];
        let refused = reader.upload(&format!("{page}/attachments"), &fields, ("file", b"contract")).await;
        assert!(refused.status == 403 && refused.text.contains("invoicing.rpc"), "{}", refused.text);
        let file = format!("{page}/attachments/{id}");
        let html = reader.get(&page).await.text;
        assert!(
            html.contains("&#60;b&#62;Call") && html.contains("key account") && html.contains(&file),
            "{html}"
        );
        assert!(!html.contains("Attach a file"), "who may not change it has no form: {html}");
        let read = reader.get(&file).await;
        assert_eq!((read.status, read.text.as_str()), (200, "contract"));
        assert!(read.header("content-disposition").starts_with("attachment"), "{read:?}");
        let refused = reader.submit(&format!("{file}/remove"), &[]).await;
        assert!(refused.status == 403 && refused.text.contains("invoicing.rpc"), "{}", refused.text);
        for _ in ["once", "again"] {
            assert_eq!(clerk.submit(&format!("{file}/remove"), &[]).await.status, 303);
        }
        assert_eq!(reader.get(&file).await.status, 404);
    })
    .await;
}
