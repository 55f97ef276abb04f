//! Lists and counts, composed: a statement holds exactly the conditions that a request has, so that the planner finds
//! an index for them. Which one that is, says `catalogue/lists.rs`.
//!
//! A list of several workspaces is a page of each, merged: an index that begins with the workspace answers each of them
//! in the order of the list, which no index does for several at once.

mod conditions;

pub use conditions::{Condition, Conditions};

use crate::sql::{Engine, Param, Sql};
use conditions::Role;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;

/// The shortest list that PostgreSQL plans for.
const PLANNED_ROWS_MIN: i64 = 32;
/// How much longer the next one is, so that there are few texts of each statement.
const PLANNED_ROWS_FACTOR: i64 = 4;

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
        let text = condition.text_for(self.engine);
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
