//! Unions as generators of clients understand them: every alternative is a schema with a name of its own, and a
//! `discriminator` says which member tells them apart.
//!
//! Four unions have none, because what goes over the wire has no constant member in each alternative, and the wire is frozen: the
//! answers of the calls of the invoice data service (what was done, or how the document stands), the answer of the command
//! `issue` (done, or tried), its refusals (the command's, or the request's), and the workspaces of a client (`"all"` or a list).

use serde_json::{Map, Value};

const SCHEMAS: &str = "#/components/schemas/";

/// Names the alternatives of every union whose alternatives are told apart by a constant member: those of `Recipient` are
/// called `IndividualRecipient` and `CompanyRecipient`.
pub(super) fn name_alternatives(schemas: &mut Map<String, Value>) {
    let mut named = Map::new();
    for (union, schema) in schemas.iter_mut() {
        let Some(tag) = tag(schema) else { continue };
        let Some(Value::Array(alternatives)) = schema.get_mut("oneOf") else { continue };
        let mut mapping = Map::new();
        for alternative in alternatives.iter_mut() {
            let Some(constant) = constant(alternative, &tag).map(str::to_owned) else { continue };
            let name = format!("{}{union}", capitalised(&constant));
            let target = format!("{SCHEMAS}{name}");
            let reference = Map::from_iter([("$ref".to_owned(), Value::from(target.as_str()))]);
            named.insert(name, std::mem::replace(alternative, Value::Object(reference)));
            mapping.insert(constant, target.into());
        }
        let discriminator = [("propertyName".to_owned(), tag.into()), ("mapping".to_owned(), mapping.into())];
        if let Value::Object(members) = schema {
            members.insert("discriminator".to_owned(), Map::from_iter(discriminator).into());
        }
    }
    schemas.extend(named);
}

/// The member by which the alternatives of a union are told apart, when each has a constant of its own there.
fn tag(schema: &Value) -> Option<String> {
    let alternatives = schema.get("oneOf")?.as_array()?;
    let candidates = alternatives.first()?.get("properties")?.as_object()?.keys();
    let tells = |name: &&String| {
        let constants: Option<Vec<_>> = alternatives.iter().map(|one| constant(one, name)).collect();
        constants.is_some_and(|mut constants| {
            constants.sort_unstable();
            constants.dedup();
            constants.len() == alternatives.len()
        })
    };
    candidates.into_iter().find(tells).cloned()
}

/// The only text that a member may be.
fn constant<'v>(schema: &'v Value, member: &str) -> Option<&'v str> {
    match schema.get("properties")?.get(member)?.get("enum")?.as_array()?.as_slice() {
        [only] => only.as_str(),
        _ => None,
    }
}

/// `tax_id` as `TaxId`.
fn capitalised(word: &str) -> String {
    let capital = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .map(|first| first.to_ascii_uppercase().to_string() + letters.as_str())
            .unwrap_or_default()
    };
    word.split('_').map(capital).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn alternative(kind: &str) -> Value {
        json!({"type": "object", "properties": {"n": {"type": "string"}, "type": {"type": "string", "enum": [kind]}}})
    }

    #[test]
    fn alternatives_with_a_constant_member_get_names_and_a_discriminator() {
        let union = json!({"oneOf": [alternative("tax_id"), alternative("other")]});
        let mut schemas = Map::from_iter([("Identity".to_owned(), union)]);
        name_alternatives(&mut schemas);
        assert_eq!(schemas["TaxIdIdentity"], alternative("tax_id"));
        assert_eq!(schemas["OtherIdentity"], alternative("other"));
        assert_eq!(
            schemas["Identity"],
            json!({"oneOf": [{"$ref": "#/components/schemas/TaxIdIdentity"}, {"$ref": "#/components/schemas/OtherIdentity"}],
                "discriminator": {"propertyName": "type", "mapping": {"tax_id": "#/components/schemas/TaxIdIdentity",
                    "other": "#/components/schemas/OtherIdentity"}}})
        );
    }

    #[test]
    fn alternatives_that_nothing_tells_apart_stay_as_they_are() {
        for alternatives in
            [json!([alternative("a"), alternative("a")]), json!([{"$ref": "#/a"}, {"type": "null"}])]
        {
            let mut schemas = Map::from_iter([("Union".to_owned(), json!({ "oneOf": alternatives }))]);
            let before = schemas.clone();
            name_alternatives(&mut schemas);
            assert_eq!(schemas, before);
        }
    }
}
