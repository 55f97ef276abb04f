//! What the renderer itself writes, in every language it knows, and how figures and dates are written there.
//!
//! # How to add a language
//! Add a variant to [`Locale`], its [`Words`], and the arms the compiler then asks for. The fonts have to cover it.

use crate::bindings::DocumentKind;

/// A language with its way of writing figures and dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Locale {
    /// Spanish of Spain.
    Es,
    /// English of the United Kingdom.
    En,
}

/// What stands on a document besides what the caller says.
#[derive(Debug)]
pub struct Words {
    pub(crate) draft: &'static str,
    pub(crate) recipient: &'static str,
    pub(crate) number: &'static str,
    pub(crate) issue_date: &'static str,
    pub(crate) operation_date: &'static str,
    pub(crate) due_date: &'static str,
    pub(crate) references: &'static str,
    pub(crate) lines: &'static str,
    pub(crate) description: &'static str,
    pub(crate) quantity: &'static str,
    pub(crate) unit_price: &'static str,
    pub(crate) discount: &'static str,
    pub(crate) tax: &'static str,
    pub(crate) amount: &'static str,
    /// The same where prices have their tax in them.
    pub(crate) amount_with_tax: &'static str,
    pub(crate) base: &'static str,
    pub(crate) net: &'static str,
    pub(crate) tax_total: &'static str,
    pub(crate) gross: &'static str,
    pub(crate) retained: &'static str,
    pub(crate) payable: &'static str,
    pub(crate) notes: &'static str,
    pub(crate) hash: &'static str,
    pub(crate) qr: &'static str,
    pub(crate) logo: &'static str,
}

const ES: Words = Words {
    draft: "BORRADOR",
    recipient: "Cliente",
    number: "Número",
    issue_date: "Fecha de expedición",
    operation_date: "Fecha de operación",
    due_date: "Vencimiento",
    references: "Documentos relacionados",
    lines: "Líneas",
    description: "Descripción",
    quantity: "Cantidad",
    unit_price: "Precio",
    discount: "Descuento",
    tax: "Impuesto",
    amount: "Importe",
    amount_with_tax: "Importe, impuestos incluidos",
    base: "Base imponible",
    net: "Base imponible",
    tax_total: "Impuestos",
    gross: "Total",
    retained: "Retenciones",
    payable: "Total a pagar",
    notes: "Observaciones",
    hash: "Huella",
    qr: "Código QR",
    logo: "Logotipo",
};

const EN: Words = Words {
    draft: "DRAFT",
    recipient: "Bill to",
    number: "Number",
    issue_date: "Issue date",
    operation_date: "Date of supply",
    due_date: "Due date",
    references: "Related documents",
    lines: "Lines",
    description: "Description",
    quantity: "Quantity",
    unit_price: "Unit price",
    discount: "Discount",
    tax: "Tax",
    amount: "Amount",
    amount_with_tax: "Amount, tax included",
    base: "Taxable amount",
    net: "Net total",
    tax_total: "Tax",
    gross: "Total",
    retained: "Withheld",
    payable: "Amount due",
    notes: "Notes",
    hash: "Fingerprint",
    qr: "QR code",
    logo: "Logo",
};

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

impl Locale {
    /// Every one.
    pub const ALL: [Self; 2] = [Self::Es, Self::En];

    /// The one of this key.
    pub fn parse(key: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|locale| locale.key() == key)
    }

    /// A language tag of BCP 47.
    pub const fn key(self) -> &'static str {
        match self {
            Self::Es => "es",
            Self::En => "en",
        }
    }

    pub(crate) const fn words(self) -> &'static Words {
        match self {
            Self::Es => &ES,
            Self::En => &EN,
        }
    }

    /// What stands between thousands, and before decimals.
    pub(crate) const fn separators(self) -> (char, char) {
        match self {
            Self::Es => ('.', ','),
            Self::En => (',', '.'),
        }
    }

    pub(crate) const fn has_currency_first(self) -> bool {
        match self {
            Self::Es => false,
            Self::En => true,
        }
    }

    /// What a document of this kind is called.
    pub const fn title(self, kind: DocumentKind) -> &'static str {
        match (self, kind) {
            (Self::Es, DocumentKind::Invoice) => "Factura",
            (Self::Es, DocumentKind::SimplifiedInvoice) => "Factura simplificada",
            (Self::Es, DocumentKind::ReplacementInvoice) => "Factura en sustitución de simplificadas",
            (Self::Es, DocumentKind::CreditNote) => "Factura rectificativa",
            (Self::Es, DocumentKind::DebitNote) => "Nota de débito",
            (Self::Es, DocumentKind::Proforma) => "Factura proforma",
            (Self::Es, DocumentKind::Receipt) => "Recibo",
            (Self::En, DocumentKind::Invoice) => "Invoice",
            (Self::En, DocumentKind::SimplifiedInvoice) => "Simplified invoice",
            (Self::En, DocumentKind::ReplacementInvoice) => "Replacement invoice",
            (Self::En, DocumentKind::CreditNote) => "Credit note",
            (Self::En, DocumentKind::DebitNote) => "Debit note",
            (Self::En, DocumentKind::Proforma) => "Pro forma invoice",
            (Self::En, DocumentKind::Receipt) => "Receipt",
        }
    }

    /// `27/07/2026`, `27 July 2026`.
    pub fn date(self, date: Date) -> String {
        let Date { year, month, day } = date;
        match self {
            Self::Es => format!("{day:02}/{month:02}/{year:04}"),
            Self::En => {
                let name = MONTHS.get(usize::from(month).saturating_sub(1)).copied().unwrap_or_default();
                format!("{day}\u{a0}{name} {year:04}")
            }
        }
    }

    /// `Página 1 de 3`.
    pub fn page(self, number: usize, count: usize) -> String {
        match self {
            Self::Es => format!("Página {number} de {count}"),
            Self::En => format!("Page {number} of {count}"),
        }
    }
}

/// A day of the calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    /// From 1 to 9999.
    pub year: u16,
    /// From 1.
    pub month: u8,
    /// From 1.
    pub day: u8,
}

impl Date {
    /// Reads `YYYY-MM-DD`.
    pub fn parse(text: &str) -> Option<Self> {
        let is_form = text.len() == 10
            && text.bytes().enumerate().all(|(at, byte)| match at {
                4 | 7 => byte == b'-',
                _ => byte.is_ascii_digit(),
            });
        if !is_form {
            return None;
        }
        let mut parts = text.split('-');
        let year: u16 = parts.next()?.parse().ok()?;
        let month: u8 = parts.next()?.parse().ok()?;
        let day: u8 = parts.next()?.parse().ok()?;
        let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
        let days = match month {
            1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
            4 | 6 | 9 | 11 => 30,
            2 if is_leap => 29,
            2 => 28,
            _ => return None,
        };
        (year > 0 && (1..=days).contains(&day)).then_some(Self { year, month, day })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_days_of_the_calendar_are_dates() {
        assert_eq!(Date::parse("2024-02-29"), Some(Date { year: 2024, month: 2, day: 29 }));
        for text in [
            "2026-02-29",
            "1900-02-29",
            "2026-13-01",
            "2026-00-10",
            "2026-1-1",
            "27/07/2026",
            "2026-07-3é",
            "",
        ] {
            assert_eq!(Date::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_date_is_written_as_the_locale_does() {
        let date = Date::parse("2026-07-05").unwrap();
        assert_eq!(Locale::Es.date(date), "05/07/2026");
        assert_eq!(Locale::En.date(date), "5\u{a0}July 2026");
    }
}
