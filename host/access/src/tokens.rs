//! Access tokens: issued for a client's secret, checked on every request.

use super::client_uses::ClientUses;
use super::discovery::{AuthorizationServer, JwkSet};
use super::known_clients::is_recent;
use super::login_throttle::LoginThrottle;
use super::signing::{GeneratedKey, KeySet, TOKEN_TYPE};
use super::{AccessError, Audit, BearerError, Clients, NoDetails, TokenError, TokenRequest};
use crate::secrets::Keyring;
use aws_lc_rs::digest;
use gateway_domain::access::{Actor, Caller, Client};
use gateway_domain::ids::ClientId;
use gateway_domain::ports::{Clock, Ids};
use gateway_storage::{Db, clients, keys};
use jiff::{SignedDuration, Timestamp};
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::{Algorithm, Validation};
use secrecy::SecretString;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, PoisonError, RwLock};
use tokio_util::sync::CancellationToken;
use utoipa::ToSchema;

/// Longest a client or a key is believed without looking again. With the time of a request it stays below the two
/// seconds within which disabling a client ends its tokens.
const CACHE_AGE_MAX: SignedDuration = SignedDuration::from_millis(1_500);
/// How long a new key is published before it signs: longer than [`CACHE_AGE_MAX`], and some for clocks that differ.
const PUBLICATION_LEAD: SignedDuration = SignedDuration::from_secs(5);
/// How often a rotation is tried that others keep overtaking.
const ROTATION_ATTEMPTS_MAX: usize = 5;
/// More clients than this at once and the memory starts afresh.
const CACHED_CLIENTS_MAX: usize = 10_000;
/// More tokens than this at once and the memory starts afresh.
const CACHED_TOKENS_MAX: usize = 10_000;
const TOKEN_USE: &str = "access";
const SCOPE: &str = "platform";
const VERSION: u8 = 2;

/// What an operator configures of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenSettings {
    /// The `iss` and `aud` of tokens.
    pub issuer: Issuer,
    /// How long a token is good, seconds.
    pub lifetime_s: u32,
    /// Where clients reach the gateway, without a slash at the end.
    pub public_url: String,
}

/// The name in whose `iss` and `aud` tokens are issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Issuer {
    /// A configured name: a token in another one is refused.
    Named(String),
    /// The URL at which this process listens, for want of a name. The next start may listen elsewhere and a second
    /// process on the database does, so a token in the name of any listening address is good: only the processes on
    /// one database have its signing keys.
    Listening(String),
}

impl Issuer {
    fn as_str(&self) -> &str {
        match self {
            Self::Named(name) | Self::Listening(name) => name,
        }
    }

    /// Whether a token in this name is one of ours, once its signature is.
    fn knows(&self, name: &str) -> bool {
        match self {
            Self::Named(ours) => ours == name,
            Self::Listening(_) => {
                let address = name.strip_prefix("http://").or_else(|| name.strip_prefix("https://"));
                address.is_some_and(|address| address.parse::<SocketAddr>().is_ok())
            }
        }
    }
}

/// The answer to a token request, as sent. Its `Debug` does not show the token.
#[derive(Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AccessToken {
    /// A JWT (RFC 9068). Its claims are the gateway's business.
    #[schema(examples("eyJ0eXAiOiJhdCtqd3QiLCJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.e30.c2lnbmF0dXJl"))]
    pub access_token: String,
    /// Seconds.
    #[schema(minimum = 1, examples(3600))]
    pub expires_in: u32,
    /// How it is shown (RFC 6750).
    pub token_type: TokenType,
}

/// How a token is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
pub enum TokenType {
    /// `Authorization: Bearer …`.
    Bearer,
}

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AccessToken").field("expires_in", &self.expires_in).finish_non_exhaustive()
    }
}

/// What became of the signing keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rotated {
    /// Of the new key: its thumbprint (RFC 7638).
    pub kid: String,
    /// When it begins to sign.
    pub signs_from: Timestamp,
    /// How long the key before it is published; none when there was none.
    pub old_published_until: Option<Timestamp>,
}

/// The claims of a token. Members that are not here are ignored when one is read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Claims {
    sub: String,
    client_id: String,
    iss: String,
    aud: String,
    exp: i64,
    iat: i64,
    auth_time: i64,
    token_use: String,
    scope: String,
    version: u8,
    jti: String,
    /// Never issued; a token that has one is not good before.
    #[serde(skip_serializing_if = "Option::is_none")]
    nbf: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    act: Option<Act>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Act {
    sub: String,
}

/// The token endpoint's work, and the check of tokens.
#[derive(Debug)]
pub struct Tokens {
    db: Db,
    keyring: Arc<Keyring>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    audit: Audit,
    clients: Clients,
    login_throttle: LoginThrottle,
    uses: ClientUses,
    settings: TokenSettings,
    keys: RwLock<Option<Arc<KeySet>>>,
    callers: RwLock<HashMap<ClientId, CachedClient>>,
    /// Tokens that were found good, by their SHA-256: a signature costs more to check than most requests to answer.
    /// Whether its key is still published and its client still enabled is asked each time.
    verified: RwLock<HashMap<Vec<u8>, Arc<VerifiedToken>>>,
}

/// What is needed of a token whose signature and claims are good; its time is not checked yet.
#[derive(Debug)]
struct VerifiedToken {
    kid: String,
    client: ClientId,
    act_sub: Option<String>,
    /// Seconds since 1970.
    exp: i64,
}

#[derive(Debug, Clone)]
struct CachedClient {
    client: Option<Arc<Client>>,
    since: Timestamp,
}

impl Tokens {
    /// Tokens for these clients.
    pub fn new(clients: Clients, settings: TokenSettings) -> Self {
        let Clients { db, keyring, clock, ids, audit, .. } = clients.clone();
        Self {
            uses: ClientUses::new(db.clone()),
            db,
            keyring,
            clock,
            ids,
            audit,
            clients,
            login_throttle: LoginThrottle::default(),
            settings,
            keys: RwLock::default(),
            callers: RwLock::default(),
            verified: RwLock::default(),
        }
    }

    /// Where clients reach the gateway, without a slash at the end.
    pub fn public_url(&self) -> &str {
        &self.settings.public_url
    }

    /// The client of these credentials, for every surface that takes a secret. After ten wrong ones within a minute
    /// for a client from one address, or a hundred from the address, none is looked at for a while.
    pub async fn authenticate(
        &self,
        id: &str,
        secret: &SecretString,
        from: IpAddr,
    ) -> Result<Client, TokenError> {
        let too_many = |wait: SignedDuration| {
            let retry_after_s = wait.as_secs() + i64::from(wait.subsec_nanos() > 0);
            TokenError::TooManyFailures { retry_after_s }
        };
        if let Some(wait) = self.login_throttle.wait(id, from, self.clock.now()) {
            return Err(too_many(wait));
        }
        let client = self.clients.authenticate(id, secret).await?;
        if let Some(wait) = self.login_throttle.settled(id, from, self.clock.now(), client.is_some()) {
            return Err(too_many(wait));
        }
        let client = client.ok_or(TokenError::InvalidClient)?;
        self.uses.note(client.id, self.clock.now());
        Ok(client)
    }

    /// Writes down when clients were last used, every few seconds until `shutdown`.
    pub async fn note_uses(self: Arc<Self>, shutdown: CancellationToken) {
        self.uses.run(shutdown).await;
    }

    /// Issues a token to the client of the request, which came from this address.
    pub async fn issue(&self, request: &TokenRequest, from: IpAddr) -> Result<AccessToken, TokenError> {
        let client = self.authenticate(&request.client_id, &request.client_secret, from).await?;
        let keys = self.signing_keys().await?;
        let signer = keys.signer.as_ref().ok_or(AccessError::Signing("there is no key"))?;
        let now = self.clock.now().as_second();
        let claims = Claims {
            sub: client.id.to_string(),
            client_id: client.id.to_string(),
            iss: self.settings.issuer.as_str().to_owned(),
            aud: self.settings.issuer.as_str().to_owned(),
            exp: now.saturating_add(self.settings.lifetime_s.into()),
            iat: now,
            auth_time: now,
            token_use: TOKEN_USE.to_owned(),
            scope: SCOPE.to_owned(),
            version: VERSION,
            jti: self.ids.next().to_string(),
            nbf: None,
            act: request.act_sub.clone().map(|sub| Act { sub }),
        };
        let access_token = signer.sign(&claims)?;
        Ok(AccessToken { access_token, expires_in: self.settings.lifetime_s, token_type: TokenType::Bearer })
    }

    /// Who calls with this token. What the caller may do is what storage says now, or said less than two seconds ago.
    pub async fn verify(&self, token: &str) -> Result<Caller, BearerError> {
        // A replica may have made a key that is not known here yet; `keys` looks again when its view is old.
        let keys = self.keys().await?;
        let good = self.verified(token, &keys)?;
        if good.exp <= self.clock.now().as_second() {
            return Err(BearerError::Expired);
        }
        let client = self.client(good.client).await?.ok_or(BearerError::Invalid)?;
        if client.disabled {
            return Err(BearerError::Disabled);
        }
        Ok(Caller {
            client: good.client,
            act_sub: good.act_sub.clone(),
            permissions: client.permissions.clone(),
            workspaces: client.workspaces.clone(),
        })
    }

    /// A token that we signed for ourselves, with a key that is published.
    fn verified(&self, token: &str, keys: &KeySet) -> Result<Arc<VerifiedToken>, BearerError> {
        let hash = digest::digest(&digest::SHA256, token.as_bytes()).as_ref().to_vec();
        let known = self.verified.read().unwrap_or_else(PoisonError::into_inner).get(&hash).cloned();
        if let Some(known) = known {
            return if keys.verifier(&known.kid).is_some() { Ok(known) } else { Err(BearerError::Invalid) };
        }
        let good = Arc::new(self.examined(token, keys)?);
        let mut all = self.verified.write().unwrap_or_else(PoisonError::into_inner);
        if all.len() >= CACHED_TOKENS_MAX {
            all.clear();
        }
        all.insert(hash, Arc::clone(&good));
        Ok(good)
    }

    /// Checks the signature and every claim but the time.
    fn examined(&self, token: &str, keys: &KeySet) -> Result<VerifiedToken, BearerError> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| BearerError::Invalid)?;
        let kid = header.kid.ok_or(BearerError::Invalid)?;
        let ours = header.typ.is_some_and(|typ| typ.eq_ignore_ascii_case(TOKEN_TYPE));
        // Nothing here understands what a token calls critical (RFC 7515, section 4.1.11), and b64 changes what is signed
        // (RFC 7797).
        let is_extended = header.crit.is_some() || !matches!(header.extras.get("b64"), Ok(None | Some(true)));
        if !ours || is_extended || header.alg != Algorithm::ES256 {
            return Err(BearerError::Invalid);
        }
        let verifier = keys.verifier(&kid).ok_or(BearerError::Invalid)?;
        let mut validation = Validation::new(Algorithm::ES256);
        // Both names are looked at below.
        validation.validate_aud = false;
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        // The library would ask the system's clock.
        validation.validate_exp = false;
        let decoded = jsonwebtoken::decode::<Claims>(token, &verifier.key, &validation);
        let claims = decoded.map_err(|error| reject(error.kind()))?.claims;
        let ours = self.settings.issuer.knows(&claims.iss) && claims.aud == claims.iss;
        let sound = ours
            && claims.token_use == TOKEN_USE
            && claims.version == VERSION
            && claims.sub == claims.client_id;
        let begun = claims.nbf.is_none_or(|nbf| nbf <= self.clock.now().as_second());
        if !sound || !begun {
            return Err(BearerError::Invalid);
        }
        let client = claims.client_id.parse().map_err(|_| BearerError::Invalid)?;
        Ok(VerifiedToken { kid, client, act_sub: claims.act.map(|act| act.sub), exp: claims.exp })
    }

    async fn client(&self, id: ClientId) -> Result<Option<Arc<Client>>, AccessError> {
        let now = self.clock.now();
        let known = self.callers.read().unwrap_or_else(PoisonError::into_inner).get(&id).cloned();
        if let Some(known) = known.filter(|known| is_recent(known.since, now, CACHE_AGE_MAX)) {
            return Ok(known.client);
        }
        let client = clients::find(&self.db, id).await?.map(Arc::new);
        if client.is_some() {
            self.uses.note(id, now);
        }
        let mut callers = self.callers.write().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= CACHED_CLIENTS_MAX {
            callers.clear();
        }
        callers.insert(id, CachedClient { client: client.clone(), since: now });
        Ok(client)
    }

    /// The published keys, at most [`CACHE_AGE_MAX`] old.
    async fn keys(&self) -> Result<Arc<KeySet>, AccessError> {
        let now = self.clock.now();
        let known = self.keys.read().unwrap_or_else(PoisonError::into_inner).clone();
        match known {
            Some(known) if is_recent(known.loaded_at, now, CACHE_AGE_MAX) => Ok(known),
            _ => self.load_keys(now).await,
        }
    }

    async fn load_keys(&self, now: Timestamp) -> Result<Arc<KeySet>, AccessError> {
        let rows = keys::published(&self.db, now).await?;
        let set = Arc::new(KeySet::open(rows, &self.keyring, now)?);
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(&set));
        Ok(set)
    }

    /// The keys with one that signs: made now if this is the first token ever.
    async fn signing_keys(&self) -> Result<Arc<KeySet>, AccessError> {
        let known = self.keys().await?;
        if known.signer.is_some() {
            return Ok(known);
        }
        let fresh = GeneratedKey::generate(&self.keyring)?;
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        // Whoever comes second finds the first one's key in place and uses it.
        keys::insert(&mut tx, &fresh.row(now)?, now).await?;
        tx.commit_at("signing-key-created").await?;
        self.load_keys(now).await
    }

    /// Makes another key sign soon. It is published at once and signs when every replica has read it, so that none
    /// ever refuses its tokens; the old public key stays published until its last token has expired.
    pub async fn rotate_signing_key(&self, actor: &Actor) -> Result<Rotated, AccessError> {
        // Whoever rotates at the same time may have put a key of its own in the place that was made free.
        for _ in 0..ROTATION_ATTEMPTS_MAX {
            if let Some(rotated) = self.try_rotating(actor).await? {
                return Ok(rotated);
            }
        }
        Err(AccessError::Signing("others rotate the key all the time"))
    }

    /// `None` when somebody else was faster.
    async fn try_rotating(&self, actor: &Actor) -> Result<Option<Rotated>, AccessError> {
        let fresh = GeneratedKey::generate(&self.keyring)?;
        let now = self.clock.now();
        let too_long = |_| AccessError::Signing("the token lifetime is too long");
        let mut tx = self.db.begin().await?;
        let signs_from = now.checked_add(PUBLICATION_LEAD).map_err(too_long)?;
        // Another replica may sign with the old key until it looks again, and clocks differ a little.
        let last = SignedDuration::from_secs(i64::from(self.settings.lifetime_s) + 60);
        let expires_at = signs_from.checked_add(last).map_err(too_long)?;
        let replaces = keys::retire(&mut tx, signs_from, expires_at).await?;
        let signs_from = if replaces { signs_from } else { now };
        if !keys::insert(&mut tx, &fresh.row(signs_from)?, now).await? {
            return Ok(None);
        }
        let subject = format!("signing_key:{}", fresh.jwk.kid);
        self.audit.record(&mut tx, actor, "signing_key.rotate", subject, &NoDetails {}).await?;
        tx.commit_at("signing-key-rotated").await?;
        self.load_keys(now).await?;
        let old_published_until = replaces.then_some(expires_at);
        Ok(Some(Rotated { kid: fresh.jwk.kid, signs_from, old_published_until }))
    }

    /// The public keys (RFC 7517), the body of `/.well-known/jwks.json`. Makes the first key when there is none.
    pub async fn jwks(&self) -> Result<JwkSet, AccessError> {
        let keys = self.signing_keys().await?;
        Ok(JwkSet { keys: keys.verifiers.iter().map(|verifier| verifier.jwk.clone()).collect() })
    }

    /// The metadata (RFC 8414), the body of `/.well-known/oauth-authorization-server`.
    pub fn metadata(&self) -> AuthorizationServer {
        AuthorizationServer::at(&self.settings.public_url, self.settings.issuer.as_str(), SCOPE)
    }
}

fn reject(kind: &ErrorKind) -> BearerError {
    if matches!(kind, ErrorKind::ExpiredSignature) { BearerError::Expired } else { BearerError::Invalid }
}
