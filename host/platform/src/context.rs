//! What the services of the areas share.

use gateway_access::Audit;
use gateway_domain::ports::{Clock, Ids};
use gateway_events::Events;
use gateway_storage::Db;
use jiff::Timestamp;
use std::sync::Arc;

/// Database, clock, ids, events and audit trail. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Context(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    db: Db,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    events: Events,
    audit: Audit,
}

impl Context {
    pub(crate) fn new(db: Db, clock: Arc<dyn Clock>, ids: Arc<dyn Ids>, events: Events) -> Self {
        let audit = Audit::new(db.clone(), Arc::clone(&clock), Arc::clone(&ids));
        Self(Arc::new(Shared { db, clock, ids, events, audit }))
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    pub(crate) fn ids(&self) -> &dyn Ids {
        self.0.ids.as_ref()
    }

    /// What changed, told in the transaction of the change.
    pub(crate) fn events(&self) -> &Events {
        &self.0.events
    }

    /// Who changed what, written in the transaction of the change.
    pub(crate) fn audit(&self) -> &Audit {
        &self.0.audit
    }
}
