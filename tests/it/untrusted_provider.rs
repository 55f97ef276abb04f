//! What a provider sends beside its verdict is not trusted: it is left out or cut, somebody is told, and the verdict counts.

use gateway_tests::{Engine, Options, Outcome, ScriptedProvider, World, on_every};
use serde_json::{Value, json};

async fn world(engine: Engine, provider: &ScriptedProvider) -> World {
    let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
    World::with(engine, options).await
}

#[tokio::test]
async fn a_verification_address_that_is_not_the_authoritys_is_left_out_with_a_warning() {
    on_every(|engine| async move {
        for address in [
            "http://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR",
            "https://aeat.es.evil.example/ValidarQR",
            "javascript:alert(1)",
            "https://prewww2.aeat.es:8443/ValidarQR",
        ] {
            let provider = ScriptedProvider::start().await;
            provider.stamps(
                json!([{"prv": "verifactu-qr", "val": address}, {"prv": "verifactu-hash", "val": "ABC"}]),
            );
            let world = world(engine, &provider).await;
            let uuid = world.issue(&world.document()).await;
            let issued = world.until(&uuid, "issued").await;
            let proof = &issued["acceptance"];
            assert_eq!(
                (&proof["qr_url"], &proof["tax_system_hash"]),
                (&Value::Null, &json!("ABC")),
                "{address}"
            );
            let submission = world.submission(&uuid).await;
            assert_eq!(
                (&submission["state"], &submission["alert"]["code"]),
                (&json!("accepted"), &json!("untrustedContent"))
            );
            let list = world.gateway.cli(&["submission", "list", "--alerted", "--json"]).await.json();
            assert_eq!(list["submissions"][0]["document_id"], json!(uuid));
            world.gateway.cli(&["submission", "acknowledge", &uuid]).await.succeeded();
            assert_eq!(world.submission(&uuid).await["alert"], Value::Null);
        }
    })
    .await;
}

#[tokio::test]
async fn a_reason_of_a_provider_is_cut_and_has_no_control_characters() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let message = format!("unknown \u{1b}[31mNIF\u{0}{}", "x".repeat(20_000));
        let paths: Vec<_> = (0..500).map(|at| format!("$.doc.lines[{at}].{}", "y".repeat(2_000))).collect();
        provider.outcome(Outcome::Failed(
            json!([{"provider": "verifactu", "code": "1998", "message": message, "paths": paths}]),
        ));
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        let rejected = world.until(&uuid, "rejected").await;
        let reason = rejected["rejection_reason"].as_str().unwrap();
        assert!(reason.starts_with("tax authority: ") && reason.contains("1998"), "{reason}");
        assert!(reason.len() <= 5_000 && !reason.chars().any(char::is_control), "{}", reason.len());
        let submission = world.submission(&uuid).await;
        assert_eq!(submission["alert"]["code"], "untrustedContent");
        let faults = submission["attempts"][0]["faults"].as_array().unwrap();
        assert!(
            faults.len() <= 20 && faults.iter().all(|fault| fault["path"].as_str().unwrap().len() <= 600)
        );
    })
    .await;
}

#[tokio::test]
async fn a_proof_that_is_too_long_is_left_out_as_a_whole() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let qr = "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR";
        provider.stamps(
            json!([{"prv": "verifactu-qr", "val": qr}, {"prv": "verifactu-hash", "val": "A".repeat(5_000)}]),
        );
        let world = world(engine, &provider).await;
        let uuid = world.issue(&world.document()).await;
        let issued = world.until(&uuid, "issued").await;
        assert_eq!(
            (&issued["acceptance"]["qr_url"], &issued["acceptance"]["tax_system_hash"]),
            (&json!(qr), &Value::Null)
        );
        assert_eq!(world.submission(&uuid).await["alert"]["code"], "untrustedContent");
    })
    .await;
}
