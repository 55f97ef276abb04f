//! Automatic persisted queries: a client sends the SHA-256 of a text it sent before instead of the text.
//!
//! The protocol is Apollo's, version 1: `extensions.persistedQuery` with `version` and `sha256Hash`. A hash that nobody knows is
//! answered with an error that clients expect literally, and the client sends text and hash. A text is kept once it is within
//! the limits of texts, as long as its bytes fit into [`BYTES_MAX`], the least used ones going first; so a hash is never more than
//! a short way to write a text, whoever sent that first.

use quick_cache::Weighter;
use quick_cache::sync::Cache;
use sha2::{Digest, Sha256};
use std::fmt;
use std::sync::Arc;

/// Memory for all of them.
const BYTES_MAX: u64 = 8 << 20;
/// What one takes beside its text, about.
const BYTES_BESIDE: u64 = 128;
/// Texts that the memory is prepared for.
const TEXTS: usize = 1_000;

/// The SHA-256 of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextHash([u8; 32]);

impl TextHash {
    /// Reads 64 hexadecimal digits; none of anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let mut hash = [0; 32];
        hex::decode_to_slice(text, &mut hash).ok()?;
        Some(Self(hash))
    }

    pub(crate) fn is_of(self, text: &str) -> bool {
        Sha256::digest(text.as_bytes()).as_slice() == self.0
    }
}

/// The texts.
pub(crate) struct PersistedTexts(Cache<TextHash, Arc<str>, Weights>);

impl fmt::Debug for PersistedTexts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PersistedTexts({} texts)", self.0.len())
    }
}

#[derive(Debug, Clone, Copy)]
struct Weights;

impl Weighter<TextHash, Arc<str>> for Weights {
    fn weight(&self, _: &TextHash, text: &Arc<str>) -> u64 {
        u64::try_from(text.len()).unwrap_or(u64::MAX).saturating_add(BYTES_BESIDE)
    }
}

impl Default for PersistedTexts {
    fn default() -> Self {
        Self(Cache::with_weighter(TEXTS, BYTES_MAX, Weights))
    }
}

impl PersistedTexts {
    pub(crate) fn find(&self, hash: TextHash) -> Option<Arc<str>> {
        self.0.get(&hash)
    }

    /// Keeps a text under its hash, which the caller has compared.
    pub(crate) fn keep(&self, hash: TextHash, text: &str) {
        if self.0.get(&hash).is_none() {
            self.0.insert(hash, Arc::from(text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf '{__typename}' | sha256sum`: the example of the protocol.
    const TYPENAME: &str = "ecf4edb46db40b5132295c0291d62fb65d6759a9eedfa4d5d612dd5ec54a6b38";

    #[test]
    fn a_hash_is_that_of_its_text_and_written_in_64_digits() {
        let hash = TextHash::parse(TYPENAME).unwrap();
        assert!(hash.is_of("{__typename}"));
        assert!(!hash.is_of("{ __typename }"));
        assert_eq!(TextHash::parse(&TYPENAME.to_uppercase()), Some(hash));
        for wrong in [
            "",
            "ecf4",
            &TYPENAME[1..],
            &TYPENAME.replace('e', "g"),
            &format!("{TYPENAME}00"),
            &"é".repeat(32),
        ] {
            assert_eq!(TextHash::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn memory_is_bounded_by_the_length_of_texts() {
        let texts = PersistedTexts::default();
        for n in 0..200_u8 {
            texts.keep(TextHash([n; 32]), &"x".repeat(100_000));
        }
        assert!((1..=84).contains(&texts.0.len()), "{texts:?}");
        texts.keep(TextHash([255; 32]), "{ a }");
        assert_eq!(texts.find(TextHash([255; 32])).as_deref(), Some("{ a }"));
    }
}
