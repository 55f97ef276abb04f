//! Detached signatures (Ed25519) over a component's SHA-256, and the keys an operator trusts.
//!
//! Keys and signatures are one line of text each, with a prefix that says what it is: a secret never passes for a
//! public key. What is signed begins with a text of its own, so that a signature made for anything else proves
//! nothing here.

use arc_swap::ArcSwap;
use aws_lc_rs::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use zeroize::Zeroizing;

/// Before the digest: what this signature is about.
const DOMAIN: &[u8] = b"einvoicing plugin component, sha-256, version 1\0";
const SECRET_KEY_PREFIX: &str = "einvoicing-secret-key:";
const PUBLIC_KEY_PREFIX: &str = "einvoicing-public-key:";
const SIGNATURE: &str = "einvoicing-signature:";
const KEY_BYTES: usize = 32;
const SIGNATURE_BYTES: usize = 64;

/// Why a component is not trusted, or a key is none. Each is a sentence with what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    /// There is no signature, and this gateway trusts certain keys only.
    #[error(
        "the plugin is not signed, and this gateway takes signed ones only: sign it with 'gateway plugin sign' and put the .sig file beside it"
    )]
    Unsigned,
    /// The signature file is none.
    #[error("the signature is none: give the .sig file that 'gateway plugin sign' made")]
    Malformed,
    /// Signed, but by a key that nobody here trusts.
    #[error(
        "the plugin is signed by {0}, which is not among plugins.trusted_keys: check who signed it before adding the key"
    )]
    UnknownKey(PublicKey),
    /// The signature does not fit the component.
    #[error(
        "the signature does not fit the plugin, so one of both was changed: fetch both again from where they were published"
    )]
    Tampered,
    /// A text is no key.
    #[error("this is no {0}: give the line that 'gateway plugin keygen' printed")]
    NotAKey(&'static str),
    /// The machine gives no random numbers, or its cryptography fails.
    #[error("the system's cryptography failed: try again")]
    Crypto,
}

/// The public half: what stands in `plugins.trusted_keys`.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PublicKey([u8; KEY_BYTES]);

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PUBLIC_KEY_PREFIX}{}", STANDARD.encode(self.0))
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for PublicKey {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let bytes = text.trim().strip_prefix(PUBLIC_KEY_PREFIX).and_then(decode);
        bytes.map(|bytes| Self(*bytes)).ok_or(SignatureError::NotAKey("public key"))
    }
}

/// The secret half. Its `Debug` shows nothing; its memory is wiped.
#[derive(Clone)]
pub struct SigningKey(Zeroizing<[u8; KEY_BYTES]>);

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SigningKey(…)")
    }
}

impl FromStr for SigningKey {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let bytes = text.trim().strip_prefix(SECRET_KEY_PREFIX).and_then(decode);
        bytes.map(Self).ok_or(SignatureError::NotAKey("secret key"))
    }
}

impl SigningKey {
    /// A fresh key.
    pub fn generate() -> Result<Self, SignatureError> {
        let mut seed = Zeroizing::new([0; KEY_BYTES]);
        aws_lc_rs::rand::fill(seed.as_mut_slice()).map_err(|_| SignatureError::Crypto)?;
        Ok(Self(seed))
    }

    /// The line to keep, readable by its owner alone.
    pub fn to_text(&self) -> Zeroizing<String> {
        let encoded = Zeroizing::new(STANDARD.encode(self.0.as_slice()));
        Zeroizing::new(format!("{SECRET_KEY_PREFIX}{}", encoded.as_str()))
    }

    fn pair(&self) -> Result<Ed25519KeyPair, SignatureError> {
        Ed25519KeyPair::from_seed_unchecked(self.0.as_slice()).map_err(|_| SignatureError::Crypto)
    }

    /// What operators trust: it verifies signatures and cannot make any.
    pub fn public_key(&self) -> Result<PublicKey, SignatureError> {
        let bytes = self.pair()?.public_key().as_ref().try_into();
        bytes.map(PublicKey).map_err(|_| SignatureError::Crypto)
    }

    /// Signs a component.
    pub fn sign(&self, component: &[u8]) -> Result<Signature, SignatureError> {
        let made = self.pair()?.try_sign(&statement(component)).map_err(|_| SignatureError::Crypto)?;
        let bytes = made.as_ref().try_into().map_err(|_| SignatureError::Crypto)?;
        Ok(Signature { key: self.public_key()?, bytes })
    }
}

/// A detached signature, with the key it claims to be by: the one line of a `.sig` file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    key: PublicKey,
    bytes: [u8; SIGNATURE_BYTES],
}

impl Signature {
    /// Who claims to have signed.
    pub const fn key(&self) -> &PublicKey {
        &self.key
    }

    /// Whether it is a signature of the component by its key.
    pub fn verifies(&self, component: &[u8]) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, self.key.0);
        key.verify(&statement(component), &self.bytes).is_ok()
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SIGNATURE}{}:{}", STANDARD.encode(self.key.0), STANDARD.encode(self.bytes))
    }
}

impl FromStr for Signature {
    type Err = SignatureError;

    fn from_str(text: &str) -> Result<Self, SignatureError> {
        let parts = text.trim().strip_prefix(SIGNATURE).and_then(|rest| rest.split_once(':'));
        let (key, bytes) = parts.ok_or(SignatureError::Malformed)?;
        let key = decode(key).ok_or(SignatureError::Malformed)?;
        let bytes = decode(bytes).ok_or(SignatureError::Malformed)?;
        Ok(Self { key: PublicKey(*key), bytes: *bytes })
    }
}

/// Why a component may be installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Trust {
    /// This trusted key signed it.
    TrustedKey(PublicKey),
    /// No key is configured, so everything is taken. Warn about it.
    NotAsked,
}

/// Whether a component may be installed, given the text of its signature file and the trusted keys. With no trusted
/// key an unsigned component is taken; a signature that does not fit is refused in any case.
pub fn verify(
    component: &[u8],
    signature: Option<&str>,
    trusted: &[PublicKey],
) -> Result<Trust, SignatureError> {
    let Some(text) = signature else {
        return if trusted.is_empty() { Ok(Trust::NotAsked) } else { Err(SignatureError::Unsigned) };
    };
    let signature: Signature = text.parse()?;
    if !trusted.is_empty() && !trusted.contains(signature.key()) {
        return Err(SignatureError::UnknownKey(signature.key));
    }
    if !signature.verifies(component) {
        return Err(SignatureError::Tampered);
    }
    Ok(if trusted.is_empty() { Trust::NotAsked } else { Trust::TrustedKey(signature.key) })
}

/// The keys an operator trusts, which may change while the process runs. Cheap to clone; clones share them.
#[derive(Debug, Clone)]
pub struct TrustedKeys(Arc<ArcSwap<Vec<PublicKey>>>);

impl TrustedKeys {
    /// These keys; none: components are taken without a signature.
    pub fn new(keys: Vec<PublicKey>) -> Self {
        Self(Arc::new(ArcSwap::from_pointee(keys)))
    }

    /// Trusts these from now on. What serves already goes on serving until it is loaded again.
    pub fn set(&self, keys: Vec<PublicKey>) {
        self.0.store(Arc::new(keys));
    }

    /// Whether components have to be signed.
    pub fn ask_for_signatures(&self) -> bool {
        !self.0.load().is_empty()
    }

    /// [`verify`] by the keys of this moment.
    ///
    /// # Errors
    /// The component may not be used.
    pub fn verify(&self, component: &[u8], signature: Option<&str>) -> Result<Trust, SignatureError> {
        verify(component, signature, &self.0.load())
    }
}

/// Where the signature of a component lies: `x.wasm.sig` beside `x.wasm`.
pub fn signature_file(component: &Path) -> PathBuf {
    let mut name = OsString::from(component);
    name.push(".sig");
    name.into()
}

/// What is signed.
fn statement(component: &[u8]) -> Vec<u8> {
    [DOMAIN, Sha256::digest(component).as_slice()].concat()
}

fn decode<const N: usize>(text: &str) -> Option<Zeroizing<[u8; N]>> {
    let bytes = Zeroizing::new(STANDARD.decode(text).ok()?);
    bytes.as_slice().try_into().ok().map(Zeroizing::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMPONENT: &[u8] = b"\0asm, or anything else";

    fn signed() -> (PublicKey, String) {
        let key = SigningKey::generate().unwrap();
        (key.public_key().unwrap(), key.sign(COMPONENT).unwrap().to_string())
    }

    #[test]
    fn what_a_trusted_key_signed_is_trusted() {
        let (key, signature) = signed();
        let (other, _) = signed();
        let file = format!("{signature}\n");
        assert_eq!(verify(COMPONENT, Some(&file), &[other, key.clone()]), Ok(Trust::TrustedKey(key)));
    }

    #[test]
    fn keys_and_signatures_survive_as_text() {
        let key = SigningKey::generate().unwrap();
        let again: SigningKey = key.to_text().parse().unwrap();
        assert_eq!(again.public_key(), key.public_key());
        let public = key.public_key().unwrap();
        assert_eq!(public.to_string().parse(), Ok(public.clone()));
        let signature = key.sign(COMPONENT).unwrap();
        assert_eq!(signature.to_string().parse(), Ok(signature.clone()));
        assert_eq!(again.sign(COMPONENT), Ok(signature));
        assert_eq!(format!("{key:?}"), "SigningKey(…)");
    }

    #[test]
    fn a_changed_component_is_refused_whoever_is_trusted() {
        let (key, signature) = signed();
        let changed = [COMPONENT, b"!"].concat();
        assert_eq!(verify(&changed, Some(&signature), &[key]), Err(SignatureError::Tampered));
        assert_eq!(verify(&changed, Some(&signature), &[]), Err(SignatureError::Tampered));
    }

    #[test]
    fn a_changed_signature_is_refused() {
        let (key, text) = signed();
        let mut signature: Signature = text.parse().unwrap();
        for place in [0, 31, 32, 63] {
            signature.bytes[place] ^= 1;
            let verdict = verify(COMPONENT, Some(&signature.to_string()), std::slice::from_ref(&key));
            assert_eq!(verdict, Err(SignatureError::Tampered));
            signature.bytes[place] ^= 1;
        }
    }

    #[test]
    fn a_signature_with_the_name_of_a_trusted_key_does_not_fit() {
        let (trusted, _) = signed();
        let (_, text) = signed();
        let forged = Signature { key: trusted.clone(), ..text.parse().unwrap() };
        assert_eq!(verify(COMPONENT, Some(&forged.to_string()), &[trusted]), Err(SignatureError::Tampered));
    }

    #[test]
    fn an_unknown_key_is_refused_by_name() {
        let (trusted, _) = signed();
        let (stranger, signature) = signed();
        let refused = verify(COMPONENT, Some(&signature), &[trusted]).unwrap_err();
        assert!(refused.to_string().contains(&stranger.to_string()), "{refused}");
    }

    #[test]
    fn the_unsigned_is_taken_only_while_no_key_is_trusted() {
        let (key, signature) = signed();
        assert_eq!(verify(COMPONENT, None, &[]), Ok(Trust::NotAsked));
        assert_eq!(verify(COMPONENT, Some(&signature), &[]), Ok(Trust::NotAsked));
        assert_eq!(verify(COMPONENT, None, &[key]), Err(SignatureError::Unsigned));
    }

    #[test]
    fn a_signature_of_the_bare_digest_proves_nothing() {
        let key = SigningKey::generate().unwrap();
        let made = key.pair().unwrap().sign(&Sha256::digest(COMPONENT));
        let bare = Signature { key: key.public_key().unwrap(), bytes: made.as_ref().try_into().unwrap() };
        assert!(!bare.verifies(COMPONENT));
    }

    #[test]
    fn junk_is_neither_key_nor_signature() {
        let (key, _) = signed();
        let secret = SigningKey::generate().unwrap().to_text();
        for junk in ["", "x", SIGNATURE, "einvoicing-signature:AAAA:BBBB", secret.as_str()] {
            assert_eq!(verify(COMPONENT, Some(junk), &[]), Err(SignatureError::Malformed), "{junk}");
            assert_eq!(junk.parse::<PublicKey>(), Err(SignatureError::NotAKey("public key")));
        }
        assert!(key.to_string().parse::<SigningKey>().is_err());
    }

    #[test]
    fn the_signature_lies_beside_the_component() {
        assert_eq!(signature_file(Path::new("a/x.wasm")), Path::new("a/x.wasm.sig"));
    }
}
