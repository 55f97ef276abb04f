//! Variables are defined once, given when they must be, and stand only where their type is expected (specification of
//! GraphQL, October 2021, 5.8 "Variables", 6.1.2 `CoerceVariableValues`). async-graphql finds that a required variable is
//! not given when a resolver asks for it, after others have run, and takes a default of null for a value (5.8.5
//! `IsVariableUsageAllowed`): here both are errors of the request.

use super::input_faults::InputMistake;
use super::input_values::{InputCheck, ValuePosition};
use async_graphql::parser::types::{BaseType, Type, VariableDefinition};
use async_graphql::{Name, Value};
use std::collections::HashSet;

impl InputCheck<'_> {
    /// Variables are defined once, with defaults of their type.
    pub(super) fn check_definitions(&mut self) {
        let mut known = HashSet::new();
        for definition in self.definitions {
            let VariableDefinition { name, var_type, default_value, .. } = &definition.node;
            if !known.insert(&name.node) {
                self.fault(&name.node, InputMistake::DefinedTwice, definition.pos);
            }
            if let Some(default) = default_value {
                let at = ValuePosition { path: &name.node, pos: default.pos, variable: false };
                self.value(&default.node.clone().into_value(), &var_type.node, at);
            }
        }
    }

    /// Variables that must be given.
    pub(super) fn check_required(&mut self) {
        for definition in self.definitions {
            let VariableDefinition { name, var_type, default_value, .. } = &definition.node;
            let given = self.variables.get(&name.node);
            if var_type.node.nullable {
                continue;
            }
            let ty = var_type.node.to_string();
            let mistake = match given {
                None if default_value.is_none() => InputMistake::VariableRequired { ty },
                Some(Value::Null) => InputMistake::VariableNull { ty },
                _ => continue,
            };
            self.fault(&name.node, mistake, definition.pos);
        }
    }

    /// A variable where a value of a type is expected. One that is not defined is left to the framework.
    pub(super) fn variable(&mut self, name: &Name, ty: &Type, has_default: bool, at: ValuePosition<'_>) {
        let definition = self.definitions.iter().find(|definition| definition.node.name.node == *name);
        let Some(VariableDefinition { var_type, default_value, .. }) = definition.map(|found| &found.node)
        else {
            return;
        };
        let fallback = default_value.as_ref().is_some_and(|value| value.node != Value::Null) || has_default;
        if !is_variable_usage_allowed(&var_type.node, ty, fallback) {
            let (ty, expected) = (var_type.node.to_string(), ty.to_string());
            let mistake = InputMistake::VariableType { name: name.to_string(), ty, expected };
            self.fault(at.path, mistake, at.pos);
            return;
        }
        match self.variables.get(name) {
            // Told already, of the variable itself.
            Some(Value::Null) if !var_type.node.nullable => {}
            Some(value) => {
                self.value(&value.clone().into_value(), ty, ValuePosition { variable: true, ..at });
            }
            None => {}
        }
    }
}

/// Whether a variable may stand where `place` is expected; `fallback`: it is null at most when null is given.
fn is_variable_usage_allowed(variable: &Type, place: &Type, fallback: bool) -> bool {
    if !place.nullable && variable.nullable && !fallback {
        return false;
    }
    match (&variable.base, &place.base) {
        (BaseType::Named(variable), BaseType::Named(place)) => variable == place,
        (BaseType::List(variable), BaseType::List(place)) => {
            is_variable_usage_allowed(variable, place, false)
        }
        _ => false,
    }
}
