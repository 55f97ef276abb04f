//! While a document waits for the authority, every command but the two verdicts is refused.

use gateway_tests::{Options, Outcome, ScriptedProvider, World, fresh_uuid, on_both};
use serde_json::{Value, json};

/// Every command but the verdicts, with a body that a document in the right state would take.
fn commands() -> Vec<(&'static str, Value)> {
    let at = "2026-11-20T08:00:00Z";
    let line = gateway_tests::line("x", "1", "1.00", "21.0");
    vec![
        ("issue", json!({})),
        ("credit", json!({"at": at})),
        ("refund", json!({"at": at, "amount": "1.00"})),
        ("reverse", json!({"at": at})),
        ("delete", json!({})),
        (
            "update_recipient",
            json!({"recipient": {"type": "company", "name": "X", "tax_number": "A58818501", "country": "ES"}}),
        ),
        ("add_transaction", json!({"transaction_id": fresh_uuid(), "line": line})),
        ("update_transaction", json!({"transaction_id": fresh_uuid(), "line": line})),
        ("remove_transaction", json!({"transaction_id": fresh_uuid()})),
        ("send_to_tax_authority", json!({})),
    ]
}

#[tokio::test]
async fn the_ten_commands_are_refused_while_issuing() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let world = World::with(engine, Options::provider(&provider.url())).await;
        let uuid = world.issue(&world.document()).await;
        let before = world.read(&uuid).await;
        let commands = commands();
        assert_eq!(commands.len(), 10);
        for (command, body) in commands {
            let failure = world.command(&uuid, command, &body).await.expect(422);
            assert_eq!(failure["result"], "failure", "{command}");
            assert_eq!(failure["tag"], "validation_error", "{command}");
            assert_eq!(failure["code"], "documentLockedWhileIssuing", "{command}");
            assert_eq!(failure["errors"]["base"], json!(["documentLockedWhileIssuing"]), "{command}");
            assert!(failure["message"].as_str().is_some_and(|message| !message.is_empty()), "{command}");
            let path = format!("/finance/rpc/documents/{uuid}/commands/{command}?dry_run=true");
            // No other body would help, so what is wrong with this one is not told.
            for body in [body, json!({}), json!({"at": "yesterday", "nothing": 1})] {
                let failure = world.command(&uuid, command, &body).await.expect(422);
                assert_eq!(failure["code"], "documentLockedWhileIssuing", "{command} {body}");
                let failure = world.api.post(&path, &body).await.expect(422);
                assert_eq!(failure["code"], "documentLockedWhileIssuing", "{command} {body}");
            }
        }
        assert_eq!(world.read(&uuid).await, before);
    })
    .await;
}

#[tokio::test]
async fn commands_in_the_wrong_state_have_a_named_failure() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let draft = world.draft(&world.document()).await;
        let issued = world.issue(&world.document()).await;
        world.until(&issued, "issued").await;
        let rows = [
            (&draft, vec!["credit", "refund", "reverse", "send_to_tax_authority"]),
            (
                &issued,
                vec![
                    "issue",
                    "delete",
                    "update_recipient",
                    "add_transaction",
                    "update_transaction",
                    "remove_transaction",
                    "send_to_tax_authority",
                ],
            ),
        ];
        for (uuid, refused) in rows {
            let before = world.read(uuid).await;
            for (command, body) in commands().into_iter().filter(|(command, _)| refused.contains(command)) {
                let failure = world.command(uuid, command, &body).await.expect(422);
                let code = failure["code"].as_str().unwrap();
                assert!(failure["result"] == "failure" && !code.is_empty(), "{command}: {failure}");
                assert_ne!(code, "documentLockedWhileIssuing", "{command}");
                assert!(failure["errors"].is_object() && failure["message"].is_string(), "{failure}");
            }
            assert_eq!(world.read(uuid).await, before);
        }
        for (command, body) in commands() {
            assert_eq!(world.command(&fresh_uuid(), command, &body).await.fields(410), ["uuid"], "{command}");
        }
    })
    .await;
}
