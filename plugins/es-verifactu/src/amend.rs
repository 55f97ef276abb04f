//! What of an accepted invoice may be amended under its number (`Subsanacion`): RD 1007/2023, article 9.2, for errors of the
//! record that the invoicing regulation (RD 1619/2012, article 15) asks no corrective invoice for, such as a recipient's name
//! and identity (the agency's remark 2001).

use einvoice_es::amend;
use einvoice_plugin::{Amend, AmendDescription, Amendment, Context, Demand, Document, Faults, Remarks};

use crate::codes::EXT_REGIME;
use crate::{EsVerifactu, convert};

impl Amend for EsVerifactu {
    fn amendable() -> AmendDescription {
        amend::description(&["regime", EXT_REGIME])
    }

    // The provider makes the record with `Subsanacion`, and `RechazoPrevio` where one was refused, of the entry's earlier records.
    fn convert_amendment(amendment: &Amendment, context: &Context) -> Result<Document, Faults> {
        convert::convert(&amendment.amended, context)
    }
}

impl Remarks for EsVerifactu {
    // Totals (2005, 2006) are a corrective invoice's, and what the record says of the chain and of its time (2000, 2002 to 2004, 2007,
    // 2008) the system's that made it: nobody amends those by a document.
    fn demands() -> Vec<Demand> {
        let recipient = "The recipient's name and number as the agency's census has them, by an amending record (Subsanacion: \
            royal decree 1007/2023, article 9.2).";
        vec![Demand::new("2001", recipient)]
    }
}
