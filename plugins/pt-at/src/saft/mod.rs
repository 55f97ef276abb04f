//! The SAF-T (PT) 1.04_01 file with one document, which goes over the wire.
//!
//! Made of the structured document and of what the program adds when it enters it: the time and the signature. What becomes
//! what:
//!
//! | document | file |
//! |---|---|
//! | `code` | `InvoiceNo`; the note of `at-atcud` is `ATCUD` |
//! | `supplier` | `Header`; the company is known by its NIF, its establishment is `Global` |
//! | note of `at-certificate` | `SoftwareCertificateNumber`, else 0; producer, product and version are the stand-in's |
//! | `customer` | `Customer`: its tax number, else 999999990; what is not known of its address is `Desconhecido` |
//! | `lines` | `Line`, net, in cents that add up to the bases; one `Product` for each description and sort |
//! | `lines` of a credit note | `DebitAmount`; of every other document `CreditAmount` |
//! | `preceding` | `References` of every line, the reason cut after 50 characters |
//! | `totals` | `DocumentTotals`: `GrossTotal` is with VAT and before what is withheld |
//! | retained taxes | `WithholdingTax` |
//! | `payment.terms`, `advances` | `Settlement` (terms cut after 100 characters), `Payment` |
//!
//! Notes, periods of lines, other identity documents than tax numbers and the recipient's further addresses have no place in it.

mod from_document;
mod lines;
mod xml;

use einvoice_gobl::decimal::Decimal;

/// What the program adds to a document.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    /// When it was entered, in Portugal: `2026-11-20T08:30:00` (`SystemEntryDate`).
    pub entered: String,
    /// The signature (`Hash`).
    pub signature: String,
}

/// A file with one document.
#[derive(Debug, Clone)]
pub struct AuditFile {
    /// The supplier's NIF (`TaxRegistrationNumber`).
    pub tax_number: String,
    /// `CompanyName`.
    pub company_name: String,
    /// `CompanyAddress`.
    pub company_address: Address,
    /// `Email`.
    pub email: Option<String>,
    /// `CurrencyCode`.
    pub currency: String,
    /// `SoftwareCertificateNumber`.
    pub certificate_number: String,
    /// `Customer`.
    pub customer: Customer,
    /// `Product`.
    pub products: Vec<Product>,
    /// `TaxTable`.
    pub tax_table: Vec<Tax>,
    /// `InvoiceNo`.
    pub number: String,
    /// `ATCUD`.
    pub atcud: String,
    /// `InvoiceDate`.
    pub date: String,
    /// `InvoiceType`.
    pub doc_type: String,
    /// `CashVATSchemeIndicator`.
    pub is_cash_vat: bool,
    /// What the program adds.
    pub entry: Entry,
    /// `Line`.
    pub lines: Vec<Line>,
    /// What lines of one tax come to.
    pub rows: Vec<Row>,
    /// `TaxPayable`.
    pub tax: Decimal,
    /// `NetTotal`.
    pub net: Decimal,
    /// `GrossTotal`.
    pub gross: Decimal,
    /// `Settlement`.
    pub settlements: Vec<Settlement>,
    /// `Payment`.
    pub payments: Vec<Payment>,
    /// `WithholdingTax`: type and amount.
    pub withheld: Vec<(String, Decimal)>,
}

/// `AddressStructure`.
#[derive(Debug, Clone, Default)]
pub struct Address {
    /// `AddressDetail`.
    pub detail: String,
    /// `City`.
    pub city: String,
    /// `PostalCode`.
    pub postcode: String,
    /// `Region`.
    pub region: Option<String>,
    /// `Country`.
    pub country: String,
}

/// `Customer`.
#[derive(Debug, Clone)]
pub struct Customer {
    /// `CustomerTaxID`, and `CustomerID` for want of another.
    pub tax_number: String,
    /// Of the tax number, as the QR code states it.
    pub country: String,
    /// `CompanyName`.
    pub name: String,
    /// `BillingAddress`.
    pub address: Address,
    /// `Email`.
    pub email: Option<String>,
}

/// `Product`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Product {
    /// `ProductType`.
    pub kind: String,
    /// `ProductDescription`.
    pub description: String,
}

/// `Tax`. What is not taxed has a percent of nought and a reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tax {
    /// `TaxCountryRegion`.
    pub region: String,
    /// `TaxCode`.
    pub code: String,
    /// `TaxPercentage`.
    pub percent: Decimal,
    /// `TaxExemptionCode`.
    pub exemption: Option<String>,
}

/// `Line`.
#[derive(Debug, Clone)]
pub struct Line {
    /// `LineNumber`.
    pub index: u32,
    /// Which of the file's products it sells, from 0.
    pub product: usize,
    /// `Description`.
    pub description: String,
    /// `Quantity`.
    pub quantity: Decimal,
    /// `UnitPrice`, without tax.
    pub price: Decimal,
    /// `TaxPointDate`.
    pub tax_point: String,
    /// `References`: number and reason.
    pub references: Vec<(String, String)>,
    /// `CreditAmount` or `DebitAmount`, without tax.
    pub amount: Decimal,
    /// `Tax`.
    pub tax: Tax,
}

/// What lines of one tax come to.
#[derive(Debug, Clone)]
pub struct Row {
    /// Which tax.
    pub tax: Tax,
    /// Without it.
    pub base: Decimal,
    /// It.
    pub amount: Decimal,
}

/// `Settlement`.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// `SettlementAmount` and `SettlementDate`.
    pub due: Option<(Decimal, String)>,
    /// `PaymentTerms`.
    pub terms: Option<String>,
}

/// `Payment`.
#[derive(Debug, Clone)]
pub struct Payment {
    /// `PaymentMechanism`.
    pub means: Option<String>,
    /// `PaymentAmount`.
    pub amount: Decimal,
    /// `PaymentDate`.
    pub date: String,
}

impl AuditFile {
    /// Whether amounts stand on the debit side: what is credited to the recipient.
    pub fn is_credit_note(&self) -> bool {
        self.doc_type == crate::tables::CREDIT_NOTE
    }

    /// What all lines come to.
    pub fn sum_of_lines(&self) -> Decimal {
        self.lines.iter().fold(Decimal::ZERO, |sum, line| sum.plus(line.amount))
    }

    /// The file.
    pub fn xml(&self) -> String {
        xml::xml(self)
    }
}
