//! Where to read what a listener can do (`/docs`): a page that leads to every page and document it has.

use crate::openapi::DocumentSource;
use crate::reference::{self, STYLE};
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::response::{Html, IntoResponse, Response};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// Only its own style is loaded, and nothing runs.
const POLICY: &str =
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What some listener has for people and for tools: path, title, and what it is.
const PAGES: [(&str, &str, &str); 11] = [
    ("/docs/reference", "API reference", "every operation, with search; needs JavaScript"),
    ("/docs/api", "API reference on one page", "the same without JavaScript"),
    (
        "/docs/errors",
        "Error codes",
        "every code of a refusal or an alert, and what it means; JSON on request",
    ),
    (
        "/docs/test-cards",
        "Test cards",
        "names of recipients that make the stand-in for a provider reject, wait, fail or repeat itself",
    ),
    ("/v1", "GraphiQL", "an editor to try GraphQL with"),
    ("/v1/schema.graphql", "GraphQL schema", "for tools"),
    ("/openapi.json", "OpenAPI document", "the reference for tools (OpenAPI 3.1)"),
    (
        "/.well-known/oauth-authorization-server",
        "OAuth 2.0",
        "where and how to get an access token (RFC 8414)",
    ),
    ("/healthz", "Health", "whether the process lives"),
    ("/readyz", "Readiness", "whether it can serve"),
    ("/metrics", "Metrics", "for Prometheus"),
];

pub(crate) fn routes() -> OpenApiRouter<DocumentSource> {
    OpenApiRouter::new().routes(routes!(page))
}

/// Where to read on
///
/// A page that leads to the reference, the error codes and whatever else this listener has for people and for tools.
#[utoipa::path(
    get,
    path = "/docs",
    operation_id = "docs",
    responses((status = 200, description = "The page.", body = String, content_type = "text/html"))
)]
async fn page(State(document): State<DocumentSource>) -> Response {
    let mut response = Html(html(document())).into_response();
    response.headers_mut().insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    response
}

/// Leads to every page that the listener's own OpenAPI document has.
fn html(document: &str) -> String {
    let is_served = |path: &str| document.contains(&format!("\"{path}\":"));
    let served = PAGES.iter().filter(|(path, ..)| is_served(path));
    let rows: Vec<String> = served
        .map(|(path, title, what)| {
            format!("<dt><a href=\"{path}\">{title}</a> <code>{path}</code></dt><dd>{what}</dd>")
        })
        .collect();
    let rows = rows.concat();
    let token = if is_served("/v1/oauth2/token") {
        "<p>Calls need an access token: <code>POST /v1/oauth2/token</code> with the credentials of a client.</p>"
    } else {
        ""
    };
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\"><title>E-invoicing gateway</title><link rel=\"stylesheet\" \
         href=\"{}\"></head><body><main><h1>E-invoicing gateway</h1><p>What this listener has.</p><dl>{rows}</dl>{token}</main>\
         </body></html>",
        reference::address(STYLE)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_leads_to_what_the_listener_has_and_to_nothing_else() {
        let page = html(r#"{"paths": {"/docs/reference": {}, "/metrics": {}}}"#);
        let links: Vec<_> =
            page.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert_eq!(links, ["/docs/reference", "/metrics"]);
        assert!(!page.contains("/v1/oauth2/token") && !page.contains("<script"), "{page}");
    }
}
