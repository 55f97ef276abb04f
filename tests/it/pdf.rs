//! Documents as files that people read.

use gateway_tests::{
    Fault, Options, Rpc, ScriptedProvider, World, built_plugins, on_both, on_both_remote, plugins_folder,
    until,
};
use serde_json::json;
use std::path::{Path, PathBuf};

const RENDERER: &str = "render-pdf.wasm";

/// A folder of plugins of a test's own, without a renderer.
pub(super) fn plugins() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let plugin = "es-verifactu.wasm";
    std::fs::copy(plugins_folder().join(plugin), folder.path().join(plugin)).unwrap();
    folder
}

fn renderers(plugins: &Path) -> PathBuf {
    plugins.join("render")
}

/// Puts the renderer where the gateway looks, at once.
pub(super) fn install_renderer(plugins: &Path) {
    let folder = renderers(plugins);
    std::fs::create_dir_all(&folder).unwrap();
    let fresh = folder.join("fresh");
    std::fs::copy(built_plugins().join("render").join(RENDERER), &fresh).unwrap();
    std::fs::rename(fresh, folder.join(RENDERER)).unwrap();
}

pub(super) fn path(uuid: &str) -> String {
    format!("/invoicing/rpc/documents/{uuid}/pdf")
}

pub(super) fn with(plugins: &Path) -> Options {
    Options { plugins: Some(plugins.to_owned()), ..Options::sandbox() }
}

#[tokio::test]
async fn an_installed_renderer_is_used_and_makes_the_same_file_every_time() {
    on_both(|engine| async move {
        let plugins = plugins();
        let world = World::with(engine, with(plugins.path())).await;
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        let answer = world.api.get(&path(&uuid)).await;
        assert_eq!(answer.fields(404), ["renderer"]);
        assert!(answer.text.contains("no renderer is installed"), "{}", answer.text);

        install_renderer(plugins.path());
        let made = until("the renderer is taken", || async {
            Some(world.api.get(&path(&uuid)).await).filter(|answer| answer.status != 404)
        })
        .await;
        assert_eq!((made.status, made.header("content-type")), (200, "application/pdf"), "{}", made.text);
        assert!(made.text.starts_with("%PDF-1."));
        let number = issued["display_invoice_number"].as_str().unwrap();
        assert_eq!(made.header("content-disposition"), format!("inline; filename=\"{number}.pdf\""));
        let again = world.api.get(&path(&uuid)).await;
        assert_eq!((&again.text, again.header("etag")), (&made.text, made.header("etag")), "of the cache");
        let english = world.api.get(&format!("{}?locale=en", path(&uuid))).await;
        assert_eq!(english.status, 200);
        assert_ne!((&english.text, english.header("etag")), (&made.text, made.header("etag")));
        for (known, status) in [(made.header("etag"), 304), ("\"other\"", 200), (english.header("etag"), 200)]
        {
            let answer = world.api.send("GET", &path(&uuid), &[("if-none-match", known)], None).await;
            assert_eq!((answer.status, answer.header("etag")), (status, made.header("etag")), "{known}");
        }
        assert_eq!(world.api.get(&format!("{}?locale=tlh", path(&uuid))).await.fields(422), ["locale"]);
        assert_eq!(world.api.get(&format!("{}?language=en", path(&uuid))).await.fields(422), ["language"]);
    })
    .await;
}

#[tokio::test]
async fn finance_makes_the_file_of_a_document_that_another_service_keeps() {
    on_both_remote(|engine| async move {
        let plugins = plugins();
        install_renderer(plugins.path());
        let world = World::with(engine, with(plugins.path())).await;
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        let finance = world.gateway.internal().with_token(world.api.token());
        let made = finance.get(&path(&uuid)).await;
        assert_eq!((made.status, made.header("content-type")), (200, "application/pdf"), "{}", made.text);
        let number = issued["display_invoice_number"].as_str().unwrap();
        assert_eq!(made.header("content-disposition"), format!("inline; filename=\"{number}.pdf\""));
        assert_eq!(finance.get(&path(&gateway_tests::fresh_uuid())).await.fields(410), ["uuid"]);
        let proxy = &world.remote_service().proxy;
        proxy.fail(Rpc::Read, 1, Fault::Garbage);
        assert_eq!(finance.get(&path(&uuid)).await.status, 502);
        proxy.fail(Rpc::Read, 20, Fault::Closed);
        assert_eq!(finance.get(&path(&uuid)).await.status, 503, "it is asked for each file");
    })
    .await;
}

#[tokio::test]
async fn a_draft_has_a_file_and_an_edit_makes_another() {
    on_both(|engine| async move {
        let plugins = plugins();
        install_renderer(plugins.path());
        let world = World::with(engine, with(plugins.path())).await;
        let uuid = world.draft(&world.document()).await;
        let draft = world.api.get(&path(&uuid)).await;
        assert_eq!(draft.status, 200, "{}", draft.text);
        assert_eq!(draft.header("content-disposition"), format!("inline; filename=\"draft-{uuid}.pdf\""));
        world.put_draft(&uuid, &world.document().named("Joan Doe")).await.expect(200);
        assert_ne!(world.api.get(&path(&uuid)).await.text, draft.text);
        assert_eq!(world.api.get(&path(&gateway_tests::fresh_uuid())).await.fields(410), ["uuid"]);
    })
    .await;
}

#[tokio::test]
async fn the_longest_texts_that_a_document_may_have_are_rendered() {
    on_both(|engine| async move {
        let plugins = plugins();
        install_renderer(plugins.path());
        let world = World::with(engine, with(plugins.path())).await;
        let text = |chars: usize| "Ñandú ".repeat(chars / 6 + 1).chars().take(chars - 1).collect::<String>() + "z";
        let long = text(500);
        let line = |number: usize| {
            json!({"description": long, "quantity": "1", "unit_price": "0.000000000000000001",
                "period": {"start": "2026-01-01", "end": "2026-12-31"},
                "tax": {"category": "VAT", "rate": format!("{}.{:02}", number / 100, number % 100)}})
        };
        let notes = "a\n".repeat(2_500);
        let document = world
            .document()
            .with("prices_include_tax", json!(false))
            .with("recipient", json!({"type": "company", "name": long, "tax_number": long, "country": "FR",
                "address": {"street": long, "locality": long, "region": long, "postcode": long, "country": "FR"},
                "email": format!("{}@example.com", "x".repeat(488))}))
            .with("lines", (0..300).map(line).collect())
            .with("notes", json!(notes))
            .with("payment", json!({"due_date": "2026-12-31", "note": long}));
        let uuid = world.draft(&document).await;
        let made = world.api.get(&path(&uuid)).await;
        assert_eq!(made.status, 200, "{}", made.text);
        let rpc = |step: &str| format!("/invoicing/rpc/documents/{uuid}/{step}");
        world.api.put(&rpc("issuing"), &json!({})).await.expect(200);
        let qr_url = format!("https://verify.example/{}", "x".repeat(2_000 - 23));
        let proof = json!({"acceptance": {"qr_url": qr_url, "tax_system_hash": text(500), "sandbox": true}});
        world.api.put(&rpc("issue"), &proof).await.expect(200);
        let made = world.api.get(&path(&uuid)).await;
        assert_eq!(made.status, 200, "{}", made.text);
        assert!(made.text.starts_with("%PDF-1."));
    })
    .await;
}

#[tokio::test]
async fn a_component_that_is_no_renderer_is_reported_and_not_used() {
    on_both(|engine| async move {
        let plugins = plugins();
        std::fs::create_dir(renderers(plugins.path())).unwrap();
        let tax_regime = plugins.path().join("es-verifactu.wasm");
        std::fs::copy(tax_regime, renderers(plugins.path()).join(RENDERER)).unwrap();
        let world = World::with(engine, with(plugins.path())).await;
        let uuid = world.draft(&world.document()).await;
        let refused = world.api.get(&path(&uuid)).await;
        assert_eq!(refused.fields(503), ["renderer"]);
        assert!(refused.text.contains("einvoicing:render/render@1.0.0"), "{}", refused.text);
    })
    .await;
}

#[tokio::test]
async fn the_command_line_writes_the_file() {
    on_both(|engine| async move {
        let plugins = plugins();
        install_renderer(plugins.path());
        let world = World::with(engine, with(plugins.path())).await;
        let uuid = world.draft(&world.document()).await;
        let file = plugins.path().join("invoice.pdf");
        let file_argument = file.display().to_string();
        let arguments = ["invoice", "pdf", uuid.as_str(), "--locale", "en", "--output", &file_argument];
        world.gateway.cli(&arguments).await.succeeded();
        assert!(std::fs::read(&file).unwrap().starts_with(b"%PDF-1."));
        let refused = world.gateway.cli(&["invoice", "pdf", &uuid, "--locale", "tlh"]).await;
        assert_eq!((refused.code, refused.stderr.contains("tlh")), (1, true), "{refused:?}");
    })
    .await;
}

#[tokio::test]
async fn the_record_of_the_authority_is_inside_the_file_where_its_workspace_wants_it() {
    on_both(|engine| async move {
        let plugins = plugins();
        install_renderer(plugins.path());
        let provider = ScriptedProvider::start().await;
        provider.has_sent("text/xml; charset=utf-8", "<sum:Registro>ñ</sum:Registro>");
        let options =
            Options { plugins: Some(plugins.path().to_owned()), ..Options::provider(&provider.url()) };
        let world = World::with(engine, options.variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1")).await;
        let draft = world.draft(&world.document()).await;
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        let made = world.api.get(&path(&uuid)).await;
        assert!(made.status == 200 && !made.text.contains("/AFRelationship"), "only where it is wanted");
        let workspace = world.workspace.to_string();
        let set = ["workspace", "printing", "set", "--workspace", &workspace, "--attach-record", "true"];
        world.gateway.cli(&set).await.succeeded();
        let made = world.api.get(&path(&uuid)).await;
        assert_eq!(made.status, 200, "{}", made.text);
        let name = format!("({}.xml)", issued["display_invoice_number"].as_str().unwrap());
        for text in [name.as_str(), "/AFRelationship/Supplement", "/application#2Fxml"] {
            assert!(made.text.contains(text), "{text}");
        }
        let draft = world.api.get(&path(&draft)).await;
        assert!(draft.status == 200 && !draft.text.contains("/AFRelationship"), "nobody received it yet");
    })
    .await;
}
