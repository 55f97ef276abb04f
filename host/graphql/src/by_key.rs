//! What is asked for by keys costs as much as the same things of a page: each key once more.

use crate::inputs::Checked;
use crate::limits::COMPLEXITY_MAX;
use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextValidation};
use async_graphql::{ServerError, ValidationResult, async_trait};
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
        let keys = ctx.data_opt::<Checked>().map_or(1, |checked| checked.by_key.max(1));
        let cost = result.complexity.saturating_mul(keys);
        if cost > COMPLEXITY_MAX {
            return Err(vec![ServerError::new(
                format!(
                    "Query is too complex: {keys} keys cost {cost}, at most {COMPLEXITY_MAX}: ask for fewer keys or members"
                ),
                None,
            )]);
        }
        Ok(result)
    }
}
