//! A file that is to be saved: a browser does not open it, whatever is in it.

use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::response::{IntoResponse, Response};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What stands as it is in an extended value (RFC 8187 §3.2.1, `attr-char`).
const ATTRIBUTE: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// A file of a name. A media type that no header holds is that of any bytes.
pub fn file(media_type: &str, name: &str, content: impl Into<Body>) -> Response {
    let media_type =
        HeaderValue::from_str(media_type).unwrap_or(HeaderValue::from_static("application/octet-stream"));
    let headers = [(header::CONTENT_TYPE, media_type), (header::CONTENT_DISPOSITION, disposition(name))];
    (headers, content.into()).into_response()
}

/// The name twice where it is more than ASCII (RFC 6266 §4.3): for those who do not know the extended form, without what it adds.
fn disposition(name: &str) -> HeaderValue {
    let leaves_the_name = |sign: char| sign.is_control() || "\"\\/".contains(sign);
    let name: String = name.chars().map(|sign| if leaves_the_name(sign) { '-' } else { sign }).collect();
    let plain: String = name.chars().map(|sign| if sign.is_ascii_graphic() { sign } else { '-' }).collect();
    let mut text = format!("attachment; filename=\"{plain}\"");
    if !name.is_ascii() {
        text.push_str("; filename*=UTF-8''");
        text.extend(utf8_percent_encode(&name, ATTRIBUTE));
    }
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_ascii_stands_once_and_any_other_also_in_its_extended_form() {
        let text = |name: &str| disposition(name).to_str().unwrap().to_owned();
        assert_eq!(text("F-2026-000001.xml"), "attachment; filename=\"F-2026-000001.xml\"");
        assert_eq!(
            text("Vertrag für 7.pdf"),
            "attachment; filename=\"Vertrag-f-r-7.pdf\"; filename*=UTF-8''Vertrag%20f%C3%BCr%207.pdf"
        );
        assert_eq!(text("F/2026 \"1\".pdf"), "attachment; filename=\"F-2026--1-.pdf\"");
        assert_eq!(
            text("ü\"; filename=\"b\r\nSet-Cookie: c"),
            "attachment; filename=\"--;-filename=-b--Set-Cookie:-c\"; filename*=UTF-8''%C3%BC-%3B%20filename%3D-b--Set-Cookie%3A%20c"
        );
    }
}
