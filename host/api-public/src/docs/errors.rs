//! Every code that the gateway refuses with, for people and for programs (`/docs/errors`).

use super::{page, page_response};
use axum::http::header::VARY;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_domain_finance::AlertCode;
use gateway_http::accept::Accept;
use serde::Serialize;
use std::sync::LazyLock;
use utoipa::ToSchema;

const HTML: &str = "text/html";
const JSON: &str = "application/json";

/// A code and what it means.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = MeaningOfCode)]
struct Entry {
    #[schema(examples("required"))]
    code: &'static str,
    #[schema(examples("A member that must be there is missing."))]
    meaning: &'static str,
}

/// The catalogue.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ErrorCatalogue)]
struct Catalogue {
    /// Why a request is refused.
    errors: Vec<Entry>,
    /// Why a submission waits for somebody.
    alerts: Vec<Entry>,
}

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue {
    errors: ErrorCode::ALL
        .iter()
        .map(|code| Entry { code: code.as_str(), meaning: code.meaning() })
        .collect(),
    alerts: AlertCode::ALL
        .iter()
        .map(|code| Entry { code: code.as_str(), meaning: code.meaning() })
        .collect(),
});

static PAGE: LazyLock<String> = LazyLock::new(|| {
    let errors = page::definitions(CATALOGUE.errors.iter().map(|entry| (entry.code, entry.meaning)));
    let alerts = page::definitions(CATALOGUE.alerts.iter().map(|entry| (entry.code, entry.meaning)));
    page::plain_page(
        "Error codes",
        &format!(
            "<p>Lists of errors say the code as <code>code</code>, finance commands as their top-level <code>code</code>, GraphQL \
             as <code>extensions.reason</code>. The token endpoint keeps the codes of RFC 6749. A code never changes its meaning; \
             later releases may add some.</p><dl>{errors}</dl><h2 id=\"alerts\">Alerts of submissions</h2><p>Why a submission \
             waits for somebody: <code>alert.code</code>.</p><dl>{alerts}</dl>"
        ),
    )
});

/// The codes of refusals
///
/// Every code that the gateway refuses with, and what it means: for people as a page, for programs as JSON when Accept asks
/// for it.
#[utoipa::path(
    get,
    path = "/docs/errors",
    operation_id = "docsErrors",
    responses((status = 200, description = "The codes.", content((String = "text/html"), (Catalogue = "application/json"))))
)]
pub(super) async fn list(headers: HeaderMap) -> Response {
    let accept = Accept::of(&headers);
    let mut response = if accept.preference(JSON) > accept.preference(HTML) {
        axum::Json(&*CATALOGUE).into_response()
    } else {
        page_response(PAGE.as_str())
    };
    response.headers_mut().insert(VARY, HeaderValue::from_static("Accept"));
    response
}
