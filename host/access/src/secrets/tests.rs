//! Sealing, hashing, and the file that is followed.

use super::*;
use std::fs;

const OWNER: SealedFor<'_> = SealedFor::ProviderToken(WorkspaceId(1));

#[test]
fn a_sealed_value_opens_where_it_belongs_and_nowhere_else() {
    let keyring = Keyring::ephemeral().unwrap();
    let envelope = keyring.seal(OWNER, b"token").unwrap();
    assert_eq!(*keyring.open_text(OWNER, &envelope).unwrap(), "token");
    assert!(!envelope.windows(5).any(|window| window == b"token"));
    for elsewhere in [
        SealedFor::ProviderToken(WorkspaceId(11)),
        SealedFor::WebhookToken(WorkspaceId(1)),
        SealedFor::SigningKey("1"),
    ] {
        assert_eq!(keyring.open(elsewhere, &envelope), Err(Unsealable));
    }
    assert_ne!(keyring.seal(OWNER, b"token").unwrap(), envelope, "the nonce is fresh");
}

#[test]
fn no_damaged_or_shortened_envelope_opens() {
    let keyring = Keyring::ephemeral().unwrap();
    let envelope = keyring.seal(OWNER, b"token").unwrap();
    for index in 0..envelope.len() {
        let mut damaged = envelope.clone();
        damaged[index] ^= 1;
        assert_eq!(keyring.open(OWNER, &damaged), Err(Unsealable), "byte {index}");
        assert_eq!(keyring.open(OWNER, &envelope[..index]), Err(Unsealable), "{index} bytes");
    }
}

#[test]
fn the_key_id_stands_where_the_storage_reads_it() {
    let keyring = Keyring::ephemeral().unwrap();
    let envelope = keyring.seal(OWNER, b"token").unwrap();
    assert_eq!(&envelope[1..9], keyring.known().active().as_bytes());
}

#[test]
fn an_older_key_still_opens_and_a_missing_one_is_named() {
    let (old, new) = (MasterKeyRing::fresh_line().unwrap(), MasterKeyRing::fresh_line().unwrap());
    let path = Path::new("test");
    let before = MasterKeyRing::parse(&old, path).unwrap();
    let after = MasterKeyRing::parse(&format!("# newest first\n{}\n{}", *new, *old), path).unwrap();
    let envelope = before.seal(OWNER, b"token").unwrap();
    assert_eq!(**after.open(OWNER, &envelope).unwrap(), *b"token");
    let hash = before.hash(Purpose::ClientSecret, "secret");
    assert!(after.matches(Purpose::ClientSecret, "secret", &hash));
    assert!(after.hashes(Purpose::ClientSecret, "secret").contains(&hash));
    assert_ne!(after.hash(Purpose::ClientSecret, "secret"), hash);
    assert!(after.holds(&hash.key_id));
    assert!(!MasterKeyRing::parse(&new, path).unwrap().holds(&hash.key_id));
    let stranger = Keyring::ephemeral().unwrap();
    let error = stranger.ensure_holds([hash.key_id.as_str()]).unwrap_err();
    assert!(error.to_string().contains(&hash.key_id), "{error}");
}

#[test]
fn a_hash_matches_its_text_and_purpose_only() {
    let keyring = Keyring::ephemeral().unwrap();
    let hash = keyring.hash(Purpose::ClientSecret, "secret");
    assert!(keyring.matches(Purpose::ClientSecret, "secret", &hash));
    assert!(!keyring.matches(Purpose::ClientSecret, "secre", &hash));
    assert!(!keyring.matches(Purpose::WebhookToken, "secret", &hash));
}

#[test]
fn the_first_run_makes_a_private_file_and_the_next_reads_it() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("data/master.key");
    let first = Keyring::open_or_create(&path).unwrap();
    let envelope = first.seal(OWNER, b"token").unwrap();
    let second = Keyring::open_or_create(&path).unwrap();
    assert_eq!(*second.open(OWNER, &envelope).unwrap(), b"token");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "no draft is left");
}

#[test]
fn the_draft_of_a_process_with_the_same_id_in_another_container_is_let_be() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("master.key");
    let theirs = directory.path().join(format!("master.key.{}", std::process::id()));
    fs::write(&theirs, "half a key").unwrap();
    Keyring::open_or_create(&path).unwrap();
    assert_eq!(fs::read_to_string(&theirs).unwrap(), "half a key");
}

#[test]
fn a_lost_file_is_told_and_no_other_takes_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("master.key");
    let used = std::collections::BTreeSet::from(["keyid001".to_owned()]);
    let error = Keyring::open_for(&path, &used).unwrap_err();
    assert!(matches!(error, KeyringError::Lost { .. }), "{error}");
    assert!(error.to_string().contains("keyid001") && !path.exists(), "{error}");
    Keyring::open_for(&path, &std::collections::BTreeSet::new()).unwrap();
    assert!(matches!(Keyring::open_for(&path, &used).unwrap_err(), KeyringError::Unknown { .. }));
}

#[test]
fn a_file_that_holds_no_key_is_refused_with_its_line() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("master.key");
    for (text, line) in [("", 0), ("# only a remark\n", 0), ("# one\nshort AAAA\n", 2), ("12345678 !!!\n", 1)]
    {
        fs::write(&path, text).unwrap();
        let error = Keyring::open_or_create(&path).unwrap_err();
        assert!(
            matches!(error, KeyringError::Malformed { line: found, .. } if found == line),
            "{text:?}: {error}"
        );
    }
}

#[test]
fn nothing_secret_is_shown_by_debug() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("master.key");
    let keyring = Keyring::open_or_create(&path).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let key = text.lines().last().unwrap().split_once(' ').unwrap().1.to_owned();
    let printed = format!("{keyring:?}");
    assert!(
        !printed.contains(&key) && !printed.contains(keyring.sandbox_token().expose_secret()),
        "{printed}"
    );
}

/// A keyring, and another process's on the same file.
fn two(directory: &Path) -> (Keyring, Keyring) {
    let path = directory.join("master.key");
    (Keyring::open_or_create(&path).unwrap(), Keyring::open_or_create(&path).unwrap())
}

#[test]
fn a_rotated_key_seals_and_the_one_before_still_opens() {
    let directory = tempfile::tempdir().unwrap();
    let (one, other) = two(directory.path());
    let (before, hash) = (one.seal(OWNER, b"token").unwrap(), one.hash(Purpose::ClientSecret, "secret"));
    let first = one.keys()[0].0.clone();
    let second = one.rotate().unwrap();
    assert_eq!(one.keys(), [(second.clone(), KeyStanding::Active), (first.clone(), KeyStanding::Older)]);
    assert!(one.is_older(&first) && !one.is_older(&second));
    let after = one.seal(OWNER, b"token").unwrap();
    assert_eq!(&after[1..9], second.as_bytes());
    // The other process has not looked since, and meets the new key.
    assert_eq!(*other.open_text(OWNER, &after).unwrap(), "token");
    for keyring in [&one, &other] {
        assert_eq!(*keyring.open_text(OWNER, &before).unwrap(), "token");
        assert!(keyring.matches(Purpose::ClientSecret, "secret", &hash));
        assert_eq!(
            keyring.hashes(Purpose::ClientSecret, "secret"),
            [hash.clone(), keyring.hash(Purpose::ClientSecret, "secret"),]
        );
    }
}

#[test]
fn a_hash_of_a_key_that_is_not_known_yet_is_compared_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let (one, other) = two(directory.path());
    one.rotate().unwrap();
    assert!(other.matches(Purpose::ClientSecret, "secret", &one.hash(Purpose::ClientSecret, "secret")));
}

#[test]
fn a_changed_file_counts_after_half_a_second_of_use() {
    let directory = tempfile::tempdir().unwrap();
    let (one, other) = two(directory.path());
    let second = one.rotate().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while other.seal(OWNER, b"token").unwrap()[1..9] != *second.as_bytes() {
        assert!(std::time::Instant::now() < deadline, "the file was never read again");
        std::thread::yield_now();
    }
}

#[test]
fn a_staged_key_opens_what_others_seal_and_becomes_active_with_the_next_rotation() {
    let directory = tempfile::tempdir().unwrap();
    let (here, _) = two(directory.path());
    let (first, staged) = (here.keys()[0].0.clone(), here.stage().unwrap());
    assert_eq!(here.stage().unwrap(), staged, "one waits at a time");
    assert_eq!(here.keys(), [(first.clone(), KeyStanding::Active), (staged.clone(), KeyStanding::Staged)]);
    assert!(!here.is_older(&staged) && !here.is_older(&first));
    // Another host has a copy of the file as it is now.
    let there = directory.path().join("copy.key");
    fs::copy(directory.path().join("master.key"), &there).unwrap();
    let there = Keyring::open_or_create(&there).unwrap();
    assert_eq!(here.rotate().unwrap(), staged);
    assert_eq!(here.keys(), [(staged.clone(), KeyStanding::Active), (first, KeyStanding::Older)]);
    let envelope = here.seal(OWNER, b"token").unwrap();
    assert_eq!(&envelope[1..9], staged.as_bytes());
    assert_eq!(*there.open_text(OWNER, &envelope).unwrap(), "token");
    let envelope = there.seal(OWNER, b"token").unwrap();
    assert_eq!(*here.open_text(OWNER, &envelope).unwrap(), "token");
    assert_ne!(here.rotate().unwrap(), staged, "then a fresh one");
    assert_eq!(here.keys().len(), 3);
}

/// The file with another key under each id that it has.
pub(crate) fn other_key_under_the_same_id(path: &Path) {
    let other = MasterKeyRing::fresh_line().unwrap();
    let (_, key) = other.split_once(' ').unwrap();
    let text = fs::read_to_string(path).unwrap();
    let changed = text.lines().map(|line| match line.split_once(' ') {
        Some((id, _)) if !line.starts_with('#') => format!("{id} {key}\n"),
        _ => format!("{line}\n"),
    });
    fs::write(path, changed.collect::<String>()).unwrap();
}

#[test]
fn another_key_under_an_id_that_is_in_use_is_not_taken() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("master.key");
    let keyring = Keyring::open_or_create(&path).unwrap();
    let envelope = keyring.seal(OWNER, b"token").unwrap();
    other_key_under_the_same_id(&path);
    keyring.reload();
    assert_eq!(*keyring.open_text(OWNER, &envelope).unwrap(), "token");
}

#[test]
fn a_malformed_or_missing_file_leaves_the_keys_as_they_are() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("master.key");
    let keyring = Keyring::open_or_create(&path).unwrap();
    let (good, keys) = (fs::read_to_string(&path).unwrap(), keyring.keys());
    let line = good.lines().last().unwrap();
    for bad in [
        String::new(),
        "rubbish".to_owned(),
        good[..good.len() - 5].to_owned(),
        format!("{line} staged\n"),
        format!("{line}\n{line} staged\n"),
        format!("{line} more\n"),
    ] {
        fs::write(&path, bad).unwrap();
        keyring.reload();
        assert_eq!(keyring.keys(), keys);
        assert!(keyring.rotate().is_err() && keyring.stage().is_err(), "a broken file is not built upon");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no draft is left");
    }
    fs::remove_file(&path).unwrap();
    keyring.reload();
    assert_eq!(keyring.keys(), keys);
    fs::write(&path, &good).unwrap();
    keyring.rotate().unwrap();
    assert_eq!(keyring.keys().len(), 2);
}

#[test]
fn remarks_mode_and_links_outlast_a_rotation() {
    let directory = tempfile::tempdir().unwrap();
    let (path, link) = (directory.path().join("master.key"), directory.path().join("link.key"));
    Keyring::open_or_create(&path).unwrap();
    let text = fs::read_to_string(&path).unwrap() + "# the last line\n";
    fs::write(&path, &text).unwrap();
    // What a process left that died before it put its draft in place.
    fs::write(directory.path().join("master.key.draft"), "half of a fi").unwrap();
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let keyring = Keyring::open_or_create(&link).unwrap();
    let id = keyring.rotate().unwrap();
    let changed = fs::read_to_string(&path).unwrap();
    let kept: Vec<_> = changed.lines().filter(|line| !line.starts_with(&id)).collect();
    assert_eq!(kept, text.lines().collect::<Vec<_>>());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 2, "no draft is left");
    let mode = std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn rotations_at_the_same_time_lose_no_key() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("master.key");
    let keyring = Keyring::open_or_create(&path).unwrap();
    let envelope = keyring.seal(OWNER, b"token").unwrap();
    let ids: Vec<String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| Keyring::open_or_create(&path).unwrap().rotate().unwrap()))
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let reader = Keyring::open_or_create(&path).unwrap();
    reader.ensure_holds(ids.iter().map(String::as_str)).unwrap();
    assert_eq!(reader.keys().len(), 9);
    assert_eq!(*reader.open_text(OWNER, &envelope).unwrap(), "token");
}

#[test]
fn keys_in_memory_are_not_rotated() {
    assert!(matches!(Keyring::ephemeral().unwrap().rotate(), Err(KeyringError::NoFile)));
}
