//! A remote invoice data service: another gateway with a database of its own, behind calls that fail on demand.

use crate::gateway::Gateway;
use async_trait::async_trait;
use gateway_access::{Repeat, request_key};
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::{ClientId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Acceptance, Content, Invoice, InvoiceNumber, IssueError};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_events::{EventSelection, StoredEvent};
use gateway_domain_finance::ports::{FeedEvent, FeedPart, InvoiceDataError, InvoicingClient};
use gateway_domain_input::document::invoice_from_body;
use gateway_invoicing::{DeleteError, DocumentView, Issue, NO_VERSION, RejectError, SaveError, StepError};
use jiff::Timestamp;
use serde_json::json;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tokio::sync::Notify;
use uuid::Uuid;

/// A call of the invoice data service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rpc {
    Document,
    Save,
    Delete,
    Issuing,
    Issue,
    Reject,
    Events,
}

/// What goes wrong with a call.
#[derive(Debug, Clone)]
pub(crate) enum Trouble {
    /// It is not carried out.
    Fails(InvoiceDataError),
    /// It is carried out, and its answer is lost.
    Lost,
    /// It goes well; the next one does not.
    Passes,
    /// It is carried out when the gate opens.
    Held(Arc<Notify>),
}

#[derive(Debug)]
pub(crate) struct Service {
    pub(crate) gateway: Gateway,
    troubles: Mutex<VecDeque<(Rpc, Trouble)>>,
    calls: Mutex<Vec<(Rpc, Actor)>>,
    /// What the next read of a document shows instead of how it is.
    answers: Mutex<Vec<Option<Invoice>>>,
    /// It knows the specification's calls only: no submission, and no proof of the authority.
    plain: AtomicBool,
    /// What the next part of the feed tells without moving on.
    repeated: Mutex<Option<StoredEvent>>,
}

pub(crate) fn unavailable() -> InvoiceDataError {
    InvoiceDataError::Unavailable { detail: "connection reset".to_owned(), retry_after_s: None }
}

impl Service {
    pub(crate) fn new(gateway: Gateway) -> Self {
        Self {
            gateway,
            troubles: Mutex::default(),
            calls: Mutex::default(),
            answers: Mutex::default(),
            plain: AtomicBool::new(false),
            repeated: Mutex::default(),
        }
    }

    /// The next part of the feed tells this and does not move on.
    pub(crate) fn stands_still(&self, event: StoredEvent) {
        *self.repeated.lock().unwrap() = Some(event);
    }

    /// It takes the specification's calls, and passes over what is said besides.
    pub(crate) fn is_plain(&self) {
        self.plain.store(true, Ordering::Release);
    }

    /// The next call of this kind goes wrong.
    pub(crate) fn has(&self, rpc: Rpc, trouble: Trouble) {
        self.troubles.lock().unwrap().push_back((rpc, trouble));
    }

    /// The next read shows this, whatever it has by then.
    pub(crate) fn shows(&self, stale: Invoice) {
        self.answers.lock().unwrap().push(Some(stale));
    }

    /// The next read finds nothing.
    pub(crate) fn forgets(&self) {
        self.answers.lock().unwrap().push(None);
    }

    /// Who made calls of this kind, in order.
    pub(crate) fn callers(&self, rpc: Rpc) -> Vec<String> {
        let calls = self.calls.lock().unwrap();
        calls.iter().filter(|(called, _)| *called == rpc).map(|(_, by)| by.0.clone()).collect()
    }

    async fn play<T>(
        &self,
        rpc: Rpc,
        by: &Actor,
        work: impl Future<Output = Result<T, InvoiceDataError>>,
    ) -> Result<T, InvoiceDataError> {
        let work = Box::pin(work);
        self.calls.lock().unwrap().push((rpc, by.clone()));
        let trouble = {
            let mut troubles = self.troubles.lock().unwrap();
            let at = troubles.iter().position(|(of, _)| *of == rpc);
            at.and_then(|at| troubles.remove(at))
        };
        match trouble {
            Some((_, Trouble::Fails(error))) => Err(error),
            Some((_, Trouble::Lost)) => {
                let _ = work.await;
                Err(unavailable())
            }
            Some((_, Trouble::Held(gate))) => {
                gate.notified().await;
                work.await
            }
            Some((_, Trouble::Passes)) | None => work.await,
        }
    }
}

fn acting(by: &Actor) -> Acting {
    Acting { workspaces: Workspaces::All, actor: by.clone(), request: None }
}

fn refused(field: &str, code: ErrorCode, message: &impl ToString) -> InvoiceDataError {
    InvoiceDataError::Refused(vec![FieldError::new(field, code, message.to_string())])
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of a map_err")]
fn step(error: StepError) -> InvoiceDataError {
    match &error {
        StepError::Gone => InvoiceDataError::Gone,
        StepError::Issue(error) => {
            let field = match error {
                IssueError::WrongState { .. } => "status",
                IssueError::WrongKind | IssueError::Blocked | IssueError::NumberGiven => "base",
                IssueError::NoLines | IssueError::ExceedsOriginal => "lines",
                IssueError::WrongOriginal => "referenced_document_ids",
                IssueError::NumberUnknown => "number",
                IssueError::SeriesMovedOn => "at",
            };
            refused(field, error.code(), error)
        }
        StepError::Stale { .. } => InvoiceDataError::Stale,
        StepError::Store(_) => unavailable(),
    }
}

#[async_trait]
impl InvoicingClient for Service {
    fn name(&self) -> &'static str {
        "remote"
    }

    async fn document(&self, by: &Actor, id: InvoiceId) -> Result<Option<Invoice>, InvoiceDataError> {
        let work = async {
            if let Some(answer) = self.answers.lock().unwrap().pop() {
                return Ok(answer);
            }
            let found = self.gateway.documents().find(&acting(by), id).await.map_err(|_| unavailable())?;
            // As over the wire: through the document's JSON.
            let read = |found: Invoice| {
                let answer = serde_json::to_value(DocumentView::from(&found)).unwrap();
                let read = invoice_from_body(&answer).unwrap();
                assert_eq!(read, found);
                read
            };
            Ok(found.map(read))
        };
        self.play(Rpc::Document, by, work).await
    }

    async fn save(
        &self,
        by: &Actor,
        id: InvoiceId,
        workspace: WorkspaceId,
        content: &Content,
        expected_version: Option<i64>,
    ) -> Result<(), InvoiceDataError> {
        let mut form = json!(content);
        form["workspace_id"] = json!(workspace);
        let form = serde_json::from_value(form).unwrap();
        let work = async {
            match self
                .gateway
                .invoicing()
                .save(&acting(by), id, form, expected_version.or(Some(NO_VERSION)))
                .await
            {
                Ok(_) => Ok(()),
                Err(SaveError::Invalid(errors)) => Err(InvoiceDataError::Refused(errors)),
                Err(SaveError::Gone) => Err(InvoiceDataError::Gone),
                Err(SaveError::NotEditable(error)) => Err(refused("base", error.code(), &error)),
                Err(SaveError::Stale { .. }) => Err(InvoiceDataError::Stale),
                Err(SaveError::Store(_)) => Err(unavailable()),
            }
        };
        self.play(Rpc::Save, by, work).await
    }

    async fn delete(&self, by: &Actor, id: InvoiceId, expected_version: i64) -> Result<(), InvoiceDataError> {
        let work = async {
            match self.gateway.invoicing().delete(&acting(by), id, Some(expected_version)).await {
                Ok(()) => Ok(()),
                Err(DeleteError::Gone) => Err(InvoiceDataError::Gone),
                Err(DeleteError::NotDeletable(error)) => {
                    Err(refused("status", ErrorCode::DocumentNotADraft, &error))
                }
                Err(DeleteError::Stale { .. }) => Err(InvoiceDataError::Stale),
                Err(DeleteError::Store(_)) => Err(unavailable()),
            }
        };
        self.play(Rpc::Delete, by, work).await
    }

    async fn issuing(
        &self,
        by: &Actor,
        id: InvoiceId,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
    ) -> Result<(), InvoiceDataError> {
        let work = async {
            let send_to_tax_authority = !self.plain.load(Ordering::Acquire);
            self.gateway
                .invoicing()
                .begin_issuing(&acting(by), id, send_to_tax_authority, at, expected_version)
                .await
                .map(drop)
                .map_err(step)
        };
        self.play(Rpc::Issuing, by, work).await
    }

    async fn issue(
        &self,
        by: &Actor,
        id: InvoiceId,
        acceptance: Option<&Acceptance>,
        at: Option<Timestamp>,
        expected_version: Option<i64>,
        key: &str,
    ) -> Result<(), InvoiceDataError> {
        let request = request_key(ClientId(Uuid::nil()), key, "issue");
        let work = async {
            if self.gateway.requests().repeated(&request).await.map_err(|_| unavailable())? != Repeat::New {
                return Ok(());
            }
            let acting = Acting { request: Some(request.clone()), ..acting(by) };
            let acceptance = acceptance.filter(|_| !self.plain.load(Ordering::Acquire));
            self.gateway
                .invoicing()
                .issue(&acting, id, Issue { acceptance: acceptance.cloned(), at, expected_version })
                .await
                .map(drop)
                .map_err(step)
        };
        self.play(Rpc::Issue, by, work).await
    }

    async fn issue_earlier(
        &self,
        by: &Actor,
        id: InvoiceId,
        number: &InvoiceNumber,
        acceptance: &Acceptance,
        key: &str,
    ) -> Result<(), InvoiceDataError> {
        let request = request_key(ClientId(Uuid::nil()), key, "issue earlier");
        let work = async {
            if self.gateway.requests().repeated(&request).await.map_err(|_| unavailable())? != Repeat::New {
                return Ok(());
            }
            let acting = Acting { request: Some(request.clone()), ..acting(by) };
            let issued =
                self.gateway.invoicing().issue_earlier(&acting, id, number, acceptance.clone()).await;
            issued.map(drop).map_err(step)
        };
        self.play(Rpc::Issue, by, work).await
    }

    async fn reject(&self, by: &Actor, id: InvoiceId, reason: &str, _: &str) -> Result<(), InvoiceDataError> {
        let work = async {
            match self.gateway.invoicing().reject(&acting(by), id, reason.to_owned()).await {
                Ok(_) => Ok(()),
                Err(RejectError::Gone) => Err(InvoiceDataError::Gone),
                Err(RejectError::NotRejectable(error)) => {
                    Err(refused("status", ErrorCode::DocumentNotIssuing, &error))
                }
                Err(RejectError::Store(_)) => Err(unavailable()),
            }
        };
        self.play(Rpc::Reject, by, work).await
    }

    async fn events(&self, after: Option<&str>) -> Result<FeedPart, InvoiceDataError> {
        let work = async {
            while self.gateway.events().relay().await.map_err(|_| unavailable())? > 0 {}
            let after = after.map_or(0, |after| after.parse().unwrap());
            let page = self
                .gateway
                .events()
                .feed(&acting(&Actor::gateway()), EventSelection::Documents, after, 3)
                .await;
            let page = page.map_err(|_| unavailable())?;
            let feed_event = |event: StoredEvent| FeedEvent {
                id: event.id,
                workspace: event.workspace,
                subject: InvoiceId(event.subject),
                kind: event.kind,
                time: event.time,
                actor: event.actor,
                data: event.data,
            };
            let repeated = self.repeated.lock().unwrap().take();
            let events = page.events.into_iter().chain(repeated).map(feed_event).collect();
            Ok(FeedPart { events, unreadable: Vec::new(), next: page.next.to_string() })
        };
        self.play(Rpc::Events, &Actor::gateway(), work).await
    }
}
