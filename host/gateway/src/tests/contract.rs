//! The page of the public contract against the product: what the page promises is there, and what is there beside it is a
//! conscious addition. The page is no part of this repository: `GATEWAY_TEST_CONTRACT` names the file.

use super::routers::{get, one};
use crate::listeners;
use gateway_domain::access::Permission;
use gateway_domain_platform::webhooks::EventType;
use gateway_http::openapi::Listener;
use std::collections::{BTreeMap, BTreeSet};

/// Pages, which are no operations: the tests of the console ask for them.
const PAGES: [&str; 1] = ["/console"];

/// Routes that the page leaves to the specification and its decisions.
const SPECIFICATION_ROUTES: [&str; 22] = [
    "delete /api/dev/webhook_registrations/{}",
    "get /.well-known/jwks.json",
    "get /.well-known/oauth-authorization-server",
    "get /api/dev/account",
    "get /api/dev/bookings",
    "get /api/dev/properties",
    "get /api/dev/properties/{}",
    "get /api/dev/properties/{}/calendar",
    "get /api/dev/properties/{}/details",
    "get /api/dev/tasks",
    "get /api/dev/users",
    "get /api/dev/webhook_registrations",
    "get /docs",
    "get /v1",
    "get /v1/schema.graphql",
    "patch /api/dev/bookings/{}/guest_verification",
    "post /api/dev/bookings/{}/messages",
    "post /api/dev/properties/{}/rates",
    "post /api/dev/webhook_registrations",
    "post /v1",
    "post /v1/oauth2/token",
    "post /webhooks/provider",
];

/// Routes that neither has: each was added on purpose.
const ADDITIONAL_ROUTES: [&str; 57] = [
    "delete /admin/workspaces/{}/printing",
    "delete /invoicing/rpc/documents/{}/attachments/{}",
    "get /admin/clients/{}",
    "get /admin/outages",
    "get /admin/reconciliations",
    "get /admin/reconciliations/{}",
    "get /admin/renderers",
    "get /admin/rules/check",
    "get /admin/webhooks",
    "get /admin/webhooks/{}/deliveries",
    "get /admin/workspaces/{}/printing",
    "get /api/dev/webhook_registrations/{}",
    "get /api/dev/webhook_registrations/{}/deliveries",
    "get /docs/api",
    "get /docs/errors",
    "get /docs/page.css",
    "get /docs/reference",
    "get /docs/reference/{}/{}",
    "get /docs/test-cards",
    "get /finance/rpc/documents/{}/amendments",
    "get /invoicing/rpc/documents/{}/annotations",
    "get /invoicing/rpc/documents/{}/attachments/{}",
    "get /v1/graphiql/{}/{}",
    "get /v1/webhooks/{}",
    "get /v1/webhooks/{}/deliveries",
    "patch /admin/clients/{}",
    "patch /admin/workspaces/{}",
    "patch /api/dev/webhook_registrations/{}",
    "patch /v1/webhooks/{}",
    "post /admin/clients/{}/disable",
    "post /admin/clients/{}/rotate-secret",
    "post /admin/keys/rotate",
    "post /admin/outages",
    "post /admin/outages/{}/end",
    "post /admin/plugins/{}/disable",
    "post /admin/plugins/{}/rollback",
    "post /admin/plugins/{}/schedule",
    "post /admin/plugins/{}/unschedule",
    "post /admin/reconciliations",
    "post /admin/renderers",
    "post /admin/renderers/disable",
    "post /admin/renderers/rollback",
    "post /admin/renderers/{}/activate",
    "post /admin/submissions/retry",
    "post /admin/webhooks/{}/disable",
    "post /admin/webhooks/{}/enable",
    "post /admin/workspaces/{}/e-invoicing/test",
    "post /api/dev/webhook_registrations/{}/replay",
    "post /api/dev/webhook_registrations/{}/rotate_secret",
    "post /api/dev/webhook_registrations/{}/test",
    "post /finance/rpc/documents/{}/commands/amend",
    "post /finance/rpc/documents/{}/commands/withdraw-amendment",
    "post /finance/rpc/submissions/{}/acknowledge",
    "post /v1/webhooks/{}/rotate_secret",
    "put /admin/workspaces/{}/printing",
    "put /invoicing/rpc/documents/{}/annotations",
    "put /invoicing/rpc/documents/{}/attachments/{}",
];

/// Words with a dot between that name something else than a permission, an event or a key.
const UNRELATED_NAMES: [&str; 7] = [
    "decisions.md",
    "extensions.code",
    "extensions.reason",
    "gateway.db",
    "gateway.toml",
    "master.key",
    "database.auto_migrate",
];

fn page() -> Option<String> {
    let Ok(path) = std::env::var("GATEWAY_TEST_CONTRACT") else {
        eprintln!("did not run: GATEWAY_TEST_CONTRACT names no page of the public contract");
        return None;
    };
    Some(std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}")))
}

/// Every operation with the statuses that it documents; parameters have no name.
fn product() -> BTreeMap<String, BTreeSet<String>> {
    let mut all = BTreeMap::new();
    for listener in [Listener::Public, Listener::Internal] {
        for (path, methods) in listeners::document(listener)["paths"].as_object().unwrap() {
            for (method, operation) in methods.as_object().unwrap() {
                let statuses = operation["responses"].as_object().unwrap().keys().cloned().collect();
                all.insert(format!("{method} {}", unnamed(path)), statuses);
            }
        }
    }
    all
}

/// `/a/:id`, `/a/{uuid}` and `/a/{}` are one path.
fn unnamed(path: &str) -> String {
    let path = path.split('?').next().unwrap_or_default();
    let segment = |segment: &str| {
        let is_parameter = segment.starts_with(':') || segment.starts_with('{');
        if is_parameter { "{}".to_owned() } else { segment.to_owned() }
    };
    path.split('/').map(segment).collect::<Vec<_>>().join("/")
}

/// A route of the page: its method, where the page says one, its path, and what the page says of it.
#[derive(Debug)]
struct PromisedOperation {
    method: Option<String>,
    path: String,
    says: String,
}

const METHODS: [&str; 5] = ["GET", "PUT", "POST", "PATCH", "DELETE"];

/// The routes of one place of the page, in the order in which it names them: ``GET `/a`, `…/b` `` and
/// `` `/a` (GET, DELETE `/:id`) `` alike.
fn routes_of(
    text: &str,
    says: &str,
    base: &mut String,
    known: &BTreeMap<String, BTreeSet<String>>,
) -> Vec<PromisedOperation> {
    let (mut routes, mut waiting, mut last): (Vec<PromisedOperation>, Vec<String>, Option<String>) =
        Default::default();
    let promised = |method: Option<String>, path: &str| PromisedOperation {
        method,
        path: unnamed(path),
        says: says.to_owned(),
    };
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 0 {
            let words = part.split(|c: char| !c.is_ascii_alphabetic());
            waiting.extend(words.filter(|word| METHODS.contains(word)).map(str::to_lowercase));
            continue;
        }
        let relative = part.strip_prefix('…').or_else(|| part.starts_with("/:").then_some(part));
        if !part.starts_with('/') && relative.is_none() || part.contains('*') || part.contains("://") {
            continue;
        }
        let path = relative.map_or_else(|| unnamed(part), |rest| below(base, rest, known));
        last = waiting.pop().or(last);
        // `(GET, DELETE `/:id`)`: the first of the methods are of the path before.
        routes.extend(waiting.drain(..).map(|method| promised(Some(method), base)));
        routes.push(promised(last.clone(), &path));
        if relative.is_none() {
            *base = path;
        }
    }
    routes.extend(waiting.drain(..).map(|method| promised(Some(method), base)));
    routes
}

/// What `…/rest` or `/:rest` stands for: below the last path that was written out, or below one that leads to it.
fn below(base: &str, rest: &str, known: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut folder = base;
    loop {
        let path = unnamed(&format!("{folder}{rest}"));
        let is_known = known.keys().any(|operation| operation.ends_with(&format!(" {path}")));
        match folder.rfind('/') {
            Some(end) if !is_known && end > 0 => folder = &folder[..end],
            _ => return if is_known { path } else { unnamed(&format!("{base}{rest}")) },
        }
    }
}

/// The routes of the tables and of the lists in sentences.
fn promises(page: &str, known: &BTreeMap<String, BTreeSet<String>>) -> Vec<PromisedOperation> {
    let (mut found, mut base, mut is_code) = (Vec::new(), String::new(), false);
    for line in page.lines() {
        is_code ^= line.starts_with("```");
        if is_code {
            continue;
        }
        let cells: Vec<&str> = line.trim().trim_matches('|').split(" | ").collect();
        let is_row = line.starts_with('|') && cells.len() > 1;
        match cells.split_first() {
            Some((first, rest)) if is_row => {
                let says = rest.join(" | ");
                found.extend(routes_of(first, &says, &mut base, known));
            }
            _ if line.starts_with("`/admin") || line.contains("Without a token") => {
                found.extend(routes_of(line, "", &mut base, known));
            }
            _ => {}
        }
    }
    found
}

/// The statuses that a row names.
fn statuses(says: &str) -> BTreeSet<String> {
    let numbers = says.split(|c: char| !c.is_ascii_alphanumeric());
    let is_status =
        |word: &&str| word.len() == 3 && word.starts_with(['2', '4']) && word.parse::<u16>().is_ok();
    numbers.filter(is_status).map(str::to_owned).collect()
}

fn is_due(promise: &str) -> bool {
    !PAGES.contains(&promise)
}

#[test]
fn every_route_of_the_page_is_there_with_the_statuses_that_it_names() {
    let Some(page) = page() else { return };
    let known = product();
    let promised = promises(&page, &known);
    assert!(promised.len() > 25, "the page was read: {promised:?}");
    let mut missing = Vec::new();
    for PromisedOperation { method, path, says } in &promised {
        if let Some(commands) = path.strip_suffix("/commands/{}") {
            let named = says.split("; body").next().unwrap_or_default().split('`').skip(1).step_by(2);
            let absent = named.filter(|name| {
                !known.contains_key(&format!("post {commands}/commands/{{}}"))
                    && !known.contains_key(&format!("post {commands}/commands/{name}"))
            });
            missing.extend(absent.map(|name| format!("post {commands}/commands/{name}")));
            continue;
        }
        let of: Vec<_> = known
            .iter()
            .filter(|(operation, _)| operation.split(' ').nth(1) == Some(path))
            .filter(|(operation, _)| {
                method.as_ref().is_none_or(|method| operation.starts_with(&format!("{method} ")))
            })
            .collect();
        if of.is_empty() && is_due(path) {
            missing.push(format!("{method:?} {path}"));
        }
        // A row of several routes does not say whose its statuses are.
        let alone = promised.iter().filter(|other| other.says == *says).count() == 1;
        for status in statuses(says).iter().filter(|_| alone) {
            let documented = of.iter().any(|(_, statuses)| statuses.contains(status));
            if !documented && is_due(&format!("{path} {status}")) && !of.is_empty() {
                missing.push(format!("{method:?} {path} answers {status}"));
            }
        }
    }
    assert!(missing.is_empty(), "the page promises what is not there: {missing:#?}");
}

#[test]
fn every_route_is_one_of_the_page_or_a_conscious_addition() {
    let Some(page) = page() else { return };
    let known = product();
    let promised = promises(&page, &known);
    let named = |operation: &str| {
        let (method, path) = operation.split_once(' ').unwrap();
        let commands = path.rsplit_once('/').map(|(folder, _)| format!("{folder}/{{}}"));
        promised.iter().any(|promise| {
            let same = promise.path == path
                || promise.path.ends_with("/commands/{}") && Some(&promise.path) == commands.as_ref();
            same && promise.method.as_deref().is_none_or(|promised| promised == method)
        })
    };
    let listed =
        |operation: &str| SPECIFICATION_ROUTES.contains(&operation) || ADDITIONAL_ROUTES.contains(&operation);
    let unlisted: Vec<_> = known.keys().filter(|operation| !named(operation) && !listed(operation)).collect();
    assert!(unlisted.is_empty(), "neither the page nor the list of additions has {unlisted:#?}");
    let gone: Vec<_> = SPECIFICATION_ROUTES
        .iter()
        .chain(&ADDITIONAL_ROUTES)
        .filter(|listed| !known.contains_key(**listed))
        .collect();
    assert!(gone.is_empty(), "the list of additions has what is not there: {gone:#?}");
}

#[test]
fn every_permission_and_event_of_the_page_is_there() {
    let Some(page) = page() else { return };
    let known: BTreeSet<&str> = Permission::ALL
        .iter()
        .map(|permission| permission.as_str())
        .chain(EventType::ALL.iter().map(|event| event.as_str()))
        .collect();
    let is_name = |text: &&str| {
        let mut parts = text.split('.');
        let word = |part: Option<&str>| {
            part.is_some_and(|part| {
                !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
            })
        };
        word(parts.next()) && word(parts.next()) && parts.next().is_none()
    };
    let named: BTreeSet<&str> = page.split('`').filter(is_name).collect();
    assert!(named.len() > 8, "the page was read: {named:?}");
    let unknown: Vec<_> = named
        .iter()
        .filter(|name| !known.contains(**name) && !UNRELATED_NAMES.contains(name) && is_due(name))
        .collect();
    assert!(unknown.is_empty(), "no permission and no event: {unknown:?}");
}

#[tokio::test]
async fn every_metric_of_the_page_is_measured() {
    let Some(page) = page() else { return };
    let sentence = page.lines().find(|line| line.starts_with("Metrics present")).unwrap();
    let names: Vec<&str> = sentence.split('`').skip(1).step_by(2).collect();
    assert!(names.len() > 3, "the page was read: {sentence}");
    let routers = one().await;
    let answer = routers.internal(get("/metrics")).await;
    for name in names {
        assert!(answer.text.contains(&format!("# TYPE {name}")), "{name} is not in\n{}", answer.text);
    }
}
