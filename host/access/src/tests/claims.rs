//! Tokens that are signed with the gateway's own key and say something else.

use super::*;
use crate::secrets::SealedFor;
use jsonwebtoken::{Algorithm, EncodingKey, Header};

/// Signs whatever it is given with the key that signs.
struct OwnKey {
    kid: String,
    key: EncodingKey,
}

impl OwnKey {
    async fn of(world: &World) -> Self {
        let row = keys::published(world.db.db(), world.clock.now()).await.unwrap().remove(0);
        let private = world.keyring.open(SealedFor::SigningKey(&row.kid), &row.sealed).unwrap();
        Self { kid: row.kid, key: EncodingKey::from_ec_der(&private) }
    }

    fn sign(&self, typ: Option<&str>, claims: &Value) -> String {
        self.sign_under(&Header { typ: typ.map(str::to_owned), ..Header::new(Algorithm::ES256) }, claims)
    }

    fn sign_under(&self, header: &Header, claims: &Value) -> String {
        let header = Header { kid: Some(self.kid.clone()), ..header.clone() };
        jsonwebtoken::encode(&header, claims, &self.key).unwrap()
    }
}

#[tokio::test]
async fn a_signature_of_ours_under_other_claims_is_not_enough() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let stranger = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let claims = part(&token(&gateway, &made).await.unwrap(), 1);
        let own = OwnKey::of(&world).await;
        gateway.tokens.verify(&own.sign(Some("at+jwt"), &claims)).await.unwrap();
        let other = stranger.client.id.to_string();
        for (name, value) in [
            ("iss", json!("https://other.example")),
            ("iss", json!("https://gateway.example/")),
            ("iss", json!("")),
            ("aud", json!("https://other.example")),
            ("aud", json!([])),
            ("aud", json!(7)),
            ("token_use", json!("id")),
            ("token_use", json!("refresh")),
            ("version", json!(1)),
            ("version", json!("2")),
            ("version", json!(2.5)),
            ("sub", json!(other)),
            ("client_id", json!(other)),
            ("client_id", json!("nobody")),
            ("sub", json!(7)),
            ("exp", json!("tomorrow")),
            ("nbf", json!(START + 60)),
            ("nbf", json!("later")),
            ("act", json!("user")),
            ("act", json!({"sub": 7})),
        ] {
            let mut changed = claims.clone();
            changed[name] = value.clone();
            let token = own.sign(Some("at+jwt"), &changed);
            let refused = gateway.tokens.verify(&token).await;
            assert!(matches!(refused, Err(BearerError::Invalid)), "{name}: {value}: {refused:?}");
        }
        for name in ["iss", "aud", "sub", "client_id", "exp", "token_use", "version"] {
            let mut changed = claims.clone();
            changed.as_object_mut().unwrap().remove(name);
            let refused = gateway.tokens.verify(&own.sign(Some("at+jwt"), &changed)).await;
            assert!(matches!(refused, Err(BearerError::Invalid)), "without {name}: {refused:?}");
        }
        for typ in [None, Some("JWT"), Some("id+jwt"), Some("")] {
            let refused = gateway.tokens.verify(&own.sign(typ, &claims)).await;
            assert!(matches!(refused, Err(BearerError::Invalid)), "{typ:?}: {refused:?}");
        }
    }
}

#[tokio::test]
async fn a_token_is_good_between_its_beginning_and_its_end() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let mut claims = part(&token(&gateway, &made).await.unwrap(), 1);
        let own = OwnKey::of(&world).await;
        (claims["nbf"], claims["exp"]) = (json!(START + 60), json!(START + 120));
        let later = own.sign(Some("at+jwt"), &claims);
        assert!(matches!(gateway.tokens.verify(&later).await, Err(BearerError::Invalid)));
        world.clock.advance(SignedDuration::from_millis(60_000));
        gateway.tokens.verify(&later).await.unwrap();
        world.clock.advance(SignedDuration::from_millis(60_000));
        assert!(matches!(gateway.tokens.verify(&later).await, Err(BearerError::Expired)));
        claims["exp"] = json!(1);
        let never = own.sign(Some("at+jwt"), &claims);
        assert!(matches!(gateway.tokens.verify(&never).await, Err(BearerError::Expired)));
    }
}

#[tokio::test]
async fn the_type_of_a_token_is_read_in_any_case() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let claims = part(&token(&gateway, &made).await.unwrap(), 1);
        gateway.tokens.verify(&OwnKey::of(&world).await.sign(Some("AT+JWT"), &claims)).await.unwrap();
    }
}

#[tokio::test]
async fn a_token_that_asks_for_more_than_is_understood_is_refused() {
    let world = World::both().await.remove(0);
    let gateway = world.gateway();
    let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
    let claims = part(&token(&gateway, &made).await.unwrap(), 1);
    let own = OwnKey::of(&world).await;
    let plain = Header { typ: Some("at+jwt".to_owned()), ..Header::new(Algorithm::ES256) };
    gateway.tokens.verify(&own.sign_under(&plain, &claims)).await.unwrap();
    let header = |more: Value| {
        let mut header = serde_json::to_value(&plain).unwrap();
        header.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value::<Header>(header).unwrap()
    };
    for more in [
        json!({"crit": ["exp"]}),
        json!({"crit": []}),
        json!({"crit": ["b64"], "b64": true}),
        json!({"b64": false}),
        json!({"b64": "no"}),
    ] {
        let refused = gateway.tokens.verify(&own.sign_under(&header(more.clone()), &claims)).await;
        assert!(matches!(refused, Err(BearerError::Invalid)), "{more}: {refused:?}");
    }
}
