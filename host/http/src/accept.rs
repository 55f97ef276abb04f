//! Which representation of a thing a client would rather have: the `Accept` header.

use axum::http::{HeaderMap, header};
use mediatype::{MediaType, MediaTypeList, ReadParams};

/// What a client wants to read.
#[derive(Debug)]
pub struct Accept(Vec<Range>);

/// Media types that a client takes, and how gladly.
#[derive(Debug)]
struct Range {
    /// `application`; `*` for any.
    kind: String,
    /// `xml`; `*` for any.
    subtype: String,
    /// In thousandths; nothing means that it is not taken.
    quality: u16,
}

/// How gladly a representation is taken: its quality in thousandths, then how exactly it was asked for.
pub type Preference = (u16, u8);
/// How exactly a representation was asked for whose media type the client named.
pub const BY_NAME: u8 = 2;

impl Accept {
    /// The wishes of a request. Without any, everything is welcome; what cannot be read is no wish.
    pub fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let named = values.flat_map(MediaTypeList::new).filter_map(Result::ok);
        Self(named.filter_map(|named| Range::of(&named)).collect())
    }

    /// How gladly `offered` is taken; none when it is not.
    pub fn preference(&self, offered: &str) -> Option<Preference> {
        if self.0.is_empty() {
            return Some((1_000, 0));
        }
        let (kind, subtype) = offered.split_once('/')?;
        let fitting =
            self.0.iter().filter_map(|range| Some((range.exactness(kind, subtype)?, range.quality)));
        // The most exact range decides, whatever the others say.
        let (exactness, quality) = fitting.max()?;
        (quality > 0).then_some((quality, exactness))
    }
}

impl Range {
    fn of(named: &MediaType<'_>) -> Option<Self> {
        let kind = named.ty.as_str().to_ascii_lowercase();
        let mut subtype = named.subty.as_str().to_ascii_lowercase();
        if let Some(suffix) = named.suffix {
            subtype = format!("{subtype}+{}", suffix.as_str().to_ascii_lowercase());
        }
        // XML has two names (RFC 7303, section 4.2).
        let kind = if kind == "text" && subtype == "xml" { "application".to_owned() } else { kind };
        if kind == "*" && subtype != "*" {
            return None;
        }
        let quality = named.params().find(|(name, _)| *name == "q");
        let quality = quality.map_or(Some(1_000), |(_, value)| thousandths(value.as_str()))?;
        Some(Self { kind, subtype, quality })
    }

    fn exactness(&self, kind: &str, subtype: &str) -> Option<u8> {
        match (self.kind.as_str(), self.subtype.as_str()) {
            ("*", _) => Some(0),
            (named, "*") if named == kind => Some(1),
            (named, exactly) if named == kind && exactly == subtype => Some(BY_NAME),
            _ => None,
        }
    }
}

/// `0.85` as 850.
fn thousandths(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if !matches!(whole, "0" | "1") || fraction.len() > 3 || !digits(fraction) {
        return None;
    }
    let thousandths: u16 = format!("{whole}{fraction:0<3}").parse().ok()?;
    Some(thousandths).filter(|thousandths| *thousandths <= 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn accept(values: &[&str]) -> Accept {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(header::ACCEPT, HeaderValue::from_str(value).unwrap());
        }
        Accept::of(&headers)
    }

    #[test]
    fn the_most_exact_range_says_how_gladly_a_type_is_taken() {
        for (header, json, xml) in [
            ("*/*", Some((1_000, 0)), Some((1_000, 0))),
            ("application/json", Some((1_000, 2)), None),
            ("application/xml", None, Some((1_000, 2))),
            ("text/xml; charset=utf-8", None, Some((1_000, 2))),
            ("Application/*;q=0.5", Some((500, 1)), Some((500, 1))),
            ("application/xml;q=0.9, */*;q=0.8", Some((800, 0)), Some((900, 2))),
            ("*/*, application/json;q=0", None, Some((1_000, 0))),
            ("text/html", None, None),
            ("application/xml;q=2, application/json; Q=0.001", Some((1, 2)), None),
            ("nonsense, */json,", Some((1_000, 0)), Some((1_000, 0))),
            ("", Some((1_000, 0)), Some((1_000, 0))),
        ] {
            let accept = accept(&[header]);
            assert_eq!(accept.preference("application/json"), json, "{header}");
            assert_eq!(accept.preference("application/xml"), xml, "{header}");
        }
    }

    #[test]
    fn a_type_with_a_suffix_is_another_one_than_that_without() {
        let named = accept(&["Application/GraphQL-Response+JSON; charset=utf-8"]);
        assert_eq!(named.preference("application/graphql-response+json"), Some((1_000, BY_NAME)));
        assert_eq!(named.preference("application/graphql-response"), None);
        assert_eq!(named.preference("application/json"), None);
    }

    #[test]
    fn no_header_takes_everything_and_several_headers_are_one() {
        assert_eq!(accept(&[]).preference("application/xml"), Some((1_000, 0)));
        let two = accept(&["application/json;q=0.1", "application/xml"]);
        assert_eq!(two.preference("application/json"), Some((100, 2)));
        assert_eq!(two.preference("application/xml"), Some((1_000, 2)));
    }
}
