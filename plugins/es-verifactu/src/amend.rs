//! What of an accepted invoice may be amended under its number (`Subsanacion`): RD 1007/2023, article 9.2, for errors of the
//! record that the invoicing regulation (RD 1619/2012, article 15) asks no corrective invoice for.

use einvoice_plugin::{Amend, AmendDescription, Amendment, Context, Document, Faults};

use crate::codes::EXT_REGIME;
use crate::{EsVerifactu, convert};

/// The description of the operation, who the recipient is by name and identity (the agency's remark 2001), the day of the
/// operation, and how the operations are classified. What was sold, for how much, to another recipient or at another rate is
/// another invoice.
const ALLOWED_PATHS: [&str; 12] = [
    "/notes",
    "/payment",
    "/operation_date",
    "/recipient/name",
    "/recipient/identity_document",
    "/recipient/tax_number",
    "/recipient/country",
    "/recipient/address",
    "/recipient/email",
    "/lines/*/description",
    "/lines/*/period",
    "/lines/*/ext",
];

impl Amend for EsVerifactu {
    fn amendable() -> AmendDescription {
        let regimes = ["/ext/regime".to_owned(), format!("/ext/{EXT_REGIME}")];
        let allowed_paths = ALLOWED_PATHS.iter().map(|path| (*path).to_owned()).chain(regimes).collect();
        AmendDescription { allowed_paths }
    }

    // The provider makes the record with `Subsanacion`, and `RechazoPrevio` where one was refused, of the entry's earlier records.
    fn convert_amendment(amendment: &Amendment, context: &Context) -> Result<Document, Faults> {
        convert::convert(&amendment.amended, context)
    }
}
