//! What a treasury remembers of an invoice.

use einvoice_es::date::Date;
use serde::{Deserialize, Serialize};

use super::filed_document::FiledDocument;

/// An invoice that was taken: what the next one in the chain says of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct StoredRecord {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) series: Option<String>,
    pub(super) number: String,
    /// `DD-MM-YYYY`.
    pub(super) date: String,
    /// The first hundred characters of its signature's value.
    pub(super) signature: String,
}

impl StoredRecord {
    pub(super) fn of(filed: &FiledDocument, signature: String) -> Self {
        Self {
            series: filed.series().map(str::to_owned),
            number: filed.number().to_owned(),
            date: filed.names.day.agency(),
            signature,
        }
    }

    /// Whether it was issued after that day.
    pub(super) fn is_after(&self, day: Date) -> bool {
        let mut parts = self.date.split('-');
        let (Some(own_day), Some(month), Some(year)) = (parts.next(), parts.next(), parts.next()) else {
            return false;
        };
        format!("{year}-{month}-{own_day}").parse::<Date>().is_ok_and(|own| own > day)
    }
}
