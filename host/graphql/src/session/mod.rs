//! One request: who asks, what they may, and what was read for them so far.

mod loaders;

use crate::Services;
use crate::errors::Refusal;
use async_graphql::Context;
use gateway_domain::access::{Acting, Caller, Permission};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::{Mutex, MutexGuard};

/// Most things that one request asks for by their keys.
const ENTITIES_MAX: usize = 1_000;

/// Everything that resolvers share within one request.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) services: Services,
    pub(crate) caller: Caller,
    pub(crate) acting: Acting,
    pub(crate) loaders: loaders::RequestLoaders,
    /// Things that were asked for by their keys.
    by_key: AtomicUsize,
    /// Whether the log has the cause of a failure already.
    failed: AtomicBool,
    /// Changes of one request happen one after the other, in the order they are written.
    change_lock: Mutex<()>,
}

impl Session {
    pub(crate) fn new(services: Services, caller: Caller) -> Self {
        let acting = Acting::from(&caller);
        Self {
            services,
            caller,
            acting,
            loaders: loaders::RequestLoaders::default(),
            by_key: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            change_lock: Mutex::default(),
        }
    }

    /// Whether nothing of this request failed before. What fails in one node fails in its neighbours too: the log has
    /// the first cause, under the request's id, and not one for each.
    pub(crate) fn fails_first(&self) -> bool {
        !self.failed.swap(true, Ordering::Relaxed)
    }

    pub(crate) fn require(&self, permission: Permission) -> Result<&Self, Refusal> {
        if self.caller.may(permission) { Ok(self) } else { Err(Refusal::Forbidden(permission)) }
    }

    /// The same for one of the things that a supergraph asks for by their keys; there are not endlessly many.
    pub(crate) fn require_by_key(&self, permission: Permission) -> Result<&Self, Refusal> {
        if self.by_key.fetch_add(1, Ordering::Relaxed) >= ENTITIES_MAX {
            return Err(Refusal::TooComplex(format!(
                "a request names at most {ENTITIES_MAX} things by their keys"
            )));
        }
        self.require(permission)
    }

    /// The same for a change, which begins when those before it have ended.
    pub(crate) async fn change(&self, permission: Permission) -> Result<ChangeGuard<'_>, Refusal> {
        self.require(permission)?;
        Ok(ChangeGuard { session: self, _guard: self.change_lock.lock().await })
    }
}

/// Nothing else of the request changes anything while this is held.
#[derive(Debug)]
pub(crate) struct ChangeGuard<'a> {
    pub(crate) session: &'a Session,
    _guard: MutexGuard<'a, ()>,
}

/// The session of a resolver.
pub(crate) fn session<'a>(ctx: &Context<'a>) -> &'a Session {
    ctx.data_unchecked::<Session>()
}

/// A field that refers to something of another area: what names the thing (`free`) may be read by whoever may read the
/// reference, the rest needs the other area's permission.
pub(crate) fn reference<'a>(
    ctx: &Context<'a>,
    permission: Permission,
    free: &[&str],
) -> Result<&'a Session, Refusal> {
    let session = session(ctx);
    let named = |name: &str| name == "__typename" || free.contains(&name);
    if ctx.field().selection_set().all(|field| named(field.name())) {
        return Ok(session);
    }
    session.require(permission)
}
