//! Invoices of the European standard EN 16931, as the XML that goes over the wire.
//!
//! A plugin of this family stores a document in the structured format (GOBL); what receivers take is UBL 2.1 or CII D16B.
//! The way from one to the other has two steps, and every national profile shares them:
//!
//! 1. [`derive`](fn@derive) reads the stored document and gives an [`Invoice`]: the terms of the standard (BT- and
//!    BG-numbers), nothing else.
//! 2. [`Syntax::write`] prints it in one of the two syntaxes. The writers print what is there and decide nothing.
//!
//! [`rules`] says which rules of the standard an invoice breaks, so that a stand-in refuses what a receiver's validator
//! refuses.
//!
//! # Figures
//! The figures of the document are the gateway's, and the header states them: net (BT-109), tax (BT-110), gross (BT-112)
//! and what is due (BT-115). The standard wants two decimals everywhere, net lines, and sums exact to the cent, which
//! figures that were rounded each on its own do not give. So:
//!
//! - a line's net amount (BT-131) is its exact net, rounded to the cent; the cents by which the lines of a tax row miss
//!   that row go to the lines that rounding moved most, one cent each;
//! - the row they have to come to is the stored base (BT-116), or, where prices include the tax, the gross of its lines
//!   less the stored tax (BT-117), so that net and tax come to what the recipient was told;
//! - a net price out of one with tax (BT-146) has as many decimals as its quantity needs, at least four;
//! - a cent that is still off because the gateway rounded each total on its own is the rounding amount (BT-114); in a
//!   currency without cents that is what rounding to whole units moved.
//!
//! A difference larger than roundings make is left as it is, for the rules to find. What is withheld from the payment has
//! no term: it stands in the payment terms (BT-20), and BT-115 is due in full.
//!
//! # How to add a profile
//! A plugin says its identifiers as a [`Profile`], checks what its country demands beside [`rules`], and calls the two
//! steps; `plugins/de-xrechnung/src/wire.rs` is the example. A term that is not here yet: a member of [`model`], its
//! derivation, a line in each writer.

mod cii;
pub mod codes;
mod derive;
mod lines;
pub mod model;
mod read;
pub mod rules;
mod stored;
mod ubl;

pub use derive::derive;
pub use model::Invoice;
pub use read::Underivable;

/// What a national profile says of itself, and where it differs from the standard.
#[derive(Debug, Clone, Copy)]
pub struct Profile {
    /// Specification identifier (BT-24).
    pub customization_id: &'static str,
    /// Business process (BT-23).
    pub process_id: &'static str,
    /// The key of the supplier's identity that is its number at the tax office (BT-32).
    pub tax_number_key: &'static str,
    /// Whether the tax row of what is not subject to VAT states its rate, nought.
    pub rate_of_not_subject: bool,
}

/// One of the two syntaxes of the standard (EN 16931-3).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Syntax {
    /// OASIS UBL 2.1: `Invoice` or `CreditNote`.
    #[default]
    Ubl,
    /// UN/CEFACT Cross Industry Invoice D16B.
    Cii,
}

impl Syntax {
    /// The invoice as XML.
    pub fn write(self, invoice: &Invoice) -> String {
        match self {
            Self::Ubl => ubl::write(invoice),
            Self::Cii => cii::write(invoice),
        }
    }
}
