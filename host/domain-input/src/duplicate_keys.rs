//! Members that a JSON text gives twice: readers differ in which of them they take (RFC 8259 §4).

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::BTreeSet;
use std::fmt;

/// The first member that a JSON text gives twice in one object, by its path such as `lines[0].tax.rate`; none when there is
/// none, or when the text is no JSON.
pub fn duplicate_key(json: &[u8]) -> Option<String> {
    let (mut path, mut found) = (String::new(), None);
    let walk = Walk { path: &mut path, found: &mut found };
    // How it ends does not matter: an end before the whole was read is how the first one is told.
    let ended = walk.deserialize(&mut serde_json::Deserializer::from_slice(json));
    ended.err().and(found)
}

struct Walk<'a> {
    path: &'a mut String,
    found: &'a mut Option<String>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let here = self.path.len();
        for place in 0_usize.. {
            self.path.push_str(&["[", &place.to_string(), "]"].concat());
            if items.next_element_seed(Walk { path: &mut *self.path, found: &mut *self.found })?.is_none() {
                break;
            }
            self.path.truncate(here);
        }
        self.path.truncate(here);
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let here = self.path.len();
        let mut names = BTreeSet::new();
        while let Some(name) = members.next_key::<String>()? {
            if here > 0 {
                self.path.push('.');
            }
            self.path.push_str(&name);
            if !names.insert(name) {
                *self.found = Some(self.path.clone());
                return Err(serde::de::Error::custom("given twice"));
            }
            members.next_value_seed(Walk { path: &mut *self.path, found: &mut *self.found })?;
            self.path.truncate(here);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::duplicate_key;

    #[test]
    fn a_member_that_is_given_twice_is_named() {
        for (json, path) in [
            (r#"{"a": 1, "a": 1}"#, "a"),
            (r#"{"a": {"b": [1, {"c": null, "c": 2.5}]}}"#, "a.b[1].c"),
            (r#"[{"x": "y"}, {"x": true, "\u0078": {}}]"#, "[1].x"),
            (
                r#"{"lines": [{"tax": {"rate": "1"}}, {"tax": {"rate": "1", "rate": "2"}}]}"#,
                "lines[1].tax.rate",
            ),
        ] {
            assert_eq!(duplicate_key(json.as_bytes()).as_deref(), Some(path), "{json}");
        }
        for json in
            [r#"{"a": {"a": 1}, "b": [{"a": -1}, {"a": 1e400}]}"#, "1", "null", "[]", "{", "", "{\"a\":}"]
        {
            assert_eq!(duplicate_key(json.as_bytes()), None, "{json}");
        }
    }
}
