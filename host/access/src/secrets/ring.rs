//! The keys of one state of the key file, and what they do. Nothing here reads a file.

use super::{KEY_BYTES, KEY_ID_CHARS, KeyStanding, KeyedHash, KeyringError, Purpose, SealedFor, Unsealable};
use aws_lc_rs::{constant_time, hkdf, hmac, rand};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use gateway_domain::access::RequestKey;
use std::path::Path;
use zeroize::Zeroizing;

const VERSION: u8 = 1;
const NONCE_BYTES: usize = 24;
const HEAD_BYTES: usize = 1 + KEY_ID_CHARS + NONCE_BYTES;
/// Stands behind a key that is handed out before it is used.
pub(super) const STAGED_MARK: &str = "staged";

/// The active key, which seals, and the others, which open what they sealed before.
pub(super) struct MasterKeyRing {
    active: MasterKey,
    others: Vec<MasterKey>,
}

struct MasterKey {
    id: String,
    staged: bool,
    sealing: Zeroizing<[u8; KEY_BYTES]>,
    hashing: hmac::Key,
}

/// One line of the file that holds a key.
pub(super) struct KeyLine<'a> {
    pub(super) id: &'a str,
    pub(super) key: &'a str,
    pub(super) staged: bool,
}

impl<'a> KeyLine<'a> {
    /// `None`: the line is empty or a remark, and so holds no key.
    pub(super) fn split(line: &'a str) -> Option<Result<Self, ()>> {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            return None;
        }
        let mut words = line.split_whitespace();
        let parts = (words.next(), words.next(), words.next(), words.next());
        let (Some(id), Some(key), mark, None) = parts else { return Some(Err(())) };
        let staged = mark.is_some();
        Some(if mark.is_none_or(|mark| mark == STAGED_MARK) { Ok(Self { id, key, staged }) } else { Err(()) })
    }
}

impl MasterKeyRing {
    pub(super) fn parse(text: &str, path: &Path) -> Result<Self, KeyringError> {
        let malformed = |line| KeyringError::Malformed { path: path.display().to_string(), line };
        let mut keys: Vec<MasterKey> = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let Some(line) = KeyLine::split(line) else { continue };
            let key = line.ok().as_ref().and_then(MasterKey::parse);
            // The active key is in use, and two keys of one name cannot be told apart.
            let fits =
                |key: &MasterKey| !(keys.is_empty() && key.staged) && keys.iter().all(|k| k.id != key.id);
            let key = key.filter(fits).ok_or_else(|| malformed(number + 1))?;
            keys.push(key);
        }
        let mut keys = keys.into_iter();
        let active = keys.next().ok_or_else(|| malformed(0))?;
        Ok(Self { active, others: keys.collect() })
    }

    /// A new key as a line of the file, without its end.
    pub(super) fn fresh_line() -> Result<Zeroizing<String>, KeyringError> {
        let mut id = [0_u8; KEY_ID_CHARS / 2];
        let mut key = Zeroizing::new([0_u8; KEY_BYTES]);
        rand::fill(&mut id).and_then(|()| rand::fill(&mut *key)).map_err(|_| KeyringError::NoRandomness)?;
        let id = format!("{:08x}", u32::from_be_bytes(id));
        Ok(Zeroizing::new(format!("{id} {}", URL_SAFE_NO_PAD.encode(*key))))
    }

    fn all(&self) -> impl Iterator<Item = &MasterKey> {
        std::iter::once(&self.active).chain(&self.others)
    }

    fn key(&self, id: &str) -> Option<&MasterKey> {
        self.all().find(|key| key.id == id)
    }

    pub(super) fn holds(&self, id: &str) -> bool {
        self.key(id).is_some()
    }

    /// The first id under which `known` has another key.
    pub(super) fn first_other_key<'a>(&self, known: &'a Self) -> Option<&'a str> {
        let is_other =
            |key: &&MasterKey| self.key(&key.id).is_some_and(|found| *found.sealing != *key.sealing);
        known.all().find(is_other).map(|key| key.id.as_str())
    }

    pub(super) fn active(&self) -> &str {
        &self.active.id
    }

    pub(super) fn key_standings(&self) -> Vec<(String, KeyStanding)> {
        let standing = |key: &MasterKey| match (key.id == self.active.id, key.staged) {
            (true, _) => KeyStanding::Active,
            (false, true) => KeyStanding::Staged,
            (false, false) => KeyStanding::Older,
        };
        self.all().map(|key| (key.id.clone(), standing(key))).collect()
    }

    pub(super) fn seal(&self, place: SealedFor<'_>, secret: &[u8]) -> Result<Vec<u8>, Unsealable> {
        self.active.seal(place, secret)
    }

    pub(super) fn seal_with(
        &self,
        id: &str,
        place: SealedFor<'_>,
        secret: &[u8],
    ) -> Result<Vec<u8>, Unsealable> {
        self.key(id).ok_or(Unsealable)?.seal(place, secret)
    }

    pub(super) fn open(
        &self,
        place: SealedFor<'_>,
        envelope: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, Unsealable> {
        let (head, sealed) = envelope.split_at_checked(HEAD_BYTES).ok_or(Unsealable)?;
        let (version, head) = head.split_first().ok_or(Unsealable)?;
        let (id, nonce) = head.split_at_checked(KEY_ID_CHARS).ok_or(Unsealable)?;
        let nonce: [u8; NONCE_BYTES] = nonce.try_into().map_err(|_| Unsealable)?;
        let key = std::str::from_utf8(id).ok().and_then(|id| self.key(id)).ok_or(Unsealable)?;
        if *version != VERSION {
            return Err(Unsealable);
        }
        let payload = Payload { msg: sealed, aad: &associated(&key.id, place) };
        key.cipher().decrypt(&XNonce::from(nonce), payload).map(Zeroizing::new).map_err(|_| Unsealable)
    }

    pub(super) fn hash(&self, purpose: Purpose, text: &str) -> KeyedHash {
        self.active.hash(purpose, text)
    }

    pub(super) fn hashes(&self, purpose: Purpose, text: &str) -> Vec<KeyedHash> {
        let others = |staged| self.others.iter().filter(move |key| key.staged == staged);
        others(false).chain([&self.active]).chain(others(true)).map(|key| key.hash(purpose, text)).collect()
    }

    pub(super) fn matches(&self, purpose: Purpose, text: &str, stored: &KeyedHash) -> bool {
        self.key(&stored.key_id).is_some_and(|key| {
            constant_time::verify_slices_are_equal(&key.hash(purpose, text).bytes, &stored.bytes).is_ok()
        })
    }
}

/// The id of the key that sealed an envelope, if it has one.
pub(super) fn key_id(envelope: &[u8]) -> Option<&str> {
    std::str::from_utf8(envelope.get(1..=KEY_ID_CHARS)?).ok()
}

impl MasterKey {
    fn parse(line: &KeyLine<'_>) -> Option<Self> {
        let KeyLine { id, key, staged } = *line;
        let sound = id.len() == KEY_ID_CHARS && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let key = Zeroizing::new(URL_SAFE_NO_PAD.decode(key).ok()?);
        if !sound || key.len() != KEY_BYTES {
            return None;
        }
        let sealing = derive(&key, b"seal")?;
        let hashing = derive(&key, b"hash")?;
        let hashing = hmac::Key::new(hmac::HMAC_SHA256, &*hashing);
        Some(Self { id: id.to_owned(), staged, sealing, hashing })
    }

    fn seal(&self, place: SealedFor<'_>, secret: &[u8]) -> Result<Vec<u8>, Unsealable> {
        let mut nonce = [0_u8; NONCE_BYTES];
        rand::fill(&mut nonce).map_err(|_| Unsealable)?;
        let payload = Payload { msg: secret, aad: &associated(&self.id, place) };
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), payload).map_err(|_| Unsealable)?;
        Ok([&[VERSION], self.id.as_bytes(), &nonce, &sealed].concat())
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&Key::from(*self.sealing))
    }

    fn hash(&self, purpose: Purpose, text: &str) -> KeyedHash {
        let purpose = match purpose {
            Purpose::ClientSecret => "client secret",
            Purpose::WebhookToken => "webhook token",
            Purpose::OutageEvidence => "outage evidence",
        };
        #[cfg(test)]
        HASHES.with(|count| count.set(count.get() + 1));
        let tag = hmac::sign(&self.hashing, &prefixed(&[purpose.as_bytes(), text.as_bytes()]));
        KeyedHash { key_id: self.id.clone(), bytes: tag.as_ref().to_vec() }
    }
}

#[cfg(test)]
std::thread_local! {
    /// How many hashes were made by this thread.
    static HASHES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// How many hashes this thread has made since it was asked before.
#[cfg(test)]
pub(crate) fn hashes_made() -> usize {
    HASHES.with(std::cell::Cell::take)
}

/// One key per use, from the master key.
fn derive(master: &[u8], usage: &[u8]) -> Option<Zeroizing<[u8; KEY_BYTES]>> {
    let mut key = Zeroizing::new([0_u8; KEY_BYTES]);
    let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, b"e-invoicing gateway").extract(master);
    extracted.expand(&[usage], hkdf::HKDF_SHA256).and_then(|expanded| expanded.fill(&mut *key)).ok()?;
    Some(key)
}

/// What an envelope authenticates beside its content.
fn associated(key_id: &str, place: SealedFor<'_>) -> Vec<u8> {
    let (owner, field) = match place {
        SealedFor::ProviderToken(workspace) => (format!("workspace {workspace}"), "provider token"),
        SealedFor::WebhookToken(workspace) => (format!("workspace {workspace}"), "webhook token"),
        SealedFor::SigningKey(kid) => (format!("signing key {kid}"), "private key"),
        SealedFor::Probe(id) => (format!("master key {id}"), "probe"),
        SealedFor::WebhookSecret(webhook) => (format!("webhook {webhook}"), "signing secret"),
        SealedFor::Answer(request) => (request_name(request), "answer"),
    };
    prefixed(&[&[VERSION], key_id.as_bytes(), owner.as_bytes(), field.as_bytes()])
}

fn request_name(request: &RequestKey) -> String {
    let hash = URL_SAFE_NO_PAD.encode(&request.hash);
    format!("request {} {hash} {}", request.scope, request.key)
}

/// Each part behind its length, so that no two lists of parts give the same bytes.
fn prefixed(parts: &[&[u8]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}
