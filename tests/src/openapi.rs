//! Holds every answer of a gateway against the OpenAPI document of its listener.

use gateway_test_openapi::{Document, Exchange};
use std::fs;
use std::sync::LazyLock;

/// Which listener of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listener {
    Public,
    Internal,
}

/// Where the documents lie; `operations::each_listener_hands_out_…` shows that gateways hand them out.
const HOST: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../host");

impl Listener {
    fn document(self) -> &'static Document {
        static PUBLIC: LazyLock<Document> = LazyLock::new(|| read("public"));
        static INTERNAL: LazyLock<Document> = LazyLock::new(|| read("internal"));
        match self {
            Self::Public => &PUBLIC,
            Self::Internal => &INTERNAL,
        }
    }
}

fn read(listener: &str) -> Document {
    let path = format!("{HOST}/api-{listener}/openapi.json");
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    Document::new(listener, serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// What to do where the document is not up to date.
const REWRITE: &str = "if that answer is meant: GATEWAY_WRITE_OPENAPI=1 cargo test -p gateway openapi";

/// # Panics
/// When the document of the listener does not tell of such an answer.
pub(crate) fn check(listener: Listener, exchange: &Exchange<'_>) {
    if let Err(sentence) = listener.document().check(exchange) {
        panic!("{sentence}\n{REWRITE}");
    }
}
