//! Why a configuration is refused.

use super::keys;
use std::path::PathBuf;

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
