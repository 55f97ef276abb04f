//! A workspace's settings from JSON.

use einvoice_gobl::settings::parse;
use einvoice_plugin::Context;
use serde::de::DeserializeOwned;

use crate::check::Rules;
use crate::{Findings, codes};

/// What a workspace may choose in one country. The type has to refuse unknown members, as its schema does.
pub trait Settings: DeserializeOwned + Default {
    /// Whether every warning is an error.
    fn refuse_warnings(&self) -> bool;

    /// What the schema says and the types do not. The error says what does not fit.
    fn validate(&self) -> Result<(), String>;
}

/// Reads the workspace's settings; the defaults after a fault. From here on `findings` refuse warnings if they say so.
pub fn read<S: Settings>(context: &Context, rules: &Rules, findings: &mut Findings) -> S {
    let parsed = parse::<S>(&context.settings).and_then(|settings| settings.validate().map(|()| settings));
    let settings = parsed.unwrap_or_else(|error| {
        let system = rules.system;
        let message =
            format!("The workspace's {system} settings do not fit their schema ({error}); correct them.");
        findings.error(codes::SETTINGS, "/settings", message);
        S::default()
    });
    findings.refuse_warnings = settings.refuse_warnings();
    settings
}

/// A member of the description's `settings-schema`: text of 1 to `chars_max` characters.
#[macro_export]
macro_rules! text_schema {
    ($title:literal, $chars_max:literal) => {
        concat!(
            r#"{"type":"string","minLength":1,"maxLength":"#,
            $chars_max,
            r#","title":""#,
            $title,
            r#""}"#
        )
    };
}
