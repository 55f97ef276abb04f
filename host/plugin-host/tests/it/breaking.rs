//! A plugin that is stopped again and again is blocked, and says so.

use crate::components::hostile_component_that_describes;
use crate::documents::{context, invoice};
use crate::hosts::{defect, hostile_host_with, key, load, patient, text};
use gateway_domain::ports::Converter;
use gateway_plugin_host::{CallOutcome, CallReport, Options, PluginHost, Scope};
use std::sync::{Arc, Mutex};

type Reports = Arc<Mutex<Vec<CallReport>>>;

async fn fragile_host() -> (PluginHost, Reports) {
    let reports = Reports::default();
    let sink = Arc::clone(&reports);
    let mut options = Options {
        observer: Some(Arc::new(move |report| sink.lock().unwrap().push(report.clone()))),
        ..patient()
    };
    options.limits.breaker_stops = 3;
    (hostile_host_with(options).await, reports)
}

async fn code(host: &PluginHost, notes: &str) -> String {
    defect(host.convert(&key(), &invoice(notes), &context()).await).code
}

#[tokio::test]
async fn a_plugin_that_traps_three_times_in_a_row_is_blocked_until_it_is_activated_again() {
    let (host, reports) = fragile_host().await;
    load(&host, hostile_component_that_describes("OTHER-KEY")).await;
    for _ in 0..3 {
        assert!(host.blocked().is_empty());
        assert_eq!(code(&host, "PANIC").await, "PLUGIN-TRAP");
    }
    let [blocked] = &host.blocked()[..] else { panic!("{:?}", host.blocked()) };
    assert_eq!((blocked.plugin.key.as_str(), blocked.plugin.version.as_str()), ("hostile", "1.2.3"));
    insta::assert_snapshot!(blocked.reason);

    // Nothing of it runs any more, and the others go on.
    let fault = defect(host.check(&key(), &invoice("fine"), &context()).await);
    assert_eq!(fault.code, "PLUGIN-BLOCKED");
    insta::assert_snapshot!(fault.message);
    assert_eq!(text(&host, "other", "fine").await, "{}");
    let outcomes: Vec<_> =
        reports.lock().unwrap().iter().map(|report| (report.outcome, report.blocked)).collect();
    assert_eq!(
        outcomes,
        [
            (CallOutcome::Broken, false),
            (CallOutcome::Broken, false),
            (CallOutcome::Broken, true),
            (CallOutcome::Blocked, true),
            (CallOutcome::Answered, false),
        ]
    );

    // The same table again is no reason to try again; an operator's activation is.
    host.serve((*host.serving()).clone());
    assert_eq!(code(&host, "fine").await, "PLUGIN-BLOCKED");
    let plugin = host.plugin_for(&key(), &Scope::Default).unwrap();
    host.activate(&plugin);
    assert!(host.blocked().is_empty());
    text(&host, "hostile", "fine").await;
}

#[tokio::test]
async fn faults_and_rubbish_block_nobody() {
    let (host, _) = fragile_host().await;
    for _ in 0..4 {
        assert_eq!(code(&host, "PAYABLE").await, "PLUGIN-PAYABLE");
        host.convert(&key(), &invoice("FAULTS"), &context()).await.unwrap_err();
    }
    assert!(host.blocked().is_empty());
}

#[tokio::test]
async fn one_bad_document_does_not_block_a_plugin_that_serves_the_others() {
    let (host, _) = fragile_host().await;
    for _ in 0..5 {
        assert_eq!(code(&host, "PANIC").await, "PLUGIN-TRAP");
        text(&host, "hostile", "fine").await;
    }
    assert!(host.blocked().is_empty());
}

#[tokio::test]
async fn the_peak_of_its_memory_is_reported() {
    let (host, reports) = fragile_host().await;
    text(&host, "hostile", "fine").await;
    code(&host, "BOMB").await;
    let peaks: Vec<usize> = reports.lock().unwrap().iter().map(|report| report.memory_peak_bytes).collect();
    assert!((64 << 10..8 << 20).contains(&peaks[0]), "{peaks:?}");
    assert!((48 << 20..=64 << 20).contains(&peaks[1]), "{peaks:?}");
}
