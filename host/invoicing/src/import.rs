//! Documents that another system issued: taken over as they are, each in a transaction of its own, in which the series of its number
//! goes on behind it.

use crate::Documents;
use gateway_domain::access::{Actor, Workspaces};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{
    DocumentEvent, DocumentKind, ImportedFile, Invoice, InvoiceNumber, IssuedDocument, SeriesKey,
    SeriesNumber, SeriesStand, State,
};
use gateway_domain::workspace::Workspace;
use gateway_domain::{ErrorCode, FieldError, StoreError};
use gateway_domain_input::document::{IssuedDocumentForm, TaxCheck};
use gateway_storage::{Tx, creation_clock, credits, imported_files, invoices, numbers, workspaces};
use jiff::Timestamp;
use jiff::civil::Date;

/// How often a document is begun anew whose series or workspace changed meanwhile.
const TRIES: u32 = 5;

/// What became of a document of another system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportOutcome {
    /// It was not there before.
    Created,
    /// It is there already as it is said to be.
    Unchanged,
    /// Nothing of it is kept; every mistake is named.
    Refused(Vec<FieldError>),
}

/// What was found and is held until the transaction ends.
struct Numbering {
    /// What the number is to the series of the workspace; none where they never come to it.
    number: Option<(SeriesNumber, SeriesStand)>,
    workspace: Workspace,
}

fn patterns(workspace: &Workspace) -> [(DocumentKind, &gateway_domain::invoicing::NumberPattern); 2] {
    [
        (DocumentKind::Invoice, &workspace.invoice_pattern),
        (DocumentKind::CreditNote, &workspace.credit_pattern),
    ]
}

impl Documents {
    /// Takes over a document that another system issued. It is final from the beginning and nothing submits it; importing it again changes
    /// nothing.
    pub async fn import(&self, actor: &Actor, form: IssuedDocumentForm) -> Result<ImportOutcome, StoreError> {
        let checked = match form.workspace() {
            Ok(workspace) => self.checked_import(workspace, form).await?,
            Err(fault) => Err(vec![fault]),
        };
        let document = match checked {
            Ok(document) => document,
            Err(faults) => return Ok(ImportOutcome::Refused(faults)),
        };
        for _ in 1..TRIES {
            match self.take_over(actor, document.clone()).await {
                Err(StoreError::Moved { .. }) => {}
                done => return done,
            }
        }
        self.take_over(actor, document).await
    }

    /// The document, or everything that is wrong with it.
    async fn checked_import(
        &self,
        workspace: WorkspaceId,
        form: IssuedDocumentForm,
    ) -> Result<Result<IssuedDocument, Vec<FieldError>>, StoreError> {
        let Some(found) = workspaces::find(self.db(), workspace).await? else {
            let message = format!("there is no workspace {workspace}");
            return Ok(Err(vec![FieldError::new("workspace_id", ErrorCode::NotFound, message)]));
        };
        let regime = self.regime(workspace).await?;
        let taxes = regime.as_ref().map_or(TaxCheck::Syntax, |regime| TaxCheck::Regime(regime));
        let today = self.issue_day(None, Some(&found)).day();
        Ok(form.check(taxes).and_then(|document| {
            document.ensure_past(today, self.now()).map_err(|fault| vec![fault])?;
            Ok(document)
        }))
    }

    async fn take_over(&self, actor: &Actor, document: IssuedDocument) -> Result<ImportOutcome, StoreError> {
        let Some(date) = document.content.issue_date else {
            let fault = FieldError::new("issue_date", ErrorCode::Required, "is required");
            return Ok(ImportOutcome::Refused(vec![fault]));
        };
        let mut tx = self.db().begin().await?;
        let existing = invoices::find(&mut tx, document.id, &Workspaces::All).await?;
        if let Some(existing) = existing {
            return Ok(compared(&existing, document, self.now()));
        }
        let kind = document.content.document_type;
        let key = SeriesKey { workspace: document.workspace, kind, year: date.year() };
        let Numbering { number, workspace } = numbering(&mut tx, key.workspace, &document.number).await?;
        let at = issued_at(&document, date, &workspace);
        let (number_text, files_of) = (document.number.clone(), document.id);
        if let Some((number, stand)) = number {
            let pattern = workspace.pattern(number.series.kind);
            match number.taken_over(&number_text, key, pattern, stand, document.skips_unused) {
                Ok(None) => {}
                Ok(Some(next)) => {
                    if !numbers::resume_at(&mut tx, key, stand.next, next).await? {
                        return Err(StoreError::Moved { table: "series" });
                    }
                }
                Err(refused) => return Ok(ImportOutcome::Refused(vec![refused.into()])),
            }
        }
        if numbers::is_given(&mut tx, &workspace.issuer(), &number_text).await? {
            return Ok(number_given(&number_text));
        }
        let now = creation_clock::next_document(&mut tx, self.now()).await?;
        let (invoice, files) = document.into_invoice(at, now);
        if !self.put_imported(&mut tx, &invoice, &files).await?
            || !numbers::take_over(&mut tx, &workspace.issuer(), &number_text, files_of).await?
        {
            return Ok(number_given(&number_text));
        }
        self.append(&mut tx, DocumentEvent::Imported, &invoice, actor).await?;
        tx.commit_at("document-imported").await?;
        Ok(ImportOutcome::Created)
    }

    /// Stores document, references and files; `false` when its number is taken.
    async fn put_imported(
        &self,
        tx: &mut Tx,
        invoice: &Invoice,
        files: &[ImportedFile],
    ) -> Result<bool, StoreError> {
        let Some(origin) = invoice.state.imported() else { return Ok(false) };
        if !invoices::insert_imported(tx, invoice, origin).await? {
            return Ok(false);
        }
        credits::set_references(tx, invoice.id, &invoice.content.referenced_document_ids);
        imported_files::insert(tx, invoice.id, files).await?;
        Ok(true)
    }
}

fn number_given(number: &InvoiceNumber) -> ImportOutcome {
    let message = format!("{number} is the number of another document of the same tax id");
    ImportOutcome::Refused(vec![FieldError::new("number", ErrorCode::InvoiceNumberGiven, message)])
}

/// When it was issued: as its issue date began in the time zone of the workspace, where nothing else is said.
fn issued_at(document: &IssuedDocument, date: Date, workspace: &Workspace) -> Timestamp {
    let midnight = || date.to_zoned(workspace.time_zone.clone()).ok().map(|zoned| zoned.timestamp());
    document.issued_at.or_else(midnight).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// What the number of a document is to the series of its workspace, as it is and stays until the transaction ends. The series is held
/// before the workspace, as for every number that is given.
async fn numbering(
    tx: &mut Tx,
    workspace: WorkspaceId,
    number: &InvoiceNumber,
) -> Result<Numbering, StoreError> {
    const GONE: StoreError = StoreError::Moved { table: "workspace" };
    let before = workspaces::find(&mut *tx, workspace).await?.ok_or(GONE)?;
    let read = |of: &Workspace| SeriesNumber::read(workspace, patterns(of), number);
    let found = read(&before);
    let number = match found {
        Some(found) => Some((found, numbers::lock_series(tx, found.series).await?)),
        None => None,
    };
    let workspace = workspaces::hold(tx, workspace).await?.ok_or(GONE)?;
    // Somebody gave the workspace other patterns in between.
    if read(&workspace) != found {
        return Err(GONE);
    }
    Ok(Numbering { number, workspace })
}

/// A document that is there already is not replaced: what was issued stays.
fn compared(existing: &Invoice, document: IssuedDocument, now: Timestamp) -> ImportOutcome {
    let State::Issued { at, imported: Some(_), .. } = &existing.state else {
        let message = "a document with this id was made here: give another id";
        return ImportOutcome::Refused(vec![FieldError::new("id", ErrorCode::AlreadyExists, message)]);
    };
    let at = document.issued_at.unwrap_or(*at);
    let (said, _) = document.into_invoice(at, now);
    let same = (&said.workspace, &said.content, &said.state)
        == (&existing.workspace, &existing.content, &existing.state);
    if same {
        return ImportOutcome::Unchanged;
    }
    let message = "is imported already and says something else: what was issued is not changed; correct it with a credit note";
    ImportOutcome::Refused(vec![FieldError::new("id", ErrorCode::DocumentAlreadyIssued, message)])
}
