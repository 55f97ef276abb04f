//! What the tables of the platform have in common: pages in the order (created_at, id), look-ups of many ids at once,
//! and columns that are parsed.
//!
//! A page has three statements with the same arguments (`$1` workspaces, `$2` and `$3` the place, `$4` ids, then the
//! filters, then the limit): of one workspace, which an index answers; of several or all; and of named ids. Without ids
//! and filters there are two shorter ones (`$4` is the limit), which PostgreSQL plans once and for all.

use crate::dispatch::{On, Record};
use crate::error::{Corrupt, StoreError};
use crate::sql::{Param, Sql, params};
use crate::value::{Id, Ts};
use gateway_domain::Stamped;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::fmt::Display;
use std::hash::Hash;
use std::str::FromStr;
use uuid::Uuid;

/// A place in the order of a page: time of making, then id.
pub type Place = (Timestamp, Uuid);

/// Before everything.
const START: Place = (Timestamp::MIN, Uuid::nil());

/// Which rows of the workspaces that a caller may see.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Of one.
    One(WorkspaceId),
    /// Of these; of all when there is no list.
    Many(Option<Vec<i64>>),
    /// Of none: there is nothing to ask for.
    Nowhere,
}

impl Scope {
    /// What is both visible and wanted.
    pub(crate) fn of(visible: &Workspaces, wanted: Option<WorkspaceId>) -> Self {
        match (wanted, visible) {
            (Some(workspace), _) if visible.contain(workspace) => Self::One(workspace),
            (Some(_), _) => Self::Nowhere,
            (None, Workspaces::All) => Self::Many(None),
            (None, Workspaces::Only(list)) => match list.as_slice() {
                [] => Self::Nowhere,
                [one] => Self::One(*one),
                several => Self::Many(Some(several.iter().map(|workspace| workspace.0).collect())),
            },
        }
    }

    fn list(&self) -> Param {
        Param::Ints(match self {
            Self::One(workspace) => Some(vec![workspace.0]),
            Self::Many(list) => list.clone(),
            Self::Nowhere => Some(Vec::new()),
        })
    }
}

/// The workspaces a caller may see, as a list argument: none for all.
pub(crate) fn visible(workspaces: &Workspaces) -> Param {
    match workspaces {
        Workspaces::All => Param::Ints(None),
        Workspaces::Only(list) => Param::Ints(Some(list.iter().map(|workspace| workspace.0).collect())),
    }
}

/// Which rows of a list a page shows that is found by counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many rows stand before it.
    pub offset: i64,
    /// How many rows it has at most.
    pub size: i64,
}

impl Window {
    /// The part of a list that is at hand.
    pub fn of<T>(self, all: &[T]) -> &[T] {
        let place = |n: i64| usize::try_from(n).unwrap_or(usize::MAX).min(all.len());
        let (start, end) = (place(self.offset), place(self.offset.saturating_add(self.size)));
        all.get(start..end).unwrap_or_default()
    }

    /// How many rows there are altogether, if so many shown ones tell it.
    pub(crate) fn says(self, shown: usize) -> Option<i64> {
        let shown = i64::try_from(shown).ok()?;
        let ends = shown < self.size && (shown > 0 || self.offset == 0);
        ends.then(|| self.offset.saturating_add(shown))
    }
}

/// The statements of a page, or those that count the same rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Paged {
    /// Of one workspace.
    pub(crate) one: Sql,
    /// Of several workspaces, or of all.
    pub(crate) many: Sql,
    /// Of named ids.
    pub(crate) ids: Sql,
    /// Of one workspace and of several or all, where nothing else is asked for.
    pub(crate) plain: Option<(Sql, Sql)>,
}

/// The statements of a window.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Windowed {
    /// With the table's own filters.
    pub(crate) filtered: Sql,
    /// Where nothing is asked for but the workspace: the index alone says what is passed over.
    pub(crate) plain: Sql,
    /// Those that count the same rows.
    pub(crate) count: Paged,
}

/// What a page shows besides what the table's own filters say.
#[derive(Debug)]
pub(crate) struct Ask<'a> {
    pub(crate) visible: &'a Workspaces,
    pub(crate) wanted: Option<WorkspaceId>,
    pub(crate) ids: Option<Vec<Id>>,
    /// The arguments from `$5` on.
    pub(crate) filters: Vec<Param>,
    /// Whether those ask for nothing.
    pub(crate) plain: bool,
}

impl Ask<'_> {
    /// The rows after a place, if there may be any.
    fn rows(self, paged: &Paged, after: Option<Place>) -> Option<(Sql, Vec<Param>)> {
        self.statement(paged, Some(after.unwrap_or(START)))
    }

    /// All rows: the short statements need no place then.
    fn all(self, paged: &Paged) -> Option<(Sql, Vec<Param>)> {
        self.statement(paged, None)
    }

    fn statement(self, paged: &Paged, after: Option<Place>) -> Option<(Sql, Vec<Param>)> {
        let scope = Scope::of(self.visible, self.wanted);
        let (one, many) = paged.plain.filter(|_| self.plain && self.ids.is_none()).unzip();
        let (sql, lead) = match (&scope, &self.ids) {
            (Scope::Nowhere, _) => return None,
            (_, Some(ids)) if ids.is_empty() => return None,
            (_, Some(_)) => (paged.ids, scope.list()),
            (Scope::One(workspace), None) => (one.unwrap_or(paged.one), Param::from(*workspace)),
            (Scope::Many(_), None) => (many.unwrap_or(paged.many), scope.list()),
        };
        let mut arguments = vec![lead];
        if one.is_none() || after.is_some() {
            let (at, id) = after.unwrap_or(START);
            arguments.extend(params![at, id]);
        }
        if one.is_none() {
            arguments.push(Param::Ids(self.ids));
            arguments.extend(self.filters);
        }
        Some((sql, arguments))
    }
}

/// Rows after a place, the oldest first.
pub(crate) async fn page<R: Record, T>(
    on: On<'_>,
    paged: &Paged,
    ask: Ask<'_>,
    after: Option<Place>,
    limit: i64,
) -> Result<Vec<Stamped<T>>, StoreError>
where
    Stamped<T>: TryFrom<R, Error = Corrupt>,
{
    let Some((sql, mut arguments)) = ask.rows(paged, after) else { return Ok(Vec::new()) };
    arguments.push(limit.into());
    parsed(on.all::<R>(&sql, arguments).await?)
}

/// The rows of a window of one workspace, the oldest first, and how many all windows have together. They are counted only
/// when the window does not say it: it has room left.
pub(crate) async fn window<R: Record, T>(
    mut on: On<'_>,
    statements: &Windowed,
    workspace: WorkspaceId,
    ask: Ask<'_>,
    window: Window,
) -> Result<(Vec<Stamped<T>>, i64), StoreError>
where
    Stamped<T>: TryFrom<R, Error = Corrupt>,
{
    if !ask.visible.contain(workspace) {
        return Ok((Vec::new(), 0));
    }
    let ask = Ask { wanted: Some(workspace), ..ask };
    let mut shown = Vec::new();
    if window.size > 0 {
        let plain = ask.plain && ask.ids.is_none();
        let mut arguments = params![workspace];
        if !plain {
            arguments.extend(params![START.0, START.1]);
            arguments.push(Param::Ids(ask.ids.clone()));
            arguments.extend(ask.filters.iter().cloned());
        }
        arguments.extend(params![window.size, window.offset]);
        let sql = if plain { &statements.plain } else { &statements.filtered };
        shown = parsed(on.reborrow().all::<R>(sql, arguments).await?)?;
    }
    let total = match window.says(shown.len()) {
        Some(total) => total,
        None => count(on, &statements.count, ask).await?,
    };
    Ok((shown, total))
}

/// How many rows all pages have together.
pub(crate) async fn count(on: On<'_>, paged: &Paged, ask: Ask<'_>) -> Result<i64, StoreError> {
    let Some((sql, arguments)) = ask.all(paged) else { return Ok(0) };
    let (count,): (i64,) = on.one(&sql, arguments).await?;
    Ok(count)
}

/// Rows as values.
pub(crate) fn parsed<R, T>(rows: Vec<R>) -> Result<Vec<T>, StoreError>
where
    T: TryFrom<R, Error = Corrupt>,
{
    Ok(rows.into_iter().map(T::try_from).collect::<Result<_, _>>()?)
}

/// Values by their ids.
pub(crate) fn by_id<T, I: Eq + Hash>(
    values: Vec<Stamped<T>>,
    id: impl Fn(&T) -> I,
) -> HashMap<I, Stamped<T>> {
    values.into_iter().map(|stamped| (id(&stamped.value), stamped)).collect()
}

/// Values in groups, each in the order they came.
pub(crate) fn grouped<T, I: Eq + Hash>(
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
pub(crate) fn stamped<T>(value: T, created_at: Ts, updated_at: Ts) -> Stamped<T> {
    Stamped { value, created_at: created_at.0, updated_at: updated_at.0 }
}

/// Where a column stands, to parse it and to say where it is damaged.
#[derive(Debug, Clone, Copy)]
pub(crate) struct At<I> {
    pub(crate) table: &'static str,
    pub(crate) id: I,
}

impl<I: Display + Copy> At<I> {
    /// A text that says one of some words, or has a form.
    pub(crate) fn text<T: FromStr>(self, column: &'static str, text: &str) -> Result<T, Corrupt> {
        text.parse().map_err(|_| Corrupt::new(self.table, self.id, column, text))
    }

    /// The same, where there may be none.
    pub(crate) fn optional<T: FromStr>(
        self,
        column: &'static str,
        text: Option<String>,
    ) -> Result<Option<T>, Corrupt> {
        text.map(|text| self.text(column, &text)).transpose()
    }

    /// A JSON document.
    pub(crate) fn json<T: DeserializeOwned>(self, column: &'static str, text: &str) -> Result<T, Corrupt> {
        serde_json::from_str(text).map_err(|_| Corrupt::new(self.table, self.id, column, text))
    }

    /// A number that is not large.
    pub(crate) fn int(self, column: &'static str, value: i64) -> Result<i32, Corrupt> {
        i32::try_from(value).map_err(|_| Corrupt::new(self.table, self.id, column, value))
    }

    /// The same, where there may be none.
    pub(crate) fn optional_int(
        self,
        column: &'static str,
        value: Option<i64>,
    ) -> Result<Option<i32>, Corrupt> {
        value.map(|value| self.int(column, value)).transpose()
    }
}

/// A page of a table, for one engine: `paged!(pg one, "id, …", "unit", " AND (status = $5 OR $5 IS NULL)", "$6")`.
/// With `count` instead of columns, the number of rows of all pages. `plain_one` and `plain_many` take no filters.
macro_rules! paged {
    (@where $engine:tt one) => {
        concat!("workspace_id = $1 AND (", $crate::sql::among!($engine "id", "$4"), " OR $4 IS NULL)")
    };
    (@where $engine:tt many) => {
        concat!("(", $crate::sql::among!($engine "workspace_id", "$1"), " OR $1 IS NULL) AND (",
            $crate::sql::among!($engine "id", "$4"), " OR $4 IS NULL)")
    };
    (@where $engine:tt ids) => {
        concat!($crate::sql::among!($engine "id", "$4"), " AND (",
            $crate::sql::among!($engine "workspace_id", "$1"), " OR $1 IS NULL)")
    };
    // PostgreSQL takes a limit that it does not know for a tenth of the table, and sorts; the inner one it knows, and
    // no more rows are read than the outer one lets through.
    (@limited pg $columns:expr, $table:literal, $lead:expr) => {
        concat!("SELECT * FROM (", $crate::lists::paged!(@ordered $columns, $table, $lead), " LIMIT 101) AS page LIMIT $4")
    };
    (@limited lite $columns:expr, $table:literal, $lead:expr) => {
        concat!($crate::lists::paged!(@ordered $columns, $table, $lead), " LIMIT $4")
    };
    (@ordered $columns:expr, $table:literal, $lead:expr) => {
        concat!("SELECT ", $columns, " FROM ", $table, " WHERE ", $lead,
            " AND (created_at, id) > ($2, $3) ORDER BY created_at, id")
    };
    ($engine:tt plain_one, $columns:expr, $table:literal) => {
        $crate::lists::paged!(@limited $engine $columns, $table, "workspace_id = $1")
    };
    ($engine:tt plain_many, $columns:expr, $table:literal) => {
        $crate::lists::paged!(@limited $engine $columns, $table,
            concat!("(", $crate::sql::among!($engine "workspace_id", "$1"), " OR $1 IS NULL)"))
    };
    ($engine:tt plain_window, $columns:expr, $table:literal) => {
        concat!("SELECT ", $columns, " FROM ", $table, " WHERE id IN (SELECT id FROM ", $table,
            " WHERE workspace_id = $1 ORDER BY created_at, id LIMIT $2 OFFSET $3) ORDER BY created_at, id")
    };
    ($engine:tt plain_count_one, $table:literal) => {
        concat!("SELECT COUNT(*) FROM ", $table, " WHERE workspace_id = $1")
    };
    ($engine:tt plain_count_many, $table:literal) => {
        concat!("SELECT COUNT(*) FROM ", $table, " WHERE (", $crate::sql::among!($engine "workspace_id", "$1"),
            " OR $1 IS NULL)")
    };
    // What a row shows is not computed for those that are passed over.
    ($engine:tt window, $columns:expr, $table:literal, $filters:expr, $limit:literal, $offset:literal) => {
        concat!("SELECT ", $columns, " FROM ", $table, " WHERE id IN (SELECT id FROM ", $table, " WHERE ",
            $crate::lists::paged!(@where $engine one), " AND (created_at, id) > ($2, $3)", $filters,
            " ORDER BY created_at, id LIMIT ", $limit, " OFFSET ", $offset, ") ORDER BY created_at, id")
    };
    ($engine:tt $whose:tt, count, $table:literal, $filters:expr) => {
        concat!("SELECT COUNT(*) FROM ", $table, " WHERE ", $crate::lists::paged!(@where $engine $whose),
            " AND (created_at, id) > ($2, $3)", $filters)
    };
    ($engine:tt $whose:tt, $columns:expr, $table:literal, $filters:expr, $limit:literal) => {
        concat!("SELECT ", $columns, " FROM ", $table, " WHERE ", $crate::lists::paged!(@where $engine $whose),
            " AND (created_at, id) > ($2, $3)", $filters, " ORDER BY created_at, id LIMIT ", $limit)
    };
}
pub(crate) use paged;

/// The statements of a module whose table is shown in pages: those of `PAGE` and `COUNT`, `BY_IDS`, and its own.
/// `columns` names a macro that takes an engine; the filters begin at `$5`, the limit is the argument behind them. With an
/// offset behind the limit the table is shown in windows too: those of `WINDOWS`.
macro_rules! listed {
    ($table:literal, $columns:ident, $filters:expr, $limit:literal, $offset:literal; $($own:tt)+) => {
        $crate::lists::listed! {
            $table, $columns, $filters, $limit;
            WINDOW = pg $crate::lists::paged!(pg window, $columns!(pg), $table, $filters, $limit, $offset),
                lite $crate::lists::paged!(lite window, $columns!(lite), $table, $filters, $limit, $offset);
            PLAIN_WINDOW = pg $crate::lists::paged!(pg plain_window, $columns!(pg), $table),
                lite $crate::lists::paged!(lite plain_window, $columns!(lite), $table);
            $($own)+
        }

        const WINDOWS: $crate::lists::Windowed =
            $crate::lists::Windowed { filtered: WINDOW, plain: PLAIN_WINDOW, count: COUNT };
    };
    ($table:literal, $columns:ident, $filters:expr, $limit:literal; $($own:tt)+) => {
        $crate::sql::statements! {
            OF_ONE = pg $crate::lists::paged!(pg one, $columns!(pg), $table, $filters, $limit),
                lite $crate::lists::paged!(lite one, $columns!(lite), $table, $filters, $limit);
            OF_MANY = pg $crate::lists::paged!(pg many, $columns!(pg), $table, $filters, $limit),
                lite $crate::lists::paged!(lite many, $columns!(lite), $table, $filters, $limit);
            OF_NAMED = pg $crate::lists::paged!(pg ids, $columns!(pg), $table, $filters, $limit),
                lite $crate::lists::paged!(lite ids, $columns!(lite), $table, $filters, $limit);
            PLAIN_ONE = pg $crate::lists::paged!(pg plain_one, $columns!(pg), $table),
                lite $crate::lists::paged!(lite plain_one, $columns!(lite), $table);
            PLAIN_MANY = pg $crate::lists::paged!(pg plain_many, $columns!(pg), $table),
                lite $crate::lists::paged!(lite plain_many, $columns!(lite), $table);
            COUNT_PLAIN_ONE = pg $crate::lists::paged!(pg plain_count_one, $table),
                lite $crate::lists::paged!(lite plain_count_one, $table);
            COUNT_PLAIN_MANY = pg $crate::lists::paged!(pg plain_count_many, $table),
                lite $crate::lists::paged!(lite plain_count_many, $table);
            COUNT_ONE = pg $crate::lists::paged!(pg one, count, $table, $filters),
                lite $crate::lists::paged!(lite one, count, $table, $filters);
            COUNT_MANY = pg $crate::lists::paged!(pg many, count, $table, $filters),
                lite $crate::lists::paged!(lite many, count, $table, $filters);
            COUNT_NAMED = pg $crate::lists::paged!(pg ids, count, $table, $filters),
                lite $crate::lists::paged!(lite ids, count, $table, $filters);
            BY_IDS = pg $crate::lists::of_ids!(pg, $columns!(pg), $table),
                lite $crate::lists::of_ids!(lite, $columns!(lite), $table);
            $($own)+
        }

        const PAGE: $crate::lists::Paged =
            $crate::lists::Paged { one: OF_ONE, many: OF_MANY, ids: OF_NAMED, plain: Some((PLAIN_ONE, PLAIN_MANY)) };
        const COUNT: $crate::lists::Paged =
            $crate::lists::Paged { one: COUNT_ONE, many: COUNT_MANY, ids: COUNT_NAMED, plain: Some((COUNT_PLAIN_ONE, COUNT_PLAIN_MANY)) };
    };
}
pub(crate) use listed;

/// Rows of some ids (`$1`) in the workspaces that are visible (`$2`, none: all), for one engine.
macro_rules! of_ids {
    ($engine:tt, $columns:expr, $table:literal) => {
        concat!("SELECT ", $columns, " FROM ", $table, " WHERE ", $crate::sql::among!($engine "id", "$1"),
            " AND (", $crate::sql::among!($engine "workspace_id", "$2"), " OR $2 IS NULL)")
    };
}
pub(crate) use of_ids;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_is_both_visible_and_wanted() {
        let (one, two) = (WorkspaceId(1), WorkspaceId(2));
        let both = Workspaces::Only(vec![one, two]);
        assert_eq!(Scope::of(&Workspaces::All, None), Scope::Many(None));
        assert_eq!(Scope::of(&Workspaces::All, Some(two)), Scope::One(two));
        assert_eq!(Scope::of(&both, None), Scope::Many(Some(vec![1, 2])));
        assert_eq!(Scope::of(&both, Some(two)), Scope::One(two));
        assert_eq!(Scope::of(&Workspaces::Only(vec![one]), None), Scope::One(one));
        assert_eq!(Scope::of(&Workspaces::Only(vec![one]), Some(two)), Scope::Nowhere);
        assert_eq!(Scope::of(&Workspaces::Only(Vec::new()), None), Scope::Nowhere);
    }
}
