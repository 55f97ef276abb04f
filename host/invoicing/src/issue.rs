//! Issuing and issue, two of the three RPC calls (specification, "Invoice data service RPC endpoints"). Numbers are reserved
//! late, in the transaction that uses them, so that no series has a gap (specification, Rules 4).

use crate::{Documents, Invoicing};
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{
    Acceptance, CreditNoteTotals, DocumentEvent, DocumentKind, Invoice, InvoiceNumber, IssueError,
    NotCreditable, NumberPattern, ReadyToIssue, SeriesKey, State, Status, Transition, within_originals,
};
use gateway_domain::tax_id::Issuer;
use gateway_domain::workspace::Workspace;
use gateway_domain_input::document::invoice_from_body;
use gateway_events::Source;
use gateway_storage::correctives::LOCAL;
use gateway_storage::{Corrupt, Tx, credits, events, idempotency, invoices, numbers, workspaces};
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
        /// As stored; the caller expected another one.
        current: i64,
    },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What an issue says besides which document it is about.
#[derive(Debug, Clone, Default)]
pub struct Issue {
    /// The authority's proof, for a document that waits for its verdict.
    pub acceptance: Option<Acceptance>,
    /// The caller's own time of it; now, when there is none.
    pub at: Option<Timestamp>,
    /// Only a document that is still at this version.
    pub expected_version: Option<i64>,
}

impl Invoicing {
    /// Moves a draft or rejected document to issuing and reserves its number; `at` is the caller's own time of it. Skips
    /// tax validations. Not idempotent: a second call finds the document issuing and is refused. With `expected_version`, only a
    /// document that is still at this version.
    pub async fn begin_issuing(
        &self,
        acting: &Acting,
        id: InvoiceId,
        send_to_tax_authority: bool,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Result<Invoice, StepError> {
        let mut tx = self.documents.db().begin().await?;
        let document = self.documents.hold(&mut tx, acting, id, expected_version).await?;
        let invoice =
            self.documents.begin_issuing_in(&mut tx, acting, document, send_to_tax_authority, at).await?;
        tx.commit_at("issuing").await?;
        Ok(invoice)
    }

    /// Makes a draft final without the tax authority, or an issuing document final with the authority's proof.
    pub async fn issue(&self, acting: &Acting, id: InvoiceId, issue: Issue) -> Result<Invoice, StepError> {
        let Issue { acceptance, at, expected_version } = issue;
        let mut tx = self.documents.db().begin().await?;
        let document = self.documents.hold(&mut tx, acting, id, expected_version).await?;
        let invoice = self.documents.issue_in(&mut tx, acting, document, acceptance, at).await?;
        self.follow_ups.after_issue(&mut tx, &invoice).await?;
        tx.commit_at("issued").await?;
        Ok(invoice)
    }

    /// Makes a document final as it was when it was sent under an earlier number of its own, which the authority accepted.
    pub async fn issue_earlier(
        &self,
        acting: &Acting,
        id: InvoiceId,
        number: &InvoiceNumber,
        acceptance: Acceptance,
    ) -> Result<Invoice, StepError> {
        let mut tx = self.documents.db().begin().await?;
        let document = self.documents.hold(&mut tx, acting, id, None).await?;
        let invoice = self.documents.issue_earlier_in(&mut tx, acting, document, number, acceptance).await?;
        self.follow_ups.after_issue(&mut tx, &invoice).await?;
        tx.commit_at("issued").await?;
        Ok(invoice)
    }
}

impl Documents {
    /// The document, held until the transaction ends; with `expected_version`, only at that version.
    pub(crate) async fn hold(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        id: InvoiceId,
        expected_version: Option<i64>,
    ) -> Result<Invoice, StepError> {
        let document = invoices::lock(tx, id, &acting.workspaces).await?.ok_or(StepError::Gone)?;
        if expected_version.is_some_and(|expected| expected != document.version) {
            return Err(StepError::Stale { current: document.version });
        }
        Ok(document)
    }

    /// [`Invoicing::begin_issuing`] as part of a transaction that holds the document.
    pub async fn begin_issuing_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: Invoice,
        send_to_tax_authority: bool,
        at: Option<Timestamp>,
    ) -> Result<Invoice, StepError> {
        let version = document.version;
        let workspace = workspaces::find_in(tx, document.workspace).await?;
        ensure_not_blocked(tx, document.id).await?;
        let ready = document.ready_to_issue(self.issue_day(at, workspace.as_ref()))?;
        self.within_originals(tx, &ready).await?;
        let now = self.now();
        idempotency::claim_request(tx, acting.request.as_ref(), now).await?;
        let number = self.reserve(tx, &ready).await?;
        let issued = ready.begin_issuing(number, send_to_tax_authority, at.unwrap_or(now), now);
        Ok(self.put_transition(tx, issued, version, &acting.actor).await?)
    }

    /// [`Invoicing::issue`] as part of a transaction that holds the document. What follows from it is left to the caller, who
    /// first tells that the document is issued.
    pub async fn issue_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: Invoice,
        acceptance: Option<Acceptance>,
        at: Option<Timestamp>,
    ) -> Result<Invoice, StepError> {
        let (version, now) = (document.version, self.now());
        let issued = match document.state {
            State::Draft => {
                let workspace = workspaces::find_in(tx, document.workspace).await?;
                ensure_not_blocked(tx, document.id).await?;
                let ready = document.ready_for_standard_issue(self.issue_day(at, workspace.as_ref()))?;
                self.within_originals(tx, &ready).await?;
                let number = self.reserve(tx, &ready).await?;
                ready.issue(number, at.unwrap_or(now), now)
            }
            State::Issuing { .. } | State::Issued { .. } | State::Rejected { .. } => {
                document.accept(acceptance, now)?
            }
        };
        idempotency::claim_request(tx, acting.request.as_ref(), now).await?;
        Ok(self.put_transition(tx, issued, version, &acting.actor).await?)
    }

    /// [`Invoicing::issue_earlier`] as part of a transaction that holds the document. The document's own events tell how it
    /// was sent.
    pub async fn issue_earlier_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        document: Invoice,
        number: &InvoiceNumber,
        acceptance: Acceptance,
    ) -> Result<Invoice, StepError> {
        let (id, version, now) = (document.id, document.version, self.now());
        let recorded = events::of_subject(&mut *tx, &Workspaces::All, Source::Invoicing.as_str(), id).await?;
        let issuing = recorded.iter().filter(|event| event.kind == DocumentEvent::Issuing.as_str());
        let mut sent = None;
        for event in issuing.rev() {
            let earlier = invoice_from_body(&events::data(event)?);
            let damaged = |error| StoreError::from(Corrupt::new("event", event.id, "data", error));
            let earlier = earlier.map_err(damaged)?;
            if earlier.state.number() == Some(number) {
                sent = Some(earlier);
                break;
            }
        }
        let issued = document.accept_earlier(sent.ok_or(IssueError::NumberUnknown)?, acceptance, now)?;
        idempotency::claim_request(tx, acting.request.as_ref(), now).await?;
        credits::set_references(tx, id, &issued.invoice.content.referenced_document_ids);
        invoices::content_changed(tx, &issued.invoice)?;
        Ok(self.put_transition(tx, issued, version, &acting.actor).await?)
    }

    /// The next number of the series. The proof guarantees that nothing else refuses the document any more, so a number
    /// is reserved only when the same transaction uses it.
    async fn reserve(&self, tx: &mut Tx, ready: &ReadyToIssue) -> Result<InvoiceNumber, StepError> {
        let (key, document) = (ready.series(), ready.document().id);
        let position = numbers::reserve(tx, key).await?;
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

    /// What would keep the standard issue of a document from getting a number today.
    pub async fn ensure_number_is_free(&self, tx: &mut Tx, document: &Invoice) -> Result<(), StepError> {
        let workspace = workspaces::find(&mut *tx, document.workspace).await?;
        let ready = document.clone().ready_for_standard_issue(self.issue_day(None, workspace.as_ref()))?;
        number_is_free(tx, &ready, workspace.as_ref()).await
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
        let referenced: BTreeSet<_> = note.content.referenced_document_ids.iter().collect();
        for id in referenced {
            // What is not here was issued by another system.
            let Some(original) = invoices::lock(tx, *id, &visible).await? else { continue };
            let counted = |status| matches!(status, Status::Issuing | Status::Issued);
            let notes = credits::credit_notes(&mut *tx, *id, note.workspace).await?.into_iter();
            for (_, other) in notes.filter(|(status, other)| counted(*status) && other.id != note.id) {
                if !others.iter().any(|known: &CreditNoteTotals| known.id == other.id) {
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
            | NotCreditable::Negative { .. }
            | NotCreditable::Exceeds { .. }
            | NotCreditable::UnknownTax { .. }
            | NotCreditable::NoLines
            | NotCreditable::Totals(_) => IssueError::ExceedsOriginal,
        })?;
        Ok(())
    }

    /// Stores the moved document with its event. The row is locked, so nobody can have moved it in between.
    pub(crate) async fn put_transition(
        &self,
        tx: &mut Tx,
        moved: Transition,
        expected_version: i64,
        actor: &Actor,
    ) -> Result<Invoice, StoreError> {
        let Transition { invoice, event } = moved;
        invoices::update_held(tx, &invoice, expected_version)?;
        self.append(tx, event, &invoice, actor).await?;
        Ok(invoice)
    }
}

/// A corrective draft waits for the invoice it corrects (specification, Rules 6).
async fn ensure_not_blocked(tx: &mut Tx, id: InvoiceId) -> Result<(), StepError> {
    if LOCAL.is_blocked(tx, id).await? { Err(IssueError::Blocked.into()) } else { Ok(()) }
}

/// A number of a past year that the document does not ask for is given only while no later year has one.
async fn year_is_open(tx: &mut Tx, ready: &ReadyToIssue) -> Result<(), StepError> {
    if ready.takes_past_year() && numbers::later_year(tx, ready.series()).await? {
        return Err(IssueError::SeriesMovedOn.into());
    }
    Ok(())
}

/// What [`Documents::reserve`] would refuse, while nobody else issues.
async fn number_is_free(
    tx: &mut Tx,
    ready: &ReadyToIssue,
    workspace: Option<&Workspace>,
) -> Result<(), StepError> {
    let key = ready.series();
    let (issuer, pattern) = numbering(key, workspace)?;
    let mut position = numbers::next_position(&mut *tx, key).await?;
    while numbers::is_given(&mut *tx, &issuer, &pattern.format(key.year, position)).await? {
        // Given by this very series in between: then it is further on.
        let next = numbers::next_position(&mut *tx, key).await?;
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
