//! Recipients of documents that go through a delivery network are looked up there: the stand-in publishes what participants receive, and
//! a network that is away keeps nobody from issuing.

use crate::plugins::until_replicas_follow;
use gateway_tests::{
    Browser, COMPANY, Document, Engine, Options, PROVIDER_TOKEN, WORKFLOW, World, built_plugins, line,
    on_both, until,
};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};
use tokio::net::UdpSocket;

/// The tax system whose documents go through the network.
const REGIME: &str = "eu-peppol";
/// What its suppliers say of themselves.
const SUPPLIER: [&str; 16] = [
    "--country",
    "BE",
    "--time-zone",
    "Europe/Brussels",
    "--tax-id",
    "0403019261",
    "--street",
    "Main street 16",
    "--locality",
    "Brussels",
    "--postcode",
    "1000",
    "--address-country",
    "BE",
    "--email",
    "billing@example.com",
];

fn looked_up() -> Options {
    Options::sandbox()
        .variable("GATEWAY_RECIPIENT_CHECK__SMP_REGIMES", REGIME)
        .variable("GATEWAY_RECIPIENT_CHECK__RETRY_AFTER_S", "1")
}

/// With the stand-in in the stead of a locator.
fn published() -> Options {
    looked_up().variable("GATEWAY_RECIPIENT_CHECK__SMP_URL", "sandbox")
}

/// A world whose workspace sends its documents through the network.
async fn world_with(engine: Engine, options: Options) -> World {
    let mut world = World::unconfigured(engine, options).await;
    let file = built_plugins().join(format!("{REGIME}.wasm"));
    world.gateway.cli(&["plugin", "install", file.to_str().unwrap(), "--activate"]).await.succeeded();
    let registry = world.api.get("/admin/plugins").await.expect(200);
    until_replicas_follow(&world, 1, &registry["generation"]).await;
    world.workspace = world.another_workspace(&SUPPLIER).await;
    let folder = tempfile::tempdir().unwrap();
    let settings = folder.path().join("settings.json");
    let payment = json!({"means": "credit-transfer+sepa", "iban": "BE68539007547034", "account_name": "One"});
    let configured = json!({"buyer_reference": "12345", "payment_terms": "In 10 days", "payment": payment});
    std::fs::write(&settings, configured.to_string()).unwrap();
    let id = world.workspace.to_string();
    let mut set = vec!["workspace", "e-invoicing", "set", "--workspace", &id, "--regime", REGIME];
    set.extend(["--company-id", COMPANY, "--workflow-id", WORKFLOW, "--token-file", "-", "--json"]);
    set.extend(["--settings", settings.to_str().unwrap()]);
    world.gateway.cli_with(&set, &[], PROVIDER_TOKEN).await.succeeded();
    world
}

/// A document for a company with this electronic address.
fn to(world: &World, inbox: &str) -> Document {
    let address =
        json!({"street": "Side street 1", "locality": "Vienna", "postcode": "1010", "country": "AT"});
    let recipient = json!({"type": "company", "name": "Client", "tax_number": "U10223006", "country": "AT",
        "address": address, "ext": {"inbox": inbox}});
    world
        .document()
        .with("recipient", recipient)
        .with("prices_include_tax", json!(false))
        .with("lines", json!([line("Night", "1", "100.00", "21.0")]))
}

/// What the network warns of in an answer.
fn warnings(answer: &Value) -> Vec<String> {
    let faults = answer["faults"].as_array().cloned().unwrap_or_default();
    let of_network = faults.iter().filter(|fault| fault["code"].as_str().unwrap().starts_with("PEPPOL-"));
    of_network
        .map(|fault| {
            assert_eq!((&fault["severity"], &fault["path"]), (&json!("warning"), &json!("/recipient")));
            fault["code"].as_str().unwrap().to_owned()
        })
        .collect()
}

async fn dry_run(world: &World, uuid: &str) -> Value {
    let path = format!("/finance/rpc/documents/{uuid}/commands/issue?dry_run=true");
    world.api.post(&path, &json!({})).await.expect(200)
}

/// Saves and issues a document, which nothing refuses; its id, and what it was warned of.
async fn issued(world: &World, inbox: &str) -> (String, Vec<String>) {
    let uuid = world.draft(&to(world, inbox)).await;
    let answer = world.command(&uuid, "issue", &json!({})).await.expect(200);
    (uuid, warnings(&answer))
}

/// What is kept with a document; null where nobody was looked up.
async fn kept(world: &World, uuid: &str) -> Value {
    let document = world.api.get(&format!("/finance/rpc/documents/{uuid}")).await.expect(200);
    document["participant_check"].clone()
}

async fn metric(world: &World, outcome: &str) -> u64 {
    let text = world.gateway.internal().get("/metrics").await.text;
    let name = format!("einvoicing_participant_checks_total{{outcome=\"{outcome}\"}} ");
    let line = text.lines().find_map(|line| line.strip_prefix(&name)).unwrap_or_else(|| panic!("{text}"));
    line.parse().unwrap()
}

#[tokio::test]
async fn whoever_receives_the_document_is_no_warning_and_not_asked_about_twice() {
    on_both(|engine| async move {
        let world = world_with(engine, published()).await;
        let (uuid, warned) = issued(&world, "9930:DE123456789").await;
        assert!(warned.is_empty(), "{warned:?}");
        let check = kept(&world, &uuid).await;
        assert_eq!(check["participant"], "iso6523-actorid-upis::9930:de123456789");
        assert!(check["document_type"].as_str().unwrap().contains("Invoice-2::Invoice##"), "{check}");
        assert_eq!(
            (&check["outcome"], &check["doubt"], &check["faults"]),
            (&json!("can_receive"), &Value::Null, &json!([]))
        );
        let (again, _) = issued(&world, "9930:de123456789").await;
        assert_eq!(
            kept(&world, &again).await["checked_at"],
            check["checked_at"],
            "the answer is young enough"
        );
        assert_eq!(metric(&world, "can_receive").await, 2);
        world.until(&uuid, "issued").await;
        assert_eq!(kept(&world, &uuid).await, check, "the authority's verdict changes nothing of it");

        let url = format!("{}/smp", world.gateway.sandbox().base());
        let stand_in = [("GATEWAY_RECIPIENT_CHECK__SMP_URL", url.as_str())];
        let command = ["--json", "recipient", "check", "9930:DE123456202"];
        let printed = world.gateway.cli_with(&command, &stand_in, "").await.succeeded().json();
        let outcomes = [&printed[0]["outcome"], &printed[1]["outcome"]];
        assert_eq!(outcomes, [&json!("can_receive"), &json!("other_documents")]);
        let browser = Browser::signed_in(world.gateway.internal().base(), &world.client).await;
        let page = browser.get(&format!("/console/invoices/{uuid}")).await;
        assert!(page.text.contains("9930:de123456789: receives invoices"), "{}", page.text);
    })
    .await;
}

#[tokio::test]
async fn a_dry_run_says_that_a_recipient_does_not_receive_the_document_and_it_is_issued_all_the_same() {
    on_both(|engine| async move {
        let world = world_with(engine, published()).await;
        for (inbox, code, outcome) in [
            ("9930:DE123456200", "PEPPOL-NOT-REGISTERED", "not_registered"),
            ("9930:DE123456201", "PEPPOL-DOCUMENT-TYPE", "other_documents"),
            ("9930:DE123456203", "PEPPOL-DOCUMENT-TYPE", "other_documents"),
        ] {
            let uuid = world.draft(&to(&world, inbox)).await;
            let trial = dry_run(&world, &uuid).await;
            assert_eq!((warnings(&trial), &trial["would_issue"]), (vec![code.to_owned()], &json!(true)));
            assert_eq!(kept(&world, &uuid).await, Value::Null, "nothing was done");
            let answer = world.command(&uuid, "issue", &json!({})).await.expect(200);
            assert_eq!(warnings(&answer), [code]);
            let check = kept(&world, &uuid).await;
            assert_eq!((&check["outcome"], &check["faults"][0]["code"]), (&json!(outcome), &json!(code)));
        }
        // One that the plugin refuses goes nowhere yet.
        let uuid = world.draft(&to(&world, "9999:1")).await;
        let trial = dry_run(&world, &uuid).await;
        assert!(warnings(&trial).is_empty() && trial["would_issue"] == json!(false), "{trial}");
    })
    .await;
}

#[tokio::test]
async fn a_credit_note_is_another_type_of_documents() {
    on_both(|engine| async move {
        let world = world_with(engine, published()).await;
        let (uuid, warned) = issued(&world, "9930:DE123456202").await;
        assert!(warned.is_empty(), "{warned:?}");
        let at = world.until(&uuid, "issued").await["issued_at"].clone();
        let credit = world.command(&uuid, "credit", &json!({"at": at})).await.expect(200);
        let note = credit["document"].clone();
        let trial = dry_run(&world, note["uuid"].as_str().unwrap()).await;
        assert_eq!(warnings(&trial), ["PEPPOL-DOCUMENT-TYPE"], "{trial}");
    })
    .await;
}

#[tokio::test]
async fn a_doubt_about_a_participant_is_a_warning_and_resolved_in_the_background() {
    on_both(|engine| async move {
        let world = world_with(engine, published()).await;
        // Away for whoever asks first.
        let (uuid, warned) = issued(&world, "9930:DE123456310").await;
        assert_eq!(warned, ["PEPPOL-UNKNOWN"]);
        let resolved = until("the check is completed", || async {
            let check = kept(&world, &uuid).await;
            (check["outcome"] == "can_receive").then_some(check)
        })
        .await;
        assert_eq!((&resolved["doubt"], &resolved["faults"]), (&Value::Null, &json!([])));
        let (page, warned) = issued(&world, "9930:DE123456400").await;
        assert_eq!(warned, ["PEPPOL-UNKNOWN"]);
        assert_eq!(kept(&world, &page).await["doubt"], "SMP_UNREADABLE");
    })
    .await;
}

#[tokio::test]
async fn a_publisher_that_does_not_answer_keeps_nobody_from_issuing() {
    on_both(|engine| async move {
        let options = published()
            .variable("GATEWAY_RECIPIENT_CHECK__TIMEOUT_MS", "200")
            .variable("GATEWAY_RECIPIENT_CHECK__RETRY_AFTER_S", "3600");
        let world = world_with(engine, options).await;
        let (uuid, warned) = issued(&world, "9930:DE123456320").await;
        assert_eq!(warned, ["PEPPOL-UNKNOWN"]);
        assert_eq!(kept(&world, &uuid).await["doubt"], "SMP_NO_ANSWER");
        world.until(&uuid, "issued").await;
        assert_eq!(metric(&world, "unknown").await, 1);
    })
    .await;
}

#[tokio::test]
async fn documents_of_other_tax_systems_and_gateways_without_a_network_look_nobody_up() {
    on_both(|engine| async move {
        let world = world_with(engine, Options::sandbox()).await;
        let (uuid, warned) = issued(&world, "9930:DE123456200").await;
        assert_eq!((kept(&world, &uuid).await, warned), (Value::Null, Vec::new()));
        let refused = world.gateway.cli(&["recipient", "check", "9930:DE123456200"]).await;
        assert_eq!(refused.code, 1);
        assert!(refused.stderr.contains("recipient_check.sml_zone"), "{}", refused.stderr);

        let world = World::with(engine, published()).await;
        let uuid = world.issue(&world.document()).await;
        assert_eq!(kept(&world, &uuid).await, Value::Null);
    })
    .await;
}

/// A name server that names this publisher for every participant, once there is one.
async fn name_server(publisher: Arc<OnceLock<String>>) -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(async move {
        let mut buffer = vec![0; 1500];
        loop {
            let (read, from) = socket.recv_from(&mut buffer).await.unwrap();
            let Some(publisher) = publisher.get() else { continue };
            socket.send_to(&answer(&buffer[..read], publisher), from).await.unwrap();
        }
    });
    address
}

/// The answer to a question for a U-NAPTR (RFC 1035, RFC 3403).
fn answer(question: &[u8], publisher: &str) -> Vec<u8> {
    let end_of_name = 12 + question[12..].iter().position(|byte| *byte == 0).unwrap() + 1;
    let (id, query) = (&question[..2], &question[12..end_of_name + 4]);
    assert_eq!(query[query.len() - 4..], [0, 35, 0, 1], "a NAPTR of the Internet");
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    let regexp = format!("!.*!{publisher}!");
    let data = [vec![0, 100, 0, 10], text("U"), text("Meta:SMP"), text(&regexp), vec![0]].concat();
    let length = u16::try_from(data.len()).unwrap().to_be_bytes();
    let head = [0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0];
    let record = [0xc0, 12, 0, 35, 0, 1, 0, 0, 0, 60];
    [id, &head, query, &record, &length, &data].concat()
}

#[tokio::test]
async fn the_locator_says_by_dns_who_publishes_what_a_participant_receives() {
    on_both(|engine| async move {
        let publisher = Arc::new(OnceLock::new());
        let server = name_server(Arc::clone(&publisher)).await;
        let options = looked_up()
            .variable("GATEWAY_RECIPIENT_CHECK__SML_ZONE", "sml.example.org")
            .variable("GATEWAY_RECIPIENT_CHECK__SML_SERVERS", &server.to_string())
            .variable("GATEWAY_RECIPIENT_CHECK__SMP_ALLOW_PRIVATE", "true");
        let world = world_with(engine, options).await;
        let stand_in = world.gateway.sandbox().base().to_owned();
        publisher.set(format!("{stand_in}/smp")).unwrap();
        let (uuid, warned) = issued(&world, "9930:DE123456789").await;
        assert_eq!(
            (kept(&world, &uuid).await["outcome"].as_str(), warned),
            (Some("can_receive"), Vec::new())
        );
        let (_, warned) = issued(&world, "9930:DE123456200").await;
        assert_eq!(warned, ["PEPPOL-NOT-REGISTERED"]);
    })
    .await;
}

#[tokio::test]
async fn a_locator_that_does_not_answer_keeps_nobody_from_issuing() {
    on_both(|engine| async move {
        let server = name_server(Arc::new(OnceLock::new())).await;
        let options = looked_up()
            .variable("GATEWAY_RECIPIENT_CHECK__SML_ZONE", "sml.example.org")
            .variable("GATEWAY_RECIPIENT_CHECK__SML_SERVERS", &server.to_string())
            .variable("GATEWAY_RECIPIENT_CHECK__TIMEOUT_MS", "500")
            .variable("GATEWAY_RECIPIENT_CHECK__RETRY_AFTER_S", "3600");
        let world = world_with(engine, options).await;
        let (silent, warned) = issued(&world, "9930:DE123456788").await;
        assert_eq!(warned, ["PEPPOL-UNKNOWN"]);
        assert_eq!(kept(&world, &silent).await["doubt"], "SML_NO_ANSWER");
        world.until(&silent, "issued").await;
    })
    .await;
}

#[tokio::test]
async fn a_publisher_inside_is_not_called() {
    on_both(|engine| async move {
        let publisher = Arc::new(OnceLock::from("https://127.0.0.1:9/smp".to_owned()));
        let server = name_server(publisher).await;
        let options = looked_up()
            .variable("GATEWAY_RECIPIENT_CHECK__SML_ZONE", "sml.example.org")
            .variable("GATEWAY_RECIPIENT_CHECK__SML_SERVERS", &server.to_string())
            .variable("GATEWAY_RECIPIENT_CHECK__RETRY_AFTER_S", "3600");
        let world = world_with(engine, options).await;
        let (uuid, warned) = issued(&world, "9930:DE123456789").await;
        assert_eq!(warned, ["PEPPOL-UNKNOWN"]);
        assert_eq!(kept(&world, &uuid).await["doubt"], "SMP_ADDRESS_REFUSED");
    })
    .await;
}
