//! Tokens taken apart and put together by hand, with another library than the gateway's own.

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};
use aws_lc_rs::{hmac, signature};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

pub(crate) fn encoded(part: &Value) -> String {
    URL_SAFE_NO_PAD.encode(part.to_string())
}

/// Header and claims, whatever the signature.
pub(crate) fn parts(token: &str) -> (Value, Value) {
    let mut parts = token.split('.').map(|part| URL_SAFE_NO_PAD.decode(part).unwrap());
    let mut next = || serde_json::from_slice(&parts.next().unwrap()).unwrap();
    (next(), next())
}

/// Whether a key of the published set, and the one the header names, made the signature.
pub(crate) fn is_signed_by(token: &str, jwks: &Value) -> bool {
    let kid = parts(token).0["kid"].clone();
    let (signed, given) = token.rsplit_once('.').unwrap();
    let key = jwks["keys"].as_array().unwrap().iter().find(|key| key["kid"] == kid);
    let point = point(key.expect("the key is published"));
    let signature = URL_SAFE_NO_PAD.decode(given).unwrap();
    UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed.as_bytes(), &signature).is_ok()
}

/// The public key as an uncompressed point.
pub(crate) fn point(jwk: &Value) -> Vec<u8> {
    let coordinate = |name: &str| URL_SAFE_NO_PAD.decode(jwk[name].as_str().unwrap()).unwrap();
    [vec![4], coordinate("x"), coordinate("y")].concat()
}

/// A key of a stranger.
pub(crate) struct Forger(EcdsaKeyPair);

impl Forger {
    pub(crate) fn new() -> Self {
        Self(EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap())
    }

    pub(crate) fn jwk(&self) -> Value {
        let (x, y) = self.0.public_key().as_ref()[1..].split_at(32);
        json!({"kty": "EC", "crv": "P-256", "x": URL_SAFE_NO_PAD.encode(x), "y": URL_SAFE_NO_PAD.encode(y)})
    }

    /// The same with an id that fits it.
    pub(crate) fn jwk_with_id(&self) -> Value {
        let mut jwk = self.jwk();
        let canonical =
            json!({"crv": jwk["crv"], "kty": jwk["kty"], "x": jwk["x"], "y": jwk["y"]}).to_string();
        let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, canonical.as_bytes());
        jwk["kid"] = json!(URL_SAFE_NO_PAD.encode(digest));
        jwk
    }

    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        let signed = format!("{}.{}", encoded(header), encoded(claims));
        let made: signature::Signature = self.0.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(made.as_ref()))
    }
}

/// Signed with a shared secret, which may be somebody's public key.
pub(crate) fn hs256(header: &Value, claims: &Value, secret: &[u8]) -> String {
    let signed = format!("{}.{}", encoded(header), encoded(claims));
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, secret), signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(tag.as_ref()))
}
