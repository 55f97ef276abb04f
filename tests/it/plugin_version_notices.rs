//! What an operator is told of the versions of a plugin: whole texts.

use crate::plugins::{PluginFolder, name, text};
use gateway_tests::{Engine, Options, World, until};
use serde_json::json;

#[tokio::test]
async fn activations_and_rollbacks_print_the_version_in_force_and_the_workspaces_on_another_one() {
    let world = World::start(Engine::Sqlite).await;
    let gateway = &world.gateway;
    let other = world.another_workspace(&["--tax-id", "B12345674"]).await;
    world.configure(other, &[]).await;
    let id = other.to_string();
    let folder = PluginFolder::of(gateway).await;
    let (old, new) = (folder.version.clone(), folder.later('7'));
    gateway.cli(&["plugin", "install", text(&folder.variant(&new, &[]))]).await.succeeded();
    let said = async |arguments: &[&str]| gateway.cli(arguments).await.succeeded().stdout.clone();
    let serves = |version: &str, whom: &str, instead: &str| {
        format!("{} serves {whom}{instead}; every process follows within two seconds.\n", name(version))
    };

    let own = said(&["plugin", "activate", &name(&new), "--workspace", &id]).await;
    assert_eq!(own, serves(&new, &format!("workspace {other}"), ""));
    // Once more, for everybody: it serves them already.
    let again = said(&["plugin", "activate", &name(&old)]).await;
    let stays = format!("Workspace {other} stays on {new}, its own version.\n");
    assert_eq!(again, format!("{} served everybody before: nothing changed.\n{stays}", name(&old)));

    let all = said(&["plugin", "activate", &name(&new)]).await;
    assert_eq!(all, serves(&new, "everybody", &format!(" instead of {old}")));
    let back = gateway.cli(&["plugin", "rollback", "es-verifactu"]).await;
    assert_eq!(back.stdout, serves(&old, "everybody", &format!(" instead of {new}")) + &stays);
    let offer = format!(
        "'gateway plugin disable es-verifactu --workspace {other}' gives that workspace what everybody has"
    );
    assert!(back.stderr.contains(&offer), "{back:?}");
    let json = gateway.cli(&["plugin", "activate", &name(&old), "--json"]).await.json();
    assert_eq!(json["own_versions"], json!([{"workspace_id": other, "version": new}]));

    // Nothing served before this one: nothing changes, and that is said.
    let nothing = gateway.cli(&["plugin", "rollback", "es-verifactu"]).await;
    assert_eq!((nothing.code, nothing.stdout.as_str()), (1, ""));
    let sentence = "error: es-verifactu has no earlier version to return to there: activate another one, or disable it\n";
    assert_eq!(nothing.stderr, sentence);

    gateway.cli(&["plugin", "disable", "es-verifactu", "--workspace", &id]).await.succeeded();
    let back = said(&["plugin", "rollback", "es-verifactu", "--workspace", &id]).await;
    assert_eq!(back, serves(&new, &format!("workspace {other}"), ""));

    // Everybody returns, and the workspace with a version of its own gets what everybody has.
    said(&["plugin", "activate", &name(&new)]).await;
    let back = said(&["plugin", "rollback", "es-verifactu", "--everywhere"]).await;
    let moved = format!("Workspace {other} gets it too, instead of {new}.\n");
    assert_eq!(back, serves(&old, "everybody", &format!(" instead of {new}")) + &moved);
    let json = gateway.cli(&["plugin", "activate", &name(&old), "--json"]).await.json();
    assert_eq!(json["own_versions"], json!([]));
}

#[tokio::test]
async fn a_version_that_is_dropped_beside_one_in_force_is_shown_as_waiting() {
    let dropped = tempfile::tempdir().unwrap();
    let options = Options { plugins: Some(dropped.path().to_owned()), ..Options::sandbox() };
    let usual = World::start(Engine::Sqlite).await;
    let folder = PluginFolder::of(&usual.gateway).await;
    drop(usual);
    let (old, new) = (folder.version.clone(), folder.later('7'));
    std::fs::copy(folder.variant(&old, &[]), dropped.path().join("old.wasm")).unwrap();
    let world = World::with(Engine::Sqlite, options).await;
    let gateway = &world.gateway;
    let list = gateway.cli(&["plugin", "list"]).await;
    assert_eq!(list.succeeded().stderr, "", "nothing waits");

    std::fs::copy(folder.variant(&new, &[]), dropped.path().join("new.wasm")).unwrap();
    let waits = format!(
        "{new} is installed and waits beside {old}, which is in force: 'gateway plugin activate {new}' puts it in force",
        new = name(&new),
    );
    let list = until("the version waits", || async {
        let list = gateway.cli(&["plugin", "list"]).await;
        (!list.stderr.is_empty()).then_some(list)
    })
    .await;
    assert_eq!(list.succeeded().stderr, format!("note: {waits}\n"));
    let row = list.stdout.lines().find(|line| line.starts_with(&name(&new))).unwrap();
    assert_eq!(row.split_whitespace().nth(1), Some("installed"), "{row}");
    let doctor = gateway.cli(&["doctor"]).await;
    assert!(doctor.succeeded().stdout.contains(&waits), "{}", doctor.stdout);

    gateway.cli(&["plugin", "activate", &name(&new)]).await.succeeded();
    for command in [&["plugin", "list"][..], &["doctor"]] {
        let ran = gateway.cli(command).await;
        assert!(!format!("{}{}", ran.succeeded().stdout, ran.stderr).contains("waits beside"), "{ran:?}");
    }
}
