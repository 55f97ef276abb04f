//! What the schema says about inputs, read from its own text.

use async_graphql::Positioned;
use async_graphql::parser::parse_schema;
use async_graphql::parser::types::{
    BaseType, FieldDefinition, InputValueDefinition, Type, TypeDefinition, TypeKind, TypeSystemDefinition,
};
use async_graphql_value::Value as InputValue;
use std::collections::HashMap;

/// The field of `Query` that answers keys of federation, and its argument.
pub(super) const ENTITIES: &str = "_entities";
pub(super) const REPRESENTATIONS: &str = "representations";

/// An argument of a field or a member of an input.
#[derive(Debug)]
pub(super) struct InputMember {
    pub(super) name: String,
    pub(super) ty: Type,
    /// Whether it has a value when none is given.
    pub(super) has_default: bool,
}

#[derive(Debug)]
pub(super) struct OutputField {
    /// The name of the type it answers with, whatever lists are around it.
    pub(super) of: String,
    pub(super) arguments: Vec<InputMember>,
}

#[derive(Debug)]
pub(super) enum SchemaType {
    Object(HashMap<String, OutputField>),
    Input(Vec<InputMember>),
    Enum(Vec<String>),
    /// Scalars are known by their names; nothing is checked of what else there is.
    Other,
}

/// What the texts of a scalar of the schema must be, which its own text does not say.
#[derive(Debug, Clone, Copy)]
pub struct ScalarRule {
    /// The scalar.
    pub name: &'static str,
    /// Whether a text is one of its values.
    pub holds: fn(&str) -> bool,
    /// What is said of one that is not, and of every other value.
    pub message: &'static str,
}

/// A schema has one rule for each of its scalars.
impl PartialEq for ScalarRule {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The types of the schema by their names.
#[derive(Debug, Default)]
pub struct SchemaTypes {
    types: HashMap<String, SchemaType>,
    /// Those that federation finds by their id.
    entities: Vec<String>,
    scalars: &'static [ScalarRule],
}

impl SchemaTypes {
    /// Reads the text of a schema, with its keys of federation; `scalars` are the rules of its own scalars. What cannot be read is not checked here: the
    /// framework does it.
    pub fn read(sdl: &str, scalars: &'static [ScalarRule]) -> Self {
        let document = match parse_schema(sdl) {
            Ok(document) => document,
            Err(error) => {
                tracing::error!(%error, "The schema cannot be read: inputs are not checked before requests run");
                return Self::default();
            }
        };
        let (mut types, mut entities) = (HashMap::new(), Vec::new());
        for definition in document.definitions {
            if let TypeSystemDefinition::Type(definition) = definition {
                let TypeDefinition { name, kind, directives, .. } = definition.node;
                if directives.iter().any(|directive| directive.node.name.node == "key") {
                    entities.push(name.node.to_string());
                }
                types.insert(name.node.to_string(), read(kind));
            }
        }
        entities.sort_unstable();
        let mut types = Self { types, entities, scalars };
        types.add_entities();
        types
    }

    /// What federation adds is not in the text, nor is introspection.
    fn add_entities(&mut self) {
        let Some(SchemaType::Object(fields)) = self.types.get_mut("Query") else { return };
        if let Some(ty) = Type::new("[_Any!]!") {
            let representations = InputMember { name: REPRESENTATIONS.to_owned(), ty, has_default: false };
            let field = OutputField { of: "_Entity".to_owned(), arguments: vec![representations] };
            fields.insert(ENTITIES.to_owned(), field);
            let service = OutputField { of: "_Service".to_owned(), arguments: Vec::new() };
            fields.insert("_service".to_owned(), service);
        }
        if let Some(ty) = Type::new("String!") {
            let name = InputMember { name: "name".to_owned(), ty, has_default: false };
            fields
                .insert("__type".to_owned(), OutputField { of: "__Type".to_owned(), arguments: vec![name] });
        }
    }

    /// The types that federation finds by their id, in the order of their names.
    pub(super) fn entities(&self) -> &[String] {
        &self.entities
    }

    pub(super) fn get(&self, name: &str) -> Option<&SchemaType> {
        self.types.get(name)
    }

    /// The rule that a value of one of the schema's own scalars breaks.
    pub(super) fn scalar(&self, value: &InputValue, name: &str) -> Option<&'static ScalarRule> {
        let rule = self.scalars.iter().find(|rule| rule.name == name)?;
        let good = matches!(value, InputValue::String(text) if (rule.holds)(text));
        (!good).then_some(rule)
    }

    /// The fields of an object type; none of what else there is.
    pub(super) fn field_names(&self, parent: &str) -> impl Iterator<Item = &str> {
        let fields = match self.types.get(parent) {
            Some(SchemaType::Object(fields)) => Some(fields),
            _ => None,
        };
        fields.into_iter().flatten().map(|(name, _)| name.as_str())
    }

    pub(super) fn field(&self, parent: &str, name: &str) -> Option<&OutputField> {
        match self.types.get(parent) {
            Some(SchemaType::Object(fields)) => fields.get(name),
            _ => None,
        }
    }
}

fn read(kind: TypeKind) -> SchemaType {
    match kind {
        TypeKind::Object(object) => {
            SchemaType::Object(object.fields.into_iter().map(|field| of_field(field.node)).collect())
        }
        TypeKind::InputObject(input) => SchemaType::Input(input.fields.into_iter().map(member).collect()),
        TypeKind::Enum(values) => SchemaType::Enum(
            values.values.into_iter().map(|value| value.node.value.node.to_string()).collect(),
        ),
        TypeKind::Scalar | TypeKind::Interface(_) | TypeKind::Union(_) => SchemaType::Other,
    }
}

fn of_field(field: FieldDefinition) -> (String, OutputField) {
    let of = innermost_name(&field.ty.node).to_owned();
    let arguments = field.arguments.into_iter().map(member).collect();
    (field.name.node.to_string(), OutputField { of, arguments })
}

fn member(definition: Positioned<InputValueDefinition>) -> InputMember {
    let InputValueDefinition { name, ty, default_value, .. } = definition.node;
    InputMember { name: name.node.to_string(), ty: ty.node, has_default: default_value.is_some() }
}

/// `Unit` of `[Unit!]!`.
fn innermost_name(ty: &Type) -> &str {
    match &ty.base {
        BaseType::Named(name) => name.as_str(),
        BaseType::List(of) => innermost_name(of),
    }
}
