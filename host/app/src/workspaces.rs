//! Workspaces: who issues, how numbers look, and how each sends its invoices to a tax authority.
//!
//! The provider's API token and the webhook token are sealed before they are stored and never shown again.

mod draft;
mod e_invoicing;

pub use e_invoicing::{EInvoicingForm, EInvoicingView, WebhookBearer};

use crate::Gateway;
use crate::secrets::Unsealable;
use draft::Draft;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{Address, DocumentKind, FieldError, NumberPattern, SeriesKey};
use gateway_domain::regime::Supplier;
use gateway_domain::workspace::{RejectionStrategy, Workspace};
use gateway_storage::workspaces as store;
use gateway_storage::{StoreError, Tx, audit, series};
use serde_json::{Value, json};

/// Workspaces read at once; there are few.
const BATCH: i64 = 500;
/// Highest number a series can be told to start at.
const START_MAX: i64 = 999_999_999;

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
    /// Where the supplier is registered; replaces the whole address.
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
    #[error("the invoice series of {0} was started before: its next number cannot be set any more")]
    SeriesStarted(i16),
    /// A token could not be sealed.
    #[error("the token could not be encrypted: the system gave no randomness")]
    Secret(#[from] Unsealable),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WorkspaceChange {
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
    fn invalid(field: &str, message: impl Into<String>) -> Self {
        Self::Invalid(vec![FieldError::new(field, message)])
    }
}

fn sentence(errors: &[FieldError]) -> String {
    errors.iter().map(|error| format!("{}: {}", error.field, error.message)).collect::<Vec<_>>().join("; ")
}

/// Workspaces.
impl Gateway {
    /// Creates a workspace under the next free id.
    pub async fn create_workspace(
        &self,
        actor: &Actor,
        new: &NewWorkspace,
    ) -> Result<CreatedWorkspace, WorkspaceError> {
        let draft = Draft::check(new)?;
        let mut tx = self.db().begin().await?;
        let id = store::free_id(&mut tx).await?;
        if store::find(&mut tx, id).await?.is_some() {
            let message = format!("no id up to {} is free above the others", WorkspaceId::MAX);
            return Err(WorkspaceError::invalid("id", message));
        }
        let taken = patterns_of_supplier(&mut tx, &draft.supplier).await?;
        let derived_patterns = [
            (&draft.invoice_pattern, NumberPattern::default_invoice()),
            (&draft.credit_pattern, NumberPattern::default_credit()),
        ]
        .iter()
        .any(|(given, usual)| given.is_none() && taken.contains(&usual.to_string()));
        let workspace = draft.into_workspace(id, derived_patterns)?;
        unlike(&workspace, &taken)?;
        store::insert(&mut tx, &workspace, self.now()).await?;
        self.record(&mut tx, actor, "workspace.create", id, &json!({"name": workspace.name})).await?;
        tx.commit().await?;
        tracing::info!(workspace.id = %id, "Created workspace {id}");
        Ok(CreatedWorkspace { workspace, derived_patterns })
    }

    /// Changes a workspace. Numbers that were given stay as they are.
    pub async fn set_workspace(
        &self,
        actor: &Actor,
        id: WorkspaceId,
        change: &WorkspaceChange,
    ) -> Result<Workspace, WorkspaceError> {
        if change.next_number.is_some_and(|next| !(1..=START_MAX).contains(&next)) {
            return Err(WorkspaceError::invalid(
                "next_number",
                format!("use a number from 1 to {START_MAX}"),
            ));
        }
        let mut tx = self.db().begin().await?;
        // Keeps other workspaces of the supplier from taking the same patterns meanwhile.
        store::free_id(&mut tx).await?;
        let stored = store::find(&mut tx, id).await?.ok_or(WorkspaceError::Unknown(id))?;
        let strategy = change.rejection_strategy.unwrap_or(stored.rejection_strategy);
        let mut workspace = Draft::check(&change.over(&stored))?.into_workspace(id, false)?;
        workspace.rejection_strategy = strategy;
        let taken = patterns_of_others(&mut tx, &workspace).await?;
        unlike(&workspace, &taken)?;
        store::update(&mut tx, &workspace, self.now()).await?;
        if let Some(next) = change.next_number {
            let year = workspace.time_zone.to_datetime(self.now()).year();
            let key = SeriesKey { workspace: id, kind: DocumentKind::Invoice, year };
            if !series::start_at(&mut tx, key, next).await? {
                return Err(WorkspaceError::SeriesStarted(year));
            }
        }
        let data = json!({
            "name": workspace.name,
            "supplier": workspace.supplier,
            "rejection_strategy": workspace.rejection_strategy,
            "invoice_pattern": workspace.invoice_pattern.to_string(),
            "credit_pattern": workspace.credit_pattern.to_string(),
            "next_number": change.next_number,
        });
        self.record(&mut tx, actor, "workspace.set", id, &data).await?;
        tx.commit().await?;
        tracing::info!(workspace.id = %id, "Changed workspace {id}");
        Ok(workspace)
    }

    /// Every workspace, by id.
    pub async fn workspaces(&self) -> Result<Vec<Workspace>, StoreError> {
        let mut all: Vec<Workspace> = Vec::new();
        loop {
            let after = all.last().map_or(WorkspaceId(0), |last| last.id);
            let batch = store::list(self.db(), after, BATCH).await?;
            if batch.is_empty() {
                return Ok(all);
            }
            all.extend(batch);
        }
    }

    /// Who changed what, in the transaction of the change. Secrets have no place in it.
    async fn record(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        action: &str,
        workspace: WorkspaceId,
        data: &Value,
    ) -> Result<(), StoreError> {
        let entry = audit::Entry {
            id: self.ids().next(),
            at: self.now(),
            actor: actor.clone(),
            action: action.to_owned(),
            subject: format!("workspace:{workspace}"),
            data: data.to_string(),
        };
        audit::append(tx, &entry).await
    }
}

/// The patterns of every workspace of this supplier.
pub(crate) async fn patterns_of_supplier(
    tx: &mut Tx,
    supplier: &Supplier,
) -> Result<Vec<String>, StoreError> {
    patterns(tx, supplier, None).await
}

/// The patterns of the other workspaces of the same supplier.
async fn patterns_of_others(tx: &mut Tx, workspace: &Workspace) -> Result<Vec<String>, StoreError> {
    patterns(tx, &workspace.supplier, Some(workspace.id)).await
}

async fn patterns(
    tx: &mut Tx,
    supplier: &Supplier,
    except: Option<WorkspaceId>,
) -> Result<Vec<String>, StoreError> {
    let mut found = Vec::new();
    let mut after = WorkspaceId(0);
    loop {
        let batch = store::list(&mut *tx, after, BATCH).await?;
        let Some(last) = batch.last() else { return Ok(found) };
        after = last.id;
        let same = batch.iter().filter(|other| {
            other.supplier.country == supplier.country
                && other.supplier.tax_id == supplier.tax_id
                && Some(other.id) != except
        });
        found.extend(
            same.flat_map(|other| [other.invoice_pattern.to_string(), other.credit_pattern.to_string()]),
        );
    }
}

/// Two series of one supplier with one pattern would give the same number twice.
fn unlike(workspace: &Workspace, taken: &[String]) -> Result<(), WorkspaceError> {
    let (invoice, credit) = (workspace.invoice_pattern.to_string(), workspace.credit_pattern.to_string());
    if invoice == credit {
        return Err(WorkspaceError::invalid(
            "credit_pattern",
            "invoices and credit notes need different patterns",
        ));
    }
    let mistakes: Vec<FieldError> = [("invoice_pattern", invoice), ("credit_pattern", credit)]
        .into_iter()
        .filter(|(_, pattern)| taken.contains(pattern))
        .map(|(field, pattern)| {
            FieldError::new(
                field,
                format!("another workspace of the same supplier uses {pattern}: choose another"),
            )
        })
        .collect();
    if mistakes.is_empty() { Ok(()) } else { Err(WorkspaceError::Invalid(mistakes)) }
}
