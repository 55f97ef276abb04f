//! Files that somebody takes away, or puts others in the place of.

use gateway_tests::{Engine, Gateway, Options, World, fresh_uuid, until};
use std::fs;
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

fn database(gateway: &Gateway) -> PathBuf {
    PathBuf::from(gateway.database_url().strip_prefix("sqlite:").unwrap())
}

/// Does something to a database file that somebody uses.
type TakeAway = fn(&Path);

/// Changes bytes of a file that stays the same file, and as long.
fn write_in_place(file: &Path, bytes: &[u8]) {
    fs::OpenOptions::new().write(true).open(file).unwrap().write_all_at(bytes, 0).unwrap();
}

fn sibling(file: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", file.display()))
}

#[tokio::test]
async fn a_database_file_that_is_removed_is_noticed_and_nothing_more_is_written() {
    let take_away: [(&str, TakeAway); 8] = [
        ("deleted", |file| fs::remove_file(file).unwrap()),
        ("replaced", |file| {
            let copy = sibling(file, ".copy");
            fs::copy(file, &copy).unwrap();
            fs::rename(copy, file).unwrap();
        }),
        ("cut off", |file| fs::OpenOptions::new().write(true).open(file).unwrap().set_len(100).unwrap()),
        ("zeroed at its beginning", |file| write_in_place(file, &[0; 4096])),
        ("zeroed", |file| write_in_place(file, &vec![0; fs::read(file).unwrap().len()])),
        ("without its log", |file| fs::remove_file(sibling(file, "-wal")).unwrap()),
        ("with an empty log", |file| drop(fs::File::create(sibling(file, "-wal")).unwrap())),
        ("with a zeroed log", |file| write_in_place(&sibling(file, "-wal"), &[0; 4096])),
    ];
    for (what, take_away) in take_away {
        let world = World::start(Engine::Sqlite).await;
        let document = world.document();
        let kept = world.draft(&document).await;
        assert_eq!(world.gateway.internal().get("/readyz").await.status, 200, "{what}");
        take_away(&database(&world.gateway));
        until("the gateway is not ready", || async {
            (world.gateway.internal().get("/readyz").await.status == 503).then_some(())
        })
        .await;
        world.put_draft(&fresh_uuid(), &document).await.expect(503);
        world.put_draft(&kept, &document).await.expect(503);
        let ready = world.gateway.internal().get("/readyz").await.expect(503);
        let reason = ready["reason"].as_str().unwrap();
        assert!(reason.contains("the database file") && reason.contains("the gateway"), "{what}: {reason}");
        assert!(world.gateway.log().contains("Nothing is written any more to"), "{what}");
    }
}

#[tokio::test]
async fn another_database_that_is_copied_over_one_that_is_served_is_noticed_and_stays_as_it_was() {
    let mut other = Gateway::start(Engine::Sqlite, Options::sandbox()).await;
    other.stop().await;
    let mut world = World::start(Engine::Sqlite).await;
    world.draft(&world.document()).await;
    let file = database(&world.gateway);
    fs::copy(database(&other), &file).unwrap();
    let ready = world.gateway.internal().get("/readyz").await.expect(503);
    assert_eq!(ready["checks"]["database"], false);
    world.put_draft(&fresh_uuid(), &world.document()).await.expect(503);
    world.gateway.stop().await;
    assert!(fs::read(&file).unwrap() == fs::read(database(&other)).unwrap(), "nothing was written to it");
}

#[tokio::test]
async fn a_gateway_that_stops_has_lost_nothing() {
    let mut world = World::start(Engine::Sqlite).await;
    world.draft(&world.document()).await;
    world.gateway.stop().await;
    assert!(!sibling(&database(&world.gateway), "-wal").exists());
    assert!(!world.gateway.log().contains("Nothing is written any more to"));
}

#[tokio::test]
async fn a_folder_that_was_moved_with_its_key_is_served_with_its_database_and_refused_without() {
    let mut gateway = Gateway::start(Engine::Sqlite, Options::sandbox()).await;
    gateway.stop().await;
    let moved = tempfile::tempdir().unwrap();
    for file in ["gateway.db", "master.key", "master.key.databases"] {
        fs::rename(gateway.folder().join(file), moved.path().join(file)).unwrap();
    }
    let variables = [
        ("GATEWAY_DATA_DIR", moved.path().to_str().unwrap().to_owned()),
        ("GATEWAY_DATABASE__URL", format!("sqlite:{}/gateway.db", moved.path().display())),
        ("GATEWAY_SECRETS__MASTER_KEY_FILE", format!("{}/master.key", moved.path().display())),
    ];
    let variables = variables.each_ref().map(|(name, value)| (*name, value.as_str()));
    gateway.cli_with(&["client", "list"], &variables, "").await.succeeded();
    fs::write(moved.path().join("gateway.db"), "").unwrap();
    let ran = gateway.cli_with(&["client", "list"], &variables, "").await;
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("delete the line 'sqlite:gateway.db'"), "{}", ran.stderr);
}

#[tokio::test]
async fn an_empty_database_does_not_take_the_place_of_one_that_was_lost() {
    let mut gateway = Gateway::start(Engine::Sqlite, Options::sandbox()).await;
    gateway.stop().await;
    let file = database(&gateway);
    fs::remove_file(&file).unwrap();
    assert!(!gateway.try_serve().await);
    let ran = gateway.cli(&["migrate"]).await;
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("used one there before: restore it from its copy"), "{}", ran.stderr);
    let known = gateway.folder().join("master.key.databases");
    assert!(ran.stderr.contains(&known.display().to_string()), "{}", ran.stderr);
    assert!(!file.exists(), "nothing was made");
    fs::remove_file(known).unwrap();
    gateway.serve().await;
}

#[tokio::test]
async fn files_beside_a_database_that_was_removed_stay_until_it_is_back() {
    let mut gateway = Gateway::start(Engine::Sqlite, Options::sandbox()).await;
    let made =
        gateway.cli(&["client", "create", "--name", "N", "--permission", "admin", "--json"]).await.json();
    gateway.kill9();
    let (file, aside) = (database(&gateway), sibling(&database(&gateway), ".aside"));
    let log = fs::read(sibling(&file, "-wal")).unwrap();
    fs::rename(&file, &aside).unwrap();
    for command in [&["client", "list"][..], &["migrate"], &["doctor"]] {
        let ran = gateway.cli(command).await;
        assert_ne!(ran.code, 0, "{ran:?}");
    }
    assert!(!file.exists(), "nothing takes its place");
    assert_eq!(fs::read(sibling(&file, "-wal")).unwrap(), log);
    fs::rename(&aside, &file).unwrap();
    let list = gateway.cli(&["client", "list", "--json"]).await.json();
    assert_eq!(list["clients"][0]["client_id"], made["client_id"], "{list}");
}

#[tokio::test]
async fn a_database_is_served_once_by_whatever_name_and_read_by_its_owner_only() {
    let gateway = Gateway::start(Engine::Sqlite, Options::sandbox()).await;
    let file = database(&gateway);
    let (soft, hard) = (sibling(&file, ".soft"), sibling(&file, ".hard"));
    symlink(&file, &soft).unwrap();
    let serve = async |name: &Path| {
        let url = format!("sqlite:{}", name.display());
        let free = [
            ("GATEWAY_DATABASE__URL", url.as_str()),
            ("GATEWAY_SERVER__PUBLIC_ADDR", "127.0.0.1:0"),
            ("GATEWAY_SERVER__INTERNAL_ADDR", "127.0.0.1:0"),
            ("GATEWAY_SANDBOX__ADDR", "127.0.0.1:0"),
        ];
        let ran = gateway.cli_with(&["serve"], &free, "").await;
        assert_eq!(ran.code, 1, "{}", name.display());
        ran.stderr
    };
    for name in [&file, &soft] {
        let refused = serve(name).await;
        assert!(refused.contains("another gateway serves"), "{refused}");
    }
    fs::hard_link(&file, &hard).unwrap();
    let refused = serve(&hard).await;
    assert!(refused.contains("has 2 names (hard links)"), "{refused}");
    for suffix in ["-wal", "-shm", ".migrate.lock"] {
        assert!(!sibling(&hard, suffix).exists(), "{suffix}");
    }
    gateway.internal().get("/readyz").await.expect(200);
    for part in [file.clone(), sibling(&file, "-wal"), sibling(&file, "-shm")] {
        let found = fs::metadata(&part).unwrap();
        assert_eq!(found.permissions().mode() & 0o777, 0o600, "{}", part.display());
        assert!(found.ino() > 0);
    }
}

#[tokio::test]
async fn another_master_key_under_the_same_id_stops_the_gateway_with_a_sentence() {
    let mut gateway = Gateway::start(Engine::Sqlite, Options::sandbox()).await;
    gateway.stop().await;
    let file = gateway.folder().join("master.key");
    let text = fs::read_to_string(&file).unwrap();
    let swapped = text.lines().map(|line| match line.split_once(' ') {
        Some((id, key)) if !line.starts_with('#') => {
            let first = if key.starts_with('A') { 'B' } else { 'A' };
            format!("{id} {first}{}\n", &key[1..])
        }
        _ => format!("{line}\n"),
    });
    fs::write(&file, swapped.collect::<String>()).unwrap();
    assert!(!gateway.try_serve().await);
    for arguments in [&["doctor"][..], &["keys", "rotate", "master"]] {
        let ran = gateway.cli(arguments).await;
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert_eq!(ran.code, 1, "{said}");
        assert!(said.contains("another key than the one of this id"), "{said}");
    }
    fs::write(&file, text).unwrap();
    gateway.serve().await;
}
