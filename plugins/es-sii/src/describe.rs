//! What the plugin says about itself.

use einvoice_plugin::Description;

use crate::codes::EXT;
use crate::{SYSTEM, settings};

/// The plugin's description.
pub fn describe() -> Description {
    Description {
        key: "es-sii".to_owned(),
        title: "Spain, SII (immediate supply of information)".to_owned(),
        version: einvoice_plugin::version!().to_owned(),
        settings_schema: settings::SCHEMA.to_owned(),
        ..einvoice_es::describe::describe(&SYSTEM, EXT)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_announced() {
        assert_eq!(describe().kinds.len(), 5);
    }

    #[test]
    fn the_shared_exemptions_are_offered() {
        assert_eq!(describe().exemptions.len(), einvoice_es::exemptions::EXEMPTIONS.len());
    }
}
