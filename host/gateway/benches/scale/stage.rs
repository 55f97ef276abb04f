//! A gateway with a few documents that went the whole way, and any number of copies of them.

use crate::client::Client;
use crate::login::new_client;
use crate::rows::{self, Original};
use crate::session::sign_in;
use gateway::InProcess;
use gateway_domain::access::{Acting, Actor, Permission, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::Status;
use gateway_domain::ports::Ids;
use gateway_domain::workspace::EInvoicing;
use gateway_domain_input::document::DocumentForm;
use gateway_storage::tables::Schema;
use gateway_storage::testing::RandomIds;
use gateway_workspaces::{EInvoicingForm, NewWorkspace};
use secrecy::{ExposeSecret, SecretString};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use uuid::Uuid;

pub(crate) type BenchError = Box<dyn std::error::Error + Send + Sync>;

/// Names the folder with the plugin of the tax system.
const PLUGINS: &str = "GATEWAY_BENCH_PLUGINS";
const REGIME: &str = "es-verifactu";
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const VERDICT_TIMEOUT: Duration = Duration::from_mins(1);

/// A gateway that serves.
pub(crate) struct Stage {
    gateway: InProcess,
    /// Sends its documents.
    workspace: WorkspaceId,
    /// Sends none: its documents are issued by hand.
    quiet: WorkspaceId,
    token: String,
    cookie: String,
    schema: Schema,
    originals: Vec<Original>,
    copies: usize,
    // Dropped last: the gateway lives in it.
    _folder: TempDir,
}

/// A request that is measured.
#[derive(Debug, Clone)]
pub(crate) struct TimedRequest {
    /// As it stands in the table.
    pub(crate) name: String,
    method: &'static str,
    path: String,
    body: String,
    is_public: bool,
}

impl TimedRequest {
    pub(crate) fn get(path: impl Into<String>) -> Self {
        let path = path.into();
        Self { name: path.clone(), method: "GET", path, body: String::new(), is_public: false }
    }

    pub(crate) fn graphql(name: &str, query: &str) -> Self {
        let body = json!({"query": query}).to_string();
        Self { name: name.to_owned(), method: "POST", path: "/v1".to_owned(), body, is_public: true }
    }

    pub(crate) fn named(self, name: &str) -> Self {
        Self { name: name.to_owned(), ..self }
    }
}

impl Stage {
    /// Starts the gateway on a fresh database: SQLite, or the empty one on PostgreSQL that `server` names.
    pub(crate) async fn set(server: Option<&str>) -> Result<Self, BenchError> {
        let plugins = std::env::var_os(PLUGINS).map(PathBuf::from);
        let plugins = plugins.ok_or_else(|| format!("{PLUGINS} names no folder with {REGIME}"))?;
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let gateway = InProcess::start_with_sandbox(folder.path(), server, &plugins).await?;
        let workspace = new_workspace(&gateway, "B98602642").await?;
        let quiet = new_workspace(&gateway, "B17002288").await?;
        let configuration = EInvoicing {
            regime: REGIME.parse()?,
            company_id: Uuid::from_u128(0x0193_a1b2_0000_7000_8000_0000_0000_c0de),
            workflow_id: Uuid::from_u128(0x0193_a1b2_0000_7000_8000_0000_000f_1000),
            settings: json!({}),
        };
        let token = Some(SecretString::from("provider-token-of-the-benchmark"));
        let form = EInvoicingForm { configuration, token, webhook_token: None };
        gateway.services().workspaces.set_e_invoicing(&Actor::operator(), workspace, &form).await?;
        let permissions = vec![
            Permission::InvoicingRpc,
            Permission::FinanceRpc,
            Permission::ConsoleRead,
            Permission::Admin,
        ];
        let (made, token) = new_client(&gateway, permissions, Workspaces::All).await?;
        let (id, secret) = (made.client.id.to_string(), made.secret.expose_secret().to_owned());
        let cookie = sign_in(gateway.internal_url(), &id, &secret).await?;
        let schema = Schema::read(&gateway.services().db).await?;
        let mut stage = Self {
            gateway,
            workspace,
            quiet,
            token,
            cookie,
            schema,
            originals: Vec::new(),
            copies: 0,
            _folder: folder,
        };
        let issued = stage.ended("Jane Roe", Status::Issued).await?;
        let rejected = stage.ended("SANDBOX-REJECT-1110", Status::Rejected).await?;
        let draft = stage.draft(workspace, "Rare Guest").await?;
        stage.originals = vec![
            Original { id: issued, prefix: "00007000", every: 1 },
            Original { id: rejected, prefix: "00007001", every: 100 },
            Original { id: draft, prefix: "00007002", every: 20 },
        ];
        Ok(stage)
    }

    /// Copies documents until there are so many.
    pub(crate) async fn fill(&mut self, copies: usize) -> Result<(), BenchError> {
        let range = (self.copies, copies);
        rows::copy(&self.gateway.services().db, &self.schema, &self.originals, range).await?;
        self.copies = copies;
        Ok(())
    }

    /// The id of a copy in the middle.
    pub(crate) fn middle(&self) -> String {
        format!("00007000-0000-7000-8000-{:012x}", self.copies / 2)
    }

    /// The number of that copy.
    pub(crate) fn middle_number(&self) -> String {
        format!("00007000-{:08}", self.copies / 2)
    }

    /// The position of one of its events in the feed.
    pub(crate) const fn middle_event(&self) -> usize {
        rows::position(self.copies / 2)
    }

    pub(crate) const fn workspace(&self) -> WorkspaceId {
        self.workspace
    }

    /// How long a request takes: the median of so many.
    pub(crate) async fn measure(
        &self,
        request: &TimedRequest,
        rounds: usize,
    ) -> Result<Duration, BenchError> {
        let url = if request.is_public { self.gateway.public_url() } else { self.gateway.internal_url() };
        let headers = format!(
            "authorization: Bearer {}\r\ncookie: {}\r\ncontent-type: application/json",
            self.token, self.cookie
        );
        let mut client = Client::connect_with(url, &headers).await?;
        let mut times = Vec::new();
        for round in 0..=rounds {
            let started = Instant::now();
            let answer = client.call(request.method, &request.path, &request.body).await?;
            if request.is_public && !answer.starts_with(br#"{"data""#) {
                return Err(format!("{}: {}", request.name, String::from_utf8_lossy(answer)).into());
            }
            if round > 0 {
                times.push(started.elapsed());
            }
        }
        median(times)
    }

    /// How long it takes to issue a document with a number and without an authority: the median of so many.
    pub(crate) async fn measure_issuing(&self, rounds: usize) -> Result<Duration, BenchError> {
        let mut client = Client::connect(self.gateway.internal_url(), &self.token).await?;
        let mut times = Vec::new();
        for round in 0..=rounds {
            let id = self.draft(self.quiet, "Jane Roe").await?;
            let started = Instant::now();
            client.call("PUT", &format!("/invoicing/rpc/documents/{id}/issuing"), "{}").await?;
            if round > 0 {
                times.push(started.elapsed());
            }
        }
        median(times)
    }

    /// How long a document takes from its command until it is issued: the median of so many.
    pub(crate) async fn measure_flow(&self, rounds: usize) -> Result<Duration, BenchError> {
        let mut times = Vec::new();
        for round in 0..=rounds {
            let started = Instant::now();
            self.ended("Jane Roe", Status::Issued).await?;
            if round > 0 {
                times.push(started.elapsed());
            }
        }
        median(times)
    }

    async fn draft(&self, workspace: WorkspaceId, name: &str) -> Result<InvoiceId, BenchError> {
        let form: DocumentForm = serde_json::from_value(json!({
            "workspace_id": workspace, "document_type": "invoice", "currency": "EUR", "prices_include_tax": true,
            "recipient": {"type": "individual", "name": name,
                "identity_document": {"type": "passport", "number": "123456789", "country": "GB"},
                "address": {"street": "1 High St", "locality": "Leeds", "postcode": "LS1 1AA", "country": "GB"}},
            "lines": [{"description": "Studio, 3 nights", "quantity": "3", "unit_price": "89.90",
                "tax": {"category": "VAT", "rate": "10.0"}}],
        }))?;
        let id = InvoiceId(RandomIds.next());
        self.gateway.services().invoicing.save(&Acting::gateway(), id, form, None).await?;
        Ok(id)
    }

    /// A document that was issued through the sandbox, and has this status now.
    async fn ended(&self, name: &str, status: Status) -> Result<InvoiceId, BenchError> {
        let id = self.draft(self.workspace, name).await?;
        let mut client = Client::connect(self.gateway.internal_url(), &self.token).await?;
        client.call("POST", &format!("/finance/rpc/documents/{id}/commands/issue"), "{}").await?;
        let started = Instant::now();
        loop {
            let answer = client.call("GET", &format!("/finance/rpc/documents/{id}"), "").await?;
            let document: Value = serde_json::from_slice(answer)?;
            if document.get("status").and_then(Value::as_str) == Some(status.as_str()) {
                return Ok(id);
            }
            if started.elapsed() > VERDICT_TIMEOUT {
                return Err(format!("{id} is not {}: {document}", status.as_str()).into());
            }
            tokio::time::sleep(POLL_INTERVAL / 10).await;
        }
    }

    /// Ends the gateway.
    pub(crate) async fn strike(self) {
        self.gateway.stop().await;
    }
}

fn median(mut times: Vec<Duration>) -> Result<Duration, BenchError> {
    times.sort_unstable();
    Ok(*times.get(times.len() / 2).ok_or("no request")?)
}

async fn new_workspace(gateway: &InProcess, tax_id: &str) -> Result<WorkspaceId, BenchError> {
    let new = NewWorkspace {
        name: "Casa".to_owned(),
        legal_name: "Casa S.L.".to_owned(),
        tax_id: tax_id.to_owned(),
        country: "ES".to_owned(),
        ..NewWorkspace::default()
    };
    Ok(gateway.services().workspaces.create(&Actor::operator(), &new).await?.workspace.id)
}
