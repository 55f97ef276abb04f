//! Wrong secrets, and who has to wait for them.

use super::*;

const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

#[tokio::test]
async fn after_ten_wrong_secrets_the_right_one_waits_too_and_others_do_not() {
    for world in World::both().await {
        let gateway = world.gateway();
        let victim = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let other = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let wrong = request(victim.client.id, &"gws_wrong".into());
        let right = request(victim.client.id, &victim.secret);
        for _ in 0..10 {
            gateway.tokens.issue(&right, HERE).await.unwrap();
            let error = gateway.tokens.issue(&wrong, HERE).await.unwrap_err();
            assert_eq!(error.status(), 401);
        }
        for refused in [&wrong, &right] {
            let error = gateway.tokens.issue(refused, HERE).await.unwrap_err();
            assert_eq!((error.code(), error.status()), (Some("slow_down"), 429));
            assert!(matches!(error, TokenError::TooManyFailures { retry_after_s: 60 }), "{error:?}");
        }
        gateway.tokens.issue(&right, ELSEWHERE).await.unwrap();
        gateway.tokens.issue(&request(other.client.id, &other.secret), HERE).await.unwrap();
        world.clock.pass_ms(60_000);
        gateway.tokens.issue(&right, HERE).await.unwrap();
    }
}

#[tokio::test]
async fn a_hundred_wrong_secrets_for_whomever_close_the_address() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let right = request(made.client.id, &made.secret);
        for n in 0..100 {
            let guess = request(ClientId(Uuid::from_u128(n)), &made.secret);
            assert_eq!(gateway.tokens.issue(&guess, HERE).await.unwrap_err().status(), 401);
        }
        assert_eq!(gateway.tokens.issue(&right, HERE).await.unwrap_err().status(), 429);
        gateway.tokens.issue(&right, ELSEWHERE).await.unwrap();
    }
}

#[tokio::test]
async fn of_many_wrong_secrets_at_once_ten_are_told_so() {
    for world in World::both().await {
        let gateway = world.gateway();
        let victim = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let wrong = request(victim.client.id, &"gws_wrong".into());
        let answers = futures::future::join_all((0..30).map(|_| gateway.tokens.issue(&wrong, HERE))).await;
        let count_of = |status| {
            answers
                .iter()
                .filter(|answer| answer.as_ref().is_err_and(|error| error.status() == status))
                .count()
        };
        assert_eq!((count_of(401), count_of(429)), (10, 20));
        let right = gateway.tokens.issue(&request(victim.client.id, &victim.secret), HERE).await;
        assert_eq!(right.unwrap_err().status(), 429);
    }
}
