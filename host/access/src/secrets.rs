//! The keyring: seals what must be read again (provider tokens, signing keys) and hashes what must only be compared
//! (client secrets, webhook tokens).
//!
//! Master keys live in a file apart from the database, several at a time: the first one is active, the others only
//! open what they sealed before, or, marked `staged`, what other hosts will seal. Every envelope and every hash says
//! which key made it. An envelope opens only at the place it was sealed for, so a row copied to another workspace or
//! another column is useless. A keyring follows its file: a changed one counts half a second later, and at once where
//! something was sealed with a key that is not known yet.
//!
//! Envelope: version (1 byte) | key id (8 characters) | nonce (24) | ciphertext and tag. XChaCha20-Poly1305; the
//! version, the key id, the owner and the field are authenticated too.
//!
//! Here: the keyring. In `ring`: what keys do. In `file`: how the file is read and changed. In `wrapped`: the file under a
//! passphrase.

mod file;
mod ring;
mod wrapped;

use aws_lc_rs::{constant_time, rand};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use file::KeyFile;
use gateway_domain::access::RequestKey;
use gateway_domain::ids::{WebhookId, WorkspaceId};
use ring::MasterKeyRing;
use secrecy::{ExposeSecret, SecretString};
use std::collections::BTreeSet;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use zeroize::Zeroizing;

pub use wrapped::{KeyFileText, Passphrase, WrapError, WrappedKeys};

/// The storage crate reads the id out of an envelope by its place, bytes 2 to 9.
const KEY_ID_CHARS: usize = 8;
const KEY_BYTES: usize = 32;

/// The master keys of this gateway. Its `Debug` shows ids only.
pub struct Keyring {
    ring: RwLock<Arc<MasterKeyRing>>,
    /// None: the keys are only in memory.
    file: Option<KeyFile>,
    sandbox_token: SecretString,
}

/// What an envelope belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SealedFor<'a> {
    /// The token with which a workspace calls the provider.
    ProviderToken(WorkspaceId),
    /// The token with which the provider calls back for a workspace.
    WebhookToken(WorkspaceId),
    /// The private key, by its id, that signs access tokens.
    SigningKey(&'a str),
    /// A secret that signs webhooks to this endpoint, the present one or the one before.
    WebhookSecret(WebhookId),
    /// What the master key of this id is known by.
    Probe(&'a str),
    /// The answer to this request, kept for its repetition.
    Answer(&'a RequestKey),
}

/// What a hash is for: the same text under two purposes has two hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Comparing the secret of an API client.
    ClientSecret,
    /// Finding the workspace of a webhook token.
    WebhookToken,
    /// Showing that the evidence of an outage is as it was written.
    OutageEvidence,
}

/// What a key of the file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyStanding {
    /// Seals and hashes.
    Active,
    /// Opens what it sealed before.
    Older,
    /// Opens what other hosts seal with it, and becomes active with the next rotation.
    Staged,
}

/// A keyed hash and the key that made it.
#[derive(Clone, PartialEq, Eq)]
pub struct KeyedHash {
    /// The key's id.
    pub key_id: String,
    /// HMAC-SHA-256, 32 bytes.
    pub bytes: Vec<u8>,
}

impl fmt::Debug for KeyedHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyedHash").field("key_id", &self.key_id).finish_non_exhaustive()
    }
}

/// Why there is no keyring.
#[derive(Debug, thiserror::Error)]
pub enum KeyringError {
    /// The file cannot be read or written.
    #[error("the master key file {path} cannot be used: {cause}")]
    File {
        /// Where it was looked for.
        path: String,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// A line holds no key, or no line does.
    #[error(
        "line {line} of the master key file {path} is no key: each line is an id of 8 characters, its own, a space and 32 bytes in base64url; behind all but the first one may stand 'staged'"
    )]
    Malformed {
        /// Where it is.
        path: String,
        /// The line, from 1; 0 when there is none.
        line: usize,
    },
    /// The database depends on keys, and there is no file.
    #[error(
        "there is no master key file {path}, and the database was sealed with master key {ids}: restore that file from its copy"
    )]
    Lost {
        /// Where it should be.
        path: String,
        /// The ids of the keys in it.
        ids: String,
    },
    /// The database depends on keys that the file does not have.
    #[error(
        "the database was sealed with master key {ids}, which the master key file does not have: restore that file from its copy"
    )]
    Unknown {
        /// Those of the missing keys, with commas between.
        ids: String,
    },
    /// Keys of the file do not open what was sealed under their ids.
    #[error(
        "master key {ids} in {path} is another key than the one of this id that sealed the database: restore that file from its copy"
    )]
    Wrong {
        /// Those of the keys, with commas between.
        ids: String,
        /// The file.
        path: String,
    },
    /// The keys are only in memory.
    #[error("there is no master key file that could be changed")]
    NoFile,
    /// The system gave no randomness.
    #[error("the system gave no randomness")]
    NoRandomness,
}

/// An envelope cannot be made or opened. What was wrong is not told apart: it must not help anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a sealed value cannot be opened: it was damaged, moved, or sealed with another master key")]
pub struct Unsealable;

impl Keyring {
    /// Reads the key file, or makes one (mode 0600) on the first run. Several processes may do so at once.
    pub fn open_or_create(path: &Path) -> Result<Self, KeyringError> {
        let (file, ring) = KeyFile::open_or_create(path)?;
        Self::of(ring, Some(file))
    }

    /// [`Keyring::open_or_create`] for a database in which something depends on these keys already: a file that is not
    /// there was lost then, and none takes its place. `ids` come from [`gateway_storage::keys::keyring_ids`].
    pub fn open_for(path: &Path, ids: &BTreeSet<String>) -> Result<Self, KeyringError> {
        if !ids.is_empty() && !path.exists() {
            let ids = ids.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            return Err(KeyringError::Lost { path: path.display().to_string(), ids });
        }
        let keyring = Self::open_or_create(path)?;
        keyring.ensure_holds(ids.iter().map(String::as_str))?;
        Ok(keyring)
    }

    /// A keyring that no file holds; for tests.
    #[cfg(any(test, feature = "testing"))]
    pub fn ephemeral() -> Result<Self, KeyringError> {
        Self::of(MasterKeyRing::parse(&MasterKeyRing::fresh_line()?, Path::new("(memory)"))?, None)
    }

    fn of(ring: MasterKeyRing, file: Option<KeyFile>) -> Result<Self, KeyringError> {
        let mut token = Zeroizing::new([0_u8; KEY_BYTES]);
        rand::fill(&mut *token).map_err(|_| KeyringError::NoRandomness)?;
        let sandbox_token = URL_SAFE_NO_PAD.encode(*token).into();
        Ok(Self { ring: RwLock::new(Arc::new(ring)), file, sandbox_token })
    }

    fn known(&self) -> Arc<MasterKeyRing> {
        Arc::clone(&self.ring.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The keys, at most half a second behind the file.
    fn ring(&self) -> Arc<MasterKeyRing> {
        if self.file.as_ref().is_some_and(KeyFile::is_due) {
            self.reload();
        }
        self.known()
    }

    /// The keys with this one among them, if the file has it.
    fn ring_with(&self, id: &str) -> Arc<MasterKeyRing> {
        let ring = self.ring();
        if ring.holds(id) {
            return ring;
        }
        self.reload();
        self.known()
    }

    /// Reads the file now if it changed. A file that cannot be used changes nothing, and is named in the log once.
    pub fn reload(&self) {
        if let Some(file) = &self.file {
            file.reload_with(&self.known(), |ring| {
                *self.ring.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(ring);
            });
        }
    }

    /// Where the keys are kept.
    pub fn path(&self) -> Option<PathBuf> {
        self.file.as_ref().map(|file| file.path.clone())
    }

    /// The ids of all keys, the active one first.
    pub fn keys(&self) -> Vec<(String, KeyStanding)> {
        self.ring().key_standings()
    }

    /// Whether this key was active before: what it made should be made anew with the active one.
    pub fn is_older(&self, id: &str) -> bool {
        self.keys().iter().any(|(key, standing)| key == id && *standing == KeyStanding::Older)
    }

    /// Adds a key to the file that is not active yet, so that the file can be handed to other hosts before anything
    /// is sealed with it. Finds the one that waits, if there is one. Its id.
    pub fn stage(&self) -> Result<String, KeyringError> {
        let id = file::stage(&self.path().ok_or(KeyringError::NoFile)?)?;
        self.reload();
        Ok(id)
    }

    /// Makes another key the active one: the staged one, else a fresh one. What is sealed stays as it is and still
    /// opens. Its id.
    pub fn rotate(&self) -> Result<String, KeyringError> {
        let id = file::rotate(&self.path().ok_or(KeyringError::NoFile)?)?;
        self.reload();
        Ok(id)
    }

    /// Refuses to go on when something stored depends on a key that is not here. `ids` come from
    /// [`gateway_storage::keys::keyring_ids`].
    pub fn ensure_holds<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> Result<(), KeyringError> {
        let missing: Vec<_> = ids.into_iter().filter(|id| !self.ring_with(id).holds(id)).collect();
        if missing.is_empty() { Ok(()) } else { Err(KeyringError::Unknown { ids: missing.join(", ") }) }
    }

    /// Seals `secret` for `place` with the active key.
    pub fn seal(&self, place: SealedFor<'_>, secret: &[u8]) -> Result<Vec<u8>, Unsealable> {
        self.ring().seal(place, secret)
    }

    /// The same with the key of this id, active or not.
    pub(crate) fn seal_with(
        &self,
        id: &str,
        place: SealedFor<'_>,
        secret: &[u8],
    ) -> Result<Vec<u8>, Unsealable> {
        self.ring_with(id).seal_with(id, place, secret)
    }

    /// Opens an envelope that was sealed for `place`.
    pub fn open(&self, place: SealedFor<'_>, envelope: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unsealable> {
        let id = ring::key_id(envelope).ok_or(Unsealable)?;
        self.ring_with(id).open(place, envelope)
    }

    /// Opens an envelope that holds text.
    pub fn open_text(&self, place: SealedFor<'_>, envelope: &[u8]) -> Result<Zeroizing<String>, Unsealable> {
        let bytes = self.open(place, envelope)?;
        std::str::from_utf8(&bytes).map(|text| Zeroizing::new(text.to_owned())).map_err(|_| Unsealable)
    }

    /// The hash of `text` under the active key, to be stored.
    pub fn hash(&self, purpose: Purpose, text: &str) -> KeyedHash {
        self.ring().hash(purpose, text)
    }

    /// The webhook token of the built-in sandbox: both sides are this process, so nobody else knows it and nobody
    /// stores it.
    pub const fn sandbox_token(&self) -> &SecretString {
        &self.sandbox_token
    }

    /// Whether `text` is the webhook token of the built-in sandbox, in constant time.
    pub fn is_sandbox_token(&self, text: &str) -> bool {
        let token = self.sandbox_token.expose_secret();
        constant_time::verify_slices_are_equal(token.as_bytes(), text.as_bytes()).is_ok()
    }

    /// The hashes of `text` under every key, to look a stored one up, older keys first: a stored hash that moves
    /// meanwhile is found at the one or the other.
    pub fn hashes(&self, purpose: Purpose, text: &str) -> Vec<KeyedHash> {
        self.ring().hashes(purpose, text)
    }

    /// Whether `text` has this stored hash, in constant time.
    pub fn matches(&self, purpose: Purpose, text: &str, stored: &KeyedHash) -> bool {
        self.ring_with(&stored.key_id).matches(purpose, text, stored)
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Keyring").field("keys", &self.known().key_standings()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use ring::hashes_made;
#[cfg(test)]
pub(crate) use tests::other_key_under_the_same_id;
