//! Which databases this gateway has used: one that is empty now, and was not before, was lost, and no other takes its place
//! without a word.
//!
//! They stand in a file beside the master key, which is backed up apart from the database. A file that is in the folder of the
//! key, or in a folder below or beside it, is named from there: so it stays known when all of them are moved together.

use gateway_config::Config;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The file's name, behind that of the master key.
const SUFFIX: &str = "databases";
/// What a database that is a file begins with.
const FILE: &str = "sqlite:";

/// A database is empty that was not.
#[derive(Debug, thiserror::Error)]
#[error("the database {location} is empty, and this gateway used one there before: restore it from its copy, or delete the line '{}' in {} if an empty one is meant", lines.join("' and the line '"), file.display())]
pub(crate) struct DatabaseLost {
    location: String,
    /// Under which names it is known.
    lines: Vec<String>,
    file: PathBuf,
}

/// The file that names them, one a line.
#[derive(Debug)]
pub(crate) struct KnownDatabases {
    file: PathBuf,
}

impl KnownDatabases {
    pub(crate) fn of(config: &Config) -> Self {
        Self::with_key(config.master_key_file())
    }

    fn with_key(master_key: PathBuf) -> Self {
        let mut file = master_key.into_os_string();
        file.push(".");
        file.push(SUFFIX);
        Self { file: file.into() }
    }

    /// From now on this database is known.
    pub(crate) fn remember(&self, location: &str) {
        if let Err(error) = self.add(location) {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "Should the database be lost, the next start will not notice: {} cannot be written",
                self.file.display()
            );
        }
    }

    /// Refuses an empty or missing database at a place where one was known.
    pub(crate) fn ensure_unknown(&self, location: String) -> Result<(), DatabaseLost> {
        let mut names = self.names(&location);
        names.push(location.clone());
        let lines: Vec<String> = self.lines().into_iter().filter(|line| names.contains(line)).collect();
        if lines.is_empty() { Ok(()) } else { Err(DatabaseLost { location, lines, file: self.file.clone() }) }
    }

    fn add(&self, location: &str) -> io::Result<()> {
        let known = self.lines();
        for name in self.names(location).into_iter().filter(|name| !known.contains(name)) {
            let mut file = OpenOptions::new().append(true).create(true).mode(0o600).open(&self.file)?;
            file.write_all(format!("{name}\n").as_bytes())?;
        }
        Ok(())
    }

    fn lines(&self) -> Vec<String> {
        let known = std::fs::read_to_string(&self.file).unwrap_or_default();
        known.lines().map(str::to_owned).collect()
    }

    /// What a database is remembered by.
    fn names(&self, location: &str) -> Vec<String> {
        let absolute = || location.to_owned();
        let Some(path) = location.strip_prefix(FILE).map(Path::new) else { return vec![absolute()] };
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize().unwrap_or_default();
        if let Ok(below) = path.strip_prefix(&folder) {
            return vec![format!("{FILE}{}", below.display())];
        }
        // What is beside the folder of the key may be moved with it or stay where it is: it is found either way.
        let shared = folder.parent().filter(|shared| shared.parent().is_some());
        let sibling = shared.and_then(|shared| path.strip_prefix(shared).ok());
        let sibling = sibling.map(|path| format!("{FILE}../{}", path.display()));
        sibling.into_iter().chain([absolute()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;

    /// A folder with a key and a database, whose gateway has run; as it is called after it was moved.
    fn moved(key: &str, database: &str) -> (tempfile::TempDir, KnownDatabases, String) {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let (before, after) = (root.join("before"), root.join("after"));
        fs::create_dir_all(before.join(key).parent().unwrap()).unwrap();
        KnownDatabases::with_key(before.join(key)).add(&location(&before.join(database))).unwrap();
        fs::rename(&before, &after).unwrap();
        (directory, KnownDatabases::with_key(after.join(key)), location(&after.join(database)))
    }

    fn location(file: &Path) -> String {
        format!("sqlite:{}", file.display())
    }

    #[test]
    fn a_database_stays_known_when_it_is_moved_together_with_its_key() {
        for (key, database) in [
            ("master.key", "gateway.db"),
            ("master.key", "data/gateway.db"),
            ("keys/master.key", "gateway.db"),
            ("keys/master.key", "data/gateway.db"),
        ] {
            let (_directory, known, location) = moved(key, database);
            let lost = known.ensure_unknown(location.clone()).unwrap_err();
            assert!(lost.to_string().contains("restore it from its copy"), "{lost}");
            known.ensure_unknown(self::location(&Path::new("/other").join(database))).unwrap();
            known.ensure_unknown(location.replace("gateway.db", "second.db")).unwrap();
            // Nothing is written twice.
            known.add(&location).unwrap();
            known.add(&location).unwrap();
            let lines = known.lines();
            assert_eq!(BTreeSet::from_iter(&lines).len(), lines.len(), "{lines:?}");
        }
    }

    #[test]
    fn a_database_beside_the_folder_of_the_key_stays_known_when_the_key_alone_is_moved() {
        let (directory, known, location) = moved("keys/master.key", "gateway.db");
        known.add(&location).unwrap();
        let keys = directory.path().join("after/keys");
        fs::rename(keys, directory.path().join("keys")).unwrap();
        KnownDatabases::with_key(directory.path().join("keys/master.key"))
            .ensure_unknown(location)
            .unwrap_err();
    }

    #[test]
    fn what_was_remembered_by_its_whole_path_is_still_known_and_from_now_on_by_its_name() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let known = KnownDatabases::with_key(root.join("master.key"));
        let file = location(&root.join("gateway.db"));
        let server = "postgres://db.example:5432/gateway".to_owned();
        fs::write(&known.file, format!("{file}\n{server}\n")).unwrap();
        let lost = known.ensure_unknown(file.clone()).unwrap_err();
        assert_eq!(lost.lines, [file.as_str()]);
        known.ensure_unknown(server.clone()).unwrap_err();
        known.add(&file).unwrap();
        assert_eq!(known.lines(), [file.as_str(), &server, "sqlite:gateway.db"]);
        let lost = known.ensure_unknown(file.clone()).unwrap_err().to_string();
        assert!(lost.contains(&format!("'{file}' and the line 'sqlite:gateway.db'")), "{lost}");
    }
}
