//! What differs between the tax agencies' systems, for the rules they share.

use einvoice_plugin::{DocumentKind, Invoice};

use crate::date::Date;
use crate::exemptions::{EXEMPTIONS, Exemption};

/// A system that Spanish invoices go out through.
#[derive(Debug)]
pub struct System {
    /// The plugin's part of its fault codes: `ES-VERIFACTU`.
    pub prefix: &'static str,
    /// For people: `VERI*FACTU`.
    pub name: &'static str,
    /// The kinds of document it takes.
    pub kinds: &'static [DocumentKind],
    /// The keys under which a document's `ext` chooses its type.
    pub doc_type_keys: &'static [&'static str],
    /// The first issue date it takes.
    pub first_issue_date: Date,
    /// Characters of a document's number.
    pub number_chars_max: usize,
    /// Characters of a line's description.
    pub line_chars_max: usize,
    /// Characters of the notes.
    pub notes_chars_max: usize,
    /// Rows of the tax breakdown.
    pub breakdown_rows_max: usize,
    /// Documents a correction may name.
    pub preceding_max: usize,
    /// Exemptions beside [`EXEMPTIONS`].
    pub more_exemptions: &'static [Exemption],
    /// Whether simplified documents go out without their recipient's identity.
    pub simplified_is_anonymous: bool,
    /// Whether a correction has to name what it corrects.
    pub correction_names: bool,
    /// Whether corrections of types R2 and R3 go to recipients with a NIF only.
    pub insolvency_needs_nif: bool,
    /// Whether the operation of a document may lie after the day of issue, by the regime that it names.
    pub may_be_billed_ahead: fn(&Invoice) -> bool,
}

impl System {
    /// Everything a document may name as `exemption`.
    pub fn exemptions(&self) -> impl Iterator<Item = &'static Exemption> {
        EXEMPTIONS.iter().chain(self.more_exemptions)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A system without peculiarities.
    pub(crate) const TEST: System = System {
        prefix: "ES",
        name: "TEST",
        kinds: &[
            DocumentKind::Invoice,
            DocumentKind::SimplifiedInvoice,
            DocumentKind::ReplacementInvoice,
            DocumentKind::CreditNote,
        ],
        doc_type_keys: &["doc-type"],
        first_issue_date: Date::new(2024, 10, 28),
        number_chars_max: 60,
        line_chars_max: 500,
        notes_chars_max: 500,
        breakdown_rows_max: 12,
        preceding_max: 1000,
        more_exemptions: &[],
        simplified_is_anonymous: true,
        correction_names: false,
        insolvency_needs_nif: true,
        may_be_billed_ahead: |_| false,
    };
}
