//! Documents with changed members, and what a plugin says of them.

use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Context, Country, Fault};
use serde_json::{Value, json};

use super::{context, is_valid};

/// A sound document in its surroundings, whose members tests change.
#[derive(Debug)]
pub struct SoundDocument {
    /// `{"document": …, "context": …}`.
    pub case: Value,
    /// What the case's context differs from.
    pub usual: Context,
    /// Before every fault code.
    pub prefix: &'static str,
}

impl SoundDocument {
    /// What a plugin finds in the document with changed members: `CODE path`, with `(warning)` behind warnings.
    ///
    /// `changes` are JSON Pointers into the case with the new values; null removes a member.
    pub fn found<P: Country>(&self, changes: &[(&str, Value)]) -> Result<Vec<String>, String> {
        let mut case = self.case.clone();
        for (pointer, value) in changes {
            let (parent, member) = pointer.rsplit_once('/').ok_or("a pointer starts with '/'")?;
            match case.pointer_mut(parent) {
                Some(Value::Object(members)) => _ = members.insert(member.to_owned(), value.clone()),
                Some(Value::Array(items)) => items.push(value.clone()),
                _ => return Err(format!("there is no {parent}")),
            }
        }
        let nothing = Value::Null;
        let invoice = invoice(case.get("document").unwrap_or(&nothing))?;
        let faults = P::check(&invoice, &context(&self.usual, case.get("context").unwrap_or(&nothing)));
        let line = |fault: &Fault| {
            let warning = if fault.is_error() { "" } else { " (warning)" };
            format!("{} {}{warning}", fault.code, fault.path)
        };
        Ok(faults.iter().map(line).collect())
    }

    /// Every change alone is found first, as the table says: pointer, value, `CODE path` without the prefix. And nothing is
    /// found without a change. The error shows what is found otherwise.
    pub fn refuses<P: Country>(&self, table: &[(&str, Value, &str)]) -> Result<(), String> {
        let mut wrong = self.found::<P>(&[])?;
        for (pointer, value, expected) in table {
            let found = self.found::<P>(&[(pointer, value.clone())])?;
            if found.first() != Some(&format!("{}-{expected}", self.prefix)) {
                wrong.push(format!("{pointer} {value}: {found:?} instead of {expected}"));
            }
        }
        none(&wrong)
    }

    /// The schema of the settings takes what the plugin takes, and refuses what it refuses. The error shows what either
    /// does otherwise.
    pub fn agrees_on_settings<P: Country>(&self, taken: &[Value], refused: &[Value]) -> Result<(), String> {
        let schema = P::describe().settings_schema;
        let fault = format!("{}-SETTINGS-01 /settings", self.prefix);
        let all = taken.iter().map(|settings| (settings, true));
        let mut wrong = Vec::new();
        for (settings, sound) in all.chain(refused.iter().map(|settings| (settings, false))) {
            let found = self.found::<P>(&[("/context/settings", settings.clone())])?;
            let accepted = found.first() != Some(&fault);
            if is_valid(&schema, settings)? != sound || accepted != sound {
                wrong.push(settings.to_string());
            }
        }
        none(&wrong)
    }

    /// Every exemption the plugin describes may be used without fault, every rate with warnings at most. The error shows
    /// what may not.
    pub fn takes_what_is_described<P: Country>(&self) -> Result<(), String> {
        let description = P::describe();
        let mut wrong = Vec::new();
        for exemption in description.exemptions {
            let tax = json!({"category": "VAT", "exemption": exemption.key});
            wrong.extend(self.found::<P>(&[("/document/lines/0/tax", tax)])?);
        }
        for rate in description.categories.iter().take(1).flat_map(|category| &category.rates) {
            let rate = json!(rate.percent.to_string());
            let found = self.found::<P>(&[("/document/lines/0/tax/rate", rate)])?;
            wrong.extend(found.into_iter().filter(|fault| !fault.ends_with("(warning)")));
        }
        none(&wrong)
    }
}

fn none(wrong: &[String]) -> Result<(), String> {
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}
