//! Sessions of the console end by themselves.

use super::*;
use crate::{SESSION_AGE_MAX, SESSION_IDLE_MAX, SignInError};

#[tokio::test]
async fn a_session_ends_when_nobody_uses_it_after_a_day_of_work_and_with_another_secret() {
    for world in World::both().await {
        let gateway = world.gateway();
        let new = NewClient { permissions: vec![Permission::ConsoleRead], ..new_client() };
        let reader = gateway.clients.create(new, &Actor::operator()).await.unwrap();
        let other = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let (clock, ids): (Arc<dyn Clock>, Arc<dyn Ids>) = (world.clock.clone(), world.ids.clone());
        let sessions = Sessions::new(world.db.db().clone(), clock, ids, Arc::new(gateway.tokens));
        let refused = sessions.sign_in(&other.client.id.to_string(), &other.secret, HERE).await;
        assert!(matches!(refused, Err(SignInError::NotPermitted)));
        let id = reader.client.id.to_string();
        let sign_in = || sessions.sign_in(&id, &reader.secret, HERE);
        let almost = SESSION_IDLE_MAX - SignedDuration::from_secs(60);

        let idle = sign_in().await.unwrap();
        world.clock.advance(almost);
        assert!(sessions.find(&idle, true).await.unwrap().is_some(), "a page asks by itself");
        world.clock.advance(almost);
        assert!(sessions.find(&idle, false).await.unwrap().is_none(), "and keeps nothing alive by that");

        let busy = sign_in().await.unwrap();
        let mut worked = SignedDuration::ZERO;
        while worked + almost < SESSION_AGE_MAX {
            world.clock.advance(almost);
            worked += almost;
            let found = sessions.find(&busy, false).await.unwrap().unwrap();
            assert_eq!(found.caller.client, reader.client.id);
        }
        world.clock.advance(almost);
        assert!(sessions.find(&busy, false).await.unwrap().is_none());

        let fresh = sign_in().await.unwrap();
        let found = sessions.find(&fresh, false).await.unwrap().unwrap();
        assert!(found.owns_form_token(found.form_token.expose_secret()));
        assert!(!found.owns_form_token("") && !found.owns_form_token(fresh.expose_secret()));
        sessions.sign_out(&fresh).await.unwrap();
        sessions.sign_out(&fresh).await.unwrap();
        assert!(sessions.find(&fresh, false).await.unwrap().is_none());

        let before = sign_in().await.unwrap();
        gateway.clients.rotate_secret(reader.client.id, &Actor::operator()).await.unwrap();
        assert!(sessions.find(&before, false).await.unwrap().is_none(), "another secret, another session");
    }
}
