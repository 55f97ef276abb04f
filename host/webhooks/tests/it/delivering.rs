use crate::webhook_sender::status;
use crate::world::{URL, World, here};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway_domain::ids::WebhookId;
use gateway_domain_events::notices::NoticeKind;
use gateway_domain_platform::webhooks::{DeliveryState, Disabled};
use gateway_outbound::NoAnswer;
use gateway_webhooks::WebhookChange;
use gateway_webhooks::{WebhookRequest, WebhookResponse, WebhookSendError};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};

const HOUR: i64 = 3600;

/// Whether one of the signatures of a request was made with a secret.
fn signed_with(request: &WebhookRequest, secret: &SecretString) -> bool {
    let key = STANDARD.decode(secret.expose_secret().strip_prefix("whsec_").unwrap()).unwrap();
    let key = aws_lc_rs::hmac::Key::new(aws_lc_rs::hmac::HMAC_SHA256, &key);
    let content = format!("{}.{}.{}", request.id, request.timestamp, request.body);
    let expected = format!("v1,{}", STANDARD.encode(aws_lc_rs::hmac::sign(&key, content.as_bytes())));
    request.signature.split(' ').any(|signature| signature == expected)
}

async fn states(world: &World, id: WebhookId) -> Vec<(DeliveryState, usize)> {
    world.deliveries_of(id).await.iter().map(|one| (one.state, one.attempts.len())).collect()
}

#[tokio::test]
async fn what_happened_right_before_a_registration_is_not_told() {
    for world in here().await {
        for _ in 0..3 {
            world.changes().await;
        }
        let (endpoint, _) = world.registered(URL, &[]).await;
        let group = world.changes().await;
        world.fanned_out().await;
        world.delivered().await;
        let carried = world.webhook_sender.carried();
        assert_eq!(carried.len(), 1, "although nobody had relayed them");
        assert!(carried[0].body.contains(&group.to_string()), "{}", carried[0].body);
        assert_eq!(states(&world, endpoint.id).await, [(DeliveryState::Delivered, 1)]);
    }
}

#[tokio::test]
async fn an_event_reaches_every_endpoint_that_wants_it_once() {
    for world in here().await {
        world.changes().await;
        world.relayed().await;
        let (all, secret) = world.registered(URL, &[]).await;
        let (some, _) =
            world.registered("https://b.example/", &["product_group.changed", "booking.changed"]).await;
        let (none, _) = world.registered("https://c.example/", &["invoice.issued"]).await;
        let group = world.changes().await;
        world.fanned_out().await;
        assert_eq!(world.delivered().await, 2);
        let carried = world.webhook_sender.carried();
        assert_eq!(carried.len(), 2, "not what was before the registration");
        let body: Value = serde_json::from_str(&carried[0].body).unwrap();
        assert_eq!(
            body,
            json!({"type": "product_group.changed", "timestamp": "2026-11-20T09:00:00Z", "data": {"id": group,
                "change": "created", "internal_reference": "A", "state": "INACTIVE", "workspace_id": world.workspace,
                "sequence": 2}})
        );
        assert_eq!(carried[0].id, carried[1].id, "one event, one id");
        let own = carried.iter().find(|request| request.target.to_string() == URL).unwrap();
        assert!(signed_with(own, &secret) && own.timestamp == world.now().as_second());
        for (endpoint, count) in [(all.id, 1), (some.id, 1), (none.id, 0)] {
            assert_eq!(states(&world, endpoint).await, vec![(DeliveryState::Delivered, 1); count]);
        }
        assert_eq!(world.delivered().await, 0);
    }
}

#[tokio::test]
async fn what_fails_is_tried_again_under_the_same_id_until_it_arrives() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        let answer = WebhookResponse { status: 503, body: "busy".to_owned(), ..WebhookResponse::default() };
        world.webhook_sender.answers(URL, Ok(answer));
        world.changes().await;
        world.fanned_out().await;
        assert_eq!(world.delivered().await, 1);
        for wait in [6, 331, 33 * 60] {
            world.pass(wait / 2);
            assert_eq!(world.delivered().await, 0, "too early");
            world.pass(wait / 2 + 1);
            assert_eq!(world.delivered().await, 1, "{wait}");
        }
        world.webhook_sender.answers(URL, status(200));
        world.pass(3 * HOUR);
        assert_eq!(world.delivered().await, 1);
        let carried = world.webhook_sender.carried();
        assert_eq!(carried.len(), 5);
        assert!(carried.iter().all(|request| request.id == carried[0].id && request.body == carried[0].body));
        let log = world.deliveries_of(endpoint.id).await;
        assert_eq!((log.len(), log[0].state), (1, DeliveryState::Delivered));
        let tries: Vec<_> = log[0].attempts.iter().map(|one| (one.status, one.error.as_deref())).collect();
        let busy = (Some(503), Some("http_503"));
        assert_eq!(tries, [busy, busy, busy, busy, (Some(200), None)]);
        assert_eq!(log[0].attempts[0].detail, "busy");
        let endpoint = world.endpoint(endpoint.id).await;
        assert_eq!((endpoint.health.failures, endpoint.succeeded_at), (0, Some(world.now())));
    }
}

#[tokio::test]
async fn a_delivery_is_given_up_after_ten_tries() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        world.webhook_sender.answers(URL, Err(WebhookSendError::Connect(NoAnswer::NobodyListens)));
        world.changes().await;
        world.fanned_out().await;
        let mut tries = 0;
        // Waits are a tenth longer or shorter: at the longest the last try comes 22 steps after the first.
        for _ in 0..23 {
            tries += world.delivered().await;
            world.pass(27 * HOUR / 5);
        }
        assert_eq!(tries, 10);
        assert_eq!(states(&world, endpoint.id).await, [(DeliveryState::Failed, 10)]);
        assert!(world.endpoint(endpoint.id).await.disabled.is_none(), "three days are no five");
    }
}

#[tokio::test]
async fn an_endpoint_that_fails_is_probed_with_one_delivery_and_then_gets_all() {
    for world in here().await {
        let (dead, _) = world.registered(URL, &[]).await;
        let (well, _) = world.registered("https://well.example/", &[]).await;
        world.webhook_sender.answers(URL, Err(WebhookSendError::TimedOut { seconds: 15 }));
        for _ in 0..30 {
            world.changes().await;
        }
        world.fanned_out().await;
        world.delivered().await;
        let to_dead = |world: &World| {
            world.webhook_sender.carried().iter().filter(|request| request.target.to_string() == URL).count()
        };
        let log = world.deliveries_of(well.id).await;
        assert!(log.iter().all(|one| one.state == DeliveryState::Delivered) && log.len() == 30);
        assert!(to_dead(&world) <= 4, "no more than what was on its way");
        for _ in 0..3 {
            world.pass(10 * 60);
            world.changes().await;
            world.fanned_out().await;
            world.delivered().await;
            assert_eq!(to_dead(&world), 1);
        }
        world.webhook_sender.answers(URL, status(200));
        world.pass(30 * 60);
        world.delivered().await;
        let log = world.deliveries_of(dead.id).await;
        let waiting = log.iter().filter(|one| one.state == DeliveryState::Pending).count();
        assert!(waiting <= 4, "all but what was tried before and waits for its own time: {waiting}");
        world.pass(30 * HOUR);
        world.delivered().await;
        assert!(world.deliveries_of(dead.id).await.iter().all(|one| one.state == DeliveryState::Delivered));
    }
}

#[tokio::test]
async fn what_an_endpoint_asks_for_is_kept() {
    for world in here().await {
        world.registered(URL, &[]).await;
        let answer = WebhookResponse { status: 429, retry_after_s: Some(1000), ..WebhookResponse::default() };
        world.webhook_sender.answers(URL, Ok(answer));
        world.changes().await;
        world.fanned_out().await;
        world.delivered().await;
        world.webhook_sender.answers(URL, status(200));
        world.pass(999);
        world.changes().await;
        world.fanned_out().await;
        assert_eq!(world.delivered().await, 0);
        world.pass(1);
        assert_eq!(world.delivered().await, 2, "one alone, then the rest");
    }
}

#[tokio::test]
async fn gone_ends_an_endpoint_at_once_and_its_owner_switches_it_on_again() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        world.webhook_sender.answers(URL, status(410));
        world.changes().await;
        world.fanned_out().await;
        world.delivered().await;
        let disabled = world.endpoint(endpoint.id).await.disabled;
        assert_eq!(disabled, Some((Disabled::Gone, world.now())));
        world.changes().await;
        world.fanned_out().await;
        world.pass(48 * HOUR);
        assert_eq!(world.delivered().await, 0);
        world.webhook_sender.answers(URL, status(200));
        let on = WebhookChange { enabled: Some(true), ..WebhookChange::default() };
        world.webhooks.change(&world.acting, endpoint.id, &on).await.unwrap();
        world.delivered().await;
        assert_eq!(
            states(&world, endpoint.id).await,
            [(DeliveryState::Delivered, 2)],
            "the other one was not told"
        );
    }
}

#[tokio::test]
async fn an_endpoint_that_fails_for_five_days_is_disabled_and_says_so() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        world.webhook_sender.answers(URL, status(500));
        for _ in 0..12 {
            world.changes().await;
            world.fanned_out().await;
            world.delivered().await;
            assert!(world.endpoint(endpoint.id).await.disabled.is_none());
            world.pass(10 * HOUR);
        }
        world.delivered().await;
        let found = world.endpoint(endpoint.id).await;
        assert_eq!(found.disabled, Some((Disabled::Failing, world.now())));
        let entries = gateway_storage::audit::page(world.db.db(), None, 1).await.unwrap();
        assert_eq!((entries[0].action.as_str(), entries[0].actor.name()), ("webhook.disable", "gateway"));
        let [notice] = world.notices().await.try_into().unwrap();
        assert_eq!(
            (notice.kind, notice.workspace, notice.subject),
            (NoticeKind::WebhookDisabled, Some(world.workspace), endpoint.id.0)
        );
        assert_eq!((notice.data.code.as_str(), notice.data.since), ("failing", found.created_at));
        assert_eq!(notice.data.next_command, format!("gateway webhook enable {}", endpoint.id));
        let on = WebhookChange { enabled: Some(true), ..WebhookChange::default() };
        world.webhooks.change(&world.acting, endpoint.id, &on).await.unwrap();
        world.delivered().await;
        let found = world.endpoint(endpoint.id).await;
        assert_eq!((found.disabled, found.health.failures), (None, 1), "it begins anew");
    }
}

#[tokio::test]
async fn that_an_endpoint_is_dead_is_told_to_others_and_never_to_itself() {
    for world in here().await {
        let (dead, _) = world.registered(URL, &["webhook.disabled", "product_group.changed"]).await;
        let (other, _) = world.registered("https://other.example/", &["webhook.disabled"]).await;
        let (third, _) = world.registered("https://third.example/", &[]).await;
        world.webhook_sender.answers(URL, status(410));
        world.changes().await;
        world.fanned_out().await;
        world.delivered().await;
        // Its owner is faster than the fan-out.
        world.webhook_sender.answers(URL, status(200));
        let on = WebhookChange { enabled: Some(true), ..WebhookChange::default() };
        world.webhooks.change(&world.acting, dead.id, &on).await.unwrap();
        world.fanned_out().await;
        world.delivered().await;
        let kinds = async |id| -> Vec<_> {
            world.deliveries_of(id).await.iter().map(|delivery| delivery.event.as_str()).collect()
        };
        assert_eq!(kinds(dead.id).await, ["product_group.changed"]);
        assert_eq!(kinds(other.id).await, ["webhook.disabled"]);
        assert_eq!(kinds(third.id).await, ["product_group.changed"]);
        for (id, count) in [(dead.id, 1), (other.id, 1), (third.id, 1)] {
            let all = (Timestamp::UNIX_EPOCH, world.now());
            let replayed = world.webhooks.replay_range(&world.acting, id, all).await.unwrap();
            assert_eq!(replayed.count, count, "nor is it replayed to whom it was not told");
        }
    }
}

#[tokio::test]
async fn two_secrets_sign_for_a_day_or_until_the_next_rotation() {
    for world in here().await {
        let (endpoint, first) = world.registered(URL, &[]).await;
        let next = async |world: &World| {
            world.changes().await;
            world.fanned_out().await;
            world.delivered().await;
            world.webhook_sender.carried().pop().unwrap()
        };
        let rotate =
            async |world: &World| world.webhooks.rotate_secret(&world.acting, endpoint.id).await.unwrap().1;
        let second = rotate(&world).await;
        let request = next(&world).await;
        assert_eq!(request.signature.split(' ').count(), 2);
        assert!(signed_with(&request, &first) && signed_with(&request, &second));
        let third = rotate(&world).await;
        let request = next(&world).await;
        assert!(
            !signed_with(&request, &first) && signed_with(&request, &second) && signed_with(&request, &third)
        );
        world.pass(24 * HOUR);
        let request = next(&world).await;
        assert_eq!(request.signature.split(' ').count(), 1);
        assert!(!signed_with(&request, &second) && signed_with(&request, &third));
    }
}

#[tokio::test]
async fn a_redirect_is_a_failure_that_says_where_to_register() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        let moved = WebhookResponse {
            status: 308,
            location: Some("https://new.example/".to_owned()),
            body: "moved".to_owned(),
            retry_after_s: None,
        };
        world.webhook_sender.answers(URL, Ok(moved));
        world.changes().await;
        world.fanned_out().await;
        world.delivered().await;
        let attempt = world.deliveries_of(endpoint.id).await.remove(0).attempts.remove(0);
        assert_eq!((attempt.status, attempt.error.as_deref()), (Some(308), Some("redirect")));
        assert_eq!(
            attempt.detail,
            "redirects are not followed: register https://new.example/ instead. moved"
        );
    }
}

#[tokio::test]
async fn what_another_process_took_over_is_not_told_by_the_first() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        world.changes().await;
        world.fanned_out().await;
        // A process that took it and died.
        let lease = jiff::SignedDuration::from_secs(600);
        let now = world.now();
        let claimed = gateway_storage::webhooks::claim(world.db.db(), "dead", now, lease, 10).await.unwrap();
        assert_eq!(claimed.len(), 1);
        assert_eq!(world.delivered().await, 0, "it may live");
        gateway_storage::testing::expire_leases(&world.db).await;
        assert_eq!(world.delivered().await, 1);
        assert_eq!(states(&world, endpoint.id).await, [(DeliveryState::Delivered, 1)]);
    }
}
