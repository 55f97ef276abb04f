//! What an author reads of a plugin that fails: whole texts, as they stand in the terminal and in answers.

use gateway_tests::{
    Document, Engine, Gateway, Options, Ran, World, reaching_component, reaching_component_for_spain,
};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const PANIC: &str = "In 'check', your plugin panicked at tests/hostile/guest/src/lib.rs:LINE:5: as asked";
const THROW: &str = "In 'convert', your plugin threw 'no rate for line 3' (at convert (/plugin.js:59:28))";
const RAISE: &str =
    "In 'convert', your plugin raised ValueError: \\u{1b}[2Jno rate (at \"/app.py\", line 7, in convert)";
const BROKEN_JSON: &str = "In 'convert', your plugin returned a document that is no valid application/json: key must be a \
                           string at line 4 column 3, at '…: {\\n    \"payable\": 121.00,\\n  }⟨here⟩\\n}\\n'";

/// The line of the guest's source that panics.
fn panicking_line() -> String {
    let source = include_str!("../hostile/guest/src/lib.rs");
    let line = source.lines().position(|line| line.contains("panic!(\"as asked\")")).unwrap();
    (line + 1).to_string()
}

fn with_panicking_line(text: &str) -> String {
    text.replace(":LINE:", &format!(":{}:", panicking_line()))
}

/// What stays the same from run to run: without figures of time and memory, names that the compiler made up, and what is said
/// because compiling the component took a while.
fn without_variable_parts(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let line = match line.split_once(" ms ") {
            Some((before, after)) if after.ends_with(" KiB") => {
                let figures = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
                format!("{} N ms N KiB", figures.trim_end())
            }
            _ if line.starts_with("        in <wasm function ") => "        in <wasm function N>".to_owned(),
            _ if line.starts_with("Built it in ") => "Built it in N s.".to_owned(),
            _ if line.starts_with("Compiling ") || line.starts_with("Compiled ") => continue,
            _ => line.to_owned(),
        };
        let repeated = line.ends_with("<wasm function N>") && lines.last() == Some(&line);
        if !repeated {
            lines.push(line);
        }
    }
    lines.join("\n") + "\n"
}

/// Cases whose notes say how the plugin fails on them.
fn write_cases(golden: &Path, notes: &[&str]) {
    fs::create_dir_all(golden.join("cases")).unwrap();
    for word in notes {
        let case = json!({"document": {"issue_date": "2026-11-20", "notes": word}});
        fs::write(golden.join(format!("cases/{}.json", word.to_lowercase())), case.to_string()).unwrap();
    }
}

const REPORT_OF_FAILED_CASES: &str = r#"failed  broken-json N ms N KiB
        BROKEN_JSON
failed  exception N ms N KiB
        RAISE
        in <wasm function N>
        on standard error:
        | Traceback (most recent call last):
        |   File "/app.py", line 7, in convert
        |     no()
        | ValueError: \u{1b}[2Jno rate
failed  panic N ms N KiB
        PANIC
        in <wasm function N>
        on standard error:
        | panicked at tests/hostile/guest/src/lib.rs:LINE:5:
        | as asked
failed  throw N ms N KiB
        THROW
        in <wasm function N>
        on standard error:
        | thread '<unnamed>' (1) panicked at crates/runtime/src/interpreter.rs:51:31:
        | Failed to call 'convert': Value(Exception(
        | Exception { message: Some("no rate for line 3"), stack: Some("    at convert (/plugin.js:59:28)\n") })
        | )
        | note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace

reaching 1.2.3: 0 passed, 4 failed
"#;

fn report_of_failed_cases() -> String {
    let text = REPORT_OF_FAILED_CASES.replace("BROKEN_JSON", BROKEN_JSON).replace("PANIC", PANIC);
    with_panicking_line(&text.replace("RAISE", RAISE).replace("THROW", THROW))
}

#[tokio::test]
async fn a_test_run_tells_where_each_case_failed_and_what_the_plugin_said() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("reaching.wasm"), reaching_component()).unwrap();
    write_cases(&place.path().join("golden"), &["PANIC", "THROW", "EXCEPTION", "BROKEN-JSON"]);
    let file = place.path().join("reaching.wasm").display().to_string();

    let ran = gateway.cli(&["plugin", "test", &file]).await;

    assert_eq!((ran.code, without_variable_parts(&ran.stdout)), (1, report_of_failed_cases()));
    let failed = "error: 4 cases failed: mend the plugin, or write what is made with --update\n";
    assert_eq!(without_variable_parts(&ran.stderr), failed);
    let json = gateway.cli(&["plugin", "test", &file, "--json"]).await;
    let report: Value = serde_json::from_str(&json.stdout).unwrap();
    let messages = report["cases"].as_array().unwrap().iter().map(|case| case["message"].as_str().unwrap());
    assert_eq!(messages.collect::<Vec<_>>(), [BROKEN_JSON, RAISE, &with_panicking_line(PANIC), THROW]);
}

/// A program of this name that does what the script says.
fn write_program(folder: &Path, name: &str, script: &str) {
    let file = folder.join(name);
    fs::write(&file, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Shows what a watch says as it comes. Once it watches, the source is changed so that it compiles no more; once it watches
/// again, it is interrupted.
const AT_THE_KEYBOARD: &str = r#"
mkfifo said
"$0" "$@" >said 2>&1 &
while IFS= read -r line; do
    printf '%s\n' "$line"
    case "$line" in
        Watching*) if [ -e broken ]; then kill -INT $!; else touch broken && echo 'fn' >src/lib.rs; fi ;;
    esac
done <said
wait $!
"#;

#[tokio::test]
async fn a_watch_tells_what_failed_and_goes_on_until_it_is_interrupted() {
    let place = tempfile::tempdir().unwrap();
    let at = |name: &str| place.path().join(name);
    for folder in ["bin", "sysroot/lib/rustlib/wasm32-unknown-unknown", "src"] {
        fs::create_dir_all(at(folder)).unwrap();
    }
    fs::write(at("Cargo.toml"), "[package]\nname = \"reaching\"\nversion = \"1.2.3\"\n").unwrap();
    fs::write(at("src/lib.rs"), "").unwrap();
    fs::write(at("bin/reaching.wasm"), reaching_component()).unwrap();
    write_cases(&at("golden"), &["PANIC", "BROKEN-JSON"]);
    let message = json!({"reason": "compiler-artifact", "manifest_path": at("Cargo.toml"),
        "filenames": [at("bin/reaching.wasm")]});
    // The toolchain is not what is tried: a cargo that has built already, or finds a mistake.
    let mistake = "error: expected identifier, found end of file";
    let build = format!("[ ! -e broken ] || {{ echo '{mistake}' >&2; exit 101; }}\necho '{message}'");
    write_program(&at("bin"), "cargo", &build);
    write_program(&at("bin"), "rustc", &format!("echo '{}'", at("sysroot").display()));
    let path = format!("{}:{}", at("bin").display(), std::env::var("PATH").unwrap());
    let gateway = Gateway::prepared(
        Engine::Sqlite,
        Options::default().launched_by(&[
            "sh",
            "-c",
            &format!("cd '{}' && {AT_THE_KEYBOARD}", place.path().display()),
        ]),
    )
    .await;

    let Ran { code, stdout, stderr } = gateway.cli_with(&["plugin", "watch"], &[("PATH", &path)], "").await;

    let expected = format!(
        "Building the plugin …\n\
         Built it in N s.\n\
         failed  broken-json N ms N KiB\n        {BROKEN_JSON}\n\
         failed  panic N ms N KiB\n        {PANIC}\n        in <wasm function N>\n        on standard error:\n        \
         | panicked at tests/hostile/guest/src/lib.rs:LINE:5:\n        | as asked\n\n\
         reaching 1.2.3: 0 passed, 2 failed\n\
         error: a case failed, so the gateway keeps the version it has\n\
         Watching; Ctrl-C ends it.\n\
         Building the plugin …\n\
         {mistake}\n\
         error: the plugin does not compile: correct the errors above\n\
         Watching; Ctrl-C ends it.\n"
    );
    assert_eq!(
        (without_variable_parts(&stdout), stderr.as_str(), code),
        (with_panicking_line(&expected), "", 0)
    );
}

#[tokio::test]
async fn an_activation_that_is_refused_tells_on_which_invoice_and_what_the_plugin_said() {
    let world = World::start(Engine::Sqlite).await;
    let file = world.gateway.folder().join("candidate.wasm");
    fs::write(&file, reaching_component_for_spain()).unwrap();
    world.gateway.cli(&["plugin", "install", file.to_str().unwrap()]).await.succeeded();
    for (notes, said) in [("PANIC", PANIC), ("THROW", THROW), ("BROKEN-JSON", BROKEN_JSON)] {
        let uuid = world.issue(&Document::of(world.workspace).with("notes", json!(notes))).await;
        let issued = world.until(&uuid, "issued").await;
        let number = issued["display_invoice_number"].as_str().unwrap();
        let refusal = with_panicking_line(&format!(
            "es-verifactu@9.0.0 is not activated: it breaks on invoice {number} ({said}): the version in force goes on"
        ));

        // What is logged about the call that failed is for operators.
        let quiet = [("GATEWAY_LOG__FILTER", "error")];
        let activate = ["plugin", "activate", "es-verifactu@9.0.0"];
        let ran = world.gateway.cli_with(&activate, &quiet, "").await;
        assert_eq!((ran.code, ran.stdout.as_str()), (1, ""), "{notes}");
        assert_eq!(ran.stderr, format!("error: {refusal}\n"), "{notes}");
        let answer = world.api.post("/admin/plugins/es-verifactu@9.0.0/activate", &json!({})).await;
        // Behind it stands every place of every invoice that comes out differently.
        assert_eq!(answer.errors(409)[0], format!("base: {refusal}"), "{notes}");
    }
}
