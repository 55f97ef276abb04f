//! What a document may say beyond what every tax system asks for: terms of payment, periods, a system's own members.

use super::super::{Ext, Payment, Period};
use super::{Check, TEXT_CHARS_MAX, date};
use crate::ErrorCode;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Most entries of one `ext`.
const EXT_MAX: usize = 20;
/// Longest key of an `ext`, characters.
const EXT_KEY_CHARS_MAX: usize = 64;

/// Members of a tax system as sent.
pub type ExtForm = BTreeMap<String, String>;

/// Terms of payment as sent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the members are those of the domain type, as sent")]
pub struct PaymentForm {
    pub due_date: Option<String>,
    pub note: Option<String>,
}

/// A period as sent.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the members are those of the domain type, as sent")]
pub struct PeriodForm {
    pub start: Option<String>,
    pub end: Option<String>,
}

impl Check<'_> {
    /// Terms that say nothing count as absent.
    pub(super) fn payment(&mut self, form: PaymentForm) -> Option<Payment> {
        let due_date = self.optional(form.due_date, "payment.due_date", date);
        let note = self.text(form.note, "payment.note", TEXT_CHARS_MAX, true);
        (due_date.is_some() || note.is_some()).then_some(Payment { due_date, note })
    }

    pub(super) fn period(&mut self, form: PeriodForm, field: &str) -> Option<Period> {
        let start = self.required(form.start, &format!("{field}.start"), date);
        let end = self.required(form.end, &format!("{field}.end"), date);
        let (start, end) = (start?, end?);
        if end < start {
            self.refuse(
                format!("{field}.end"),
                ErrorCode::EndBeforeStart,
                "may not lie before the start of the period",
            );
        }
        Some(Period { start, end })
    }

    pub(super) fn ext(&mut self, form: Option<ExtForm>, field: &str) -> Ext {
        let form = form.unwrap_or_default();
        if form.len() > EXT_MAX {
            self.refuse(field, ErrorCode::TooMany, format!("may have at most {EXT_MAX} members"));
            return Ext::new();
        }
        let mut ext = Ext::new();
        for (key, value) in form {
            if is_key(&key) {
                let value = self.required_text(Some(value), &format!("{field}.{key}"));
                ext.extend(value.map(|value| (key, value)));
            } else {
                let message = "use keys of lower-case letters, digits, full stops and hyphens, at most 64";
                self.refuse(field, ErrorCode::InvalidFormat, message);
            }
        }
        ext
    }
}

fn is_key(key: &str) -> bool {
    (1..=EXT_KEY_CHARS_MAX).contains(&key.len())
        && key.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b".-".contains(&b))
}
