//! Whatever is sent, no answer has the words of a library or of the system: each says in the gateway's own what to do instead.

use crate::platform::{Platform, booking, unit};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use gateway_tests::{Api, Engine, Options, World, until};
use serde_json::{Value, json};

/// Pieces of sentences of serde, jiff, uuid, url, sqlx, jsonschema, async-graphql, clap, reqwest, hyper, rustls and the standard library.
const WORDS_OF_LIBRARIES: [&str; 45] = [
    "UUID parsing",
    "invalid type",
    "invalid digit",
    "invalid character",
    "invalid length",
    "relative URL",
    "socket address syntax",
    "missing field",
    "unknown field",
    "unknown variant",
    "expected value",
    "EOF while",
    "failed to parse",
    "parse error",
    "parsed date",
    "error returned from",
    "os error",
    "target type",
    "is not of type",
    "Additional properties",
    "formatted UUID",
    "date string",
    "Invalid value for argument",
    "valid UTF-8",
    "error sending request",
    "tcp connect",
    "dns error",
    "lookup address",
    "client error",
    "corrupt message",
    "Connection refused",
    "unexpected argument",
    "unrecognized subcommand",
    "were not provided",
    "possible values",
    "a value is required",
    "cannot be used with",
    "a similar",
    "Operation name required",
    "Unknown operation",
    "not configured for",
    "invalid port",
    "Entity not found",
    "must be an existing string",
    "out of bounds",
];

pub(crate) fn assert_own_words(what: &str, text: &str) {
    for words in WORDS_OF_LIBRARIES {
        assert!(!text.contains(words), "{what}: {text}");
    }
}

/// The answer is a refusal in our words.
async fn assert_refused_in_own_words(
    api: &Api,
    method: &str,
    path: &str,
    more: &[(&str, &str)],
    body: &[u8],
) {
    let mut headers = vec![("content-type", "application/json")];
    headers.extend(more);
    let answer = api.send(method, path, &headers, Some(body.to_vec())).await;
    let is_graphql = path == "/v1" && answer.text.contains("\"errors\"");
    assert!((400..500).contains(&answer.status) || is_graphql, "{method} {path}: {answer:?}");
    assert_own_words(&format!("{method} {path} {}", String::from_utf8_lossy(body)), &answer.text);
}

async fn assert_json_refused_in_own_words(
    api: &Api,
    method: &str,
    path: &str,
    more: &[(&str, &str)],
    body: &Value,
) {
    assert_refused_in_own_words(api, method, path, more, body.to_string().as_bytes()).await;
}

const ID: &str = "0197f4f2-0000-7000-8000-000000000001";

#[tokio::test]
async fn refusals_of_the_internal_apis_have_no_words_of_a_library() {
    let platform = Platform::start(Engine::Sqlite).await;
    let admin = platform.internal(&["*"]).await;
    let document = format!("/invoicing/rpc/documents/{ID}");
    for body in [b"{\"a\":".as_slice(), b"\xff", b"[]", b"5"] {
        assert_refused_in_own_words(&admin, "PUT", &document, &[], body).await;
    }
    let everything = json!({"workspace_id": "1", "document_type": "x", "currency": 5, "booking_id": "x",
        "issue_date": "y", "operation_date": 5, "prices_include_tax": "no", "recipient": {"type": "x"},
        "lines": [{"description": 5, "quantity": "a", "unit_price": 1.5, "tax": {"category": 5, "rate": "x%"},
            "period": {"start": "x", "end": 5}}],
        "retentions": {}, "referenced_document_ids": ["x"], "payment": {"due_date": "x"}});
    assert_json_refused_in_own_words(&admin, "PUT", &document, &[], &everything).await;
    let commands = format!("/finance/rpc/documents/{ID}/commands");
    let configuration = "/admin/workspaces/1/e-invoicing";
    for (method, path, body) in [
        ("POST", format!("{commands}/issue"), json!({"at": "x"})),
        ("POST", format!("{commands}/credit"), json!({"at": "2026-13-01T00:00:00Z", "lines": [{"x": 1}]})),
        ("POST", format!("{commands}/refund"), json!({"at": 5, "amount": 1.5})),
        ("POST", format!("{commands}/add_transaction"), json!({"transaction_id": 5, "line": {}})),
        (
            "POST",
            format!("{commands}/mark_as_accepted_by_tax_authority"),
            json!({"qr_url": 5, "accepted_at": "y"}),
        ),
        ("POST", "/finance/rpc/submissions/x/retry".to_owned(), json!({})),
        ("POST", "/admin/clients".to_owned(), json!({"name": 5, "permissions": ["x"], "workspaces": [1.5]})),
        ("POST", "/admin/clients/x/disable".to_owned(), json!({})),
        (
            "PATCH",
            "/admin/workspaces/1".to_owned(),
            json!({"next_number": 1.5, "time_zone": "x", "address": []}),
        ),
        ("POST", "/admin/plugins/x/activate".to_owned(), json!({})),
        ("POST", "/admin/submissions/retry".to_owned(), json!({"workspace_id": "x"})),
        (
            "PUT",
            configuration.to_owned(),
            json!({"regime": "ES", "company_id": "x", "workflow_id": "y", "settings": []}),
        ),
    ] {
        assert_json_refused_in_own_words(&admin, method, &path, &[], &body).await;
    }
    for path in [
        "/invoicing/rpc/documents?workspace_id=x",
        "/invoicing/rpc/documents?workspace_id=1&first=x",
        "/invoicing/rpc/documents?workspace_id=1&updated_after=x",
        "/invoicing/rpc/documents/export?workspace_id=1&from=2026-02-31",
        "/invoicing/rpc/events?after=x",
        "/invoicing/rpc/documents/x",
        "/finance/rpc/bookings/x/documents",
        "/admin/submissions?limit=x",
        "/admin/audit?after=x",
    ] {
        assert_refused_in_own_words(&admin, "GET", path, &[], b"").await;
    }
    let wasm = [("content-type", "application/wasm")];
    let whole = std::fs::read(gateway_tests::built_plugins().join("it-sdi.wasm")).unwrap();
    for damaged in [&whole[..100_000], &[&whole[..200], &[0xee; 50], &whole[250..]].concat()] {
        let answer = admin.send("POST", "/admin/plugins", &wasm, Some(damaged.to_vec())).await;
        assert!(answer.text.contains("it is damaged"), "{answer:?}");
        assert_own_words("a damaged plugin", &answer.text);
    }
    let answer = admin.send("POST", "/admin/plugins", &wasm, Some(b"junk".to_vec())).await;
    let said = answer.expect(422)["errors"][0]["message"].as_str().unwrap().to_owned();
    assert!(said.starts_with("the plugin in the upload is refused: it is no WebAssembly"), "{said}");
}

#[tokio::test]
async fn refusals_of_the_public_apis_have_no_words_of_a_library() {
    let platform = Platform::start(Engine::Sqlite).await;
    let api = &platform.api;
    for body in [b"{\"query\":".as_slice(), b"\xff", b"[]"] {
        assert_refused_in_own_words(api, "POST", "/v1", &[], body).await;
    }
    let stay = |kind: &str, value: &str| {
        format!(
            "query($a: {kind}) {{ bookings {{ checkUnitAvailability(unitId: \"x\", productId: \"x\", startDate: {value}, endDate: {value}) {{ status }} }} }}"
        )
    };
    let replay = |value: &str| {
        format!(
            "mutation($a: ISO8601DateTime) {{ webhooks {{ replay(input: {{webhookId: \"x\", from: {value}}}) {{ replayedCount }} }} }}"
        )
    };
    for (query, a) in [
        (stay("ISO8601Date!", "$a"), json!("x")),
        (stay("ISO8601Date!", "$a"), json!(5)),
        (stay("Int", "\"2026-02-31\""), json!(null)),
        (replay("$a"), json!("yesterday")),
        (replay("$a"), json!(5)),
        (replay("\"yesterday\""), json!(null)),
        ("query($a: Int!) { spaces { units(first: $a) { totalCount } } }".to_owned(), json!(1.5)),
        ("query($a: ID!) { spaces { units(filters: {workspaceId: $a}) { totalCount } } }".to_owned(), json!("x")),
        ("mutation($a: CreateProductGroupMutationInput!) { catalog { productGroup { create(input: $a) { id } } } }".to_owned(), json!({"productGroup": {"internalReference": 5}})),
        ("{ spaces {".to_owned(), json!(null)),
        ("{ __type(name: 5) { name } }".to_owned(), json!(null)),
        ("{ _entities(representations: [{__typename: \"Nope\", id: \"1\"}, {id: \"1\"}, 5, {__typename: \"Unit\"}]) { __typename } }".to_owned(), json!(null)),
    ] {
        assert_json_refused_in_own_words(api, "POST", "/v1", &[], &json!({"query": query, "variables": {"a": a}})).await;
    }
    for (path, body) in [
        ("/v1/webhooks", json!({"workspace_id": "x", "notification_url": "x"})),
        ("/v1/oauth2/token", json!({"grant_type": 5})),
        (
            "/v1/oauth2/token",
            json!({"grant_type": "client_credentials", "client_id": 5, "client_secret": [], "act": 5}),
        ),
    ] {
        assert_json_refused_in_own_words(api, "POST", path, &[], &body).await;
    }

    let older = platform.credentials(&["legacy"], &["1"]).await;
    let basic = format!("Basic {}", STANDARD.encode(format!("{}:{}", older.id, older.secret)));
    let signed = [("authorization", basic.as_str()), ("xx-subscription-portal-id", "1")];
    let open = platform.gateway.public();
    for path in [
        "/api/dev/properties?perPage=x".to_owned(),
        "/api/dev/properties?last_modified=x".to_owned(),
        "/api/dev/properties/x".to_owned(),
        format!("/api/dev/properties/{}/calendar?start_date=x&end_date=2026-02-31", unit(0)),
    ] {
        assert_refused_in_own_words(&open, "GET", &path, &signed, b"").await;
    }
    for (method, path, body) in [
        (
            "POST",
            format!("/api/dev/properties/{}/rates", unit(0)),
            json!([{"start_date": "x", "end_date": 5, "min_night_stay": "x", "price": 1.5}]),
        ),
        (
            "PATCH",
            format!("/api/dev/bookings/{}/guest_verification", booking(0)),
            json!({"guest_verification": {"source": 5, "guest": [], "status": "GONE"}}),
        ),
        ("POST", "/api/dev/webhook_registrations".to_owned(), json!({"notification_url": "http://[::1"})),
        ("POST", format!("/api/dev/webhook_registrations/{ID}/replay"), json!({"from": "x"})),
    ] {
        assert_json_refused_in_own_words(&open, method, &path, &signed, &body).await;
    }
}

#[tokio::test]
async fn refusals_of_operations_that_cannot_run_have_no_words_of_a_library() {
    let platform = Platform::start(Engine::Sqlite).await;
    let api = &platform.api;
    for (query, name) in [
        ("query A { whoami { id } } query B { whoami { id } }", json!(null)),
        ("query A { whoami { id } }", json!("C")),
        ("{ whoami { id } }", json!("C")),
        ("subscription { whoami { id } }", json!(null)),
    ] {
        assert_json_refused_in_own_words(
            api,
            "POST",
            "/v1",
            &[],
            &json!({"query": query, "operationName": name}),
        )
        .await;
    }
}

#[tokio::test]
async fn refusals_of_the_command_line_have_no_words_of_a_library() {
    let gateway = gateway_tests::Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let file = |name: &str, content: &[u8]| {
        let path = gateway.folder().join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (latin, broken) = (file("latin", b"\xff"), file("broken.json", b"{\"a\":}"));
    let lines = "{\"kind\":\"unit\",\"id\":\"x\"}\n{\n{\"kind\":\"booking\",\"id\":\"x\",\"check_in\":\"yesterday\",\"check_out\":\"2026-02-31\"}\n{\"kind\":\"task\",\"start_time\":\"noon\"}\n";
    let lines = file("lines.ndjson", lines.as_bytes());
    let (toml, junk) = (file("own.toml", b"[server]\nx\n"), file("junk.db", &[0x5a; 5000]));
    let of_junk = file("junk.toml", format!("[database]\nurl = \"sqlite:{junk}\"\n").as_bytes());
    let configure = ["workspace", "e-invoicing", "set", "--workspace", "1", "--regime", "es-verifactu"];
    let configure =
        [configure.as_slice(), &["--company-id", ID, "--workflow-id", ID, "--token-file"]].concat();
    let with = |more: &[&str]| {
        [configure.as_slice(), more].concat().iter().map(|text| (*text).to_owned()).collect::<Vec<_>>()
    };
    let typed = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    for arguments in [
        with(&["/nowhere"]),
        with(&[&latin]),
        with(&[&broken, "--settings", &broken]),
        typed("client show x"),
        typed("webhook enable x"),
        typed("workspace set --workspace 1 --next-number x"),
        typed("submission list --limit x"),
        typed("plugin inspect /nowhere"),
        typed("plugin install /nowhere"),
        typed("plugin sign /nowhere --key /nowhere"),
        typed("plugin watch --into x --token-file x"),
        typed("import /nowhere"),
        typed(&format!("import {lines}")),
        typed(&format!("import {latin}")),
        typed(&format!("config check --config {toml}")),
        typed(&format!("config check --config {latin}")),
        typed("config check --config /nowhere"),
        typed("clent list"),
        typed("client list --jsn"),
        typed("client list more"),
        typed("client show"),
        typed("client list --json=yes"),
        typed("submission list --limit"),
        typed("submission list --limit 1 --limit 2"),
        typed("plugin new xx-demo --lang rst"),
        typed("plugin watch --into http://x --drop x"),
    ] {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ran = gateway.cli(&arguments).await;
        assert_ne!(ran.code, 0, "{arguments:?}: {ran:?}");
        assert_own_words(&format!("{arguments:?}"), &format!("{}{}", ran.stdout, ran.stderr));
    }
    let variables = [("GATEWAY_DATABASE__URL", "")];
    let ran = gateway.cli_with(&["client", "list", "--config", &of_junk], &variables, "").await;
    assert_own_words("a database that is none", &ran.stderr);
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    for url in [
        "postgres://u:p@127.0.0.1:notaport/x".to_owned(),
        format!("postgres://u:p@{free}/x"),
        "postgres://u:p@nowhere.invalid/x".to_owned(),
        "postgres:///x?host=/nowhere".to_owned(),
        "postgres://u@127.0.0.1/x?foo=bar".to_owned(),
        "sqlite:x.db?foo=1".to_owned(),
        "sqlite:/dev/null".to_owned(),
    ] {
        let ran = gateway.cli_with(&["client", "list"], &[("GATEWAY_DATABASE__URL", &url)], "").await;
        assert_eq!(ran.code, 1, "{url}: {ran:?}");
        assert_own_words(&url, &ran.stderr);
    }
}

#[tokio::test]
async fn a_provider_that_is_not_reached_is_reported_without_words_of_a_library() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let world = World::with(Engine::Sqlite, Options::provider(&format!("http://{free}"))).await;
    let uuid = world.issue(&world.document()).await;
    until("the provider was tried", || async {
        world.submission(&uuid).await.to_string().contains("nobody listens there").then_some(())
    })
    .await;
    let output = world.gateway.cli(&["submission", "show", &uuid]).await.succeeded().stdout.clone();
    assert!(output.contains("nobody listens there"), "{output}");
    assert_own_words("submission show", &output);
    assert_own_words("the submission", &world.submission(&uuid).await.to_string());
    let doctor = world.gateway.cli(&["doctor"]).await;
    assert!(
        doctor.stdout.contains(&format!("http://{free}/utils/v1/ping did not answer (nobody listens there)")),
        "{doctor:?}"
    );
    assert_own_words("doctor", &format!("{}{}", doctor.stdout, doctor.stderr));
}
