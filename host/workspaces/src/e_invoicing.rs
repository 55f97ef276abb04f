//! How a workspace sends its invoices: the configuration, its sealed tokens, and the bearer of the webhook.

use super::{WorkspaceError, Workspaces};
use gateway_access::secrets::{Purpose, SealedFor, Unsealable};
use gateway_access::{NoDetails, expiry_of};
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::RegimeKey;
use gateway_domain::workspace::{EInvoicing, Workspace};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain::{StoreCauseKind, StoreError};
use gateway_domain_finance::ports::{ProviderAccess, ProviderToken};
use gateway_storage::Corrupt;
use gateway_storage::workspaces::{self as store, SealedEInvoicing, SealedProviderToken, SealedWebhookToken};
use jiff::Timestamp;
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde_json::{Map, Value};
use std::sync::Arc;
use uuid::Uuid;

/// Longest token, bytes.
const TOKEN_BYTES_MAX: usize = 8 * 1024;

/// An e-invoicing configuration to be set. Its settings were checked against the regime's schema by the caller.
#[derive(Debug, Clone)]
pub struct EInvoicingForm {
    /// What is not secret.
    pub configuration: EInvoicing,
    /// The provider's API token; `None` keeps the stored one.
    pub token: Option<SecretString>,
    /// The bearer token the provider's webhook will carry; `None` keeps the stored one, so that whoever changes
    /// something else does not open the webhook to everybody.
    pub webhook_token: Option<SecretString>,
}

/// An e-invoicing configuration as anybody may see it.
#[derive(Debug, Clone, PartialEq)]
pub struct EInvoicingView {
    /// What is not secret.
    pub configuration: EInvoicing,
    /// Until when the provider takes its token, where the token says so.
    pub token_expires_at: Option<Timestamp>,
    /// Whether the webhook has to carry a token.
    pub has_webhook_token: bool,
    /// What the regime needs of the workspace and the workspace lacks; nothing while no plugin serves the regime.
    pub missing: Vec<String>,
}

/// A workspace with all that a call to the provider needs, as of one moment.
#[derive(Debug, Clone)]
pub struct WorkspaceWithAccess {
    /// The workspace itself.
    pub workspace: Workspace,
    /// None for one that tells no tax authority of anything.
    pub e_invoicing: Option<(EInvoicing, ProviderAccess)>,
}

/// What the audit trail tells of a configuration that was set.
#[derive(Serialize)]
struct EInvoicingSetData<'a> {
    regime: &'a RegimeKey,
    company_id: Uuid,
    workflow_id: Uuid,
}

/// What the bearer token of a webhook says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookBearer {
    /// No workspace has a webhook token: none is asked for.
    NotNeeded,
    /// It belongs to these workspaces.
    Workspaces(Vec<WorkspaceId>),
    /// It is missing, or belongs to nobody.
    Refused,
}

/// E-invoicing configuration.
impl Workspaces {
    /// The settings that a workspace is to have under a regime: the given ones; else those it has, if they are of
    /// the same regime; else none.
    pub async fn settings_under(
        &self,
        workspace: WorkspaceId,
        regime: &RegimeKey,
        given: Option<Value>,
    ) -> Result<Value, StoreError> {
        if let Some(given) = given {
            return Ok(given);
        }
        let stored = store::e_invoicing(self.db(), workspace).await?.map(|stored| stored.configuration);
        let same = stored.filter(|stored| stored.regime == *regime);
        Ok(same.map_or_else(|| Value::Object(Map::new()), |stored| stored.settings))
    }

    /// Sets how a workspace sends its invoices, replacing what was there; secrets that are not given stay.
    pub async fn set_e_invoicing(
        &self,
        actor: &Actor,
        workspace: WorkspaceId,
        form: &EInvoicingForm,
    ) -> Result<EInvoicingView, WorkspaceError> {
        form.check()?;
        self.check_regime(workspace, &form.configuration.regime).await?;
        self.check_supplier(workspace, &form.configuration).await?;
        let webhook = form.webhook_token.as_ref().map(|token| self.seal_webhook_token(workspace, token));
        let webhook = webhook.transpose()?;
        let mut tx = self.db().begin().await?;
        let stored = store::lock_e_invoicing(&mut tx, workspace).await?;
        let kept = stored.as_ref().is_some_and(|stored| stored.webhook_token.is_some());
        let has_webhook_token = webhook.is_some() || kept;
        let token = match (&form.token, stored) {
            (Some(token), _) => self.seal_provider_token(workspace, token)?,
            (None, Some(stored)) => stored.token,
            (None, None) => {
                return Err(WorkspaceError::invalid(
                    "token",
                    ErrorCode::Required,
                    "the provider's API token is missing",
                ));
            }
        };
        store::put_e_invoicing(&mut tx, workspace, &form.configuration, &token, webhook, self.now())
            .await
            .map_err(|error| match error {
                error if error.kind() == Some(StoreCauseKind::MissingReference) => {
                    WorkspaceError::Unknown(workspace)
                }
                error => error.into(),
            })?;
        let EInvoicing { regime, company_id, workflow_id, settings: _ } = &form.configuration;
        let data = EInvoicingSetData { regime, company_id: *company_id, workflow_id: *workflow_id };
        self.record(&mut tx, actor, "workspace.e_invoicing.set", workspace, &data).await?;
        tx.commit_at("e-invoicing-set").await?;
        tracing::info!(workspace.id = %workspace, "Configured e-invoicing of workspace {workspace}");
        let missing = self.missing_fields(workspace, &form.configuration.regime).await?;
        Ok(EInvoicingView {
            configuration: form.configuration.clone(),
            token_expires_at: token.expires_at,
            has_webhook_token,
            missing,
        })
    }

    /// What a regime needs of a workspace and the workspace lacks.
    async fn missing_fields(
        &self,
        workspace: WorkspaceId,
        regime: &RegimeKey,
    ) -> Result<Vec<String>, StoreError> {
        let Some((description, _)) = Arc::clone(&self.parts.regimes).within(workspace).describe(regime)
        else {
            return Ok(Vec::new());
        };
        let found = store::find(self.db(), workspace).await?;
        let lacks = found.map(|found| found.supplier.lacks(&description.required_workspace_fields));
        Ok(lacks.unwrap_or_default())
    }

    /// How a workspace sends its invoices, without the tokens.
    pub async fn e_invoicing(
        &self,
        workspace: WorkspaceId,
    ) -> Result<Option<EInvoicingView>, WorkspaceError> {
        if let Some(stored) = store::e_invoicing(self.db(), workspace).await? {
            let has_webhook_token = stored.webhook_token.is_some();
            let missing = self.missing_fields(workspace, &stored.configuration.regime).await?;
            return Ok(Some(EInvoicingView {
                configuration: stored.configuration,
                token_expires_at: stored.token.expires_at,
                has_webhook_token,
                missing,
            }));
        }
        match store::find(self.db(), workspace).await? {
            Some(_) => Ok(None),
            None => Err(WorkspaceError::Unknown(workspace)),
        }
    }

    /// Removes the configuration: documents issued from now on follow the standard flow. `false` when there was
    /// none.
    pub async fn clear_e_invoicing(
        &self,
        actor: &Actor,
        workspace: WorkspaceId,
    ) -> Result<bool, WorkspaceError> {
        let mut tx = self.db().begin().await?;
        if store::find(&mut tx, workspace).await?.is_none() {
            return Err(WorkspaceError::Unknown(workspace));
        }
        let cleared = store::clear_e_invoicing(&mut tx, workspace).await?;
        if cleared {
            self.record(&mut tx, actor, "workspace.e_invoicing.clear", workspace, &NoDetails {}).await?;
        }
        tx.commit_at("e-invoicing-cleared").await?;
        if cleared {
            tracing::info!(workspace.id = %workspace, "Cleared e-invoicing of workspace {workspace}");
        }
        Ok(cleared)
    }

    /// The configuration of a workspace with the opened token, for calls to the provider.
    ///
    /// A token that does not open is a damaged row.
    pub async fn provider_access(
        &self,
        workspace: WorkspaceId,
    ) -> Result<Option<(EInvoicing, ProviderAccess)>, StoreError> {
        Ok(self.with_provider_access(workspace).await?.and_then(|found| found.e_invoicing))
    }

    /// A workspace with [`Workspaces::provider_access`]. One statement.
    pub async fn with_provider_access(
        &self,
        workspace: WorkspaceId,
    ) -> Result<Option<WorkspaceWithAccess>, StoreError> {
        let Some(found) = store::configured(self.db(), workspace).await? else { return Ok(None) };
        let e_invoicing = match found.e_invoicing {
            Some(stored) => {
                let access = self.opened_access(workspace, &stored)?;
                Some((stored.configuration, access))
            }
            None => None,
        };
        Ok(Some(WorkspaceWithAccess { workspace: found.workspace, e_invoicing }))
    }

    fn opened_access(
        &self,
        workspace: WorkspaceId,
        stored: &SealedEInvoicing,
    ) -> Result<ProviderAccess, StoreError> {
        let token = self
            .keyring()
            .open_text(SealedFor::ProviderToken(workspace), &stored.token.sealed)
            .map_err(|error| Corrupt::new("e_invoicing", workspace, "token", error))?;
        Ok(ProviderAccess { token: ProviderToken::new(&token) })
    }

    /// Whether a webhook with this bearer token is taken. Once any workspace has a webhook token, one is demanded.
    pub async fn webhook_bearer(&self, bearer: Option<&str>) -> Result<WebhookBearer, StoreError> {
        if !store::any_webhook_token(self.db()).await? {
            return Ok(WebhookBearer::NotNeeded);
        }
        let Some(bearer) = bearer else { return Ok(WebhookBearer::Refused) };
        if self.parts.sandbox && self.keyring().is_sandbox_token(bearer) {
            return Ok(WebhookBearer::NotNeeded);
        }
        // The keyed hash is looked up, so that how long it takes tells nothing about a stored token.
        let (mut owners, mut tried) = (Vec::new(), Vec::new());
        let mut hashes = self.keyring().hashes(Purpose::WebhookToken, bearer);
        // What is not found may be stored under a key that is not known here yet.
        while owners.is_empty() && hashes != tried {
            for hash in &hashes {
                owners.extend(store::by_webhook_token(self.db(), &hash.bytes).await?);
            }
            tried = hashes;
            self.keyring().reload();
            hashes = self.keyring().hashes(Purpose::WebhookToken, bearer);
        }
        Ok(if owners.is_empty() { WebhookBearer::Refused } else { WebhookBearer::Workspaces(owners) })
    }

    fn seal_provider_token(
        &self,
        workspace: WorkspaceId,
        token: &SecretString,
    ) -> Result<SealedProviderToken, Unsealable> {
        let token = token.expose_secret();
        let sealed = self.keyring().seal(SealedFor::ProviderToken(workspace), token.as_bytes())?;
        Ok(SealedProviderToken { sealed, expires_at: expiry_of(token) })
    }

    fn seal_webhook_token(
        &self,
        workspace: WorkspaceId,
        token: &SecretString,
    ) -> Result<SealedWebhookToken, Unsealable> {
        let token = token.expose_secret();
        // In this order: when the key changes in between, the envelope tells of the older one, and both are made anew.
        Ok(SealedWebhookToken {
            sealed: self.keyring().seal(SealedFor::WebhookToken(workspace), token.as_bytes())?,
            hash: self.keyring().hash(Purpose::WebhookToken, token).bytes,
        })
    }
}

impl EInvoicingForm {
    fn check(&self) -> Result<(), WorkspaceError> {
        let mut mistakes = Vec::new();
        let nil =
            [("company_id", self.configuration.company_id), ("workflow_id", self.configuration.workflow_id)];
        mistakes.extend(nil.into_iter().filter(|(_, id)| *id == Uuid::nil()).map(|(field, _)| {
            FieldError::new(field, ErrorCode::InvalidFormat, "the nil UUID names nothing")
        }));
        if !self.configuration.settings.is_object() {
            mistakes.push(FieldError::new(
                "settings",
                ErrorCode::WrongType,
                "the settings must be a JSON object",
            ));
        }
        for (field, token) in [("token", &self.token), ("webhook_token", &self.webhook_token)] {
            let Some(token) = token.as_ref().map(ExposeSecret::expose_secret) else { continue };
            let sendable = !token.is_empty()
                && token.len() <= TOKEN_BYTES_MAX
                && token.bytes().all(|byte| byte.is_ascii_graphic());
            if !sendable {
                let message = "a token is printable ASCII without spaces, at least one character";
                mistakes.push(FieldError::new(field, ErrorCode::InvalidFormat, message));
            }
        }
        if mistakes.is_empty() { Ok(()) } else { Err(WorkspaceError::Invalid(mistakes)) }
    }
}
