//! Styles and scripts, as part of the binary.
//!
//! `htmx` (2.0.11) is 0BSD; its licence is beside it, in the binary too.

use axum::extract::Path;
use axum::http::HeaderMap;
use axum::response::Response;
use gateway_http::assets::{Assets, CSS, JAVASCRIPT};

const TEXT: &str = "text/plain; charset=utf-8";
const SVG: &str = "image/svg+xml";

/// Name, media type, content.
const FILES: &[(&str, &str, &str)] = &[
    ("console.css", CSS, include_str!("../assets/console.css")),
    ("console.js", JAVASCRIPT, include_str!("../assets/console.js")),
    ("icon.svg", SVG, include_str!("../assets/icon.svg")),
    ("htmx.js", JAVASCRIPT, include_str!("../assets/htmx-2.0.11.min.js")),
    ("htmx.LICENSE", TEXT, include_str!("../assets/htmx-2.0.11.LICENSE")),
];

/// 64-bit FNV-1a of every name and content, in hexadecimal digits.
const DIGITS: [u8; 16] = hexadecimal(hash(FILES));

/// Part of their addresses. It follows from their content, so that browsers, which keep files for good, ask for those of another
/// release.
pub(crate) const VERSION: &str = match std::str::from_utf8(&DIGITS) {
    Ok(digits) => digits,
    Err(_) => "0",
};

const ASSETS: Assets = Assets { version: VERSION, files: FILES };

/// A file that pages load. Nobody has to be signed in.
pub(crate) async fn asset(Path((version, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    ASSETS.answer(&version, &name, &headers)
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
    fn what_others_wrote_is_served_with_its_licence() {
        let licence = FILES.iter().find(|(name, ..)| *name == "htmx.LICENSE").unwrap();
        assert!(licence.2.contains("Zero-Clause BSD"), "{}", licence.2);
    }

    #[test]
    fn the_version_is_another_one_when_any_file_is() {
        assert_eq!(hash(&[("", "", "foobar")]), 0x8594_4171_f739_67e8, "a value of the specification of FNV");
        assert_eq!(hexadecimal(0x0123_4567_89ab_cdef), *b"0123456789abcdef");
        let version =
            |content| hexadecimal(hash(&[("console.css", CSS, "a{}"), ("console.js", JAVASCRIPT, content)]));
        assert_ne!(version("1"), version("2"));
        assert_eq!(VERSION.len(), DIGITS.len());
    }
}
