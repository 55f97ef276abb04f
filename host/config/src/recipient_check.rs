//! `[recipient_check]`.

use crate::check::{check_range, check_web_address, refuse};
use crate::error::ConfigError;
use std::fmt;
use url::{Host, Url};

/// Longer than this, whoever issues would notice.
const TIMEOUT_MAX_MS: u32 = 10_000;
/// Less than this, nothing is in time.
const TIMEOUT_MIN_MS: u32 = 50;
/// A year.
const CACHE_MAX_H: u32 = 8_784;
/// A day.
const RETRY_AFTER_MAX_S: u32 = 86_400;

/// `[recipient_check]`: whether recipients are looked up in the VAT register of the Union before their documents are issued.
#[derive(Debug, Clone)]
pub struct RecipientCheck {
    /// Where the register is; nobody is looked up until this is set.
    pub vies_url: Option<RegisterAddress>,
    /// Milliseconds that whoever issues waits for its answer.
    pub timeout_ms: u32,
    /// Hours for which an answer is good.
    pub cache_h: u32,
    /// Seconds after which it is asked again where it did not say; each time twice as long.
    pub retry_after_s: u32,
}

/// Where the register is (`recipient_check.vies_url`).
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
        Self { vies_url: None, timeout_ms: 2_000, cache_h: 24, retry_after_s: 300 }
    }
}

impl RecipientCheck {
    pub(crate) fn check(&self, has_sandbox: bool) -> Result<(), ConfigError> {
        match &self.vies_url {
            None => {}
            Some(RegisterAddress::Sandbox) if has_sandbox => {}
            Some(RegisterAddress::Sandbox) => {
                return refuse(
                    "recipient_check.vies_url",
                    "the stand-in is there only where provider.base_url is 'sandbox': give the URL of the register",
                );
            }
            Some(RegisterAddress::Url(url)) => {
                check_web_address("recipient_check.vies_url", url)?;
                if url.scheme() != "https" && !is_loopback(url) {
                    return refuse("recipient_check.vies_url", "use https://, except on this machine");
                }
            }
        }
        check_range("recipient_check.timeout_ms", self.timeout_ms, TIMEOUT_MIN_MS, TIMEOUT_MAX_MS)?;
        check_range("recipient_check.cache_h", self.cache_h, 0, CACHE_MAX_H)?;
        check_range("recipient_check.retry_after_s", self.retry_after_s, 1, RETRY_AFTER_MAX_S)
    }

    /// As it is shown; none of a key of another section.
    pub(crate) fn value(&self, key: &str) -> Option<String> {
        Some(match key {
            "recipient_check.vies_url" => {
                self.vies_url.as_ref().map_or_else(|| "(unset)".to_owned(), ToString::to_string)
            }
            "recipient_check.timeout_ms" => self.timeout_ms.to_string(),
            "recipient_check.cache_h" => self.cache_h.to_string(),
            "recipient_check.retry_after_s" => self.retry_after_s.to_string(),
            _ => return None,
        })
    }
}

/// Whether nobody but this machine sees what goes there.
fn is_loopback(url: &Url) -> bool {
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
}
