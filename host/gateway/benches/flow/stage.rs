//! A gateway with workspaces that send their documents to the built-in sandbox, and the runs on it.

use crate::client::Client;
use crate::login::new_client;
use gateway::InProcess;
use gateway_domain::access::{Acting, Actor, Permission, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{DocumentFilter, Status};
use gateway_domain::ports::Ids;
use gateway_domain::workspace::EInvoicing;
use gateway_domain_input::document::DocumentForm;
use gateway_storage::testing::RandomIds;
use gateway_workspaces::{EInvoicingForm, NewWorkspace};
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;
use secrecy::SecretString;
use serde_json::json;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use uuid::Uuid;

pub(crate) type BenchError = Box<dyn std::error::Error + Send + Sync>;

/// Who gives commands at once, each for a workspace of its own.
pub(crate) const CLIENTS: usize = 8;
/// Names the folder with the plugin of the tax system.
const PLUGINS: &str = "GATEWAY_BENCH_PLUGINS";
const REGIME: &str = "es-verifactu";
/// Who issues, in each workspace another one: the records of one supplier are a chain, which grows one by one.
const TAX_IDS: [&str; CLIENTS] =
    ["B98602642", "B17002288", "B17002296", "B17002304", "B17002312", "B17002320", "B17002338", "B17002346"];
/// How often to look whether all documents are issued, and how long at most.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
const RUN_TIMEOUT: Duration = Duration::from_mins(5);

/// A gateway that serves.
pub(crate) struct Stage {
    gateway: InProcess,
    workspaces: Vec<WorkspaceId>,
    token: String,
    // Dropped last: the gateway lives in it.
    _folder: TempDir,
}

/// What the gateway has asked of its database since it started.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct OperationCount {
    /// Statements on their own.
    pub(crate) reads: f64,
    /// Statements of transactions.
    pub(crate) statements: f64,
    pub(crate) commits: f64,
}

/// Documents on their way from command to verdict.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) documents: f64,
    elapsed: Duration,
    /// How long each command took to be answered.
    pub(crate) commands: Vec<Duration>,
    pub(crate) counted: OperationCount,
    pub(crate) rss_mib: u64,
}

impl Run {
    pub(crate) fn a_second(&self) -> f64 {
        self.documents / self.elapsed.as_secs_f64()
    }
}

impl Stage {
    /// Starts the gateway on a fresh database: SQLite, or the empty one on PostgreSQL that `server` names.
    pub(crate) async fn set(server: Option<&str>) -> Result<Self, BenchError> {
        let plugins = std::env::var_os(PLUGINS).map(PathBuf::from);
        let plugins = plugins.ok_or_else(|| format!("{PLUGINS} names no folder with {REGIME}"))?;
        // Cargo's folder is on a disk; the system's folder for such things need not be.
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let gateway = InProcess::start_with_sandbox(folder.path(), server, &plugins).await?;
        let mut workspaces = Vec::new();
        for tax_id in TAX_IDS {
            workspaces.push(sending_workspace(&gateway, tax_id).await?);
        }
        let permissions = vec![Permission::InvoicingRpc, Permission::FinanceRpc];
        let (_, token) = new_client(&gateway, permissions, Workspaces::All).await?;
        Ok(Self { gateway, workspaces, token, _folder: folder })
    }

    /// Drafts of so many lines, as many in each workspace.
    pub(crate) async fn drafts(&self, count: usize, lines: usize) -> Result<Vec<Vec<InvoiceId>>, BenchError> {
        let mut drafts = Vec::new();
        for workspace in &self.workspaces {
            let mut made = Vec::new();
            for _ in 0..count / self.workspaces.len() {
                let id = InvoiceId(RandomIds.next());
                let form = form(*workspace, lines)?;
                self.gateway.services().invoicing.save(&Acting::gateway(), id, form, None).await?;
                made.push(id);
            }
            drafts.push(made);
        }
        Ok(drafts)
    }

    /// Issues the drafts, each workspace's by a client of its own, and waits until all are issued.
    pub(crate) async fn run(&self, drafts: Vec<Vec<InvoiceId>>) -> Result<Run, BenchError> {
        let documents: usize = drafts.iter().map(Vec::len).sum();
        let before = self.counted()?;
        let issued_before = self.count(Status::Issued).await?;
        let given = Arc::new(AtomicUsize::new(0));
        let started = Instant::now();
        let mut clients = Vec::new();
        for ids in drafts {
            let mut client = Client::connect(self.gateway.internal_url(), &self.token).await?;
            let given = Arc::clone(&given);
            clients.push(tokio::spawn(async move {
                let mut took = Vec::new();
                for id in ids {
                    let started = Instant::now();
                    let path = format!("/finance/rpc/documents/{id}/commands/issue");
                    client.call("POST", &path, "{}").await?;
                    took.push(started.elapsed());
                    given.fetch_add(1, Ordering::Relaxed);
                }
                Ok::<_, BenchError>(took)
            }));
        }
        let mut commands = Vec::with_capacity(documents);
        for client in clients {
            commands.extend(client.await??);
        }
        while self.count(Status::Issuing).await? > 0 && started.elapsed() < RUN_TIMEOUT {
            tokio::time::sleep(POLL_INTERVAL).await;
        }
        let elapsed = started.elapsed();
        let after = self.counted()?;
        if self.count(Status::Issued).await? < issued_before + documents {
            return Err("not every document was issued".into());
        }
        let counted = OperationCount {
            reads: after.reads - before.reads,
            statements: after.statements - before.statements,
            commits: after.commits - before.commits,
        };
        let documents = f64::from(u32::try_from(documents)?);
        Ok(Run { documents, elapsed, commands, counted, rss_mib: rss_mib()? })
    }

    /// How many documents of all workspaces are in this state. One statement, because what is asked here is counted too.
    async fn count(&self, status: Status) -> Result<usize, BenchError> {
        let filter = DocumentFilter { status: Some(status), ..DocumentFilter::default() };
        let count = self.gateway.services().lists.count(&Acting::gateway(), &filter).await?;
        Ok(usize::try_from(count)?)
    }

    fn counted(&self) -> Result<OperationCount, BenchError> {
        let mut registry = Registry::default();
        self.gateway.services().db.register_metrics(&mut registry);
        let mut text = String::new();
        text::encode(&mut text, &registry)?;
        let count = |operation: &str| {
            let label = format!("db_operation_name=\"{operation}\"");
            let lines = text.lines().filter(|line| line.contains("_count{") && line.contains(&label));
            lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
        };
        Ok(OperationCount { reads: count("read"), statements: count("statement"), commits: count("commit") })
    }

    /// Ends the gateway.
    pub(crate) async fn strike(self) {
        self.gateway.stop().await;
    }
}

async fn sending_workspace(gateway: &InProcess, tax_id: &str) -> Result<WorkspaceId, BenchError> {
    let new = NewWorkspace {
        name: format!("Casa {tax_id}"),
        legal_name: "Casa S.L.".to_owned(),
        tax_id: tax_id.to_owned(),
        country: "ES".to_owned(),
        ..NewWorkspace::default()
    };
    let made = gateway.services().workspaces.create(&Actor::operator(), &new).await?;
    let configuration = EInvoicing {
        regime: REGIME.parse()?,
        company_id: Uuid::from_u128(0x0193_a1b2_0000_7000_8000_0000_0000_c0de),
        workflow_id: Uuid::from_u128(0x0193_a1b2_0000_7000_8000_0000_000f_1000),
        settings: json!({}),
    };
    let token = Some(SecretString::from("provider-token-of-the-benchmark"));
    let form = EInvoicingForm { configuration, token, webhook_token: None };
    gateway.services().workspaces.set_e_invoicing(&Actor::operator(), made.workspace.id, &form).await?;
    Ok(made.workspace.id)
}

/// Nights for Jane Roe.
fn form(workspace: WorkspaceId, lines: usize) -> Result<DocumentForm, serde_json::Error> {
    let lines: Vec<_> = (1..=lines)
        .map(|number| {
            json!({"description": format!("Studio, night {number}"), "quantity": "1", "unit_price": "110.00",
                "tax": {"category": "VAT", "rate": "10.0"}})
        })
        .collect();
    serde_json::from_value(json!({
        "workspace_id": workspace, "document_type": "invoice", "currency": "EUR", "prices_include_tax": true,
        "recipient": {"type": "individual", "name": "Jane Roe",
            "identity_document": {"type": "passport", "number": "123456789", "country": "GB"},
            "address": {"street": "1 High St", "locality": "Leeds", "postcode": "LS1 1AA", "country": "GB"}},
        "lines": lines,
    }))
}

/// Memory of this process that is in use.
fn rss_mib() -> Result<u64, BenchError> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).ok_or("no VmRSS")?;
    let kib: u64 = line.trim().trim_end_matches(" kB").parse()?;
    Ok(kib >> 10)
}
