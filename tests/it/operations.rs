//! What operators see: health, metrics, configuration errors, two servers on one database, bad plugins.

use gateway_tests::{Engine, Gateway, Options, Ran, World, on_both, plugins_folder, until};
use serde_json::{Value, json};

/// A refusal: this exit code, and one sentence that names `word`.
#[track_caller]
fn assert_refused(ran: &Ran, code: i32, word: &str) {
    assert_eq!(ran.code, code, "{ran:?}");
    assert_eq!(ran.stdout, "", "{ran:?}");
    // What was logged before begins with its time.
    let said = ran.stderr.trim().lines().filter(|line| !line.starts_with("20"));
    assert_eq!(said.count(), 1, "one sentence: {ran:?}");
    assert!(ran.stderr.to_lowercase().contains(&word.to_lowercase()), "{word}: {ran:?}");
    assert!(!ran.stderr.contains("panicked"), "{ran:?}");
}

#[tokio::test]
async fn health_readiness_and_metrics_need_no_token() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
        let (public, internal) = (world.gateway.public(), world.gateway.internal());
        for answer in
            [public.get("/healthz").await, internal.get("/healthz").await, internal.get("/readyz").await]
        {
            answer.expect(200);
        }
        let metrics = internal.get("/metrics").await;
        assert_eq!(metrics.status, 200);
        for name in [
            "http_server_request_duration_seconds",
            "einvoicing_documents",
            "einvoicing_issuing_age_seconds",
            "plugin_call_duration_seconds",
            "build_info",
        ] {
            assert!(metrics.text.lines().any(|line| line.starts_with(name)), "{name}: {}", metrics.text);
        }
        assert!(!metrics.text.contains(&uuid), "no identifiers in labels");
        assert!(
            metrics.text.contains("/invoicing/rpc/documents/{uuid}"),
            "routes, not paths: {}",
            metrics.text
        );
    })
    .await;
}

#[tokio::test]
async fn each_listener_hands_out_the_document_that_its_answers_are_held_against() {
    let gateway = Gateway::start(Engine::Sqlite, Options::default()).await;
    for (listener, folder) in [(gateway.public(), "api-public"), (gateway.internal(), "api-internal")] {
        let path = format!("{}/../host/{folder}/openapi.json", env!("CARGO_MANIFEST_DIR"));
        let committed: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let served = listener.get("/openapi.json").await.expect(200);
        assert!(served == committed, "host/{folder}/openapi.json is another document than the one served");
    }
}

#[tokio::test]
async fn the_metrics_follow_the_documents() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let uuid = world.draft(&world.document()).await;
        let figure = async |status: &str| {
            let text = world.gateway.internal().get("/metrics").await.text;
            let line = text.lines().find(|line| {
                line.starts_with("einvoicing_documents{") && line.contains(&format!("\"{status}\""))
            });
            line.map_or(0, |line| line.rsplit(' ').next().unwrap().parse::<u64>().unwrap())
        };
        // A sample of the database that took long is told for a while.
        let until_only = async |some: &str, none: &str| {
            until(&format!("one is counted as {some} and none as {none}"), async || {
                ((figure(some).await, figure(none).await) == (1, 0)).then_some(())
            })
            .await;
        };
        until_only("draft", "issuing").await;
        world.rpc(&uuid, "issuing").await.expect(200);
        until_only("issuing", "draft").await;
        world.rpc(&uuid, "reject").await.expect(200);
        until_only("rejected", "issuing").await;
    })
    .await;
}

#[tokio::test]
async fn a_second_server_on_one_sqlite_folder_is_refused_and_commands_are_not() {
    let world = World::start(Engine::Sqlite).await;
    assert_refused(&world.gateway.cli(&["serve"]).await, 1, "");
    world.gateway.cli(&["workspace", "list"]).await.succeeded();
    world.api.get("/readyz").await.expect(200);
}

#[tokio::test]
async fn a_second_server_on_one_postgresql_shares_the_work() {
    let world = World::start(Engine::Postgres).await;
    let url = world.gateway.database_url();
    let options = Options::sandbox()
        .variable("GATEWAY_DATABASE__URL", &url)
        .variable("GATEWAY_OAUTH__ISSUER", world.gateway.public().base())
        .variable(
            "GATEWAY_SECRETS__MASTER_KEY_FILE",
            world.gateway.folder().join("master.key").to_str().unwrap(),
        );
    let second = Gateway::start(Engine::Sqlite, options).await;
    let api = second.internal().with_token(world.api.token());
    let uuid = world.draft(&world.document()).await;
    assert_eq!(api.get(&format!("/invoicing/rpc/documents/{uuid}")).await.expect(200)["status"], "draft");
    let mut uuids = Vec::new();
    for index in 0..12 {
        let uuid = world.draft(&world.document()).await;
        let api = if index % 2 == 0 { &api } else { &world.api };
        api.post(&format!("/finance/rpc/documents/{uuid}/commands/issue"), &json!({})).await.expect(200);
        uuids.push(uuid);
    }
    for uuid in &uuids {
        world.until(uuid, "issued").await;
        assert_eq!(world.submission(uuid).await["attempts"].as_array().unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_mistake_in_the_configuration_is_one_sentence_that_names_the_key() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let cases = [
        ("GATEWAY_PROVIDER__BASEURL", "x", "GATEWAY_PROVIDER__BASEURL"),
        ("GATEWAY_LOG__COLOUR", "red", "GATEWAY_LOG__COLOUR"),
        ("GATEWAY_SERVER__PUBLIC_ADDR", "nowhere", "GATEWAY_SERVER__PUBLIC_ADDR"),
        ("GATEWAY_SERVER__PUBLIC_URL", "not a url", "GATEWAY_SERVER__PUBLIC_URL"),
        ("GATEWAY_OAUTH__TOKEN_LIFETIME_S", "soon", "GATEWAY_OAUTH__TOKEN_LIFETIME_S"),
        ("GATEWAY_OAUTH__TOKEN_LIFETIME_S", "0", "GATEWAY_OAUTH__TOKEN_LIFETIME_S"),
        ("GATEWAY_OAUTH__TOKEN_LIFETIME_S", "-1", "GATEWAY_OAUTH__TOKEN_LIFETIME_S"),
        ("GATEWAY_DATABASE__URL", "mysql://x", "GATEWAY_DATABASE__URL"),
        ("GATEWAY_PROVIDER__BASE_URL", "sandpit", "GATEWAY_PROVIDER__BASE_URL"),
        ("GATEWAY_PROVIDER__POLL_AFTER_S", "0", "GATEWAY_PROVIDER__POLL_AFTER_S"),
        ("GATEWAY_DATABASE__AUTO_MIGRATE", "perhaps", "GATEWAY_DATABASE__AUTO_MIGRATE"),
        ("GATEWAY_LOG__FILTER", "=====", "GATEWAY_LOG__FILTER"),
    ];
    for (name, value, named) in cases {
        for command in [&["serve"][..], &["config", "check"]] {
            assert_refused(&gateway.cli_with(command, &[(name, value)], "").await, 2, named);
        }
    }
    let file = gateway.folder().join("own.toml");
    for (toml, named) in [
        ("[server]\npublic_adr = \"127.0.0.1:1\"", "public_adr"),
        ("colour = 1", "colour"),
        ("[server\n", "own.toml"),
        ("[oauth]\ntoken_lifetime_s = \"x\"", "token_lifetime_s"),
    ] {
        std::fs::write(&file, toml).unwrap();
        assert_refused(&gateway.cli(&["serve", "--config", file.to_str().unwrap()]).await, 2, named);
    }
    assert_refused(
        &gateway.cli(&["serve", "--config", "/nowhere/gateway.toml"]).await,
        2,
        "/nowhere/gateway.toml",
    );
}

#[tokio::test]
async fn the_file_configures_and_the_environment_wins() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let file = gateway.folder().join("gateway.toml");
    std::fs::write(&file, "[oauth]\ntoken_lifetime_s = 77\n[provider]\npoll_after_s = 5\n").unwrap();
    // The file of the working directory is found by itself.
    let printed = gateway.cli(&["config", "check", "--json"]).await.json();
    assert_eq!(
        (&printed["oauth.token_lifetime_s"], &printed["provider.poll_after_s"]),
        (&json!("77"), &json!("5")),
        "{printed}"
    );
    let printed = gateway
        .cli_with(&["config", "check", "--json"], &[("GATEWAY_OAUTH__TOKEN_LIFETIME_S", "88")], "")
        .await
        .json();
    assert_eq!(printed["oauth.token_lifetime_s"], "88");
    let printed = gateway
        .cli_with(&["config", "check"], &[("GATEWAY_DATABASE__URL", "postgres://u:hunter2@localhost/x")], "")
        .await;
    assert!(!printed.succeeded().stdout.contains("hunter2"), "{printed:?}");
}

#[tokio::test]
async fn a_server_that_cannot_start_says_why() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = taken.local_addr().unwrap().to_string();
    for name in ["GATEWAY_SERVER__PUBLIC_ADDR", "GATEWAY_SERVER__INTERNAL_ADDR"] {
        assert_refused(&gateway.cli_with(&["serve"], &[(name, &addr)], "").await, 1, &addr);
    }
    let sandbox = [("GATEWAY_PROVIDER__BASE_URL", "sandbox"), ("GATEWAY_SANDBOX__ADDR", addr.as_str())];
    assert_refused(&gateway.cli_with(&["serve"], &sandbox, "").await, 1, &addr);
    let database = Gateway::prepared(Engine::Postgres, Options::default()).await;
    let none = format!("{}_that_is_not_there", database.database_url());
    let ran = gateway.cli_with(&["serve"], &[("GATEWAY_DATABASE__URL", &none)], "").await;
    assert_refused(&ran, 1, "database");
    assert!(!ran.stderr.contains("postgres://"), "no address with a password: {ran:?}");
}

#[tokio::test]
async fn without_the_master_key_of_the_database_nothing_starts() {
    on_both(|engine| async move {
        let mut world = World::start(engine).await;
        world.gateway.kill9();
        std::fs::remove_file(world.gateway.folder().join("master.key")).unwrap();
        let ran = world.gateway.cli(&["serve"]).await;
        assert_eq!(ran.code, 1, "{ran:?}");
        assert!(ran.stderr.trim().lines().last().unwrap().contains("key"), "{ran:?}");
    })
    .await;
}

#[tokio::test]
async fn the_database_is_migrated_when_asked_and_not_otherwise() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let manual = [("GATEWAY_DATABASE__AUTO_MIGRATE", "false")];
    assert_refused(&gateway.cli_with(&["serve"], &manual, "").await, 1, "gateway migrate");
    assert_eq!(gateway.cli(&["migrate", "--json"]).await.json(), json!({"migrated": true}));
    assert_eq!(gateway.cli(&["migrate", "--json"]).await.json(), json!({"migrated": true}));
    gateway.cli_with(&["workspace", "list"], &manual, "").await.succeeded();
}

#[tokio::test]
async fn a_bad_plugin_beside_a_good_one_stops_nobody() {
    on_both(|engine| async move {
        let kept = tempfile::tempdir().unwrap();
        let folder = kept.path().to_owned();
        std::fs::copy(plugins_folder().join("es-verifactu.wasm"), folder.join("es-verifactu.wasm")).unwrap();
        for (name, bytes) in [
            ("garbage.wasm", &b"not wasm at all"[..]),
            ("empty.wasm", b""),
            ("module.wasm", b"\0asm\x01\0\0\0"),
            ("readme.txt", b"x"),
        ] {
            std::fs::write(folder.join(name), bytes).unwrap();
        }
        let world =
            World::with(engine, Options { plugins: Some(folder.clone()), ..Options::sandbox() }).await;
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
        assert!(world.gateway.log().contains("garbage.wasm"), "{}", world.gateway.log());
        let list = world.gateway.cli(&["plugin", "list", "--json"]).await.json();
        assert_eq!(list["plugins"][0]["key"], "es-verifactu");
        let refused: Vec<_> = list["refused"].as_array().unwrap().iter().map(Value::to_string).collect();
        assert!(
            refused.len() == 3 && refused.iter().any(|refused| refused.contains("garbage.wasm")),
            "{refused:?}"
        );
        let inspect =
            world.gateway.cli(&["plugin", "inspect", folder.join("garbage.wasm").to_str().unwrap()]).await;
        assert_eq!(inspect.code, 1);
    })
    .await;
}

#[tokio::test]
async fn a_client_is_changed_over_the_api_until_it_is_disabled() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let admin = world.as_client(&["admin"], &["*"]).await;
        let client = world.another_client(&["invoicing.rpc"], &["*"]).await;
        let path = format!("/admin/clients/{}", client.id);
        let change = json!({"name": "ledger", "permissions": ["finance.rpc"]}).to_string().into_bytes();
        let json = [("content-type", "application/json")];
        let changed = admin.send("PATCH", &path, &json, Some(change.clone())).await.expect(200);
        assert_eq!((&changed["name"], &changed["permissions"]), (&json!("ledger"), &json!(["finance.rpc"])));
        admin.post(&format!("{path}/disable"), &json!({})).await;
        assert_eq!(admin.send("PATCH", &path, &json, Some(change)).await.fields(409), ["id"]);
    })
    .await;
}

#[tokio::test]
async fn the_token_of_a_workspace_is_tried_at_the_provider() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let admin = world.as_client(&["admin"], &["*"]).await;
        let path = format!("/admin/workspaces/{}/e-invoicing/test", world.workspace);
        let found = admin.post(&path, &json!({})).await.expect(200);
        assert_eq!(found["good"], true, "{found}");
    })
    .await;
}
