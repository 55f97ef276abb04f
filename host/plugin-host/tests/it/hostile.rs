//! Plugins that misbehave: each costs one attempt and one clear fault, and the host lives on.

use crate::components::hostile_component_that_describes;
use crate::documents::{context, invoice};
use crate::hosts::{defect, hostile_host, hostile_host_with, key, load, options, patient, text};
use gateway_domain::invoicing::Recipient;
use gateway_domain::ports::{Converter, ConverterError};
use gateway_domain::regime::ProviderReport;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

/// What the plugin is asked to do, the code it costs, and the sentence people read.
#[tokio::test]
async fn misbehaviour_costs_one_clear_fault_and_the_next_call_succeeds() {
    let (hasty, patient) = (hostile_host().await, hostile_host_with(patient()).await);
    let mut faults = String::new();
    for notes in [
        "LOOP",
        "BOMB",
        "RECURSE",
        "PANIC",
        "TRAP",
        "BIG",
        "HUGE",
        "UTF8",
        "NO-JSON",
        "NO-TYPE",
        "SCALE",
        "PAYABLE",
        "EMPTY-FAULTS",
        "WARNINGS-ONLY",
        "BLANK-FAULT",
        "LONG-FAULT",
        "MANY-FAULTS",
    ] {
        let host = if notes == "LOOP" { &hasty } else { &patient };
        let fault = defect(host.convert(&key(), &invoice(notes), &context()).await);
        assert!(fault.stops());
        writeln!(faults, "{notes}: {} {}", fault.code, fault.message).unwrap();
        host.convert(&key(), &invoice("fine"), &context()).await.unwrap();
    }
    insta::assert_snapshot!(faults);
}

#[tokio::test]
async fn an_output_of_64_mib_is_refused_even_if_the_plugin_has_the_memory() {
    let mut options = options();
    options.limits.memory_bytes = 256 << 20;
    let host = hostile_host_with(options).await;
    let fault = defect(host.convert(&key(), &invoice("HUGEST"), &context()).await);
    assert_eq!(fault.code, "PLUGIN-OUTPUT", "{}", fault.message);
    host.convert(&key(), &invoice("fine"), &context()).await.unwrap();
}

/// Every way to misbehave at once, on one host, while a sound plugin works.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sound_plugin_is_not_disturbed_by_a_hostile_one() {
    let mut options = options();
    options.limits.calls_per_plugin = 4;
    let host = Arc::new(hostile_host_with(options).await);
    load(&host, hostile_component_that_describes("OTHER-KEY")).await;
    let attacks = ["LOOP", "BOMB", "RECURSE", "PANIC", "TRAP", "HUGE", "UTF8", "PAYABLE"].map(|notes| {
        let host = Arc::clone(&host);
        tokio::spawn(async move { host.convert(&key(), &invoice(notes), &context()).await })
    });
    let mut converted = 0;
    while attacks.iter().any(|attack| !attack.is_finished()) {
        text(&host, "other", "fine").await;
        converted += 1;
    }
    assert!(converted > 3, "only {converted} conversions beside the attacks");
    for attack in attacks {
        defect(attack.await.unwrap());
    }
}

#[tokio::test]
async fn one_plugin_cannot_take_every_turn() {
    let mut options = options();
    options.limits.calls = 2;
    options.limits.calls_per_plugin = 1;
    options.limits.deadline = Duration::from_secs(2);
    options.limits.queue = Duration::from_millis(500);
    let host = Arc::new(hostile_host_with(options).await);
    load(&host, hostile_component_that_describes("OTHER-KEY")).await;
    let (document, context, regime) = (invoice("LOOP"), context(), key());
    let call = || host.convert(&regime, &document, &context);
    let other = async {
        tokio::task::yield_now().await;
        text(&host, "other", "fine").await
    };
    let (first, second, other) = tokio::join!(call(), call(), other);
    assert_eq!(defect(first).code, "PLUGIN-DEADLINE");
    assert_eq!(second, Err(ConverterError::Busy));
    assert_eq!(other, "{}");
}

#[tokio::test]
async fn every_function_is_watched() {
    let (hasty, patient) = (hostile_host().await, hostile_host_with(patient()).await);
    let codes = |word: &'static str| {
        let host = if word == "LOOP" { &hasty } else { &patient };
        async move {
            let person = Recipient::Individual {
                name: word.into(),
                identity_document: None,
                address: None,
                email: None,
                ext: gateway_domain::invoicing::Ext::new(),
            };
            let report = ProviderReport {
                succeeded: false,
                faults: Vec::new(),
                stamps: Vec::new(),
                job: word.into(),
                entry: String::new(),
            };
            [
                defect(host.check(&key(), &invoice(word), &context()).await).code,
                defect(host.map_identity(&key(), &person).await).code,
                defect(host.interpret(&key(), &report).await).code,
                defect(host.file(&key(), None, word).await).code,
            ]
        }
    };
    assert_eq!(codes("PANIC").await, ["PLUGIN-TRAP"; 4]);
    assert_eq!(codes("BOMB").await, ["PLUGIN-MEMORY"; 4]);
    assert_eq!(codes("LOOP").await, ["PLUGIN-DEADLINE"; 4]);
}

#[tokio::test]
async fn an_identity_has_a_bounded_length() {
    let host = hostile_host().await;
    let person = |name: &str| Recipient::Company {
        name: name.to_owned(),
        tax_number: None,
        country: None,
        address: None,
        email: None,
        ext: gateway_domain::invoicing::Ext::new(),
    };
    assert!(host.map_identity(&key(), &person(&"x".repeat(16_000))).await.is_ok());
    assert_eq!(defect(host.map_identity(&key(), &person(&"x".repeat(17_000))).await).code, "PLUGIN-OUTPUT");
}

#[tokio::test]
async fn a_verdict_needs_a_reason() {
    let host = hostile_host().await;
    let report = ProviderReport {
        succeeded: true,
        faults: Vec::new(),
        stamps: Vec::new(),
        job: "BLANK".into(),
        entry: String::new(),
    };
    assert_eq!(defect(host.interpret(&key(), &report).await).code, "PLUGIN-RUBBISH");
}

#[tokio::test]
async fn figures_of_other_lines_never_reach_a_plugin() {
    let host = hostile_host().await;
    let mut foreign = invoice("");
    foreign.lines.pop();
    assert_eq!(defect(host.convert(&key(), &foreign, &context()).await).code, "PLUGIN-INPUT");
}

/// One thread for everything: the loop yields, so others get their turn and the deadline still counts.
#[tokio::test(flavor = "current_thread")]
async fn an_endless_loop_does_not_stop_other_tasks() {
    let host = Arc::new(hostile_host().await);
    let looping = tokio::spawn({
        let host = Arc::clone(&host);
        async move { host.convert(&key(), &invoice("LOOP"), &context()).await }
    });
    // A task as well, so that both stand in the same queue.
    let working = tokio::spawn(async move {
        let mut others = 0;
        while !looping.is_finished() {
            host.convert(&key(), &invoice("fine"), &context()).await.unwrap();
            others += 1;
        }
        (others, looping)
    });
    let (others, looping) = working.await.unwrap();
    assert!(others > 3, "only {others} conversions beside the loop");
    assert_eq!(defect(looping.await.unwrap()).code, "PLUGIN-DEADLINE");
}

#[tokio::test]
async fn a_call_that_gets_no_turn_hears_that_the_host_is_busy() {
    let mut options = options();
    options.limits.calls = 1;
    options.limits.queue = Duration::from_millis(20);
    let host = hostile_host_with(options).await;
    let (document, call_context, regime) = (invoice("LOOP"), context(), key());
    let (first, second) = tokio::join!(
        host.convert(&regime, &document, &call_context),
        host.convert(&regime, &document, &call_context)
    );
    assert_eq!(defect(first).code, "PLUGIN-DEADLINE");
    assert_eq!(second, Err(ConverterError::Busy));
    host.convert(&key(), &invoice(""), &context()).await.unwrap();
}

#[tokio::test]
async fn a_call_that_is_given_up_frees_its_turn() {
    let mut options = options();
    options.limits.calls = 1;
    options.limits.deadline = Duration::from_hours(1);
    options.limits.answer_timeout = Duration::from_millis(500);
    let host = hostile_host_with(options).await;
    for _ in 0..2 {
        let answer = host.convert(&key(), &invoice("LOOP"), &context()).await;
        assert_eq!(answer, Err(ConverterError::Busy));
    }
    host.convert(&key(), &invoice(""), &context()).await.unwrap();
}
