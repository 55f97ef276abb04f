//! What a request costs, reckoned from the schema before it runs.
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
        let cost = result.complexity.saturating_mul(keys);
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
