//! What a document may say beyond what every tax system asks for: terms of payment, periods, a system's own members.

use super::{Check, TEXT_CHARS_MAX, date};
use gateway_domain::ErrorCode;
use gateway_domain::invoicing::{Ext, Payment, Period};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, Schema, SchemaType, Type};

/// Most entries of one `ext`.
const EXT_MAX: usize = 20;
/// Longest key of an `ext`, characters.
const EXT_KEY_CHARS_MAX: usize = 64;

/// Members of a tax system as sent.
pub type ExtForm = BTreeMap<String, String>;

/// Terms of payment as sent.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PaymentForm {
    /// The last day.
    #[schema(format = Date, examples("2026-12-20"))]
    pub due_date: Option<String>,
    /// For the one who pays.
    #[schema(max_length = 500, pattern = r"^[^\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]*$")]
    pub note: Option<String>,
}

/// The days a line bills, both ends included.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PeriodForm {
    /// The first day.
    #[schema(value_type = String, required = true, format = Date, examples("2026-11-01"))]
    pub start: Option<String>,
    /// The last day; never before the first.
    #[schema(value_type = String, required = true, format = Date, examples("2026-11-30"))]
    pub end: Option<String>,
}

/// How [`ExtForm`] is described: its keys and values are bounded.
pub(super) fn schema() -> Schema {
    let key = ObjectBuilder::new().schema_type(Type::String).pattern(Some(r"^[a-z0-9.-]{1,64}$"));
    let value = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(TEXT_CHARS_MAX))
        .pattern(Some(r"^[^\u0000-\u001F\u007F-\u009F]*$"));
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::Object, Type::Null]))
        .description(Some(
            "What the workspace's tax system wants to know besides; its plugin lists the keys.",
        ))
        .max_properties(Some(EXT_MAX))
        .property_names(Some(key))
        .additional_properties(Some(value))
        .into()
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
