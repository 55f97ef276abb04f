//! The keyring: seals what must be read again (provider tokens, signing keys) and hashes what must only be compared
//! (client secrets, webhook tokens).
//!
//! Master keys live in a file apart from the database, several at a time: the first one is active, the others only
//! open what they sealed before. Every envelope and every hash says which key made it. An envelope opens only at the
//! place it was sealed for, so a row copied to another workspace or another column is useless.
//!
//! Envelope: version (1 byte) | key id (8 characters) | nonce (24) | ciphertext and tag. XChaCha20-Poly1305; the
//! version, the key id, the owner and the field are authenticated too.

use aws_lc_rs::{constant_time, hkdf, hmac, rand};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use gateway_domain::ids::WorkspaceId;
use secrecy::{ExposeSecret, SecretString};
use std::fmt;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;
use zeroize::Zeroizing;

const VERSION: u8 = 1;
/// The storage crate reads the id out of an envelope by its place, bytes 2 to 9.
const KEY_ID_CHARS: usize = 8;
const KEY_BYTES: usize = 32;
const NONCE_BYTES: usize = 24;
const HEAD_BYTES: usize = 1 + KEY_ID_CHARS + NONCE_BYTES;

/// The master keys of this gateway. Its `Debug` shows ids only.
pub struct Keyring {
    active: MasterKey,
    older: Vec<MasterKey>,
}

struct MasterKey {
    id: String,
    sealing: Zeroizing<[u8; KEY_BYTES]>,
    hashing: hmac::Key,
}

/// What an envelope belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place<'a> {
    /// The token with which a workspace calls the provider.
    ProviderToken(WorkspaceId),
    /// The token with which the provider calls back for a workspace.
    WebhookToken(WorkspaceId),
    /// The private key, by its id, that signs access tokens.
    SigningKey(&'a str),
}

/// What a hash is for: the same text under two purposes has two hashes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// Comparing the secret of an API client.
    ClientSecret,
    /// Finding the workspace of a webhook token.
    WebhookToken,
    /// Making the webhook token of the built-in sandbox.
    SandboxToken,
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
        /// The file.
        path: String,
        /// What the system said.
        #[source]
        cause: io::Error,
    },
    /// The file is no key file.
    #[error(
        "line {line} of the master key file {path} is no key: each line is an id of 8 characters, a space and 32 bytes in base64url"
    )]
    Malformed {
        /// The file.
        path: String,
        /// The line, from 1; 0 when there is none.
        line: usize,
    },
    /// The database depends on keys that the file does not have.
    #[error(
        "the database was sealed with master key {ids}, which the master key file does not have: restore that file"
    )]
    Unknown {
        /// The missing ids.
        ids: String,
    },
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
        let file = |cause| KeyringError::File { path: path.display().to_string(), cause };
        match fs::read_to_string(path) {
            Ok(text) => {
                warn_if_readable(path);
                Self::parse(&Zeroizing::new(text), path)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                create(path, &Self::fresh_line()?).map_err(file)?;
                tracing::info!(
                    "Made a master key in {}: keep a copy apart from the database",
                    path.display()
                );
                Self::parse(&Zeroizing::new(fs::read_to_string(path).map_err(file)?), path)
            }
            Err(error) => Err(file(error)),
        }
    }

    fn parse(text: &str, path: &Path) -> Result<Self, KeyringError> {
        let malformed = |line| KeyringError::Malformed { path: path.display().to_string(), line };
        let mut keys = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                keys.push(MasterKey::parse(line).ok_or_else(|| malformed(number + 1))?);
            }
        }
        let mut keys = keys.into_iter();
        let active = keys.next().ok_or_else(|| malformed(0))?;
        Ok(Self { active, older: keys.collect() })
    }

    /// A new key as a line of the file.
    fn fresh_line() -> Result<Zeroizing<String>, KeyringError> {
        let mut id = [0_u8; KEY_ID_CHARS / 2];
        let mut key = Zeroizing::new([0_u8; KEY_BYTES]);
        rand::fill(&mut id).and_then(|()| rand::fill(&mut *key)).map_err(|_| KeyringError::NoRandomness)?;
        let id = format!("{:08x}", u32::from_be_bytes(id));
        Ok(Zeroizing::new(format!("{id} {}\n", URL_SAFE_NO_PAD.encode(*key))))
    }

    /// A keyring that no file holds; for tests and for throw-away gateways.
    pub fn ephemeral() -> Result<Self, KeyringError> {
        Self::parse(&Self::fresh_line()?, Path::new("(memory)"))
    }

    /// Refuses to go on when something stored depends on a key that is not here. `ids` come from
    /// [`gateway_storage::keys::keyring_ids`].
    pub fn ensure_holds<'a>(&self, ids: impl IntoIterator<Item = &'a str>) -> Result<(), KeyringError> {
        let missing: Vec<_> = ids.into_iter().filter(|id| self.key(id).is_none()).collect();
        if missing.is_empty() { Ok(()) } else { Err(KeyringError::Unknown { ids: missing.join(", ") }) }
    }

    fn key(&self, id: &str) -> Option<&MasterKey> {
        std::iter::once(&self.active).chain(&self.older).find(|key| key.id == id)
    }

    /// Seals `secret` for `place` with the active key.
    pub fn seal(&self, place: Place<'_>, secret: &[u8]) -> Result<Vec<u8>, Unsealable> {
        let mut nonce = [0_u8; NONCE_BYTES];
        rand::fill(&mut nonce).map_err(|_| Unsealable)?;
        let payload = Payload { msg: secret, aad: &associated(&self.active.id, place) };
        let sealed = self.active.cipher().encrypt(&XNonce::from(nonce), payload).map_err(|_| Unsealable)?;
        Ok([&[VERSION], self.active.id.as_bytes(), &nonce, &sealed].concat())
    }

    /// Opens an envelope that was sealed for `place`.
    pub fn open(&self, place: Place<'_>, envelope: &[u8]) -> Result<Zeroizing<Vec<u8>>, Unsealable> {
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

    /// Opens an envelope that holds text.
    pub fn open_text(&self, place: Place<'_>, envelope: &[u8]) -> Result<Zeroizing<String>, Unsealable> {
        let bytes = self.open(place, envelope)?;
        std::str::from_utf8(&bytes).map(|text| Zeroizing::new(text.to_owned())).map_err(|_| Unsealable)
    }

    /// The hash of `text` under the active key, to be stored.
    pub fn hash(&self, purpose: Purpose, text: &str) -> KeyedHash {
        self.active.hash(purpose, text)
    }

    /// The webhook token of the built-in sandbox: made from the master key, so both sides know it and nobody stores it.
    pub fn sandbox_token(&self) -> SecretString {
        URL_SAFE_NO_PAD.encode(self.hash(Purpose::SandboxToken, "built-in").bytes).into()
    }

    /// Whether `text` is the webhook token of the built-in sandbox, in constant time.
    pub fn is_sandbox_token(&self, text: &str) -> bool {
        let token = self.sandbox_token();
        constant_time::verify_slices_are_equal(token.expose_secret().as_bytes(), text.as_bytes()).is_ok()
    }

    /// The hashes of `text` under every key, active first: to look a stored one up.
    pub fn hashes(&self, purpose: Purpose, text: &str) -> Vec<KeyedHash> {
        std::iter::once(&self.active).chain(&self.older).map(|key| key.hash(purpose, text)).collect()
    }

    /// Whether `text` has this stored hash, in constant time.
    pub fn matches(&self, purpose: Purpose, text: &str, stored: &KeyedHash) -> bool {
        self.key(&stored.key_id).is_some_and(|key| {
            constant_time::verify_slices_are_equal(&key.hash(purpose, text).bytes, &stored.bytes).is_ok()
        })
    }
}

impl fmt::Debug for Keyring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let older: Vec<_> = self.older.iter().map(|key| &key.id).collect();
        f.debug_struct("Keyring")
            .field("active", &self.active.id)
            .field("older", &older)
            .finish_non_exhaustive()
    }
}

impl MasterKey {
    fn parse(line: &str) -> Option<Self> {
        let (id, key) = line.split_once(' ')?;
        let sound = id.len() == KEY_ID_CHARS && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let key = Zeroizing::new(URL_SAFE_NO_PAD.decode(key.trim()).ok()?);
        if !sound || key.len() != KEY_BYTES {
            return None;
        }
        let sealing = derive(&key, b"seal")?;
        let hashing = derive(&key, b"hash")?;
        Some(Self { id: id.to_owned(), sealing, hashing: hmac::Key::new(hmac::HMAC_SHA256, &*hashing) })
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&Key::from(*self.sealing))
    }

    fn hash(&self, purpose: Purpose, text: &str) -> KeyedHash {
        let purpose = match purpose {
            Purpose::ClientSecret => "client secret",
            Purpose::WebhookToken => "webhook token",
            Purpose::SandboxToken => "sandbox token",
        };
        let tag = hmac::sign(&self.hashing, &prefixed(&[purpose.as_bytes(), text.as_bytes()]));
        KeyedHash { key_id: self.id.clone(), bytes: tag.as_ref().to_vec() }
    }
}

/// One key per use, from the master key.
fn derive(master: &[u8], usage: &[u8]) -> Option<Zeroizing<[u8; KEY_BYTES]>> {
    let mut key = Zeroizing::new([0_u8; KEY_BYTES]);
    let extracted = hkdf::Salt::new(hkdf::HKDF_SHA256, b"e-invoicing gateway").extract(master);
    extracted.expand(&[usage], hkdf::HKDF_SHA256).and_then(|expanded| expanded.fill(&mut *key)).ok()?;
    Some(key)
}

/// What an envelope authenticates beside its content.
fn associated(key_id: &str, place: Place<'_>) -> Vec<u8> {
    let (owner, field) = match place {
        Place::ProviderToken(workspace) => (format!("workspace {workspace}"), "provider token"),
        Place::WebhookToken(workspace) => (format!("workspace {workspace}"), "webhook token"),
        Place::SigningKey(kid) => (format!("signing key {kid}"), "private key"),
    };
    prefixed(&[&[VERSION], key_id.as_bytes(), owner.as_bytes(), field.as_bytes()])
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

/// Makes the file in one step: nobody ever reads half of it, and whoever comes second keeps the first one's.
fn create(path: &Path, line: &str) -> io::Result<()> {
    if let Some(directory) = path.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        fs::create_dir_all(directory)?;
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}", std::process::id()));
    let draft = Path::new(&name);
    let written = write_private(draft, line).and_then(|()| match fs::hard_link(draft, path) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        linked => linked,
    });
    fs::remove_file(draft)?;
    written
}

/// Mounted secrets are often readable by a group, so this is no refusal.
fn warn_if_readable(path: &Path) {
    #[cfg(unix)]
    if let Ok(metadata) = fs::metadata(path)
        && std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o077 != 0
    {
        tracing::warn!("Others can read the master key file {}: chmod 600 it", path.display());
    }
}

fn write_private(path: &Path, line: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(b"# Master keys of the e-invoicing gateway; the first is active. Without this file the sealed tokens are lost.\n")?;
    file.write_all(line.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACE: Place<'_> = Place::ProviderToken(WorkspaceId(1));

    #[test]
    fn a_sealed_value_opens_where_it_belongs_and_nowhere_else() {
        let keyring = Keyring::ephemeral().unwrap();
        let envelope = keyring.seal(PLACE, b"token").unwrap();
        assert_eq!(*keyring.open_text(PLACE, &envelope).unwrap(), "token");
        assert!(!envelope.windows(5).any(|window| window == b"token"));
        for elsewhere in [
            Place::ProviderToken(WorkspaceId(11)),
            Place::WebhookToken(WorkspaceId(1)),
            Place::SigningKey("1"),
        ] {
            assert_eq!(keyring.open(elsewhere, &envelope), Err(Unsealable));
        }
        assert_ne!(keyring.seal(PLACE, b"token").unwrap(), envelope, "the nonce is fresh");
    }

    #[test]
    fn no_damaged_or_shortened_envelope_opens() {
        let keyring = Keyring::ephemeral().unwrap();
        let envelope = keyring.seal(PLACE, b"token").unwrap();
        for index in 0..envelope.len() {
            let mut damaged = envelope.clone();
            damaged[index] ^= 1;
            assert_eq!(keyring.open(PLACE, &damaged), Err(Unsealable), "byte {index}");
            assert_eq!(keyring.open(PLACE, &envelope[..index]), Err(Unsealable), "{index} bytes");
        }
    }

    #[test]
    fn the_key_id_stands_where_the_storage_reads_it() {
        let keyring = Keyring::ephemeral().unwrap();
        let envelope = keyring.seal(PLACE, b"token").unwrap();
        assert_eq!(&envelope[1..9], keyring.active.id.as_bytes());
    }

    #[test]
    fn an_older_key_still_opens_and_a_missing_one_is_named() {
        let (old, new) = (Keyring::fresh_line().unwrap(), Keyring::fresh_line().unwrap());
        let path = Path::new("test");
        let before = Keyring::parse(&old, path).unwrap();
        let after = Keyring::parse(&format!("# newest first\n{}\n{}", *new, *old), path).unwrap();
        let envelope = before.seal(PLACE, b"token").unwrap();
        assert_eq!(*after.open(PLACE, &envelope).unwrap(), b"token");
        let hash = before.hash(Purpose::ClientSecret, "secret");
        assert!(after.matches(Purpose::ClientSecret, "secret", &hash));
        assert!(after.hashes(Purpose::ClientSecret, "secret").contains(&hash));
        assert_ne!(after.hash(Purpose::ClientSecret, "secret"), hash);
        after.ensure_holds([hash.key_id.as_str()]).unwrap();
        let stranger = Keyring::parse(&new, path).unwrap();
        let error = stranger.ensure_holds([hash.key_id.as_str()]).unwrap_err();
        assert!(error.to_string().contains(&hash.key_id), "{error}");
    }

    #[test]
    fn a_hash_matches_its_text_and_purpose_only() {
        let keyring = Keyring::ephemeral().unwrap();
        let hash = keyring.hash(Purpose::ClientSecret, "secret");
        assert!(keyring.matches(Purpose::ClientSecret, "secret", &hash));
        assert!(!keyring.matches(Purpose::ClientSecret, "secre", &hash));
        assert!(!keyring.matches(Purpose::WebhookToken, "secret", &hash));
    }

    #[test]
    fn the_first_run_makes_a_private_file_and_the_next_reads_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("data/master.key");
        let first = Keyring::open_or_create(&path).unwrap();
        let envelope = first.seal(PLACE, b"token").unwrap();
        let second = Keyring::open_or_create(&path).unwrap();
        assert_eq!(*second.open(PLACE, &envelope).unwrap(), b"token");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no draft is left");
    }

    #[test]
    fn a_file_that_holds_no_key_is_refused_with_its_line() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("master.key");
        for (text, line) in
            [("", 0), ("# only a remark\n", 0), ("# one\nshort AAAA\n", 2), ("12345678 !!!\n", 1)]
        {
            fs::write(&path, text).unwrap();
            let error = Keyring::open_or_create(&path).unwrap_err();
            assert!(
                matches!(error, KeyringError::Malformed { line: found, .. } if found == line),
                "{text:?}: {error}"
            );
        }
    }

    #[test]
    fn nothing_secret_is_shown_by_debug() {
        let line = Keyring::fresh_line().unwrap();
        let keyring = Keyring::parse(&line, Path::new("test")).unwrap();
        let key = line.split_once(' ').unwrap().1.trim().to_owned();
        assert!(!format!("{keyring:?}").contains(&key));
    }
}
