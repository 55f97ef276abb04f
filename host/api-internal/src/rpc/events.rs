//! The change feed: events as CloudEvents 1.0 JSON.

use crate::errors::ApiError;
use axum::Json;
use axum::extract::State;
use gateway_domain::access::{Acting, Permission};
use gateway_events::Events;
use gateway_events::cloud_event;
use gateway_http::Authenticated;
use gateway_http::Params;
use serde_json::{Value, json};

/// Events of one answer unless asked for fewer.
const LIMIT_DEFAULT: i64 = 100;
/// Events of one answer at most.
const LIMIT_MAX: i64 = 500;

/// `GET /invoicing/rpc/events`: everything that happened after a place in the feed, in order and without gaps.
pub(super) async fn feed(
    State(events): State<Events>,
    caller: Authenticated,
    params: Params,
) -> Result<Json<Value>, ApiError> {
    caller.require(Permission::InvoicingRpc)?;
    params.only(&["after", "limit"])?;
    let positive = |text: &str| text.parse().ok().filter(|number| *number >= 0_i64);
    let after = params.parse("after", "use the next of an answer", positive)?.unwrap_or(0);
    let limit =
        params.parse("limit", "use a number from 1 to 500", |text| positive(text).filter(|n| *n >= 1))?;
    let limit = limit.unwrap_or(LIMIT_DEFAULT).min(LIMIT_MAX);
    let acting = Acting::from(&caller.0);
    let page = events.feed(&acting, after, limit).await.map_err(ApiError::internal)?;
    let events: Vec<_> = page.events.iter().map(cloud_event).collect();
    Ok(Json(json!({"events": events, "next": page.next.to_string()})))
}
