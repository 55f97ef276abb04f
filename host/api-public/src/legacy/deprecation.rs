//! Every answer of the legacy API says since when it is deprecated (RFC 9745) and what its successor is (RFC 5829).

use super::listing::text_header;
use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header::LINK};
use axum::middleware::Next;
use axum::response::Response;
use gateway_http::openapi::Surface;
use std::sync::Arc;
use utoipa::openapi::Deprecated;
use utoipa::openapi::external_docs::ExternalDocs;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{ObjectBuilder, Type};

/// Where the legacy API begins.
const ROOT: &str = "/api/dev";
const DEPRECATION: HeaderName = HeaderName::from_static("deprecation");
/// 2026-01-01T00:00:00Z: since then all new integrations use GraphQL.
const SINCE: &str = "@1767225600";

/// Routes, and the field of the GraphQL API that does the same. What is not here has no equivalent there.
const SUCCESSORS: [(&str, &str); 10] = [
    ("/api/dev/properties", "spaces.units"),
    ("/api/dev/properties/{id}", "spaces.unit"),
    ("/api/dev/properties/{id}/details", "spaces.unit"),
    ("/api/dev/properties/{id}/rates", "pricing.ratePlans.updateRatePlans, spaces.batchUpdateTariffs"),
    ("/api/dev/properties/{id}/calendar", "availability.unitsAvailability"),
    ("/api/dev/account", "awc.workspace"),
    ("/api/dev/bookings", "bookings.search"),
    ("/api/dev/bookings/{id}/messages", "conversations.sendMessage"),
    ("/api/dev/users", "authIdentity.users"),
    ("/api/dev/tasks", "ticketsTasks.tasks"),
];

/// Describes the headers that every answer has.
pub(super) fn describe_headers(surface: Surface) -> Surface {
    let since = ObjectBuilder::new().schema_type(Type::String).enum_values(Some([SINCE]));
    let since = HeaderBuilder::new().schema(Some(since));
    let since = since.description(Some("Since when the legacy API is superseded (RFC 9745).")).build();
    let link = text_header("What comes in place of the route: `rel=\"successor-version\"`.");
    surface.header("Deprecation", &since).header("Link", &link)
}

/// The layer around everything that may answer below the root, whether or not there is a route.
pub(crate) async fn announce(State(public_url): State<Arc<str>>, request: Request, next: Next) -> Response {
    let path = request.uri().path();
    let legacy = path.strip_prefix(ROOT).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    let route = request.extensions().get::<MatchedPath>().cloned();
    let mut response = next.run(request).await;
    if legacy {
        let successor = route.and_then(|route| successor(route.as_str()));
        mark(response.headers_mut(), &public_url, successor);
    }
    response
}

/// Names the successor of an operation in its description; what has none is not deprecated.
pub(super) fn describe_successor(path: &str, operation: &mut Operation) {
    let Some(successor) = successor(path) else {
        operation.deprecated = Some(Deprecated::False);
        return;
    };
    let mut docs = ExternalDocs::new("/v1");
    docs.description = Some(format!("`{successor}`"));
    operation.external_docs = Some(docs);
}

fn successor(route: &str) -> Option<&'static str> {
    SUCCESSORS.iter().find(|(known, _)| *known == route).map(|(_, field)| *field)
}

/// One `Link` header with everything, because many clients read only the first.
fn mark(headers: &mut HeaderMap, public_url: &str, successor: Option<&str>) {
    headers.insert(DEPRECATION, HeaderValue::from_static(SINCE));
    let title = successor.map(|field| format!("; title=\"{field}\"")).unwrap_or_default();
    let link = format!("<{public_url}/v1>; rel=\"successor-version\"{title}");
    let before = headers.get_all(LINK).iter().filter_map(|value| value.to_str().ok());
    let all: Vec<&str> = before.chain([link.as_str()]).collect();
    if let Ok(value) = HeaderValue::from_str(&all.join(", ")) {
        headers.insert(LINK, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_successor_stands_behind_the_other_links() {
        let mut headers = HeaderMap::new();
        headers.insert(LINK, HeaderValue::from_static("<x?page=2>; rel=\"next\""));
        mark(&mut headers, "https://gateway.example", successor("/api/dev/users"));
        assert_eq!(headers.get_all(LINK).iter().count(), 1);
        let expected = "<x?page=2>; rel=\"next\", <https://gateway.example/v1>; rel=\"successor-version\"; title=\"authIdentity.users\"";
        assert_eq!(headers[LINK], expected);
        assert_eq!(headers[DEPRECATION], "@1767225600");
    }

    #[test]
    fn the_date_is_the_one_that_is_told() {
        let since: i64 = SINCE.trim_start_matches('@').parse().unwrap();
        let at = jiff::Timestamp::from_second(since).unwrap();
        assert_eq!(at.to_string(), "2026-01-01T00:00:00Z");
    }
}
