//! The file that goes over the wire: the document in the logical structure FA(3), 1-0E.
//!
//! It is made of the stored document alone, element by element in the order of the schema: the same document received at
//! the same instant always gives the same bytes, UTF-8 without byte order mark, without processing instructions.
//!
//! | part | is made of | module |
//! |---|---|---|
//! | `Naglowek` | the constants of FA(3) and the instant the file is made | here |
//! | `Podmiot1`, `Podmiot2`, `Podmiot3` | supplier; recipient by NIP, European number, other tax number or `BrakID`; the units it says it is of | `parties` |
//! | `Fa`: day, number, `P_6` | the document; days of supply stand in `P_6` where all lines share one, else in `P_6A` of each | here |
//! | `P_13_*`, `P_14_*`, `P_15` | the totals, by the row of the declaration; `P_14_*W` in zloty where the currency is another | `sums` |
//! | `Adnotacje` | the document's flags, all of them; the provision that exempts (`P_19A` to `P_19C`) | `annotations` |
//! | `PrzyczynaKorekty` … `Podmiot2K` | what a correction corrects, by KSeF's number where it has one | `correction` |
//! | `FaWiersz` | the lines: `P_9A` and `P_11`, or with the tax in the price `P_9B` and `P_11A`; `P_12` in KSeF's words | `lines` |
//! | `Platnosc`, `Stopka` | payment; notes | `payment` |
//!
//! A credit note is a correction by difference: what the document credits goes out below nought, quantity and value of each
//! line and every sum.
//!
//! Every text is held against its type ([`fa3`]) as it is written; what does not fit is a [`Violation`] with the
//! element's path, and stays in the file for people to look at.

mod annotations;
mod correction;
mod fields;
mod lines;
mod parties;
mod payment;
mod sums;

use einvoice_gobl::clock::central_europe;
use einvoice_xml::document;
use sha2::{Digest, Sha256};

use super::document::{FiledDocument, Invoice};
use crate::fa3;
use fields::Fields;
pub(super) use fields::Violation;

/// A file with what is wrong with it.
#[derive(Debug)]
pub(super) struct File {
    pub(super) xml: String,
    pub(super) violations: Vec<Violation>,
}

impl File {
    /// The file of a document that is made at `now`, RFC 3339.
    pub(super) fn of(filed: &FiledDocument, now: &str) -> Self {
        let mut violations = Vec::new();
        let xml = document("Faktura", &[("xmlns", fa3::NAMESPACE)], "", |xml| {
            let fields = &mut Fields { xml, violations: &mut violations, path: String::new() };
            header(fields, now);
            parties::parties(fields, filed);
            fields.element("Fa", |fields| invoice(fields, filed));
            payment::footer(fields, &filed.invoice);
        });
        Self { xml, violations }
    }

    /// SHA-256 of its bytes, by which QR codes name it.
    pub(super) fn digest(&self) -> [u8; 32] {
        Sha256::digest(self.xml.as_bytes()).into()
    }
}

fn header(fields: &mut Fields<'_>, now: &str) {
    fields.element("Naglowek", |fields| {
        let form = [("kodSystemowy", "FA (3)"), ("wersjaSchemy", "1-0E")];
        fields.xml.text_with("KodFormularza", &form, "FA");
        fields.constant("WariantFormularza", "3");
        let made = central_europe(now).map(|local| local.to_string());
        fields.text("DataWytworzeniaFa", fa3::INSTANT, &made.unwrap_or_default());
    });
}

fn invoice(fields: &mut Fields<'_>, filed: &FiledDocument) {
    let invoice = &filed.invoice;
    let supplied = SupplyDays::of(invoice);
    fields.text("KodWaluty", fa3::CURRENCY, &invoice.currency);
    fields.text("P_1", fa3::DAY, &invoice.issue_date);
    fields.token("P_2", fa3::TEXT, &filed.number);
    if let SupplyDays::One(day) = supplied {
        fields.text("P_6", fa3::DAY, day);
    }
    sums::sums(fields, invoice);
    annotations::annotations(fields, invoice);
    fields.text("RodzajFaktury", fa3::INVOICE_TYPE, invoice.invoice_type());
    correction::correction(fields, invoice);
    lines::lines(fields, invoice, matches!(supplied, SupplyDays::OfLines));
    payment::payment(fields, &invoice.payment);
}

/// When what the document is about was supplied, where that was not on the day of issue.
#[derive(Debug, Clone, Copy)]
enum SupplyDays<'a> {
    /// On the day of issue, or nobody says when.
    Unsaid,
    /// All of it on one day, or at last.
    One(&'a str),
    /// Line by line.
    OfLines,
}

impl<'a> SupplyDays<'a> {
    fn of(invoice: &'a Invoice) -> Self {
        let issued = invoice.issue_date.as_str();
        let of_document = invoice.op_date.as_deref();
        let mut of_lines =
            invoice.lines.iter().map(|line| line.period.as_ref().map(|days| days.end.as_str()));
        let first = of_lines.next().flatten();
        // An advance is dated by when it was paid, which the periods of what is paid for do not tell.
        let is_advance = matches!(invoice.invoice_type(), "ZAL" | "KOR_ZAL");
        match of_document {
            Some(day) if day == issued => Self::Unsaid,
            Some(day) => Self::One(day),
            None if is_advance => Self::Unsaid,
            None if of_lines.all(|day| day == first) => {
                first.filter(|day| *day != issued).map_or(Self::Unsaid, Self::One)
            }
            None => Self::OfLines,
        }
    }
}
