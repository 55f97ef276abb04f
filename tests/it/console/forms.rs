//! What becomes of a form that is refused, or sent twice, and of the page that says so.

use super::{FINANCE, OPERATOR, READ, browser};
use gateway_tests::{Browser, Options, World, between, on_both, until};

#[tokio::test]
async fn what_was_typed_comes_back_after_a_mistake() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let operator = browser(&world, OPERATOR).await;
        let own = format!("/console/clients/{}", world.client.id);
        for path in ["/console/clients", own.as_str()] {
            let mistyped = [("name", "Typed once"), ("workspaces", "1, x"), ("permission", "finance.rpc")];
            let refused = operator.submit(path, &mistyped).await;
            assert_eq!(refused.status, 422, "{}", refused.text);
            for part in [
                "workspaces are numbers",
                "value=\"Typed once\"",
                "value=\"1, x\"",
                "value=\"finance.rpc\" checked",
            ] {
                assert!(refused.text.contains(part), "{path} {part}: {}", refused.text);
            }
            let nameless = operator.submit(path, &[("name", " "), ("workspaces", "1")]).await;
            assert!(
                nameless.status == 422 && nameless.text.contains("a client needs a name"),
                "{}",
                nameless.text
            );
        }
        let page = operator.get(&own).await.text;
        assert!(!page.contains("Typed once"), "nothing was changed: {page}");
    })
    .await;
}

#[tokio::test]
async fn a_secret_that_was_typed_into_a_refused_form_is_asked_for_again() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::sandbox()).await;
        let operator = browser(&world, OPERATOR).await;
        let path = format!("/console/workspaces/{}/e-invoicing", world.workspace);
        until("the plugin is in force", || async {
            Some(operator.get(&path).await.text).filter(|text| text.contains("es-verifactu"))
        })
        .await;
        let form = [
            ("regime", "es-verifactu"),
            ("company_id", "x"),
            ("workflow_id", "y"),
            ("webhook_token", "whsec-typed"),
        ];
        let refused = operator.submit(&path, &form).await;
        assert_eq!(refused.status, 422, "{}", refused.text);
        assert!(!refused.text.contains("whsec-typed"), "{}", refused.text);
        for part in [
            "id=\"lost-webhook-token\">Type the token again",
            "name=\"company_id\" aria-invalid=\"true\"",
            "Company at the provider – is no UUID",
        ] {
            assert!(refused.text.contains(part), "{part}: {}", refused.text);
        }
        assert_eq!(refused.text.matches("Type the token again").count(), 1, "the other was not typed");
    })
    .await;
}

#[tokio::test]
async fn an_address_that_is_emptied_is_removed() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let operator = browser(&world, OPERATOR).await;
        let path = format!("/console/workspaces/{}", world.workspace);
        let with_address = [("name", "Mayor"), ("street", "Calle Mayor 1"), ("address_country", "es")];
        assert_eq!(operator.submit(&path, &with_address).await.status, 303);
        let page = operator.get(&path).await.text;
        assert!(page.contains("value=\"Calle Mayor 1\"") && page.contains("is removed"), "{page}");
        assert_eq!(operator.submit(&path, &[("name", "Mayor")]).await.status, 303);
        let page = operator.get(&path).await.text;
        assert!(!page.contains("Calle Mayor 1"), "{page}");
    })
    .await;
}

#[tokio::test]
async fn whoever_takes_away_from_the_own_client_is_warned() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let credentials = world.another_client(OPERATOR, &["*"]).await;
        let operator = Browser::signed_in(world.gateway.internal().base(), &credentials).await;
        let other = operator.get(&format!("/console/clients/{}", world.client.id)).await.text;
        let own = format!("/console/clients/{}", credentials.id);
        let page = operator.get(&own).await.text;
        for warning in ["your session ends", "you are signed out at once"] {
            assert!(page.contains(warning) && !other.contains(warning), "{warning}: {page}");
        }
        let rotated = operator.submit(&format!("{own}/rotate-secret"), &[]).await.text;
        assert!(rotated.contains("gws_") && rotated.contains("Your session has ended"), "{rotated}");
        assert_eq!(operator.get(&own).await.status, 401);
    })
    .await;
}

#[tokio::test]
async fn a_page_that_refuses_says_so_in_words_and_leads_back() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let base = world.gateway.internal().base().to_owned();
        let reader = browser(&world, READ).await;
        for (referrer, back) in [
            (format!("{base}/console/invoices?status=draft"), "/console/invoices?status=draft"),
            ("https://elsewhere.example/page".to_owned(), "/console"),
        ] {
            let headers = [("referer", referrer.as_str())];
            let refused = reader.send("GET", "/console/workspaces/99", &headers, None).await;
            assert_eq!(refused.status, 404, "{}", refused.text);
            for part in [
                "<h1>There is nothing here</h1>",
                "there is no such workspace",
                "href=\"/console/workspaces\" aria-current=\"page\"",
                &format!("href=\"{back}\">Back</a>"),
            ] {
                assert!(refused.text.contains(part), "{part}: {}", refused.text);
            }
            assert!(refused.header("content-security-policy").contains("default-src 'none'"));
        }
    })
    .await;
}

#[tokio::test]
async fn a_form_that_is_sent_twice_leads_to_what_came_of_it() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let finance = browser(&world, FINANCE).await;
        let (issued, deleted) = (world.draft(&world.document()).await, world.draft(&world.document()).await);
        let page = format!("/console/invoices/{issued}");
        for (document, action, next) in
            [(&issued, "issue", page.as_str()), (&deleted, "delete", "/console/invoices")]
        {
            let path = format!("/console/invoices/{document}/{action}");
            let confirm = finance.get(&path).await.text;
            let field = |name: &str| {
                between(&confirm, &format!("name=\"{name}\" value=\""), "\"").unwrap().to_owned()
            };
            let (version, request) = (field("version"), field("request"));
            let fields = [("version", version.as_str()), ("request", request.as_str())];
            for _ in 0..2 {
                let answer = finance.submit(&path, &fields).await;
                assert_eq!((answer.status, answer.header("location")), (303, next), "{}", answer.text);
            }
        }
        world.until(&issued, "issued").await;
    })
    .await;
}

#[tokio::test]
async fn a_field_with_a_mistake_is_marked_and_names_what_says_it() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let (finance, operator) = (browser(&world, FINANCE).await, browser(&world, OPERATOR).await);
        let document = world.draft(&world.document()).await;
        let nameless = [("type", "individual"), ("name", ""), ("email", "jane@example.com")];
        let recipient = finance.submit(&format!("/console/invoices/{document}/recipient"), &nameless).await;
        let credentials = [("name", "Typed"), ("workspaces", "1, x")];
        let client = operator.submit("/console/clients", &credentials).await;
        let own = operator.submit(&format!("/console/clients/{}", world.client.id), &credentials).await;
        let list = finance.get("/console/invoices?issued_from=yesterday").await;
        let report = "/console/reports?workspace_id=1&from=2026-11-02&to=2026-11-01";
        let report = finance.get(report).await;
        let queue = finance.get("/console/rejected?workspace_id=x").await;
        for (answer, wrong, right) in [
            (&recipient, "name", "email"),
            (&client, "workspaces", "name"),
            (&own, "workspaces", "name"),
            (&list, "issued_from", "issued_to"),
            (&report, "to", "group"),
        ] {
            let marked =
                |name: &str| format!("name=\"{name}\" aria-invalid=\"true\" aria-describedby=\"problems\"");
            assert!(answer.text.contains(&marked(wrong)), "{wrong}: {}", answer.text);
            assert!(!answer.text.contains(&marked(right)), "{right}: {}", answer.text);
            assert_eq!(answer.text.matches("id=\"problems\"").count(), 1, "{}", answer.text);
        }
        assert!(queue.text.contains("aria-describedby=\"problems\""), "{}", queue.text);
    })
    .await;
}
