//! A workspace's settings from JSON.

use serde::de::DeserializeOwned;

/// Reads settings; nothing at all means the defaults. The error says what does not fit.
///
/// The type has to refuse unknown members, as its schema does (`additionalProperties: false`).
pub fn parse<T: DeserializeOwned + Default>(json: &str) -> Result<T, String> {
    let json = json.trim();
    if json.is_empty() {
        return Ok(T::default());
    }
    // A list would pass for the members in order.
    if json.starts_with('[') {
        return Err("expected an object".to_owned());
    }
    serde_json::from_str(json).map_err(|error| error.to_string())
}

/// A member of the description's `settings-schema`: text of 1 to `chars_max` characters.
#[macro_export]
macro_rules! text_schema {
    ($title:literal, $chars_max:literal) => {
        concat!(
            r#"{"type":"string","minLength":1,"maxLength":"#,
            $chars_max,
            r#","title":""#,
            $title,
            r#""}"#
        )
    };
}
