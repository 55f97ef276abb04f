//! Files that do not become plugins, and the sentence that says why.

use crate::components::{hostile_component, hostile_component_that_describes};
use crate::hosts::{host, options, patient};
use gateway_plugin_host::PluginHost;
use std::fmt::Write as _;

async fn refusal(host: &PluginHost, bytes: &[u8]) -> String {
    host.load_bytes("x.wasm", bytes.to_vec()).await.unwrap_err().to_string()
}

fn wasm(text: &str) -> Vec<u8> {
    wat::parse_str(text).unwrap()
}

#[tokio::test]
async fn what_is_no_component_is_refused_with_a_sentence() {
    let host = host();
    let sound = hostile_component();
    let mut garbled = sound.clone();
    garbled[40..80].fill(0xee);
    let cases: [(&str, Vec<u8>); 8] = [
        ("empty", Vec::new()),
        ("text", b"(component)".to_vec()),
        ("core module", wasm("(module)")),
        ("unknown header", b"\0asm\x02\0\x01\0".to_vec()),
        ("garbled", garbled),
        ("no exports", wasm("(component)")),
        (
            "other exports",
            wasm(r#"(component (instance $i) (export "acme:tax/regime@1.0.0" (instance $i)))"#),
        ),
        (
            "other major version",
            wasm(r#"(component (instance $i) (export "einvoicing:regime/regime@2.0.0" (instance $i)))"#),
        ),
    ];
    let mut sentences = String::new();
    for (case, bytes) in cases {
        let sentence = refusal(&host, &bytes).await;
        assert!(sentence.starts_with("the plugin x.wasm is refused: "), "{sentence}");
        writeln!(sentences, "{case}: {sentence}").unwrap();
    }
    for kept in [9, 100, sound.len() / 2, sound.len() - 1] {
        let sentence = refusal(&host, &sound[..kept]).await;
        assert!(sentence.contains("it is damaged"), "{kept}: {sentence}");
    }
    insta::assert_snapshot!(sentences);
}

#[tokio::test]
async fn imports_are_refused_by_name() {
    let host = host();
    let wants = wasm(
        r#"(component
            (import "wasi:http/outgoing-handler@0.2.6" (instance (export "handle" (func))))
            (import "wasi:cli/environment@0.3.0" (instance (export "f" (func))))
            (import "wasi:cli/environment@0.2.6" (instance (export "f" (func))))
            (import "types-only:are/fine@1.0.0" (instance (type $u u8) (export "t" (type (eq $u)))))
            (import "secrets" (func)))"#,
    );
    let sentence = refusal(&host, &wants).await;
    let imports = "'wasi:http/outgoing-handler@0.2.6', 'wasi:cli/environment@0.3.0', 'secrets'";
    assert!(sentence.contains(&format!("it imports {imports}, but")), "{sentence}");
    assert!(sentence.ends_with(&format!("or against WASI 0.2 without {imports}")), "{sentence}");
}

#[tokio::test]
async fn a_function_that_wasi_does_not_have_is_refused_by_name() {
    let wants =
        wasm(r#"(component (import "wasi:cli/environment@0.2.6" (instance (export "get-pin" (func)))))"#);
    let sentence = refusal(&host(), &wants).await;
    assert!(sentence.contains("get-pin"), "{sentence}");
}

#[tokio::test]
async fn a_memory_larger_than_allowed_is_refused() {
    let host = host();
    // 2000 pages are 125 MiB, with a contract that is otherwise missing.
    let large = wasm("(component (core module $m (memory 2000)) (core instance (instantiate $m)))");
    let sentence = refusal(&host, &large).await;
    assert!(sentence.contains("memory"), "{sentence}");
}

#[tokio::test]
async fn a_file_larger_than_allowed_is_refused_before_it_is_read_whole() {
    let mut options = options();
    options.limits.file_bytes = 1000;
    let host = PluginHost::new(options).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), hostile_component()).unwrap();
    let sentence = host.load_file(file.path()).await.unwrap_err().to_string();
    assert!(sentence.contains("larger than the 1000 bytes"), "{sentence}");
}

#[tokio::test]
async fn a_missing_file_is_reported() {
    let host = host();
    let folder = tempfile::tempdir().unwrap();
    let sentence = host.load_file(&folder.path().join("none.wasm")).await.unwrap_err().to_string();
    assert!(sentence.contains("none.wasm") && sentence.contains("cannot be read"), "{sentence}");
}

#[tokio::test]
async fn a_plugin_that_cannot_say_what_it_is_is_refused() {
    let mut options = options();
    options.limits.describe_deadline = std::time::Duration::from_millis(400);
    let (hasty, patient) = (PluginHost::new(options).unwrap(), PluginHost::new(patient()).unwrap());
    let mut sentences = String::new();
    for behaviour in [
        "PANIC",
        "LOOP",
        "BOMB",
        "BAD-KEY",
        "BAD-VERSION",
        "BAD-COUNTRY",
        "BAD-SCHEMA",
        "NO-SCHEMA",
        "LONG-TITLE",
        "MANY-CHOICES",
        "NO-KINDS",
        "BAD-RATE",
    ] {
        let host = if behaviour == "LOOP" { &hasty } else { &patient };
        let sentence = refusal(host, &hostile_component_that_describes(behaviour)).await;
        writeln!(sentences, "{behaviour}: {sentence}").unwrap();
    }
    assert!(hasty.active().is_empty() && patient.active().is_empty());
    insta::assert_snapshot!(sentences);
}
