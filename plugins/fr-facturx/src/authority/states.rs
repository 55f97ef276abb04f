//! The states of an invoice's life (CDAR, XP Z12-012) and the reasons that platforms and recipients give.

use crate::rules::NOT_VALID;

/// What a code means for the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    /// It is issued.
    Stands,
    /// It is not, or the recipient will not have it.
    Refuses,
}

/// A code with its meaning and what to do next.
struct Code(&'static str, Effect, &'static str);

/// A platform has a document of this supplier, year and number.
pub const DUPLICATE: &str = "REJ_UNI";

const CODES: [Code; 43] = [
    Code("200", Effect::Stands, "The platform has taken the invoice."),
    Code("201", Effect::Stands, "The platform has sent the invoice."),
    Code("202", Effect::Stands, "The recipient's platform has the invoice."),
    Code("203", Effect::Stands, "The recipient can see the invoice."),
    Code("204", Effect::Stands, "The recipient processes the invoice."),
    Code("205", Effect::Stands, "The recipient approves the invoice."),
    Code("206", Effect::Stands, "The recipient approves part of the invoice; ask about the rest."),
    Code("207", Effect::Stands, "The recipient disputes the invoice; settle it, or issue a credit note."),
    Code("208", Effect::Stands, "The recipient waits for something that is missing; send it."),
    Code("209", Effect::Stands, "What was missing of the invoice is there."),
    Code("210", Effect::Refuses, "The recipient refuses the invoice; ask why and issue a credit note."),
    Code("211", Effect::Stands, "The recipient has sent the payment."),
    Code("212", Effect::Stands, "The payment is there."),
    Code("213", Effect::Refuses, "A platform rejects the invoice; correct it and issue it again."),
    Code(
        "221",
        Effect::Stands,
        "The invoice did not reach the recipient's platform; correct the electronic address.",
    ),
    Code("300", Effect::Stands, "The State has the report."),
    Code("301", Effect::Refuses, "The State rejects the report; correct the document and issue it again."),
    Code("501", Effect::Refuses, "The file cannot be read; convert the document again."),
    Code(
        "NON_TRANSMISE",
        Effect::Stands,
        "The invoice has not been sent yet; give it to the recipient yourself.",
    ),
    Code(
        "REJ_SEMAN",
        Effect::Refuses,
        "The invoice breaks a rule of its format; correct it and issue it again.",
    ),
    Code(
        DUPLICATE,
        Effect::Refuses,
        "The platform has an invoice with this SIREN, year and number already; issue another number.",
    ),
    Code(
        "REJ_COH",
        Effect::Refuses,
        "The figures or dates of the invoice contradict each other; correct them.",
    ),
    Code("REJ_ADR", Effect::Refuses, "The recipient's electronic address is none; correct inbox in its ext."),
    Code(
        "REJ_CONT_B2G",
        Effect::Refuses,
        "The administration lacks a reference; add buyer-reference to its ext.",
    ),
    Code("REJ_REF_PJ", Effect::Refuses, "An attachment is missing; send the invoice again."),
    Code("REJ_ASS_PJ", Effect::Refuses, "An attachment belongs to no invoice; send the invoice again."),
    Code(
        "DEST_INC",
        Effect::Refuses,
        "The annuaire does not have the recipient; correct its SIREN or its electronic address.",
    ),
    Code(
        "DEST_ERR",
        Effect::Refuses,
        "The invoice is not for this recipient; credit it and issue another one.",
    ),
    Code(
        "ADR_ERR",
        Effect::Refuses,
        "The recipient's electronic address is wrong; correct inbox in its ext.",
    ),
    Code("DOUBLON", Effect::Refuses, "The recipient has this invoice already; do not send it again."),
    Code(
        "DOUBLE_FACT",
        Effect::Refuses,
        "The recipient was invoiced twice; issue a credit note for one of the invoices.",
    ),
    Code(
        "MONTANTTOTAL_ERR",
        Effect::Refuses,
        "The total of the invoice is wrong; credit it and issue another one.",
    ),
    Code("CALCUL_ERR", Effect::Refuses, "The invoice was added up wrongly; credit it and issue another one."),
    Code("TX_TVA_ERR", Effect::Refuses, "A rate of VAT is wrong; credit the invoice and issue another one."),
    Code(
        "NON_CONFORME",
        Effect::Refuses,
        "A mention that the law asks for is missing; credit the invoice and issue another one.",
    ),
    Code(
        "TRANSAC_INC",
        Effect::Refuses,
        "The recipient does not know the sale; ask, or issue a credit note.",
    ),
    Code(
        "EMMET_INC",
        Effect::Refuses,
        "The recipient does not know the supplier; ask, or issue a credit note.",
    ),
    Code(
        "CMD_ERR",
        Effect::Refuses,
        "The recipient's order is missing or wrong; add buyer-reference and issue another invoice.",
    ),
    Code("SIRET_ERR", Effect::Refuses, "The recipient's SIRET is missing or wrong; correct its tax number."),
    Code(NOT_VALID, Effect::Refuses, "The document does not fit the schema; convert the invoice again."),
    Code(
        "IRR_TYPE_F",
        Effect::Refuses,
        "The file is of no type that the platform takes; convert the document again.",
    ),
    Code("IRR_VIDE_F", Effect::Refuses, "The file is empty; convert the document again."),
    Code("IRR_TAILLE_F", Effect::Refuses, "The file is too large; split the invoice."),
];

fn find(code: &str) -> Option<&'static Code> {
    CODES.iter().find(|known| known.0 == code)
}

/// What a code means, with what to do next.
pub(super) fn meaning(code: &str) -> Option<&'static str> {
    find(code).map(|known| known.2)
}

/// Whether a code comes with a document that stands.
pub(super) fn is_remark(code: &str) -> bool {
    find(code).is_some_and(|known| known.1 == Effect::Stands)
}

/// All codes, and whether the document stands.
pub fn all() -> impl Iterator<Item = (&'static str, bool)> {
    CODES.iter().map(|known| (known.0, known.1 == Effect::Stands))
}
