//! Every statement there is, so that a test can prepare each on both engines.

use crate::sql::Sql;

#[cfg(test)]
pub(crate) mod lists;
#[cfg(test)]
pub(crate) mod look_ups;

/// One line per module that has statements.
pub(crate) const MODULES: &[(&str, &[(&str, Sql)])] = &[
    ("attempts", crate::attempts::STATEMENTS),
    ("audit", crate::audit::STATEMENTS),
    ("booking_documents", crate::booking_documents::STATEMENTS),
    ("clients", crate::clients::STATEMENTS),
    ("db", crate::db::STATEMENTS),
    ("events", crate::events::STATEMENTS),
    ("export", crate::export::STATEMENTS),
    ("finance_documents", crate::finance_documents::STATEMENTS),
    ("guest_verifications", crate::guest_verifications::STATEMENTS),
    ("legacy_uses", crate::legacy_uses::STATEMENTS),
    ("rate_writes", crate::rate_writes::STATEMENTS),
    ("idempotency", crate::idempotency::STATEMENTS),
    ("correctives", crate::correctives::STATEMENTS),
    ("credits", crate::credits::STATEMENTS),
    ("deliveries", crate::deliveries::STATEMENTS),
    ("destination", crate::destination::STATEMENTS),
    ("intents", crate::intents::STATEMENTS),
    ("invoices", crate::invoices::STATEMENTS),
    ("issue_times", crate::issue_times::STATEMENTS),
    ("jobs", crate::jobs::STATEMENTS),
    ("keys", crate::keys::STATEMENTS),
    ("leases", crate::leases::STATEMENTS),
    ("messages", crate::messages::STATEMENTS),
    ("numbers", crate::numbers::STATEMENTS),
    ("creation_clock", crate::creation_clock::STATEMENTS),
    ("plugins", crate::plugins::STATEMENTS),
    ("product_groups", crate::product_groups::STATEMENTS),
    ("products", crate::products::STATEMENTS),
    ("sandbox", crate::sandbox::STATEMENTS),
    ("series", crate::series::STATEMENTS),
    ("submissions", crate::submissions::STATEMENTS),
    ("watchdog", crate::watchdog::STATEMENTS),
    ("webhooks", crate::webhooks::STATEMENTS),
    ("accounts", crate::accounts::STATEMENTS),
    ("bookings", crate::bookings::STATEMENTS),
    ("conversations", crate::conversations::STATEMENTS),
    ("profiles", crate::profiles::STATEMENTS),
    ("rates", crate::rates::STATEMENTS),
    ("spaces", crate::spaces::STATEMENTS),
    ("tasks", crate::tasks::STATEMENTS),
    ("units", crate::units::STATEMENTS),
    ("workspaces", crate::workspaces::STATEMENTS),
];

#[cfg(test)]
mod tests {
    use super::{MODULES, lists, look_ups};
    use crate::db::Pools;
    use crate::products;
    use crate::select::Part;
    use crate::testing;
    use gateway_domain::access::Workspaces;
    use gateway_domain::ids::WorkspaceId;
    use sqlx::{AssertSqlSafe, Executor, SqlSafeStr};
    use std::collections::BTreeSet;

    #[tokio::test]
    async fn every_statement_is_prepared_by_both_engines() {
        for db in testing::both().await {
            for (module, statements) in MODULES {
                for (name, sql) in *statements {
                    let prepared = match &db.db().pools {
                        Pools::Pg(pool) => pool.prepare(sql.pg.into_sql_str()).await.map(drop),
                        Pools::Sqlite(sqlite) => {
                            sqlite.read.prepare(sql.sqlite.into_sql_str()).await.map(drop)
                        }
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
                    let behind = lists::behind_a_place(select.clone());
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
            }
            for select in callers.iter().flat_map(look_ups::look_ups) {
                let read = [Part::All, Part::Ordered, Part::First(10)];
                texts.extend(read.map(|part| select.statement(db.engine(), part).text));
            }
            for text in texts {
                let sql = AssertSqlSafe(text.clone()).into_sql_str();
                let prepared = match &db.db().pools {
                    Pools::Pg(pool) => pool.prepare(sql).await.map(drop),
                    Pools::Sqlite(sqlite) => sqlite.read.prepare(sql).await.map(drop),
                };
                prepared.unwrap_or_else(|error| panic!("{text} on {:?}: {error}", db.engine()));
            }
        }
    }

    #[test]
    fn every_module_with_statements_is_in_the_catalogue() {
        let source = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let lib = std::fs::read_to_string(format!("{source}/lib.rs")).unwrap();
        let modules = lib.lines().filter_map(|line| line.trim_start_matches("pub ").strip_prefix("mod "));
        let with_statements: BTreeSet<_> = modules
            .map(|line| line.trim_end_matches(';').to_owned())
            .filter(|module| {
                let text = std::fs::read_to_string(format!("{source}/{module}.rs")).unwrap();
                text.contains("\nstatements! {")
            })
            .collect();
        let listed: BTreeSet<_> = MODULES.iter().map(|(module, _)| (*module).to_owned()).collect();
        assert_eq!(listed, with_statements);
    }

    #[tokio::test]
    async fn both_engines_have_the_same_tables_and_columns() {
        let mut schemas = Vec::new();
        for db in testing::both().await {
            let columns: Vec<(String, String, bool)> = match &db.db().pools {
                Pools::Pg(pool) => sqlx::query_as(
                    "SELECT table_name::text, column_name::text, is_nullable = 'YES'
                     FROM information_schema.columns NATURAL JOIN information_schema.tables
                     WHERE table_schema = 'public' AND table_type = 'BASE TABLE' ORDER BY 1, 2",
                )
                .fetch_all(pool)
                .await
                .unwrap(),
                Pools::Sqlite(sqlite) => sqlx::query_as(
                    "SELECT t.name, c.name, c.\"notnull\" = 0 AND c.pk = 0
                     FROM sqlite_schema t JOIN pragma_table_info(t.name) c
                     WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' ORDER BY 1, 2",
                )
                .fetch_all(&sqlite.read)
                .await
                .unwrap(),
            };
            let ours: BTreeSet<_> =
                columns.into_iter().filter(|(table, ..)| table != "_sqlx_migrations").collect();
            schemas.push(ours);
        }
        assert!(schemas[0].len() > 50, "the schemas were read");
        assert_eq!(schemas[0], schemas[1]);
    }
}
