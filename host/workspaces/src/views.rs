//! Workspaces as operators see them, on the command line and over HTTP alike.

use crate::EInvoicingView;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::Address;
use gateway_domain::regime::RegimeKey;
use gateway_domain::words;
use gateway_domain::workspace::{Printing, RejectionStrategy, Workspace};
use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;
use uuid::Uuid;

/// A workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Workspace)]
pub struct WorkspaceView {
    /// Its id.
    #[schema(value_type = i64, examples(1))]
    pub id: WorkspaceId,
    /// For people.
    #[schema(examples("Casa"))]
    pub name: String,
    /// The registered name of who issues.
    #[schema(examples("Casa S.L."))]
    pub legal_name: String,
    /// Without country prefix and separators.
    #[schema(examples("B98602642"))]
    pub tax_id: String,
    /// ISO 3166-1 alpha-2.
    #[schema(pattern = "^[A-Z]{2}$", examples("ES"))]
    pub country: String,
    /// Where the supplier is registered.
    #[schema(required)]
    pub address: Option<Address>,
    /// IANA name.
    #[schema(examples("Europe/Madrid"))]
    pub time_zone: String,
    /// How invoice numbers look.
    #[schema(examples("F-{year}-{number:06}"))]
    pub invoice_pattern: String,
    /// How credit note numbers look.
    #[schema(examples("R-{year}-{number:06}"))]
    pub credit_pattern: String,
    /// What happens after a rejection: `a` edits in place and resubmits, `b` makes a corrective draft beside it.
    pub rejection_strategy: RejectionStrategy,
    /// Where to write to the supplier. Only where it is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String)]
    pub email: Option<String>,
}

impl From<&Workspace> for WorkspaceView {
    fn from(workspace: &Workspace) -> Self {
        let supplier = workspace.supplier.clone();
        Self {
            id: workspace.id,
            name: workspace.name.clone(),
            legal_name: supplier.legal_name,
            tax_id: supplier.tax_id,
            country: supplier.country,
            address: supplier.address,
            time_zone: workspace.time_zone.iana_name().unwrap_or("UTC").to_owned(),
            invoice_pattern: workspace.invoice_pattern.to_string(),
            credit_pattern: workspace.credit_pattern.to_string(),
            rejection_strategy: workspace.rejection_strategy,
            email: supplier.email,
        }
    }
}

/// The workspaces that a client may operate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct WorkspaceList {
    /// By id.
    pub workspaces: Vec<WorkspaceView>,
}

words! {
    /// Stands for a secret that is there and never shown.
    SecretPresence {
        /// It is there.
        Set = "set",
    }
}

/// An e-invoicing configuration; of the tokens only whether they are set.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = EInvoicing)]
pub struct EInvoicingAnswer {
    /// Whose.
    #[schema(value_type = i64, examples(1))]
    pub workspace_id: WorkspaceId,
    /// The key of a plugin.
    #[schema(value_type = String, examples("es-verifactu"))]
    pub regime: RegimeKey,
    /// The supplier's UUID at the provider.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000d1"))]
    pub company_id: Uuid,
    /// Which pipeline of the provider.
    #[schema(examples("0197f4f2-0000-7000-8000-0000000000d2"))]
    pub workflow_id: Uuid,
    /// The provider's API token: never shown.
    pub token: SecretPresence,
    /// Until when the provider takes it, as the token says; null where it does not say.
    #[schema(required, value_type = Option<String>, format = DateTime, examples("2027-11-20T09:00:00Z"))]
    pub token_expires_at: Option<Timestamp>,
    /// What the provider's webhook has to show; null where it has to show nothing.
    #[schema(required)]
    pub webhook_token: Option<SecretPresence>,
    /// Settings of the regime.
    #[schema(value_type = Object)]
    pub settings: Value,
    /// What the regime requires of the workspace and is not there. Only where something is missing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub missing_workspace_fields: Vec<String>,
}

impl EInvoicingAnswer {
    /// The configuration of a workspace.
    pub fn new(workspace: WorkspaceId, view: &EInvoicingView) -> Self {
        let EInvoicingView { configuration, token_expires_at, has_webhook_token, missing } = view.clone();
        Self {
            workspace_id: workspace,
            regime: configuration.regime,
            company_id: configuration.company_id,
            workflow_id: configuration.workflow_id,
            token: SecretPresence::Set,
            token_expires_at,
            webhook_token: has_webhook_token.then_some(SecretPresence::Set),
            settings: configuration.settings,
            missing_workspace_fields: missing,
        }
    }
}

/// How the documents of a workspace look.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = Printing)]
pub struct PrintingAnswer {
    /// Whose.
    #[schema(value_type = i64, examples(1))]
    pub workspace_id: WorkspaceId,
    /// A PNG in base64; null where there is none.
    #[schema(required, content_encoding = "base64", content_media_type = "image/png")]
    pub logo: Option<String>,
    /// Its own settings of the renderer; null where there are none.
    #[schema(required, value_type = Option<Object>)]
    pub template: Option<Map<String, Value>>,
    /// Whether the record that the tax authority received lies in the file.
    #[schema(examples(false))]
    pub attach_record: bool,
}

impl PrintingAnswer {
    /// What is set for a workspace.
    pub fn new(workspace: WorkspaceId, printing: &Printing) -> Self {
        Self {
            workspace_id: workspace,
            logo: printing.logo.as_deref().map(|logo| STANDARD.encode(logo)),
            template: printing.template.clone(),
            attach_record: printing.attach_record == Some(true),
        }
    }
}
