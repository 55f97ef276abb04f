//! Objects whose fields rarely wait, with their members in the order in which they were selected (specification of GraphQL, October 2021,
//! 7.2.2 "Serialized Map Ordering").
//!
//! async-graphql makes a task of each field of each object, and their order is that in which they end. Most fields of a page are members
//! of something that was read already: for them a task costs several times what they do.

use async_graphql::parser::types::{Field, Selection};
use async_graphql::registry::Registry;
use async_graphql::resolver_utils::ContainerType;
use async_graphql::{
    ContextSelectionSet, Name, OutputType, Positioned, ServerResult, Value, indexmap::IndexMap,
};
use futures::stream::{FuturesUnordered, StreamExt};
use std::borrow::Cow;
use std::task::Poll;

/// An object whose fields are asked one after the other. Those that have to wait do so together, as everywhere else.
#[derive(Debug, Clone)]
pub struct Eager<T>(pub T);

impl<T: ContainerType> OutputType for Eager<T> {
    fn type_name() -> Cow<'static, str> {
        T::type_name()
    }

    fn qualified_type_name() -> String {
        T::qualified_type_name()
    }

    fn introspection_type_name(&self) -> Cow<'static, str> {
        self.0.introspection_type_name()
    }

    fn create_type_info(registry: &mut Registry) -> String {
        T::create_type_info(registry)
    }

    async fn resolve(&self, ctx: &ContextSelectionSet<'_>, field: &Positioned<Field>) -> ServerResult<Value> {
        match plain_fields(ctx) {
            Some(fields) => Ok(resolve_fields(ctx, &self.0, fields).await),
            None => self.0.resolve(ctx, field).await,
        }
    }
}

/// What is selected, where that is fields alone, each under a name of its own. Everything else is the framework's: fragments and
/// directives. Extensions are told of no such field: those of this API look at documents alone.
fn plain_fields<'a>(ctx: &ContextSelectionSet<'a>) -> Option<Vec<&'a Positioned<Field>>> {
    let mut fields: Vec<&Positioned<Field>> = Vec::with_capacity(ctx.item.node.items.len());
    for selection in &ctx.item.node.items {
        let Selection::Field(field) = &selection.node else { return None };
        let key = &field.node.response_key().node;
        if !field.node.directives.is_empty()
            || fields.iter().any(|other| other.node.response_key().node == *key)
        {
            return None;
        }
        fields.push(field);
    }
    Some(fields)
}

/// The values in the order of the selection.
async fn resolve_fields<'a, T: ContainerType>(
    ctx: &ContextSelectionSet<'a>,
    object: &'a T,
    fields: Vec<&'a Positioned<Field>>,
) -> Value {
    let mut members: IndexMap<Name, Value> = IndexMap::with_capacity(fields.len());
    let mut waiting = Vec::new();
    for field in fields {
        let key = &field.node.response_key().node;
        if field.node.name.node == "__typename" {
            members.insert(key.clone(), Value::String(object.introspection_type_name().into_owned()));
            continue;
        }
        let mut answer = Box::pin(async move {
            let ctx = ctx.with_field(field);
            object.resolve_field(&ctx).await
        });
        match futures::poll!(&mut answer) {
            Poll::Ready(answer) => put(ctx, &mut members, key, answer),
            Poll::Pending => {
                // It keeps its place.
                members.insert(key.clone(), Value::Null);
                waiting.push(async move { (key, answer.await) });
            }
        }
    }
    if !waiting.is_empty() {
        // What waits has the waker of this object, and goes on when its neighbours of a list were asked too: a loader reads for all.
        futures::pending!();
        let mut waiting: FuturesUnordered<_> = waiting.into_iter().collect();
        while let Some((key, answer)) = waiting.next().await {
            put(ctx, &mut members, key, answer);
        }
    }
    if members.is_empty() { Value::Null } else { Value::Object(members) }
}

/// Puts a value in its place. One that failed is left out and its error is noted, as the framework does.
fn put(
    ctx: &ContextSelectionSet<'_>,
    members: &mut IndexMap<Name, Value>,
    key: &Name,
    answer: ServerResult<Option<Value>>,
) {
    match answer {
        Ok(value) => {
            members.insert(key.clone(), value.unwrap_or_default());
        }
        Err(error) => {
            members.shift_remove(key);
            ctx.add_error(error);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use async_graphql::{EmptyMutation, EmptySubscription, Error, Object, Schema};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use tokio::sync::Barrier;

    struct Thing(Barrier);

    #[Object]
    impl Thing {
        async fn name(&self) -> &str {
            "a"
        }

        /// Waits for the other one.
        async fn left(&self) -> i32 {
            self.0.wait().await;
            1
        }

        /// Waits for the other one.
        async fn right(&self) -> i32 {
            self.0.wait().await;
            2
        }

        async fn broken(&self) -> Result<Option<i32>, Error> {
            Err(std::future::ready(Error::new("no")).await)
        }

        async fn broken_later(&self) -> Result<Option<i32>, Error> {
            tokio::task::yield_now().await;
            Err(Error::new("later"))
        }
    }

    /// One of several that ask a loader, which begins when all have asked.
    struct Neighbour(Arc<AtomicUsize>);

    #[Object]
    impl Neighbour {
        /// How many have asked when it goes on.
        async fn requested(&self) -> usize {
            self.0.fetch_add(1, Ordering::Relaxed);
            tokio::task::yield_now().await;
            self.0.load(Ordering::Relaxed)
        }
    }

    struct Query;

    #[Object]
    impl Query {
        async fn eager(&self) -> Eager<Thing> {
            Eager(Thing(Barrier::new(2)))
        }

        async fn neighbours(&self) -> Vec<Eager<Neighbour>> {
            let requested = Arc::default();
            (0..3).map(|_| Eager(Neighbour(Arc::clone(&requested)))).collect()
        }

        async fn usual(&self) -> Thing {
            Thing(Barrier::new(2))
        }
    }

    async fn answer(object: &str, selection: &str) -> (String, Vec<String>) {
        let schema = Schema::new(Query, EmptyMutation, EmptySubscription);
        let answer = schema.execute(format!("{{ thing: {object} {{ {selection} }} }}")).await;
        let errors = answer.errors.iter().map(|error| format!("{} at {:?}", error.message, error.path));
        (answer.data.to_string(), errors.collect())
    }

    #[tokio::test]
    async fn members_stand_in_the_order_of_the_selection_although_some_wait_for_each_other() {
        let (data, errors) = answer("eager", "right name left again: name").await;
        assert_eq!(data, r#"{thing: {right: 2, name: "a", left: 1, again: "a"}}"#);
        assert_eq!(errors, [""; 0]);
    }

    #[tokio::test]
    async fn neighbours_of_a_list_ask_before_one_of_them_goes_on() {
        let (data, _) = answer("neighbours", "requested").await;
        assert_eq!(data, "{thing: [{requested: 3}, {requested: 3}, {requested: 3}]}");
    }

    #[tokio::test]
    async fn everything_else_is_answered_as_by_the_framework() {
        for selection in [
            "name broken",
            "broken",
            "name brokenLater broken",
            "brokenLater",
            "name __typename",
            "name ... on Thing { more: name }",
            "name name",
            "name @skip(if: true) again: name",
        ] {
            assert_eq!(answer("eager", selection).await, answer("usual", selection).await, "{selection}");
        }
    }
}
