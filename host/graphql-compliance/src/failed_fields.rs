//! A field that failed is null in its object (specification of GraphQL, October 2021, 6.4.4 "Handling Field Errors").
//! async-graphql leaves it out of the object.

use async_graphql::{Name, PathSegment, ServerError, Value};

/// Adds what errors point at, as null.
pub fn add_failed_fields(data: &mut Value, errors: &[ServerError]) {
    for error in errors {
        add_null(data, &error.path);
    }
}

fn add_null(data: &mut Value, path: &[PathSegment]) {
    let Some((first, rest)) = path.split_first() else { return };
    match (data, first) {
        (Value::Object(members), PathSegment::Field(name)) => {
            add_null(members.entry(Name::new(name)).or_insert(Value::Null), rest);
        }
        (Value::List(items), PathSegment::Index(index)) => {
            if let Some(item) = items.get_mut(*index) {
                add_null(item, rest);
            }
        }
        _ => {}
    }
}
