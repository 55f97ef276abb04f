//! That nothing of what was issued is missing: `gateway doctor --chain`.

use gateway_storage::{Db, testing};
use gateway_tests::{Ran, World, on_both, until};
use serde_json::{Value, json};

async fn proof(world: &World, more: &[&str]) -> Ran {
    world.gateway.cli(&[&["doctor", "--chain"], more].concat()).await
}

/// What was found of a subject: how it ended, and what was said.
fn found(ran: &Ran, subject: &str) -> Vec<(String, String)> {
    let findings: Value =
        serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    let of = findings.as_array().unwrap().iter().filter(|finding| finding["check"] == subject);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    of.map(|finding| (text(&finding["result"]), text(&finding["message"]))).collect()
}

async fn issued(world: &World, name: &str, end: &str) -> (String, String) {
    let uuid = world.issue(&world.document().named(name)).await;
    let number = world.until(&uuid, end).await["display_invoice_number"].as_str().unwrap().to_owned();
    (uuid, number)
}

/// What a reconciliation says of the chain.
async fn reconciled(world: &World) -> Vec<String> {
    let body = json!({"workspace_id": world.workspace});
    let run = world.api.post("/admin/reconciliations", &body).await.expect(202);
    let path = format!("/admin/reconciliations/{}", run["id"].as_str().unwrap());
    let report = until("the run has ended", || async {
        let report = world.api.get(&path).await.expect(200);
        (report["reconciliation"]["state"] == "ended").then_some(report)
    })
    .await;
    let entries = report["entries"].as_array().unwrap().iter();
    let of_chain = entries.filter(|entry| entry["source"] == "chain");
    of_chain.map(|entry| entry["divergences"][0]["here"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_was_issued_is_whole_until_a_number_or_a_document_is_lost_and_then_it_is_named() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let mut documents = Vec::new();
        for _ in 0..4 {
            documents.push(issued(&world, "Jane Roe", "issued").await);
        }
        // A number that was refused is used, and so is the one after it.
        let (rejected, _) = issued(&world, "SANDBOX-REJECT-1110", "rejected").await;
        world.put_draft(&rejected, &world.document()).await.expect(200);
        world.command(&rejected, "issue", &json!({})).await.expect(200);
        world.until(&rejected, "issued").await;

        // An amendment that was refused leaves what is stored as it was accepted.
        let (amended, _) = &documents[3];
        let body = json!({"changes": {"recipient": {"name": "SANDBOX-REJECT-1110"}}});
        world.command(amended, "amend", &body).await.expect(200);
        until("the amendment was refused", || async {
            let path = format!("/finance/rpc/documents/{amended}/amendments");
            let list = world.api.get(&path).await.expect(200);
            (list["amendments"][0]["state"] == "refused").then_some(())
        })
        .await;

        let workspace = world.workspace.to_string();
        let whole = proof(&world, &["--workspace", &workspace, "--json"]).await;
        assert_eq!(whole.code, 0, "{whole:?}");
        for (subject, says) in [
            ("numbers", "gave 6: none is missing"),
            ("documents", "5 structured documents"),
            ("hashes", "5 documents"),
            // Those that were refused keep their place.
            ("links", "7 records"),
        ] {
            let found = found(&whole, subject);
            assert!(found.len() == 1 && found[0].0 == "ok" && found[0].1.contains(says), "{found:?}");
        }
        let unknown = proof(&world, &["--workspace", "4711"]).await;
        assert!(unknown.code == 1 && unknown.stderr.contains("there is no workspace 4711"), "{unknown:?}");

        let db =
            Db::connect(&world.gateway.database_url(), &gateway_storage::Options::default()).await.unwrap();
        let [(_, first), (_, lost), (changed, changed_number), _] = documents.as_slice() else {
            panic!("four documents")
        };
        testing::lose_number(&db, lost).await;
        testing::change_sent_document(&db, changed_number).await;
        testing::change_message(&db, first).await;
        db.close().await;
        let broken = proof(&world, &["--json"]).await;
        assert_eq!(broken.code, 1, "{broken:?}");
        let numbers = found(&broken, "numbers");
        let gap = format!("position 2 is missing after {first} ");
        assert!(numbers[0].0 == "broken" && numbers[0].1.contains(&gap), "{numbers:?}");
        let documents = found(&broken, "documents");
        assert!(documents.len() == 1 && documents[0].0 == "broken", "{documents:?}");
        assert!(documents[0].1.contains(changed) && documents[0].1.contains(changed_number), "{documents:?}");
        assert_eq!(found(&broken, "hashes")[0].0, "ok");
        let links = found(&broken, "links");
        assert!(links.len() == 1 && links[0].0 == "broken" && links[0].1.contains(first), "{links:?}");
        let sentences = reconciled(&world).await;
        for says in [&gap, changed_number, "states the hash"] {
            assert!(sentences.iter().any(|sentence| sentence.contains(says)), "{says}: {sentences:?}");
        }
        // A number that is missing is about no document, so somebody hears of it by the run.
        let of_run = world.run_notices().await;
        assert_eq!(of_run.len(), 1, "{of_run:?}");
        assert_eq!(of_run[0]["type"], "reconciliation.different");
        assert!(of_run[0]["data"]["message"].as_str().unwrap().contains(&gap), "{of_run:?}");
        let table = proof(&world, &[]).await;
        assert!(table.code == 1 && table.stderr.contains("see the lines marked broken"), "{table:?}");
    })
    .await;
}

#[tokio::test]
async fn a_number_that_two_documents_were_given_is_named_with_both() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let (first, number) = issued(&world, "Jane Roe", "issued").await;
        let (second, carried) = issued(&world, "Joan Roe", "issued").await;
        let whole = proof(&world, &["--json"]).await;
        assert_eq!(found(&whole, "numbers")[0].0, "ok", "{whole:?}");

        let db =
            Db::connect(&world.gateway.database_url(), &gateway_storage::Options::default()).await.unwrap();
        testing::give_number_again(&db, &number, &carried).await;
        db.close().await;
        let broken = proof(&world, &["--json"]).await;
        assert_eq!(broken.code, 1, "{broken:?}");
        let numbers = found(&broken, "numbers");
        assert!(numbers.iter().all(|(result, _)| result == "broken"), "{numbers:?}");
        let sentence = |says: &str| {
            let of = numbers.iter().find(|(_, message)| message.contains(says));
            of.map_or_else(|| panic!("{says}: {numbers:?}"), |(_, message)| message.clone())
        };
        let position = sentence("position 1 was given twice, as ");
        for document in [&first, &second] {
            assert!(position.contains(&format!("{number} (document {document})")), "{position}");
        }
        sentence(&format!("document {first} carries {number}, which was given to document {second}"));
    })
    .await;
}
