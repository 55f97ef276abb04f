//! How a recipient is identified to a tax authority: what a document says of it, and what the regime's plugin makes of
//! that (its function `map-identity`).

use crate::fault::Fault;
use crate::invoicing::{IdentityKind, Recipient};
use crate::regime::PluginRef;
use serde::{Serialize, Serializer};
use utoipa::openapi::schema::{Discriminator, ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// What identifies a company.
const TAX_NUMBER: &str = "tax_number";

/// A recipient's identity in the terms of a tax system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Identity {
    /// A tax identifier.
    TaxId {
        /// ISO 3166-1 alpha-2.
        country: String,
        /// Without country prefix.
        code: String,
    },
    /// Another document, with its type in the tax system's own list.
    #[serde(rename = "identity")]
    Other {
        /// Who issued it, ISO 3166-1 alpha-2.
        country: String,
        /// The number on it, as the plugin writes it for the tax system.
        code: String,
        /// The plugin's name of the type: `passport`.
        type_key: String,
        /// The entry of the tax system's list: `03`.
        type_code: String,
    },
}

/// The schema of [`Identity::TaxId`], by its name in API descriptions.
const TAX_IDENTITY: &str = "TaxIdentity";
/// The schema of [`Identity::Other`], by its name in API descriptions.
const OTHER_IDENTITY: &str = "OtherIdentity";

impl PartialSchema for Identity {
    fn schema() -> RefOr<Schema> {
        let one_of = OneOfBuilder::new()
            .item(Ref::from_schema_name(TAX_IDENTITY))
            .item(Ref::from_schema_name(OTHER_IDENTITY))
            .discriminator(Some(Discriminator::new("type")));
        one_of.description(Some("A recipient's identity in the terms of a tax system.")).into()
    }
}

impl ToSchema for Identity {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((TAX_IDENTITY.to_owned(), tax_identity()));
        schemas.push((OTHER_IDENTITY.to_owned(), other_identity()));
    }
}

fn tax_identity() -> RefOr<Schema> {
    let members = [
        ("country", "ISO 3166-1 alpha-2, as the plugin gives it.", "ES"),
        ("code", "Without country prefix.", "54387763P"),
    ];
    alternative("[`Identity::TaxId`] as it is shown.", "tax_id", &members)
}

fn other_identity() -> RefOr<Schema> {
    let members = [
        ("country", "ISO 3166-1 alpha-2, as the plugin gives it.", "GB"),
        ("code", "The document's number.", "123456789"),
        ("type_key", "The plugin's name of the type.", "passport"),
        ("type_code", "The type in the tax system's own list; empty where it has none.", "03"),
    ];
    alternative("[`Identity::Other`] as it is shown.", "identity", &members)
}

/// An object with this `type` and these members, all of them texts: name, description, example. The derive would write both
/// alternatives into the union, without names of their own.
fn alternative(description: &str, kind: &str, members: &[(&str, &str, &str)]) -> RefOr<Schema> {
    let text = || ObjectBuilder::new().schema_type(Type::String);
    let tag = text().pattern(Some(format!("^{kind}$"))).examples([kind]);
    let object = ObjectBuilder::new().description(Some(description)).property("type", tag).required("type");
    let add = |object: ObjectBuilder, (name, description, example): &(&str, &str, &str)| {
        object.property(*name, text().description(Some(*description)).examples([*example])).required(*name)
    };
    members.iter().fold(object, add).into()
}

/// What kind of recipient a document is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecipientKind {
    /// A natural person.
    Individual,
    /// A legal person.
    Company,
}

/// The member of a recipient by which a tax authority can know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdentifiedBy {
    /// A person's identity document, of this kind.
    Document(IdentityKind),
    /// A company's tax number.
    TaxNumber,
}

impl PartialSchema for IdentifiedBy {
    fn schema() -> RefOr<Schema> {
        let RefOr::T(Schema::Object(mut kinds)) = IdentityKind::schema() else {
            return IdentityKind::schema();
        };
        kinds.enum_values.get_or_insert_default().push(TAX_NUMBER.into());
        kinds.description =
            Some("The kind of a person's identity document, or a company's tax number.".to_owned());
        kinds.into()
    }
}

impl ToSchema for IdentifiedBy {}

impl Serialize for IdentifiedBy {
    /// `tax_number`, or the kind of the document: `passport`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Document(kind) => kind.serialize(serializer),
            Self::TaxNumber => serializer.serialize_str(TAX_NUMBER),
        }
    }
}

/// Which row of the identity mapping a recipient falls under (specification, Conversion to the structured invoice format,
/// rule 2): what there is to map, read without the knowledge of any country.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct IdentityRule {
    /// What kind of recipient.
    pub recipient: RecipientKind,
    /// What identifies it; none for a recipient of whom only name and address are known.
    #[schema(required)]
    pub identified_by: Option<IdentifiedBy>,
    /// The country that the identity document, or the company, states for itself, ISO 3166-1 alpha-2. A plugin may take the
    /// address's where this is none.
    #[schema(required, pattern = "^[A-Z]{2}$", examples("GB"))]
    pub country: Option<String>,
}

impl IdentityRule {
    /// The rule that a recipient falls under.
    pub fn of(recipient: &Recipient) -> Self {
        match recipient {
            Recipient::Individual { identity_document, .. } => {
                let document = identity_document.as_ref();
                Self {
                    recipient: RecipientKind::Individual,
                    identified_by: document.map(|document| IdentifiedBy::Document(document.kind)),
                    country: document.and_then(|document| document.country.clone()),
                }
            }
            Recipient::Company { tax_number, country, .. } => Self {
                recipient: RecipientKind::Company,
                identified_by: tax_number.as_ref().map(|_| IdentifiedBy::TaxNumber),
                country: country.clone(),
            },
        }
    }
}

/// How the recipient of a document is identified to the tax authority.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityMapping {
    /// Who mapped it, or would.
    pub plugin: PluginRef,
    /// From what; none for a document without recipient, about which no plugin is asked.
    pub rule: Option<IdentityRule>,
    /// To what; none where the plugin finds nothing to map, or nothing that the authority takes.
    pub mapped_to: Option<Identity>,
    /// Why it is mapped to nothing.
    pub faults: Vec<Fault>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn rule(recipient: Value) -> Value {
        json!(IdentityRule::of(&serde_json::from_value(recipient).unwrap()))
    }

    #[test]
    fn a_rule_says_what_there_is_to_map() {
        let passport = json!({"type": "passport", "number": "1", "country": "GB"});
        let person = |document| json!({"type": "individual", "name": "J", "identity_document": document});
        assert_eq!(
            rule(person(passport)),
            json!({"recipient": "individual", "identified_by": "passport", "country": "GB"})
        );
        assert_eq!(
            rule(person(json!({"type": "id_card", "number": "1"}))),
            json!({"recipient": "individual", "identified_by": "id_card", "country": null})
        );
        assert_eq!(
            rule(person(Value::Null)),
            json!({"recipient": "individual", "identified_by": null, "country": null})
        );
        let company = |number| json!({"type": "company", "name": "C", "tax_number": number, "country": "DE"});
        assert_eq!(
            rule(company(json!("DE1"))),
            json!({"recipient": "company", "identified_by": "tax_number", "country": "DE"})
        );
        assert_eq!(
            rule(company(Value::Null)),
            json!({"recipient": "company", "identified_by": null, "country": "DE"})
        );
    }

    #[test]
    fn an_identity_is_shown_in_the_words_of_the_specification() {
        let tax_id = Identity::TaxId { country: "ES".to_owned(), code: "B1".to_owned() };
        assert_eq!(json!(tax_id), json!({"type": "tax_id", "country": "ES", "code": "B1"}));
        let (country, code) = ("GB".to_owned(), "1".to_owned());
        let other =
            Identity::Other { country, code, type_key: "passport".to_owned(), type_code: "03".to_owned() };
        assert_eq!(
            json!(other),
            json!({"type": "identity", "country": "GB", "code": "1", "type_key": "passport", "type_code": "03"})
        );
    }
}
