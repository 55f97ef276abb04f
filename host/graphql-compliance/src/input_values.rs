//! Values are coerced by the types of the schema before anything runs (specification of GraphQL, October 2021, 3.5.1
//! "Int", 3.9 "Enums", 5.6 "Values"). async-graphql leaves the range of integers to the resolvers, takes a text for an
//! enum value, and looks at nothing of an argument when one of its variables has no value: here every mistake is found
//! at once, and named by the path of its member.

use super::document::root_type;
use super::input_faults::{InputFault, InputFaults, InputMistake, ScalarMistake, without_input_prefix};
use super::schema_types::{ENTITIES, InputMember, REPRESENTATIONS, SchemaType, SchemaTypes};
use async_graphql::parser::types::{
    BaseType, Directive, ExecutableDocument, OperationDefinition, Selection, SelectionSet, Type,
    VariableDefinition,
};
use async_graphql::{Name, Pos, Positioned, Value, Variables};
use async_graphql_value::Value as InputValue;
use gateway_domain_input::nearest;
use std::collections::HashSet;

/// How many things a request asks for by their keys (`_entities`); its cost is a multiple of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EntityKeyCount {
    /// Most things that one field asks for.
    pub per_field: usize,
}

/// The scalar of a key of federation.
const ANY: &str = "_Any";

/// The inputs of one operation, and what was found wrong with them so far.
pub(super) struct InputCheck<'a> {
    types: &'a SchemaTypes,
    document: &'a ExecutableDocument,
    pub(super) definitions: &'a [Positioned<VariableDefinition>],
    pub(super) variables: &'a Variables,
    faults: Vec<InputFault>,
    /// Fragments that were looked at.
    spread: HashSet<&'a Name>,
    entity_keys: EntityKeyCount,
}

/// A place in the inputs.
#[derive(Clone, Copy)]
pub(super) struct ValuePosition<'p> {
    pub(super) path: &'p str,
    pub(super) pos: Pos,
    /// Whether the value came as a variable, where an enum value is a text.
    pub(super) variable: bool,
}

impl<'a> InputCheck<'a> {
    /// Looks at the variables of an operation, and at every value in it.
    pub(super) fn of_everything(
        types: &'a SchemaTypes,
        document: &'a ExecutableDocument,
        operation: &'a OperationDefinition,
        variables: &'a Variables,
    ) -> Self {
        let mut check = Self::new(types, document, operation, variables);
        check.check_definitions();
        check.check_required();
        check.check_values(operation);
        check
    }

    fn new(
        types: &'a SchemaTypes,
        document: &'a ExecutableDocument,
        operation: &'a OperationDefinition,
        variables: &'a Variables,
    ) -> Self {
        Self {
            types,
            document,
            definitions: &operation.variable_definitions,
            variables,
            faults: Vec::new(),
            spread: HashSet::new(),
            entity_keys: EntityKeyCount::default(),
        }
    }

    /// Every fault at once, or how many keys were named.
    pub(super) fn finish(self) -> Result<EntityKeyCount, InputFaults> {
        if self.faults.is_empty() { Ok(self.entity_keys) } else { Err(self.faults.into()) }
    }

    /// The arguments of every field and directive, with the fragments that are spread.
    fn check_values(&mut self, operation: &'a OperationDefinition) {
        self.directives(&operation.directives);
        self.selections(&operation.selection_set.node, Some(root_type(operation)));
    }

    /// Keeps a mistake once, where it was found first.
    pub(super) fn fault(&mut self, path: &str, mistake: InputMistake, pos: Pos) {
        let field = without_input_prefix(path);
        if !self.faults.iter().any(|known| known.field == field && known.mistake == mistake) {
            self.faults.push(InputFault { field: field.to_owned(), mistake, pos });
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
                            let keys = given.map_or(0, |given| self.length(&given.node));
                            self.entity_keys.per_field = self.entity_keys.per_field.max(keys);
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
                self.fault(&format!("@{name}"), InputMistake::UnknownDirective, directive.pos);
                continue;
            }
            if let Some(ty) = Type::new("Boolean!") {
                let condition = InputMember { name: "if".to_owned(), ty, has_default: false };
                self.argument(&condition, directive.node.get_argument("if"), directive.pos);
            }
        }
    }

    fn argument(&mut self, member: &InputMember, given: Option<&Positioned<InputValue>>, pos: Pos) {
        let at =
            ValuePosition { path: &member.name, pos: given.map_or(pos, |given| given.pos), variable: false };
        self.member(member, given.map(|given| &given.node), at);
    }

    fn member(&mut self, member: &InputMember, given: Option<&InputValue>, at: ValuePosition<'_>) {
        match given {
            Some(InputValue::Variable(name)) => self.variable(name, &member.ty, member.has_default, at),
            Some(value) => self.value(value, &member.ty, at),
            None if member.ty.nullable || member.has_default => {}
            None => self.fault(at.path, InputMistake::Required, at.pos),
        }
    }

    pub(super) fn value(&mut self, value: &InputValue, ty: &Type, at: ValuePosition<'_>) {
        match (value, &ty.base) {
            (InputValue::Null, _) if ty.nullable => {}
            (InputValue::Null, _) => self.fault(at.path, InputMistake::Null, at.pos),
            (InputValue::List(items), BaseType::List(of)) => {
                for (index, item) in items.iter().enumerate() {
                    let path = format!("{}[{index}]", at.path);
                    let at = ValuePosition { path: &path, ..at };
                    match item {
                        InputValue::Variable(name) => self.variable(name, of, false, at),
                        item => self.value(item, of, at),
                    }
                }
            }
            // One value is a list of one.
            (value, BaseType::List(of)) => self.value(value, of, at),
            (value, BaseType::Named(name)) => self.named_type(value, name.as_str(), at),
        }
    }

    fn named_type(&mut self, value: &InputValue, name: &str, at: ValuePosition<'_>) {
        match self.types.get(name) {
            Some(SchemaType::Input(members)) => match value {
                InputValue::Object(given) => {
                    for member in members {
                        let path = format!("{}.{}", at.path, member.name);
                        self.member(
                            member,
                            given.get(member.name.as_str()),
                            ValuePosition { path: &path, ..at },
                        );
                    }
                    let unknown = |key: &&Name| !members.iter().any(|member| member.name == key.as_str());
                    for key in given.keys().filter(unknown) {
                        let known = members.iter().map(|member| member.name.as_str());
                        let mistake =
                            InputMistake::UnknownMember { of: name.to_owned(), meant: meant(key, known) };
                        self.fault(&format!("{}.{key}", at.path), mistake, at.pos);
                    }
                }
                _ => self.fault(at.path, InputMistake::NotAnObject, at.pos),
            },
            Some(SchemaType::Enum(values)) => {
                let known = |text: &str| values.iter().any(|value| value == text);
                let good = match value {
                    InputValue::Enum(name) => known(name.as_str()),
                    InputValue::String(text) => at.variable && known(text),
                    _ => false,
                };
                if !good {
                    let meant = match value {
                        InputValue::Enum(given) => meant(given, values.iter().map(String::as_str)),
                        InputValue::String(given) if !known(given) => {
                            meant(given, values.iter().map(String::as_str))
                        }
                        _ => None,
                    };
                    let mistake =
                        InputMistake::NotOneOf { values: values.clone(), quoted: !at.variable, meant };
                    self.fault(at.path, mistake, at.pos);
                }
            }
            _ if name == ANY => self.entity_key(value, at),
            _ => {
                let own = || self.types.scalar(value, name).map(ScalarMistake::Own);
                if let Some(mistake) = scalar(value, name).or_else(own) {
                    self.fault(at.path, InputMistake::NotOfScalar(mistake), at.pos);
                }
            }
        }
    }
}

impl InputCheck<'_> {
    /// A key of federation: which type, and which thing of it. A variable inside it is looked at when it is used.
    fn entity_key(&mut self, value: &InputValue, at: ValuePosition<'_>) {
        let InputValue::Object(members) = value else {
            return self.fault(at.path, InputMistake::NotAnEntityKey, at.pos);
        };
        let types = self.types;
        let known = |text: &str| types.entities().iter().any(|entity| entity == text);
        let type_path = format!("{}.__typename", at.path);
        match members.get("__typename") {
            Some(InputValue::Variable(_)) => {}
            Some(InputValue::String(text)) if known(text) => {}
            Some(InputValue::String(text)) => {
                let values = types.entities().to_vec();
                let meant = meant(text, values.iter().map(String::as_str));
                self.fault(&type_path, InputMistake::NotOneOf { values, quoted: false, meant }, at.pos);
            }
            Some(_) => self.fault(&type_path, InputMistake::NotOfScalar(ScalarMistake::NoString), at.pos),
            None => self.fault(&type_path, InputMistake::Required, at.pos),
        }
        let id_path = format!("{}.id", at.path);
        match members.get("id") {
            Some(InputValue::Variable(_)) => {}
            Some(id) => {
                if let Some(mistake) = scalar(id, "ID") {
                    self.fault(&id_path, InputMistake::NotOfScalar(mistake), at.pos);
                }
            }
            None => self.fault(&id_path, InputMistake::Required, at.pos),
        }
    }
}

/// Which known name was probably meant.
fn meant<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    nearest(name, known).map(str::to_owned)
}

/// What is wrong with a value of a scalar of the language.
fn scalar(value: &InputValue, name: &str) -> Option<ScalarMistake> {
    let (good, mistake) = match (name, value) {
        ("Int", InputValue::Number(number)) => {
            (number.as_i64().is_some_and(|number| i32::try_from(number).is_ok()), ScalarMistake::IntRange)
        }
        ("Int", _) => (false, ScalarMistake::NoInt),
        ("Float", value) => (matches!(value, InputValue::Number(_)), ScalarMistake::NoFloat),
        ("Boolean", value) => (matches!(value, InputValue::Boolean(_)), ScalarMistake::NoBoolean),
        ("String", value) => (matches!(value, InputValue::String(_)), ScalarMistake::NoString),
        ("ID", InputValue::Number(number)) => (number.is_i64() || number.is_u64(), ScalarMistake::NoId),
        ("ID", value) => (matches!(value, InputValue::String(_)), ScalarMistake::NoId),
        _ => return None,
    };
    (!good).then_some(mistake)
}
