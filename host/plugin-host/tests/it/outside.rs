//! Plugins that carry WASI: linked to a world in which there is nothing, and still pure functions.

use crate::components::reaching_component;
use crate::documents::{context, invoice};
use crate::hosts::{defect, host, load, text};
use gateway_domain::ports::Converter;
use gateway_plugin_host::PluginHost;
use std::fmt::Write as _;

const KEY: &str = "reaching";

async fn reaching_host() -> PluginHost {
    let host = host();
    let plugin = load(&host, reaching_component()).await;
    assert!(plugin.imports().iter().any(|import| import.starts_with("wasi:sockets/tcp-create-socket@0.2.")));
    host
}

#[tokio::test]
async fn what_a_plugin_finds_outside_is_nothing() {
    let host = reaching_host().await;
    assert_eq!(text(&host, KEY, "fine").await, "{}");
    assert_eq!(text(&host, KEY, "ENVIRONMENT").await, "[] []");
    assert_eq!(text(&host, KEY, "FILES").await, "0 folders");
    // What it prints vanishes and never blocks.
    assert_eq!(text(&host, KEY, "PRINT").await, "1000 writes");
}

#[tokio::test]
async fn clocks_stand_still_and_randomness_is_the_same_every_time() {
    let host = reaching_host().await;
    assert_eq!(text(&host, KEY, "CLOCK").await, "0.0 0");
    assert_eq!(text(&host, KEY, "RANDOM").await, text(&host, KEY, "RANDOM").await);
    let plugin = host.active().remove(0);
    for notes in ["CLOCK", "RANDOM"] {
        let trial = host.trial(&plugin, &invoice(notes), &context()).await.unwrap();
        assert!(trial.document.is_ok());
    }
}

#[tokio::test]
async fn reaching_outside_costs_one_clear_fault_and_the_next_call_succeeds() {
    let host = reaching_host().await;
    let mut faults = String::new();
    for notes in ["TCP", "UDP", "SLEEP", "EXIT", "HOARD", "MUCH-RANDOM"] {
        let fault = defect(host.convert(&KEY.parse().unwrap(), &invoice(notes), &context()).await);
        writeln!(faults, "{notes}: {} {}", fault.code, fault.message).unwrap();
        text(&host, KEY, "fine").await;
    }
    insta::assert_snapshot!(faults);
}
