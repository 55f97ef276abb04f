//! The document is validated as it was sent, with the operations and fragments that do not run, and the variables of a
//! request are those of the operation that runs (specification of GraphQL, October 2021, 5 "Validation", 6.1
//! `ExecuteRequest`). async-graphql validates what it executes, which is a merged document here
//! ([`super::field_merging`]), and reckons the cost of every operation with the variables of one: the document as sent
//! is validated in a run of its own, that ends before execution, with a value for every variable.

use async_graphql::extensions::{Extension, ExtensionContext, ExtensionFactory, NextExecute};
use async_graphql::parser::types::{BaseType, ExecutableDocument, VariableDefinition};
use async_graphql::{Response, Value, Variables, async_trait};
use std::sync::Arc;

/// Data of a request that is validated and not executed.
#[derive(Debug, Clone, Copy)]
pub struct ValidationOnly {
    /// Whether its cost counts. What several operations cost together means nothing: then only what runs is reckoned.
    pub has_cost: bool,
}

/// Ends a request with [`ValidationOnly`] before it is executed.
#[derive(Debug, Clone, Copy)]
pub struct EndAfterValidation;

impl ExtensionFactory for EndAfterValidation {
    fn create(&self) -> Arc<dyn Extension> {
        Arc::new(Self)
    }
}

#[async_trait::async_trait]
impl Extension for EndAfterValidation {
    async fn execute(
        &self,
        ctx: &ExtensionContext<'_>,
        operation_name: Option<&str>,
        next: NextExecute<'_>,
    ) -> Response {
        if ctx.data_opt::<ValidationOnly>().is_some() {
            return Response::default();
        }
        next.run(ctx, operation_name).await
    }
}

/// The values of a request, with one for every variable that none is given for, in operations that do not run too: the
/// framework reckons the cost of all of them, and cannot without values. What is not given is null, and a number that must be
/// given is one; what else must be given costs nothing.
pub fn every_variable(document: &ExecutableDocument, given: &Variables) -> Variables {
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
