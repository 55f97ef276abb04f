//! Lists and counts, composed: a statement holds exactly the conditions that a request has, so that the planner finds
//! an index for them. Which one that is, says `indexes.rs`.
//!
//! A list of several workspaces is a page of each, merged: an index that begins with the workspace answers each of them
//! in the order of the list, which no index does for several at once.

use crate::sql::{Engine, Param, Sql};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;

/// The shortest list that PostgreSQL plans for.
const PLANNED_ROWS_MIN: i64 = 32;
/// How much longer the next one is, so that there are few texts of each statement.
const PLANNED_ROWS_FACTOR: i64 = 4;

/// A table that is listed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    /// As the database calls it.
    pub(crate) name: &'static str,
    /// The column of its primary key.
    pub(crate) key: &'static str,
    /// What is read of each row.
    pub(crate) columns: Sql,
    /// Its columns in the order of the list. No two rows are equal in it.
    pub(crate) order: &'static str,
}

/// Which workspaces a request is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Scope {
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
    pub(crate) fn of(visible: &Workspaces, wanted: Option<WorkspaceId>) -> Self {
        match (wanted, visible) {
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

    /// Whether it is one.
    pub(crate) const fn is_one(&self) -> bool {
        matches!(self, Self::One(_))
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
}

/// A condition with its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Condition {
    /// With `?` for each argument, in their order.
    text: &'static str,
    arguments: Vec<Param>,
    /// For a list, what stands behind it: the text ends with the column that has one of its values.
    behind_list: Option<&'static str>,
}

impl Condition {
    /// A condition on columns: `status = ?`.
    pub(crate) fn new(text: &'static str, arguments: Vec<Param>) -> Self {
        Self { text, arguments, behind_list: None }
    }

    /// That a column has one of the values of a list.
    pub(crate) fn among(column: &'static str, list: Param) -> Self {
        Self::among_of(column, list, "")
    }

    /// The same inside a larger condition: what stands before, and with, the column, and what stands behind.
    pub(crate) fn among_of(before: &'static str, list: Param, behind: &'static str) -> Self {
        Self { text: before, arguments: vec![list], behind_list: Some(behind) }
    }
}

/// Conditions that a request may have: only what is there narrows the list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Conditions(Vec<Condition>);

impl Conditions {
    /// A condition with one argument, if the request has it.
    pub(crate) fn and<T: Into<Param>>(mut self, text: &'static str, argument: Option<T>) -> Self {
        self.0.extend(argument.map(|argument| Condition::new(text, vec![argument.into()])));
        self
    }

    /// A condition as it is, if the request has it.
    pub(crate) fn also(mut self, condition: Option<Condition>) -> Self {
        self.0.extend(condition);
        self
    }
}

/// A list that is asked for.
#[derive(Debug, Clone)]
pub(crate) struct Select {
    pub(crate) table: Table,
    pub(crate) scope: Scope,
    pub(crate) conditions: Conditions,
    /// Whether the conditions leave a few rows whoever asks: then they find the index, and the workspaces only filter.
    pub(crate) pinned: bool,
}

/// What is read of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Its first rows, so many.
    First(i64),
    /// Rows that are found by counting from its beginning; of one workspace.
    Window { offset: i64, size: i64 },
    /// All of it, in the order of the keys.
    All,
    /// The same, and the rows are held until the transaction ends.
    Held,
    /// How many rows it has.
    Count,
}

/// A statement for one engine, with its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Statement {
    pub(crate) text: String,
    pub(crate) arguments: Vec<Param>,
}

impl Select {
    /// The statement that reads a part of the list.
    pub(crate) fn statement(&self, engine: Engine, part: Part) -> Statement {
        let mut statement = Statement { text: String::new(), arguments: Vec::new() };
        let Table { name, key, columns, order } = self.table;
        let columns = columns.text(engine);
        let writer = &mut Writer { engine, statement: &mut statement };
        match (part, &self.scope) {
            (Part::Count, _) => {
                writer.put(&["SELECT COUNT(*) FROM ", name]);
                self.filtered(writer);
            }
            (Part::All | Part::Held, _) => {
                writer.put(&["SELECT ", columns, " FROM ", name]);
                self.filtered(writer);
                writer.put(&[" ORDER BY ", key]);
                if part == Part::Held && engine == Engine::Postgres {
                    writer.put(&[" FOR UPDATE"]);
                }
            }
            (Part::First(limit), Scope::Several(list)) if !self.pinned => {
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
        // The sign keeps either engine from the indexes of the column.
        let scope = if self.pinned {
            self.scope.condition("+workspace_id = ?", "+workspace_id")
        } else {
            self.scope.condition("workspace_id = ?", "workspace_id")
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
        self.put(&[before]);
        if let Some(behind) = condition.behind_list {
            let lists: Vec<String> =
                condition.arguments.iter().map(|argument| self.bind(argument.clone())).collect();
            let list = lists.concat();
            match self.engine {
                Engine::Postgres => self.put(&[condition.text, " = ANY (", &list, ")", behind]),
                Engine::Sqlite => {
                    self.put(&[condition.text, " IN (SELECT value FROM json_each(", &list, "))", behind])
                }
            }
            return;
        }
        let mut arguments = condition.arguments.iter();
        for (place, part) in condition.text.split('?').enumerate() {
            if place > 0
                && let Some(argument) = arguments.next()
            {
                let placeholder = self.bind(argument.clone());
                self.put(&[&placeholder]);
            }
            self.put(&[part]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: Table =
        Table { name: "task", key: "id", columns: Sql::both("id, title"), order: "created_at, id" };

    fn text(scope: Scope, conditions: Conditions, part: Part) -> String {
        let select = Select { table: TABLE, scope, conditions, pinned: false };
        select.statement(Engine::Sqlite, part).text
    }

    #[test]
    fn what_is_asked_for_is_both_visible_and_wanted() {
        let (one, two) = (WorkspaceId(1), WorkspaceId(2));
        let both = Workspaces::Only(vec![two, one, two]);
        assert_eq!(Scope::of(&Workspaces::All, None), Scope::All);
        assert_eq!(Scope::of(&Workspaces::All, Some(two)), Scope::One(two));
        assert_eq!(Scope::of(&both, None), Scope::Several(vec![1, 2]));
        assert_eq!(Scope::of(&both, Some(two)), Scope::One(two));
        assert_eq!(Scope::of(&Workspaces::Only(vec![one]), None), Scope::One(one));
        assert_eq!(Scope::of(&Workspaces::Only(vec![one]), Some(two)), Scope::Nowhere);
        assert_eq!(Scope::of(&Workspaces::Only(Vec::new()), None), Scope::Nowhere);
    }

    #[test]
    fn a_statement_has_the_conditions_of_its_request_and_no_others() {
        let none = || Conditions::default().and("kind = ?", None::<i64>);
        assert_eq!(
            text(Scope::All, none(), Part::First(10)),
            "SELECT id, title FROM task ORDER BY created_at, id LIMIT $1"
        );
        let place = Condition::new("(created_at, id) > (?, ?)", vec![Param::from(1_i64), Param::from(2_i64)]);
        let some = none().and("kind = ?", Some("x")).also(Some(place));
        assert_eq!(
            text(Scope::One(WorkspaceId(7)), some, Part::Count),
            "SELECT COUNT(*) FROM task WHERE workspace_id = $1 AND kind = $2 AND (created_at, id) > ($3, $4)"
        );
    }

    #[test]
    fn the_lengths_that_are_planned_for_are_few() {
        assert_eq!([0, 26, 32, 33, 101, 1_001].map(planned_rows), [32, 32, 32, 128, 128, 2_048]);
        assert!(planned_rows(i64::MAX) == i64::MAX);
    }
}
