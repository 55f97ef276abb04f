//! What has to be said of every invoice, most often that it is not so.

use super::Fields;
use crate::authority::document::Invoice;
use crate::fa3;
use crate::tables::{
    EXT_CASH_ACCOUNTING, EXT_EXEMPTION, EXT_MARGIN_SCHEME, EXT_REVERSE_CHARGE, EXT_SELF_BILLING,
    EXT_SPLIT_PAYMENT,
};

/// The row of what is exempt.
const EXEMPT: &str = "7";

/// `Adnotacje`.
pub(super) fn annotations(fields: &mut Fields<'_>, invoice: &Invoice) {
    let yes_or_no = |flag| if invoice.has(flag) { "1" } else { "2" };
    fields.element("Adnotacje", |fields| {
        fields.constant("P_16", yes_or_no(EXT_CASH_ACCOUNTING));
        fields.constant("P_17", yes_or_no(EXT_SELF_BILLING));
        fields.constant("P_18", yes_or_no(EXT_REVERSE_CHARGE));
        fields.constant("P_18A", yes_or_no(EXT_SPLIT_PAYMENT));
        fields.element("Zwolnienie", |fields| exemption(fields, invoice));
        // Hotels sell no new vehicles into other member states, and no second party of a triangle is Polish here.
        fields.element("NoweSrodkiTransportu", |fields| fields.constant("P_22N", "1"));
        fields.constant("P_23", "2");
        fields.element("PMarzy", |fields| margin(fields, invoice));
    });
}

/// Whether something is exempt, and by which provision: of an act (A), of the directive (B), of something else (C).
fn exemption(fields: &mut Fields<'_>, invoice: &Invoice) {
    let is_exempt = invoice.rates().any(|row| row.category() == EXEMPT);
    if !is_exempt {
        return fields.constant("P_19N", "1");
    }
    fields.constant("P_19", "1");
    let note = invoice.notes.iter().find(|note| note.src.as_deref() == Some(EXT_EXEMPTION));
    let provision = note.and_then(|note| {
        let name = match note.code.as_deref()? {
            "A" => "P_19A",
            "B" => "P_19B",
            "C" => "P_19C",
            _ => return None,
        };
        Some((name, note.text.as_str()))
    });
    match provision {
        Some((name, text)) => fields.token(name, fa3::TEXT, text),
        None => fields.missing("P_19A", "name the provision that exempts"),
    }
}

/// Whether the tax is on the margin.
fn margin(fields: &mut Fields<'_>, invoice: &Invoice) {
    let of_what = match invoice.tax.ext.get(EXT_MARGIN_SCHEME).map(String::as_str) {
        Some("2") => "P_PMarzy_2",
        Some("3.1") => "P_PMarzy_3_1",
        Some("3.2") => "P_PMarzy_3_2",
        Some("3.3") => "P_PMarzy_3_3",
        Some(_) | None => return fields.constant("P_PMarzyN", "1"),
    };
    fields.constant("P_PMarzy", "1");
    fields.constant(of_what, "1");
}
