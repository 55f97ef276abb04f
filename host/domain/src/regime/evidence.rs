//! What the gateway checks by itself of an authority's proof: release 1.2 of the contract, `wit/v1.2`.

use serde::Serialize;
use url::{Url, form_urlencoded};
use utoipa::ToSchema;

/// Longest address for verifying a document, bytes.
pub const VERIFICATION_ADDRESS_BYTES_MAX: usize = 4096;

/// What a plugin says of its authority's proofs and answers (release 1.2 of the contract).
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct EvidenceDescription {
    /// Hosts that an address for verifying a document may have, lower case, without port. Empty: the system gives no such
    /// address.
    pub verification_hosts: Vec<String>,
    /// The query parameter of that address which carries the document's number; none where it is not in plain text.
    #[schema(required, examples("numserie"))]
    pub verification_number: Option<String>,
    /// Codes by which the authority says that it already holds a record under this number.
    pub duplicate_codes: Vec<String>,
}

/// Why an address is none for verifying a document.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressProblem {
    /// It is of another kind.
    #[error(
        "the address for verifying the document does not begin with https://: ask the provider for the authority's own"
    )]
    NotHttps,
    /// Its host is none of the authority's.
    #[error(
        "the address for verifying the document leads to '{}', which is no host of the authority: ask the provider for the authority's own", .host.escape_debug()
    )]
    ForeignHost {
        /// Where it leads, in normal form.
        host: String,
    },
    /// It is too long.
    #[error(
        "the address for verifying the document is longer than {VERIFICATION_ADDRESS_BYTES_MAX} bytes: ask the provider for the authority's own"
    )]
    TooLong,
    /// It is no address, or has what no such address has: white space, a user, a port.
    #[error(
        "the address for verifying the document is no plain address such as https://authority.example/verify: ask the provider for the authority's own"
    )]
    Malformed,
    /// It states the number of another document.
    #[error(
        "the address for verifying the document states the number '{}', which is not the document's: ask the provider which document it registered", .found.escape_debug()
    )]
    AnotherNumber {
        /// The number that it states.
        found: String,
    },
}

impl EvidenceDescription {
    /// Whether `text` can be the address where anybody verifies the document with this number. One that states no number
    /// passes; one that states a number where the document has none does not.
    pub fn verification_address(&self, text: &str, number: Option<&str>) -> Result<(), AddressProblem> {
        let url = plain(text)?;
        let host = url.host_str().unwrap_or_default();
        if !self.verification_hosts.iter().any(|known| known.eq_ignore_ascii_case(host)) {
            return Err(AddressProblem::ForeignHost { host: host.to_owned() });
        }
        let Some(parameter) = &self.verification_number else { return Ok(()) };
        let other = numbers_in(&url, parameter).into_iter().find(|found| !found.is(number));
        other.map_or(Ok(()), |other| Err(AddressProblem::AnotherNumber { found: other.text }))
    }

    /// The number that an address states although it is not `number`, whatever else is wrong with the address.
    pub fn another_number(&self, text: &str, number: Option<&str>) -> Option<String> {
        let url = Url::parse(text).ok()?;
        let numbers = numbers_in(&url, self.verification_number.as_deref()?).into_iter();
        numbers.filter(|found| !found.is(number)).map(|found| found.text).next()
    }

    /// Whether the authority says with this code that it already holds a record under the number.
    pub fn is_duplicate(&self, code: &str) -> bool {
        let code = code.trim();
        !code.is_empty() && self.duplicate_codes.iter().any(|known| known.trim() == code)
    }
}

/// Whether a text is an https address without user and port, whose host is written as it is meant: all that can be said of
/// one where nobody names the authority's hosts.
pub fn plain_address(text: &str) -> Result<(), AddressProblem> {
    plain(text).map(drop)
}

fn plain(text: &str) -> Result<Url, AddressProblem> {
    if text.len() > VERIFICATION_ADDRESS_BYTES_MAX {
        return Err(AddressProblem::TooLong);
    }
    // Parsers of addresses skip some of these and take a backslash for a slash; readers of the text may not.
    if text.chars().any(|one| one.is_control() || one.is_whitespace() || one == '\\') {
        return Err(AddressProblem::Malformed);
    }
    let url = Url::parse(text).map_err(|_| AddressProblem::Malformed)?;
    if url.scheme() != "https" {
        return Err(AddressProblem::NotHttps);
    }
    let rest = text.split_once("://").map(|(_, rest)| rest).ok_or(AddressProblem::Malformed)?;
    let written = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = written.strip_suffix(":443").unwrap_or(written);
    // Neither a user nor a port, and no host in disguise: `%77ww`, full-width letters.
    if !url.host_str().is_some_and(|meant| meant.eq_ignore_ascii_case(host)) {
        return Err(AddressProblem::Malformed);
    }
    Ok(url)
}

/// A number in an address. Some services write a blank as `+`, others a plus sign.
struct AddressNumber {
    /// With `+` read as a blank.
    text: String,
    /// With `+` read as itself.
    literal: String,
}

impl AddressNumber {
    fn is(&self, number: Option<&str>) -> bool {
        number.is_some_and(|number| number == self.text || number == self.literal)
    }
}

/// Every value of a parameter, in order.
fn numbers_in(url: &Url, parameter: &str) -> Vec<AddressNumber> {
    let query = url.query().unwrap_or_default();
    let escaped = query.replace('+', "%2B");
    let literals = form_urlencoded::parse(escaped.as_bytes()).map(|(_, value)| value);
    let pairs = form_urlencoded::parse(query.as_bytes()).zip(literals);
    let of = pairs.filter(|((name, _), _)| name == parameter);
    of.map(|((_, text), literal)| AddressNumber { text: text.into_owned(), literal: literal.into_owned() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described() -> EvidenceDescription {
        EvidenceDescription {
            verification_hosts: vec![
                "www2.authority.example".to_owned(),
                "test.authority.example".to_owned(),
            ],
            verification_number: Some("numserie".to_owned()),
            duplicate_codes: vec!["3000".to_owned(), "B4_2000003".to_owned()],
        }
    }

    fn checked(text: &str) -> Result<(), AddressProblem> {
        described().verification_address(text, Some("F-1 & Söhne"))
    }

    #[test]
    fn an_address_at_a_host_of_the_authority_passes() {
        for text in [
            "https://www2.authority.example/verify?nif=1&numserie=F-1%20%26%20S%C3%B6hne&importe=1.00",
            "https://test.authority.example?numserie=F-1+%26+S%C3%B6hne#top",
            "HTTPS://WWW2.Authority.Example:443/",
            "https://www2.authority.example/numserie=F-2",
            "https://www2.authority.example/?NUMSERIE=F-2&other=numserie",
            "https://www2.authority.example/?numserie=F-1%20%26%20Söhne&numserie=F-1+%26+S%c3%b6hne",
        ] {
            assert_eq!(checked(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn a_plus_sign_in_an_address_is_a_blank_or_itself() {
        let states = |number| {
            described().verification_address("https://test.authority.example/?numserie=F+1", Some(number))
        };
        assert_eq!((states("F 1"), states("F+1")), (Ok(()), Ok(())));
        assert_eq!(states("F1"), Err(AddressProblem::AnotherNumber { found: "F 1".to_owned() }));
    }

    #[test]
    fn an_address_elsewhere_is_named_by_its_host() {
        for (text, host) in [
            ("https://authority.example/", "authority.example"),
            ("https://www2.authority.example.evil.example/", "www2.authority.example.evil.example"),
            ("https://evil.example/www2.authority.example", "evil.example"),
            ("https://evil.example#www2.authority.example", "evil.example"),
            ("https://www2.authority.example./", "www2.authority.example."),
            ("https://127.0.0.1/", "127.0.0.1"),
            ("https://[::1]/", "[::1]"),
        ] {
            assert_eq!(checked(text), Err(AddressProblem::ForeignHost { host: host.to_owned() }), "{text}");
        }
        let none = EvidenceDescription::default();
        let host = "www2.authority.example".to_owned();
        let anywhere = none.verification_address("https://www2.authority.example/", None);
        assert_eq!(anywhere, Err(AddressProblem::ForeignHost { host }), "the system gives no address");
    }

    #[test]
    fn what_is_no_plain_address_is_refused() {
        for text in [
            "",
            "www2.authority.example/verify",
            "https://",
            "https:///",
            "https:www2.authority.example/",
            "https:/www2.authority.example/",
            "https:\\\\www2.authority.example\\",
            "https://ana@www2.authority.example/",
            "https://ana:secret@www2.authority.example/",
            "https://@www2.authority.example/",
            "https://www2.authority.example@evil.example/",
            "https://www2.authority.example:8443/",
            "https://www2.authority.example:/",
            "https://%77ww2.authority.example/",
            "https://ｗｗｗ2.authority.example/",
            " https://www2.authority.example/",
            "https://www2.authority.example/ verify",
            "https://www2.authority.example/\tverify",
            "https://www2.authority.example/verify\n",
            "https://www2.authority.example/\u{a0}verify",
            "https://www2.authority.example/\u{0}",
        ] {
            assert_eq!(checked(text), Err(AddressProblem::Malformed), "{text:?}");
        }
        for text in ["http://www2.authority.example/", "javascript:alert(1)", "ftp://www2.authority.example/"]
        {
            assert_eq!(checked(text), Err(AddressProblem::NotHttps), "{text}");
        }
        let start = "https://www2.authority.example/";
        let longest = format!("{start}{}", "x".repeat(VERIFICATION_ADDRESS_BYTES_MAX - start.len()));
        assert_eq!(checked(&longest), Ok(()));
        assert_eq!(checked(&format!("{longest}x")), Err(AddressProblem::TooLong));
    }

    #[test]
    fn an_address_with_the_number_of_another_document_is_refused() {
        for (query, found) in [
            ("numserie=F-2", "F-2"),
            ("numserie=", ""),
            ("numserie", ""),
            ("numserie=f-1%20%26%20S%C3%B6hne", "f-1 & Söhne"),
            ("numserie=F-1%20%26%20S%C3%B6hne&numserie=F-2", "F-2"),
            ("%6Eumserie=F-2", "F-2"),
            ("numserie=F-1&Söhne", "F-1"),
        ] {
            let text = format!("https://www2.authority.example/verify?{query}");
            assert_eq!(
                checked(&text),
                Err(AddressProblem::AnotherNumber { found: found.to_owned() }),
                "{text}"
            );
        }
        let text = "https://www2.authority.example/verify?numserie=F-2";
        let numberless = described().verification_address(text, None);
        assert_eq!(numberless, Err(AddressProblem::AnotherNumber { found: "F-2".to_owned() }));
        let silent = EvidenceDescription { verification_number: None, ..described() };
        assert_eq!(silent.verification_address(text, Some("F-1")), Ok(()), "nothing is said of the number");
    }

    #[test]
    fn a_problem_with_an_address_is_one_sentence_without_control_characters() {
        let found = "F\n\u{202e}2".to_owned();
        let said = AddressProblem::AnotherNumber { found }.to_string();
        assert!(said.contains(r"'F\n\u{202e}2'"), "{said}");
    }

    #[test]
    fn a_code_for_a_duplicate_is_known_with_blanks_around_it() {
        let described = described();
        assert!(described.is_duplicate("3000") && described.is_duplicate(" B4_2000003\n"));
        for other in ["", "300", "30000", "b4_2000003", "3 000"] {
            assert!(!described.is_duplicate(other), "{other}");
        }
    }
}
