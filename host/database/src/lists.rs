//! What lists have in common: pages in the order (created_at, id), windows, counts, look-ups of many ids at once, and
//! columns that are parsed.

use crate::dispatch::{Executor, Record};
use crate::error::{Corrupt, StoreError};
use crate::select::{Condition, Conditions, Part, Scope, Select, Table};
use crate::sql::{Param, ids};
use crate::transaction::Tx;
use crate::value::{Id, Ts};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;
use gateway_domain_lists::{PageKey, Stamped, Window};
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;
use std::str::FromStr;
use uuid::Uuid;

/// What rows are asked for with whose workspace is no column of theirs.
static ALL_WORKSPACES: Workspaces = Workspaces::All;
static NO_WORKSPACES: Workspaces = Workspaces::Only(Vec::new());

/// Oldest first; the id decides between rows of one instant.
pub const OLDEST_FIRST: &str = "created_at, id";
/// Newest first; the same indexes give it, read from their end.
pub const NEWEST_FIRST: &str = "created_at DESC, id DESC";

/// What a list shows.
#[derive(Debug, Clone)]
pub struct ListQuery<'a> {
    pub visible: &'a Workspaces,
    pub workspace: Option<WorkspaceId>,
    pub ids: Option<Vec<Id>>,
    /// What the table's own filters say.
    pub conditions: Conditions,
}

impl<'a> ListQuery<'a> {
    /// Everything of the workspaces that are visible.
    pub fn new(visible: &'a Workspaces) -> Self {
        Self { visible, workspace: None, ids: None, conditions: Conditions::default() }
    }

    /// Everything of a table that has no workspaces.
    pub fn anything() -> Self {
        Self::new(&ALL_WORKSPACES)
    }

    /// Everything that belongs to a row of a visible workspace; `owner` as in [`Scope::through`].
    pub fn through(visible: &Workspaces, owner: &'static str) -> Self {
        let scope = Scope::of(visible, None);
        let query = Self::new(if scope == Scope::Nowhere { &NO_WORKSPACES } else { &ALL_WORKSPACES });
        query.and_where(scope.through(owner))
    }

    /// Only what is of one workspace, if it is visible.
    #[must_use]
    pub fn of_workspace(self, workspace: WorkspaceId) -> Self {
        Self { workspace: Some(workspace), ..self }
    }

    /// The same with one condition more, if there is one.
    #[must_use]
    pub fn and_where(self, condition: Option<Condition>) -> Self {
        Self { conditions: self.conditions.and_where(condition), ..self }
    }

    /// Only what has one of some ids.
    #[must_use]
    pub fn with_ids(self, ids: &[impl Into<Uuid> + Copy]) -> Self {
        Self { ids: Some(ids.iter().map(|id| Id((*id).into())).collect()), ..self }
    }

    /// Only what a column leads to one of some ids from: few rows each.
    #[must_use]
    pub fn of_any(self, column: &'static str, owners: &[impl Into<Uuid> + Copy]) -> Self {
        self.and_where(Some(Condition::among(column, ids(owners)).finding()))
    }
}

impl ListQuery<'_> {
    /// The list, if it may have rows.
    pub fn select(self, table: Table) -> Option<Select> {
        let scope = Scope::of(self.visible, self.workspace);
        let nothing = self.ids.as_ref().is_some_and(Vec::is_empty);
        if scope == Scope::Nowhere || nothing {
            return None;
        }
        let ids = self.ids.map(|ids| Condition::among(table.key, Param::Ids(Some(ids))).finding());
        Some(Select { table, scope, conditions: self.conditions.and_where(ids) })
    }

    /// The list behind a place, if it may have rows.
    pub fn after(self, table: Table, after: Option<PageKey>) -> Option<Select> {
        let behind = after.map(|place| Condition::behind(table.order, place));
        let conditions = self.conditions.and_where(behind);
        ListQuery { conditions, ..self }.select(table)
    }
}

/// Rows after a place, the oldest first.
pub async fn page<R: Record, T>(
    on: Executor<'_>,
    table: Table,
    query: ListQuery<'_>,
    after: Option<PageKey>,
    limit: i64,
) -> Result<Vec<T>, StoreError>
where
    T: TryFrom<R, Error = Corrupt>,
{
    let Some(select) = query.after(table, after) else { return Ok(Vec::new()) };
    parsed(on.rows::<R>(&select, Part::First(limit)).await?)
}

/// The rows of a window, in the order of the list, and how many all windows have together. They are counted only when the
/// window does not say it: it has room left. Reads an entry of the index for each row that is passed over or counted.
pub async fn window<R: Record, T>(
    mut on: Executor<'_>,
    table: Table,
    query: ListQuery<'_>,
    window: Window,
) -> Result<(Vec<T>, i64), StoreError>
where
    T: TryFrom<R, Error = Corrupt>,
{
    let Some(select) = query.select(table) else { return Ok((Vec::new(), 0)) };
    let mut rows = Vec::new();
    if window.size > 0 {
        let part = Part::Window { offset: window.offset, size: window.size };
        rows = parsed(on.reborrow().rows::<R>(&select, part).await?)?;
    }
    let total = match known_total(window, rows.len()) {
        Some(total) => total,
        None => on.count(&select).await?,
    };
    Ok((rows, total))
}

/// How many rows there are altogether, if so many shown ones tell it.
fn known_total(window: Window, rows: usize) -> Option<i64> {
    let rows = i64::try_from(rows).ok()?;
    let ends = rows < window.size && (rows > 0 || window.offset == 0);
    ends.then(|| window.offset.saturating_add(rows))
}

/// How many rows all pages have together. Reads an entry of the index for each of them.
pub async fn count(on: Executor<'_>, table: Table, query: ListQuery<'_>) -> Result<i64, StoreError> {
    match query.select(table) {
        Some(select) => on.count(&select).await,
        None => Ok(0),
    }
}

/// A part of a list.
pub async fn part<R: Record, T>(
    on: Executor<'_>,
    table: Table,
    query: ListQuery<'_>,
    part: Part,
) -> Result<Vec<T>, StoreError>
where
    T: TryFrom<R, Error = Corrupt>,
{
    let Some(select) = query.select(table) else { return Ok(Vec::new()) };
    parsed(on.rows::<R>(&select, part).await?)
}

/// Rows by their ids; those that do not exist or are not visible are absent.
pub async fn by_ids<R: Record, T>(
    on: Executor<'_>,
    table: Table,
    visible: &Workspaces,
    ids: &[impl Into<Uuid> + Copy],
) -> Result<Vec<T>, StoreError>
where
    T: TryFrom<R, Error = Corrupt>,
{
    part(on, table, ListQuery::new(visible).with_ids(ids), Part::All).await
}

/// The same, held until the transaction ends.
pub async fn lock<R: Record, T>(
    tx: &mut Tx,
    table: Table,
    visible: &Workspaces,
    ids: &[impl Into<Uuid> + Copy],
) -> Result<Vec<T>, StoreError>
where
    T: TryFrom<R, Error = Corrupt>,
{
    part(Executor::from(tx), table, ListQuery::new(visible).with_ids(ids), Part::Held).await
}

/// Rows as values.
pub fn parsed<R, T>(rows: Vec<R>) -> Result<Vec<T>, StoreError>
where
    T: TryFrom<R, Error = Corrupt>,
{
    Ok(rows.into_iter().map(T::try_from).collect::<Result<_, _>>()?)
}

/// Values by their ids.
pub fn by_id<T, I: Eq + Hash>(values: Vec<Stamped<T>>, id: impl Fn(&T) -> I) -> HashMap<I, Stamped<T>> {
    values.into_iter().map(|stamped| (id(&stamped.value), stamped)).collect()
}

/// Values in groups, each in the order they came.
pub fn grouped<T, I: Eq + Hash>(
    values: Vec<Stamped<T>>,
    of: impl Fn(&T) -> I,
) -> HashMap<I, Vec<Stamped<T>>> {
    let mut groups: HashMap<I, Vec<Stamped<T>>> = HashMap::new();
    for stamped in values {
        groups.entry(of(&stamped.value)).or_default().push(stamped);
    }
    groups
}

/// A value with its times.
pub fn stamped<T>(value: T, created_at: Ts, updated_at: Ts) -> Stamped<T> {
    Stamped { value, created_at: created_at.0, updated_at: updated_at.0 }
}

/// Where a column stands, to parse it and to say where it is damaged.
#[derive(Debug, Clone, Copy)]
pub struct At<I> {
    pub table: &'static str,
    pub id: I,
}

impl<I: Display + Copy> At<I> {
    /// A text that says one of some words, or has a form.
    pub fn text<T: FromStr>(self, column: &'static str, text: &str) -> Result<T, Corrupt> {
        text.parse().map_err(|_| Corrupt::new(self.table, self.id, column, text))
    }

    /// The same, where there may be none.
    pub fn optional<T: FromStr>(
        self,
        column: &'static str,
        text: Option<String>,
    ) -> Result<Option<T>, Corrupt> {
        text.map(|text| self.text(column, &text)).transpose()
    }

    /// A JSON document.
    pub fn json<T: DeserializeOwned>(self, column: &'static str, text: &str) -> Result<T, Corrupt> {
        serde_json::from_str(text).map_err(|_| Corrupt::new(self.table, self.id, column, text))
    }

    /// A number that is not large.
    pub fn int(self, column: &'static str, value: i64) -> Result<i32, Corrupt> {
        i32::try_from(value).map_err(|_| Corrupt::new(self.table, self.id, column, value))
    }

    /// The same, where there may be none.
    pub fn optional_int(self, column: &'static str, value: Option<i64>) -> Result<Option<i32>, Corrupt> {
        value.map(|value| self.int(column, value)).transpose()
    }
}
