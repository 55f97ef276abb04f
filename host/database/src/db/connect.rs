//! How connections to a database are opened.

use super::{Db, Options};
use crate::connections::{Connections, Lifetimes, STATEMENTS_MAX};
use crate::error::OpenError;
use crate::instance::{self, InstanceLock};
use crate::pools::{Pools, SqlitePools};
use crate::sqlite::Writer;
use crate::sqlite::file::DatabaseFile;
use gateway_domain_input::unreadable;
use sqlx::{ConnectOptions, Connection};
use sqlx_postgres::PgConnectOptions;
use sqlx_sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Readers of a SQLite file; more gain nothing (measured).
const SQLITE_READERS: u32 = 4;
/// How long a SQLite writer waits for another process that writes.
const SQLITE_BUSY: Duration = Duration::from_secs(15);
/// Pages that the writer of a SQLite file keeps, in KiB as SQLite writes it (negative). A group of transactions changes more pages than
/// the usual 2 MiB hold: those that did not fit went to the log early, and once more at the end.
const WRITER_CACHE: &str = "-16384";
/// Pages in the log of a SQLite file from which on they are copied into the file, 16 MiB: a page that changes often is copied once.
const CHECKPOINT_PAGES: &str = "4096";
/// Where a transaction of a group keeps the pages as they were before it, so that it can be taken back alone: a file written for
/// each would be as much as the log.
const SQLITE_UNDO: &str = "MEMORY";
/// Longest wait for a row lock on PostgreSQL, and longest a transaction may sit idle.
const PG_GUARDS: [(&str, &str); 2] =
    [("lock_timeout", "10s"), ("idle_in_transaction_session_timeout", "60s")];

/// How long the first connection to PostgreSQL may take: a server under load takes its time for a login. One that
/// refuses is told of at once.
const PG_FIRST: Duration = Duration::from_secs(15);

/// How long a process that serves may take from where its log is gone to where it gives the file back: it is ending.
const RELEASE_TIMEOUT: Duration = Duration::from_secs(1);
/// How often to look whether it did.
const RELEASE_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Who else may have a SQLite file open.
#[derive(Debug, Clone, Copy)]
pub(super) enum SqliteAccess {
    /// One process that serves, and others beside it.
    Shared,
    /// This process is the one that serves.
    Serving,
}

/// Connections to PostgreSQL that were not in use as long, or are as old, are closed.
const PG_LIFETIMES: Lifetimes = Lifetimes { idle: Duration::from_mins(10), age: Duration::from_mins(30) };
/// How many statements a connection to PostgreSQL keeps prepared.
const STATEMENTS_PARAMETER: &str = "statement-cache-capacity";

/// What the address of a PostgreSQL database may say besides. The driver passes over what it does not know.
const PG_PARAMETERS: [&str; 21] = [
    "application_name",
    "dbname",
    "host",
    "hostaddr",
    "options",
    "password",
    "port",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "ssl-mode",
    "ssl-root-cert",
    "sslca",
    "sslcert",
    "sslkey",
    "sslmode",
    "sslnegotiation",
    "sslrootcert",
    STATEMENTS_PARAMETER,
    "user",
    "username",
];

/// The first parameter of an address that means nothing.
fn unknown_parameter(url: &str) -> Option<String> {
    let (_, query) = url.split_once('?')?;
    let names = query.split('#').next()?.split('&').map(|pair| pair.split('=').next().unwrap_or_default());
    let is_known = |name: &str| PG_PARAMETERS.contains(&name) || name.starts_with("options[");
    names.filter(|name| !name.is_empty()).find(|name| !is_known(name)).map(str::to_owned)
}

pub(super) async fn postgres(url: &str, options: &Options) -> Result<Db, OpenError> {
    if let Some(parameter) = unknown_parameter(url) {
        return Err(OpenError::UnknownParameter(parameter));
    }
    let connect: PgConnectOptions = url.parse().map_err(OpenError::connect)?;
    let connect = connect.application_name(options.application).options(PG_GUARDS);
    let connect = if url.contains(STATEMENTS_PARAMETER) {
        connect
    } else {
        connect.statement_cache_capacity(STATEMENTS_MAX)
    };
    // A pool tries a refused address again until its patience ends; a wrong one is told at once.
    tokio::time::timeout(PG_FIRST, connect.connect())
        .await
        .map_err(|_| OpenError::connect(sqlx::Error::PoolTimedOut))?
        .map_err(OpenError::connect)?
        .close()
        .await
        .map_err(OpenError::connect)?;
    let connections =
        Connections::new(connect, options.connections_max, options.acquire_timeout, Some(PG_LIFETIMES));
    Ok(Db::opened(Pools::Pg(connections)))
}

pub(super) async fn sqlite(
    url: &str,
    options: &Options,
    access: SqliteAccess,
) -> Result<(Db, InstanceLock), OpenError> {
    let connect: SqliteConnectOptions = url.parse().map_err(|_| OpenError::SqliteAddress)?;
    if url.contains(":memory:") || url.contains("mode=memory") {
        return Err(OpenError::UnknownScheme { scheme: "sqlite in memory".to_owned() });
    }
    sqlite_file(connect, options, access).await
}

/// [`sqlite`] of a file that no address names.
pub(super) async fn sqlite_file(
    connect: SqliteConnectOptions,
    options: &Options,
    access: SqliteAccess,
) -> Result<(Db, InstanceLock), OpenError> {
    let path = connect.get_filename().to_owned();
    make_folder(&path)?;
    let file = Arc::new(DatabaseFile::open(&path)?);
    // Two processes that switch a fresh file to WAL at the same moment would fail each other.
    let setup_lock = setup_lock(file.target().to_owned()).await?;
    file.ensure_database()?;
    let instance = match access {
        SqliteAccess::Serving => InstanceLock::take(&file)?,
        SqliteAccess::Shared => {
            ensure_not_served_by_other_name(&file).await?;
            InstanceLock::shared()
        }
    };
    let pools = sqlite_pools(file, connect, options).await?;
    drop(setup_lock);
    Ok((Db::opened(Pools::Sqlite(pools)), instance))
}

/// Where a SQLite database would be made anew, as [`Db::location`] names it; none where there is one, and of PostgreSQL.
pub(super) fn path_to_create(url: &str) -> Option<String> {
    let connect: SqliteConnectOptions = (super::scheme(url) == "sqlite").then(|| url.parse().ok())??;
    let path = connect.get_filename();
    if std::fs::metadata(path).is_ok_and(|found| !found.is_file() || found.len() > 0) {
        return None;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // A symbolic link may lead to where nothing is any more.
    let target = std::fs::read_link(path).map_or_else(|_| path.to_owned(), |target| folder.join(target));
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = std::fs::canonicalize(folder).or_else(|_| std::path::absolute(folder)).ok()?;
    Some(format!("sqlite:{}", folder.join(target.file_name()?).display()))
}

async fn sqlite_pools(
    file: Arc<DatabaseFile>,
    connect: SqliteConnectOptions,
    options: &Options,
) -> Result<SqlitePools, OpenError> {
    let connect = connect
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        // NORMAL may lose the last commits on power loss, and a number that was sent could be given again.
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(SQLITE_BUSY)
        .statement_cache_capacity(STATEMENTS_MAX);
    let write = connect
        .clone()
        // The first statement of a transaction comes with and without its savepoint.
        .statement_cache_capacity(2 * STATEMENTS_MAX)
        .pragma("cache_size", WRITER_CACHE)
        .pragma("temp_store", SQLITE_UNDO)
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES);
    let write = Writer::open(Arc::clone(&file), &write, options.acquire_timeout).await?;
    let read = connect.pragma("query_only", "ON");
    let read = Connections::new(read, SQLITE_READERS, options.acquire_timeout, None);
    let first = read.lend().await.map_err(|error| OpenError::sqlite(file.path(), error))?;
    drop(first);
    // From here on it is known how the file looks.
    file.ensure_there().map_err(crate::error::StoreError::from)?;
    Ok(SqlitePools { write, read, file })
}

/// Refuses a file whose log stands beside another name.
async fn ensure_not_served_by_other_name(file: &DatabaseFile) -> Result<(), OpenError> {
    let given_back = async {
        while file.is_served_by_other_name() {
            tokio::time::sleep(RELEASE_POLL_INTERVAL).await;
        }
    };
    let refused = |_| OpenError::OtherName { path: file.path().display().to_string() };
    tokio::time::timeout(RELEASE_TIMEOUT, given_back).await.map_err(refused)
}

fn make_folder(file: &Path) -> Result<(), OpenError> {
    let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    std::fs::create_dir_all(folder).map_err(|cause| OpenError::NoFolder {
        folder: folder.display().to_string(),
        reason: unreadable(&cause),
    })
}

/// Waits until nobody else sets up or migrates `file`.
pub(super) async fn setup_lock(file: PathBuf) -> Result<std::fs::File, OpenError> {
    let path = file.clone();
    tokio::task::spawn_blocking(move || instance::setup_lock(&file))
        .await
        .map_err(|cause| OpenError::file(&path, &std::io::Error::other(cause)))?
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::error::Error;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    /// Words of libraries, which tell nobody what to do.
    const OF_LIBRARIES: [&str; 5] =
        ["unable to open", "(code:", "error returned from database", "os error", "not a database"];

    async fn refused(path: &Path) -> OpenError {
        let refused = Db::connect(&format!("sqlite:{}", path.display()), &Options::default()).await;
        let refused = refused.unwrap_err();
        let chain =
            std::iter::successors(Some(&refused as &(dyn Error + 'static)), |error| (**error).source());
        for error in chain.map(ToString::to_string) {
            let word = OF_LIBRARIES.iter().find(|word| error.contains(**word));
            assert_eq!(word, None, "{error}");
            assert!(error.contains(&path.parent().unwrap().display().to_string()), "{error}");
        }
        refused
    }

    #[test]
    fn a_database_would_be_made_anew_where_nothing_is_or_an_empty_file() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let path = root.join("gateway.db");
        let (url, link) = (format!("sqlite:{}", path.display()), root.join("link.db"));
        std::os::unix::fs::symlink("gateway.db", &link).unwrap();
        let through_link = format!("sqlite:{}?mode=rwc", link.display());
        assert_eq!(path_to_create(&url).as_ref(), Some(&url));
        assert_eq!(path_to_create(&through_link).as_ref(), Some(&url));
        fs::write(&path, "").unwrap();
        assert_eq!(path_to_create(&url).as_ref(), Some(&url));
        fs::write(&path, "x").unwrap();
        assert_eq!((path_to_create(&url), path_to_create(&through_link)), (None, None));
        assert_eq!(path_to_create("postgres://127.0.0.1/x"), None);
        assert!(!root.join("gateway.db-wal").exists());
    }

    #[tokio::test]
    async fn an_address_says_nothing_that_is_passed_over() {
        for (url, sentence) in [
            ("postgres://u@127.0.0.1/x?foo=bar", "'foo' is no parameter of a database's address"),
            ("sqlite:x.db?foo=1", "the address of the SQLite file cannot be read: use sqlite:PATH"),
        ] {
            let refused = Db::connect(url, &Options::default()).await.unwrap_err();
            assert!(refused.to_string().starts_with(sentence), "{refused}");
            assert!(refused.source().is_none(), "{refused:?}");
        }
    }

    #[tokio::test]
    async fn a_device_or_a_pipe_is_no_database() {
        let refused = Db::connect("sqlite:/dev/null", &Options::default()).await.unwrap_err();
        assert!(matches!(refused, OpenError::NotADatabase { .. }), "{refused}");
    }

    #[tokio::test]
    async fn a_folder_is_no_database() {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("folder");
        fs::create_dir(&folder).unwrap();
        assert!(matches!(refused(&folder).await, OpenError::Folder { .. }));
    }

    #[tokio::test]
    async fn the_folder_of_a_database_is_made_or_it_is_said_why_not() {
        let directory = tempfile::tempdir().unwrap();
        let missing = directory.path().join("not/there/gateway.db");
        Db::connect(&format!("sqlite:{}", missing.display()), &Options::default()).await.unwrap();
        assert!(matches!(refused(&missing.join("gateway.db")).await, OpenError::NoFolder { .. }));
    }

    #[tokio::test]
    async fn a_file_that_holds_something_else_is_left_as_it_is() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("notes.txt");
        for content in [&b"not a database"[..], &[0; 4096], &[b"SQLite format 3\0", &[7; 4080][..]].concat()]
        {
            fs::write(&path, content).unwrap();
            assert!(matches!(refused(&path).await, OpenError::NotADatabase { .. }));
            assert_eq!(fs::read(&path).unwrap(), content);
            assert!(!directory.path().join("notes.txt-wal").exists());
        }
    }

    #[tokio::test]
    async fn what_the_gateway_may_not_open_is_named_with_what_to_change() {
        let directory = tempfile::tempdir().unwrap();
        let circle = directory.path().join("circle.db");
        std::os::unix::fs::symlink(&circle, &circle).unwrap();
        assert!(matches!(refused(&circle).await, OpenError::Unreadable { .. }));
        // Whoever may do everything is refused nothing.
        if !rustix::process::geteuid().is_root() {
            let path = directory.path().join("gateway.db");
            fs::write(&path, "").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o000)).unwrap();
            assert!(matches!(refused(&path).await, OpenError::Unreadable { .. }));
        }
        let denied = OpenError::unreadable(&circle, &std::io::Error::from_raw_os_error(13)).to_string();
        assert!(denied.contains("(its permissions do not allow it)"), "{denied}");
    }
}
