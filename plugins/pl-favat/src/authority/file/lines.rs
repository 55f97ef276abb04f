//! The rows of an invoice.

use super::Fields;
use super::sums::stated;
use crate::authority::document::{Combo, Invoice, Line};
use crate::fa3;

/// All lines. With `dated` each says when it was supplied.
pub(super) fn lines(fields: &mut Fields<'_>, invoice: &Invoice, dated: bool) {
    if invoice.lines.len() > fa3::LINES_MAX {
        fields.missing("FaWiersz", "be there 10000 times at most");
    }
    for (at, line) in invoice.lines.iter().enumerate() {
        fields.nth_element("FaWiersz", at + 1, |fields| row(fields, invoice, line, dated));
    }
}

/// `FaWiersz`. The platform knows no units, so what it sends has no `P_8A`.
fn row(fields: &mut Fields<'_>, invoice: &Invoice, line: &Line, dated: bool) {
    let vat = line.taxes.iter().find(|combo| combo.cat == "VAT");
    let day = line.period.as_ref().map(|period| period.end.as_str());
    fields.text("NrWierszaFa", fa3::ROW, &line.i.to_string());
    fields.optional("P_6A", fa3::DAY, day.filter(|day| dated && *day != invoice.issue_date));
    fields.token("P_7", fa3::LONG_TEXT, &line.item.name);
    if let Some(unit) = &line.item.unit {
        fields.token("P_8A", fa3::TEXT, unit);
    }
    fields.text("P_8B", fa3::QUANTITY, &stated(invoice, line.quantity).plain());
    let (price, total) = if invoice.includes_tax() { ("P_9B", "P_11A") } else { ("P_9A", "P_11") };
    fields.text(price, fa3::PRICE, &line.item.price.price());
    fields.text(total, fa3::AMOUNT, &stated(invoice, line.total).money());
    match vat {
        // The special procedure for other member states has the rates of those.
        Some(combo) if combo.category() == "5" => {
            fields.text("P_12_XII", fa3::PERCENT, &percent(combo));
        }
        Some(combo) if combo.category() != "11" => fields.text("P_12", fa3::RATE, &rate(combo)),
        // A margin has no rate to state.
        Some(_) | None => {}
    }
    if let Some(rate) = invoice.exchange_rate() {
        fields.text("KursWaluty", fa3::QUANTITY, &rate.plain());
    }
}

/// `TStawkaPodatku`.
fn rate(combo: &Combo) -> String {
    match combo.category() {
        "6.1" => "0 KR".to_owned(),
        "6.2" => "0 WDT".to_owned(),
        "6.3" => "0 EX".to_owned(),
        "7" => "zw".to_owned(),
        "8" => "np I".to_owned(),
        "9" => "np II".to_owned(),
        "10" => "oo".to_owned(),
        _ => percent(combo),
    }
}

/// 8 for `8.0%`.
fn percent(combo: &Combo) -> String {
    let text = combo.percent.as_deref().unwrap_or_default().trim_end_matches('%');
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    text.to_owned()
}
