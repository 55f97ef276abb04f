//! A JSON value as what a request asks for, with every member named that does not fit.
//!
//! Not `deserr`, which names them too: every type would need its derive beside serde's, which writes the answers and the
//! stored JSON of the same types, and its sentence is all that it tells of a number out of range.

use super::reader::{Member, Mistake, Strict};
use gateway_domain::FieldError;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use serde_path_to_error::{Path, Segment};

/// Most mistakes that are named: each costs another reading.
const MISTAKES_MAX: usize = 20;

/// A JSON value as a type, or every member that does not fit; `base` is the value itself.
///
/// # Errors
/// At least one mistake, each member once.
pub fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Vec<FieldError>> {
    serde_path_to_error::deserialize(Strict(value)).map_err(|first| mistakes::<T>(value.clone(), first))
}

/// The reader stops at the first mistake: what it stumbles over is taken away, or put there when it is missing, and it
/// reads again.
fn mistakes<T: DeserializeOwned>(
    mut value: Value,
    first: serde_path_to_error::Error<Mistake>,
) -> Vec<FieldError> {
    let mut mistakes: Vec<FieldError> = Vec::new();
    let mut next_error = Some(first);
    while let Some(error) = next_error {
        let place = error.path().clone();
        let Mistake { code, message, member } = error.into_inner();
        let field = member_path(&place.to_string(), member.as_ref());
        let known = mistakes.iter().any(|mistake| mistake.field == field);
        if known && !matches!(member, Some(Member::Missing(_))) {
            break;
        }
        if !known {
            mistakes.push(FieldError::new(field, code, message));
        }
        let repaired = match &member {
            Some(Member::Missing(name)) => insert_text(&mut value, &place, name),
            Some(Member::Unknown(name)) => {
                parent_of(&mut value, &place, name).and_then(|parent| parent.remove(name)).map(drop)
            }
            None => remove(&mut value, &place),
        };
        if repaired.is_none() || mistakes.len() >= MISTAKES_MAX {
            break;
        }
        next_error = serde_path_to_error::deserialize::<_, T>(Strict(&value)).err();
    }
    mistakes
}

/// Follows indexes and keys from the root; none where one of them leads nowhere.
fn at<'v>(value: &'v mut Value, place: &[&Segment]) -> Option<&'v mut Value> {
    place.iter().try_fold(value, |value, segment| match segment {
        Segment::Seq { index } => value.get_mut(index),
        Segment::Map { key } => value.get_mut(key),
        Segment::Enum { .. } | Segment::Unknown => None,
    })
}

/// The object that has, or should have, the member `name`: the path of an error ends there, or at the member.
fn parent_of<'v>(value: &'v mut Value, place: &Path, name: &str) -> Option<&'v mut Map<String, Value>> {
    let mut segments: Vec<_> = place.iter().collect();
    if let Some(Segment::Map { key }) = segments.last()
        && key == name
    {
        segments.pop();
    }
    at(value, &segments)?.as_object_mut()
}

/// Puts a text where a member is missing, for the reader to go on; one that is there already did not help.
fn insert_text(value: &mut Value, place: &Path, name: &str) -> Option<()> {
    let parent = parent_of(value, place, name)?;
    parent.insert(name.to_owned(), Value::String(String::new())).is_none().then_some(())
}

/// Takes away what is at the place; of a list everything, so that its members keep their places.
fn remove(value: &mut Value, place: &Path) -> Option<()> {
    let segments: Vec<_> = place.iter().collect();
    let (last, parent) = segments.split_last()?;
    match last {
        Segment::Seq { .. } => at(value, parent)?.as_array_mut().map(Vec::clear),
        Segment::Map { key } => at(value, parent)?.as_object_mut()?.remove(key).map(drop),
        Segment::Enum { .. } | Segment::Unknown => None,
    }
}

/// The member a mistake is about. For an unknown or missing member the path may end at its parent.
fn member_path(path: &str, member: Option<&Member>) -> String {
    let parent = if path == "." { "" } else { path };
    match member {
        Some(Member::Unknown(name) | Member::Missing(name)) => {
            if parent == name || parent.ends_with(&format!(".{name}")) {
                parent.to_owned()
            } else if parent.is_empty() {
                name.clone()
            } else {
                format!("{parent}.{name}")
            }
        }
        None if parent.is_empty() => "base".to_owned(),
        None => parent.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentForm;
    use gateway_domain::ErrorCode;
    use gateway_domain::ids::UnitId;
    use jiff::Timestamp;
    use jiff::civil::{Date, Time};
    use serde::Deserialize;
    use serde_json::json;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Form {
        name: String,
        #[serde(default)]
        nights: Option<i32>,
        #[serde(default)]
        days: Vec<bool>,
        #[serde(default)]
        side: Option<Side>,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum Side {
        Left,
        Right,
    }

    fn mistakes(body: &Value) -> Vec<String> {
        let found = read::<Form>(body).unwrap_err();
        found.into_iter().map(|found| format!("{} {}: {}", found.field, found.code, found.message)).collect()
    }

    #[test]
    fn what_a_library_reads_is_refused_in_our_words() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Texts {
            id: UnitId,
            day: Option<Date>,
            at: Timestamp,
            from: Time,
        }
        let texts = Texts {
            id: UnitId(uuid::Uuid::from_u128(7)),
            day: Some(jiff::civil::date(2026, 12, 31)),
            at: Timestamp::UNIX_EPOCH,
            from: jiff::civil::time(9, 30, 0, 0),
        };
        let sound = json!({"id": texts.id, "day": texts.day, "at": texts.at, "from": "09:30"});
        assert_eq!(read::<Texts>(&sound), Ok(texts));
        let wrong = json!({"id": "x", "day": "2026-02-31", "at": "yesterday", "from": "noon"});
        let mut found = read::<Texts>(&wrong).unwrap_err();
        found.sort_by(|a, b| a.field.cmp(&b.field));
        let messages: Vec<_> =
            found.iter().map(|found| (found.field.as_str(), found.message.as_str())).collect();
        assert_eq!(
            messages,
            [
                ("at", "use a time as RFC 3339, such as 2026-11-20T09:30:00Z"),
                ("day", "use a day as YYYY-MM-DD, such as 2026-12-31"),
                ("from", "use a time of day as HH:MM, such as 09:30"),
                ("id", "use a UUID, such as 0197f4f2-0000-7000-8000-000000000001"),
            ]
        );
        assert!(found.iter().all(|found| found.code == ErrorCode::InvalidFormat));
    }

    #[test]
    fn a_mistake_is_told_by_its_code_and_in_the_words_of_json() {
        for (body, fault) in [
            (json!([]), "base wrongType: must be an object"),
            (json!({}), "name required: is missing"),
            (json!({"name": 1}), "name wrongType: must be a text"),
            (json!({"name": {}}), "name wrongType: must be a text"),
            (json!({"name": "a", "days": {}}), "days wrongType: must be a list"),
            (json!({"name": "a", "days": ["x"]}), "days[0] wrongType: must be true or false"),
            (
                json!({"name": "a", "nights": 3_000_000_000_u32}),
                "nights wrongType: must be a whole number from -2147483648 to 2147483647",
            ),
            (
                json!({"name": "a", "nights": 1.0}),
                "nights wrongType: must be a whole number from -2147483648 to 2147483647",
            ),
            (json!({"name": "a", "foo": 1}), "foo unknownMember: is no member: use name, nights, days, side"),
            (json!({"name": "a", "side": "up"}), "side notOneOf: use one of left, right"),
            (json!({"name": "a", "side": 1}), "side wrongType: must be a text"),
        ] {
            assert_eq!(mistakes(&body), [fault], "{body}");
        }
    }

    #[test]
    fn a_sound_form_is_read_whole() {
        let form =
            Form { name: "a".to_owned(), nights: Some(3), days: vec![true, false], side: Some(Side::Right) };
        let sent = json!({"name": "a", "nights": 3, "days": [true, false], "side": "right"});
        assert_eq!(read::<Form>(&sent), Ok(form));
    }

    #[test]
    fn every_mistake_is_named_at_once() {
        let body = json!({"foo": 1, "nights": "x", "days": [true, 1, 2], "name": 1, "bar": {}});
        let found = mistakes(&body);
        let mut fields: Vec<_> = found.iter().map(|found| found.split(' ').next().unwrap()).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["bar", "days[1]", "foo", "name", "nights"], "{found:?}");
        assert_eq!(mistakes(&json!({"nights": "x"})).len(), 2, "and what is missing");
        let many: Map<_, _> = (0..500).map(|n| (format!("m{n}"), json!(n))).collect();
        assert_eq!(mistakes(&Value::Object(many)).len(), MISTAKES_MAX);
    }

    #[test]
    fn what_lies_below_is_named_with_its_place() {
        let body = json!({"uuid": "x", "status": "draft", "totals": {}, "workspace_id": "1",
            "lines": [{"description": "a", "price": 1, "sum": "2"}, {"quantity": 2}]});
        let found = read::<DocumentForm>(&body).unwrap_err();
        let mut fields: Vec<_> = found.iter().map(|found| (found.field.as_str(), found.code)).collect();
        fields.sort_unstable();
        assert_eq!(
            fields,
            [
                ("lines[0].price", ErrorCode::UnknownMember),
                ("lines[0].sum", ErrorCode::UnknownMember),
                ("lines[1].quantity", ErrorCode::WrongType),
                ("status", ErrorCode::UnknownMember),
                ("totals", ErrorCode::UnknownMember),
                ("uuid", ErrorCode::UnknownMember),
                ("workspace_id", ErrorCode::WrongType),
            ]
        );
    }

    #[test]
    fn a_list_never_stands_for_an_object() {
        for list in [
            json!([1, "invoice", "EUR"]),
            json!({"recipient": ["individual", "Jane"]}),
            json!({"lines": [["x", "1", "1"]]}),
            json!({"lines": [{"tax": ["VAT", "10.0"]}]}),
        ] {
            assert!(read::<DocumentForm>(&list).is_err(), "{list}");
        }
    }

    #[test]
    fn a_sound_document_is_read() {
        let sent = json!({"workspace_id": 1, "lines": [{"description": "x", "tax": null}], "notes": null});
        let form: DocumentForm = read(&sent).unwrap();
        assert_eq!(form.workspace_id, Some(1));
        assert_eq!(form.lines.unwrap()[0].description.as_deref(), Some("x"));
    }
}
