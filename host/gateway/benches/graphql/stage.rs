//! A gateway with product groups and one client that may read them, and the samples of its pages.

use crate::against::Sample;
use crate::client::Client;
use crate::login::new_client;
use gateway::InProcess;
use gateway_domain::access::{Permission, Workspaces};
use gateway_domain::ids::{ProductGroupId, WorkspaceId};
use gateway_domain_platform::catalog::{ProductGroup, ProductGroupForm};
use gateway_storage::testing::samples;
use gateway_storage::{Db, Sql, product_groups};
use jiff::Timestamp;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use uuid::Uuid;

pub(crate) type BenchError = Box<dyn std::error::Error + Send + Sync>;

/// Product groups of the workspace.
pub(crate) const GROUPS: usize = 10_000;
/// Rows of a page.
pub(crate) const PAGE: usize = 25;
/// Whose they are.
pub(crate) const WORKSPACE: WorkspaceId = WorkspaceId(1);
const QUERY: &str = "query($after: String) { catalog { productGroups(first: 25, after: $after) { \
    nodes { id internalReference publishing { startDate endDate state } } pageInfo { hasNextPage endCursor } } } }";

/// When a product group was made: one each second, so that the place of each page is known.
pub(crate) fn made_at(place: usize) -> Timestamp {
    samples::at(i64::try_from(place).unwrap_or_default())
}

/// A gateway that serves.
pub(crate) struct Stage {
    gateway: InProcess,
    token: String,
    pages: Arc<Vec<Page>>,
    // Dropped last: the gateway lives in it.
    folder: TempDir,
}

/// The request of a page, and how long its answer is.
#[derive(Debug)]
struct Page {
    request: String,
    answer_bytes: usize,
}

impl Stage {
    /// Starts the gateway on the empty database that `server` names, fills it, and walks through all pages once.
    pub(crate) async fn set(server: &str) -> Result<Self, BenchError> {
        let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
        let gateway = InProcess::start(folder.path(), Some(server)).await?;
        fill(&gateway.services().db).await?;
        let permissions = vec![Permission::CatalogRead];
        let workspaces = Workspaces::Only(vec![WORKSPACE]);
        let (_, token) = new_client(&gateway, permissions, workspaces).await?;
        let pages = Arc::new(walk(gateway.public_url(), &token).await?);
        Ok(Self { gateway, token, pages, folder })
    }

    /// Where files of this run may lie.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn db(&self) -> &Db {
        &self.gateway.services().db
    }

    /// So many clients at once ask for one page after the other, each from another page on, for this long.
    pub(crate) async fn sample(&self, clients: usize, long: Duration) -> Result<Sample, BenchError> {
        let mut connected = Vec::new();
        for _ in 0..clients {
            connected.push(Client::connect(self.gateway.public_url(), &self.token).await?);
        }
        let started = Instant::now();
        let running: Vec<_> = (0_usize..)
            .zip(connected)
            .map(|(number, mut client)| {
                let pages = Arc::clone(&self.pages);
                tokio::spawn(async move {
                    let mut latencies = Vec::new();
                    for page in pages.iter().cycle().skip(number * 17 % pages.len().max(1)) {
                        if started.elapsed() >= long {
                            break;
                        }
                        let started = Instant::now();
                        let answer = client.call("POST", "/v1", &page.request).await?;
                        if answer.len() != page.answer_bytes {
                            return Err(String::from_utf8_lossy(answer).into());
                        }
                        latencies.push(started.elapsed());
                    }
                    Ok::<_, BenchError>(latencies)
                })
            })
            .collect();
        Sample::of(started, running).await
    }

    /// Ends the gateway.
    pub(crate) async fn strike(self) {
        self.gateway.stop().await;
    }
}

async fn fill(db: &Db) -> Result<(), BenchError> {
    samples::stored_workspace(db, WORKSPACE.0).await;
    let groups = (0..GROUPS).map(group).collect::<Result<Vec<_>, _>>()?;
    let mut tx = db.begin().await?;
    for (place, group) in groups.iter().enumerate() {
        product_groups::put(&mut tx, &[group], made_at(place)).await?;
    }
    tx.commit().await?;
    // As the server does by itself some time after so many rows came.
    let mut tx = db.begin().await?;
    tx.execute(&Sql::both("ANALYZE product_group"), Vec::new()).await?;
    tx.commit().await?;
    Ok(())
}

/// The group that stands at this place of the list.
fn group(place: usize) -> Result<ProductGroup, BenchError> {
    let form: ProductGroupForm = serde_json::from_value(json!({
        "workspace_id": WORKSPACE, "internal_reference": format!("BENCH-{place:05}"),
        "contract_earliest_start_date": "2026-09-01", "contract_latest_start_date": "2026-10-01",
        "contract_earliest_end_date": "2027-06-01", "contract_latest_end_date": "2027-08-31",
        "academic_year": "2026/2027", "product_segment": "FULL_YEAR", "state": "ACTIVE",
        "publishing": {"start_date": "2026-03-01", "end_date": null},
    }))?;
    let id = ProductGroupId(Uuid::from_u128((0x7000 << 64) | (0x8000 << 48) | u128::try_from(place)?));
    Ok(form.check(id).map_err(|faults| gateway_domain_input::sentence(&faults))?)
}

/// All pages by their cursors, each of which must be full.
async fn walk(url: &str, token: &str) -> Result<Vec<Page>, BenchError> {
    let mut client = Client::connect(url, token).await?;
    let (mut pages, mut after) = (Vec::new(), Value::Null);
    loop {
        let request = json!({"query": QUERY, "variables": {"after": after}}).to_string();
        let answer = client.call("POST", "/v1", &request).await?;
        let answer_bytes = answer.len();
        let answer: Value = serde_json::from_slice(answer)?;
        let list = answer.pointer("/data/catalog/productGroups").ok_or_else(|| answer.to_string())?;
        let rows = list.pointer("/nodes").and_then(Value::as_array).map_or(0, Vec::len);
        if rows != PAGE {
            return Err(format!("a page of {rows}: {answer}").into());
        }
        pages.push(Page { request, answer_bytes });
        after = list.pointer("/pageInfo/endCursor").cloned().unwrap_or_default();
        if list.pointer("/pageInfo/hasNextPage") != Some(&Value::Bool(true)) {
            break;
        }
    }
    match pages.len() {
        all if all == GROUPS / PAGE => Ok(pages),
        other => Err(format!("{other} pages").into()),
    }
}
