//! What is to be done about units and bookings.

use crate::bookings::Booking;
use crate::costs;
use crate::pages::{self, Connection};
use crate::scalars::{IsoDate, IsoDateTime};
use crate::session::{found_or_null, or_null, reference, session};
use crate::spaces::{Unit, measure};
use async_graphql::{Context, ID, Object};
use gateway_domain::access::Permission;
use gateway_domain_lists::Stamped;
use gateway_domain_platform::tasks;
use gateway_domain_platform::tasks::TaskFilter;

const TASKS: &str = "tasks";

/// Something to be done.
#[derive(Debug, Clone)]
pub(crate) struct Task(pub(crate) Stamped<tasks::Task>);

/// Something to be done.
#[Object]
impl Task {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// The workspace it belongs to.
    async fn workspace_id(&self) -> i64 {
        self.0.workspace.0
    }

    /// What, in few words.
    async fn title(&self) -> &str {
        &self.0.title
    }

    /// What kind, in the words of the workspace.
    #[graphql(name = "type")]
    async fn kind(&self) -> Option<&str> {
        self.0.kind.as_deref()
    }

    /// By when.
    async fn due_date(&self) -> Option<IsoDate> {
        self.0.due_date.map(IsoDate)
    }

    /// At what time of that day, `HH:MM:SS`.
    async fn start_time(&self) -> Option<String> {
        self.0.start_time.map(|time| time.to_string())
    }

    /// How long it will take, hours.
    async fn estimated_duration_hours(&self) -> Option<f64> {
        self.0.estimated_duration_hours.and_then(measure)
    }

    /// What else is to be known.
    async fn notes(&self) -> Option<&str> {
        self.0.notes.as_deref()
    }

    /// Where. What tells more than the unit's code needs the permission spaces.read.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn unit(&self, ctx: &Context<'_>) -> Option<Unit> {
        let unit = async {
            let session = reference(ctx, Permission::SpacesRead, &["id", "code"])?;
            let Some(id) = self.0.unit else { return Ok(None) };
            Ok(session.unit(id).await?.map(Unit))
        };
        found_or_null(ctx, unit.await)
    }

    /// About which booking. What tells more than its id needs the permission bookings.read.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn booking(&self, ctx: &Context<'_>) -> Option<Booking> {
        let booking = async {
            let session = reference(ctx, Permission::BookingsRead, &["id"])?;
            let Some(id) = self.0.booking else { return Ok(None) };
            Ok(session.booking(id).await?.map(Booking))
        };
        found_or_null(ctx, booking.await)
    }

    /// When it was made.
    async fn created_at(&self) -> IsoDateTime {
        self.0.created_at.into()
    }

    /// When it changed last.
    async fn updated_at(&self) -> IsoDateTime {
        self.0.updated_at.into()
    }
}

/// Tasks. Reading needs the permission tasks.read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TicketsTasksQuery;

/// Tasks. Reading needs the permission tasks.read.
#[Object]
impl TicketsTasksQuery {
    /// Tasks, the oldest first.
    #[graphql(complexity = "pages::page_cost(first, child_complexity)")]
    async fn tasks(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Nodes of a page: 25 unless given, and at most.")] first: Option<i32>,
        #[graphql(desc = "The endCursor of the page before; none, or an empty one, for the first.")]
        after: Option<String>,
    ) -> Option<Connection<Task>> {
        let page = async {
            let session = session(ctx).require(Permission::TasksRead)?;
            let filter = TaskFilter::default();
            let request = pages::page_request(TASKS, first, after.as_deref())?;
            let (services, acting) = (&session.services, &session.acting);
            let (page, count) = (
                services.platform.tasks.tasks(acting, &filter, request),
                services.platform.tasks.tasks_count(acting, &filter),
            );
            pages::read_connection(ctx, TASKS, page, count, Task).await
        };
        or_null(ctx, page.await)
    }
}
