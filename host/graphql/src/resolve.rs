//! What a resolver answers with: its value, or null with an error beside it.

use crate::errors::Refusal;
use crate::session::session;
use async_graphql::{Context, Error, ID, OutputType, ServerError};
use gateway_graphql_compliance::entity_error_paths;

/// The value of a field that may be refused: null with an error beside it, while the rest of the request answers.
pub(crate) fn or_null<T>(ctx: &Context<'_>, result: Result<T, Refusal>) -> Option<T> {
    result.map_err(|refusal| ctx.add_error(refused(ctx, refusal))).ok()
}

/// The same for a thing that is asked for by its key.
pub(crate) fn by_key<T: OutputType>(
    ctx: &Context<'_>,
    id: &ID,
    result: Result<Option<T>, Refusal>,
) -> Option<T> {
    let name = |refusal| {
        let mut error = refused(ctx, refusal);
        entity_error_paths::attach_key(&mut error, &T::type_name(), id);
        ctx.add_error(error);
    };
    result.map_err(name).ok().flatten()
}

fn refused(ctx: &Context<'_>, refusal: Refusal) -> ServerError {
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
