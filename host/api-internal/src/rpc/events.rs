//! The change feed: events as CloudEvents 1.0 JSON.

use crate::InternalState;
use crate::errors::ApiError;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use gateway_domain::access::{Acting, Permission};
use gateway_domain_events::EventSelection;
use gateway_events::{CloudEvent, Events, Source};
use gateway_http::Authenticated;
use gateway_http::Params;
use gateway_http::openapi::Unprocessable;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Events of one answer unless asked for fewer.
const LIMIT_DEFAULT: i64 = 100;
/// Events of one answer at most.
const LIMIT_MAX: i64 = 500;

pub(super) fn routes() -> OpenApiRouter<InternalState> {
    OpenApiRouter::new().routes(routes!(feed))
}

/// Which events are asked for.
#[derive(Debug, Clone, Copy, IntoParams)]
#[into_params(parameter_in = Query)]
struct EventsQuery {
    /// The `next` of the answer before, exclusive.
    #[param(required = false, minimum = 0, default = 0, example = 0)]
    after: i64,
    /// How many; above 500 is taken as 500.
    #[param(required = false, minimum = 1, default = 100, example = 100)]
    limit: i64,
    /// Only the events of this source; `notices` takes the permission `notices.read`. Without it those of documents: of
    /// `invoicing` and `finance`.
    #[param(required = false, inline, value_type = Source, example = "platform")]
    source: EventSelection,
}

/// The source of this name.
fn source(name: &str) -> Option<Source> {
    Source::ALL.into_iter().find(|source| source.name() == name)
}

impl EventsQuery {
    fn read(params: &Params) -> Result<Self, ApiError> {
        params.only(&["after", "limit", "source"])?;
        let positive = |text: &str| text.parse().ok().filter(|number| *number >= 0_i64);
        let after = params.parse("after", "use the next of an answer", positive)?.unwrap_or(0);
        let limit =
            params.parse("limit", "use a number from 1 to 500", |text| positive(text).filter(|n| *n >= 1))?;
        let expected = format!("use one of {}", Source::ALL.map(Source::name).join(", "));
        let source = params.parse("source", &expected, source)?;
        let source =
            source.map_or(EventSelection::Documents, |source| EventSelection::Source(source.as_str()));
        Ok(Self { after, limit: limit.unwrap_or(LIMIT_DEFAULT).min(LIMIT_MAX), source })
    }
}

/// A part of the feed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EventFeed)]
struct Feed<'a> {
    /// What happened, in order.
    #[schema(max_items = 500)]
    events: Vec<CloudEvent<'a>>,
    /// Give it as `after` to go on.
    #[schema(pattern = "^[0-9]+$", examples("2"))]
    next: String,
}

/// The change feed
///
/// Every change of every document the client may see, in order and without gaps, for consumers without the message bus.
/// With `source` those of one service: `platform` for units, bookings, users and everything else that is no document;
/// `notices` for what somebody should hear of, with the permission `notices.read`. A place in the feed is the same with any
/// `source`.
#[utoipa::path(
    get,
    path = "/invoicing/rpc/events",
    operation_id = "listEvents",
    params(EventsQuery),
    responses(
        (status = 200, description = "The events after that place.", body = Feed<'static>),
        (status = 422, response = Unprocessable)
    )
)]
async fn feed(
    State(events): State<Events>,
    caller: Authenticated,
    params: Params,
) -> Result<Response, ApiError> {
    let EventsQuery { after, limit, source } = EventsQuery::read(&params)?;
    if source == EventSelection::Source(Source::Notices.as_str()) {
        caller.require(Permission::NoticesRead)?;
    }
    let acting = Acting::from(&caller.0);
    let page = events.feed(&acting, source, after, limit).await.map_err(ApiError::internal)?;
    let events = page.events.iter().map(CloudEvent::try_from).collect::<Result<_, _>>();
    let events = events.map_err(ApiError::internal)?;
    Ok(axum::Json(Feed { events, next: page.next.to_string() }).into_response())
}
