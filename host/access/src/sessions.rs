//! Sessions of people in the console: signed in with a client's id and secret, kept in the database, so that every replica knows
//! them and signing out ends them everywhere.
//!
//! The browser holds a random secret; the database its SHA-256. What the client may do is read at each request, so a permission
//! that is taken away is gone at once. Forms carry a token that is derived from the secret and shown on the session's own pages
//! only: a page of another origin, which cannot read those, cannot send one.

use crate::{AccessError, Audit, NoDetails, TokenError, Tokens};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::{digest, rand};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gateway_domain::StoreError;
use gateway_domain::access::{Caller, Client, Permission};
use gateway_domain::ids::ClientId;
use gateway_domain::ports::{Clock, Ids};
use gateway_storage::{Db, clients, sessions as stored};
use jiff::{SignedDuration, Timestamp};
use secrecy::{ExposeSecret, SecretString};
use std::net::IpAddr;
use std::sync::Arc;
use zeroize::Zeroizing;

/// After so long without a request a session is over.
pub const SESSION_IDLE_MAX: SignedDuration = SignedDuration::from_mins(60);
/// After so long a session is over, used or not.
pub const SESSION_AGE_MAX: SignedDuration = SignedDuration::from_hours(12);
/// How often a use is written down.
const USE_INTERVAL: SignedDuration = SignedDuration::from_secs(60);
const SECRET_BYTES: usize = 32;
/// Which clients sign in: those with one of these.
const SIGN_IN_PERMISSIONS: [Permission; 2] = [Permission::Admin, Permission::ConsoleRead];

/// Who looks at a page.
#[derive(Debug, Clone)]
pub struct SignedIn {
    /// What its client may do now.
    pub caller: Caller,
    /// How the client is called.
    pub name: String,
    /// What a form of this session carries.
    pub form_token: SecretString,
    /// Tells the forms of one page from those of another.
    pub form_id: String,
}

impl SignedIn {
    /// Whether a form came from a page of this session. Takes as long for a wrong token as for the right one.
    pub fn owns_form_token(&self, token: &str) -> bool {
        verify_slices_are_equal(self.form_token.expose_secret().as_bytes(), token.as_bytes()).is_ok()
    }
}

/// Why nobody was signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// Wrong credentials, or too many of them.
    #[error(transparent)]
    Credentials(#[from] TokenError),
    /// The client is no one's who works with the console.
    #[error("the client has neither the permission admin nor console.read: 'gateway client set' grants them")]
    NotPermitted,
    /// The gateway itself could not do its part.
    #[error(transparent)]
    Internal(#[from] AccessError),
}

impl From<StoreError> for SignInError {
    fn from(error: StoreError) -> Self {
        Self::Internal(error.into())
    }
}

/// The sessions of the console. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Sessions {
    db: Db,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    tokens: Arc<Tokens>,
    audit: Audit,
}

impl Sessions {
    /// Sessions in this database, for clients whose secrets `tokens` knows.
    pub fn new(db: Db, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>, tokens: Arc<Tokens>) -> Self {
        let audit = Audit::new(db.clone(), Arc::clone(&clock), Arc::clone(&ids));
        Self { db, clock, ids, tokens, audit }
    }

    /// Begins a session and gives its secret, which is in no other session: whoever knew a secret before knows nothing of
    /// this one. Wrong credentials count as they do at the token endpoint.
    pub async fn sign_in(
        &self,
        id: &str,
        secret: &SecretString,
        from: IpAddr,
    ) -> Result<SecretString, SignInError> {
        let client = self.tokens.authenticate(id, secret, from).await?;
        if !is_permitted(&client) {
            return Err(SignInError::NotPermitted);
        }
        let mut bytes = Zeroizing::new([0_u8; SECRET_BYTES]);
        rand::fill(&mut *bytes).map_err(|_| AccessError::Signing("there is no randomness"))?;
        let secret = SecretString::from(URL_SAFE_NO_PAD.encode(*bytes));
        let now = self.clock.now();
        let mut tx = self.db.begin().await?;
        stored::forget(&mut tx, now.checked_sub(SESSION_AGE_MAX).unwrap_or(now)).await?;
        stored::insert(&mut tx, &hash(&secret), client.id, now).await?;
        self.audit
            .record(&mut tx, &actor(client.id), "console.sign_in", subject(client.id), &NoDetails {})
            .await?;
        tx.commit_at("signed-in").await?;
        Ok(secret)
    }

    /// Who looks, by the secret of a session; none when it is over, or its client may not look any more. What a page fetches by
    /// itself (`is_automatic`) does not keep a session alive.
    pub async fn find(
        &self,
        secret: &SecretString,
        is_automatic: bool,
    ) -> Result<Option<SignedIn>, AccessError> {
        let hash = hash(secret);
        let Some(session) = stored::find(&self.db, &hash).await? else { return Ok(None) };
        let now = self.clock.now();
        if is_over(&session, now) {
            return Ok(None);
        }
        let client = clients::find(&self.db, session.client).await?;
        let Some(client) = client.filter(is_permitted) else { return Ok(None) };
        let is_due = now.duration_since(session.last_used_at) >= USE_INTERVAL;
        if is_due
            && !is_automatic
            && let Err(error) = self.touch(&hash, now).await
        {
            // A database that takes no writes is read all the same.
            tracing::warn!("The use of a session is not noted: {error}");
        }
        let Client { id, name, permissions, workspaces, disabled: _ } = client;
        let caller = Caller { client: id, act_sub: None, permissions, workspaces };
        let form_id = self.ids.next().to_string();
        Ok(Some(SignedIn { caller, name, form_token: form_token(secret), form_id }))
    }

    async fn touch(&self, hash: &[u8], now: Timestamp) -> Result<(), StoreError> {
        let mut tx = self.db.begin().await?;
        stored::touch(&mut tx, hash, now).await?;
        tx.commit_at("session-used").await
    }

    /// Ends a session, everywhere and at once. One that is over already is no mistake.
    pub async fn sign_out(&self, secret: &SecretString) -> Result<(), AccessError> {
        let hash = hash(secret);
        let mut tx = self.db.begin().await?;
        if let Some(session) = stored::find(&mut tx, &hash).await? {
            let client = session.client;
            stored::end(&mut tx, &hash).await?;
            self.audit
                .record(&mut tx, &actor(client), "console.sign_out", subject(client), &NoDetails {})
                .await?;
        }
        Ok(tx.commit_at("signed-out").await?)
    }
}

fn is_permitted(client: &Client) -> bool {
    let held =
        |permission: &Permission| *permission == Permission::All || SIGN_IN_PERMISSIONS.contains(permission);
    !client.disabled && client.permissions.iter().any(held)
}

/// A clock that was set back ends no session.
fn is_over(session: &stored::Session, now: Timestamp) -> bool {
    now.duration_since(session.created_at) >= SESSION_AGE_MAX
        || now.duration_since(session.last_used_at) >= SESSION_IDLE_MAX
}

fn actor(client: ClientId) -> gateway_domain::access::Actor {
    gateway_domain::access::Actor::of_client(client, None)
}

fn subject(client: ClientId) -> String {
    format!("client:{client}")
}

fn hash(secret: &SecretString) -> Vec<u8> {
    digest::digest(&digest::SHA256, secret.expose_secret().as_bytes()).as_ref().to_vec()
}

/// Tells nothing of the secret, nor of what the database keeps of it.
fn form_token(secret: &SecretString) -> SecretString {
    let text = Zeroizing::new(format!("form token of {}", secret.expose_secret()));
    SecretString::from(URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, text.as_bytes())))
}
