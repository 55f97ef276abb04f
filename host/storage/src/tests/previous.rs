//! While replicas are replaced one by one, the binary of the previous release works with the newest schema: its statements
//! are prepared with what they take and give, and the columns that it knows hold what it writes and reads.
//!
//! Its statements are kept in the folder `previous`. How they are renewed at a release is said in the crate's documentation.

use super::upgrade;
use crate::catalogue::{self, lists, look_ups};
use crate::testing::{self, TestDb};
use gateway_database::select::{Part, Select};
use gateway_database::sql::{Engine, Sql};
use gateway_database::testing::{Driver, driver};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{ProductGroupId, WorkspaceId};
use gateway_storage_platform::products;
use sqlx::{AssertSqlSafe, Column as _, Either, Executor as _, SqlSafeStr as _, Statement};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::PathBuf;
use uuid::Uuid;

/// Set, the tests write the kept statements anew from the catalogue.
const RENEW: &str = "GATEWAY_KEEP_STATEMENTS";
const ENGINES: [Engine; 2] = [Engine::Postgres, Engine::Sqlite];
const MIGRATION: &str = "-- The newest migration: ";

/// The statements of a release.
#[derive(Debug)]
struct PreviousRelease {
    /// The newest migration that the release knows.
    migration: i64,
    statements: Vec<PreviousStatement>,
}

#[derive(Debug, PartialEq, Eq)]
struct PreviousStatement {
    name: String,
    /// The types of its arguments and the columns of its answer.
    shape: String,
    text: String,
}

impl PreviousRelease {
    fn path(engine: Engine) -> PathBuf {
        let file = match engine {
            Engine::Postgres => "postgres.sql",
            Engine::Sqlite => "sqlite.sql",
        };
        PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/tests/previous").join(file)
    }

    fn read(engine: Engine) -> Self {
        let file = std::fs::read_to_string(Self::path(engine)).unwrap();
        let mut blocks = file.trim_end().split("\n\n");
        let (_, migration) = blocks.next().unwrap().split_once(MIGRATION).unwrap();
        let statements = blocks.map(|block| {
            let mut parts = block.splitn(3, '\n');
            let mut comment = || parts.next().unwrap().strip_prefix("-- ").unwrap().to_owned();
            let (name, shape) = (comment(), comment());
            PreviousStatement { name, shape, text: parts.next().unwrap().to_owned() }
        });
        Self { migration: migration.trim().parse().unwrap(), statements: statements.collect() }
    }

    /// The statements of this binary whose name begins so.
    async fn of_this_binary(engine: Engine, named: &str) -> Self {
        let db = testing::database(engine).await;
        let driver = driver(&db);
        let mut statements = Vec::new();
        for (name, text) in texts(engine).into_iter().filter(|(name, _)| name.starts_with(named)) {
            assert!(!text.contains("\n\n"), "{name} has an empty line, which ends a kept statement");
            let shape = shape(&driver, &text).await.unwrap();
            statements.push(PreviousStatement { name, shape, text });
        }
        Self { migration: upgrade::newest(), statements }
    }

    fn write(&self, engine: Engine) {
        let mut file = format!(
            "-- Every statement that the previous release sends to {engine:?}; written by a test ({RENEW}=1).\n{MIGRATION}{}\n",
            self.migration
        );
        for PreviousStatement { name, shape, text } in &self.statements {
            write!(file, "\n-- {name}\n-- {shape}\n{text}\n").unwrap();
        }
        std::fs::write(Self::path(engine), file).unwrap();
    }
}

/// The statements of this binary by name, each text once. Of a list, one part names all the columns that the others do.
fn texts(engine: Engine) -> Vec<(String, String)> {
    let statement = |select: Select| select.statement(engine, Part::Ordered).text;
    let mut all = Vec::new();
    for (module, statements) in catalogue::MODULES {
        all.extend(
            statements.iter().map(|(name, sql)| (format!("{module}::{name}"), sql.text(engine).to_owned())),
        );
    }
    for (caller, who) in [(Workspaces::All, "all"), (Workspaces::Only(vec![WorkspaceId(1)]), "one")] {
        for listed in lists::lists() {
            let name = format!("list of {} by '{}', {who}", listed.list, listed.filter);
            all.extend(listed.select(&caller).map(|select| (name, statement(select))));
        }
        let of_groups = products::of_groups(&caller, &[ProductGroupId(Uuid::nil())]).select(products::TABLE);
        for select in look_ups::look_ups(&caller).into_iter().chain(of_groups) {
            all.push((format!("look-up in {}, {who}", select.table.name), statement(select)));
        }
    }
    let mut texts = BTreeSet::new();
    all.retain(|(_, text)| texts.insert(text.clone()));
    all
}

/// What a statement takes and gives, as the database understands it.
async fn shape(driver: &Driver, text: &str) -> Result<String, sqlx::Error> {
    let sql = AssertSqlSafe(text.to_owned()).into_sql_str();
    Ok(match driver {
        Driver::Pg(pool) => shape_of(&pool.prepare(sql).await?),
        Driver::Sqlite(pool) => shape_of(&pool.prepare(sql).await?),
    })
}

fn shape_of<S: Statement>(statement: &S) -> String {
    let takes = match statement.parameters() {
        Some(Either::Left(types)) => types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "),
        Some(Either::Right(count)) => count.to_string(),
        None => String::new(),
    };
    let gives = statement.columns().iter().map(|column| format!("{} {}", column.name(), column.type_info()));
    format!("takes ({takes}), gives ({})", gives.collect::<Vec<_>>().join(", "))
}

/// The columns of the tables: whether each may be null, and whether a row may leave it out.
async fn columns(db: &TestDb) -> BTreeMap<(String, String), (bool, bool)> {
    let rows: Vec<(String, String, bool, bool)> = match &driver(db.db()) {
        Driver::Pg(pool) => sqlx::query_as(
            "SELECT table_name::text, column_name::text, is_nullable = 'YES',
                is_nullable = 'YES' OR column_default IS NOT NULL OR is_identity = 'YES' OR is_generated = 'ALWAYS'
             FROM information_schema.columns NATURAL JOIN information_schema.tables
             WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
        )
        .fetch_all(pool)
        .await
        .unwrap(),
        Driver::Sqlite(pool) => sqlx::query_as(
            "SELECT t.name, c.name, c.\"notnull\" = 0 AND c.pk = 0, c.\"notnull\" = 0 OR c.dflt_value IS NOT NULL
             FROM sqlite_schema t JOIN pragma_table_info(t.name) c
             WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%'",
        )
        .fetch_all(pool)
        .await
        .unwrap(),
    };
    rows.into_iter().map(|(table, column, null, omitted)| ((table, column), (null, omitted))).collect()
}

/// What the release of these statements, which made `old`, cannot live with in `new`.
async fn objections(release: &PreviousRelease, old: &TestDb, new: &TestDb) -> Vec<String> {
    let (mut found, driver) = (Vec::new(), driver(new));
    for PreviousStatement { name, shape: before, text } in &release.statements {
        match shape(&driver, text).await {
            Ok(now) if now == *before => {}
            Ok(now) => found.push(format!("{name}: it {before}, and now it {now}")),
            Err(error) => found.push(format!("{name}: {error}")),
        }
    }
    let (before, now) = (columns(old).await, columns(new).await);
    let tables: BTreeSet<_> = before.keys().map(|(table, _)| table).collect();
    for (column @ (table, name), (null, omitted)) in &now {
        match before.get(column) {
            Some((was_null, _)) if was_null != null => {
                found
                    .push(format!("{table}.{name} may {}be null", if *null { "now " } else { "no longer " }));
            }
            None if tables.contains(table) && !omitted => {
                found.push(format!("{table}.{name} is new, and a row must have it"));
            }
            Some(_) | None => {}
        }
    }
    found
}

#[tokio::test]
async fn the_previous_release_works_with_the_newest_schema() {
    for engine in ENGINES {
        if std::env::var_os(RENEW).is_some() {
            PreviousRelease::of_this_binary(engine, "").await.write(engine);
        }
        let release = PreviousRelease::read(engine);
        assert!(release.statements.len() > 400, "{engine:?}: {}", release.statements.len());
        let (old, new) = (testing::empty(engine).await, testing::database(engine).await);
        upgrade::migrate_to(&old, release.migration).await;
        let found = objections(&release, &old, &new).await;
        assert!(
            found.is_empty(),
            "the previous release fails on {engine:?} with this schema:\n{}",
            found.join("\n")
        );
    }
}

/// Until a later release takes away what the baseline needs and the one before it did not: then the rows are written anew.
#[tokio::test]
async fn rows_are_taken_as_the_gateway_of_the_baseline_wrote_them() {
    for db in testing::both().await {
        upgrade::insert_kept_rows(&db).await.unwrap_or_else(|error| panic!("{:?}: {error}", db.engine()));
    }
}

/// The newest schema with more changes.
async fn changed(engine: Engine, changes: &[&'static str]) -> TestDb {
    let db = testing::database(engine).await;
    let mut tx = db.begin().await.unwrap();
    for change in changes {
        tx.execute(&Sql::both(change), Vec::new()).await.unwrap();
    }
    tx.commit().await.unwrap();
    db
}

#[tokio::test]
async fn changes_that_the_previous_release_cannot_live_with_are_named() {
    let set = "profiles::SET: ";
    let destructive = [("ALTER TABLE workspace DROP COLUMN logo_url", set)];
    // SQLite changes no column in its place.
    let in_place = [
        ("ALTER TABLE workspace ALTER COLUMN logo_url TYPE JSONB USING NULL", set),
        (
            "ALTER TABLE workspace ALTER COLUMN logo_url SET NOT NULL",
            "workspace.logo_url may no longer be null",
        ),
        ("ALTER TABLE workspace ALTER COLUMN name DROP NOT NULL", "workspace.name may now be null"),
        (
            "ALTER TABLE workspace ADD nickname TEXT NOT NULL",
            "workspace.nickname is new, and a row must have it",
        ),
    ];
    let renamed = [("ALTER TABLE workspace RENAME COLUMN logo_url TO logo", set)];
    for (engine, breaking) in [
        (Engine::Sqlite, &destructive[..]),
        (Engine::Sqlite, &renamed),
        (Engine::Postgres, &destructive),
        (Engine::Postgres, &in_place),
    ] {
        let (release, old) =
            (PreviousRelease::of_this_binary(engine, "profiles::").await, testing::database(engine).await);
        let (changes, expected): (Vec<_>, Vec<_>) = breaking.iter().copied().unzip();
        let found = objections(&release, &old, &changed(engine, &changes).await).await;
        for named in expected {
            assert!(found.iter().any(|line| line.starts_with(named)), "{engine:?}, {named}: {found:?}");
        }
        let added = changed(engine, &["ALTER TABLE workspace ADD nickname TEXT"]).await;
        assert_eq!(objections(&release, &old, &added).await, Vec::<String>::new(), "{engine:?}");
    }
}
