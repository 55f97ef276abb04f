//! The first thing a stranger types.

use crate::pdf;
use gateway_tests::{Engine, Gateway, Options, World, built_plugins, on_both};
use std::net::TcpListener;

#[tokio::test]
async fn the_demo_drives_a_dozen_invoices_and_ends_well_however_often() {
    on_both(|engine| async move {
        let gateway = Gateway::prepared(engine, Options::default()).await;
        for _ in 0..2 {
            let ran = gateway.cli(&["demo", "--once"]).await;
            let output = &ran.succeeded().stdout;
            assert!(output.matches(" issued ").count() >= 12, "{output}");
            for word in ["rejected", "qr", "hash", "curl", "/v1/oauth2/token", "/commands/issue"] {
                assert!(output.to_lowercase().contains(word), "{word}: {output}");
            }
            assert!(!format!("{output}{}", ran.stderr).contains("panicked"), "{ran:?}");
            let table = output.split("NUMBER ").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
            assert!(table.contains(" rejected "), "{table}");
            assert!(table.lines().all(|row| row.chars().count() <= 80), "{table}");
            let (commands, addresses) = output.split_once("\nLook at it:").unwrap();
            for address in ["/console", "/docs", "GraphiQL", "sign in with"] {
                assert!(addresses.contains(address), "{address}: {output}");
            }
            assert!(!addresses.contains("curl "), "the addresses come last: {output}");
            assert!(addresses.trim_end().lines().last().unwrap().contains("secret gws_"), "{output}");
            assert!(commands.contains("With --once the gateway ends here"), "{output}");
            let commands = commands.split("Try it yourself:").nth(1).unwrap();
            assert!(commands.lines().all(|row| row.chars().count() <= 80), "{commands}");
        }
        let list = gateway.cli(&["client", "list", "--json"]).await.json();
        assert_eq!(
            list["clients"].as_array().unwrap().len(),
            1,
            "a second run takes the client of the first: {list}"
        );
    })
    .await;
}

#[tokio::test]
async fn a_demo_without_its_address_or_its_plugin_writes_nothing_and_says_where_its_proofs_are() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let data = gateway.folder().join("data");
    let folder = data.display().to_string();
    // An address of no machine (RFC 5737).
    for (variable, key) in [
        ("GATEWAY_SERVER__PUBLIC_ADDR", "server.public_addr"),
        ("GATEWAY_SERVER__INTERNAL_ADDR", "server.internal_addr"),
        ("GATEWAY_SANDBOX__ADDR", "sandbox.addr"),
    ] {
        let arguments = ["demo", "--once", "--data-dir", &folder];
        let ran = gateway.cli_with(&arguments, &[(variable, "192.0.2.1:8080")], "").await;
        let refused = format!(
            "error: nothing can listen on 192.0.2.1:8080 (this machine has no such address): choose another address with {key}\n"
        );
        assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (1, "", refused.as_str()));
        assert!(!data.exists(), "{key}");
    }
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let variables = [("GATEWAY_SERVER__PUBLIC_ADDR", address.as_str())];
    let arguments = ["demo", "--once", "--data-dir", &folder];
    let ran = gateway.cli_with(&arguments, &variables, "").await;
    let refused = format!(
        "error: nothing can listen on {address} (the port is in use): choose another address with server.public_addr\n"
    );
    assert_eq!((ran.code, ran.stderr.as_str()), (1, refused.as_str()), "it was chosen by hand");
    assert!(!data.exists());
    let no_plugins = gateway.folder().display().to_string();
    let ran = gateway.cli_with(&arguments, &[("GATEWAY_PLUGINS__DIR", &no_plugins)], "").await;
    assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{ran:?}");
    assert!(ran.stderr.contains("the plugin es-verifactu is not in force") && !data.exists(), "{ran:?}");
    let ran = gateway.cli(&arguments).await;
    let output = &ran.succeeded().stdout;
    let hint = output.lines().find(|line| line.starts_with("Hash and QR address of one: ")).unwrap();
    let command = format!("GATEWAY_DATA_DIR={folder} gateway invoice show ");
    let (_, uuid) = hint.split_once(&command).unwrap();
    let there = [("GATEWAY_DATA_DIR", folder.as_str())];
    gateway.cli_with(&["invoice", "show", uuid], &there, "").await.succeeded();
}

#[tokio::test]
async fn a_demo_that_lacks_a_component_names_where_it_looked_and_imports_nothing() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let folder = gateway.folder().join("some-plugins").display().to_string();
    let variable = ("GATEWAY_PLUGINS__DIR", folder.as_str());
    let ran = gateway.cli_with(&["demo", "--once"], &[variable], "").await;
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains(&format!("looked in {folder}")) && !ran.stderr.contains("cargo"), "{ran:?}");
    assert!(!ran.stdout.contains("Sample data"), "{ran:?}");
    // The plugin without a renderer beside it.
    std::fs::create_dir(&folder).unwrap();
    let name = "es-verifactu.wasm";
    std::fs::copy(built_plugins().join(name), gateway.folder().join("some-plugins").join(name)).unwrap();
    let ran = gateway.cli_with(&["demo", "--once", "--pdf"], &[variable], "").await;
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("--pdf needs a renderer"), "{ran:?}");
    assert!(!ran.stdout.contains("Issuing:"), "{ran:?}");
}

#[tokio::test]
async fn a_demo_that_cannot_write_its_file_says_so_before_anything_is_issued() {
    let plugins = pdf::plugins();
    pdf::install_renderer(plugins.path());
    let gateway = Gateway::prepared(Engine::Sqlite, pdf::with(plugins.path())).await;
    let file = gateway.folder().join("demo.pdf");
    std::fs::create_dir(&file).unwrap();
    let ran = gateway.cli(&["demo", "--once", "--pdf"]).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains("demo.pdf cannot be written"), "{ran:?}");
    assert!(!ran.stdout.contains("Sample data") && !ran.stdout.contains("Issuing:"), "{ran:?}");
    std::fs::remove_dir(&file).unwrap();
    gateway.cli(&["demo", "--once", "--pdf"]).await.succeeded();
    assert!(std::fs::read(&file).unwrap().starts_with(b"%PDF-"));
}

/// Somewhere nobody listens.
const UNREACHABLE_PROVIDER: &str = "http://127.0.0.1:9";

#[tokio::test]
async fn the_demo_leaves_invoices_alone_that_wait_for_a_provider() {
    on_both(|engine| async move {
        for options in [Options::provider(UNREACHABLE_PROVIDER), Options::default()] {
            let mut world = World::with(engine, options).await;
            if world.gateway.options().provider.is_none() {
                // Nothing waits yet, and a workspace is configured for what will.
                world.gateway.stop().await;
                let ran = world.gateway.cli(&["demo", "--once"]).await;
                assert!(ran.code == 1 && ran.stderr.contains("--data-dir"), "{ran:?}");
                world.serve_again().await;
            }
            let uuid = world.draft(&world.document()).await;
            world.command(&uuid, "issue", &serde_json::json!({})).await.expect(200);
            world.gateway.stop().await;
            let ran = world.gateway.cli(&["demo", "--once"]).await;
            assert_eq!(ran.code, 1, "{ran:?}");
            assert!(ran.stderr.contains("--data-dir"), "{ran:?}");
            world.serve_again().await;
            assert_eq!(world.read(&uuid).await["status"], "issuing");
        }
    })
    .await;
}
