//! Plugins come and go while calls are running.

use crate::components::{hostile_component, hostile_component_that_describes};
use crate::documents::{context, invoice};
use crate::hosts::{deactivate, defect, host, hostile_host, key, load};
use gateway_domain::ports::{Converter, ConverterError};
use gateway_plugin_host::{PluginHost, ServingTable};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

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

/// Every activation waits until something was converted since the last one, so that each meets traffic.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_hundred_activations_under_load_fail_no_call() {
    let host = Arc::new(hostile_host().await);
    let old = host.active().remove(0);
    let new = host.load_bytes("next.wasm", hostile_component_that_describes("OTHER-VERSION")).await.unwrap();
    let (done, converted) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let callers: Vec<_> = (0..4)
        .map(|_| {
            let (host, done, converted) = (Arc::clone(&host), Arc::clone(&done), Arc::clone(&converted));
            tokio::spawn(async move {
                let mut versions = BTreeSet::new();
                while !done.load(Ordering::Relaxed) {
                    let made = host.convert(&key(), &invoice(""), &context()).await.unwrap();
                    versions.insert(made.plugin.version);
                    converted.fetch_add(1, Ordering::Relaxed);
                }
                versions
            })
        })
        .collect();
    for turn in 0..100 {
        let before = converted.load(Ordering::Relaxed);
        while converted.load(Ordering::Relaxed) == before {
            tokio::task::yield_now().await;
        }
        host.activate(if turn % 2 == 0 { &new } else { &old });
    }
    done.store(true, Ordering::Relaxed);
    let mut versions = BTreeSet::new();
    for caller in callers {
        versions.extend(caller.await.unwrap());
    }
    println!("{} conversions during 100 activations, none failed", converted.load(Ordering::Relaxed));
    assert_eq!(versions, BTreeSet::from(["1.2.3".to_owned(), "2.0.0".to_owned()]));
}

/// Resident memory of this process, KiB. None where the system does not tell.
fn resident_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Every tenth swap brings a plugin that was loaded anew; each serves once.
async fn swap(host: &PluginHost, swaps: usize) {
    for turn in 0..swaps {
        if turn % 10 == 0 {
            load(host, hostile_component()).await;
        } else {
            let mut table = ServingTable::default();
            table.set(None, host.active().remove(0));
            host.serve(table);
        }
        if turn % 5 == 0 {
            host.convert(&key(), &invoice(""), &context()).await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_thousand_swaps_leave_resident_memory_flat() {
    let host = host();
    swap(&host, 100).await;
    let Some(before) = resident_kib() else { return };
    swap(&host, 1000).await;
    let after = resident_kib().unwrap();
    println!("resident memory before and after 1,000 swaps: {before} KiB, {after} KiB");
    assert!(after < before + (16 << 10), "{before} KiB grew to {after} KiB");
}

#[tokio::test]
async fn a_regime_without_its_plugin_is_unknown_again() {
    let host = hostile_host().await;
    assert_eq!(deactivate(&host).unwrap().identity().version, "1.2.3");
    assert!(deactivate(&host).is_none());
    let answer = host.check(&key(), &invoice(""), &context()).await;
    assert_eq!(answer, Err(ConverterError::UnknownRegime(key())));
    load(&host, hostile_component()).await;
    host.check(&key(), &invoice(""), &context()).await.unwrap();
}
