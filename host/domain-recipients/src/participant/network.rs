//! The delivery network by its own names: identifiers of documents and processes (Peppol code lists, Policy for use of identifiers
//! 4.4), and the codes of what is warned of. The only file of the host that spells its name.

use gateway_domain::regime::RegimeDocumentKind;
use serde::{Serialize, Serializer};

/// What it is called.
pub const NETWORK: &str = "Peppol";
/// The scheme of its participants' identifiers (POLICY 5).
pub const PARTICIPANT_SCHEME: &str = "iso6523-actorid-upis";
/// The process that invoices and credit notes take part in (billing), with its scheme.
pub const PROCESS: &str = "cenbii-procid-ubl::urn:fdc:peppol.eu:2017:poacc:billing:01:1.0";
/// How documents are transported; an endpoint of another profile is one of times gone by.
pub const TRANSPORT_PROFILE: &str = "peppol-transport-as4-v2_0";
/// Nobody has the address.
pub(super) const CODE_NOT_REGISTERED: &str = "PEPPOL-NOT-REGISTERED";
/// Whoever has it does not receive such documents.
pub(super) const CODE_DOCUMENT_TYPE: &str = "PEPPOL-DOCUMENT-TYPE";
/// Nobody knows.
pub(super) const CODE_UNKNOWN: &str = "PEPPOL-UNKNOWN";

/// A type of documents of BIS Billing 3.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DocumentType {
    /// UBL `Invoice`: invoices, corrective ones and debit notes.
    Invoice,
    /// UBL `CreditNote`.
    CreditNote,
}

impl DocumentType {
    /// Each of them.
    pub const ALL: &'static [Self] = &[Self::Invoice, Self::CreditNote];

    /// Its identifier with the scheme, as metadata name it.
    pub const fn identifier(self) -> &'static str {
        match self {
            Self::Invoice => {
                "busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice##urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0::2.1"
            }
            Self::CreditNote => {
                "busdox-docid-qns::urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2::CreditNote##urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0::2.1"
            }
        }
    }

    /// As it is stored.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Invoice => "invoice",
            Self::CreditNote => "credit_note",
        }
    }

    /// By its name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == text)
    }

    /// What a document goes out as.
    pub const fn of(kind: RegimeDocumentKind) -> Self {
        match kind {
            RegimeDocumentKind::CreditNote => Self::CreditNote,
            RegimeDocumentKind::Invoice
            | RegimeDocumentKind::SimplifiedInvoice
            | RegimeDocumentKind::ReplacementInvoice
            | RegimeDocumentKind::DebitNote => Self::Invoice,
        }
    }

    /// In a sentence.
    pub const fn plural(self) -> &'static str {
        match self {
            Self::Invoice => "invoices",
            Self::CreditNote => "credit notes",
        }
    }
}

/// By its identifier.
impl Serialize for DocumentType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.identifier())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_type_is_read_as_it_is_written() {
        for &known in DocumentType::ALL {
            assert_eq!(DocumentType::parse(known.as_str()), Some(known));
        }
        assert_eq!(DocumentType::parse("order"), None);
    }

    #[test]
    fn only_credit_notes_go_out_as_credit_notes() {
        assert_eq!(DocumentType::of(RegimeDocumentKind::CreditNote), DocumentType::CreditNote);
        assert_eq!(DocumentType::of(RegimeDocumentKind::DebitNote), DocumentType::Invoice);
        assert!(DocumentType::CreditNote.identifier().contains("CreditNote-2::CreditNote##"));
    }
}
