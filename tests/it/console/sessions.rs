//! Who gets in, and what each may do.

use super::{FINANCE, OPERATOR, READ, browser};
use gateway_tests::{Answer, Browser, World, between, on_both};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

const ACTIONS: [&str; 11] = [
    "issue",
    "recipient",
    "credit",
    "reverse",
    "retry",
    "acknowledge",
    "accept",
    "reject",
    "accept-earlier",
    "reject-earlier",
    "delete",
];

fn is_sign_in_page(answer: &Answer) -> bool {
    answer.text.contains("action=\"/console/sign-in\"")
}

/// Routes of the console as its sources have them: method, and pattern of the path.
fn routes() -> BTreeSet<(&'static str, String)> {
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/console/src")];
    let mut routes = BTreeSet::new();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            continue;
        }
        let source =
            std::fs::read_to_string(path).unwrap().replace("UPLOAD,", "\"/console/plugins/upload\",");
        for part in source.split(".route(").skip(1) {
            let Some(pattern) = between(part, "\"", "\"") else { continue };
            let handler = part.split(".route(").next().unwrap().lines().take(3).collect::<String>();
            let handler = handler.split("\n}").next().unwrap();
            for (method, word) in [("GET", "get("), ("POST", "post(")] {
                if handler.contains(word) {
                    routes.insert((method, pattern.to_owned()));
                }
            }
        }
    }
    assert!(routes.len() > 40, "{routes:?}");
    routes
}

/// Addresses of a pattern, about things that are there.
fn addresses(pattern: &str, world: &World, document: &str) -> Vec<String> {
    let id = if pattern.contains("/invoices/") {
        document.to_owned()
    } else if pattern.contains("/workspaces/") {
        world.workspace.to_string()
    } else {
        world.client.id.clone()
    };
    let address = pattern.replace("{id}", &id).replace("{version}/{name}", "0/console.css");
    let address = address.replace("{attachment}", "0197f4f2-0000-7000-8000-0000000000f1");
    if address.contains("{action}") {
        ACTIONS.iter().map(|action| address.replace("{action}", action)).collect()
    } else {
        vec![address]
    }
}

/// Everything that a form could have changed.
async fn state(world: &World, document: &str) -> Value {
    let changed =
        |entry: &Value| entry["action"].as_str().is_some_and(|action| !action.starts_with("console."));
    let admin = world.as_client(&["admin"], &["*"]).await;
    let audit = admin.get("/admin/audit").await.expect(200);
    let audit: Vec<_> =
        audit["nodes"].as_array().unwrap().iter().filter(|entry| changed(entry)).cloned().collect();
    // The clients of this test are made meanwhile.
    let audit: Vec<_> = audit.into_iter().filter(|entry| entry["action"] != "client.create").collect();
    json!({
        "document": world.read(document).await,
        "audit": audit,
        "plugins": admin.get("/admin/plugins").await.expect(200)["generation"],
        "workspaces": admin.get("/admin/workspaces").await.expect(200),
        "keys": world.gateway.public().get("/.well-known/jwks.json").await.expect(200),
    })
}

#[tokio::test]
async fn without_a_session_every_address_answers_with_the_page_to_sign_in() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let document = world.draft(&world.document()).await;
        let stranger = Browser::new(world.gateway.internal().base());
        for (method, pattern) in routes() {
            for address in addresses(&pattern, &world, &document) {
                if address.contains("/assets/") || address.ends_with("/sign-in") {
                    continue;
                }
                let fields: Option<&[(&str, &str)]> = (method == "POST").then_some(&[("form_token", "x")]);
                let answer = stranger.send(method, &address, &[], fields).await;
                assert!(is_sign_in_page(&answer), "{}: {} {}", answer.called(), answer.status, answer.text);
                assert_eq!(answer.status, 401, "{}", answer.called());
                assert!(
                    answer.header("www-authenticate").contains("/console/sign-in"),
                    "{}",
                    answer.called()
                );
                assert!(!answer.text.contains("Studio"), "{}", answer.text);
                let policy = answer.header("content-security-policy");
                assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
                assert_eq!(answer.header("cache-control"), "no-store");
                assert_eq!(answer.header("x-frame-options"), "DENY");
            }
        }
        assert_eq!(stranger.get("/console").await.status, 401);
        assert_eq!(world.gateway.public().get("/console").await.status, 404, "it is not for the public");
        let fragment = stranger.send("GET", "/console", &[("hx-request", "true")], None).await;
        assert_eq!((fragment.status, fragment.header("hx-redirect")), (401, "/console"));
    })
    .await;
}

/// Where the page to sign in leads.
fn next(answer: &Answer) -> &str {
    between(&answer.text, "name=\"next\" value=\"", "\"").unwrap()
}

#[tokio::test]
async fn whoever_is_not_signed_in_any_more_is_led_back_after_signing_in() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let base = world.gateway.internal().base().to_owned();
        let credentials = world.another_client(READ, &["*"]).await;
        let reader = Browser::signed_in(&base, &credentials).await;
        let cookie = reader.cookie().unwrap();
        assert_eq!(reader.submit("/console/sign-out", &[]).await.status, 303);
        let ended = Browser::new(&base);
        ended.keep(&cookie);

        let page = ended.get("/console/invoices?status=rejected").await;
        assert_eq!((page.status, next(&page)), (401, "/console/invoices?status=rejected"));
        let fields = [
            ("client_id", credentials.id.as_str()),
            ("client_secret", &credentials.secret),
            ("next", next(&page)),
        ];
        let signed_in = ended.send("POST", "/console/sign-in", &[], Some(&fields)).await;
        assert_eq!(
            (signed_in.status, signed_in.header("location")),
            (303, "/console/invoices?status=rejected")
        );
        let again = [&fields[..2], &[("next", "https://evil.example/console")]].concat();
        let elsewhere = ended.send("POST", "/console/sign-in", &[], Some(&again)).await;
        assert_eq!((elsewhere.status, elsewhere.header("location")), (303, "/console"));

        let ended = Browser::new(&base);
        ended.keep(&cookie);
        let form = ended.post("/console/workspaces/1", &[("name", "x")]).await;
        assert_eq!((form.status, next(&form)), (401, "/console/workspaces/1"));
        let current = format!("{base}/console/rejected?after=x");
        let headers = [("hx-request", "true"), ("hx-current-url", current.as_str())];
        let fragment = ended.send("GET", "/console/rejected", &headers, None).await;
        assert_eq!(fragment.status, 401);
        assert!(
            fragment.text.contains("sign in again") && !fragment.text.contains("<form"),
            "{}",
            fragment.text
        );
        assert_eq!(fragment.header("hx-redirect"), "/console/rejected?after=x");
        for (events, page) in [
            ("/console/live", "/console"),
            ("/console/webhooks/1/live?skip=50", "/console/webhooks/1?skip=50"),
        ] {
            let answer = ended.get(events).await;
            assert_eq!((answer.status, next(&answer)), (401, page), "{events}");
        }
    })
    .await;
}

#[tokio::test]
async fn files_of_pages_are_kept_for_good_under_the_version_of_their_content() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let stranger = Browser::new(world.gateway.internal().base());
        let reader = browser(&world, READ).await;
        let (entry, page) = (stranger.get("/console").await, reader.get("/console").await);
        let version = |page: &Answer| between(&page.text, "/console/assets/", "/").unwrap().to_owned();
        assert_eq!(version(&entry), version(&page));
        for name in ["console.css", "console.js", "htmx.js", "icon.svg"] {
            assert!(page.text.contains(&format!("/console/assets/{}/{name}", version(&page))), "{name}");
            let file = stranger.get(&format!("/console/assets/{}/{name}", version(&page))).await;
            assert_eq!(file.status, 200, "{name}");
            assert!(file.header("cache-control").contains("immutable"), "{name}");
            let another = stranger.get(&format!("/console/assets/0/{name}")).await;
            assert_eq!(another.status, 404, "another content has another address: {name}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_session_begins_with_a_secret_of_its_own_and_ends_when_it_is_told_to() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let base = world.gateway.internal().base().to_owned();
        let credentials = world.another_client(READ, &["*"]).await;
        let fresh = Browser::new(&base);
        let refused = fresh.sign_in(&credentials.id, "gws_wrong").await;
        assert_eq!(refused.status, 401);
        assert!(is_sign_in_page(&refused) && refused.text.contains("no active client"), "{}", refused.text);
        let other = world.another_client(&["finance.rpc"], &["*"]).await;
        let refused = fresh.sign_in(&other.id, &other.secret).await;
        assert_eq!(refused.status, 403);
        assert!(refused.text.contains("console.read"), "{}", refused.text);

        // Somebody planted a session before.
        let planted = Browser::signed_in(&base, &credentials).await.cookie().unwrap();
        fresh.keep(&planted);
        let answer = fresh.sign_in(&credentials.id, &credentials.secret).await;
        assert_eq!((answer.status, answer.header("location")), (303, "/console"));
        let cookie = answer.header("set-cookie").to_owned();
        for attribute in ["__Host-gateway-console=", "HttpOnly", "SameSite=Strict", "Secure", "Path=/"] {
            assert!(cookie.contains(attribute), "{cookie}");
        }
        assert_ne!(fresh.cookie().unwrap(), planted);
        let thief = Browser::new(&base);
        thief.keep(&planted);
        assert!(is_sign_in_page(&thief.get("/console").await), "the planted session is over");

        fresh.load_form_token().await;
        let kept = fresh.cookie().unwrap();
        assert_eq!(fresh.submit("/console/sign-out", &[]).await.status, 303);
        let back = Browser::new(&base);
        back.keep(&kept);
        assert!(is_sign_in_page(&back.get("/console").await), "signed out everywhere");

        // Whoever may not look any more does not.
        let browser = Browser::signed_in(&base, &credentials).await;
        let set = ["client", "set", &credentials.id, "--permission", "finance.rpc"];
        world.gateway.cli(&set).await.succeeded();
        assert!(is_sign_in_page(&browser.get("/console").await));
        let set = ["client", "set", &credentials.id, "--permission", "console.read"];
        world.gateway.cli(&set).await.succeeded();
        assert!(!is_sign_in_page(&browser.get("/console").await));
        world.gateway.cli(&["client", "disable", &credentials.id]).await.succeeded();
        assert!(is_sign_in_page(&browser.get("/console").await));
        world.gateway.cli(&["client", "set", &credentials.id, "--enable"]).await.succeeded();
        assert!(
            is_sign_in_page(&browser.get("/console").await),
            "sessions of a disabled client are gone for good"
        );
    })
    .await;
}

#[tokio::test]
async fn guessing_secrets_on_the_page_to_sign_in_is_throttled() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let browser = Browser::new(world.gateway.internal().base());
        let credentials = world.another_client(READ, &["*"]).await;
        for _ in 0..10 {
            assert_eq!(browser.sign_in(&credentials.id, "gws_wrong").await.status, 401);
        }
        let answer = browser.sign_in(&credentials.id, &credentials.secret).await;
        assert_eq!(answer.status, 429);
        assert!(answer.header("retry-after").parse::<u32>().unwrap() <= 60);
    })
    .await;
}

#[tokio::test]
async fn a_form_is_taken_only_from_a_page_of_its_session() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let operator = browser(&world, OPERATOR).await;
        let another = browser(&world, OPERATOR).await;
        let path = format!("/console/workspaces/{}", world.workspace);
        let before = world.gateway.cli(&["workspace", "list", "--json"]).await.json();
        let (own, foreign) = (operator.form_token(), another.form_token());
        assert_ne!(own, foreign);
        let evil = [("sec-fetch-site", "cross-site"), ("origin", "https://evil.example")];
        for (token, headers) in [
            ("", &[][..]),
            (foreign.as_str(), &[]),
            (own.as_str(), &evil[..]),
            (own.as_str(), &[("origin", "https://evil.example")]),
            (own.as_str(), &[("sec-fetch-site", "same-site")]),
        ] {
            let fields = [("form_token", token), ("name", "Taken over")];
            let answer = operator.send("POST", &path, headers, Some(&fields)).await;
            assert_eq!(answer.status, 403, "{token} {headers:?}: {}", answer.text);
        }
        let answer = operator
            .send("POST", "/console/sign-in", &evil, Some(&[("client_id", "a"), ("client_secret", "b")]))
            .await;
        assert_eq!(answer.status, 403, "nobody is signed in by another site");
        assert_eq!(world.gateway.cli(&["workspace", "list", "--json"]).await.json(), before);
        assert_eq!(operator.submit(&path, &[("name", "By its form")]).await.status, 303);
    })
    .await;
}

#[tokio::test]
async fn a_client_changes_nothing_that_its_permissions_do_not_allow() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let document = world.draft(&world.document()).await;
        let readers = [
            (READ, &[][..]),
            (OPERATOR, &["/invoices/", "/bulk"]),
            (FINANCE, &["/workspaces/", "/clients", "/plugins/", "/keys", "/webhooks/"]),
        ];
        for (permissions, only) in readers {
            let browser = browser(&world, permissions).await;
            let before = state(&world, &document).await;
            for (_, pattern) in routes().into_iter().filter(|(method, _)| *method == "POST") {
                let is_session = pattern.ends_with("/sign-in") || pattern.ends_with("/sign-out");
                let is_foreign = only.is_empty() || only.iter().any(|part| pattern.contains(part));
                if is_session || !is_foreign {
                    continue;
                }
                for address in addresses(&pattern, &world, &document) {
                    // An operator retries as well as finance does.
                    if permissions == OPERATOR
                        && (address.ends_with("/retry") || address.ends_with("/acknowledge"))
                    {
                        continue;
                    }
                    if address.ends_with("/upload") || address.ends_with("/attachments") {
                        continue;
                    }
                    // Many are resubmitted by one right, and retried by another, which operators have.
                    let is_reader = permissions == READ;
                    for action in ["issue", "retry"].into_iter().take(if is_reader { 2 } else { 1 }) {
                        let fields = [
                            ("action", action),
                            ("id", document.as_str()),
                            ("workspace_id", "1"),
                            ("key", "es-verifactu"),
                            ("name", "es-verifactu@0.4.0"),
                            ("reason", "x"),
                            ("line", "0"),
                        ];
                        let answer = browser.submit(&address, &fields).await;
                        let what = format!("{permissions:?} {} {action}", answer.called());
                        assert_eq!(answer.status, 403, "{what}: {}", answer.text);
                        assert!(answer.text.contains("permission"), "{what}: {}", answer.text);
                    }
                }
            }
            assert_eq!(state(&world, &document).await, before, "{permissions:?}");
        }
        let reader = browser(&world, READ).await;
        let page = reader.get(&format!("/console/invoices/{document}")).await;
        assert!(page.text.contains("Studio") && !page.text.contains("/issue\""), "{}", page.text);
    })
    .await;
}

#[tokio::test]
async fn a_client_of_one_workspace_sees_nothing_of_another() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let document = world.draft(&world.document()).await;
        let other = world.another_workspace(&[]).await.to_string();
        let credentials = world.another_client(&["admin", "finance.rpc"], &[&other]).await;
        let browser = Browser::signed_in(world.gateway.internal().base(), &credentials).await;
        let list = browser.get("/console/invoices").await;
        assert!(list.status == 200 && !list.text.contains(&document), "{}", list.text);
        for path in [
            format!("/console/invoices/{document}"),
            format!("/console/invoices/{document}/issue"),
            format!("/console/workspaces/{}", world.workspace),
            format!("/console/clients/{}", world.client.id),
        ] {
            assert_eq!(browser.get(&path).await.status, 404, "{path}");
            let sent = browser.submit(&path, &[("workspaces", "*")]).await.status;
            assert!([404, 405].contains(&sent), "{path}: {sent}");
        }
        assert_eq!(browser.get("/console/audit").await.status, 403);
        let granted = [("name", "more"), ("workspaces", "*"), ("permission", "admin")];
        assert_eq!(browser.submit("/console/clients", &granted).await.status, 422);
        assert_eq!(browser.submit("/console/keys", &[]).await.status, 403);
        let everybody = [("name", "es-verifactu@0.4.0"), ("workspace_id", "everybody")];
        assert_eq!(browser.submit("/console/plugins/activate", &everybody).await.status, 403);
    })
    .await;
}

#[tokio::test]
async fn a_form_that_is_too_large_is_refused_with_a_page() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let path = format!("/console/workspaces/{}/logo/upload", world.workspace);
        // Only announced: an answer that comes before the body was read may never reach a client that still writes.
        let more = "content-type: multipart/form-data; boundary=x\r\ncontent-length: 2000000\r\n";
        let answer = world.gateway.internal().announced("POST", &path, more).await;
        assert!(answer.starts_with("HTTP/1.1 413 ") && answer.contains("choose a smaller one"), "{answer}");
        for header in ["content-type: text/html", "style-src 'self'"] {
            assert!(answer.contains(header), "{header}: {answer}");
        }
    })
    .await;
}

#[tokio::test]
async fn a_page_warns_when_its_connection_is_not_encrypted() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let browser = Browser::new(world.gateway.internal().base());
        let open = [("host", "gateway.example"), ("x-forwarded-proto", "https")];
        let page = browser.send("GET", "/console", &open, None).await;
        assert!(page.text.contains("This page is not encrypted"), "{}", page.text);
        assert!(!browser.get("/console").await.text.contains("not encrypted"));
    })
    .await;
}

#[tokio::test]
async fn an_open_stream_of_live_updates_does_not_delay_the_shutdown() {
    on_both(|engine| async move {
        let mut world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let reader = browser(&world, READ).await;
        let mut waiting = Vec::new();
        for _ in 0..8 {
            waiting.push(reader.open("/console/live").await);
        }
        let other = browser(&world, READ).await;
        assert_eq!(reader.get("/console/live").await.status, 503, "a session has so many");
        waiting.push(other.open("/console/live").await);
        assert!(world.gateway.stop().await.is_some_and(|status| status.success()));
        drop(waiting);
    })
    .await;
}
