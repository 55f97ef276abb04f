//! Who is at the other end of a request.

use crate::network::Network;
use axum::extract::{ConnectInfo, FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap};
use std::convert::Infallible;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

const FORWARDED_FOR: &str = "x-forwarded-for";

/// Whose `X-Forwarded-For` is believed. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Proxies(Arc<[Network]>);

impl Proxies {
    /// Whether the connection of a request with these extensions is one of a trusted proxy.
    pub fn trusts(&self, extensions: &Extensions) -> bool {
        let connected = extensions.get::<ConnectInfo<SocketAddr>>();
        connected.is_some_and(|ConnectInfo(peer)| self.0.iter().any(|network| network.holds(peer.ip())))
    }
}

impl From<Vec<Network>> for Proxies {
    fn from(networks: Vec<Network>) -> Self {
        Self(networks.into())
    }
}

/// The address a request comes from: that of the connection, or what a trusted proxy there says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer(pub IpAddr);

impl<S> FromRequestParts<S> for Peer
where
    S: Send + Sync,
    Proxies: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        let connected = parts.extensions.get::<ConnectInfo<SocketAddr>>();
        let address = connected.map_or(IpAddr::V4(Ipv4Addr::UNSPECIFIED), |ConnectInfo(peer)| peer.ip());
        Ok(Self(behind(address, &parts.headers, &Proxies::from_ref(state).0)))
    }
}

/// Every proxy adds the address that called it at the end, so the list is believed from there, and only as far as
/// proxies go that are trusted: what stands before may be invented.
fn behind(connected: IpAddr, headers: &HeaderMap, proxies: &[Network]) -> IpAddr {
    let trusted = |address: IpAddr| proxies.iter().any(|network| network.holds(address));
    let forwarded = headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
    let forwarded: Vec<_> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
    let mut address = connected;
    for text in forwarded.into_iter().rev() {
        if !trusted(address) {
            break;
        }
        let with_port = || text.parse::<SocketAddr>().map(|address| address.ip());
        let Ok(before) = text.parse::<IpAddr>().or_else(|_| with_port()) else { break };
        address = before;
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_trusted_proxies_say_who_called() {
        let proxies = ["10.0.0.0/8".parse().unwrap(), "::1".parse().unwrap()];
        for (connected, forwarded, expected) in [
            ("192.0.2.1", &["198.51.100.1"][..], "192.0.2.1"),
            ("10.0.0.1", &[], "10.0.0.1"),
            ("10.0.0.1", &["198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.1"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.9, 198.51.100.1 , 10.0.0.2"], "198.51.100.1"),
            ("10.0.0.1", &["203.0.113.9", "198.51.100.1", "10.0.0.2:4711"], "198.51.100.1"),
            ("::1", &["[2001:db8::1]:4711"], "2001:db8::1"),
            ("10.0.0.1", &["198.51.100.1, unknown"], "10.0.0.1"),
            ("10.0.0.1", &[""], "10.0.0.1"),
        ] {
            let mut headers = HeaderMap::new();
            for value in forwarded {
                headers.append(FORWARDED_FOR, value.parse().unwrap());
            }
            let found = behind(connected.parse().unwrap(), &headers, &proxies);
            assert_eq!(found, expected.parse::<IpAddr>().unwrap(), "{connected} {forwarded:?}");
            assert_eq!(
                behind(connected.parse().unwrap(), &headers, &[]),
                connected.parse::<IpAddr>().unwrap()
            );
        }
    }
}
