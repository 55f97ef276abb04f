use crate::webhook_sender::status;
use crate::world::{URL, World, here};
use gateway_domain::ids::{DeliveryId, WebhookId};
use gateway_domain_platform::webhooks::{DeliveryState, EventType};
use gateway_webhooks::{ReplayResult, WebhookChange, WebhookError};
use jiff::Timestamp;
use uuid::Uuid;

async fn replay(
    world: &World,
    id: WebhookId,
    from: Timestamp,
    to: Timestamp,
) -> Result<ReplayResult, WebhookError> {
    world.webhooks.replay_range(&world.acting, id, (from, to)).await
}

#[tokio::test]
async fn a_test_is_sent_whatever_the_filter_says() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &["invoice.issued"]).await;
        let made = world.webhooks.test(&world.acting, endpoint.id).await.unwrap();
        assert_eq!((made.event, made.position, made.state), (EventType::Test, None, DeliveryState::Pending));
        world.delivered().await;
        let request = world.webhook_sender.carried().remove(0);
        assert!(request.body.starts_with("{\"type\":\"webhook.test\""), "{}", request.body);
        assert_eq!(world.deliveries_of(endpoint.id).await[0].id, made.id);
    }
}

#[tokio::test]
async fn one_delivery_is_sent_again_under_its_id() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        world.changes().await;
        world.fanned_out().await;
        world.delivered().await;
        let first = world.webhook_sender.carried().remove(0);
        let delivery = world.deliveries_of(endpoint.id).await[0].id;
        let acting = &world.acting;
        world.webhooks.replay_delivery(acting, endpoint.id, delivery).await.unwrap();
        world.pass(60);
        world.delivered().await;
        let again = world.webhook_sender.carried().remove(0);
        assert_eq!((&again.id, &again.body), (&first.id, &first.body));
        assert!(again.timestamp > first.timestamp && again.signature != first.signature);
        let log = world.deliveries_of(endpoint.id).await;
        assert_eq!((log.len(), log[0].attempts.len()), (1, 2));
        let unknown = DeliveryId(Uuid::from_u128(1));
        let error = world.webhooks.replay_delivery(acting, endpoint.id, unknown).await.unwrap_err();
        assert!(matches!(error, WebhookError::NotFound { field: "delivery_id", .. }));
    }
}

#[tokio::test]
async fn a_range_of_time_is_sent_again_and_what_was_missed_comes_with_it() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        let begin = world.now();
        world.changes().await;
        world.fanned_out().await;
        world.delivered().await;
        let switch = async |world: &World, enabled| {
            let change = WebhookChange { enabled: Some(enabled), ..WebhookChange::default() };
            world.webhooks.change(&world.acting, endpoint.id, &change).await.unwrap();
        };
        world.pass(60);
        switch(&world, false).await;
        world.changes().await;
        world.changes().await;
        world.fanned_out().await;
        let error = replay(&world, endpoint.id, begin, world.now()).await.unwrap_err();
        assert!(error.to_string().contains("enable it first"), "{error}");
        switch(&world, true).await;
        assert_eq!(world.delivered().await, 0);
        world.pass(60);
        let first = world.webhook_sender.carried().remove(0);
        let later = begin.checked_add(jiff::SignedDuration::from_secs(1)).unwrap();
        let replayed = replay(&world, endpoint.id, later, world.now()).await.unwrap();
        assert_eq!(replayed.count, 2);
        world.delivered().await;
        assert_eq!(world.webhook_sender.carried().len(), 2);
        let replayed = replay(&world, endpoint.id, begin, begin).await.unwrap();
        assert_eq!(replayed.count, 1);
        world.delivered().await;
        assert_eq!(world.webhook_sender.carried().remove(0).id, first.id);
        assert!(replay(&world, endpoint.id, later, begin).await.is_err());
    }
}

#[tokio::test]
async fn somebody_who_insists_does_not_wait_for_an_endpoint_to_recover() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        world.webhook_sender.answers(URL, status(500));
        world.changes().await;
        world.fanned_out().await;
        world.delivered().await;
        assert_eq!(world.delivered().await, 0);
        world.webhook_sender.answers(URL, status(200));
        world.webhooks.test(&world.acting, endpoint.id).await.unwrap();
        world.delivered().await;
        assert_eq!(world.endpoint(endpoint.id).await.health.failures, 0);
    }
}

#[tokio::test]
async fn what_is_a_month_old_is_forgotten() {
    for world in here().await {
        let (endpoint, _) = world.registered(URL, &[]).await;
        world.changes().await;
        world.fanned_out().await;
        world.delivered().await;
        world.pass(30 * 24 * 3600);
        assert_eq!(world.webhooks.forget_old().await.unwrap(), 0);
        world.pass(1);
        assert_eq!(world.webhooks.forget_old().await.unwrap(), 1);
        assert!(world.deliveries_of(endpoint.id).await.is_empty());
    }
}
