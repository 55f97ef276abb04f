//! The registry of plugins: installed, activated, rolled back, beside gateways that serve.

use gateway_tests::{
    Engine, Gateway, Options, Ran, World, built_plugins, on_both, on_every, plugins_folder, until,
};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tempfile::TempDir;

/// A folder with variants of the Spanish plugin.
pub(crate) struct PluginFolder {
    folder: TempDir,
    /// The version that is built.
    pub(crate) version: String,
}

impl PluginFolder {
    pub(crate) async fn of(gateway: &Gateway) -> Self {
        let file = original();
        let description = gateway.cli(&["plugin", "inspect", file.to_str().unwrap(), "--json"]).await.json();
        let version = description["version"].as_str().unwrap().to_owned();
        Self { folder: tempfile::tempdir().unwrap(), version }
    }

    /// Another version of the same length.
    pub(crate) fn later(&self, last: char) -> String {
        let (kept, _) = self.version.split_at(self.version.len() - 1);
        format!("{kept}{last}")
    }

    /// The plugin with other texts in it, each as long as the one it replaces.
    pub(crate) fn variant(&self, version: &str, changes: &[(&str, &str)]) -> PathBuf {
        let mut bytes = std::fs::read(original()).unwrap();
        for (from, to) in changes.iter().copied().chain([(self.version.as_str(), version)]) {
            assert_eq!(from.len(), to.len(), "a component keeps its lengths");
            let places: Vec<_> =
                (0..bytes.len()).filter(|at| bytes[*at..].starts_with(from.as_bytes())).collect();
            let [place] = places[..] else { panic!("'{from}' stands at {places:?}") };
            bytes[place..place + from.len()].copy_from_slice(to.as_bytes());
        }
        let file = self.folder.path().join(format!("{version}-{}.wasm", changes.len()));
        std::fs::write(&file, bytes).unwrap();
        file
    }
}

pub(crate) fn name(version: &str) -> String {
    format!("es-verifactu@{version}")
}

fn original() -> PathBuf {
    plugins_folder().join("es-verifactu.wasm")
}

pub(crate) fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn assert_refused(ran: &Ran, with: &str) {
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.is_empty() && ran.stderr.trim().lines().count() == 1, "one sentence: {ran:?}");
    assert!(ran.stderr.contains(with), "'{with}' in {ran:?}");
}

async fn listing(gateway: &Gateway) -> Value {
    gateway.cli(&["plugin", "list", "--json"]).await.json()
}

async fn state(gateway: &Gateway, version: &str) -> String {
    let list = listing(gateway).await;
    let all = list["plugins"].as_array().unwrap();
    let found = all.iter().find(|plugin| plugin["version"] == version);
    found.map_or("unknown", |plugin| plugin["state"].as_str().unwrap()).to_owned()
}

/// Waits until every process serves this generation.
pub(crate) async fn until_replicas_follow(world: &World, processes: usize, generation: &Value) {
    let admin = world.api.clone();
    let expected = generation.as_i64().unwrap();
    until("every process follows", || async {
        let list = admin.get("/admin/plugins").await.expect(200);
        let replicas = list["replicas"].as_array().unwrap().clone();
        let all = replicas.iter().all(|replica| replica["generation"].as_i64().unwrap() >= expected);
        (all && replicas.len() == processes).then_some(())
    })
    .await;
}

/// The version that converts a fresh invoice.
async fn converting_version(world: &World, workspace: i64) -> Value {
    let uuid = world.issue(&gateway_tests::Document::of(workspace)).await;
    world.until(&uuid, "issued").await;
    world.submission(&uuid).await["attempts"][0]["plugin_version"].clone()
}

#[tokio::test]
async fn a_version_is_installed_activated_rolled_back_and_disabled_beside_a_server() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let gateway = &world.gateway;
        let folder = PluginFolder::of(gateway).await;
        let (old, new) = (folder.version.clone(), folder.later('7'));
        assert_eq!(state(gateway, &old).await, "active", "the drop folder is active from the start");
        assert_eq!(converting_version(&world, 1).await, json!(old));

        let file = folder.variant(&new, &[]);
        let install = ["plugin", "install", text(&file), "--json"];
        let first = gateway.cli(&install).await.json();
        assert_eq!((&first["id"], &first["known"]), (&json!(name(&new)), &json!(false)), "{first}");
        assert_eq!(gateway.cli(&install).await.json()["known"], json!(true), "a second time changes nothing");
        assert_eq!(state(gateway, &new).await, "installed");
        assert_eq!(converting_version(&world, 1).await, json!(old), "what is installed serves nobody");

        let activate = ["plugin", "activate", &name(&new), "--json"];
        let activated = gateway.cli(&activate).await.json();
        assert_eq!((&activated["replaced"], &activated["workspace_id"]), (&json!(old), &Value::Null));
        let tried = &activated["rehearsal"]["documents"];
        assert_eq!(activated["rehearsal"]["against"], json!(old), "{activated}");
        assert_eq!((tried.as_array().unwrap().len(), &tried[0]["differences"]), (2, &json!([])), "{tried}");
        until_replicas_follow(&world, 1, &activated["generation"]).await;
        assert_eq!(converting_version(&world, 1).await, json!(new));
        assert_eq!([state(gateway, &old).await, state(gateway, &new).await], ["retired", "active"]);

        let rollback = ["plugin", "rollback", "es-verifactu", "--json"];
        let back = gateway.cli(&rollback).await.json();
        assert_eq!((&back["version"], &back["replaced"]), (&json!(old), &json!(new)), "{back}");
        until_replicas_follow(&world, 1, &back["generation"]).await;
        assert_eq!(converting_version(&world, 1).await, json!(old));
        assert_refused(&gateway.cli(&rollback).await, "no earlier version");

        gateway.cli(&["plugin", "disable", "es-verifactu"]).await.succeeded();
        assert_refused(
            &gateway.cli(&["plugin", "disable", "es-verifactu"]).await,
            "no version of es-verifactu",
        );
        until_replicas_follow(&world, 1, &listing(gateway).await["generation"]).await;
        let uuid = world.draft(&world.document()).await;
        world.command(&uuid, "issue", &json!({})).await.expect(422);
        let back = gateway.cli(&rollback).await.json();
        until_replicas_follow(&world, 1, &back["generation"]).await;
        assert_eq!(converting_version(&world, 1).await, json!(old));
        assert_refused(&gateway.cli(&["plugin", "activate", "es-verifactu@9.9.9"]).await, "is not installed");
    })
    .await;
}

#[tokio::test]
async fn a_version_never_changes_and_a_bad_plugin_leaves_the_old_one_serving() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let gateway = &world.gateway;
        let folder = PluginFolder::of(gateway).await;
        let version = folder.version.clone();
        assert_eq!(converting_version(&world, 1).await, json!(version));

        let other = folder.variant(&version, &[("passportforeign", "passportFOREIGN")]);
        assert_refused(&gateway.cli(&["plugin", "install", text(&other)]).await, "a version never changes");
        for (name, bytes) in [("garbage", &b"not wasm"[..]), ("module", b"\0asm\x01\0\0\0"), ("empty", b"")] {
            let file = folder.folder.path().join(format!("{name}.wasm"));
            std::fs::write(&file, bytes).unwrap();
            assert_refused(&gateway.cli(&["plugin", "install", text(&file), "--activate"]).await, name);
        }
        let cut = folder.folder.path().join("cut.wasm");
        std::fs::write(&cut, &std::fs::read(original()).unwrap()[..100_000]).unwrap();
        assert_refused(&gateway.cli(&["plugin", "install", text(&cut)]).await, "cut.wasm");
        assert_refused(&gateway.cli(&["plugin", "install", "/nowhere.wasm"]).await, "/nowhere.wasm");

        // Its documents state no amount due, so nothing it makes could ever be sent.
        let wrong = folder.later('8');
        let file = folder.variant(&wrong, &[("retained_taxpayable", "retained_taxpayabel")]);
        let ran = gateway.cli(&["plugin", "install", text(&file), "--activate"]).await;
        assert_refused(&ran, "it breaks on invoice F-");
        assert_refused(&gateway.cli(&["plugin", "activate", &name(&wrong), "--force"]).await, "it breaks on");
        let path = format!("/admin/plugins/{}/activate", name(&wrong));
        world.api.post(&path, &json!({})).await.errors(409);
        assert_eq!(state(gateway, &wrong).await, "installed");
        assert_eq!(converting_version(&world, 1).await, json!(version));
    })
    .await;
}

#[tokio::test]
async fn an_activation_names_the_documents_that_come_out_differently() {
    on_every(|engine| async move {
        let mut world = World::start(engine).await;
        let folder = PluginFolder::of(&world.gateway).await;
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        let reversed = world.command(&uuid, "reverse", &json!({"at": issued["issued_at"]})).await.expect(200);
        let note = reversed["document"]["uuid"].as_str().filter(|note| *note != uuid).map(str::to_owned);
        let new = folder.later('9');
        let file = folder.variant(&new, &[("es-verifactu-v1", "es-verifactu-v9")]);
        world.gateway.cli(&["plugin", "install", text(&file)]).await.succeeded();
        // Finance's copies follow in a moment when documents are kept elsewhere.
        let tried = until("both documents are tried", || async {
            world.gateway.cli(&["plugin", "rollback", "es-verifactu"]).await;
            let activate = ["plugin", "activate", &name(&new), "--json"];
            let tried = world.gateway.cli(&activate).await.json()["rehearsal"]["documents"].clone();
            (tried.as_array().unwrap().len() == 2).then_some(tried)
        })
        .await;
        let [first, last] = [&tried[1], &tried[0]];
        assert_eq!((&first["document"], &first["new"]), (&json!(uuid), &json!("converted")), "{tried}");
        assert!(note.is_none_or(|note| last["document"] == json!(note)), "the newest first: {tried}");
        let difference =
            json!([{"pointer": "/document/$addons/0", "old": "es-verifactu-v1", "new": "es-verifactu-v9"}]);
        for tried in [first, last] {
            assert_eq!((&tried["new"], &tried["differences"]), (&json!("converted"), &difference), "{tried}");
        }
        let again = world.gateway.cli(&["plugin", "rollback", "es-verifactu"]).await;
        assert!(again.succeeded().stdout.contains(&folder.version), "{again:?}");
        world.kill_service();
        let activate = ["plugin", "activate", &name(&new), "--json"];
        let activated = world.gateway.cli(&activate).await.json();
        assert_eq!(activated["rehearsal"]["documents"], tried, "nobody elsewhere is asked");
    })
    .await;
}

#[tokio::test]
async fn a_workspace_may_have_a_version_of_its_own() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let gateway = &world.gateway;
        let folder = PluginFolder::of(gateway).await;
        let (old, new) = (folder.version.clone(), folder.later('7'));
        let other = world.another_workspace(&["--tax-id", "B12345674"]).await;
        world.configure(other, &[]).await;
        let file = folder.variant(&new, &[]);
        gateway.cli(&["plugin", "install", text(&file)]).await.succeeded();
        let id = other.to_string();
        let activate = ["plugin", "activate", &name(&new), "--workspace", &id, "--json"];
        let activated = gateway.cli(&activate).await.json();
        assert_eq!(activated["workspace_id"], json!(other));
        until_replicas_follow(&world, 1, &activated["generation"]).await;
        assert_eq!(converting_version(&world, other).await, json!(new));
        assert_eq!(converting_version(&world, world.workspace).await, json!(old));
        let list = listing(gateway).await;
        let workspaces: Vec<_> =
            list["plugins"].as_array().unwrap().iter().map(|plugin| &plugin["workspaces"]).collect();
        assert!(workspaces.contains(&&json!([other])), "{list}");

        gateway.cli(&["plugin", "disable", "es-verifactu", "--workspace", &id]).await.succeeded();
        until_replicas_follow(&world, 1, &listing(gateway).await["generation"]).await;
        assert_eq!(converting_version(&world, other).await, json!(old), "it has what everybody has");
        let unknown = ["plugin", "activate", &name(&new), "--workspace", "4711"];
        assert_refused(&gateway.cli(&unknown).await, "no workspace 4711");
    })
    .await;
}

#[tokio::test]
async fn every_replica_follows_and_no_request_fails() {
    let world = World::start(Engine::Postgres).await;
    let mut second = world.gateway.replica();
    second.serve().await;
    let folder = PluginFolder::of(&world.gateway).await;
    let (old, new) = (folder.version.clone(), folder.later('7'));
    let draft = world.draft(&world.document()).await;
    let credentials = json!({"grant_type": "client_credentials", "client_id": world.client.id,
        "client_secret": world.client.secret});
    let token = second.internal().post("/v1/oauth2/token", &credentials).await.expect(200);
    let listeners =
        [world.api.clone(), second.internal().with_token(token["access_token"].as_str().unwrap())];
    let path = format!("/finance/rpc/documents/{draft}/commands/issue?dry_run=true");
    let stop = Arc::new(AtomicBool::new(false));
    let traffic = listeners.map(|api| {
        let (path, stop) = (path.clone(), Arc::clone(&stop));
        tokio::spawn(async move {
            let mut answered = 0_u32;
            loop {
                api.post(&path, &json!({})).await.expect(200);
                answered += 1;
                tokio::task::yield_now().await;
                if stop.load(Ordering::Relaxed) {
                    return answered;
                }
            }
        })
    });
    let file = folder.variant(&new, &[]);
    world.gateway.cli(&["plugin", "install", text(&file)]).await.succeeded();
    for round in 0..6 {
        let arguments = match round % 2 {
            0 => vec!["plugin", "activate", "es-verifactu@", "--json"],
            _ => vec!["plugin", "rollback", "es-verifactu", "--json"],
        };
        let named = name(&new);
        let arguments: Vec<_> = arguments
            .into_iter()
            .map(|word| if word.ends_with('@') { named.as_str() } else { word })
            .collect();
        let changed = world.gateway.cli(&arguments).await.json();
        until_replicas_follow(&world, 2, &changed["generation"]).await;
        let expected = if round % 2 == 0 { &new } else { &old };
        assert_eq!(converting_version(&world, 1).await, json!(expected), "round {round}");
    }
    stop.store(true, Ordering::Relaxed);
    for each in traffic {
        assert!(each.await.unwrap() > 10, "there was traffic, and none of it failed");
    }
    let status = second.stop().await;
    assert!(status.is_some_and(|status| status.success()));
    let replicas = listing(&world.gateway).await["replicas"].as_array().unwrap().len();
    assert_eq!(replicas, 1, "a process that ended is not waited for");
}

#[tokio::test]
async fn the_drop_folder_activates_no_plugin_that_an_operator_decided_about() {
    on_both(|engine| async move {
        let dropped = tempfile::tempdir().unwrap();
        let options = Options { plugins: Some(dropped.path().to_owned()), ..Options::sandbox() };
        let world = World::with(engine, options).await;
        let gateway = &world.gateway;
        let folder = PluginFolder::of(gateway).await;
        let (old, new) = (folder.version.clone(), folder.later('7'));
        let file = dropped.path().join("es-verifactu.wasm");
        std::fs::copy(original(), &file).unwrap();
        until("the dropped plugin serves", || async {
            (state(gateway, &old).await == "active").then_some(())
        })
        .await;
        until_replicas_follow(&world, 1, &listing(gateway).await["generation"]).await;
        assert_eq!(converting_version(&world, 1).await, json!(old));

        std::fs::write(dropped.path().join("garbage.wasm"), "not wasm").unwrap();
        std::fs::copy(folder.variant(&new, &[]), dropped.path().join("another.wasm")).unwrap();
        until("the other version is installed", || async {
            (state(gateway, &new).await == "installed").then_some(())
        })
        .await;
        until("the bad file is reported", || async { gateway.log().contains("garbage.wasm").then_some(()) })
            .await;
        std::fs::remove_file(&file).unwrap();
        assert_eq!(converting_version(&world, 1).await, json!(old), "a file that is gone changes nothing");
        gateway.cli(&["plugin", "disable", "es-verifactu"]).await.succeeded();
        std::fs::copy(original(), &file).unwrap();
        let again = dropped.path().join("again.wasm");
        std::fs::copy(folder.variant(&folder.later('8'), &[]), &again).unwrap();
        until("the third version is installed", || async {
            (state(gateway, &folder.later('8')).await == "installed").then_some(())
        })
        .await;
        assert_eq!(state(gateway, &old).await, "retired", "what was disabled stays so");
        assert_eq!(gateway.log().matches("garbage.wasm is refused").count(), 1, "{}", gateway.log());
    })
    .await;
}

#[tokio::test]
async fn with_a_trusted_key_unsigned_plugins_are_refused() {
    let keys = tempfile::tempdir().unwrap();
    let key = keys.path().join("signing.key");
    let maker = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let made = maker.cli(&["plugin", "keygen", "--key", text(&key), "--json"]).await;
    let public = made.json()["public_key"].as_str().unwrap().to_owned();
    assert!(!made.stdout.contains("secret-key:"), "the secret key is nowhere shown");
    assert_refused(&maker.cli(&["plugin", "keygen", "--key", text(&key)]).await, text(&key));

    let unsigned = World::start(Engine::Sqlite).await;
    let trusting = [("GATEWAY_PLUGINS__TRUSTED_KEYS", public.as_str())];
    let doctor = unsigned.gateway.cli_with(&["doctor"], &trusting, "").await;
    assert_eq!(doctor.code, 1, "{doctor:?}");
    assert!(doctor.stdout.contains("is active and serves nobody here"), "{doctor:?}");
    drop(unsigned);

    let folder = PluginFolder::of(&maker).await;
    let dropped = tempfile::tempdir().unwrap();
    let file = dropped.path().join("es-verifactu.wasm");
    std::fs::copy(original(), &file).unwrap();
    let options = Options { plugins: Some(dropped.path().to_owned()), ..Options::sandbox() };
    let world = World::with(Engine::Sqlite, options.variable("GATEWAY_PLUGINS__TRUSTED_KEYS", &public)).await;
    let gateway = &world.gateway;
    let list = listing(gateway).await;
    assert_eq!((&list["plugins"], list["refused"].as_array().unwrap().len()), (&json!([]), 1), "{list}");
    assert_refused(&gateway.cli(&["plugin", "install", text(&original())]).await, "sign");

    gateway.cli(&["plugin", "sign", text(&file), "--key", text(&key)]).await.succeeded();
    let inspected = gateway.cli(&["plugin", "inspect", text(&file), "--json"]).await.json();
    assert_eq!(inspected["signature"], json!({"key": public, "verdict": "trusted"}));
    until("the signed plugin serves", || async {
        (state(gateway, &folder.version).await == "active").then_some(())
    })
    .await;
    until_replicas_follow(&world, 1, &listing(gateway).await["generation"]).await;
    assert_eq!(converting_version(&world, 1).await, json!(folder.version));

    let tampered = folder.variant(&folder.later('7'), &[]);
    let signature = std::fs::read(dropped.path().join("es-verifactu.wasm.sig")).unwrap();
    let mut beside = tampered.clone().into_os_string();
    beside.push(".sig");
    std::fs::write(&beside, signature).unwrap();
    assert_refused(&gateway.cli(&["plugin", "install", text(&tampered)]).await, "signature");
}

#[tokio::test]
async fn operators_do_the_same_over_http() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let folder = PluginFolder::of(&world.gateway).await;
        let (old, new) = (folder.version.clone(), folder.later('7'));
        assert_eq!(converting_version(&world, 1).await, json!(old));
        let component = std::fs::read(folder.variant(&new, &[])).unwrap();
        let wasm = [("content-type", "application/wasm")];
        let post = |api: gateway_tests::Api, body: Vec<u8>| async move {
            api.send("POST", "/admin/plugins", &wasm, Some(body)).await
        };
        let installed = post(world.api.clone(), component.clone()).await.expect(201);
        assert_eq!(installed["id"], json!(name(&new)));
        assert_eq!(post(world.api.clone(), component.clone()).await.expect(200)["known"], json!(true));
        assert_eq!(post(world.api.clone(), b"x".to_vec()).await.fields(422), ["base"]);
        assert_eq!(
            post(world.api.clone(), vec![b'x'; 3 << 20]).await.fields(422),
            ["base"],
            "it may be large"
        );
        let other = folder.variant(&old, &[("passportforeign", "passportFOREIGN")]);
        assert_eq!(post(world.api.clone(), std::fs::read(other).unwrap()).await.fields(409), ["version"]);
        world.api.post("/admin/plugins", &json!({})).await.errors(415);

        let path = format!("/admin/plugins/{}/activate", name(&new));
        let activated = world.api.post(&path, &json!({})).await.expect(200);
        assert_eq!(activated["rehearsal"]["documents"][0]["differences"], json!([]), "{activated}");
        assert_eq!(
            converting_version(&world, 1).await,
            json!(new),
            "the process that was asked follows at once"
        );
        world.api.post("/admin/plugins/es-verifactu@9.9.9/activate", &json!({})).await.errors(404);
        world.api.post("/admin/plugins/x/activate", &json!({})).await.errors(400);
        let back = world.api.post("/admin/plugins/es-verifactu/rollback", &json!({})).await.expect(200);
        assert_eq!(back["version"], json!(old));
        let metrics = world.gateway.internal().get("/metrics").await.text;
        let active = format!("plugin_active{{plugin=\"{}\",workspace=\"*\"}} 1", name(&old));
        assert!(metrics.contains(&active) && metrics.contains("plugin_registry_problem 0"), "{metrics}");

        let id = world.workspace.to_string();
        let limited = world.as_client(&["admin"], &[&id]).await;
        assert_eq!(post(limited.clone(), component).await.status, 403);
        assert_eq!(limited.post(&path, &json!({})).await.status, 403);
        assert_eq!(limited.post(&path, &json!({"workspace_id": 4711})).await.fields(422), ["workspace_id"]);
        limited.post(&path, &json!({"workspace_id": world.workspace})).await.expect(200);
        assert_eq!(converting_version(&world, 1).await, json!(new));
        let disabled = world.api.post("/admin/plugins/es-verifactu/disable", &json!({})).await.expect(200);
        assert_eq!(disabled["disabled"].as_array().unwrap().len(), 2, "everywhere: {disabled}");
        world.api.post("/admin/plugins/es-verifactu/disable", &json!({})).await.errors(409);
    })
    .await;
}

#[tokio::test]
async fn a_plugin_that_contradicts_its_own_samples_never_serves() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let gateway = &world.gateway;
        let place = tempfile::tempdir().unwrap();
        let sound = built_plugins().join("it-sdi.wasm");
        let description = gateway.cli(&["plugin", "inspect", text(&sound), "--json"]).await.json();
        assert_eq!(description["wit"], json!("einvoicing:regime@1.5.0"), "{description}");
        let installed = gateway.cli(&["plugin", "install", text(&sound), "--activate"]).await;
        assert!(installed.stdout.contains("Its own 3 samples come out as it states"), "{installed:?}");

        // One digit of what the first sample states, and another version.
        let mut bytes = std::fs::read(&sound).unwrap();
        let stated: &[u8] = b"\"code\": \"F-2026-000101\"";
        let at = (0..bytes.len()).find(|at| bytes[*at..].starts_with(stated)).unwrap();
        bytes[at + stated.len() - 2] = b'9';
        let version = description["version"].as_str().unwrap();
        let (kept, _) = version.split_at(version.len() - 1);
        let (old, new) = (version.as_bytes(), format!("{kept}7"));
        let places: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(old)).collect();
        for at in places {
            bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
        }
        let file = place.path().join("it-sdi.wasm");
        std::fs::write(&file, bytes).unwrap();
        let ran = gateway.cli(&["plugin", "install", text(&file), "--activate"]).await;
        assert_refused(&ran, "its own sample 'invoice' fails (it differs from what it states at '/code')");
        let path = format!("/admin/plugins/it-sdi@{new}/activate");
        world.api.post(&path, &json!({})).await.errors(409);
        let list = listing(gateway).await;
        let versions: Vec<_> = list["plugins"].as_array().unwrap().iter().collect();
        let of =
            |version: &str| versions.iter().find(|plugin| plugin["id"] == json!(format!("it-sdi@{version}")));
        assert_eq!(of(version).unwrap()["state"], json!("active"));
        let evidence =
            json!({"verification_hosts": [], "verification_number": null, "duplicate_codes": ["00404"]});
        assert_eq!(of(version).unwrap()["description"]["evidence"], evidence);
        assert_eq!(of(&new).unwrap()["state"], json!("installed"));
    })
    .await;
}
