//! Disasters: a database is backed up while it is served, lost, restored elsewhere or in its place, and moved to another engine.

use futures::future::join;
use gateway_storage::Db;
use gateway_storage::testing::{self, TestDb};
use gateway_tests::{Engine, Gateway, Options, Ran, World, on_both, with_fail_points};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

const PASSPHRASE: &str = "correct horse battery staple\n";

/// Where the programs of PostgreSQL are, in front of everything else.
fn path() -> String {
    let programs = gateway_test_postgres::binaries().unwrap();
    format!("{}:{}", programs.display(), std::env::var("PATH").unwrap())
}

async fn typed(gateway: &Gateway, arguments: &[&str]) -> Ran {
    gateway.cli_with(arguments, &[("PATH", &path())], "").await
}

fn number(document: &Value) -> String {
    document["display_invoice_number"].as_str().unwrap_or_else(|| panic!("no number: {document}")).to_owned()
}

async fn issued(world: &World) -> String {
    let uuid = world.issue(&world.document()).await;
    number(&world.until(&uuid, "issued").await)
}

/// A folder for what is kept apart from the gateway.
struct Vault {
    folder: tempfile::TempDir,
}

impl Vault {
    fn open() -> Self {
        let vault = Self { folder: tempfile::tempdir().unwrap() };
        fs::write(vault.file("passphrase"), PASSPHRASE).unwrap();
        fs::write(vault.file("other"), "somebody else's passphrase").unwrap();
        vault
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.file(name).display().to_string()
    }

    async fn back_up(&self, gateway: &Gateway) -> Value {
        let (backup, passphrase) = (self.text("backup"), self.text("passphrase"));
        typed(gateway, &["backup", &backup, "--passphrase-file", &passphrase, "--json"]).await.json()
    }

    async fn restore(&self, into: &Gateway) -> Ran {
        let (backup, passphrase) = (self.text("backup"), self.text("passphrase"));
        typed(into, &["restore", &backup, "--passphrase-file", &passphrase]).await
    }
}

/// A gateway on another machine: other paths, another database, nothing in them.
async fn other_machine(engine: Engine) -> (Gateway, Option<TestDb>) {
    let (options, database) = match engine {
        Engine::Sqlite => (Options::sandbox(), None),
        Engine::Postgres => {
            let database = testing::empty(engine).await;
            database.close().await;
            (Options::sandbox().variable("GATEWAY_DATABASE__URL", database.url()), Some(database))
        }
    };
    (Gateway::prepared(Engine::Sqlite, options).await, database)
}

fn series(manifest: &Value) -> (&str, u64) {
    let series = &manifest["content"]["series"];
    assert_eq!(series.as_array().map(Vec::len), Some(1), "{manifest}");
    assert_eq!(series[0]["without_gap"], true, "{series}");
    assert_eq!(series[0]["given"], series[0]["last"]["position"], "{series}");
    (series[0]["last"]["number"].as_str().unwrap(), series[0]["given"].as_u64().unwrap())
}

#[tokio::test]
async fn a_gateway_that_was_backed_up_while_it_issued_is_restored_elsewhere_and_issues_on() {
    on_both(|engine| async move {
        let (mut world, vault) = (World::start(engine).await, Vault::open());
        let mut before = BTreeSet::new();
        for _ in 0..3 {
            before.insert(issued(&world).await);
        }
        let done = AtomicBool::new(false);
        let issuing = async {
            let mut numbers = Vec::new();
            while !done.load(Ordering::Acquire) {
                let uuid = world.issue(&world.document()).await;
                numbers.push(uuid);
            }
            numbers
        };
        let backing_up = async {
            let manifest = vault.back_up(&world.gateway).await;
            done.store(true, Ordering::Release);
            manifest
        };
        let (meanwhile, manifest) = join(issuing, backing_up).await;
        let mode = fs::metadata(vault.file("backup")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let (last, given) = series(&manifest);
        assert!(given >= 3 && given <= 3 + meanwhile.len() as u64, "{given} of {}", meanwhile.len());
        world.gateway.kill9();

        let (mut gateway, _database) = other_machine(engine).await;
        let restored = vault.restore(&gateway).await;
        let said = restored.succeeded().stdout.clone();
        assert!(said.contains(&format!("to {last}, {given} numbers, none is missing")), "{said}");
        assert!(said.contains("look up at the provider"), "{said}");
        let proof = format!("workspace 1 gave {given}: none is missing");
        assert!(said.contains(&proof) && said.contains("are what was sent"), "{said}");
        let again = vault.restore(&gateway).await;
        assert_eq!(again.code, 1);
        assert!(again.stderr.contains("there is a database at"), "{}", again.stderr);
        gateway.serve().await;
        world.gateway = gateway;
        world.sign_in().await;
        // The token of the workspace opens: what is issued goes to the provider with it.
        let mut numbers = before.clone();
        for position in given + 1..=given + 3 {
            let number = issued(&world).await;
            assert_eq!(number.rsplit('-').next().unwrap().parse(), Ok(position), "{number}");
            assert!(numbers.insert(number), "no number twice");
        }
        let doctor = world.gateway.cli(&["doctor"]).await;
        assert!(doctor.stdout.contains("the master keys open what is stored"), "{}", doctor.stdout);
        // What was begun before the backup goes on after it.
        let documents = world.api.get("/invoicing/rpc/documents?workspace_id=1").await.expect(200);
        assert!(documents.to_string().contains(before.first().unwrap()), "{documents}");
    })
    .await;
}

#[tokio::test]
async fn a_lost_database_is_restored_in_its_place_when_its_gateway_has_stopped() {
    let (mut world, vault) = (World::start(Engine::Sqlite).await, Vault::open());
    issued(&world).await;
    vault.back_up(&world.gateway).await;
    let file = world.gateway.folder().join("gateway.db");
    fs::remove_file(&file).unwrap();
    let served = vault.restore(&world.gateway).await;
    assert_eq!(served.code, 1);
    assert!(served.stderr.contains("a gateway serves the database"), "{}", served.stderr);
    assert!(!file.exists());
    world.gateway.kill9();
    assert!(!world.gateway.try_serve().await, "an empty one does not take its place");
    let restored = vault.restore(&world.gateway).await;
    assert!(restored.succeeded().stdout.contains("gateway.db-wal.lost"), "{restored:?}");
    world.serve_again().await;
    assert!(issued(&world).await.ends_with("-000002"));
}

#[tokio::test]
async fn nothing_is_restored_from_what_is_damaged_or_with_another_passphrase_or_into_another_engine() {
    on_both(|engine| async move {
        let (world, vault) = (World::start(engine).await, Vault::open());
        issued(&world).await;
        vault.back_up(&world.gateway).await;
        let backup = vault.text("backup");
        let verified = typed(&world.gateway, &["backup", &backup, "--verify"]).await;
        assert!(verified.succeeded().stdout.contains("with its master keys"), "{verified:?}");
        let (gateway, _database) = other_machine(engine).await;
        let before = names(gateway.folder());
        let refused = async |arguments: &[&str], gateway: &Gateway, sentence: &str| {
            let ran = typed(gateway, arguments).await;
            assert_eq!(ran.code, 1, "{ran:?}");
            assert!(ran.stderr.contains(sentence) && ran.stderr.lines().count() == 1, "{}", ran.stderr);
        };
        let wrong = ["restore", &backup, "--passphrase-file", &vault.text("other")];
        refused(&wrong, &gateway, "the passphrase does not open the master keys").await;
        let over = ["restore", &backup, "--passphrase-file", &vault.text("passphrase")];
        refused(&over, &world.gateway, "there is a database at").await;
        let other = match engine {
            Engine::Sqlite => Engine::Postgres,
            Engine::Postgres => Engine::Sqlite,
        };
        let (other, _other_database) = other_machine(other).await;
        refused(&["restore", &backup], &other, "use 'gateway move'").await;
        let sound = fs::read(&backup).unwrap();
        let mut flipped = sound.clone();
        flipped[sound.len() / 2] ^= 1;
        fs::write(&backup, flipped).unwrap();
        refused(&["restore", &backup], &gateway, "is cut off or was changed").await;
        refused(&["backup", &backup, "--verify"], &gateway, "is cut off or was changed").await;
        fs::write(&backup, &sound[..sound.len() / 2]).unwrap();
        refused(&["restore", &backup], &gateway, "is cut off or was changed").await;
        fs::write(&backup, "notes").unwrap();
        refused(&["restore", &backup], &gateway, "is no backup of a gateway").await;
        refused(&["backup", &backup], &world.gateway, "there is a file").await;
        assert_eq!(names(gateway.folder()), before, "nothing is left behind");
    })
    .await;
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

#[tokio::test]
async fn what_was_broken_before_the_backup_is_restored_as_it_was_and_named() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let mut numbers = Vec::new();
        for _ in 0..3 {
            numbers.push(issued(&world).await);
        }
        let db =
            Db::connect(&world.gateway.database_url(), &gateway_storage::Options::default()).await.unwrap();
        // No series tells of it, so the backup says nothing of it, and what was issued is proven after the restore.
        testing::change_sent_document(&db, &numbers[2]).await;
        let vault = Vault::open();
        vault.back_up(&world.gateway).await;
        let changed = format!("broken documents workspace 1: the structured document of {} ", numbers[2]);
        let (gateway, _database) = other_machine(engine).await;
        let restored = vault.restore(&gateway).await;
        assert!(restored.code == 1 && restored.stdout.contains(&changed), "{restored:?}");
        assert!(restored.stderr.contains("one check failed: see the line marked broken"), "{restored:?}");

        testing::lose_number(&db, &numbers[1]).await;
        db.close().await;
        let vault = Vault::open();
        let (backup, passphrase) = (vault.text("backup"), vault.text("passphrase"));
        let backed_up = typed(&world.gateway, &["backup", &backup, "--passphrase-file", &passphrase]).await;
        let (gateway, _database) = other_machine(engine).await;
        let restored = vault.restore(&gateway).await;
        for ran in [&backed_up, &restored] {
            assert_eq!(ran.code, 1, "{ran:?}");
            let series = "numbers are missing or would be given twice (invoice numbers of workspace 1, ";
            assert!(ran.stderr.contains(series), "{ran:?}");
            assert!(ran.stdout.contains("2 numbers, NOT ALL OF THEM ARE THERE"), "{ran:?}");
        }
        let gap = format!("position 2 is missing after {} ", numbers[0]);
        assert!(restored.stdout.contains(&gap) && restored.stdout.contains(&changed), "{restored:?}");
        // It is there all the same, for whoever looks for what is missing.
        let again = vault.restore(&gateway).await;
        assert!(again.stderr.contains("there is a database at"), "{again:?}");
        let proof = gateway.cli(&["doctor", "--chain", "--json"]).await;
        assert!(proof.code == 1 && proof.stdout.contains(&gap), "{proof:?}");
    })
    .await;
}

#[tokio::test]
async fn without_the_programs_of_postgresql_it_is_said_what_to_install_and_nothing_is_written() {
    let (gateway, vault) = (Gateway::start(Engine::Postgres, Options::sandbox()).await, Vault::open());
    let before = names(vault.folder.path());
    let ran = gateway.cli_with(&["backup", &vault.text("backup")], &[("PATH", "/nonexistent")], "").await;
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("pg_dump is not in PATH: install"), "{}", ran.stderr);
    assert_eq!(names(vault.folder.path()), before);
}

#[tokio::test]
async fn what_is_not_there_is_neither_backed_up_nor_made() {
    let (gateway, vault) = (Gateway::prepared(Engine::Sqlite, Options::sandbox()).await, Vault::open());
    let before = names(gateway.folder());
    for arguments in
        [["backup", &vault.text("backup")].as_slice(), &["move", "--to", "postgres://127.0.0.1/x"]]
    {
        let ran = gateway.cli(arguments).await;
        assert_eq!(ran.code, 1);
        assert!(ran.stderr.contains("there is nothing in the database yet"), "{}", ran.stderr);
    }
    assert_eq!(names(gateway.folder()), before);
}

#[tokio::test]
async fn a_short_passphrase_is_refused_and_keys_that_are_left_out_are_told() {
    let (world, vault) = (World::start(Engine::Sqlite).await, Vault::open());
    let gateway = &world.gateway;
    let (backup, short) = (vault.text("backup"), vault.text("short"));
    fs::write(&short, "secret\n").unwrap();
    let ran = gateway.cli(&["backup", &backup, "--passphrase-file", &short]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("the passphrase has 6 characters: use 12 or more"), "{}", ran.stderr);
    let ran = gateway.cli(&["backup", &backup]).await;
    let key = gateway.folder().join("master.key");
    assert!(ran.succeeded().stdout.contains(&key.display().to_string()), "{ran:?}");
    let (mut other, _) = other_machine(Engine::Sqlite).await;
    let restored = other.cli(&["restore", &backup]).await;
    assert!(restored.succeeded().stdout.contains("put the master key file at"), "{restored:?}");
    assert!(!other.try_serve().await, "the keys are needed");
    fs::copy(key, other.folder().join("master.key")).unwrap();
    other.serve().await;
}

#[tokio::test]
async fn a_database_moves_to_postgresql_though_the_move_is_interrupted_and_issues_on() {
    with_fail_points();
    let mut world = World::start(Engine::Sqlite).await;
    let sample = world.gateway.folder().join("sample.ndjson").display().to_string();
    world.gateway.cli(&["import", "--sample", &sample]).await.succeeded();
    world.gateway.cli(&["import", &sample]).await.succeeded();
    let mut numbers = BTreeSet::new();
    for _ in 0..3 {
        numbers.insert(issued(&world).await);
    }
    let draft = world.draft(&world.document()).await;
    let target = testing::empty(Engine::Postgres).await;
    target.close().await;
    let order = ["move", "--to", target.url()];
    let served = world.gateway.cli(&order).await;
    assert_eq!(served.code, 1);
    assert!(served.stderr.contains("another gateway serves"), "{}", served.stderr);
    world.gateway.stop().await;

    let there = world.gateway.options().clone().variable("GATEWAY_DATABASE__URL", target.url());
    for point in
        ["after-move-begun", "after-move-table-begun", "before-move-page:30", "after-move-table-complete:40"]
    {
        let ran = world.gateway.cli_with(&order, &[("GATEWAY_TEST_KILL_AT", point)], "").await;
        assert_ne!(ran.code, 0, "it ended at {point}");
        let half = [("GATEWAY_DATABASE__URL", target.url())];
        let ran = world.gateway.cli_with(&["client", "list"], &half, "").await;
        assert_eq!(ran.code, 1);
        assert!(ran.stderr.contains("a move into the database has not ended"), "{point}: {}", ran.stderr);
    }
    let (other, _) = other_machine(Engine::Sqlite).await;
    other.cli(&["migrate"]).await.succeeded();
    let foreign = other.cli(&order).await;
    assert!(foreign.stderr.contains("holds no unfinished move of this one"), "{}", foreign.stderr);
    let moved = world.gateway.cli(&[&order[..], &["--json"]].concat()).await.json();
    assert_eq!(moved["resumed"], true);
    assert!(moved["content"]["tables"].as_array().unwrap().len() > 50, "{moved}");
    let again = world.gateway.cli(&order).await;
    assert!(again.stderr.contains("is not empty"), "{}", again.stderr);

    world.gateway.reconfigure(there);
    world.serve_again().await;
    world.command(&draft, "issue", &json!({})).await.expect(200);
    assert!(numbers.insert(number(&world.until(&draft, "issued").await)), "no number twice");
    assert!(numbers.insert(issued(&world).await), "no number twice");
    assert!(numbers.last().unwrap().ends_with("-000005"), "{numbers:?}");
    // Back, which is the same work the other way round.
    world.gateway.stop().await;
    let back = world.gateway.folder().join("back.db");
    let to = format!("sqlite:{}", back.display());
    let moved = world.gateway.cli(&["move", "--to", &to, "--json"]).await.json();
    assert_eq!(moved["content"]["series"][0]["given"], 5, "{moved}");
}
