//! The console, as a browser without scripts sees it: who gets in, what each may do, and that it is done.

use gateway_tests::{Answer, Browser, Credentials, Document, World, between, built_plugins, on_both, until};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

const READ: &[&str] = &["console.read"];
const FINANCE: &[&str] = &["console.read", "finance.rpc", "finance.verdict"];
const OPERATOR: &[&str] = &["admin"];
const ACTIONS: [&str; 9] =
    ["issue", "recipient", "credit", "reverse", "retry", "acknowledge", "accept", "reject", "delete"];

async fn browser(world: &World, permissions: &[&str]) -> Browser {
    let credentials = world.another_client(permissions, &["*"]).await;
    Browser::signed_in(world.gateway.internal().base(), &credentials).await
}

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
    let address = pattern.replace("{id}", &id).replace("{version}/{name}", "1/console.css");
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
async fn whoever_is_not_signed_in_gets_the_page_to_sign_in_and_nothing_else() {
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
                assert!(!answer.text.contains("Studio"), "{}", answer.text);
                let policy = answer.header("content-security-policy");
                assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
                assert_eq!(answer.header("cache-control"), "no-store");
                assert_eq!(answer.header("x-frame-options"), "DENY");
            }
        }
        assert_eq!(stranger.get("/console").await.status, 200);
        assert_eq!(world.gateway.public().get("/console").await.status, 404, "it is not for the public");
        let fragment = stranger.send("GET", "/console", &[("hx-request", "true")], None).await;
        assert_eq!((fragment.status, fragment.header("hx-redirect")), (401, "/console"));
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

        fresh.look().await;
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
async fn secrets_are_not_tried_out_on_the_page_to_sign_in() {
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
async fn a_form_counts_only_from_a_page_of_its_session() {
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
                    if address.ends_with("/upload") {
                        continue;
                    }
                    let fields = [
                        ("action", "issue"),
                        ("id", document.as_str()),
                        ("workspace_id", "1"),
                        ("key", "es-verifactu"),
                        ("name", "es-verifactu@0.4.0"),
                        ("reason", "x"),
                        ("line", "0"),
                    ];
                    let answer = browser.submit(&address, &fields).await;
                    assert_eq!(answer.status, 403, "{permissions:?} {}: {}", answer.called(), answer.text);
                    assert!(answer.text.contains("permission"), "{}", answer.text);
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
        let everybody = [("name", "es-verifactu@0.4.0"), ("workspace_id", "")];
        assert_eq!(browser.submit("/console/plugins/activate", &everybody).await.status, 403);
    })
    .await;
}

#[tokio::test]
async fn an_invoice_is_issued_credited_and_followed_in_the_console() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let document = world.draft(&world.document()).await;
        let page = format!("/console/invoices/{document}");
        let trial = finance.get(&format!("{page}/dry-run")).await;
        assert!(trial.text.contains("It goes to the tax authority"), "{}", trial.text);
        assert_eq!(world.read(&document).await["status"], "draft");
        let confirm = finance.get(&format!("{page}/issue")).await;
        let version = between(&confirm.text, "name=\"version\" value=\"", "\"").unwrap().to_owned();
        let request = between(&confirm.text, "name=\"request\" value=\"", "\"").unwrap().to_owned();
        let fields = [("version", version.as_str()), ("request", request.as_str())];
        let (live, issue) = (format!("{page}/live"), format!("{page}/issue"));
        let (_, answer) =
            tokio::join!(finance.listen(&live, "event: changed"), finance.submit(&issue, &fields));
        assert_eq!((answer.status, answer.header("location")), (303, page.as_str()), "{}", answer.text);
        let again = finance.submit(&format!("{page}/issue"), &fields).await;
        assert!([409, 422].contains(&again.status), "sent twice, it counts once: {}", again.text);
        let issued = world.until(&document, "issued").await;
        let shown = finance.get(&page).await.text;
        for part in [
            issued["display_invoice_number"].as_str().unwrap(),
            "qr.svg",
            "AcceptedByTaxAuthority",
            "Structured document",
        ] {
            assert!(shown.contains(part), "{part}: {shown}");
        }
        let qr = finance.get(&format!("{page}/qr.svg")).await;
        assert_eq!((qr.status, qr.header("content-type")), (200, "image/svg+xml"));
        let sent = finance.get(&format!("{page}/structured.json")).await;
        assert!(sent.header("content-disposition").starts_with("attachment"), "{sent:?}");
        let record = finance.get(&format!("{page}/record")).await;
        assert!(record.status == 200 && record.text.contains("<?xml"), "{}", record.text);

        let none = finance.submit(&format!("{page}/credit"), &[]).await;
        assert!(none.status == 422 && none.text.contains("tick at least one"), "{}", none.text);
        let credited = finance.submit(&format!("{page}/credit"), &[("line", "0")]).await;
        assert_eq!(credited.status, 303, "{}", credited.text);
        let note = credited.header("location").to_owned();
        let shown = finance.get(&note).await.text;
        assert!(shown.contains("Credit note") && shown.contains("draft"), "{shown}");
        assert!(finance.get(&page).await.text.contains("holds a part of it back"));
        assert_eq!(
            finance.submit(&format!("{note}/delete"), &[]).await.header("location"),
            "/console/invoices"
        );
        let reversed = finance.submit(&format!("{page}/reverse"), &[]).await;
        assert_eq!(reversed.status, 303, "{}", reversed.text);
        let number = issued["display_invoice_number"].as_str().unwrap();
        for (query, expected) in [
            (format!("q={number}"), true),
            ("status=issued&q=roe".to_owned(), true),
            ("status=rejected".to_owned(), false),
            ("gross_from=100000".to_owned(), false),
        ] {
            let list = finance.get(&format!("/console/invoices?{query}")).await;
            assert_eq!(list.text.contains(&document), expected, "{query}: {}", list.text);
            let rows = finance.get(&format!("/console/invoices.csv?{query}")).await;
            assert_eq!(rows.text.contains(&document), expected, "{query}");
            let lines = finance.get(&format!("/console/invoices.ndjson?{query}")).await;
            assert_eq!(lines.text.contains(&document), expected, "{query}");
        }
        let mistaken = finance.get("/console/invoices?issued_from=yesterday").await;
        assert!(
            mistaken.status == 200 && mistaken.text.contains("issued_from use a date"),
            "{}",
            mistaken.text
        );
        let overview = until("the verdict is counted", || async {
            Some(finance.get("/console").await.text).filter(|text| text.contains("100.0 %"))
        });
        overview.await;
    })
    .await;
}

#[tokio::test]
async fn a_rejected_invoice_is_mended_and_resubmitted_and_many_are_in_one_go() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let refused = |world: &World| -> Document { world.document().named("Rita SANDBOX-REJECT-1239") };
        let (one, two) = (world.issue(&refused(&world)).await, world.issue(&refused(&world)).await);
        world.until(&one, "rejected").await;
        world.until(&two, "rejected").await;
        let page = finance.get(&format!("/console/invoices/{one}")).await.text;
        assert!(page.contains("Rejected:") && page.contains("1239"), "{page}");
        let queue = finance.get("/console/rejected").await.text;
        assert!(queue.contains(&one) && queue.contains(&two), "{queue}");
        let path = format!("/console/invoices/{one}/recipient");
        let form = finance.get(&path).await.text;
        assert!(form.contains("Rita SANDBOX-REJECT-1239"), "{form}");
        let empty = finance.submit(&path, &[("type", "individual"), ("name", "")]).await;
        assert_eq!(empty.status, 422, "{}", empty.text);
        let recipient = [
            ("type", "individual"),
            ("name", "Rita Roe"),
            ("document_kind", "passport"),
            ("document_number", "123456789"),
            ("document_country", "GB"),
            ("street", "1 High St"),
            ("locality", "Leeds"),
            ("postcode", "LS1 1AA"),
            ("address_country", "GB"),
        ];
        let answer = finance.submit(&path, &recipient).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        let chosen = [("action", "issue"), ("id", one.as_str()), ("id", two.as_str()), ("id", "not-an-id")];
        let confirm = finance.submit("/console/bulk", &chosen).await;
        assert!(confirm.text.contains("Resubmit: 3 documents"), "{}", confirm.text);
        let done = finance.submit("/console/bulk/carry-out", &chosen).await;
        assert_eq!(done.text.matches(">done<").count(), 2, "{}", done.text);
        assert!(done.text.contains("there is no such document"), "{}", done.text);
        world.until(&one, "issued").await;
        assert_eq!(finance.submit("/console/bulk", &[("action", "issue")]).await.status, 422);
        assert_eq!(finance.submit("/console/bulk", &[("action", "delete"), ("id", &one)]).await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn a_verdict_is_given_by_hand_and_a_submission_that_waits_is_retried() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let document = world.document().named("Slow SANDBOX-SLOW-600");
        let (one, two) = (world.issue(&document).await, world.issue(&document).await);
        for id in [&one, &two] {
            until("it waits for the verdict", || async {
                Some(world.submission(id).await).filter(|submission| submission["state"] == "waiting")
            })
            .await;
        }
        let path = format!("/console/invoices/{one}/accept");
        let unproved = finance.submit(&path, &[]).await;
        assert!(unproved.status == 422 && unproved.text.contains("qr_url is required"), "{}", unproved.text);
        let script = [("qr_url", "javascript:alert(1)"), ("no_hash", "yes")];
        assert_eq!(finance.submit(&path, &script).await.status, 422);
        let proof = [("qr_url", "https://verify.example/1"), ("tax_system_hash", "ABC")];
        assert_eq!(finance.submit(&path, &proof).await.status, 303);
        assert_eq!(world.until(&one, "issued").await["acceptance"]["tax_system_hash"], "ABC");
        let rejected = [("reason", "not registered"), ("code", "1239")];
        assert_eq!(finance.submit(&format!("/console/invoices/{two}/reject"), &rejected).await.status, 303);
        assert_eq!(world.until(&two, "rejected").await["rejection_reason"], "1239: not registered");
        let over = finance.submit(&format!("/console/invoices/{two}/retry"), &[]).await;
        assert!(over.status == 409 && over.text.contains("ended"), "{}", over.text);
    })
    .await;
}

#[tokio::test]
async fn an_operator_configures_a_workspace_and_looks_after_clients_keys_and_plugins() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::sandbox()).await;
        let operator = browser(&world, OPERATOR).await;
        let path = format!("/console/workspaces/{}/e-invoicing", world.workspace);
        let plugins = until("the plugin is in force", || async {
            Some(operator.get(&path).await.text).filter(|text| text.contains("es-verifactu"))
        });
        let form = plugins.await;
        assert!(form.contains("required"), "{form}");
        let wrong = [("regime", "es-verifactu"), ("company_id", "x"), ("workflow_id", "y"), ("token", "t")];
        let answer = operator.submit(&path, &wrong).await;
        assert!(answer.status == 422 && answer.text.contains("company_id is no UUID"), "{}", answer.text);
        let id = "0197f4f2-0000-7000-8000-0000000000d1";
        let fields =
            [("regime", "es-verifactu"), ("company_id", id), ("workflow_id", id), ("token", "kept-secret")];
        assert_eq!(operator.submit(&path, &fields).await.status, 303);
        let saved = operator.get(&path).await.text;
        assert!(saved.contains("A token is stored") && !saved.contains("kept-secret"), "{saved}");
        let tested = operator.submit(&format!("{path}/test"), &[]).await.text;
        assert!(tested.contains("the provider answered"), "{tested}");
        let chosen = [&fields[..3], &[("settings.credit_note_type", "R1")]].concat();
        assert_eq!(operator.submit(&path, &chosen).await.status, 303);
        let everywhere = [("key", "es-verifactu"), ("workspace_id", "")];
        assert_eq!(operator.submit("/console/plugins/disable", &everywhere).await.status, 303);
        let other_token =
            [("regime", "es-verifactu"), ("company_id", id), ("workflow_id", id), ("token", "another")];
        assert_eq!(operator.submit(&path, &other_token).await.status, 303);
        let show =
            ["workspace", "e-invoicing", "show", "--json", "--workspace", &world.workspace.to_string()];
        let kept = world.gateway.cli(&show).await.json();
        assert_eq!(
            kept["settings"]["credit_note_type"], "R1",
            "without its plugin nothing is forgotten: {kept}"
        );
        assert_eq!(operator.submit("/console/plugins/roll-back", &everywhere).await.status, 200);
        assert_eq!(operator.submit(&format!("{path}/clear"), &[]).await.status, 303);
        assert!(operator.get(&path).await.text.contains("It is stored encrypted"));

        let created = [
            ("name", "integrator"),
            ("workspaces", "1"),
            ("permission", "invoicing.rpc"),
            ("permission", "finance.rpc"),
        ];
        let shown = operator.submit("/console/clients", &created).await.text;
        let secret = between(&shown, "id=\"client-secret\" class=\"long\">", "<").unwrap().to_owned();
        let client = between(&shown, "id=\"client-id\">", "<").unwrap().to_owned();
        let credentials = Credentials { id: client.clone(), secret };
        let api = credentials.sign_in(&world.gateway.internal()).await;
        assert_eq!(api.get("/invoicing/rpc/documents").await.status, 200);
        let path = format!("/console/clients/{client}");
        let page = until("its use is noted", || async {
            Some(operator.get(&path).await.text).filter(|text| !text.contains("<dd>never</dd>"))
        });
        assert!(!page.await.contains(&credentials.secret));
        let fewer = [("name", "integrator"), ("workspaces", "1"), ("permission", "finance.rpc")];
        assert_eq!(operator.submit(&path, &fewer).await.status, 303);
        until("it counts", || async {
            (api.get("/invoicing/rpc/documents").await.status == 403).then_some(())
        })
        .await;
        let page = operator.get(&path).await.text;
        let request = between(&page, "name=\"request\" value=\"", "\"").unwrap().to_owned();
        let once = [("request", request.as_str())];
        let rotated = operator.submit(&format!("{path}/rotate-secret"), &once).await.text;
        assert!(rotated.contains("gws_"), "{rotated}");
        let again = operator.submit(&format!("{path}/rotate-secret"), &once).await;
        assert!(again.status == 409 && !again.text.contains("gws_"), "loaded again: {}", again.text);
        assert_eq!(operator.submit(&format!("{path}/disable"), &[]).await.status, 303);
        assert_eq!(operator.submit(&path, &fewer).await.status, 409, "it is disabled");
        assert_eq!(operator.submit(&format!("{path}/enable"), &[]).await.status, 303);

        let rotated = operator.submit("/console/keys", &[]).await.text;
        assert!(rotated.contains("is published and signs from"), "{rotated}");
        let name = between(&operator.get("/console/plugins").await.text, "id=\"es-verifactu@", "\"")
            .unwrap()
            .to_owned();
        let name = format!("es-verifactu@{name}");
        let canary = [("name", name.as_str()), ("workspace_id", "1")];
        let activated = operator.submit("/console/plugins/activate", &canary).await.text;
        assert!(activated.contains("It serves workspace 1"), "{activated}");
        let scope = [("key", "es-verifactu"), ("workspace_id", "1")];
        assert_eq!(operator.submit("/console/plugins/disable", &scope).await.status, 303);
        let nothing = operator.submit("/console/plugins/roll-back", &[("key", "es-nothing")]).await;
        assert_eq!(nothing.status, 409, "{}", nothing.text);
        let audit = operator.get("/console/audit?subject=client:").await.text;
        assert!(
            audit.contains("client.rotate_secret") && !audit.contains("workspace.e_invoicing"),
            "{audit}"
        );
        for path in [
            "/console/health",
            "/console/jobs",
            "/console/webhooks",
            "/console/clients",
            "/console/workspaces",
        ] {
            assert_eq!(operator.get(path).await.status, 200, "{path}");
        }
        assert_eq!(operator.get("/console/nothing").await.status, 404);
    })
    .await;
}

#[tokio::test]
async fn a_component_is_installed_by_its_form_and_by_nobody_else() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let operator = browser(&world, OPERATOR).await;
        let reader = browser(&world, READ).await;
        let component = std::fs::read(built_plugins().join("es-tbai.wasm")).unwrap();
        let send = async |browser: &Browser, token: &str, component: &[u8]| {
            browser
                .upload(
                    "/console/plugins/upload",
                    &[("form_token", token), ("signature", "")],
                    ("component", component),
                )
                .await
        };
        let (own, foreign) = (operator.form_token(), reader.form_token());
        assert_eq!(send(&operator, &foreign, &component).await.status, 403);
        assert_eq!(send(&reader, &foreign, &component).await.status, 403);
        assert_eq!(send(&operator, &own, b"no component").await.status, 422);
        let tokenless = operator.upload("/console/plugins/upload", &[], ("component", &component)).await;
        assert_eq!(tokenless.status, 403);
        assert!(!operator.get("/console/plugins").await.text.contains("es-tbai@"));
        let answer = send(&operator, &own, &component).await;
        assert_eq!((answer.status, answer.header("location")), (303, "/console/plugins"), "{}", answer.text);
        assert!(operator.get("/console/plugins").await.text.contains("es-tbai@"));
    })
    .await;
}

#[tokio::test]
async fn a_page_says_when_somebody_may_read_along() {
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
async fn whoever_waits_for_news_does_not_hold_the_gateway_up() {
    on_both(|engine| async move {
        let mut world = World::unconfigured(engine, gateway_tests::Options::default()).await;
        let reader = browser(&world, READ).await;
        let waiting = reader.open("/console/live").await;
        assert!(world.gateway.stop().await.is_some_and(|status| status.success()));
        drop(waiting);
    })
    .await;
}
