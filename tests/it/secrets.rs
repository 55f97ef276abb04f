//! The provider's token and the clients' secrets: in no answer, no log, no file.

use gateway_tests::{
    COMPANY, Engine, Fault, Options, PROVIDER_TOKEN, Route, ScriptedProvider, World, on_both, until,
};
use serde_json::json;
use std::path::Path;

/// Every file below a folder, caches of compiled plugins aside, that holds `text`.
fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() || path.is_symlink() {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[tokio::test]
async fn the_providers_token_never_leaves_the_gateway() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        // A provider that repeats what it was sent, as careless ones do.
        let echo = json!({"message": format!("bad token {PROVIDER_TOKEN}"), "code": PROVIDER_TOKEN, "faults": [{"code": PROVIDER_TOKEN, "message": PROVIDER_TOKEN, "paths": [PROVIDER_TOKEN]}]});
        let options = Options::provider(&provider.url())
            .variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1")
            .variable("GATEWAY_LOG__FILTER", "trace,h2=off,sqlx=debug");
        let world = World::with(engine, options).await;
        let [unauthorised, refused, fine] = [world.draft(&world.document()).await, world.draft(&world.document()).await, world.draft(&world.document()).await];
        provider.fail_for(&unauthorised, Route::PutEntry, 99, Fault::Status(401, echo.clone()));
        provider.fail_for(&refused, Route::PutEntry, 99, Fault::Status(422, echo));
        for uuid in [&unauthorised, &refused, &fine] {
            world.command(uuid, "issue", &json!({})).await.expect(200);
        }
        world.until(&fine, "issued").await;
        world.until(&refused, "rejected").await;
        world.until_alert(&unauthorised, "providerUnauthorised").await;
        assert_eq!(provider.calls()[0].authorization, format!("Bearer {PROVIDER_TOKEN}"));
        let mut said = Vec::new();
        for uuid in [&unauthorised, &refused, &fine] {
            for view in ["", "/events", "/submission", "/structured"] {
                said.push(world.api.get(&format!("/finance/rpc/documents/{uuid}{view}")).await.text);
            }
        }
        for path in ["/invoicing/rpc/documents", "/invoicing/rpc/events", "/metrics", "/admin/workspaces", "/admin/submissions", "/admin/clients", &format!("/admin/workspaces/{}/e-invoicing", world.workspace)] {
            said.push(world.api.get(path).await.text);
        }
        let id = world.workspace.to_string();
        for arguments in [&["workspace", "e-invoicing", "show", "--workspace", &id][..], &["workspace", "e-invoicing", "show", "--workspace", &id, "--json"], &["submission", "list", "--json"], &["submission", "show", &unauthorised], &["workspace", "list", "--json"], &["config", "check"]] {
            let ran = world.gateway.cli_with(arguments, &[("GATEWAY_LOG__FILTER", "trace")], "").await;
            said.push(format!("{}{}", ran.succeeded().stdout, ran.stderr));
        }
        said.push(world.gateway.log());
        for text in said {
            assert!(!text.contains(PROVIDER_TOKEN), "{text}");
        }
        assert_eq!(files_with(world.gateway.folder(), PROVIDER_TOKEN), Vec::<String>::new());
    })
    .await;
}

#[tokio::test]
async fn secrets_of_clients_and_keys_are_not_in_the_database() {
    let mut world = World::start(Engine::Sqlite).await;
    let uuid = world.issue(&world.document()).await;
    until("it is final", || async { (world.read(&uuid).await["status"] == "issued").then_some(()) }).await;
    world.gateway.stop().await.unwrap();
    assert_eq!(files_with(world.gateway.folder(), &world.client.secret), Vec::<String>::new());
    assert_eq!(files_with(world.gateway.folder(), "PRIVATE KEY"), Vec::<String>::new());
    let token = world.api.token();
    assert_eq!(files_with(world.gateway.folder(), token), Vec::<String>::new());
    assert!(!world.gateway.log().contains(token) && !world.gateway.log().contains(&world.client.secret));
    // What opens the secrets is for this user only.
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(world.gateway.folder().join("master.key")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o077, 0, "{mode:o}");
}

#[tokio::test]
async fn a_sealed_token_opens_in_no_other_workspace() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
        let world = World::with(engine, options).await;
        let other = world.another_workspace(&["--tax-id", "A58818501"]).await;
        let id = other.to_string();
        let arguments = [
            "workspace",
            "e-invoicing",
            "set",
            "--workspace",
            &id,
            "--regime",
            "es-verifactu",
            "--company-id",
            COMPANY,
            "--workflow-id",
            gateway_tests::WORKFLOW,
            "--token-file",
            "-",
        ];
        world.gateway.cli_with(&arguments, &[], "another-token-0a1b2c3d4e").await.succeeded();
        let first = world.issue(&world.document()).await;
        let second = world.issue(&gateway_tests::Document::of(other)).await;
        world.until(&first, "issued").await;
        world.until(&second, "issued").await;
        for (uuid, token) in [(&first, PROVIDER_TOKEN), (&second, "another-token-0a1b2c3d4e")] {
            let calls = provider.calls_for(uuid, Route::PutEntry);
            assert_eq!(calls[0].authorization, format!("Bearer {token}"));
        }
    })
    .await;
}
