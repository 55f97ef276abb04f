//! Lists and counts, composed: a statement holds exactly the conditions that a request has, so that the planner finds
//! an index for them. Which one that is, says `catalogue/lists.rs`.
//!
//! A list of several workspaces is a page of each, merged: an index that begins with the workspace answers each of them
//! in the order of the list, which no index does for several at once.

use crate::sql::{Engine, Param, Sql, params};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;
use gateway_domain_lists::PageKey;
use std::borrow::Cow;

/// The shortest list that PostgreSQL plans for.
const PLANNED_ROWS_MIN: i64 = 32;
/// How much longer the next one is, so that there are few texts of each statement.
const PLANNED_ROWS_FACTOR: i64 = 4;

/// Stands behind a column whose greatest values come first.
const DESCENDING: &str = " DESC";

/// Compares a column by its bytes, whatever the collation of the database; SQLite does so by itself. An index has to have it too.
const BY_BYTES: &str = " COLLATE \"C\"";

/// A table that is listed.
#[derive(Debug, Clone, Copy)]
pub struct Table {
    /// As the database calls it.
    pub name: &'static str,
    /// The column of its primary key.
    pub key: &'static str,
    /// What is read of each row.
    pub columns: Sql,
    /// Its columns in the order of the list. No two rows are equal in it.
    pub order: &'static str,
    /// Whether each row belongs to a workspace.
    pub has_workspace: bool,
}

/// Which workspaces a request is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scope {
    /// One.
    One(WorkspaceId),
    /// These, each once.
    Several(Vec<i64>),
    /// All.
    All,
    /// None: there is nothing to ask for.
    Nowhere,
}

impl Scope {
    /// What is both visible and wanted.
    pub fn of(visible: &Workspaces, workspace: Option<WorkspaceId>) -> Self {
        match (workspace, visible) {
            (Some(workspace), _) if visible.contain(workspace) => Self::One(workspace),
            (Some(_), _) => Self::Nowhere,
            (None, Workspaces::All) => Self::All,
            (None, Workspaces::Only(list)) => {
                let mut ids: Vec<i64> = list.iter().map(|workspace| workspace.0).collect();
                ids.sort_unstable();
                ids.dedup();
                match ids.as_slice() {
                    [] => Self::Nowhere,
                    [one] => Self::One(WorkspaceId(*one)),
                    _ => Self::Several(ids),
                }
            }
        }
    }

    /// That a column names one of them; none for all.
    pub(crate) fn condition(&self, equal: &'static str, column: &'static str) -> Option<Condition> {
        match self {
            Self::One(workspace) => Some(Condition::new(equal, vec![Param::from(*workspace)])),
            Self::Several(list) => Some(Condition::among(column, Param::Ints(Some(list.clone())))),
            Self::Nowhere => Some(Condition::among(column, Param::Ints(Some(Vec::new())))),
            Self::All => None,
        }
    }

    /// That another row, which a row belongs to, is of one of them; none for all. `owner` leads there and ends with the
    /// column of its workspace, one parenthesis open.
    pub fn through(&self, owner: &'static str) -> Option<Condition> {
        match self {
            Self::One(workspace) => {
                let equal = Condition::new("", vec![Param::from(*workspace)]);
                Some(Condition { text: format!("{owner} = ?)").into(), ..equal })
            }
            Self::Several(list) => Some(Condition::among_of(owner, Param::Ints(Some(list.clone())), ")")),
            Self::Nowhere => Some(Condition::among_of(owner, Param::Ints(Some(Vec::new())), ")")),
            Self::All => None,
        }
    }
}

/// What a condition is to the planner. PostgreSQL knows how many rows match; SQLite takes any index for as good as another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Few rows match, whoever asks: it finds the index, and everything else only filters.
    Finds,
    /// An index that it is part of may be taken.
    Narrows,
    /// It filters what the others find.
    Filters,
}

/// A condition with its arguments.
#[derive(Debug, Clone)]
pub struct Condition {
    role: Role,
    /// With `?` for each argument, in their order.
    text: Cow<'static, str>,
    arguments: Vec<Param>,
    /// For a list, what stands behind it: the text ends with the column that has one of its values.
    behind_list: Option<&'static str>,
    /// The column that has one of the values that the text selects.
    selected: Option<&'static str>,
    /// The column whose value is at least the first argument and below the second; the text stands before it.
    range: Option<&'static str>,
}

impl Condition {
    /// A condition on columns: `status = ?`.
    pub fn new(text: &'static str, arguments: Vec<Param>) -> Self {
        let (behind_list, selected, range) = (None, None, None);
        Self { role: Role::Narrows, text: text.into(), arguments, behind_list, selected, range }
    }

    /// That a row stands behind a place of a list whose order is a time and an id, both rising or both falling.
    pub fn behind(order: &'static str, (at, id): PageKey) -> Self {
        let rising = order.replace(DESCENDING, "");
        let sign = if rising == order { '>' } else { '<' };
        Self { text: format!("({rising}) {sign} (?, ?)").into(), ..Self::new("", params![at, id]) }
    }

    /// That a condition on columns, in parentheses, does not hold.
    #[must_use]
    pub fn negated(self) -> Self {
        Self { text: format!("NOT {}", self.text).into(), ..self }
    }

    /// A condition that finds a few rows, whoever asks.
    #[must_use]
    pub fn finding(self) -> Self {
        Self { role: Role::Finds, ..self }
    }

    /// A condition that only filters.
    #[must_use]
    pub fn filtering(self) -> Self {
        Self { role: Role::Filters, ..self }
    }

    /// That a column has one of the values of a list.
    pub fn among(column: &'static str, list: Param) -> Self {
        Self::among_of(column, list, "")
    }

    /// That a column has one of the values of another statement, which are few. PostgreSQL reads those first: it cannot tell how
    /// many a plan for all arguments finds, and would read the whole list beside them.
    pub fn among_selected(column: &'static str, select: &'static str, arguments: Vec<Param>) -> Self {
        Self { selected: Some(column), ..Self::new(select, arguments) }.finding()
    }

    /// The same, where that statement ends with a column whose text has to begin so. Capitals are other letters.
    pub fn among_beginning(
        (column, select): (&'static str, &'static str),
        range: &'static str,
        prefix: &str,
    ) -> Self {
        let arguments = params![prefix.to_owned(), format!("{prefix}{}", char::MAX)];
        Self { range: Some(range), ..Self::among_selected(column, select, arguments) }
    }

    /// The same inside a larger condition: what stands before, and with, the column, and what stands behind.
    pub(crate) fn among_of(before: &'static str, list: Param, behind: &'static str) -> Self {
        Self { text: before.into(), behind_list: Some(behind), ..Self::new("", vec![list]) }
    }
}

/// Conditions that a request may have: only what is there narrows the list.
#[derive(Debug, Clone, Default)]
pub struct Conditions(Vec<Condition>);

impl Conditions {
    /// A condition with one argument, if the request has it.
    #[must_use]
    pub fn and<T: Into<Param>>(mut self, text: &'static str, argument: Option<T>) -> Self {
        self.0.extend(argument.map(|argument| Condition::new(text, vec![argument.into()])));
        self
    }

    /// The same, where few rows match, whoever asks.
    #[must_use]
    pub fn finding<T: Into<Param>>(mut self, text: &'static str, argument: Option<T>) -> Self {
        self.0.extend(argument.map(|argument| Condition::new(text, vec![argument.into()]).finding()));
        self
    }

    /// That a column holds one of the few words that it may hold, if the request has one. The word is of the code and
    /// stands in the text, so that a plan for all arguments knows too how many rows have it.
    #[must_use]
    pub fn word(mut self, column: &'static str, word: Option<&'static str>) -> Self {
        self.0.extend(word.map(|word| Condition {
            text: format!("{column} = '{word}'").into(),
            ..Condition::new("", Vec::new())
        }));
        self
    }

    /// Conditions as they are.
    #[must_use]
    pub fn all(mut self, conditions: Vec<Condition>) -> Self {
        self.0.extend(conditions);
        self
    }

    /// A condition as it is, if the request has it.
    #[must_use]
    pub fn also(mut self, condition: Option<Condition>) -> Self {
        self.0.extend(condition);
        self
    }
}

/// A list that is asked for.
#[derive(Debug, Clone)]
pub struct Select {
    pub table: Table,
    pub scope: Scope,
    pub conditions: Conditions,
}

/// What is read of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Its first rows, so many.
    First(i64),
    /// Rows that are found by counting from its beginning; of one workspace.
    Window { offset: i64, size: i64 },
    /// All of it, in the order of the keys.
    All,
    /// All of it, in its own order.
    Ordered,
    /// The same, and the rows are held until the transaction ends.
    Held,
    /// How many rows it has.
    Count,
    /// The first rows, so many, that have each value of a column, in its own order.
    FirstOfEach { column: &'static str, limit: i64 },
    /// How many rows have each value of a column.
    CountOfEach { column: &'static str },
}

/// A statement for one engine, with its arguments.
#[derive(Debug, Clone)]
pub struct Statement {
    pub text: String,
    pub arguments: Vec<Param>,
}

impl Select {
    /// Whether one of the conditions finds a few rows, whoever asks.
    pub fn is_found(&self) -> bool {
        self.conditions.0.iter().any(|condition| condition.role == Role::Finds)
    }

    /// The statement that reads a part of the list.
    pub fn statement(&self, engine: Engine, part: Part) -> Statement {
        let mut statement = Statement { text: String::new(), arguments: Vec::new() };
        let Table { name, key, columns, order, .. } = self.table;
        let columns = columns.text(engine);
        let found = self.is_found();
        let writer = &mut Writer { engine, found, statement: &mut statement };
        match (part, &self.scope) {
            (Part::Count, _) => {
                writer.put(&["SELECT COUNT(*) FROM ", name]);
                self.filtered(writer);
            }
            (Part::CountOfEach { column }, _) => {
                writer.put(&["SELECT ", column, ", COUNT(*) FROM ", name]);
                self.filtered(writer);
                writer.put(&[" GROUP BY ", column]);
            }
            (Part::FirstOfEach { column, limit }, _) => {
                writer.put(&[
                    "SELECT ",
                    columns,
                    " FROM ",
                    name,
                    " WHERE ",
                    key,
                    " IN (SELECT ",
                    key,
                    " FROM (SELECT ",
                ]);
                writer.put(&[key, ", ROW_NUMBER() OVER (PARTITION BY ", column, " ORDER BY ", order]);
                writer.put(&[") AS nth FROM ", name]);
                self.filtered(writer);
                let limit = writer.bind(limit.into());
                writer.put(&[") AS numbered WHERE nth <= ", &limit, ") ORDER BY ", order]);
            }
            (Part::All | Part::Ordered | Part::Held, _) => {
                writer.put(&["SELECT ", columns, " FROM ", name]);
                self.filtered(writer);
                writer.put(&[" ORDER BY ", if part == Part::Ordered { order } else { key }]);
                if part == Part::Held && engine == Engine::Postgres {
                    writer.put(&[" FOR UPDATE"]);
                }
            }
            (Part::First(limit), Scope::Several(list)) if !self.is_found() => {
                writer.put(&["SELECT ", columns, " FROM ", name, " WHERE ", key, " IN ("]);
                self.merged(writer, list, limit);
                writer.put(&[") ORDER BY ", order]);
            }
            (Part::First(limit), _) => self.limited(writer, columns, limit, None),
            (Part::Window { offset, size }, _) => {
                // What a row shows is not computed for those that are passed over.
                writer.put(&["SELECT ", columns, " FROM ", name, " WHERE ", key, " IN ("]);
                self.limited(writer, key, size, Some(offset));
                writer.put(&[") ORDER BY ", order]);
            }
        }
        statement
    }

    /// The keys of the first rows of several workspaces.
    fn merged(&self, writer: &mut Writer<'_>, workspaces: &[i64], limit: i64) {
        let Table { name, key, order, .. } = self.table;
        let list = writer.bind(Param::Ints(Some(workspaces.to_vec())));
        match writer.engine {
            Engine::Postgres => {
                writer.put(&[
                    "SELECT page.",
                    key,
                    " FROM unnest(",
                    &list,
                    "::bigint[]) AS asked(workspace) ",
                ]);
                writer.put(&[
                    "CROSS JOIN LATERAL (SELECT * FROM ",
                    name,
                    " WHERE workspace_id = asked.workspace",
                ]);
                self.conditions.0.iter().for_each(|condition| writer.condition(" AND ", condition));
                writer.put(&[" ORDER BY ", order, " LIMIT ", &planned_rows(limit).to_string(), ") AS page"]);
                let limit = writer.bind(limit.into());
                writer.put(&[" ORDER BY ", order, " LIMIT ", &limit]);
            }
            Engine::Sqlite => {
                writer.put(&[
                    "SELECT ",
                    key,
                    " FROM (SELECT value AS workspace FROM json_each(",
                    &list,
                    ")) AS asked ",
                ]);
                writer.put(&["CROSS JOIN ", name, " WHERE ", key, " IN (SELECT ", key, " FROM ", name]);
                writer.put(&[" WHERE workspace_id = asked.workspace"]);
                self.conditions.0.iter().for_each(|condition| writer.condition(" AND ", condition));
                let limit = writer.bind(limit.into());
                writer.put(&[
                    " ORDER BY ",
                    order,
                    " LIMIT ",
                    &limit,
                    ") ORDER BY ",
                    order,
                    " LIMIT ",
                    &limit,
                ]);
            }
        }
    }

    /// The first rows in their order, or those behind an offset.
    fn limited(&self, writer: &mut Writer<'_>, columns: &str, limit: i64, offset: Option<i64>) {
        let Table { name, order, .. } = self.table;
        // PostgreSQL takes a limit that it does not know for a tenth of the table, and sorts; the inner one it knows,
        // and no more rows are read than the outer one lets through.
        let planned = (writer.engine == Engine::Postgres)
            .then(|| planned_rows(limit.saturating_add(offset.unwrap_or(0))).to_string());
        if planned.is_some() {
            writer.put(&["SELECT * FROM ("]);
        }
        writer.put(&["SELECT ", columns, " FROM ", name]);
        self.filtered(writer);
        writer.put(&[" ORDER BY ", order]);
        if let Some(planned) = planned {
            writer.put(&[" LIMIT ", &planned, ") AS page"]);
        }
        let limit = writer.bind(limit.into());
        writer.put(&[" LIMIT ", &limit]);
        if let Some(offset) = offset {
            let offset = writer.bind(offset.into());
            writer.put(&[" OFFSET ", &offset]);
        }
    }

    /// The workspaces and the conditions, as they stand.
    fn filtered(&self, writer: &mut Writer<'_>) {
        let scope = match self.scope.condition("workspace_id = ?", "workspace_id") {
            // Every row: it lets PostgreSQL take the indexes of all workspaces.
            None if writer.engine == Engine::Postgres && self.table.has_workspace && !writer.found => {
                Some(Condition::new("+workspace_id IS NOT NULL", Vec::new()))
            }
            scope => scope,
        };
        let mut before = " WHERE ";
        for condition in scope.iter().chain(&self.conditions.0) {
            writer.condition(before, condition);
            before = " AND ";
        }
    }
}

/// For how many rows PostgreSQL plans a list that shows so many.
fn planned_rows(limit: i64) -> i64 {
    let mut planned = PLANNED_ROWS_MIN;
    while planned < limit {
        planned = planned.saturating_mul(PLANNED_ROWS_FACTOR);
    }
    planned
}

struct Writer<'a> {
    engine: Engine,
    /// Whether a condition finds a few rows, so that the others only filter.
    found: bool,
    statement: &'a mut Statement,
}

impl Writer<'_> {
    fn put(&mut self, parts: &[&str]) {
        self.statement.text.extend(parts.iter().copied());
    }

    /// The placeholder of one more argument.
    fn bind(&mut self, argument: Param) -> String {
        self.statement.arguments.push(argument);
        format!("${}", self.statement.arguments.len())
    }

    fn condition(&mut self, before: &str, condition: &Condition) {
        // The sign keeps SQLite from the indexes of the column.
        let filters = match condition.role {
            Role::Finds => false,
            Role::Narrows => {
                self.found && condition.text.starts_with(|first: char| first.is_ascii_lowercase())
            }
            Role::Filters => true,
        };
        let sign = if filters && self.engine == Engine::Sqlite { "+" } else { "" };
        self.put(&[before, sign]);
        if let Some(behind) = condition.behind_list {
            let lists: Vec<String> =
                condition.arguments.iter().map(|argument| self.bind(argument.clone())).collect();
            let list = lists.concat();
            match self.engine {
                Engine::Postgres => self.put(&[&condition.text, " = ANY (", &list, ")", behind]),
                Engine::Sqlite => {
                    self.put(&[&condition.text, " IN (SELECT value FROM json_each(", &list, "))", behind]);
                }
            }
            return;
        }
        match (condition.selected, self.engine) {
            (None, _) => {}
            (Some(column), Engine::Postgres) => self.put(&[column, " = ANY (ARRAY("]),
            (Some(column), Engine::Sqlite) => self.put(&[column, " IN ("]),
        }
        self.text(condition);
        match (condition.selected, self.engine) {
            (None, _) => {}
            (Some(_), Engine::Postgres) => self.put(&["))"]),
            (Some(_), Engine::Sqlite) => self.put(&[")"]),
        }
    }

    fn text(&mut self, condition: &Condition) {
        let collation = if self.engine == Engine::Postgres { BY_BYTES } else { "" };
        let before = &condition.text;
        let range = |column| format!("{before}{column}{collation} >= ? AND {column}{collation} < ?");
        let text = condition.range.map_or_else(|| before.clone(), |column| range(column).into());
        let mut arguments = condition.arguments.iter().peekable();
        for (place, part) in text.split('?').enumerate() {
            if let Some(argument) = arguments.next_if(|_| place > 0) {
                let placeholder = self.bind(argument.clone());
                self.put(&[&placeholder]);
            }
            self.put(&[part]);
        }
    }
}

#[cfg(test)]
mod tests;
