//! Which of the agency's document types (list L2) a document becomes.
//!
//! | kind | type |
//! |---|---|
//! | invoice, simplified invoice, replacement invoice | F1, F2, F3 |
//! | credit note for simplified invoices | R5 |
//! | any other credit note | what the document says, else what the workspace says, else R4 |
//!
//! A document speaks through its `ext`: `doc-type` = `R1`. A debit note is a correction like a credit note.

use einvoice_gobl::text::excerpt;
use einvoice_plugin::{DocumentKind, Invoice};
use serde::Deserialize;

use crate::faults::{Findings, codes};

/// Corrects by stating the difference, not by replacing the figures.
pub const BY_DIFFERENCES: &str = "I";
/// What a credit note becomes that says nothing itself, by its workspace's settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub enum CreditNoteType {
    /// Article 80.1, 80.2 and 80.6 of the VAT law: error in law, returns, discounts.
    R1,
    /// Article 80.3: insolvency of the recipient.
    R2,
    /// Article 80.4: bad debt.
    R3,
    /// Any other reason.
    #[default]
    R4,
}

/// The agency's types.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocType {
    /// Invoice with an identified recipient.
    F1,
    /// Simplified invoice.
    F2,
    /// Invoice that replaces simplified ones.
    F3,
    /// Correction, article 80.1, 80.2 and 80.6.
    R1,
    /// Correction, article 80.3.
    R2,
    /// Correction, article 80.4.
    R3,
    /// Correction for any other reason.
    R4,
    /// Correction of simplified invoices.
    R5,
}

impl DocType {
    const ALL: [Self; 8] = [Self::F1, Self::F2, Self::F3, Self::R1, Self::R2, Self::R3, Self::R4, Self::R5];

    /// The agency's code.
    pub const fn code(self) -> &'static str {
        match self {
            Self::F1 => "F1",
            Self::F2 => "F2",
            Self::F3 => "F3",
            Self::R1 => "R1",
            Self::R2 => "R2",
            Self::R3 => "R3",
            Self::R4 => "R4",
            Self::R5 => "R5",
        }
    }

    /// The type of a code.
    pub fn of_code(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.code() == code)
    }

    /// Whether it corrects other documents (`FacturasRectificadas`).
    pub const fn is_correction(self) -> bool {
        match self {
            Self::R1 | Self::R2 | Self::R3 | Self::R4 | Self::R5 => true,
            Self::F1 | Self::F2 | Self::F3 => false,
        }
    }

    /// Whether it must not identify its recipient (errors 1189 and 1190).
    pub const fn is_simplified(self) -> bool {
        match self {
            Self::F2 | Self::R5 => true,
            Self::F1 | Self::F3 | Self::R1 | Self::R2 | Self::R3 | Self::R4 => false,
        }
    }

    /// Whether its recipient must have a NIF (errors 1191 and 1192): insolvency and bad debt of Spanish taxpayers.
    pub const fn needs_nif(self) -> bool {
        match self {
            Self::R2 | Self::R3 => true,
            Self::F1 | Self::F2 | Self::F3 | Self::R1 | Self::R4 | Self::R5 => false,
        }
    }

    /// The structured format's tag, from which it derives the type itself.
    pub const fn tag(self) -> Option<&'static str> {
        match self {
            Self::F2 | Self::R5 => Some("simplified"),
            Self::F3 => Some("replacement"),
            Self::F1 | Self::R1 | Self::R2 | Self::R3 | Self::R4 => None,
        }
    }
}

impl From<CreditNoteType> for DocType {
    fn from(chosen: CreditNoteType) -> Self {
        match chosen {
            CreditNoteType::R1 => Self::R1,
            CreditNoteType::R2 => Self::R2,
            CreditNoteType::R3 => Self::R3,
            CreditNoteType::R4 => Self::R4,
        }
    }
}

/// The structured format's document type.
pub const fn format_type(kind: DocumentKind) -> &'static str {
    match kind {
        DocumentKind::Invoice | DocumentKind::SimplifiedInvoice | DocumentKind::ReplacementInvoice => {
            "standard"
        }
        DocumentKind::CreditNote => "credit-note",
        DocumentKind::DebitNote => "debit-note",
    }
}

/// The type of a document. After an error was reported it is the nearest one, so that the other checks can go on.
pub fn choose(invoice: &Invoice, for_credit_notes: CreditNoteType, findings: &mut Findings) -> DocType {
    let system = findings.system;
    let usual = match invoice.kind {
        DocumentKind::Invoice => DocType::F1,
        DocumentKind::SimplifiedInvoice => DocType::F2,
        DocumentKind::ReplacementInvoice => DocType::F3,
        DocumentKind::CreditNote | DocumentKind::DebitNote if corrects_simplified(invoice) => DocType::R5,
        DocumentKind::CreditNote | DocumentKind::DebitNote => for_credit_notes.into(),
    };
    if !system.kinds.contains(&invoice.kind) {
        let name = system.name;
        let message = match invoice.kind {
            DocumentKind::DebitNote => {
                format!(
                    "Debit notes do not go out through {name} here; bill what is added in another invoice."
                )
            }
            DocumentKind::ReplacementInvoice => format!(
                "{name} has no replacement invoices; credit the simplified invoice and issue a regular one."
            ),
            DocumentKind::Invoice | DocumentKind::SimplifiedInvoice | DocumentKind::CreditNote => {
                format!("Documents of this kind do not go out through {name}; issue another kind.")
            }
        };
        findings.error(codes::KIND, "/document_type", message);
        // What would follow from a type that cannot be is of no interest.
        return DocType::F1;
    }
    let Some(requested) = invoice.ext.iter().find(|ext| system.doc_type_keys.contains(&ext.key.as_str()))
    else {
        return usual;
    };
    let allowed = DocType::ALL.into_iter().filter(|one| is_allowed(*one, usual, invoice));
    if let Some(requested) = allowed.clone().find(|allowed| allowed.code() == requested.value) {
        return requested;
    }
    let codes: Vec<_> = allowed.map(DocType::code).collect();
    let message = format!(
        "This document cannot go out as '{}'; use {}.",
        excerpt(&requested.value),
        codes.join(" or ")
    );
    findings.error(codes::DOC_TYPE, format!("/ext/{}", requested.key), message);
    usual
}

fn corrects_simplified(invoice: &Invoice) -> bool {
    invoice.preceding.iter().any(|preceding| preceding.kind == DocumentKind::SimplifiedInvoice)
}

/// A credit note that names no invoice may be one for a simplified invoice that we do not know.
fn is_allowed(one: DocType, usual: DocType, invoice: &Invoice) -> bool {
    one == usual
        || (usual.is_correction()
            && one.is_correction()
            && (invoice.preceding.is_empty() || one.is_simplified() == usual.is_simplified()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::tests::TEST;
    use einvoice_plugin::{Fault, harness};
    use serde_json::{Value, json};

    fn chosen(document_type: &str, preceding: &[&str], doc_type: Option<&str>) -> (DocType, Vec<Fault>) {
        let preceding: Vec<Value> = preceding
            .iter()
            .map(|kind| json!({"document_type": kind, "number": "F-1", "issue_date": "2026-11-19"}))
            .collect();
        let invoice = harness::invoice(&json!({
            "document_type": document_type, "issue_date": "2026-11-20", "preceding": preceding,
            "ext": {"doc-type": doc_type, "other": "R9"}
        }));
        let mut findings = Findings::new(&TEST);
        let chosen = choose(&invoice.unwrap(), CreditNoteType::R1, &mut findings);
        (chosen, findings.faults)
    }

    #[test]
    fn every_kind_has_its_type() {
        let usual = |kind, preceding| chosen(kind, preceding, None);
        assert_eq!(usual("invoice", &[]), (DocType::F1, vec![]));
        assert_eq!(usual("simplified_invoice", &[]), (DocType::F2, vec![]));
        assert_eq!(usual("replacement_invoice", &["simplified_invoice"]), (DocType::F3, vec![]));
        assert_eq!(usual("credit_note", &["invoice"]), (DocType::R1, vec![]));
        assert_eq!(usual("credit_note", &["replacement_invoice"]), (DocType::R1, vec![]));
        assert_eq!(usual("credit_note", &["simplified_invoice"]), (DocType::R5, vec![]));
    }

    #[test]
    fn a_credit_note_may_choose_another_type_of_its_sort() {
        for code in ["R1", "R2", "R3", "R4"] {
            let (doc_type, faults) = chosen("credit_note", &["invoice"], Some(code));
            assert_eq!((doc_type.code(), faults), (code, vec![]));
        }
        assert_eq!(chosen("credit_note", &[], Some("R5")), (DocType::R5, vec![]));
        assert_eq!(chosen("invoice", &[], Some("F1")), (DocType::F1, vec![]));
    }

    #[test]
    fn a_type_of_another_sort_is_refused_with_those_that_fit() {
        let refused = [
            ("credit_note", "invoice", "R5", "R1 or R2 or R3 or R4."),
            ("credit_note", "simplified_invoice", "R4", "use R5."),
            ("credit_note", "invoice", "F1", "R4."),
            ("invoice", "credit_note", "R4", "use F1."),
            ("invoice", "credit_note", "f1", "use F1."),
        ];
        for (kind, preceding, requested, advice) in refused {
            let (_, faults) = chosen(kind, &[preceding], Some(requested));
            assert_eq!(faults.len(), 1);
            assert_eq!(
                (faults[0].code.as_str(), faults[0].path.as_str()),
                ("ES-DOC-TYPE-01", "/ext/doc-type")
            );
            assert!(faults[0].message.ends_with(advice), "{}", faults[0].message);
        }
    }

    #[test]
    fn every_code_is_found_again() {
        assert!(DocType::ALL.into_iter().all(|one| DocType::of_code(one.code()) == Some(one)));
        assert_eq!(DocType::of_code("R6"), None);
    }
}
