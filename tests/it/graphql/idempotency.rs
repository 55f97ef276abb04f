//! `Idempotency-Key` of mutations: carried out once, answered alike, and never carried out twice.

use super::requests::{ask, codes, data_of};
use crate::platform::{Platform, conversation, plan};
use gateway_storage::{Db, testing};
use gateway_tests::{Answer, Api, Credentials, Engine, Options, grants, on_both, with_fail_points};
use serde_json::{Value, json};

async fn send_with_key(api: &Api, key: &str, body: &Value) -> Answer {
    let headers = [("content-type", "application/json"), ("idempotency-key", key)];
    api.send("POST", "/v1", &headers, Some(body.to_string().into_bytes())).await
}

/// What a refusal with this status says to a program: its kind, and what exactly.
fn refusal(answer: &Answer, status: u16) -> [String; 2] {
    let error = answer.expect(status)["errors"][0]["extensions"].clone();
    ["code", "reason"].map(|name| error[name].as_str().unwrap_or_default().to_owned())
}

fn is_replayed(answer: &Answer) -> bool {
    answer.header("idempotency-replayed") == "true"
}

const DATES: &str = "contractEarliestStartDate: \"2026-09-01\", contractLatestStartDate: \"2026-10-01\", \
                     contractEarliestEndDate: \"2027-06-01\", contractLatestEndDate: \"2027-08-31\"";

fn create(reference: &str) -> Value {
    let query = format!(
        "mutation {{ catalog {{ productGroup {{ create(input: {{productGroup: {{internalReference: \"{reference}\", \
         workspaceId: \"1\", academicYear: \"2026/2027\", {DATES}}}}}) {{ id internalReference }} }} }} }}"
    );
    json!({"query": query})
}

fn send(text: &str) -> String {
    let conversation = conversation(0);
    format!(
        "conversations {{ sendMessage(input: {{conversationId: \"{conversation}\", message: \"{text}\"}}) \
         {{ message {{ id }} }} }}"
    )
}

async fn groups(api: &Api) -> i64 {
    let found = data_of(api, "{ catalog { productGroups { totalCount } } }").await;
    found["catalog"]["productGroups"]["totalCount"].as_i64().unwrap()
}

async fn messages(api: &Api) -> i64 {
    let query = format!(
        "{{ bookings {{ conversation(id: \"{}\") {{ messages {{ totalCount }} }} }} }}",
        conversation(0)
    );
    data_of(api, &query).await["bookings"]["conversation"]["messages"]["totalCount"].as_i64().unwrap()
}

#[tokio::test]
async fn a_repeated_mutation_is_answered_alike_and_carried_out_once() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let api = &platform.api;
        let tariffs = json!({"query": format!(
            "mutation {{ spaces {{ batchUpdateTariffs(input: {{tariffs: [{{ratePlanId: \"{}\", startDate: \
             \"2027-01-01\", endDate: \"2027-01-31\", price: \"89.90\"}}]}}) {{ updatedCount tariffs {{ id }} }} }} }}",
            plan(0)
        )});
        let message = json!({"query": format!("mutation {{ {} }}", send("Hello"))});
        let before = (groups(api).await, messages(api).await);
        for (key, body) in [("group", create("A")), ("tariffs", tariffs), ("message", message)] {
            let first = send_with_key(api, key, &body).await;
            assert!(first.expect(200).get("errors").is_none() && !is_replayed(&first), "{first:?}");
            for _ in 0..2 {
                let again = send_with_key(api, key, &body).await;
                assert_eq!((again.status, &again.text), (200, &first.text), "{key}");
                assert!(is_replayed(&again), "{again:?}");
                assert_eq!(again.header("content-type"), first.header("content-type"));
            }
        }
        assert_eq!((groups(api).await, messages(api).await), (before.0 + 1, before.1 + 1));
        assert_ne!(
            send_with_key(api, "another key", &create("A")).await.text,
            send_with_key(api, "group", &create("A")).await.text,
            "another key is another request"
        );
    })
    .await;
}

#[tokio::test]
async fn the_same_key_with_another_content_is_refused() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let api = &platform.api;
        let one = format!("one: {}", send("one"));
        let two = format!("two: {}", send("two").replacen(" {", " @include(if: $two) {", 1));
        let operation = |name: &str| format!("mutation {name}($two: Boolean!) {{ {one} {two} }}");
        let document = format!("{} {}", operation("A"), operation("B"));
        let body = |operation: &str, two: bool| {
            json!({"query": document, "operationName": operation, "variables": {"two": two}})
        };
        let first = send_with_key(api, "k", &body("A", false)).await;
        assert!(first.expect(200).get("errors").is_none(), "{first:?}");
        let sent = messages(api).await;
        let others = [body("B", false), body("A", true), create("A"), json!({"query": format!("mutation {{ {} }}", send("one"))})];
        for other in others {
            let refused = send_with_key(api, "k", &other).await;
            assert_eq!(refusal(&refused, 409), ["CONFLICT", "idempotencyKeyReused"], "{other}");
            assert!(!is_replayed(&refused) && refused.json().get("data").is_none());
        }
        assert_eq!(messages(api).await, sent, "nothing of it was carried out");
        // The order of members and the space between them say nothing.
        let spaced = format!(
            "{{ \"variables\" : {{\"two\": false}},\n \"operationName\": \"A\", \"query\": {} }}",
            json!(document)
        );
        let headers = [("content-type", "application/json"), ("idempotency-key", "k")];
        let again = api.send("POST", "/v1", &headers, Some(spaced.into_bytes())).await;
        assert_eq!((again.status, &again.text), (200, &first.text));
    })
    .await;
}

#[tokio::test]
async fn one_of_many_equal_concurrent_mutations_is_carried_out() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let before = groups(&platform.api).await;
        let body = create("A");
        let answers =
            futures::future::join_all((0..10).map(|_| send_with_key(&platform.api, "k", &body))).await;
        assert_eq!(answers.iter().filter(|answer| !is_replayed(answer)).count(), 1);
        for answer in &answers {
            assert_eq!((answer.status, &answer.text), (200, &answers[0].text));
        }
        assert_eq!(groups(&platform.api).await, before + 1);
    })
    .await;
}

#[tokio::test]
async fn keys_belong_to_a_client_and_to_graphql() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let other = platform.client(&["catalog.write"], &["1"]).await;
        let mine = send_with_key(&platform.api, "k", &create("A")).await;
        let theirs = send_with_key(&other, "k", &create("A")).await;
        assert!(!is_replayed(&theirs), "{theirs:?}");
        assert_ne!(theirs.text, mine.text);

        let internal = platform.gateway.internal().with_token(platform.api.token());
        let uuid = gateway_tests::fresh_uuid();
        let path = format!("/invoicing/rpc/documents/{uuid}");
        internal.put(&path, gateway_tests::Document::of(1).json()).await.expect(201);
        let headers = [("content-type", "application/json"), ("idempotency-key", "k")];
        let issuing = internal.send("PUT", &format!("{path}/issuing"), &headers, Some(Vec::new())).await;
        assert!(!is_replayed(&issuing) && issuing.expect(200)["uuid"] == uuid, "{issuing:?}");
        assert_eq!(send_with_key(&platform.api, "k", &create("A")).await.text, mine.text);
    })
    .await;
}

#[tokio::test]
async fn the_key_of_a_mutation_that_changed_nothing_may_be_used_again() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let api = &platform.api;
        let reader = platform.client(&["catalog.read"], &["1"]).await;
        let before = groups(api).await;
        let late = create("A")["query"].as_str().unwrap().replace("2026-10-01", "2026-08-01");
        let foreign =
            create("A")["query"].as_str().unwrap().replace("workspaceId: \"1\"", "workspaceId: \"99\"");
        for (refused, errors) in [
            // Of a rule, of something unknown, of the schema, of the inputs, of the syntax, of a limit.
            (late, &["BAD_USER_INPUT catalog.productGroup.create"][..]),
            (foreign, &["NOT_FOUND catalog.productGroup.create"]),
            ("mutation { catalog { nothing } }".to_owned(), &["BAD_USER_INPUT"]),
            ("mutation($a: Int!) { catalog { __typename } }".to_owned(), &["BAD_USER_INPUT"]),
            ("mutation {".to_owned(), &["BAD_USER_INPUT"]),
            (format!("mutation {{ {} }}", "a{".repeat(60)), &["QUERY_TOO_COMPLEX"]),
        ] {
            let answer = send_with_key(api, "k", &json!({"query": refused})).await;
            assert_eq!(codes(&answer.expect(200)), errors, "{refused}");
        }
        let forbidden = send_with_key(&reader, "k", &create("A")).await;
        assert_eq!(codes(&forbidden.expect(200)), ["FORBIDDEN catalog.productGroup.create"]);
        let mended = send_with_key(api, "k", &create("A")).await;
        assert!(mended.expect(200).get("errors").is_none() && !is_replayed(&mended), "{mended:?}");
        assert!(is_replayed(&send_with_key(api, "k", &create("A")).await));
        assert_eq!(groups(api).await, before + 1);
    })
    .await;
}

#[tokio::test]
async fn an_answer_with_a_change_and_a_mistake_is_kept_whole() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let api = &platform.api;
        let sent = messages(api).await;
        let group = create("A")["query"].as_str().unwrap().replace("2026-10-01", "2026-08-01");
        let inner = group.strip_prefix("mutation {").unwrap().strip_suffix('}').unwrap();
        let body = json!({"query": format!("mutation {{ {} {inner} }}", send("Hello"))});
        let first = send_with_key(api, "k", &body).await;
        assert_eq!(codes(&first.expect(200)), ["BAD_USER_INPUT catalog.productGroup.create"]);
        let again = send_with_key(api, "k", &body).await;
        assert_eq!(again.text, first.text, "the request id of the first is in it too");
        assert_eq!(messages(api).await, sent + 1);
        // The form is what this request prefers; the text is the same.
        let form = "application/graphql-response+json";
        let headers = [("content-type", "application/json"), ("idempotency-key", "k"), ("accept", form)];
        let again = api.send("POST", "/v1", &headers, Some(body.to_string().into_bytes())).await;
        assert_eq!((again.status, &again.text), (200, &first.text));
        assert!(again.header("content-type").starts_with(form));
    })
    .await;
}

#[tokio::test]
async fn a_secret_is_repeated_and_kept_sealed() {
    on_both(|engine| async move {
        let options = Options::default().variable("GATEWAY_WEBHOOKS__ALLOW_PRIVATE", "true");
        let platform = Platform::with(engine, options).await;
        let client = platform.client(&["webhooks.write"], &["1"]).await;
        let change = |field: &str, input: &str| {
            let query = format!(
                "mutation {{ webhooks {{ {field}(input: {{{input}}}) {{ secret webhook {{ id }} }} }} }}"
            );
            json!({"query": query})
        };
        let register = change("register", "notificationUrl: \"http://127.0.0.1:9/\"");
        let made = send_with_key(&client, "register", &register).await;
        let id = made.expect(200)["data"]["webhooks"]["register"]["webhook"]["id"].clone();
        let rotate = change("rotateSecret", &format!("webhookId: {id}"));
        let rotated = send_with_key(&client, "rotate", &rotate).await;
        let secret = |answer: &Answer, field: &str| {
            answer.expect(200)["data"]["webhooks"][field]["secret"].as_str().unwrap().to_owned()
        };
        let secrets = [secret(&made, "register"), secret(&rotated, "rotateSecret")];
        assert_ne!(secrets[0], secrets[1]);
        assert_eq!(send_with_key(&client, "register", &register).await.text, made.text);
        assert_eq!(send_with_key(&client, "rotate", &rotate).await.text, rotated.text, "it is rotated once");

        let db = Db::connect(&platform.gateway.database_url(), &gateway_storage::Options::default())
            .await
            .unwrap();
        let kept = testing::stored_answers(&db).await;
        assert_eq!(kept.len(), 2);
        for text in kept {
            assert!(!text.contains("whsec_") && !text.contains("secret"), "{text}");
            assert!(secrets.iter().all(|secret| !text.contains(secret)), "{text}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_query_needs_no_key_and_a_mutation_needs_a_good_one() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let api = &platform.api;
        let before = groups(api).await;
        let query = json!({"query": "{ catalog { productGroups { totalCount } } }"});
        for _ in 0..2 {
            let answer = send_with_key(api, "k", &query).await;
            assert!(answer.expect(200).get("errors").is_none() && !is_replayed(&answer), "{answer:?}");
        }
        let both = json!({"query": format!("query Read {{ __typename }} mutation Write {{ {} }}", send("Hello")),
            "operationName": "Read"});
        for _ in 0..2 {
            assert!(!is_replayed(&send_with_key(api, "k", &both).await), "the operation that runs is a query");
        }
        for key in ["", "ñ", &"k".repeat(256)] {
            for body in [&create("A"), &query] {
                let refused = send_with_key(api, key, body).await;
                assert_eq!(refusal(&refused, 400), ["BAD_USER_INPUT", "idempotencyKeyInvalid"], "{key}");
            }
        }
        let twice = [("content-type", "application/json"), ("idempotency-key", "k"), ("idempotency-key", "l")];
        let refused = api.send("POST", "/v1", &twice, Some(create("A").to_string().into_bytes())).await;
        assert_eq!(refusal(&refused, 400), ["BAD_USER_INPUT", "givenTwice"]);
        assert_eq!(groups(api).await, before);
        send_with_key(api, &"k".repeat(255), &create("A")).await.expect(200);
        send_with_key(api, "k", &create("A")).await.expect(200);
        assert_eq!(groups(api).await, before + 2);
        assert!(ask(api, "{ __typename }").await.expect(200).get("errors").is_none());
    })
    .await;
}

/// A gateway whose clock a test steps, and a client that may do everything.
struct CrashingPlatform {
    platform: Platform,
    credentials: Credentials,
    clock: tempfile::TempDir,
}

impl CrashingPlatform {
    async fn start(engine: Engine) -> Self {
        with_fail_points();
        let clock = tempfile::tempdir().unwrap();
        let file = clock.path().join("offset").display().to_string();
        let platform =
            Platform::with(engine, Options::default().variable("GATEWAY_TEST_CLOCK_FILE", &file)).await;
        let credentials =
            Credentials::of_new_client(&platform.gateway, "mortal", &grants(&["*"], &["*"])).await;
        Self { platform, credentials, clock }
    }

    async fn api(&self) -> Api {
        self.credentials.sign_in(&self.platform.gateway.public()).await
    }

    /// Ends at this point of a request, which gets no answer, and serves again.
    async fn crash_at(&mut self, point: &str, key: &str, body: &Value) {
        self.restart(Some(point)).await;
        let headers = [("content-type", "application/json"), ("idempotency-key", key)];
        let sent =
            self.api().await.try_send("POST", "/v1", &headers, Some(body.to_string().into_bytes())).await;
        assert!(sent.is_err(), "it died: {sent:?}");
        self.restart(None).await;
    }

    async fn restart(&mut self, point: Option<&str>) {
        self.platform.gateway.kill9();
        self.platform.gateway.die_at(point);
        self.platform.gateway.serve().await;
    }

    fn step_clock(&self, seconds: i64) {
        let fresh = self.clock.path().join("fresh");
        std::fs::write(&fresh, seconds.to_string()).unwrap();
        std::fs::rename(fresh, self.clock.path().join("offset")).unwrap();
    }
}

#[tokio::test]
async fn a_mutation_whose_answer_was_lost_is_never_carried_out_again() {
    on_both(|engine| async move {
        let mut crashing = CrashingPlatform::start(engine).await;
        let before = groups(&crashing.api().await).await;
        // Nobody can tell these apart: the key is claimed, and there is no answer.
        let points = [
            ("before-product-group-created", 0),
            ("after-product-group-created", 1),
            ("before-request-answered", 1),
        ];
        let mut made = 0;
        for (point, more) in points {
            crashing.crash_at(point, point, &create(point)).await;
            made += more;
            assert_eq!(groups(&crashing.api().await).await, before + made, "{point}");
        }
        let api = crashing.api().await;
        let [first, ..] = points;
        let refused = send_with_key(&api, first.0, &create(first.0)).await;
        assert_eq!(
            refusal(&refused, 409),
            ["CONFLICT", "requestInProgress"],
            "it may be on its way elsewhere"
        );
        crashing.step_clock(120);
        let api = crashing.api().await;
        for (point, _) in points {
            let refused = send_with_key(&api, point, &create(point)).await;
            assert_eq!(refusal(&refused, 409), ["CONFLICT", "answerNotKept"], "{point}");
            assert!(refused.text.contains("new key"), "{refused:?}");
            let refused = send_with_key(&api, point, &create("other")).await;
            assert_eq!(refusal(&refused, 409), ["CONFLICT", "idempotencyKeyReused"], "{point}");
        }
        assert_eq!(groups(&api).await, before + made);

        // Without a claim nothing was done, and behind the answer everything is known.
        crashing.step_clock(0);
        crashing.crash_at("before-request-claimed", "unclaimed", &create("B")).await;
        crashing.crash_at("after-request-answered", "answered", &create("C")).await;
        let api = crashing.api().await;
        assert!(!is_replayed(&send_with_key(&api, "unclaimed", &create("B")).await));
        let repeated = send_with_key(&api, "answered", &create("C")).await;
        assert!(is_replayed(&repeated) && repeated.text.contains("\"C\""), "{repeated:?}");
        assert_eq!(groups(&api).await, before + made + 2);
    })
    .await;
}

#[tokio::test]
async fn keys_are_remembered_for_a_week() {
    on_both(|engine| async move {
        let mut crashing = CrashingPlatform::start(engine).await;
        let first = send_with_key(&crashing.api().await, "k", &create("A")).await;
        crashing.step_clock(6 * 86_400);
        crashing.restart(None).await;
        let again = send_with_key(&crashing.api().await, "k", &create("A")).await;
        assert_eq!(again.text, first.text);
        crashing.step_clock(8 * 86_400);
        let later = send_with_key(&crashing.api().await, "k", &create("A")).await;
        assert!(!is_replayed(&later) && later.text != first.text, "{later:?}");
    })
    .await;
}
