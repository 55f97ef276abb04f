//! Why there is no connection to a database, in words for whoever runs the gateway.

use sqlx::error::DatabaseError;
use std::io::{self, ErrorKind};

/// Why there is no connection, to stand behind a colon. What the driver reported goes to the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoConnection {
    /// `database.url` cannot be read as an address.
    #[error(
        "the address cannot be read: write postgres://USER:PASSWORD@HOST:PORT/NAME, and special characters of the \
         password as % with two digits"
    )]
    Address,
    /// The machine is there, and nobody listens on the port.
    #[error("nobody listens there")]
    NobodyListens,
    /// The name of the server leads nowhere.
    #[error("the name of the server could not be looked up")]
    UnknownName,
    /// No connection in the time that there was.
    #[error("no answer came in time")]
    TimedOut,
    /// No network between here and there.
    #[error("there is no way to its network")]
    Unreachable,
    /// The system does not let this process connect there.
    #[error("the system does not allow to connect there")]
    NotAllowed,
    /// A socket of the file system that is not there.
    #[error("there is no socket of this name")]
    NoSocket,
    /// The server closed the connection, or it broke.
    #[error("the server closed the connection")]
    Closed,
    /// Another user, or another password (SQLSTATE class 28).
    #[error("the server refuses the user or its password")]
    Credentials,
    /// SQLSTATE 3D000.
    #[error("the server has no database of this name")]
    UnknownDatabase,
    /// SQLSTATE 53300.
    #[error("the server has no connection left to give")]
    NoneLeft,
    /// SQLSTATE 57P03: it starts, stops or recovers.
    #[error("the server does not take connections yet, or not any more")]
    NotServing,
    /// The address asks for TLS and there is none, or the certificate is not accepted.
    #[error("no TLS connection could be made: the server offers none, or its certificate is not accepted")]
    NoTls,
    /// Something answered, in another language.
    #[error("what answers there is no PostgreSQL")]
    NotPostgres,
    /// The database gave a reason of its own.
    #[error("{0}")]
    Refused(String),
    /// The log has the reason.
    #[error("the connection could not be opened")]
    Other,
}

impl NoConnection {
    /// Sorts what the driver reported, and logs it: nobody else sees it. It holds no password.
    pub(crate) fn of(error: &sqlx::Error) -> Self {
        tracing::info!(causes = %error, "No connection to the database.");
        match error {
            sqlx::Error::Configuration(_) | sqlx::Error::InvalidArgument(_) => Self::Address,
            sqlx::Error::Io(error) => Self::of_system(error),
            sqlx::Error::Tls(_) => Self::NoTls,
            sqlx::Error::Protocol(_) | sqlx::Error::Decode(_) | sqlx::Error::Encode(_) => Self::NotPostgres,
            sqlx::Error::PoolTimedOut => Self::TimedOut,
            sqlx::Error::PoolClosed | sqlx::Error::WorkerCrashed => Self::Closed,
            sqlx::Error::Database(error) => Self::of_server(error.as_ref()),
            // The driver may get other kinds; none of today's comes while a connection is opened.
            _ => Self::Other,
        }
    }

    /// The kinds that say something a person could use.
    fn of_system(error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::ConnectionRefused => Self::NobodyListens,
            ErrorKind::TimedOut => Self::TimedOut,
            ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable | ErrorKind::NetworkDown => {
                Self::Unreachable
            }
            ErrorKind::PermissionDenied => Self::NotAllowed,
            ErrorKind::NotFound => Self::NoSocket,
            ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe
            | ErrorKind::UnexpectedEof
            | ErrorKind::NotConnected => Self::Closed,
            ErrorKind::InvalidData => Self::NotPostgres,
            // A failed look-up has no kind and no number of the system.
            kind if error.raw_os_error().is_none() && kind != ErrorKind::Other => Self::UnknownName,
            _ => Self::Other,
        }
    }

    fn of_server(error: &dyn DatabaseError) -> Self {
        match error.code().as_deref() {
            Some(code) if code.starts_with("28") => Self::Credentials,
            Some("3D000") => Self::UnknownDatabase,
            Some("53300") => Self::NoneLeft,
            Some("57P01" | "57P02" | "57P03") => Self::NotServing,
            _ => Self::Refused(error.message().to_owned()),
        }
    }
}

#[cfg(test)]
mod tests;
