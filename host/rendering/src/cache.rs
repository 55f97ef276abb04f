//! Files that were made, by everything that they were made of. The same input gives the same bytes, so none is ever stale.

use gateway_domain::ids::InvoiceId;
use jiff::civil::Date;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Most bytes that are kept: some hundred files.
const BYTES_MAX: usize = 16 << 20;

/// What a file was made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CacheKey {
    pub(crate) document: InvoiceId,
    pub(crate) version: i64,
    pub(crate) locale: String,
    /// The issue date that it shows: today, as long as it has none.
    pub(crate) day: Date,
    /// Who issues it, how its documents look, and what its tax system prints.
    pub(crate) issuer: u64,
    /// The documents that it refers to, as far as who asks may see them.
    pub(crate) references: Vec<String>,
    /// Digest of the renderer.
    pub(crate) renderer: String,
}

/// The files that were asked for last.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<VecDeque<(CacheKey, Arc<[u8]>)>>);

impl Cache {
    pub(crate) fn find(&self, key: &CacheKey) -> Option<Arc<[u8]>> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let place = files.iter().position(|(kept, _)| kept == key)?;
        let (key, file) = files.remove(place)?;
        files.push_front((key, Arc::clone(&file)));
        Some(file)
    }

    pub(crate) fn keep(&self, key: CacheKey, file: Arc<[u8]>) -> Arc<[u8]> {
        let mut files = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        files.retain(|(kept, _)| kept.document != key.document || kept.locale != key.locale);
        files.push_front((key, Arc::clone(&file)));
        let mut bytes = 0_usize;
        files.retain(|(_, file)| {
            bytes = bytes.saturating_add(file.len());
            bytes <= BYTES_MAX
        });
        file
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(document: u8, version: i64) -> CacheKey {
        let document = format!("00000000-0000-7000-8000-0000000000{document:02}").parse().unwrap();
        CacheKey {
            document,
            version,
            locale: "en".to_owned(),
            day: Date::constant(2026, 11, 20),
            issuer: 1,
            references: Vec::new(),
            renderer: "abc".to_owned(),
        }
    }

    #[test]
    fn a_file_is_found_by_everything_it_was_made_of_and_a_newer_one_takes_its_place() {
        let cache = Cache::default();
        cache.keep(key(1, 1), Arc::from(&b"one"[..]));
        assert!(cache.find(&key(1, 1)).is_some());
        assert!(cache.find(&CacheKey { issuer: 2, ..key(1, 1) }).is_none());
        assert!(cache.find(&CacheKey { references: vec!["F-1".to_owned()], ..key(1, 1) }).is_none());
        assert!(cache.find(&CacheKey { day: Date::constant(2026, 11, 21), ..key(1, 1) }).is_none());
        cache.keep(key(1, 2), Arc::from(&b"two"[..]));
        assert!(cache.find(&key(1, 1)).is_none());
        assert_eq!(cache.find(&key(1, 2)).as_deref(), Some(&b"two"[..]));
    }

    #[test]
    fn what_was_not_asked_for_longest_goes_first() {
        let cache = Cache::default();
        let large: Arc<[u8]> = vec![0; BYTES_MAX / 2].into();
        cache.keep(key(1, 1), Arc::clone(&large));
        cache.keep(key(2, 1), Arc::clone(&large));
        assert!(cache.find(&key(1, 1)).is_some());
        cache.keep(key(3, 1), large);
        assert!(cache.find(&key(2, 1)).is_none());
        assert!(cache.find(&key(1, 1)).is_some());
    }
}
