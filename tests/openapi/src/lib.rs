//! Holds answers of the gateway against its own OpenAPI documents: a status, a media type or a body that a document does
//! not tell of is a fault of one of the two.
//!
//! Requests that no documented path matches are not looked at, nor are methods that a path does not take: what they
//! answer, no document tells. With [`SEEN_VARIABLE`] every answer is noted, so that a whole run of tests can say which
//! documented ones never occurred.

mod occurrences;

pub use occurrences::SEEN_VARIABLE;

use jsonschema::{Draft, Validator};
use occurrences::Occurrences;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// An answer and what it was asked for.
#[derive(Debug, Clone, Copy)]
pub struct Exchange<'a> {
    /// `GET`.
    pub method: &'a str,
    /// With its query string.
    pub path: &'a str,
    /// The status.
    pub status: u16,
    /// The names of the headers, in small letters, with their values.
    pub headers: &'a [(String, String)],
    /// The body.
    pub body: &'a str,
}

impl Exchange<'_> {
    fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(header, _)| header.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }
}

/// The document of a listener, ready to be held against answers.
#[derive(Debug)]
pub struct Document {
    value: Value,
    /// Templates in segments, the plainest first.
    templates: Vec<(String, Vec<String>)>,
    /// Made when they are needed first, by the place of the schema.
    validators: Mutex<HashMap<String, Arc<Validator>>>,
    occurrences: Occurrences,
}

impl Document {
    /// The document that a listener called `listener` hands out.
    pub fn new(listener: &str, value: Value) -> Self {
        let paths = value.get("paths").and_then(Value::as_object);
        let mut templates: Vec<_> = paths
            .into_iter()
            .flat_map(Map::keys)
            .map(|path| (path.clone(), path.split('/').map(str::to_owned).collect::<Vec<_>>()))
            .collect();
        // `/documents/export` comes before `/documents/{uuid}`.
        templates.sort_by_key(|(path, _)| path.matches('{').count());
        let occurrences = Occurrences::from_environment(listener, &value);
        Self { value, templates, validators: Mutex::default(), occurrences }
    }

    /// The template that a path matches.
    fn template(&self, path: &str) -> Option<&str> {
        let path = path.split('?').next().unwrap_or_default();
        let segments: Vec<_> = path.split('/').collect();
        let matches = |template: &[String]| {
            template.len() == segments.len()
                && template.iter().zip(&segments).all(|(expected, segment)| {
                    if expected.starts_with('{') { !segment.is_empty() } else { expected == segment }
                })
        };
        self.templates.iter().find(|(_, template)| matches(template)).map(|(path, _)| path.as_str())
    }

    /// What the document does not tell of this answer, one sentence.
    pub fn check(&self, exchange: &Exchange<'_>) -> Result<(), String> {
        let Some(template) = self.template(exchange.path) else { return Ok(()) };
        let head = exchange.method.eq_ignore_ascii_case("head");
        let method = if head { "get".to_owned() } else { exchange.method.to_ascii_lowercase() };
        let place = format!("/paths/{}/{method}/responses/{}", escaped(template), exchange.status);
        let operation = format!("/paths/{}/{method}", escaped(template));
        if self.value.pointer(&operation).is_none() {
            return Ok(());
        }
        let sentence = |what: String| {
            let Exchange { method, path, status, body, .. } = exchange;
            format!("{method} {path} answered {status}, and the OpenAPI document {what}: {body}")
        };
        let Some(response) = self.value.pointer(&place) else {
            return Err(sentence(format!("has no {} at {template}", exchange.status)));
        };
        self.occurrences.note(&method, template, exchange.status);
        let (place, response) = self.resolved(place, response);
        for (name, header) in response.get("headers").and_then(Value::as_object).into_iter().flatten() {
            let (_, header) = self.resolved(String::new(), header);
            let required = header.get("required").is_some_and(|required| required == true);
            if required && exchange.header(name).is_none() {
                return Err(sentence(format!("promises the header {name}")));
            }
        }
        if head { Ok(()) } else { self.check_body(exchange, &place, response).map_err(sentence) }
    }

    /// What the document does not tell of this notification, which was sent to a webhook of a customer; one sentence.
    pub fn check_notification(&self, body: &Value) -> Result<(), String> {
        let event = body.get("type").and_then(Value::as_str).unwrap_or_default();
        let schema = format!(
            "/webhooks/{}/post/requestBody/content/{}/schema",
            escaped(event),
            escaped("application/json")
        );
        let Some(validator) = self.validator(&schema)? else {
            return Err(format!("the OpenAPI document has no notification {event:?}: {body}"));
        };
        validator.validate(body).map_err(|error| {
            format!(
                "{event} has another schema in the OpenAPI document: {error} (at {}): {body}",
                error.instance_path()
            )
        })
    }

    fn check_body(&self, exchange: &Exchange<'_>, place: &str, response: &Value) -> Result<(), String> {
        let Some(contents) = response.get("content").and_then(Value::as_object) else {
            return if exchange.body.is_empty() { Ok(()) } else { Err("tells of no body".to_owned()) };
        };
        let given = exchange.header("content-type").unwrap_or_default();
        let media = given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        if !contents.contains_key(&media) {
            // Any file, byte for byte.
            if contents.contains_key("*/*") && !media.is_empty() {
                return Ok(());
            }
            return Err(format!("does not tell of the media type {media:?}"));
        }
        if !(media == "application/json" || media.ends_with("+json")) {
            return Ok(());
        }
        let body: Value = serde_json::from_str(exchange.body).map_err(|_| "tells of JSON".to_owned())?;
        let schema = format!("{place}/content/{}/schema", escaped(&media));
        let Some(validator) = self.validator(&schema)? else { return Ok(()) };
        validator.validate(&body).map_err(|error| {
            let at = error.instance_path().to_string();
            format!("has another schema: {error} (at {:?})", if at.is_empty() { "/" } else { at.as_str() })
        })
    }

    /// The schema at a place; none where the document has no schema.
    fn validator(&self, place: &str) -> Result<Option<Arc<Validator>>, String> {
        let mut validators = self.validators.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = validators.get(place) {
            return Ok(Some(Arc::clone(known)));
        }
        let Some(schema) = self.value.pointer(place) else { return Ok(None) };
        let root = json!({"components": self.value.get("components"), "allOf": [schema]});
        let options = jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(true);
        let made =
            options.build(&root).map_err(|error| format!("has a broken schema at {place}: {error}"))?;
        let made = Arc::new(made);
        validators.insert(place.to_owned(), Arc::clone(&made));
        Ok(Some(made))
    }

    /// What a reference refers to and where that is.
    fn resolved<'a>(&'a self, place: String, value: &'a Value) -> (String, &'a Value) {
        let target = value.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#'));
        let found = target.and_then(|pointer| Some((pointer.to_owned(), self.value.pointer(pointer)?)));
        found.unwrap_or((place, value))
    }
}

/// A name as a step of a JSON Pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

#[cfg(test)]
mod tests;
