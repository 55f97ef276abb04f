//! Files that go away, are written over, or have several names.

use super::*;
use std::sync::atomic::{AtomicBool, Ordering};

fn create_file(directory: &Path, name: &str) -> PathBuf {
    let path = directory.join(name);
    std::fs::write(&path, [0; 0]).unwrap();
    path
}

#[test]
fn a_file_is_served_once_by_whatever_name() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path(), "gateway.db");
    let soft = directory.path().join("soft.db");
    std::os::unix::fs::symlink(&path, &soft).unwrap();
    let served = DatabaseFile::open(&path).unwrap().serve().unwrap();
    for name in [&path, &soft] {
        let refused = DatabaseFile::open(name).unwrap().serve().unwrap_err();
        assert!(matches!(refused, OpenError::InUse { .. }), "{}", name.display());
    }
    drop(served);
    DatabaseFile::open(&soft).unwrap().serve().unwrap();
}

#[test]
fn a_file_with_two_hard_links_is_not_opened_by_either() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path(), "gateway.db");
    let link = directory.path().join("link.db");
    std::fs::hard_link(&path, &link).unwrap();
    for name in [&path, &link] {
        let refused = DatabaseFile::open(name).unwrap_err();
        assert!(matches!(refused, OpenError::HardLinks { names: 2, .. }), "{}", name.display());
    }
    std::fs::remove_file(link).unwrap();
    DatabaseFile::open(&path).unwrap();
}

#[test]
fn a_file_that_is_served_by_another_name_is_not_opened_where_it_was_moved_to() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path(), "gateway.db");
    let _served = DatabaseFile::open(&path).unwrap().serve().unwrap();
    create_file(directory.path(), "gateway.db-wal");
    assert!(!DatabaseFile::open(&path).unwrap().is_served_by_other_name());
    let moved = directory.path().join("moved.db");
    std::fs::rename(&path, &moved).unwrap();
    let file = DatabaseFile::open(&moved).unwrap();
    assert!(file.is_served_by_other_name());
    assert!(matches!(file.serve(), Err(OpenError::InUse { .. })));
}

#[test]
fn only_the_owner_reads_a_new_file_and_one_that_everybody_could_read() {
    let directory = tempfile::tempdir().unwrap();
    let open = create_file(directory.path(), "open.db");
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o644)).unwrap();
    for path in [open, directory.path().join("new.db")] {
        DatabaseFile::open(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, MODE);
    }
}

#[test]
fn a_file_that_goes_away_is_noticed_and_stays_lost() {
    let directory = tempfile::tempdir().unwrap();
    let lost = |name: &str, take_away: &dyn Fn(&Path)| {
        let path = create_file(directory.path(), name);
        let file = DatabaseFile::open(&path).unwrap();
        file.ensure_there().unwrap();
        take_away(&path);
        let lost = file.ensure_there().unwrap_err();
        create_file(directory.path(), name);
        assert_eq!(file.ensure_there(), Err(lost));
        lost
    };
    assert_eq!(lost("a", &|path| std::fs::remove_file(path).unwrap()), FileLost::Deleted);
    let replaced = |path: &Path| std::fs::rename(create_file(directory.path(), "other"), path).unwrap();
    assert_eq!(lost("b", &replaced), FileLost::Replaced);
    let path = create_file(directory.path(), "c");
    std::fs::write(&path, "longer").unwrap();
    let file = DatabaseFile::open(&path).unwrap();
    file.ensure_there().unwrap();
    std::fs::write(&path, "long").unwrap();
    assert_eq!(file.ensure_there(), Err(FileLost::Truncated));
}

#[test]
fn a_file_that_grows_while_several_look_is_not_lost() {
    let directory = tempfile::tempdir().unwrap();
    let path = create_file(directory.path(), "gateway.db");
    let mut log = File::create(directory.path().join("gateway.db-wal")).unwrap();
    let (file, mut database) =
        (DatabaseFile::open(&path).unwrap(), File::options().append(true).open(&path).unwrap());
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                while !done.load(Ordering::Acquire) {
                    file.ensure_there().unwrap();
                }
            });
        }
        for _ in 0..50_000 {
            log.write_all(b"frame").unwrap();
            database.write_all(b"page").unwrap();
        }
        done.store(true, Ordering::Release);
    });
    file.ensure_there().unwrap();
}
