//! Names become addresses here, and addresses inside do not come out.

use gateway_domain_platform::webhooks::{Refused, refused};
use gateway_outbound::{Lookup, Names, UnknownName, socket_addresses};
use reqwest::dns::{Name, Resolve, Resolving};
use std::net::IpAddr;
use std::sync::Arc;

/// Why a name gives no address to connect to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum LookupError {
    #[error("{0}")]
    Inside(Refused),
    #[error("{0}")]
    Unknown(#[from] UnknownName),
}

#[derive(Debug, Clone)]
pub(crate) struct Guard {
    names: Names,
    allow_private: bool,
}

impl Guard {
    pub(crate) fn new(lookup: Arc<dyn Lookup>, allow_private: bool) -> Self {
        Self { names: Names::new(lookup), allow_private }
    }

    /// Every address of a name, whatever it is.
    pub(crate) async fn ask(&self, name: &str) -> Result<Vec<IpAddr>, UnknownName> {
        self.names.addresses(name).await
    }

    /// The addresses of a name that may be connected to; at least one.
    async fn open(&self, name: &str) -> Result<Vec<IpAddr>, LookupError> {
        let found = self.ask(name).await?;
        if self.allow_private {
            return Ok(found);
        }
        let open: Vec<IpAddr> = found.iter().copied().filter(|address| refused(*address).is_none()).collect();
        match found.first().copied().and_then(refused) {
            Some(inside) if open.is_empty() => {
                let what = format!("{name} ({})", inside.what);
                Err(LookupError::Inside(Refused { what, why: inside.why }))
            }
            _ => Ok(open),
        }
    }
}

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let guard = self.clone();
        Box::pin(async move {
            let open = guard.open(name.as_str()).await?;
            Ok(socket_addresses(open))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_trait::async_trait;
    use std::io;

    #[derive(Debug)]
    struct FixedLookup(&'static [&'static str]);

    #[async_trait]
    impl Lookup for FixedLookup {
        async fn look_up(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            Ok(self.0.iter().filter_map(|address| address.parse().ok()).collect())
        }
    }

    async fn open(addresses: &'static [&'static str], allow_private: bool) -> String {
        match Guard::new(Arc::new(FixedLookup(addresses)), allow_private).open("example.com").await {
            Ok(open) => open.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "),
            Err(error) => error.to_string(),
        }
    }

    #[tokio::test]
    async fn of_several_addresses_those_outside_are_used() {
        assert_eq!(open(&["127.0.0.1", "93.184.216.34", "::1"], false).await, "93.184.216.34");
        assert_eq!(open(&["127.0.0.1", "::1"], true).await, "127.0.0.1 ::1");
        assert_eq!(open(&["10.0.0.1", "::1"], false).await, "example.com (10.0.0.1) is a private address");
        assert_eq!(open(&[], false).await, "it has no address");
        assert_eq!(open(&[], true).await, "it has no address");
    }
}
