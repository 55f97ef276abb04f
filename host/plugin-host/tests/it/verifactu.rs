//! The Spanish plugin as it is installed.

use crate::components::verifactu_component;
use crate::documents::{context, night};
use crate::hosts::host;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::ports::Converter;
use gateway_domain::regime::{
    AddressProblem, AuthoritySubmission, Preceding, ProviderReport, RegimeContext, RegimeDocumentKind,
    RegimeInvoice, RegimeKey, Verdict,
};
use gateway_plugin_host::PluginHost;
use serde_json::Value;
use uuid::Uuid;

fn key() -> RegimeKey {
    "es-verifactu".parse().unwrap()
}

async fn spain() -> PluginHost {
    let host = host();
    host.activate(&host.load_file(&verifactu_component()).await.unwrap());
    host
}

/// From check to verdict: the structured document and the address where it is verified.
async fn from_check_to_verdict(host: &PluginHost, invoice: &RegimeInvoice) -> (Value, String) {
    let key = key();
    let context = RegimeContext { settings: serde_json::json!({}), ..context() };
    let faults = host.check(&key, invoice, &context).await.unwrap().value;
    assert!(!faults.iter().any(Fault::stops), "{faults:?}");
    let document = host.convert(&key, invoice, &context).await.unwrap().value;
    assert_eq!(document.payable, invoice.totals.payable);

    assert!(host.has_sandbox(&key));
    let filing = host.file(&key, None, &document.body).await.unwrap();
    assert!(!filing.chain.is_empty() && !filing.record_key.is_empty());
    let submission = AuthoritySubmission {
        document: document.body.clone(),
        now: context.now,
        previous: None,
        registered: None,
        amends: None,
        forced_code: None,
    };
    let outcome = host.submit(&key, None, &submission).await.unwrap();
    assert!(outcome.accepted, "{:?}", outcome.faults);
    let report = ProviderReport {
        succeeded: true,
        faults: outcome.faults,
        stamps: outcome.stamps,
        job: "{}".into(),
        entry: "{}".into(),
    };
    let verdict = host.interpret(&key, &report).await.unwrap().value;
    let Verdict::Accepted { qr_url: Some(qr_url), .. } = verdict else { panic!("{verdict:?}") };
    let evidence = host.evidence(&key).unwrap();
    assert_eq!(evidence.verification_address(&qr_url, invoice.number.as_deref()), Ok(()));
    let another = evidence.verification_address(&qr_url, Some("F-0"));
    assert!(matches!(another, Err(AddressProblem::AnotherNumber { .. })), "{another:?}");
    (serde_json::from_str(&document.body).unwrap(), qr_url)
}

#[tokio::test]
async fn a_spanish_invoice_travels_from_check_to_verdict() {
    let (document, qr_url) = from_check_to_verdict(&spain().await, &night()).await;
    assert_eq!(
        (document["type"].as_str(), document["totals"]["payable"].as_str()),
        (Some("standard"), Some("110.00"))
    );
    assert!(qr_url.ends_with("&importe=110.00"), "{qr_url}");
}

#[tokio::test]
async fn a_credit_note_travels_with_positive_figures_and_is_recorded_with_negative_ones() {
    let host = spain().await;
    let (description, _) = host.describe(&key()).unwrap();
    assert!(description.kinds.contains(&RegimeDocumentKind::CreditNote));
    let cancelled = night();
    let preceding = Preceding {
        id: InvoiceId(Uuid::from_u128(8)),
        kind: RegimeDocumentKind::Invoice,
        number: "F-2026-000001".into(),
        issue_date: "2026-11-19".parse().unwrap(),
        totals: Some(cancelled.totals.clone()),
        reason: Some("Booking cancelled".into()),
        stamps: Vec::new(),
        ext: gateway_domain::invoicing::Ext::new(),
    };
    let credit_note = RegimeInvoice {
        kind: RegimeDocumentKind::CreditNote,
        number: Some("R-2026-000001".into()),
        preceding: vec![preceding],
        ..cancelled
    };
    let (document, qr_url) = from_check_to_verdict(&host, &credit_note).await;
    assert_eq!(document["type"], "credit-note");
    assert_eq!(document["tax"]["ext"]["es-verifactu-doc-type"], "R4");
    assert_eq!(document["preceding"][0]["code"], "F-2026-000001");
    assert_eq!(document["preceding"][0]["payable"], "110.00");
    assert_eq!(document["totals"]["payable"], "110.00");
    assert!(qr_url.ends_with("&importe=-110.00"), "{qr_url}");
}
