//! The columns of a table are listed once, by a macro that is given the form in which a statement names them.

/// As they are selected and inserted: `a, b`.
macro_rules! names {
    ($($column:ident),+) => {
        gateway_database::sql::listed!($(stringify!($column)),+)
    };
}

/// As a row that is there already takes them over from the new one: `a = excluded.a, b = excluded.b`.
macro_rules! excluded {
    ($($column:ident),+) => {
        gateway_database::sql::listed!($(concat!(stringify!($column), " = excluded.", stringify!($column))),+)
    };
}

pub(crate) use {excluded, names};
