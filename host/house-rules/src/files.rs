//! Which files there are, and which there must not be.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};

use super::Violation;

/// Folders that hold nothing of ours. `data` only at the root: it is where a gateway started there keeps its state.
const SKIPPED: [&str; 5] = [".git", "target", "node_modules", "__pycache__", ".venv"];

/// A text file of the workspace.
pub(super) struct Source {
    /// Relative to the root, with `/`.
    pub(super) path: String,
    pub(super) text: String,
}

impl Source {
    pub(super) fn is_rust(&self) -> bool {
        Path::new(&self.path).extension().is_some_and(|extension| extension == "rs")
    }

    /// What is wrong on one of its lines, from 1, and what to do.
    pub(super) fn violation(&self, line: usize, what: String, remedy: &str) -> Violation {
        Violation { file: self.path.clone(), line, what, remedy: remedy.to_owned() }
    }
}

/// Every text file below `root`. A file that is not UTF-8 has no lines to check and is left out.
pub(super) fn all(root: &Path) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    let mut open = vec![root.to_path_buf()];
    while let Some(dir) = open.pop() {
        for entry in fs::read_dir(&dir).with_context(|| format!("could not list {}", dir.display()))? {
            let entry = entry?;
            let (path, kind) = (entry.path(), entry.file_type()?);
            let relative = path.strip_prefix(root)?.to_string_lossy().replace('\\', "/");
            let skipped = SKIPPED.iter().any(|name| entry.file_name() == *name) || relative == "data";
            if kind.is_dir() && !skipped {
                open.push(path);
            } else if kind.is_file()
                && let Ok(text) = fs::read_to_string(&path)
            {
                found.push(Source { path: relative, text });
            }
        }
    }
    found.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

/// The files that git keeps; none when this is not a repository (an unpacked archive).
pub(super) fn in_git(root: &Path) -> Result<Vec<String>> {
    if !root.join(".git").exists() {
        return Ok(Vec::new());
    }
    let mut git = Command::new("git");
    git.args(["-c", "core.quotePath=false", "-c", "safe.directory=*", "ls-files"]);
    let output = git.current_dir(root).output().context("could not start git")?;
    ensure!(
        output.status.success(),
        "`git ls-files` failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

/// What is built or written at run time and yet kept in git.
pub(super) fn generated(in_git: &[String]) -> Vec<Violation> {
    let is_generated = |path: &&String| {
        let folders = ["target/", "node_modules/", "__pycache__/", ".venv/"];
        let endings = [".wasm", ".cwasm", ".db", ".db-wal", ".db-shm", ".key", ".snap.new", ".profraw"];
        path.starts_with("data/")
            || folders.iter().any(|name| path.starts_with(name) || path.contains(&format!("/{name}")))
            || endings.iter().any(|ending| path.ends_with(ending))
    };
    in_git
        .iter()
        .filter(is_generated)
        .map(|path| Violation {
            file: path.clone(),
            line: 1,
            what: "a generated file is in git".to_owned(),
            remedy: "`git rm --cached` it and add it to .gitignore".to_owned(),
        })
        .collect()
}

/// A migration that one of the two databases has and the other lacks.
pub(super) fn migrations_of_one_database(files: &[Source]) -> Vec<Violation> {
    let (postgres, sqlite) = ("migrations/postgres/", "migrations/sqlite/");
    let names = |folder: &str| -> BTreeSet<&str> {
        files
            .iter()
            .filter_map(|file| file.path.strip_prefix(folder))
            .filter(|name| Path::new(name).extension().is_some_and(|extension| extension == "sql"))
            .collect()
    };
    let lacking = |here: &str, there: &str| -> Vec<Violation> {
        names(here)
            .difference(&names(there))
            .map(|name| Violation {
                file: format!("{here}{name}"),
                line: 1,
                what: "this migration has no twin for the other database".to_owned(),
                remedy: format!("write {there}{name}"),
            })
            .collect()
    };
    [lacking(postgres, sqlite), lacking(sqlite, postgres)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_migration_for_one_database_alone_is_found_on_either_side() {
        let files = [
            "migrations/postgres/0001_clients.sql",
            "migrations/postgres/0002_documents.sql",
            "migrations/sqlite/0001_clients.sql",
            "migrations/sqlite/0003_jobs.sql",
            "migrations/sqlite/README.md",
        ]
        .map(|path| Source { path: path.to_owned(), text: String::new() });
        let found: Vec<String> =
            migrations_of_one_database(&files).into_iter().map(|violation| violation.file).collect();
        assert_eq!(found, ["migrations/postgres/0002_documents.sql", "migrations/sqlite/0003_jobs.sql"]);
    }

    #[test]
    fn generated_files_in_git_are_found_and_sources_are_not() {
        let files = [
            "target/debug/gateway",
            "host/a/target/x",
            "data/gateway.db",
            "plugins/x/es.wasm",
            "wit/v1/regime.wit",
        ];
        let found = generated(&files.map(str::to_owned));
        assert_eq!(found.len(), 4);
    }

    #[test]
    fn the_walk_finds_sources_and_skips_what_is_built() {
        let root = tempfile::tempdir().unwrap();
        for file in ["host/finance/src/lib.rs", "target/debug/build.rs", "data/x.txt", "host/data/mod.rs"] {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text").unwrap();
        }
        let found: Vec<String> = all(root.path()).unwrap().into_iter().map(|file| file.path).collect();
        assert_eq!(found, ["host/data/mod.rs", "host/finance/src/lib.rs"]);
    }
}
