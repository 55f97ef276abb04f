//! What a correction corrects, and why.

use super::Fields;
use crate::authority::STAMP_NUMBER;
use crate::authority::document::{DocumentRef, Invoice, number};
use crate::fa3;
use crate::tables::EXT_EFFECTIVE_DATE;

/// From `PrzyczynaKorekty` to `P_15ZK`; nothing unless the document corrects another.
pub(super) fn correction(fields: &mut Fields<'_>, invoice: &Invoice) {
    let Some(first) = invoice.preceding.first().filter(|_| invoice.is_credit()) else { return };
    let reasons = invoice.preceding.iter().filter_map(|one| one.reason.as_deref());
    if let Some(reason) = fa3::reason(reasons) {
        fields.text("PrzyczynaKorekty", fa3::TEXT, &reason);
    }
    fields.optional("TypKorekty", fa3::EFFECT, first.ext.get(EXT_EFFECTIVE_DATE).map(String::as_str));
    for (at, one) in invoice.preceding.iter().enumerate() {
        fields.nth_element("DaneFaKorygowanej", at + 1, |fields| corrected(fields, one));
    }
    // What was for nobody in particular is now for somebody: the recipient is what changes besides.
    if invoice.is_simplified() && invoice.customer.is_some() {
        fields.element("Podmiot2K", |fields| {
            fields.element("DaneIdentyfikacyjne", |fields| fields.constant("BrakID", "1"));
            fields.constant("IDNabywcy", super::parties::RECIPIENT_KEY);
        });
    }
    let is_of_advance = matches!(invoice.invoice_type(), "KOR_ZAL" | "KOR_ROZ");
    if let Some(paid) = first.payable.filter(|_| is_of_advance && invoice.preceding.len() == 1) {
        fields.text("P_15ZK", fa3::AMOUNT, &paid.money());
    }
}

fn corrected(fields: &mut Fields<'_>, one: &DocumentRef) {
    fields.text("DataWystFaKorygowanej", fa3::DAY, one.issue_date.as_deref().unwrap_or_default());
    fields.token("NrFaKorygowanej", fa3::TEXT, &number(&one.series, &one.code));
    let stamp = one.stamps.iter().find(|stamp| stamp.prv == STAMP_NUMBER);
    match stamp {
        Some(stamp) => {
            fields.constant("NrKSeF", "1");
            fields.text("NrKSeFFaKorygowanej", fa3::KSEF_NUMBER, &stamp.val);
        }
        None => fields.constant("NrKSeFN", "1"),
    }
}
