//! `THIRD-PARTY`: under which licences the crates are that the files were made of, with every text that came with them.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::archive;
use super::crates::Crate;

/// What files with the text of a licence are called, in capitals.
const NAMES: [&str; 6] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE", "OFL.TXT"];
/// Names of code and data, whatever else is in them.
const NO_TEXTS: [&str; 9] = ["rs", "json", "toml", "yml", "yaml", "html", "py", "c", "h"];
/// Folders that nothing is built in from.
const PASSED_OVER: [&str; 7] = ["tests", "test", "examples", "benches", "fuzz", "target", "node_modules"];
/// How deep below a crate its licences are looked for: sources of others lie in a folder of it.
const DEPTH: usize = 3;
const RULE: &str = "--------------------------------------------------------------------------------";

/// The whole file. `compiler` is the version whose standard library is in every file.
pub(super) fn third_party(crates: &[Crate<'_>], compiler: &str) -> Result<String> {
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut rows =
        vec![format!("the Rust standard library {compiler}: MIT OR Apache-2.0 (https://www.rust-lang.org)")];
    let mut without = Vec::new();
    for one in crates {
        let name = format!("{} {}", one.package.name, one.package.version);
        let found = texts_below(&one.folder(), DEPTH)?;
        if one.is_foreign() {
            let repository = one.package.repository.as_deref().unwrap_or("no repository named");
            rows.push(format!("{name}: {} ({repository})", one.licence()));
            if found.is_empty() {
                without.push(name.clone());
            }
        }
        for (file, text) in found {
            texts.entry(text).or_default().insert(format!("{name} ({file})"));
        }
    }
    Ok(written(&rows, &without, &texts))
}

fn written(rows: &[String], without: &[String], texts: &BTreeMap<String, BTreeSet<String>>) -> String {
    let mut parts = vec![
        "What is shipped was made of these, under the licences that each names:\n".to_owned(),
        rows.join("\n"),
    ];
    if !without.is_empty() {
        let names = without.join(", ");
        parts.push(format!("\nThese name their licence and bring no text of it along: {names}."));
    }
    for (text, owners) in texts {
        let owners = owners.iter().cloned().collect::<Vec<_>>().join("\n");
        parts.push(format!("\n{RULE}\n{owners}\n{RULE}\n\n{}", text.trim_end()));
    }
    parts.join("\n") + "\n"
}

/// The texts in a folder, and below it to some depth, by their names from there.
fn texts_below(folder: &Path, depth: usize) -> Result<Vec<(String, String)>> {
    let mut found = Vec::new();
    let listing = fs::read_dir(folder).with_context(|| format!("could not list {}", folder.display()))?;
    for entry in listing {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_file() && is_text_of_licence(&name) {
            let content = archive::read(&path)?;
            found.push((name, String::from_utf8_lossy(&content).replace("\r\n", "\n")));
        } else if depth > 0 && path.is_dir() && !PASSED_OVER.contains(&name.as_str()) {
            let below = texts_below(&path, depth - 1)?;
            found.extend(below.into_iter().map(|(file, text)| (format!("{name}/{file}"), text)));
        }
    }
    found.sort();
    Ok(found)
}

fn is_text_of_licence(name: &str) -> bool {
    let extension = Path::new(name).extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let name = name.to_uppercase();
    NAMES.iter().any(|part| name.contains(part)) && !NO_TEXTS.contains(&extension.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_a_licence_is_told_by_its_name() {
        for name in [
            "LICENSE",
            "LICENSE-MIT",
            "license-apache-2.0",
            "UNLICENSE",
            "COPYING.txt",
            "htmx-2.0.11.LICENSE",
        ] {
            assert!(is_text_of_licence(name), "{name}");
        }
        for name in ["lib.rs", "licences.rs", "identity_driving_license.json", "README.md"] {
            assert!(!is_text_of_licence(name), "{name}");
        }
    }

    #[test]
    fn texts_of_bundled_sources_are_found_and_those_of_tests_are_not() {
        let folder = tempfile::tempdir().unwrap();
        for file in ["LICENSE-MIT", "aws-lc/LICENSE", "tests/LICENSE", "src/lib.rs"] {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "text\r\n").unwrap();
        }
        let expected = ["LICENSE-MIT", "aws-lc/LICENSE"].map(|name| (name.to_owned(), "text\n".to_owned()));
        assert_eq!(texts_below(folder.path(), DEPTH).unwrap(), expected);
    }

    #[test]
    fn a_text_stands_there_once_with_everything_that_it_came_with() {
        let owners = ["a 1.0.0 (LICENSE)", "b 2.0.0 (LICENSE)"].map(str::to_owned).into();
        let texts = [("The text.".to_owned(), owners)].into();
        let file = written(&["a 1.0.0: MIT (https://a.example)".to_owned()], &["c 1.0.0".to_owned()], &texts);
        assert_eq!(file.matches("The text.").count(), 1);
        assert!(file.contains("a 1.0.0 (LICENSE)\nb 2.0.0 (LICENSE)\n"), "{file}");
        assert!(file.contains("bring no text of it along: c 1.0.0."), "{file}");
    }
}
