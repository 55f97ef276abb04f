//! How submissions fared over time: verdicts, and calls to the provider, by quarters of an hour.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::value::Ts;
use gateway_domain::ids::WorkspaceId;
use gateway_domain_finance::{ProviderCallCount, VerdictCount};
use jiff::Timestamp;

macro_rules! verdict_columns {
    () => {
        "bucket_start, workspace_id, accepted, rejected, waited_ms"
    };
}

macro_rules! call_columns {
    () => {
        "bucket_start, calls, failed, took_ms"
    };
}

statements! {
    ADD_VERDICTS = both concat!("INSERT INTO verdict_count (", verdict_columns!(), ")
        VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (bucket_start, workspace_id) DO UPDATE SET accepted = verdict_count.accepted + excluded.accepted,
            rejected = verdict_count.rejected + excluded.rejected, waited_ms = verdict_count.waited_ms + excluded.waited_ms");
    VERDICTS = both concat!("SELECT ", verdict_columns!(), " FROM verdict_count
        WHERE bucket_start >= $1 ORDER BY bucket_start, workspace_id");
    ADD_CALLS = both concat!("INSERT INTO provider_call_count (", call_columns!(), ") VALUES ($1, $2, $3, $4)
        ON CONFLICT (bucket_start) DO UPDATE SET calls = provider_call_count.calls + excluded.calls,
            failed = provider_call_count.failed + excluded.failed, took_ms = provider_call_count.took_ms + excluded.took_ms");
    CALLS = both concat!("SELECT ", call_columns!(), " FROM provider_call_count WHERE bucket_start >= $1 ORDER BY bucket_start");
    FORGET_VERDICTS = "DELETE FROM verdict_count WHERE bucket_start < $1";
    FORGET_CALLS = "DELETE FROM provider_call_count WHERE bucket_start < $1";
}

#[derive(sqlx::FromRow)]
struct VerdictRow {
    bucket_start: Ts,
    workspace_id: i64,
    accepted: i64,
    rejected: i64,
    waited_ms: i64,
}

#[derive(sqlx::FromRow)]
struct CallRow {
    bucket_start: Ts,
    calls: i64,
    failed: i64,
    took_ms: i64,
}

/// Adds to what is there.
pub fn add_verdicts(tx: &mut Tx, count: &VerdictCount) {
    let VerdictCount { bucket_start, workspace, accepted, rejected, waited_ms } = *count;
    tx.execute_later(&ADD_VERDICTS, params![bucket_start, workspace, accepted, rejected, waited_ms]);
}

/// From a time on, in order.
pub async fn verdicts(
    on: impl Into<Executor<'_>>,
    since: Timestamp,
) -> Result<Vec<VerdictCount>, StoreError> {
    let rows: Vec<VerdictRow> = on.into().all(&VERDICTS, params![since]).await?;
    let count = |row: VerdictRow| VerdictCount {
        bucket_start: row.bucket_start.0,
        workspace: WorkspaceId(row.workspace_id),
        accepted: row.accepted,
        rejected: row.rejected,
        waited_ms: row.waited_ms,
    };
    Ok(rows.into_iter().map(count).collect())
}

/// Adds to what is there.
pub async fn add_calls(tx: &mut Tx, count: &ProviderCallCount) -> Result<(), StoreError> {
    let ProviderCallCount { bucket_start, calls, failed, took_ms } = *count;
    tx.execute(&ADD_CALLS, params![bucket_start, calls, failed, took_ms]).await?;
    Ok(())
}

/// From a time on, in order.
pub async fn calls(
    on: impl Into<Executor<'_>>,
    since: Timestamp,
) -> Result<Vec<ProviderCallCount>, StoreError> {
    let rows: Vec<CallRow> = on.into().all(&CALLS, params![since]).await?;
    let count = |row: CallRow| ProviderCallCount {
        bucket_start: row.bucket_start.0,
        calls: row.calls,
        failed: row.failed,
        took_ms: row.took_ms,
    };
    Ok(rows.into_iter().map(count).collect())
}

/// Forgets what is older.
pub async fn forget(tx: &mut Tx, before: Timestamp) -> Result<(), StoreError> {
    tx.execute(&FORGET_VERDICTS, params![before]).await?;
    tx.execute(&FORGET_CALLS, params![before]).await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, samples::at};

    #[tokio::test]
    async fn counts_add_up_and_old_ones_are_forgotten() {
        for db in testing::both().await {
            let verdicts_of = |bucket, workspace, accepted| VerdictCount {
                bucket_start: at(bucket),
                workspace: WorkspaceId(workspace),
                accepted,
                rejected: 1,
                waited_ms: 100,
            };
            let calls_of =
                |bucket| ProviderCallCount { bucket_start: at(bucket), calls: 3, failed: 1, took_ms: 30 };
            let mut tx = db.begin().await.unwrap();
            for count in
                [verdicts_of(0, 1, 2), verdicts_of(900, 1, 2), verdicts_of(900, 1, 3), verdicts_of(900, 2, 4)]
            {
                add_verdicts(&mut tx, &count);
            }
            for bucket in [0, 900, 900] {
                add_calls(&mut tx, &calls_of(bucket)).await.unwrap();
            }
            let sum = VerdictCount { rejected: 2, waited_ms: 200, ..verdicts_of(900, 1, 5) };
            assert_eq!(verdicts(&mut tx, at(1)).await.unwrap(), [sum, verdicts_of(900, 2, 4)]);
            let sum = ProviderCallCount { calls: 6, failed: 2, took_ms: 60, ..calls_of(900) };
            assert_eq!(calls(&mut tx, at(0)).await.unwrap(), [calls_of(0), sum]);
            forget(&mut tx, at(900)).await.unwrap();
            assert_eq!(verdicts(&mut tx, at(0)).await.unwrap().len(), 2);
            assert_eq!(calls(&mut tx, at(0)).await.unwrap().len(), 1);
        }
    }
}
