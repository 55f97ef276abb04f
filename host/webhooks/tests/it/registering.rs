use crate::world::{URL, World, here, stranger};
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::WorkspaceId;
use gateway_domain_platform::webhooks::NoticeAccess;
use gateway_webhooks::{WebhookChange, WebhookError};
use secrecy::ExposeSecret;

fn fields(error: &WebhookError) -> Vec<String> {
    match error {
        WebhookError::Invalid(faults) => faults.iter().map(|fault| fault.field.clone()).collect(),
        other => vec![other.to_string()],
    }
}

async fn refused(world: &World, url: &str, events: &[&str]) -> WebhookError {
    let events: Vec<String> = events.iter().map(|event| (*event).to_owned()).collect();
    let events = (events.as_slice(), NoticeAccess::Denied);
    world.webhooks.register(&world.acting, world.workspace, url, events).await.unwrap_err()
}

#[tokio::test]
async fn a_webhook_is_registered_and_its_secret_shown_once() {
    for world in here().await {
        let (endpoint, secret) = world.registered("HTTPS://Hooks.Example:443/a?b=c", &["task.changed"]).await;
        assert_eq!(endpoint.url, "https://hooks.example/a?b=c");
        assert!(secret.expose_secret().starts_with("whsec_"));
        assert!(!format!("{endpoint:?}").contains("secret"));
        let (second, other) = world.registered(URL, &[]).await;
        assert_ne!(secret.expose_secret(), other.expose_secret());
        let all = world.webhooks.list(&world.acting, world.workspace, 10, 0).await.unwrap();
        assert_eq!((all.total, all.nodes), (2, vec![endpoint.clone(), second.clone()]));
        assert_eq!(
            world.webhooks.list(&world.acting, world.workspace, 10, 1).await.unwrap().nodes,
            std::slice::from_ref(&second)
        );
        world.webhooks.delete(&world.acting, endpoint.id).await.unwrap();
        let error = world.webhooks.delete(&world.acting, endpoint.id).await.unwrap_err();
        assert!(matches!(error, WebhookError::NotFound { field: "id", .. }));
        assert_eq!(world.webhooks.list(&world.acting, world.workspace, 10, 0).await.unwrap().total, 1);
    }
}

#[tokio::test]
async fn an_address_inside_is_refused_and_an_unknown_name_is_not() {
    for world in here().await {
        world.webhook_sender.leads("rebound.example", "169.254.169.254");
        world.webhook_sender.leads("fine.example", "93.184.216.34");
        for url in
            ["http://127.0.0.1/", "http://localhost/", "http://rebound.example/", "ftp://fine.example/", "x"]
        {
            assert_eq!(fields(&refused(&world, url, &[]).await), ["notification_url"], "{url}");
        }
        let error = refused(&world, "http://rebound.example/", &["nonsense"]).await;
        assert_eq!(fields(&error), ["notification_url", "events[0]"]);
        assert!(
            error.to_string().contains("rebound.example (169.254.169.254) is a link-local address"),
            "{error}"
        );
        for url in ["http://fine.example/", "https://unknown.example/"] {
            world.registered(url, &[]).await;
        }
    }
}

#[tokio::test]
async fn notices_are_told_to_nobody_who_may_not_read_them() {
    for world in here().await {
        let error = refused(&world, URL, &["task.changed", "webhook.disabled"]).await;
        assert_eq!(fields(&error), ["events[1]"]);
        assert!(error.to_string().contains("notices.read"), "{error}");
        let (endpoint, _) = world.registered(URL, &["webhook.disabled"]).await;
        let named = || Some(vec!["webhook.disabled".to_owned(), "plugin.blocked".to_owned()]);
        let change = WebhookChange { events: named(), ..WebhookChange::default() };
        let error = world.webhooks.change(&world.acting, endpoint.id, &change).await.unwrap_err();
        assert_eq!(fields(&error), ["events[0]", "events[1]"]);
        let change = WebhookChange { notices: NoticeAccess::Granted, ..change };
        let changed = world.webhooks.change(&world.acting, endpoint.id, &change).await.unwrap();
        assert_eq!(changed.events.names(), ["webhook.disabled", "plugin.blocked"]);
    }
}

#[tokio::test]
async fn webhooks_of_another_workspace_do_not_exist() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        let (other, here) = (stranger(), world.workspace);
        let remote_worlds = WorkspaceId(99);
        // Whoever calls in one workspace acts for that one alone.
        let there = Acting { workspaces: Workspaces::Only(vec![remote_worlds]), ..world.acting.clone() };
        for (acting, workspace) in [(&other, here), (&there, remote_worlds), (&other, remote_worlds)] {
            assert!(world.webhooks.list(acting, workspace, 10, 0).await.unwrap().nodes.is_empty());
            let change = WebhookChange { enabled: Some(false), ..WebhookChange::default() };
            let errors = [
                world.webhooks.find(acting, endpoint.id).await.unwrap_err(),
                world.webhooks.change(acting, endpoint.id, &change).await.unwrap_err(),
                world.webhooks.delete(acting, endpoint.id).await.unwrap_err(),
                world.webhooks.test(acting, endpoint.id).await.unwrap_err(),
                world.webhooks.rotate_secret(acting, endpoint.id).await.map(|_| ()).unwrap_err(),
                world.webhooks.deliveries(&acting.workspaces, endpoint.id, None, 1, 0).await.unwrap_err(),
            ];
            assert!(errors.iter().all(|error| matches!(error, WebhookError::NotFound { .. })), "{errors:?}");
        }
        let error =
            world.webhooks.register(&other, here, URL, (&[], NoticeAccess::Granted)).await.unwrap_err();
        assert!(matches!(error, WebhookError::NotFound { field: "workspace_id", .. }));
    }
}

#[tokio::test]
async fn what_an_operator_switches_off_the_owner_does_not_switch_on() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        let (operator, on) =
            (Actor::operator(), WebhookChange { enabled: Some(true), ..WebhookChange::default() });
        world.webhooks.switch(&Workspaces::All, &operator, endpoint.id, false).await.unwrap();
        let change = world.webhooks.change(&world.acting, endpoint.id, &on);
        assert_eq!(fields(&change.await.unwrap_err()), ["enabled"]);
        world.webhooks.switch(&Workspaces::All, &operator, endpoint.id, true).await.unwrap();
        let off = WebhookChange {
            enabled: Some(false),
            events: Some(vec!["task.changed".to_owned()]),
            ..WebhookChange::default()
        };
        let changed = world.webhooks.change(&world.acting, endpoint.id, &off).await.unwrap();
        assert_eq!((changed.disabled.is_some(), changed.events.names()), (true, vec!["task.changed"]));
        let changed = world.webhooks.change(&world.acting, endpoint.id, &on).await.unwrap();
        assert_eq!((changed.disabled, changed.events.names()), (None, vec!["task.changed"]));
        let all = world.webhooks.all(&Workspaces::All, 10, 0).await.unwrap();
        assert_eq!((all.total, all.nodes), (1, vec![(changed, 0)]));
    }
}
