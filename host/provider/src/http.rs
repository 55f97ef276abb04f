//! The calls of the specification's "Outbound calls to the provider", and the GETs beside them.

use crate::client::{self, BodyError, SetupError};
use crate::clock_watch::ClockWatch;
use crate::refusal;
use crate::wire::{self, EntryIn, EntryOut, EntryReplacement, JobIn, JobOut};
use async_trait::async_trait;
use gateway_domain::ids::{EntryId, ProviderJobId};
use gateway_domain::regime::ProviderFault;
use gateway_domain_finance::ports::{
    ENTRIES_PER_PAGE, Entry, EntryOrder, EntryPage, Job, Provider, ProviderAccess, ProviderError,
};
use gateway_domain_input::json_place;
use gateway_outbound::{CallMetrics, Calls, NoAnswer, Peer};
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use std::time::Duration;
use url::Url;
use uuid::Uuid;

/// Limits of every call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// How long a connection may take to open.
    pub connect_timeout: Duration,
    /// How long a call may take, the answer's body included.
    pub timeout: Duration,
    /// How long the content of a file may take: a verdict waits for it.
    pub file_timeout: Duration,
    /// Longest answer that is read, bytes.
    pub body_bytes_max: usize,
    /// Longest list of entries that is read, bytes.
    pub list_bytes_max: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(5),
            timeout: Duration::from_secs(30),
            file_timeout: Duration::from_secs(5),
            body_bytes_max: 4 * 1024 * 1024,
            list_bytes_max: 64 * 1024 * 1024,
        }
    }
}

/// The provider over HTTP. Cheap to clone: clones share the connections.
#[derive(Debug, Clone)]
pub struct HttpProvider {
    base_url: Url,
    client: Client,
    options: Options,
    calls: Calls,
    clock_watch: Option<ClockWatch>,
}

impl HttpProvider {
    /// A provider at `base_url`, such as `https://api.invopop.com`; a path in it is kept as a prefix.
    ///
    /// Fails when the address is no plain http(s) address, or when TLS cannot be set up.
    pub fn new(base_url: Url, options: Options) -> Result<Self, SetupError> {
        if !gateway_outbound::is_plain(&base_url) {
            return Err(SetupError::Address);
        }
        let client = client::client(&base_url, options.connect_timeout, options.timeout)?;
        Ok(Self { base_url, client, options, calls: Calls::unmeasured(Peer::Provider), clock_watch: None })
    }

    /// With its calls measured.
    #[must_use]
    pub fn measured(mut self, metrics: &CallMetrics) -> Self {
        self.calls = metrics.calls(Peer::Provider);
        self
    }

    /// With its clock compared with ours at each answer.
    #[must_use]
    pub fn watched(mut self, clock_watch: &ClockWatch) -> Self {
        self.clock_watch = Some(clock_watch.clone());
        self
    }

    fn request(&self, method: Method, path: [&str; 3], id: Uuid, access: &ProviderAccess) -> RequestBuilder {
        let [area, version, kind] = path;
        let url = client::below(&self.base_url, &[area, version, kind, &id.to_string()]);
        self.client.request(method, url).bearer_auth(access.token.expose())
    }

    /// Sends, reads, and sorts every answer into a value or an error.
    async fn exchange<T: DeserializeOwned>(
        &self,
        request: RequestBuilder,
        access: &ProviderAccess,
    ) -> Result<(T, String), ProviderError> {
        let answer = self.text(request, access, self.options.body_bytes_max).await?;
        Ok((read(&answer)?, answer.1))
    }

    /// Sends, and reads an answer of success whole.
    async fn text(
        &self,
        request: RequestBuilder,
        access: &ProviderAccess,
        bytes_max: usize,
    ) -> Result<(StatusCode, String), ProviderError> {
        let sent = self.clock_watch.as_ref().map(ClockWatch::now);
        let response = self.calls.send(request).await.map_err(|error| ProviderError::Unavailable {
            detail: NoAnswer::of(error).to_string(),
            retry_after_s: None,
        })?;
        if let (Some(clock_watch), Some(sent)) = (&self.clock_watch, sent) {
            clock_watch.answered(sent, response.headers());
        }
        let status = response.status();
        let retry_after_s = gateway_outbound::retry_after_s(response.headers());
        let body = client::text(response, bytes_max).await;
        if !status.is_success() {
            let body = body.map(|text| refusal::without_token(text, access.token.expose()));
            return Err(refusal::error(status.as_u16(), retry_after_s, body.as_deref().unwrap_or_default()));
        }
        body.map(|body| (status, body)).map_err(|error| unreadable(&error, bytes_max))
    }

    async fn entry(
        &self,
        request: RequestBuilder,
        access: &ProviderAccess,
        id: EntryId,
    ) -> Result<Entry, ProviderError> {
        let (entry, raw) = self.exchange::<EntryIn>(request, access).await?;
        wire::entry(entry, id, raw)
    }

    async fn job(
        &self,
        request: RequestBuilder,
        access: &ProviderAccess,
        id: ProviderJobId,
    ) -> Result<Job, ProviderError> {
        let (job, raw) = self.exchange::<JobIn>(request, access).await?;
        wire::job(job, id, raw)
    }
}

const ENTRIES: [&str; 3] = ["silo", "v1", "entries"];
const JOBS: [&str; 3] = ["transform", "v1", "jobs"];

#[async_trait]
impl Provider for HttpProvider {
    async fn put_entry(
        &self,
        access: &ProviderAccess,
        entry: EntryId,
        key: &str,
        document: &str,
    ) -> Result<Entry, ProviderError> {
        // The document goes out as it was stored: no member is reordered, no number is read.
        let data: &RawValue = serde_json::from_str(document).map_err(|_| not_json())?;
        let request = self.request(Method::PUT, ENTRIES, entry.uuid(), access).json(&EntryOut { data, key });
        let answer = self.text(request, access, self.options.body_bytes_max).await?;
        if wire::is_silent(&answer.1, entry.uuid(), Some("data")) {
            // It is stored; what the provider makes of it is compared all the same.
            return self.get_entry(access, entry).await.map_err(stored_but_not_shown);
        }
        wire::entry(read(&answer)?, entry, answer.1)
    }

    async fn replace_entry(
        &self,
        access: &ProviderAccess,
        entry: EntryId,
        document: &str,
    ) -> Result<Entry, ProviderError> {
        let data: &RawValue = serde_json::from_str(document).map_err(|_| not_json())?;
        // A whole document: parts of one are merged into what is there.
        let body = EntryReplacement { data, content_type: "application/json" };
        let request = self.request(Method::PATCH, ENTRIES, entry.uuid(), access).json(&body);
        let answer = self.text(request, access, self.options.body_bytes_max).await?;
        if wire::is_silent(&answer.1, entry.uuid(), Some("data")) {
            return self.get_entry(access, entry).await.map_err(stored_but_not_shown);
        }
        wire::entry(read(&answer)?, entry, answer.1)
    }

    async fn get_entry(&self, access: &ProviderAccess, entry: EntryId) -> Result<Entry, ProviderError> {
        self.entry(self.request(Method::GET, ENTRIES, entry.uuid(), access), access, entry).await
    }

    async fn list_entries(
        &self,
        access: &ProviderAccess,
        order: EntryOrder,
        cursor: Option<&str>,
    ) -> Result<EntryPage, ProviderError> {
        let mut url = client::below(&self.base_url, &ENTRIES);
        url.query_pairs_mut()
            .append_pair("limit", &ENTRIES_PER_PAGE.to_string())
            .extend_pairs(cursor.map(|cursor| ("cursor", cursor)));
        if let EntryOrder::Since(since) = order {
            url.query_pairs_mut()
                .append_pair("created_at", &since.to_string())
                .append_pair("ascending", "true");
        }
        let request = self.client.get(url).bearer_auth(access.token.expose());
        let answer = self.text(request, access, self.options.list_bytes_max).await?;
        Ok(wire::entries(read(&answer)?))
    }

    async fn get_file(
        &self,
        access: &ProviderAccess,
        entry: EntryId,
        file: Uuid,
        bytes_max: usize,
    ) -> Result<String, ProviderError> {
        let [area, version, kind] = ENTRIES;
        let path = [area, version, kind, &entry.uuid().to_string(), "files", &file.to_string()];
        // Not the address the entry names: the token goes nowhere else.
        let request = self.client.get(client::below(&self.base_url, &path));
        let request = request.bearer_auth(access.token.expose()).timeout(self.options.file_timeout);
        self.text(request, access, bytes_max).await.map(|(_, body)| body)
    }

    async fn put_job(
        &self,
        access: &ProviderAccess,
        job: ProviderJobId,
        workflow_id: Uuid,
        entry: EntryId,
        key: &str,
    ) -> Result<Job, ProviderError> {
        let body = JobOut { workflow_id, silo_entry_id: entry.uuid(), key };
        let request = self.request(Method::PUT, JOBS, job.uuid(), access).json(&body);
        let answer = self.text(request, access, self.options.body_bytes_max).await?;
        if wire::is_silent(&answer.1, job.uuid(), None) {
            return Ok(wire::running_job(job, answer.1));
        }
        wire::job(read(&answer)?, job, answer.1)
    }

    async fn get_job(&self, access: &ProviderAccess, job: ProviderJobId) -> Result<Job, ProviderError> {
        self.job(self.request(Method::GET, JOBS, job.uuid(), access), access, job).await
    }
}

/// The body of an answer as what it should be.
fn read<T: DeserializeOwned>((status, body): &(StatusCode, String)) -> Result<T, ProviderError> {
    serde_json::from_str(body).map_err(|error| {
        let what = if error.is_data() { "is not what its API describes" } else { "is no JSON" };
        ProviderError::Protocol {
            detail: format!("HTTP {status}: the answer {what} at {}", json_place(&error)),
        }
    })
}

fn unreadable(error: &BodyError, bytes_max: usize) -> ProviderError {
    match error {
        BodyError::Transport(detail) => ProviderError::Unavailable {
            detail: format!("the answer broke off: {detail}"),
            retry_after_s: None,
        },
        BodyError::TooLarge => {
            ProviderError::Protocol { detail: format!("the answer is longer than {bytes_max} bytes") }
        }
        BodyError::NotText => ProviderError::Protocol { detail: "the answer is not UTF-8".to_owned() },
    }
}

/// Why an entry that was stored cannot be looked at: whatever the provider says of the look, it took the document.
fn stored_but_not_shown(error: ProviderError) -> ProviderError {
    let status = match error {
        ProviderError::NotFound => 404,
        ProviderError::Conflict => 409,
        ProviderError::Refused { status, .. } => status,
        error @ (ProviderError::Unavailable { .. }
        | ProviderError::Unauthorised { .. }
        | ProviderError::Protocol { .. }) => return error,
    };
    ProviderError::Protocol { detail: format!("it stored the entry and does not show it (HTTP {status})") }
}

/// What the provider would say about such a body, said without asking it.
fn not_json() -> ProviderError {
    ProviderError::Refused {
        status: 400,
        faults: vec![ProviderFault {
            code: Some("not-json".to_owned()),
            message: Some("the structured document is not JSON".to_owned()),
            ..ProviderFault::default()
        }],
    }
}
