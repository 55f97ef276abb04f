//! What the public listener can do, for people (`/docs/api`).

mod errors;
mod page;

use crate::PublicApi;
use axum::extract::Path;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use gateway_domain::ErrorCode;
use gateway_http::ApiErrors;
use gateway_http::openapi::{BadRequest, Listener, NotFound, Surface, cacheable};
use std::sync::LazyLock;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Only its own style is loaded, and nothing runs.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const STYLE: &str = "page.css";

/// The public document for people.
static PAGE: LazyLock<String> = LazyLock::new(|| page::page(crate::document()));

/// The page, its files, and the list of error codes.
pub(super) fn router() -> OpenApiRouter<PublicApi> {
    OpenApiRouter::new().routes(routes!(page)).routes(routes!(errors::list)).routes(routes!(file))
}

/// What it is described by.
pub(super) fn surface() -> Surface {
    Surface::new(Listener::Public, "Health and documents", "", router().into_openapi())
}

/// The reference for people
///
/// This document as a page that works offline and without JavaScript.
#[utoipa::path(
    get,
    path = "/docs/api",
    operation_id = "docsApi",
    responses((status = 200, description = "The page.", body = String, content_type = "text/html"))
)]
async fn page() -> Response {
    let mut response = cacheable("text/html; charset=utf-8", PAGE.as_str());
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

/// A file of the reference
///
/// What the reference page loads.
#[utoipa::path(
    get,
    path = "/docs/{file}",
    operation_id = "docsFile",
    params(("file" = String, Path, description = "Name of the file.", example = "page.css")),
    responses(
        (status = 200, description = "The file.", body = String, content_type = "text/css"),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
    )
)]
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
