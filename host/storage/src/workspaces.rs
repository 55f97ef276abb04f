//! Workspaces, and how each sends its invoices. Tokens come in and go out sealed.

pub mod printing;

use crate::invoicing::numbers;
use gateway_database::db::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{Param, params, statements};
use gateway_database::value::Id;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::Supplier;
use gateway_domain::workspace::{EInvoicing, RejectionStrategy, Workspace};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::fmt;
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

macro_rules! e_invoicing_columns {
    () => {
        "workspace_id, regime, company_id, workflow_id, token, webhook_token, settings"
    };
}

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
    PUT_E_INVOICING = both concat!("INSERT INTO e_invoicing (", e_invoicing_columns!(), ", webhook_token_hash, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
        ON CONFLICT (workspace_id) DO UPDATE SET regime = excluded.regime, company_id = excluded.company_id,
            workflow_id = excluded.workflow_id, token = excluded.token,
            webhook_token = COALESCE(excluded.webhook_token, e_invoicing.webhook_token),
            webhook_token_hash = COALESCE(excluded.webhook_token_hash, e_invoicing.webhook_token_hash), settings = excluded.settings,
            updated_at = excluded.updated_at");
    FIND_E_INVOICING = both concat!("SELECT ", e_invoicing_columns!(), " FROM e_invoicing WHERE workspace_id = $1");
    CONFIGURED = both concat!("SELECT ", columns!(), ", ", e_invoicing_columns!(), "
        FROM workspace LEFT JOIN e_invoicing ON workspace_id = id WHERE id = $1");
    LOCK_E_INVOICING = each ["SELECT ", (e_invoicing_columns!), " FROM e_invoicing WHERE workspace_id = $1", (lock " FOR UPDATE")];
    CLEAR_E_INVOICING = "DELETE FROM e_invoicing WHERE workspace_id = $1";
    WEBHOOK_TOKENS = "SELECT COUNT(*) FROM e_invoicing WHERE webhook_token_hash IS NOT NULL";
    BY_WEBHOOK_TOKEN = "SELECT workspace_id FROM e_invoicing WHERE webhook_token_hash = $1 ORDER BY workspace_id";
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

/// A sealed webhook token with the keyed hash that finds it.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedWebhookToken {
    /// The token itself; `gateway_access` opens it, for this workspace only.
    pub sealed: Vec<u8>,
    /// HMAC of the token.
    pub hash: Vec<u8>,
}

impl fmt::Debug for SealedWebhookToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SealedWebhookToken(…)")
    }
}

/// A stored e-invoicing configuration with its sealed tokens.
#[derive(Clone, PartialEq)]
pub struct SealedEInvoicing {
    /// What is not secret.
    pub configuration: EInvoicing,
    /// The envelope of the provider's API token.
    pub token: Vec<u8>,
    /// The envelope of the webhook token.
    pub webhook_token: Option<Vec<u8>>,
}

impl fmt::Debug for SealedEInvoicing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealedEInvoicing").field("configuration", &self.configuration).finish_non_exhaustive()
    }
}

#[derive(sqlx::FromRow)]
struct EInvoicingRow {
    workspace_id: i64,
    regime: String,
    company_id: Id,
    workflow_id: Id,
    token: Vec<u8>,
    webhook_token: Option<Vec<u8>>,
    settings: String,
}

impl TryFrom<EInvoicingRow> for SealedEInvoicing {
    type Error = Corrupt;

    fn try_from(row: EInvoicingRow) -> Result<Self, Corrupt> {
        let corrupt = |column, found: &str| Corrupt::new("e_invoicing", row.workspace_id, column, found);
        Ok(Self {
            configuration: EInvoicing {
                regime: row.regime.parse().map_err(|_| corrupt("regime", &row.regime))?,
                company_id: row.company_id.0,
                workflow_id: row.workflow_id.0,
                settings: serde_json::from_str(&row.settings)
                    .map_err(|_| corrupt("settings", &row.settings))?,
            },
            token: row.token,
            webhook_token: row.webhook_token,
        })
    }
}

/// Sets the e-invoicing configuration of a workspace, replacing what was there. A foreign key violation means that
/// there is no such workspace.
pub async fn put_e_invoicing(
    tx: &mut Tx,
    workspace: WorkspaceId,
    configuration: &EInvoicing,
    token: &[u8],
    webhook_token: Option<SealedWebhookToken>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (sealed, hash) = webhook_token.map(|token| (token.sealed, token.hash)).unzip();
    let params = params![
        workspace,
        configuration.regime.as_str(),
        configuration.company_id,
        configuration.workflow_id,
        token,
        sealed,
        configuration.settings.to_string(),
        hash,
        now,
    ];
    tx.execute(&PUT_E_INVOICING, params).await?;
    Ok(())
}

/// The e-invoicing configuration of a workspace.
pub async fn e_invoicing(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
) -> Result<Option<SealedEInvoicing>, StoreError> {
    let row: Option<EInvoicingRow> = on.into().optional(&FIND_E_INVOICING, params![workspace]).await?;
    Ok(row.map(SealedEInvoicing::try_from).transpose()?)
}

/// A workspace with how it sends its invoices, as of one moment.
#[derive(Debug, Clone)]
pub struct ConfiguredWorkspace {
    /// The workspace itself.
    pub workspace: Workspace,
    /// None for one that tells no tax authority of anything.
    pub e_invoicing: Option<SealedEInvoicing>,
}

#[derive(sqlx::FromRow)]
struct ConfiguredRow {
    #[sqlx(flatten)]
    workspace: Row,
    regime: Option<String>,
    company_id: Option<Id>,
    workflow_id: Option<Id>,
    token: Option<Vec<u8>>,
    webhook_token: Option<Vec<u8>>,
    settings: Option<String>,
}

/// A workspace with its e-invoicing configuration. One statement.
pub async fn configured(
    on: impl Into<Executor<'_>>,
    id: WorkspaceId,
) -> Result<Option<ConfiguredWorkspace>, StoreError> {
    let Some(row) = on.into().optional::<ConfiguredRow>(&CONFIGURED, params![id]).await? else {
        return Ok(None);
    };
    let ConfiguredRow { workspace, regime, company_id, workflow_id, token, webhook_token, settings } = row;
    let e_invoicing = match (regime, company_id, workflow_id, token, settings) {
        (Some(regime), Some(company_id), Some(workflow_id), Some(token), Some(settings)) => {
            let workspace_id = id.0;
            Some(EInvoicingRow {
                workspace_id,
                regime,
                company_id,
                workflow_id,
                token,
                webhook_token,
                settings,
            })
        }
        // None of its columns takes NULL.
        _ => None,
    };
    Ok(Some(ConfiguredWorkspace {
        workspace: workspace.try_into()?,
        e_invoicing: e_invoicing.map(SealedEInvoicing::try_from).transpose()?,
    }))
}

/// [`e_invoicing`], held until the transaction ends: for whoever keeps a part of it.
pub async fn lock_e_invoicing(
    tx: &mut Tx,
    workspace: WorkspaceId,
) -> Result<Option<SealedEInvoicing>, StoreError> {
    let row: Option<EInvoicingRow> = tx.fetch_optional(&LOCK_E_INVOICING, params![workspace]).await?;
    Ok(row.map(SealedEInvoicing::try_from).transpose()?)
}

/// Removes the e-invoicing configuration; `false` when there was none.
pub async fn clear_e_invoicing(tx: &mut Tx, workspace: WorkspaceId) -> Result<bool, StoreError> {
    Ok(tx.execute(&CLEAR_E_INVOICING, params![workspace]).await? == 1)
}

/// Whether any workspace has a webhook token, so that the webhook demands one.
pub async fn any_webhook_token(on: impl Into<Executor<'_>>) -> Result<bool, StoreError> {
    let (count,): (i64,) = on.into().one(&WEBHOOK_TOKENS, params![]).await?;
    Ok(count > 0)
}

/// The workspaces whose webhook token has this keyed hash.
pub async fn by_webhook_token(
    on: impl Into<Executor<'_>>,
    hash: &[u8],
) -> Result<Vec<WorkspaceId>, StoreError> {
    let rows: Vec<(i64,)> = on.into().all(&BY_WEBHOOK_TOKEN, params![hash]).await?;
    Ok(rows.into_iter().map(|(id,)| WorkspaceId(id)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;
    use crate::testing::samples::{at, workspace};
    use serde_json::json;

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

    #[tokio::test]
    async fn an_e_invoicing_configuration_is_set_replaced_and_cleared() {
        for db in testing::both().await {
            let configuration = EInvoicing {
                regime: "es-verifactu".parse().unwrap(),
                company_id: uuid::Uuid::from_u128(1),
                workflow_id: uuid::Uuid::from_u128(2),
                settings: json!({"b": 1, "a": [true]}),
            };
            let webhook = SealedWebhookToken { sealed: vec![0, 255], hash: vec![7; 32] };
            let mut tx = db.begin().await.unwrap();
            insert(&mut tx, &workspace(1), at(0)).await.unwrap();
            assert!(!any_webhook_token(&mut tx).await.unwrap());
            put_e_invoicing(&mut tx, WorkspaceId(1), &configuration, &[1], None, at(0)).await.unwrap();
            put_e_invoicing(&mut tx, WorkspaceId(1), &configuration, &[2], Some(webhook), at(0))
                .await
                .unwrap();
            tx.commit().await.unwrap();
            let stored = e_invoicing(db.db(), WorkspaceId(1)).await.unwrap().unwrap();
            assert_eq!(stored.configuration, configuration);
            assert_eq!((stored.token, stored.webhook_token), (vec![2], Some(vec![0, 255])));
            // A webhook token that is not named stays.
            let mut tx = db.begin().await.unwrap();
            put_e_invoicing(&mut tx, WorkspaceId(1), &configuration, &[3], None, at(0)).await.unwrap();
            tx.commit().await.unwrap();
            let stored = e_invoicing(db.db(), WorkspaceId(1)).await.unwrap().unwrap();
            assert_eq!((stored.token, stored.webhook_token), (vec![3], Some(vec![0, 255])));
            assert!(any_webhook_token(db.db()).await.unwrap());
            assert_eq!(by_webhook_token(db.db(), &[7; 32]).await.unwrap(), [WorkspaceId(1)]);
            assert!(by_webhook_token(db.db(), &[8; 32]).await.unwrap().is_empty());
            let mut tx = db.begin().await.unwrap();
            assert!(clear_e_invoicing(&mut tx, WorkspaceId(1)).await.unwrap());
            assert!(!clear_e_invoicing(&mut tx, WorkspaceId(1)).await.unwrap());
            let orphan = put_e_invoicing(&mut tx, WorkspaceId(9), &configuration, &[1], None, at(0)).await;
            assert_eq!(orphan.unwrap_err().kind(), Some(gateway_domain::StoreCauseKind::MissingReference));
        }
    }
}
