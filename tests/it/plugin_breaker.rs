//! A plugin that keeps trapping in a gateway that serves: installed by an operator, blocked by the gateway, brought back
//! by the operator.

use gateway_tests::{
    COMPANY, Document, Options, Outcome, PROVIDER_TOKEN, ScriptedProvider, WORKFLOW, World,
    another_hostile_component, hostile_component, on_both, until,
};
use serde_json::{Value, json};

/// Over how many documents a plugin is stopped before it is blocked.
const STOPS: usize = 10;

/// Installs and activates; the id.
async fn install_and_activate(world: &World, component: Vec<u8>) -> String {
    let wasm = [("content-type", "application/wasm")];
    let answer = world.api.send("POST", "/admin/plugins?activate=true", &wasm, Some(component)).await;
    answer.expect(201)["id"].as_str().unwrap().to_owned()
}

/// Another workspace, whose regime is the plugin that misbehaves.
async fn workspace_of_hostile_plugin(world: &World) -> i64 {
    let workspace = world.another_workspace(&["--tax-id", "B12345674"]).await;
    let id = workspace.to_string();
    let mut set = vec!["workspace", "e-invoicing", "set", "--workspace", &id, "--regime", "hostile"];
    set.extend(["--company-id", COMPANY, "--workflow-id", WORKFLOW, "--token-file", "-", "--json"]);
    world.gateway.cli_with(&set, &[], PROVIDER_TOKEN).await.json();
    workspace
}

/// A document whose notes say what the plugin does with it.
fn document(workspace: i64, notes: &str) -> Document {
    let tax = json!({"category": "VAT", "rate": "21.0"});
    let line = json!({"description": "Night", "quantity": "1", "unit_price": "121.00", "tax": tax});
    Document::of(workspace).with("lines", json!([line])).with("notes", json!(notes))
}

async fn version_view(world: &World, id: &str) -> Value {
    let list = world.api.get("/admin/plugins").await.expect(200);
    let all = list["plugins"].as_array().unwrap();
    all.iter().find(|plugin| plugin["id"] == id).cloned().unwrap_or_else(|| panic!("no {id} in {list}"))
}

/// The codes for which the issue command refuses a draft that stays one.
async fn issue_refusal(world: &World, draft: &str) -> (String, Vec<String>) {
    let answer = world.command(draft, "issue", &json!({})).await.expect(422);
    assert_eq!(world.read(draft).await["status"], "draft");
    let faults = answer["faults"].as_array().unwrap().iter();
    let faults = faults.map(|fault| fault["code"].as_str().unwrap().to_owned()).collect();
    (answer["code"].as_str().unwrap().to_owned(), faults)
}

/// A draft whose check traps.
async fn trap(world: &World, draft: &str) {
    let refusal = issue_refusal(world, draft).await;
    assert_eq!(refusal, ("preflightFailed".to_owned(), vec!["PLUGIN-TRAP".to_owned()]));
}

/// Traps over one document after the other until the gateway has had enough, and the operator can see it everywhere.
async fn trap_until_blocked(world: &World, workspace: i64, id: &str) {
    for _ in 0..STOPS {
        trap(world, &world.draft(&document(workspace, "TRAP")).await).await;
    }
    let plugin = until("the plugin is blocked", || async {
        Some(version_view(world, id).await).filter(|plugin| plugin["state"] == "blocked")
    })
    .await;
    assert!(plugin.to_string().contains("activate"), "what to do: {plugin}");
    until("the log says so", || async {
        world.gateway.log().contains(&format!("{id} is blocked: ")).then_some(())
    })
    .await;
    let metrics = world.gateway.internal().get("/metrics").await.text;
    let gauge = format!("plugin_blocked{{plugin=\"{id}\"");
    assert!(metrics.lines().any(|line| line.starts_with(&gauge) && line.ends_with(" 1")), "{metrics}");
}

#[tokio::test]
async fn a_plugin_that_keeps_trapping_is_blocked_and_the_others_go_on_until_it_is_activated_again() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
        let world = World::with(engine, options).await;
        let id = install_and_activate(&world, hostile_component()).await;
        assert_eq!(id, "hostile@1.2.3");
        let unlucky = workspace_of_hostile_plugin(&world).await;
        provider.outcome(Outcome::Running);
        let waiting = world.issue(&document(unlucky, "SOUND")).await;
        until("the document is with the provider", || async {
            Some(world.submission(&waiting).await).filter(|submission| submission["state"] == "waiting")
        })
        .await;
        trap_until_blocked(&world, unlucky, &id).await;

        // Nothing of it is called any more: drafts stay, and what was on its way waits for an operator.
        let good = world.draft(&document(unlucky, "SOUND")).await;
        until("nobody is served by it", || async {
            (issue_refusal(&world, &good).await.0 == "regimeNotActive").then_some(())
        })
        .await;
        provider.outcome(Outcome::Accepted(json!([])));
        let alert = world.until_alert(&waiting, "regimeNotActive").await;
        assert!(alert["next_step_at"].is_string(), "it is looked at again by itself: {alert}");
        assert_eq!(world.read(&waiting).await["status"], "issuing");
        let spanish = world.issue(&world.document()).await;
        world.until(&spanish, "issued").await;

        let activated =
            world.api.post(&format!("/admin/plugins/{id}/activate"), &json!({})).await.expect(200);
        assert_eq!(activated["rehearsal"]["documents"][0]["document"], json!(waiting), "{activated}");
        assert_eq!(version_view(&world, &id).await["state"], "active");
        world.retry(&waiting).await;
        world.until(&waiting, "rejected").await;

        // It learned nothing; another version takes its place, and the blocked one serves nobody.
        trap_until_blocked(&world, unlucky, &id).await;
        let better = install_and_activate(&world, another_hostile_component()).await;
        assert_eq!(better, "hostile@2.0.0");
        assert_eq!(version_view(&world, &better).await["state"], "active");
        assert_eq!(version_view(&world, &id).await["state"], "blocked");
        world.command(&good, "issue", &json!({})).await.expect(200);
        world.until(&good, "rejected").await;
    })
    .await;
}

#[tokio::test]
async fn one_document_of_a_batch_that_cannot_be_built_keeps_no_other_from_being_issued() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
        let world = World::with(engine, options).await;
        let id = install_and_activate(&world, hostile_component()).await;
        let unlucky = workspace_of_hostile_plugin(&world).await;
        let bad = world.draft(&document(unlucky, "TRAP")).await;
        // Whoever closes the month tries again what did not go, and more often than a plugin may be stopped.
        for _ in 0..2 * STOPS {
            trap(&world, &bad).await;
        }
        assert_eq!(version_view(&world, &id).await["state"], "active");
        let mut batch = Vec::new();
        for _ in 0..3 {
            batch.push(world.issue(&document(unlucky, "SOUND")).await);
            trap(&world, &bad).await;
        }
        let spanish = world.issue(&world.document()).await;
        world.until(&spanish, "issued").await;
        // A number that the bad one had used up would be missing among these.
        for (position, sound) in (1..).zip(&batch) {
            // Every verdict of this plugin is a rejection.
            let rejected = world.until(sound, "rejected").await;
            assert_eq!(rejected["display_invoice_number"], world.number(&rejected, position), "{rejected}");
        }
        let draft = world.read(&bad).await;
        let number = draft.get("display_invoice_number");
        assert_eq!((&draft["status"], number), (&json!("draft"), Some(&json!(null))), "{draft}");
    })
    .await;
}
