//! The agency's document types, as VERI*FACTU carries them.

pub use einvoice_es::doc_type::{BY_DIFFERENCES, DocType};

/// The extension that carries the type.
pub const EXT_DOC_TYPE: &str = "es-verifactu-doc-type";
/// The extension that says how a correction corrects (list L3).
pub const EXT_CORRECTION_TYPE: &str = "es-verifactu-correction-type";
