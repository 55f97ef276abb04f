//! What is to be done about units and bookings.

use super::listing::{Listing, PageParams, PropertyQuery};
use super::spaces::measure;
use super::{ApiError, LegacyCaller, Reference};
use crate::PublicState;
use axum::extract::State;
use axum::response::Response;
use gateway_domain::ids::{TaskId, UnitId};
use gateway_domain_platform::spaces::Unit;
use gateway_domain_platform::tasks::{Task, TaskFilter};
use gateway_http::openapi::Unprocessable;
use gateway_platform::Platform;
use jiff::civil::Date;
use serde::Serialize;
use utoipa::{IntoParams, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(tasks))
}

/// Something to be done.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Task)]
struct TaskView {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000f1"))]
    id: TaskId,
    #[schema(examples("Change the linen"))]
    title: String,
    #[schema(required, examples("CLEANING"))]
    r#type: Option<String>,
    #[schema(required, value_type = Option<String>, format = Date, examples("2026-12-01"))]
    due_date: Option<Date>,
    #[schema(required, pattern = "^[0-9]{2}:[0-9]{2}:[0-9]{2}", examples("10:00:00"))]
    start_time: Option<String>,
    #[schema(required, examples(1.5))]
    estimated_duration_hours: Option<f64>,
    #[schema(required)]
    notes: Option<String>,
    #[schema(required)]
    unit: Option<TaskUnit>,
    #[schema(required)]
    booking: Option<Reference>,
}

/// The unit that a task is about.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LegacyTaskUnit)]
struct TaskUnit {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    id: UnitId,
    #[schema(examples("A-101"))]
    code: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TasksPage)]
struct Tasks {
    tasks: Vec<TaskView>,
}

/// By which days a task is due.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes parameters")]
struct DueDays {
    /// The first day.
    #[param(format = Date, value_type = String, required = false, example = "2026-12-01")]
    start_date: Option<String>,
    /// The last day.
    #[param(format = Date, value_type = String, required = false, example = "2026-12-31")]
    end_date: Option<String>,
}

/// The tasks of the workspace
///
/// With days: those that are due on one of them.
#[utoipa::path(
    get,
    path = "/api/dev/tasks",
    operation_id = "listTasks",
    params(PropertyQuery, DueDays, PageParams),
    responses(
        (status = 200, description = "The page.", body = Tasks),
        (status = 422, response = Unprocessable),
    )
)]
async fn tasks(
    State(platform): State<Platform>,
    caller: LegacyCaller,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&["property_id", "start_date", "end_date"]);
    let (from, to) = listing.days();
    let filter = TaskFilter { unit: listing.property(), from, to, ..TaskFilter::default() };
    let LegacyCaller { workspace, acting, .. } = caller;
    let found = platform.tasks.tasks_window(&acting, workspace, &filter, listing.window()?).await?;
    let ids: Vec<UnitId> = found.nodes.iter().filter_map(|task| task.unit).collect();
    let units = platform.spaces.units_by_ids(&acting, &ids).await?;
    let tasks = found.nodes.iter().map(|task| {
        let unit = task.unit.and_then(|id| units.get(&id));
        view(task, unit.map(|unit| &unit.value))
    });
    Ok(listing.answer(&Tasks { tasks: tasks.collect() }, found.total))
}

fn view(task: &Task, unit: Option<&Unit>) -> TaskView {
    TaskView {
        id: task.id,
        title: task.title.clone(),
        r#type: task.kind.clone(),
        due_date: task.due_date,
        start_time: task.start_time.map(|time| time.to_string()),
        estimated_duration_hours: task.estimated_duration_hours.and_then(measure),
        notes: task.notes.clone(),
        unit: unit.map(|unit| TaskUnit { id: unit.id, code: unit.code.clone() }),
        booking: task.booking.map(Reference::to),
    }
}
