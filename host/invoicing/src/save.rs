//! Drafts: made, edited, deleted. A rejected document is edited in place.

use crate::{Documents, Invoicing};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Content, DocumentEvent, Invoice, NotDeletable, NotEditable, State, Totals};
use gateway_domain::regime::RegimeDescription;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use gateway_storage::{Tx, creation_clock, credits, invoices, workspaces};
use std::sync::Arc;

/// A document that was just saved.
#[derive(Debug, Clone)]
pub struct Saved {
    /// As it is now.
    pub invoice: Invoice,
    /// Whether it did not exist before.
    pub created: bool,
}

/// Why a document was not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The form has mistakes; every one is named.
    #[error("the document has mistakes")]
    Invalid(Vec<FieldError>),
    /// The id belongs to a document the caller may not see.
    #[error("there is no such document")]
    Gone,
    /// The document takes no edit.
    #[error(transparent)]
    NotEditable(#[from] NotEditable),
    /// The document changed since the caller read it, or is there or not, unlike the caller thinks.
    #[error("{}", stale(*.current))]
    Stale {
        /// Its version; [`NO_VERSION`] when there is none.
        current: i64,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The version of a document that is not there yet.
pub const NO_VERSION: i64 = 0;

fn stale(current: i64) -> String {
    if current == NO_VERSION {
        return "there is no such document: make it without saying which version it has".to_owned();
    }
    format!("the document is at version {current}: read it again and repeat the edit")
}

/// Why a draft was not deleted.
#[derive(Debug, thiserror::Error)]
pub enum DeleteError {
    /// There is none.
    #[error("there is no such document")]
    Gone,
    /// It is no draft.
    #[error(transparent)]
    NotDeletable(#[from] NotDeletable),
    /// It changed since the caller read it.
    #[error("the document is at version {current}: read it again and repeat the request")]
    Stale {
        /// As stored; the caller expected another one.
        current: i64,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Invoicing {
    /// Creates a draft, or replaces the content of a draft or a rejected document.
    /// `expected_version` is the version the caller read, when it says so: [`NO_VERSION`] makes a document and replaces none.
    pub async fn save(
        &self,
        acting: &Acting,
        id: InvoiceId,
        form: DocumentForm,
        expected_version: Option<i64>,
    ) -> Result<Saved, SaveError> {
        let workspace = form.workspace().map_err(|error| SaveError::Invalid(vec![error]))?;
        let (content, totals) = self.documents.checked(acting, workspace, form).await?;
        // A second round happens only when somebody created the same id at the same moment.
        for _ in 0..2 {
            if let Some(saved) =
                self.documents.put(acting, id, workspace, &content, &totals, expected_version).await?
            {
                return Ok(saved);
            }
        }
        Err(SaveError::Stale { current: NO_VERSION })
    }

    /// Deletes a draft.
    pub async fn delete(
        &self,
        acting: &Acting,
        id: InvoiceId,
        expected_version: Option<i64>,
    ) -> Result<(), DeleteError> {
        let mut tx = self.documents.db().begin().await?;
        let document = invoices::lock(&mut tx, id, &acting.workspaces).await?.ok_or(DeleteError::Gone)?;
        if expected_version.is_some_and(|expected| expected != document.version) {
            return Err(DeleteError::Stale { current: document.version });
        }
        self.documents.delete_in(&mut tx, acting, document).await?;
        tx.commit_at("deleted").await?;
        Ok(())
    }
}

impl Documents {
    async fn checked(
        &self,
        acting: &Acting,
        workspace: WorkspaceId,
        form: DocumentForm,
    ) -> Result<(Content, Totals), SaveError> {
        let known =
            acting.workspaces.contain(workspace) && workspaces::find(self.db(), workspace).await?.is_some();
        if !known {
            let error =
                FieldError::new("workspace_id", ErrorCode::NotFound, "names no workspace you may use");
            return Err(SaveError::Invalid(vec![error]));
        }
        let regime = self.regime(workspace).await?;
        let taxes = regime.as_ref().map_or(TaxCheck::Syntax, |regime| TaxCheck::Regime(regime));
        let content = form.check(taxes).map_err(SaveError::Invalid)?;
        let totals = Totals::rounded(&content, taxes.rounding());
        Ok((content, totals.map_err(|error| SaveError::Invalid(vec![error.into()]))?))
    }

    /// The regime that knows what taxes a line of this workspace may have; none where it sends its documents nowhere.
    pub(crate) async fn regime(
        &self,
        workspace: WorkspaceId,
    ) -> Result<Option<Arc<RegimeDescription>>, StoreError> {
        let configured = workspaces::e_invoicing(self.db(), workspace).await?;
        let described = configured.and_then(|sealed| {
            self.0.regimes.clone().within(workspace).describe(&sealed.configuration.regime)
        });
        Ok(described.map(|(description, _)| description))
    }

    async fn put(
        &self,
        acting: &Acting,
        id: InvoiceId,
        workspace: WorkspaceId,
        content: &Content,
        totals: &Totals,
        expected_version: Option<i64>,
    ) -> Result<Option<Saved>, SaveError> {
        let now = self.now();
        let mut tx = self.db().begin().await?;
        let existing = invoices::lock(&mut tx, id, &Workspaces::All).await?;
        let (invoice, created) = match existing {
            Some(existing) => {
                check_edit(acting, &existing, workspace, expected_version)?;
                let version = existing.version;
                let edited = existing.edit(content.clone(), totals.clone(), now)?;
                if !invoices::update(&mut tx, &edited.invoice, version).await? {
                    return Ok(None);
                }
                invoices::content_changed(&mut tx, &edited.invoice)?;
                (edited.invoice, false)
            }
            None if expected_version.is_some_and(|expected| expected != NO_VERSION) => {
                return Err(SaveError::Stale { current: NO_VERSION });
            }
            None => {
                let now = creation_clock::next_document(&mut tx, now).await?;
                let invoice = Invoice {
                    id,
                    workspace,
                    content: content.clone(),
                    totals: totals.clone(),
                    state: State::Draft,
                    send_to_tax_authority: false,
                    version: 1,
                    created_at: now,
                    updated_at: now,
                };
                if !invoices::insert(&mut tx, &invoice).await? {
                    return Ok(None);
                }
                (invoice, true)
            }
        };
        credits::set_references(&mut tx, id, &content.referenced_document_ids);
        self.append(&mut tx, DocumentEvent::Saved, &invoice, &acting.actor).await?;
        tx.commit_at("saved").await?;
        Ok(Some(Saved { invoice, created }))
    }

    /// Stores a fresh draft with its references and its event, behind all documents there are.
    pub async fn insert_in(&self, tx: &mut Tx, draft: &mut Invoice, actor: &Actor) -> Result<(), StoreError> {
        let at = creation_clock::next_document(tx, draft.created_at).await?;
        (draft.created_at, draft.updated_at) = (at, at);
        if !invoices::insert(tx, draft).await? {
            return Err(StoreError::Moved { table: "invoice" });
        }
        credits::set_references(tx, draft.id, &draft.content.referenced_document_ids);
        self.append(tx, DocumentEvent::Saved, draft, actor).await
    }

    /// Stores an edited document, which the transaction holds and which was at `expected_version`, with its event.
    pub async fn update_in(
        &self,
        tx: &mut Tx,
        edited: &Invoice,
        expected_version: i64,
        actor: &Actor,
    ) -> Result<(), StoreError> {
        if !invoices::update(tx, edited, expected_version).await? {
            return Err(StoreError::Moved { table: "invoice" });
        }
        invoices::content_changed(tx, edited)?;
        self.append(tx, DocumentEvent::Saved, edited, actor).await
    }

    /// [`Invoicing::delete`] as part of a transaction that holds the document; gives it as its last event tells it.
    pub async fn delete_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: Invoice,
    ) -> Result<Invoice, DeleteError> {
        document.deletable()?;
        if !invoices::delete(tx, document.id, document.version).await? {
            return Err(StoreError::Moved { table: "invoice" }.into());
        }
        let deleted = Invoice { version: document.version.saturating_add(1), ..document };
        self.append(tx, DocumentEvent::Deleted, &deleted, &acting.actor).await?;
        Ok(deleted)
    }
}

fn check_edit(
    acting: &Acting,
    existing: &Invoice,
    workspace: WorkspaceId,
    expected_version: Option<i64>,
) -> Result<(), SaveError> {
    if !acting.workspaces.contain(existing.workspace) {
        return Err(SaveError::Gone);
    }
    if existing.workspace != workspace {
        let error = FieldError::new(
            "workspace_id",
            ErrorCode::ReadOnly,
            "a document cannot move to another workspace",
        );
        return Err(SaveError::Invalid(vec![error]));
    }
    match expected_version {
        Some(expected_version) if expected_version != existing.version => {
            Err(SaveError::Stale { current: existing.version })
        }
        Some(_) | None => Ok(()),
    }
}
