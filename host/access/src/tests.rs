//! Clients and tokens on both engines, under a clock that stands still.

use super::*;
use crate::secrets::Keyring;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gateway_domain::access::{Actor, Caller, Permission, Workspaces};
use gateway_domain::ids::{ClientId, WorkspaceId};
use gateway_domain::ports::{Clock, Ids};
use gateway_storage::testing::{self, TestClock, TestDb};
use gateway_storage::{Sql, audit, keys};
use jiff::SignedDuration;
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use uuid::Uuid;

mod claims;
mod console_sessions;
mod guessing;
mod rotation;

const START: i64 = 1_795_161_600;
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

#[derive(Debug, Default)]
struct TestIds(AtomicU64);

impl Ids for TestIds {
    fn next(&self) -> Uuid {
        Uuid::new_v7(uuid::Timestamp::from_unix(
            uuid::NoContext,
            1_000 + self.0.fetch_add(1, Ordering::Relaxed),
            0,
        ))
    }
}

/// One replica of the gateway, as far as access goes.
struct Gateway {
    clients: Clients,
    tokens: Tokens,
}

struct World {
    db: TestDb,
    keyring: Arc<Keyring>,
    clock: Arc<TestClock>,
    ids: Arc<TestIds>,
}

impl World {
    async fn both() -> Vec<Self> {
        let make = |db| Self {
            db,
            keyring: Arc::new(Keyring::ephemeral().unwrap()),
            clock: Arc::default(),
            ids: Arc::default(),
        };
        testing::both().await.into_iter().map(make).collect()
    }

    fn gateway(&self) -> Gateway {
        self.gateway_named("https://gateway.example")
    }

    fn gateway_named(&self, issuer: &str) -> Gateway {
        self.gateway_with(&self.keyring, issuer)
    }

    fn gateway_with(&self, keyring: &Arc<Keyring>, issuer: &str) -> Gateway {
        let (db, keyring) = (self.db.db().clone(), Arc::clone(keyring));
        let (clock, ids): (Arc<dyn Clock>, Arc<dyn Ids>) = (self.clock.clone(), self.ids.clone());
        let public_url = issuer.to_owned();
        let address = issuer.rsplit('/').next().unwrap_or_default();
        let issuer = match address.parse::<std::net::SocketAddr>() {
            Ok(_) => Issuer::Listening(public_url.clone()),
            Err(_) => Issuer::Named(public_url.clone()),
        };
        let settings = TokenSettings { issuer, lifetime_s: 3600, public_url };
        let clients = Clients::new(db, keyring, clock, ids);
        Gateway { tokens: Tokens::new(clients.clone(), settings), clients }
    }
}

fn new_client() -> NewClient {
    NewClient {
        name: " Backoffice ".to_owned(),
        permissions: vec![Permission::FinanceRpc],
        workspaces: Workspaces::Only(vec![WorkspaceId(4)]),
    }
}

fn request(id: ClientId, secret: &SecretString) -> TokenRequest {
    TokenRequest { client_id: id.to_string(), client_secret: secret.clone(), act_sub: None }
}

async fn token(gateway: &Gateway, credentials: &Credentials) -> Result<String, TokenError> {
    let request = request(credentials.client.id, &credentials.secret);
    gateway.tokens.issue(&request, HERE).await.map(|token| token.access_token)
}

fn part(token: &str, index: usize) -> Value {
    let part = token.split('.').nth(index).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).unwrap()).unwrap()
}

/// The key set as it is sent.
async fn published(tokens: &Tokens) -> Value {
    serde_json::to_value(tokens.jwks().await.unwrap()).unwrap()
}

#[tokio::test]
async fn a_token_carries_the_claims_of_the_specification() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        assert_eq!(made.client.name, "Backoffice");
        let mut request = request(made.client.id, &made.secret);
        request.act_sub = Some("user-7".to_owned());
        let issued = gateway.tokens.issue(&request, HERE).await.unwrap();
        assert_eq!((issued.expires_in, issued.token_type), (3600, TokenType::Bearer));
        let (header, claims) = (part(&issued.access_token, 0), part(&issued.access_token, 1));
        let jwks = published(&gateway.tokens).await;
        assert_eq!(header, json!({"typ": "at+jwt", "alg": "ES256", "kid": jwks["keys"][0]["kid"]}));
        let id = made.client.id.to_string();
        let expected = json!({
            "sub": id, "client_id": id, "iss": "https://gateway.example", "aud": "https://gateway.example",
            "exp": START + 3600, "iat": START, "auth_time": START, "token_use": "access", "scope": "platform",
            "version": 2, "jti": claims["jti"], "act": {"sub": "user-7"},
        });
        assert_eq!(claims, expected);
        assert!(claims["jti"].as_str().unwrap().parse::<Uuid>().is_ok());
        let caller = gateway.tokens.verify(&issued.access_token).await.unwrap();
        let expected = Caller {
            client: made.client.id,
            act_sub: Some("user-7".to_owned()),
            permissions: vec![Permission::FinanceRpc],
            workspaces: Workspaces::Only(vec![WorkspaceId(4)]),
        };
        assert_eq!(caller, expected);
        assert_eq!((caller.actor().name(), caller.actor().client()), ("user-7", Some(caller.client)));
        let without = token(&gateway, &made).await.unwrap();
        assert!(part(&without, 1).get("act").is_none());
    }
}

#[tokio::test]
async fn the_published_key_verifies_the_signature() {
    for world in World::both().await {
        let gateway = world.gateway();
        let jwks = published(&gateway.tokens).await;
        let key = &jwks["keys"][0];
        for (name, value) in [("kty", "EC"), ("crv", "P-256"), ("use", "sig"), ("alg", "ES256")] {
            assert_eq!(key[name], value);
        }
        assert_eq!(key.as_object().unwrap().len(), 7, "nothing private is published: {key}");
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let token = token(&gateway, &made).await.unwrap();
        let (message, signature) = token.rsplit_once('.').unwrap();
        let coordinate = |name: &str| URL_SAFE_NO_PAD.decode(key[name].as_str().unwrap()).unwrap();
        let point = [vec![4], coordinate("x"), coordinate("y")].concat();
        aws_lc_rs::signature::UnparsedPublicKey::new(&aws_lc_rs::signature::ECDSA_P256_SHA256_FIXED, point)
            .verify(message.as_bytes(), &URL_SAFE_NO_PAD.decode(signature).unwrap())
            .unwrap();
    }
}

#[tokio::test]
async fn wrong_credentials_are_all_the_same_error() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let stranger = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let unknown = ClientId(Uuid::from_u128(9));
        let mut not_a_uuid = request(made.client.id, &made.secret);
        not_a_uuid.client_id = "nobody".to_owned();
        for bad in [
            request(made.client.id, &"gws_wrong".into()),
            request(made.client.id, &stranger.secret),
            request(unknown, &made.secret),
            not_a_uuid,
        ] {
            let error = gateway.tokens.issue(&bad, HERE).await.unwrap_err();
            assert_eq!((error.code(), error.status()), (Some("invalid_client"), 401));
        }
    }
}

#[tokio::test]
async fn a_secret_is_random_marked_and_not_stored() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let secret = made.secret.expose_secret();
        assert_eq!(URL_SAFE_NO_PAD.decode(secret.strip_prefix("gws_").unwrap()).unwrap().len(), 32);
        let stored = gateway_storage::clients::live_secrets(world.db.db(), made.client.id).await.unwrap();
        assert_eq!(stored.len(), 1);
        assert!(
            !stored[0]
                .hash
                .windows(8)
                .any(|window| secret.as_bytes().windows(8).any(|other| other == window))
        );
        assert!(!format!("{made:?}").contains(secret));
    }
}

#[tokio::test]
async fn during_a_rotation_the_old_and_the_new_secret_are_good_and_the_one_before_is_not() {
    for world in World::both().await {
        let gateway = world.gateway();
        let first = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let id = first.client.id;
        let second = gateway.clients.rotate_secret(id, &Actor::operator()).await.unwrap();
        token(&gateway, &first).await.unwrap();
        token(&gateway, &second).await.unwrap();
        let third = gateway.clients.rotate_secret(id, &Actor::operator()).await.unwrap();
        assert!(matches!(token(&gateway, &first).await, Err(TokenError::InvalidClient)));
        token(&gateway, &second).await.unwrap();
        token(&gateway, &third).await.unwrap();
    }
}

#[tokio::test]
async fn disabling_a_client_ends_its_tokens_within_two_seconds_on_every_replica() {
    for world in World::both().await {
        let (one, other) = (world.gateway(), world.gateway());
        let made = one.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let token_before = token(&one, &made).await.unwrap();
        other.tokens.verify(&token_before).await.unwrap();
        one.clients.disable(made.client.id, &Actor::operator()).await.unwrap();
        one.clients.disable(made.client.id, &Actor::operator()).await.unwrap();
        assert!(matches!(token(&other, &made).await, Err(TokenError::InvalidClient)), "no new token at once");
        world.clock.advance(SignedDuration::from_millis(1_999));
        for gateway in [&one, &other] {
            assert!(matches!(gateway.tokens.verify(&token_before).await, Err(BearerError::Disabled)));
        }
        let rotated = one.clients.rotate_secret(made.client.id, &Actor::operator()).await;
        assert!(matches!(rotated, Err(ClientsError::Disabled(_))));
        let unknown = one.clients.disable(ClientId(Uuid::from_u128(1)), &Actor::operator()).await;
        assert!(matches!(unknown, Err(ClientsError::Unknown(_))));
    }
}

#[tokio::test]
async fn a_known_client_gets_no_token_once_it_is_disabled_here_and_a_second_later_on_another_replica() {
    for world in World::both().await {
        let (here, other) = (world.gateway(), world.gateway());
        let first = here.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let id = first.client.id;
        for gateway in [&here, &other] {
            token(gateway, &first).await.unwrap();
        }
        here.clients.rotate_secret(id, &Actor::operator()).await.unwrap();
        let third = here.clients.rotate_secret(id, &Actor::operator()).await.unwrap();
        assert!(matches!(token(&here, &first).await, Err(TokenError::InvalidClient)), "at once");
        token(&other, &third).await.unwrap();
        world.clock.advance(SignedDuration::from_millis(999));
        assert!(matches!(token(&other, &first).await, Err(TokenError::InvalidClient)));

        token(&here, &third).await.unwrap();
        token(&other, &third).await.unwrap();
        here.clients.disable(id, &Actor::operator()).await.unwrap();
        assert!(matches!(token(&here, &third).await, Err(TokenError::InvalidClient)), "at once");
        world.clock.advance(SignedDuration::from_millis(999));
        assert!(matches!(token(&other, &third).await, Err(TokenError::InvalidClient)));
    }
}

#[tokio::test]
async fn a_token_is_good_until_its_last_second_and_not_after() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let token = token(&gateway, &made).await.unwrap();
        world.clock.advance(SignedDuration::from_millis(3_599_999));
        gateway.tokens.verify(&token).await.unwrap();
        world.clock.advance(SignedDuration::from_millis(1));
        assert!(matches!(gateway.tokens.verify(&token).await, Err(BearerError::Expired)));
    }
}

#[tokio::test]
async fn who_has_no_name_takes_the_tokens_of_every_address_at_which_the_database_was_served() {
    for world in World::both().await {
        // The last one speaks TLS by then.
        let [here, next, last] = ["http://127.0.0.1:4000", "http://[::1]:4001", "https://127.0.0.1:4002"]
            .map(|url| world.gateway_named(url));
        let made = here.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let kept = token(&here, &made).await.unwrap();
        for gateway in [&next, &last] {
            assert_eq!(gateway.tokens.verify(&kept).await.unwrap().client, made.client.id);
        }
        let of_tls = token(&last, &made).await.unwrap();
        for gateway in [&here, &last] {
            assert_eq!(gateway.tokens.verify(&of_tls).await.unwrap().client, made.client.id);
        }
        let named = world.gateway_named("https://gateway.example");
        let of_a_name = token(&named, &made).await.unwrap();
        for (gateway, bad) in [(&named, &kept), (&next, &of_a_name)] {
            assert!(matches!(gateway.tokens.verify(bad).await, Err(BearerError::Invalid)));
        }
    }
}

#[tokio::test]
async fn a_token_of_another_issuer_or_a_changed_one_is_not_valid() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let good = token(&gateway, &made).await.unwrap();
        let foreign = token(&world.gateway_named("https://other.example"), &made).await.unwrap();
        let parts: Vec<_> = good.split('.').collect();
        let swapped = |index: usize, value: &Value| {
            let mut parts: Vec<_> = parts.iter().map(|part| (*part).to_owned()).collect();
            parts[index] = URL_SAFE_NO_PAD.encode(value.to_string());
            parts.join(".")
        };
        let mut claims = part(&good, 1);
        claims["exp"] = json!(START + 999_999);
        let mut header = part(&good, 0);
        header["alg"] = json!("none");
        let unsigned = swapped(0, &header);
        header["alg"] = json!("HS256");
        let symmetric = swapped(0, &header);
        header["alg"] = json!("ES256");
        header["typ"] = json!("JWT");
        let untyped = swapped(0, &header);
        header["kid"] = json!("unknown");
        let unknown_key = swapped(0, &header);
        let empty = format!("{}.{}.", parts[0], parts[1]);
        for bad in [
            foreign,
            swapped(1, &claims),
            unsigned,
            symmetric,
            untyped,
            unknown_key,
            empty,
            String::new(),
            "a.b.c".to_owned(),
            "ü".repeat(100),
        ] {
            assert!(matches!(gateway.tokens.verify(&bad).await, Err(BearerError::Invalid)), "{bad}");
        }
        gateway.tokens.verify(&good).await.unwrap();
    }
}

#[tokio::test]
async fn replicas_agree_on_the_first_signing_key() {
    for world in World::both().await {
        let (one, other) = (world.gateway(), world.gateway());
        let (first, second) = tokio::join!(one.tokens.jwks(), other.tokens.jwks());
        assert_eq!(first.unwrap(), second.unwrap());
        let ids = keys::keyring_ids(world.db.db()).await.unwrap();
        world.keyring.ensure_holds(ids.iter().map(String::as_str)).unwrap();
        let stranger = Keyring::ephemeral().unwrap();
        assert!(stranger.ensure_holds(ids.iter().map(String::as_str)).is_err());
    }
}

#[tokio::test]
async fn after_a_rotation_old_tokens_stay_good_and_the_old_key_is_published_until_they_end() {
    for world in World::both().await {
        let (one, other) = (world.gateway(), world.gateway());
        let made = one.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let old = token(&one, &made).await.unwrap();
        other.tokens.verify(&old).await.unwrap();
        world.clock.advance(SignedDuration::from_millis(10_000));
        let rotated = one.tokens.rotate_signing_key(&Actor::operator()).await.unwrap();
        assert_eq!(part(&token(&one, &made).await.unwrap(), 0)["kid"], part(&old, 0)["kid"]);
        world.clock.advance(SignedDuration::from_millis(2_000));
        let early = published(&other.tokens).await;
        assert_eq!(early["keys"].as_array().unwrap().len(), 2, "published before it signs");
        world.clock.advance(SignedDuration::from_millis(3_000));
        let new = token(&one, &made).await.unwrap();
        assert_eq!(part(&new, 0)["kid"], rotated.kid);
        assert_ne!(part(&old, 0)["kid"], part(&new, 0)["kid"]);
        world.clock.advance(SignedDuration::from_millis(2_000));
        for gateway in [&one, &other] {
            gateway.tokens.verify(&old).await.unwrap();
            gateway.tokens.verify(&new).await.unwrap();
            assert_eq!(published(&gateway.tokens).await["keys"].as_array().unwrap().len(), 2);
        }
        assert_eq!(part(&token(&other, &made).await.unwrap(), 0)["kid"], part(&new, 0)["kid"]);
        world.clock.advance(SignedDuration::from_millis(3_700_000));
        let keys = published(&one.tokens).await;
        assert_eq!(keys["keys"].as_array().unwrap().len(), 1);
        assert_eq!(keys["keys"][0]["kid"], part(&new, 0)["kid"]);
    }
}

#[tokio::test]
async fn a_token_that_was_good_ends_with_its_key() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        let token = token(&gateway, &made).await.unwrap();
        gateway.tokens.verify(&token).await.unwrap();
        let mut tx = world.db.begin().await.unwrap();
        tx.execute(&Sql::both("DELETE FROM signing_key"), Vec::new()).await.unwrap();
        tx.commit().await.unwrap();
        world.clock.advance(SignedDuration::from_millis(2_000));
        assert!(matches!(gateway.tokens.verify(&token).await, Err(BearerError::Invalid)));
    }
}

#[tokio::test]
async fn every_change_of_a_client_is_in_the_audit_trail() {
    for world in World::both().await {
        let gateway = world.gateway();
        let made = gateway.clients.create(new_client(), &Actor::operator()).await.unwrap();
        gateway.clients.rotate_secret(made.client.id, &Actor("root".to_owned())).await.unwrap();
        gateway.clients.disable(made.client.id, &Actor::operator()).await.unwrap();
        let entries = audit::page(world.db.db(), None, 10).await.unwrap();
        let recorded: Vec<_> =
            entries.iter().map(|entry| (entry.action.as_str(), entry.actor.0.as_str())).collect();
        let expected =
            [("client.disable", "operator"), ("client.rotate_secret", "root"), ("client.create", "operator")];
        assert_eq!(recorded, expected);
        let list = gateway.clients.list().await.unwrap();
        assert!(list.len() == 1 && list[0].disabled);
    }
}

#[tokio::test]
async fn a_client_needs_a_readable_name() {
    for world in World::both().await {
        for name in ["", "  ", "a\u{0}b", &"x".repeat(201)] {
            let new = NewClient { name: name.to_owned(), ..new_client() };
            let made = world.gateway().clients.create(new, &Actor::operator()).await;
            assert!(matches!(made, Err(ClientsError::BadName)), "{name:?}");
        }
    }
}

#[tokio::test]
async fn the_metadata_points_to_the_endpoints() {
    let [world, _] = <[World; 2]>::try_from(World::both().await).ok().unwrap();
    let metadata = serde_json::to_value(world.gateway().tokens.metadata()).unwrap();
    assert_eq!(metadata["token_endpoint"], "https://gateway.example/v1/oauth2/token");
    assert_eq!(metadata["jwks_uri"], "https://gateway.example/.well-known/jwks.json");
    assert_eq!(metadata["grant_types_supported"], json!(["client_credentials"]));
}
