//! What stands on the page to print besides what the document, its workspace and its tax system say, by language: the words of the
//! renderer, where it has them.

use gateway_domain::invoicing::{Content, DocumentKind, Invoice, Status};
use gateway_rendering::Language;

/// The fixed words of a language.
#[derive(Debug)]
pub(super) struct ViewWords {
    /// BCP 47.
    pub(super) locale: &'static str,
    pub(super) invoice: &'static str,
    pub(super) simplified_invoice: &'static str,
    pub(super) credit_note: &'static str,
    pub(super) proforma: &'static str,
    pub(super) receipt: &'static str,
    pub(super) draft: &'static str,
    pub(super) issuing: &'static str,
    pub(super) rejected: &'static str,
    pub(super) supplier: &'static str,
    pub(super) recipient: &'static str,
    /// Of a supplier whose tax system does not say how its number is called.
    pub(super) tax_id: &'static str,
    pub(super) identity_document: &'static str,
    pub(super) issue_date: &'static str,
    pub(super) operation_date: &'static str,
    pub(super) due_date: &'static str,
    pub(super) lines: &'static str,
    pub(super) description: &'static str,
    pub(super) quantity: &'static str,
    pub(super) unit_price: &'static str,
    pub(super) tax: &'static str,
    pub(super) line_total: &'static str,
    pub(super) taxes: &'static str,
    pub(super) base: &'static str,
    pub(super) amount: &'static str,
    pub(super) totals: &'static str,
    pub(super) net: &'static str,
    pub(super) gross: &'static str,
    pub(super) retained: &'static str,
    pub(super) payable: &'static str,
    pub(super) verification: &'static str,
    pub(super) qr: &'static str,
}

const ENGLISH: ViewWords = ViewWords {
    locale: "en",
    invoice: "Invoice",
    simplified_invoice: "Simplified invoice",
    credit_note: "Credit note",
    proforma: "Pro forma invoice",
    receipt: "Receipt",
    draft: "Draft: this is no invoice yet.",
    issuing: "The tax authority has not accepted this yet.",
    rejected: "The tax authority rejected this.",
    supplier: "Issued by",
    recipient: "Issued to",
    tax_id: "Tax id",
    identity_document: "ID",
    issue_date: "Issue date",
    operation_date: "Operation date",
    due_date: "Due",
    lines: "Lines",
    description: "Description",
    quantity: "Quantity",
    unit_price: "Price",
    tax: "Tax",
    line_total: "Total",
    taxes: "Taxes",
    base: "Base",
    amount: "Amount",
    totals: "Totals",
    net: "Net",
    gross: "Gross",
    retained: "Retained",
    payable: "To pay",
    verification: "Verification",
    qr: "QR code of the address to verify the document at",
};

const SPANISH: ViewWords = ViewWords {
    locale: "es",
    invoice: "Factura",
    simplified_invoice: "Factura simplificada",
    credit_note: "Factura rectificativa",
    proforma: "Factura proforma",
    receipt: "Recibo",
    draft: "Borrador: todavía no es una factura.",
    issuing: "La administración tributaria todavía no ha aceptado este documento.",
    rejected: "La administración tributaria ha rechazado este documento.",
    supplier: "Expedida por",
    recipient: "Cliente",
    tax_id: "N.º de IVA",
    identity_document: "Documento de identidad",
    issue_date: "Fecha de expedición",
    operation_date: "Fecha de operación",
    due_date: "Vencimiento",
    lines: "Líneas",
    description: "Descripción",
    quantity: "Cantidad",
    unit_price: "Precio",
    tax: "Impuesto",
    line_total: "Importe",
    taxes: "Impuestos",
    base: "Base imponible",
    amount: "Importe",
    totals: "Totales",
    net: "Base imponible",
    gross: "Total",
    retained: "Retenciones",
    payable: "Total a pagar",
    verification: "Verificación",
    qr: "Código QR de la dirección donde se verifica el documento",
};

impl ViewWords {
    /// Languages that the page can be asked for.
    pub(super) const LOCALES: [&'static str; 2] = [SPANISH.locale, ENGLISH.locale];

    pub(super) const fn of(language: Language) -> &'static Self {
        match language {
            Language::English | Language::Italian | Language::German | Language::Polish => &ENGLISH,
            Language::Spanish => &SPANISH,
        }
    }

    /// What a document of this kind is called.
    pub(super) const fn title(&self, content: &Content) -> &'static str {
        match (content.document_type, &content.recipient) {
            (DocumentKind::Invoice, Some(_)) => self.invoice,
            (DocumentKind::Invoice, None) => self.simplified_invoice,
            (DocumentKind::CreditNote, _) => self.credit_note,
            (DocumentKind::Proforma, _) => self.proforma,
            (DocumentKind::Receipt, _) => self.receipt,
        }
    }

    /// What a document that is none yet says of itself; empty: it is one.
    pub(super) fn caveat(&self, document: &Invoice) -> &'static str {
        match document.state.status() {
            Status::Draft if document.content.document_type.has_series() => self.draft,
            Status::Issuing => self.issuing,
            Status::Rejected => self.rejected,
            Status::Draft | Status::Issued => "",
        }
    }

    /// A figure as the language writes it.
    pub(super) fn figure(&self, figure: &str) -> String {
        if self.locale == SPANISH.locale { figure.replace('.', ",") } else { figure.to_owned() }
    }
}
