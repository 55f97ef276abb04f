//! One request: who asks, what they may, what was read for them so far, and how a field answers that has no value.

mod loaders;

use crate::Services;
use crate::answer::Effect;
use crate::errors::Refusal;
use async_graphql::{Context, Error, ID, OutputType, ServerError};
use gateway_domain::access::{Acting, Caller, Permission};
use gateway_graphql_compliance::entity_error_paths;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tokio::sync::Mutex;

/// Most things that one request asks for by their keys.
const ENTITIES_MAX: usize = 1_000;

/// Everything that resolvers share within one request.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) services: Arc<Services>,
    pub(crate) caller: Caller,
    pub(crate) acting: Acting,
    pub(crate) loaders: loaders::RequestLoaders,
    /// Things that were asked for by their keys.
    by_key: AtomicUsize,
    /// Whether the log has the cause of a failure already.
    failed: AtomicBool,
    /// Changes of one request happen one after the other, in the order they are written.
    change_lock: Mutex<()>,
    changes: Arc<Changes>,
}

/// What the changes of one request came to; whoever runs the request reads it in the end.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    carried_out: AtomicBool,
    /// One failed inside: it may be committed all the same.
    open: AtomicBool,
}

impl Changes {
    fn record<T>(&self, result: &Result<T, Refusal>) {
        match result {
            Ok(_) => self.carried_out.store(true, Ordering::Relaxed),
            Err(Refusal::Internal(_)) => self.open.store(true, Ordering::Relaxed),
            // A refusal comes before the commit of its change.
            Err(
                Refusal::Forbidden(_)
                | Refusal::NotFound { .. }
                | Refusal::BadInput(_)
                | Refusal::TooComplex(_)
                | Refusal::Conflict,
            ) => {}
        }
    }

    /// What all of them came to.
    pub(crate) fn effect(&self) -> Effect {
        let read = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        match (read(&self.carried_out), read(&self.open)) {
            (true, _) => Effect::Changed,
            (false, true) => Effect::Unknown,
            (false, false) => Effect::Nothing,
        }
    }
}

impl Session {
    pub(crate) fn new(services: Arc<Services>, caller: Caller, changes: Arc<Changes>) -> Self {
        let acting = Acting::from(&caller);
        Self {
            services,
            caller,
            acting,
            loaders: loaders::RequestLoaders::default(),
            by_key: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            change_lock: Mutex::default(),
            changes,
        }
    }

    /// Whether nothing of this request failed before. What fails in one node fails in its neighbours too: the log has
    /// the first cause, under the request's id, and not one for each.
    fn fails_first(&self) -> bool {
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

    /// Carries a change out, which begins when those before it have ended. A refusal of it says that nothing changed; what
    /// fails after a commit is [`Refusal::Internal`].
    pub(crate) async fn change<T>(
        &self,
        permission: Permission,
        change: impl Future<Output = Result<T, Refusal>>,
    ) -> Result<T, Refusal> {
        self.require(permission)?;
        let _guard = self.change_lock.lock().await;
        let result = change.await;
        self.changes.record(&result);
        result
    }
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

/// The value of a field that may be refused: null with an error beside it, while the rest of the request answers.
pub(crate) fn or_null<T>(ctx: &Context<'_>, result: Result<T, Refusal>) -> Option<T> {
    result.map_err(|refusal| ctx.add_error(server_error(ctx, refusal))).ok()
}

/// The same for a thing that is asked for by its key.
pub(crate) fn by_key<T: OutputType>(
    ctx: &Context<'_>,
    id: &ID,
    result: Result<Option<T>, Refusal>,
) -> Option<T> {
    let name = |refusal| {
        let mut error = server_error(ctx, refusal);
        entity_error_paths::attach_key(&mut error, &T::type_name(), id);
        ctx.add_error(error);
    };
    result.map_err(name).ok().flatten()
}

fn server_error(ctx: &Context<'_>, refusal: Refusal) -> ServerError {
    if let Refusal::Internal(cause) = &refusal
        && session(ctx).fails_first()
    {
        tracing::error!(error = &**cause as &dyn std::error::Error, "A request failed in a field: {cause}");
    }
    ctx.set_error_path(Error::from(refusal).into_server_error(ctx.item.pos))
}

/// What a look-up found; null without an error when nothing is there, null with one when it was refused.
pub(crate) fn found_or_null<T>(ctx: &Context<'_>, result: Result<Option<T>, Refusal>) -> Option<T> {
    or_null(ctx, result).flatten()
}
