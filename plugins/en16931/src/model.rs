//! The semantic model of EN 16931-1: one invoice in business terms.
//!
//! Texts that a document does not have are empty, so that [`rules`](crate::rules) can name them; a writer leaves them out.
//! Terms that no document of the platform has (allowances, payees …) are not here.

use einvoice_plugin::Amount;

use crate::Profile;

/// An invoice or a credit note.
#[derive(Debug, Clone)]
pub struct Invoice {
    /// Specification identifier (BT-24) and business process (BT-23).
    pub profile: Profile,
    /// BT-1.
    pub number: String,
    /// BT-2, `YYYY-MM-DD`.
    pub issue_date: String,
    /// BT-3: UNTDID 1001.
    pub type_code: String,
    /// BT-5: ISO 4217.
    pub currency: String,
    /// BT-9, `YYYY-MM-DD`.
    pub due_date: Option<String>,
    /// BT-10.
    pub buyer_reference: Option<String>,
    /// BT-13.
    pub order_reference: Option<String>,
    /// BG-1.
    pub notes: Vec<Note>,
    /// BG-3.
    pub preceding: Vec<Preceding>,
    /// BG-4.
    pub seller: Party,
    /// BG-7.
    pub buyer: Party,
    /// BT-72, `YYYY-MM-DD`.
    pub delivery_date: Option<String>,
    /// BG-14: what the periods of the lines span.
    pub period: Option<Period>,
    /// BG-15.
    pub deliver_to: Option<Address>,
    /// BG-16.
    pub payment: Option<Payment>,
    /// BT-20.
    pub payment_terms: Option<String>,
    /// BG-22.
    pub totals: Totals,
    /// BG-23: one row for each category and rate.
    pub tax_rows: Vec<TaxRow>,
    /// BG-25.
    pub lines: Vec<Line>,
}

impl Invoice {
    /// Whether it is a credit note, which UBL has a root of its own for.
    pub fn is_credit_note(&self) -> bool {
        crate::codes::is_credit_note(&self.type_code)
    }
}

/// BG-1.
#[derive(Debug, Clone)]
pub struct Note {
    /// BT-21: UNTDID 4451; may be empty.
    pub subject: String,
    /// BT-22.
    pub text: String,
}

/// BG-3.
#[derive(Debug, Clone)]
pub struct Preceding {
    /// BT-25.
    pub number: String,
    /// BT-26, `YYYY-MM-DD`; may be empty.
    pub issue_date: String,
}

/// BG-14 and BG-26: both days included, `YYYY-MM-DD`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Period {
    /// BT-73, BT-134.
    pub start: String,
    /// BT-74, BT-135.
    pub end: String,
}

/// BG-4 and BG-7.
#[derive(Debug, Clone, Default)]
pub struct Party {
    /// BT-27, BT-44.
    pub name: String,
    /// BT-29: only where the seller has no VAT identifier to be known by (BR-CO-26).
    pub identifier: Option<String>,
    /// BT-31, BT-48: with the prefix of its country.
    pub vat_id: Option<String>,
    /// BT-32: the number at the seller's tax office.
    pub tax_number: Option<String>,
    /// What UBL calls the scheme of BT-32, where it is not `FC`.
    pub tax_number_scheme: Option<&'static str>,
    /// BT-34, BT-49.
    pub endpoint: Option<Endpoint>,
    /// BG-5, BG-8.
    pub address: Option<Address>,
    /// BG-6, BG-9.
    pub contact: Option<Contact>,
    /// BT-29, BT-46: numbers under schemes of ISO 6523, such as an establishment's.
    pub global_ids: Vec<Identifier>,
    /// BT-30, BT-47: what the party is registered under as a legal entity; its scheme may be empty.
    pub legal_id: Option<Identifier>,
}

/// A number under a scheme of ISO 6523.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identifier {
    /// Four digits.
    pub scheme: String,
    /// The number in the scheme.
    pub id: String,
}

/// BT-34, BT-49: an electronic address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoint {
    /// EAS.
    pub scheme: String,
    /// The address in the scheme.
    pub id: String,
}

/// BG-5, BG-8, BG-15. A part that is not known is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// BT-35, BT-50, BT-75.
    pub street: String,
    /// BT-37, BT-52, BT-77.
    pub city: String,
    /// BT-38, BT-53, BT-78.
    pub postcode: String,
    /// BT-39, BT-54, BT-79.
    pub region: String,
    /// BT-40, BT-55, BT-80: ISO 3166-1.
    pub country: String,
}

/// BG-6, BG-9. A part that is not known is empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Contact {
    /// BT-41, BT-56.
    pub name: String,
    /// BT-42, BT-57.
    pub telephone: String,
    /// BT-43, BT-58.
    pub email: String,
}

/// BG-16.
#[derive(Debug, Clone, Default)]
pub struct Payment {
    /// BT-81: UNTDID 4461.
    pub means: String,
    /// BG-17.
    pub accounts: Vec<Account>,
}

/// BG-17.
#[derive(Debug, Clone, Default)]
pub struct Account {
    /// BT-84.
    pub iban: String,
    /// BT-85.
    pub name: Option<String>,
    /// BT-86.
    pub bic: Option<String>,
}

/// BG-22.
#[derive(Debug, Clone, Copy)]
pub struct Totals {
    /// BT-106: Σ BT-131.
    pub lines: Amount,
    /// BT-109.
    pub net: Amount,
    /// BT-110.
    pub tax: Amount,
    /// BT-112.
    pub gross: Amount,
    /// BT-113.
    pub paid: Option<Amount>,
    /// BT-114.
    pub rounding: Option<Amount>,
    /// BT-115.
    pub payable: Amount,
}

/// BG-23.
#[derive(Debug, Clone)]
pub struct TaxRow {
    /// BT-116.
    pub base: Amount,
    /// BT-117.
    pub amount: Amount,
    /// BT-118: UNTDID 5305.
    pub category: String,
    /// BT-119, percent.
    pub rate: Option<Amount>,
    /// BT-120.
    pub reason: Option<String>,
    /// BT-121: VATEX.
    pub reason_code: Option<&'static str>,
}

/// BG-25.
#[derive(Debug, Clone)]
pub struct Line {
    /// BT-126.
    pub id: String,
    /// BT-129: negative where the price would be.
    pub quantity: Amount,
    /// BT-130: UN/ECE recommendation 20.
    pub unit: &'static str,
    /// BT-131.
    pub net: Amount,
    /// BG-26.
    pub period: Option<Period>,
    /// BT-146.
    pub price: Amount,
    /// BT-151: UNTDID 5305.
    pub category: String,
    /// BT-152, percent.
    pub rate: Option<Amount>,
    /// BT-153.
    pub name: String,
}
