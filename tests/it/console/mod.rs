//! The console, as a browser without scripts sees it.

mod forms;
mod live;
mod operations;
mod operators;
mod pages;
mod print_page;
mod renderers;
mod reports;
mod sessions;
mod workflows;

use gateway_tests::{Browser, World};

const READ: &[&str] = &["console.read"];
const FINANCE: &[&str] = &["console.read", "finance.rpc", "finance.verdict"];
const OPERATOR: &[&str] = &["admin"];

async fn browser(world: &World, permissions: &[&str]) -> Browser {
    let credentials = world.another_client(permissions, &["*"]).await;
    Browser::signed_in(world.gateway.internal().base(), &credentials).await
}
