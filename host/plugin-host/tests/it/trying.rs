//! Candidates tried on real documents before they go into force.

use crate::components::hostile_component;
use crate::documents::{context, invoice};
use crate::hosts::{defect, host};
use gateway_plugin_host::{Options, PluginHost};
use std::sync::Arc;

#[tokio::test]
async fn a_candidate_is_tried_without_being_in_force() {
    let host = host();
    let candidate = host.load_bytes("x.wasm", hostile_component()).await.unwrap();
    let sound = host.trial(&candidate, &invoice("fine"), &context()).await.unwrap();
    assert!(sound.faults.is_empty());
    assert_eq!(sound.document.unwrap().body, "{}");
    let refusing = host.trial(&candidate, &invoice("FAULTS"), &context()).await.unwrap();
    assert_eq!(refusing.faults[0].code, "HOSTILE-01");
    assert_eq!(refusing.document.unwrap_err()[0].code, "HOSTILE-01");
    assert!(host.active().is_empty());
}

#[tokio::test]
async fn a_candidate_that_misbehaves_is_told_but_not_counted() {
    let mut options = Options {
        observer: Some(Arc::new(|report| panic!("nobody watches a trial: {report:?}"))),
        ..crate::hosts::options()
    };
    options.limits.breaker_stops = 1;
    let host = PluginHost::new(options).unwrap();
    let candidate = host.load_bytes("x.wasm", hostile_component()).await.unwrap();
    for (notes, code) in
        [("PANIC", "PLUGIN-TRAP"), ("PAYABLE", "PLUGIN-PAYABLE"), ("LOOP", "PLUGIN-DEADLINE")]
    {
        assert_eq!(defect(host.trial(&candidate, &invoice(notes), &context()).await).code, code);
    }
    assert!(candidate.blocked().is_none());
}
