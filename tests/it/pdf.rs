//! Documents as files that people read.

use gateway_tests::{Options, ScriptedProvider, World, built_plugins, on_both, plugins_folder, until};
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
async fn a_renderer_is_taken_when_it_is_there_and_makes_the_same_file_twice() {
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
        assert_eq!(made.header("etag"), format!("\"{}\"", issued["version"]));
        assert_eq!(world.api.get(&path(&uuid)).await.text, made.text, "of the cache");
        let english = world.api.get(&format!("{}?locale=en", path(&uuid))).await;
        assert_eq!(english.status, 200);
        assert_ne!(english.text, made.text);
        assert_eq!(world.api.get(&format!("{}?locale=tlh", path(&uuid))).await.fields(422), ["locale"]);
        assert_eq!(world.api.get(&format!("{}?language=en", path(&uuid))).await.fields(422), ["language"]);
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
async fn what_is_no_renderer_is_told_and_serves_nobody() {
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
