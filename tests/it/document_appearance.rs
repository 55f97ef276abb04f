//! How the documents of a workspace look: its logo and its template.

use crate::pdf::{install_renderer, path, plugins, with};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway_tests::{Engine as Database, Options, World, on_both};
use serde_json::{Value, json};

/// A PNG of 24 × 8 pixels.
const LOGO: &str = "iVBORw0KGgoAAAANSUhEUgAAABgAAAAICAAAAADGymC/AAAAKElEQVR42mPQ0NA4ceIEJsmAQ1yDAYe4BgMOcZAEdlsYcIiDLCfRVQAb1VoBn95OIQAAAABJRU5ErkJggg==";
/// A PNG of a hundred bytes whose head promises 20,000 × 20,000 pixels.
const BOMB: &str =
    "iVBORw0KGgoAAAANSUhEUgAATiAAAE4gCAAAAADGGxnlAAAADElEQVR42mNgoAwAAABAAAGJya9DAAAAAElFTkSuQmCC";

fn printing(workspace: i64) -> String {
    format!("/admin/workspaces/{workspace}/printing")
}

/// Field, code and sentence of the only mistake.
fn only(refused: &Value) -> [String; 3] {
    let errors = refused["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 1, "{refused}");
    ["field", "code", "message"].map(|member| errors[0][member].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn a_logo_and_a_template_are_in_the_next_file() {
    on_both(|engine| async move {
        let plugins = plugins();
        install_renderer(plugins.path());
        let world = World::with(engine, with(plugins.path())).await;
        let uuid = world.draft(&world.document()).await;
        let file = async || {
            let answer = world.api.get(&path(&uuid)).await;
            assert_eq!(answer.status, 200, "{}", answer.text);
            answer.text
        };
        let address = printing(world.workspace);
        let plain = file().await;
        assert_eq!(world.api.get(&address).await.expect(200)["logo"], Value::Null);

        let set = world.api.put(&address, &json!({"logo": LOGO})).await.expect(200);
        assert_eq!((&set["logo"], &set["template"]), (&json!(LOGO), &Value::Null));
        let with_logo = file().await;
        assert!(with_logo.contains("/Subtype/Image") && !plain.contains("/Subtype/Image"));
        let template = json!({"accent_color": "#0F766E", "footer": "Registro Mercantil de Valencia"});
        let set = world.api.put(&address, &json!({"template": template})).await.expect(200);
        assert_eq!(set, json!({"workspace_id": world.workspace, "logo": LOGO, "template": template, "attach_record": false}));
        let with_both = file().await;
        assert!(with_both != with_logo && with_both.contains("/Subtype/Image"), "the logo stays");
        assert_eq!(file().await, with_both, "of the cache");
        assert_eq!(world.api.get(&address).await.expect(200), set);

        let another = world.another_workspace(&["--tax-id", "A58818501"]).await;
        assert_eq!(world.api.get(&printing(another)).await.expect(200)["logo"], Value::Null);
        assert_eq!(world.api.delete(&address).await.status, 204);
        assert_eq!(world.api.delete(&address).await.status, 204, "nothing is left to take away");
        assert_eq!(file().await, plain);
        let trail = world.api.get("/admin/audit").await.expect(200);
        let actions: Vec<_> = trail["nodes"].as_array().unwrap().iter().map(|node| &node["action"]).collect();
        let count = |action: &str| actions.iter().filter(|found| **found == action).count();
        assert_eq!((count("workspace.printing.set"), count("workspace.printing.clear")), (2, 1), "{trail}");
    })
    .await;
}

#[tokio::test]
async fn a_logo_that_no_document_can_show_is_refused_and_the_one_before_stays() {
    let plugins = plugins();
    install_renderer(plugins.path());
    let world = World::with(Database::Sqlite, with(plugins.path())).await;
    let address = printing(world.workspace);
    world.api.put(&address, &json!({"logo": LOGO})).await.expect(200);
    let whole = STANDARD.decode(LOGO).unwrap();
    let large = STANDARD.encode(vec![0; (256 << 10) + 1]);
    for (logo, code, says) in [
        (STANDARD.encode("<svg xmlns=\"http://www.w3.org/2000/svg\"/>"), "logoInvalid", "no PNG"),
        (STANDARD.encode(&whole[..whole.len() / 2]), "logoInvalid", "no PNG"),
        (String::new(), "logoInvalid", "no PNG"),
        (large, "logoInvalid", "256 KiB"),
        (BOMB.to_owned(), "logoInvalid", "400000000 pixels"),
        ("logo.png".to_owned(), "invalidFormat", "base64"),
    ] {
        let refused = only(&world.api.put(&address, &json!({"logo": logo})).await.expect(422));
        assert_eq!(refused[..2], ["logo", code], "{refused:?}");
        assert!(refused[2].contains(says), "{refused:?}");
    }
    let refused = only(&world.api.put(&address, &json!({})).await.expect(422));
    assert_eq!(refused[..2], ["logo", "required"]);
    assert_eq!(world.api.get(&address).await.expect(200)["logo"], LOGO);
}

#[tokio::test]
async fn a_template_is_held_against_the_schema_of_the_renderer_in_force() {
    let plugins = plugins();
    let world = World::with(Database::Sqlite, with(plugins.path())).await;
    let address = printing(world.workspace);
    // Nobody knows what a renderer to come will take.
    world.api.put(&address, &json!({"template": {"anything": true}})).await.expect(200);
    world.api.delete(&address).await.expect(204);
    install_renderer(plugins.path());
    let uuid = world.draft(&world.document()).await;
    gateway_tests::until("the renderer is taken", || async {
        (world.api.get(&path(&uuid)).await.status == 200).then_some(())
    })
    .await;
    for (template, field, says) in [
        (json!({"anything": true}), "template", "anything is no setting of this renderer: leave it out"),
        (json!({"accent_color": "teal"}), "template.accent_color", "pattern"),
        (json!({"footer": "a\nb\nc\nd\ne\nf"}), "template.footer", "pattern"),
        (json!({"footer": "x".repeat(17_000)}), "template", "shorten it"),
    ] {
        let refused = only(&world.api.put(&address, &json!({"template": template})).await.expect(422));
        assert_eq!(refused[..2], [field, "templateInvalid"], "{refused:?}");
        assert!(refused[2].contains(says), "{refused:?}");
    }
    assert_eq!(world.api.put(&address, &json!({"template": []})).await.fields(422), ["template"]);
    world.api.put(&address, &json!({"template": {"footer": "a\nb\nc\nd\ne"}})).await.expect(200);
    assert_eq!(world.api.get(&path(&uuid)).await.status, 200);
}

#[tokio::test]
async fn an_unknown_workspace_has_no_appearance() {
    let world = World::unconfigured(Database::Sqlite, Options::default()).await;
    let limited = world.as_client(&["admin"], &[&world.workspace.to_string()]).await;
    let another = world.another_workspace(&["--tax-id", "A58818501"]).await;
    for (api, id, status, field) in [
        (&world.api, "99".to_owned(), 404, "id"),
        (&world.api, "x".to_owned(), 400, "id"),
        (&limited, another.to_string(), 404, "id"),
    ] {
        let address = format!("/admin/workspaces/{id}/printing");
        assert_eq!(api.get(&address).await.fields(status), [field]);
        assert_eq!(api.put(&address, &json!({"logo": LOGO})).await.fields(status), [field]);
        assert_eq!(api.delete(&address).await.fields(status), [field]);
    }
}

#[tokio::test]
async fn the_command_line_sets_shows_and_clears_the_same() {
    on_both(|engine| async move {
        let plugins = plugins();
        install_renderer(plugins.path());
        let world = World::with(engine, with(plugins.path())).await;
        let id = world.workspace.to_string();
        let file = |name: &str, content: &[u8]| {
            let path = plugins.path().join(name);
            std::fs::write(&path, content).unwrap();
            path.display().to_string()
        };
        let logo = file("logo.png", &STANDARD.decode(LOGO).unwrap());
        let template = file("template.json", br#"{"show_hash": false}"#);
        let command = |words: &[&str]| {
            let words = ["workspace", "printing"].into_iter().chain(words.iter().copied());
            words.chain(["--workspace", &id]).map(str::to_owned).collect::<Vec<_>>()
        };
        let run = async |words: &[&str]| {
            let words = command(words);
            world.gateway.cli(&words.iter().map(String::as_str).collect::<Vec<_>>()).await
        };
        let set = run(&["set", "--logo", &logo, "--template", &template, "--json"]).await.json();
        let expected =
            json!({"workspace_id": world.workspace, "logo": LOGO, "template": {"show_hash": false}, "attach_record": false});
        assert_eq!(set, expected);
        assert_eq!(world.api.get(&printing(world.workspace)).await.expect(200), expected);
        let output = run(&["show"]).await;
        assert!(output.succeeded().stdout.contains("PNG, 1 KiB"), "{output:?}");
        let svg = file("logo.svg", b"<svg/>");
        let unknown = file("unknown.json", br#"{"x": 1}"#);
        let list = file("list.json", b"[]");
        for (words, says) in [
            (["set", "--logo", svg.as_str()], "no PNG"),
            (["set", "--logo", "/nowhere"], "give a PNG that is there"),
            (["set", "--template", unknown.as_str()], "x is no setting of this renderer"),
            (["set", "--template", list.as_str()], "no JSON object"),
        ] {
            let ran = run(&words).await;
            assert_eq!((ran.code, ran.stderr.trim().lines().count()), (1, 1), "{ran:?}");
            assert!(ran.stderr.contains(says), "{ran:?}");
        }
        let cleared = run(&["clear", "--json"]).await.json();
        assert_eq!(cleared, json!({"workspace_id": world.workspace, "cleared": true}));
        assert_eq!(run(&["clear", "--json"]).await.json()["cleared"], false);
    })
    .await;
}
