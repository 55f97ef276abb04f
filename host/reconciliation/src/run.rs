//! The steps of a run: one request each, and what came of it in one transaction.

use crate::Reconciliations;
use crate::comparing::Found;
use crate::notices::{self, REPEAT_AFTER};
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{EntryId, InvoiceId, ReconciliationId};
use gateway_domain_finance::backoff_s;
use gateway_domain_finance::ports::{EntryOrder, EntryPage, Provider, ProviderAccess, ProviderError};
use gateway_domain_reconciliation::{
    ReconciledEntry, Reconciliation, ReconciliationCounts, ReconciliationOutcome, ReconciliationProgress,
    WithoutDocument,
};
use gateway_events::append_notice_after;
use gateway_finance::RetryError;
use gateway_jobs::Outcome;
use gateway_storage::{Tx, reconciliations};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// Entries of ours that one step looks at.
const LOOKED_AT: i64 = 100;
/// Seconds that a run waits at most, whatever the provider asks for.
const WAIT_MAX_S: u64 = 30 * 60;
/// Requests in a row that find nobody until a run is given up.
const FAILURES_MAX: u32 = 10;

/// Whether a request that gave no result is made again.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Retry {
    /// It is of no use.
    Never,
    /// After the usual wait, or as many seconds as the other side asks for.
    After(Option<u64>),
}

/// With whom a step of a run speaks.
struct Peer {
    provider: Arc<dyn Provider>,
    access: ProviderAccess,
}

impl Reconciliations {
    /// Takes the next step of a run.
    pub(crate) async fn step(&self, id: ReconciliationId) -> Result<Outcome, StoreError> {
        let Some(run) = reconciliations::find(&self.0.db, id).await? else { return Ok(Outcome::Done) };
        if run.progress.has_ended() {
            return Ok(Outcome::Done);
        }
        match run.progress.clone() {
            ReconciliationProgress::Listing { cursor } => {
                let peer = match self.peer(&run).await? {
                    Ok(peer) => peer,
                    Err(reason) => return self.fail(run, reason).await,
                };
                let order = EntryOrder::Since(run.from);
                match peer.provider.list_entries(&peer.access, order, cursor.as_deref()).await {
                    Ok(page) => self.listed(run, page).await,
                    Err(error) => self.refused(run, error).await,
                }
            }
            ReconciliationProgress::Missing { after } => match self.peer(&run).await? {
                Ok(peer) => self.look_for_missing(run, after, &peer).await,
                Err(reason) => self.fail(run, reason).await,
            },
            ReconciliationProgress::AuthorityListing { cursor, pages } => {
                self.list_records(run, cursor, pages).await
            }
            ReconciliationProgress::AuthorityMissing { after } => self.look_for_unlisted(run, after).await,
            ReconciliationProgress::Ended { .. } | ReconciliationProgress::Failed { .. } => Ok(Outcome::Done),
        }
    }

    /// How long from now.
    pub(crate) fn after(&self, wait: SignedDuration) -> Timestamp {
        self.0.clock.now().checked_add(wait).unwrap_or(Timestamp::MAX)
    }

    async fn peer(&self, run: &Reconciliation) -> Result<Result<Peer, String>, StoreError> {
        let Some(provider) = self.0.provider.clone() else {
            return Ok(Err(
                "this gateway has no provider: set provider.base_url and begin another run".to_owned()
            ));
        };
        let access = self.0.workspaces.provider_access(run.workspace).await?;
        Ok(match access {
            Some((_, access)) => Ok(Peer { provider, access }),
            None => Err("the workspace sends nothing to a provider any more".to_owned()),
        })
    }

    /// A page of the provider's entries.
    async fn listed(&self, run: Reconciliation, page: EntryPage) -> Result<Outcome, StoreError> {
        let all = page.entries.len();
        let within: Vec<_> = page.entries.into_iter().filter(|listed| listed.created_at < run.to).collect();
        let is_last = page.next.is_none() || within.len() < all || all == 0;
        let found = self.found(&run, within).await?;
        let progress = if is_last {
            ReconciliationProgress::Missing { after: None }
        } else {
            ReconciliationProgress::Listing { cursor: page.next }
        };
        self.advance(run, &found, progress, 1).await
    }

    /// The next entries that were filed from here and were not listed, up to the first that the provider has to be asked for.
    async fn look_for_missing(
        &self,
        run: Reconciliation,
        mut after: Option<(Timestamp, EntryId)>,
        peer: &Peer,
    ) -> Result<Outcome, StoreError> {
        let filed = reconciliations::not_listed(&self.0.db, &run, after, LOOKED_AT).await?;
        if filed.is_empty() {
            return self.go_on_with_authority(run).await;
        }
        let mut found = Vec::new();
        for (at, entry, document) in filed {
            after = Some((at, entry));
            if !self.was_stored(entry, document).await? {
                continue;
            }
            match peer.provider.get_entry(&peer.access, entry).await {
                Ok(there) => found.extend(self.found_alone(&run, at, there).await?),
                Err(ProviderError::NotFound) => found.push(self.only_here(entry, document).await?),
                Err(error) => return self.refused(run, error).await,
            }
            return self.advance(run, &found, ReconciliationProgress::Missing { after }, 1).await;
        }
        self.advance(run, &found, ReconciliationProgress::Missing { after }, 0).await
    }

    /// Writes down what a step found, and how far the run is now.
    pub(crate) async fn advance(
        &self,
        run: Reconciliation,
        found: &[Found],
        progress: ReconciliationProgress,
        requests: u64,
    ) -> Result<Outcome, StoreError> {
        let now = self.0.clock.now();
        self.retry_alerted(found).await?;
        let next = Reconciliation {
            progress,
            requests: run.requests.saturating_add(requests),
            failures: 0,
            updated_at: now,
            ..run
        };
        let rows: Vec<_> = found.iter().map(|found| found.entry.clone()).collect();
        let mut tx = self.0.db.begin().await?;
        reconciliations::keep(&mut tx, next.id, &rows).await?;
        for document in settling(&rows) {
            self.0.queue.schedule(&mut tx, document, now);
        }
        for notice in rows.iter().filter_map(|row| notices::of_document(&next, row)) {
            append_notice_after(&mut tx, self.0.ids.as_ref(), now, &notice, REPEAT_AFTER).await?;
        }
        self.store(tx, &next, point(&next.progress)).await?;
        if requests == 0 {
            return Ok(Outcome::Continue);
        }
        let pause = 60_000 / i64::from(self.0.settings.requests_per_min.max(1));
        Ok(Outcome::Again(self.after(SignedDuration::from_millis(pause))))
    }

    /// What waits for somebody and settles by itself goes on as if the operator had retried it.
    async fn retry_alerted(&self, found: &[Found]) -> Result<(), StoreError> {
        for found in found.iter().filter(|found| found.is_alerted) {
            let Some(document) = settling(std::slice::from_ref(&found.entry)).next() else { continue };
            match self.0.submissions.retry(&Acting::gateway(), document).await {
                Ok(_)
                | Err(
                    RetryError::Gone | RetryError::Ended(_) | RetryError::NothingToRead | RetryError::Moved,
                ) => {}
                Err(RetryError::Store(error)) => return Err(error),
            }
        }
        Ok(())
    }

    pub(crate) async fn end(&self, run: Reconciliation) -> Result<Outcome, StoreError> {
        let ended = |at, counts| ReconciliationProgress::Ended { at, counts };
        let (ended, counts) = self.conclude(run, ended, "reconciliation-ended").await?;
        if counts.open() > 0 {
            tracing::warn!(
                workspace.id = %ended.workspace,
                "The reconciliation {} of workspace {} found {} entries that somebody has to settle: see 'gateway reconcile --show {}'",
                ended.id, ended.workspace, counts.open(), ended.id
            );
        } else {
            tracing::info!(
                workspace.id = %ended.workspace,
                "The reconciliation {} of workspace {} found nothing to settle among {} entries",
                ended.id, ended.workspace, counts.matching.saturating_add(counts.settling)
            );
        }
        Ok(Outcome::Done)
    }

    /// A request gave no result: it is made again later, unless that is of no use.
    async fn refused(&self, run: Reconciliation, error: ProviderError) -> Result<Outcome, StoreError> {
        let retry = match &error {
            ProviderError::Unavailable { retry_after_s, .. } => Retry::After(*retry_after_s),
            ProviderError::Unauthorised { .. }
            | ProviderError::Conflict
            | ProviderError::NotFound
            | ProviderError::Refused { .. }
            | ProviderError::Protocol { .. } => Retry::Never,
        };
        self.without_result(run, "the provider", &error.to_string(), retry).await
    }

    /// The same, whoever was called.
    pub(crate) async fn without_result(
        &self,
        run: Reconciliation,
        peer: &'static str,
        error: &str,
        retry: Retry,
    ) -> Result<Outcome, StoreError> {
        let failures = run.failures.saturating_add(1);
        let retry_after_s = match retry {
            Retry::After(retry_after_s) if failures < FAILURES_MAX => retry_after_s,
            Retry::After(_) | Retry::Never => {
                let reason = format!("{error}; begin another run once that is mended");
                return self
                    .fail(Reconciliation { requests: run.requests.saturating_add(1), ..run }, reason)
                    .await;
            }
        };
        tracing::warn!("The reconciliation {} waits for {peer}: {error}", run.id);
        let waits_s = retry_after_s.unwrap_or_default().max(backoff_s(failures).into()).min(WAIT_MAX_S);
        let again = Reconciliation {
            failures,
            requests: run.requests.saturating_add(1),
            updated_at: self.0.clock.now(),
            ..run
        };
        self.store(self.0.db.begin().await?, &again, "reconciliation-waiting").await?;
        Ok(Outcome::Again(self.after(SignedDuration::from_secs(i64::try_from(waits_s).unwrap_or(i64::MAX)))))
    }

    pub(crate) async fn fail(&self, run: Reconciliation, reason: String) -> Result<Outcome, StoreError> {
        tracing::error!(workspace.id = %run.workspace, "The reconciliation {} cannot go on: {reason}", run.id);
        let failed = |at, counts| ReconciliationProgress::Failed { at, reason, counts };
        self.conclude(run, failed, "reconciliation-failed").await?;
        Ok(Outcome::Done)
    }

    /// Ends a run with the proof of what is kept here, whatever became of the rest.
    async fn conclude(
        &self,
        run: Reconciliation,
        progress: impl FnOnce(Timestamp, ReconciliationCounts) -> ReconciliationProgress,
        point: &'static str,
    ) -> Result<(Reconciliation, ReconciliationCounts), StoreError> {
        let broken = self.proven(&run).await?;
        let now = self.0.clock.now();
        let mut tx = self.0.db.begin().await?;
        reconciliations::keep(&mut tx, run.id, &broken).await?;
        let counts = reconciliations::counts(&mut tx, run.id).await?;
        let unknown = reconciliations::unknown(&mut tx, run.id).await?;
        let found = WithoutDocument { unknown, broken: without_document(&broken) };
        let concluded = Reconciliation { progress: progress(now, counts), updated_at: now, ..run };
        let reason = concluded.progress.failure();
        let failure = reason.map(|reason| notices::of_failure(&concluded, reason, now));
        let of_documents = broken.iter().filter_map(|row| notices::of_document(&concluded, row));
        let of_run = found.findings().into_iter().map(|finding| notices::of_run(&concluded, finding, now));
        for notice in of_documents.chain(of_run).chain(failure) {
            append_notice_after(&mut tx, self.0.ids.as_ref(), now, &notice, REPEAT_AFTER).await?;
        }
        self.store(tx, &concluded, point).await?;
        Ok((concluded, counts))
    }

    async fn store(&self, mut tx: Tx, run: &Reconciliation, point: &'static str) -> Result<(), StoreError> {
        if !reconciliations::update(&mut tx, run).await? {
            return Err(StoreError::Moved { table: "reconciliation" });
        }
        tx.commit_at(point).await
    }

    /// Whether an entry was ever stored at the provider, as far as that is known here.
    async fn was_stored(&self, entry: EntryId, document: InvoiceId) -> Result<bool, StoreError> {
        let attempts = gateway_storage::attempts::of_document(&self.0.db, document).await?;
        Ok(attempts.iter().any(|attempt| attempt.entry == Some(entry) && attempt.entry_digest.is_some()))
    }
}

/// The name of the commit after which a run is as far as this.
const fn point(progress: &ReconciliationProgress) -> &'static str {
    match progress {
        ReconciliationProgress::AuthorityListing { .. } | ReconciliationProgress::AuthorityMissing { .. } => {
            "authority-list-advanced"
        }
        ReconciliationProgress::Listing { .. }
        | ReconciliationProgress::Missing { .. }
        | ReconciliationProgress::Ended { .. }
        | ReconciliationProgress::Failed { .. } => "reconciliation-advanced",
    }
}

/// What is said by rows about no document.
fn without_document(rows: &[ReconciledEntry]) -> Vec<String> {
    let about_none = rows.iter().filter(|row| row.document.is_none());
    about_none.flat_map(|row| row.divergences.iter().map(|found| found.here.clone())).collect()
}

/// The documents whose submissions look again.
fn settling(rows: &[ReconciledEntry]) -> impl Iterator<Item = InvoiceId> {
    rows.iter().filter(|row| row.outcome == ReconciliationOutcome::Settling).filter_map(|row| row.document)
}
