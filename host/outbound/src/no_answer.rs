//! Why a call got no answer.

use crate::lookup::UnknownName;
use rustls::CertificateError;
use std::error::Error;
use std::io;
use std::iter;

/// Why a call got no answer, to stand in parentheses or behind a colon.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// The name leads nowhere.
    #[error("the name could not be looked up: {0}")]
    UnknownName(UnknownName),
    /// The machine is there, and nobody listens on the port.
    #[error("nobody listens there")]
    NobodyListens,
    /// No connection, or no answer, in the time that there was.
    #[error("no answer came in time")]
    TimedOut,
    /// No network between here and there.
    #[error("there is no way to its network")]
    Unreachable,
    /// The system does not let this process call there.
    #[error("the system does not allow to call there")]
    NotAllowed,
    /// A certificate that is over, or not yet in force.
    #[error("its certificate is not in force today")]
    CertificateNotInForce,
    /// A certificate of somebody else.
    #[error("its certificate is for another name")]
    CertificateOfAnotherName,
    /// Signed by nobody that this machine trusts.
    #[error("its certificate comes from nobody whom this machine trusts")]
    CertificateNotTrusted,
    /// Revoked, malformed, or not for servers.
    #[error("its certificate is not accepted")]
    CertificateNotAccepted,
    /// Plain HTTP, or a TLS too old.
    #[error("it speaks no TLS that the gateway understands")]
    NoTls,
    /// Something answered, in another language.
    #[error("what it answers is no HTTP")]
    NoHttp,
    /// The other side closed the connection, or it broke.
    #[error("the connection was closed before the answer was there")]
    Closed,
    /// No connection for another reason; the log has it.
    #[error("no connection could be made")]
    NoConnection,
}

impl NoAnswer {
    /// Sorts an error of a call. Its causes are logged here, because nobody else sees them; the address is not among
    /// them: it may be long or private.
    pub fn of(error: reqwest::Error) -> Self {
        let error = error.without_url();
        log_causes(&error);
        if let Some(known) = causes(&error).find_map(of_cause) {
            return known;
        }
        if error.is_timeout() {
            Self::TimedOut
        } else if error.is_connect() {
            Self::NoConnection
        } else {
            Self::Closed
        }
    }
}

/// The error and its causes as their libraries tell them, for whoever runs the gateway.
pub fn log_causes(error: &(dyn Error + 'static)) {
    let texts: Vec<String> = causes(error).map(ToString::to_string).collect();
    tracing::info!(
        causes = texts.join(": "),
        "An outbound call has no answer, or a client for such calls could not be made."
    );
}

/// The first of an error and its causes that is a `T`.
pub fn find_cause<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    causes(error).find_map(<dyn Error>::downcast_ref)
}

/// The error, and whatever caused it.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(Some(error), |error| cause_of(*error))
}

/// The standard library hides what is in an error of I/O from `source`.
fn cause_of<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref::<io::Error>().and_then(io::Error::get_ref) {
        Some(inner) => Some(inner),
        None => error.source(),
    }
}

fn of_cause(cause: &(dyn Error + 'static)) -> Option<NoAnswer> {
    if let Some(name) = cause.downcast_ref::<UnknownName>() {
        return Some(NoAnswer::UnknownName(*name));
    }
    if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
        return Some(of_tls(tls));
    }
    if let Some(http) = cause.downcast_ref::<hyper::Error>() {
        return http.is_parse().then_some(NoAnswer::NoHttp);
    }
    of_system(cause.downcast_ref::<io::Error>()?)
}

fn of_tls(error: &rustls::Error) -> NoAnswer {
    let rustls::Error::InvalidCertificate(why) = error else { return NoAnswer::NoTls };
    if matches!(
        why,
        CertificateError::Expired
            | CertificateError::ExpiredContext { .. }
            | CertificateError::NotValidYet
            | CertificateError::NotValidYetContext { .. }
    ) {
        NoAnswer::CertificateNotInForce
    } else if matches!(
        why,
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. }
    ) {
        NoAnswer::CertificateOfAnotherName
    } else if matches!(why, CertificateError::UnknownIssuer) {
        NoAnswer::CertificateNotTrusted
    } else {
        NoAnswer::CertificateNotAccepted
    }
}

/// What the system reports by its kind; other kinds say nothing that a person could use.
fn of_system(error: &io::Error) -> Option<NoAnswer> {
    const BY_KIND: [(io::ErrorKind, NoAnswer); 11] = [
        (io::ErrorKind::ConnectionRefused, NoAnswer::NobodyListens),
        (io::ErrorKind::TimedOut, NoAnswer::TimedOut),
        (io::ErrorKind::HostUnreachable, NoAnswer::Unreachable),
        (io::ErrorKind::NetworkUnreachable, NoAnswer::Unreachable),
        (io::ErrorKind::NetworkDown, NoAnswer::Unreachable),
        (io::ErrorKind::PermissionDenied, NoAnswer::NotAllowed),
        (io::ErrorKind::ConnectionReset, NoAnswer::Closed),
        (io::ErrorKind::ConnectionAborted, NoAnswer::Closed),
        (io::ErrorKind::BrokenPipe, NoAnswer::Closed),
        (io::ErrorKind::UnexpectedEof, NoAnswer::Closed),
        (io::ErrorKind::NotConnected, NoAnswer::Closed),
    ];
    BY_KIND.iter().find(|(kind, _)| *kind == error.kind()).map(|(_, known)| *known)
}
