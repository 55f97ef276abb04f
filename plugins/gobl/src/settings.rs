//! Settings of a workspace, read as strictly as their schemas say.

use serde::de::DeserializeOwned;

/// Reads settings; nothing at all means the defaults. The error says what does not fit.
///
/// The type has to refuse unknown members, as its schema does (`additionalProperties: false`).
pub fn parse<S: DeserializeOwned + Default>(json: &str) -> Result<S, String> {
    let json = json.trim();
    if json.is_empty() {
        return Ok(S::default());
    }
    // A list would pass for the members in order.
    if json.starts_with('[') {
        return Err("expected an object".to_owned());
    }
    serde_json::from_str(json).map_err(|error| error.to_string())
}
