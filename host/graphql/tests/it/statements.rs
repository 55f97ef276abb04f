//! How many statements a request costs does not depend on how many nodes its pages have.

use crate::world::{World, here};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

const LISTS: [&str; 2] = [
    "{ bookings { search(first: #) { totalCount nodes { id conversation { id booking { id } messages(first: 4) { totalCount nodes { id \
     } } } } } } }",
    "{ catalog { productGroups(first: #) { totalCount nodes { id products { totalCount nodes { id units { id code } } } } } } }",
];

/// Counts what is logged of statements.
struct StatementCounter(Arc<AtomicUsize>);

impl Subscriber for StatementCounter {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "sqlx::query"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, _: &Event<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// Statements of a request; none where the database works in a thread of its own, which is not listened to.
async fn statements(world: &World, query: &str) -> usize {
    let count = Arc::default();
    let listening = tracing::subscriber::set_default(StatementCounter(Arc::clone(&count)));
    world.data(query).await;
    drop(listening);
    count.load(Ordering::Relaxed)
}

#[tokio::test]
async fn the_statements_of_lists_below_lists_do_not_grow_with_their_pages() {
    let mut counted = 0;
    for world in here().await {
        for list in LISTS {
            let few = statements(&world, &list.replace('#', "2")).await;
            let many = statements(&world, &list.replace('#', "25")).await;
            assert!(many <= few + 1 && many <= 10, "for 2 nodes {few}, for 25 {many}: {list}");
            counted += few;
        }
    }
    assert!(counted > 0, "the log tells of statements");
}
