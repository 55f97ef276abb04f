//! What stands on the page to print besides what the document, its workspace and its tax system say, by language: the words of the
//! renderer, where it has them.

use crate::words::Language;
use gateway_domain::invoicing::{Content, DocumentKind, Invoice, Status};

/// The fixed words of a language.
#[derive(Debug)]
pub struct ViewWords {
    /// BCP 47.
    pub locale: &'static str,
    /// The title of an invoice.
    pub invoice: &'static str,
    /// The title of an invoice without a recipient.
    pub simplified_invoice: &'static str,
    /// The title of a credit note.
    pub credit_note: &'static str,
    /// The title of a pro forma invoice.
    pub proforma: &'static str,
    /// The title of a receipt.
    pub receipt: &'static str,
    /// What a draft says of itself.
    pub draft: &'static str,
    /// What a document says of itself that waits for the authority.
    pub issuing: &'static str,
    /// What a document says of itself that the authority rejected.
    pub rejected: &'static str,
    /// Above who issues it.
    pub supplier: &'static str,
    /// Above whom it is for.
    pub recipient: &'static str,
    /// Of a supplier whose tax system does not say how its number is called.
    pub tax_id: &'static str,
    /// What the number of a person's document is called.
    pub identity_document: &'static str,
    /// Before the issue date.
    pub issue_date: &'static str,
    /// Before the day of the supply.
    pub operation_date: &'static str,
    /// Before the last day to pay.
    pub due_date: &'static str,
    /// Before the documents that it refers to: what a credit note corrects.
    pub references: &'static str,
    /// What the table of the lines is called.
    pub lines: &'static str,
    /// Above what is sold.
    pub description: &'static str,
    /// Above how much of it.
    pub quantity: &'static str,
    /// Above the price of one.
    pub unit_price: &'static str,
    /// Above what the tax of a line or a row is called, and before the sum of taxes.
    pub tax: &'static str,
    /// Above what a line comes to.
    pub line_total: &'static str,
    /// Above the breakdown by tax.
    pub taxes: &'static str,
    /// Above what is taxed.
    pub base: &'static str,
    /// Above the tax of it.
    pub amount: &'static str,
    /// Above the sums.
    pub totals: &'static str,
    /// Before the sum without tax.
    pub net: &'static str,
    /// Before the sum with tax.
    pub gross: &'static str,
    /// Above and before what the recipient withholds.
    pub retained: &'static str,
    /// Before what is to be paid.
    payable: &'static str,
    /// Before what a credit note gives back.
    refundable: &'static str,
    /// Before the address where anybody verifies the document.
    pub verification: &'static str,
    /// The QR code, for who does not see it.
    pub qr: &'static str,
    /// The logo, for who does not see it.
    pub logo: &'static str,
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
    references: "Related documents",
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
    refundable: "To be refunded",
    verification: "Verification",
    qr: "QR code of the address to verify the document at",
    logo: "Logo",
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
    references: "Documentos relacionados",
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
    refundable: "Importe a devolver",
    verification: "Verificación",
    qr: "Código QR de la dirección donde se verifica el documento",
    logo: "Logotipo",
};

const ITALIAN: ViewWords = ViewWords {
    locale: "it",
    invoice: "Fattura",
    simplified_invoice: "Fattura semplificata",
    credit_note: "Nota di credito",
    proforma: "Fattura proforma",
    receipt: "Ricevuta",
    draft: "Bozza: non è ancora una fattura.",
    issuing: "L'amministrazione finanziaria non ha ancora accettato questo documento.",
    rejected: "L'amministrazione finanziaria ha respinto questo documento.",
    supplier: "Emessa da",
    recipient: "Cliente",
    tax_id: "Partita IVA",
    identity_document: "Documento d'identità",
    issue_date: "Data di emissione",
    operation_date: "Data di effettuazione",
    due_date: "Scadenza",
    references: "Documenti correlati",
    lines: "Righe",
    description: "Descrizione",
    quantity: "Quantità",
    unit_price: "Prezzo",
    tax: "Imposta",
    line_total: "Importo",
    taxes: "Imposte",
    base: "Imponibile",
    amount: "Importo",
    totals: "Totali",
    net: "Imponibile",
    gross: "Totale",
    retained: "Ritenute",
    payable: "Totale da pagare",
    refundable: "Totale da rimborsare",
    verification: "Verifica",
    qr: "Codice QR dell'indirizzo dove si verifica il documento",
    logo: "Logo",
};

const GERMAN: ViewWords = ViewWords {
    locale: "de",
    invoice: "Rechnung",
    simplified_invoice: "Kleinbetragsrechnung",
    credit_note: "Rechnungskorrektur",
    proforma: "Proforma-Rechnung",
    receipt: "Quittung",
    draft: "Entwurf: Das ist noch keine Rechnung.",
    issuing: "Die Finanzverwaltung hat dieses Dokument noch nicht angenommen.",
    rejected: "Die Finanzverwaltung hat dieses Dokument abgelehnt.",
    supplier: "Rechnungsaussteller",
    recipient: "Rechnungsempfänger",
    tax_id: "USt-IdNr.",
    identity_document: "Ausweis-Nr.",
    issue_date: "Ausstellungsdatum",
    operation_date: "Leistungsdatum",
    due_date: "Fällig am",
    references: "Bezug",
    lines: "Positionen",
    description: "Bezeichnung",
    quantity: "Menge",
    unit_price: "Einzelpreis",
    tax: "Steuer",
    line_total: "Betrag",
    taxes: "Steuern",
    base: "Nettobetrag",
    amount: "Betrag",
    totals: "Summen",
    net: "Summe netto",
    gross: "Gesamtbetrag",
    retained: "Einbehalte",
    payable: "Zahlbetrag",
    refundable: "Erstattungsbetrag",
    verification: "Prüfung",
    qr: "QR-Code der Adresse, an der das Dokument geprüft werden kann",
    logo: "Logo",
};

const POLISH: ViewWords = ViewWords {
    locale: "pl",
    invoice: "Faktura",
    simplified_invoice: "Faktura uproszczona",
    credit_note: "Faktura korygująca",
    proforma: "Faktura pro forma",
    receipt: "Pokwitowanie",
    draft: "Projekt: to nie jest jeszcze faktura.",
    issuing: "Administracja skarbowa jeszcze nie przyjęła tego dokumentu.",
    rejected: "Administracja skarbowa odrzuciła ten dokument.",
    supplier: "Sprzedawca",
    recipient: "Nabywca",
    tax_id: "Nr VAT UE",
    identity_document: "Nr dokumentu tożsamości",
    issue_date: "Data wystawienia",
    operation_date: "Data sprzedaży",
    due_date: "Termin płatności",
    references: "Dokumenty powiązane",
    lines: "Pozycje",
    description: "Nazwa",
    quantity: "Ilość",
    unit_price: "Cena",
    tax: "Podatek",
    line_total: "Wartość",
    taxes: "Podatki",
    base: "Podstawa opodatkowania",
    amount: "Wartość",
    totals: "Razem",
    net: "Razem netto",
    gross: "Razem brutto",
    retained: "Potrącenia",
    payable: "Do zapłaty",
    refundable: "Do zwrotu",
    verification: "Weryfikacja",
    qr: "Kod QR adresu, pod którym można sprawdzić dokument",
    logo: "Logo",
};

const FRENCH: ViewWords = ViewWords {
    locale: "fr",
    invoice: "Facture",
    simplified_invoice: "Facture simplifiée",
    credit_note: "Facture d’avoir",
    proforma: "Facture pro forma",
    receipt: "Reçu",
    draft: "Brouillon\u{a0}: ce n’est pas encore une facture.",
    issuing: "L’administration fiscale n’a pas encore accepté ce document.",
    rejected: "L’administration fiscale a rejeté ce document.",
    supplier: "Vendeur",
    recipient: "Client",
    tax_id: "N° de TVA",
    identity_document: "Pièce d’identité",
    issue_date: "Date d’émission",
    operation_date: "Date de l’opération",
    due_date: "Échéance",
    references: "Documents liés",
    lines: "Lignes",
    description: "Désignation",
    quantity: "Quantité",
    unit_price: "Prix unitaire",
    tax: "Taxe",
    line_total: "Total",
    taxes: "Taxes",
    base: "Base d’imposition",
    amount: "Montant",
    totals: "Totaux",
    net: "Total hors taxes",
    gross: "Total toutes taxes comprises",
    retained: "Retenues",
    payable: "Net à payer",
    refundable: "Montant à rembourser",
    verification: "Vérification",
    qr: "Code QR de l’adresse où vérifier ce document",
    logo: "Logo",
};

const PORTUGUESE: ViewWords = ViewWords {
    locale: "pt",
    invoice: "Fatura",
    simplified_invoice: "Fatura simplificada",
    credit_note: "Nota de crédito",
    proforma: "Fatura pró-forma",
    receipt: "Recibo",
    draft: "Rascunho: ainda não é uma fatura.",
    issuing: "A administração fiscal ainda não aceitou este documento.",
    rejected: "A administração fiscal rejeitou este documento.",
    supplier: "Emitente",
    recipient: "Cliente",
    tax_id: "N.º de IVA",
    identity_document: "Documento de identificação",
    issue_date: "Data de emissão",
    operation_date: "Data da operação",
    due_date: "Data de vencimento",
    references: "Documentos relacionados",
    lines: "Linhas",
    description: "Descrição",
    quantity: "Quantidade",
    unit_price: "Preço unitário",
    tax: "Imposto",
    line_total: "Total",
    taxes: "Impostos",
    base: "Valor tributável",
    amount: "Valor",
    totals: "Totais",
    net: "Total sem imposto",
    gross: "Total",
    retained: "Retenções",
    payable: "Total a pagar",
    refundable: "Valor a devolver",
    verification: "Verificação",
    qr: "Código QR do endereço onde verificar este documento",
    logo: "Logótipo",
};

const GREEK: ViewWords = ViewWords {
    locale: "el",
    invoice: "Τιμολόγιο",
    simplified_invoice: "Απλοποιημένο τιμολόγιο",
    credit_note: "Πιστωτικό τιμολόγιο",
    proforma: "Προτιμολόγιο",
    receipt: "Απόδειξη",
    draft: "Προσχέδιο: δεν είναι ακόμη τιμολόγιο.",
    issuing: "Η φορολογική διοίκηση δεν έχει αποδεχθεί ακόμη αυτό το παραστατικό.",
    rejected: "Η φορολογική διοίκηση απέρριψε αυτό το παραστατικό.",
    supplier: "Εκδότης",
    recipient: "Πελάτης",
    tax_id: "Αριθμός ΦΠΑ",
    identity_document: "Έγγραφο ταυτότητας",
    issue_date: "Ημερομηνία έκδοσης",
    operation_date: "Ημερομηνία παροχής",
    due_date: "Προθεσμία πληρωμής",
    references: "Σχετικά παραστατικά",
    lines: "Γραμμές",
    description: "Περιγραφή",
    quantity: "Ποσότητα",
    unit_price: "Τιμή μονάδας",
    tax: "Φόρος",
    line_total: "Αξία",
    taxes: "Φόροι",
    base: "Φορολογητέα αξία",
    amount: "Ποσό",
    totals: "Σύνολα",
    net: "Καθαρή αξία",
    gross: "Συνολική αξία",
    retained: "Παρακρατήσεις",
    payable: "Πληρωτέο ποσό",
    refundable: "Ποσό προς επιστροφή",
    verification: "Επαλήθευση",
    qr: "Κωδικός QR της διεύθυνσης επαλήθευσης του παραστατικού",
    logo: "Λογότυπο",
};

impl ViewWords {
    /// Languages that the page can be asked for.
    pub const LOCALES: [&'static str; 8] = [
        SPANISH.locale,
        ENGLISH.locale,
        ITALIAN.locale,
        GERMAN.locale,
        POLISH.locale,
        FRENCH.locale,
        PORTUGUESE.locale,
        GREEK.locale,
    ];

    /// Those of a language.
    pub const fn of(language: Language) -> &'static Self {
        match language {
            Language::English => &ENGLISH,
            Language::Spanish => &SPANISH,
            Language::Italian => &ITALIAN,
            Language::German => &GERMAN,
            Language::Polish => &POLISH,
            Language::French => &FRENCH,
            Language::Portuguese => &PORTUGUESE,
            Language::Greek => &GREEK,
        }
    }

    /// What a document of this kind is called.
    pub const fn title(&self, content: &Content) -> &'static str {
        match (content.document_type, &content.recipient) {
            (DocumentKind::Invoice, Some(_)) => self.invoice,
            (DocumentKind::Invoice, None) => self.simplified_invoice,
            (DocumentKind::CreditNote, _) => self.credit_note,
            (DocumentKind::Proforma, _) => self.proforma,
            (DocumentKind::Receipt, _) => self.receipt,
        }
    }

    /// What stands before the last figure: a credit note asks for no money, whose figures are positive as well.
    pub const fn payable(&self, content: &Content) -> &'static str {
        match content.document_type {
            DocumentKind::CreditNote => self.refundable,
            DocumentKind::Invoice | DocumentKind::Proforma | DocumentKind::Receipt => self.payable,
        }
    }

    /// What a document that is none yet says of itself; empty: it is one.
    pub fn caveat(&self, document: &Invoice) -> &'static str {
        match document.state.status() {
            Status::Draft if document.content.document_type.has_series() => self.draft,
            Status::Issuing => self.issuing,
            Status::Rejected => self.rejected,
            Status::Draft | Status::Issued => "",
        }
    }

    /// A figure as the language writes it: English alone writes a point.
    pub fn figure(&self, figure: &str) -> String {
        if self.locale == ENGLISH.locale { figure.to_owned() } else { figure.replace('.', ",") }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests as samples;

    #[test]
    fn every_language_has_words_of_its_own_and_writes_figures_its_way() {
        for (locale, title, payable, refundable, figure) in [
            ("es", "Factura", "Total a pagar", "Importe a devolver", "1,50"),
            ("en", "Invoice", "To pay", "To be refunded", "1.50"),
            ("it", "Fattura", "Totale da pagare", "Totale da rimborsare", "1,50"),
            ("de", "Rechnung", "Zahlbetrag", "Erstattungsbetrag", "1,50"),
            ("pl", "Faktura", "Do zapłaty", "Do zwrotu", "1,50"),
            ("fr", "Facture", "Net à payer", "Montant à rembourser", "1,50"),
            ("pt", "Fatura", "Total a pagar", "Valor a devolver", "1,50"),
            ("el", "Τιμολόγιο", "Πληρωτέο ποσό", "Ποσό προς επιστροφή", "1,50"),
        ] {
            assert!(ViewWords::LOCALES.contains(&locale));
            let words = ViewWords::of(Language::of(locale));
            let invoice = samples::issued(samples::form(), "https://verify.example/1", "ABC");
            assert_eq!((words.locale, words.title(&invoice.content)), (locale, title));
            assert_eq!((words.payable(&invoice.content), words.figure("1.50").as_str()), (payable, figure));
            let credit = Content { document_type: DocumentKind::CreditNote, ..invoice.content.clone() };
            assert_eq!(words.payable(&credit), refundable);
            assert_eq!(words.caveat(&invoice), "");
        }
    }
}
