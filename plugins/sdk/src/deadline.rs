//! The legal clock.

use crate::{Context, Document, Faults, FilingFacts, FilingLimits, Invoice};

/// Until when the law wants a document filed, and what a filing carries that is late or was held up by an outage: a gateway of
/// release 1.7 shows when that is, warns before, and hands the mark back. A system without deadlines does without it.
///
/// ```
/// use einvoice_plugin::{Context, Deadline, Document, Faults, FilingFacts, FilingLimits, Invoice, Limit};
/// struct Nowhere;
/// impl Deadline for Nowhere {
///     fn due(invoice: &Invoice, _: &Context, facts: &FilingFacts) -> FilingLimits {
///         let mark = facts.outages.first().map(|_| "late".to_owned());
///         FilingLimits { file_by: Some(Limit::EndOf(invoice.issue_date.clone())), mark, note: None }
///     }
///     fn marked(document: Document, mark: &str) -> Result<Document, Faults> {
///         Ok(Document { body: document.body.replace("\"mark\":\"\"", &format!("\"mark\":\"{mark}\"")), ..document })
///     }
/// }
/// ```
pub trait Deadline {
    /// What holds for a filing made at `context.now`. Asked when the document was converted, and again for the limit where an
    /// outage ended before it is filed; years that its calendar does not cover are worth a [`FilingLimits::note`].
    fn due(invoice: &Invoice, context: &Context, facts: &FilingFacts) -> FilingLimits;

    /// The structured document with the mark put on, once: as [`convert`](crate::Country::convert) made it otherwise, with the same payable amount.
    /// # Errors
    /// The document is none of this plugin, or the mark none that it names.
    fn marked(document: Document, mark: &str) -> Result<Document, Faults>;
}
