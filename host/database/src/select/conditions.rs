//! What narrows a list.

use crate::sql::{Engine, Param, params};
use gateway_domain_lists::PageKey;
use std::borrow::Cow;

/// Stands behind a column whose greatest values come first.
const DESCENDING: &str = " DESC";

/// Compares a column by its bytes, whatever the collation of the database; SQLite does so by itself. An index has to have it too.
const BY_BYTES: &str = " COLLATE \"C\"";

/// What a condition is to the planner. PostgreSQL knows how many rows match; SQLite takes any index for as good as another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
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
    pub(super) role: Role,
    /// With `?` for each argument, in their order.
    pub(super) text: Cow<'static, str>,
    pub(super) arguments: Vec<Param>,
    /// For a list, what stands behind it: the text ends with the column that has one of its values.
    pub(super) behind_list: Option<&'static str>,
    /// The column that has one of the values that the text selects.
    pub(super) selected: Option<&'static str>,
    /// The column whose value is at least the first argument and below the second, and begins with the third where that is
    /// said; the text stands before it.
    pub(super) range: Option<&'static str>,
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

    /// The same, where that statement ends with a column whose text has to begin so.
    pub fn among_beginning(
        (column, select): (&'static str, &'static str),
        range: &'static str,
        prefix: &str,
    ) -> Self {
        Self { selected: Some(column), text: select.into(), ..Self::beginning(range, prefix) }.finding()
    }

    /// That the text of a column begins so, whether few texts do or most. Capitals are other letters.
    pub fn beginning(column: &'static str, prefix: &str) -> Self {
        let arguments = params![prefix, format!("{prefix}{}", char::MAX), prefix];
        Self { range: Some(column), ..Self::new("", arguments) }
    }

    /// That a text begins so, where many do. It filters the rows that the order of the list gives. PostgreSQL believes that one of two
    /// hundred texts equals another one, and half of what a CASE decides; so it does not sort what it takes for few.
    pub fn with_common_prefix(column: &'static str, prefix: &str) -> Self {
        let chars = prefix.chars().count();
        let text = format!("CASE WHEN substr({column}, 1, {chars}) = ? THEN TRUE ELSE FALSE END");
        Self { text: text.into(), ..Self::new("", params![prefix.to_owned()]) }.filtering()
    }

    /// The same inside a larger condition: what stands before, and with, the column, and what stands behind.
    pub(super) fn among_of(before: &'static str, list: Param, behind: &'static str) -> Self {
        Self { text: before.into(), behind_list: Some(behind), ..Self::new("", vec![list]) }
    }

    /// What stands there, with `?` for each argument.
    pub(super) fn text_for(&self, engine: Engine) -> Cow<'static, str> {
        let Some(column) = self.range else { return self.text.clone() };
        let (before, collation) = (&self.text, if engine == Engine::Postgres { BY_BYTES } else { "" });
        let range = format!("{before}{column}{collation} >= ? AND {column}{collation} < ?");
        if engine == Engine::Postgres && self.selected.is_none() {
            // The same once more, so that a plan for all arguments expects few rows, and is taken only if there are: for a
            // beginning that most rows have, PostgreSQL goes on planning by it, and reads the list in its order.
            return format!("{range} AND {column}{collation} ^@ ?").into();
        }
        range.into()
    }
}

/// Conditions that a request may have: only what is there narrows the list.
#[derive(Debug, Clone, Default)]
pub struct Conditions(pub(super) Vec<Condition>);

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
    pub fn and_where(mut self, condition: Option<Condition>) -> Self {
        self.0.extend(condition);
        self
    }
}
