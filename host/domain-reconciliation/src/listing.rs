//! The authority's own list: what it is asked, and what a plugin reads in its answers (release 1.9 of the contract, `wit/v1.9`).

use gateway_domain::money::Amount;
use jiff::civil::Date;

/// Records of one page.
pub const RECORDS_MAX: usize = 20_000;
/// Bytes of the body of a question.
pub const QUESTION_BYTES_MAX: usize = 1 << 20;
/// Bytes of the body of an answer.
pub const ANSWER_BYTES_MAX: usize = 12 << 20;
/// Pages of one run: an authority that always names another place is not followed for ever.
pub const PAGES_MAX: u32 = 2_000;
const CURSOR_CHARS_MAX: usize = 1_000;
const NUMBER_CHARS_MAX: usize = 200;
const FINGERPRINT_CHARS_MAX: usize = 500;
const TARGET_CHARS_MAX: usize = 2_000;
const HEADERS_MAX: usize = 10;
const HEADER_NAME_CHARS_MAX: usize = 64;
const HEADER_VALUE_CHARS_MAX: usize = 500;

/// Names of headers that are not a plugin's to set: those of the connection, of credentials, and of what a request says otherwise.
const RESERVED_HEADERS: [&str; 19] = [
    "authorization",
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "cookie",
    "expect",
    "forwarded",
    "host",
    "keep-alive",
    "proxy-authorization",
    "range",
    "te",
    "traceparent",
    "tracestate",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// What a plugin is asked for: records of invoices that were issued within these days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingQuery {
    /// The first day.
    pub from: Date,
    /// The last day, included.
    pub until: Date,
    /// What the plugin made of the page before; none at the beginning.
    pub after: Option<String>,
}

/// How the authority is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListingMethod {
    /// GET.
    Get,
    /// POST.
    Post,
}

/// What goes to the authority, within its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingRequest {
    /// Of HTTP.
    pub method: ListingMethod,
    /// What stands behind the address that is configured; empty, or beginning with a slash or a question mark.
    pub target: String,
    /// None where there is no body.
    pub content_type: Option<String>,
    /// Names in lower case, each once.
    pub headers: Vec<(String, String)>,
    /// At most [`QUESTION_BYTES_MAX`].
    pub body: Vec<u8>,
}

/// Why a request does not go out, behind "it returned".
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRequest {
    /// It would lead elsewhere, or is no address.
    #[error(
        "a target that is no path or query: it begins with / or ?, in at most {max} characters of ASCII, without '..' and #",
        max = TARGET_CHARS_MAX
    )]
    Target,
    /// Its bytes.
    #[error("a question of more than {max} bytes", max = QUESTION_BYTES_MAX)]
    Body,
    /// Too many, or one twice.
    #[error("more than {max} headers, or one of them twice", max = HEADERS_MAX)]
    Headers,
    /// One that is malformed or not a plugin's to set.
    #[error("the header '{0}', which is malformed or not a plugin's to set")]
    Header(String),
}

impl ListingRequest {
    /// The request, if it keeps to its bounds.
    pub fn checked(self) -> Result<Self, InvalidRequest> {
        if !is_target(&self.target) {
            return Err(InvalidRequest::Target);
        }
        if self.body.len() > QUESTION_BYTES_MAX {
            return Err(InvalidRequest::Body);
        }
        let is_twice = |at: usize, name: &str| self.headers.iter().take(at).any(|(other, _)| other == name);
        if self.headers.len() > HEADERS_MAX
            || self.headers.iter().enumerate().any(|(at, (name, _))| is_twice(at, name))
        {
            return Err(InvalidRequest::Headers);
        }
        for (name, value) in &self.headers {
            if !is_header_name(name) || !is_header_value(value) {
                return Err(InvalidRequest::Header(name.chars().take(HEADER_NAME_CHARS_MAX).collect()));
            }
        }
        if self.content_type.as_ref().is_some_and(|value| !is_header_value(value)) {
            return Err(InvalidRequest::Header("content-type".to_owned()));
        }
        Ok(self)
    }
}

fn is_target(target: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'#' | b'\\' | b'@');
    target.is_empty()
        || (target.starts_with(['/', '?'])
            && !target.starts_with("//")
            && !target.contains("..")
            && target.len() <= TARGET_CHARS_MAX
            && target.bytes().all(is_plain))
}

fn is_header_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=HEADER_NAME_CHARS_MAX).contains(&name.len())
        && name.bytes().all(is_plain)
        && !RESERVED_HEADERS.contains(&name)
}

fn is_header_value(value: &str) -> bool {
    value.len() <= HEADER_VALUE_CHARS_MAX && value.bytes().all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

/// What came back, which nobody has looked at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingAnswer {
    /// Of HTTP.
    pub status: u16,
    /// At most [`ANSWER_BYTES_MAX`].
    pub body: Vec<u8>,
}

/// A question as the stand-in receives it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingQuestion {
    /// See [`ListingRequest::target`].
    pub target: String,
    /// See [`ListingRequest::body`].
    pub body: Vec<u8>,
}

/// A document that the stand-in's authority accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FiledRecord {
    /// The structured document, JSON.
    pub document: String,
    /// What the authority keeps of it, opaque.
    pub record: String,
}

/// How a record stands at the authority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordState {
    /// As it was filed.
    Accepted,
    /// The authority has remarks on it.
    AcceptedWithErrors,
    /// It was accepted, and cancelled since.
    Cancelled,
}

impl RecordState {
    /// The word for it in what people read.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::AcceptedWithErrors => "accepted_with_errors",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A record that the authority holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedRecord {
    /// As it stands on the invoice.
    pub number: String,
    /// The day of issue.
    pub issue_date: Date,
    /// How it stands there.
    pub state: RecordState,
    /// With taxes; what a credit note credits is positive. None where the authority does not list it.
    pub total: Option<Amount>,
    /// What the acceptance says as `tax_system_hash`; none where the authority does not list it.
    pub fingerprint: Option<String>,
}

impl ListedRecord {
    /// Whether its texts keep to their bounds.
    pub fn is_bounded(&self) -> bool {
        let within = |text: &str, most: usize| {
            !text.trim().is_empty() && text.chars().count() <= most && !text.chars().any(char::is_control)
        };
        within(&self.number, NUMBER_CHARS_MAX)
            && self.fingerprint.as_ref().is_none_or(|text| within(text, FINGERPRINT_CHARS_MAX))
    }
}

/// A page of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListingPage {
    /// At most [`RECORDS_MAX`].
    pub records: Vec<ListedRecord>,
    /// Where to go on; none behind the last page.
    pub next: Option<String>,
}

impl ListingPage {
    /// Whether `next` may be kept and handed back.
    pub fn is_cursor(text: &str) -> bool {
        !text.is_empty() && text.chars().count() <= CURSOR_CHARS_MAX && !text.contains('\0')
    }
}

/// Why a plugin has no question, or reads no page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListingProblem {
    /// One sentence with what to do next.
    pub message: String,
    /// Whether the same question may be answered later.
    pub temporary: bool,
}

/// Why a run does not follow the list any further.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndlessListing {
    /// It names the place where it is.
    #[error(
        "the authority's list does not move on: its page names itself as the next one; activate a version of the plugin that reads it"
    )]
    StandsStill,
    /// It goes on and on.
    #[error(
        "the authority's list has more than {max} pages: begin runs over fewer days with 'from' and 'to'",
        max = PAGES_MAX
    )]
    TooManyPages,
}

/// Where a run goes on behind page number `pages` (from 1), which was asked for with `after`; none behind the last.
pub fn next_cursor(
    after: Option<&str>,
    next: Option<String>,
    pages: u32,
) -> Result<Option<String>, EndlessListing> {
    match next {
        Some(next) if Some(next.as_str()) == after => Err(EndlessListing::StandsStill),
        Some(_) if pages >= PAGES_MAX => Err(EndlessListing::TooManyPages),
        next => Ok(next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn request() -> ListingRequest {
        ListingRequest {
            method: ListingMethod::Post,
            target: String::new(),
            content_type: Some("text/xml; charset=utf-8".to_owned()),
            headers: vec![("soapaction".to_owned(), "\"\"".to_owned())],
            body: b"<a/>".to_vec(),
        }
    }

    #[test]
    fn a_question_goes_where_the_operator_said_and_nowhere_else() {
        for target in ["", "/list", "?from=2026-11-01&until=2026-11-30", "/a/b?c=%2F"] {
            assert!(ListingRequest { target: target.to_owned(), ..request() }.checked().is_ok(), "{target}");
        }
        for target in
            ["list", "//elsewhere.example/", "/../admin", "/a#b", "/a b", "/ñ", "@elsewhere", "/a@b", "\\x"]
        {
            let refused = ListingRequest { target: target.to_owned(), ..request() }.checked();
            assert_eq!(refused, Err(InvalidRequest::Target), "{target}");
        }
    }

    #[test]
    fn a_question_sets_no_header_of_the_connection_and_no_credentials() {
        let with = |name: &str, value: &str| {
            let headers = vec![(name.to_owned(), value.to_owned())];
            ListingRequest { headers, ..request() }.checked()
        };
        assert!(with("x-version", "1").is_ok());
        for (name, value) in [
            ("host", "a"),
            ("authorization", "b"),
            ("cookie", "c"),
            ("X-Upper", "d"),
            ("", "e"),
            ("x-line", "a\r\nb: c"),
        ] {
            assert!(matches!(with(name, value), Err(InvalidRequest::Header(_))), "{name}");
        }
        let twice = vec![("x-a".to_owned(), "1".to_owned()), ("x-a".to_owned(), "2".to_owned())];
        assert_eq!(ListingRequest { headers: twice, ..request() }.checked(), Err(InvalidRequest::Headers));
        let body = vec![0; QUESTION_BYTES_MAX + 1];
        assert_eq!(ListingRequest { body, ..request() }.checked(), Err(InvalidRequest::Body));
    }

    #[test]
    fn a_list_that_stands_still_or_never_ends_is_left() {
        let next = |after: Option<&str>, next: Option<&str>, pages| {
            next_cursor(after, next.map(str::to_owned), pages)
        };
        assert_eq!(next(None, Some("a"), 1), Ok(Some("a".to_owned())));
        assert_eq!(next(Some("a"), None, PAGES_MAX), Ok(None));
        assert_eq!(next(Some("a"), Some("a"), 2), Err(EndlessListing::StandsStill));
        assert_eq!(next(Some("a"), Some("b"), PAGES_MAX), Err(EndlessListing::TooManyPages));
    }

    proptest! {
        #[test]
        fn whatever_passes_as_a_target_stays_at_the_address(target in "[/?][ -~]{0,40}") {
            let taken = ListingRequest { target: target.clone(), ..request() }.checked().is_ok();
            if taken {
                let address = format!("https://authority.example/base{target}");
                prop_assert!(!target.starts_with("//") && address.is_ascii() && !address.contains(".."));
            }
        }
    }
}
