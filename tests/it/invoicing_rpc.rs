//! The three calls of the invoice data service: every row of the specification's errors table, with its body.

use gateway_tests::{Options, World, fresh_uuid, on_both};
use serde_json::{Value, json};

fn members(body: &Value) -> Vec<&str> {
    body.as_object().unwrap().keys().map(String::as_str).collect()
}

#[tokio::test]
async fn issuing_reserves_a_number_and_locks_the_document() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        let body = world.rpc(&uuid, "issuing").await.expect(200);
        let document = world.read(&uuid).await;
        let number = world.number(&document, 1);
        assert_eq!(body, json!({"uuid": uuid, "display_invoice_number": number, "status": "issuing"}));
        assert_eq!(
            (&document["status"], &document["display_invoice_number"]),
            (&json!("issuing"), &json!(number))
        );
        assert_eq!(document["display_document_number"], document["display_invoice_number"]);
        assert!(document["issuing_at"].is_string() && document["issued_at"].is_null());
        // Nobody submits a document that finance did not move.
        assert_eq!(document["send_to_tax_authority"], json!(false));
    })
    .await;
}

#[tokio::test]
async fn issuing_and_issue_name_the_wrong_state() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        world.rpc(&uuid, "issuing").await.expect(200);
        assert_eq!(world.rpc(&uuid, "issuing").await.fields(422), ["status"]);
        world.rpc(&uuid, "issue").await.expect(200);
        assert_eq!(world.rpc(&uuid, "issuing").await.fields(422), ["status"]);
        assert_eq!(world.rpc(&uuid, "issue").await.fields(422), ["status"]);
        let rejected = world.draft(&world.document()).await;
        world.rpc(&rejected, "issuing").await.expect(200);
        world.rpc(&rejected, "reject").await.expect(200);
        assert_eq!(world.rpc(&rejected, "issue").await.fields(422), ["status"]);
        assert_eq!(world.read(&rejected).await["status"], "rejected");
    })
    .await;
}

#[tokio::test]
async fn an_unknown_document_is_gone() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        for call in ["issuing", "issue", "reject"] {
            assert_eq!(world.rpc(&fresh_uuid(), call).await.fields(410), ["uuid"], "{call}");
        }
    })
    .await;
}

#[tokio::test]
async fn documents_without_a_series_have_the_wrong_type() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        for kind in ["proforma", "receipt"] {
            let uuid = world.draft(&world.document().with("document_type", json!(kind))).await;
            for call in ["issuing", "issue"] {
                let body = world.rpc(&uuid, call).await.expect(422);
                assert_eq!(
                    body,
                    json!({"errors": [{"field": "base", "code": "invoiceInvalidDocumentType",
                        "message": "invoiceInvalidDocumentType"}]}),
                    "{kind} {call}"
                );
            }
            let failure = world.command(&uuid, "issue", &json!({})).await.expect(422);
            assert_eq!(failure["code"], "invoiceInvalidDocumentType", "{failure}");
            assert_eq!(world.read(&uuid).await["status"], "draft");
        }
    })
    .await;
}

#[tokio::test]
async fn a_document_without_lines_uses_no_number() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let empty = world.draft(&world.document().with("lines", json!([]))).await;
        for call in ["issuing", "issue"] {
            assert_eq!(world.rpc(&empty, call).await.fields(422), ["lines"], "{call}");
        }
        world.command(&empty, "issue", &json!({})).await.expect(422);
        assert_eq!(world.read(&empty).await["status"], "draft");
        let good = world.draft(&world.document()).await;
        let body = world.rpc(&good, "issue").await.expect(200);
        assert!(body["display_invoice_number"].as_str().unwrap().ends_with("-000001"), "{body}");
    })
    .await;
}

#[tokio::test]
async fn issue_finishes_a_draft_and_an_issuing_document_that_keeps_its_number() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let draft = world.draft(&world.document()).await;
        let body = world.rpc(&draft, "issue").await.expect(200);
        assert_eq!(members(&body), ["uuid", "display_invoice_number", "status", "issued_at"]);
        assert_eq!((&body["uuid"], &body["status"]), (&json!(draft), &json!("issued")));
        let issuing = world.draft(&world.document()).await;
        let number = world.rpc(&issuing, "issuing").await.expect(200)["display_invoice_number"].clone();
        let body = world.rpc(&issuing, "issue").await.expect(200);
        assert_eq!(body["display_invoice_number"], number);
        let document = world.read(&issuing).await;
        assert_eq!((&document["status"], &document["display_invoice_number"]), (&json!("issued"), &number));
        assert_eq!(document["issued_at"], body["issued_at"]);
        assert_eq!((&document["issuing_at"], &document["acceptance"]), (&Value::Null, &Value::Null));
    })
    .await;
}

#[tokio::test]
async fn reject_clears_issuing_at_and_keeps_the_first_reason() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        let number = world.rpc(&uuid, "issuing").await.expect(200)["display_invoice_number"].clone();
        let path = format!("/invoicing/rpc/documents/{uuid}/reject");
        let first = world.api.put(&path, &json!({"reason": "unknown NIF"})).await.expect(200);
        assert_eq!((&first["uuid"], &first["status"]), (&json!(uuid), &json!("rejected")));
        let document = world.read(&uuid).await;
        assert_eq!((&document["issuing_at"], &document["display_invoice_number"]), (&Value::Null, &number));
        assert_eq!(document["rejection_reason"], "unknown NIF");
        assert!(document["rejected_by_tax_authority_at"].is_string());
        let second = world.api.put(&path, &json!({"reason": "another"})).await.expect(200);
        assert_eq!(second, first);
        let after = world.read(&uuid).await;
        assert_eq!(
            (&after["rejection_reason"], &after["rejected_by_tax_authority_at"]),
            (&json!("unknown NIF"), &document["rejected_by_tax_authority_at"])
        );
        assert_eq!(after["version"], document["version"]);
    })
    .await;
}

#[tokio::test]
async fn reject_has_a_reason_of_its_own_and_refuses_other_states() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        assert_eq!(world.rpc(&uuid, "reject").await.fields(422), ["status"]);
        world.rpc(&uuid, "issuing").await.expect(200);
        world.rpc(&uuid, "reject").await.expect(200);
        assert_eq!(world.read(&uuid).await["rejection_reason"], "rejected");
        let issued = world.draft(&world.document()).await;
        world.rpc(&issued, "issue").await.expect(200);
        assert_eq!(world.rpc(&issued, "reject").await.fields(422), ["status"]);
        assert_eq!(world.read(&issued).await["status"], "issued");
    })
    .await;
}

#[tokio::test]
async fn a_rejected_document_is_edited_in_place_and_issued_under_a_new_number() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        let first = world.rpc(&uuid, "issuing").await.expect(200)["display_invoice_number"].clone();
        world.rpc(&uuid, "reject").await.expect(200);
        let edited = world.put_draft(&uuid, &world.document().named("Jane Doe")).await.expect(200);
        assert_eq!((&edited["status"], &edited["display_invoice_number"]), (&json!("rejected"), &first));
        assert_eq!(
            world.api.delete(&format!("/invoicing/rpc/documents/{uuid}")).await.fields(422),
            ["status"]
        );
        let again = world.rpc(&uuid, "issuing").await.expect(200);
        assert_ne!(again["display_invoice_number"], first);
        let document = world.read(&uuid).await;
        assert_eq!(document["rejection_reason"], Value::Null);
        assert_eq!(document["rejected_by_tax_authority_at"], Value::Null);
        // The old number is not used again.
        let next = world.draft(&world.document()).await;
        let next = world.rpc(&next, "issue").await.expect(200)["display_invoice_number"].clone();
        assert_eq!(next, json!(world.number(&document, 3)));
    })
    .await;
}

#[tokio::test]
async fn an_issuing_document_is_locked_and_an_issued_one_is_final() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        let document = format!("/invoicing/rpc/documents/{uuid}");
        world.rpc(&uuid, "issuing").await.expect(200);
        let code = "documentLockedWhileIssuing";
        let locked = json!({"errors": [{"field": "base", "code": code, "message": code}]});
        assert_eq!(world.put_draft(&uuid, &world.document()).await.expect(422), locked);
        assert_eq!(world.api.delete(&document).await.expect(422), locked);
        world.rpc(&uuid, "issue").await.expect(200);
        assert_eq!(world.put_draft(&uuid, &world.document()).await.fields(422), ["status"]);
        assert_eq!(world.api.delete(&document).await.fields(422), ["status"]);
    })
    .await;
}
