//! Whatever converts is a file that KSeF takes: the check finds everything the file would be refused for.

#![cfg(test)]

mod support;

use std::sync::LazyLock;

use einvoice_gobl::harness::golden::{Case, Suite};
use einvoice_gobl::harness::proptest::prelude::*;
use einvoice_plugin::{Authority, harness};
use pl_favat::PlFavat;
use serde_json::{Value, json};

/// What stands at a limit of a type, or means something to KSeF.
const WORDS: [&str; 48] = [
    "",
    " ",
    "  a  b ",
    "<&>\"'",
    "Żółć\u{85}",
    "\u{7f}",
    "\u{fdd0}",
    "\u{1ffff}",
    "\u{ffff}",
    "0",
    "-1",
    "0.004",
    "-0.004",
    "1.5",
    "9999999999999999",
    "123456789012345678",
    "99999999999999.99",
    "0.00000001",
    "0.000000001",
    "0.000001",
    "0.0000001",
    "PL",
    "EL",
    "GB",
    "XI",
    "9876543210",
    "1002223334",
    "094259216",
    "5265877635-20250826-0100001AF629-AF",
    "5265877635-20250826-0100001AF629-AE",
    "2006-01-01",
    "2005-12-31",
    "2016-06-30",
    "2016-07-01",
    "2050-01-01",
    "2050-01-02",
    "2026-11-01",
    "KOR_ZAL",
    "UPR",
    "ZAL",
    "credit_note",
    "simplified_invoice",
    "exempt",
    "23",
    "8.0",
    "4",
    "a@b.pl",
    "9876543210-12345",
];

fn value() -> impl Strategy<Value = Value> {
    let lengths = vec![50, 51, 256, 257, 512, 513, 3500, 3501];
    prop_oneof![
        6 => prop::sample::select(WORDS.to_vec()).prop_map(|word| json!(word)),
        2 => prop::sample::select(lengths).prop_map(|length| json!("ż".repeat(length))),
        1 => Just(json!([])),
        1 => Just(Value::Null),
    ]
}

/// The golden cases, with more in them than most need.
static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let mut cases = suite().cases().unwrap();
    for case in cases.iter_mut().step_by(2) {
        case.document["notes"] = json!("Dziękujemy.");
        case.document["operation_date"] = json!("2026-11-18");
        case.document["payment"] = json!({"due_date": "2026-12-04", "note": "14 dni"});
        if case.document["recipient"].is_object() {
            case.document["recipient"]["email"] = json!("klient@example.pl");
        }
    }
    cases
});

fn suite() -> Suite<PlFavat> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/pl-favat");
    Suite::new(folder, support::context)
}

/// The pointers of everything in a document.
fn pointers(value: &Value, at: &str, found: &mut Vec<String>) {
    let mut below = |member: &str, value: &Value| {
        found.push(format!("{at}/{member}"));
        pointers(value, &format!("{at}/{member}"), found);
    };
    match value {
        Value::Object(members) => members.iter().for_each(|(member, value)| below(member, value)),
        Value::Array(items) => items.iter().enumerate().for_each(|(i, value)| below(&i.to_string(), value)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_converts_is_taken(
        case in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), value()), 1..=2),
    ) {
        let case = case.get(&CASES);
        let mut document = case.document.clone();
        for (at, value) in changes {
            let mut found = Vec::new();
            pointers(&document, "", &mut found);
            *document.pointer_mut(at.get::<String>(&found)).unwrap() = value;
        }
        let changed = Case { name: case.name.clone(), document, context: case.context.clone() };
        if let Ok(Ok((document, _))) = suite().converted(&changed) {
            let outcome = PlFavat::submit(&harness::submission(&document.to_string(), &case.context.now));
            let outcome = outcome.unwrap();
            prop_assert!(outcome.accepted, "{}: {:?}", changed.document, outcome.faults);
        }
    }
}
