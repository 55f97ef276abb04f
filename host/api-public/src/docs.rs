//! What the public listener can do, for people (`/docs`).

mod errors;
mod page;

use crate::PublicApi;
use axum::Router;
use axum::extract::Path;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use gateway_domain::ErrorCode;
use gateway_http::ApiErrors;
use gateway_http::openapi::cacheable;
use std::sync::LazyLock;

/// Only its own style is loaded, and nothing runs.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const STYLE: &str = "page.css";

/// The public document for people.
static PAGE: LazyLock<String> = LazyLock::new(|| page::page(crate::document()));

/// The reference page.
pub(super) fn router() -> Router<PublicApi> {
    Router::new()
        .route("/docs", get(page))
        .route("/docs/errors", get(errors::list))
        .route("/docs/{file}", get(file))
}

async fn page() -> Response {
    let mut response = cacheable("text/html; charset=utf-8", PAGE.as_str());
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

async fn file(Path(name): Path<String>) -> Response {
    if name == STYLE {
        return cacheable("text/css; charset=utf-8", page::STYLE);
    }
    ApiErrors::base(StatusCode::NOT_FOUND, ErrorCode::PathUnknown, "there is no such file").into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_leads_to_every_operation_and_schema() {
        let document = crate::document();
        let page = PAGE.as_str();
        let paths = document["paths"].as_object().unwrap();
        for (path, methods) in paths {
            for (method, operation) in methods.as_object().unwrap() {
                let id = operation["operationId"].as_str().unwrap();
                assert!(
                    page.contains(&format!("<article id=\"{id}\"")),
                    "{method} {path} is not on the page"
                );
                assert!(page.contains(&format!("href=\"#{id}\"")), "nothing leads to {method} {path}");
            }
        }
        for link in page.split("href=\"#").skip(1) {
            let target = link.split('"').next().unwrap();
            assert!(page.contains(&format!("id=\"{target}\"")), "{target} is nowhere");
        }
    }
}
