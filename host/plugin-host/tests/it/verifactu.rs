//! The Spanish plugin as it is installed.

use crate::world::{context, host, night, verifactu_component};
use gateway_domain::fault::Fault;
use gateway_domain::ports::Converter;
use gateway_domain::regime::{AuthoritySubmission, ProviderReport, RegimeContext, RegimeKey, Verdict};

#[tokio::test]
async fn a_spanish_invoice_travels_from_check_to_verdict() {
    let host = host();
    host.activate(&host.load_file(&verifactu_component()).await.unwrap());
    let key: RegimeKey = "es-verifactu".parse().unwrap();
    let surroundings = RegimeContext { settings: serde_json::json!({}), ..context() };

    let faults = host.check(&key, &night(), &surroundings).await.unwrap().value;
    assert!(!faults.iter().any(Fault::stops), "{faults:?}");
    let document = host.convert(&key, &night(), &surroundings).await.unwrap().value;
    assert_eq!(document.payable.to_string(), "110.00");
    let json: serde_json::Value = serde_json::from_str(&document.body).unwrap();
    assert_eq!(json["totals"]["payable"], "110.00");

    assert!(host.has_sandbox(&key));
    let filing = host.file(&key, &document.body).await.unwrap();
    assert!(!filing.chain.is_empty() && !filing.record_key.is_empty());
    let submission = AuthoritySubmission {
        document: document.body.clone(),
        now: surroundings.now,
        previous: None,
        registered: None,
        amends: None,
        forced_code: None,
    };
    let outcome = host.submit(&key, &submission).await.unwrap();
    assert!(outcome.accepted, "{:?}", outcome.faults);
    let report = ProviderReport {
        succeeded: true,
        faults: outcome.faults,
        stamps: outcome.stamps,
        job: "{}".into(),
        entry: "{}".into(),
    };
    let verdict = host.interpret(&key, &report).await.unwrap().value;
    assert!(matches!(verdict, Verdict::Accepted { qr_url: Some(_), .. }), "{verdict:?}");
}
