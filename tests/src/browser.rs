//! What a browser does with the console: it keeps the cookie, sends forms with what their pages carry, and goes where it is sent.

use crate::api::Answer;
use crate::credentials::Credentials;
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

const CALL: Duration = Duration::from_secs(30);

/// A browser without scripts.
#[derive(Debug)]
pub struct Browser {
    client: Client,
    base: String,
    /// `name=value`.
    cookie: Mutex<Option<String>>,
    /// What forms of the session carry.
    form_token: Mutex<String>,
}

/// What stands between two texts.
pub fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(start)?;
    rest.split_once(end).map(|(found, _)| found)
}

impl Browser {
    /// Of a listener, with nobody signed in.
    ///
    /// # Panics
    /// When there is no HTTP client.
    pub fn new(base: &str) -> Self {
        let client = Client::builder().timeout(CALL).no_proxy().redirect(Policy::none()).build();
        Self {
            client: client.expect("there is an HTTP client"),
            base: base.trim_end_matches('/').to_owned(),
            cookie: Mutex::default(),
            form_token: Mutex::default(),
        }
    }

    /// With a client signed in.
    ///
    /// # Panics
    /// When it is not.
    pub async fn signed_in(base: &str, credentials: &Credentials) -> Self {
        let browser = Self::new(base);
        let answer = browser.sign_in(&credentials.id, &credentials.secret).await;
        assert_eq!(answer.status, 303, "{}", answer.text);
        browser.load_form_token().await;
        browser
    }

    /// Signs in as the form does.
    pub async fn sign_in(&self, id: &str, secret: &str) -> Answer {
        self.post("/console/sign-in", &[("client_id", id), ("client_secret", secret), ("next", "/console")])
            .await
    }

    /// Reads the first page, and what its forms carry.
    ///
    /// # Panics
    /// When nobody is signed in.
    pub async fn load_form_token(&self) {
        let page = self.get("/console").await;
        let token = between(&page.text, "name=\"form_token\" value=\"", "\"");
        let token = token.unwrap_or_else(|| panic!("nobody is signed in: {}", page.text)).to_owned();
        *self.form_token.lock().unwrap_or_else(PoisonError::into_inner) = token;
    }

    /// The cookie that is kept, `name=value`.
    pub fn cookie(&self) -> Option<String> {
        self.cookie.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps another cookie.
    pub fn keep(&self, cookie: &str) {
        *self.cookie.lock().unwrap_or_else(PoisonError::into_inner) = Some(cookie.to_owned());
    }

    /// What forms of this session carry.
    pub fn form_token(&self) -> String {
        self.form_token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// A page.
    pub async fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], None).await
    }

    /// A form as it is, without what its page carries.
    pub async fn post(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        self.send("POST", path, &[], Some(fields)).await
    }

    /// A form of this session.
    pub async fn submit(&self, path: &str, fields: &[(&str, &str)]) -> Answer {
        let token = self.form_token();
        let fields = [&[("form_token", token.as_str())], fields].concat();
        self.post(path, &fields).await
    }

    /// Any request.
    ///
    /// # Panics
    /// When nobody answers.
    pub async fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        fields: Option<&[(&str, &str)]>,
    ) -> Answer {
        let request_line = format!("{method} {path}");
        let method = Method::from_bytes(method.as_bytes()).expect("a method");
        let mut request = self.client.request(method, format!("{}{path}", self.base));
        if let Some(cookie) = self.cookie() {
            request = request.header("cookie", cookie);
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        if let Some(fields) = fields {
            let body = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
            request = request.header("content-type", "application/x-www-form-urlencoded").body(body);
        }
        let response =
            request.send().await.unwrap_or_else(|error| panic!("{request_line} was not answered: {error:?}"));
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        if let Some(set) = headers.get("set-cookie").and_then(|value| value.to_str().ok()) {
            self.keep(set.split(';').next().unwrap_or_default());
        }
        let text =
            response.text().await.unwrap_or_else(|error| panic!("{request_line} broke off: {error:?}"));
        Answer { request_line, status, headers, text }
    }

    /// A form with a file.
    ///
    /// # Panics
    /// When nobody answers.
    pub async fn upload(&self, path: &str, fields: &[(&str, &str)], (name, file): (&str, &[u8])) -> Answer {
        const BOUNDARY: &str = "between-the-parts-of-a-form";
        let mut body = Vec::new();
        for (field, value) in fields {
            let part = format!(
                "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{field}\"\r\n\r\n{value}\r\n"
            );
            body.extend_from_slice(part.as_bytes());
        }
        let head = format!(
            "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"; filename=\"file\"\r\ncontent-type: application/wasm\r\n\r\n"
        );
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(file);
        body.extend_from_slice(format!("\r\n--{BOUNDARY}--\r\n").as_bytes());
        let request = self
            .client
            .post(format!("{}{path}", self.base))
            .header("cookie", self.cookie().unwrap_or_default())
            .header("content-type", format!("multipart/form-data; boundary={BOUNDARY}"))
            .body(body);
        let response = request.send().await.expect("an answer");
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        Answer {
            request_line: format!("POST {path}"),
            status,
            headers,
            text: response.text().await.expect("a text"),
        }
    }

    /// An endless answer, of which nothing is read yet.
    ///
    /// # Panics
    /// When it does not begin.
    pub async fn open(&self, path: &str) -> reqwest::Response {
        let cookie = self.cookie().unwrap_or_default();
        let request = self.client.get(format!("{}{path}", self.base)).header("cookie", cookie);
        let response = request.send().await.expect("an answer");
        assert_eq!(response.status().as_u16(), 200, "{path}");
        response
    }

    /// The beginning of an endless answer, until it holds a text.
    ///
    /// # Panics
    /// When it never does.
    pub async fn listen(&self, path: &str, expected: &str) -> String {
        self.events(path).await.wait_for(expected).await
    }

    /// The events of a page, as they come.
    pub async fn events(&self, path: &str) -> LiveEvents {
        LiveEvents { path: path.to_owned(), response: self.open(path).await, text: String::new() }
    }
}

/// The events of a page, as they come.
#[derive(Debug)]
pub struct LiveEvents {
    path: String,
    response: reqwest::Response,
    text: String,
}

impl LiveEvents {
    /// All that came until it has `expected` in it.
    ///
    /// # Panics
    /// When that never comes.
    pub async fn wait_for(&mut self, expected: &str) -> String {
        while !self.text.contains(expected) {
            let part = tokio::time::timeout(CALL, self.response.chunk()).await;
            let part =
                part.unwrap_or_else(|_| panic!("{} never said {expected}", self.path)).expect("a part");
            let part = part.unwrap_or_else(|| panic!("{} ended: {}", self.path, self.text));
            self.text.push_str(&String::from_utf8_lossy(&part));
        }
        self.text.clone()
    }
}
