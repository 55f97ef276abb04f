//! Holds every answer of a gateway against the OpenAPI document of its listener.

use gateway_test_openapi::{Document, Exchange};
use reqwest::Client;
use serde_json::Value;
use std::sync::OnceLock;

/// Which listener of a gateway.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Listener {
    Public,
    Internal,
}

/// Every gateway of a test is the same binary, so the first one that is asked answers for all.
static DOCUMENTS: [OnceLock<Document>; 2] = [OnceLock::new(), OnceLock::new()];

impl Listener {
    const fn name(self) -> &'static str {
        match self {
            Self::Public => "public",
            Self::Internal => "internal",
        }
    }

    const fn slot(self) -> &'static OnceLock<Document> {
        let [public, internal] = &DOCUMENTS;
        match self {
            Self::Public => public,
            Self::Internal => internal,
        }
    }

    /// Its document; none while nobody hands it out, because the gateway ended just now.
    async fn document(self, client: &Client, base: &str) -> Option<&'static Document> {
        let slot = self.slot();
        if slot.get().is_none() {
            let text = client.get(format!("{base}/openapi.json")).send().await.ok()?.text().await.ok()?;
            let document: Value = serde_json::from_str(&text).ok()?;
            slot.get_or_init(|| Document::new(self.name(), document));
        }
        slot.get()
    }
}

/// # Panics
/// When the document of the listener does not tell of such an answer.
pub(crate) async fn check(client: &Client, listener: Listener, base: &str, exchange: &Exchange<'_>) {
    let Some(document) = listener.document(client, base).await else { return };
    if let Err(sentence) = document.check(exchange) {
        panic!("{sentence}");
    }
}
