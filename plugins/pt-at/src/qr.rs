//! The content of the QR code: fields A to S of the AT's specification, as `KEY:value` with asterisks between.
//!
//! | field | is |
//! |---|---|
//! | A, B, C | NIF of the supplier, tax number of the recipient, its country |
//! | D, E, F, G, H | type, status, date, number and ATCUD of the document |
//! | I1, J1, K1 | region of the taxes: the first has I, the others follow (mainland, Azores, Madeira) |
//! | I2 to I8 and so on | base exempt; base and tax reduced, intermediate, normal |
//! | L, M | what is outside VAT, stamp duty: not made here, for neither is in a document of ours |
//! | N, O, P | taxes in all, total with them, what is withheld |
//! | Q, R, S | four characters of the signature, number of the certificate, anything else |
//!
//! Without any tax, I1 is 0.

use crate::saft::{AuditFile, Row};
use crate::signature;
use crate::tables::REGIONS;
use einvoice_gobl::decimal::Decimal;

/// Fields by region.
const REGION_FIELDS: [char; 3] = ['I', 'J', 'K'];
/// `TaxCode`, with the digits of its base and of its tax. What is exempt has no tax.
const RATE_FIELDS: [(&str, char, Option<char>); 4] =
    [("ISE", '2', None), ("RED", '3', Some('4')), ("INT", '5', Some('6')), ("NOR", '7', Some('8'))];

/// Keys and values, in order.
pub type Fields = Vec<(String, String)>;

/// The fields of a document.
pub fn fields(file: &AuditFile) -> Fields {
    let mut fields: Fields = Vec::new();
    let mut put = |key: &str, value: &str| fields.push((key.to_owned(), value.to_owned()));
    put("A", &file.tax_number);
    put("B", &file.customer.tax_number);
    put("C", &file.customer.country);
    put("D", &file.doc_type);
    put("E", "N");
    put("F", &file.date.replace('-', ""));
    put("G", &file.number);
    put("H", &file.atcud);
    fields.extend(of_regions(&file.rows));
    let mut put = |key: &str, value: &str| fields.push((key.to_owned(), value.to_owned()));
    put("N", &file.tax.amount());
    put("O", &file.gross.amount());
    let withheld = file.sum_of_withheld();
    if withheld != Decimal::ZERO {
        put("P", &withheld.amount());
    }
    put("Q", &signature::printed(&file.entry.signature));
    put("R", &file.certificate_number);
    for payment in file.payments.iter().take(1) {
        let means = payment.means.as_deref().unwrap_or("OU");
        put("S", &format!("{means};{}", payment.amount.amount()));
    }
    fields
}

/// Regions in their order, each with what its rates come to.
fn of_regions(rows: &[Row]) -> Fields {
    let regions = REGIONS.into_iter().filter(|region| rows.iter().any(|row| row.tax.region == *region));
    let mut fields = Fields::new();
    for (region, letter) in regions.zip(REGION_FIELDS) {
        fields.push((format!("{letter}1"), region.to_owned()));
        for (code, base, tax) in RATE_FIELDS {
            let is_of = |row: &&Row| row.tax.region == region && row.tax.code == code;
            let of_rate: Vec<&Row> = rows.iter().filter(is_of).collect();
            if of_rate.is_empty() {
                continue;
            }
            let sum = |figure: fn(&Row) -> Decimal| {
                of_rate.iter().fold(Decimal::ZERO, |sum, row| sum.plus(figure(row)))
            };
            fields.push((format!("{letter}{base}"), sum(|row| row.base).amount()));
            if let Some(tax) = tax {
                fields.push((format!("{letter}{tax}"), sum(|row| row.amount).amount()));
            }
        }
    }
    if fields.is_empty() {
        fields.push(("I1".to_owned(), "0".to_owned()));
    }
    fields
}

/// The fields as the code holds them.
pub fn text(fields: &[(String, String)]) -> String {
    fields.iter().map(|(key, value)| format!("{key}:{value}")).collect::<Vec<_>>().join("*")
}
