//! The variables of the environment: from their names to the values of known keys.

use super::error::ConfigError;
use super::keys::{self, KEYS};
use super::values::{Value, Values};
use std::ffi::OsString;

/// Takes every variable that sets a key, in place of what the file says; one that is empty sets nothing. Gives those that
/// are passed over (see [`ReadConfig::ignored`](super::ReadConfig::ignored)), in order.
///
/// # Errors
/// A variable that names a key which nobody reads, and a value that is no text.
pub(super) fn read(
    variables: impl Iterator<Item = (OsString, OsString)>,
    values: &mut Values,
) -> Result<Vec<String>, ConfigError> {
    let mut ignored = Vec::new();
    for (name, value) in variables {
        let Some(name) = name.to_str().filter(|name| keys::is_configuration(name)) else { continue };
        let key = keys::key_of(name);
        let known = KEYS.iter().find(|known| **known == key && keys::variable_of(known) == name);
        let Some(known) = known else {
            let near = keys::closest(&key).map(keys::variable_of);
            // Orchestrators set variables of this form beside a service named gateway: no start may fail for one.
            if !name.contains("__") {
                let hint = near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default();
                ignored.push(format!("{name}{hint}"));
                continue;
            }
            let place = format!("the variable {name}");
            return Err(ConfigError::Unknown { place, hint: keys::hint(near.as_deref()) });
        };
        let value = value
            .into_string()
            .map_err(|_| ConfigError::Refused { key, detail: "it is not UTF-8".to_owned() })?;
        if !value.is_empty() {
            values.set(known, Value::Variable(value));
        }
    }
    ignored.sort();
    Ok(ignored)
}
