//! The calls of the invoice data service.

use super::answer;
use super::feed;
use super::token::{ClientCredentials, Tokens};
use crate::client::{self, BodyError, SetupError};
use crate::refusal;
use async_trait::async_trait;
use gateway_domain::FieldError;
use gateway_domain::access::Actor;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Acceptance, Content, Invoice, InvoiceNumber, IssueError};
use gateway_domain_finance::ports::{FeedPart, InvoiceDataError, InvoicingClient};
use gateway_domain_input::document::invoice_from_body;
use gateway_domain_input::json_place;
use gateway_outbound::{CallMetrics, Calls, NoAnswer, Peer};
use jiff::Timestamp;
use reqwest::header::{HeaderName, IF_MATCH, IF_NONE_MATCH};
use reqwest::{Client, Method, RequestBuilder};
use serde::Serialize;
use serde_json::{Map, Value};
use std::time::Duration;
use url::Url;

/// Longest reason of a rejection that the service takes, characters.
const REASON_CHARS_MAX: usize = 2_000;
/// Events asked for at once.
const FEED_PAGE_EVENTS_MAX: u32 = 100;
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// Limits of every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvoiceDataOptions {
    /// How long a connection may take to open.
    pub connect_timeout: Duration,
    /// How long a call may take, the answer's body included.
    pub timeout: Duration,
    /// Longest answer that is read, bytes.
    pub body_bytes_max: usize,
}

impl Default for InvoiceDataOptions {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(3),
            timeout: Duration::from_secs(10),
            body_bytes_max: 8 * 1024 * 1024,
        }
    }
}

/// The invoice data service over HTTP.
#[derive(Debug)]
pub struct HttpInvoiceData {
    base_url: Url,
    client: Client,
    /// None: the service asks for none.
    tokens: Option<Tokens>,
    options: InvoiceDataOptions,
    calls: Calls,
}

/// What a request to a document carries: where it goes, and with what.
#[derive(Default)]
struct RequestParts<'a> {
    /// Behind the document's path: `issuing`.
    step: Option<&'a str>,
    body: Option<Value>,
    expected_version: Option<i64>,
    /// Only where there is no such document yet.
    create_only: bool,
    key: Option<&'a str>,
}

impl HttpInvoiceData {
    /// A service whose RPC is below `base_url`, with its token endpoint beside it; a path in it is kept as a prefix.
    /// Without `credentials` it is called without a token, as in a closed network.
    ///
    /// Fails when the address is no plain http(s) address, or when TLS cannot be set up.
    pub fn new(
        base_url: Url,
        credentials: Option<ClientCredentials>,
        options: InvoiceDataOptions,
    ) -> Result<Self, SetupError> {
        if !gateway_outbound::is_plain(&base_url) {
            return Err(SetupError::Address);
        }
        let client = client::client(&base_url, options.connect_timeout, options.timeout)?;
        let endpoint = client::below(&base_url, &["v1", "oauth2", "token"]);
        let tokens = credentials.map(|credentials| Tokens::new(endpoint, credentials));
        Ok(Self { base_url, client, tokens, options, calls: Calls::unmeasured(Peer::Invoicing) })
    }

    /// With its calls measured.
    #[must_use]
    pub fn measured(mut self, metrics: &CallMetrics) -> Self {
        self.calls = metrics.calls(Peer::Invoicing);
        self
    }

    fn request(&self, method: Method, id: InvoiceId, call: &RequestParts<'_>) -> RequestBuilder {
        let document = id.to_string();
        let mut path = vec!["invoicing", "rpc", "documents", &document];
        path.extend(call.step);
        let mut request = self.client.request(method, client::below(&self.base_url, &path));
        if let Some(expected_version) = call.expected_version {
            request = request.header(IF_MATCH, format!("\"{expected_version}\""));
        }
        if call.create_only {
            request = request.header(IF_NONE_MATCH, "*");
        }
        if let Some(key) = call.key {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        match &call.body {
            Some(body) => request.json(body),
            None => request,
        }
    }

    /// Makes a call, and gives the body of its answer.
    async fn call(
        &self,
        by: &Actor,
        method: Method,
        id: InvoiceId,
        call: RequestParts<'_>,
    ) -> Result<String, InvoiceDataError> {
        self.with_token(by, || self.request(method.clone(), id, &call)).await
    }

    /// Makes a request with a token that acts for `by`, where tokens are asked for.
    async fn with_token(
        &self,
        by: &Actor,
        request: impl Fn() -> RequestBuilder,
    ) -> Result<String, InvoiceDataError> {
        let Some(tokens) = &self.tokens else { return self.exchange(request(), None).await };
        let token = tokens.token(&self.client, by).await?;
        match self.exchange(request(), Some(&token)).await {
            // Ended before its time, as when the service changed its keys: once more with a create_only one.
            Err(InvoiceDataError::Unauthorised { status: 401 }) => {
                tokens.forget(by, &token);
                let token = tokens.token(&self.client, by).await?;
                self.exchange(request(), Some(&token)).await
            }
            answer => answer,
        }
    }

    async fn exchange(
        &self,
        mut request: RequestBuilder,
        token: Option<&str>,
    ) -> Result<String, InvoiceDataError> {
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let response = self.calls.send(request).await.map_err(|error| InvoiceDataError::Unavailable {
            detail: NoAnswer::of(error).to_string(),
            retry_after_s: None,
        })?;
        let status = response.status();
        let retry_after_s = gateway_outbound::retry_after_s(response.headers());
        let body = client::text(response, self.options.body_bytes_max).await;
        let body = body.map(|text| match token {
            Some(token) => refusal::without_token(text, token),
            None => text,
        });
        if !status.is_success() {
            return Err(answer::error(status.as_u16(), retry_after_s, body.as_deref().unwrap_or_default()));
        }
        body.map_err(|error| self.unreadable(&error))
    }

    fn unreadable(&self, error: &BodyError) -> InvoiceDataError {
        match error {
            BodyError::Transport(detail) => InvoiceDataError::Unavailable {
                detail: format!("the answer broke off: {detail}"),
                retry_after_s: None,
            },
            BodyError::TooLarge => InvoiceDataError::Protocol {
                detail: format!("the answer is longer than {} bytes", self.options.body_bytes_max),
            },
            BodyError::NotText => InvoiceDataError::Protocol { detail: "it is not UTF-8".to_owned() },
        }
    }

    /// A step with members that are an agreement between two gateways: `extension`, and others. The specification gives
    /// the step none, so a service that refuses what it does not know gets it once more without what it names.
    async fn extended_step(
        &self,
        by: &Actor,
        id: InvoiceId,
        (step, extension): (&str, &str),
        mut body: Map<String, Value>,
        (expected_version, key): (Option<i64>, Option<&str>),
    ) -> Result<(), InvoiceDataError> {
        loop {
            let call = RequestParts {
                step: Some(step),
                body: step_body(body.clone()),
                expected_version,
                key,
                create_only: false,
            };
            let refused = match self.call(by, Method::PUT, id, call).await {
                Err(InvoiceDataError::Refused(refused)) => refused,
                answer => return answer.map(drop),
            };
            // It knows the time of the command, and refuses it: without it the document would get another date.
            if refused.iter().any(is_about_the_year) {
                return Err(InvoiceDataError::Refused(refused));
            }
            let names = |member: &str| refused.iter().any(|error| error.field == member);
            let before = body.len();
            // Whoever knows the extension has reasons of its own to refuse something else.
            if !body.contains_key(extension) || names(extension) {
                body.retain(|member, _| !names(member));
            }
            if body.len() == before {
                return Err(InvoiceDataError::Refused(refused));
            }
        }
    }
}

/// What is saved of a draft.
#[derive(Serialize)]
struct SaveBody<'a> {
    #[serde(flatten)]
    content: &'a Content,
    workspace_id: WorkspaceId,
}

#[derive(Serialize)]
struct IssuingBody {
    send_to_tax_authority: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
}

#[derive(Serialize)]
struct IssueBody<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    acceptance: Option<&'a Acceptance>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<Timestamp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<&'a InvoiceNumber>,
}

#[derive(Serialize)]
struct RejectBody {
    reason: String,
}

/// A body as JSON. One that cannot be written is the gateway's own fault, and nothing is sent.
fn value(body: &impl Serialize) -> Result<Value, InvoiceDataError> {
    serde_json::to_value(body).map_err(|_| InvoiceDataError::Protocol {
        detail: "the gateway could not write the body of its call".to_owned(),
    })
}

/// The same of one whose members may be left out one by one.
fn members(body: &impl Serialize) -> Result<Map<String, Value>, InvoiceDataError> {
    match value(body)? {
        Value::Object(members) => Ok(members),
        _ => Ok(Map::new()),
    }
}

/// Whether a complaint is that the year of the command's time takes no number any more.
fn is_about_the_year(error: &FieldError) -> bool {
    error.code == IssueError::SeriesMovedOn.code()
}

/// The body of a step; nothing is no body.
fn step_body(body: Map<String, Value>) -> Option<Value> {
    (!body.is_empty()).then_some(Value::Object(body))
}

#[async_trait]
impl InvoicingClient for HttpInvoiceData {
    fn name(&self) -> &str {
        self.base_url.as_str()
    }

    async fn document(&self, by: &Actor, id: InvoiceId) -> Result<Option<Invoice>, InvoiceDataError> {
        let body = match self.call(by, Method::GET, id, RequestParts::default()).await {
            Err(InvoiceDataError::Gone) => return Ok(None),
            answer => answer?,
        };
        let protocol = |detail: String| InvoiceDataError::Protocol { detail };
        let document: Value = serde_json::from_str(&body)
            .map_err(|error| protocol(format!("the document is no JSON at {}", json_place(&error))))?;
        let found = invoice_from_body(&document).map_err(|error| protocol(error.to_string()))?;
        if found.id != id {
            return Err(protocol(format!("asked for the document {id}, it shows {}", found.id)));
        }
        Ok(Some(found))
    }

    async fn save(
        &self,
        by: &Actor,
        id: InvoiceId,
        workspace: WorkspaceId,
        content: &Content,
        expected_version: Option<i64>,
    ) -> Result<(), InvoiceDataError> {
        let body = value(&SaveBody { content, workspace_id: workspace })?;
        let call = RequestParts {
            body: Some(body),
            expected_version,
            create_only: expected_version.is_none(),
            ..RequestParts::default()
        };
        self.call(by, Method::PUT, id, call).await.map(drop)
    }

    async fn delete(&self, by: &Actor, id: InvoiceId, expected_version: i64) -> Result<(), InvoiceDataError> {
        let call = RequestParts { expected_version: Some(expected_version), ..RequestParts::default() };
        self.call(by, Method::DELETE, id, call).await.map(drop)
    }

    async fn issuing(
        &self,
        by: &Actor,
        id: InvoiceId,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Result<(), InvoiceDataError> {
        let body = members(&IssuingBody { send_to_tax_authority: true, at })?;
        self.extended_step(by, id, ("issuing", "send_to_tax_authority"), body, (expected_version, None)).await
    }

    async fn issue(
        &self,
        by: &Actor,
        id: InvoiceId,
        acceptance: Option<&Acceptance>,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
        key: &str,
    ) -> Result<(), InvoiceDataError> {
        let body = members(&IssueBody { acceptance, at, number: None })?;
        self.extended_step(by, id, ("issue", "acceptance"), body, (expected_version, Some(key))).await
    }

    async fn issue_earlier(
        &self,
        by: &Actor,
        id: InvoiceId,
        number: &InvoiceNumber,
        acceptance: &Acceptance,
        key: &str,
    ) -> Result<(), InvoiceDataError> {
        // Never without the number: the document would become final under another one than the authority knows.
        let body = value(&IssueBody { acceptance: Some(acceptance), at: None, number: Some(number) })?;
        let call =
            RequestParts { step: Some("issue"), body: Some(body), key: Some(key), ..RequestParts::default() };
        self.call(by, Method::PUT, id, call).await.map(drop)
    }

    async fn reject(
        &self,
        by: &Actor,
        id: InvoiceId,
        reason: &str,
        key: &str,
    ) -> Result<(), InvoiceDataError> {
        // Many faults make a long reason; the submission keeps each of them whole.
        let reason: String = reason.chars().filter(|c| *c != '\0').take(REASON_CHARS_MAX).collect();
        let call = RequestParts {
            step: Some("reject"),
            body: Some(value(&RejectBody { reason })?),
            key: Some(key),
            ..RequestParts::default()
        };
        self.call(by, Method::PUT, id, call).await.map(drop)
    }

    async fn events(&self, after: Option<&str>) -> Result<FeedPart, InvoiceDataError> {
        let mut url = client::below(&self.base_url, &["invoicing", "rpc", "events"]);
        url.query_pairs_mut().append_pair("limit", &FEED_PAGE_EVENTS_MAX.to_string());
        if let Some(after) = after {
            url.query_pairs_mut().append_pair("after", after);
        }
        let body = self.with_token(&Actor::gateway(), || self.client.get(url.clone())).await?;
        feed::part(&body)
    }
}
