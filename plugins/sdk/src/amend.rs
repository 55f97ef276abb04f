//! Amendments of accepted documents.

use crate::{AmendDescription, Amendment, Context, Document, Faults};

/// Which accepted documents the authority takes again under the same number: a gateway of release 1.6 files what its command
/// `amend` changes. A system that takes none does without it.
///
/// ```
/// use einvoice_plugin::{Amend, AmendDescription, Amendment, Context, Document, Faults};
///
/// struct Nowhere;
///
/// impl Amend for Nowhere {
///     fn amendable() -> AmendDescription {
///         AmendDescription::of(&["/notes", "/recipient/name", "/lines/*/description"])
///     }
///     fn convert_amendment(amendment: &Amendment, _: &Context) -> Result<Document, Faults> {
///         let invoice = &amendment.amended;
///         Ok(Document::json(format!("{{\"total\":\"{}\"}}", invoice.totals.gross), invoice.totals.payable))
///     }
/// }
/// ```
pub trait Amend {
    /// What may change, as JSON Pointers in which `*` stands for any place of a list or any key; each allows what stands below it
    /// too. Figures, number, kind, currency and day of issue never change, whatever stands here. At most 100, each of 1 to 200
    /// characters. Called once, when the plugin is loaded.
    fn amendable() -> AmendDescription;

    /// The structured document of the amendment, under the same number and with the same figures: it takes the place of the
    /// accepted one in the entry at the provider, which makes the authority's amending record of it.
    ///
    /// # Errors
    /// Why it cannot be filed. What [`check`](crate::Country::check) finds as an error is one here too.
    fn convert_amendment(amendment: &Amendment, context: &Context) -> Result<Document, Faults>;
}
