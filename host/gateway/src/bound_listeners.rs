//! The addresses of a gateway, listened on before anything is written: a start that finds one taken leaves everything as it was.

use crate::public_threads::PublicThreads;
use gateway_cli::reachable;
use gateway_config::{Config, Tls};
use gateway_domain_input::unreadable;
use gateway_http::connection::{Certificates, TlsIdentity};
use gateway_terminal::{Failure, note};
use std::net::SocketAddr;
use tokio::net::TcpListener;

/// What to do where somebody listens on an address already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PortInUse {
    /// The start fails.
    Refuse,
    /// A free port of the same machine address takes the place of one that nobody chose, and says so.
    FreePort,
}

/// A socket that takes connections from now on; they wait until somebody serves them.
#[derive(Debug)]
pub(crate) struct BoundListener {
    pub(crate) socket: TcpListener,
    /// Where it is, as others reach it on this machine: `http://127.0.0.1:8080`.
    pub(crate) url: String,
    /// What it speaks TLS with, if it does.
    pub(crate) tls: Option<TlsIdentity>,
}

/// The sockets of a gateway, and the threads that the public one belongs to.
#[derive(Debug)]
pub(crate) struct BoundListeners {
    /// Belongs to the public threads.
    pub(crate) public: BoundListener,
    pub(crate) internal: BoundListener,
    /// None where the provider is not the built-in sandbox.
    pub(crate) sandbox: Option<BoundListener>,
    pub(crate) public_threads: PublicThreads,
}

impl BoundListeners {
    /// Listens on every address of the configuration. The failure names the key of the first that cannot be had.
    pub(crate) async fn bind(config: &Config, port_in_use: PortInUse) -> Result<Self, Failure> {
        let public_threads = PublicThreads::start()?;
        let usual = Config::default();
        let unless_chosen = |addr: SocketAddr, usual: SocketAddr| {
            if addr == usual { port_in_use } else { PortInUse::Refuse }
        };
        let addr = config.server.public_addr;
        let public =
            BoundListener::bind("server.public_addr", addr, unless_chosen(addr, usual.server.public_addr));
        let public = public_threads.spawn(public).await??.over(identity(&config.server.public_tls)?);
        let addr = config.server.internal_addr;
        let in_use = unless_chosen(addr, usual.server.internal_addr);
        let internal = BoundListener::bind("server.internal_addr", addr, in_use).await?;
        let internal = internal.over(identity(&config.server.internal_tls)?);
        let sandbox = if config.is_sandboxed() {
            let addr = config.sandbox.addr;
            Some(BoundListener::bind("sandbox.addr", addr, unless_chosen(addr, usual.sandbox.addr)).await?)
        } else {
            None
        };
        Ok(Self { public, internal, sandbox, public_threads })
    }

    /// The certificates of those that speak TLS.
    pub(crate) fn certificates(&self) -> Certificates {
        let listeners = [("public", &self.public), ("internal", &self.internal)];
        Certificates::new(
            listeners.into_iter().filter_map(|(name, listener)| Some((name, listener.tls.clone()?))),
        )
    }
}

impl BoundListener {
    /// Listens on `addr`; `key` is what to change it with.
    pub(crate) async fn bind(key: &str, addr: SocketAddr, port_in_use: PortInUse) -> Result<Self, Failure> {
        let refused = |error: std::io::Error| {
            Failure::refused(format!(
                "nothing can listen on {addr} ({}): choose another address with {key}",
                bind_failure(&error)
            ))
        };
        let (socket, is_another) = match (TcpListener::bind(addr).await, port_in_use) {
            (Err(_), PortInUse::FreePort) => (TcpListener::bind((addr.ip(), 0)).await, true),
            (bound, _) => (bound, false),
        };
        let socket = socket.map_err(refused)?;
        let bound = socket.local_addr().map_err(refused)?;
        if is_another {
            note(&format!("note: {addr} is in use, so {key} is {bound} this time"));
        }
        // "Any address" is no address that somebody could call, or a token could be issued by.
        let url = reachable(&format!("http://{bound}"))?;
        Ok(Self { socket, url: url.as_str().trim_end_matches('/').to_owned(), tls: None })
    }

    /// The same over TLS, where there is a certificate.
    fn over(mut self, tls: Option<TlsIdentity>) -> Self {
        if tls.is_some() {
            self.url = self.url.replacen("http://", "https://", 1);
        }
        self.tls = tls;
        self
    }
}

/// Reads the certificate of a listener, where one is configured.
fn identity(tls: &Tls) -> Result<Option<TlsIdentity>, Failure> {
    let identity = tls.files().map(TlsIdentity::load).transpose();
    identity.map_err(|error| Failure::refused(error.to_string()))
}

/// What keeps an address from being listened on, to stand in parentheses.
fn bind_failure(error: &std::io::Error) -> String {
    if error.kind() == std::io::ErrorKind::PermissionDenied {
        return "the system keeps it from this user, as it does with ports below 1024".to_owned();
    }
    if error.raw_os_error() == Some(rustix::io::Errno::AFNOSUPPORT.raw_os_error()) {
        return "this machine has no addresses of this kind".to_owned();
    }
    unreadable(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::io::Errno;
    use std::io;
    use std::net::Ipv4Addr;

    #[test]
    fn an_address_that_cannot_be_taken_is_refused_in_words_of_people() {
        for (errno, words) in [
            (Errno::ACCESS, "the system keeps it from this user, as it does with ports below 1024"),
            (Errno::AFNOSUPPORT, "this machine has no addresses of this kind"),
            (Errno::ADDRINUSE, "the port is in use"),
            (Errno::ADDRNOTAVAIL, "this machine has no such address"),
        ] {
            assert_eq!(bind_failure(&io::Error::from_raw_os_error(errno.raw_os_error())), words);
        }
    }

    #[tokio::test]
    async fn a_port_in_use_is_refused_or_another_one_takes_its_place_as_asked() {
        let free = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let first = BoundListener::bind("sandbox.addr", free, PortInUse::Refuse).await.unwrap();
        let addr = first.socket.local_addr().unwrap();
        let refused = BoundListener::bind("sandbox.addr", addr, PortInUse::Refuse).await.unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!(
                "nothing can listen on {addr} (the port is in use): choose another address with sandbox.addr"
            )
        );
        let other = BoundListener::bind("sandbox.addr", addr, PortInUse::FreePort).await.unwrap();
        assert_ne!(other.url, first.url);
    }
}
