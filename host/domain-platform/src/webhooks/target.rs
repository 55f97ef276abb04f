//! Where webhooks may go: nowhere inside, whatever the address looks like.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use url::{Host, Url};

/// Longest address, characters.
pub const URL_CHARS_MAX: usize = 2048;

/// The ports that browsers do not call over HTTP either (WHATWG Fetch, "bad port").
const OTHER_PROTOCOLS: [u16; 83] = [
    0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103,
    104, 109, 110, 111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514,
    515, 526, 530, 531, 532, 540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723,
    2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
];

/// Why an address is none for a webhook.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoTarget {
    /// It is no address at all.
    #[error("use an address such as https://example.com/hooks")]
    NoUrl,
    /// It is too long.
    #[error("use at most {URL_CHARS_MAX} characters")]
    TooLong,
    /// It is of another kind.
    #[error("use an address that begins with https:// or http://")]
    Scheme,
    /// It has a user name or a password.
    #[error("leave user name and password out of the address: verify the signature instead")]
    Credentials,
    /// Its port is the one of another protocol: a call there could be taken for a command.
    #[error("use another port: {0} belongs to another protocol than HTTP")]
    Port(u16),
    /// It leads inside.
    #[error("use an address that is reached from the internet: {0}")]
    Refused(Refused),
}

/// An address that nothing is sent to, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// What is refused: an address or a name.
    pub what: String,
    /// What it is.
    pub why: &'static str,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}", self.what, self.why)
    }
}

/// Where a webhook goes. Whether a name leads inside is only known when it is looked up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target(Url);

impl Target {
    /// Reads an address. Numbers in other notations (`http://2130706433`, `http://0x7f.1`) are the same addresses and are
    /// refused as they are. `allow_private` lets addresses inside pass.
    pub fn parse(text: &str, allow_private: bool) -> Result<Self, NoTarget> {
        if text.chars().count() > URL_CHARS_MAX {
            return Err(NoTarget::TooLong);
        }
        let url = Url::parse(text).map_err(|_| NoTarget::NoUrl)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(NoTarget::Scheme);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(NoTarget::Credentials);
        }
        if !url.has_host() {
            return Err(NoTarget::NoUrl);
        }
        if let Some(port) = url.port().filter(|port| !allow_private && OTHER_PROTOCOLS.contains(port)) {
            return Err(NoTarget::Port(port));
        }
        let target = Self(url);
        match target.inside().filter(|_| !allow_private) {
            None => Ok(target),
            Some(refused) => Err(NoTarget::Refused(refused)),
        }
    }

    /// What of the address itself leads inside.
    fn inside(&self) -> Option<Refused> {
        match self.0.host()? {
            Host::Ipv4(address) => refused(address.into()),
            Host::Ipv6(address) => refused(address.into()),
            Host::Domain(name) => {
                let bare = name.trim_end_matches('.').to_ascii_lowercase();
                let local = bare == "localhost" || bare.ends_with(".localhost");
                local.then(|| Refused { what: name.to_owned(), why: "this machine" })
            }
        }
    }

    /// The name to be looked up; none when the address is a number.
    pub fn name(&self) -> Option<&str> {
        match self.0.host()? {
            Host::Domain(name) => Some(name),
            Host::Ipv4(_) | Host::Ipv6(_) => None,
        }
    }

    /// The address in its normal form.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Whether nothing is sent to an address, and why.
pub fn refused(address: IpAddr) -> Option<Refused> {
    let why = match address {
        IpAddr::V4(address) => inside_v4(address),
        IpAddr::V6(address) => inside_v6(address),
    };
    why.map(|why| Refused { what: address.to_string(), why })
}

fn inside_v4(address: Ipv4Addr) -> Option<&'static str> {
    let [a, b, c, _] = address.octets();
    Some(match (a, b, c) {
        (0, ..) => "no address of a machine",
        (127, ..) => "this machine",
        (10, ..) | (172, 16..=31, _) | (192, 168, _) => "a private address",
        (100, 64..=127, _) => "an address inside a provider's network",
        (169, 254, _) => "a link-local address",
        (192, 0, 0) => "a reserved address",
        (192, 0, 2) | (198, 51, 100) | (203, 0, 113) => "an address for documentation",
        (192, 88, 99) => "the address of a tunnel",
        (198, 18..=19, _) => "an address for measurements",
        (224..=239, ..) => "a multicast address",
        (240..=255, ..) => "a reserved or broadcast address",
        _ => return None,
    })
}

fn inside_v6(address: Ipv6Addr) -> Option<&'static str> {
    let segments = address.segments();
    Some(match segments {
        [0, 0, 0, 0, 0, 0, 0, 0] => "no address of a machine",
        [0, 0, 0, 0, 0, 0, 0, 1] => "this machine",
        // Mapped, compatible and translated addresses lead to IPv4 addresses that nobody looked at.
        [0, 0, 0, 0, 0, 0xffff | 0, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => "an IPv4 address in disguise",
        [0x64, 0xff9b, ..] => "the address of a translator",
        [0x100, 0, 0, 0, ..] => "an address that leads nowhere",
        [0x2001, 0, ..] | [0x2002, ..] => "the address of a tunnel",
        [0x2001, 0x1..=0x1ff, ..] => "a reserved address",
        [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => "an address for documentation",
        [0x5f00, ..] => "a reserved address",
        [0xfc00..=0xfdff, ..] => "a private address",
        [0xfe80..=0xfebf, ..] => "a link-local address",
        [0xfec0..=0xfeff, ..] => "a private address",
        [0xff00..=0xffff, ..] => "a multicast address",
        // Everything else that is not of the one range in use.
        [0x2000..=0x3fff, ..] => return None,
        _ => "a reserved address",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal_of(text: &str) -> String {
        match Target::parse(text, false) {
            Ok(target) => format!("goes to {target}"),
            Err(NoTarget::Refused(refused)) => refused.to_string(),
            Err(other) => other.to_string(),
        }
    }

    #[test]
    fn nothing_leads_inside_however_it_is_written() {
        let loopback = "127.0.0.1 is this machine";
        for text in [
            "http://127.0.0.1/x",
            "http://127.1/",
            "http://2130706433/",
            "http://0x7f000001/",
            "http://0x7f.0.0.1/",
            "http://0177.0.0.1/",
            "http://0177.1/",
            "http://%31%32%37.0.0.1/",
            "http://１２７.0.0.1/",
            "http:127.0.0.1",
            "http:\\\\127.0.0.1\\",
            "https://127.0.0.1:8443/x?y=z",
        ] {
            assert_eq!(refusal_of(text), loopback, "{text}");
        }
        for text in [
            "http://localhost/",
            "http://LOCALHOST:80/",
            "http://localhost./",
            "http://a.localhost/",
            "http://0.0.0.0/",
            "http://0/",
            "http://10.1.2.3/",
            "http://172.16.0.1/",
            "http://172.31.255.255/",
            "http://192.168.1.1/",
            "http://100.64.0.1/",
            "http://100.127.255.255/",
            "http://169.254.169.254/latest/meta-data/",
            "http://192.0.0.1/",
            "http://192.0.2.1/",
            "http://198.51.100.7/",
            "http://203.0.113.7/",
            "http://192.88.99.1/",
            "http://198.18.0.1/",
            "http://224.0.0.1/",
            "http://240.0.0.1/",
            "http://255.255.255.255/",
            "http://[::]/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:8.8.8.8]/",
            "http://[::ffff:7f00:1]/",
            "http://[::127.0.0.1]/",
            "http://[::ffff:0:127.0.0.1]/",
            "http://[64:ff9b::7f00:1]/",
            "http://[64:ff9b:1::1]/",
            "http://[100::1]/",
            "http://[2001::1]/",
            "http://[2001:db8::1]/",
            "http://[3fff::1]/",
            "http://[2002:7f00:1::]/",
            "http://[fc00::1]/",
            "http://[fdab::1]/",
            "http://[fe80::1]/",
            "http://[fec0::1]/",
            "http://[ff02::1]/",
            "http://[4000::1]/",
        ] {
            assert!(refusal_of(text).contains(" is "), "{text}: {}", refusal_of(text));
        }
    }

    #[test]
    fn the_internet_is_reached() {
        for text in [
            "https://example.com/hooks?a=b",
            "http://example.com:8080/",
            "https://8.8.8.8/",
            "http://172.15.0.1/",
            "http://172.32.0.1/",
            "http://100.63.0.1/",
            "http://100.128.0.1/",
            "http://[2606:4700::1111]/",
            "http://[2a00:1450::1]/",
            "https://mylocalhost/",
            "https://bücher.example/",
        ] {
            assert!(refusal_of(text).starts_with("goes to "), "{text}: {}", refusal_of(text));
        }
        let target = Target::parse("https://example.com/hooks", false).unwrap();
        assert_eq!(target.name(), Some("example.com"));
        assert_eq!(Target::parse("https://8.8.8.8/", false).unwrap().name(), None);
    }

    #[test]
    fn what_is_no_address_for_a_webhook_is_told_apart() {
        for (text, what) in [
            ("", "use an address such as"),
            ("http://example.com:25/", "use another port: 25"),
            ("https://example.com:0/", "use another port: 0"),
            ("https://example.com:10080/hooks", "use another port: 10080"),
            ("example.com", "use an address such as"),
            ("http://", "use an address such as"),
            ("http://[::1", "use an address such as"),
            ("ftp://example.com/", "begins with https://"),
            ("file:///etc/passwd", "begins with https://"),
            ("gopher://example.com/", "begins with https://"),
            ("https://ana@example.com/", "leave user name and password out"),
            ("https://ana:secret@example.com/", "leave user name and password out"),
            ("https://:secret@example.com/", "leave user name and password out"),
        ] {
            assert!(refusal_of(text).contains(what), "{text}: {}", refusal_of(text));
        }
        let long = format!("https://example.com/{}", "x".repeat(URL_CHARS_MAX));
        assert_eq!(Target::parse(&long, false), Err(NoTarget::TooLong));
    }

    #[test]
    fn an_operator_may_allow_what_is_inside() {
        for text in ["http://127.0.0.1:8080/", "http://localhost/", "http://[::1]/"] {
            assert!(Target::parse(text, true).is_ok(), "{text}");
        }
        assert_eq!(Target::parse("ftp://localhost/", true), Err(NoTarget::Scheme));
    }
}
