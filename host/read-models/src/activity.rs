//! How submissions fared over the last month: verdicts and how long documents waited for them, and calls to the provider, by
//! quarters of an hour.
//!
//! Verdicts are counted from the event log, each once, because the counts commit with the consumer's position. Calls are counted in
//! memory by [`CountedProvider`] and written down by every process.

use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId};
use gateway_domain::ports::Clock;
use gateway_domain_events::{EventSelection, StoredEvent};
use gateway_domain_finance::ports::{
    Entry, EntryOrder, EntryPage, Job, Provider, ProviderAccess, ProviderError,
};
use gateway_domain_finance::{FinanceEvent, ProviderCallCount, VerdictCount};
use gateway_events::{Consumer, Source};
use gateway_storage::{Db, Tx, activity, events, write_behind};
use jiff::{SignedDuration, Timestamp};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

/// Seconds that are counted together.
const BUCKET_S: i64 = 15 * 60;
/// How long counts are kept.
const COUNTS_AGE_MAX: SignedDuration = SignedDuration::from_hours(31 * 24);
/// How long counted calls wait in memory.
const FLUSH_INTERVAL: Duration = Duration::from_secs(10);

/// When the quarter of an hour of a time begins.
fn bucket(at: Timestamp) -> Timestamp {
    let second = at.as_second();
    Timestamp::from_second(second.saturating_sub(second.rem_euclid(BUCKET_S))).unwrap_or(at)
}

/// Counts verdicts.
#[derive(Debug, Default)]
pub struct VerdictCounts(());

impl VerdictCounts {
    /// Under which its position is kept.
    pub const NAME: &'static str = "verdict-counts";
}

#[async_trait]
impl Consumer for VerdictCounts {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn selection(&self) -> EventSelection {
        EventSelection::Documents
    }

    async fn handle(&self, tx: &mut Tx, events: &[StoredEvent]) -> Result<(), StoreError> {
        let verdicts: Vec<_> = events.iter().filter_map(|event| Some((event, verdict(event)?))).collect();
        if verdicts.is_empty() {
            return Ok(());
        }
        let subjects: Vec<_> = verdicts.iter().map(|(event, _)| InvoiceId(event.subject)).collect();
        let known = events::of_subjects(&mut *tx, &Workspaces::All, &subjects).await?;
        let mut counts = BTreeMap::new();
        for (event, is_accepted) in verdicts {
            let (bucket_start, workspace) = (bucket(event.time), event.workspace);
            let empty = VerdictCount { bucket_start, workspace, accepted: 0, rejected: 0, waited_ms: 0 };
            let count: &mut VerdictCount = counts.entry((bucket_start, workspace)).or_insert(empty);
            count.accepted = count.accepted.saturating_add(i64::from(is_accepted));
            count.rejected = count.rejected.saturating_add(i64::from(!is_accepted));
            count.waited_ms = count.waited_ms.saturating_add(waited_ms(event, &known));
        }
        for count in counts.values() {
            activity::add_verdicts(tx, count);
        }
        Ok(())
    }
}

/// How long a document waited for a verdict since it last went to Issuing.
fn waited_ms(verdict: &StoredEvent, known: &[StoredEvent]) -> i64 {
    let is_start = |event: &&StoredEvent| {
        event.subject == verdict.subject
            && event.source == Source::Finance.as_str()
            && event.kind == FinanceEvent::Issuing.as_str()
            && event.time <= verdict.time
    };
    let since = known.iter().filter(is_start).map(|event| event.time).max();
    let waited = since.map_or(0, |since| verdict.time.duration_since(since).as_millis());
    i64::try_from(waited).unwrap_or_default().max(0)
}

/// Whether an event is an acceptance or a rejection; none for every other one.
fn verdict(event: &StoredEvent) -> Option<bool> {
    if event.source != Source::Finance.as_str() {
        return None;
    }
    let kinds = [(FinanceEvent::AcceptedByTaxAuthority, true), (FinanceEvent::RejectedByTaxAuthority, false)];
    kinds.into_iter().find(|(kind, _)| kind.as_str() == event.kind).map(|(_, is_accepted)| is_accepted)
}

/// Calls of this process that are not written down yet.
#[derive(Debug, Default)]
struct Calls {
    made: AtomicI64,
    failed: AtomicI64,
    took_ms: AtomicI64,
}

/// How submissions fared over time. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Activity {
    db: Db,
    clock: Arc<dyn Clock>,
    calls: Arc<Calls>,
    /// When old counts were last forgotten.
    forgotten_at: Arc<Mutex<Option<Timestamp>>>,
}

impl Activity {
    /// The counts in this database.
    pub fn new(db: Db, clock: Arc<dyn Clock>) -> Self {
        Self { db, clock, calls: Arc::default(), forgotten_at: Arc::default() }
    }

    /// A provider whose calls are counted here.
    pub fn counting(&self, provider: Arc<dyn Provider>) -> Arc<dyn Provider> {
        Arc::new(CountedProvider { provider, calls: Arc::clone(&self.calls) })
    }

    /// Verdicts on documents that somebody may see, from a time on, in order.
    pub async fn verdicts(
        &self,
        visible: &Workspaces,
        since: Timestamp,
    ) -> Result<Vec<VerdictCount>, StoreError> {
        let mut found = activity::verdicts(&self.db, bucket(since)).await?;
        found.retain(|count| visible.contain(count.workspace));
        Ok(found)
    }

    /// Calls to the provider from a time on, in order.
    pub async fn provider_calls(&self, since: Timestamp) -> Result<Vec<ProviderCallCount>, StoreError> {
        activity::calls(&self.db, bucket(since)).await
    }

    /// Writes down what was counted, and forgets what is too old once a day.
    pub async fn flush(&self) -> Result<(), StoreError> {
        let now = self.clock.now();
        let reset = |count: &AtomicI64| count.swap(0, Ordering::Relaxed);
        let count = ProviderCallCount {
            bucket_start: bucket(now),
            calls: reset(&self.calls.made),
            failed: reset(&self.calls.failed),
            took_ms: reset(&self.calls.took_ms),
        };
        let is_old = |at: Timestamp| now.duration_since(at) >= SignedDuration::from_hours(24);
        let forgets = self.forgotten_at.lock().unwrap_or_else(PoisonError::into_inner).is_none_or(is_old);
        if count.calls == 0 && !forgets {
            return Ok(());
        }
        let written = self.write(&count, forgets.then_some(now)).await;
        if written.is_err() {
            self.calls.made.fetch_add(count.calls, Ordering::Relaxed);
            self.calls.failed.fetch_add(count.failed, Ordering::Relaxed);
            self.calls.took_ms.fetch_add(count.took_ms, Ordering::Relaxed);
        } else if forgets {
            *self.forgotten_at.lock().unwrap_or_else(PoisonError::into_inner) = Some(now);
        }
        written
    }

    async fn write(&self, count: &ProviderCallCount, forget: Option<Timestamp>) -> Result<(), StoreError> {
        let mut tx = self.db.begin().await?;
        if count.calls > 0 {
            activity::add_calls(&mut tx, count).await?;
        }
        if let Some(before) = forget.and_then(|now| now.checked_sub(COUNTS_AGE_MAX).ok()) {
            activity::forget(&mut tx, before).await?;
        }
        tx.commit_at("activity-counted").await
    }

    /// Writes down what was counted every few seconds until `shutdown`, and once more then.
    pub async fn run(self, shutdown: CancellationToken) {
        write_behind(FLUSH_INTERVAL, shutdown, "Calls to the provider are not counted yet", || self.flush())
            .await;
    }
}

/// A provider whose calls are counted.
#[derive(Debug)]
struct CountedProvider {
    provider: Arc<dyn Provider>,
    calls: Arc<Calls>,
}

impl CountedProvider {
    async fn counted<T>(
        &self,
        call: impl Future<Output = Result<T, ProviderError>> + Send,
    ) -> Result<T, ProviderError> {
        let since = Instant::now();
        let answer = call.await;
        let took = i64::try_from(since.elapsed().as_millis()).unwrap_or(i64::MAX);
        let failed =
            matches!(answer, Err(ProviderError::Unavailable { .. } | ProviderError::Protocol { .. }));
        self.calls.made.fetch_add(1, Ordering::Relaxed);
        self.calls.failed.fetch_add(i64::from(failed), Ordering::Relaxed);
        self.calls.took_ms.fetch_add(took, Ordering::Relaxed);
        answer
    }
}

#[async_trait]
impl Provider for CountedProvider {
    async fn put_entry(
        &self,
        access: &ProviderAccess,
        entry: EntryId,
        key: &str,
        document: &str,
    ) -> Result<Entry, ProviderError> {
        self.counted(self.provider.put_entry(access, entry, key, document)).await
    }

    async fn replace_entry(
        &self,
        access: &ProviderAccess,
        entry: EntryId,
        document: &str,
    ) -> Result<Entry, ProviderError> {
        self.counted(self.provider.replace_entry(access, entry, document)).await
    }

    async fn get_entry(&self, access: &ProviderAccess, entry: EntryId) -> Result<Entry, ProviderError> {
        self.counted(self.provider.get_entry(access, entry)).await
    }

    async fn list_entries(
        &self,
        access: &ProviderAccess,
        order: EntryOrder,
        cursor: Option<&str>,
    ) -> Result<EntryPage, ProviderError> {
        self.counted(self.provider.list_entries(access, order, cursor)).await
    }

    async fn get_file(
        &self,
        access: &ProviderAccess,
        entry: EntryId,
        file: Uuid,
        bytes_max: usize,
    ) -> Result<String, ProviderError> {
        self.counted(self.provider.get_file(access, entry, file, bytes_max)).await
    }

    async fn put_job(
        &self,
        access: &ProviderAccess,
        job: ProviderJobId,
        workflow_id: Uuid,
        entry: EntryId,
        key: &str,
    ) -> Result<Job, ProviderError> {
        self.counted(self.provider.put_job(access, job, workflow_id, entry, key)).await
    }

    async fn get_job(&self, access: &ProviderAccess, job: ProviderJobId) -> Result<Job, ProviderError> {
        self.counted(self.provider.get_job(access, job)).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quarter_of_an_hour_begins_at_its_full_minutes() {
        let of = |text: &str| bucket(text.parse().unwrap()).to_string();
        assert_eq!(of("2026-11-20T09:14:59.9Z"), "2026-11-20T09:00:00Z");
        assert_eq!(of("2026-11-20T09:15:00Z"), "2026-11-20T09:15:00Z");
        assert_eq!(of("1969-12-31T23:59:59Z"), "1969-12-31T23:45:00Z");
    }
}
