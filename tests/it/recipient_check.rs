//! Recipients are looked up in the VAT register before their documents are issued: the stand-in plays it, and a register that is away
//! keeps nobody from issuing.

use gateway_tests::{Answer, Browser, Document, Options, World, on_both, until};
use serde_json::{Value, json};

/// With the stand-in, asked again after a second where it did not say.
fn checked() -> Options {
    Options::sandbox()
        .variable("GATEWAY_RECIPIENT_CHECK__VIES_URL", "sandbox")
        .variable("GATEWAY_RECIPIENT_CHECK__RETRY_AFTER_S", "1")
}

fn to_company(world: &World, country: &str, number: &str) -> Document {
    let recipient = json!({"type": "company", "name": "Client", "tax_number": number, "country": country});
    world.document().with("recipient", recipient)
}

async fn issue(world: &World, uuid: &str) -> Answer {
    world.command(uuid, "issue", &json!({})).await
}

/// Saves and issues a document, which nothing refuses; its id, and the codes that it was warned of.
async fn issued(world: &World, country: &str, number: &str) -> (String, Vec<String>) {
    let uuid = world.draft(&to_company(world, country, number)).await;
    let answer = issue(world, &uuid).await.expect(200);
    (uuid, vies_codes(&answer))
}

/// What the register warns of in an answer.
fn vies_codes(answer: &Value) -> Vec<String> {
    let faults = answer["faults"].as_array().cloned().unwrap_or_default();
    let of_register = faults.iter().filter(|fault| fault["code"].as_str().unwrap().starts_with("VIES-"));
    of_register
        .map(|fault| {
            assert_eq!(
                (&fault["severity"], &fault["path"]),
                (&json!("warning"), &json!("/recipient/tax_number"))
            );
            fault["code"].as_str().unwrap().to_owned()
        })
        .collect()
}

/// What is kept with a document; null where nobody was checked.
async fn kept(world: &World, uuid: &str) -> Value {
    let document = world.api.get(&format!("/finance/rpc/documents/{uuid}")).await.expect(200);
    document["recipient_check"].clone()
}

async fn metric(world: &World, outcome: &str) -> u64 {
    let text = world.gateway.internal().get("/metrics").await.text;
    let name = format!("einvoicing_recipient_checks_total{{outcome=\"{outcome}\"}} ");
    let line = text.lines().find_map(|line| line.strip_prefix(&name)).unwrap_or_else(|| panic!("{text}"));
    line.parse().unwrap()
}

#[tokio::test]
async fn a_valid_recipient_is_kept_with_its_consultation_number_and_not_asked_about_twice() {
    on_both(|engine| async move {
        let world = World::with(engine, checked()).await;
        let (uuid, warned) = issued(&world, "DE", "DE 123 456 100").await;
        assert!(warned.is_empty(), "{warned:?}");
        let check = kept(&world, &uuid).await;
        assert_eq!((&check["outcome"], &check["vat_number"]), (&json!("valid"), &json!("DE123456100")));
        assert!(check["requester"].as_str().unwrap().starts_with("ES"), "{check}");
        assert!(check["consultation_number"].as_str().unwrap().starts_with("WAPI"), "{check}");
        assert_eq!((&check["name"], &check["faults"]), (&json!("Trader DE123456100"), &json!([])));

        let (second, _) = issued(&world, "DE", "123456100").await;
        let again = kept(&world, &second).await;
        assert_eq!(
            again["consultation_number"], check["consultation_number"],
            "the evidence is young enough"
        );
        assert_eq!(metric(&world, "valid").await, 2);

        let workspace = world.workspace.to_string();
        let command = ["--json", "recipient", "check", "DE123456100", "--workspace", &workspace];
        let printed = world.gateway.cli(&command).await.succeeded().json();
        assert_eq!((&printed["valid"], &printed["requester"]), (&json!(true), &check["requester"]));
        assert_eq!(printed["consultation_number"], check["consultation_number"]);

        let (own, warned) = issued(&world, "ES", "B17002288").await;
        assert_eq!(
            (kept(&world, &own).await, warned),
            (Value::Null, Vec::new()),
            "of the supplier's country"
        );
    })
    .await;
}

#[tokio::test]
async fn a_recipient_that_the_register_does_not_know_is_a_warning_that_stays_with_the_document() {
    on_both(|engine| async move {
        let world = World::with(engine, checked()).await;
        let uuid = world.draft(&to_company(&world, "FR", "FR12123456200")).await;
        let path = format!("/finance/rpc/documents/{uuid}/commands/issue?dry_run=true");
        let trial = world.api.post(&path, &json!({})).await.expect(200);
        assert_eq!(
            (vies_codes(&trial), &trial["would_issue"]),
            (vec!["VIES-INVALID".to_owned()], &json!(true))
        );
        assert_eq!(kept(&world, &uuid).await, Value::Null, "nothing was done");

        assert_eq!(vies_codes(&issue(&world, &uuid).await.expect(200)), ["VIES-INVALID"]);
        let check = kept(&world, &uuid).await;
        assert_eq!(
            (&check["outcome"], &check["faults"][0]["code"]),
            (&json!("invalid"), &json!("VIES-INVALID"))
        );
        world.until(&uuid, "issued").await;
        assert_eq!(kept(&world, &uuid).await, check, "the authority's verdict changes nothing of it");

        let (malformed, warned) = issued(&world, "DE", "151/815/08156").await;
        assert_eq!(warned, ["VIES-MALFORMED"]);
        let check = kept(&world, &malformed).await;
        assert_eq!(
            (&check["outcome"], &check["requester"]),
            (&json!("malformed"), &Value::Null),
            "nobody was asked"
        );
        assert_eq!((metric(&world, "invalid").await, metric(&world, "malformed").await), (2, 1));
    })
    .await;
}

#[tokio::test]
async fn a_doubt_is_a_warning_and_resolved_in_the_background() {
    on_both(|engine| async move {
        let world = World::with(engine, checked()).await;
        // Away for whoever asks first.
        let (uuid, warned) = issued(&world, "DE", "123456310").await;
        assert_eq!(warned, ["VIES-UNKNOWN"]);
        let resolved = until("the check is completed", || async {
            let check = kept(&world, &uuid).await;
            (check["outcome"] == "valid").then_some(check)
        })
        .await;
        assert!(resolved["consultation_number"].as_str().unwrap().starts_with("WAPI"), "{resolved}");
        assert_eq!((&resolved["doubt"], &resolved["faults"]), (&Value::Null, &json!([])));
        // One that will never be taken for a number is not asked about again, and says why.
        let (refused, _) = issued(&world, "DE", "123456201").await;
        let check = kept(&world, &refused).await;
        assert_eq!((&check["outcome"], &check["doubt"]), (&json!("unknown"), &json!("INVALID_INPUT")));
    })
    .await;
}

#[tokio::test]
async fn a_register_that_does_not_answer_keeps_nobody_from_issuing() {
    on_both(|engine| async move {
        let options = checked()
            .variable("GATEWAY_RECIPIENT_CHECK__TIMEOUT_MS", "200")
            .variable("GATEWAY_RECIPIENT_CHECK__RETRY_AFTER_S", "3600");
        let world = World::with(engine, options).await;
        let (uuid, warned) = issued(&world, "DE", "123456320").await;
        assert_eq!(warned, ["VIES-UNKNOWN"]);
        assert_eq!(kept(&world, &uuid).await["doubt"], "NO_ANSWER");
        // For a moment nobody waits for it again.
        let (next, warned) = issued(&world, "DE", "123456100").await;
        assert_eq!(
            (warned, &kept(&world, &next).await["doubt"]),
            (vec!["VIES-UNKNOWN".to_owned()], &json!("NO_ANSWER"))
        );
        world.until(&uuid, "issued").await;
        assert_eq!(metric(&world, "unknown").await, 2);
    })
    .await;
}

#[tokio::test]
async fn without_a_register_nobody_is_checked() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let (uuid, warned) = issued(&world, "DE", "123456200").await;
        assert_eq!((kept(&world, &uuid).await, warned), (Value::Null, Vec::new()));
        let refused = world.gateway.cli(&["recipient", "check", "DE123456200"]).await;
        assert_eq!(refused.code, 1);
        assert!(refused.stderr.contains("recipient_check.vies_url"), "{}", refused.stderr);
    })
    .await;
}

#[tokio::test]
async fn the_stand_in_speaks_the_protocol_of_the_register() {
    on_both(|engine| async move {
        let world = World::with(engine, checked()).await;
        let register = world.gateway.sandbox().without_token();
        let below = |path: &str| format!("/taxation_customs/vies/rest-api/{path}");
        let question = json!({"countryCode": "DE", "vatNumber": "123456100"});
        let answer = register.post(&below("check-vat-number"), &question).await.expect(200);
        assert_eq!(
            (&answer["valid"], &answer["requestIdentifier"]),
            (&json!(true), &json!("")),
            "in nobody's name"
        );
        for (number, status, error) in [
            ("123456301", 500, "MS_UNAVAILABLE"),
            ("123456601", 500, "MS_MAX_CONCURRENT_REQ_TIME"),
            ("1", 400, "INVALID_INPUT"),
        ] {
            let question = json!({"countryCode": "DE", "vatNumber": number});
            let answer = register.post(&below("check-vat-number"), &question).await.expect(status);
            assert_eq!(answer, json!({"actionSucceed": false, "errorWrappers": [{"error": error}]}));
        }
        let status = register.get(&below("check-status")).await.expect(200);
        assert_eq!(
            (&status["vow"]["available"], status["countries"].as_array().unwrap().len()),
            (&json!(true), 28)
        );
    })
    .await;
}

#[tokio::test]
async fn the_page_of_a_document_shows_what_was_known_of_its_recipient() {
    on_both(|engine| async move {
        let world = World::with(engine, checked()).await;
        let (uuid, _) = issued(&world, "DE", "123456200").await;
        let browser = Browser::signed_in(world.gateway.internal().base(), &world.client).await;
        let page = browser.get(&format!("/console/invoices/{uuid}")).await;
        assert!(page.text.contains("DE123456200: not valid"), "{}", page.text);
        assert!(page.text.contains("VIES says that DE123456200 is no valid VAT number"), "{}", page.text);
    })
    .await;
}
