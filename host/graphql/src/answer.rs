//! The answer of a request, put in order: every error has a code and the id of the request, members stand in the order
//! in which they were selected, and a field that failed is there, as null.

use crate::errors;
use crate::response::{GraphQLAnswer, GraphQLErrorCode};
use async_graphql::parser;
use async_graphql::parser::types::{ExecutableDocument, OperationType};
use async_graphql::{ErrorExtensionValues, Pos, Response, ServerError, Value};
use gateway_domain::ErrorCode;
use gateway_graphql_compliance::{data_entry, failed_fields, federation_descriptions, member_order};
use serde::Serialize;

/// What a request is answered with; it is written as `data`, `errors`.
#[derive(Debug, Clone, Serialize)]
pub struct Answer {
    #[serde(flatten)]
    body: Body,
    /// Whether the document was run. If not, there is no `data` member.
    #[serde(skip)]
    pub executed: bool,
    /// What it changed.
    #[serde(skip)]
    pub effect: Effect,
}

impl Answer {
    /// Whether anything in it went wrong.
    pub const fn has_errors(&self) -> bool {
        match &self.body {
            Body::Refused(_) => true,
            Body::Finished { errors, .. } => !errors.is_empty(),
        }
    }
}

/// What a request changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Effect {
    /// Nothing, for certain: it may be sent again.
    #[default]
    Nothing,
    /// At least one of its changes was carried out, and the answer says which.
    Changed,
    /// Nobody knows: no change succeeded, but one that failed may be committed all the same.
    Unknown,
}

#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
enum Body {
    /// Of a request that is not run.
    Refused(GraphQLAnswer),
    /// Of the framework.
    Finished {
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<Value>,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        errors: Vec<ServerError>,
    },
}

/// An answer to a request that is not run: the query is too much, or the client sends too many.
pub(crate) fn refusal(code: GraphQLErrorCode, reason: ErrorCode, message: &str, request_id: &str) -> Answer {
    Answer {
        body: Body::Refused(GraphQLAnswer::refusal(code, reason, message, request_id)),
        executed: false,
        effect: Effect::Nothing,
    }
}

/// What the framework answered, as it goes out.
pub(crate) fn finish(
    response: Response,
    document: Option<&ExecutableDocument>,
    operation: Option<&str>,
    request_id: &str,
) -> Answer {
    let executed = data_entry::was_executed(&response);
    let mut data = response.data;
    failed_fields::add_failed_fields(&mut data, &response.errors);
    if let Some(document) = document {
        data = member_order::in_order_of_selection(data, document, operation);
        if federation_descriptions::introspects(document) {
            federation_descriptions::describe(&mut data);
        }
    }
    let errors = response.errors.into_iter().map(|error| with_code(error, request_id)).collect();
    Answer {
        body: Body::Finished { data: executed.then_some(data), errors },
        executed,
        effect: Effect::Nothing,
    }
}

/// The answer to a text that is no document. The parser draws a picture of several lines; a client gets the place and
/// what stands there.
pub(crate) fn syntax_error(error: parser::Error, text: &str, request_id: &str) -> Answer {
    let place = if let parser::Error::Syntax { start, .. } = &error { Some(*start) } else { None };
    let mut error = ServerError::from(error);
    if let Some(Pos { line, column }) = place {
        let found = text.lines().nth(line.saturating_sub(1));
        let found = found.and_then(|line| line.chars().nth(column.saturating_sub(1)));
        let found = found.map_or_else(|| "the end of the line".to_owned(), |found| format!("'{found}'"));
        error.message =
            format!("syntax error at line {line}, column {column}: expected something else than {found}");
    }
    finish(Response::from_errors(vec![error]), None, None, request_id)
}

/// Whether the document has the operation that is asked for, and this API runs such ones (GraphQL, section 6.1).
pub(crate) fn check_operation(
    document: &ExecutableDocument,
    name: Option<&str>,
    request_id: &str,
) -> Result<(), Box<Answer>> {
    let names = || {
        let names = document.operations.iter().filter_map(|(name, _)| name);
        let mut names: Vec<_> = names.map(async_graphql::Name::as_str).collect();
        names.sort_unstable();
        names.join(", ")
    };
    let found = match name {
        None => match document.operations.iter().collect::<Vec<_>>().as_slice() {
            [(_, operation)] => Ok(operation.node.ty),
            _ => {
                Err(format!("the document has several operations: name one of {} in operationName", names()))
            }
        },
        Some(name) => {
            let found =
                document.operations.iter().find(|(known, _)| known.is_some_and(|known| known == name));
            found.map(|(_, operation)| operation.node.ty).ok_or_else(|| match names().as_str() {
                "" => format!("there is no operation '{name}' in the document: its only one has no name"),
                names => format!("there is no operation '{name}' in the document: it has {names}"),
            })
        }
    };
    let message = match found {
        Ok(OperationType::Query | OperationType::Mutation) => return Ok(()),
        Ok(OperationType::Subscription) => {
            "this API has no subscriptions: register a webhook, or read the feed of events".to_owned()
        }
        Err(message) => message,
    };
    Err(Box::new(refusal(GraphQLErrorCode::BadUserInput, ErrorCode::QueryInvalid, &message, request_id)))
}

/// Errors of our own have a code already. What is left was found by the framework before anything ran: the document is not as
/// the schema says. What is too much, and what is wrong with inputs, was told before.
fn with_code(mut error: ServerError, request_id: &str) -> ServerError {
    let extensions = error.extensions.get_or_insert_with(ErrorExtensionValues::default);
    if extensions.get("code").is_none() {
        extensions.set("code", Value::from(GraphQLErrorCode::BadUserInput.as_str()));
        extensions.set("reason", Value::from(ErrorCode::QueryInvalid.as_str()));
        extensions.set("fields", errors::fields(&[]));
    }
    extensions.set("requestId", Value::from(request_id));
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_graphql::parser::parse_query;
    use async_graphql::{PathSegment, value};

    #[test]
    fn an_operation_that_cannot_run_is_refused_with_those_that_can() {
        for (text, name, expected) in [
            ("{ a }", None, None),
            ("query A { a }", Some("A"), None),
            ("query A { a } mutation B { b }", Some("B"), None),
            (
                "query A { a } query B { b }",
                None,
                Some("the document has several operations: name one of A, B in operationName"),
            ),
            ("query A { a }", Some("C"), Some("there is no operation 'C' in the document: it has A")),
            ("{ a }", Some("C"), Some("there is no operation 'C' in the document: its only one has no name")),
            (
                "subscription { a }",
                None,
                Some("this API has no subscriptions: register a webhook, or read the feed of events"),
            ),
        ] {
            let document = parse_query(text).unwrap();
            let refusal = check_operation(&document, name, "r1").err();
            let message =
                refusal.map(|answer| serde_json::to_value(answer).unwrap()["errors"][0]["message"].clone());
            assert_eq!(message, expected.map(Into::into), "{text}");
        }
    }

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
        let answer = finish(response, Some(&document), None, "r1");
        assert!(answer.executed);
        assert_eq!(
            serde_json::to_string(&answer).unwrap(),
            r#"{"data":{"b":[{"w":3,"x":2,"z":1},{"w":3,"x":null,"z":1}],"a":{"y":1}},"errors":[{"message":"no","path":["b",1,"x"],"extensions":{"code":"BAD_USER_INPUT","fields":[],"reason":"queryInvalid","requestId":"r1"}}]}"#
        );
    }

    #[test]
    fn what_never_ran_has_no_data() {
        let wrong = ServerError::new("Unknown field \"x\" on type \"Query\".", None);
        let answer = finish(Response::from_errors(vec![wrong]), None, None, "r2");
        assert!(!answer.executed);
        let body = serde_json::to_value(&answer).unwrap();
        assert_eq!(body["errors"][0]["extensions"]["code"], "BAD_USER_INPUT");
        assert!(body.get("data").is_none());
    }

    #[test]
    fn a_syntax_error_says_what_stands_where_it_is() {
        let said = |text: &str| {
            let answer = syntax_error(parse_query(text).unwrap_err(), text, "r3");
            let body = serde_json::to_value(&answer).unwrap();
            body["errors"][0]["message"].as_str().unwrap().to_owned()
        };
        let end = "syntax error at line 1, column 2: expected something else than the end of the line";
        assert_eq!(said("{"), end);
        assert_eq!(
            said("query A {\n  a(b: ) }"),
            "syntax error at line 2, column 8: expected something else than ')'"
        );
        assert_eq!(said("quer {a}"), "syntax error at line 1, column 1: expected something else than 'q'");
    }
}
