//! What goes over the wire: `InvoicesDoc` of myDATA 2.0.2, with one invoice.
//!
//! The stored document becomes an [`InvoicesDoc`] (`from_document`), which myDATA judges and which is written as XML
//! (`xml`). The same document is always the same file.
//!
//! | in the document | in the file |
//! |---|---|
//! | supplier | `issuer`: VAT number without EL, GR, branch 0; no name |
//! | recipient, Greek | `counterpart`: likewise; name and address are forbidden (error 220) or nobody's business |
//! | recipient, another member state | the country before the number, name, address |
//! | recipient, third country | the number as it is, name, address |
//! | recipient of a receipt (11.x) | nothing |
//! | `series`, `code` | `series` (`0` without one), `aa` |
//! | `tax.ext` invoice type | `invoiceType` |
//! | `preceding`, stamp `iapr-mark` | `correlatedInvoices` |
//! | payment instructions | one `paymentMethodDetails` over all of it |
//! | lines | `invoiceDetails`: net value and VAT to the cent, so that they add up to the totals (`lines`) |
//! | codes of a line's VAT | `vatCategory`, `vatExemptionCategory` |
//! | codes of a line's item | `incomeClassification`; added up in `invoiceSummary` |
//! | charges with the code of a tax | `taxesTotals` |
//! | totals | `invoiceSummary`: gross = net + VAT − withheld + fees + stamp duty + other taxes − deductions |
//!
//! Figures of a credit note stay positive: its type says what they are. Nothing else of the document has a place here.

mod from_document;
mod lines;
mod xml;

use sha1::{Digest, Sha1};

use einvoice_gobl::decimal::Decimal;

/// The branch of every party: the seat.
pub const BRANCH: &str = "0";
/// Withheld taxes (`taxType`).
pub const WITHHELD: &str = "1";
/// Fees.
pub const FEES: &str = "2";
/// Other taxes, that on stays among them.
pub const OTHER_TAXES: &str = "3";
/// Stamp duty.
pub const STAMP_DUTY: &str = "4";
/// Deductions.
pub const DEDUCTIONS: &str = "5";

/// A record for myDATA.
#[derive(Debug, Clone)]
pub struct InvoicesDoc {
    /// `issuer`.
    pub issuer: Party,
    /// `counterpart`.
    pub counterpart: Option<Party>,
    /// `series`.
    pub series: String,
    /// `aa`.
    pub aa: String,
    /// `issueDate`.
    pub date: String,
    /// `invoiceType`.
    pub doc_type: String,
    /// `currency`.
    pub currency: String,
    /// `correlatedInvoices`: registration numbers.
    pub correlated: Vec<String>,
    /// `paymentMethodDetails/type`.
    pub payment_means: Option<String>,
    /// `invoiceDetails`.
    pub lines: Vec<Line>,
    /// `taxesTotals`.
    pub taxes: Vec<Tax>,
    /// `totalNetValue`.
    pub net: Decimal,
    /// `totalVatAmount`.
    pub vat: Decimal,
    /// `totalGrossValue`.
    pub gross: Decimal,
}

/// `PartyType`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Party {
    /// `vatNumber`.
    pub vat_number: String,
    /// `country`.
    pub country: String,
    /// `name`.
    pub name: Option<String>,
    /// `address`.
    pub address: Option<Address>,
}

/// `AddressType`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Address {
    /// `street`.
    pub street: Option<String>,
    /// `postalCode`.
    pub postcode: String,
    /// `city`.
    pub city: String,
}

/// `InvoiceRowType`.
#[derive(Debug, Clone)]
pub struct Line {
    /// `lineNumber`.
    pub index: u32,
    /// `netValue`.
    pub net: Decimal,
    /// `vatCategory`.
    pub vat_category: String,
    /// `vatAmount`.
    pub vat: Decimal,
    /// `vatExemptionCategory`.
    pub exemption: Option<String>,
    /// `incomeClassification`, of all that the line comes to.
    pub income: Option<Income>,
}

/// `IncomeClassificationType` without its amount.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Income {
    /// `classificationType`.
    pub kind: String,
    /// `classificationCategory`.
    pub category: String,
}

/// `TaxTotalsType`.
#[derive(Debug, Clone)]
pub struct Tax {
    /// `taxType`.
    pub kind: String,
    /// `taxCategory`.
    pub category: Option<String>,
    /// `taxAmount`.
    pub amount: Decimal,
}

impl InvoicesDoc {
    /// Whether it is a receipt, which names no counterpart.
    pub fn is_retail(&self) -> bool {
        self.doc_type.starts_with("11.")
    }

    /// The sum of all taxes of a kind.
    pub fn tax(&self, kind: &str) -> Decimal {
        let amounts = self.taxes.iter().filter(|tax| tax.kind == kind).map(|tax| tax.amount);
        amounts.fold(Decimal::ZERO, Decimal::plus)
    }

    /// What is earned by each classification, in the order of the lines.
    pub fn income(&self) -> Vec<(&Income, Decimal)> {
        let mut sums: Vec<(&Income, Decimal)> = Vec::new();
        for line in &self.lines {
            let Some(income) = &line.income else { continue };
            match sums.iter_mut().find(|(known, _)| *known == income) {
                Some((_, sum)) => *sum = sum.plus(line.net),
                None => sums.push((income, line.net)),
            }
        }
        sums
    }

    /// What myDATA tells this record from others by (`invoiceUid`): SHA-1 of six members, upper-case hexadecimal.
    pub fn uid(&self) -> String {
        let members = [&self.issuer.vat_number, &self.date, BRANCH, &self.doc_type, &self.series, &self.aa];
        let digest = Sha1::digest(members.join("-"));
        einvoice_eu::register::hexadecimal(&digest).to_uppercase()
    }

    /// The file.
    pub fn xml(&self) -> String {
        xml::written(self)
    }
}
