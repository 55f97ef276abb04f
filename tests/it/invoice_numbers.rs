//! Invoice numbers: gapless, never twice, under every kind of crowd.

use futures::future::join_all;
use gateway_tests::{Document, Options, World, fresh_uuid, line, on_both};
use serde_json::{Value, json};
use std::collections::BTreeSet;

fn number(body: &Value) -> String {
    body["display_invoice_number"].as_str().unwrap_or_else(|| panic!("no number: {body}")).to_owned()
}

/// The last digits of a number.
fn position(number: &str) -> u64 {
    number.rsplit('-').next().unwrap().parse().unwrap()
}

#[tokio::test]
async fn one_of_twenty_concurrent_moves_of_a_draft_to_issuing_succeeds() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        let answers = join_all((0..20).map(|_| world.rpc(&uuid, "issuing"))).await;
        let won: Vec<_> = answers.iter().filter(|answer| answer.status == 200).collect();
        assert_eq!(won.len(), 1);
        for lost in answers.iter().filter(|answer| answer.status != 200) {
            assert_eq!(lost.fields(422), ["status"]);
        }
        let next = world.draft(&world.document()).await;
        assert_eq!(
            position(&number(&world.rpc(&next, "issuing").await.expect(200))),
            2,
            "no other number was used"
        );
    })
    .await;
}

#[tokio::test]
async fn two_hundred_concurrent_invoices_get_consecutive_numbers() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let document = world.document();
        let drafts = join_all((0..200).map(|_| world.draft(&document))).await;
        let calls = drafts
            .iter()
            .enumerate()
            .map(|(index, uuid)| world.rpc(uuid, if index % 2 == 0 { "issuing" } else { "issue" }));
        let numbers: BTreeSet<u64> =
            join_all(calls).await.iter().map(|answer| position(&number(&answer.expect(200)))).collect();
        assert_eq!(numbers, (1..=200).collect());
    })
    .await;
}

#[tokio::test]
async fn concurrent_calls_on_one_document_take_effect_one_after_the_other() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        let calls = (0..24).map(|index| {
            let (world, uuid) = (&world, &uuid);
            async move {
                match index % 4 {
                    0 => world.rpc(uuid, "issuing").await,
                    1 => world.rpc(uuid, "reject").await,
                    2 => world.rpc(uuid, "issue").await,
                    _ => world.put_draft(uuid, &world.document()).await,
                }
            }
        });
        for answer in join_all(calls).await {
            assert!([200, 422].contains(&answer.status), "{answer:?}");
        }
        let end = world.read(&uuid).await;
        assert!(["issuing", "issued", "rejected"].contains(&end["status"].as_str().unwrap()), "{end}");
        assert_eq!(end["issuing_at"].is_string(), end["status"] == "issuing", "{end}");
        assert_eq!(end["issued_at"].is_string(), end["status"] == "issued", "{end}");
    })
    .await;
}

#[tokio::test]
async fn each_workspace_kind_and_year_counts_for_itself() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let other = world.another_workspace(&["--tax-id", "A58818501"]).await;
        let issued = |document: Document| {
            let world = &world;
            async move {
                let uuid = world.draft(&document).await;
                number(&world.rpc(&uuid, "issue").await.expect(200))
            }
        };
        let of_year = |year: &str| world.document().with("issue_date", json!(format!("{year}-06-30")));
        assert_eq!(issued(of_year("2025")).await, "F-2025-000001");
        assert_eq!(issued(of_year("2026")).await, "F-2026-000001");
        assert_eq!(issued(of_year("2025")).await, "F-2025-000002");
        assert_eq!(
            issued(of_year("2025").with("document_type", json!("credit_note"))).await,
            "R-2025-000001"
        );
        assert_eq!(issued(of_year("2025").with("workspace_id", json!(other))).await, "F-2025-000001");
        assert_eq!(issued(of_year("2025")).await, "F-2025-000003");
    })
    .await;
}

#[tokio::test]
async fn without_a_date_the_year_is_that_of_today_where_the_workspace_is() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        // Opposite ends of the world: at most two days apart, and each has its own today.
        for zone in ["Pacific/Kiritimati", "Pacific/Niue"] {
            let id = world
                .another_workspace(&[
                    "--tax-id",
                    if zone.ends_with("Niue") { "A58818501" } else { "B85905495" },
                    "--time-zone",
                    zone,
                ])
                .await;
            let uuid = world.draft(&Document::of(id)).await;
            let number = number(&world.rpc(&uuid, "issue").await.expect(200));
            let document = world.read(&uuid).await;
            let date = document["issue_date"].as_str().unwrap().to_owned();
            assert_eq!(number, format!("F-{}-000001", &date[..4]), "{zone}");
        }
    })
    .await;
}

#[tokio::test]
async fn patterns_and_the_next_number_are_set_before_first_use() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let id = world.workspace.to_string();
        let set = |more: &'static [&'static str]| {
            let (world, id) = (&world, &id);
            async move {
                let arguments = [&["workspace", "set", "--workspace", id.as_str()], more].concat();
                world.gateway.cli(&arguments).await
            }
        };
        set(&[
            "--invoice-pattern",
            "INV/{year}/{number:04}",
            "--credit-pattern",
            "CN-{year}-{number}",
            "--next-number",
            "41",
        ])
        .await
        .succeeded();
        let first = world.draft(&world.document().with("issue_date", Value::Null)).await;
        let first = number(&world.rpc(&first, "issue").await.expect(200));
        assert!(first.starts_with("INV/") && first.ends_with("/0041"), "{first}");
        let second = world.draft(&world.document()).await;
        assert!(number(&world.rpc(&second, "issue").await.expect(200)).ends_with("/0042"));
        let credit = world.draft(&world.document().with("document_type", json!("credit_note"))).await;
        assert!(number(&world.rpc(&credit, "issue").await.expect(200)).ends_with("-1"));
        let late = set(&["--next-number", "7"]).await;
        assert_eq!((late.code, late.stderr.trim().lines().count()), (1, 1), "{late:?}");
        for pattern in [
            "F-{number}",
            "F-{year}",
            "",
            "F-{year}-{number}-{number}",
            "F {year} {number}",
            "F-{month}-{year}-{number}",
        ] {
            let arguments = ["workspace", "set", "--workspace", id.as_str(), "--invoice-pattern", pattern];
            let refused = world.gateway.cli(&arguments).await;
            assert!([1, 2].contains(&refused.code), "{pattern}: {refused:?}");
        }
        let third = world.draft(&world.document()).await;
        assert!(number(&world.rpc(&third, "issue").await.expect(200)).ends_with("/0043"));
    })
    .await;
}

#[tokio::test]
async fn two_workspaces_of_one_supplier_never_use_the_same_number() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let other = world.another_workspace(&[]).await;
        let mut numbers = BTreeSet::new();
        for workspace in [world.workspace, other, world.workspace, other] {
            let uuid = fresh_uuid();
            let document = Document::of(workspace).with("lines", json!([line("x", "1", "1.00", "21.0")]));
            world.put_draft(&uuid, &document).await.expect(201);
            assert!(numbers.insert(number(&world.rpc(&uuid, "issue").await.expect(200))), "{numbers:?}");
        }
        let other = other.to_string();
        for pattern in ["F-{year}-{number:06}", "F-{year}-0{number:05}", "F-{year}-{number:09}"] {
            let same = ["workspace", "set", "--workspace", &other, "--invoice-pattern", pattern];
            let refused = world.gateway.cli(&same).await;
            assert_eq!((refused.code, refused.stderr.trim().lines().count()), (1, 1), "{refused:?}");
        }
    })
    .await;
}
