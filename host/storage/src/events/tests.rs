use super::*;
use crate::testing::{self, samples::at};
use uuid::Uuid;

async fn add(tx: &mut Tx, id: u128, workspace: i64, subject: u128) -> i64 {
    let event = NewEvent {
        id: EventId(Uuid::from_u128(id)),
        source: "/invoicing",
        workspace: WorkspaceId(workspace),
        subject: InvoiceId(Uuid::from_u128(subject)),
        kind: "DocumentSaved",
        time: at(0),
        actor: &Actor::operator(),
        data: format!("{{\"n\": {id}}}"),
    };
    append(tx, event).await.unwrap();
    let appended: Vec<_> = appended(tx, "/invoicing", InvoiceId(Uuid::from_u128(subject))).collect();
    appended.last().map_or(0, |event| event.sequence)
}

#[tokio::test]
async fn events_that_nobody_asks_for_are_counted_as_all_are() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        add(&mut tx, 1, 1, 7).await;
        tx.commit().await.unwrap();
        let mut tx = db.begin().await.unwrap();
        write_later(&mut tx);
        for (id, subject) in [(2, 7), (3, 7), (4, 8)] {
            assert_eq!(add(&mut tx, id, 1, subject).await, 0, "not shown");
        }
        tx.commit().await.unwrap();
        let sequences = async |subject| {
            let subject = InvoiceId(Uuid::from_u128(subject));
            let events = of_subject(db.db(), &Workspaces::All, "/invoicing", subject).await.unwrap();
            events.iter().map(|event| (event.id.0.as_u128(), event.sequence)).collect::<Vec<_>>()
        };
        assert_eq!(sequences(7).await, [(1, 1), (2, 2), (3, 3)]);
        assert_eq!(sequences(8).await, [(4, 1)]);
        assert_eq!(relay(&db, 10).await.unwrap(), 4);
    }
}

#[tokio::test]
async fn a_document_counts_its_events_and_the_feed_counts_them_all() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        assert_eq!(add(&mut tx, 1, 1, 7).await, 1);
        assert_eq!(add(&mut tx, 2, 1, 7).await, 2);
        assert_eq!(add(&mut tx, 3, 2, 8).await, 1);
        tx.commit().await.unwrap();
        assert!(
            feed(db.db(), &Workspaces::All, EventSelection::All, 0, 10).await.unwrap().is_empty(),
            "not relayed yet"
        );
        assert_eq!(relay(&db, 2).await.unwrap(), 2);
        assert_eq!(relay(&db, 2).await.unwrap(), 1);
        assert_eq!(relay(&db, 2).await.unwrap(), 0);
        let all = feed(db.db(), &Workspaces::All, EventSelection::All, 0, 10).await.unwrap();
        assert_eq!(all.iter().map(|event| event.position).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)]);
        assert_eq!(all[1].data, "{\"n\": 2}");
        assert_eq!(all[1].actor, Actor::operator());
        let one = Workspaces::Only(vec![WorkspaceId(2)]);
        let readable = feed(db.db(), &one, EventSelection::All, 0, 10).await.unwrap();
        assert_eq!(readable.iter().map(|event| event.id.0.as_u128()).collect::<Vec<_>>(), [3]);
        assert_eq!(feed(db.db(), &Workspaces::All, EventSelection::All, 2, 10).await.unwrap().len(), 1);
        let subject = InvoiceId(Uuid::from_u128(7));
        assert_eq!(of_subject(db.db(), &Workspaces::All, "/invoicing", subject).await.unwrap().len(), 2);
        assert!(of_subject(db.db(), &one, "/invoicing", subject).await.unwrap().is_empty());
        let last = last_of_subject(db.db(), "/invoicing", subject).await.unwrap();
        assert_eq!(last.map(|event| event.sequence), Some(2));
    }
}

#[tokio::test]
async fn events_committed_late_come_later_in_the_feed_and_none_is_missed() {
    let db = testing::database(crate::Engine::Postgres).await;
    let mut slow = db.begin().await.unwrap();
    add(&mut slow, 1, 1, 7).await;
    let mut fast = db.begin().await.unwrap();
    add(&mut fast, 2, 1, 8).await;
    fast.commit().await.unwrap();
    assert_eq!(relay(&db, 10).await.unwrap(), 1);
    slow.commit().await.unwrap();
    assert_eq!(relay(&db, 10).await.unwrap(), 1);
    let events = feed(db.db(), &Workspaces::All, EventSelection::All, 0, 10).await.unwrap();
    let order: Vec<_> = events.iter().map(|event| (event.position, event.id.0.as_u128())).collect();
    assert_eq!(order, [(Some(1), 2), (Some(2), 1)]);
}

#[tokio::test]
async fn parallel_writers_and_relays_give_dense_positions_in_the_order_of_each_document() {
    for db in testing::both().await {
        let writers: Vec<_> = (0..6_u128)
            .map(|subject| {
                let db = db.db().clone();
                tokio::spawn(async move {
                    for n in 0..15 {
                        let mut tx = db.begin().await.unwrap();
                        add(&mut tx, subject * 1000 + n, 1, subject).await;
                        tx.commit().await.unwrap();
                        relay(&db, 5).await.unwrap();
                    }
                })
            })
            .collect();
        for writer in writers {
            writer.await.unwrap();
        }
        while relay(&db, 50).await.unwrap() > 0 {}
        let events = feed(db.db(), &Workspaces::All, EventSelection::All, 0, 1000).await.unwrap();
        let positions: Vec<_> = events.iter().filter_map(|event| event.position).collect();
        assert_eq!(positions, (1..=90).collect::<Vec<_>>());
        for subject in 0..6 {
            let subject = InvoiceId(Uuid::from_u128(subject));
            let sequences: Vec<_> = events
                .iter()
                .filter(|event| event.subject == subject.0)
                .map(|event| event.sequence)
                .collect();
            assert_eq!(sequences, (1..=15).collect::<Vec<_>>());
        }
    }
}

#[tokio::test]
async fn a_consumer_moves_on_only_from_where_it_was() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        assert_eq!(consumed(&mut tx, "copy").await.unwrap(), 0);
        assert_eq!(hold(&mut tx, "copy", at(0)).await.unwrap(), Some(0));
        assert!(consume(&mut tx, "copy", 0, 5, at(0)).await.unwrap());
        assert!(!consume(&mut tx, "copy", 0, 9, at(0)).await.unwrap(), "another process was faster");
        assert!(consume(&mut tx, "copy", 5, 9, at(0)).await.unwrap());
        assert_eq!(hold(&mut tx, "copy", at(0)).await.unwrap(), Some(9));
        assert_eq!(wait_for(&mut tx, "copy", at(0)).await.unwrap(), 9);
        assert_eq!(wait_for(&mut tx, "other", at(0)).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn one_process_of_a_consumer_works_at_a_time() {
    let db = testing::database(crate::Engine::Postgres).await;
    for round in 0..2 {
        let (mut one, mut other) = (db.begin().await.unwrap(), db.begin().await.unwrap());
        assert_eq!(hold(&mut one, "copy", at(0)).await.unwrap(), Some(round));
        assert!(consume(&mut one, "copy", round, round + 1, at(0)).await.unwrap());
        if round > 0 {
            assert_eq!(hold(&mut other, "copy", at(0)).await.unwrap(), None, "the first one is at work");
        }
        assert_eq!(hold(&mut other, "another", at(0)).await.unwrap(), Some(0));
        one.commit().await.unwrap();
        assert_eq!(hold(&mut other, "copy", at(0)).await.unwrap(), Some(round + 1));
        other.rollback().await.unwrap();
    }
}

#[tokio::test]
async fn the_log_is_read_document_by_document_too() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        for (id, subject) in [(1, 8), (2, 7), (3, 9), (4, 7)] {
            add(&mut tx, id, 1, subject).await;
        }
        tx.commit().await.unwrap();
        assert_eq!(not_relayed(db.db()).await.unwrap(), 4);
        relay(&db, 3).await.unwrap();
        assert_eq!((not_relayed(db.db()).await.unwrap(), head(db.db()).await.unwrap()), (1, 3));
        let subject = |number| InvoiceId(Uuid::from_u128(number));
        assert_eq!(subjects(db.db(), None, 2).await.unwrap(), [subject(7), subject(8)]);
        assert_eq!(subjects(db.db(), Some(subject(8)), 2).await.unwrap(), [subject(9)]);
        let ids =
            |events: Vec<StoredEvent>| events.iter().map(|event| event.id.0.as_u128()).collect::<Vec<_>>();
        let range = DocumentRange { after: None, last: Some(subject(8)) };
        assert_eq!(ids(of_range(db.db(), range, 3).await.unwrap()), [1, 2], "the last one is not relayed");
        let rest = DocumentRange { after: Some(subject(8)), last: None };
        assert_eq!(ids(of_range(db.db(), rest, 3).await.unwrap()), [3]);
    }
}

#[tokio::test]
async fn several_events_at_once_follow_those_there_are() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        let fresh = |id: u128, subject: u128, kind| PendingEvent {
            id: Uuid::from_u128(id),
            workspace: WorkspaceId(1),
            subject: Uuid::from_u128(subject),
            kind,
            data: format!("{{\"id\":{id}}}"),
        };
        let actor = Actor("jane".to_owned());
        append_all(&mut tx, "/platform", at(1), &actor, &[]).await.unwrap();
        for first in [1, 4] {
            let three = [fresh(first, 7, "A"), fresh(first + 1, 8, "B"), fresh(first + 2, 7, "C")];
            append_all(&mut tx, "/platform", at(1), &actor, &three).await.unwrap();
        }
        add(&mut tx, 9, 1, 7).await;
        tx.commit().await.unwrap();
        relay(&db, 10).await.unwrap();
        let all = feed(db.db(), &Workspaces::All, EventSelection::All, 0, 10).await.unwrap();
        let appended: Vec<_> =
            all.iter().map(|event| (event.id.0.as_u128(), event.kind.as_str(), event.sequence)).collect();
        assert_eq!(
            appended[..6],
            [(1, "A", 1), (2, "B", 1), (3, "C", 2), (4, "A", 3), (5, "B", 2), (6, "C", 4)]
        );
        assert_eq!((all[5].data.as_str(), &all[5].actor, all[5].time), ("{\"id\":6}", &actor, at(1)));
        let documents = feed(db.db(), &Workspaces::All, EventSelection::Documents, 0, 10).await.unwrap();
        assert_eq!(
            documents.iter().map(|event| event.sequence).collect::<Vec<_>>(),
            [1],
            "of its own source"
        );
        let of = async |source| {
            feed(db.db(), &Workspaces::All, EventSelection::Source(source), 0, 10).await.unwrap().len()
        };
        assert_eq!((of("/platform").await, of("/invoicing").await), (6, 1));
        assert_eq!(of("/finance").await, 0);
    }
}

#[tokio::test]
async fn two_that_tell_of_one_document_at_once_come_one_behind_the_other() {
    for db in testing::both().await {
        let mut first = db.begin().await.unwrap();
        assert_eq!(add(&mut first, 1, 1, 7).await, 1);
        let second = async {
            let mut second = db.begin().await.unwrap();
            let sequence = add(&mut second, 2, 1, 7).await;
            second.commit().await.unwrap();
            sequence
        };
        let then = async {
            testing::until_somebody_waits(&db).await;
            first.commit().await.unwrap();
        };
        let (sequence, ()) = tokio::join!(second, then);
        assert_eq!(sequence, 2);
        relay(&db, 10).await.unwrap();
        let feed = feed(db.db(), &Workspaces::All, EventSelection::All, 0, 10).await.unwrap();
        assert_eq!(feed.iter().map(|event| event.sequence).collect::<Vec<_>>(), [1, 2]);
    }
}
