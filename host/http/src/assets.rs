//! Files that a page loads, under their version, so that browsers keep them for good.

use crate::errors::ApiErrors;
use axum::http::header::{ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH, VARY};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;

/// JavaScript.
pub const JAVASCRIPT: &str = "text/javascript; charset=utf-8";
/// A style sheet.
pub const CSS: &str = "text/css; charset=utf-8";

const CACHED_FOREVER: &str = "public, max-age=31536000, immutable";

/// What a page loads from this server; clients keep it for good under its version.
#[derive(Debug, Clone, Copy)]
pub struct Assets {
    /// Part of their addresses: another file, another version.
    pub version: &'static str,
    /// Name, media type, content.
    pub files: &'static [(&'static str, &'static str, &'static str)],
}

impl Assets {
    /// A file of this version; 304 when the client has it, 404 when there is none.
    pub fn answer(&self, version: &str, name: &str, headers: &HeaderMap) -> Response {
        let found = self.files.iter().find(|(file, ..)| *file == name).filter(|_| version == self.version);
        let Some((name, media, content)) = found else {
            let message = "there is no such file";
            return ApiErrors::base(StatusCode::NOT_FOUND, ErrorCode::PathUnknown, message).into_response();
        };
        // Weak, because it is the same for the plain file and the compressed one (RFC 9110, section 8.8.3.3).
        let tag = format!("\"{name}-{}\"", self.version);
        let is_known = headers.get(IF_NONE_MATCH).is_some_and(|value| names_tag(value, &tag));
        let lasting = [
            (CACHE_CONTROL, CACHED_FOREVER.to_owned()),
            (ETAG, format!("W/{tag}")),
            (VARY, ACCEPT_ENCODING.to_string()),
        ];
        if is_known {
            return (StatusCode::NOT_MODIFIED, lasting).into_response();
        }
        (lasting, [(CONTENT_TYPE, *media)], *content).into_response()
    }
}

/// Whether one of the tags of `If-None-Match` is this one, weak or not (RFC 9110, section 13.1.2).
pub fn names_tag(value: &HeaderValue, tag: &str) -> bool {
    let tags = value.to_str().unwrap_or_default().split(',').map(str::trim);
    tags.map(|known| known.strip_prefix("W/").unwrap_or(known)).any(|known| known == tag)
}

/// A version that follows from the content of files: 64-bit FNV-1a of every name and content, in hexadecimal digits.
pub const fn version_of(files: &[(&str, &str, &str)]) -> [u8; 16] {
    hexadecimal(hash(files))
}

const fn hash(mut files: &[(&str, &str, &str)]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325;
    while let [(name, _, content), rest @ ..] = files {
        hash = hash_bytes(hash_bytes(hash, name.as_bytes()), content.as_bytes());
        files = rest;
    }
    hash
}

const fn hash_bytes(mut hash: u64, mut bytes: &[u8]) -> u64 {
    while let [byte, rest @ ..] = bytes {
        hash ^= u64::from_le_bytes([*byte, 0, 0, 0, 0, 0, 0, 0]);
        hash = hash.wrapping_mul(0x0000_0100_0000_01b3);
        bytes = rest;
    }
    hash
}

const fn hexadecimal(hash: u64) -> [u8; 16] {
    let (mut digits, mut left) = ([b'0'; 16], hash);
    let mut open: &mut [u8] = &mut digits;
    while let [before @ .., last] = open {
        let [digit, ..] = (left & 0xf).to_le_bytes();
        *last = if digit < 10 { b'0' + digit } else { b'a' + digit - 10 };
        left >>= 4;
        open = before;
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_is_another_one_when_any_file_is() {
        assert_eq!(hash(&[("", "", "foobar")]), 0x8594_4171_f739_67e8, "a value of the specification of FNV");
        assert_eq!(hexadecimal(0x0123_4567_89ab_cdef), *b"0123456789abcdef");
        let version = |content| version_of(&[("page.css", CSS, "a{}"), ("page.js", JAVASCRIPT, content)]);
        assert_ne!(version("1"), version("2"));
    }
}
