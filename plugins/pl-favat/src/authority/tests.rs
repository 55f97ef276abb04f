//! What KSeF answers, and the file it is sent.

use super::*;
use crate::PREFIX;
use einvoice_plugin::{Context, Country, Supplier, Verdict, harness};
use serde_json::{Value, json};
use std::collections::BTreeSet;

const NOW: &str = "2026-11-20T09:30:00+01:00";
const RIGHT_NUMBER: &str = "5265877635-20250826-0100001AF629-AF";

fn context() -> Context {
    let text = |text: &str| Some(text.to_owned());
    let address = einvoice_plugin::Address {
        street: text("ul. Główna 1"),
        locality: text("Warszawa"),
        region: None,
        postcode: text("00-001"),
        country: text("PL"),
    };
    let supplier = Supplier {
        legal_name: "Testowa Firma Sp. z o.o.".to_owned(),
        tax_id: "9876543210".to_owned(),
        country: "PL".to_owned(),
        address: Some(address),
        email: None,
        ext: Vec::new(),
    };
    Context { supplier, ..harness::context() }
}

/// A sound document with changed members, as the plugin makes it.
fn document(changes: &Value) -> Value {
    let mut written = json!({
        "number": "F-1", "issue_date": "2026-11-20", "currency": "PLN",
        "recipient": {"type": "company", "name": "Klient", "tax_number": "9876543210", "country": "PL"},
        "lines": [{"description": "Nocleg", "quantity": "2", "unit_price": "100.00",
                   "tax": {"category": "VAT", "rate": "8.0"}}]
    });
    for (member, value) in changes.as_object().unwrap() {
        written[member] = value.clone();
    }
    let invoice = harness::invoice(&written).unwrap();
    let converted = PlFavat::convert(&invoice, &context()).unwrap_or_else(|faults| panic!("{faults:?}"));
    serde_json::from_str(&converted.body).unwrap()
}

fn credit_note() -> Value {
    document(&json!({
        "document_type": "credit_note",
        "preceding": [{"number": "F-0", "issue_date": "2026-11-18", "reason": "Zwrot",
                       "stamps": [{"provider": STAMP_NUMBER, "value": RIGHT_NUMBER}]}]
    }))
}

/// The document with other members, by JSON Pointer.
fn changed(mut document: Value, changes: &[(&str, Value)]) -> String {
    for (pointer, value) in changes {
        let (parent, member) = pointer.rsplit_once('/').unwrap();
        document.pointer_mut(parent).unwrap()[member] = value.clone();
    }
    document.to_string()
}

fn submitted(document: &str) -> Outcome {
    PlFavat::submit(&harness::submission(document, NOW)).unwrap()
}

fn codes_of(outcome: &Outcome) -> Vec<&str> {
    outcome.faults.iter().filter_map(|fault| fault.code.as_deref()).collect()
}

/// What stands in an element of the file, where it stands first.
fn text_of<'a>(xml: &'a str, element: &str) -> &'a str {
    let (_, after) =
        xml.split_once(&format!("<{element}>")).unwrap_or_else(|| panic!("no {element} in {xml}"));
    after.split_once('<').unwrap().0
}

#[test]
#[expect(clippy::too_many_lines, reason = "one row for each rule")]
fn every_broken_document_is_refused_by_ksefs_own_code_where_it_is_broken() {
    let long = "x".repeat(600);
    let (invoice, credit) = (document(&json!({})), credit_note());
    let exempt = document(&json!({"lines": [
        {"description": "Nocleg", "quantity": "1", "unit_price": "1.00", "tax": {"category": "VAT", "exemption": "exempt"}}
    ]}));
    let rows: Vec<Value> = (1..=6_000)
        .map(|i| {
            let mut row = invoice["lines"][0].clone();
            row["i"] = json!(i);
            row
        })
        .collect();
    let account = json!({"key": "credit-transfer", "ext": {"pl-favat-payment-means": "6"},
                         "credit_transfer": [{"iban": "PL1", "bic": "WBKPPLPP"}]});
    let table: &[(&Value, &str, Value, &str, &str)] = &[
        (&invoice, "/tax/ext/pl-favat-self-billing", json!("1"), "410", "Fa/Adnotacje/P_17"),
        (&invoice, "/attachments", json!([{"name": "x"}]), "415", "Zalacznik"),
        (&invoice, "/lines", json!(rows), "430", ""),
        (&invoice, "/supplier/tax_id/code", json!("9876543211"), "450", "Podmiot1/DaneIdentyfikacyjne/NIP"),
        (&invoice, "/supplier/name", json!(" "), "450", "Podmiot1/DaneIdentyfikacyjne/Nazwa"),
        (&invoice, "/supplier/addresses", json!([]), "450", "Podmiot1/Adres"),
        (&invoice, "/supplier/addresses/0/country", json!("EL"), "450", "Podmiot1/Adres/KodKraju"),
        (&invoice, "/supplier/addresses/0/street", json!(long), "450", "Podmiot1/Adres/AdresL1"),
        (&invoice, "/supplier/emails", json!([{"addr": "x"}]), "450", "Podmiot1/DaneKontaktowe/Email"),
        (&invoice, "/customer/name", json!(long), "450", "Podmiot2/DaneIdentyfikacyjne/Nazwa"),
        (&invoice, "/customer/name", json!("\u{fdd0}"), "450", "Podmiot2/DaneIdentyfikacyjne/Nazwa"),
        (&invoice, "/customer/tax_id/code", json!("1"), "450", "Podmiot2/DaneIdentyfikacyjne/NIP"),
        (
            &invoice,
            "/customer/tax_id",
            json!({"country": "GB", "code": long}),
            "450",
            "Podmiot2/DaneIdentyfikacyjne/NrID",
        ),
        (&invoice, "/customer/ext", json!({"pl-favat-jst": "3"}), "450", "Podmiot2/JST"),
        (&invoice, "/currency", json!("zł"), "450", "Fa/KodWaluty"),
        (&invoice, "/issue_date", json!("2026-11-21"), "450", "Fa/P_1"),
        (&invoice, "/issue_date", json!("2005-12-31"), "450", "Fa/P_1"),
        (&invoice, "/code", json!(long), "450", "Fa/P_2"),
        (&invoice, "/op_date", json!("2050-02-01"), "450", "Fa/P_6"),
        (&invoice, "/totals/payable", json!("12345678901234567"), "450", "Fa/P_15"),
        (&exempt, "/notes", json!([]), "450", "Fa/Adnotacje/Zwolnienie/P_19A"),
        (&invoice, "/tax/ext/pl-favat-invoice-type", json!("FS"), "450", "Fa/RodzajFaktury"),
        (&invoice, "/tax/ext/pl-favat-invoice-type", json!("KOR"), "450", "Fa/RodzajFaktury"),
        (&credit, "/tax/ext/pl-favat-invoice-type", json!("VAT"), "450", "Fa/RodzajFaktury"),
        (&credit, "/preceding/0/reason", json!(long), "450", "Fa/PrzyczynaKorekty"),
        (&credit, "/preceding/0/ext", json!({"pl-favat-effective-date": "4"}), "450", "Fa/TypKorekty"),
        (
            &credit,
            "/preceding/0/issue_date",
            json!(null),
            "450",
            "Fa/DaneFaKorygowanej[1]/DataWystFaKorygowanej",
        ),
        (
            &credit,
            "/preceding/0/stamps/0/val",
            json!("5265877635-20250826-0100001AF629-AE"),
            "450",
            "Fa/DaneFaKorygowanej[1]/NrKSeFFaKorygowanej",
        ),
        (&invoice, "/lines/0/i", json!(0), "450", "Fa/FaWiersz[1]/NrWierszaFa"),
        (&invoice, "/lines/0/item/name", json!(""), "450", "Fa/FaWiersz[1]/P_7"),
        (&invoice, "/lines/0/quantity", json!("0.1234567"), "450", "Fa/FaWiersz[1]/P_8B"),
        (&invoice, "/lines/0/item/price", json!("0.123456789"), "450", "Fa/FaWiersz[1]/P_9A"),
        (&invoice, "/lines/0/taxes/0/percent", json!("6.0%"), "450", "Fa/FaWiersz[1]/P_12"),
        (
            &invoice,
            "/payment",
            json!({"terms": {"due_dates": [{"date": "2016-06-30"}]}}),
            "450",
            "Fa/Platnosc/TerminPlatnosci[1]/Termin",
        ),
        (
            &invoice,
            "/payment",
            json!({"instructions": account}),
            "450",
            "Fa/Platnosc/RachunekBankowy[1]/NrRB",
        ),
        (
            &invoice,
            "/notes",
            json!([{"key": "general", "text": "x".repeat(3501)}]),
            "450",
            "Stopka/Informacje[1]/StopkaFaktury",
        ),
    ];
    let covered: BTreeSet<_> = table.iter().map(|(.., code, _)| *code).collect();
    assert_eq!(covered, BTreeSet::from([codes::RIGHTS, codes::ATTACHMENT, codes::FILE, codes::CONTENT]));
    for (document, pointer, value, code, path) in table {
        let outcome = submitted(&changed((*document).clone(), &[(pointer, value.clone())]));
        let found: Vec<_> =
            outcome.faults.iter().map(|fault| (fault.code.as_deref(), fault.paths.join(" "))).collect();
        assert_eq!(found, [(Some(*code), (*path).to_owned())], "{pointer}");
        let message = outcome.faults[0].message.as_deref().unwrap();
        assert!(message.ends_with('.') && message.contains("; "), "{message}");
        assert!(!outcome.accepted && outcome.stamps.is_empty() && outcome.payload.is_some(), "{pointer}");
    }
}

/// KSeF lists what its schema finds (`details` of the status); what stands behind that check is not looked at.
#[test]
fn everything_that_is_wrong_with_the_structure_is_listed() {
    let changes = [
        ("/supplier/name", json!(" ")),
        ("/lines/0/item/name", json!("")),
        ("/issue_date", json!("2026-11-21")),
    ];
    let outcome = submitted(&changed(document(&json!({})), &changes));
    assert_eq!(codes_of(&outcome), [codes::CONTENT, codes::CONTENT]);
    let paths: Vec<_> = outcome.faults.iter().map(|fault| fault.paths.join(" ")).collect();
    assert_eq!(paths, ["Podmiot1/DaneIdentyfikacyjne/Nazwa", "Fa/FaWiersz[1]/P_7"]);
}

#[test]
fn every_code_is_answered_where_a_tester_asks_for_it() {
    let json = document(&json!({})).to_string();
    for code in codes::all() {
        let forced = Submission { forced_code: Some(code.to_owned()), ..harness::submission(&json, NOW) };
        let outcome = PlFavat::submit(&forced).unwrap();
        let numbered = code == "200";
        assert_eq!(codes_of(&outcome), [code]);
        assert_eq!(
            (outcome.accepted, outcome.stamps.len()),
            (numbered, if numbered { 3 } else { 0 }),
            "{code}"
        );
        let report = einvoice_plugin::ProviderResult {
            succeeded: outcome.accepted,
            faults: outcome.faults,
            stamps: outcome.stamps,
            job: String::new(),
            entry: String::new(),
        };
        let verdict = PlFavat::interpret(&report).unwrap();
        let expected = match codes::effect(code) {
            Effect::Accepts => matches!(verdict, Verdict::Accepted(_)),
            Effect::Pends => matches!(verdict, Verdict::Undecided(_)),
            Effect::Refuses => matches!(verdict, Verdict::Rejected(_)),
        };
        assert!(expected, "{code}: {verdict:?}");
    }
}

#[test]
fn a_number_belongs_to_one_document_of_a_seller_and_a_type() {
    let first = harness::submission(&document(&json!({})).to_string(), NOW);
    let filed = PlFavat::submit(&first).unwrap();
    let again = Submission {
        registered: filed.record.clone(),
        now: "2026-11-21T10:00:00+01:00".to_owned(),
        ..first.clone()
    };
    assert_eq!(PlFavat::submit(&again).unwrap(), filed, "the same file, sent again");
    let other = document(&json!({"notes": "x"})).to_string();
    let other = Submission { document: other, registered: filed.record, ..first };
    assert_eq!(codes_of(&PlFavat::submit(&other).unwrap()), ["440"]);
    let key = |document: Value| PlFavat::file(&document.to_string()).unwrap().record_key;
    assert_eq!(key(document(&json!({}))), "9876543210|VAT|F-1");
    assert_eq!(key(credit_note()), "9876543210|KOR|F-1");
}

#[test]
fn the_stamps_name_the_very_file() {
    let outcome = submitted(&document(&json!({})).to_string());
    let file = outcome.payload.unwrap();
    let digest: [u8; 32] = sha2::Digest::finalize(sha2::Digest::chain_update(
        <sha2::Sha256 as sha2::Digest>::new(),
        file.as_bytes(),
    ))
    .into();
    let address = invoice_address(Environment::Test, "9876543210", "2026-11-20".parse().unwrap(), &digest);
    let stamp = |provider: &str| {
        outcome.stamps.iter().find(|stamp| stamp.provider == provider).unwrap().value.clone()
    };
    assert_eq!(stamp(STAMP_QR), address);
    assert!(crate::ksef_number::is_ksef_number(&stamp(STAMP_NUMBER)), "{}", stamp(STAMP_NUMBER));
    assert!(stamp(STAMP_NUMBER).starts_with("9876543210-20261120-"));
    assert_eq!(stamp(STAMP_DATE), NOW);
}

#[test]
fn a_credit_note_is_a_difference_below_nought() {
    let file = submitted(&credit_note().to_string()).payload.unwrap();
    let texts = ["P_13_2", "P_14_2", "P_15", "P_8B", "P_9A", "P_11", "PrzyczynaKorekty"];
    assert_eq!(
        texts.map(|element| text_of(&file, element)),
        ["-200.00", "-16.00", "-216.00", "-2", "100.00", "-200.00", "Zwrot"]
    );
    assert_eq!(text_of(&file, "NrKSeFFaKorygowanej"), RIGHT_NUMBER);
}

#[test]
fn another_currency_states_its_tax_in_zloty() {
    let rates = json!([{"from": "EUR", "to": "PLN", "amount": "4.2512"}]);
    let document = changed(document(&json!({})), &[("/currency", json!("EUR")), ("/exchange_rates", rates)]);
    let file = submitted(&document).payload.unwrap();
    assert_eq!(
        ["KodWaluty", "P_14_2", "P_14_2W", "P_15", "KursWaluty"].map(|element| text_of(&file, element)),
        ["EUR", "16.00", "68.02", "216.00", "4.2512"]
    );
}

#[test]
fn a_correction_of_a_simplified_invoice_names_whoever_it_is_for_now() {
    let simplified =
        json!([{"document_type": "simplified_invoice", "number": "S-1", "issue_date": "2026-11-18"}]);
    let kind = json!("credit_note");
    let to_nobody =
        document(&json!({"document_type": kind, "preceding": simplified, "recipient": null})).to_string();
    let file = submitted(&to_nobody).payload.unwrap();
    assert_eq!(
        ["BrakID", "RodzajFaktury", "NrFaKorygowanej"].map(|it| text_of(&file, it)),
        ["1", "KOR", "S-1"]
    );
    assert!(!file.contains("Podmiot2K") && !file.contains("IDNabywcy"));
    let to_somebody = document(&json!({"document_type": kind, "preceding": simplified})).to_string();
    let file = submitted(&to_somebody).payload.unwrap();
    assert_eq!(file.matches("<IDNabywcy>0001</IDNabywcy>").count(), 2);
    let (_, before) = file.split_once("<Podmiot2K>").unwrap();
    assert_eq!(text_of(before, "BrakID"), "1");
}

#[test]
fn the_day_of_supply_is_stated_where_it_is_not_the_day_of_issue() {
    let line = |end: Option<&str>| {
        json!({"description": "Nocleg", "quantity": "1", "unit_price": "1.00", "tax": {"category": "VAT", "rate": "8.0"},
               "period": end.map(|end| json!({"start": "2026-11-17", "end": end}))})
    };
    let days = |changes: Value| {
        let file = submitted(&document(&changes).to_string()).payload.unwrap();
        let days = file.lines().filter_map(|line| line.trim().strip_prefix("<P_6"));
        days.map(|day| day.split('<').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let (early, late, same) = (line(Some("2026-11-18")), line(Some("2026-11-19")), line(Some("2026-11-20")));
    assert_eq!(days(json!({})), Vec::<String>::new());
    assert_eq!(days(json!({"operation_date": "2026-11-18"})), [">2026-11-18"]);
    assert_eq!(days(json!({"operation_date": "2026-11-20", "lines": [early]})), Vec::<String>::new());
    assert_eq!(days(json!({"lines": [early, early]})), [">2026-11-18"]);
    assert_eq!(days(json!({"lines": [early, late, same, line(None)]})), ["A>2026-11-18", "A>2026-11-19"]);
    assert_eq!(days(json!({"lines": [same]})), Vec::<String>::new());
    assert_eq!(days(json!({"lines": [early], "ext": {"doc-type": "ZAL"}})), Vec::<String>::new());
}

#[test]
fn a_recipient_is_known_by_one_number() {
    let numbers = |recipient: Value| {
        let file = submitted(&document(&json!({"recipient": recipient})).to_string()).payload.unwrap();
        let (_, after) = file.split_once("<Podmiot2>").unwrap();
        let (own, _) = after.split_once("<Nazwa>").unwrap();
        let elements = own.lines().map(str::trim).filter(|line| line.ends_with('>') && line.contains("</"));
        elements.map(str::to_owned).collect::<Vec<_>>().join(" ")
    };
    let company = |number: &str, country: &str| json!({"type": "company", "name": "Klient", "tax_number": number, "country": country});
    assert_eq!(numbers(company("9876543210", "PL")), "<NIP>9876543210</NIP>");
    assert_eq!(numbers(company("094259216", "GR")), "<KodUE>EL</KodUE> <NrVatUE>094259216</NrVatUE>");
    assert_eq!(numbers(company("980780684", "GB")), "<KodKraju>GB</KodKraju> <NrID>980780684</NrID>");
    // More than a European number has.
    assert_eq!(numbers(company("1234567890123", "CZ")), "<KodKraju>CZ</KodKraju> <NrID>1234567890123</NrID>");
    let passport = json!({"type": "passport", "number": "123456789", "country": "GB"});
    let person = json!({"type": "individual", "name": "Jane", "identity_document": passport});
    assert_eq!(numbers(person), "<BrakID>1</BrakID>");
}

#[test]
fn what_cannot_be_read_is_a_fault() {
    for json in ["", "{}", "[]", r#"{"code":"F-1"}"#, r#"{"code":"F-1","issue_date":"2026-11-20"}"#] {
        assert_eq!(PlFavat::file(json).unwrap_err()[0].code, format!("{PREFIX}-SANDBOX-01"), "{json}");
    }
    let registered = Some("{}".to_owned());
    let submission = harness::submission(&document(&json!({})).to_string(), NOW);
    assert!(PlFavat::submit(&Submission { registered, ..submission }).is_err());
}
