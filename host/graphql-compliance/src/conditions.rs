//! The conditions of `@skip` and `@include` are values of variables, and a variable that is not given has its default
//! (specification of GraphQL, October 2021, 3.13.1, 3.13.2, 6.1.2). async-graphql reads them without the defaults.

use async_graphql::parser::types::{Directive, OperationDefinition};
use async_graphql::{Value, Variables};
use async_graphql_value::Value as InputValue;

/// What the conditions of @skip and @include are read with.
#[derive(Clone, Copy)]
pub(super) struct Conditions<'a> {
    pub(super) operation: &'a OperationDefinition,
    pub(super) variables: &'a Variables,
}

impl Conditions<'_> {
    /// None for what is no condition, or cannot be known.
    pub(super) fn holds(self, directive: &Directive) -> Option<bool> {
        let skips = match directive.name.node.as_str() {
            "skip" => true,
            "include" => false,
            _ => return None,
        };
        let condition = match &directive.get_argument("if")?.node {
            InputValue::Boolean(condition) => *condition,
            InputValue::Variable(name) => {
                let definitions = self.operation.variable_definitions.iter();
                let default = || {
                    let definition = definitions.clone().find(|known| known.node.name.node == *name)?;
                    definition.node.default_value.as_ref().map(|value| &value.node)
                };
                match self.variables.get(name).or_else(default)? {
                    Value::Boolean(condition) => *condition,
                    _ => return None,
                }
            }
            _ => return None,
        };
        Some(condition != skips)
    }
}
