//! What an address is that calls go to.

use reqwest::Url;

/// Whether an address is http(s) with a host and nothing that would not belong into a base address.
pub fn is_plain(address: &Url) -> bool {
    matches!(address.scheme(), "http" | "https")
        && address.has_host()
        && address.username().is_empty()
        && address.password().is_none()
        && address.query().is_none()
        && address.fragment().is_none()
}
