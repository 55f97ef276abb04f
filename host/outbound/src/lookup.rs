//! Names become addresses here.

use async_trait::async_trait;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::io;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use tokio::sync::Semaphore;

/// Why a name has no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnknownName {
    /// The system does not say which of the two it is.
    #[error("there is no such name, or no name server answers")]
    NotFound,
    /// The name is there, without an address.
    #[error("it has no address")]
    WithoutAddress,
    /// Nobody answered in the time that there was.
    #[error("no name server answered in time")]
    TimedOut,
}

/// Who knows the addresses of names.
#[async_trait]
pub trait Lookup: Send + Sync + std::fmt::Debug {
    /// The addresses of a name, now.
    async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>>;
}

/// The system's resolver. It keeps a thread for as long as it waits for an answer, whoever still waits for it, so that it is
/// asked for few names at a time: a server that never answers does not take the threads that others need.
#[derive(Debug, Clone)]
pub struct SystemLookup {
    threads: Arc<Semaphore>,
}

impl SystemLookup {
    /// Asks for so many names at a time.
    pub fn new(threads: usize) -> Self {
        Self { threads: Arc::new(Semaphore::new(threads)) }
    }
}

#[async_trait]
impl Lookup for SystemLookup {
    async fn look_up(&self, name: &str) -> io::Result<Vec<IpAddr>> {
        let thread = Arc::clone(&self.threads).acquire_owned().await.map_err(io::Error::other)?;
        let name = name.to_owned();
        let lookup = tokio::task::spawn_blocking(move || {
            let found = (name.as_str(), 0).to_socket_addrs();
            // Not before the answer is there: a caller that gave up frees no thread.
            drop(thread);
            found
        });
        Ok(lookup.await.map_err(io::Error::other)??.map(|address| address.ip()).collect())
    }
}

/// How a client finds who it calls. A name without an address is an [`UnknownName`] among the causes of its error.
#[derive(Debug, Clone)]
pub struct Names(Arc<dyn Lookup>);

impl Names {
    /// Asks `lookup`.
    pub fn new(lookup: Arc<dyn Lookup>) -> Self {
        Self(lookup)
    }

    /// The addresses of a name; at least one.
    pub async fn addresses(&self, name: &str) -> Result<Vec<IpAddr>, UnknownName> {
        let found = self.0.look_up(name).await.map_err(|error| {
            tracing::info!(name, causes = %error, "A name could not be looked up.");
            UnknownName::NotFound
        })?;
        if found.is_empty() { Err(UnknownName::WithoutAddress) } else { Ok(found) }
    }
}

impl Resolve for Names {
    fn resolve(&self, name: Name) -> Resolving {
        let names = self.clone();
        Box::pin(async move {
            let found = names.addresses(name.as_str()).await?;
            Ok(socket_addresses(found))
        })
    }
}

/// Addresses as a client connects to them. The port is the one of the address that is called.
pub fn socket_addresses(addresses: Vec<IpAddr>) -> Addrs {
    Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0)))
}
