//! What a plugin's author types, offline.

use gateway_tests::{Engine, Gateway, Options, built_plugins};
use serde_json::{Value, json};
use std::path::Path;

fn golden() -> &'static str {
    concat!(env!("CARGO_MANIFEST_DIR"), "/golden/es-verifactu")
}

async fn cases(folder: &str) -> (i32, Value) {
    cases_of("es-verifactu", folder).await
}

async fn cases_of(key: &str, folder: &str) -> (i32, Value) {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let component = built_plugins().join(format!("{key}.wasm"));
    let ran =
        gateway.cli(&["plugin", "test", component.to_str().unwrap(), "--cases", folder, "--json"]).await;
    (
        ran.code,
        serde_json::from_str(ran.stdout.trim()).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr)),
    )
}

#[tokio::test]
async fn the_golden_cases_of_the_native_tests_pass_in_the_host() {
    let (code, report) = cases(golden()).await;
    assert_eq!((code, &report["failed"]), (0, &json!(0)), "{report}");
    assert!(report["passed"].as_u64().unwrap() > 50, "{report}");
    let first = &report["cases"][0];
    assert!(
        first["memory_bytes"].as_u64().unwrap() > 0 && first["duration_us"].as_u64().unwrap() > 0,
        "{first}"
    );
}

#[tokio::test]
async fn the_golden_cases_of_every_tax_system_pass_with_the_figures_of_the_gateway() {
    let golden = Path::new(golden()).parent().unwrap();
    let mut tried = 0;
    for folder in std::fs::read_dir(golden).unwrap().map(|folder| folder.unwrap().path()) {
        let key = folder.file_name().unwrap().to_str().unwrap();
        let (code, report) = cases_of(key, folder.to_str().unwrap()).await;
        let failed: Vec<_> =
            report["cases"].as_array().unwrap().iter().filter(|case| case["outcome"] == "failed").collect();
        assert_eq!((code, &report["failed"]), (0, &json!(0)), "{key}: {failed:?}");
        assert!(report["passed"].as_u64().unwrap() > 20, "{key}: {report}");
        tried += 1;
    }
    assert!(tried >= 10, "{tried} tax systems have golden cases");
}

#[tokio::test]
async fn a_case_that_differs_is_shown_by_its_place_and_fails() {
    let place = tempfile::tempdir().unwrap();
    let (from, name) = (Path::new(golden()), "supplier_minimal.json");
    for folder in ["cases", "expected"] {
        std::fs::create_dir(place.path().join(folder)).unwrap();
        std::fs::copy(from.join(folder).join(name), place.path().join(folder).join(name)).unwrap();
    }
    let expected = place.path().join("expected").join(name);
    let mut document: Value = serde_json::from_slice(&std::fs::read(&expected).unwrap()).unwrap();
    document["totals"]["payable"] = json!("0.01");
    std::fs::write(&expected, document.to_string()).unwrap();
    std::fs::write(place.path().join("expected/gone.json"), "{}").unwrap();

    let (code, report) = cases(place.path().to_str().unwrap()).await;

    assert_eq!((code, &report["failed"]), (1, &json!(2)), "{report}");
    let [difference] = &report["cases"][0]["differences"].as_array().unwrap()[..] else { panic!("{report}") };
    assert_eq!(
        (&difference["pointer"], &difference["expected"]),
        (&json!("/totals/payable"), &json!("0.01"))
    );
    assert!(report["cases"][1]["message"].as_str().unwrap().contains("no such case"), "{report}");
}

#[tokio::test]
async fn what_goes_over_the_wire_and_back_is_written_for_each_case_and_for_each_sample_of_the_component() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("records");
    let written = async |plugin: &str, more: &[&str]| {
        let component = built_plugins().join(plugin);
        let arguments =
            ["plugin", "test", component.to_str().unwrap(), "--payloads", target.to_str().unwrap()];
        gateway.cli(&[&arguments[..], more].concat()).await
    };
    // `<sample>.xml` is a record, `<sample>.<name>.xml` an answer to it.
    let files = |is_answer: bool| {
        let files = std::fs::read_dir(&target).unwrap().map(|file| file.unwrap().path());
        let files =
            files.filter(|file| file.file_stem().unwrap().to_str().unwrap().contains('.') == is_answer);
        files.map(|file| std::fs::read_to_string(file).unwrap()).collect::<Vec<_>>()
    };
    let records = || files(false);

    // Without a folder of cases: the samples that the component brings along.
    let ran = written("it-sdi.wasm", &[]).await;
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("the records of 3, as the authority takes it, to"), "{}", ran.stdout);
    assert_eq!(records().len(), 3);
    assert!(
        records().iter().all(|record| record.starts_with("<?xml") && record.contains("FatturaElettronica"))
    );
    assert_eq!(files(true).iter().filter(|answer| answer.contains("RicevutaConsegna")).count(), 3);

    let none = written("es-verifactu.wasm", &[]).await;
    assert_eq!((none.code, none.stderr.contains("--cases")), (1, true), "{}", none.stderr);

    let ran = written("es-verifactu.wasm", &["--cases", golden(), "--json"]).await;
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(ran.code, 0, "{report}");
    let written = report["payloads"].as_array().unwrap().len();
    assert!(written > 50, "{report}");
    assert_eq!(records().iter().filter(|record| record.contains("RegistroAlta")).count(), written);
}
