//! Who may call: API clients, the token endpoint's work, and the check of every bearer token.
//!
//! [`Clients`] makes clients and their secrets, [`Tokens`] turns a secret into an access token (RFC 6749, client
//! credentials; JWT after RFC 9068) and a token into a [`gateway_domain::access::Caller`]. What a caller may do is
//! read from storage, not from the token, so that a change counts within two seconds on every replica. [`Sessions`] are those of
//! people in the console, who sign in with a client as well.
//!
//! Not here: HTTP ([`TokenRequest`], [`TokenError`] and [`BearerError`] say what a surface has to answer), SQL, and what the
//! permissions are (`gateway_domain::access`).
//!
//! To add an operation on clients: a method of [`Clients`] that changes and records in the audit trail within one
//! transaction, as [`Clients::disable`] does; then its twins, a route of `gateway-api-admin` (`clients.rs`) and a
//! command of `gateway-cli` (`clients.rs`).

mod audit;
mod bearer;
mod client_uses;
mod clients;
mod discovery;
mod foreign_token;
mod known_clients;
mod legacy_uses;
mod login_throttle;
mod master;
mod probe;
mod request;
mod request_claims;
mod requests;
pub mod secrets;
mod sessions;
mod signing;
mod tokens;
pub mod views;

pub use audit::{Audit, NoDetails};
pub use bearer::{BearerError, bearer_token};
pub use clients::{ClientChange, Clients, ClientsError, Credentials, NewClient};
pub use discovery::{AuthorizationServer, JwkSet};
pub use foreign_token::expiry_of;
pub use legacy_uses::LegacyUses;
pub use login_throttle::network;
pub use master::{KeyUse, MasterKey, MasterKeys, Resealed, SealedOwner};
pub use probe::{ensure_opens, open_keyring};
pub use request::{TokenError, TokenRequest, basic_credentials};
pub use request_claims::{ClaimedRequest, RequestClaims, RequestState};
pub use requests::{Repeat, Requests, request_key};
pub use sessions::{SESSION_AGE_MAX, SESSION_IDLE_MAX, Sessions, SignInError, SignedIn};
pub use signing::Jwk;
pub use tokens::{AccessToken, Issuer, Rotated, TokenSettings, TokenType, Tokens};

use crate::secrets::{KeyringError, Unsealable};
use gateway_domain::StoreError;

/// The gateway itself could not do its part; no fault of the caller.
#[derive(Debug, thiserror::Error)]
pub enum AccessError {
    /// The database did not do its part.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A signing key could not be opened.
    #[error(transparent)]
    Unsealable(#[from] Unsealable),
    /// The database depends on master keys that are not here.
    #[error(transparent)]
    Keyring(#[from] KeyringError),
    /// A signing key could not be made or used.
    #[error("access tokens cannot be signed: {0}")]
    Signing(&'static str),
}

#[cfg(test)]
mod tests;
