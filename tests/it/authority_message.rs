//! What went to the tax authority, as the gateway shows it beside what it sent to the provider.

use gateway_tests::{Answer, Fault, Options, Route, ScriptedProvider, World, on_both, on_every, until};
use serde_json::{Value, json};

/// The view of a document as it went out.
async fn get_structured(world: &World, uuid: &str, query: &str, accept: &str) -> Answer {
    let path = format!("/finance/rpc/documents/{uuid}/structured{query}");
    let accept = [("accept", accept)];
    let answer = world.api.send("GET", &path, if accept[0].1.is_empty() { &[] } else { &accept }, None).await;
    assert_eq!(answer.header("vary"), "accept", "{answer:?}");
    answer
}

async fn message(world: &World, uuid: &str, query: &str, accept: &str) -> (String, String) {
    let answer = get_structured(world, uuid, query, accept).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    (answer.header("content-type").to_owned(), answer.text)
}

/// The messages of a document's entry, as the stand-in keeps them.
async fn messages_at_sandbox(world: &World, uuid: &str) -> Value {
    let entry = world.submission(uuid).await["entry_id"].as_str().unwrap().to_owned();
    let path = format!("/sandbox/v1/entries/{entry}/messages");
    world.gateway.sandbox().get(&path).await.expect(200)["messages"].clone()
}

#[tokio::test]
async fn the_record_is_shown_byte_for_byte_as_the_authority_got_it() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let first = world.draft(&world.document()).await;
        assert_eq!(get_structured(&world, &first, "", "application/xml").await.fields(410), ["uuid"]);
        world.command(&first, "issue", &json!({})).await.expect(200);
        let issued = world.until(&first, "issued").await;
        let (media_type, record) = message(&world, &first, "", "application/xml").await;
        assert_eq!(media_type, "application/xml");
        let hash = issued["acceptance"]["tax_system_hash"].as_str().unwrap();
        let number = issued["display_invoice_number"].as_str().unwrap();
        assert!(record.starts_with('<') && record.contains(hash) && record.contains(number), "{record}");
        let kept = messages_at_sandbox(&world, &first).await;
        assert_eq!((kept.as_array().unwrap().len(), &kept[0]["data"]), (1, &json!(record)));
        for (query, accept) in [("?part=authority", ""), ("", "text/xml"), ("", "application/xml, */*;q=0.1")]
        {
            assert_eq!(message(&world, &first, query, accept).await, (media_type.clone(), record.clone()));
        }

        for accept in ["", "*/*", "application/json", "application/xml;q=0.1, application/json"] {
            let (media_type, sent) = message(&world, &first, "", accept).await;
            let sent: Value = serde_json::from_str(&sent).unwrap();
            assert_eq!((media_type.as_str(), &sent["uuid"]), ("application/json", &json!(first)), "{accept}");
        }
        assert_eq!(get_structured(&world, &first, "", "image/png").await.fields(406), ["accept"]);
        let path = format!("/finance/rpc/documents/{first}/structured?part=both");
        assert_eq!(world.api.get(&path).await.fields(422), ["part"]);

        let next = world.issue(&world.document()).await;
        world.until(&next, "issued").await;
        let (_, chained) = message(&world, &next, "", "application/xml").await;
        assert!(chained.contains(hash) && chained != record, "a link of the chain: {chained}");
    })
    .await;
}

#[tokio::test]
async fn each_attempt_has_its_own_record_and_a_refused_one_too() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.issue(&world.document().named("SANDBOX-REJECT-1110")).await;
        let rejected = world.until(&uuid, "rejected").await;
        let refused = message(&world, &uuid, "", "application/xml").await.1;
        assert!(refused.contains(rejected["display_invoice_number"].as_str().unwrap()), "{refused}");
        world.put_draft(&uuid, &world.document().named("SANDBOX-SLOW-8")).await.expect(200);
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        until("the second attempt is with the provider", || async {
            Some(world.submission(&uuid).await).filter(|submission| submission["state"] == "waiting")
        })
        .await;
        let early = get_structured(&world, &uuid, "", "application/xml").await;
        assert_eq!(early.fields(406), ["accept"], "not the record of the attempt before");
        let issued = world.until(&uuid, "issued").await;
        let accepted = message(&world, &uuid, "", "application/xml").await.1;
        assert!(accepted.contains(issued["display_invoice_number"].as_str().unwrap()), "{accepted}");
        assert_ne!(accepted, refused);
        let kept = messages_at_sandbox(&world, &uuid).await;
        assert_eq!(kept.as_array().unwrap().last().unwrap()["data"], json!(accepted));
    })
    .await;
}

#[tokio::test]
async fn a_record_that_is_json_is_asked_for_by_name() {
    on_both(|engine| async move {
        // As of an authority that takes JSON: those of the plugins here take XML.
        let provider = ScriptedProvider::start().await;
        provider.has_sent("application/json", r#"{"record": "F-1"}"#);
        let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
        let world = World::with(engine, options).await;
        let uuid = world.issue(&world.document()).await;
        world.until(&uuid, "issued").await;
        let (media_type, record) = message(&world, &uuid, "?part=authority", "").await;
        assert_eq!((media_type.as_str(), record.as_str()), ("application/json", r#"{"record": "F-1"}"#));
        assert_ne!(
            message(&world, &uuid, "", "application/json").await.1,
            record,
            "what was sent to the provider"
        );
        let refused = get_structured(&world, &uuid, "", "application/xml").await;
        assert!(refused.errors(406)[0].contains("part=authority"), "{refused:?}");
    })
    .await;
}

#[tokio::test]
async fn a_verdict_does_not_depend_on_the_record() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let options = Options::provider(&provider.url()).variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1");
        let world = World::with(engine, options).await;
        let record_answer = async |fault: Option<Fault>, content: &str| {
            provider.has_sent("text/xml; charset=utf-8", content);
            if let Some(fault) = fault {
                provider.fail(Route::GetFile, 1, fault);
            }
            let uuid = world.issue(&world.document()).await;
            world.until(&uuid, "issued").await;
            assert_eq!(world.submission(&uuid).await["alert"], Value::Null);
            get_structured(&world, &uuid, "", "application/xml").await
        };
        let answer = record_answer(None, "<a>ñ</a>\r\n").await;
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/xml"));
        assert_eq!(answer.text, "<a>ñ</a>\r\n");
        for fault in [Fault::Status(500, json!({})), Fault::Status(404, json!({})), Fault::Closed] {
            let answer = record_answer(Some(fault), "<a/>").await;
            assert!(answer.errors(406)[0].contains("no message to the tax authority"), "{answer:?}");
        }
        let before = provider.calls_of(Route::GetFile).len();
        assert_eq!(record_answer(None, &"x".repeat(1_048_577)).await.fields(406), ["accept"]);
        assert_eq!(record_answer(None, "<a>\0</a>").await.fields(406), ["accept"]);
        assert_eq!(provider.calls_of(Route::GetFile).len(), before + 1, "what is too long is not asked for");
    })
    .await;
}
