//! A plugin that behaves.

use crate::components::{hostile_component_with_answers, hostile_component_without_sandbox};
use crate::documents::{context, invoice};
use crate::hosts::{hostile_host, hostile_host_with, key, load, options};
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::Recipient;
use gateway_domain::ports::{Converter, ConverterError};
use gateway_domain::regime::{AuthoritySubmission, Identity, ProviderFault, ProviderReport, Stamp, Verdict};
use gateway_plugin_host::{CallOutcome, Function};
use std::sync::{Arc, Mutex};

#[tokio::test]
async fn a_plugin_receives_everything_that_the_domain_knows() {
    let host = hostile_host().await;
    let made = host.convert(&key(), &invoice("ECHO"), &context()).await.unwrap();
    assert_eq!(made.value.media_type, "application/json");
    assert_eq!(made.value.payable, invoice("").totals.payable);

    let received: String = serde_json::from_str(&made.value.body).unwrap();
    insta::assert_snapshot!(received);
}

#[tokio::test]
async fn a_plugin_is_listed_with_what_it_says_of_itself() {
    let host = hostile_host().await;
    let (description, plugin) = host.describe(&key()).unwrap();
    assert_eq!((plugin.key.as_str(), plugin.version.as_str()), ("hostile", "1.2.3"));
    assert_eq!(plugin.digest.len(), 64);
    assert_eq!(description.categories[0].rates[0].percent.to_string(), "21.0");
    assert_eq!(description.settings_schema["type"], "object");
    assert_eq!(host.regimes(), [(description, plugin)]);
}

#[tokio::test]
async fn the_same_input_gives_the_same_bytes_in_parallel() {
    let host = Arc::new(hostile_host().await);
    let first = host.convert(&key(), &invoice("ECHO"), &context()).await.unwrap();
    let calls: Vec<_> = (0..32)
        .map(|_| {
            let host = Arc::clone(&host);
            tokio::spawn(async move { host.convert(&key(), &invoice("ECHO"), &context()).await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap().unwrap(), first);
    }
}

#[tokio::test]
async fn a_refusal_carries_the_plugin_s_own_faults() {
    let host = hostile_host().await;
    let expected = Fault::error("HOSTILE-01", "/notes", "As asked; write other notes.");
    let made = host.check(&key(), &invoice("FAULTS"), &context()).await.unwrap();
    assert_eq!(made.value, std::slice::from_ref(&expected));
    assert_eq!(made.plugin.version, "1.2.3");
    let refused = host.convert(&key(), &invoice("FAULTS"), &context()).await;
    assert_eq!(refused, Err(ConverterError::Faults(vec![expected])));
    assert_eq!(host.check(&key(), &invoice("fine"), &context()).await.unwrap().value, []);
}

#[tokio::test]
async fn a_report_and_an_identity_go_through() {
    let host = hostile_host().await;
    let report = ProviderReport {
        succeeded: true,
        faults: vec![ProviderFault {
            provider: Some("verifactu".into()),
            code: Some("3000".into()),
            message: None,
            paths: vec!["$.code".into()],
        }],
        stamps: vec![Stamp { provider: "verifactu-hash".into(), value: "3C".into() }],
        job: "{}".into(),
        entry: "{1}".into(),
    };
    let Verdict::Rejected { reason, .. } = host.interpret(&key(), &report).await.unwrap().value else {
        panic!()
    };
    insta::assert_snapshot!(reason, @r#"ProviderResult { succeeded: true, faults: [ProviderFault { provider: Some("verifactu"), code: Some("3000"), message: None, paths: ["$.code"] }], stamps: [Stamp { provider: "verifactu-hash", value: "3C" }], job: "{}", entry: "{1}" }"#);

    let company = Recipient::Company {
        name: "Acme".into(),
        tax_number: None,
        country: None,
        address: None,
        email: None,
        ext: gateway_domain::invoicing::Ext::new(),
    };
    let identity = host.map_identity(&key(), &company).await.unwrap().value;
    assert_eq!(identity, Identity::TaxId { country: "XX".into(), code: "Acme".into() });
}

fn submission(document: &str) -> AuthoritySubmission {
    AuthoritySubmission {
        document: document.into(),
        now: "2026-11-20T09:30:00.5+01:00[Europe/Madrid]".parse().unwrap(),
        previous: Some("before".into()),
        registered: None,
        amends: Some("old".into()),
        forced_code: Some("3002".into()),
    }
}

#[tokio::test]
async fn a_plugin_with_a_sandbox_plays_its_authority() {
    let host = hostile_host().await;
    assert!(host.has_sandbox(&key()));
    assert_eq!(host.file(&key(), None, "{}").await.unwrap().record_key, "{}");
    let outcome = host.submit(&key(), None, &submission("{}")).await.unwrap();
    assert!(outcome.accepted);
    assert_eq!(outcome.record.as_deref(), Some("before"));
    insta::assert_snapshot!(outcome.payload.unwrap(), @r#"Submission { document: "{}", now: "2026-11-20T09:30:00.5+01:00", previous: Some("before"), registered: None, amends: Some("old"), forced-code: Some("3002") }"#);
}

#[tokio::test]
async fn an_authority_that_writes_back_is_told_what_it_was_asked_and_said() {
    let host = hostile_host().await;
    let request = submission("{}");
    let outcome = host.submit(&key(), None, &request).await.unwrap();
    assert_eq!(host.answers(&key(), None, &request, &outcome).await.unwrap(), [], "it does not write back");
    load(&host, hostile_component_with_answers()).await;
    let answers = host.answers(&key(), None, &request, &outcome).await.unwrap();
    let [answer] = answers.as_slice() else { panic!("{answers:?}") };
    assert_eq!((answer.name.as_str(), answer.media_type.as_str()), ("answer.xml", "application/xml"));
    let (request, outcome_text) = answer.body.split_once(" Outcome ").unwrap();
    assert_eq!(Some(request), outcome.payload.as_deref());
    assert!(outcome_text.contains(r#"record: Some("before")"#), "{outcome_text}");
}

#[tokio::test]
async fn what_cannot_be_used_of_an_answer_is_a_defect() {
    let host = hostile_host().await;
    load(&host, hostile_component_with_answers()).await;
    let outcome = host.submit(&key(), None, &submission("{}")).await.unwrap();
    for (word, code) in [
        ("PANIC", "PLUGIN-TRAP"),
        ("ANSWERS-MANY", "PLUGIN-OUTPUT"),
        ("ANSWERS-PATH", "PLUGIN-RUBBISH"),
        ("ANSWERS-LONG", "PLUGIN-OUTPUT"),
    ] {
        let answers = host.answers(&key(), None, &submission(word), &outcome).await;
        assert_eq!(crate::hosts::defect(answers).code, code, "{word}");
    }
}

#[tokio::test]
async fn a_plugin_without_a_sandbox_converts_and_says_so() {
    let host = hostile_host().await;
    load(&host, hostile_component_without_sandbox()).await;
    assert!(!host.has_sandbox(&key()));
    host.convert(&key(), &invoice(""), &context()).await.unwrap();
    let fault = crate::hosts::defect(host.file(&key(), None, "{}").await);
    assert_eq!(fault.code, "PLUGIN-NO-SANDBOX");
    assert!(fault.message.contains("hostile 1.2.3"), "{}", fault.message);
}

#[tokio::test]
async fn an_unknown_regime_is_named() {
    let host = crate::hosts::host();
    let answer = host.convert(&key(), &invoice(""), &context()).await;
    assert_eq!(answer, Err(ConverterError::UnknownRegime(key())));
}

#[tokio::test]
async fn every_call_is_reported_once() {
    let reports = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&reports);
    let mut options = options();
    options.observer =
        Some(Arc::new(move |report| sink.lock().unwrap().push((report.function, report.outcome))));
    let host = hostile_host_with(options).await;
    for notes in ["", "FAULTS", "PANIC"] {
        let _answer = host.convert(&key(), &invoice(notes), &context()).await;
    }
    let outcomes = [CallOutcome::Answered, CallOutcome::Refused, CallOutcome::Broken];
    assert_eq!(*reports.lock().unwrap(), outcomes.map(|outcome| (Function::Convert, outcome)));
}
