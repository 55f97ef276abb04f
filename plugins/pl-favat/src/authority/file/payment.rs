//! How the document is paid, and what else it says.

use super::Fields;
use crate::authority::document::{Invoice, Payment};
use crate::fa3;
use crate::tables::{EXT_EXEMPTION, EXT_PAYMENT_MEANS};

/// `Platnosc`.
pub(super) fn payment(fields: &mut Fields<'_>, payment: &Payment) {
    fields.unless_empty("Platnosc", |fields| {
        let due_dates = payment.terms.iter().flat_map(|terms| &terms.due_dates);
        for (at, due) in due_dates.enumerate() {
            fields.nth_element("TerminPlatnosci", at + 1, |fields| {
                fields.text("Termin", fa3::PAYMENT_DAY, &due.date);
            });
        }
        let Some(instructions) = &payment.instructions else { return };
        let means = instructions.ext.get(EXT_PAYMENT_MEANS).map(String::as_str);
        fields.optional("FormaPlatnosci", fa3::PAYMENT_MEANS, means);
        let accounts = instructions.credit_transfer.iter();
        let accounts = accounts.filter_map(|account| Some((account.iban.as_deref()?, account)));
        for (at, (iban, account)) in accounts.enumerate() {
            fields.nth_element("RachunekBankowy", at + 1, |fields| {
                fields.text("NrRB", fa3::ACCOUNT, iban);
                fields.optional("SWIFT", fa3::BIC, account.bic.as_deref().map(fa3::bic).as_deref());
                if let Some(name) = &account.name {
                    fields.token("OpisRachunku", fa3::TEXT, name);
                }
            });
        }
    });
}

/// `Stopka`: the notes and the terms of payment, in their own words.
pub(super) fn footer(fields: &mut Fields<'_>, invoice: &Invoice) {
    let notes = invoice.notes.iter().filter(|note| note.src.as_deref() != Some(EXT_EXEMPTION));
    let terms = invoice.payment.terms.as_ref().and_then(|terms| terms.notes.as_deref());
    let texts = notes.map(|note| note.text.as_str()).chain(terms).map(str::trim);
    fields.unless_empty("Stopka", |fields| {
        for (at, text) in texts.filter(|text| !text.is_empty()).enumerate() {
            if at == fa3::PROSE_MAX {
                fields.missing("Informacje", "be there three times at most");
            }
            fields.nth_element("Informacje", at + 1, |fields| {
                fields.text("StopkaFaktury", fa3::PROSE, text);
            });
        }
    });
}
