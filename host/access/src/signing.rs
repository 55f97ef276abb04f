//! The keys that sign access tokens: made at first use, sealed in the database, published as JSON Web Keys.

use super::AccessError;
use crate::secrets::{Keyring, SealedFor};
use aws_lc_rs::digest;
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use gateway_domain::StoreError;
use gateway_storage::Corrupt;
use gateway_storage::keys::SigningKey;
use jiff::Timestamp;
use jsonwebtoken::DecodingKey;
use serde::{Deserialize, Serialize};
use std::fmt;
use utoipa::ToSchema;
use zeroize::Zeroizing;

/// The type of access tokens in their header (RFC 9068).
pub(super) const TOKEN_TYPE: &str = "at+jwt";
/// Bytes of one coordinate of a point on P-256.
const COORDINATE_BYTES: usize = 32;

/// The public half of a key (RFC 7517), as stored and published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Jwk {
    #[schema(pattern = "^EC$", examples("EC"))]
    kty: String,
    #[schema(pattern = "^P-256$", examples("P-256"))]
    crv: String,
    /// A coordinate of the point, base64url.
    #[schema(examples("f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU"))]
    x: String,
    /// The other one.
    #[schema(examples("x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"))]
    y: String,
    /// The thumbprint of the key (RFC 7638).
    #[schema(examples("NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs"))]
    pub(super) kid: String,
    #[schema(pattern = "^sig$", examples("sig"))]
    r#use: String,
    #[schema(pattern = "^ES256$", examples("ES256"))]
    alg: String,
}

impl Jwk {
    /// The thumbprint of the key (RFC 7638).
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// From an uncompressed point: 4, x, y. The key id is the thumbprint (RFC 7638).
    fn of_point(point: &[u8]) -> Option<Self> {
        let (x, y) = point.strip_prefix(&[4])?.split_at_checked(COORDINATE_BYTES)?;
        let (x, y) = (URL_SAFE_NO_PAD.encode(x), URL_SAFE_NO_PAD.encode(y));
        let canonical = format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#);
        let kid = URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, canonical.as_bytes()));
        let text = str::to_owned;
        Some(Self { kty: text("EC"), crv: text("P-256"), x, y, kid, r#use: text("sig"), alg: text("ES256") })
    }
}

/// A new key, ready to be stored.
pub(super) struct GeneratedKey {
    pub(super) jwk: Jwk,
    pub(super) sealed: Vec<u8>,
}

impl GeneratedKey {
    pub(super) fn generate(keyring: &Keyring) -> Result<Self, AccessError> {
        let refused = AccessError::Signing("no key could be made");
        let Ok(pair) = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING) else { return Err(refused) };
        let Some(jwk) = Jwk::of_point(pair.public_key().as_ref()) else { return Err(refused) };
        let Ok(pkcs8) = pair.to_pkcs8v1() else { return Err(refused) };
        let private = Zeroizing::new(pkcs8.as_ref().to_vec());
        let sealed = keyring.seal(SealedFor::SigningKey(&jwk.kid), &private)?;
        Ok(Self { jwk, sealed })
    }

    /// As it is stored.
    pub(super) fn row(&self, signs_from: Timestamp) -> Result<SigningKey, AccessError> {
        let unwritable = |_| AccessError::Signing("the public key cannot be written");
        let jwk = serde_json::to_string(&self.jwk).map_err(unwritable)?;
        Ok(SigningKey { kid: self.jwk.kid.clone(), sealed: self.sealed.clone(), jwk, signs_from })
    }
}

/// Signs new access tokens (ES256) and is named in their headers. Not by the library that checks them: it reads the key
/// again for each token, which costs as much as the signature.
pub(super) struct Signer {
    key: EcdsaKeyPair,
    random: SystemRandom,
    /// As it stands in a token, with the dot after it: it is the same in all.
    header: String,
}

/// The header of an access token.
#[derive(Serialize)]
struct TokenHeader<'a> {
    typ: &'a str,
    alg: &'a str,
    kid: &'a str,
}

impl Signer {
    fn new(kid: &str, private: &[u8]) -> Result<Self, AccessError> {
        let unusable = AccessError::Signing("the key cannot be read");
        let Ok(key) = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, private) else {
            return Err(unusable);
        };
        let header = TokenHeader { typ: TOKEN_TYPE, alg: "ES256", kid };
        let Ok(header) = serde_json::to_vec(&header) else { return Err(unusable) };
        let header = format!("{}.", URL_SAFE_NO_PAD.encode(header));
        Ok(Self { key, random: SystemRandom::new(), header })
    }

    /// A token with these claims (RFC 7515, compact serialisation).
    pub(super) fn sign(&self, claims: &impl Serialize) -> Result<String, AccessError> {
        let unwritable = |_| AccessError::Signing("the claims cannot be written");
        let claims = serde_json::to_vec(claims).map_err(unwritable)?;
        let mut token = self.header.clone();
        URL_SAFE_NO_PAD.encode_string(claims, &mut token);
        let signature = self.key.sign(&self.random, token.as_bytes());
        let signature = signature.map_err(|_| AccessError::Signing("the key does not sign"))?;
        token.push('.');
        URL_SAFE_NO_PAD.encode_string(signature.as_ref(), &mut token);
        Ok(token)
    }
}

/// A key whose tokens are still good.
pub(super) struct Verifier {
    pub(super) jwk: Jwk,
    pub(super) key: DecodingKey,
}

/// The keys as of one moment.
pub(super) struct KeySet {
    /// None before the first token. The newest one whose time has come when the set was read.
    pub(super) signer: Option<Signer>,
    pub(super) verifiers: Vec<Verifier>,
    pub(super) loaded_at: Timestamp,
}

impl KeySet {
    pub(super) fn open(
        keys: Vec<SigningKey>,
        keyring: &Keyring,
        now: Timestamp,
    ) -> Result<Self, AccessError> {
        let mut set = Self { signer: None, verifiers: Vec::new(), loaded_at: now };
        // Before any other there was the first one: whose clock is behind its maker's signs with it all the same.
        let first = keys.len().saturating_sub(1);
        for (place, row) in keys.into_iter().enumerate() {
            let corrupt = || StoreError::from(Corrupt::new("signing_key", &row.kid, "jwk", &row.jwk));
            let jwk: Jwk = serde_json::from_str(&row.jwk).map_err(|_| corrupt())?;
            // The rows begin with the key that signs last; one whose time has not come is only published.
            if set.signer.is_none() && (row.signs_from <= now || place == first) {
                let private = keyring.open(SealedFor::SigningKey(&row.kid), &row.sealed)?;
                set.signer = Some(Signer::new(&row.kid, &private)?);
            }
            let key = DecodingKey::from_ec_components(&jwk.x, &jwk.y).map_err(|_| corrupt())?;
            set.verifiers.push(Verifier { jwk, key });
        }
        Ok(set)
    }

    pub(super) fn verifier(&self, kid: &str) -> Option<&Verifier> {
        self.verifiers.iter().find(|verifier| verifier.jwk.kid == kid)
    }
}

impl fmt::Debug for KeySet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kids: Vec<_> = self.verifiers.iter().map(|verifier| &verifier.jwk.kid).collect();
        f.debug_struct("KeySet").field("kids", &kids).finish_non_exhaustive()
    }
}
