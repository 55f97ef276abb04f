//! The answer of a request, put in order: every error has a code and the id of the request, members stand in the order
//! in which they were selected, and a field that failed is there, as null.

use crate::errors;
use crate::response::{GraphQLAnswer, GraphQLErrorCode};
use crate::{federation, inputs};
use async_graphql::parser;
use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};
use async_graphql::{ErrorExtensionValues, Name, PathSegment, Response, ServerError, Value};
use gateway_domain::ErrorCode;

/// What a request is answered with.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The body: `data`, `errors`.
    pub body: serde_json::Value,
    /// Whether the document was run. If not, there is no `data` member.
    pub executed: bool,
}

/// An answer to a request that is not run: the query is too much, or the client sends too many.
pub(crate) fn refused(code: GraphQLErrorCode, reason: ErrorCode, message: &str, request_id: &str) -> Answer {
    let body = GraphQLAnswer::refused(code, reason, message, request_id);
    Answer { body: serde_json::to_value(body).unwrap_or_default(), executed: false }
}

/// What the framework answered, as it goes out.
pub(crate) fn sealed(
    response: Response,
    document: Option<&ExecutableDocument>,
    operation: Option<&str>,
    request_id: &str,
) -> Answer {
    let mut data = response.data;
    // Nothing ran when there is no data and no error points into it.
    let executed = response.errors.is_empty()
        || data != Value::Null
        || response.errors.iter().any(|error| !error.path.is_empty());
    for error in &response.errors {
        fill(&mut data, &error.path);
    }
    if let Some(document) = document
        && let Some(selected) = selected(document, operation)
    {
        data = ordered(data, &[selected], document);
        if federation::introspects(document) {
            federation::describe(&mut data);
        }
    }
    let errors: Vec<_> = response.errors.into_iter().map(|error| coded(error, request_id)).collect();
    let mut body = serde_json::Map::new();
    if executed {
        body.insert("data".to_owned(), serde_json::to_value(data).unwrap_or_default());
    }
    if !errors.is_empty() {
        body.insert("errors".to_owned(), serde_json::to_value(errors).unwrap_or_default());
    }
    Answer { body: body.into(), executed }
}

/// The answer to a text that is no document.
pub(crate) fn unparsed(error: parser::Error, request_id: &str) -> Answer {
    let mut error = ServerError::from(error);
    // The parser draws a picture of several lines, for people; they get its last one.
    if let Some((_, what)) = error.message.split_once("\n  = ") {
        let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
        error.message = match error.locations.first() {
            Some(at) => format!("syntax error at line {}, column {}: {what}", at.line, at.column),
            None => format!("syntax error: {what}"),
        };
    }
    sealed(Response::from_errors(vec![error]), None, None, request_id)
}

/// Errors of our own have a code already. What is left was found by the framework before anything ran: the document is not as
/// the schema says. What is too much, and what is wrong with inputs, was told before.
fn coded(mut error: ServerError, request_id: &str) -> ServerError {
    let extensions = error.extensions.get_or_insert_with(ErrorExtensionValues::default);
    if extensions.get("code").is_none() {
        extensions.set("code", Value::from(GraphQLErrorCode::BadUserInput.as_str()));
        extensions.set("reason", Value::from(ErrorCode::QueryInvalid.as_str()));
        extensions.set("fields", errors::fields(&[]));
    }
    extensions.set("requestId", Value::from(request_id));
    error
}

/// What an error points at is null, and is there.
fn fill(data: &mut Value, path: &[PathSegment]) {
    let Some((first, rest)) = path.split_first() else { return };
    match (data, first) {
        (Value::Object(members), PathSegment::Field(name)) => {
            fill(members.entry(Name::new(name)).or_insert(Value::Null), rest);
        }
        (Value::List(items), PathSegment::Index(index)) => {
            if let Some(item) = items.get_mut(*index) {
                fill(item, rest);
            }
        }
        _ => {}
    }
}

fn selected<'a>(document: &'a ExecutableDocument, name: Option<&str>) -> Option<&'a SelectionSet> {
    let mut operations = document.operations.iter();
    let named = |wanted: &str, found: Option<&Name>| found.is_none_or(|found| found.as_str() == wanted);
    operations
        .find(|(found, _)| name.is_none_or(|wanted| named(wanted, *found)))
        .map(|(_, operation)| &operation.node.selection_set.node)
}

/// Members in the order of their first selection. Fields finish in any order, answers read as they were asked.
fn ordered(data: Value, sets: &[&SelectionSet], document: &ExecutableDocument) -> Value {
    match data {
        Value::List(items) => {
            Value::List(items.into_iter().map(|item| ordered(item, sets, document)).collect())
        }
        Value::Object(mut members) => {
            members.shift_remove(inputs::NOTHING);
            let mut fields = Vec::new();
            for set in sets {
                collect(set, document, &mut fields);
            }
            let mut sorted = async_graphql::indexmap::IndexMap::new();
            for (key, below) in fields {
                if let Some(value) = members.shift_remove(key) {
                    sorted.insert(key.clone(), ordered(value, &below, document));
                }
            }
            sorted.extend(members);
            Value::Object(sorted)
        }
        plain => plain,
    }
}

/// The response keys of a selection in order, each with everything that is selected below it.
fn collect<'a>(
    set: &'a SelectionSet,
    document: &'a ExecutableDocument,
    fields: &mut Vec<(&'a Name, Vec<&'a SelectionSet>)>,
) {
    for selection in &set.items {
        match &selection.node {
            Selection::Field(field) => {
                let key = &field.node.response_key().node;
                let below = &field.node.selection_set.node;
                match fields.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, sets)) => sets.push(below),
                    None => fields.push((key, vec![below])),
                }
            }
            Selection::InlineFragment(inline) => collect(&inline.node.selection_set.node, document, fields),
            Selection::FragmentSpread(spread) => {
                if let Some(fragment) = document.fragments.get(&spread.node.fragment_name.node) {
                    collect(&fragment.node.selection_set.node, document, fields);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_graphql::parser::parse_query;
    use async_graphql::value;

    #[test]
    fn members_stand_as_they_were_selected_and_failed_fields_are_null() {
        let document = parse_query("{ b { ...F x } a { y } b { z } } fragment F on B { w }").unwrap();
        let mut response =
            Response::new(value!({"a": {"y": 1}, "b": [{"z": 1, "x": 2, "w": 3}, {"z": 1, "w": 3}]}));
        let mut error = ServerError::new("no", None);
        error.path = vec![
            PathSegment::Field("b".to_owned()),
            PathSegment::Index(1),
            PathSegment::Field("x".to_owned()),
        ];
        response.errors.push(error);
        let answer = sealed(response, Some(&document), None, "r1");
        assert!(answer.executed);
        assert_eq!(
            answer.body.to_string(),
            r#"{"data":{"b":[{"w":3,"x":2,"z":1},{"w":3,"x":null,"z":1}],"a":{"y":1}},"errors":[{"message":"no","path":["b",1,"x"],"extensions":{"code":"BAD_USER_INPUT","fields":[],"reason":"queryInvalid","requestId":"r1"}}]}"#
        );
    }

    #[test]
    fn what_never_ran_has_no_data() {
        let wrong = ServerError::new("Unknown field \"x\" on type \"Query\".", None);
        let answer = sealed(Response::from_errors(vec![wrong]), None, None, "r2");
        assert!(!answer.executed);
        assert_eq!(answer.body["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
        assert!(answer.body.get("data").is_none());
    }
}
