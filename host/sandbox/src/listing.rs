//! `GET /silo/v1/entries`: the entries in the order of their making, page by page.

use crate::answer::Refusal;
use crate::context::Context;
use crate::entry::Entry;
use crate::views::EntryView;
use axum::Json;
use axum::extract::{Query, State};
use gateway_storage::sandbox::{self as store, EntryOrder};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use uuid::Uuid;

/// Entries of a page that asks for no number of them.
const USUAL_LIMIT: i64 = 20;
/// Entries of any page.
const LIMIT_MAX: i64 = 100;

#[derive(Debug, Deserialize)]
pub(crate) struct ListQuery {
    created_at: Option<String>,
    cursor: Option<String>,
    limit: Option<i64>,
    #[serde(default)]
    ascending: bool,
}

/// A page of entries.
#[derive(Debug, Serialize)]
pub(crate) struct EntryListView {
    list: Vec<EntryView>,
    limit: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A page: behind the cursor, or from a time on.
pub(crate) async fn list(
    State(sandbox): State<Arc<Context>>,
    Query(query): Query<ListQuery>,
) -> Result<Json<EntryListView>, Refusal> {
    let ListQuery { created_at, cursor, limit, ascending } = query;
    let limit = limit.unwrap_or(USUAL_LIMIT).clamp(1, LIMIT_MAX);
    let order = if ascending { EntryOrder::OldestFirst } else { EntryOrder::NewestFirst };
    let place = match (&cursor, &created_at) {
        (Some(cursor), _) => parse_cursor(cursor)
            .ok_or_else(|| Refusal::invalid_field("cursor", "is none of a page before"))?,
        (None, Some(at)) => {
            let at =
                at.parse().map_err(|_| Refusal::invalid_field("created_at", "must be an ISO timestamp"))?;
            (at, edge(order))
        }
        (None, None) => match order {
            EntryOrder::OldestFirst => (Timestamp::UNIX_EPOCH, edge(order)),
            EntryOrder::NewestFirst => (sandbox.clock.now(), edge(order)),
        },
    };
    // One more tells whether a page follows.
    let rows = store::entries(&sandbox.db, order, place, limit.saturating_add(1)).await?;
    let size = usize::try_from(limit).unwrap_or_default();
    let last = size.checked_sub(1).and_then(|last| rows.get(last)).filter(|_| rows.len() > size);
    let next_cursor = last.map(|row| format!("{}_{}", row.created_at.0, row.id.0));
    let entries = rows.into_iter().take(size).map(Entry::try_from).collect::<Result<Vec<_>, _>>()?;
    let views = entries.into_iter().map(EntryView::from).collect();
    Ok(Json(EntryListView { list: views, limit, created_at, cursor, next_cursor }))
}

/// The id that leaves every entry of an instant on the side that is listed.
const fn edge(order: EntryOrder) -> Uuid {
    match order {
        EntryOrder::OldestFirst => Uuid::nil(),
        EntryOrder::NewestFirst => Uuid::max(),
    }
}

fn parse_cursor(cursor: &str) -> Option<(Timestamp, Uuid)> {
    let (at, id) = cursor.split_once('_')?;
    Some((at.parse().ok()?, id.parse().ok()?))
}
