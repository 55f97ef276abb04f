//! What is to be done about units and bookings.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, At, ListQuery, OLDEST_FIRST, by_id, stamped};
use gateway_database::select::{Conditions, Table};
use gateway_database::sql::{Sql, params, row, statements};
use gateway_database::stored::stored;
use gateway_database::value::{Day, Id};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{BookingId, TaskId, UnitId, WorkspaceId};
use gateway_domain_lists::{PageKey, Stamped, Window};
use gateway_domain_platform::tasks::{Task, TaskFilter};
use jiff::Timestamp;
use std::collections::HashMap;

stored! {
    struct Row of task, columns!, put_rows! {
        id: Id;
        workspace_id: i64;
        title: String,
        kind: Option<String>,
        due_date: Option<Day>,
        start_time: Option<String>,
        estimated_duration_hours: Option<String>,
        notes: Option<String>,
        unit_id: Option<Id>,
        booking_id: Option<Id>,
    }
}

pub const TABLE: Table = Table {
    name: "task",
    key: "id",
    columns: Sql::both(columns!()),
    order: OLDEST_FIRST,
    has_workspace: true,
};

statements! {
    PUT = each [(put_rows! engine)];
}

impl TryFrom<Row> for Stamped<Task> {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = TaskId(row.id.0);
        let at = At { table: "task", id };
        let task = Task {
            id,
            workspace: WorkspaceId(row.workspace_id),
            title: row.title,
            kind: row.kind,
            due_date: row.due_date.map(|day| day.0),
            start_time: at.optional("start_time", row.start_time)?,
            estimated_duration_hours: at
                .optional("estimated_duration_hours", row.estimated_duration_hours)?,
            notes: row.notes,
            unit: row.unit_id.map(|id| UnitId(id.0)),
            booking: row.booking_id.map(|id| BookingId(id.0)),
        };
        Ok(stamped(task, row.created_at, row.updated_at))
    }
}

pub fn query<'a>(visible: &'a Workspaces, filter: &TaskFilter) -> ListQuery<'a> {
    ListQuery {
        visible,
        workspace: filter.workspace,
        ids: filter.ids.as_ref().map(|ids| ids.iter().map(|id| Id(id.0)).collect()),
        conditions: Conditions::default()
            .finding("unit_id = ?", filter.unit)
            .and("due_date >= ?", filter.from)
            .and("due_date <= ?", filter.to),
    }
}

/// Tasks after a place, the oldest first.
pub async fn page(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &TaskFilter,
    after: Option<PageKey>,
    limit: i64,
) -> Result<Vec<Stamped<Task>>, StoreError> {
    lists::page::<Row, _>(on.into(), TABLE, query(visible, filter), after, limit).await
}

/// Tasks of one workspace in a window, the oldest first, and how many there are altogether.
pub async fn window(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    workspace: WorkspaceId,
    filter: &TaskFilter,
    window: Window,
) -> Result<(Vec<Stamped<Task>>, i64), StoreError> {
    lists::window::<Row, _>(on.into(), TABLE, query(visible, filter).of_workspace(workspace), window).await
}

/// How many tasks all pages have together.
pub async fn count(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &TaskFilter,
) -> Result<i64, StoreError> {
    lists::count(on.into(), TABLE, query(visible, filter)).await
}

/// Tasks by their ids; those that do not exist or are not visible are absent.
pub async fn by_ids(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[TaskId],
) -> Result<HashMap<TaskId, Stamped<Task>>, StoreError> {
    let found = lists::by_ids::<Row, _>(on.into(), TABLE, visible, ids).await?;
    Ok(by_id(found, |task: &Task| task.id))
}

/// Stores tasks, each once: new ones, or the new content of those that are there. Their workspaces stay.
pub async fn put(tx: &mut Tx, tasks: &[&Task], now: Timestamp) -> Result<(), StoreError> {
    let rows = tasks.iter().map(|task| {
        Ok(row![
            task.id,
            task.workspace,
            &task.title,
            task.kind.clone(),
            task.due_date,
            task.start_time.map(|time| time.to_string()),
            task.estimated_duration_hours,
            task.notes.clone(),
            task.unit,
            task.booking,
        ])
    });
    tx.execute(&PUT, params![Row::put(rows)?, now]).await?;
    Ok(())
}
