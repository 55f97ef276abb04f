//! Workspaces: who issues, how numbers and documents look, and how each sends its invoices to a tax authority; and where the
//! submissions of all of them go ([`destination`]).
//!
//! The provider's API token and the webhook token are sealed before they are stored and never shown again.
//!
//! Not here: the workspace itself and its patterns (`gateway_domain::workspace`, `gateway_domain::invoicing`), numbers given
//! (`gateway-invoicing`), SQL, HTTP.
//!
//! To add a member that operators set: in `gateway_domain::workspace`, a migration and the statements of
//! `gateway_storage::workspaces`; here in [`NewWorkspace`] or [`WorkspaceChange`], its check in `draft`, what the audit trail
//! tells of it, and [`views`]; then the bodies of `workspaces.rs` in `gateway-api-admin` and the arguments in
//! `args/workspaces.rs` of `gateway-cli`.

pub mod destination;
mod draft;
mod e_invoicing;
mod logo;
mod printing;
mod regime_check;
mod series_conflicts;
pub mod settings;
mod stored;
pub mod views;

pub use destination::Destinations;
pub use e_invoicing::{EInvoicingForm, EInvoicingView, WebhookBearer, WorkspaceWithAccess};
pub use printing::ChangedPrinting;
pub use series_conflicts::series_conflicts;
pub use stored::StoredWorkspaces;

use draft::Draft;
use gateway_access::Audit;
use gateway_access::secrets::{Keyring, Unsealable};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{Address, DocumentKind, SERIES_START_MAX, SeriesKey};
use gateway_domain::ports::{Clock, Ids, Regimes, TemplateSchema};
use gateway_domain::regime::{RegimeKey, Supplier};
use gateway_domain::workspace::{RejectionStrategy, Workspace};
use gateway_domain::{ErrorCode, FieldError};
use gateway_storage::workspaces as store;
use gateway_storage::{Db, Tx, numbers};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Workspaces read at once; there are few.
const BATCH: i64 = 500;

/// A workspace to be created. Texts are taken as typed and checked here.
#[derive(Debug, Clone, Default)]
pub struct NewWorkspace {
    /// For people.
    pub name: String,
    /// The registered name of who issues.
    pub legal_name: String,
    /// Without country prefix; separators are dropped.
    pub tax_id: String,
    /// ISO 3166-1 alpha-2.
    pub country: String,
    /// IANA name; UTC unless given.
    pub time_zone: Option<String>,
    /// Where the supplier is registered.
    pub address: Option<Address>,
    /// Where to write to the supplier.
    pub email: Option<String>,
    /// How invoice numbers look.
    pub invoice_pattern: Option<String>,
    /// How credit note numbers look.
    pub credit_pattern: Option<String>,
}

/// What to change of a workspace; `None` keeps it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkspaceChange {
    /// For people.
    pub name: Option<String>,
    /// The registered name of who issues.
    pub legal_name: Option<String>,
    /// Without country prefix; separators are dropped.
    pub tax_id: Option<String>,
    /// ISO 3166-1 alpha-2.
    pub country: Option<String>,
    /// IANA name.
    pub time_zone: Option<String>,
    /// Where the supplier is registered; replaces the whole address, and takes it away where it has no part.
    pub address: Option<Address>,
    /// Where to write to the supplier; empty for nowhere.
    pub email: Option<String>,
    /// What happens after a rejection.
    pub rejection_strategy: Option<RejectionStrategy>,
    /// How invoice numbers look from now on.
    pub invoice_pattern: Option<String>,
    /// How credit note numbers look from now on.
    pub credit_pattern: Option<String>,
    /// Where this year's invoice series starts; only before its first use.
    pub next_number: Option<i64>,
    /// The same of this year's credit notes.
    pub next_credit_number: Option<i64>,
}

/// What the audit trail tells of a workspace that was created.
#[derive(Serialize)]
struct CreateData<'a> {
    name: &'a str,
}

/// What the audit trail tells of a workspace that was changed.
#[derive(Serialize)]
struct SetData<'a> {
    name: &'a str,
    supplier: &'a Supplier,
    rejection_strategy: RejectionStrategy,
    invoice_pattern: String,
    credit_pattern: String,
    next_number: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_credit_number: Option<i64>,
}

/// A workspace that was created.
#[derive(Debug, Clone)]
pub struct CreatedWorkspace {
    /// As stored.
    pub workspace: Workspace,
    /// Whether the usual patterns were taken by another workspace of the same supplier, so that others were chosen.
    pub derived_patterns: bool,
}

/// Why a workspace was not created or changed.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// There is no such workspace.
    #[error("there is no workspace {0}: list them with 'gateway workspace list'")]
    Unknown(WorkspaceId),
    /// Members have mistakes; at least one.
    #[error("{}", sentence(.0))]
    Invalid(Vec<FieldError>),
    /// The series was started before.
    #[error("the {kind} series of {year} was started before: its next number cannot be set any more", kind = .kind.as_str().replace('_', " "))]
    SeriesStarted {
        /// Invoices or credit notes.
        kind: DocumentKind,
        /// Of which year.
        year: i16,
    },
    /// A token could not be sealed.
    #[error("the token could not be encrypted: the system gave no randomness")]
    Secret(#[from] Unsealable),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WorkspaceChange {
    /// Where series start: the member that says so, the kind of the series, and its first position.
    fn series_starts(&self) -> impl Iterator<Item = (&'static str, DocumentKind, i64)> {
        let invoices = self.next_number.map(|next| ("next_number", DocumentKind::Invoice, next));
        let credits =
            self.next_credit_number.map(|next| ("next_credit_number", DocumentKind::CreditNote, next));
        invoices.into_iter().chain(credits)
    }

    /// The workspace as it would be typed now.
    fn over(&self, stored: &Workspace) -> NewWorkspace {
        let text = |given: &Option<String>, kept: &str| given.clone().unwrap_or_else(|| kept.to_owned());
        let supplier = &stored.supplier;
        let zone = stored.time_zone.iana_name().unwrap_or("UTC");
        NewWorkspace {
            name: text(&self.name, &stored.name),
            legal_name: text(&self.legal_name, &supplier.legal_name),
            tax_id: text(&self.tax_id, &supplier.tax_id),
            country: text(&self.country, &supplier.country),
            time_zone: Some(text(&self.time_zone, zone)),
            address: self.address.clone().or_else(|| supplier.address.clone()),
            email: self.email.clone().or_else(|| supplier.email.clone()),
            invoice_pattern: Some(text(&self.invoice_pattern, &stored.invoice_pattern.to_string())),
            credit_pattern: Some(text(&self.credit_pattern, &stored.credit_pattern.to_string())),
        }
    }
}

impl WorkspaceError {
    fn invalid(field: &str, code: ErrorCode, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(field, code, message)])
    }
}

fn sentence(errors: &[FieldError]) -> String {
    errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect::<Vec<_>>().join("; ")
}

/// What workspaces are built from.
#[derive(Debug, Clone)]
pub struct Parts {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn Ids>,
    /// Opens and seals tokens.
    pub keyring: Arc<Keyring>,
    /// The tax regimes: they say what a workspace needs.
    pub regimes: Arc<dyn Regimes>,
    /// Whether the provider is the built-in stand-in, whose webhook carries a token of its own.
    pub sandbox: bool,
}

/// The workspaces. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Workspaces {
    parts: Parts,
    audit: Audit,
    templates: Option<Arc<dyn TemplateSchema>>,
}

impl Workspaces {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        let audit = Audit::new(parts.db.clone(), Arc::clone(&parts.clock), Arc::clone(&parts.ids));
        Self { parts, audit, templates: None }
    }

    /// Asks this renderer what a template may say. Without one, a template is any JSON object.
    #[must_use]
    pub fn with_templates_of(self, renderer: Arc<dyn TemplateSchema>) -> Self {
        Self { templates: Some(renderer), ..self }
    }

    const fn db(&self) -> &Db {
        &self.parts.db
    }

    fn now(&self) -> Timestamp {
        self.parts.clock.now()
    }

    fn keyring(&self) -> &Keyring {
        &self.parts.keyring
    }

    /// Creates a workspace under the next free id.
    pub async fn create(
        &self,
        actor: &Actor,
        new: &NewWorkspace,
    ) -> Result<CreatedWorkspace, WorkspaceError> {
        let draft = Draft::check(new)?;
        let mut tx = self.db().begin().await?;
        let id = store::free_id(&mut tx).await?;
        if store::find(&mut tx, id).await?.is_some() {
            let message = format!("no id up to {} is free above the others", WorkspaceId::MAX);
            return Err(WorkspaceError::invalid("id", ErrorCode::OutOfRange, message));
        }
        let mut workspace = draft.clone().into_workspace(id, false)?;
        let mut mistakes = series_conflicts(&mut tx, &workspace, None).await?;
        let derived_patterns =
            !mistakes.is_empty() && (draft.invoice_pattern.is_none() || draft.credit_pattern.is_none());
        if derived_patterns {
            workspace = draft.into_workspace(id, true)?;
            mistakes = series_conflicts(&mut tx, &workspace, None).await?;
        }
        if !mistakes.is_empty() {
            return Err(WorkspaceError::Invalid(mistakes));
        }
        store::insert(&mut tx, &workspace, self.now()).await?;
        self.record(&mut tx, actor, "workspace.create", id, &CreateData { name: &workspace.name }).await?;
        tx.commit_at("workspace-created").await?;
        tracing::info!(workspace.id = %id, "Created workspace {id}");
        Ok(CreatedWorkspace { workspace, derived_patterns })
    }

    /// Changes a workspace. Numbers that were given stay as they are.
    pub async fn set(
        &self,
        actor: &Actor,
        id: WorkspaceId,
        change: &WorkspaceChange,
    ) -> Result<Workspace, WorkspaceError> {
        for (member, _, next) in change.series_starts() {
            if !(1..=SERIES_START_MAX).contains(&next) {
                let sentence = format!("use a number from 1 to {SERIES_START_MAX}");
                return Err(WorkspaceError::invalid(member, ErrorCode::OutOfRange, sentence));
            }
        }
        self.check_change(id, change).await?;
        let mut tx = self.db().begin().await?;
        // Keeps other workspaces of the supplier from taking the same patterns meanwhile.
        store::free_id(&mut tx).await?;
        let stored = store::find(&mut tx, id).await?.ok_or(WorkspaceError::Unknown(id))?;
        let strategy = change.rejection_strategy.unwrap_or(stored.rejection_strategy);
        let mut workspace = Draft::check(&change.over(&stored))?.into_workspace(id, false)?;
        workspace.rejection_strategy = strategy;
        if change.tax_id.is_none() && workspace.issuer() == stored.issuer() {
            // Nobody asked for another spelling.
            workspace.supplier.tax_id.clone_from(&stored.supplier.tax_id);
        }
        for (_, kind, next) in change.series_starts() {
            let year = workspace.time_zone.to_datetime(self.now()).year();
            if !numbers::start_at(&mut tx, SeriesKey { workspace: id, kind, year }, next).await? {
                return Err(WorkspaceError::SeriesStarted { kind, year });
            }
        }
        // Where the series goes on from, and which numbers were given, is known now.
        store::stop(&mut tx, id).await?;
        let mistakes = series_conflicts(&mut tx, &workspace, Some(&stored)).await?;
        if !mistakes.is_empty() {
            return Err(WorkspaceError::Invalid(mistakes));
        }
        store::update(&mut tx, &workspace, self.now()).await?;
        let data = SetData {
            name: &workspace.name,
            supplier: &workspace.supplier,
            rejection_strategy: workspace.rejection_strategy,
            invoice_pattern: workspace.invoice_pattern.to_string(),
            credit_pattern: workspace.credit_pattern.to_string(),
            next_number: change.next_number,
            next_credit_number: change.next_credit_number,
        };
        self.record(&mut tx, actor, "workspace.set", id, &data).await?;
        tx.commit_at("workspace-changed").await?;
        tracing::info!(workspace.id = %id, "Changed workspace {id}");
        Ok(workspace)
    }

    /// One of them.
    pub async fn find(&self, id: WorkspaceId) -> Result<Option<Workspace>, StoreError> {
        store::find(self.db(), id).await
    }

    /// Every workspace, by id.
    pub async fn list(&self) -> Result<Vec<Workspace>, StoreError> {
        StoredWorkspaces::new(self.db().clone()).list().await
    }

    /// See [`StoredWorkspaces::regimes`].
    pub async fn regimes(&self) -> Result<BTreeMap<WorkspaceId, RegimeKey>, StoreError> {
        StoredWorkspaces::new(self.db().clone()).regimes().await
    }

    /// Who changed what, in the transaction of the change. Secrets have no place in it.
    async fn record(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        action: &str,
        workspace: WorkspaceId,
        data: &impl Serialize,
    ) -> Result<(), StoreError> {
        self.audit.record(tx, actor, action, format!("workspace:{workspace}"), data).await
    }
}
