//! What the public listener can do, for people (`/docs/api`), and what integrators of both listeners look up.

mod errors;
mod page;
mod test_cards;

use crate::PublicState;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::Response;
use gateway_http::openapi::{Listener, Surface, cacheable};
use std::sync::LazyLock;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Only its own style is loaded, and nothing runs.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The public document for people.
static PAGE: LazyLock<String> = LazyLock::new(|| page::page(crate::document()));

/// The page about the public listener.
pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new().routes(routes!(page))
}

/// The list of error codes, the test cards, and the file that their pages load; on both listeners.
pub(super) fn shared_router() -> OpenApiRouter {
    OpenApiRouter::new()
        .routes(routes!(errors::list))
        .routes(routes!(test_cards::show))
        .routes(routes!(style))
}

/// What they are described by.
pub(super) fn surfaces() -> [Surface; 2] {
    let shared = Surface::new(Listener::Public, "Health and documents", "", shared_router().into_openapi());
    [
        Surface::new(Listener::Public, "Health and documents", "", router().into_openapi()),
        shared.also_on(Listener::Internal),
    ]
}

/// A page that loads its style and nothing else.
fn page_response(html: &'static str) -> Response {
    let mut response = cacheable("text/html; charset=utf-8", html);
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
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
    page_response(PAGE.as_str())
}

/// The style of these pages
///
/// What the pages load.
#[utoipa::path(
    get,
    path = "/docs/page.css",
    operation_id = "docsStyle",
    responses((status = 200, description = "The file.", body = String, content_type = "text/css"))
)]
async fn style() -> Response {
    cacheable("text/css; charset=utf-8", page::STYLE)
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
