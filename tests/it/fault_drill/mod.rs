//! The fault drill: everything around a gateway breaks once, and each time the same is asked: what still answers, how soon,
//! and how it returned. `cargo xtask drill` prints what was measured as a table.

mod bus;
mod database;
mod host;

use gateway_tests::{Request, World, until};

/// What is answered as ever.
const AS_EVER: [(Request, &[u16]); 6] = [
    (Request::Healthz, &[200]),
    (Request::Readyz, &[200]),
    (Request::Token, &[200]),
    (Request::Metrics, &[200]),
    (Request::Read, &[200]),
    (Request::Write, &[201]),
];

/// A document that was issued.
async fn issued(world: &World) -> String {
    let uuid = world.issue(&world.document()).await;
    world.until(&uuid, "issued").await;
    uuid
}

/// Until the gateway is ready, and a document is issued from its beginning to its end.
async fn until_it_issues(world: &World) {
    until("it is ready again", || async {
        (world.gateway.internal().get("/readyz").await.status == 200).then_some(())
    })
    .await;
    issued(world).await;
}
