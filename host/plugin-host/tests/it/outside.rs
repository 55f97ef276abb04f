//! Plugins that carry WASI: linked to a world in which there is nothing, and still pure functions.

use crate::components::reaching_component;
use crate::documents::{context, invoice};
use crate::hosts::{defect, host, load, options, text};
use gateway_domain::ports::Converter;
use gateway_plugin_host::{CallReport, Options, PluginHost};
use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

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

/// How a call of the document with these notes is reported to whoever watches.
async fn report_of(notes: &str) -> CallReport {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let recorder = Arc::clone(&reports);
    let observer = Arc::new(move |report: &CallReport| recorder.lock().unwrap().push(report.clone()));
    let host = PluginHost::new(Options { observer: Some(observer), ..options() }).unwrap();
    load(&host, reaching_component()).await;
    let _ = host.convert(&KEY.parse().unwrap(), &invoice(notes), &context()).await;
    let mut reports = reports.lock().unwrap();
    reports.remove(0)
}

#[tokio::test]
async fn an_author_reads_where_the_plugin_panicked_and_what_it_said() {
    let report = report_of("PANIC").await;
    let said = report.for_author.unwrap();
    let place =
        said.strip_prefix("In 'convert', your plugin panicked at tests/hostile/guest/src/lib.rs:").unwrap();
    assert!(place.ends_with(": as asked"), "{said}");
    assert!(report.stderr.unwrap().contains("as asked"));
}

#[tokio::test]
async fn an_author_reads_the_exception_of_another_language() {
    let report = report_of("EXCEPTION").await;
    assert_eq!(
        report.for_author.as_deref(),
        Some(
            "In 'convert', your plugin raised ValueError: \\u{1b}[2Jno rate (at \"/app.py\", line 7, in convert)"
        )
    );
    assert_eq!(report.stderr.unwrap().lines().count(), 4);
}

#[tokio::test]
async fn what_a_plugin_writes_is_kept_to_its_last_eight_kibibytes() {
    let report = report_of("SHOUT").await;
    assert_eq!(report.stderr.unwrap(), "x".repeat(8 << 10));
    assert!(report.for_author.unwrap().chars().count() < 600);
}

#[tokio::test]
async fn an_author_reads_where_the_json_breaks_off() {
    let report = report_of("NO-JSON").await;
    let said = report.for_author.unwrap();
    assert!(said.starts_with("In 'convert', your plugin returned a document that is no valid"), "{said}");
    assert!(said.contains(" at line 1 column ") && said.contains("⟨here⟩"), "{said}");
}

#[tokio::test]
async fn whoever_did_not_write_the_plugin_reads_none_of_its_words() {
    let host = reaching_host().await;
    for notes in ["PANIC", "EXCEPTION", "NO-JSON"] {
        let fault = defect(host.convert(&KEY.parse().unwrap(), &invoice(notes), &context()).await);
        for word in ["as asked", "ValueError", "lib.rs", "⟨here⟩", "your plugin"] {
            assert!(!fault.message.contains(word), "{fault:?}");
        }
        assert!(fault.message.contains("the plugin reaching 1.2.3 "), "{fault:?}");
    }
}

#[tokio::test]
async fn who_tries_a_candidate_reads_what_it_said() {
    let host = host();
    let candidate = host.load_bytes("x.wasm", reaching_component()).await.unwrap();
    let fault = defect(host.trial(&candidate, &invoice("PANIC"), &context()).await);
    assert_eq!(fault.code, "PLUGIN-TRAP");
    assert!(fault.message.contains("your plugin panicked at tests/hostile/guest/src/lib.rs:"), "{fault:?}");
    let fault = defect(host.trial(&candidate, &invoice("PAYABLE"), &context()).await);
    assert!(fault.message.starts_with("In 'convert', your plugin made a document over"), "{fault:?}");
}
