//! The stored document in the terms of the file.

use einvoice_gobl::country;
use einvoice_gobl::decimal::Decimal;
use einvoice_gobl::email::is_email;
use einvoice_gobl::stored;
use einvoice_gobl::text::non_blank;

use super::lines::{self, VAT, one_line};
use super::{Address, AuditFile, Customer, Entry, Payment, Row, Settlement, Tax};
use crate::convert::{NOTE_ATCUD, NOTE_CERTIFICATE};
use crate::identity::FINAL_CONSUMER;
use crate::number::SEPARATOR;
use crate::tables::{EXT_DOCUMENT_TYPE, EXT_PAYMENT_MEANS};

/// What the file says where something is not known.
const UNKNOWN: &str = "Desconhecido";
/// Whoever buys without saying who it is.
const FINAL_CONSUMER_NAME: &str = "Consumidor final";
/// Why a document is corrected, where nobody says.
const REASON: &str = "Retificação";
/// Characters of `Reason`.
const REASON_CHARS_MAX: usize = 50;
/// Characters of `PaymentTerms`.
const TERMS_CHARS_MAX: usize = 100;
/// Characters of `Email`.
const EMAIL_CHARS_MAX: usize = 254;

impl AuditFile {
    /// The file of a document. What the document lacks is empty in it, which the AT refuses.
    pub fn from_document(document: &stored::Invoice, entry: Entry) -> Self {
        let nobody = stored::Party::default();
        let supplier = &document.supplier;
        let rows = rows(document);
        let (mut lines, products) = lines::lines(document, &rows);
        for (_, reason) in lines.iter_mut().flat_map(|line| &mut line.references) {
            *reason = cut(if reason.is_empty() { REASON } else { reason }, REASON_CHARS_MAX);
        }
        let mut tax_table: Vec<Tax> = Vec::new();
        for tax in lines.iter().map(|line| Tax { exemption: None, ..line.tax.clone() }) {
            if !tax_table.contains(&tax) {
                tax_table.push(tax);
            }
        }
        let certificate = document.note_of(NOTE_CERTIFICATE);
        let retained = document.totals.taxes.categories.iter().filter(|category| category.retained);
        Self {
            tax_number: supplier.tax_id.code.clone(),
            company_name: one_line(&supplier.name),
            company_address: address(supplier, ""),
            email: email(supplier),
            currency: document.currency.clone(),
            certificate_number: if certificate.is_empty() { "0" } else { certificate }.to_owned(),
            customer: customer(document.customer.as_ref().unwrap_or(&nobody)),
            products,
            tax_table,
            number: document.number(SEPARATOR),
            atcud: document.note_of(NOTE_ATCUD).to_owned(),
            date: document.issue_date.clone(),
            doc_type: document.code_of(EXT_DOCUMENT_TYPE).to_owned(),
            is_cash_vat: document.tags.iter().any(|tag| tag == "cash-vat"),
            entry,
            lines,
            rows,
            tax: document.totals.tax,
            net: document.totals.total,
            gross: document.totals.total_with_tax,
            settlements: settlements(&document.payment.terms),
            payments: document.payment.advances.iter().map(payment).collect(),
            withheld: retained.map(|category| (category.code.clone(), category.amount)).collect(),
        }
    }
}

fn rows(document: &stored::Invoice) -> Vec<Row> {
    let categories = document.totals.taxes.categories.iter().filter(|category| category.code == VAT);
    let rates = categories.flat_map(|category| &category.rates);
    rates
        .map(|rate| Row { tax: lines::tax(&rate.ext, rate.percent), base: rate.base, amount: rate.amount })
        .collect()
}

fn customer(party: &stored::Party) -> Customer {
    let of_number = country::normalise(&party.tax_id.country);
    let address = address(party, UNKNOWN);
    let known = Some(address.country.as_str()).filter(|country| *country != UNKNOWN);
    let (tax_number, country) = match party.tax_id.code.as_str() {
        // Example 2 of the specification of the QR code: somebody unknown is of Portugal.
        "" => (FINAL_CONSUMER, known.unwrap_or("PT")),
        code => (code, of_number.unwrap_or("PT")),
    };
    let name = one_line(&party.name);
    Customer {
        tax_number: tax_number.to_owned(),
        country: country.to_owned(),
        name: if name.is_empty() { FINAL_CONSUMER_NAME.to_owned() } else { name },
        email: email(party),
        address,
    }
}

/// The first address. `unknown` stands where it says nothing; without a country it lies in that of the tax id.
fn address(party: &stored::Party, unknown: &str) -> Address {
    let nothing = stored::Address::default();
    let first = party.addresses.first().unwrap_or(&nothing);
    let or_unknown = |text: &str| match one_line(text) {
        text if text.is_empty() => unknown.to_owned(),
        text => text,
    };
    let stated = country::normalise(&first.country).or_else(|| country::normalise(&party.tax_id.country));
    Address {
        detail: or_unknown(&format!("{} {}", first.street, first.num)),
        city: or_unknown(&first.locality),
        postcode: or_unknown(&first.code),
        region: non_blank(Some(&first.region)).map(one_line),
        country: stated.unwrap_or(unknown).to_owned(),
    }
}

/// Nobody needs it, so one that has no place there stays away.
fn email(party: &stored::Party) -> Option<String> {
    let addresses = party.emails.iter().map(|email| email.addr.trim());
    addresses
        .filter(|email| is_email(email) && email.chars().count() <= EMAIL_CHARS_MAX)
        .map(str::to_owned)
        .next()
}

fn settlements(terms: &stored::Terms) -> Vec<Settlement> {
    let text = cut(&one_line(&terms.notes), TERMS_CHARS_MAX);
    let text = Some(text).filter(|text| !text.is_empty());
    let due =
        |due: &stored::DueDate| Settlement { due: Some((due.amount, due.date.clone())), terms: text.clone() };
    let settlements: Vec<_> = terms.due_dates.iter().map(due).collect();
    if settlements.is_empty() && text.is_some() {
        return vec![Settlement { due: None, terms: text }];
    }
    settlements
}

fn payment(advance: &stored::Advance) -> Payment {
    Payment {
        means: advance.ext.get(EXT_PAYMENT_MEANS).cloned(),
        amount: advance.amount,
        date: advance.date.clone(),
    }
}

fn cut(text: &str, chars_max: usize) -> String {
    text.chars().take(chars_max).collect::<String>().trim().to_owned()
}

impl AuditFile {
    /// What is withheld in all.
    pub fn sum_of_withheld(&self) -> Decimal {
        self.withheld.iter().fold(Decimal::ZERO, |sum, (_, amount)| sum.plus(*amount))
    }
}
