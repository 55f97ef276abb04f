//! Every route there is, read from the sources, asked without a token.

use super::world::one;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use std::collections::BTreeSet;
use std::path::Path;

/// The routes that need no token. The list only shrinks, or grows by a decision.
const PUBLIC: [&str; 10] = [
    "/.well-known/jwks.json",
    "/.well-known/oauth-authorization-server",
    "/healthz",
    "/metrics",
    "/readyz",
    "/v1",
    "/v1/graphiql/{version}/{file}",
    "/v1/oauth2/token",
    "/v1/schema.graphql",
    "/webhooks/provider",
];

#[tokio::test]
async fn every_route_without_a_token_is_refused_unless_it_is_public() {
    let world = one().await;
    let routes = routes();
    assert!(routes.len() > 20, "the sources were read: {routes:?}");
    for (path, method) in &routes {
        let concrete = path
            .replace("{uuid}", "0197f4f2-0000-7000-8000-000000000001")
            .replace("{id}", "1")
            .replace("{command}", "issue");
        let request = || {
            let request = Request::builder().method(method.to_uppercase().as_str()).uri(&concrete);
            request.body(Body::empty()).unwrap()
        };
        let (public, internal) =
            (world.public(request()).await.status, world.internal(request()).await.status);
        if (path.as_str(), *method) == ("/v1", "post") {
            assert_eq!(public, StatusCode::UNAUTHORIZED, "GraphQL lets strangers in");
            assert_eq!(internal, StatusCode::NOT_FOUND, "GraphQL is public only");
            continue;
        }
        if path.starts_with("/api/dev/") {
            assert_eq!(public, StatusCode::UNAUTHORIZED, "{method} {path} lets strangers in");
            assert_eq!(internal, StatusCode::NOT_FOUND, "{method} {path} is public only");
            continue;
        }
        if PUBLIC.contains(&path.as_str()) {
            // A file of an unknown version is not there; that the route is, its own test shows.
            let served = path.contains("{file}")
                || [public, internal].into_iter().any(|status| status != StatusCode::NOT_FOUND);
            assert!(served, "{method} {path} is served by no listener");
            continue;
        }
        assert_eq!(public, StatusCode::NOT_FOUND, "{method} {path} answers on the public listener");
        assert_eq!(internal, StatusCode::UNAUTHORIZED, "{method} {path} lets strangers in");
    }
    let known: BTreeSet<_> = routes.iter().map(|(path, _)| path.as_str()).collect();
    assert!(PUBLIC.iter().all(|path| known.contains(path)), "a public route is gone: take it off the list");
}

/// `.route("path", get(a).put(b))` of every surface.
fn routes() -> BTreeSet<(String, &'static str)> {
    let mut found = BTreeSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/http");
    let legacy = std::fs::read_dir(folder.join("legacy")).unwrap();
    for entry in std::fs::read_dir(folder).unwrap().chain(legacy) {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            for call in text.split(".route(").skip(1) {
                let path = path_of(call, &text);
                let methods = balanced(call);
                for method in ["get", "put", "post", "patch", "delete"] {
                    if methods.contains(&format!(" {method}(")) || methods.contains(&format!(".{method}(")) {
                        found.insert((path.clone(), method));
                    }
                }
            }
        }
    }
    found
}

/// The first argument: a text, or the name of a constant of the same file.
fn path_of(call: &str, file: &str) -> String {
    let argument = call.split(',').next().unwrap().trim();
    let text = if argument.starts_with('"') {
        argument
    } else {
        file.split(&format!("const {argument}: &str = "))
            .nth(1)
            .unwrap_or_else(|| panic!("no path: {argument}"))
    };
    text.split('"').nth(1).unwrap().to_owned()
}

/// What stands before the parenthesis that closes the call.
fn balanced(text: &str) -> &str {
    let mut depth = 1;
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}
