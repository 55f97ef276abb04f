//! What the services of finance share: the parts they are put together from.

use crate::{Parts, Settings};
use gateway_access::Audit;
use gateway_deadlines::LegalClock;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::invoicing::Invoice;
use gateway_domain::ports::{Converter, Ids, ServedDocument};
use gateway_domain::regime::PluginRef;
use gateway_domain_finance::ports::{EarlierNumbers, InvoicingClient, Provider};
use gateway_domain_finance::{Submission, VerdictTimeouts};
use gateway_domain_recipients::ports::RecipientChecks;
use gateway_domain_rules::ports::ComingRules;
use gateway_events::Events;
use gateway_invoicing::Documents;
use gateway_storage::{Db, Tx, idempotency};
use gateway_workspaces::Workspaces;
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// How long the background leaves what a request is about to do to that request.
const GRACE: SignedDuration = SignedDuration::from_secs(5);

/// What the services of finance share. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct Context(Arc<Parts>);

impl Context {
    pub(crate) fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    /// The plugins that serve a document which nobody converted yet, or is about to be converted anew.
    pub(crate) fn converter(&self, document: &Invoice) -> Arc<dyn Converter> {
        let Invoice { workspace, id, .. } = *document;
        self.regimes_for(ServedDocument { workspace, id, converted_by: None })
    }

    /// The plugins that explain what became of a submission: the version that converted it, while it serves.
    pub(crate) fn interpreter<P>(
        &self,
        submission: &Submission<P>,
        converted_by: Option<&PluginRef>,
    ) -> Arc<dyn Converter> {
        let (workspace, id) = (submission.workspace, submission.document);
        self.regimes_for(ServedDocument { workspace, id, converted_by: converted_by.cloned() })
    }

    fn regimes_for(&self, document: ServedDocument) -> Arc<dyn Converter> {
        Arc::clone(&self.0.regimes).for_document(document)
    }

    pub(crate) fn workspaces(&self) -> &Workspaces {
        &self.0.workspaces
    }

    /// The documents of the invoice data service in this process.
    pub(crate) fn documents(&self) -> &Documents {
        &self.0.documents
    }

    pub(crate) fn events(&self) -> &Events {
        &self.0.events
    }

    pub(crate) fn provider(&self) -> Option<&dyn Provider> {
        self.0.provider.as_deref()
    }

    /// Until when documents have to be filed, and what stood in the way.
    pub(crate) fn deadlines(&self) -> &LegalClock {
        &self.0.deadlines
    }

    /// Who objects to first numbers.
    pub(crate) fn earlier_numbers(&self) -> Option<&dyn EarlierNumbers> {
        self.0.earlier_numbers.as_deref()
    }

    /// Who checks recipients.
    pub(crate) fn recipient_checks(&self) -> Option<&dyn RecipientChecks> {
        self.0.recipient_checks.as_deref()
    }

    /// Who knows what plugins will say.
    pub(crate) fn coming_rules(&self) -> Option<&dyn ComingRules> {
        self.0.coming_rules.as_deref()
    }

    /// The remote invoice data service, when finance works with one.
    pub(crate) fn invoicing(&self) -> Option<Arc<dyn InvoicingClient>> {
        self.0.invoicing.clone()
    }

    pub(crate) fn settings(&self) -> &Settings {
        &self.0.settings
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    /// `wait` from now.
    pub(crate) fn after(&self, wait: SignedDuration) -> Timestamp {
        self.now().checked_add(wait).unwrap_or(Timestamp::MAX)
    }

    /// When the background takes over what a request is about to do.
    pub(crate) fn grace(&self) -> Timestamp {
        self.after(GRACE)
    }

    /// Who did what outside of documents.
    pub(crate) fn audit(&self) -> Audit {
        let Parts { db, clock, ids, .. } = self.0.as_ref();
        Audit::new(db.clone(), Arc::clone(clock), Arc::clone(ids))
    }

    pub(crate) fn ids(&self) -> &dyn Ids {
        self.0.ids.as_ref()
    }

    /// How long is waited for a verdict, and how far ahead a step may be due.
    pub(crate) fn verdict_timeouts(&self) -> VerdictTimeouts {
        self.settings().verdict_timeouts()
    }

    /// Commits a request's key with its effect.
    pub(crate) async fn claim_request(&self, tx: &mut Tx, acting: &Acting) -> Result<(), StoreError> {
        idempotency::claim_request(tx, acting.request.as_ref(), self.now()).await
    }
}
