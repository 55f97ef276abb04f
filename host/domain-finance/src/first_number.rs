//! Where the numbers of a supplier go on that were filed before this gateway knew them.

use crate::ports::ListedEntry;
use gateway_domain::invoicing::{InvoiceNumber, NumberPattern};
use serde_json::Value;

/// The greatest number of a series that entries of the provider show for a supplier, with its position; none where they show
/// none.
pub fn last_filed(
    entries: &[ListedEntry],
    tax_id: &str,
    pattern: &NumberPattern,
    year: i16,
) -> Option<(i64, InvoiceNumber)> {
    let text = |document: &Value, pointer: &str| {
        document.pointer(pointer).and_then(Value::as_str).map(str::to_owned)
    };
    let filed = entries.iter().filter_map(|listed| listed.entry.as_ref()).filter_map(|entry| {
        let number = text(&entry.document, "/code").filter(|_| is_of_supplier(&entry.document, tax_id))?;
        Some((pattern.position(year, &number)?, InvoiceNumber(number)))
    });
    filed.max_by_key(|(position, _)| *position)
}

/// Whether an entry holds a document of this supplier, however the tax id is spelled.
pub fn is_of_supplier(document: &Value, tax_id: &str) -> bool {
    let theirs = document.pointer("/supplier/tax_id/code").and_then(Value::as_str).map(bare);
    theirs.is_some_and(|theirs| !theirs.is_empty() && bare(tax_id).ends_with(&theirs))
}

/// A tax id without what is written between its characters, in capitals.
fn bare(tax_id: &str) -> String {
    tax_id.chars().filter(char::is_ascii_alphanumeric).map(|sign| sign.to_ascii_uppercase()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::Entry;
    use jiff::Timestamp;
    use serde_json::json;
    use uuid::Uuid;

    fn listed(supplier: &str, number: &str) -> ListedEntry {
        let document = json!({"supplier": {"tax_id": {"code": supplier}}, "code": number});
        let entry = Entry {
            id: Uuid::nil(),
            key: None,
            document,
            signed: false,
            stamps: Vec::new(),
            faults: Vec::new(),
            files: Vec::new(),
            raw: String::new(),
        };
        ListedEntry {
            id: Uuid::nil(),
            created_at: Timestamp::UNIX_EPOCH,
            state: String::new(),
            entry: Some(entry),
        }
    }

    #[test]
    fn the_greatest_number_of_the_supplier_in_this_series_counts() {
        let entries = [
            listed("B98602642", "F-2026-000007"),
            listed("B98602642", "F-2026-000012"),
            listed("B98602642", "F-2025-000900"),
            listed("B98602642", "R-2026-000800"),
            listed("B17002288", "F-2026-000700"),
            listed("", "F-2026-000600"),
        ];
        let last = |tax_id| last_filed(&entries, tax_id, &NumberPattern::default_invoice(), 2026);
        assert_eq!(last("B98602642"), Some((12, InvoiceNumber("F-2026-000012".to_owned()))));
        assert_eq!(last("ES-B98602642"), last("B98602642"), "a prefix of the country is no other supplier");
        assert_eq!(last("B00000000"), None);
    }
}
