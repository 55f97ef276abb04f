//! `[reconciliation]`.

use crate::check::{check_web_address, refuse};
use crate::error::ConfigError;
use crate::recipient_check::{RegisterAddress, is_loopback};
use gateway_domain::regime::RegimeKey;
use jiff::civil::Time;
use std::collections::BTreeMap;
use std::path::PathBuf;

pub(crate) const URLS: &str = "reconciliation.authority_urls";
pub(crate) const CERTIFICATES: &str = "reconciliation.authority_certificate_files";
pub(crate) const KEY_FILES: &str = "reconciliation.authority_key_files";

/// `[reconciliation]`: when what was filed is compared with what provider and tax authority hold, and how fast.
#[derive(Debug, Clone)]
pub struct Reconciliation {
    /// The time of the day in UTC at which a run of every workspace begins; none: only the command begins one.
    pub nightly_at: Option<Time>,
    /// How far back a nightly run looks, days.
    pub days: u16,
    /// Requests to provider and authority within a minute, of one run.
    pub requests_per_min: u32,
    /// Where the authorities' own lists are, by tax regime; those of others are not asked for.
    pub authority_urls: BTreeMap<RegimeKey, RegisterAddress>,
    /// PEM: the certificates with which the gateway shows an authority who it is, followed by those that lead to a root.
    pub authority_certificate_files: BTreeMap<RegimeKey, PathBuf>,
    /// PEM: their private keys.
    pub authority_key_files: BTreeMap<RegimeKey, PathBuf>,
}

impl Reconciliation {
    /// What stands for no nightly run.
    pub(crate) const OFF: &str = "off";

    pub(crate) fn check(&self, has_sandbox: bool) -> Result<(), ConfigError> {
        for (regime, address) in &self.authority_urls {
            match address {
                RegisterAddress::Sandbox if has_sandbox => {}
                RegisterAddress::Sandbox => refuse(
                    URLS,
                    format!(
                        "{regime}: the stand-in is there only where provider.base_url is 'sandbox': give the URL"
                    ),
                )?,
                RegisterAddress::Url(url) => {
                    check_web_address(URLS, url)?;
                    if url.scheme() != "https" && !is_loopback(url) {
                        refuse(URLS, format!("{regime}: use https://, except on this machine"))?;
                    }
                }
            }
        }
        let (certificates, keys) = (&self.authority_certificate_files, &self.authority_key_files);
        for (key, files, others) in [(CERTIFICATES, certificates, keys), (KEY_FILES, keys, certificates)] {
            for regime in files.keys() {
                if !self.authority_urls.contains_key(regime) {
                    refuse(key, format!("{regime} has no address in {URLS}: give it one"))?;
                }
                if !others.contains_key(regime) {
                    refuse(
                        key,
                        format!("{regime}: a certificate goes with its key: name both files, or none"),
                    )?;
                }
            }
        }
        Ok(())
    }

    /// As it is shown; none of a key of another section. The files are named, never their content.
    pub(crate) fn value(&self, key: &str) -> Option<String> {
        Some(match key {
            "reconciliation.nightly_at" => {
                self.nightly_at.map_or_else(|| Self::OFF.to_owned(), |at| at.strftime("%H:%M").to_string())
            }
            "reconciliation.days" => self.days.to_string(),
            "reconciliation.requests_per_min" => self.requests_per_min.to_string(),
            URLS => listed(&self.authority_urls, ToString::to_string),
            CERTIFICATES => listed(&self.authority_certificate_files, |file| file.display().to_string()),
            KEY_FILES => listed(&self.authority_key_files, |file| file.display().to_string()),
            _ => return None,
        })
    }
}

impl Default for Reconciliation {
    fn default() -> Self {
        Self {
            nightly_at: Some(Time::constant(3, 30, 0, 0)),
            days: 35,
            requests_per_min: 120,
            authority_urls: BTreeMap::new(),
            authority_certificate_files: BTreeMap::new(),
            authority_key_files: BTreeMap::new(),
        }
    }
}

fn listed<T>(values: &BTreeMap<RegimeKey, T>, text: impl Fn(&T) -> String) -> String {
    let items: Vec<_> = values.iter().map(|(regime, value)| format!("{regime}={}", text(value))).collect();
    items.join(",")
}

/// `REGIME=VALUE`.
pub(crate) fn of_regime<T>(item: &str, parse: impl Fn(&str) -> Option<T>) -> Option<(RegimeKey, T)> {
    let (regime, value) = item.split_once('=')?;
    let regime = regime.trim().parse().ok()?;
    parse(value.trim()).filter(|_| !value.trim().is_empty()).map(|value| (regime, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(urls: &[&str], certificates: &[&str], keys: &[&str], has_sandbox: bool) -> Result<(), String> {
        let address = |text: &str| match text {
            RegisterAddress::SANDBOX => Some(RegisterAddress::Sandbox),
            _ => text.parse().ok().map(RegisterAddress::Url),
        };
        let files = |items: &[&str]| {
            items.iter().map(|item| of_regime(item, |text| Some(PathBuf::from(text))).unwrap()).collect()
        };
        let configured = Reconciliation {
            authority_urls: urls.iter().map(|item| of_regime(item, address).unwrap()).collect(),
            authority_certificate_files: files(certificates),
            authority_key_files: files(keys),
            ..Reconciliation::default()
        };
        configured.check(has_sandbox).map_err(|error| error.to_string())
    }

    #[test]
    fn an_authority_is_asked_over_tls_unless_it_is_on_the_machine() {
        assert_eq!(checked(&["xx-example=https://authority.example/ws"], &[], &[], false), Ok(()));
        assert_eq!(checked(&["xx-example=http://127.0.0.1:8089/ws"], &[], &[], false), Ok(()));
        assert_eq!(checked(&["xx-example=sandbox"], &[], &[], true), Ok(()));
        for url in ["http://authority.example/ws", "https://user:secret@authority.example/", "sandbox"] {
            let refused = checked(&[&format!("xx-example={url}")], &[], &[], false).unwrap_err();
            assert!(refused.contains(URLS), "{url}: {refused}");
        }
    }

    #[test]
    fn a_certificate_goes_with_its_key_and_an_address() {
        let url = ["xx-example=https://authority.example/ws"];
        let (certificate, key) = (["xx-example=/etc/a.pem"], ["xx-example=/etc/a.key"]);
        assert_eq!(checked(&url, &certificate, &key, false), Ok(()));
        for (urls, certificates, keys, names) in [
            (&url[..], &certificate[..], &[][..], CERTIFICATES),
            (&url[..], &[][..], &key[..], KEY_FILES),
            (&[][..], &certificate[..], &key[..], CERTIFICATES),
        ] {
            let refused = checked(urls, certificates, keys, false).unwrap_err();
            assert!(refused.contains(names), "{refused}");
        }
    }

    #[test]
    fn an_item_names_its_regime() {
        let text = |item| of_regime(item, |text| Some(text.to_owned()));
        assert_eq!(
            text("xx-a=b=c").map(|(regime, text)| (regime.to_string(), text)),
            Some(("xx-a".to_owned(), "b=c".to_owned()))
        );
        for item in ["b", "=b", "xx-a=", "No Key=b"] {
            assert!(text(item).is_none(), "{item}");
        }
    }
}
