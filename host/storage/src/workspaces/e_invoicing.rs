//! How workspaces send their invoices. Tokens come in and go out sealed.

use super::Row;
use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::RegimeKey;
use gateway_domain::workspace::{EInvoicing, Workspace};
use jiff::Timestamp;
use std::fmt;

macro_rules! e_invoicing_columns {
    () => {
        "workspace_id, regime, company_id, workflow_id, token, token_expires_at, webhook_token, settings"
    };
}

statements! {
    PUT_E_INVOICING = both concat!("INSERT INTO e_invoicing (", e_invoicing_columns!(), ", webhook_token_hash, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        ON CONFLICT (workspace_id) DO UPDATE SET regime = excluded.regime, company_id = excluded.company_id,
            workflow_id = excluded.workflow_id, token = excluded.token, token_expires_at = excluded.token_expires_at,
            webhook_token = COALESCE(excluded.webhook_token, e_invoicing.webhook_token),
            webhook_token_hash = COALESCE(excluded.webhook_token_hash, e_invoicing.webhook_token_hash), settings = excluded.settings,
            updated_at = excluded.updated_at");
    FIND_E_INVOICING = both concat!("SELECT ", e_invoicing_columns!(), " FROM e_invoicing WHERE workspace_id = $1");
    CONFIGURED = both concat!("SELECT ", columns!(), ", ", e_invoicing_columns!(), "
        FROM workspace LEFT JOIN e_invoicing ON workspace_id = id WHERE id = $1");
    REGIMES = "SELECT workspace_id, regime FROM e_invoicing WHERE workspace_id > $1 ORDER BY workspace_id LIMIT $2";
    LOCK_E_INVOICING = each ["SELECT ", (e_invoicing_columns!), " FROM e_invoicing WHERE workspace_id = $1", (lock " FOR UPDATE")];
    CLEAR_E_INVOICING = "DELETE FROM e_invoicing WHERE workspace_id = $1";
    WEBHOOK_TOKENS = "SELECT COUNT(*) FROM e_invoicing WHERE webhook_token_hash IS NOT NULL";
    EXPIRING_TOKENS = "SELECT workspace_id, token_expires_at FROM e_invoicing
        WHERE token_expires_at < $1 AND (token_expires_at, workspace_id) > ($2, $3)
        ORDER BY token_expires_at, workspace_id LIMIT $4";
    BY_WEBHOOK_TOKEN = "SELECT workspace_id FROM e_invoicing WHERE webhook_token_hash = $1 ORDER BY workspace_id";
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

/// The provider's API token of a workspace.
#[derive(Clone, PartialEq, Eq)]
pub struct SealedProviderToken {
    /// Its envelope.
    pub sealed: Vec<u8>,
    /// Until when the provider takes it, where it says so.
    pub expires_at: Option<Timestamp>,
}

impl fmt::Debug for SealedProviderToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SealedProviderToken").field("expires_at", &self.expires_at).finish_non_exhaustive()
    }
}

/// A stored e-invoicing configuration with its sealed tokens.
#[derive(Clone, PartialEq)]
pub struct SealedEInvoicing {
    /// What is not secret.
    pub configuration: EInvoicing,
    /// The provider's API token.
    pub token: SealedProviderToken,
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
    token_expires_at: Option<Ts>,
    webhook_token: Option<Vec<u8>>,
    settings: String,
}

impl TryFrom<EInvoicingRow> for SealedEInvoicing {
    type Error = Corrupt;

    fn try_from(row: EInvoicingRow) -> Result<Self, Corrupt> {
        let corrupt = |column, found: &str| Corrupt::new("e_invoicing", row.workspace_id, column, found);
        Ok(Self {
            configuration: EInvoicing {
                regime: parsed_regime(row.workspace_id, &row.regime)?,
                company_id: row.company_id.0,
                workflow_id: row.workflow_id.0,
                settings: serde_json::from_str(&row.settings)
                    .map_err(|_| corrupt("settings", &row.settings))?,
            },
            token: SealedProviderToken { sealed: row.token, expires_at: row.token_expires_at.map(|at| at.0) },
            webhook_token: row.webhook_token,
        })
    }
}

fn parsed_regime(workspace: i64, text: &str) -> Result<RegimeKey, Corrupt> {
    text.parse().map_err(|_| Corrupt::new("e_invoicing", workspace, "regime", text))
}

/// Sets the e-invoicing configuration of a workspace, replacing what was there. A foreign key violation means that
/// there is no such workspace.
pub async fn put_e_invoicing(
    tx: &mut Tx,
    workspace: WorkspaceId,
    configuration: &EInvoicing,
    token: &SealedProviderToken,
    webhook_token: Option<SealedWebhookToken>,
    now: Timestamp,
) -> Result<(), StoreError> {
    let (sealed, hash) = webhook_token.map(|token| (token.sealed, token.hash)).unzip();
    let params = params![
        workspace,
        configuration.regime.as_str(),
        configuration.company_id,
        configuration.workflow_id,
        token.sealed.as_slice(),
        token.expires_at,
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
    token_expires_at: Option<Ts>,
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
    let ConfiguredRow {
        workspace,
        regime,
        company_id,
        workflow_id,
        token,
        token_expires_at,
        webhook_token,
        settings,
    } = row;
    let e_invoicing = match (regime, company_id, workflow_id, token, settings) {
        (Some(regime), Some(company_id), Some(workflow_id), Some(token), Some(settings)) => {
            let workspace_id = id.0;
            Some(EInvoicingRow {
                workspace_id,
                regime,
                company_id,
                workflow_id,
                token,
                token_expires_at,
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

/// The tax regimes of workspaces that have an e-invoicing configuration, in the order of their ids, those after `after`, at most
/// `limit`.
pub async fn regimes(
    on: impl Into<Executor<'_>>,
    after: WorkspaceId,
    limit: i64,
) -> Result<Vec<(WorkspaceId, RegimeKey)>, StoreError> {
    let rows: Vec<(i64, String)> = on.into().all(&REGIMES, params![after, limit]).await?;
    let regimes = rows.into_iter().map(|(id, regime)| Ok((WorkspaceId(id), parsed_regime(id, &regime)?)));
    Ok(regimes.collect::<Result<_, Corrupt>>()?)
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

/// Until when the provider takes the token of a workspace.
pub type ExpiringToken = (Timestamp, WorkspaceId);

/// The tokens that the provider takes for less than until `until`, behind `after`, the first to expire first.
pub async fn expiring_tokens(
    on: impl Into<Executor<'_>>,
    until: Timestamp,
    after: ExpiringToken,
    limit: i64,
) -> Result<Vec<ExpiringToken>, StoreError> {
    let (at, workspace) = after;
    let rows: Vec<(i64, Ts)> = on.into().all(&EXPIRING_TOKENS, params![until, at, workspace, limit]).await?;
    Ok(rows.into_iter().map(|(id, at)| (at.0, WorkspaceId(id))).collect())
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
    use super::super::insert;
    use super::*;
    use crate::testing;
    use crate::testing::samples::{at, workspace};
    use serde_json::json;

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
            let token =
                |byte| SealedProviderToken { sealed: vec![byte], expires_at: Some(at(i64::from(byte))) };
            let one = WorkspaceId(1);
            put_e_invoicing(&mut tx, one, &configuration, &token(1), None, at(0)).await.unwrap();
            put_e_invoicing(&mut tx, one, &configuration, &token(2), Some(webhook), at(0)).await.unwrap();
            tx.commit().await.unwrap();
            let stored = e_invoicing(db.db(), WorkspaceId(1)).await.unwrap().unwrap();
            assert_eq!(stored.configuration, configuration);
            assert_eq!((stored.token, stored.webhook_token), (token(2), Some(vec![0, 255])));
            // A webhook token that is not named stays.
            let mut tx = db.begin().await.unwrap();
            put_e_invoicing(&mut tx, one, &configuration, &token(3), None, at(0)).await.unwrap();
            tx.commit().await.unwrap();
            let stored = e_invoicing(db.db(), WorkspaceId(1)).await.unwrap().unwrap();
            assert_eq!((stored.token, stored.webhook_token), (token(3), Some(vec![0, 255])));
            let read = configured(db.db(), one).await.unwrap().unwrap();
            assert_eq!(read.e_invoicing.unwrap().token, token(3));
            assert_eq!(
                regimes(db.db(), WorkspaceId(0), 2).await.unwrap(),
                [(one, configuration.regime.clone())]
            );
            assert!(any_webhook_token(db.db()).await.unwrap());
            assert_eq!(by_webhook_token(db.db(), &[7; 32]).await.unwrap(), [WorkspaceId(1)]);
            assert!(by_webhook_token(db.db(), &[8; 32]).await.unwrap().is_empty());
            let mut tx = db.begin().await.unwrap();
            assert!(clear_e_invoicing(&mut tx, WorkspaceId(1)).await.unwrap());
            assert!(!clear_e_invoicing(&mut tx, WorkspaceId(1)).await.unwrap());
            let orphan =
                put_e_invoicing(&mut tx, WorkspaceId(9), &configuration, &token(1), None, at(0)).await;
            assert_eq!(orphan.unwrap_err().kind(), Some(gateway_domain::StoreCauseKind::MissingReference));
        }
    }

    #[tokio::test]
    async fn regimes_and_tokens_that_expire_are_read_page_by_page() {
        for db in testing::both().await {
            let mut tx = db.begin().await.unwrap();
            for (id, expires_at) in
                [(1, Some(at(50))), (2, None), (3, Some(at(10))), (4, Some(at(50))), (5, Some(at(90)))]
            {
                insert(&mut tx, &workspace(id), at(0)).await.unwrap();
                let configuration = EInvoicing {
                    regime: "es-verifactu".parse().unwrap(),
                    company_id: uuid::Uuid::from_u128(1),
                    workflow_id: uuid::Uuid::from_u128(2),
                    settings: json!({}),
                };
                let token = SealedProviderToken { sealed: vec![1], expires_at };
                put_e_invoicing(&mut tx, WorkspaceId(id), &configuration, &token, None, at(0)).await.unwrap();
            }
            tx.commit().await.unwrap();
            let ids = async |after: i64, limit| {
                let read = regimes(db.db(), WorkspaceId(after), limit).await.unwrap();
                read.into_iter().map(|(id, _)| id.0).collect::<Vec<_>>()
            };
            assert_eq!(ids(0, 3).await, [1, 2, 3]);
            assert_eq!(ids(3, 3).await, [4, 5]);
            let read = async |after| expiring_tokens(db.db(), at(90), after, 2).await.unwrap();
            let first = read((at(-1), WorkspaceId(0))).await;
            assert_eq!(first, [(at(10), WorkspaceId(3)), (at(50), WorkspaceId(1))]);
            assert_eq!(read(first[1]).await, [(at(50), WorkspaceId(4))]);
        }
    }
}
