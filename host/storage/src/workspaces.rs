//! Workspaces: who they are and how they count; in `e_invoicing` how each sends its invoices, in `printing` how those look.

pub mod printing;

use crate::invoicing::numbers;
use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{Param, params, statements};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::Supplier;
use gateway_domain::workspace::{RejectionStrategy, Workspace};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::str::FromStr;

/// What a workspace has besides its id.
macro_rules! own_columns {
    () => {
        "name, legal_name, tax_id, country, time_zone, address, email, invoice_pattern, credit_pattern, rejection_strategy"
    };
}

macro_rules! columns {
    () => {
        concat!("id, ", own_columns!())
    };
}

// Behind the columns, which it selects as well.
pub mod e_invoicing;

pub use e_invoicing::{
    ConfiguredWorkspace, ExpiringToken, SealedEInvoicing, SealedProviderToken, SealedWebhookToken,
    any_webhook_token, by_webhook_token, clear_e_invoicing, configured, e_invoicing, expiring_tokens,
    lock_e_invoicing, put_e_invoicing, regimes,
};

statements! {
    // A lock, so that two at once do not get the same id; SQLite has one writer anyway.
    LOCK = pg "LOCK TABLE workspace IN SHARE ROW EXCLUSIVE MODE", sqlite "SELECT 1";
    FREE_ID = "SELECT COALESCE(MAX(id), 0) + 1 FROM workspace WHERE id < $1";
    INSERT = both concat!("INSERT INTO workspace (", columns!(), ", created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)");
    UPDATE = both concat!("UPDATE workspace SET (", own_columns!(), ", updated_at) = ($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
        WHERE id = $1");
    FIND = both concat!("SELECT ", columns!(), " FROM workspace WHERE id = $1");
    HOLD = each ["SELECT ", (columns!), " FROM workspace WHERE id = $1", (lock " FOR SHARE")];
    STOP = each ["SELECT id FROM workspace WHERE id = $1", (lock " FOR NO KEY UPDATE")];
    LIST = both concat!("SELECT ", columns!(), " FROM workspace WHERE id > $1 ORDER BY id LIMIT $2");
    TIME_ZONES = each ["SELECT id, time_zone FROM workspace WHERE ", (among "id", "$1")];
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    name: String,
    legal_name: String,
    tax_id: String,
    country: String,
    time_zone: String,
    address: Option<String>,
    email: Option<String>,
    invoice_pattern: String,
    credit_pattern: String,
    rejection_strategy: String,
}

impl TryFrom<Row> for Workspace {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = row.id;
        let address = row
            .address
            .map(|text| {
                serde_json::from_str(&text).map_err(|_| Corrupt::new("workspace", id, "address", text))
            })
            .transpose()?;
        Ok(Self {
            id: WorkspaceId(id),
            name: row.name,
            supplier: Supplier {
                legal_name: row.legal_name,
                tax_id: row.tax_id,
                country: row.country,
                address,
                email: row.email,
            },
            time_zone: zone(id, &row.time_zone)?,
            invoice_pattern: parsed(id, "invoice_pattern", &row.invoice_pattern)?,
            credit_pattern: parsed(id, "credit_pattern", &row.credit_pattern)?,
            rejection_strategy: match row.rejection_strategy.as_str() {
                "a" => RejectionStrategy::A,
                "b" => RejectionStrategy::B,
                other => return Err(Corrupt::new("workspace", id, "rejection_strategy", other)),
            },
        })
    }
}

fn zone(id: i64, text: &str) -> Result<TimeZone, Corrupt> {
    TimeZone::get(text).map_err(|_| Corrupt::new("workspace", id, "time_zone", text))
}

fn parsed<T: FromStr>(id: i64, column: &'static str, text: &str) -> Result<T, Corrupt> {
    text.parse().map_err(|_| Corrupt::new("workspace", id, column, text))
}

/// The smallest id above all others that can be shown. Keeps other creators waiting until the transaction ends.
pub async fn free_id(tx: &mut Tx) -> Result<WorkspaceId, StoreError> {
    tx.execute(&LOCK, params![]).await?;
    let (id,): (i64,) = tx.fetch_one(&FREE_ID, params![WorkspaceId::MAX.0]).await?;
    Ok(WorkspaceId(id))
}

/// Creates a workspace. A unique violation means that the id is taken, or that another workspace of the same
/// supplier numbers its documents with the same pattern.
pub async fn insert(tx: &mut Tx, workspace: &Workspace, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(&INSERT, row_params(workspace, now)?).await?;
    Ok(())
}

/// Replaces everything but the id; `false` when there is no such workspace. Unique violations as in [`insert`]. What the
/// workspace gave so far counts for another supplier too: it is [`stop`]ped, best before anything is decided.
pub async fn update(tx: &mut Tx, workspace: &Workspace, now: Timestamp) -> Result<bool, StoreError> {
    stop(tx, workspace.id).await?;
    let Some(before) = find(&mut *tx, workspace.id).await? else { return Ok(false) };
    if before.issuer() != workspace.issuer() {
        numbers::count_for(tx, &workspace.issuer(), workspace.id).await?;
    }
    Ok(tx.execute(&UPDATE, row_params(workspace, now)?).await? == 1)
}

fn row_params(workspace: &Workspace, now: Timestamp) -> Result<Vec<Param>, StoreError> {
    let supplier = &workspace.supplier;
    let time_zone = workspace.time_zone.iana_name().unwrap_or("UTC");
    let strategy = match workspace.rejection_strategy {
        RejectionStrategy::A => "a",
        RejectionStrategy::B => "b",
    };
    Ok(params![
        workspace.id,
        &workspace.name,
        &supplier.legal_name,
        &supplier.tax_id,
        &supplier.country,
        time_zone,
        supplier.address.as_ref().map(StoreError::json).transpose()?,
        supplier.email.clone(),
        workspace.invoice_pattern.to_string(),
        workspace.credit_pattern.to_string(),
        strategy,
        now,
    ])
}

/// One workspace.
pub async fn find(on: impl Into<Executor<'_>>, id: WorkspaceId) -> Result<Option<Workspace>, StoreError> {
    let row: Option<Row> = on.into().optional(&FIND, params![id]).await?;
    Ok(row.map(Workspace::try_from).transpose()?)
}

/// [`find`] within a transaction, which may have [`remember`]ed the workspace.
pub async fn find_in(tx: &mut Tx, id: WorkspaceId) -> Result<Option<Workspace>, StoreError> {
    let known = tx.remembered::<Workspace>().find(|workspace| workspace.id == id).cloned();
    match known {
        Some(workspace) => Ok(Some(workspace)),
        None => find(tx, id).await,
    }
}

/// Keeps a workspace that this transaction has read for whoever looks for it in the same one.
pub fn remember(tx: &mut Tx, workspace: Workspace) {
    tx.remember(workspace);
}

/// The workspace as it is and stays until the transaction ends: for whoever gives a number, whose supplier and pattern
/// it decides. Take it behind the series.
pub async fn hold(tx: &mut Tx, id: WorkspaceId) -> Result<Option<Workspace>, StoreError> {
    let row: Option<Row> = tx.fetch_optional(&HOLD, params![id]).await?;
    Ok(row.map(Workspace::try_from).transpose()?)
}

/// Waits until nobody holds the workspace, and lets nobody [`hold`] it until the transaction ends: every number that was
/// given is there to be read, and the next one is given under what the workspace is then. Take it behind the series.
pub async fn stop(tx: &mut Tx, id: WorkspaceId) -> Result<(), StoreError> {
    tx.fetch_optional::<(i64,)>(&STOP, params![id]).await?;
    Ok(())
}

/// Workspaces in the order of their ids, those after `after`, at most `limit`.
pub async fn list(
    on: impl Into<Executor<'_>>,
    after: WorkspaceId,
    limit: i64,
) -> Result<Vec<Workspace>, StoreError> {
    let rows: Vec<Row> = on.into().all(&LIST, params![after, limit]).await?;
    Ok(rows.into_iter().map(Workspace::try_from).collect::<Result<_, _>>()?)
}

/// The time zones of workspaces; those that do not exist are absent.
pub async fn time_zones(
    on: impl Into<Executor<'_>>,
    workspaces: &[WorkspaceId],
) -> Result<HashMap<WorkspaceId, TimeZone>, StoreError> {
    let ids = Param::Ints(Some(workspaces.iter().map(|id| id.0).collect()));
    let rows: Vec<(i64, String)> = on.into().all(&TIME_ZONES, vec![ids]).await?;
    let zones = rows.into_iter().map(|(id, text)| Ok((WorkspaceId(id), zone(id, &text)?)));
    Ok(zones.collect::<Result<_, Corrupt>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use crate::testing::samples::{at, workspace};

    #[tokio::test]
    async fn a_workspace_is_read_as_it_was_written() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            let id = free_id(&mut tx).await.unwrap();
            assert_eq!(id, WorkspaceId(1));
            insert(&mut tx, &workspace(1), at(0)).await.unwrap();
            assert_eq!(free_id(&mut tx).await.unwrap(), WorkspaceId(2));
            tx.commit().await.unwrap();
            let stored = find(db.db(), id).await.unwrap().unwrap();
            assert_eq!(format!("{stored:?}"), format!("{:?}", workspace(1)));
            assert!(find(db.db(), WorkspaceId(2)).await.unwrap().is_none());
            assert_eq!(list(db.db(), WorkspaceId(0), 10).await.unwrap().len(), 1);
        }
    }

    #[tokio::test]
    async fn two_workspaces_of_one_supplier_number_differently() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            insert(&mut tx, &workspace(1), at(0)).await.unwrap();
            tx.commit().await.unwrap();
            let mut second = workspace(2);
            second.supplier.tax_id = workspace(1).supplier.tax_id;
            let mut tx = db.begin().await.unwrap();
            let refused = insert(&mut tx, &second, at(0)).await.unwrap_err();
            assert_eq!(refused.kind(), Some(gateway_domain::StoreCauseKind::Duplicate));
            tx.rollback().await.unwrap();
            second.invoice_pattern = "B-{year}-{number}".parse().unwrap();
            second.credit_pattern = "BR-{year}-{number}".parse().unwrap();
            let mut tx = db.begin().await.unwrap();
            insert(&mut tx, &second, at(0)).await.unwrap();
            second.rejection_strategy = RejectionStrategy::B;
            assert!(update(&mut tx, &second, at(0)).await.unwrap());
            assert!(!update(&mut tx, &workspace(3), at(0)).await.unwrap());
            tx.commit().await.unwrap();
            let stored = find(db.db(), WorkspaceId(2)).await.unwrap().unwrap();
            assert_eq!(stored.rejection_strategy, RejectionStrategy::B);
        }
    }
}
