//! What a country demands lives in its plugin: the host has no line about any of them.

use std::fs;
use std::path::{Path, PathBuf};

/// Stands for all of them in examples and in the demonstration.
const EXAMPLE: &str = "es-verifactu";
/// What is not the host at work: tests, benchmarks and the tools that build it.
const SKIPPED_NAMES: [&str; 4] = ["tests", "tests.rs", "benches", "xtask"];
/// From here on a file tests itself.
const TESTS: &str = "#[cfg(test)]\nmod tests {";
/// What the gateway is written in: code, pages and their scripts, tables.
const ENDINGS: [&str; 5] = ["rs", "html", "js", "css", "sql"];
/// What tax systems, their authorities and their records are called, in letters of any case. `_` ends a word.
const WORDS: [&str; 27] = [
    "aeat",
    "atcud",
    "batuz",
    "cdar",
    "factur-x",
    "facturx",
    "fatturapa",
    "favat",
    "huella",
    "iapr",
    "ksef",
    "leitweg",
    "lroe",
    "mydata",
    "peppol",
    "saf-t",
    "saft",
    "sdi",
    "sii",
    "subsanacion",
    "tbai",
    "ticketbai",
    "upo",
    "veri*factu",
    "verifactu",
    "xrechnung",
    "zugferd",
];
/// Files that name a plugin all the same, which one, and why. Nothing else of them is excepted.
const EXCEPTIONS: [(&str, &[&str], &str); 7] = [
    (
        "host/cli/src/args/examples.rs",
        &[EXAMPLE, "pt-saft", "pt_saft"],
        "examples of commands name some plugin",
    ),
    ("host/demo/src/demonstration.rs", &[EXAMPLE], "the demonstration has to run with some plugin"),
    (
        "host/domain/src/regime/description.rs",
        &[EXAMPLE],
        "the sentence of a refusal has an example of a key",
    ),
    (
        "host/domain-recipients/src/participant/network.rs",
        &["peppol", "Peppol", "PEPPOL"],
        "the delivery network that recipients are looked up in, which is no tax system, by its own identifiers",
    ),
    ("host/plugin-author/src/package_name.rs", &[EXAMPLE], "likewise"),
    ("host/registry/src/plugin_name.rs", &[EXAMPLE], "likewise"),
    ("host/domain-finance/src/submission/testing.rs", &[EXAMPLE], "documents for tests of other crates"),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The keys of the tax systems: folders of plugins that begin with a country or union.
fn keys() -> Vec<String> {
    let folders = fs::read_dir(root().join("plugins")).unwrap();
    let names = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.find('-') == Some(2) && name != EXAMPLE).collect()
}

/// Files of these endings below a folder.
fn sources(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if SKIPPED_NAMES.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            sources(&path, endings, found);
        } else if path.extension().is_some_and(|ending| endings.iter().any(|one| ending == *one)) {
            found.push(path);
        }
    }
}

/// The lines at work of every file below these folders, each with its file's path from the root: without comments of Rust
/// and what tests the file itself.
fn lines(folders: &[&str], endings: &[&str]) -> Vec<(String, String)> {
    let (root, mut files) = (root(), Vec::new());
    for folder in folders {
        sources(&root.join(folder), endings, &mut files);
    }
    let mut lines = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let is_rust = file.extension().is_some_and(|ending| ending == "rs");
        let code = if is_rust { text.split(TESTS).next().unwrap_or_default() } else { &text };
        let name = file.strip_prefix(&root).unwrap().to_string_lossy().into_owned();
        let at_work = code.lines().filter(|line| !is_rust || !line.trim_start().starts_with("//"));
        lines.extend(at_work.map(|line| (name.clone(), line.trim().to_owned())));
    }
    lines
}

/// A line without the values that the description of an API gives as examples: `examples("…")`, `example = "…"`.
fn without_examples(line: &str) -> String {
    let mut rest = line;
    let mut kept = String::new();
    while let Some((before, after)) =
        ["examples(\"", "example = \""].iter().find_map(|begin| rest.split_once(begin))
    {
        kept.push_str(before);
        rest = after.split_once('"').map_or("", |(_, behind)| behind);
    }
    kept + rest
}

/// Whether a text has a word, with no letter or digit at either end of it.
fn has_word(text: &str, word: &str) -> bool {
    let is_end = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
    text.match_indices(word).any(|(at, _)| {
        is_end(text[..at].chars().next_back()) && is_end(text[at + word.len()..].chars().next())
    })
}

#[test]
fn no_line_of_the_host_is_about_one_tax_system() {
    let keys = keys();
    assert!(keys.len() >= 8, "{keys:?}");
    let mut about = lines(&["host"], &["rs"]);
    about.retain(|(_, line)| keys.iter().any(|key| line.contains(key.as_str())));
    assert!(about.is_empty(), "{} lines of the host name a tax system:\n{about:#?}", about.len());
}

#[test]
fn no_line_of_the_host_or_its_tables_has_a_word_of_an_authority() {
    let read = lines(&["host", "migrations"], &ENDINGS);
    for ending in ["rs", "html", "sql"] {
        assert!(read.iter().any(|(file, _)| file.ends_with(ending)), "no file ends in {ending}");
    }
    let about = |text: &str| WORDS.iter().any(|word| has_word(&text.to_lowercase(), word));
    let mut found: Vec<_> = read.into_iter().filter(|(_, line)| about(&without_examples(line))).collect();
    for (file, plugins, why) in EXCEPTIONS {
        let before = found.len();
        found.retain(|(name, line)| {
            let text = plugins.iter().fold(without_examples(line), |text, plugin| text.replace(plugin, ""));
            name != file || about(&text)
        });
        assert!(found.len() < before, "{file} needs no exception any more: {why}");
    }
    assert!(found.is_empty(), "{} lines have a word of an authority:\n{found:#?}", found.len());
}

/// Where its rules come from, what was decided, what it cannot do: for whoever has to change it.
#[test]
fn every_tax_system_has_notes_for_its_author() {
    for key in keys().iter().map(String::as_str).chain([EXAMPLE]) {
        let text = fs::read_to_string(root().join("plugins").join(key).join("src/lib.rs")).unwrap();
        let notes = text.split_once("//! # Notes\n").map(|(_, notes)| notes.split("//! # ").next().unwrap());
        for part in ["Sources", "Decisions", "Limits", "When it changes"] {
            let heading = format!("//! **{part}.**");
            assert!(notes.is_some_and(|notes| notes.contains(&heading)), "{key} has no note '{part}'");
        }
    }
}

#[test]
fn a_word_stands_alone_and_an_example_is_none() {
    assert!(has_word("the ksef-number", "ksef") && has_word("sdi", "sdi") && has_word("a_tbai_b", "tbai"));
    assert!(!has_word("sdist", "sdi") && !has_word("coupon", "upo") && !has_word("", "sii"));
    let line = r#"#[schema(examples("verifactu-qr"))] pub sdi: u8 // example = "ksef" b"#;
    assert_eq!(without_examples(line), "#[schema())] pub sdi: u8 //  b");
}
