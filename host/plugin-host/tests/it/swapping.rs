//! Plugins come and go while calls are running.

use crate::world::{
    context, defect, host, hostile_component, hostile_component_that_describes, hostile_host, invoice, key,
    load,
};
use gateway_domain::ports::{Converter, ConverterError};
use std::sync::Arc;

#[tokio::test]
async fn a_folder_is_loaded_and_a_bad_file_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("a-broken.wasm", b"junk");
    write("b-other.wasm", &hostile_component_that_describes("OTHER-KEY"));
    write("c-hostile.wasm", &hostile_component());
    write("d-again.wasm", &hostile_component());
    write("e-rival.wasm", &hostile_component_that_describes("OTHER-VERSION"));
    write("readme.txt", b"junk");

    let host = host();
    let report = host.load_folder(folder.path()).await;
    let files = |path: &str| path.rsplit('/').next().unwrap().to_owned();
    let active: Vec<String> = report.active.iter().map(|plugin| plugin.identity().key.to_string()).collect();
    assert_eq!(active, ["other", "hostile", "hostile"]);
    let refused: Vec<String> = report.refused.iter().map(|error| files(&error.file)).collect();
    assert_eq!(refused, ["a-broken.wasm", "e-rival.wasm"]);
    assert!(report.refused[1].to_string().contains("hostile 1.2.3 from"), "{}", report.refused[1]);
    assert_eq!(host.regimes().len(), 2);
}

#[tokio::test]
async fn a_call_in_flight_finishes_on_the_plugin_it_started_with() {
    let host = Arc::new(hostile_host().await);
    let next = host.load_bytes("next.wasm", hostile_component_that_describes("OTHER-VERSION")).await.unwrap();
    let looping = tokio::spawn({
        let host = Arc::clone(&host);
        async move { host.convert(&key(), &invoice("LOOP"), &context()).await }
    });
    tokio::task::yield_now().await;
    let before = host.activate(&next).unwrap();
    assert_eq!(before.identity().version, "1.2.3");
    drop(before);

    let made = host.convert(&key(), &invoice(""), &context()).await.unwrap();
    assert_eq!(made.plugin.version, "2.0.0");
    assert!(defect(looping.await.unwrap()).message.contains("hostile 1.2.3"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn swapping_under_load_fails_no_call() {
    let host = Arc::new(hostile_host().await);
    let old = host.active().remove(0);
    let new = host.load_bytes("next.wasm", hostile_component_that_describes("OTHER-VERSION")).await.unwrap();
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let host = Arc::clone(&host);
            tokio::spawn(async move {
                for _ in 0..50 {
                    host.convert(&key(), &invoice(""), &context()).await.unwrap();
                }
            })
        })
        .collect();
    for turn in 0..200 {
        host.activate(if turn % 2 == 0 { &new } else { &old });
        tokio::task::yield_now().await;
    }
    for caller in callers {
        caller.await.unwrap();
    }
}

#[tokio::test]
async fn a_regime_without_its_plugin_is_unknown_again() {
    let host = hostile_host().await;
    assert_eq!(host.deactivate(&key()).unwrap().identity().version, "1.2.3");
    assert!(host.deactivate(&key()).is_none());
    let answer = host.check(&key(), &invoice(""), &context()).await;
    assert_eq!(answer, Err(ConverterError::UnknownRegime(key())));
    load(&host, hostile_component()).await;
    host.check(&key(), &invoice(""), &context()).await.unwrap();
}
