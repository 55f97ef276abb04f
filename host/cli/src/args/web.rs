//! Addresses as typed.

use url::Url;

/// An address that something can be sent to.
pub(super) fn web_address(text: &str) -> Result<Url, String> {
    let url: Url = text.parse().map_err(|_| "it is no URL: use http://… or https://…".to_owned())?;
    if matches!(url.scheme(), "http" | "https") {
        Ok(url)
    } else {
        Err("nothing can be sent there: use http://… or https://…".to_owned())
    }
}
