//! What one version of a plugin makes of a document, and where another one makes something else of it.

use super::{PluginError, Trial};
use gateway_domain::StoreError;
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::Totals;
use gateway_domain::ports::ConverterError;
use gateway_domain::words;
use gateway_domain_finance::sound;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeSet;
use utoipa::ToSchema;

/// Differences shown of one document.
const DIFFERENCES_MAX: usize = 50;

words! {
    /// What a plugin made of a document, in one word.
    Outcome {
        /// The structured document.
        Converted = "converted",
        /// It cannot be submitted.
        Refused = "refused",
        /// The plugin misbehaved.
        Broken = "broken",
    }
}

/// What a plugin made of a document.
#[derive(Debug, Clone, PartialEq)]
pub enum CanaryResult {
    /// The structured document, and what its check says.
    Converted {
        /// JSON; a text when the plugin made something else.
        document: Value,
        /// Warnings of the check.
        faults: Vec<Fault>,
    },
    /// It cannot be submitted: why.
    Refused(Vec<Fault>),
    /// It trapped, ran into a limit, or answered what cannot be used.
    Broken(Fault),
}

/// A place where the new version makes something else of a document.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct Difference {
    /// JSON Pointer into `{"document", "faults"}`.
    #[schema(examples("/document/notes"))]
    pub pointer: String,
    /// What the version in force makes there; null also where it makes nothing.
    pub old: Value,
    /// What the new one makes there; null also where it makes nothing.
    pub new: Value,
}

/// What a plugin made of a document, as two of them are compared.
#[derive(Serialize)]
struct Comparison<'a> {
    document: Option<&'a Value>,
    faults: &'a [Fault],
    #[serde(skip_serializing_if = "Option::is_none")]
    broken: Option<bool>,
}

impl CanaryResult {
    pub(super) fn of(trial: Result<Trial, ConverterError>, totals: &Totals) -> Result<Self, PluginError> {
        match trial {
            Ok(Trial { faults, document: Ok(document) }) if !faults.iter().any(Fault::stops) => {
                if let Err(fault) = sound(totals, &document) {
                    return Ok(Self::Broken(fault));
                }
                // Nothing is lost: what is no JSON is shown as the text that it is.
                let document = serde_json::from_str(&document.body).unwrap_or(Value::String(document.body));
                Ok(Self::Converted { document, faults })
            }
            Ok(Trial { faults, document: Ok(_) } | Trial { document: Err(faults), .. }) => {
                Ok(Self::Refused(faults))
            }
            Err(ConverterError::Faults(faults)) => Ok(Self::Refused(faults)),
            Err(ConverterError::Broken(fault)) => Ok(Self::Broken(fault)),
            Err(ConverterError::Busy) => Err(PluginError::Busy),
            Err(error @ ConverterError::UnknownRegime(_)) => Err(PluginError::NotTried(error)),
        }
    }

    /// In one word.
    pub const fn outcome(&self) -> Outcome {
        match self {
            Self::Converted { .. } => Outcome::Converted,
            Self::Refused(_) => Outcome::Refused,
            Self::Broken(_) => Outcome::Broken,
        }
    }

    /// What is wrong with the document.
    pub fn faults(&self) -> &[Fault] {
        match self {
            Self::Converted { faults, .. } | Self::Refused(faults) => faults,
            Self::Broken(fault) => std::slice::from_ref(fault),
        }
    }

    fn compared(&self) -> Comparison<'_> {
        let (document, broken) = match self {
            Self::Converted { document, .. } => (Some(document), None),
            Self::Refused(_) => (None, None),
            Self::Broken(_) => (None, Some(true)),
        };
        Comparison { document, faults: self.faults(), broken }
    }

    /// Where another version makes something else of the same document.
    pub(super) fn differences(&self, new: &Self) -> Result<Vec<Difference>, StoreError> {
        let (old, new) =
            (StoreError::json_value(&self.compared())?, StoreError::json_value(&new.compared())?);
        let at = |side: &Value, pointer: &str| side.pointer(pointer).cloned().unwrap_or_default();
        let places = differ(&old, &new).into_iter();
        let differences =
            places.map(|pointer| Difference { old: at(&old, &pointer), new: at(&new, &pointer), pointer });
        Ok(differences.collect())
    }
}

/// JSON pointers at everything that differs, the outermost place of each difference.
pub(super) fn differ(old: &Value, new: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(old, new, String::new(), &mut found);
    found.truncate(DIFFERENCES_MAX);
    found
}

fn walk(old: &Value, new: &Value, at: String, found: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let names: BTreeSet<_> = old.keys().chain(new.keys()).collect();
            for name in names {
                let place = format!("{at}/{}", name.replace('~', "~0").replace('/', "~1"));
                match (old.get(name), new.get(name)) {
                    (Some(old), Some(new)) => walk(old, new, place, found),
                    (Some(_), None) | (None, Some(_)) => found.push(place),
                    (None, None) => {}
                }
            }
        }
        (Value::Array(old), Value::Array(new)) if old.len() == new.len() => {
            for (place, (old, new)) in old.iter().zip(new).enumerate() {
                walk(old, new, format!("{at}/{place}"), found);
            }
        }
        (old, new) if old == new => {}
        _ => found.push(at),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn differences_are_pointed_at() {
        let old = json!({"a": 1, "b": {"c/d": [1, 2], "e": "x"}, "f": [1]});
        let new = json!({"a": 1, "b": {"c/d": [1, 3], "g": null}, "f": [1, 2]});
        assert_eq!(differ(&old, &new), ["/b/c~1d/1", "/b/e", "/b/g", "/f"]);
        assert_eq!(differ(&old, &old), Vec::<String>::new());
    }

    #[test]
    fn a_difference_has_what_either_version_makes_there() {
        let converted =
            |notes: &str| CanaryResult::Converted { document: json!({"notes": notes}), faults: Vec::new() };
        let place =
            |pointer: &str, old: Value, new: Value| Difference { pointer: pointer.to_owned(), old, new };
        assert_eq!(
            converted("a").differences(&converted("b")).unwrap(),
            [place("/document/notes", json!("a"), json!("b"))]
        );
        let fault = Fault::error("X-1", "", "no");
        let broken = CanaryResult::Broken(fault.clone());
        assert_eq!(
            converted("a").differences(&broken).unwrap(),
            [
                place("/broken", json!(null), json!(true)),
                place("/document", json!({"notes": "a"}), json!(null)),
                place("/faults", json!([]), json!([fault])),
            ]
        );
    }
}
