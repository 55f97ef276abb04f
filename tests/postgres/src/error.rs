use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why there is no PostgreSQL to test on. Every message says what to do next.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// Neither `PG_BIN` nor the usual folders nor `PATH` hold a PostgreSQL server.
    NotInstalled,
    /// `PG_BIN` is set, but the folder holds no server. It is not replaced by a guess.
    NotAServer { pg_bin: PathBuf },
    /// PostgreSQL refuses to run as root, and there is no other user to run it as.
    NoUser,
    /// A folder that we would own belongs to somebody else.
    NotOurs { dir: PathBuf },
    /// A file operation failed.
    Io { what: String, source: io::Error },
    /// `initdb` or `pg_ctl` said no. `output` holds what it and the server's log said.
    Command { program: &'static str, output: String },
}

impl Error {
    /// For `map_err`: names what was tried, so that a bare "permission denied" never surfaces.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInstalled => f.write_str(
                "no PostgreSQL server found (looked in PG_BIN, /usr/lib/postgresql/*/bin and PATH): \
                 install the package `postgresql`, or set PG_BIN to the folder of `initdb` and `pg_ctl`, \
                 or set GATEWAY_TEST_POSTGRES to the URL of a superuser on a server for tests",
            ),
            Self::NotAServer { pg_bin } => write!(
                f,
                "PG_BIN is {}, but `initdb`, `pg_ctl` and `postgres` are not all there: correct it or unset it",
                pg_bin.display()
            ),
            Self::NoUser => f.write_str(
                "PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody`: \
                 create one, or run the tests as an ordinary user",
            ),
            Self::NotOurs { dir } => {
                write!(f, "{} belongs to another user: remove it, or set TMPDIR elsewhere", dir.display())
            }
            Self::Io { what, source } => write!(f, "could not {what}: {source}"),
            Self::Command { program, output } => write!(f, "`{program}` failed:\n{}", output.trim_end()),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { source, .. } => Some(source),
            Self::NotInstalled
            | Self::NotAServer { .. }
            | Self::NoUser
            | Self::NotOurs { .. }
            | Self::Command { .. } => None,
        }
    }
}
