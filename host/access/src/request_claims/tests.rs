use super::*;
use gateway_storage::testing::{self, TestClock};
use uuid::Uuid;

const ME: ClientId = ClientId(Uuid::from_u128(1));

async fn claimed(claims: &RequestClaims, key: &str) -> ClaimedRequest {
    match claims.claim(ME, key, "content").await.unwrap() {
        RequestState::New(claimed) => claimed,
        other => panic!("{key} is not free: {other:?}"),
    }
}

fn answered(text: &str) -> RequestState {
    RequestState::Answered { status: 200, response: text.to_owned() }
}

#[tokio::test]
async fn a_request_is_answered_as_it_was_or_refused_and_one_that_changed_nothing_is_free() {
    for db in testing::both().await {
        let keyring = Arc::new(Keyring::ephemeral().unwrap());
        let claims = RequestClaims::new(db.db().clone(), keyring, Arc::new(TestClock::default()));
        let kept = claimed(&claims, "kept").await;
        claims.keep_answer(kept, 200, "the secret").await;
        assert_eq!(claims.claim(ME, "kept", "content").await.unwrap(), answered("the secret"));
        assert_eq!(claims.claim(ME, "kept", "other").await.unwrap(), RequestState::OtherRequest);
        let other = claims.claim(ClientId(Uuid::from_u128(2)), "kept", "content").await.unwrap();
        assert!(matches!(other, RequestState::New(_)), "keys are a client's own: {other:?}");
        assert!(testing::stored_answers(db.db()).await.iter().all(|text| !text.contains("secret")));

        let free = claimed(&claims, "free").await;
        claims.release(free).await;
        let open = claimed(&claims, "free").await;
        claims.give_up(open).await;
        assert_eq!(claims.claim(ME, "free", "content").await.unwrap(), RequestState::Lost);

        let stranger = Arc::new(Keyring::ephemeral().unwrap());
        let elsewhere = RequestClaims::new(db.db().clone(), stranger, Arc::new(TestClock::default()));
        assert_eq!(elsewhere.claim(ME, "kept", "content").await.unwrap(), RequestState::Lost);
    }
}

#[tokio::test]
async fn whoever_repeats_a_request_that_runs_waits_for_its_end() {
    for db in testing::both().await {
        let keyring = Arc::new(Keyring::ephemeral().unwrap());
        let claims = RequestClaims::new(db.db().clone(), keyring, Arc::new(TestClock::default()));
        let first = claimed(&claims, "k").await;
        let (waiting, ended) =
            tokio::join!(claims.claim(ME, "k", "content"), claims.keep_answer(first, 200, "done"));
        assert_eq!((waiting.unwrap(), ended), (answered("done"), ()));
        let refused = claimed(&claims, "free").await;
        let (waiting, ()) = tokio::join!(claims.claim(ME, "free", "content"), claims.release(refused));
        assert!(matches!(waiting.unwrap(), RequestState::New(_)), "it is the one who carries it out now");
    }
}

#[tokio::test]
async fn a_request_without_an_answer_is_lost_after_a_minute_and_forgotten_after_a_week() {
    for db in testing::both().await {
        let clock = Arc::new(TestClock::default());
        let keyring = Arc::new(Keyring::ephemeral().unwrap());
        let claims = RequestClaims::new(db.db().clone(), keyring, Arc::clone(&clock) as Arc<dyn Clock>);
        let at = |second: i64| clock.set(Timestamp::from_second(second).unwrap());
        at(1_000_000);
        let _begun = claimed(&claims, "k").await;
        at(1_000_061);
        assert_eq!(claims.claim(ME, "k", "content").await.unwrap(), RequestState::Lost);
        at(1_000_000 + KEY_AGE_MAX.as_secs() - 1);
        assert_eq!(claims.claim(ME, "k", "content").await.unwrap(), RequestState::Lost);
        at(1_000_000 + KEY_AGE_MAX.as_secs() + CLEANING_INTERVAL.as_secs());
        let _again = claimed(&claims, "k").await;
    }
}
