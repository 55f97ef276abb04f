//! The agency's own list: the question, what its answer lists, and answers that nobody sane would send.
//!
//! With `AEAT_XSD`, a folder with the agency's schemas, and `xmllint` questions and answers are checked against them too;
//! `AEAT_XSD_REQUIRED=1` makes it an error when that cannot be done.

#![cfg(test)]

use std::path::{Path, PathBuf};
use std::process::Command;

use einvoice_plugin::{
    Amount, Authority, Context, FiledRecord, ListedRecord, ListingAnswer, ListingMethod, ListingPage,
    ListingPeriod, ListingProblem, ListingQuery, ListingQuestion, ListingRequest, Reconcile, RecordState,
    SandboxListing, Submission, Supplier,
};
use es_verifactu::EsVerifactu;
use proptest::prelude::*;
use serde_json::{Value, json};

const NIF: &str = "B98602642";

fn converted(case: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/es-verifactu/expected");
    serde_json::from_str(&std::fs::read_to_string(folder.join(format!("{case}.json"))).unwrap()).unwrap()
}

/// A document under another number and day, by the supplier that asks.
fn numbered(case: &str, number: &str, day: &str) -> Value {
    let mut document = converted(case);
    document["series"] = Value::Null;
    document["code"] = json!(number);
    document["issue_date"] = json!(day);
    document["supplier"]["tax_id"]["code"] = json!(NIF);
    document
}

/// A document that the agency accepted, perhaps with the code of a remark.
fn filed(document: &Value, remark: Option<&str>) -> FiledRecord {
    let document = document.to_string();
    let submission = Submission {
        document: document.clone(),
        now: "2026-11-30T09:30:00+01:00".to_owned(),
        previous: None,
        registered: None,
        amends: None,
        forced_code: remark.map(str::to_owned),
    };
    let outcome = EsVerifactu::submit(&submission).unwrap();
    assert!(outcome.accepted, "{:?}", outcome.faults);
    FiledRecord { document, record: outcome.record.unwrap() }
}

fn context() -> Context {
    let supplier = Supplier {
        legal_name: "Provide One S.L. & Sons".to_owned(),
        tax_id: format!("ES-{NIF}"),
        country: "ES".to_owned(),
        address: None,
        email: None,
        ext: Vec::new(),
    };
    Context {
        today: "2026-11-30".to_owned(),
        now: "2026-11-30T09:30:00+01:00".to_owned(),
        settings: "{}".to_owned(),
        supplier,
        company_id: String::new(),
        ext: Vec::new(),
    }
}

fn query(after: Option<&str>) -> ListingQuery {
    let period = ListingPeriod { from: "2026-11-01".to_owned(), until: "2026-11-30".to_owned() };
    ListingQuery { period, after: after.map(str::to_owned) }
}

fn question(after: Option<&str>) -> ListingRequest {
    EsVerifactu::question(&query(after), &context()).unwrap()
}

fn read(status: u16, body: &[u8]) -> Result<ListingPage, ListingProblem> {
    EsVerifactu::read_answer(&query(None), &context(), &ListingAnswer { status, body: body.to_vec() })
}

/// Every page of the stand-in's list: how many, and what they list.
fn walked(filed: &[FiledRecord]) -> (usize, Vec<ListedRecord>) {
    let (mut pages, mut records, mut after) = (0, Vec::new(), None);
    loop {
        let page_query = query(after.as_deref());
        let request = EsVerifactu::question(&page_query, &context()).unwrap();
        let body =
            EsVerifactu::listing(&ListingQuestion { target: request.target, body: request.body }, filed);
        let answer = ListingAnswer { status: 200, body };
        let page = EsVerifactu::read_answer(&page_query, &context(), &answer).unwrap();
        records.extend(page.records);
        pages += 1;
        match page.next {
            Some(next) => assert_ne!(after.replace(next.clone()), Some(next)),
            None => return (pages, records),
        }
    }
}

#[test]
fn the_question_is_soap_by_post_for_one_month_and_some_days() {
    let request = question(Some("1"));
    assert_eq!((request.method, request.target.as_str()), (ListingMethod::Post, ""));
    assert_eq!(request.content_type.as_deref(), Some("text/xml; charset=utf-8"));
    let body = String::from_utf8(request.body).unwrap();
    for part in [
        "<sum:NombreRazon>Provide One S.L. &amp; Sons</sum:NombreRazon>",
        "<sum:NIF>B98602642</sum:NIF>",
        "<sum:Ejercicio>2026</sum:Ejercicio>",
        "<sum:Periodo>11</sum:Periodo>",
        "<sum:Desde>01-11-2026</sum:Desde>",
        "<sum:Hasta>10-11-2026</sum:Hasta>",
    ] {
        assert!(body.contains(part), "{part}: {body}");
    }
    assert!(!body.contains("ClavePaginacion"), "{body}");
    let body = String::from_utf8(question(Some("2|12-11-2026|F-2026-000017")).body).unwrap();
    assert!(body.contains("<sum:NumSerieFactura>F-2026-000017</sum:NumSerieFactura>"), "{body}");
    assert!(body.contains("<sum:FechaExpedicionFactura>12-11-2026</sum:FechaExpedicionFactura>"), "{body}");
}

#[test]
fn who_has_no_nif_or_a_cursor_of_somebody_else_asks_nothing() {
    let mut stranger = context();
    stranger.supplier.tax_id = "12".to_owned();
    assert!(EsVerifactu::question(&query(None), &stranger).is_err());
    for after in ["x", "999", "1|2"] {
        assert!(EsVerifactu::question(&query(Some(after)), &context()).is_err(), "{after}");
    }
}

#[test]
fn what_the_stand_in_accepted_is_listed_once_as_the_gateway_has_it() {
    let invoice = numbered("company_spanish", "F-1", "2026-11-05");
    let mut october = numbered("company_spanish", "F-2", "2026-11-06");
    october["op_date"] = json!("2026-10-31");
    let credit = numbered("credit_note", "R-1", "2026-11-30");
    let mut stranger = numbered("company_spanish", "X-1", "2026-11-05");
    stranger["supplier"]["tax_id"]["code"] = json!("A28015865");
    let records = [
        filed(&invoice, None),
        filed(&october, Some("2001")),
        filed(&credit, None),
        filed(&numbered("company_spanish", "F-0", "2026-10-31"), None),
        filed(&stranger, None),
    ];
    let (_, listed) = walked(&records);
    let identities: Vec<_> =
        listed.iter().map(|record| (record.number.as_str(), record.issue_date.as_str())).collect();
    assert_eq!(identities, [("F-2", "2026-11-06"), ("F-1", "2026-11-05"), ("R-1", "2026-11-30")]);
    assert_eq!(listed[0].state, RecordState::AcceptedWithErrors);
    let total = |document: &Value| -> Amount {
        document["totals"]["total_with_tax"].as_str().unwrap().parse().unwrap()
    };
    for (record, document) in [(&listed[1], &invoice), (&listed[2], &credit)] {
        assert_eq!(record.state, RecordState::Accepted);
        assert!(
            record.total.unwrap().same_value(total(document)),
            "what is credited is positive: {record:?}"
        );
    }
    let kept: Value = serde_json::from_str(&records[0].record).unwrap();
    assert_eq!(listed[1].fingerprint.as_deref(), kept["huella"].as_str());
}

#[test]
fn many_records_come_in_pages_and_none_is_lost_or_doubled() {
    let records: Vec<_> = (0..120)
        .map(|n| filed(&numbered("company_spanish", &format!("F-{n:03}"), "2026-11-15"), None))
        .collect();
    let (pages, listed) = walked(&records);
    let mut numbers: Vec<_> = listed.iter().map(|record| record.number.clone()).collect();
    numbers.dedup();
    assert_eq!((pages, numbers.len(), listed.len()), (6, 120, 120));
}

/// An answer with one record, of which a part is another.
fn answer(part: &str, other: &str) -> String {
    let records = [filed(&numbered("company_spanish", "F-1", "2026-11-05"), None)];
    let request = question(Some("1"));
    let body = EsVerifactu::listing(&ListingQuestion { target: String::new(), body: request.body }, &records);
    let text = String::from_utf8(body).unwrap();
    assert!(text.contains(part), "{part}: {text}");
    text.replace(part, other)
}

#[test]
fn states_are_read_as_either_schema_writes_them() {
    for (word, state) in [
        ("Correcta", RecordState::Accepted),
        ("AceptadaConErrores", RecordState::AcceptedWithErrors),
        ("AceptadoConErrores", RecordState::AcceptedWithErrors),
        ("Anulada", RecordState::Cancelled),
        ("Anulado", RecordState::Cancelled),
    ] {
        let page = read(200, answer(">Correcto<", &format!(">{word}<")).as_bytes()).unwrap();
        assert_eq!(page.records[0].state, state, "{word}");
    }
}

#[test]
fn an_answer_that_cannot_be_read_is_a_sentence_and_no_page() {
    for (body, words) in [
        (answer(">Correcto<", ">Perdido<"), "EstadoRegistro 'Perdido'"),
        (answer(">05-11-2026<", ">2026-11-05<"), "FechaExpedicionFactura"),
        (answer("<res:IndicadorPaginacion>N</res:IndicadorPaginacion>", ""), "lacks IndicadorPaginacion"),
        (
            answer(">N</res:IndicadorPaginacion>", ">S</res:IndicadorPaginacion>"),
            "lacks FechaExpedicionFactura",
        ),
        (answer("RespuestaConsultaFactu", "OtraRespuesta"), "no XML of its service"),
        ("<html><body>Mantenimiento</body></html>".to_owned(), "no XML of its service"),
        ("{}".to_owned(), "no XML of its service"),
        (String::new(), "no XML of its service"),
    ] {
        let problem = read(200, body.as_bytes()).unwrap_err();
        assert!(problem.message.contains(words) && !problem.temporary, "{words}: {problem:?}");
        assert!(problem.message.contains(';') && problem.message.ends_with('.'), "{problem:?}");
    }
    let problem = read(403, b"<html>Forbidden</html>").unwrap_err();
    assert!(problem.message.contains("status 403") && !problem.temporary, "{problem:?}");
    assert!(read(500, b"oops").unwrap_err().temporary);
}

#[test]
fn a_fault_is_told_in_the_agencys_words_and_one_of_the_server_may_pass() {
    let fault = |code: &str| {
        format!(
            "<env:Envelope xmlns:env=\"http://schemas.xmlsoap.org/soap/envelope/\"><env:Body><env:Fault>\
             <faultcode>{code}</faultcode><faultstring>Codigo[4104].El NIF no est\u{e1} identificado.</faultstring>\
             </env:Fault></env:Body></env:Envelope>"
        )
    };
    let refused = read(500, fault("env:Client").as_bytes()).unwrap_err();
    assert!(refused.message.contains("Codigo[4104].El NIF no est\u{e1} identificado.") && !refused.temporary);
    assert!(read(500, fault("env:Server").as_bytes()).unwrap_err().temporary);
    let question = ListingQuestion { target: String::new(), body: b"<a/>".to_vec() };
    let unread = read(200, &EsVerifactu::listing(&question, &[])).unwrap_err();
    assert!(unread.message.contains("Codigo[4102]"), "{unread:?}");
}

#[test]
fn entities_and_endless_nesting_are_no_reason_to_panic() {
    let bomb = "<?xml version=\"1.0\"?><!DOCTYPE a [<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;\">\
        <!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;\">]><a>&c;&c;&c;</a>";
    assert!(read(200, bomb.as_bytes()).is_err());
    let outside = "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>";
    assert!(read(200, outside.as_bytes()).is_err());
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    assert!(read(200, deep.as_bytes()).is_err());
    let wide = format!("<a>{}</a>", "<b/>".repeat(1_600_000));
    assert!(read(200, wide.as_bytes()).is_err());
    assert!(read(200, &[0xFF, 0xFE, b'<', 0]).is_err());
}

proptest! {
    #[test]
    fn whatever_comes_is_a_page_or_a_sentence(status in 100_u16..600, body in any::<Vec<u8>>(), text in ".{0,200}") {
        for body in [body, text.clone().into_bytes(), answer("F-1", &text.replace(['<', '&', '>'], "")).into_bytes()] {
            if let Err(problem) = read(status, &body) {
                prop_assert!(!problem.message.is_empty() && problem.message.chars().count() <= 1_000);
            }
        }
    }
}

/// A schema of everything that questions and answers are made of; none where it is missing, which is then told.
fn schema() -> Option<PathBuf> {
    let found = match std::env::var_os("AEAT_XSD") {
        None => Err("AEAT_XSD names no folder with the agency's schemas"),
        Some(folder) => match Command::new("xmllint").arg("--version").output() {
            Ok(_) => Ok(PathBuf::from(folder)),
            Err(_) => Err("xmllint is not installed"),
        },
    };
    let folder = match found {
        Ok(folder) => folder,
        Err(why) => {
            assert!(std::env::var_os("AEAT_XSD_REQUIRED").is_none(), "{why}");
            println!("{why}: the list was not checked against the schemas");
            return None;
        }
    };
    let agency = "https://www2.agenciatributaria.gob.es/static_files/common/internet/dep/aplicaciones/es/aeat/tike/cont/ws";
    let imports: Vec<_> = [
        ("http://www.w3.org/2000/09/xmldsig#".to_owned(), "xmldsig-core-schema.xsd"),
        ("http://schemas.xmlsoap.org/soap/envelope/".to_owned(), "soap-envelope.xsd"),
        (format!("{agency}/ConsultaLR.xsd"), "ConsultaLR.xsd"),
        (format!("{agency}/RespuestaConsultaLR.xsd"), "RespuestaConsultaLR.xsd"),
    ]
    .iter()
    .map(|(namespace, file)| {
        format!("<import namespace=\"{namespace}\" schemaLocation=\"{}\"/>", folder.join(file).display())
    })
    .collect();
    let schema = Path::new(env!("CARGO_TARGET_TMPDIR")).join("listing.xsd");
    let text = format!("<schema xmlns=\"http://www.w3.org/2001/XMLSchema\">{}</schema>", imports.concat());
    std::fs::write(&schema, text).unwrap();
    Some(schema)
}

/// What `xmllint` says of a document; nothing when it is valid. The envelope allows anything in its body, and checks what it knows.
fn complaints(schema: &Path, name: &str, document: &str) -> Option<String> {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("listing-{name}.xml"));
    std::fs::write(&file, document).unwrap();
    let checked =
        Command::new("xmllint").args(["--nonet", "--noout", "--schema"]).arg(schema).arg(file).output();
    let output = checked.unwrap();
    (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
}

#[test]
fn questions_and_answers_are_valid_against_the_agencys_schemas() {
    let Some(schema) = schema() else { return };
    let text = |body: Vec<u8>| String::from_utf8(body).unwrap();
    let first = text(question(None).body);
    let later = text(question(Some("2|12-11-2026|F-2026-000017")).body);
    let mut october = numbered("operation_date", "F-3", "2026-11-02");
    october["op_date"] = json!("2026-11-01");
    let mut records: Vec<_> = (0..51)
        .map(|n| filed(&numbered("company_spanish", &format!("F-{n:03}"), "2026-11-05"), None))
        .collect();
    records.push(filed(&october, Some("2001")));
    records.push(filed(&numbered("credit_note", "R-1", "2026-11-19"), None));
    let answered = |after: &str, records: &[FiledRecord]| {
        let body = question(Some(after)).body;
        text(EsVerifactu::listing(&ListingQuestion { target: String::new(), body }, records))
    };
    let page = answered("1", &records);
    let (rest, credit) = (answered("1|05-11-2026|F-048", &records), answered("2", &records));
    let nothing = answered("1", &[]);
    assert!(page.contains("<res:ClavePaginacion>") && credit.contains("R-1") && nothing.contains("SinDatos"));
    for (name, document) in [
        ("first", &first),
        ("later", &later),
        ("page", &page),
        ("rest", &rest),
        ("credit", &credit),
        ("nothing", &nothing),
    ] {
        assert_eq!(complaints(&schema, name, document), None, "{name}: {document}");
    }
    for (document, part, other) in [
        (&first, "sum:Periodo>", "sum:Mes>"),
        (&later, ">F-2026-000017<", "><"),
        (&page, ">Correcto<", ">Perdido<"),
        (&page, "res:IndicadorPaginacion>", "res:Pagina>"),
    ] {
        assert!(document.contains(part), "{part}");
        let wrong = document.replace(part, other);
        assert!(complaints(&schema, "wrong", &wrong).is_some(), "the schemas take {other} for {part}");
    }
}
