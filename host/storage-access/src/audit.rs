//! Who changed what outside of documents: clients, configuration, plugins, keys.

use gateway_database::db::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::sql::{params, statements};
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
    NEWEST = both concat!("SELECT ", columns!(), " FROM audit ORDER BY at DESC, id DESC LIMIT $1");
    BEFORE = both concat!("SELECT ", columns!(), " FROM audit
        WHERE (at, id) < ($1, $2) ORDER BY at DESC, id DESC LIMIT $3");
    FILTERED = both concat!("SELECT ", columns!(), " FROM audit
        WHERE (at, id) < ($1, $2) AND actor LIKE $3 ESCAPE '!' AND subject LIKE $4 ESCAPE '!'
        ORDER BY at DESC, id DESC LIMIT $5");
}

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

/// Behind every entry: 2200-01-01.
const LAST: Timestamp = Timestamp::constant(7_258_118_400, 0);

/// Entries from the newest on, or those before a place (instant and id of an entry).
pub async fn page(
    on: impl Into<Executor<'_>>,
    before: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> Result<Vec<AuditEntry>, StoreError> {
    let rows: Vec<Row> = match before {
        None => on.into().all(&NEWEST, params![limit]).await?,
        Some((at, id)) => on.into().all(&BEFORE, params![at, id, limit]).await?,
    };
    Ok(rows.into_iter().map(AuditEntry::try_from).collect::<Result<_, _>>()?)
}

/// [`page`] of the entries that a filter leaves.
pub async fn filtered(
    on: impl Into<Executor<'_>>,
    filter: AuditFilter<'_>,
    before: Option<(Timestamp, Uuid)>,
    limit: i64,
) -> Result<Vec<AuditEntry>, StoreError> {
    if filter == AuditFilter::default() {
        return page(on, before, limit).await;
    }
    let (at, id) = before.unwrap_or((LAST, Uuid::max()));
    let (actor, subject) = (beginning_with(filter.actor), beginning_with(filter.subject));
    let rows: Vec<Row> = on.into().all(&FILTERED, params![at, id, actor, subject, limit]).await?;
    Ok(rows.into_iter().map(AuditEntry::try_from).collect::<Result<_, _>>()?)
}

/// A pattern of `LIKE` for texts that begin so; `!` takes the meaning of its signs away.
fn beginning_with(text: &str) -> String {
    let plain = |sign: char| if "!%_".contains(sign) { vec!['!', sign] } else { vec![sign] };
    text.chars().flat_map(plain).chain(['%']).collect()
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
}
