use super::*;
use crate::testing::{self, samples, samples::at};
use crate::webhooks::deliveries::{self, DeliveryResult, Message, NewDelivery};
use gateway_domain::ids::{DeliveryId, EventId};
use gateway_domain_platform::webhooks::DeliveryAttempt;
use gateway_domain_platform::webhooks::{DeliveryState, EventType};
use uuid::Uuid;

const LEASE: SignedDuration = SignedDuration::from_secs(600);
const WORKSPACE: WorkspaceId = WorkspaceId(7);

fn endpoint(number: u128) -> WebhookId {
    WebhookId(Uuid::from_u128(number))
}

fn delivery(number: u128) -> DeliveryId {
    DeliveryId(Uuid::from_u128(number))
}

async fn register(db: &Db, number: u128) {
    let new = NewEndpoint {
        id: endpoint(number),
        workspace: WORKSPACE,
        url: "https://example.com/",
        events: &EventFilter::default(),
        secret: b"\x01keyid001secret",
    };
    let mut tx = db.begin().await.unwrap();
    assert!(insert(&mut tx, &new, 100, at(0)).await.unwrap());
    tx.commit().await.unwrap();
}

/// A message for some endpoints; the delivery of message 3 to endpoint 1 has the number 3001.
async fn send(db: &Db, number: u128, to: &[u128], now: i64) {
    let message = EventId(Uuid::from_u128(number));
    let mut tx = db.begin().await.unwrap();
    let stored = Message {
        id: message,
        workspace: WORKSPACE,
        event: EventType::TaskChanged,
        position: Some(i64::try_from(number).unwrap()),
        time: at(now),
        body: format!("{{\"n\":{number}}}"),
    };
    deliveries::put_messages(&mut tx, &[stored.clone(), stored], at(now)).await.unwrap();
    let new: Vec<_> = to
        .iter()
        .map(|to| NewDelivery { id: delivery(number * 1000 + to), endpoint: endpoint(*to), message })
        .collect();
    deliveries::put(&mut tx, &new, at(now)).await.unwrap();
    deliveries::put(&mut tx, &new, at(now)).await.unwrap();
    let endpoints: Vec<_> = to.iter().map(|to| endpoint(*to)).collect();
    wake(&mut tx, &endpoints, at(now), false).await.unwrap();
    tx.commit().await.unwrap();
}

async fn claimed(db: &Db, owner: &str, now: i64) -> Vec<u128> {
    let claimed = claim(db, owner, at(now), LEASE, 10).await.unwrap();
    let mut ids: Vec<_> = claimed.iter().map(|endpoint| endpoint.id.0.as_u128()).collect();
    ids.sort_unstable();
    ids
}

async fn back(db: &Db, number: u128, owner: &str, failures: u32, not_before: Option<i64>) -> bool {
    let mut tx = db.begin().await.unwrap();
    lock(&mut tx, &[endpoint(number)]).await.unwrap();
    let health = Health { failures, failing_since: None, failed_at: None };
    let given = give_back(&mut tx, endpoint(number), owner, health, None, not_before.map(at)).await.unwrap();
    tx.commit().await.unwrap();
    given
}

fn results(number: u128, state: DeliveryState, due: Option<i64>) -> DeliveryResult {
    let attempt = DeliveryAttempt {
        at: at(1),
        duration_ms: 12,
        status: Some(200),
        error: None,
        detail: "a\0ü".to_owned(),
    };
    DeliveryResult { id: delivery(number), attempts: 1, state, due_at: due.map(at), attempt }
}

async fn settled(db: &Db, all: &[DeliveryResult]) {
    let mut tx = db.begin().await.unwrap();
    deliveries::settle(&mut tx, &all.iter().collect::<Vec<_>>(), at(2)).await.unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn what_is_due_next_is_an_endpoint_that_nobody_has_and_that_is_not_disabled() {
    for db in testing::both().await {
        samples::stored_workspace(db.db(), WORKSPACE.0).await;
        for number in 1..=3 {
            register(&db, number).await;
        }
        assert_eq!(next_due(db.db()).await.unwrap(), None, "nothing waits");
        for (message, (number, due)) in (5..).zip([(1, 10), (2, 20), (3, 30)]) {
            send(&db, message, &[number], due).await;
        }
        assert_eq!(next_due(db.db()).await.unwrap(), Some(at(10)));
        assert_eq!(claimed(&db, "a", 10).await, [1]);
        assert_eq!(next_due(db.db()).await.unwrap(), Some(at(20)), "the first one is leased");
        let mut tx = db.begin().await.unwrap();
        disable(&mut tx, endpoint(2), Disabled::Operator, at(15)).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(next_due(db.db()).await.unwrap(), Some(at(30)), "nothing is sent to the second");
    }
}

#[tokio::test]
async fn an_endpoint_is_looked_after_by_one_process_when_something_waits() {
    for db in testing::both().await {
        samples::stored_workspace(db.db(), WORKSPACE.0).await;
        register(&db, 1).await;
        register(&db, 2).await;
        assert!(claimed(&db, "a", 100).await.is_empty(), "nothing waits");
        send(&db, 5, &[1, 2], 10).await;
        assert!(claimed(&db, "a", 9).await.is_empty(), "not due");
        assert_eq!(claimed(&db, "a", 10).await, [1, 2]);
        assert!(claimed(&db, "b", 10).await.is_empty(), "leased");
        assert!(!back(&db, 1, "b", 0, None).await, "not its own");
        let due = deliveries::due(db.db(), endpoint(1), at(10), 10).await.unwrap();
        assert_eq!((due.len(), due[0].id, due[0].body.as_str()), (1, delivery(5001), "{\"n\":5}"));
        settled(&db, &[results(5001, DeliveryState::Delivered, None)]).await;
        assert!(back(&db, 1, "a", 0, None).await);
        assert!(claimed(&db, "b", 100).await.is_empty(), "nothing waits there any more");
        testing::expire_leases(&db).await;
    }
}

#[tokio::test]
async fn an_endpoint_that_fails_is_left_alone_until_its_time_whatever_comes() {
    for db in testing::both().await {
        samples::stored_workspace(db.db(), WORKSPACE.0).await;
        register(&db, 1).await;
        send(&db, 5, &[1], 10).await;
        assert_eq!(claimed(&db, "a", 10).await, [1]);
        settled(&db, &[results(5001, DeliveryState::Pending, Some(15))]).await;
        assert!(back(&db, 1, "a", 1, Some(20)).await);
        send(&db, 6, &[1], 11).await;
        assert!(claimed(&db, "a", 19).await.is_empty());
        assert_eq!(claimed(&db, "a", 20).await, [1]);
        assert!(back(&db, 1, "a", 2, Some(30)).await);
        let mut tx = db.begin().await.unwrap();
        wake(&mut tx, &[endpoint(1)], at(21), true).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(claimed(&db, "a", 21).await, [1], "somebody insists");
        // What waits the longest comes first: the new one was due at 11, the other one is due at 15.
        let due = deliveries::due(db.db(), endpoint(1), at(21), 10).await.unwrap();
        assert_eq!(due.iter().map(|due| due.id).collect::<Vec<_>>(), [delivery(6001), delivery(5001)]);
        assert_eq!(due[1].attempts, 1);
        settled(
            &db,
            &[results(6001, DeliveryState::Delivered, None), results(5001, DeliveryState::Pending, Some(40))],
        )
        .await;
        assert!(back(&db, 1, "a", 0, None).await);
        assert!(claimed(&db, "a", 39).await.is_empty());
        assert_eq!(claimed(&db, "a", 40).await, [1]);
    }
}

#[tokio::test]
async fn nothing_is_sent_to_a_disabled_endpoint_and_what_waits_goes_on_when_it_is_enabled() {
    for db in testing::both().await {
        samples::stored_workspace(db.db(), WORKSPACE.0).await;
        register(&db, 1).await;
        send(&db, 5, &[1], 10).await;
        let mut tx = db.begin().await.unwrap();
        assert!(disable(&mut tx, endpoint(1), Disabled::Failing, at(11)).await.unwrap());
        assert!(!disable(&mut tx, endpoint(1), Disabled::Owner, at(12)).await.unwrap());
        tx.commit().await.unwrap();
        let found = find(db.db(), &Workspaces::All, endpoint(1)).await.unwrap().unwrap();
        assert_eq!(found.disabled, Some((Disabled::Failing, at(11))));
        assert!(claimed(&db, "a", 50).await.is_empty());
        assert_eq!(deliveries::backlog(db.db()).await.unwrap(), (0, None));
        let mut tx = db.begin().await.unwrap();
        assert!(enable(&mut tx, endpoint(1), at(20)).await.unwrap());
        assert!(!enable(&mut tx, endpoint(1), at(20)).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(deliveries::backlog(db.db()).await.unwrap(), (1, Some(at(10))));
        assert_eq!(claimed(&db, "a", 50).await, [1]);
    }
}

#[tokio::test]
async fn the_log_shows_every_try_and_what_is_sent_again() {
    for db in testing::both().await {
        samples::stored_workspace(db.db(), WORKSPACE.0).await;
        register(&db, 1).await;
        register(&db, 2).await;
        for number in 3..=5 {
            send(&db, number, &[1], i64::try_from(number).unwrap()).await;
        }
        settled(
            &db,
            &[results(3001, DeliveryState::Delivered, None), results(9, DeliveryState::Failed, None)],
        )
        .await;
        let log = deliveries::log(db.db(), endpoint(1), None, 2, 1).await.unwrap();
        assert_eq!(log.iter().map(|one| one.id).collect::<Vec<_>>(), [delivery(4001), delivery(3001)]);
        assert_eq!(
            (log[1].state, log[1].done_at, log[1].due_at),
            (DeliveryState::Delivered, Some(at(2)), None)
        );
        assert_eq!(log[1].attempts[0].detail, "a\u{FFFD}ü");
        let done = Some(DeliveryState::Delivered);
        assert_eq!(deliveries::log(db.db(), endpoint(1), done, 9, 0).await.unwrap(), log[1..]);
        assert_eq!(deliveries::count(db.db(), endpoint(1), done).await.unwrap(), 1);
        assert_eq!(deliveries::count(db.db(), endpoint(1), None).await.unwrap(), 3);
        let mut tx = db.begin().await.unwrap();
        assert!(!deliveries::replay(&mut tx, endpoint(2), delivery(3001), at(9)).await.unwrap());
        assert!(deliveries::replay(&mut tx, endpoint(1), delivery(3001), at(9)).await.unwrap());
        tx.commit().await.unwrap();
        let again = deliveries::find(db.db(), endpoint(1), delivery(3001)).await.unwrap().unwrap();
        assert_eq!(
            (again.state, again.due_at, again.attempts.len()),
            (DeliveryState::Pending, Some(at(9)), 1)
        );
        // Endpoint 2 was told nothing; the range finds what it missed.
        let range = |endpoint: WebhookId, events: &'static [&'static str]| {
            let db = db.db().clone();
            async move {
                deliveries::in_range(&db, (endpoint, WORKSPACE), (at(4), at(5)), events, 10).await.unwrap()
            }
        };
        let four = EventId(Uuid::from_u128(4));
        let both = &["booking.changed", "task.changed"];
        assert_eq!(range(endpoint(1), both).await[0], (four, Some(delivery(4001))));
        assert!(range(endpoint(1), &[]).await.is_empty());
        assert_eq!(range(endpoint(2), &["task.changed"]).await[0], (four, None));
        assert!(range(endpoint(2), &["booking.changed"]).await.is_empty());
    }
}

#[tokio::test]
async fn old_messages_go_with_all_that_was_made_of_them_and_endpoints_with_their_deliveries() {
    for db in testing::both().await {
        samples::stored_workspace(db.db(), WORKSPACE.0).await;
        register(&db, 1).await;
        for number in 3..=5 {
            send(&db, number, &[1], i64::try_from(number).unwrap()).await;
        }
        settled(&db, &[results(3001, DeliveryState::Delivered, None)]).await;
        assert_eq!(deliveries::prune(db.db(), at(3), 10).await.unwrap(), 0);
        assert_eq!(deliveries::prune(db.db(), at(5), 1).await.unwrap(), 1);
        assert_eq!(deliveries::prune(db.db(), at(5), 9).await.unwrap(), 1);
        assert_eq!(deliveries::count(db.db(), endpoint(1), None).await.unwrap(), 1);
        let mut tx = db.begin().await.unwrap();
        assert!(delete(&mut tx, endpoint(1)).await.unwrap());
        assert!(!delete(&mut tx, endpoint(1)).await.unwrap());
        tx.commit().await.unwrap();
        assert_eq!(deliveries::count(db.db(), endpoint(1), None).await.unwrap(), 0);
        // A try that comes back late is passed over.
        settled(&db, &[results(5001, DeliveryState::Delivered, None)]).await;
    }
}

#[tokio::test]
async fn a_workspace_has_so_many_endpoints_and_no_more() {
    for db in testing::both().await {
        samples::stored_workspace(db.db(), WORKSPACE.0).await;
        register(&db, 1).await;
        let events = EventFilter::parse(["task.changed"]).unwrap();
        let new = NewEndpoint {
            id: endpoint(2),
            workspace: WORKSPACE,
            url: "https://example.com/",
            events: &events,
            secret: b"\x01keyid001secret",
        };
        let mut tx = db.begin().await.unwrap();
        assert!(!insert(&mut tx, &new, 1, at(0)).await.unwrap());
        assert!(insert(&mut tx, &new, 2, at(1)).await.unwrap());
        tx.commit().await.unwrap();
        let all = page(db.db(), WORKSPACE, 10, 0).await.unwrap();
        assert_eq!(all.iter().map(|one| one.id).collect::<Vec<_>>(), [endpoint(1), endpoint(2)]);
        assert_eq!(all[1].events, events);
        assert_eq!(page(db.db(), WORKSPACE, 10, 1).await.unwrap(), all[1..]);
        assert_eq!(super::all(db.db(), &Workspaces::All, 10, 1).await.unwrap(), [(all[1].clone(), 0)]);
        let other = Workspaces::Only(vec![WorkspaceId(8)]);
        assert!(super::all(db.db(), &other, 10, 0).await.unwrap().is_empty());
        let counts =
            (count_all(db.db(), &other).await.unwrap(), count_all(db.db(), &Workspaces::All).await.unwrap());
        assert_eq!(counts, (0, 2));
        assert_eq!(find(db.db(), &other, endpoint(1)).await.unwrap(), None);
        let mut tx = db.begin().await.unwrap();
        set_secret(&mut tx, endpoint(1), b"\x01keyid002other", at(9), at(3)).await.unwrap();
        set_events(&mut tx, endpoint(1), &events, at(4)).await.unwrap();
        tx.commit().await.unwrap();
        let one = find(db.db(), &Workspaces::All, endpoint(1)).await.unwrap().unwrap();
        assert_eq!(one.old_secret, Some((b"\x01keyid001secret".to_vec(), at(9))));
        assert_eq!((one.secret.as_slice(), one.updated_at), (b"\x01keyid002other".as_slice(), at(4)));
    }
}

#[tokio::test]
async fn what_was_given_up_is_told_from_what_somebody_switched_off() {
    for db in testing::both().await {
        samples::stored_workspace(&db, WORKSPACE.0).await;
        let reasons = [Disabled::Gone, Disabled::Owner, Disabled::Failing, Disabled::Operator];
        for (number, why) in (1..).zip(reasons) {
            register(&db, number).await;
            let mut tx = db.begin().await.unwrap();
            let now = at(10 - i64::try_from(number).unwrap());
            assert!(disable(&mut tx, endpoint(number), why, now).await.unwrap());
            tx.commit().await.unwrap();
        }
        register(&db, 5).await;
        let found = given_up(db.db(), 9).await.unwrap();
        let found: Vec<_> = found.iter().map(|found| (found.id, found.why, found.since)).collect();
        let expected = [(endpoint(3), Disabled::Failing, at(7)), (endpoint(1), Disabled::Gone, at(9))];
        assert_eq!(found, expected);
        assert_eq!(given_up(db.db(), 1).await.unwrap().len(), 1);
    }
}

#[tokio::test]
async fn a_try_that_failed_long_ago_does_not_take_back_what_arrived_meanwhile() {
    let results = |state: DeliveryState| DeliveryResult {
        id: delivery(1001),
        attempts: 1,
        state,
        due_at: (state == DeliveryState::Pending).then_some(at(500)),
        attempt: DeliveryAttempt {
            at: at(1),
            duration_ms: 1,
            status: None,
            error: None,
            detail: String::new(),
        },
    };
    for db in testing::both().await {
        samples::stored_workspace(&db, WORKSPACE.0).await;
        register(&db, 1).await;
        send(&db, 1, &[1], 1).await;
        // The first one fails, the one that took the endpoint over succeeds, in either order.
        for states in [
            [DeliveryState::Delivered, DeliveryState::Pending],
            [DeliveryState::Pending, DeliveryState::Delivered],
            [DeliveryState::Failed, DeliveryState::Delivered],
        ] {
            let mut tx = db.begin().await.unwrap();
            deliveries::replay(&mut tx, endpoint(1), delivery(1001), at(1)).await.unwrap();
            for state in states {
                deliveries::settle(&mut tx, &[&results(state)], at(2)).await.unwrap();
            }
            let found = deliveries::find(&mut tx, endpoint(1), delivery(1001)).await.unwrap().unwrap();
            assert_eq!(found.state, DeliveryState::Delivered, "{states:?}");
            tx.commit().await.unwrap();
        }
    }
}
