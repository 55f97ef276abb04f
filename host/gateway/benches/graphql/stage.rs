//! A gateway with product groups and one client that may read them.

use crate::login::new_client;
use crate::pages::{PageQuery, Pages};
use gateway::InProcess;
use gateway_domain::access::{Permission, Workspaces};
use gateway_domain::ids::{ProductGroupId, WorkspaceId};
use gateway_domain_platform::catalog::{ProductGroup, ProductGroupForm};
use gateway_storage::testing::samples;
use gateway_storage::{Db, Sql, product_groups};
use jiff::Timestamp;
use serde_json::json;
use std::path::Path;
use tempfile::TempDir;
use uuid::Uuid;

pub(crate) type BenchError = Box<dyn std::error::Error + Send + Sync>;

/// Product groups of the workspace.
pub(crate) const GROUPS: usize = 10_000;
/// Rows of a page.
pub(crate) const PAGE: usize = 25;
/// Whose they are.
pub(crate) const WORKSPACE: WorkspaceId = WorkspaceId(1);
/// How the gateway is asked for a page of theirs.
pub(crate) const QUERY: PageQuery = PageQuery {
    path: "/v1",
    text: "query($after: String) { catalog { productGroups(first: 25, after: $after) { \
        nodes { id internalReference publishing { startDate endDate state } } pageInfo { hasNextPage endCursor } } } }",
    connection: "/data/catalog/productGroups",
};

/// When a product group was made: one each second, so that the place of each page is known.
pub(crate) fn made_at(place: usize) -> Timestamp {
    samples::at(i64::try_from(place).unwrap_or_default())
}

/// A gateway that serves.
pub(crate) struct Stage {
    gateway: InProcess,
    token: String,
    pages: Pages,
    // Dropped last: the gateway lives in it.
    folder: TempDir,
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
        let pages = Pages::walk(gateway.public_url(), &token, QUERY).await?;
        Ok(Self { gateway, token, pages, folder })
    }

    /// Where files of this run may lie.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn db(&self) -> &Db {
        &self.gateway.services().db
    }

    /// Where the gateway listens.
    pub(crate) fn url(&self) -> &str {
        self.gateway.public_url()
    }

    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// What the gateway is asked for.
    pub(crate) fn pages(&self) -> &Pages {
        &self.pages
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
