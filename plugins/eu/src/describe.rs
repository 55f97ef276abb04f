//! What all these plugins say of themselves.

use einvoice_gobl::ext::{self, ExtKey};
use einvoice_plugin::{Description, Rounding};

/// A description with what no country differs in: the members a workspace needs and the rounding. `known` is what
/// documents and lines may say in `ext`.
pub fn base(known: &[ExtKey]) -> Description {
    Description {
        required_workspace_fields: ["legal-name", "tax-id", "country", "address"].map(str::to_owned).to_vec(),
        ext: ext::described(known),
        ..Description::new(Rounding::Precise)
    }
}
