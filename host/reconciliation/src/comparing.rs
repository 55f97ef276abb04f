//! Entries of the provider side by side with what was filed from here.

use crate::Reconciliations;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::{EntryId, InvoiceId};
use gateway_domain::invoicing::{Invoice, InvoiceNumber};
use gateway_domain_finance::ports::{Entry, ListedEntry};
use gateway_domain_finance::{Attempt, Submission, entry_digest, is_of_supplier};
use gateway_domain_reconciliation::{
    Comparison, Divergence, Filed, ListedAs, ReconciledEntry, Reconciliation, ReconciliationOutcome,
    ReconciliationSource, compare, compare_imported,
};
use gateway_storage::{Corrupt, attempts, invoices, reconciliations, submissions, workspaces};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;

/// How the structured format calls an invoice.
const INVOICE_SCHEMA: &str = "/bill/invoice";

/// What was found of an entry.
#[derive(Debug)]
pub(crate) struct Found {
    pub(crate) entry: ReconciledEntry,
    /// Whether the submission of its document waits for somebody.
    pub(crate) is_alerted: bool,
}

/// What is known here of some documents.
struct FiledDocuments {
    documents: HashMap<InvoiceId, Invoice>,
    attempts: HashMap<InvoiceId, Vec<Attempt>>,
    submissions: HashMap<InvoiceId, Submission>,
}

impl Reconciliations {
    /// What is found of listed entries. Those of other workspaces with the same account at the provider are theirs to look at,
    /// and what is no invoice is nobody's.
    pub(crate) async fn found(
        &self,
        run: &Reconciliation,
        listed: Vec<ListedEntry>,
    ) -> Result<Vec<Found>, StoreError> {
        let ids: Vec<_> = listed.iter().map(|listed| listed.id).collect();
        let filed: HashMap<_, _> = reconciliations::filed(&self.0.db, &ids)
            .await?
            .into_iter()
            .map(|filed| (filed.entry, filed))
            .collect();
        let ours = filed.values().filter(|filed| filed.workspace == run.workspace);
        let filed_documents =
            self.filed_documents(&ours.map(|filed| filed.document).collect::<Vec<_>>()).await?;
        let (mut found, mut others) = (Vec::new(), Vec::new());
        for listed in listed {
            match filed.get(&listed.id) {
                Some(filed) if filed.workspace == run.workspace => {
                    found.push(filed_documents.compared(filed.document, &listed)?);
                }
                Some(_) => {}
                None => others.extend(only_there(&listed).zip(listed.entry)),
            }
        }
        found.extend(self.imported_or_only_there(run, others).await?);
        Ok(found)
    }

    /// Entries that were not filed from here: those of documents that another system issued, and that were imported, are known.
    async fn imported_or_only_there(
        &self,
        run: &Reconciliation,
        others: Vec<(Found, Entry)>,
    ) -> Result<Vec<Found>, StoreError> {
        let numbers = others.iter().filter_map(|(found, _)| Some(found.entry.number.as_ref()?.0.clone()));
        let imported =
            invoices::imported_under(&self.0.db, run.workspace, &numbers.collect::<Vec<_>>()).await?;
        if imported.is_empty() {
            return Ok(others.into_iter().map(|(found, _)| found).collect());
        }
        let workspace = workspaces::find(&self.0.db, run.workspace).await?;
        let tax_id = workspace.map(|workspace| workspace.supplier.tax_id).unwrap_or_default();
        let ids: Vec<_> = imported.values().copied().collect();
        let documents = self.0.documents.by_ids(&Acting::gateway(), &ids).await?;
        let known = |(mut found, entry): (Found, Entry)| {
            let id = found.entry.number.as_ref().and_then(|number| imported.get(&number.0));
            let document = id.and_then(|id| documents.get(id));
            let Some(document) = document.filter(|_| is_of_supplier(&entry.document, &tax_id)) else {
                return found;
            };
            found.entry.document = Some(document.id);
            (found.entry.outcome, found.entry.divergences) = outcome(compare_imported(document, &entry));
            found
        };
        Ok(others.into_iter().map(known).collect())
    }

    /// The same of an entry that was asked for by itself. It does not say in which state it is; that its list would.
    pub(crate) async fn found_alone(
        &self,
        run: &Reconciliation,
        created_at: Timestamp,
        entry: Entry,
    ) -> Result<Vec<Found>, StoreError> {
        // The raw entry was read before; one without a state is not labelled.
        let state = serde_json::from_str::<StateIn>(&entry.raw).ok().and_then(|read| read.state);
        let listed =
            ListedEntry { id: entry.id, created_at, state: state.unwrap_or_default(), entry: Some(entry) };
        self.found(run, vec![listed]).await
    }

    /// An entry that was filed from here, and that the provider does not have.
    pub(crate) async fn only_here(&self, entry: EntryId, document: InvoiceId) -> Result<Found, StoreError> {
        let attempts = attempts::of_document(&self.0.db, document).await?;
        let number = attempts.iter().rev().find(|attempt| attempt.entry == Some(entry));
        Ok(Found {
            entry: ReconciledEntry {
                source: ReconciliationSource::Provider,
                entry: entry.uuid(),
                document: Some(document),
                number: number.and_then(|attempt| attempt.number.clone()),
                outcome: ReconciliationOutcome::OnlyHere,
                divergences: Vec::new(),
            },
            is_alerted: false,
        })
    }

    async fn filed_documents(&self, documents: &[InvoiceId]) -> Result<FiledDocuments, StoreError> {
        let attempts = attempts::of_documents(&self.0.db, documents).await?;
        let submissions = submissions::of_documents(&self.0.db, documents, &Workspaces::All).await?;
        Ok(FiledDocuments {
            documents: self.0.documents.by_ids(&Acting::gateway(), documents).await?,
            attempts,
            submissions: submissions
                .into_iter()
                .map(|submission| (submission.document, submission))
                .collect(),
        })
    }
}

#[derive(serde::Deserialize)]
struct StateIn {
    state: Option<String>,
}

impl FiledDocuments {
    fn compared(&self, document: InvoiceId, listed: &ListedEntry) -> Result<Found, StoreError> {
        let attempts = self.attempts.get(&document).map(Vec::as_slice).unwrap_or_default();
        let attempt =
            attempts.iter().rev().find(|attempt| attempt.entry.map(EntryId::uuid) == Some(listed.id));
        let submission = self.submissions.get(&document);
        let (outcome, divergences) = match (self.documents.get(&document), attempt, &listed.entry) {
            (Some(invoice), Some(attempt), Some(entry)) => {
                let sent = submission.map(|submission| sent(submission, attempt)).transpose()?.flatten();
                let digest = entry_digest(&entry.document);
                let there = ListedAs { state: &listed.state, entry, digest: &digest };
                outcome(compare(Filed { document: invoice, attempt, sent: sent.as_ref() }, there))
            }
            // The id was reserved, and something else than a document of it stands there; or the document is gone here.
            (here, attempt, there) => {
                let what = |is_there: bool| if is_there { "a document" } else { "none" }.to_owned();
                let here = what(here.is_some() && attempt.is_some());
                let divergence = Divergence { member: String::new(), here, there: what(there.is_some()) };
                (ReconciliationOutcome::Different, vec![divergence])
            }
        };
        Ok(Found {
            entry: ReconciledEntry {
                source: ReconciliationSource::Provider,
                entry: listed.id,
                document: Some(document),
                number: attempt.and_then(|attempt| attempt.number.clone()),
                outcome,
                divergences,
            },
            is_alerted: submission.is_some_and(|submission| submission.alert.is_some()),
        })
    }
}

pub(crate) fn outcome(comparison: Comparison) -> (ReconciliationOutcome, Vec<Divergence>) {
    match comparison {
        Comparison::Matching => (ReconciliationOutcome::Matching, Vec::new()),
        Comparison::Settling => (ReconciliationOutcome::Settling, Vec::new()),
        Comparison::Different(divergences) => (ReconciliationOutcome::Different, divergences),
    }
}

/// What an attempt sent; none when another one followed.
fn sent(submission: &Submission, attempt: &Attempt) -> Result<Option<Value>, StoreError> {
    let data = submission.data();
    let Some(document) = data.document.filter(|document| Some(document.entry) == attempt.entry) else {
        return Ok(None);
    };
    if data.number != attempt.number.as_ref() {
        return Ok(None);
    }
    let wrong = |error| Corrupt::new("submission", submission.document, "structured", error);
    Ok(Some(serde_json::from_str(&document.structured).map_err(wrong)?))
}

fn only_there(listed: &ListedEntry) -> Option<Found> {
    let document = &listed.entry.as_ref()?.document;
    let text = |member: &str| document.get(member).and_then(Value::as_str);
    if !text("$schema").is_some_and(|schema| schema.ends_with(INVOICE_SCHEMA)) {
        return None;
    }
    let entry = ReconciledEntry {
        source: ReconciliationSource::Provider,
        entry: listed.id,
        document: None,
        number: text("code").map(|code| InvoiceNumber(code.to_owned())),
        outcome: ReconciliationOutcome::OnlyThere,
        divergences: Vec::new(),
    };
    Some(Found { entry, is_alerted: false })
}
