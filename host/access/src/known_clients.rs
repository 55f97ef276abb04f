//! Credentials that were good less than a second ago, so that a program that asks for tokens all the time costs the database
//! nothing.
//!
//! What this process changes of a client is forgotten here at once; what another one changes, another replica or a command,
//! within [`AGE_MAX`]. Only credentials that were found good are known: wrong ones are looked up each time.

use crate::secrets::KeyedHash;
use aws_lc_rs::constant_time;
use gateway_domain::access::Client;
use gateway_domain::ids::ClientId;
use jiff::{SignedDuration, Timestamp};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// How long credentials are believed. A client that was disabled elsewhere gets no token a second later.
const AGE_MAX: SignedDuration = SignedDuration::from_millis(900);
/// More clients than this at once and the memory starts afresh.
const CLIENTS_MAX: usize = 10_000;

/// Clients by their credentials.
#[derive(Debug, Default)]
pub(super) struct KnownClients(Mutex<ClientCache>);

#[derive(Debug, Default)]
struct ClientCache {
    clients: HashMap<ClientId, KnownClient>,
    /// How often a client was changed here.
    changes: u64,
}

#[derive(Debug)]
struct KnownClient {
    client: Client,
    secret: KeyedHash,
    since: Timestamp,
}

/// Whether something read at `since` still counts at `now`. A clock that was set back does not make it last longer.
pub(super) fn is_recent(since: Timestamp, now: Timestamp, age_max: SignedDuration) -> bool {
    let age = now.duration_since(since);
    !age.is_negative() && age < age_max
}

/// How many changes there were when a client was read: what was read before a change is not kept after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AsOf(u64);

impl KnownClients {
    fn known(&self) -> MutexGuard<'_, ClientCache> {
        // Nothing in here is half done after a panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The client of these credentials, unless it has to be looked up. In constant time for those that are known.
    pub(super) fn find(&self, id: ClientId, secret: &KeyedHash, now: Timestamp) -> Option<Client> {
        let known = self.known();
        let found = known.clients.get(&id)?;
        let is_same = found.secret.key_id == secret.key_id
            && constant_time::verify_slices_are_equal(&found.secret.bytes, &secret.bytes).is_ok();
        (is_recent(found.since, now, AGE_MAX) && is_same).then(|| found.client.clone())
    }

    /// To be taken before a client is read.
    pub(super) fn as_of(&self) -> AsOf {
        AsOf(self.known().changes)
    }

    /// Remembers credentials that are good.
    pub(super) fn remember(&self, client: &Client, secret: KeyedHash, as_of: AsOf, now: Timestamp) {
        let mut known = self.known();
        if known.changes != as_of.0 {
            return;
        }
        if known.clients.len() >= CLIENTS_MAX {
            known.clients.clear();
        }
        known.clients.insert(client.id, KnownClient { client: client.clone(), secret, since: now });
    }

    /// A client was changed; to be called once that is durable.
    pub(super) fn changed(&self, id: ClientId) {
        let mut known = self.known();
        known.changes = known.changes.wrapping_add(1);
        known.clients.remove(&id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain::access::Workspaces;
    use uuid::Uuid;

    fn client() -> Client {
        let id = ClientId(Uuid::from_u128(7));
        Client {
            id,
            name: "Backoffice".to_owned(),
            permissions: Vec::new(),
            workspaces: Workspaces::All,
            disabled: false,
        }
    }

    fn hash(byte: u8) -> KeyedHash {
        KeyedHash { key_id: "k1".to_owned(), bytes: vec![byte; 32] }
    }

    fn after_ms(ms: i64) -> Timestamp {
        Timestamp::UNIX_EPOCH + SignedDuration::from_millis(1_000_000 + ms)
    }

    #[test]
    fn credentials_are_known_for_less_than_a_second() {
        let (known, client) = (KnownClients::default(), client());
        assert_eq!(known.find(client.id, &hash(1), after_ms(0)), None);
        known.remember(&client, hash(1), known.as_of(), after_ms(0));
        for (ms, is_known) in [(0, true), (899, true), (900, false), (-1, false)] {
            assert_eq!(known.find(client.id, &hash(1), after_ms(ms)).is_some(), is_known, "{ms} ms");
        }
    }

    #[test]
    fn another_secret_or_another_key_is_looked_up() {
        let (known, client) = (KnownClients::default(), client());
        known.remember(&client, hash(1), known.as_of(), after_ms(0));
        assert_eq!(known.find(client.id, &hash(2), after_ms(0)), None);
        let other_key = KeyedHash { key_id: "k2".to_owned(), ..hash(1) };
        assert_eq!(known.find(client.id, &other_key, after_ms(0)), None);
    }

    #[test]
    fn what_was_read_before_a_change_is_not_kept_after_it() {
        let (known, client) = (KnownClients::default(), client());
        let before = known.as_of();
        known.changed(client.id);
        known.remember(&client, hash(1), before, after_ms(0));
        assert_eq!(known.find(client.id, &hash(1), after_ms(0)), None);
        known.remember(&client, hash(1), known.as_of(), after_ms(0));
        assert!(known.find(client.id, &hash(1), after_ms(0)).is_some());
        known.changed(client.id);
        assert_eq!(known.find(client.id, &hash(1), after_ms(0)), None);
    }
}
