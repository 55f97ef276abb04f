//! JSON read strictly: a list never stands for an object, as the derived readers would have it.

use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Error, IntoDeserializer, Unexpected, Visitor};
use serde_json::Value;

/// A value whose objects are objects, all the way down.
#[derive(Debug)]
pub(crate) struct Strict<'v>(pub(crate) &'v Value);

impl<'de> IntoDeserializer<'de, serde_json::Error> for Strict<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Strict<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Array(items) => visitor.visit_seq(SeqDeserializer::new(items.iter().map(Strict))),
            Value::Object(members) => visitor.visit_map(MapDeserializer::new(
                members.iter().map(|(key, value)| (key.as_str(), Strict(value))),
            )),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Object(_) => self.deserialize_any(visitor),
            Value::Array(_) => Err(Error::invalid_type(Unexpected::Seq, &"an object")),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.deserialize_enum(name, variants, visitor)
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain::invoicing::DocumentForm;
    use serde::Deserialize;
    use serde_json::json;

    #[test]
    fn a_list_never_stands_for_an_object() {
        for list in [
            json!([1, "invoice", "EUR"]),
            json!({"recipient": ["individual", "Jane"]}),
            json!({"lines": [["x", "1", "1"]]}),
            json!({"lines": [{"tax": ["VAT", "10.0"]}]}),
        ] {
            assert!(DocumentForm::deserialize(Strict(&list)).is_err(), "{list}");
        }
    }

    #[test]
    fn a_sound_document_reads_as_before() {
        let sent = json!({"workspace_id": 1, "lines": [{"description": "x", "tax": null}], "notes": null});
        let form = DocumentForm::deserialize(Strict(&sent)).unwrap();
        assert_eq!(form.workspace_id, Some(1));
        assert_eq!(form.lines.unwrap()[0].description.as_deref(), Some("x"));
    }
}
