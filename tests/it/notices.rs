//! What somebody should hear of without having looked: in the feed, at webhooks, and by mail over a real mail server.

use crate::tls::make_certificate;
use gateway_tests::{Options, Postfix, World, on_both, until};
use serde_json::{Value, json};

const FEED: &str = "/invoicing/rpc/events?source=notices";

#[tokio::test]
async fn a_submission_that_waits_is_told_in_the_feed_until_it_goes_on() {
    on_both(|engine| async move {
        let world = World::with(engine, Options::default()).await;
        let reader = world.as_client(&["invoicing.rpc", "notices.read"], &["*"]).await;
        let uuid = world.issue(&world.document()).await;
        let kinds = async || -> Vec<Value> {
            let events = reader.get(FEED).await.expect(200)["events"].as_array().unwrap().clone();
            events.into_iter().filter(|event| event["subject"] == json!(uuid)).collect()
        };
        let alerted = until("the alert is in the feed", || async { kinds().await.into_iter().next() }).await;
        assert_eq!(
            (&alerted["source"], &alerted["type"]),
            (&json!("/notices"), &json!("submission.alerted"))
        );
        assert_eq!(alerted["data"]["code"], json!("providerNotConfigured"));
        assert_eq!(alerted["data"]["next_command"], json!(format!("gateway submission show {uuid}")));
        assert_eq!(alerted["data"]["document_number"], world.read(&uuid).await["display_document_number"]);
        let refused = world.as_client(&["invoicing.rpc"], &["*"]).await.get(FEED).await;
        refused.expect(403);

        let verdict = json!({"reason": "not this one"});
        world.command(&uuid, "mark_as_rejected_by_tax_authority", &verdict).await.expect(200);
        let both = until("that it is over is in the feed", || async {
            Some(kinds().await).filter(|events| events.len() == 2)
        })
        .await;
        assert_eq!(both[1]["type"], json!("submission.cleared"));
    })
    .await;
}

#[tokio::test]
async fn what_waits_for_somebody_arrives_by_mail_over_tls() {
    on_both(|engine| async move {
        let folder = tempfile::tempdir().unwrap();
        make_certificate(folder.path(), "mail", 2);
        let (certificate, key) = (folder.path().join("tls.crt"), folder.path().join("tls.key"));
        let Some(server) = Postfix::start(&certificate, &key) else { return };
        let options = Options::default()
            .variable("SSL_CERT_FILE", &certificate.display().to_string())
            .variable("GATEWAY_NOTICES__MAIL__SMTP_URL", &server.url())
            .variable("GATEWAY_NOTICES__MAIL__FROM", "gateway@example.org")
            .variable("GATEWAY_NOTICES__MAIL__TO", "ops@example.org")
            .variable("GATEWAY_NOTICES__MAIL__CONSOLE_URL", "https://inside.example/");
        let world = World::with(engine, options).await;
        let uuid = world.issue(&world.document()).await;
        let number = world.read(&uuid).await["display_document_number"].as_str().unwrap().to_owned();
        let message = until("the message is in the mailbox", || async {
            let arrived = server.messages().into_iter().next();
            // Long lines and headers are folded.
            arrived.map(|text| text.replace("=\r\n", "").replace("=\n", "").replace("\n ", " "))
        })
        .await;
        for part in [
            "From: gateway@example.org",
            "To: ops@example.org",
            "Delivered-To: ops@example.org",
            "with ESMTPS",
            "Auto-Submitted: auto-generated",
            &format!("{number} (providerNotConfigured)"),
            &format!("gateway submission show {uuid}"),
            &format!("https://inside.example/console/invoices/{uuid}"),
        ] {
            assert!(message.contains(part), "{part} is not in {message}\n{}", server.log());
        }
    })
    .await;
}
