//! Documents with one thing wrong, and the codes that say so.

use std::ops::RangeInclusive;

use einvoice_gobl::harness::invoice;
use einvoice_plugin::{Context, Country, Ext, Invoice};
use serde_json::{Value, json};

/// What makes a sound document, or what surrounds it, faulty.
pub type Change = fn(&mut Invoice, &mut Context);

/// Code and path of what a plugin finds in a changed document. The error shows what is found but no error, or does not
/// say what to do.
pub fn found<C: Country>(
    document: &Value,
    mut context: Context,
    change: Change,
) -> Result<Vec<(String, String)>, String> {
    let mut invoice = invoice(document)?;
    change(&mut invoice, &mut context);
    let found = C::check(&invoice, &context);
    if found.iter().all(|fault| fault.is_error() && fault.message.contains(';')) {
        Ok(found.into_iter().map(|fault| (fault.code, fault.path)).collect())
    } else {
        Err(format!("{found:?}"))
    }
}

/// A sound document, for changes.
pub fn sound_document() -> Value {
    json!({
        "number": "F-2026-000001", "issue_date": "2026-11-20", "notes": "Stay", "prices_include_tax": true,
        "recipient": {"type": "individual", "name": "Jane Roe",
                      "identity_document": {"type": "passport", "number": "123456789", "country": "GB"}},
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "121.00",
                   "tax": {"category": "VAT", "rate": "21.0"}}]
    })
}

/// One member of `ext`.
pub fn ext_of(key: &str, value: &str) -> Vec<Ext> {
    vec![Ext { key: key.to_owned(), value: value.to_owned() }]
}

/// The codes in `all` behind the `last` shared one that no case tests.
pub fn untested<'a>(all: &[&'a str], last: &str, cases: &[(Change, &str, &str)]) -> Vec<&'a str> {
    let own = all.iter().skip_while(|code| **code != last).skip(1);
    own.filter(|code| cases.iter().all(|(_, tested, _)| tested != *code)).copied().collect()
}

/// The codes of a plugin, pinned: those all Spanish systems have, then its `own`. Both lists only grow.
pub fn expected_codes(prefix: &str, own: &[(&str, RangeInclusive<u8>)]) -> Vec<String> {
    let shared = SHARED_CODES.iter().map(|(group, count)| (*group, 1..=*count));
    let groups = shared.chain(own.iter().cloned());
    groups.flat_map(|(group, numbers)| numbers.map(move |n| format!("{prefix}-{group}-{n:02}"))).collect()
}

/// How many codes each group has in every Spanish system.
const SHARED_CODES: &[(&str, u8)] = &[
    ("KIND", 1),
    ("DOC-TYPE", 1),
    ("UUID", 1),
    ("SETTINGS", 1),
    ("NUMBER", 3),
    ("DATE", 9),
    ("CURRENCY", 1),
    ("SUPPLIER", 6),
    ("RECIPIENT", 5),
    ("IDENTITY", 7),
    ("NIF", 2),
    ("PRECEDING", 10),
    ("LINE", 3),
    ("FIGURE", 1),
    ("TAX", 10),
    ("RETENTION", 3),
    ("TOTALS", 4),
    ("NOTES", 1),
    ("EXT", 3),
    ("SANDBOX", 1),
];
