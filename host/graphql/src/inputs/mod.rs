//! The inputs of a request, checked against the schema before anything runs, as the GraphQL specification coerces them.
//!
//! What the framework leaves to the resolvers, or reads in another way, is found here: variables that are required and
//! not given, variables in places that do not take them, numbers beyond 32 bits, enum values written as texts. Each
//! mistake is named by the path of its member. A variable that is not given is then taken out of the document
//! ([`absent`]): the member it stands for is not given either.

mod absent;
mod merged;
mod typenames;
mod types;

pub(crate) use merged::{NOTHING, once};
pub(crate) use types::Types;

use crate::errors;
use crate::response::GraphQLErrorCode;
use async_graphql::parser::types::{
    BaseType, Directive, ExecutableDocument, OperationDefinition, OperationType, Selection, SelectionSet,
    Type, VariableDefinition,
};
use async_graphql::{ErrorExtensionValues, Name, Pos, Positioned, ServerError, Value, Variables};
use async_graphql_value::Value as InputValue;
use gateway_domain::{ErrorCode, FieldError};
use std::collections::HashSet;
use types::{Kind, Member};

pub(crate) const ENTITIES: &str = "_entities";
pub(crate) const REPRESENTATIONS: &str = "representations";

/// What is known of a request when its inputs are good.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Checked {
    /// Most things that one field asks for by their keys.
    pub(crate) by_key: usize,
}

/// Checks the inputs of an operation, and takes variables that are not given out of the document.
pub(crate) fn check(
    types: &Types,
    document: &mut ExecutableDocument,
    operation: Option<&str>,
    variables: &Variables,
) -> Result<Checked, Vec<ServerError>> {
    typenames::spell_out(document);
    // Which operation is meant, and whether there is one, is for the framework to say.
    let Some(chosen) = chosen(document, operation) else { return Ok(Checked::default()) };
    let mut check = Check {
        types,
        document,
        definitions: &chosen.variable_definitions,
        variables,
        faults: Vec::new(),
        spread: HashSet::new(),
        by_key: 0,
    };
    check.defined();
    check.required();
    check.directives(&chosen.directives);
    check.selections(&chosen.selection_set.node, Some(root(chosen)));
    for fault in merged::conflicts(types, document, chosen) {
        check.tell(fault);
    }
    let Check { faults, by_key, .. } = check;
    if !faults.is_empty() {
        return Err(vec![error(faults)]);
    }
    let missing = absent::of(chosen, variables);
    absent::remove(document, operation, &missing);
    Ok(Checked { by_key })
}

/// The operation that a request means.
pub(crate) fn chosen<'a>(
    document: &'a ExecutableDocument,
    name: Option<&str>,
) -> Option<&'a OperationDefinition> {
    let mut operations = document.operations.iter();
    match name {
        Some(name) => operations.find(|(found, _)| found.is_some_and(|found| found.as_str() == name)),
        None => operations.next().filter(|_| operations.next().is_none()),
    }
    .map(|(_, operation)| &operation.node)
}

/// The type that an operation begins with.
const fn root(operation: &OperationDefinition) -> &'static str {
    match operation.ty {
        OperationType::Query => "Query",
        OperationType::Mutation => "Mutation",
        OperationType::Subscription => "Subscription",
    }
}

/// A mistake: where in the inputs, what, and where in the document.
#[derive(Debug, PartialEq)]
struct Fault {
    field: String,
    message: String,
    /// The sentence, where it does not begin with the field.
    sentence: Option<String>,
    pos: Pos,
}

fn error(faults: Vec<Fault>) -> ServerError {
    let sentence = |fault: &Fault| {
        fault.sentence.clone().unwrap_or_else(|| format!("{}: {}", fault.field, fault.message))
    };
    let message = faults.iter().map(sentence).collect::<Vec<_>>().join("; ");
    let mut error = ServerError::new(message, None);
    error.locations = faults.iter().map(|fault| fault.pos).collect();
    error.locations.dedup();
    let fields: Vec<FieldError> = faults
        .into_iter()
        .map(|fault| FieldError::new(fault.field, ErrorCode::QueryInvalid, fault.message))
        .collect();
    let extensions = error.extensions.get_or_insert_with(ErrorExtensionValues::default);
    extensions.set("code", Value::from(GraphQLErrorCode::BadUserInput.as_str()));
    extensions.set("reason", Value::from(ErrorCode::QueryInvalid.as_str()));
    extensions.set("fields", errors::fields(&fields));
    error
}

struct Check<'a> {
    types: &'a Types,
    document: &'a ExecutableDocument,
    definitions: &'a [Positioned<VariableDefinition>],
    variables: &'a Variables,
    faults: Vec<Fault>,
    /// Fragments that were looked at.
    spread: HashSet<&'a Name>,
    by_key: usize,
}

/// A place in the inputs.
#[derive(Clone, Copy)]
struct At<'p> {
    path: &'p str,
    pos: Pos,
    /// Whether the value came as a variable, where an enum value is a text.
    variable: bool,
}

impl<'a> Check<'a> {
    fn fault(&mut self, field: &str, message: impl Into<String>, pos: Pos) {
        self.tell(Fault { field: shown(field).to_owned(), message: message.into(), sentence: None, pos });
    }

    fn tell(&mut self, fault: Fault) {
        let known = |other: &Fault| other.field == fault.field && other.message == fault.message;
        if !self.faults.iter().any(known) {
            self.faults.push(fault);
        }
    }

    /// Variables are defined once, with defaults of their type.
    fn defined(&mut self) {
        let mut known = HashSet::new();
        for definition in self.definitions {
            let VariableDefinition { name, var_type, default_value, .. } = &definition.node;
            if !known.insert(&name.node) {
                self.fault(&name.node, "is defined twice", definition.pos);
            }
            if let Some(default) = default_value {
                let at = At { path: &name.node, pos: default.pos, variable: false };
                self.value(&default.node.clone().into_value(), &var_type.node, at);
            }
        }
    }

    /// Variables that must be given.
    fn required(&mut self) {
        for definition in self.definitions {
            let VariableDefinition { name, var_type, default_value, .. } = &definition.node;
            let given = self.variables.get(&name.node);
            let what = match given {
                None if default_value.is_none() => "is required",
                Some(Value::Null) => "must not be null",
                _ => continue,
            };
            if !var_type.node.nullable {
                let message = format!("variable ${} of type {} {what}", name.node, var_type.node);
                let field = name.node.to_string();
                self.tell(Fault {
                    field,
                    message: what.to_owned(),
                    sentence: Some(message),
                    pos: definition.pos,
                });
            }
        }
    }

    fn selections(&mut self, set: &'a SelectionSet, parent: Option<&str>) {
        for selection in &set.items {
            self.directives(selection.node.directives());
            match &selection.node {
                Selection::Field(field) => {
                    let name = field.node.name.node.as_str();
                    let known = parent.and_then(|parent| self.types.field(parent, name));
                    if let Some(known) = known {
                        for argument in &known.arguments {
                            let given = field.node.get_argument(&argument.name);
                            self.argument(argument, given, field.pos);
                        }
                        if name == ENTITIES {
                            let given = field.node.get_argument(REPRESENTATIONS);
                            self.by_key = self.by_key.max(given.map_or(0, |given| self.length(&given.node)));
                        }
                    }
                    let of = known.map(|known| known.of.as_str());
                    self.selections(&field.node.selection_set.node, of);
                }
                Selection::InlineFragment(inline) => {
                    let on = inline.node.type_condition.as_ref().map(|on| on.node.on.node.as_str());
                    self.selections(&inline.node.selection_set.node, on.or(parent));
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    if let Some(fragment) = self.document.fragments.get(name)
                        && self.spread.insert(name)
                    {
                        self.directives(&fragment.node.directives);
                        let on = fragment.node.type_condition.node.on.node.as_str();
                        self.selections(&fragment.node.selection_set.node, Some(on));
                    }
                }
            }
        }
    }

    /// How many values a list has.
    fn length(&self, value: &InputValue) -> usize {
        match value {
            InputValue::List(items) => items.len(),
            InputValue::Variable(name) => match self.variables.get(name) {
                Some(Value::List(items)) => items.len(),
                _ => 1,
            },
            _ => 1,
        }
    }

    /// A request may skip and include; there is nothing else.
    fn directives(&mut self, directives: &[Positioned<Directive>]) {
        for directive in directives {
            let name = directive.node.name.node.as_str();
            if !matches!(name, "skip" | "include") {
                self.fault(&format!("@{name}"), "there is no such directive", directive.pos);
                continue;
            }
            if let Some(ty) = Type::new("Boolean!") {
                let condition = Member { name: "if".to_owned(), ty, has_default: false };
                self.argument(&condition, directive.node.get_argument("if"), directive.pos);
            }
        }
    }

    fn argument(&mut self, member: &Member, given: Option<&Positioned<InputValue>>, pos: Pos) {
        let at = At { path: &member.name, pos: given.map_or(pos, |given| given.pos), variable: false };
        self.member(member, given.map(|given| &given.node), at);
    }

    fn member(&mut self, member: &Member, given: Option<&InputValue>, at: At<'_>) {
        match given {
            Some(InputValue::Variable(name)) => self.variable(name, &member.ty, member.has_default, at),
            Some(value) => self.value(value, &member.ty, at),
            None if member.ty.nullable || member.has_default => {}
            None => self.fault(at.path, "is required", at.pos),
        }
    }

    /// A variable where a value of a type is expected. One that is not defined is left to the framework.
    fn variable(&mut self, name: &Name, ty: &Type, has_default: bool, at: At<'_>) {
        let definition = self.definitions.iter().find(|definition| definition.node.name.node == *name);
        let Some(VariableDefinition { var_type, default_value, .. }) = definition.map(|found| &found.node)
        else {
            return;
        };
        let fallback = default_value.as_ref().is_some_and(|value| value.node != Value::Null) || has_default;
        if !fits(&var_type.node, ty, fallback) {
            let message =
                format!("variable ${name} of type {} is given where {ty} is expected", var_type.node);
            self.tell(Fault {
                field: shown(at.path).to_owned(),
                message: message.clone(),
                sentence: Some(message),
                pos: at.pos,
            });
            return;
        }
        match self.variables.get(name) {
            // Told already, of the variable itself.
            Some(Value::Null) if !var_type.node.nullable => {}
            Some(value) => {
                self.value(&value.clone().into_value(), ty, At { variable: true, ..at });
            }
            None => {}
        }
    }

    fn value(&mut self, value: &InputValue, ty: &Type, at: At<'_>) {
        match (value, &ty.base) {
            (InputValue::Null, _) if ty.nullable => {}
            (InputValue::Null, _) => self.fault(at.path, "must not be null", at.pos),
            (InputValue::List(items), BaseType::List(of)) => {
                for (index, item) in items.iter().enumerate() {
                    let path = format!("{}[{index}]", at.path);
                    let at = At { path: &path, ..at };
                    match item {
                        InputValue::Variable(name) => self.variable(name, of, false, at),
                        item => self.value(item, of, at),
                    }
                }
            }
            // One value is a list of one.
            (value, BaseType::List(of)) => self.value(value, of, at),
            (value, BaseType::Named(name)) => self.named(value, name.as_str(), at),
        }
    }

    fn named(&mut self, value: &InputValue, name: &str, at: At<'_>) {
        match self.types.get(name) {
            Some(Kind::Input(members)) => match value {
                InputValue::Object(given) => {
                    for member in members {
                        let path = format!("{}.{}", at.path, member.name);
                        self.member(member, given.get(member.name.as_str()), At { path: &path, ..at });
                    }
                    let unknown = |key: &&Name| !members.iter().any(|member| member.name == key.as_str());
                    for key in given.keys().filter(unknown) {
                        let message = format!("{name} has no such member");
                        self.fault(&format!("{}.{key}", at.path), message, at.pos);
                    }
                }
                _ => self.fault(at.path, "must be an object", at.pos),
            },
            Some(Kind::Enum(values)) => {
                let known = |text: &str| values.iter().any(|value| value == text);
                let good = match value {
                    InputValue::Enum(name) => known(name.as_str()),
                    InputValue::String(text) => at.variable && known(text),
                    _ => false,
                };
                if !good {
                    let quotes = if at.variable { "" } else { ", without quotes" };
                    let message = format!("must be one of {}{quotes}", values.join(", "));
                    self.fault(at.path, message, at.pos);
                }
            }
            _ => {
                if let Some(message) = scalar(value, name) {
                    self.fault(at.path, message, at.pos);
                }
            }
        }
    }
}

/// What is wrong with a value of a scalar. Dates that do not exist are left to the scalar itself, which says so.
fn scalar(value: &InputValue, name: &str) -> Option<&'static str> {
    let (good, message) = match (name, value) {
        ("Int", InputValue::Number(number)) => (
            number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()),
            "must be a whole number from -2147483648 to 2147483647",
        ),
        ("Int", _) => (false, "must be a whole number"),
        ("Float", value) => (matches!(value, InputValue::Number(_)), "must be a number"),
        ("Boolean", value) => (matches!(value, InputValue::Boolean(_)), "must be true or false"),
        ("String", value) => (matches!(value, InputValue::String(_)), "must be a text"),
        ("ID", InputValue::Number(number)) => {
            (number.is_i64() || number.is_u64(), "must be a text or a whole number")
        }
        ("ID", value) => (matches!(value, InputValue::String(_)), "must be a text or a whole number"),
        ("ISO8601Date", value) => (
            matches!(value, InputValue::String(text) if crate::scalars::is_date(text)),
            "must be an existing date, written YYYY-MM-DD, such as 2026-12-31",
        ),
        _ => (true, ""),
    };
    (!good).then_some(message)
}

/// Whether a variable may stand where `place` is expected; `fallback`: it is null at most when null is given.
fn fits(variable: &Type, place: &Type, fallback: bool) -> bool {
    if !place.nullable && variable.nullable && !fallback {
        return false;
    }
    match (&variable.base, &place.base) {
        (BaseType::Named(variable), BaseType::Named(place)) => variable == place,
        (BaseType::List(variable), BaseType::List(place)) => fits(variable, place, false),
        _ => false,
    }
}

/// The members of a mutation's input are named without `input.`, as rules name them.
fn shown(path: &str) -> &str {
    path.strip_prefix("input.").unwrap_or(path)
}

#[cfg(test)]
mod tests;
