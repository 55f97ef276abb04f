//! Values that a library would refuse in its own words, read with what they have to be.

use super::LogFormat;
use serde::{Deserialize, Deserializer, de};
use std::net::SocketAddr;
use url::Url;

/// What a value has to be, with an example.
const ADDRESS: &str = "give an IP address and a port, such as 127.0.0.1:8080";
const WEB_ADDRESS: &str = "give a URL with its scheme, such as https://gateway.example";

fn parsed<'de, T, D: Deserializer<'de>>(
    deserializer: D,
    parse: impl Fn(&str) -> Option<T>,
    remedy: &str,
) -> Result<T, D::Error> {
    let text = String::deserialize(deserializer)?;
    parse(&text).ok_or_else(|| de::Error::custom(format!("'{text}' cannot be used: {remedy}")))
}

/// An address to listen at.
pub(super) fn address<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SocketAddr, D::Error> {
    parsed(deserializer, |text| text.parse().ok(), ADDRESS)
}

/// A URL that is there.
pub(super) fn some_url<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Url>, D::Error> {
    parsed(deserializer, |text| text.parse().ok().map(Some), WEB_ADDRESS)
}

impl<'de> Deserialize<'de> for LogFormat {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let format = |text: &str| match text {
            "text" => Some(Self::Text),
            "json" => Some(Self::Json),
            _ => None,
        };
        parsed(deserializer, format, "use text or json")
    }
}
