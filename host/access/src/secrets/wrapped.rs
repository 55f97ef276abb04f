//! The key file under a passphrase, so that it can be kept beside what its keys seal.
//!
//! A key is derived from the passphrase with Argon2id, whose parameters stand beside what they made; it seals the whole file with
//! XChaCha20-Poly1305, which authenticates the parameters too.

use super::file;
use super::ring::MasterKeyRing;
use super::{KEY_BYTES, KeyringError};
use argon2::{Algorithm, Argon2, Params, Version};
use aws_lc_rs::rand;
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};
use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Serialize};
use std::path::Path;
use zeroize::Zeroizing;

/// Fewer characters than this are guessed.
const PASSPHRASE_CHARS_MIN: usize = 12;
const SALT_BYTES: usize = 16;
const NONCE_BYTES: usize = 24;
/// What deriving a key takes: memory in KiB, passes over it, lanes.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
const LANES: u32 = 1;
/// More than this is not asked of a machine, whatever a file says.
const MEMORY_KIB_MAX: u32 = 1024 * 1024;
const PASSES_MAX: u32 = 16;
const LANES_MAX: u32 = 16;
const FORMAT: u32 = 1;
const KDF: &str = "argon2id";
const CIPHER: &str = "xchacha20poly1305";

/// What wraps the keys.
#[derive(Debug, Clone)]
pub struct Passphrase(SecretString);

/// The key file, wrapped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WrappedKeys {
    format: u32,
    kdf: String,
    memory_kib: u32,
    passes: u32,
    lanes: u32,
    salt: String,
    cipher: String,
    nonce: String,
    sealed: String,
}

/// The text of a key file, whose keys are sound.
pub struct KeyFileText(Zeroizing<String>);

impl std::fmt::Debug for KeyFileText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeyFileText").finish_non_exhaustive()
    }
}

/// Why keys were not wrapped or unwrapped.
#[derive(Debug, thiserror::Error)]
pub enum WrapError {
    /// The passphrase would be guessed.
    #[error(
        "the passphrase has {chars} characters: use {PASSPHRASE_CHARS_MIN} or more, which nobody guesses"
    )]
    TooShort {
        /// How many it has.
        chars: usize,
    },
    /// Another passphrase wrapped the keys, or they were changed: what is wrong must not help anybody.
    #[error("the passphrase does not open the master keys: use the one that they were backed up with")]
    WrongPassphrase,
    /// A newer program wrapped the keys, or something else did.
    #[error(
        "the master keys are wrapped in a way that this program does not know: use the version that made the backup, or a newer one"
    )]
    Unknown,
    /// There is another key file where these keys belong.
    #[error("there is a master key file {path} already, with other keys: move it away, and restore again")]
    OtherKeys {
        /// Where it is.
        path: String,
    },
    /// The key file cannot be read or written.
    #[error(transparent)]
    Keyring(#[from] KeyringError),
    /// The system gave no memory or randomness.
    #[error("no key could be derived from the passphrase: 64 MiB of memory are needed for it")]
    NotDerived,
}

impl Passphrase {
    /// Refuses one that would be guessed. The end of a line behind it is not part of it.
    pub fn new(text: &str) -> Result<Self, WrapError> {
        let text = text.trim_end_matches(['\n', '\r']);
        let chars = text.chars().count();
        if chars < PASSPHRASE_CHARS_MIN {
            return Err(WrapError::TooShort { chars });
        }
        Ok(Self(text.into()))
    }
}

impl KeyFileText {
    /// Reads a key file.
    pub fn read(path: &Path) -> Result<Self, KeyringError> {
        let text = file::read_text(path)?;
        MasterKeyRing::parse(&text, path)?;
        Ok(Self(text))
    }

    /// Wraps it.
    pub fn wrap(&self, passphrase: &Passphrase) -> Result<WrappedKeys, WrapError> {
        let (mut salt, mut nonce) = ([0_u8; SALT_BYTES], [0_u8; NONCE_BYTES]);
        rand::fill(&mut salt).and_then(|()| rand::fill(&mut nonce)).map_err(|_| WrapError::NotDerived)?;
        let mut wrapped = WrappedKeys {
            format: FORMAT,
            kdf: KDF.to_owned(),
            memory_kib: MEMORY_KIB,
            passes: PASSES,
            lanes: LANES,
            salt: URL_SAFE_NO_PAD.encode(salt),
            cipher: CIPHER.to_owned(),
            nonce: URL_SAFE_NO_PAD.encode(nonce),
            sealed: String::new(),
        };
        let payload = Payload { msg: self.0.as_bytes(), aad: &wrapped.associated() };
        let sealed = wrapped.cipher(passphrase, &salt)?.encrypt(&XNonce::from(nonce), payload);
        wrapped.sealed = URL_SAFE_NO_PAD.encode(sealed.map_err(|_| WrapError::NotDerived)?);
        Ok(wrapped)
    }

    /// Makes the key file (mode 0600), or finds one with the same keys, which stays as it is; `false` then. Several processes may
    /// do so at once.
    pub fn install(&self, path: &Path) -> Result<bool, WrapError> {
        let made = file::create_from(path, &self.0).map_err(|cause| file::failed(path, cause))?;
        self.ensure_fits(path)?;
        Ok(made)
    }

    /// Refuses a key file at `path` that lacks one of these keys; there may be none.
    pub fn ensure_fits(&self, path: &Path) -> Result<(), WrapError> {
        if !path.exists() {
            return Ok(());
        }
        let ours = MasterKeyRing::parse(&self.0, path)?;
        let found = MasterKeyRing::parse(&file::read_text(path)?, path)?;
        let has_all = ours.key_standings().iter().all(|(id, _)| found.holds(id));
        if has_all && found.first_other_key(&ours).is_none() {
            return Ok(());
        }
        Err(WrapError::OtherKeys { path: path.display().to_string() })
    }
}

impl WrappedKeys {
    /// Opens it.
    pub fn unwrap(&self, passphrase: &Passphrase) -> Result<KeyFileText, WrapError> {
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).map_err(|_| WrapError::Unknown);
        if self.format != FORMAT || self.kdf != KDF || self.cipher != CIPHER {
            return Err(WrapError::Unknown);
        }
        if self.memory_kib > MEMORY_KIB_MAX || self.passes > PASSES_MAX || self.lanes > LANES_MAX {
            return Err(WrapError::Unknown);
        }
        let nonce: [u8; NONCE_BYTES] = decode(&self.nonce)?.try_into().map_err(|_| WrapError::Unknown)?;
        let sealed = decode(&self.sealed)?;
        let payload = Payload { msg: &sealed, aad: &self.associated() };
        let cipher = self.cipher(passphrase, &decode(&self.salt)?)?;
        let opened = cipher.decrypt(&XNonce::from(nonce), payload).map(Zeroizing::new);
        let opened = opened.map_err(|_| WrapError::WrongPassphrase)?;
        let text = std::str::from_utf8(&opened).map_err(|_| WrapError::Unknown)?;
        MasterKeyRing::parse(text, Path::new("of the backup"))?;
        Ok(KeyFileText(Zeroizing::new(text.to_owned())))
    }

    /// Everything that is not sealed.
    fn associated(&self) -> Vec<u8> {
        let Self { format, kdf, memory_kib, passes, lanes, salt, cipher, nonce, sealed: _ } = self;
        format!("master keys {format} {kdf} {memory_kib} {passes} {lanes} {salt} {cipher} {nonce}")
            .into_bytes()
    }

    fn cipher(&self, passphrase: &Passphrase, salt: &[u8]) -> Result<XChaCha20Poly1305, WrapError> {
        let params = Params::new(self.memory_kib, self.passes, self.lanes, Some(KEY_BYTES));
        let params = params.map_err(|_| WrapError::Unknown)?;
        let mut key = Zeroizing::new([0_u8; KEY_BYTES]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into(passphrase.0.expose_secret().as_bytes(), salt, &mut *key)
            .map_err(|_| WrapError::NotDerived)?;
        Ok(XChaCha20Poly1305::new(&Key::from(*key)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Keyring;
    use super::*;

    fn keys(folder: &Path) -> KeyFileText {
        let path = folder.join("master.key");
        Keyring::open_or_create(&path).unwrap();
        KeyFileText::read(&path).unwrap()
    }

    #[test]
    fn a_key_file_comes_back_with_its_passphrase_only() {
        let folder = tempfile::tempdir().unwrap();
        let keys = keys(folder.path());
        let passphrase = Passphrase::new("correct horse battery\n").unwrap();
        let wrapped = keys.wrap(&passphrase).unwrap();
        let text = serde_json::to_string(&wrapped).unwrap();
        assert!(!text.contains(keys.0.split(' ').next_back().unwrap().trim()), "it is sealed");
        let wrapped: WrappedKeys = serde_json::from_str(&text).unwrap();
        assert_eq!(*wrapped.unwrap(&passphrase).unwrap().0, *keys.0);
        let other = Passphrase::new("incorrect horse battery").unwrap();
        assert!(matches!(wrapped.unwrap(&other), Err(WrapError::WrongPassphrase)));
        let changed = WrappedKeys { passes: 2, ..wrapped.clone() };
        assert!(matches!(changed.unwrap(&passphrase), Err(WrapError::WrongPassphrase)));
        let greedy = WrappedKeys { memory_kib: u32::MAX, ..wrapped };
        assert!(matches!(greedy.unwrap(&passphrase), Err(WrapError::Unknown)));
    }

    #[test]
    fn a_passphrase_that_would_be_guessed_is_refused() {
        let refused = Passphrase::new("secret\n").unwrap_err().to_string();
        assert_eq!(refused, "the passphrase has 6 characters: use 12 or more, which nobody guesses");
    }

    #[test]
    fn keys_are_installed_where_there_are_none_or_the_same() {
        let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let keys = keys(folder.path());
        let path = elsewhere.path().join("keys/master.key");
        assert!(keys.install(&path).unwrap());
        assert!(!keys.install(&path).unwrap());
        super::super::file::rotate(&path).unwrap();
        assert!(!keys.install(&path).unwrap(), "the file has them, and a newer one");
        super::super::other_key_under_the_same_id(&path);
        assert!(matches!(keys.install(&path), Err(WrapError::OtherKeys { .. })));
    }
}
