//! What is written for the keys, and each as what it has to be.
//!
//! A value is taken for no other kind than it was written as: 1.5 is not 2, `"yes"` in the file is not true, true is not 1.
//! A variable is always a text, so there a number is its digits, and a flag may also be `1`, `on` or `yes`.

use super::error::ConfigError;
use std::collections::BTreeMap;
use std::fmt;
use toml::Value as Toml;

/// A value as it is written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// In the file.
    Toml(Toml),
    /// In a variable.
    Variable(String),
}

/// The values that are written, by their keys.
#[derive(Debug, Default)]
pub(super) struct Values(BTreeMap<&'static str, Value>);

/// What a value has to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Flag,
    /// From 0 to [`u32::MAX`].
    Number,
    List,
}

/// Why a value is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Mistake {
    /// It is of another kind.
    #[error("{found} was found where {expected} belongs")]
    Kind { found: String, expected: Kind },
    /// It is below 0.
    #[error("{0} was found where a whole number from 0 on belongs")]
    Negative(i64),
    /// It is above [`u32::MAX`].
    #[error("{0} was found where a whole number up to {max} belongs", max = u32::MAX)]
    TooLarge(i64),
    /// It is a text that does not say what it should; with what to write instead.
    #[error("'{text}' {remedy}")]
    Format { text: String, remedy: &'static str },
}

impl Values {
    /// Sets a key, whatever it was before.
    pub(super) fn set(&mut self, key: &'static str, value: Value) {
        self.0.insert(key, value);
    }

    /// A text. A number in the file is its digits.
    pub(super) fn text(&self, key: &str) -> Result<Option<String>, ConfigError> {
        self.read(key, Value::text)
    }

    /// A text that `parse` turns into something; `remedy` is what is said of another one, behind its quotation.
    pub(super) fn parsed<T>(
        &self,
        key: &str,
        parse: impl Fn(&str) -> Option<T>,
        remedy: &'static str,
    ) -> Result<Option<T>, ConfigError> {
        self.read(key, |value| {
            let text = value.text()?;
            parse(&text).ok_or(Mistake::Format { text, remedy })
        })
    }

    /// True or false.
    pub(super) fn flag(&self, key: &str) -> Result<Option<bool>, ConfigError> {
        self.read(key, Value::flag)
    }

    /// A whole number from 0 to [`u32::MAX`].
    pub(super) fn number(&self, key: &str) -> Result<Option<u32>, ConfigError> {
        self.read(key, Value::number)
    }

    /// A list of texts, or one text with commas between them.
    pub(super) fn list(&self, key: &str) -> Result<Option<Vec<String>>, ConfigError> {
        self.read(key, Value::list)
    }

    /// None when the key is not written.
    fn read<T>(
        &self,
        key: &str,
        read: impl Fn(&Value) -> Result<T, Mistake>,
    ) -> Result<Option<T>, ConfigError> {
        let value = self.0.get(key).map(read).transpose();
        value.map_err(|mistake| ConfigError::Refused { key: key.to_owned(), detail: mistake.to_string() })
    }
}

impl Value {
    fn text(&self) -> Result<String, Mistake> {
        match self {
            Self::Variable(text) | Self::Toml(Toml::String(text)) => Ok(text.clone()),
            Self::Toml(toml) => text_of(toml),
        }
    }

    fn flag(&self) -> Result<bool, Mistake> {
        match self {
            Self::Toml(Toml::Boolean(flag)) => Ok(*flag),
            Self::Toml(Toml::String(text)) => text.parse().map_err(|_| self.is_no(Kind::Flag)),
            Self::Variable(text) => match text.to_lowercase().as_str() {
                "1" | "true" | "on" | "yes" => Ok(true),
                "0" | "false" | "off" | "no" => Ok(false),
                _ => Err(self.is_no(Kind::Flag)),
            },
            Self::Toml(_) => Err(self.is_no(Kind::Flag)),
        }
    }

    fn number(&self) -> Result<u32, Mistake> {
        let number = match self {
            Self::Toml(Toml::Integer(number)) => *number,
            Self::Variable(text) | Self::Toml(Toml::String(text)) => {
                text.parse().map_err(|_| self.is_no(Kind::Number))?
            }
            Self::Toml(_) => return Err(self.is_no(Kind::Number)),
        };
        u32::try_from(number)
            .map_err(|_| if number < 0 { Mistake::Negative(number) } else { Mistake::TooLarge(number) })
    }

    fn list(&self) -> Result<Vec<String>, Mistake> {
        match self {
            Self::Toml(Toml::Array(items)) => items.iter().map(text_of).collect(),
            Self::Variable(text) | Self::Toml(Toml::String(text)) => {
                let items = text.split(',').map(str::trim).filter(|item| !item.is_empty());
                Ok(items.map(str::to_owned).collect())
            }
            Self::Toml(_) => Err(self.is_no(Kind::List)),
        }
    }

    fn is_no(&self, expected: Kind) -> Mistake {
        Mistake::Kind { found: self.to_string(), expected }
    }
}

/// A text of the file; a number and a time are what is written of them.
fn text_of(toml: &Toml) -> Result<String, Mistake> {
    match toml {
        Toml::String(text) => Ok(text.clone()),
        Toml::Integer(number) => Ok(number.to_string()),
        Toml::Datetime(time) => Ok(time.to_string()),
        Toml::Float(_) | Toml::Boolean(_) | Toml::Array(_) | Toml::Table(_) => {
            Err(Mistake::Kind { found: quoted(toml), expected: Kind::Text })
        }
    }
}

impl From<Toml> for Value {
    fn from(value: Toml) -> Self {
        Self::Toml(value)
    }
}

/// As a sentence names it.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Toml(toml) => f.write_str(&quoted(toml)),
            Self::Variable(text) => write!(f, "'{text}'"),
        }
    }
}

fn quoted(toml: &Toml) -> String {
    match toml {
        Toml::String(text) => format!("'{text}'"),
        Toml::Integer(number) => number.to_string(),
        Toml::Float(number) => number.to_string(),
        Toml::Boolean(flag) => flag.to_string(),
        Toml::Datetime(time) => time.to_string(),
        Toml::Array(_) => "a list".to_owned(),
        Toml::Table(_) => "a table".to_owned(),
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Text => "a text",
            Self::Flag => "true or false",
            Self::Number => "a whole number",
            Self::List => "a list of texts, or one text with commas between them",
        })
    }
}
