//! Spans in which calls failed, one row each, with the seals of their evidence. Outages are those that count; the others are forgotten
//! with the next answer.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::regime::OutageSide;
use gateway_domain_deadline::{Outage, OutageCall};
use jiff::Timestamp;
use std::str::FromStr;

macro_rules! columns {
    () => {
        "id, side, call, began_at, counts_since, ended_at, failures, last_failed_at, last_error, seal_key, seal"
    };
}

statements! {
    INSERT = both concat!("INSERT INTO outage (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING");
    UPDATE = "UPDATE outage SET counts_since = $2, ended_at = $3, failures = $4, last_failed_at = $5, last_error = $6, seal_key = $7, seal = $8
        WHERE id = $1 AND ended_at IS NULL AND failures = $9";
    FORGET = "DELETE FROM outage WHERE id = $1 AND counts_since IS NULL AND failures = $2";
    // Exactly the condition of the partial index.
    OPEN = both concat!("SELECT ", columns!(), " FROM outage WHERE side = $1 AND ended_at IS NULL ORDER BY call");
    // Each half by the index of ends.
    BETWEEN = both concat!("SELECT ", columns!(), " FROM outage WHERE ended_at >= $1 AND began_at <= $2 AND counts_since IS NOT NULL
        UNION ALL SELECT ", columns!(), " FROM outage WHERE ended_at IS NULL AND began_at <= $2 AND counts_since IS NOT NULL
        ORDER BY began_at, id LIMIT $3");
    NEWEST = both concat!("SELECT ", columns!(), " FROM outage WHERE counts_since IS NOT NULL ORDER BY began_at DESC, id DESC LIMIT $1");
}

/// An outage as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SealedOutage {
    /// The outage.
    pub outage: Outage,
    /// The id of the key of its seal.
    pub seal_key: String,
    /// The keyed hash of its evidence.
    pub seal: Vec<u8>,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Id,
    side: String,
    call: String,
    began_at: Ts,
    counts_since: Option<Ts>,
    ended_at: Option<Ts>,
    failures: i64,
    last_failed_at: Ts,
    last_error: String,
    seal_key: String,
    seal: Vec<u8>,
}

impl TryFrom<Row> for SealedOutage {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let (side, call) = (OutageSide::from_str(&row.side), OutageCall::from_str(&row.call));
        let outage = Outage {
            id: row.id.0,
            side: side.map_err(|cause| Corrupt::new("outage", row.id.0, "side", cause))?,
            call: call.map_err(|cause| Corrupt::new("outage", row.id.0, "call", cause))?,
            since: row.began_at.0,
            counts_since: row.counts_since.map(|at| at.0),
            until: row.ended_at.map(|at| at.0),
            failures: row.failures,
            last_failed_at: row.last_failed_at.0,
            last_error: row.last_error,
        };
        Ok(Self { outage, seal_key: row.seal_key, seal: row.seal })
    }
}

fn read(rows: Vec<Row>) -> Result<Vec<SealedOutage>, StoreError> {
    Ok(rows.into_iter().map(SealedOutage::try_from).collect::<Result<_, _>>()?)
}

/// Stores calls that begin to fail; `false` when some of their side and kind do already.
pub async fn insert(tx: &mut Tx, sealed: &SealedOutage) -> Result<bool, StoreError> {
    let SealedOutage { outage, seal_key, seal } = sealed;
    let arguments = params![
        outage.id,
        outage.side.as_str(),
        outage.call.as_str(),
        outage.since,
        outage.counts_since,
        outage.until,
        outage.failures,
        outage.last_failed_at,
        &outage.last_error,
        seal_key,
        seal.clone(),
    ];
    Ok(tx.execute(&INSERT, arguments).await? == 1)
}

/// Stores how an outage went on, if it lasts and had so many `failures`; `false` when somebody else changed it.
pub async fn update(tx: &mut Tx, sealed: &SealedOutage, failures: i64) -> Result<bool, StoreError> {
    let SealedOutage { outage, seal_key, seal } = sealed;
    let arguments = params![
        outage.id,
        outage.counts_since,
        outage.until,
        outage.failures,
        outage.last_failed_at,
        &outage.last_error,
        seal_key,
        seal.clone(),
        failures,
    ];
    Ok(tx.execute(&UPDATE, arguments).await? == 1)
}

/// Forgets calls that failed so many times and never counted as an outage; `false` when somebody else changed them.
pub async fn forget(tx: &mut Tx, outage: &Outage) -> Result<bool, StoreError> {
    Ok(tx.execute(&FORGET, params![outage.id, outage.failures]).await? == 1)
}

/// Calls of this side that fail, one of a kind, whether they count as an outage yet or not.
pub async fn open(on: impl Into<Executor<'_>>, side: OutageSide) -> Result<Vec<SealedOutage>, StoreError> {
    read(on.into().all(&OPEN, params![side.as_str()]).await?)
}

/// Those that ended after `from` or never, and began before `to`, the oldest first.
pub async fn between(
    on: impl Into<Executor<'_>>,
    from: Timestamp,
    to: Timestamp,
    limit: i64,
) -> Result<Vec<SealedOutage>, StoreError> {
    read(on.into().all(&BETWEEN, params![from, to, limit]).await?)
}

/// The newest that count.
pub async fn newest(on: impl Into<Executor<'_>>, limit: i64) -> Result<Vec<SealedOutage>, StoreError> {
    read(on.into().all(&NEWEST, params![limit]).await?)
}
