//! What a request costs, reckoned from the schema before it runs.
//!
//! Two things are counted, as if every page were full. *Nodes*: things that may be read, those of a page, as many of a
//! list without pages (nobody knows its length before it is read), and each that a field refers to. They bound what the
//! database does: it reads a row for each, each row once, and those that are wanted at the same moment in one statement.
//! *Values*: fields that the answer may have. They are written from the nodes and ask nothing more of the database, so
//! that [`VALUES_OF_A_POINT`] of them count as much as one node. A request costs whichever is more: with pages of 25, three
//! lists below each other fit (25 + 625 + 15,625 nodes) with a handful of values each, and a fourth does not.
//!
//! What is asked for by keys costs as much as the same things of a page: each key once more.

use crate::limits::COMPLEXITY_MAX;
use crate::response::GraphQLErrorCode;
use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextValidation};
use async_graphql::{ErrorExtensionValues, ServerError, ValidationResult, Value, async_trait};
use gateway_domain::ErrorCode;
use gateway_graphql_compliance::EntityKeyCount;
use gateway_graphql_compliance::validation::ValidationOnly;
use std::sync::Arc;

/// So many values count as much as one node: the answer has a hundred thousand at most.
const VALUES_OF_A_POINT: usize = 5;
/// The framework adds up one number: the values are its lower bits, the nodes its upper ones.
const VALUE_BITS: u32 = 28;
/// More than may be is counted no further, so that no sum of a document runs over: it has at most 1,500 fields an
/// operation ([`crate::limits`]), and what several operations cost together is not looked at.
const NODES_COUNTED_MAX: usize = 1 << 19;
const VALUES_COUNTED_MAX: usize = 1 << 17;
const _: () = assert!(usize::BITS == 64 && COMPLEXITY_MAX * VALUES_OF_A_POINT < VALUES_COUNTED_MAX);

/// What a selection costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Cost {
    nodes: usize,
    values: usize,
}

impl Cost {
    const fn of_complexity(complexity: usize) -> Self {
        Self { nodes: complexity >> VALUE_BITS, values: complexity & ((1 << VALUE_BITS) - 1) }
    }

    const fn complexity(self) -> usize {
        let nodes = if self.nodes < NODES_COUNTED_MAX { self.nodes } else { NODES_COUNTED_MAX };
        let values = if self.values < VALUES_COUNTED_MAX { self.values } else { VALUES_COUNTED_MAX };
        (nodes << VALUE_BITS) | values
    }

    fn points(self) -> usize {
        self.nodes.max(self.values.div_ceil(VALUES_OF_A_POINT))
    }
}

/// What a list of so many nodes costs, `each` of which costs this.
pub(crate) const fn list(length: usize, each: usize) -> usize {
    let Cost { nodes, values } = Cost::of_complexity(each);
    let cost = Cost {
        nodes: nodes.saturating_add(1).saturating_mul(length),
        values: values.saturating_mul(length).saturating_add(1),
    };
    cost.complexity()
}

/// What one thing costs that a field refers to, and that is read for it.
pub(crate) const fn reference(each: usize) -> usize {
    list(1, each)
}

/// Refuses a request whose cost, times the keys it names, is too much.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Costs;

impl ExtensionFactory for Costs {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Self)
    }
}

#[async_trait::async_trait]
impl Extension for Costs {
    async fn validation(
        &self,
        ctx: &ExtensionContext<'_>,
        next: NextValidation<'_>,
    ) -> Result<ValidationResult, Vec<ServerError>> {
        let result = next.run(ctx).await?;
        if ctx.data_opt::<ValidationOnly>().is_some_and(|only| !only.has_cost) {
            return Ok(result);
        }
        let keys = ctx.data_opt::<EntityKeyCount>().map_or(1, |count| count.per_field.max(1));
        let Cost { nodes, values } = Cost::of_complexity(result.complexity);
        let (nodes, values) = (nodes.saturating_mul(keys), values.saturating_mul(keys));
        let cost = Cost { nodes, values }.points();
        if cost > COMPLEXITY_MAX {
            return Err(vec![cost_error(cost, keys)]);
        }
        Ok(result)
    }
}

fn cost_error(cost: usize, keys: usize) -> ServerError {
    let (of, what) = match keys {
        1 => (String::new(), "ask for smaller pages (first), fewer members or fewer lists below lists"),
        keys => (format!(", with its {keys} keys,"), "ask for fewer keys or fewer members of each"),
    };
    let message = format!("the query{of} costs {cost} points, at most {COMPLEXITY_MAX} are possible: {what}");
    let mut error = ServerError::new(message, None);
    let extensions = error.extensions.get_or_insert_with(ErrorExtensionValues::default);
    extensions.set("code", Value::from(GraphQLErrorCode::QueryTooComplex.as_str()));
    extensions.set("reason", Value::from(ErrorCode::QueryTooComplex.as_str()));
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_and_values_are_counted_apart() {
        let cost = |complexity| Cost::of_complexity(complexity);
        assert_eq!(cost(list(25, 4)), Cost { nodes: 25, values: 101 });
        assert_eq!(cost(list(25, list(25, 3) + 2)), Cost { nodes: 650, values: 1951 });
        assert_eq!(cost(reference(2) + 1), Cost { nodes: 1, values: 4 });
        assert_eq!(cost(list(25, 3)).points(), 25);
        assert_eq!(cost(list(2, 50)).points(), 21);
    }

    #[test]
    fn what_is_too_much_is_counted_no_further_and_stays_too_much() {
        let deep = (0..30).fold(1, |each, _| list(25, each));
        let fields = 1_500;
        let cost = Cost::of_complexity(deep * fields);
        assert!(cost.points() > COMPLEXITY_MAX && cost.nodes == NODES_COUNTED_MAX * fields, "{cost:?}");
        let wide = Cost::of_complexity(list(1, list(1, VALUES_COUNTED_MAX)));
        assert!(wide.points() > COMPLEXITY_MAX && wide.nodes == 2, "{wide:?}");
    }
}
