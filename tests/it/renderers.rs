//! Versions of renderers in the database: installed, in force, taken back, beside gateways that serve.

use crate::pdf;
use crate::plugins::text;
use gateway_tests::{Answer, Api, Engine, Gateway, Options, World, built_plugins, on_both, until};
use serde_json::{Value, json};
use std::path::PathBuf;

const WASM: (&str, &str) = ("content-type", "application/wasm");
const INSTALL: &str = "/admin/renderers";

/// The component as it is built.
pub(crate) fn built() -> PathBuf {
    built_plugins().join("render").join("render-pdf.wasm")
}

/// The version that is built, as the component says it of itself.
pub(crate) fn version() -> String {
    let bytes = std::fs::read(built()).unwrap();
    let name = b"render-pdf";
    let at = (0..bytes.len())
        .find(|at| bytes[*at..].starts_with(name) && bytes[at + name.len()].is_ascii_digit())
        .expect("the component states its version");
    let rest = bytes[at + name.len()..].iter();
    rest.take_while(|byte| byte.is_ascii_digit() || **byte == b'.').map(|byte| char::from(*byte)).collect()
}

/// The same component as another version, which it writes into its files.
pub(crate) fn as_version(other: &str) -> Vec<u8> {
    let (mut bytes, version) = (std::fs::read(built()).unwrap(), version());
    assert_eq!(other.len(), version.len(), "a component keeps its lengths");
    let places: Vec<_> = (0..bytes.len()).filter(|at| bytes[*at..].starts_with(version.as_bytes())).collect();
    for at in places {
        bytes[at..at + other.len()].copy_from_slice(other.as_bytes());
    }
    bytes
}

/// Another version of the same length.
pub(crate) fn later() -> String {
    let version = version();
    format!("{}7", &version[..version.len() - 1])
}

/// The same version with an empty custom section behind it, so another component.
fn rebuilt() -> Vec<u8> {
    [std::fs::read(built()).unwrap(), b"\0\x02\x01x".to_vec()].concat()
}

pub(crate) fn id(version: &str) -> String {
    format!("render-pdf@{version}")
}

async fn install(api: &Api, query: &str, component: Vec<u8>) -> Answer {
    api.send("POST", &format!("{INSTALL}{query}"), &[WASM], Some(component)).await
}

async fn change(api: &Api, what: &str) -> Answer {
    api.send("POST", &format!("{INSTALL}/{what}"), &[], None).await
}

async fn states(api: &Api) -> Vec<(String, String)> {
    let list = api.get(INSTALL).await.expect(200);
    let renderers = list["renderers"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mut states: Vec<_> = renderers.map(|listed| (text(&listed["id"]), text(&listed["state"]))).collect();
    states.sort();
    states
}

/// The digest of the file that is made of a document; none while nothing makes files.
async fn file(api: &Api, uuid: &str) -> Option<String> {
    // Where it is compiled for the first time, it may not be there for the first request.
    let answer = until("the renderer is prepared", || async {
        Some(api.get(&pdf::path(uuid)).await).filter(|answer| answer.status != 503)
    })
    .await;
    match answer.status {
        200 => Some(answer.header("etag").to_owned()),
        404 => None,
        _ => panic!("{answer:?}"),
    }
}

#[tokio::test]
async fn a_renderer_is_installed_activated_rolled_back_and_disabled_over_http() {
    on_both(|engine| async move {
        let plugins = pdf::plugins();
        let world = World::with(engine, pdf::with(plugins.path())).await;
        let uuid = world.draft(&world.document()).await;
        let (old, new, api) = (id(&version()), id(&later()), &world.api);
        assert_eq!(file(api, &uuid).await, None);

        let component = std::fs::read(built()).unwrap();
        let installed = install(api, "", component.clone()).await.expect(201);
        assert_eq!((&installed["id"], &installed["known"]), (&json!(old), &json!(false)), "{installed}");
        let again = install(api, "", component).await.expect(200);
        assert_eq!((&again["known"], again.get("activated")), (&json!(true), None), "{again}");
        assert_eq!(file(api, &uuid).await, None, "what is installed serves nobody");
        let activated = change(api, &format!("{old}/activate")).await.expect(200);
        assert_eq!((&activated["id"], &activated["replaced"]), (&json!(old), &Value::Null), "{activated}");
        let first = file(api, &uuid).await.expect("the process that was asked follows at once");

        let installed = install(api, "?activate=true", as_version(&later())).await.expect(201);
        assert_eq!(installed["activated"]["replaced"], json!(old), "{installed}");
        let second = file(api, &uuid).await.unwrap();
        assert_ne!(second, first, "the file names the version that made it");
        let expected = [(old.clone(), "retired".to_owned()), (new.clone(), "active".to_owned())];
        assert_eq!(states(api).await, expected);

        let back = change(api, "rollback").await.expect(200);
        assert_eq!((&back["id"], &back["replaced"]), (&json!(old), &json!(new)), "{back}");
        assert_eq!(file(api, &uuid).await.unwrap(), first);
        assert_eq!(change(api, "rollback").await.fields(409), ["base"]);
        assert_eq!(change(api, "disable").await.expect(200), json!({"disabled": old}));
        assert_eq!(file(api, &uuid).await, None);
        assert_eq!(change(api, "disable").await.fields(409), ["base"]);
        let digest = installed["sha256"].as_str().unwrap();
        change(api, &format!("{digest}/activate")).await.expect(200);
        assert_eq!(file(api, &uuid).await.unwrap(), second, "a version is named by its digest, too");
        change(api, "disable").await.expect(200);

        pdf::install_renderer(plugins.path());
        let made = until("the folder serves", || async { file(api, &uuid).await }).await;
        assert_eq!(made, first);
        let audit = api.get("/admin/audit").await.expect(200);
        let entries = audit["nodes"].as_array().unwrap().iter();
        let of_renderers =
            entries.filter(|entry| entry["subject"].as_str().unwrap().starts_with("renderer:"));
        let events: Vec<_> = of_renderers
            .map(|entry| [&entry["action"], &entry["actor"]].map(|part| part.as_str().unwrap().to_owned()))
            .collect();
        let client = &world.client.id;
        let actions =
            ["disable", "activate", "disable", "rollback", "activate", "install", "activate", "install"];
        assert_eq!(events, actions.map(|action| [format!("renderer.{action}"), client.clone()]), "{audit}");
    })
    .await;
}

#[tokio::test]
async fn what_is_no_renderer_or_changes_a_version_is_refused_and_the_old_one_serves() {
    on_both(|engine| async move {
        let plugins = pdf::plugins();
        let world = World::with(engine, pdf::with(plugins.path())).await;
        let (uuid, api) = (world.draft(&world.document()).await, &world.api);
        install(api, "?activate=true", std::fs::read(built()).unwrap()).await.expect(201);
        let made = file(api, &uuid).await;

        let other = install(api, "?activate=true", rebuilt()).await;
        assert_eq!(other.fields(409), ["version"]);
        assert!(other.text.contains("a version never changes"), "{}", other.text);
        let tax_system = std::fs::read(built_plugins().join("it-sdi.wasm")).unwrap();
        let refused = install(api, "", tax_system).await;
        assert_eq!(refused.fields(422), ["base"]);
        let says = "it does not export einvoicing:render/render@1.0.0, it exports 'einvoicing:regime/";
        assert!(refused.text.contains(says), "{}", refused.text);
        for garbage in [b"x".to_vec(), Vec::new(), vec![b'x'; 3 << 20]] {
            assert_eq!(install(api, "", garbage).await.fields(422), ["base"]);
        }
        assert_eq!(install(api, "?activte=true", b"x".to_vec()).await.fields(422), ["activte"]);
        api.post(INSTALL, &json!({})).await.errors(415);
        assert_eq!(change(api, "render-pdf@9.9.9/activate").await.fields(404), ["id"]);
        assert_eq!(change(api, "rollback").await.fields(409), ["base"]);
        // A plugin is not installed where renderers are, nor a renderer where plugins are.
        let renderer = std::fs::read(built()).unwrap();
        let refused = api.send("POST", "/admin/plugins", &[WASM], Some(renderer)).await;
        assert_eq!(refused.fields(422), ["base"]);
        assert_eq!((states(api).await.len(), file(api, &uuid).await), (1, made));
    })
    .await;
}

#[tokio::test]
async fn only_a_client_of_every_workspace_changes_renderers() {
    on_both(|engine| async move {
        let plugins = pdf::plugins();
        let world = World::with(engine, pdf::with(plugins.path())).await;
        let component = std::fs::read(built()).unwrap();
        install(&world.api, "?activate=true", component.clone()).await.expect(201);
        let before = states(&world.api).await;
        let workspace = world.workspace.to_string();
        let limited = world.as_client(&["admin"], &[&workspace]).await;
        let reader = world.as_client(&["console.read", "finance.rpc", "invoicing.rpc"], &["*"]).await;
        for (client, listed) in [(&limited, 200), (&reader, 403), (&world.api.without_token(), 401)] {
            let refused = if listed == 401 { 401 } else { 403 };
            assert_eq!(client.get(INSTALL).await.status, listed);
            assert_eq!(install(client, "?activate=true", component.clone()).await.status, refused);
            for what in ["rollback", "disable", &format!("{}/activate", id(&version()))] {
                assert_eq!(change(client, what).await.status, refused, "{what}");
            }
        }
        assert_eq!(states(&world.api).await, before);
    })
    .await;
}

#[tokio::test]
async fn every_replica_takes_what_the_command_line_puts_in_force() {
    let plugins = pdf::plugins();
    let world = World::with(Engine::Postgres, pdf::with(plugins.path())).await;
    let mut second = world.gateway.replica();
    second.serve().await;
    let credentials = json!({"grant_type": "client_credentials", "client_id": world.client.id,
        "client_secret": world.client.secret});
    let token = second.internal().post("/v1/oauth2/token", &credentials).await.expect(200);
    let other = second.internal().with_token(token["access_token"].as_str().unwrap());
    let uuid = world.draft(&world.document()).await;
    let everywhere = async |what: &str, is_expected: &(dyn Fn(Option<String>) -> bool + Sync)| {
        for api in [&world.api, &other] {
            until(what, || async { is_expected(file(api, &uuid).await).then_some(()) }).await;
        }
        file(&world.api, &uuid).await
    };
    assert_eq!([file(&world.api, &uuid).await, file(&other, &uuid).await], [None, None]);

    let built = built();
    let install = ["renderer", "install", text(&built), "--activate"];
    let ran = world.gateway.cli(&install).await;
    assert!(ran.succeeded().stdout.contains("every process follows within two seconds"), "{ran:?}");
    assert!(ran.stderr.contains("is not signed"), "{ran:?}");
    let first = everywhere("every process makes files", &|made| made.is_some()).await;
    let newer = plugins.path().join("newer");
    std::fs::write(&newer, as_version(&later())).unwrap();
    world.gateway.cli(&["renderer", "install", text(&newer)]).await.succeeded();
    let activate = ["renderer", "activate", &id(&later()), "--json"];
    let activated = world.gateway.cli(&activate).await.json();
    assert_eq!(activated["replaced"], json!(id(&version())), "{activated}");
    everywhere("every process has the newer one", &|made| made.is_some() && made != first).await;
    world.gateway.cli(&["renderer", "rollback"]).await.succeeded();
    everywhere("every process went back", &|made| made == first).await;
    world.gateway.cli(&["renderer", "disable"]).await.succeeded();
    everywhere("no process makes files", &|made| made.is_none()).await;
}

#[tokio::test]
async fn the_command_line_lists_versions_and_says_what_it_refuses() {
    on_both(|engine| async move {
        let gateway = Gateway::prepared(engine, Options::default()).await;
        gateway.cli(&["migrate"]).await.succeeded();
        assert_eq!(gateway.cli(&["renderer", "list", "--json"]).await.json(), json!({"renderers": []}));
        let built = built();
        let install = ["renderer", "install", text(&built)];
        let ran = gateway.cli(&install).await;
        let next = format!("next, 'gateway renderer activate {}'", id(&version()));
        assert!(ran.succeeded().stdout.contains(&next), "{ran:?}");
        assert!(gateway.cli(&install).await.succeeded().stdout.contains("is installed already"));
        gateway.cli(&["renderer", "activate", &id(&version())]).await.succeeded();
        let list = gateway.cli(&["renderer", "list"]).await;
        let row = list.succeeded().stdout.lines().nth(1).unwrap_or_default().to_owned();
        assert!(row.contains(&id(&version())) && row.contains("active"), "{list:?}");
        for (arguments, says) in [
            (&["renderer", "install", "/nowhere.wasm"][..], "/nowhere.wasm"),
            (&["renderer", "activate", "render-pdf@9.9.9"], "is not installed"),
            (&["renderer", "rollback"], "no earlier renderer"),
        ] {
            let ran = gateway.cli(arguments).await;
            assert_eq!((ran.code, ran.stderr.lines().count()), (1, 1), "{ran:?}");
            assert!(ran.stderr.contains(says), "{ran:?}");
        }
        gateway.cli(&["renderer", "disable"]).await.succeeded();
        assert!(gateway.cli(&["renderer", "disable"]).await.stderr.contains("no renderer of the database"));
    })
    .await;
}

#[tokio::test]
async fn with_a_trusted_key_only_signed_renderers_are_installed() {
    let folder = tempfile::tempdir().unwrap();
    let (key, component) = (folder.path().join("signing.key"), folder.path().join("render-pdf.wasm"));
    std::fs::copy(built(), &component).unwrap();
    let maker = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let made = maker.cli(&["plugin", "keygen", "--key", text(&key), "--json"]).await.json();
    let public = made["public_key"].as_str().unwrap();
    let plugins = tempfile::tempdir().unwrap();
    let options = pdf::with(plugins.path()).variable("GATEWAY_PLUGINS__TRUSTED_KEYS", public);
    let world = World::unconfigured(Engine::Sqlite, options).await;
    let bytes = std::fs::read(&component).unwrap();
    let unsigned = install(&world.api, "?activate=true", bytes.clone()).await;
    assert_eq!(unsigned.fields(422), ["base"]);
    assert!(unsigned.text.contains("is not signed"), "{}", unsigned.text);
    let ran = world.gateway.cli(&["renderer", "install", text(&component)]).await;
    assert!(ran.code == 1 && ran.stderr.contains("is not signed"), "{ran:?}");

    maker.cli(&["plugin", "sign", text(&component), "--key", text(&key)]).await.succeeded();
    let signature = std::fs::read_to_string(folder.path().join("render-pdf.wasm.sig")).unwrap();
    let signed = [WASM, ("plugin-signature", signature.trim())];
    let tampered = world.api.send("POST", INSTALL, &signed, Some(as_version(&later()))).await;
    assert_eq!(tampered.fields(422), ["base"]);
    world.api.send("POST", INSTALL, &signed, Some(bytes)).await.expect(201);
    change(&world.api, &format!("{}/activate", id(&version()))).await.expect(200);
    let list = world.api.get(INSTALL).await.expect(200);
    assert_eq!(list["renderers"][0]["signature"], json!(signature.trim()), "{list}");
    let uuid = world.draft(&world.document()).await;
    assert!(file(&world.api, &uuid).await.is_some());
    // What came in before there was a key is not put in force again.
    let newer = folder.path().join("newer.wasm");
    std::fs::write(&newer, as_version(&later())).unwrap();
    let without_key = [("GATEWAY_PLUGINS__TRUSTED_KEYS", "")];
    let install_newer = ["renderer", "install", text(&newer), "--activate"];
    world.gateway.cli_with(&install_newer, &without_key, "").await.succeeded();
    assert_eq!(change(&world.api, &format!("{}/activate", id(&later()))).await.fields(422), ["base"]);
    change(&world.api, &format!("{}/activate", id(&version()))).await.expect(200);
    assert_eq!(change(&world.api, "rollback").await.fields(422), ["base"]);
    assert!(file(&world.api, &uuid).await.is_some(), "the signed one serves");
    let known = world.gateway.cli(&["renderer", "install", text(&component)]).await;
    assert!(known.succeeded().stdout.contains("is installed already"), "{known:?}");
}
