//! What all these plugins say of themselves.

use einvoice_plugin::{Description, Ext, Rounding};

/// A description with what no country differs in: the members a workspace needs, the format of documents, the rounding.
pub fn base() -> Description {
    Description {
        required_workspace_fields: ["legal-name", "tax-id", "country", "address"].map(str::to_owned).to_vec(),
        ext: vec![Ext { key: "document-schema".to_owned(), value: einvoice_gobl::SCHEMA.to_owned() }],
        ..Description::new(Rounding::Precise)
    }
}
