//! What a request costs, reckoned from the schema before it runs, and requests that are validated only.
//!
//! What is asked for by keys costs as much as the same things of a page: each key once more.

use crate::inputs::Checked;
use crate::limits::COMPLEXITY_MAX;
use crate::response::GraphQLErrorCode;
use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextExecute, NextValidation};
use async_graphql::parser::types::{BaseType, ExecutableDocument, VariableDefinition};
use async_graphql::{
    ErrorExtensionValues, Response, ServerError, ValidationResult, Value, Variables, async_trait,
};
use gateway_domain::ErrorCode;
use std::sync::Arc;

/// Data of a request that is validated and not run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ValidatedOnly {
    /// Whether it must not cost too much as it is written. What several operations cost together means nothing: then
    /// only what runs is reckoned.
    pub(crate) priced: bool,
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
        if ctx.data_opt::<ValidatedOnly>().is_some_and(|validated| !validated.priced) {
            return Ok(result);
        }
        let keys = ctx.data_opt::<Checked>().map_or(1, |checked| checked.by_key.max(1));
        let cost = result.complexity.saturating_mul(keys);
        if cost > COMPLEXITY_MAX {
            return Err(vec![too_much(cost, keys)]);
        }
        Ok(result)
    }

    async fn execute(
        &self,
        ctx: &ExtensionContext<'_>,
        operation_name: Option<&str>,
        next: NextExecute<'_>,
    ) -> Response {
        if ctx.data_opt::<ValidatedOnly>().is_some() {
            return Response::default();
        }
        next.run(ctx, operation_name).await
    }
}

/// The values of a request, with one for every variable that none is given for, in operations that do not run too: the
/// framework reckons the cost of all of them, and cannot without values. What is not given is null, and a number that must be
/// given is one; what else must be given costs nothing.
pub(crate) fn every_variable(document: &ExecutableDocument, given: &Variables) -> Variables {
    let mut all = given.clone();
    let definitions =
        document.operations.iter().flat_map(|(_, operation)| &operation.node.variable_definitions);
    for VariableDefinition { name, var_type, default_value, .. } in
        definitions.map(|definition| &definition.node)
    {
        let value = match &var_type.node.base {
            _ if default_value.is_some() => continue,
            _ if var_type.node.nullable => Value::Null,
            BaseType::Named(name) if name == "Int" => Value::from(1),
            BaseType::Named(_) | BaseType::List(_) => continue,
        };
        all.entry(name.node.clone()).or_insert(value);
    }
    all
}

fn too_much(cost: usize, keys: usize) -> ServerError {
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
