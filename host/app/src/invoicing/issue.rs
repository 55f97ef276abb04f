//! The three RPC calls: issuing, issue, reject (specification, "Invoice data service RPC endpoints").

use crate::Gateway;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::finance::Route;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Acceptance, Credited, DocumentEvent, DocumentKind, Invoice, InvoiceNumber, IssueError, Issued,
    NotCreditable, NotRejectable, NumberPattern, ReadyToIssue, Rejection, SeriesKey, State, Status,
    within_originals,
};
use gateway_domain::tax_id::Issuer;
use gateway_domain::workspace::Workspace;
use gateway_events::Source;
use gateway_storage::{StoreError, Tx, credits, events, invoices, numbers, series, workspaces};
use jiff::Timestamp;
use std::collections::BTreeSet;

/// Why a document did not get its number or did not become final.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// There is no such document.
    #[error("there is no such document")]
    Gone,
    /// It is in the wrong state, of the wrong kind, or empty.
    #[error(transparent)]
    Issue(#[from] IssueError),
    /// It changed since the caller read it.
    #[error("the document is at version {current}: read it again and repeat the call")]
    Stale {
        /// Its version.
        current: i64,
    },
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The specification's name for what the issuing call refuses.
pub type IssuingError = StepError;

/// Why a document was not rejected.
#[derive(Debug, thiserror::Error)]
pub enum RejectError {
    /// There is no such document.
    #[error("there is no such document")]
    Gone,
    /// It is in the wrong state.
    #[error(transparent)]
    NotRejectable(#[from] NotRejectable),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Gateway {
    /// Moves a draft or rejected document to issuing and reserves its number; `at` is the
    /// caller's own time of it. Skips tax validations. Not
    /// idempotent: a second call finds the document issuing and is refused.
    pub async fn begin_issuing(
        &self,
        acting: &Acting,
        id: InvoiceId,
        send_to_tax_authority: bool,
        at: Option<Timestamp>,
    ) -> Result<Invoice, IssuingError> {
        self.begin_issuing_if(acting, id, send_to_tax_authority, at, None).await
    }

    /// [`Gateway::begin_issuing`], if the document is still at the version that was `seen`.
    pub async fn begin_issuing_if(
        &self,
        acting: &Acting,
        id: InvoiceId,
        send_to_tax_authority: bool,
        at: Option<Timestamp>,
        seen: Option<i64>,
    ) -> Result<Invoice, IssuingError> {
        let mut tx = self.db().begin().await?;
        let invoice = invoices::lock(&mut tx, id, &acting.workspaces).await?.ok_or(StepError::Gone)?;
        let version = invoice.version;
        if seen.is_some_and(|seen| seen != version) {
            return Err(StepError::Stale { current: version });
        }
        let workspace = workspaces::find(&mut tx, invoice.workspace).await?;
        self.not_blocked(&mut tx, id).await?;
        let ready = invoice.ready_to_issue(self.issue_day(at, workspace.as_ref()))?;
        self.within_originals(&mut tx, &ready).await?;
        self.once(&mut tx, acting).await?;
        let number = self.reserve(&mut tx, &ready).await?;
        let now = self.now();
        let issued = ready.begin_issuing(number, send_to_tax_authority, at.unwrap_or(now), now);
        let invoice = self.put_moved(&mut tx, issued, version, &acting.actor).await?;
        tx.commit_at("issuing").await?;
        Ok(invoice)
    }

    /// Makes a draft final without the tax authority, or an issuing document final with the authority's proof; `at` is
    /// the caller's own time of it.
    pub async fn issue_document(
        &self,
        acting: &Acting,
        id: InvoiceId,
        acceptance: Option<Acceptance>,
        at: Option<Timestamp>,
    ) -> Result<Invoice, StepError> {
        self.issue_document_if(acting, id, acceptance, at, None).await
    }

    /// [`Gateway::issue_document`], if the document is still at the version that was `seen`.
    pub async fn issue_document_if(
        &self,
        acting: &Acting,
        id: InvoiceId,
        acceptance: Option<Acceptance>,
        at: Option<Timestamp>,
        seen: Option<i64>,
    ) -> Result<Invoice, StepError> {
        let mut tx = self.db().begin().await?;
        let invoice = self.issue_in(&mut tx, acting, id, acceptance, at, seen).await?;
        self.after_issue(&mut tx, &invoice).await?;
        tx.commit_at("issued").await?;
        Ok(invoice)
    }

    /// [`Gateway::issue_document_if`] as part of a transaction; `at` is the caller's own time of it. What follows from it
    /// ([`Gateway::after_issue`]) is left to the caller, who first tells that the document is issued.
    pub(crate) async fn issue_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        id: InvoiceId,
        acceptance: Option<Acceptance>,
        at: Option<Timestamp>,
        seen: Option<i64>,
    ) -> Result<Invoice, StepError> {
        let invoice = invoices::lock(tx, id, &acting.workspaces).await?.ok_or(StepError::Gone)?;
        let (version, now) = (invoice.version, self.now());
        if seen.is_some_and(|seen| seen != version) {
            return Err(StepError::Stale { current: version });
        }
        let issued = match invoice.state {
            State::Draft => {
                let workspace = workspaces::find(&mut *tx, invoice.workspace).await?;
                self.not_blocked(tx, id).await?;
                let ready = invoice.ready_for_standard_issue(self.issue_day(at, workspace.as_ref()))?;
                self.within_originals(tx, &ready).await?;
                let number = self.reserve(tx, &ready).await?;
                ready.issue(number, at.unwrap_or(now), now)
            }
            State::Issuing { .. } | State::Issued { .. } | State::Rejected { .. } => {
                invoice.accept(acceptance, now)?
            }
        };
        self.once(tx, acting).await?;
        Ok(self.put_moved(tx, issued, version, &acting.actor).await?)
    }

    /// Makes a document final as it was when it was sent under an earlier number of its own, which the authority accepted.
    pub async fn issue_earlier(
        &self,
        acting: &Acting,
        id: InvoiceId,
        number: &InvoiceNumber,
        acceptance: Acceptance,
    ) -> Result<Invoice, StepError> {
        let mut tx = self.db().begin().await?;
        let invoice = self.issue_earlier_in(&mut tx, acting, id, number, acceptance).await?;
        self.after_issue(&mut tx, &invoice).await?;
        tx.commit_at("issued").await?;
        Ok(invoice)
    }

    /// [`Gateway::issue_earlier`] as part of a transaction. The document's own events tell how it was sent.
    pub(crate) async fn issue_earlier_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        id: InvoiceId,
        number: &InvoiceNumber,
        acceptance: Acceptance,
    ) -> Result<Invoice, StepError> {
        let invoice = invoices::lock(tx, id, &acting.workspaces).await?.ok_or(StepError::Gone)?;
        let (version, now) = (invoice.version, self.now());
        let told = events::of_subject(&mut *tx, &Workspaces::All, Source::Invoicing.as_str(), id).await?;
        let issuing = told.iter().filter(|event| event.kind == DocumentEvent::Issuing.as_str());
        let sent = issuing
            .filter_map(|event| Invoice::from_shown(&serde_json::from_str(&event.data).ok()?).ok())
            .rfind(|sent| sent.state.number() == Some(number));
        let issued = invoice.accept_earlier(sent.ok_or(IssueError::NumberUnknown)?, acceptance, now)?;
        self.once(tx, acting).await?;
        credits::set_references(tx, id, &issued.invoice.content.referenced_document_ids).await?;
        Ok(self.put_moved(tx, issued, version, &acting.actor).await?)
    }

    /// What the issuing call, or the standard issue, would refuse at `at` of a document of this gateway.
    pub(crate) async fn issuable(
        &self,
        document: &Invoice,
        route: Route,
        at: Option<Timestamp>,
    ) -> Result<(), StepError> {
        let mut tx = self.db().begin().await?;
        let workspace = workspaces::find(&mut tx, document.workspace).await?;
        let day = self.issue_day(at, workspace.as_ref());
        self.not_blocked(&mut tx, document.id).await?;
        let ready = match route {
            Route::TaxAuthority => document.clone().ready_to_issue(day)?,
            Route::Standard => document.clone().ready_for_standard_issue(day)?,
        };
        self.within_originals(&mut tx, &ready).await?;
        year_is_open(&mut tx, &ready).await?;
        number_is_free(&mut tx, &ready, workspace.as_ref()).await?;
        tx.rollback().await?;
        Ok(())
    }

    /// Credit notes that are issued side by side stay within what they credit: the originals are held.
    async fn within_originals(&self, tx: &mut Tx, ready: &ReadyToIssue) -> Result<(), StepError> {
        let note = ready.document();
        if note.content.document_type != DocumentKind::CreditNote {
            return Ok(());
        }
        let visible = Workspaces::Only(vec![note.workspace]);
        let (mut originals, mut others) = (Vec::new(), Vec::new());
        // All credit notes hold them in one order.
        let wanted: BTreeSet<_> = note.content.referenced_document_ids.iter().collect();
        for id in wanted {
            // What is not here was issued by another system.
            let Some(original) = invoices::lock(tx, *id, &visible).await? else { continue };
            let counted = |status| matches!(status, Status::Issuing | Status::Issued);
            let notes = credits::credit_notes(&mut *tx, *id, note.workspace).await?.into_iter();
            for (_, other) in notes.filter(|(status, other)| counted(*status) && other.id != note.id) {
                if !others.iter().any(|known: &Credited| known.id == other.id) {
                    others.push(other);
                }
            }
            originals.push(original);
        }
        within_originals(note, &originals, &others).map_err(|error| match error {
            NotCreditable::WrongDocument { .. }
            | NotCreditable::BeforeIssue(_)
            | NotCreditable::OtherCurrency { .. } => IssueError::WrongOriginal,
            NotCreditable::CreditedAlready { .. }
            | NotCreditable::Exceeds { .. }
            | NotCreditable::UnknownTax { .. }
            | NotCreditable::NoLines
            | NotCreditable::Totals(_) => IssueError::ExceedsOriginal,
        })?;
        Ok(())
    }

    /// Moves an issuing document to rejected. Idempotent: a second call keeps the first reason and time.
    pub async fn reject_document(
        &self,
        acting: &Acting,
        id: InvoiceId,
        reason: String,
    ) -> Result<Invoice, RejectError> {
        let mut tx = self.db().begin().await?;
        let invoice = self.reject_in(&mut tx, acting, id, reason).await?;
        self.after_rejection(&mut tx, &invoice).await?;
        tx.commit_at("rejected").await?;
        Ok(invoice)
    }

    /// [`Gateway::reject_document`] as part of a transaction. What follows from it ([`Gateway::after_rejection`]) is
    /// left to the caller, who first tells that the document is rejected.
    pub(crate) async fn reject_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        id: InvoiceId,
        reason: String,
    ) -> Result<Invoice, RejectError> {
        let invoice = invoices::lock(tx, id, &acting.workspaces).await?.ok_or(RejectError::Gone)?;
        let before = invoice.clone();
        match invoice.reject(reason, self.now())? {
            Rejection::Before => {
                self.once(tx, acting).await?;
                Ok(before)
            }
            Rejection::Now(rejected) => {
                self.once(tx, acting).await?;
                let moved = Issued { invoice: rejected.invoice, event: rejected.event };
                Ok(self.put_moved(tx, moved, before.version, &acting.actor).await?)
            }
        }
    }

    /// The next number of the series. The proof guarantees that nothing else refuses the document any more, so a number
    /// is reserved only when the same transaction uses it.
    async fn reserve(&self, tx: &mut Tx, ready: &ReadyToIssue) -> Result<InvoiceNumber, StepError> {
        let (key, document) = (ready.series(), ready.document().id);
        let position = series::reserve(tx, key).await?;
        year_is_open(tx, ready).await?;
        // Read here: whoever changes it waits for this number, or this number is given under the change.
        let workspace = workspaces::hold(tx, key.workspace).await?;
        let (issuer, pattern) = numbering(key, workspace.as_ref())?;
        let number = pattern.format(key.year, position);
        if numbers::give(tx, &issuer, key, position, &number, document, self.now()).await? {
            return Ok(number);
        }
        tracing::warn!(
            workspace.id = %key.workspace, document.id = %document,
            "Workspace {} has to number differently: {number} was given before under its tax id", key.workspace
        );
        Err(IssueError::NumberGiven.into())
    }

    /// Stores the moved document with its event. The row is locked, so nobody can have moved it in between.
    async fn put_moved(
        &self,
        tx: &mut Tx,
        moved: Issued,
        seen: i64,
        actor: &Actor,
    ) -> Result<Invoice, StoreError> {
        let Issued { invoice, event } = moved;
        if !invoices::update(tx, &invoice, seen).await? {
            return Err(StoreError::Moved { table: "invoice" });
        }
        self.append(tx, event, &invoice, actor).await?;
        Ok(invoice)
    }
}

/// A number of a past year that the document does not ask for is given only while no later year has one.
async fn year_is_open(tx: &mut Tx, ready: &ReadyToIssue) -> Result<(), StepError> {
    if ready.takes_past_year() && numbers::later_year(tx, ready.series()).await? {
        return Err(IssueError::SeriesMovedOn.into());
    }
    Ok(())
}

/// What [`Gateway::reserve`] would refuse, while nobody else issues.
pub(super) async fn number_is_free(
    tx: &mut Tx,
    ready: &ReadyToIssue,
    workspace: Option<&Workspace>,
) -> Result<(), StepError> {
    let key = ready.series();
    let (issuer, pattern) = numbering(key, workspace)?;
    let mut position = series::next(&mut *tx, key).await?;
    while numbers::is_given(&mut *tx, &issuer, &pattern.format(key.year, position)).await? {
        // Given by this very series in between: then it is further on.
        let next = series::next(&mut *tx, key).await?;
        if next == position {
            return Err(IssueError::NumberGiven.into());
        }
        position = next;
    }
    Ok(())
}

/// Who issues a document of a series, and how its number looks.
fn numbering(key: SeriesKey, workspace: Option<&Workspace>) -> Result<(Issuer, &NumberPattern), StoreError> {
    let workspace = workspace.ok_or(StoreError::Moved { table: "workspace" })?;
    Ok((workspace.issuer(), workspace.pattern(key.kind)))
}
