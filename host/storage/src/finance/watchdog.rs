//! What the watchdog looks for: documents in Issuing that nobody moves any more, and what it said about them.

use crate::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::InvoiceNumber;
use gateway_domain_finance::AlertCode;
use gateway_domain_finance::Unsubmitted;
use jiff::Timestamp;

statements! {
    // Whether the service submits a document is looked up for each that is left: PostgreSQL would find out for all documents at once
    // what a plain NOT EXISTS asks for.
    WITHOUT_SUBMISSION = "SELECT i.id, i.workspace_id, i.number, i.issuing_at, i.since FROM issuing_document i
        WHERE (i.since <= $1 OR i.since > $5) AND NOT EXISTS (SELECT 1 FROM submission s
            WHERE s.document_id = i.id AND s.stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn'))
        AND (i.since <= $2 OR i.since > $5 OR NOT COALESCE((SELECT f.send_to_tax_authority
            AND NOT EXISTS (SELECT 1 FROM submission s WHERE s.document_id = f.id) FROM invoice f WHERE f.id = i.id), FALSE))
        AND NOT EXISTS (SELECT 1 FROM watchdog_alert w WHERE w.document_id = i.id AND w.since = i.since AND w.logged_at > $3 AND w.logged_at <= $5)
        ORDER BY i.since, i.id LIMIT $4";
    WITHOUT_JOB = each ["SELECT s.document_id FROM submission s
        WHERE s.stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn') AND (s.updated_at <= $1 OR s.updated_at > $5)
            AND (s.alert_code IS NULL OR s.alert_code IN ", (words "$2"), ")
            AND NOT EXISTS (SELECT 1 FROM job j WHERE j.kind = $3 AND j.subject = ", (text "s.document_id"), ")
        ORDER BY s.updated_at, s.document_id LIMIT $4"];
    LONGEST_WAITING = "SELECT document_id, created_at, COUNT(*) OVER () AS documents FROM submission
        WHERE stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn') AND created_at <= $1
        ORDER BY created_at, document_id LIMIT 1";
    RAISE_ALERT = "INSERT INTO watchdog_alert (document_id, workspace_id, code, since, logged_at) VALUES ($1, $2, $3, $4, $5)
        ON CONFLICT (document_id) DO UPDATE SET code = excluded.code, since = excluded.since, logged_at = excluded.logged_at
        WHERE watchdog_alert.logged_at <= $6 OR watchdog_alert.logged_at > $7 OR watchdog_alert.since <> excluded.since";
    FORGET = "DELETE FROM watchdog_alert WHERE NOT EXISTS (SELECT 1 FROM issuing_document i
            WHERE i.id = watchdog_alert.document_id)
        OR EXISTS (SELECT 1 FROM submission s WHERE s.document_id = watchdog_alert.document_id
            AND s.stage NOT IN ('accepted', 'rejected', 'superseded', 'withdrawn'))";
    ALERTS_BY_CODE = "SELECT w.code, COUNT(*) AS documents FROM watchdog_alert w JOIN issuing_document i ON i.id = w.document_id
        GROUP BY w.code";
}

#[derive(sqlx::FromRow)]
struct UnsubmittedRow {
    id: Id,
    workspace_id: i64,
    number: String,
    issuing_at: Ts,
    since: Ts,
}

/// The times that a look of the watchdog compares with. What was stamped after `ahead` was stamped while a clock was ahead,
/// and counts as old: else it would not be looked after until that time comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Times {
    /// What stands since then is looked after.
    pub until: Timestamp,
    /// What a remote finance service says it submits is looked after since then.
    pub silent_since: Timestamp,
    /// What was said since then is not said again.
    pub logged_before: Timestamp,
    /// Later than any clock that is right.
    pub ahead: Timestamp,
}

/// Documents in Issuing since `until` or longer without an open submission, the oldest first. Those that a remote finance
/// service says it submits, and this one never heard of, are among them since `silent_since` or longer. Those that
/// were told of after `logged_before` are left out.
pub async fn without_submission(
    on: impl Into<Executor<'_>>,
    times: Times,
    limit: i64,
) -> Result<Vec<Unsubmitted>, StoreError> {
    let Times { until, silent_since, logged_before, ahead } = times;
    let arguments = params![until, silent_since, logged_before, limit, ahead];
    let rows: Vec<UnsubmittedRow> = on.into().all(&WITHOUT_SUBMISSION, arguments).await?;
    let parse = |row: UnsubmittedRow| Unsubmitted {
        document: InvoiceId(row.id.0),
        workspace: WorkspaceId(row.workspace_id),
        number: InvoiceNumber(row.number),
        issuing_at: row.issuing_at.0,
        since: row.since.0,
    };
    Ok(rows.into_iter().map(parse).collect())
}

/// Documents with an open submission that did not change since `until`, that no job moves, and whose alert, if it
/// has one, heals by itself: something must look at them.
pub async fn forgotten(
    on: impl Into<Executor<'_>>,
    job_kind: &str,
    times: Times,
    limit: i64,
) -> Result<Vec<InvoiceId>, StoreError> {
    let healing: Vec<_> =
        AlertCode::ALL.iter().filter(|code| code.heals_itself()).map(|code| code.as_str()).collect();
    let arguments = params![times.until, StoreError::json(&healing)?, job_kind, limit, times.ahead];
    let rows: Vec<(Id,)> = on.into().all(&WITHOUT_JOB, arguments).await?;
    Ok(rows.into_iter().map(|(document,)| InvoiceId(document.0)).collect())
}

/// What has waited for its verdict too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LongestWaiting {
    /// How many documents there are.
    pub documents: i64,
    /// The one that has waited longest.
    pub document: InvoiceId,
    /// Since when.
    pub since: Timestamp,
}

/// The documents whose submissions began at `until` or before and have not ended; none where there is none.
pub async fn longest_waiting(
    on: impl Into<Executor<'_>>,
    until: Timestamp,
) -> Result<Option<LongestWaiting>, StoreError> {
    let row: Option<(Id, Ts, i64)> = on.into().optional(&LONGEST_WAITING, params![until]).await?;
    Ok(row.map(|(document, since, documents)| LongestWaiting {
        documents,
        document: InvoiceId(document.0),
        since: since.0,
    }))
}

/// Keeps an alert about a document; `true` when it has to be said (again): nobody said it since `logged_before`.
pub async fn raise_alert(
    tx: &mut Tx,
    found: &Unsubmitted,
    code: &str,
    now: Timestamp,
    times: Times,
) -> Result<bool, StoreError> {
    let Times { logged_before, ahead, .. } = times;
    let arguments = params![found.document, found.workspace, code, found.since, now, logged_before, ahead];
    Ok(tx.execute(&RAISE_ALERT, arguments).await? == 1)
}

/// Forgets alerts about documents that moved on.
pub async fn forget(tx: &mut Tx) -> Result<u64, StoreError> {
    tx.execute(&FORGET, params![]).await
}

/// How many documents there are alerts about, by code.
pub async fn alerts_by_code(on: impl Into<Executor<'_>>) -> Result<Vec<(String, i64)>, StoreError> {
    on.into().all(&ALERTS_BY_CODE, params![]).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain_finance::Stage;

    #[test]
    fn the_statements_name_every_stage_that_ended() {
        let ended: Vec<_> = Stage::ALL
            .iter()
            .filter(|stage| stage.ended())
            .map(|stage| format!("'{}'", stage.as_str()))
            .collect();
        let list = format!("stage NOT IN ({})", ended.join(", "));
        for sql in [WITHOUT_SUBMISSION, WITHOUT_JOB, FORGET] {
            assert!(sql.pg.contains(&list) && sql.sqlite.contains(&list), "{list}");
        }
    }
}
