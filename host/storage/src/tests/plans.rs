//! Every list is answered by the index that the catalogue names, at a hundred thousand rows: nothing reads or sorts the
//! whole table. PostgreSQL plans a prepared statement for its arguments or once and for all; both plans are held.

mod rows;

use crate::catalogue::lists::fixed::{self, AccessPath};
use crate::catalogue::lists::{self, CataloguedList, Reads};
use crate::catalogue::look_ups::look_ups;
use crate::invoice_lists;
use crate::plugins;
use crate::reports;
use crate::testing;
use crate::watchdog;
use gateway_database::select::{Part, Scope, Select, Statement};
use gateway_database::sql::{Engine, Param, Sql, sqlite_arguments};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::WorkspaceId;
use serde_json::Value;
use sqlx::{AssertSqlSafe, Connection};
use sqlx_postgres::PgConnection;
use sqlx_sqlite::SqliteConnection;
use std::collections::BTreeSet;

/// Rows of a page.
const PAGE: i64 = 26;
/// What a page of two workspaces may read in all, with what stands beside the rows.
const READ_MAX: f64 = 400.0;

/// Callers with the indexes that may answer them.
fn callers(listed: &CataloguedList) -> Vec<(Workspaces, &'static [&'static str])> {
    let of = |list: &[i64]| Workspaces::Only(list.iter().copied().map(WorkspaceId).collect());
    let mut callers = vec![(of(&[1]), listed.of_workspaces)];
    if !listed.of_all.is_empty() {
        callers.extend([(of(&[1, 2]), listed.of_workspaces), (Workspaces::All, listed.of_all)]);
    }
    callers
}

/// The parts of a list whose plans are held. How many rows there are altogether, is read from beginning to end.
fn parts(select: &Select) -> Vec<Part> {
    let window = Part::Window { offset: PAGE, size: PAGE };
    match select.scope {
        Scope::One(_) => vec![Part::First(PAGE), window, Part::Count],
        _ if select.is_found() => vec![Part::First(PAGE), Part::Count],
        _ => vec![Part::First(PAGE)],
    }
}

/// The lists that the catalogue names, each as every caller asks for it.
fn each_statement(
    engine: Engine,
    mut hold: impl FnMut(&CataloguedList, &Select, Part, &'static [&'static str], String),
) {
    for listed in lists::lists() {
        for (caller, indexes) in callers(&listed) {
            let select = listed.select(&caller).unwrap();
            for select in [select.clone(), lists::behind_a_key(select)] {
                for part in parts(&select) {
                    let what = format!("{} by '{}' for {caller:?}: {part:?}\n", listed.list, listed.filter);
                    let Statement { text, .. } = select.statement(engine, part);
                    hold(&listed, &select, part, indexes, format!("{what}{text}\n"));
                }
            }
        }
    }
}

/// The lists of one text that an index answers, each for a sample request, with the tables that they read.
fn each_fixed(
    engine: Engine,
    mut hold: impl FnMut(&'static str, Statement, &'static [&'static str], String),
) {
    for list in fixed::lists() {
        let (module, name) = list.statement;
        let text = list.sql().unwrap().text(engine).to_owned();
        let (table, indexes, arguments) = match list.access {
            AccessPath::Index { table, indexes, arguments }
            | AccessPath::Few { table, indexes, arguments, .. } => (table, indexes, arguments),
            AccessPath::Bounded(_) => continue,
        };
        let what = format!("{module}::{name}\n{text}\n");
        hold(table, Statement { text, arguments }, indexes, what);
    }
}

#[derive(Debug, Default)]
struct Plan {
    indexes: BTreeSet<String>,
    scanned: BTreeSet<String>,
    sorted: f64,
    read: f64,
}

impl Plan {
    fn of(node: &Value) -> Self {
        let mut plan = Self::default();
        plan.add(node);
        plan
    }

    fn add(&mut self, node: &Value) {
        let number = |name: &str| node[name].as_f64().unwrap_or(0.0);
        let rows = |name: &str| number(name) * number("Actual Loops");
        if let Some(index) = node["Index Name"].as_str() {
            self.indexes.insert(index.to_owned());
        }
        if node["Node Type"] == "Seq Scan"
            && let Some(table) = node["Relation Name"].as_str()
        {
            self.scanned.insert(table.to_owned());
        }
        if node["Relation Name"].is_string() {
            self.read += rows("Actual Rows") + rows("Rows Removed by Filter");
        }
        let children: Vec<&Value> = node["Plans"].as_array().into_iter().flatten().collect();
        if node["Node Type"] == "Sort" {
            let input = children[0];
            let loops = input["Actual Loops"].as_f64().unwrap_or(0.0);
            self.sorted = self.sorted.max(input["Actual Rows"].as_f64().unwrap_or(0.0) * loops);
        }
        for child in children {
            self.add(child);
        }
    }
}

#[tokio::test]
async fn postgresql_answers_every_list_by_its_index_however_it_plans() {
    let db = testing::database(Engine::Postgres).await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    rows::fill_postgres(&mut connection).await;
    let mut statements = Vec::new();
    each_statement(Engine::Postgres, |listed, select, part, indexes, what| {
        let statement = select.statement(Engine::Postgres, part);
        statements.push((listed.reads, select.table.name, statement, part, indexes, what));
    });
    each_fixed(Engine::Postgres, |table, statement, indexes, what| {
        statements.push((Reads::Page, table, statement, Part::First(PAGE), indexes, what));
    });
    let mut wrong = Vec::new();
    for mode in ["force_custom_plan", "force_generic_plan"] {
        run(&mut connection, format!("SET plan_cache_mode = {mode}")).await;
        for (reads, table, statement, part, indexes, what) in &statements {
            let plan = explained(&mut connection, statement).await;
            let named = *part == Part::Count || indexes.iter().any(|index| plan.indexes.contains(*index));
            let few = *part == Part::Count || *reads == Reads::UpToAll || plan.read <= READ_MAX;
            if !named || !few || plan.sorted > READ_MAX || plan.scanned.contains(*table) {
                wrong.push(format!("{mode}, {what}  not by {indexes:?}: {plan:?}\n"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), 2 * statements.len(), wrong.join("\n"));
}

async fn explained(connection: &mut PgConnection, statement: &Statement) -> Plan {
    run(connection, format!("PREPARE listed AS {}", statement.text)).await;
    let arguments: Vec<String> = statement.arguments.iter().map(literal).collect();
    let arguments = if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
    let explain = "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, FORMAT JSON) EXECUTE listed";
    let text = AssertSqlSafe(format!("{explain}{arguments}"));
    let (plans,): (Value,) =
        sqlx::query_as(text).persistent(false).fetch_one(&mut *connection).await.unwrap();
    run(connection, "DEALLOCATE listed".to_owned()).await;
    Plan::of(&plans[0]["Plan"])
}

/// An argument as PostgreSQL reads it in a text.
fn literal(argument: &Param) -> String {
    let list = |items: Vec<String>| format!("'{{{}}}'", items.join(","));
    match argument.clone() {
        Param::Int(Some(value)) => value.to_string(),
        Param::Text(Some(value)) => format!("'{value}'"),
        Param::Id(Some(id)) => format!("'{}'", id.0),
        Param::Ts(Some(at)) => format!("'{}'", at.text()),
        Param::Day(Some(day)) => format!("'{}'", day.0),
        Param::Ids(Some(ids)) => list(ids.iter().map(|id| id.0.to_string()).collect()),
        Param::Ints(Some(ids)) => list(ids.iter().map(ToString::to_string).collect()),
        other => panic!("no list takes {other:?}"),
    }
}

async fn run(connection: &mut PgConnection, text: String) {
    sqlx::raw_sql(AssertSqlSafe(text)).execute(connection).await.unwrap();
}

#[tokio::test]
async fn sqlite_answers_every_list_by_its_index() {
    let db = testing::database(Engine::Sqlite).await;
    let mut connection = rows::sqlite(db.url()).await;
    rows::fill_sqlite(&mut connection).await;
    let mut statements = Vec::new();
    each_statement(Engine::Sqlite, |listed, select, part, indexes, what| {
        let merged = matches!(select.scope, Scope::Several(_)) && !select.is_found() && part != Part::Count;
        statements.push((listed.reads, merged, select.statement(Engine::Sqlite, part), part, indexes, what));
    });
    each_fixed(Engine::Sqlite, |_, statement, indexes, what| {
        statements.push((Reads::Page, false, statement, Part::First(PAGE), indexes, what));
    });
    let mut wrong = Vec::new();
    for (reads, merged, statement, part, indexes, what) in &statements {
        let steps = steps(&mut connection, statement).await;
        let named = *part == Part::Count
            || indexes
                .iter()
                .any(|index| steps.iter().any(|step| step.split(' ').any(|word| word == *index)));
        let scanned = steps
            .iter()
            .any(|step| step.starts_with("SCAN ") && !step.contains("INDEX") && !step.contains("json_each"));
        let sorts = steps.iter().filter(|step| step.ends_with("TEMP B-TREE FOR ORDER BY")).count();
        // What is merged is sorted once more, and so are the rows of a window: no more than are shown.
        let sorted = *reads == Reads::Page && sorts > if *merged { 2 } else { 1 };
        if !named || scanned || sorted {
            wrong.push(format!("{what}  not by {indexes:?}:\n    {}\n", steps.join("\n    ")));
        }
    }
    assert!(wrong.is_empty(), "{} of {}\n{}", wrong.len(), statements.len(), wrong.join("\n"));
}

async fn steps(connection: &mut SqliteConnection, statement: &Statement) -> Vec<String> {
    let text = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {}", statement.text));
    let arguments = sqlite_arguments(statement.arguments.clone()).unwrap();
    let rows: Vec<(i64, i64, i64, String)> =
        sqlx::query_as_with(text, arguments).persistent(false).fetch_all(connection).await.unwrap();
    rows.into_iter().map(|(.., step)| step).collect()
}

/// Every look-up as each kind of caller asks for it.
fn each_look_up() -> Vec<Select> {
    let of = |list: &[i64]| Workspaces::Only(list.iter().copied().map(WorkspaceId).collect());
    [of(&[1]), of(&[1, 2]), Workspaces::All].iter().flat_map(look_ups).collect()
}

#[tokio::test]
async fn postgresql_has_an_index_for_every_look_up() {
    let db = testing::database(Engine::Postgres).await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    // There is little to find: a table is scanned then only because no index leads to its rows.
    run(&mut connection, "SET enable_seqscan = off".to_owned()).await;
    for select in each_look_up() {
        let statement = select.statement(Engine::Postgres, Part::Ordered);
        let plan = explained(&mut connection, &statement).await;
        assert!(!plan.scanned.contains(select.table.name), "{}\n{plan:?}", statement.text);
    }
}

#[tokio::test]
async fn sqlite_has_an_index_for_every_look_up() {
    let db = testing::database(Engine::Sqlite).await;
    let mut connection = rows::sqlite(db.url()).await;
    for select in each_look_up() {
        let statement = select.statement(Engine::Sqlite, Part::Ordered);
        let steps = steps(&mut connection, &statement).await;
        let searched = format!("SEARCH {} ", select.table.name);
        assert!(steps.iter().any(|step| step.starts_with(&searched)), "{}\n{steps:?}", statement.text);
    }
}

/// What adds documents up, by name.
fn each_report() -> impl Iterator<Item = (&'static str, Sql)> {
    reports::STATEMENTS.iter().copied().filter(|(name, _)| name.starts_with("BY_"))
}

fn statement(of: &[(&str, Sql)], name: &str) -> Sql {
    of.iter().find(|(known, _)| *known == name).unwrap().1
}

/// How SQLite carries out a statement whatever its arguments are.
async fn steps_of(connection: &mut SqliteConnection, sql: Sql) -> Vec<String> {
    let text = sql.text(Engine::Sqlite).to_owned();
    steps(connection, &Statement { text, arguments: Vec::new() }).await
}

#[tokio::test]
async fn sqlite_lists_plugins_without_reading_their_components() {
    let db = testing::database(Engine::Sqlite).await;
    let mut connection = rows::sqlite(db.url()).await;
    for name in ["SETTLED", "VERSIONS", "VERSIONS_OF"] {
        let steps = steps_of(&mut connection, statement(plugins::STATEMENTS, name)).await;
        let is_covered = |step: &String| step.contains("COVERING INDEX plugin_artifact_details");
        assert!(steps.iter().any(is_covered), "{name}: {steps:?}");
    }
}

/// Whether a plan of PostgreSQL reads a table without having asked once whether it need be read at all.
fn reads_unasked(node: &Value, table: &str) -> bool {
    let mut below = node["Plans"].as_array().into_iter().flatten();
    let is_asked = node.get("One-Time Filter").is_some();
    !is_asked && (node["Relation Name"] == table || below.any(|node| reads_unasked(node, table)))
}

#[tokio::test]
async fn postgresql_counts_documents_of_a_remote_service_only_where_there_is_one() {
    let db = testing::database(Engine::Postgres).await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    let count = statement(invoice_lists::STATEMENTS, "COUNT_BY_STATUS").text(Engine::Postgres);
    let text = AssertSqlSafe(format!("EXPLAIN (FORMAT JSON) {count}"));
    let (plans,): (Value,) = sqlx::query_as(text).persistent(false).fetch_one(&mut connection).await.unwrap();
    assert!(plans.to_string().contains("booking_document"), "{plans}");
    assert!(!reads_unasked(&plans[0]["Plan"], "booking_document"), "{plans}");
}

#[tokio::test]
async fn postgresql_looks_after_what_waits_without_reading_every_document() {
    let db = testing::database(Engine::Postgres).await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    run(&mut connection, "SET plan_cache_mode = force_generic_plan".to_owned()).await;
    let waiting = statement(watchdog::STATEMENTS, "WITHOUT_SUBMISSION").text(Engine::Postgres);
    let types = "timestamptz, timestamptz, timestamptz, bigint, timestamptz";
    run(&mut connection, format!("PREPARE waiting({types}) AS {waiting}")).await;
    let text =
        "EXPLAIN (FORMAT JSON) EXECUTE waiting('2026-01-02', '2026-01-01', '2026-01-02', 100, '2026-01-03')";
    let (plans,): (Value,) = sqlx::query_as(text).persistent(false).fetch_one(&mut connection).await.unwrap();
    assert!(plans.to_string().contains("SubPlan"), "{plans}");
    assert!(!plans.to_string().contains("hashed SubPlan"), "{plans}");
}

#[tokio::test]
async fn sqlite_adds_up_kept_sums_and_reads_no_document() {
    let db = testing::database(Engine::Sqlite).await;
    let mut connection = rows::sqlite(db.url()).await;
    for (name, sql) in each_report() {
        let steps = steps_of(&mut connection, sql).await;
        assert!(steps.iter().all(|step| !step.contains("invoice")), "{name}: {steps:?}");
        let is_search = |step: &String| step.starts_with("SEARCH derived_") && step.contains("_sum USING");
        assert!(steps.iter().any(is_search), "{name}: {steps:?}");
    }
}

#[tokio::test]
async fn postgresql_adds_up_kept_sums_and_reads_no_document() {
    let db = testing::database(Engine::Postgres).await;
    let mut connection = PgConnection::connect(db.url()).await.unwrap();
    run(&mut connection, "SET enable_seqscan = off; SET plan_cache_mode = force_generic_plan".to_owned())
        .await;
    for (name, sql) in each_report() {
        run(&mut connection, format!("PREPARE listed AS {}", sql.text(Engine::Postgres))).await;
        let arguments =
            if sql.text(Engine::Postgres).contains("$2") { "(1, '2026-01-01', '2026-12-31')" } else { "(1)" };
        let text = AssertSqlSafe(format!("EXPLAIN (FORMAT JSON) EXECUTE listed{arguments}"));
        let (plans,): (Value,) =
            sqlx::query_as(text).persistent(false).fetch_one(&mut connection).await.unwrap();
        run(&mut connection, "DEALLOCATE listed".to_owned()).await;
        let plan = Plan::of(&plans[0]["Plan"]);
        let sums = if name == "BY_RATE" { "derived_rate_sum" } else { "derived_document_sum" };
        assert_eq!(plan.indexes, BTreeSet::from([format!("{sums}_pkey")]), "{name}: {plan:?}");
        // Changes are few.
        assert_eq!(plan.scanned, BTreeSet::from([format!("{sums}_change")]), "{name}: {plan:?}");
    }
}
