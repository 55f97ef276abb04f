//! Files that somebody takes away, or puts others in the place of.

use gateway_tests::{Engine, Gateway, Options, World, fresh_uuid, until};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

fn database(gateway: &Gateway) -> PathBuf {
    PathBuf::from(gateway.database_url().strip_prefix("sqlite:").unwrap())
}

/// Does something to a database file that somebody uses.
type TakeAway = fn(&Path);

fn sibling(file: &Path, suffix: &str) -> PathBuf {
    PathBuf::from(format!("{}{suffix}", file.display()))
}

#[tokio::test]
async fn a_database_that_goes_away_is_noticed_and_nothing_more_is_written() {
    let take_away: [(&str, TakeAway); 4] = [
        ("deleted", |file| fs::remove_file(file).unwrap()),
        ("replaced", |file| {
            let copy = sibling(file, ".copy");
            fs::copy(file, &copy).unwrap();
            fs::rename(copy, file).unwrap();
        }),
        ("cut off", |file| fs::OpenOptions::new().write(true).open(file).unwrap().set_len(100).unwrap()),
        ("without its log", |file| fs::remove_file(sibling(file, "-wal")).unwrap()),
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
        assert!(world.gateway.log().contains("Nothing is written any more to"), "{what}");
    }
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
    fs::remove_file(known).unwrap();
    gateway.serve().await;
}

#[tokio::test]
async fn a_database_is_served_once_by_whatever_name_and_read_by_its_owner_only() {
    let gateway = Gateway::start(Engine::Sqlite, Options::sandbox()).await;
    let file = database(&gateway);
    let (soft, hard) = (sibling(&file, ".soft"), sibling(&file, ".hard"));
    symlink(&file, &soft).unwrap();
    fs::hard_link(&file, &hard).unwrap();
    for name in [&file, &soft, &hard] {
        let url = format!("sqlite:{}", name.display());
        let free = [
            ("GATEWAY_DATABASE__URL", url.as_str()),
            ("GATEWAY_SERVER__PUBLIC_ADDR", "127.0.0.1:0"),
            ("GATEWAY_SERVER__INTERNAL_ADDR", "127.0.0.1:0"),
            ("GATEWAY_SANDBOX__ADDR", "127.0.0.1:0"),
        ];
        let ran = gateway.cli_with(&["serve"], &free, "").await;
        assert_eq!(ran.code, 1, "{}", name.display());
        assert!(ran.stderr.contains("another gateway serves"), "{}", ran.stderr);
    }
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
