//! What the plugin says about itself.

use einvoice_plugin::Description;

use crate::codes::EXT;
use crate::{SYSTEM, settings};

/// The plugin's description.
pub fn describe() -> Description {
    Description {
        key: "es-verifactu".to_owned(),
        title: "Spain, VERI*FACTU".to_owned(),
        version: einvoice_plugin::version!().to_owned(),
        settings_schema: settings::SCHEMA.to_owned(),
        ..einvoice_es::describe::describe(&SYSTEM, EXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::DocumentKind;

    #[test]
    fn everything_but_debit_notes_is_announced() {
        let kinds = describe().kinds;
        assert!(kinds.contains(&DocumentKind::CreditNote) && !kinds.contains(&DocumentKind::DebitNote));
        assert_eq!(kinds.len(), 4);
    }

    #[test]
    fn the_keys_of_the_contract_are_offered() {
        let description = describe();
        let categories: Vec<_> = description.categories.iter().map(|choice| choice.key.as_str()).collect();
        let retentions: Vec<_> = description.retentions.iter().map(|choice| choice.key.as_str()).collect();
        assert_eq!((categories, retentions), (vec!["VAT", "IGIC", "IPSI"], vec!["IRPF", "IRNR"]));
        assert_eq!(description.exemptions.len(), 9);
    }
}
