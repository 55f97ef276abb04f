//! `[recipient_check]`.

use crate::check::{check_range, check_web_address, refuse};
use crate::error::ConfigError;
use gateway_domain::regime::RegimeKey;
use std::fmt;
use std::net::SocketAddr;
use url::{Host, Url};

/// Longer than this, whoever issues would notice.
const TIMEOUT_MAX_MS: u32 = 10_000;
/// Less than this, nothing is in time.
const TIMEOUT_MIN_MS: u32 = 50;
/// A year.
const CACHE_MAX_H: u32 = 8_784;
/// A day.
const RETRY_AFTER_MAX_S: u32 = 86_400;
/// Longest zone that a name of 253 characters leaves room for, behind the hash of a participant and its scheme.
const ZONE_CHARS_MAX: usize = 178;
const SMP_URL: &str = "recipient_check.smp_url";
const SML_ZONE: &str = "recipient_check.sml_zone";
const SML_SERVERS: &str = "recipient_check.sml_servers";
const SMP_ALLOW_PRIVATE: &str = "recipient_check.smp_allow_private";
const SMP_REGIMES: &str = "recipient_check.smp_regimes";

/// `[recipient_check]`: whether recipients are looked up in the VAT register of the Union, and in the delivery network, before their
/// documents are issued.
#[derive(Debug, Clone)]
pub struct RecipientCheck {
    /// Where the register is; nobody is looked up until this is set.
    pub vies_url: Option<RegisterAddress>,
    /// The zone of the locator (SML) that says who publishes what participants receive; nobody is looked up until this or `smp_url` is set.
    pub sml_zone: Option<String>,
    /// The name servers to ask for it; those of the system unless some are given.
    pub sml_servers: Vec<SocketAddr>,
    /// Who publishes what every participant receives (SMP); no locator is asked then.
    pub smp_url: Option<RegisterAddress>,
    /// Whether publishers inside, and without TLS, are called.
    pub smp_allow_private: bool,
    /// The tax regimes whose documents go through the network.
    pub smp_regimes: Vec<RegimeKey>,
    /// Milliseconds that whoever issues waits for an answer.
    pub timeout_ms: u32,
    /// Hours for which an answer is good.
    pub cache_h: u32,
    /// Seconds after which it is asked again where it did not say; each time twice as long.
    pub retry_after_s: u32,
}

/// Where the register is (`recipient_check.vies_url`), or a publisher (`recipient_check.smp_url`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegisterAddress {
    /// The stand-in of this process, beside the one for the provider.
    Sandbox,
    /// Somewhere else.
    Url(Url),
}

impl RegisterAddress {
    /// What stands for the stand-in.
    pub const SANDBOX: &str = "sandbox";
}

impl fmt::Display for RegisterAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sandbox => f.write_str(Self::SANDBOX),
            Self::Url(url) => url.fmt(f),
        }
    }
}

impl Default for RecipientCheck {
    fn default() -> Self {
        Self {
            vies_url: None,
            sml_zone: None,
            sml_servers: Vec::new(),
            smp_url: None,
            smp_allow_private: false,
            smp_regimes: Vec::new(),
            timeout_ms: 2_000,
            cache_h: 24,
            retry_after_s: 300,
        }
    }
}

impl RecipientCheck {
    pub(crate) fn check(&self, has_sandbox: bool) -> Result<(), ConfigError> {
        check_address("recipient_check.vies_url", self.vies_url.as_ref(), has_sandbox)?;
        check_address(SMP_URL, self.smp_url.as_ref(), has_sandbox)?;
        self.check_network()?;
        check_range("recipient_check.timeout_ms", self.timeout_ms, TIMEOUT_MIN_MS, TIMEOUT_MAX_MS)?;
        check_range("recipient_check.cache_h", self.cache_h, 0, CACHE_MAX_H)?;
        check_range("recipient_check.retry_after_s", self.retry_after_s, 1, RETRY_AFTER_MAX_S)
    }

    fn check_network(&self) -> Result<(), ConfigError> {
        if self.sml_zone.as_ref().is_some_and(|zone| !is_zone(zone)) {
            return refuse(SML_ZONE, "it is no domain name: give one such as sml.example.org");
        }
        let is_looked_up = self.sml_zone.is_some() || self.smp_url.is_some();
        if is_looked_up && self.smp_regimes.is_empty() {
            return refuse(
                SMP_REGIMES,
                "nobody would be looked up: name the tax regimes whose documents go through the network",
            );
        }
        Ok(())
    }

    /// As it is shown; none of a key of another section.
    pub(crate) fn value(&self, key: &str) -> Option<String> {
        Some(match key {
            "recipient_check.vies_url" => or_unset(self.vies_url.as_ref()),
            SML_ZONE => or_unset(self.sml_zone.as_ref()),
            SML_SERVERS => joined(&self.sml_servers),
            SMP_URL => or_unset(self.smp_url.as_ref()),
            SMP_ALLOW_PRIVATE => self.smp_allow_private.to_string(),
            SMP_REGIMES => joined(&self.smp_regimes),
            "recipient_check.timeout_ms" => self.timeout_ms.to_string(),
            "recipient_check.cache_h" => self.cache_h.to_string(),
            "recipient_check.retry_after_s" => self.retry_after_s.to_string(),
            _ => return None,
        })
    }
}

fn or_unset(value: Option<&impl ToString>) -> String {
    value.map_or_else(|| "(unset)".to_owned(), ToString::to_string)
}

fn joined(values: &[impl ToString]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

fn check_address(key: &str, address: Option<&RegisterAddress>, has_sandbox: bool) -> Result<(), ConfigError> {
    match address {
        None => Ok(()),
        Some(RegisterAddress::Sandbox) if has_sandbox => Ok(()),
        Some(RegisterAddress::Sandbox) => {
            refuse(key, "the stand-in is there only where provider.base_url is 'sandbox': give the URL")
        }
        Some(RegisterAddress::Url(url)) => {
            check_web_address(key, url)?;
            if url.scheme() != "https" && !is_loopback(url) {
                return refuse(key, "use https://, except on this machine");
            }
            Ok(())
        }
    }
}

/// Whether it is a name that others can stand before.
fn is_zone(text: &str) -> bool {
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    text.len() <= ZONE_CHARS_MAX && text.strip_suffix('.').unwrap_or(text).split('.').all(is_label)
}

/// Whether nobody but this machine sees what goes there.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(address: RegisterAddress, has_sandbox: bool) -> Result<(), String> {
        let configured = RecipientCheck { vies_url: Some(address), ..RecipientCheck::default() };
        configured.check(has_sandbox).map_err(|error| error.to_string())
    }

    #[test]
    fn what_is_told_of_recipients_is_encrypted_unless_it_stays_on_the_machine() {
        for (url, is_taken) in [
            ("https://ec.europa.eu/taxation_customs/vies/rest-api", true),
            ("http://127.0.0.1:8089/taxation_customs/vies/rest-api", true),
            ("http://[::1]:8089/", true),
            ("http://localhost:8089/", true),
            ("http://ec.europa.eu/taxation_customs/vies/rest-api", false),
            ("ftp://ec.europa.eu/", false),
            ("https://user:secret@ec.europa.eu/", false),
        ] {
            let checked = checked(RegisterAddress::Url(url.parse().unwrap()), false);
            assert_eq!(checked.is_ok(), is_taken, "{url}: {checked:?}");
        }
    }

    #[test]
    fn the_stand_in_is_there_only_beside_that_of_the_provider() {
        assert_eq!(checked(RegisterAddress::Sandbox, true), Ok(()));
        let refused = checked(RegisterAddress::Sandbox, false).unwrap_err();
        assert!(
            refused.contains("recipient_check.vies_url") && refused.contains("provider.base_url"),
            "{refused}"
        );
    }

    #[test]
    fn whoever_issues_does_not_wait_for_long() {
        let refused = |configured: RecipientCheck| configured.check(false).is_err();
        assert!(refused(RecipientCheck { timeout_ms: 0, ..RecipientCheck::default() }));
        assert!(refused(RecipientCheck { timeout_ms: 60_000, ..RecipientCheck::default() }));
        assert!(refused(RecipientCheck { retry_after_s: 0, ..RecipientCheck::default() }));
        assert!(!refused(RecipientCheck { cache_h: 0, ..RecipientCheck::default() }));
    }

    #[test]
    fn the_network_can_be_found_and_has_some_documents() {
        let regimes: Vec<RegimeKey> = vec!["xx-example".parse().unwrap()];
        let checked = |zone: Option<&str>, smp_url: Option<RegisterAddress>, smp_regimes: &[RegimeKey]| {
            let configured = RecipientCheck {
                sml_zone: zone.map(str::to_owned),
                smp_url,
                smp_regimes: smp_regimes.to_vec(),
                ..RecipientCheck::default()
            };
            configured.check(true).map_err(|error| error.to_string())
        };
        let url = || Some(RegisterAddress::Url("https://smp.example".parse().unwrap()));
        assert_eq!(checked(None, None, &[]), Ok(()));
        assert_eq!(checked(Some("sml.example.org"), None, &regimes), Ok(()));
        assert_eq!(checked(None, url(), &regimes), Ok(()));
        assert_eq!(checked(None, Some(RegisterAddress::Sandbox), &regimes), Ok(()));
        assert_eq!(checked(Some("sml.example.org"), url(), &regimes), Ok(()), "no locator is asked");
        let refused = checked(None, url(), &[]).unwrap_err();
        assert!(refused.contains(SMP_REGIMES), "{refused}");
        for zone in ["", "sml..org", "https://sml.example.org", "sml_example.org", &"a.".repeat(90)] {
            let refused = checked(Some(zone), None, &regimes).unwrap_err();
            assert!(refused.contains(SML_ZONE), "{zone}: {refused}");
        }
    }
}
