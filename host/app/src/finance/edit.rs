//! Delete, UpdateRecipient, and the transactions of a document.

use super::{CommandError, Outcome};
use crate::Gateway;
use gateway_domain::access::Acting;
use gateway_domain::finance::{Command, FinanceEvent};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Content, EditError, FieldError, Invoice, LineForm, Recipient, TaxCheck, Totals, add_line, remove_line,
    set_recipient, update_line,
};
use gateway_invoicing::{DeleteError, SaveError, totals_mistake};
use gateway_storage::{On, invoices, workspaces};

/// What an edit changes.
#[derive(Debug, Clone)]
pub enum Edit {
    /// Whom the document is for.
    Recipient(Box<Recipient>),
    /// One transaction more.
    Add(String, LineForm),
    /// A transaction otherwise.
    Update(String, LineForm),
    /// One transaction less.
    Remove(String),
}

impl Edit {
    const fn command(&self) -> Command {
        match self {
            Self::Recipient(_) => Command::UpdateRecipient,
            Self::Add(..) => Command::AddTransaction,
            Self::Update(..) => Command::UpdateTransaction,
            Self::Remove(_) => Command::RemoveTransaction,
        }
    }

    pub(crate) const fn event(&self) -> FinanceEvent {
        match self {
            Self::Recipient(_) => FinanceEvent::RecipientUpdated,
            Self::Add(..) => FinanceEvent::TransactionAdded,
            Self::Update(..) => FinanceEvent::TransactionUpdated,
            Self::Remove(_) => FinanceEvent::TransactionRemoved,
        }
    }

    fn of(self, content: Content, taxes: TaxCheck<'_>) -> Result<Content, CommandError> {
        let line = |form: LineForm| form.check("line", taxes).map_err(CommandError::Invalid);
        let edited = match self {
            Self::Recipient(recipient) => Ok(set_recipient(content, *recipient)),
            Self::Add(transaction, form) => add_line(content, transaction, line(form)?),
            Self::Update(transaction, form) => update_line(content, transaction, line(form)?),
            Self::Remove(transaction) => remove_line(content, &transaction),
        };
        edited.map_err(CommandError::from)
    }
}

impl Gateway {
    /// UpdateRecipient, AddTransaction, UpdateTransaction, RemoveTransaction: on drafts and rejected documents.
    pub async fn edit_command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        edit: Edit,
        seen: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        if let Some(service) = self.elsewhere() {
            return self.edit_elsewhere(service, acting, id, edit, seen).await;
        }
        let event = edit.event();
        let mut tx = self.db().begin().await?;
        let existing = invoices::lock(&mut tx, id, &acting.workspaces).await?.ok_or(CommandError::Gone)?;
        let before = self.told_so_far(&mut tx, id).await?;
        let version = existing.version;
        let edited = self.edited(&mut tx, existing, edit, seen).await?;
        self.once(&mut tx, acting).await?;
        self.documents().update_in(&mut tx, &edited, version, &acting.actor).await?;
        self.append_finance(&mut tx, event, &edited, &acting.actor).await?;
        let outcome = self.outcome_in(&mut tx, acting, edited, id, before).await?;
        self.end(tx, acting).await?;
        Ok(outcome)
    }

    /// The document after an edit, if it takes it and is at the version that the caller has `seen`.
    pub(crate) async fn edited(
        &self,
        on: impl Into<On<'_>>,
        existing: Invoice,
        edit: Edit,
        seen: Option<i64>,
    ) -> Result<Invoice, CommandError> {
        CommandError::check(&existing, edit.command())?;
        if seen.is_some_and(|seen| seen != existing.version) {
            return Err(CommandError::Stale { current: existing.version });
        }
        let configured = workspaces::e_invoicing(on, existing.workspace).await?;
        let regime = configured
            .and_then(|sealed| self.converter(existing.workspace).describe(&sealed.configuration.regime));
        let taxes =
            regime.as_ref().map_or(TaxCheck::Syntax, |(description, _)| TaxCheck::Regime(description));
        let content = edit.of(existing.content.clone(), taxes)?;
        let totals =
            Totals::of(&content).map_err(|error| CommandError::Invalid(vec![totals_mistake(error)]))?;
        Ok(existing.edit(content, totals, self.now()).map_err(SaveError::from)?.invoice)
    }

    /// Delete: drafts only. The outcome's document is the draft as it was.
    pub async fn delete_command(
        &self,
        acting: &Acting,
        id: InvoiceId,
        seen: Option<i64>,
    ) -> Result<Outcome, CommandError> {
        if let Some(service) = self.elsewhere() {
            return self.delete_elsewhere(service, acting, id, seen).await;
        }
        let mut tx = self.db().begin().await?;
        let found = invoices::lock(&mut tx, id, &acting.workspaces).await?.ok_or(CommandError::Gone)?;
        let before = self.told_so_far(&mut tx, id).await?;
        CommandError::check(&found, Command::Delete)?;
        self.once(&mut tx, acting).await?;
        let deleted = self.documents().delete_in(&mut tx, acting, id, seen).await?;
        self.append_finance(&mut tx, FinanceEvent::Deleted, &deleted, &acting.actor).await?;
        let outcome = self.outcome_in(&mut tx, acting, found, id, before).await?;
        self.end(tx, acting).await?;
        Ok(outcome)
    }
}

impl From<EditError> for CommandError {
    fn from(error: EditError) -> Self {
        Self::Rule("transactionRefused", FieldError::new("transaction_id", error.to_string()))
    }
}

impl From<SaveError> for CommandError {
    fn from(error: SaveError) -> Self {
        match error {
            SaveError::Invalid(fields) => Self::Invalid(fields),
            SaveError::Gone => Self::Gone,
            SaveError::NotEditable(error) => {
                Self::Rule("documentLocked", FieldError::new("base", error.to_string()))
            }
            SaveError::Stale { current } => Self::Stale { current },
            SaveError::Store(cause) => Self::Store(cause),
        }
    }
}

impl From<DeleteError> for CommandError {
    fn from(error: DeleteError) -> Self {
        match error {
            DeleteError::Gone => Self::Gone,
            DeleteError::NotDeletable(error) => {
                Self::Rule("documentNotADraft", FieldError::new("status", error.to_string()))
            }
            DeleteError::Stale { current } => Self::Stale { current },
            DeleteError::Store(cause) => Self::Store(cause),
        }
    }
}
