//! Requests to the GraphQL API, and what their answers hold.

use crate::platform::Platform;
use gateway_tests::{Answer, Api};
use serde_json::{Value, json};

impl Platform {
    /// The data of a request that has no errors.
    pub(crate) async fn data(&self, query: &str) -> Value {
        data_of(&self.api, query).await
    }

    /// The errors of a request, each with its code.
    pub(crate) async fn codes(&self, query: &str) -> Vec<String> {
        codes(&ask(&self.api, query).await.expect(200))
    }
}

pub(crate) async fn ask(api: &Api, query: &str) -> Answer {
    api.post("/v1", &json!({"query": query})).await
}

pub(crate) async fn data_of(api: &Api, query: &str) -> Value {
    let body = ask(api, query).await.expect(200);
    assert!(body.get("errors").is_none(), "{query}\n{body:#}");
    body["data"].clone()
}

/// `CODE at.the.path` of every error; each names the request.
pub(crate) fn codes(body: &Value) -> Vec<String> {
    let one = |error: &Value| {
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{error}");
        let id = error["extensions"]["requestId"].as_str().unwrap_or_default();
        assert!(!id.is_empty(), "an error without a request id: {error}");
        let path: Vec<String> = error["path"].as_array().into_iter().flatten().map(segment).collect();
        format!("{} {}", error["extensions"]["code"].as_str().unwrap_or("-"), path.join("."))
            .trim()
            .to_owned()
    };
    let mut codes: Vec<String> = body["errors"].as_array().into_iter().flatten().map(one).collect();
    codes.sort();
    codes
}

fn segment(segment: &Value) -> String {
    segment.as_str().map_or_else(|| segment.to_string(), str::to_owned)
}
