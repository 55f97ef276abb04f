//! What a structured document says in the agency's terms.

use einvoice_es::stored::Category;

/// The agency's list L1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tax {
    Vat,
    Ipsi,
    Igic,
    Other,
}

impl Tax {
    pub(super) fn of(category: &Category) -> Self {
        match category.code.as_str() {
            "VAT" => Self::Vat,
            "IPSI" => Self::Ipsi,
            "IGIC" => Self::Igic,
            _ => Self::Other,
        }
    }

    /// The agency's code.
    pub(super) const fn code(self) -> &'static str {
        match self {
            Self::Vat => "01",
            Self::Ipsi => "02",
            Self::Igic => "03",
            Self::Other => "05",
        }
    }
}
