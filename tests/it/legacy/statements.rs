//! How many statements a list costs must not depend on how many items a page has.

use super::world::Legacy;
use crate::graphql::world::{Platform, unit};
use gateway_tests::{Engine, Options, until};
use serde_json::Value;

async fn statements(platform: &Platform, legacy: &Legacy, id: &str, path: &str) -> usize {
    legacy.traced("GET", path, "", None, Some(id)).await.expect(200);
    let of_request = || -> Vec<Value> {
        let log = platform.gateway.log();
        let lines =
            log.lines().filter(|line| line.contains(id)).filter_map(|line| serde_json::from_str(line).ok());
        lines.collect()
    };
    until("the request is in the log", || async {
        of_request().iter().any(|line| line.to_string().contains(" answered 200")).then_some(())
    })
    .await;
    of_request().iter().filter(|line| line["target"] == "sqlx::query").count()
}

#[tokio::test]
async fn the_statements_of_a_list_do_not_grow_with_its_page() {
    let options = Options::default()
        .variable("GATEWAY_LOG__FORMAT", "json")
        .variable("GATEWAY_LOG__FILTER", "info,sqlx::query=debug,gateway_server=debug");
    let platform = Platform::with(Engine::Postgres, options).await;
    let legacy = Legacy::on(&platform).await;
    let calendar =
        format!("/properties/{}/calendar?start_date=2026-01-01&end_date=2027-01-31&perPage=", unit(0));
    let lists = [
        ("properties", "/properties?include=features,media_items,building&perPage="),
        ("bookings", "/bookings?perPage="),
        ("users", "/users?perPage="),
        ("tasks", "/tasks?perPage="),
        ("calendar", calendar.as_str()),
    ];
    for (name, path) in lists {
        let few = statements(&platform, &legacy, &format!("few-{name}"), &format!("{path}2")).await;
        let many = statements(&platform, &legacy, &format!("many-{name}"), &format!("{path}29")).await;
        assert!(few >= 5, "the log tells of statements: {few} for {path}");
        assert!(many <= few, "{few} statements for 2 items, {many} for 29: {path}");
        assert!(many <= 8, "{many} statements: {path}");
    }
}
