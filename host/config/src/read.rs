//! From a file and the environment to a checked [`Config`].

use super::keys::{self, KEYS};
use super::{Config, default_file};
use config::{Environment, File, FileFormat, Map, Source as _, Value, ValueKind};
use gateway_domain_input::unreadable;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Why the configuration is refused. One sentence that names the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file named with `--config` is not there.
    #[error("the configuration file {} cannot be read ({detail}): give the path of an existing file", file.display())]
    NoFile { file: PathBuf, detail: String },
    /// The file is no TOML.
    #[error("{} is not TOML: {detail}", file.display())]
    NotToml { file: PathBuf, detail: String },
    /// A key that nobody reads.
    #[error("{place} is no configuration key{hint}")]
    Unknown { place: String, hint: String },
    /// A value of the wrong type or shape.
    #[error("the configuration key {key} ({variable}) is refused: {detail}", variable = keys::variable_of(key))]
    Refused { key: String, detail: String },
}

/// A configuration, and what was passed over.
#[derive(Debug, Default)]
pub struct ReadConfig {
    pub config: Config,
    /// Variables that begin as those of the gateway do, without the two underscores of a key, each with the one it may be
    /// meant for: an orchestrator sets such ones beside a service of this name.
    pub ignored: Vec<String>,
}

/// Reads `gateway.toml` (or `file`, which must exist), then the variables, and checks the whole.
pub fn read(
    file: Option<&Path>,
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<ReadConfig, ConfigError> {
    let mut builder = config::Config::builder();
    let mut values = Vec::new();
    if let Some(text) = read_file(file)? {
        let path = file.unwrap_or(default_file());
        let (source, written) = parse_file(path, &text)?;
        values = written;
        builder = builder.add_source(source);
    }
    let (variables, ignored) = read_variables(variables)?;
    let environment = Environment::with_prefix("GATEWAY")
        .prefix_separator("_")
        .separator("__")
        .ignore_empty(true)
        .source(Some(variables));
    let merged = builder
        .add_source(environment)
        .build()
        .map_err(|error| ConfigError::Refused { key: "data_dir".to_owned(), detail: error.to_string() })?;
    let config: Config = serde_path_to_error::deserialize(merged).map_err(|error| ConfigError::Refused {
        key: error.path().to_string(),
        detail: describe(error.inner()),
    })?;
    check_kinds(&values, &config)?;
    config.check()?;
    Ok(ReadConfig { config, ignored })
}

fn read_file(file: Option<&Path>) -> Result<Option<String>, ConfigError> {
    let path = file.unwrap_or(default_file());
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if file.is_none() && error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(ConfigError::NoFile { file: path.to_owned(), detail: unreadable(&error) }),
    }
}

/// A file of TOML that was read.
type TomlText = File<config::FileSourceString, FileFormat>;

/// A file as a source, and what is written in it.
fn parse_file(path: &Path, text: &str) -> Result<(TomlText, Vec<(String, ValueKind)>), ConfigError> {
    let source = File::from_str(text, FileFormat::Toml);
    let content = source
        .collect()
        .map_err(|error| ConfigError::NotToml { file: path.to_owned(), detail: describe(&error) })?;
    let mut found = Vec::new();
    collect_values(&content, "", &mut found);
    found.sort_by(|(one, _), (other, _)| one.cmp(other));
    match found.iter().map(|(key, _)| key).find(|key| !KEYS.contains(&key.as_str())) {
        None => Ok((source, found)),
        Some(key) => {
            let near = keys::closest(key);
            let hint = near.map_or_else(|| REMOVE.to_owned(), |near| format!(": did you mean {near}?"));
            Err(ConfigError::Unknown { place: format!("{key} in {}", path.display()), hint })
        }
    }
}

/// What to do about a key that is like none that exists.
const REMOVE: &str = ": remove it; 'gateway config check' shows every key";

/// The values of a table by their dotted keys; a value below a known key is the key's own business. A section that is none
/// is among them, though nothing is in it.
fn collect_values(table: &Map<String, Value>, prefix: &str, found: &mut Vec<(String, ValueKind)>) {
    for (name, value) in table {
        let key = if prefix.is_empty() { name.clone() } else { format!("{prefix}.{name}") };
        match &value.kind {
            ValueKind::Table(inner) if !KEYS.contains(&key.as_str()) => {
                let is_section = KEYS.iter().any(|known| known.starts_with(&format!("{key}.")));
                if inner.is_empty() && !is_section {
                    found.push((key.clone(), value.kind.clone()));
                }
                collect_values(inner, &key, found);
            }
            kind => found.push((key, kind.clone())),
        }
    }
}

/// The reader of values takes one kind for another: 1.5 for 2, "yes" for true, true for 1. What was written is what holds.
fn check_kinds(written: &[(String, ValueKind)], config: &Config) -> Result<(), ConfigError> {
    let entries = config.entries();
    for (key, kind) in written {
        let Some((_, holds)) = entries.iter().find(|(known, _)| known == key) else { continue };
        let (is_flag, is_number) = (holds == "true" || holds == "false", holds.parse::<u64>().is_ok());
        let detail = match kind {
            ValueKind::Float(number) => {
                format!("{number} was found where {} belongs", whole_or_text(is_number))
            }
            ValueKind::Boolean(flag) if !is_flag => {
                format!("{flag} was found where {} belongs", whole_or_text(is_number))
            }
            ValueKind::String(text) if is_flag && text != holds => {
                format!("'{text}' was found where true or false belongs")
            }
            ValueKind::I64(number) if is_flag => format!("{number} was found where true or false belongs"),
            _ => continue,
        };
        return Err(ConfigError::Refused { key: key.clone(), detail });
    }
    Ok(())
}

const fn whole_or_text(is_number: bool) -> &'static str {
    if is_number { "a whole number" } else { "a text" }
}

fn read_variables(
    variables: impl Iterator<Item = (OsString, OsString)>,
) -> Result<(Map<String, String>, Vec<String>), ConfigError> {
    let (mut kept, mut ignored) = (Map::new(), Vec::new());
    for (name, value) in variables {
        let Some(name) = name.to_str().filter(|name| keys::is_configuration(name)) else { continue };
        let key = keys::key_of(name);
        if !KEYS.contains(&key.as_str()) || keys::variable_of(&key) != name {
            let near = keys::closest(&key).map(keys::variable_of);
            // Orchestrators set variables of this form beside a service named gateway: no start may fail for one.
            if !name.contains("__") {
                let hint = near.map(|near| format!(" (did you mean {near}?)")).unwrap_or_default();
                ignored.push(format!("{name}{hint}"));
                continue;
            }
            let hint = near.map_or_else(|| REMOVE.to_owned(), |near| format!(": did you mean {near}?"));
            return Err(ConfigError::Unknown { place: format!("the variable {name}"), hint });
        }
        let value = value
            .into_string()
            .map_err(|_| ConfigError::Refused { key, detail: "it is not UTF-8".to_owned() })?;
        kept.insert(name.to_owned(), value);
    }
    ignored.sort();
    Ok((kept, ignored))
}

/// What is wrong with a value, without the place, which is said already.
fn describe(error: &config::ConfigError) -> String {
    match error {
        config::ConfigError::Type { unexpected, expected, .. } => {
            format!("{} was found where {} belongs", found(&unexpected.to_string()), kind_in_words(expected))
        }
        config::ConfigError::At { error, .. } => describe(error),
        config::ConfigError::FileParse { cause, .. } => not_toml(&cause.to_string()),
        config::ConfigError::Message(sentence) => wrong_kind(sentence).unwrap_or_else(|| sentence.clone()),
        other => other.to_string(),
    }
}

/// A value of the wrong kind, as the reader of values tells it where it reads one of several kinds.
fn wrong_kind(sentence: &str) -> Option<String> {
    let (unexpected, expected) = sentence.strip_prefix("invalid type: ")?.split_once(", expected ")?;
    Some(format!("{} was found where {} belongs", found(unexpected), kind_in_words(expected)))
}

/// A value as it was found; the reader of values tells it with its kind: ``string "soon"``, ``integer `-1` ``.
fn found(unexpected: &str) -> String {
    match unexpected {
        "sequence" => return "a list".to_owned(),
        "map" => return "a table".to_owned(),
        "unit value" => return "nothing".to_owned(),
        _ => {}
    }
    let quoted = unexpected.split_once('"').and_then(|(_, rest)| rest.strip_suffix('"'));
    let plain = unexpected.split_once('`').and_then(|(_, rest)| rest.strip_suffix('`'));
    match (quoted, plain) {
        (Some(text), _) => format!("'{text}'"),
        (None, Some(value)) => value.to_owned(),
        (None, None) => unexpected.to_owned(),
    }
}

/// What belongs there, of what the reader of values calls so.
fn kind_in_words(expected: &str) -> &str {
    match expected {
        "a boolean" => "true or false",
        "a string" => "a text",
        "a sequence" | "an array" => "a list",
        "a map" | "a table" => "a table",
        unsigned if unsigned.contains("unsigned") => "a whole number from 0 on",
        integer if integer.contains("integer") => "a whole number",
        other => other,
    }
}

/// Where a file stops being TOML, and how TOML is written.
fn not_toml(sentence: &str) -> String {
    const REMEDY: &str = "write each key as name = value, texts in quotes, and sections as [name]";
    let place =
        sentence.lines().next().and_then(|line| line.split_once(" at ")).map(|(_, place)| place.trim());
    match place.filter(|place| place.starts_with("line ")) {
        Some(place) => format!("look at {place}: {REMEDY}"),
        None => REMEDY.to_owned(),
    }
}

#[cfg(test)]
mod tests;
