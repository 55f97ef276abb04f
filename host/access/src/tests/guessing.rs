//! Wrong secrets, and who has to wait for them.

use super::*;
use crate::secrets::hashes_made;

const OTHER_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

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
        gateway.tokens.issue(&right, OTHER_ADDRESS).await.unwrap();
        gateway.tokens.issue(&request(other.client.id, &other.secret), HERE).await.unwrap();
        world.clock.advance(SignedDuration::from_millis(60_000));
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
        gateway.tokens.issue(&right, OTHER_ADDRESS).await.unwrap();
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

#[tokio::test]
async fn an_unknown_client_costs_as_many_hashes_as_a_known_one() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let disabled = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        gateway.clients.disable(disabled.client.id, &Actor::operator()).await.unwrap();
        let wrong = SecretString::from("gws_wrong");
        let rotated = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let second = gateway.clients.rotate_secret(rotated.client.id, &Actor::operator()).await.unwrap();
        let known = made.client.id.to_string();
        hashes_made();
        for (id, secret, is_let_in) in [
            (known.as_str(), &made.secret, true),
            (&known, &wrong, false),
            (&rotated.client.id.to_string(), &second.secret, true),
            (&rotated.client.id.to_string(), &rotated.secret, true),
            (&rotated.client.id.to_string(), &wrong, false),
            (&disabled.client.id.to_string(), &disabled.secret, false),
            (&disabled.client.id.to_string(), &wrong, false),
            (&ClientId(Uuid::from_u128(9)).to_string(), &wrong, false),
            ("nobody", &wrong, false),
            ("", &wrong, false),
        ] {
            let authenticated = gateway.clients.authenticate(id, secret).await.unwrap();
            assert_eq!((authenticated.is_some(), hashes_made()), (is_let_in, 3), "{id}");
        }
    }
}
