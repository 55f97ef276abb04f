//! Every statement there is, so that a test can prepare each on both engines.

use crate::{creation_clock, events, finance, invoicing, jobs, webhooks, workspaces};
use gateway_database::sql::Sql;

#[cfg(test)]
pub(crate) mod lists;
#[cfg(test)]
pub(crate) mod look_ups;

/// One line per module that has statements.
pub(crate) const MODULES: &[(&str, &[(&str, Sql)])] = &[
    ("audit", gateway_storage_access::audit::STATEMENTS),
    ("client_uses", gateway_storage_access::client_uses::STATEMENTS),
    ("clients", gateway_storage_access::clients::STATEMENTS),
    ("idempotency", gateway_storage_access::idempotency::STATEMENTS),
    ("keys", gateway_storage_access::keys::STATEMENTS),
    ("legacy_uses", gateway_storage_access::legacy_uses::STATEMENTS),
    ("sessions", gateway_storage_access::sessions::STATEMENTS),
    ("creation_clock", creation_clock::STATEMENTS),
    ("db", gateway_database::db::STATEMENTS),
    ("journal", gateway_storage_tables::journal::STATEMENTS),
    ("schema", gateway_storage_tables::schema::STATEMENTS),
    ("whole", gateway_database::db::whole::STATEMENTS),
    ("events", events::STATEMENTS),
    ("mail", events::mail::STATEMENTS),
    ("relay", events::relay::STATEMENTS),
    ("activity", finance::activity::STATEMENTS),
    ("attempts", finance::attempts::STATEMENTS),
    ("booking_documents", finance::booking_documents::STATEMENTS),
    ("correctives", finance::correctives::STATEMENTS),
    ("destination", finance::destination::STATEMENTS),
    ("evidence", gateway_storage_provider::evidence::STATEMENTS),
    ("finance_documents", finance::finance_documents::STATEMENTS),
    ("intents", finance::intents::STATEMENTS),
    ("issue_times", finance::issue_times::STATEMENTS),
    ("messages", finance::messages::STATEMENTS),
    ("annotations", gateway_storage_documents::annotations::STATEMENTS),
    ("amendments", gateway_storage_provider::amendments::STATEMENTS),
    ("filing_deadlines", gateway_storage_provider::filing_deadlines::STATEMENTS),
    ("outages", gateway_storage_provider::outages::STATEMENTS),
    ("reconciliations", gateway_storage_provider::reconciliations::STATEMENTS),
    ("submissions", finance::submissions::STATEMENTS),
    ("watchdog", finance::watchdog::STATEMENTS),
    ("credits", invoicing::credits::STATEMENTS),
    ("export", invoicing::export::STATEMENTS),
    ("imported_files", gateway_storage_documents::imported_files::STATEMENTS),
    ("invoices", invoicing::invoices::STATEMENTS),
    ("invoice_lists", invoicing::invoice_lists::STATEMENTS),
    ("number_chains", gateway_storage_documents::number_chains::STATEMENTS),
    ("participant_checks", gateway_storage_documents::participant_checks::STATEMENTS),
    ("recipient_checks", gateway_storage_documents::recipient_checks::STATEMENTS),
    ("numbers", invoicing::numbers::STATEMENTS),
    ("recipients", invoicing::recipients::STATEMENTS),
    ("breakdowns", invoicing::breakdowns::STATEMENTS),
    ("reports", gateway_storage_documents::reports::STATEMENTS),
    ("sums", gateway_storage_documents::sums::STATEMENTS),
    ("jobs", jobs::STATEMENTS),
    ("leases", jobs::leases::STATEMENTS),
    ("accounts", gateway_storage_platform::accounts::STATEMENTS),
    ("bookings", gateway_storage_platform::bookings::STATEMENTS),
    ("conversations", gateway_storage_platform::conversations::STATEMENTS),
    ("guest_verifications", gateway_storage_platform::guest_verifications::STATEMENTS),
    ("persons", gateway_storage_platform::persons::STATEMENTS),
    ("product_groups", gateway_storage_platform::product_groups::STATEMENTS),
    ("products", gateway_storage_platform::products::STATEMENTS),
    ("profiles", gateway_storage_platform::profiles::STATEMENTS),
    ("rate_writes", gateway_storage_platform::rate_writes::STATEMENTS),
    ("rates", gateway_storage_platform::rates::STATEMENTS),
    ("spaces", gateway_storage_platform::spaces::STATEMENTS),
    ("tasks", gateway_storage_platform::tasks::STATEMENTS),
    ("units", gateway_storage_platform::units::STATEMENTS),
    ("plugins", gateway_storage_plugins::plugins::STATEMENTS),
    ("canaries", gateway_storage_plugins::plugins::canaries::STATEMENTS),
    ("schedules", gateway_storage_plugins::plugins::schedules::STATEMENTS),
    ("renderers", gateway_storage_plugins::renderers::STATEMENTS),
    ("sandbox", gateway_storage_provider::sandbox::STATEMENTS),
    ("webhooks", webhooks::STATEMENTS),
    ("deliveries", webhooks::deliveries::STATEMENTS),
    ("workspaces", workspaces::STATEMENTS),
    ("e_invoicing", workspaces::e_invoicing::STATEMENTS),
    ("printing", workspaces::printing::STATEMENTS),
];

#[cfg(test)]
mod tests {
    use super::lists::fixed::{self, AccessPath};
    use super::{MODULES, Sql, lists, look_ups};
    use crate::testing;
    use gateway_database::select::Part;
    use gateway_database::testing::{Driver, driver};
    use gateway_domain::access::Workspaces;
    use gateway_domain::ids::WorkspaceId;
    use gateway_storage_platform::{conversations, products};
    use gateway_storage_tables::pages::Pages;
    use gateway_storage_tables::{Cell, Cells, Schema, Table, TableDigest};
    use sqlx::{AssertSqlSafe, Executor, SqlSafeStr};
    use std::collections::BTreeSet;

    /// The same on both engines, and in every version: backups hold digests.
    const DIGEST_OF_NEWCOMER: &str = "e9a8ff0730d5";

    #[tokio::test]
    async fn every_statement_is_prepared_by_both_engines() {
        for db in testing::both().await {
            let driver = driver(db.db());
            for (module, statements) in MODULES {
                for (name, sql) in *statements {
                    let prepared = match &driver {
                        Driver::Pg(pool) => pool.prepare(sql.pg.into_sql_str()).await.map(drop),
                        Driver::Sqlite(pool) => pool.prepare(sql.sqlite.into_sql_str()).await.map(drop),
                    };
                    prepared.unwrap_or_else(|error| panic!("{module}::{name} on {:?}: {error}", db.engine()));
                }
            }
        }
    }

    #[tokio::test]
    async fn every_list_is_prepared_by_both_engines_whatever_it_is_asked_for() {
        let several = Workspaces::Only(vec![WorkspaceId(1), WorkspaceId(2)]);
        let callers = [Workspaces::All, several, Workspaces::Only(vec![WorkspaceId(1)])];
        let window = Part::Window { offset: 5, size: 10 };
        let parts = [Part::First(10), window, Part::All, Part::Ordered, Part::Held, Part::Count];
        for db in testing::both().await {
            let mut texts = BTreeSet::new();
            for listed in lists::lists() {
                for caller in &callers {
                    let select = listed.select(caller).unwrap();
                    let behind = lists::behind_a_key(select.clone());
                    let statements = [select, behind]
                        .into_iter()
                        .flat_map(|select| parts.map(|part| select.statement(db.engine(), part).text));
                    texts.extend(statements);
                }
            }
            let groups = [gateway_domain::ids::ProductGroupId(uuid::Uuid::nil())];
            for caller in &callers {
                let select = products::of_groups(caller, &groups).select(products::TABLE).unwrap();
                let column = products::GROUP;
                let of_each = [Part::FirstOfEach { column, limit: 3 }, Part::CountOfEach { column }];
                texts.extend(of_each.map(|part| select.statement(db.engine(), part).text));
                let conversation = [gateway_domain::ids::ConversationId(uuid::Uuid::nil())];
                let messages = conversations::of_conversations(caller, &conversation);
                let select = messages.select(conversations::MESSAGES).unwrap();
                let column = conversations::CONVERSATION;
                let of_each = [Part::FirstOfEach { column, limit: 3 }, Part::CountOfEach { column }];
                texts.extend(of_each.map(|part| select.statement(db.engine(), part).text));
            }
            for select in callers.iter().flat_map(look_ups::look_ups) {
                let read = [Part::All, Part::Ordered, Part::First(10)];
                texts.extend(read.map(|part| select.statement(db.engine(), part).text));
            }
            let driver = driver(db.db());
            for text in texts {
                let sql = AssertSqlSafe(text.clone()).into_sql_str();
                let prepared = match &driver {
                    Driver::Pg(pool) => pool.prepare(sql).await.map(drop),
                    Driver::Sqlite(pool) => pool.prepare(sql).await.map(drop),
                };
                prepared.unwrap_or_else(|error| panic!("{text} on {:?}: {error}", db.engine()));
            }
        }
    }

    #[test]
    fn a_list_of_one_text_reads_a_page_by_an_index_or_says_what_bounds_it() {
        for list in fixed::lists() {
            let (module, name) = list.statement;
            let sql = list.sql().unwrap_or_else(|| panic!("{module} has no statement {name}"));
            match list.access {
                AccessPath::Index { .. } => assert!(sql.pg.contains(" LIMIT "), "{module}::{name}"),
                AccessPath::Few { bound, .. } | AccessPath::Bounded(bound) => {
                    assert!(!bound.is_empty(), "{module}::{name}");
                }
            }
        }
    }

    #[tokio::test]
    async fn both_engines_have_the_same_tables_and_columns() {
        let mut schemas = Vec::new();
        for db in testing::both().await {
            let columns: Vec<(String, String, bool)> = match &driver(db.db()) {
                Driver::Pg(pool) => sqlx::query_as(
                    "SELECT table_name::text, column_name::text, is_nullable = 'YES'
                     FROM information_schema.columns NATURAL JOIN information_schema.tables
                     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1, 2",
                )
                .fetch_all(pool)
                .await
                .unwrap(),
                Driver::Sqlite(pool) => sqlx::query_as(
                    "SELECT t.name, c.name, c.\"notnull\" = 0 AND c.pk = 0
                     FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                     WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1, 2",
                )
                .fetch_all(pool)
                .await
                .unwrap(),
            };
            let ours: BTreeSet<_> =
                columns.into_iter().filter(|(table, ..)| table != "_sqlx_migrations").collect();
            schemas.push(ours);
        }
        assert!(schemas[0].len() > 50, "the schemas were read");
        assert_eq!(schemas[0], schemas[1]);
        // Whole tables are backed up, compared and moved by what the catalogue says of them.
        for db in testing::both().await {
            let read = Schema::read(db.db()).await.unwrap();
            let columns = |table: &Table| -> Vec<(String, String)> {
                table.columns.iter().map(|column| (table.name.clone(), column.name.clone())).collect()
            };
            let found: BTreeSet<_> = read.tables.iter().flat_map(columns).collect();
            // What triggers fill comes back with the rows that it is filled from.
            let content = schemas[0].iter().filter(|(table, ..)| !table.starts_with("derived_"));
            let known: BTreeSet<_> =
                content.map(|(table, column, _)| (table.clone(), column.clone())).collect();
            assert_eq!(found, known, "{:?}", db.engine());
        }
    }

    #[tokio::test]
    async fn rows_of_a_table_without_a_key_are_read_by_what_they_belong_to() {
        for db in testing::both().await {
            let schema = Schema::read(db.db()).await.unwrap();
            let without = schema.tables.iter().filter(|table| !table.is_key_unique);
            let without: Vec<_> = without.map(|table| (table.name.as_str(), table.key.join(", "))).collect();
            // A page holds all rows of one key: keep them few.
            let known = [
                ("creation_clock", "at".to_owned()),
                ("document_creation_clock", "at".to_owned()),
                ("invoice_rate", "document_id".to_owned()),
            ];
            assert_eq!(without, known, "{:?}", db.engine());
            let mut tx = db.begin().await.unwrap();
            let create = Sql::both("CREATE TABLE note (owner INTEGER NOT NULL, text TEXT)");
            tx.execute(&create, Vec::new()).await.unwrap();
            let row = |owner: i64, text: Option<&str>| {
                Cells(vec![Cell::Int(owner), text.map_or(Cell::Null, |text| Cell::Text(text.to_owned()))])
            };
            // The last of the first page goes on in the second, and one has more rows than a page.
            let mut rows: Vec<Cells> = (1..8).map(|owner| row(owner, Some("x"))).collect();
            rows.extend([row(8, None), row(8, None), row(8, Some("Z")), row(8, Some("a"))]);
            rows.extend((0..40).map(|_| row(9, Some("same"))));
            let schema = Schema::read(&mut tx).await.unwrap();
            let table = schema.tables.iter().find(|table| table.name == "note").unwrap();
            table.insert(&mut tx, rows.iter().rev().cloned().collect()).await.unwrap();
            let (mut pages, mut read) = (Pages::after(&schema, table, None), Vec::new());
            loop {
                let page = pages.next((&mut tx).into()).await.unwrap();
                if page.is_empty() {
                    break;
                }
                read.push(page);
            }
            assert!(read.len() > 2, "{:?}", db.engine());
            assert_eq!(read.concat(), rows, "{:?}", db.engine());
        }
    }

    #[tokio::test]
    async fn a_table_that_was_added_is_read_and_compared_like_the_others() {
        for (db, create) in testing::both().await.iter().zip([
            "CREATE TABLE newcomer (id TEXT NOT NULL PRIMARY KEY, at TEXT, done INTEGER NOT NULL, day TEXT, body BLOB) STRICT",
            "CREATE TABLE newcomer (id UUID NOT NULL PRIMARY KEY, at TIMESTAMPTZ, done BOOLEAN NOT NULL, day DATE, body BYTEA)",
        ]) {
            let mut tx = db.begin().await.unwrap();
            tx.execute(&Sql::both(create), Vec::new()).await.unwrap();
            let text = |text: &str| Cell::Text(text.to_owned());
            let rows = [
                [text("2026-11-20T08:00:00.500000Z"), Cell::Bytes(vec![0, 255]), text("2026-11-20"), Cell::Int(1)],
                [Cell::Null, Cell::Null, Cell::Null, Cell::Int(0)],
            ];
            let rows: Vec<Cells> = rows
                .into_iter()
                .zip(["00000000-0000-7000-8000-00000000000b", "00000000-0000-7000-8000-00000000000a"])
                .map(|([at, body, day, done], id)| Cells(vec![at, body, day, done, text(id)]))
                .collect();
            let schema = Schema::read(&mut tx).await.unwrap();
            let table = schema.tables.iter().find(|table| table.name == "newcomer").unwrap();
            table.insert(&mut tx, rows.clone()).await.unwrap();
            let read = Pages::after(&schema, table, None).next((&mut tx).into()).await.unwrap();
            assert_eq!(read, [rows[1].clone(), rows[0].clone()], "{:?}", db.engine());
            let digest = TableDigest::of(&mut tx, &schema, table).await.unwrap();
            assert_eq!((digest.rows, &digest.sha256[..12]), (2, DIGEST_OF_NEWCOMER), "{:?}", db.engine());
        }
    }
}
