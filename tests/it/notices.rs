//! What somebody should hear of without having looked: in the feed, at webhooks, and by mail over a real mail server.

use crate::tls::make_certificate;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use gateway_tests::{Api, MovableClock, Options, Postfix, World, on_both, until};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const FEED: &str = "/invoicing/rpc/events?source=notices";
/// How long a message may take: what the server did not take is sent again after a minute.
const MAIL_PATIENCE: Duration = Duration::from_secs(100);

/// What the feed says of a document, by one kind of notice.
async fn of_document(reader: &Api, uuid: &str, kind: &str) -> Vec<Value> {
    let events = reader.get(FEED).await.expect(200)["events"].as_array().unwrap().clone();
    events.into_iter().filter(|event| event["subject"] == *uuid && event["type"] == *kind).collect()
}

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
async fn a_document_accepted_with_errors_is_told_in_the_feed_with_what_is_wrong() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let reader = world.as_client(&["invoicing.rpc", "notices.read"], &["*"]).await;
        let clean = world.issue(&world.document()).await;
        let with_errors = world.issue(&world.document().named("Jane SANDBOX-REJECT-2001")).await;
        for uuid in [&clean, &with_errors] {
            world.until(uuid, "issued").await;
        }
        let document = world.read(&with_errors).await;
        let remark = &document["acceptance"]["warnings"][0];
        assert!(remark["code"] == "2001" && remark["message"].is_string(), "{document}");
        let notices = until("it is in the feed", || async {
            Some(of_document(&reader, &with_errors, "accepted_with_errors").await)
                .filter(|found| !found.is_empty())
        })
        .await;
        let [event] = notices.as_slice() else { panic!("once: {notices:?}") };
        assert_eq!(event["source"], "/notices");
        let data = &event["data"];
        assert_eq!((&data["about"], &data["document_id"]), (&json!("document"), &json!(with_errors)));
        assert_eq!(data["document_number"], document["display_document_number"]);
        assert_eq!((&data["code"], &data["message"]), (&remark["code"], &remark["message"]), "{event}");
        assert_eq!(data["next_command"], format!("gateway invoice show {with_errors}"));
        assert_eq!(of_document(&reader, &clean, "accepted_with_errors").await, Vec::<Value>::new());
        let printed = world.gateway.cli(&["invoice", "show", &with_errors]).await.succeeded().stdout.clone();
        let says = format!("2001: {}", remark["message"].as_str().unwrap());
        assert!(printed.lines().any(|row| row.starts_with("remark") && row.contains(&says)), "{printed}");
    })
    .await;
}

#[tokio::test]
async fn a_document_that_is_issuing_and_that_nobody_submits_is_told_in_the_feed_after_a_minute() {
    on_both(|engine| async move {
        let clock = MovableClock::start();
        let world = World::unconfigured(engine, clock.of(Options::default())).await;
        let reader = world.as_client(&["invoicing.rpc", "notices.read"], &["*"]).await;
        let uuid = world.draft(&world.document()).await;
        let number = world.rpc(&uuid, "issuing").await.expect(200)["display_invoice_number"].clone();
        let overdue = async || of_document(&reader, &uuid, "issuing.overdue").await;
        assert_eq!(overdue().await, Vec::<Value>::new(), "it has just begun");
        clock.set_offset_s(120);
        let event = until("it is in the feed", || async { overdue().await.into_iter().next() }).await;
        let data = &event["data"];
        assert_eq!(
            (&data["code"], &data["document_id"], &data["document_number"]),
            (&json!("issuingWithoutSubmission"), &json!(uuid), &number)
        );
        let message = data["message"].as_str().unwrap();
        let way_out = format!("PUT /invoicing/rpc/documents/{uuid}/issue");
        assert!(message.contains("nobody submits it") && message.contains(&way_out), "{message}");
        assert_eq!(data["next_command"], format!("gateway invoice show {uuid}"));
        world.rpc(&uuid, "issue").await.expect(200);
        assert_eq!(overdue().await.len(), 1);
    })
    .await;
}

/// The first message in the mailbox, unfolded.
///
/// # Panics
/// When none arrives, with what server and gateway logged.
async fn mailed(server: &Postfix, world: &World) -> String {
    let deadline = Instant::now() + MAIL_PATIENCE;
    loop {
        if let Some(text) = server.messages().into_iter().next() {
            // Long lines and headers are folded.
            return text.replace("=\r\n", "").replace("=\n", "").replace("\n ", " ");
        }
        let logs = || format!("{}\n{}", server.log(), world.gateway.log());
        assert!(Instant::now() < deadline, "nothing is in the mailbox\n{}", logs());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
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
        let message = mailed(&server, &world).await;
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

/// A JWT as the provider's console makes them, good for so long from now.
#[expect(clippy::disallowed_methods, reason = "the program that is tested has the system's clock")]
fn token_good_for(span: SignedDuration) -> (String, Timestamp) {
    let end = Timestamp::from_second((Timestamp::now() + span).as_second()).unwrap();
    let part = |value: &Value| BASE64_URL_SAFE_NO_PAD.encode(value.to_string());
    let (header, claims) = (part(&json!({"alg": "HS256"})), part(&json!({"exp": end.as_second()})));
    (format!("{header}.{claims}.c2lnbmF0dXJl"), end)
}

#[tokio::test]
async fn a_token_of_the_provider_that_ends_soon_is_a_notice_and_one_that_does_not_is_none() {
    on_both(|engine| async move {
        let mut world = World::with(engine, Options::default()).await;
        let mut ends = Vec::new();
        for days in [3, 60, -1] {
            let id = if days == 3 { 1 } else { world.another_workspace(&["--tax-id", "A58818501"]).await };
            let (token, end) = token_good_for(SignedDuration::from_hours(days * 24));
            let path = format!("/admin/workspaces/{id}/e-invoicing");
            let body = json!({"regime": "es-verifactu", "token": token,
                "company_id": "0197f4f2-0000-7000-8000-0000000000d1",
                "workflow_id": "0197f4f2-0000-7000-8000-0000000000d2"});
            let set = world.api.put(&path, &body).await.expect(200);
            assert_eq!(set["token_expires_at"], json!(end), "{set}");
            assert_eq!(world.api.get(&path).await.expect(200), set);
            ends.push((id, end));
        }
        // It is looked for when a process begins to watch, and once an hour. One that is stopped hands the watch over.
        assert!(world.gateway.stop().await.is_some_and(|status| status.success()));
        world.serve_again().await;
        let reader = world.as_client(&["invoicing.rpc", "notices.read"], &["*"]).await;
        let found = until("both notices are in the feed", || async {
            let events = reader.get(FEED).await.expect(200)["events"].as_array().unwrap().clone();
            let is_of_tokens = |event: &Value| event["type"] == json!("credential.expiring");
            Some(events.into_iter().filter(is_of_tokens).collect::<Vec<_>>()).filter(|found| found.len() == 2)
        })
        .await;
        for ((workspace, end), code) in [(ends[2], "credentialExpired"), (ends[0], "credentialExpiresSoon")] {
            let notice = found.iter().find(|event| event["data"]["name"] == json!(workspace.to_string()));
            let data = &notice.unwrap()["data"];
            assert_eq!((&data["about"], &data["code"]), (&json!("credential"), &json!(code)));
            assert_eq!(data["since"], json!(end));
            let next = format!("gateway workspace e-invoicing show --workspace {workspace}");
            assert_eq!(data["next_command"], json!(next));
        }
    })
    .await;
}
