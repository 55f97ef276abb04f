//! Runs and what they found, as they are shown.

use gateway_domain::StoreError;
use gateway_domain::ids::{InvoiceId, ReconciliationId, WorkspaceId};
use gateway_domain::invoicing::Invoice;
use gateway_domain_reconciliation::{
    Divergence, ReconciledEntry, Reconciliation, ReconciliationCounts, ReconciliationOutcome,
    ReconciliationSource, next_step,
};
use jiff::Timestamp;
use serde::Serialize;
use std::collections::HashMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// A run.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Reconciliation)]
pub struct ReconciliationBody {
    /// Which run.
    pub id: ReconciliationId,
    /// Whose documents.
    pub workspace_id: WorkspaceId,
    /// Who asked for it; `gateway` of nightly runs.
    pub requested_by: String,
    /// Entries that the provider made from this instant on.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    pub from: Timestamp,
    /// Entries that the provider made before this instant.
    #[schema(value_type = String, format = DateTime, examples("2026-11-27T09:00:00Z"))]
    pub to: Timestamp,
    /// `listing` and `missing` while it goes on at the provider, `authority_listing` and `authority_missing` at the tax authority, then
    /// `ended` or `failed`.
    #[schema(examples("ended"))]
    pub state: String,
    /// Why it failed, and what to do next; only of a failed one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// How many entries and documents came to each outcome so far, at provider and authority together.
    pub counts: ReconciliationCounts,
    /// Requests to provider and authority so far.
    pub requests: u64,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime, examples("2026-11-27T09:00:00Z"))]
    pub started_at: Timestamp,
    /// When it last went on, or ended.
    #[schema(value_type = String, format = DateTime, examples("2026-11-27T09:00:02Z"))]
    pub updated_at: Timestamp,
}

impl ReconciliationBody {
    /// A run with its counts.
    pub fn new(run: &Reconciliation, counts: ReconciliationCounts) -> Self {
        let reason = run.progress.failure().map(str::to_owned);
        Self {
            id: run.id,
            workspace_id: run.workspace,
            requested_by: run.requested_by.trim_end_matches('/').to_owned(),
            from: run.from,
            to: run.to,
            state: run.progress.as_str().to_owned(),
            reason,
            counts,
            requests: run.requests,
            started_at: run.started_at,
            updated_at: run.updated_at,
        }
    }
}

/// What a run found of an entry.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = ReconciledEntry)]
pub struct ReconciledEntryBody {
    /// Where it was found: at the provider, or in the tax authority's own list.
    pub source: ReconciliationSource,
    /// The provider's entry; of a record of the authority an id made of run, number and day of issue.
    pub entry_id: Uuid,
    /// The document that was filed under it; null of an entry that was not filed from here.
    #[schema(required)]
    pub document_id: Option<InvoiceId>,
    /// Under which number it was filed, or which one the entry or the record shows.
    #[schema(required)]
    pub number: Option<String>,
    /// What was found.
    pub outcome: ReconciliationOutcome,
    /// Where the two sides differ.
    pub divergences: Vec<Divergence>,
    /// What settles it; null where nothing is to be done.
    #[schema(required)]
    pub next_step: Option<String>,
}

impl ReconciledEntryBody {
    /// A row, with what is to be done about its document as it stands now.
    pub fn new(found: &ReconciledEntry, documents: &HashMap<InvoiceId, Invoice>) -> Self {
        let status = |id| documents.get(&id).map(|document| document.state.status());
        let document = found.document.map(|id| (id, status(id)));
        Self {
            source: found.source,
            entry_id: found.entry,
            document_id: found.document,
            number: found.number.as_ref().map(|number| number.0.clone()),
            outcome: found.outcome,
            divergences: found.divergences.clone(),
            next_step: next_step(found.source, found.outcome, document, found.number.as_ref()),
        }
    }
}

/// The columns of the CSV form.
#[derive(Serialize)]
struct CsvRow<'a> {
    entry_id: Uuid,
    document_id: Option<InvoiceId>,
    number: Option<&'a str>,
    outcome: &'a str,
    divergences: String,
    next_step: &'a str,
    source: &'a str,
}

/// Rows as CSV (RFC 4180), with the names of the columns in front.
pub fn csv(rows: &[ReconciledEntryBody]) -> Result<Vec<u8>, StoreError> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        let divergences: Vec<_> = row
            .divergences
            .iter()
            .map(|found| format!("{}: {} here, {} there", found.member, found.here, found.there))
            .collect();
        let row = CsvRow {
            entry_id: row.entry_id,
            document_id: row.document_id,
            number: row.number.as_deref(),
            outcome: row.outcome.as_str(),
            divergences: divergences.join("; "),
            next_step: row.next_step.as_deref().unwrap_or_default(),
            source: row.source.as_str(),
        };
        writer
            .serialize(row)
            .map_err(|error| StoreError::failed(gateway_domain::StoreCauseKind::Other, error))?;
    }
    writer
        .into_inner()
        .map_err(|error| StoreError::failed(gateway_domain::StoreCauseKind::Other, error.into_error()))
}
