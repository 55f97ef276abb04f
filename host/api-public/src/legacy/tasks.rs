//! What is to be done about units and bookings.

use super::caller::Portal;
use super::errors::ApiError;
use super::pages::Listing;
use super::spaces::measure;
use crate::PublicApi;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use gateway_domain::ids::UnitId;
use gateway_domain_platform::spaces::Unit;
use gateway_domain_platform::tasks::Task;
use gateway_platform::Platform;
use gateway_platform::TaskFilter;
use serde_json::{Value, json};

pub(super) fn router() -> Router<PublicApi> {
    Router::new().route("/api/dev/tasks", get(tasks))
}

/// The tasks of the workspace; days are those by which they are due.
async fn tasks(
    State(platform): State<Platform>,
    portal: Portal,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&["property_id", "start_date", "end_date"]);
    let (from, to) = listing.days();
    let filter = TaskFilter { unit: listing.property(), from, to, ..TaskFilter::default() };
    let (platform, Portal { workspace, acting, .. }) = (&platform, portal);
    let found = platform.tasks_window(&acting, workspace, &filter, listing.window()?).await?;
    let ids: Vec<UnitId> = found.nodes.iter().filter_map(|task| task.unit).collect();
    let units = platform.units_by_ids(&acting, &ids).await?;
    let shown = found.nodes.iter().map(|task| {
        let unit = task.unit.and_then(|id| units.get(&id));
        shape(task, unit.map(|unit| &unit.value))
    });
    Ok(listing.answer(json!({"tasks": shown.collect::<Vec<_>>()}), found.total))
}

fn shape(task: &Task, unit: Option<&Unit>) -> Value {
    json!({
        "id": task.id,
        "title": task.title,
        "type": task.kind,
        "due_date": task.due_date,
        "start_time": task.start_time.map(|time| time.to_string()),
        "estimated_duration_hours": task.estimated_duration_hours.and_then(measure),
        "notes": task.notes,
        "unit": unit.map(|unit| json!({"id": unit.id, "code": unit.code})),
        "booking": task.booking.map(|id| json!({"id": id})),
    })
}
