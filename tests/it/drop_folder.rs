//! A folder of plugins at the start of a gateway: the first of a machine, which has compiled none of them, and later ones.

use gateway_tests::{Engine, Gateway, Options, built_plugins};

/// More than are compiled at a time on a small machine.
const PLUGINS: [&str; 5] = ["de-xrechnung", "es-sii", "es-tbai", "es-verifactu", "it-sdi"];

#[tokio::test]
async fn every_plugin_of_the_folder_is_in_force_after_a_first_start() {
    let dropped = tempfile::tempdir().unwrap();
    for plugin in PLUGINS {
        let file = format!("{plugin}.wasm");
        std::fs::copy(built_plugins().join(&file), dropped.path().join(&file)).unwrap();
    }
    let options = Options { plugins: Some(dropped.path().to_owned()), ..Options::default() };
    let mut gateway = Gateway::prepared(Engine::Sqlite, options).await;
    // What other tests have compiled is not there.
    std::fs::remove_file(gateway.folder().join("plugin-cache")).unwrap();
    gateway.serve().await;
    let list = gateway.cli(&["plugin", "list", "--json"]).await.json();
    let active = list["plugins"].as_array().unwrap().iter().filter(|plugin| plugin["state"] == "active");
    let mut keys: Vec<_> = active.map(|plugin| plugin["key"].as_str().unwrap()).collect();
    keys.sort_unstable();
    assert_eq!(keys, PLUGINS, "{list}");
}

#[tokio::test]
async fn an_installed_plugin_that_lost_its_signature_is_named_at_the_next_start_and_serves() {
    let dropped = tempfile::tempdir().unwrap();
    let place = |file: &str| dropped.path().join(file).display().to_string();
    let (file, key) = (place("es-verifactu.wasm"), place("signing.key"));
    std::fs::copy(built_plugins().join("es-verifactu.wasm"), &file).unwrap();
    let maker = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let made = maker.cli(&["plugin", "keygen", "--key", &key, "--json"]).await.json();
    maker.cli(&["plugin", "sign", &file, "--key", &key]).await.succeeded();

    let options = Options { plugins: Some(dropped.path().to_owned()), ..Options::default() };
    let options = options.variable("GATEWAY_PLUGINS__TRUSTED_KEYS", made["public_key"].as_str().unwrap());
    let mut gateway = Gateway::start(Engine::Sqlite, options).await;
    let skipped = |gateway: &Gateway| gateway.log().matches("A plugin is skipped").count();
    assert_eq!(skipped(&gateway), 0, "{}", gateway.log());
    gateway.stop().await;
    std::fs::remove_file(format!("{file}.sig")).unwrap();
    gateway.serve().await;
    assert_eq!(skipped(&gateway), 1, "{}", gateway.log());
    let list = gateway.cli(&["plugin", "list", "--json"]).await.json();
    assert_eq!(list["plugins"][0]["state"], "active", "{list}");
}
