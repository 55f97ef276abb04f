//! Who changed what outside of documents: clients, configuration, plugins, keys.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, ListQuery};
use gateway_database::select::{Condition, Table};
use gateway_database::sql::{Sql, ids, params, statements};
use gateway_database::value::{Id, Ts};
use gateway_domain::access::Actor;
use gateway_domain_events::{AuditEntry, AuditFilter};
use jiff::Timestamp;
use uuid::Uuid;

macro_rules! columns {
    () => {
        "id, at, actor, action, subject, data"
    };
}

statements! {
    APPEND = both concat!("INSERT INTO audit (", columns!(), ") VALUES ($1, $2, $3, $4, $5, $6)");
    COUNT_BEFORE = "SELECT COUNT(*) FROM audit WHERE at < $1";
    OLDEST = both concat!("SELECT ", columns!(), " FROM audit WHERE at < $1 ORDER BY at, id LIMIT $2");
    REMOVE = each ["DELETE FROM audit WHERE ", (among "id", "$1")];
}

/// Entries, the newest first.
pub const TABLE: Table = Table {
    name: "audit",
    key: "id",
    columns: Sql::both(columns!()),
    order: "at DESC, id DESC",
    has_workspace: false,
};

#[derive(sqlx::FromRow)]
struct Row {
    id: Id,
    at: Ts,
    actor: String,
    action: String,
    subject: String,
    data: String,
}

impl TryFrom<Row> for AuditEntry {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let Row { id, at, actor, action, subject, data } = row;
        let data = serde_json::from_str(&data).map_err(|error| Corrupt::new("audit", id.0, "data", error))?;
        Ok(Self { id: id.0, at: at.0, actor: Actor(actor), action, subject, data })
    }
}

/// Writes an entry with the change it tells of.
pub async fn append(tx: &mut Tx, entry: &AuditEntry) -> Result<(), StoreError> {
    let AuditEntry { id, at, actor, action, subject, data } = entry;
    tx.execute(&APPEND, params![*id, *at, &actor.0, action, subject, data.to_string()]).await?;
    Ok(())
}

/// Entries from the newest on, or those before a place (instant and id of an entry).
pub async fn page(
    on: impl Into<Executor<'_>>,
    before: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> Result<Vec<AuditEntry>, StoreError> {
    filtered(on, AuditFilter::default(), before, limit).await
}

/// The list that a filter leaves.
pub fn query(filter: AuditFilter<'_>) -> ListQuery<'static> {
    let begins = |column, prefix: &str| (!prefix.is_empty()).then(|| Condition::beginning(column, prefix));
    ListQuery::anything()
        .and_where(begins("actor", filter.actor))
        .and_where(begins("subject", filter.subject))
}

/// [`page`] of the entries that a filter leaves.
pub async fn filtered(
    on: impl Into<Executor<'_>>,
    filter: AuditFilter<'_>,
    before: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> Result<Vec<AuditEntry>, StoreError> {
    lists::page::<Row, _>(on.into(), TABLE, query(filter), before, limit).await
}

/// How many entries are from before an instant.
pub async fn count_before(on: impl Into<Executor<'_>>, before: Timestamp) -> Result<i64, StoreError> {
    let (count,): (i64,) = on.into().one(&COUNT_BEFORE, params![before]).await?;
    Ok(count)
}

/// Entries from before an instant, the oldest first.
pub async fn oldest(
    on: impl Into<Executor<'_>>,
    before: Timestamp,
    limit: i64,
) -> Result<Vec<AuditEntry>, StoreError> {
    let rows: Vec<Row> = on.into().all(&OLDEST, params![before, limit]).await?;
    rows.into_iter().map(|row| row.try_into().map_err(StoreError::from)).collect()
}

/// Takes entries out of the trail, and says how many were there.
pub async fn remove(tx: &mut Tx, entries: &[Uuid]) -> Result<u64, StoreError> {
    tx.execute(&REMOVE, vec![ids(entries)]).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_storage::testing::{self, samples::at};

    #[tokio::test]
    async fn entries_are_paged_from_the_newest() {
        for db in testing::both().await {
            let entry = |n: u8| AuditEntry {
                id: Uuid::from_u128(n.into()),
                at: at(i64::from(n) / 2),
                actor: Actor::operator(),
                action: "client.create".to_owned(),
                subject: format!("client:{n}"),
                data: serde_json::json!({"role": n}),
            };
            let mut tx = db.begin().await.unwrap();
            for n in 0..5 {
                append(&mut tx, &entry(n)).await.unwrap();
            }
            tx.commit().await.unwrap();
            let first = page(db.db(), None, 2).await.unwrap();
            assert_eq!(first, [entry(4), entry(3)]);
            let rest = page(db.db(), Some((first[1].at, first[1].id)), 10).await.unwrap();
            assert_eq!(rest, [entry(2), entry(1), entry(0)]);
            let filter = |actor, subject| AuditFilter { actor, subject };
            let found = filtered(db.db(), filter("oper", "client:3"), None, 10).await.unwrap();
            assert_eq!(found, [entry(3)]);
            let found =
                filtered(db.db(), filter("", "client:"), Some((at(1), entry(2).id)), 10).await.unwrap();
            assert_eq!(found, [entry(1), entry(0)]);
            for (actor, subject) in [("gateway", ""), ("", "client_"), ("%", "")] {
                assert_eq!(filtered(db.db(), filter(actor, subject), None, 10).await.unwrap(), []);
            }
        }
    }

    #[tokio::test]
    async fn a_filter_tells_capitals_apart_on_both_engines() {
        for db in testing::both().await {
            let entry = AuditEntry {
                id: Uuid::from_u128(1),
                at: at(0),
                actor: Actor("Ñora".to_owned()),
                action: "client.create".to_owned(),
                subject: "client:A-1".to_owned(),
                data: serde_json::json!({}),
            };
            let mut tx = db.begin().await.unwrap();
            append(&mut tx, &entry).await.unwrap();
            tx.commit().await.unwrap();
            for (actor, subject, found) in [("Ño", "client:A", 1), ("ño", "", 0), ("", "client:a", 0)] {
                let entries = filtered(db.db(), AuditFilter { actor, subject }, None, 10).await.unwrap();
                assert_eq!(entries.len(), found, "{actor:?}, {subject:?} on {:?}", db.engine());
            }
        }
    }

    #[tokio::test]
    async fn the_oldest_entries_are_removed_and_others_stay() {
        for db in testing::both().await {
            let entry = |n: u8| AuditEntry {
                id: Uuid::from_u128(n.into()),
                at: at(n.into()),
                actor: Actor::operator(),
                action: "client.create".to_owned(),
                subject: format!("client:{n}"),
                data: serde_json::json!({}),
            };
            let mut tx = db.begin().await.unwrap();
            for n in [2, 0, 3, 1] {
                append(&mut tx, &entry(n)).await.unwrap();
            }
            tx.commit().await.unwrap();
            assert_eq!(
                count_before(db.db(), at(3)).await.unwrap(),
                3,
                "one of the instant itself is not before it"
            );
            let oldest = oldest(db.db(), at(3), 2).await.unwrap();
            assert_eq!(oldest, [entry(0), entry(1)]);
            let mut tx = db.begin().await.unwrap();
            assert_eq!(remove(&mut tx, &[oldest[0].id, Uuid::nil()]).await.unwrap(), 1);
            assert_eq!(remove(&mut tx, &[oldest[0].id]).await.unwrap(), 0, "it is gone already");
            tx.commit().await.unwrap();
            assert_eq!(page(db.db(), None, 10).await.unwrap(), [entry(3), entry(2), entry(1)]);
        }
    }
}
