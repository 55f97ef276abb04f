//! What operators change in the console, and how its pages say so.

use super::{FINANCE, OPERATOR, READ, browser};
use gateway_tests::{
    Browser, Credentials, Options, Receiver, Route, ScriptedProvider, World, between, on_both, until,
};
use serde_json::json;

#[tokio::test]
async fn a_change_of_plugins_says_whom_it_changes_before_it_is_made() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::sandbox()).await;
        let operator = browser(&world, OPERATOR).await;
        let list = until("the plugin is in force", || async {
            Some(operator.get("/console/plugins").await.text).filter(|text| text.contains("es-verifactu@"))
        });
        assert!(list.await.contains("<option value=\"\">choose…</option>"));
        let unchosen = [("action", "disable"), ("key", "es-verifactu"), ("workspace_id", "")];
        for action in ["confirm", "disable", "roll-back"] {
            let answer = operator.submit(&format!("/console/plugins/{action}"), &unchosen).await;
            assert!(answer.status == 422 && answer.text.contains("choose for whom"), "{}", answer.text);
        }
        for (action, scope, title) in [
            ("disable", "everybody", "Take out of force for everybody</button>"),
            ("disable", "1", "Take out of force for workspace 1</button>"),
        ] {
            let fields = [("action", action), ("key", "es-verifactu"), ("workspace_id", scope)];
            let page = operator.submit("/console/plugins/confirm", &fields).await;
            assert!(page.text.contains(title) && page.text.contains("Nothing changed yet"), "{}", page.text);
        }
        let back = [("action", "roll-back"), ("key", "es-verifactu"), ("workspace_id", "everybody")];
        let nothing = operator.submit("/console/plugins/confirm", &back).await;
        assert!(nothing.status == 409 && nothing.text.contains("no earlier version"), "{}", nothing.text);
        let list = operator.get("/console/plugins").await.text;
        assert!(list.contains("Take out of force") && !list.contains("Return to the version"), "{list}");
        let name = format!("es-verifactu@{}", between(&list, "id=\"es-verifactu@", "\"").unwrap());
        let again = [("name", name.as_str()), ("workspace_id", "everybody")];
        let check = operator.submit("/console/plugins/check", &again).await.text;
        assert!(check.contains("in force already") && !check.contains("plugins/activate"), "{check}");
        let everybody = [("key", "es-verifactu"), ("workspace_id", "everybody")];
        let disabled = operator.submit("/console/plugins/disable", &everybody).await;
        assert_eq!(disabled.header("location"), "/console/plugins?done=out-of-force");
        let notice = "role=\"status\">The plugin is out of force there.";
        assert!(operator.get(disabled.header("location")).await.text.contains(notice));
        let other = operator.get("/console/plugins?done=%3Cb%3E").await.text;
        assert!(!other.contains("role=\"status\"") && !other.contains("<b>"), "{other}");
        let confirmed = operator.submit("/console/plugins/confirm", &back).await.text;
        assert!(confirmed.contains(&format!("Return to {name} for everybody</button>")), "{confirmed}");
        let back = operator.submit("/console/plugins/roll-back", &everybody).await;
        assert!(back.status == 200 && back.text.contains("is in force"), "{}", back.text);
        assert!(!back.text.contains("Check before the activation"), "nothing was checked: {}", back.text);
    })
    .await;
}

#[tokio::test]
async fn a_test_of_a_webhook_leads_back_to_the_deliveries_that_were_looked_at() {
    on_both(|engine| async move {
        let options = Options::sandbox().variable("GATEWAY_WEBHOOKS__ALLOW_PRIVATE", "true");
        let (world, receiver) = (World::with(engine, options).await, Receiver::start().await);
        let api = world.gateway.public().with_token(world.api.token());
        let registration = json!({"workspace_id": world.workspace, "notification_url": receiver.url("/a")});
        let registered = api.post("/v1/webhooks", &registration).await.expect(201);
        let page = format!("/console/webhooks/{}", registered["webhook"]["id"].as_str().unwrap());
        let operator = browser(&world, OPERATOR).await;
        let narrowed = [("status", "failed"), ("skip", "50")];
        let sent = operator.submit(&format!("{page}/test"), &narrowed).await;
        assert_eq!(sent.header("location"), format!("{page}?skip=50&status=failed&done=test-sent"));
        let html = operator.get(sent.header("location")).await.text;
        for part in ["A test is on its way", "name=\"status\" value=\"failed\"", "name=\"skip\" value=\"50\""]
        {
            assert!(html.contains(part), "{part}: {html}");
        }
        let disabled = operator.submit(&format!("{page}/disable"), &[]).await;
        assert_eq!(disabled.header("location"), format!("{page}?done=disabled"));
    })
    .await;
}

#[tokio::test]
async fn clients_are_called_by_their_names_and_looked_up_by_them() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let grants = ["--permission", "admin", "--workspace", "*"];
        let bookkeeper = Credentials::of_new_client(&world.gateway, "Bookkeeper", &grants).await;
        let named = Browser::signed_in(world.gateway.internal().base(), &bookkeeper).await;
        assert_eq!(named.submit("/console/keys", &[]).await.status, 200);
        let link = format!("client <a href=\"/console/clients/{}\">Bookkeeper</a>", bookkeeper.id);
        let found = named.get("/console/audit?actor=bookkeeper").await.text;
        assert!(found.contains(&link) && !found.contains("No entry fits"), "{found}");
        for alike in [OPERATOR, FINANCE] {
            browser(&world, alike).await;
        }
        let several = named.get("/console/audit?actor=tests").await.text;
        assert!(several.contains("Several clients are called so"), "{several}");
    })
    .await;
}

#[tokio::test]
async fn what_waits_for_somebody_says_what_to_do_and_where() {
    on_both(|engine| async move {
        let world = World::with(engine, Options::default()).await;
        let finance = browser(&world, FINANCE).await;
        let document = world.issue(&world.document()).await;
        world.until_alert(&document, "providerNotConfigured").await;
        let invoice = format!("/console/invoices/{document}");
        for path in ["/console", "/console/jobs", invoice.as_str()] {
            let page = finance.get(path).await.text;
            assert!(page.contains("No address of the provider is configured."), "{path}: {page}");
            let links = page.matches("<a href=\"/console/health\">Health</a>").count();
            assert_eq!(links, 2, "one in the menu, one with the alert: {path}: {page}");
        }
        assert!(finance.get("/console").await.text.contains("Provider: <b>reachable</b>"));
        let workspace = world.workspace.to_string();
        let all = finance.submit("/console/bulk/retry", &[("workspace_id", workspace.as_str())]).await;
        assert!(all.text.contains("Retry: 1 document<") && all.text.contains(&document), "{}", all.text);
    })
    .await;
}

#[tokio::test]
async fn a_token_is_tried_before_it_is_saved_and_neither_stored_nor_shown() {
    on_both(|engine| async move {
        let provider = ScriptedProvider::start().await;
        let world = World::unconfigured(engine, Options::provider(&provider.url())).await;
        let (operator, reader) = (browser(&world, OPERATOR).await, browser(&world, READ).await);
        let path = format!("/console/workspaces/{}/e-invoicing", world.workspace);
        let test = format!("{path}/test");
        until("the plugin is in force", || async {
            Some(operator.get(&path).await.text).filter(|text| text.contains("es-verifactu"))
        })
        .await;
        let last_authorization =
            || provider.calls_of(Route::GetEntry).last().map(|call| call.authorization.clone());
        let typed = [
            ("regime", "es-verifactu"),
            ("company_id", "not known yet"),
            ("workflow_id", ""),
            ("token", "token-of-a-try"),
        ];
        assert_eq!(reader.submit(&test, &typed).await.status, 403);
        assert_eq!(last_authorization(), None);
        let tried = operator.submit(&test, &typed).await;
        for part in [
            "role=\"status\">With the token that was typed: the provider answered and takes the token",
            "value=\"not known yet\"",
            "id=\"lost-token\">Type the token again",
        ] {
            assert!(tried.text.contains(part), "{part}: {}", tried.text);
        }
        assert!(!tried.text.contains("token-of-a-try"), "{}", tried.text);
        assert!(!tried.text.contains("aria-invalid"), "a token that is good is not marked: {}", tried.text);
        assert_eq!(last_authorization().as_deref(), Some("Bearer token-of-a-try"));
        assert!(operator.get(&path).await.text.contains("It is stored encrypted"), "nothing was stored");

        let id = "0197f4f2-0000-7000-8000-0000000000d1";
        let complete = [
            ("regime", "es-verifactu"),
            ("company_id", id),
            ("workflow_id", id),
            ("token", "token-that-is-kept"),
        ];
        let saved = operator.submit(&path, &complete).await;
        assert_eq!(saved.header("location"), format!("{path}?done=saved"), "{}", saved.text);
        assert!(operator.get(saved.header("location")).await.text.contains("role=\"status\">Saved."));
        for (token, expected) in [("another-try", "Bearer another-try"), ("", "Bearer token-that-is-kept")] {
            let fields = [&complete[..3], &[("token", token)]].concat();
            assert_eq!(operator.submit(&test, &fields).await.status, 200);
            assert_eq!(last_authorization().as_deref(), Some(expected));
        }
    })
    .await;
}

#[tokio::test]
async fn what_was_changed_of_workspaces_and_clients_is_said_on_the_next_page() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let operator = browser(&world, OPERATOR).await;
        let workspace = format!("/console/workspaces/{}", world.workspace);
        let other = world.another_client(READ, &["1"]).await;
        let client = format!("/console/clients/{}", other.id);
        let named = [("name", "Mayor"), ("workspaces", "1"), ("permission", "console.read")];
        for (form, page, fields, word, sentence) in [
            (workspace.clone(), &workspace, &named[..1], "saved", "Saved."),
            (client.clone(), &client, &named, "saved", "Saved."),
            (format!("{client}/disable"), &client, &[], "disabled", "Disabled."),
            (format!("{client}/enable"), &client, &[], "enabled", "Enabled."),
            (format!("{workspace}/logo/remove"), &workspace, &[], "removed", "Removed."),
            (
                format!("{workspace}/e-invoicing/clear"),
                &workspace,
                &[],
                "e-invoicing-stopped",
                "E-invoicing has stopped: documents of this workspace are issued without a tax authority.",
            ),
        ] {
            let answer = operator.submit(&form, fields).await;
            assert_eq!(answer.header("location"), format!("{page}?done={word}"), "{}", answer.text);
            let said = operator.get(answer.header("location")).await.text;
            assert!(said.contains(&format!("role=\"status\">{sentence}</p>")), "{sentence}: {said}");
        }
    })
    .await;
}

#[tokio::test]
async fn charts_say_when_in_hours_or_days() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let operator = browser(&world, OPERATOR).await;
        for (query, span, sign) in [("", "24 hours", ":00</text>"), ("?range=30d", "30 days", "</text>")] {
            let page = operator.get(&format!("/console{query}")).await.text;
            assert_eq!(page.matches(&format!(", over {span} from 20")).count(), 3, "{page}");
            assert!(page.contains("%\" y=\"97%\">") && page.contains(sign), "{page}");
        }
    })
    .await;
}
