//! Calls over HTTP and their answers.

use crate::openapi::{self, Listener};
use gateway_test_openapi::Exchange;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method};
use serde_json::Value;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longest a call may take.
const CALL: Duration = Duration::from_mins(1);

/// An answer, read whole.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Method and path of the request, for failures.
    pub(crate) request_line: String,
    /// The status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub text: String,
}

impl Answer {
    /// What it answers: method and path.
    pub fn called(&self) -> &str {
        &self.request_line
    }

    /// The body.
    ///
    /// # Panics
    /// When it is no JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }

    /// A header, empty when it is not there.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The body of an answer with this status.
    ///
    /// # Panics
    /// When it has another.
    #[track_caller]
    pub fn expect(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{} answered {} {}", self.request_line, self.status, self.text);
        if self.text.is_empty() { Value::Null } else { self.json() }
    }

    /// The list of errors of a refusal with this status, as `field: message`.
    ///
    /// # Panics
    /// When the status or the shape of the body is another one.
    #[track_caller]
    pub fn errors(&self, status: u16) -> Vec<String> {
        let body = self.expect(status);
        assert_eq!(body.as_object().map(serde_json::Map::len), Some(1), "only errors: {body}");
        let errors = body.get("errors").and_then(Value::as_array).filter(|errors| !errors.is_empty());
        let errors = errors.unwrap_or_else(|| panic!("{} has no errors list: {body}", self.request_line));
        let text = |error: &Value, member| {
            let text = error.get(member).and_then(Value::as_str).filter(|text| !text.is_empty());
            text.unwrap_or_else(|| panic!("an error without {member}: {body}")).to_owned()
        };
        errors.iter().map(|error| format!("{}: {}", text(error, "field"), text(error, "message"))).collect()
    }

    /// The fields of a refusal with this status.
    ///
    /// # Panics
    /// When the status or the shape of the body is another one.
    #[track_caller]
    pub fn fields(&self, status: u16) -> Vec<String> {
        let field = |error: &String| error.split(": ").next().unwrap_or_default().to_owned();
        self.errors(status).iter().map(field).collect()
    }
}

/// A listener, with or without a token.
#[derive(Debug, Clone)]
pub struct Api {
    client: Client,
    base: String,
    token: Option<String>,
    /// Whose answers are held against the OpenAPI document of a listener.
    listener: Option<Listener>,
    /// Where the invoice data service is when it is elsewhere, and its token.
    invoicing: Option<(String, String)>,
}

impl Api {
    /// Calls to `base`, such as `http://127.0.0.1:8081`.
    ///
    /// # Panics
    /// When there is no HTTP client.
    pub fn new(base: &str) -> Self {
        let client = Client::builder().timeout(CALL).no_proxy().build().expect("there is an HTTP client");
        Self {
            client,
            base: base.trim_end_matches('/').to_owned(),
            token: None,
            listener: None,
            invoicing: None,
        }
    }

    /// The same for a listener of a gateway: every answer is as its OpenAPI document tells, or the test fails.
    #[must_use]
    pub(crate) fn documented_as(&self, listener: Listener) -> Self {
        Self { listener: Some(listener), ..self.clone() }
    }

    /// The same with calls to the invoice data service going to another listener.
    #[must_use]
    pub fn with_invoicing_at(&self, other: &Self) -> Self {
        let invoicing = Some((other.base.clone(), other.token().to_owned()));
        Self { invoicing, ..self.clone() }
    }

    /// The listener and token for a path.
    fn target(&self, path: &str) -> (&str, Option<&str>) {
        match &self.invoicing {
            Some((base, token)) if path.starts_with("/invoicing/") => (base, Some(token)),
            Some(_) | None => (&self.base, self.token.as_deref()),
        }
    }

    /// The same with this token.
    #[must_use]
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// The same without a token.
    #[must_use]
    pub fn without_token(&self) -> Self {
        Self { token: None, ..self.clone() }
    }

    /// Where it is.
    pub fn base(&self) -> &str {
        &self.base
    }

    /// The token it shows.
    pub fn token(&self) -> &str {
        self.token.as_deref().unwrap_or_default()
    }

    /// GET.
    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], None).await
    }

    /// DELETE.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], None).await
    }

    /// PUT with a JSON body.
    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send("PUT", path, &[JSON], Some(body.to_string().into_bytes())).await
    }

    /// PUT without a body.
    pub async fn put_empty(&self, path: &str) -> Answer {
        self.send("PUT", path, &[], None).await
    }

    /// POST with a JSON body.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send("POST", path, &[JSON], Some(body.to_string().into_bytes())).await
    }

    /// The answer, as it is on the wire, to a call whose body is announced and never sent. `more` are header lines.
    ///
    /// # Panics
    /// When nobody answers.
    pub async fn announced(&self, method: &str, path: &str, more: &str) -> String {
        let host = self.base.trim_start_matches("http://");
        let mut stream = TcpStream::connect(host).await.expect("the listener is there");
        let token = self.token();
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\nauthorization: Bearer {token}\r\n{more}\r\n"
        );
        stream.write_all(head.as_bytes()).await.expect("the listener reads");
        let mut answer = Vec::new();
        let read = tokio::time::timeout(CALL, stream.read_to_end(&mut answer)).await;
        assert!(read.is_ok() && !answer.is_empty(), "{method} {path} was not answered");
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Any call.
    ///
    /// # Panics
    /// When nobody answers.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> Answer {
        let answer = self.try_send(method, path, headers, body).await;
        answer.unwrap_or_else(|error| panic!("{method} {}{path} was not answered: {error}", self.base))
    }

    /// Any call, to a listener that may be gone.
    ///
    /// # Errors
    /// When nobody answers.
    ///
    /// # Panics
    /// When a header cannot be sent.
    pub async fn try_send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: Option<Vec<u8>>,
    ) -> Result<Answer, String> {
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let request_line = format!("{method} {path}");
        let (base, token) = self.target(path);
        let mut request = self.client.request(method, format!("{base}{path}"));
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).expect("a header name");
            request =
                request.header(name, HeaderValue::from_bytes(value.as_bytes()).expect("a header value"));
        }
        if let Some(body) = body {
            request = request.body(body);
        }
        let response = request.send().await.map_err(|error| format!("{error:?}"))?;
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let text = response.text().await.map_err(|error| format!("{error:?}"))?;
        let answer = Answer { request_line, status, headers, text };
        if let Some(listener) = self.listener {
            let headers = answer.headers.iter();
            let headers: Vec<_> = headers
                .map(|(name, value)| {
                    (name.as_str().to_owned(), value.to_str().unwrap_or_default().to_owned())
                })
                .collect();
            let method = answer.request_line.split(' ').next().unwrap_or_default();
            let exchange = Exchange { method, path, status, headers: &headers, body: &answer.text };
            openapi::check(listener, &exchange);
        }
        Ok(answer)
    }
}

/// The header of a JSON body.
const JSON: (&str, &str) = ("content-type", "application/json");
