//! A folder of plugins at the first start of a machine, which has compiled none of them.

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
