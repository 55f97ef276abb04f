//! The stored document in the terms of the file.

use einvoice_gobl::country;
use einvoice_gobl::decimal::Decimal;
use einvoice_gobl::stored;
use einvoice_gobl::text::non_blank;

use super::{Address, DEDUCTIONS, FEES, InvoicesDoc, OTHER_TAXES, Party, STAMP_DUTY, Tax, WITHHELD, lines};
use crate::check::STAMP_MARK;
use crate::identity::is_member_state;
use crate::settings::NO_SERIES;
use crate::tables::{EXT_INVOICE_TYPE, EXT_PAYMENT_MEANS};

/// The kind of tax that a charge is.
const EXT_TAX_KIND: &str = "gr-mydata-tax-type";
/// The kinds of tax with a code of their own: where a charge states it.
const EXT_TAX_CATEGORIES: [(&str, &str); 3] =
    [(FEES, "gr-mydata-fee"), (OTHER_TAXES, "gr-mydata-other-tax"), (STAMP_DUTY, "gr-mydata-stamp-duty")];
/// How far totals that are rounded each on its own may lie from their sum.
const TOTALS_TOLERANCE: Decimal = Decimal::hundredths(2);

impl InvoicesDoc {
    /// The record of a document. What the document lacks is empty in it, which myDATA refuses.
    pub fn from_document(document: &stored::Invoice) -> Self {
        let doc_type = document.tax.ext.get(EXT_INVOICE_TYPE).cloned().unwrap_or_default();
        let issuer = Party {
            vat_number: document.supplier.tax_id.code.clone(),
            country: iso(&document.supplier.tax_id.country),
            ..Party::default()
        };
        let taxes: Vec<Tax> = document.charges.iter().map(tax).collect();
        let (net, vat) = (net(document), document.totals.tax.rounded());
        let instructions = document.payment.instructions.as_ref();
        let mut record = Self {
            issuer,
            counterpart: document.customer.as_ref().and_then(counterpart),
            series: non_blank(Some(&document.series)).unwrap_or(NO_SERIES).to_owned(),
            aa: document.code.clone(),
            date: document.issue_date.clone(),
            doc_type,
            currency: document.currency.clone(),
            correlated: document.preceding.iter().filter_map(mark).collect(),
            payment_means: instructions.and_then(|how| how.ext.get(EXT_PAYMENT_MEANS).cloned()),
            lines: lines::lines(document, net, vat),
            taxes,
            net,
            vat,
            gross: document.totals.total_with_tax.rounded(),
        };
        if record.is_retail() {
            record.counterpart = None;
        }
        // The format adds up what is charged; myDATA takes off what is withheld or deducted.
        let subtracted = record.tax(WITHHELD).plus(record.tax(DEDUCTIONS));
        record.gross = record.gross.minus(subtracted).minus(subtracted);
        record
    }
}

/// What is left of the total without VAT and charges. Each of the totals is rounded on its own; where they contradict
/// each other by more than that, they stay as they are.
fn net(document: &stored::Invoice) -> Decimal {
    let totals = &document.totals;
    let charged = document.charges.iter().fold(Decimal::ZERO, |sum, charge| sum.plus(charge.amount));
    let left = totals.total_with_tax.minus(totals.tax).minus(charged).rounded();
    let stated = totals.total.minus(charged).rounded();
    if left.minus(stated).abs() <= TOTALS_TOLERANCE { left } else { stated }
}

fn iso(tax_country: &str) -> String {
    country::normalise(tax_country).unwrap_or(tax_country).to_owned()
}

/// Whom the document is for, if it has a tax number.
fn counterpart(party: &stored::Party) -> Option<Party> {
    let code = non_blank(Some(&party.tax_id.code))?;
    let country = iso(&party.tax_id.country);
    if country == "GR" {
        return Some(Party { vat_number: code.to_owned(), country, ..Party::default() });
    }
    let prefix = if is_member_state(&country) { country.as_str() } else { "" };
    let address = party.addresses.first();
    Some(Party {
        vat_number: format!("{prefix}{code}"),
        name: non_blank(Some(&party.name)).map(one_line),
        address: address.map(|address| Address {
            street: non_blank(Some(&address.street)).map(one_line),
            postcode: one_line(&address.code),
            city: one_line(&address.locality),
        }),
        country,
    })
}

fn mark(reference: &stored::Reference) -> Option<String> {
    let found = reference.stamps.iter().find(|stamp| stamp.prv == STAMP_MARK);
    found.map(|stamp| stamp.val.clone())
}

fn tax(charge: &stored::Charge) -> Tax {
    let of_category = EXT_TAX_CATEGORIES.iter().find(|(_, key)| charge.ext.contains_key(*key));
    let kind = charge.ext.get(EXT_TAX_KIND).map(String::as_str).or(of_category.map(|(kind, _)| *kind));
    Tax {
        kind: kind.unwrap_or_default().to_owned(),
        category: of_category.and_then(|(_, key)| charge.ext.get(*key).cloned()),
        amount: charge.amount.rounded(),
    }
}

/// A text without line breaks and double spaces.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
