//! The order in which new rows stand in lists.

use crate::creation_clock::{next, next_document};
use crate::testing::{self, samples::at};
use jiff::SignedDuration;

const NEXT: SignedDuration = SignedDuration::from_micros(1);

#[tokio::test]
async fn places_only_go_forward() {
    for db in testing::both().await {
        let mut tx = db.begin().await.unwrap();
        assert_eq!(next(&mut tx, at(5)).await.unwrap(), at(5));
        tx.commit().await.unwrap();
        let mut tx = db.begin().await.unwrap();
        let behind = next(&mut tx, at(3)).await.unwrap();
        assert_eq!(behind, at(5) + NEXT, "another replica's clock is late");
        assert_eq!(next(&mut tx, at(9)).await.unwrap(), at(9));
        assert_eq!(
            next_document(&mut tx, at(2)).await.unwrap(),
            at(2),
            "documents stand in a line of their own"
        );
        assert_eq!(next_document(&mut tx, at(2)).await.unwrap(), at(2) + NEXT);
    }
}

#[tokio::test]
async fn who_comes_later_waits_for_the_one_before() {
    for db in testing::both().await {
        let mut first = db.begin().await.unwrap();
        let one = next(&mut first, at(7)).await.unwrap();
        let other = db.db().clone();
        let second = tokio::spawn(async move {
            let mut tx = other.begin().await.unwrap();
            let place = next(&mut tx, at(1)).await.unwrap();
            tx.commit().await.unwrap();
            place
        });
        tokio::task::yield_now().await;
        assert!(!second.is_finished());
        first.commit().await.unwrap();
        assert!(second.await.unwrap() > one);
    }
}
