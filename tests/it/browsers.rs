//! Pages of other origins that call the gateway, and the page of its own that asks for a token.

use gateway_tests::{Answer, Api, Engine, Gateway, Options};

const APP: &str = "https://app.example";

/// What a browser asks before a page of this origin may send JSON with a token.
async fn preflight(api: &Api, origin: &str, path: &str) -> Answer {
    let headers = [
        ("origin", origin),
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "authorization,content-type,idempotency-key"),
    ];
    Api::new(api.base()).send("OPTIONS", path, &headers, None).await
}

async fn read_from(api: &Api, origin: &str, path: &str) -> Answer {
    Api::new(api.base()).send("GET", path, &[("origin", origin)], None).await
}

/// Everything that a listener says about pages of other origins.
fn allowances(answer: &Answer) -> Vec<String> {
    let mut said: Vec<_> = answer
        .headers
        .iter()
        .filter(|(name, _)| name.as_str().starts_with("access-control-"))
        .map(|(name, value)| format!("{name}: {}", value.to_str().unwrap()))
        .collect();
    said.sort();
    said
}

async fn with_origins(origins: &str) -> Gateway {
    Gateway::start(Engine::Sqlite, Options::default().variable("GATEWAY_SERVER__CORS_ORIGINS", origins)).await
}

#[tokio::test]
async fn pages_of_configured_origins_call_the_public_listener_and_no_page_the_internal_one() {
    let gateway = with_origins("https://app.example,http://localhost:3000").await;
    let (public, internal) = (gateway.public(), gateway.internal());
    for origin in [APP, "http://localhost:3000"] {
        for path in ["/v1", "/v1/oauth2/token", "/v1/webhooks"] {
            let answer = preflight(&public, origin, path).await;
            assert_eq!(answer.status, 200, "{origin} {path}: {answer:?}");
            let expected = [
                "access-control-allow-headers: \
                 authorization,content-type,if-match,if-none-match,idempotency-key,x-request-id"
                    .to_owned(),
                "access-control-allow-methods: GET,POST,PUT,PATCH,DELETE".to_owned(),
                format!("access-control-allow-origin: {origin}"),
                "access-control-max-age: 600".to_owned(),
            ];
            assert_eq!(allowances(&answer), expected, "{origin} {path}");
        }
        // A page reads a refusal as well, or it could not tell what is wrong.
        for (path, status) in [("/healthz", 200), ("/openapi.json", 200), ("/v1/webhooks", 401)] {
            let answer = read_from(&public, origin, path).await;
            let expected = [
                format!("access-control-allow-origin: {origin}"),
                "access-control-expose-headers: \
                 retry-after,x-request-id,ratelimit,ratelimit-policy,idempotency-replayed"
                    .to_owned(),
            ];
            assert_eq!((answer.status, allowances(&answer)), (status, expected.to_vec()), "{origin} {path}");
            let mut varies = answer.headers.get_all("vary").iter();
            assert!(varies.any(|names| names == "origin"), "{origin} {path}: {:?}", answer.headers);
        }
    }
    let may_read = |answer: &Answer| !answer.header("access-control-allow-origin").is_empty();
    for origin in ["https://evil.example", "https://app.example.evil.example", "http://app.example", "null"] {
        assert!(!may_read(&preflight(&public, origin, "/v1").await), "{origin}");
        assert!(!may_read(&read_from(&public, origin, "/healthz").await), "{origin}");
    }
    // What has credentials of another kind than a token is for no page.
    for path in ["/api/dev/webhook_registrations", "/webhooks/provider"] {
        assert!(!may_read(&preflight(&public, APP, path).await), "{path}");
    }
    for path in ["/v1/oauth2/token", "/healthz", "/openapi.json", "/admin/clients", "/metrics"] {
        for answer in [preflight(&internal, APP, path).await, read_from(&internal, APP, path).await] {
            assert_eq!(allowances(&answer), Vec::<String>::new(), "{path}");
        }
    }
}

#[tokio::test]
async fn without_configuration_no_page_of_another_origin_is_answered_and_with_an_asterisk_every_page() {
    let gateway = Gateway::start(Engine::Sqlite, Options::default()).await;
    for api in [gateway.public(), gateway.internal()] {
        for answer in [preflight(&api, APP, "/v1/oauth2/token").await, read_from(&api, APP, "/healthz").await]
        {
            assert_eq!(allowances(&answer), Vec::<String>::new(), "{answer:?}");
        }
    }
    let gateway = with_origins("*").await;
    let answer = preflight(&gateway.public(), "https://anybody.example", "/v1").await;
    assert_eq!(answer.header("access-control-allow-origin"), "https://anybody.example", "{answer:?}");
    let answer = preflight(&gateway.internal(), "https://anybody.example", "/v1/oauth2/token").await;
    assert_eq!(allowances(&answer), Vec::<String>::new(), "{answer:?}");
}

#[tokio::test]
async fn the_editor_asks_for_credentials_keeps_the_token_in_its_tab_and_fits_a_narrow_screen() {
    let gateway = Gateway::start(Engine::Sqlite, Options::default()).await;
    let public = gateway.public();
    let page = public.send("GET", "/v1", &[("accept", "text/html")], None).await;
    let file = async |name: &str| {
        let address = page.text.split('"').find(|text| text.ends_with(name)).unwrap();
        public.get(address).await.text
    };
    let (script, style) = (file("/start.js").await, file("/page.css").await);

    // A secret is neither shown nor remembered by the browser.
    for field in [
        r#"<form id="client">"#,
        r#"<input id="client-id" autocomplete="off" "#,
        r#"<input id="client-secret" type="password" autocomplete="off" required>"#,
        r#"<form id="paste">"#,
        r#"<input id="token" type="password" autocomplete="off" required>"#,
        r#"<p id="problem" role="alert" hidden>"#,
        r#"<button type="button" id="leave">"#,
    ] {
        assert!(page.text.contains(field), "{field}: {}", page.text);
    }
    for word in ["fetch('/v1/oauth2/token'", "grant_type: 'client_credentials'", "`Bearer ${carried}`"] {
        assert!(script.contains(word), "{word}: {script}");
    }
    for word in ["sessionStorage.setItem(", "sessionStorage.getItem(", "sessionStorage.removeItem("] {
        assert!(script.contains(word), "{word}: {script}");
    }
    for elsewhere in ["localStorage", "document.cookie", "location."] {
        assert!(!script.contains(elsewhere), "{elsewhere}: {script}");
    }
    let kept: Vec<_> = script.match_indices("setItem(").map(|(at, _)| &script[at..at + 22]).collect();
    assert_eq!(kept, ["setItem(KEPT, access);"], "the token is kept, and the secret is not");

    assert!(page.text.contains(r#"<meta name="viewport" content="width=device-width, initial-scale=1">"#));
    let (_, narrow) = style.split_once("@media (max-width: 48rem) {").unwrap();
    assert!(narrow.contains("#graphiql-session { flex-direction: column; }"), "{narrow}");
}
