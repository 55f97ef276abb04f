//! Invoices on the command line: found, shown, issued and sent again.

use gateway_tests::{World, on_every, until};
use serde_json::{Value, json};

/// The documents that `gateway invoice list` shows with these options.
async fn listed_uuids(world: &World, options: &[&str]) -> Vec<String> {
    let arguments = [&["invoice", "list", "--json"], options].concat();
    let list = world.gateway.cli(&arguments).await.json();
    let documents = list["documents"].as_array().unwrap();
    documents.iter().map(|document| document["uuid"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn invoices_are_listed_the_newest_first_and_narrowed() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let mut made = Vec::new();
        for _ in 0..27 {
            made.insert(0, world.draft(&world.document()).await);
        }
        let issued = world
            .issue(&world.document().with("lines", json!([gateway_tests::line("x", "1", "5.00", "10.0")])))
            .await;
        let number =
            world.until(&issued, "issued").await["display_invoice_number"].as_str().unwrap().to_owned();
        made.insert(0, issued.clone());
        // Copies of a remote service may be late.
        until("all are listed", || async {
            (listed_uuids(&world, &["--limit", "100"]).await == made).then_some(())
        })
        .await;
        assert_eq!(listed_uuids(&world, &[]).await, made[..25]);
        until("it is listed as issued", || async {
            (listed_uuids(&world, &["--state", "issued"]).await == std::slice::from_ref(&issued))
                .then_some(())
        })
        .await;
        assert_eq!(listed_uuids(&world, &["--number", &number]).await, std::slice::from_ref(&issued));
        let workspace = world.workspace.to_string();
        assert_eq!(listed_uuids(&world, &["--workspace", &workspace, "--limit", "2"]).await, made[..2]);
        let list = world.gateway.cli(&["invoice", "list"]).await;
        assert!(list.stderr.contains("there are more than these 25"), "{list:?}");
        let row = list.stdout.lines().nth(1).unwrap();
        let cells: Vec<&str> = row.split_whitespace().collect();
        assert_eq!(cells, [issued.as_str(), "issued", &number, "5.00", "EUR", "Jane", "Roe"]);
        assert!(list.stdout.lines().all(|line| line.chars().count() <= 100), "{}", list.stdout);
    })
    .await;
}

#[tokio::test]
async fn an_invoice_is_tried_issued_mended_and_sent_again() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let cli = async |arguments: &[&str]| world.gateway.cli(arguments).await;
        let uuid = world.draft(&world.document().named("Jane SANDBOX-REJECT-1110")).await;
        let trial = cli(&["invoice", "issue", &uuid, "--dry-run", "--json"]).await.json();
        assert_eq!((&trial["dry_run"], &trial["route"]), (&json!(true), &json!("tax_authority")), "{trial}");
        assert_eq!(trial["document"]["display_document_number"], Value::Null, "{trial}");
        let early = cli(&["invoice", "resubmit", &uuid]).await;
        assert_eq!((early.code, early.stdout.as_str()), (1, ""));
        assert_eq!(
            early.stderr,
            format!("error: {uuid} is a draft: issue it with 'gateway invoice issue {uuid}'\n")
        );

        let issued = cli(&["--as", "ana.garcia", "invoice", "issue", &uuid]).await.succeeded().stdout.clone();
        assert!(
            issued.contains(&format!("is on its way: follow it with 'gateway submission show {uuid}'")),
            "{issued}"
        );
        world.until(&uuid, "rejected").await;
        let again = cli(&["invoice", "issue", &uuid]).await;
        assert!(again.stderr.contains(&format!("'gateway invoice resubmit {uuid}'")), "{again:?}");
        world.put_draft(&uuid, &world.document()).await.expect(200);
        cli(&["invoice", "resubmit", &uuid]).await.succeeded();
        let accepted = world.until(&uuid, "issued").await;

        let view = cli(&["invoice", "show", &uuid, "--json"]).await.json();
        assert_eq!(view["document"]["acceptance"], accepted["acceptance"]);
        let events: Vec<&str> = view["timeline"]
            .as_array()
            .unwrap()
            .iter()
            .map(|entry| entry["event"].as_str().unwrap())
            .collect();
        assert!(events.iter().any(|event| event.ends_with("RejectedByTaxAuthority")), "{events:?}");
        assert!(
            view["timeline"].as_array().unwrap().iter().any(|entry| entry["actor"] == "operator:ana.garcia"),
            "{view}"
        );
        let text = cli(&["invoice", "show", &uuid]).await.succeeded().stdout.clone();
        let number = accepted["display_invoice_number"].as_str().unwrap();
        // Copies of a remote service may be late.
        let by_number = until("it is found by its number", || async {
            Some(cli(&["invoice", "show", number]).await).filter(|ran| ran.code == 0)
        });
        assert!(by_number.await.stdout.contains(&uuid));
        let unknown = cli(&["invoice", "show", "F-0000"]).await;
        assert_eq!(
            unknown.stderr,
            "error: there is no document F-0000: copy a whole UUID or number from 'gateway invoice list'\n"
        );
        for piece in [
            &uuid,
            accepted["display_invoice_number"].as_str().unwrap(),
            "Jane Roe",
            "110.00 EUR",
            "Studio, 1 night",
        ] {
            assert!(text.contains(piece), "{piece}: {text}");
        }
        // A remote invoice data service tells it of its documents itself.
        if view["document"].get("open_total").is_some() {
            assert!(text.contains("credited") && text.contains("open"), "{text}");
        }
    })
    .await;
}

#[tokio::test]
async fn an_invoice_that_is_not_there_or_not_sound_says_what_to_do() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let unknown = gateway_tests::fresh_uuid();
        for command in ["show", "issue", "resubmit"] {
            let refused = world.gateway.cli(&["invoice", command, &unknown]).await;
            assert_eq!(refused.code, 1, "{refused:?}");
            assert_eq!(
                refused.stderr,
                format!("error: there is no document {unknown}: list them with 'gateway invoice list'\n")
            );
        }
        let uuid = world
            .draft(&world.document().with("recipient", json!({"type": "individual", "name": "Jane"})))
            .await;
        let refused = world.gateway.cli(&["invoice", "issue", &uuid]).await;
        assert_eq!((refused.code, refused.stdout.as_str()), (1, ""), "{refused:?}");
        assert!(
            refused.stderr.contains("the tax authority would refuse the document")
                && refused.stderr.contains("ES-VERIFACTU-"),
            "{refused:?}"
        );
        assert_eq!(world.read(&uuid).await["status"], "draft");
        for (options, expected) in [
            (["--issued-from", "2026-02-01", "--issued-to", "2026-01-01"], "--issued-to lies before"),
            (["--gross-from", "2", "--gross-to", "1"], "--gross-to lies before"),
        ] {
            let backwards = world.gateway.cli(&[&["invoice", "list"][..], &options].concat()).await;
            assert_eq!(backwards.code, 2);
            assert!(backwards.stderr.contains(expected), "{}", backwards.stderr);
        }
        let nowhere = world.gateway.cli(&["invoice", "list", "--workspace", "99"]).await;
        assert_eq!(nowhere.code, 1, "{nowhere:?}");
    })
    .await;
}
