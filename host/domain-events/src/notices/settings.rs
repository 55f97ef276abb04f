//! What holds for one workspace, and what for all the others.

use gateway_domain::ids::WorkspaceId;
use std::collections::BTreeMap;
use std::fmt::{self, Display};
use std::str::FromStr;

/// Values that hold for every workspace without values of its own. They are written `VALUE` for all of those and
/// `WORKSPACE=VALUE` for one workspace, each as often as there are values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PerWorkspace<T> {
    general: Vec<T>,
    own: BTreeMap<WorkspaceId, Vec<T>>,
}

/// A text is no value, or none of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSetting {
    /// What stands in front of the equals sign is no workspace.
    #[error("'{0}' is no workspace: write its number, such as 1={1}")]
    NoWorkspace(String, String),
    /// The value itself is none; why.
    #[error("{0}")]
    NoValue(String),
}

impl<T> Default for PerWorkspace<T> {
    fn default() -> Self {
        Self { general: Vec::new(), own: BTreeMap::new() }
    }
}

impl<T: FromStr<Err: Display>> PerWorkspace<T> {
    /// Reads values as they are written.
    ///
    /// # Errors
    /// The first that cannot be read.
    pub fn parse<'a>(items: impl IntoIterator<Item = &'a str>) -> Result<Self, InvalidSetting> {
        let mut settings = Self::default();
        for item in items {
            let (workspace, text) = match item.split_once('=') {
                Some((workspace, text)) => (Some(workspace.trim()), text.trim()),
                None => (None, item.trim()),
            };
            let value = text.parse().map_err(|error: T::Err| InvalidSetting::NoValue(error.to_string()))?;
            let Some(workspace) = workspace else {
                settings.general.push(value);
                continue;
            };
            match workspace.parse() {
                Ok(id @ 1..) => settings.own.entry(WorkspaceId(id)).or_default().push(value),
                Ok(_) | Err(_) => {
                    return Err(InvalidSetting::NoWorkspace(workspace.to_owned(), text.to_owned()));
                }
            }
        }
        Ok(settings)
    }
}

impl<T> PerWorkspace<T> {
    /// The values of a workspace, or of the gateway itself.
    pub fn of(&self, workspace: Option<WorkspaceId>) -> &[T] {
        workspace.and_then(|workspace| self.own.get(&workspace)).unwrap_or(&self.general)
    }

    /// Whether no value is written at all.
    pub fn is_empty(&self) -> bool {
        self.general.is_empty() && self.own.is_empty()
    }

    /// Every value there is.
    pub fn values(&self) -> impl Iterator<Item = &T> {
        self.general.iter().chain(self.own.values().flatten())
    }
}

/// As it is written, with commas between.
impl<T: Display> Display for PerWorkspace<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let general = self.general.iter().map(ToString::to_string);
        let own = self
            .own
            .iter()
            .flat_map(|(workspace, values)| values.iter().map(move |value| format!("{workspace}={value}")));
        f.write_str(&general.chain(own).collect::<Vec<_>>().join(","))
    }
}

/// Longest address of a mailbox (RFC 5321, 4.5.3.1.3).
const ADDRESS_CHARS_MAX: usize = 254;

/// The address of a mailbox: `ana@example.org`, without a name beside it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct MailAddress(String);

/// A text is no address of a mailbox.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no mail address: write it as ana@example.org, without a name beside it")]
pub struct InvalidMailAddress(String);

impl FromStr for MailAddress {
    type Err = InvalidMailAddress;

    fn from_str(text: &str) -> Result<Self, InvalidMailAddress> {
        let is_plain = |c: char| c.is_ascii_graphic() && !"<>(),;:\\\"[]@".contains(c);
        let is_part = |part: &str| !part.is_empty() && part.chars().all(is_plain);
        let is_address = text.len() <= ADDRESS_CHARS_MAX
            && text.split_once('@').is_some_and(|(mailbox, domain)| is_part(mailbox) && is_part(domain));
        if is_address { Ok(Self(text.to_owned())) } else { Err(InvalidMailAddress(text.to_owned())) }
    }
}

impl Display for MailAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl MailAddress {
    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notices::QuietHours;

    fn recipients(items: &[&str]) -> Result<PerWorkspace<MailAddress>, InvalidSetting> {
        PerWorkspace::parse(items.iter().copied())
    }

    #[test]
    fn a_workspace_without_values_of_its_own_has_those_of_everybody() {
        let parsed = recipients(&["ops@example.org", "2=ana@example.org", "2=ben@example.org"]).unwrap();
        let of = |workspace: Option<i64>| -> Vec<&str> {
            parsed.of(workspace.map(WorkspaceId)).iter().map(MailAddress::as_str).collect()
        };
        assert_eq!(of(Some(2)), ["ana@example.org", "ben@example.org"]);
        assert_eq!(of(Some(1)), ["ops@example.org"]);
        assert_eq!(of(None), ["ops@example.org"]);
        assert_eq!(parsed.to_string(), "ops@example.org,2=ana@example.org,2=ben@example.org");
        let hours: PerWorkspace<QuietHours> = PerWorkspace::parse(["1=22:00-07:00"]).unwrap();
        assert!(hours.of(None).is_empty() && !hours.is_empty());
    }

    #[test]
    fn what_is_no_value_or_no_workspace_is_refused_with_what_to_write() {
        for (item, sentence) in [
            ("ana", "write it as ana@example.org"),
            ("a=ana@example.org", "'a' is no workspace: write its number, such as 1=ana@example.org"),
            ("0=ana@example.org", "'0' is no workspace"),
            ("Ana <ana@example.org>", "without a name"),
            ("ana@example.org\r\nBcc: x@example.org", "is no mail address"),
            ("ana@b@example.org", "is no mail address"),
            ("@example.org", "is no mail address"),
        ] {
            let refused = recipients(&[item]).unwrap_err().to_string();
            assert!(refused.contains(sentence), "{item}: {refused}");
        }
    }
}
