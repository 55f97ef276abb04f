//! The legal clock: asks plugins until when documents have to be filed, and keeps the evidence of what stood in the way.
//!
//! An outage is a span in which calls to the provider of one kind got no answer for some time ([`Parts::outage_after`]): from the first
//! that got none to the first that got one, whichever process made it. Its row is sealed by the master key each time it changes, its
//! beginning and its end are in the audit trail, and reading it compares the seal: a row that somebody changed past the gateway says so.
//! Of what calls do not show, such as an authority that announces that it takes nothing, somebody declares the outage.
//!
//! Here: [`LegalClock`]. Not here: limits and marks (the plugins), the rules (`gateway-domain-deadline`), when a document is filed
//! (`gateway-finance`).

mod evidence;

pub use evidence::DeclareError;

use gateway_access::Audit;
use gateway_access::secrets::Keyring;
use gateway_domain::StoreError;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Invoice, InvoiceNumber, State};
use gateway_domain::ports::{Clock, Converter, ConverterError, Ids};
use gateway_domain::regime::{
    DeclaredOutage, FilingFacts, FilingTerms, OUTAGES_MAX, RegimeContext, RegimeInvoice, RegimeKey,
};
use gateway_domain_deadline::FilingDeadline;
use gateway_storage::{Db, Tx, filing_deadlines, jobs, outages};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;
use std::sync::atomic::AtomicI64;

/// What the legal clock works with.
#[derive(Debug, Clone)]
pub struct Parts {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    /// Fresh identifiers.
    pub ids: Arc<dyn Ids>,
    /// Seals the evidence.
    pub keyring: Arc<Keyring>,
    /// How long calls have to fail until it counts as an outage.
    pub outage_after: SignedDuration,
    /// How long before a limit somebody is told.
    pub alert_before: SignedDuration,
}

/// The legal clock. Cheap to clone.
#[derive(Debug, Clone)]
pub struct LegalClock {
    parts: Arc<Parts>,
    /// When it was last seen that no outage lasts, milliseconds; 0: look.
    quiet_at_ms: Arc<AtomicI64>,
}

/// A document that is to be filed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilingSubject {
    /// Which one.
    pub document: InvoiceId,
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// The number under which it is filed.
    pub number: InvoiceNumber,
    /// When it was issued.
    pub issued_at: Timestamp,
}

impl FilingSubject {
    /// A document under the number that it is filed with; one that lost its number meanwhile counts from `begun_at` on, when its
    /// submission was begun.
    pub fn of(document: &Invoice, number: InvoiceNumber, begun_at: Timestamp) -> Self {
        let issued_at = match &document.state {
            State::Issuing { since, .. } => *since,
            State::Issued { at, .. } | State::Rejected { at, .. } => *at,
            State::Draft => begun_at,
        };
        Self { document: document.id, workspace: document.workspace, number, issued_at }
    }
}

/// Why a plugin could not be asked.
#[derive(Debug, thiserror::Error)]
pub enum ClockError {
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Too many plugins run: ask again.
    #[error("too many plugins run: try again")]
    Busy,
}

impl LegalClock {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        Self { parts: Arc::new(parts), quiet_at_ms: Arc::default() }
    }

    fn db(&self) -> &Db {
        &self.parts.db
    }

    fn now(&self) -> Timestamp {
        self.parts.clock.now()
    }

    fn audit(&self) -> Audit {
        Audit::new(self.parts.db.clone(), Arc::clone(&self.parts.clock), Arc::clone(&self.parts.ids))
    }

    /// What the plugin says of a filing made now; none when it keeps no legal clock. A plugin that fails here holds no document up:
    /// it goes out without a mark, which is better than not at all.
    pub async fn filing(
        &self,
        converter: &dyn Converter,
        (regime, invoice, context): (&RegimeKey, &RegimeInvoice, &RegimeContext),
        subject: FilingSubject,
    ) -> Result<Option<FilingDeadline>, ClockError> {
        let FilingSubject { document, workspace, number, issued_at } = subject;
        let facts = FilingFacts {
            issued_at: issued_at.to_zoned(context.now.time_zone().clone()),
            outages: self.outages_between(issued_at, context.now.timestamp()).await?,
        };
        let terms = match converter.filing_terms(regime, invoice, context, &facts).await {
            Ok(terms) => terms,
            Err(ConverterError::Busy) => return Err(ClockError::Busy),
            Err(error) => {
                tracing::error!(
                    document.id = %document, error = &error as &dyn std::error::Error,
                    "The plugin does not say until when {document} has to be filed: {error}"
                );
                None
            }
        };
        let checked_at = self.now();
        Ok(terms.map(|FilingTerms { file_by, mark, note }| FilingDeadline {
            document,
            workspace,
            number,
            issued_at,
            file_by,
            mark,
            note,
            checked_at,
        }))
    }

    /// Outages that lasted at some time between two instants, the oldest first.
    async fn outages_between(
        &self,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<Vec<DeclaredOutage>, StoreError> {
        let limit = i64::try_from(OUTAGES_MAX).unwrap_or(i64::MAX);
        let found = outages::between(self.db(), from, to, limit).await?;
        let lasted = found.iter().filter(|sealed| sealed.outage.lasted_after(from));
        Ok(lasted.map(|sealed| sealed.outage.declared()).collect())
    }

    /// What the plugin said of a document, if an outage ended since: then another limit may hold.
    pub async fn outdated(&self, document: InvoiceId) -> Result<Option<FilingDeadline>, StoreError> {
        let Some(filing) = filing_deadlines::find(self.db(), document).await? else { return Ok(None) };
        let lasted = self.outages_between(filing.checked_at, self.now()).await?;
        Ok(lasted.iter().any(|outage| outage.until.is_some()).then_some(filing))
    }

    /// Keeps what a plugin said, in the transaction of the step it was asked for. The `job` that files the document goes before others from
    /// when on somebody is told that its time runs out.
    pub fn keep(&self, tx: &mut Tx, filing: &FilingDeadline, job: &str) {
        let alert_at = filing.alert_at(self.parts.alert_before);
        filing_deadlines::keep(tx, filing, alert_at);
        jobs::set_urgent(tx, job, &filing.document.to_string(), alert_at);
    }
}
