//! What the plugin says about itself.

use einvoice_plugin::Description;

use crate::codes::EXT;
use crate::{SYSTEM, settings};

/// The plugin's description.
pub fn describe() -> Description {
    let mut description = Description {
        key: "es-tbai".to_owned(),
        title: "Spain, TicketBAI (Basque Country)".to_owned(),
        version: einvoice_plugin::version!().to_owned(),
        settings_schema: settings::SCHEMA.to_owned(),
        ..einvoice_es::describe::describe(&SYSTEM, EXT)
    };
    description.required_workspace_fields.push("address".to_owned());
    description
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::DocumentKind;

    #[test]
    fn everything_but_replacements_is_announced() {
        let kinds = describe().kinds;
        assert!(
            kinds.contains(&DocumentKind::DebitNote) && !kinds.contains(&DocumentKind::ReplacementInvoice)
        );
        assert_eq!(kinds.len(), 4);
    }

    #[test]
    fn two_exemptions_are_of_this_system_only() {
        let keys: Vec<_> = describe().exemptions.into_iter().map(|choice| choice.key).collect();
        assert_eq!(keys.len(), 11);
        assert_eq!(keys[9..], ["third_party_sale", "foreign_tax"]);
    }
}
