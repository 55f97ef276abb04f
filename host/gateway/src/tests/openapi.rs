//! The OpenAPI documents: whole, named once, and with examples that are as their schemas say.

use crate::listeners;
use gateway_domain_platform::webhooks::EventType;
use gateway_http::openapi::{self, Listener, REQUEST_ID};
use jsonschema::{Draft, Validator};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;

fn both() -> [Value; 2] {
    [Listener::Public, Listener::Internal].map(|listener| listeners::document(listener).clone())
}

fn object(value: Value) -> Map<String, Value> {
    if let Value::Object(members) = value { members } else { Map::new() }
}

/// Every operation with its path and method.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let all = paths.flat_map(|(path, methods)| {
        let methods = methods.as_object().unwrap().iter();
        methods.map(move |(method, operation)| (format!("{method} {path}"), operation))
    });
    all.collect()
}

fn resolved<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    match value.get("$ref").and_then(Value::as_str) {
        Some(target) => document.pointer(&target[1..]).unwrap_or_else(|| panic!("{target} leads nowhere")),
        None => value,
    }
}

/// A schema of a document as a validator.
fn validator(document: &Value, schema: &Value) -> Validator {
    let mut root = json!({"components": document["components"]});
    root["allOf"] = json!([schema]);
    let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
    options.build(&root).unwrap_or_else(|error| panic!("{schema} is no schema: {error}"))
}

#[test]
fn the_committed_documents_are_the_documents() {
    let host = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    for (listener, file) in
        [(Listener::Public, "api-public/openapi.json"), (Listener::Internal, "api-internal/openapi.json")]
    {
        let path = format!("{host}/{file}");
        let text = serde_json::to_string_pretty(listeners::document(listener)).unwrap() + "\n";
        if std::env::var_os("GATEWAY_WRITE_OPENAPI").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == text,
            "host/{file} is not the document any more: \
             GATEWAY_WRITE_OPENAPI=1 cargo test -p gateway openapi writes it; look at what changed for clients"
        );
    }
}

#[test]
fn a_schema_has_one_name_and_a_name_one_schema() {
    let clashes = openapi::clashes(&listeners::surfaces());
    assert!(clashes.is_empty(), "two things have one name: {clashes:?}");
}

#[test]
fn a_body_may_be_late_or_too_large_wherever_there_is_one() {
    for document in both() {
        for (path, methods) in document["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let answers = &operation["responses"];
                let documents = |status: &str| answers.get(status).is_some();
                if operation.get("requestBody").is_some() {
                    assert!(documents("408") && documents("413"), "{method} {path}");
                } else {
                    assert!(!documents("408"), "{method} {path}");
                }
            }
        }
    }
}

#[test]
fn every_reference_leads_somewhere() {
    for document in both() {
        let mut found = Vec::new();
        references(&document, &mut found);
        assert!(found.len() > 50, "{found:?}");
        for target in found {
            assert!(document.pointer(&target[1..]).is_some(), "{target} is not there");
        }
    }
}

/// Everything a value refers to.
fn references(value: &Value, found: &mut Vec<String>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(members) => {
            found.extend(members.get("$ref").and_then(Value::as_str).map(str::to_owned));
            members.values().for_each(|member| references(member, found));
        }
        _ => {}
    }
}

#[test]
fn every_operation_says_what_it_is_for_and_is_named_once() {
    for document in both() {
        let mut names = BTreeSet::new();
        for (call, operation) in operations(&document) {
            for name in ["operationId", "summary", "description"] {
                assert!(
                    operation[name].as_str().is_some_and(|text| !text.is_empty()),
                    "{call} has no {name}"
                );
            }
            assert!(
                names.insert(operation["operationId"].to_string()),
                "{call} has the name of another operation"
            );
            let success =
                operation["responses"].as_object().unwrap().keys().any(|status| status.starts_with('2'));
            // The specification has a command that only the gateway itself carries out.
            let refused = operation["operationId"] == "commandSendToTaxAuthority";
            assert!(success != refused, "{call} never succeeds");
        }
    }
}

#[test]
fn every_answer_has_the_id_of_its_request_and_a_description() {
    for document in both() {
        for (call, operation) in operations(&document) {
            for (status, response) in operation["responses"].as_object().unwrap() {
                let response = resolved(&document, response);
                assert!(response["description"].is_string(), "{call} {status}");
                assert!(response["headers"].get(REQUEST_ID).is_some(), "{call} {status}");
            }
        }
    }
}

#[test]
fn parameters_of_a_path_are_those_of_its_template() {
    for document in both() {
        for (call, operation) in operations(&document) {
            let template: BTreeSet<_> =
                call.split('{').skip(1).map(|rest| rest.split('}').next().unwrap().to_owned()).collect();
            let parameters = operation.get("parameters").and_then(Value::as_array).into_iter().flatten();
            let named: BTreeSet<_> = parameters
                .map(|parameter| resolved(&document, parameter))
                .filter(|parameter| parameter["in"] == "path")
                .map(|parameter| parameter["name"].as_str().unwrap().to_owned())
                .collect();
            assert_eq!(named, template, "{call}");
        }
    }
}

#[test]
fn every_notification_of_customers_is_described_with_an_example() {
    let [public, internal] = both();
    let notifications = public["webhooks"].as_object().unwrap();
    let known: BTreeSet<_> = EventType::ALL.iter().map(|event| event.as_str()).collect();
    assert_eq!(notifications.keys().map(String::as_str).collect::<BTreeSet<_>>(), known);
    for (event, item) in notifications {
        let examples = &item["post"]["requestBody"]["content"]["application/json"]["examples"];
        let bodies: Vec<_> =
            examples.as_object().unwrap().values().map(|example| &example["value"]).collect();
        assert!(!bodies.is_empty() && bodies.iter().all(|body| body["type"] == event.as_str()), "{item}");
    }
    assert!(internal.get("webhooks").is_none());
}

#[test]
fn every_example_is_as_its_schema_says() {
    for document in both() {
        let notifications = document.get("webhooks").and_then(Value::as_object).into_iter().flatten();
        let notifications = notifications.map(|(event, item)| (event.clone(), &item["post"]));
        for (call, operation) in operations(&document).into_iter().chain(notifications) {
            let mut contents = vec![&operation["requestBody"]];
            let responses = operation["responses"].as_object().unwrap().values();
            contents.extend(responses.map(|response| resolved(&document, response)));
            for content in contents.iter().filter_map(|holder| holder.get("content")?.as_object()) {
                for (media, content) in content {
                    let schema = validator(&document, &content["schema"]);
                    for (name, example) in object(content.get("examples").cloned().unwrap_or_default()) {
                        if let Err(error) = schema.validate(&example["value"]) {
                            panic!("{call}, {media}, example {name}: {error} at {}", error.instance_path());
                        }
                    }
                }
            }
            for parameter in operation.get("parameters").and_then(Value::as_array).into_iter().flatten() {
                let parameter = resolved(&document, parameter);
                if let Some(example) = parameter.get("example") {
                    let schema = validator(&document, &parameter["schema"]);
                    assert!(schema.is_valid(example), "{call}: {example} is no {}", parameter["name"]);
                }
            }
        }
    }
}
