//! How many statements a list costs must not depend on how many items a page has.

use super::client::Legacy;
use crate::platform::{Platform, unit};

async fn statements(platform: &Platform, legacy: &Legacy, id: &str, path: &str) -> Vec<String> {
    legacy.traced("GET", path, "", None, Some(id)).await.expect(200);
    platform.statements_of(id, " answered 200").await
}

#[tokio::test]
async fn the_statements_of_a_list_do_not_grow_with_its_page() {
    let platform = Platform::telling_statements().await;
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
        assert!(few.len() >= 4, "the log tells of statements: {few:?} for {path}");
        assert!(many.len() <= few.len(), "for 2 items {few:#?}, for 29 {many:#?}: {path}");
        assert!(many.len() <= 7, "{many:#?}: {path}");
    }
}
