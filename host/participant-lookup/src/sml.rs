//! The locator: a U-NAPTR record (RFC 4848) of a name that is made of the participant's identifier.

use data_encoding::BASE32_NOPAD;
use gateway_domain_recipients::participant::{LookupDoubt, PARTICIPANT_SCHEME, Participant};
use hickory_resolver::TokioResolver;
use hickory_resolver::config::{NameServerConfig, ResolveHosts, ResolverConfig};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::net::{DnsError, NetError};
use hickory_resolver::proto::op::ResponseCode;
use hickory_resolver::proto::rr::rdata::NAPTR;
use hickory_resolver::proto::rr::{Name, RData, RecordType};
use sha2::{Digest, Sha256};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::Duration;
use url::Url;

/// What the records of publishers are told by.
const SERVICE: &str = "Meta:SMP";
/// Longest address of a publisher, characters.
const ADDRESS_CHARS_MAX: usize = 512;
/// Where the system names its servers.
const RESOLV_CONF: &str = "/etc/resolv.conf";
/// Servers of the system that are asked (resolv.conf(5), `MAXNS`).
const SERVERS_MAX: usize = 3;
const DNS_PORT: u16 = 53;

/// The locator of a network.
#[derive(Debug)]
pub(crate) struct Sml {
    pub(crate) zone: String,
    /// None: those of the system.
    pub(crate) name_servers: Vec<SocketAddr>,
    /// How long an answer may take.
    pub(crate) timeout: Duration,
}

/// The name of a participant (Policy for use of identifiers 4.4, POLICY 7), with a dot at its end.
fn name_of(participant: &Participant, zone: &str) -> String {
    let hash = BASE32_NOPAD.encode(&Sha256::digest(participant.value()));
    format!("{hash}.{PARTICIPANT_SCHEME}.{}.", zone.trim_matches('.'))
}

impl Sml {
    /// The address of whoever publishes the metadata of a participant; none of one that nobody registered.
    ///
    /// # Errors
    /// Why nobody knows.
    pub(crate) async fn publisher_of(&self, participant: &Participant) -> Result<Option<Url>, LookupDoubt> {
        let name = name_of(participant, &self.zone);
        let name = Name::from_ascii(name).map_err(|_| LookupDoubt::LocatorUnreadable)?;
        let resolver = self.resolver().map_err(|error| doubt_of(&error))?;
        let found = match resolver.lookup(name, RecordType::NAPTR).await {
            Ok(found) => found,
            Err(error) if is_absence(&error) => return Ok(None),
            Err(error) => return Err(doubt_of(&error)),
        };
        let records = found.answers().iter().filter_map(|record| {
            let RData::NAPTR(record) = &record.data else { return None };
            Some(record)
        });
        publisher(records).map(Some)
    }

    /// Made anew for each look-up: there are few, and the system's servers change while the gateway runs.
    fn resolver(&self) -> Result<TokioResolver, NetError> {
        let servers = match self.name_servers.as_slice() {
            [] => servers_of(&std::fs::read_to_string(RESOLV_CONF).unwrap_or_default()),
            configured => configured.to_vec(),
        };
        let servers = servers.into_iter().map(|server| {
            let mut configured = NameServerConfig::udp_and_tcp(server.ip());
            for connection in &mut configured.connections {
                connection.port = server.port();
            }
            configured
        });
        let config = ResolverConfig::from_parts(None, Vec::new(), servers.collect());
        let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        let options = builder.options_mut();
        // The first try gets half of the time, so that a packet that is lost is sent again.
        (options.timeout, options.attempts) = (self.timeout / 2, 1);
        (options.cache_size, options.use_hosts_file) = (0, ResolveHosts::Never);
        builder.build()
    }
}

/// Whether the locator says that there is no such participant. A server that refers to others said nothing.
fn is_absence(error: &NetError) -> bool {
    let NetError::Dns(DnsError::NoRecordsFound(found)) = error else { return false };
    found.response_code == ResponseCode::NXDomain
        || (found.response_code == ResponseCode::NoError && found.soa.is_some())
}

fn doubt_of(error: &NetError) -> LookupDoubt {
    tracing::info!(causes = %error, "The locator of participants gave no answer.");
    if matches!(error, NetError::Proto(_)) {
        LookupDoubt::LocatorUnreadable
    } else {
        LookupDoubt::LocatorNoAnswer
    }
}

/// The name servers that the system is configured with; without any, that of this machine (resolv.conf(5)).
fn servers_of(resolv_conf: &str) -> Vec<SocketAddr> {
    let addresses = resolv_conf.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        (words.next()? == "nameserver").then_some(())?;
        words.next()?.parse::<IpAddr>().ok()
    });
    let servers: Vec<_> =
        addresses.take(SERVERS_MAX).map(|address| SocketAddr::new(address, DNS_PORT)).collect();
    if servers.is_empty() { vec![SocketAddr::from((Ipv4Addr::LOCALHOST, DNS_PORT))] } else { servers }
}

/// The publisher of the record that goes first.
fn publisher<'a>(records: impl Iterator<Item = &'a NAPTR>) -> Result<Url, LookupDoubt> {
    let of_publishers = records.filter(|record| {
        record.services.eq_ignore_ascii_case(SERVICE.as_bytes()) && record.flags.eq_ignore_ascii_case(b"u")
    });
    let first = of_publishers.min_by_key(|record| (record.order, record.preference));
    first.and_then(|record| address(&record.regexp)).ok_or(LookupDoubt::LocatorUnreadable)
}

/// The address that a U-NAPTR replaces everything with: `!.*!https://smp.example/!`, also with anchors.
fn address(regexp: &[u8]) -> Option<Url> {
    let text = std::str::from_utf8(regexp).ok()?;
    let delimiter = text.chars().next()?;
    let parts: Vec<_> = text.split(delimiter).collect();
    let ["", ".*" | "^.*$", address, ""] = parts.as_slice() else { return None };
    if address.len() > ADDRESS_CHARS_MAX {
        return None;
    }
    address.parse().ok().filter(gateway_outbound::is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(participant: &str, zone: &str) -> String {
        name_of(&Participant::parse(participant).unwrap(), zone)
    }

    /// The example of the specification (SML 1.3, and POLICY 7), and a participant that the production network has under its name.
    #[test]
    fn a_name_is_made_of_the_hash_of_the_identifier() {
        let zone = "edelivery.tech.ec.europa.eu";
        let hash = "Y7DZFXAF3D4CJZ4KCGRXTEC6TWVCGA4KY7ZWA5BOIF6MSWD4TDRQ";
        assert_eq!(
            name("0088:123ABC", zone),
            format!("{hash}.iso6523-actorid-upis.edelivery.tech.ec.europa.eu.")
        );
        assert_eq!(
            name("iso6523-actorid-upis::0192:923609016", "participant.sml.prod.tech.peppol.org."),
            "XQK4T3FMTEZDUY5BOVJMTNAQ45N7E4TIBYHWFPGOT75BSP7UYG2A.iso6523-actorid-upis.participant.sml.prod.tech.peppol.org."
        );
    }

    #[test]
    fn the_record_of_a_publisher_with_the_lowest_order_goes_first() {
        let record = |order, preference, service: &str, address: &str| {
            let regexp = format!("!^.*$!{address}!");
            NAPTR::new(
                order,
                preference,
                b"U".to_vec().into(),
                service.as_bytes().to_vec().into(),
                regexp.into_bytes().into(),
                Name::root(),
            )
        };
        let records = [
            record(200, 1, "Meta:SMP", "https://third.example"),
            record(100, 20, "meta:smp", "https://second.example"),
            record(100, 10, "Meta:SMP", "https://first.example/smp"),
            record(1, 1, "Meta:CPA", "https://other.example"),
        ];
        assert_eq!(publisher(records.iter()).unwrap().as_str(), "https://first.example/smp");
        let others = [record(1, 1, "Meta:CPA", "https://other.example")];
        assert_eq!(publisher(others.iter()), Err(LookupDoubt::LocatorUnreadable));
        assert_eq!(publisher([].iter()), Err(LookupDoubt::LocatorUnreadable));
    }

    #[test]
    fn an_address_is_read_out_of_a_replacement_of_everything_alone() {
        for text in ["!.*!https://smp.example/!", "!^.*$!https://smp.example/!", "#.*#https://smp.example/#"]
        {
            assert_eq!(address(text.as_bytes()).unwrap().as_str(), "https://smp.example/", "{text}");
        }
        let long = format!("!.*!https://smp.example/{}!", "a".repeat(ADDRESS_CHARS_MAX));
        for text in [
            "",
            "!",
            "!.*!!",
            "!.*!https://smp.example/",
            "!.*!https://smp.example/!i",
            r"!^(.*)$!https://smp.example/\1!",
            "!.*!smp.example!",
            "!.*!ftp://smp.example/!",
            "!.*!https://user:secret@smp.example/!",
            "!.*!https://smp.example/?a=b!",
            "!.*!file:///etc/passwd!",
            &long,
        ] {
            assert_eq!(address(text.as_bytes()), None, "{text}");
        }
        assert_eq!(address(b"!.*!https://\xff!"), None);
    }

    #[test]
    fn the_servers_are_those_of_the_system() {
        let text = "# a comment\nsearch example.com\nnameserver 192.0.2.1\nnameserver 2001:db8::1\nnameserver fe80::1%eth0\nnameserver\n";
        let servers: Vec<_> = servers_of(text).iter().map(ToString::to_string).collect();
        assert_eq!(servers, ["192.0.2.1:53", "[2001:db8::1]:53"]);
        assert_eq!(servers_of("").len(), 1, "that of this machine");
    }
}
