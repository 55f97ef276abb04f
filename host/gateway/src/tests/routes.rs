//! Every route there is, read from the sources, asked without a token.

use super::routers::{Answer, get, one};
use crate::listeners;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use gateway_domain::ErrorCode;
use gateway_domain::access::Workspaces;
use gateway_domain_finance::AlertCode;
use gateway_http::openapi::Listener;
use std::collections::BTreeSet;
use std::path::Path;

/// The routes that need no token. The list only shrinks, or grows by a decision.
const PUBLIC: [&str; 18] = [
    "/.well-known/jwks.json",
    "/.well-known/oauth-authorization-server",
    "/docs",
    "/docs/api",
    "/docs/errors",
    "/docs/page.css",
    "/docs/reference",
    "/docs/reference/{version}/{file}",
    "/docs/test-cards",
    "/healthz",
    "/metrics",
    "/openapi.json",
    "/readyz",
    "/v1",
    "/v1/graphiql/{version}/{file}",
    "/v1/oauth2/token",
    "/v1/schema.graphql",
    "/webhooks/provider",
];

/// Routes that only refuse: they say what is wrong with the address, and are no operations.
const REFUSING: [&str; 1] = ["/finance/rpc/documents/{uuid}/commands/{command}"];

#[tokio::test]
async fn every_route_without_a_token_is_refused_unless_it_is_public() {
    let routers = one().await;
    let all = routes();
    assert!(all.len() > 20, "the sources were read: {all:?}");
    for (path, method) in &all {
        let concrete = concrete(path);
        let request = || {
            let request = Request::builder().method(method.to_uppercase().as_str()).uri(&concrete);
            request.body(Body::empty()).unwrap()
        };
        let (public, internal) =
            (routers.public(request()).await.status, routers.internal(request()).await.status);
        if (path.as_str(), *method) == ("/v1", "post") {
            assert_eq!(public, StatusCode::UNAUTHORIZED, "GraphQL lets strangers in");
            assert_eq!(internal, StatusCode::NOT_FOUND, "GraphQL is public only");
            continue;
        }
        if path.starts_with("/api/dev/") || path.starts_with("/v1/webhooks") {
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
    let known: BTreeSet<_> = all.iter().map(|(path, _)| path.as_str()).collect();
    assert!(PUBLIC.iter().all(|path| known.contains(path)), "a public route is gone: take it off the list");
}

#[tokio::test]
async fn who_lacks_the_permission_is_told_so_before_path_and_body_are_read() {
    let routers = one().await;
    let token = routers.token(&[], Workspaces::All).await;
    let operations = |listener| documented(listener).into_iter().map(move |operation| (listener, operation));
    let mut requested = BTreeSet::new();
    for (listener, (path, method)) in operations(Listener::Internal).chain(operations(Listener::Public)) {
        let operation = &listeners::document(listener)["paths"][&path][&method];
        let is_open = operation["security"].as_array().is_some_and(Vec::is_empty);
        // The legacy API has credentials of its own; a field of GraphQL has a permission of its own.
        let is_other = listener == Listener::Public && path.starts_with("/api/dev/");
        if is_open || is_other || PUBLIC.contains(&path.as_str()) {
            continue;
        }
        let request = Request::builder()
            .method(method.to_uppercase().as_str())
            .uri(path.replace('{', "x").replace('}', ""))
            .header("authorization", format!("Bearer {token}"))
            .header("content-type", "text/plain");
        let request = request.body(Body::from("{")).unwrap();
        let answer = match listener {
            Listener::Public => routers.public(request).await,
            Listener::Internal => routers.internal(request).await,
        };
        assert_eq!(answer.status, StatusCode::FORBIDDEN, "{method} {path}: {answer:?}");
        assert!(answer.header("www-authenticate").contains("insufficient_scope"), "{answer:?}");
        requested.insert(format!("{listener:?} {method} {path}"));
    }
    assert!(requested.contains("Public post /v1/webhooks"), "{requested:?}");
}

#[tokio::test]
async fn every_route_is_documented_by_its_listener_and_nothing_else_is() {
    let routers = one().await;
    let (mut public, mut internal) = (BTreeSet::new(), BTreeSet::new());
    for (path, method) in routes().into_iter().filter(|(path, _)| !REFUSING.contains(&path.as_str())) {
        let request = || {
            let request = Request::builder().method(method.to_uppercase().as_str()).uri(concrete(&path));
            request.body(Body::empty()).unwrap()
        };
        let served = |answer: &Answer| !answer.text.contains("there is nothing at this path");
        if served(&routers.public(request()).await) {
            public.insert((path.clone(), method.to_owned()));
        }
        if served(&routers.internal(request()).await) {
            internal.insert((path, method.to_owned()));
        }
    }
    for (listener, served) in [(Listener::Public, public), (Listener::Internal, internal)] {
        let documented = documented(listener);
        let missing: Vec<_> = served.difference(&documented).collect();
        assert!(missing.is_empty(), "{listener:?} serves what its document does not tell of: {missing:?}");
        let invented: Vec<_> = documented.difference(&served).collect();
        assert!(
            invented.is_empty(),
            "the document of {listener:?} tells of what nobody serves: {invented:?}"
        );
    }
}

#[tokio::test]
async fn both_listeners_hand_out_their_document_and_the_public_one_a_page() {
    let routers = one().await;
    for (answer, listener) in [
        (routers.public(get("/openapi.json")).await, Listener::Public),
        (routers.internal(get("/openapi.json")).await, Listener::Internal),
    ] {
        assert_eq!((answer.status, answer.header("content-type")), (StatusCode::OK, "application/json"));
        assert_eq!(&answer.json(), listeners::document(listener));
    }
    let page = routers.public(get("/docs/api")).await;
    assert!(page.header("content-security-policy").starts_with("default-src 'none'"), "{:?}", page.headers);
    assert!(page.text.contains("/v1/oauth2/token") && !page.text.contains("<script"), "{}", page.text);
    assert_eq!(routers.public(get("/docs/page.css")).await.status, StatusCode::OK);
    assert_eq!(routers.public(get("/docs/other")).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn both_listeners_begin_their_documentation_with_a_page_that_leads_to_what_they_have() {
    let routers = one().await;
    let pages = [
        (routers.public(get("/docs")).await, Listener::Public, "/docs/api"),
        (routers.internal(get("/docs")).await, Listener::Internal, "/metrics"),
    ];
    for (page, listener, own) in pages {
        assert!(
            page.header("content-security-policy").starts_with("default-src 'none'"),
            "{:?}",
            page.headers
        );
        assert!(!page.text.contains("<script"), "{}", page.text);
        let links: Vec<_> =
            page.text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect();
        assert!(links.contains(&"/docs/reference") && links.contains(&own), "{links:?}");
        assert!(links.contains(&"/docs/errors") && links.contains(&"/docs/test-cards"), "{links:?}");
        for link in links {
            let mut request = get(link);
            request.headers_mut().insert("accept", "text/html, */*".parse().unwrap());
            let answer = match listener {
                Listener::Public => routers.public(request).await,
                Listener::Internal => routers.internal(request).await,
            };
            // Readiness and metrics depend on what runs; they are there.
            assert_ne!(answer.status, StatusCode::NOT_FOUND, "{listener:?} has no {link}");
        }
    }
}

#[tokio::test]
async fn both_listeners_have_a_reference_with_search_that_needs_no_other_host() {
    let routers = one().await;
    for page in [routers.public(get("/docs/reference")).await, routers.internal(get("/docs/reference")).await]
    {
        let policy = page.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self'"), "{policy}");
        let loaded: Vec<_> = page
            .text
            .split(['"', '\''])
            .filter(|text| {
                let kind = std::path::Path::new(text).extension();
                kind.is_some_and(|kind| kind == "js" || kind == "css")
            })
            .collect();
        assert_eq!(loaded.len(), 3, "{}", page.text);
        for address in loaded {
            for file in [routers.public(get(address)).await, routers.internal(get(address)).await] {
                assert_eq!(file.status, StatusCode::OK, "{address}");
                assert!(file.header("cache-control").contains("immutable"), "{:?}", file.headers);
                let mut known = get(address);
                known.headers_mut().insert("if-none-match", file.header("etag").parse().unwrap());
                assert_eq!(routers.public(known).await.status, StatusCode::NOT_MODIFIED, "{address}");
            }
        }
    }
    let other = routers.internal(get("/docs/reference/0/start.js")).await;
    assert_eq!(other.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn every_code_is_explained_to_people_and_to_programs() {
    let routers = one().await;
    let page = routers.public(get("/docs/errors")).await;
    assert!(page.header("content-type").starts_with("text/html"), "{:?}", page.headers);
    let request = Request::builder().uri("/docs/errors").header("accept", "application/json");
    let catalogue = routers.public(request.body(Body::empty()).unwrap()).await.json();
    let listed = |list: &str| -> Vec<String> {
        let entries = catalogue[list].as_array().unwrap();
        assert!(
            entries.iter().all(|entry| entry["meaning"].as_str().is_some_and(|text| text.ends_with('.')))
        );
        entries.iter().map(|entry| entry["code"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(listed("errors"), ErrorCode::ALL.iter().map(|code| code.as_str()).collect::<Vec<_>>());
    assert_eq!(listed("alerts"), AlertCode::ALL.iter().map(|code| code.as_str()).collect::<Vec<_>>());
    for code in listed("errors") {
        assert!(page.text.contains(&format!("<code>{code}</code>")), "{code}");
    }
}

fn documented(listener: Listener) -> BTreeSet<(String, String)> {
    let document = listeners::document(listener);
    let paths = document["paths"].as_object().unwrap();
    let all = paths.iter().flat_map(|(path, methods)| {
        methods.as_object().unwrap().keys().map(move |method| (path.clone(), method.clone()))
    });
    all.collect()
}

fn concrete(path: &str) -> String {
    path.replace("{uuid}", "0197f4f2-0000-7000-8000-000000000001")
        .replace("{id}", "1")
        .replace("{command}", "unknown")
}

/// `#[utoipa::path(get, path = "path")]` and `.route("path", get(a).put(b))` of every surface.
fn routes() -> BTreeSet<(String, &'static str)> {
    let mut found = BTreeSet::new();
    let host = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders: Vec<_> = ["http", "api-public", "api-internal", "api-admin"]
        .iter()
        .map(|surface| host.join(surface).join("src"))
        .collect();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let (below, files): (Vec<_>, Vec<_>) = entries.partition(|path| path.is_dir());
        // Routes that only a test has are no routes of the gateway.
        folders.extend(below.into_iter().filter(|path| !path.ends_with("tests")));
        for file in files.iter().filter(|file| !file.ends_with("tests.rs")) {
            read_routes(file, &mut found);
        }
    }
    found
}

const METHODS: [&str; 5] = ["get", "put", "post", "patch", "delete"];

fn read_routes(path: &Path, found: &mut BTreeSet<(String, &'static str)>) {
    if path.extension().is_none_or(|extension| extension != "rs") {
        return;
    }
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap().to_owned();
    for operation in text.split("#[utoipa::path(").skip(1) {
        let method = METHODS.into_iter().find(|method| operation.trim_start().starts_with(method)).unwrap();
        let path = operation.split("path = ").nth(1).unwrap();
        found.insert((path_of(path, &text), method));
    }
    for call in text.split(".route(").skip(1) {
        let path = path_of(call, &text);
        let methods = balanced(call);
        for method in METHODS {
            if methods.contains(&format!(" {method}(")) || methods.contains(&format!(".{method}(")) {
                found.insert((path.clone(), method));
            }
        }
    }
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
