use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use crate::Error;

/// The folder that holds `initdb`, `pg_ctl` and `postgres`: `PG_BIN`, else the newest version in the
/// folders that Debian and Fedora use, else the first match in `PATH`.
///
/// Fails with [`Error::NotInstalled`], which a caller may answer by installing the package.
pub fn binaries() -> Result<PathBuf, Error> {
    if let Some(pg_bin) = env::var_os("PG_BIN").filter(|value| !value.is_empty()) {
        let pg_bin = PathBuf::from(pg_bin);
        return if holds_a_server(&pg_bin) { Ok(pg_bin) } else { Err(Error::NotAServer { pg_bin }) };
    }
    newest(&versioned_folders())
        .or_else(|| env::split_paths(&env::var_os("PATH")?).find_map(|dir| behind_links(&dir)))
        .ok_or(Error::NotInstalled)
}

fn holds_a_server(dir: &Path) -> bool {
    ["initdb", "pg_ctl", "postgres"].iter().all(|program| dir.join(program).is_file())
}

/// A folder in `PATH` often holds links to single programs; the server lies where `initdb` really is.
fn behind_links(dir: &Path) -> Option<PathBuf> {
    let real = fs::canonicalize(dir.join("initdb")).ok()?;
    real.parent().filter(|dir| holds_a_server(dir)).map(Path::to_path_buf)
}

/// `/usr/lib/postgresql/15/bin` and `/usr/pgsql-15/bin`, with the major version each is for.
fn versioned_folders() -> Vec<(u32, PathBuf)> {
    let list = |root: &str, prefix: &str| {
        let entries = fs::read_dir(root).into_iter().flatten().flatten();
        entries
            .filter_map(|entry| {
                let version = entry.file_name().to_str()?.strip_prefix(prefix)?.parse().ok()?;
                Some((version, entry.path().join("bin")))
            })
            .collect::<Vec<_>>()
    };
    [list("/usr/lib/postgresql", ""), list("/usr", "pgsql-")].concat()
}

fn newest(folders: &[(u32, PathBuf)]) -> Option<PathBuf> {
    folders
        .iter()
        .filter(|(_, dir)| holds_a_server(dir))
        .max_by_key(|(version, _)| *version)
        .map(|(_, dir)| dir.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server_in(root: &Path, version: u32) -> (u32, PathBuf) {
        let dir = root.join(version.to_string()).join("bin");
        fs::create_dir_all(&dir).unwrap();
        for program in ["initdb", "pg_ctl", "postgres"] {
            fs::write(dir.join(program), "").unwrap();
        }
        (version, dir)
    }

    #[test]
    fn the_newest_complete_version_wins_by_number_not_by_letter() {
        let root = env::temp_dir().join(format!("gateway-binaries-{}", std::process::id()));
        let (nine, fifteen) = (server_in(&root, 9), server_in(&root, 15));
        let broken = (16, root.join("16/bin"));

        assert_eq!(newest(&[nine, fifteen.clone(), broken.clone()]), Some(fifteen.1));
        assert_eq!(newest(&[broken]), None);
        fs::remove_dir_all(root).unwrap();
    }
}
