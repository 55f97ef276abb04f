//! `gateway.toml`: from its text to the values of known keys.

use super::error::ConfigError;
use super::keys::{self, KEYS};
use super::values::{Value, Values};
use std::path::Path;
use toml::{Table, Value as Toml};

/// How TOML is written.
const REMEDY: &str = "write each key as name = value, texts in quotes, and sections as [name]";

/// Takes every value of a file; `path` is only named.
///
/// # Errors
/// A text that is no TOML, and a key that nobody reads: the first one by its name.
pub(super) fn read(path: &Path, text: &str, values: &mut Values) -> Result<(), ConfigError> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| ConfigError::NotToml {
        file: path.to_owned(),
        detail: detail(text, &error),
    })?;
    let mut found = Vec::new();
    collect(table, "", &mut found);
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    for (key, value) in found {
        let Some(known) = KEYS.iter().find(|known| **known == key) else {
            let place = format!("{key} in {}", path.display());
            return Err(ConfigError::Unknown { place, hint: keys::hint(keys::closest(&key)) });
        };
        values.set(known, Value::from(value));
    }
    Ok(())
}

/// The values of a table by their dotted keys; a value below a known key is the key's own business. A section that is none
/// is among them, though nothing is in it.
fn collect(table: Table, prefix: &str, found: &mut Vec<(String, Toml)>) {
    for (name, value) in table {
        // A dot within a name is no section.
        let name = if name.contains('.') { format!("\"{name}\"") } else { name };
        let key = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
        match value {
            Toml::Table(inner) if !KEYS.contains(&key.as_str()) => {
                if inner.is_empty() && !is_section(&key) {
                    found.push((key.clone(), Toml::Table(Table::new())));
                }
                collect(inner, &key, found);
            }
            value => found.push((key, value)),
        }
    }
}

fn is_section(name: &str) -> bool {
    KEYS.iter().any(|key| key.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
}

/// Where a text stops being TOML, and how TOML is written.
fn detail(text: &str, error: &toml::de::Error) -> String {
    match error.span().and_then(|span| text.get(..span.start)) {
        Some(before) => format!("look at {}: {REMEDY}", end_of(before)),
        None => REMEDY.to_owned(),
    }
}

/// Where the next character after a text stands: `line 2, column 5`, both from 1, the column in characters.
fn end_of(text: &str) -> String {
    let (line, last) = text.split('\n').enumerate().last().unwrap_or_default();
    format!("line {}, column {}", line + 1, last.chars().count() + 1)
}
