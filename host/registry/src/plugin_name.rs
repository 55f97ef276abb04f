//! How a plugin is named: `KEY@VERSION`.

use gateway_domain::regime::{NotARegimeKey, PluginRef, RegimeKey};
use std::fmt;
use std::str::FromStr;

/// How people name a version: `es-verifactu@1.0.0`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginName {
    /// What stands before the `@`.
    pub key: RegimeKey,
    /// What stands behind the `@`: any text, for it is looked up among the installed ones.
    pub version: String,
}

impl fmt::Display for PluginName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.key, self.version)
    }
}

impl From<&PluginRef> for PluginName {
    fn from(plugin: &PluginRef) -> Self {
        Self { key: plugin.key.clone(), version: plugin.version.clone() }
    }
}

/// A text names no version of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no KEY@VERSION: an example is es-verifactu@1.0.0")]
pub struct NotAPluginName(pub String);

impl FromStr for PluginName {
    type Err = NotAPluginName;

    fn from_str(text: &str) -> Result<Self, NotAPluginName> {
        let refused = || NotAPluginName(text.to_owned());
        let (key, version) = text.split_once('@').ok_or_else(refused)?;
        let key = key.parse().map_err(|_: NotARegimeKey| refused())?;
        if version.is_empty() { Err(refused()) } else { Ok(Self { key, version: version.to_owned() }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_named_by_key_and_version() {
        let name: PluginName = "es-verifactu@1.0.0-rc.1+b".parse().unwrap();
        assert_eq!((name.key.as_str(), name.version.as_str()), ("es-verifactu", "1.0.0-rc.1+b"));
        assert_eq!(name.to_string(), "es-verifactu@1.0.0-rc.1+b");
        for text in ["", "es-verifactu", "es-verifactu@", "@1.0.0", "ES@1.0.0"] {
            assert_eq!(text.parse::<PluginName>(), Err(NotAPluginName(text.to_owned())));
        }
    }
}
