//! What a country demands lives in its plugin: the host has no line about any of them.

use std::fs;
use std::path::{Path, PathBuf};

/// Stands for all of them in examples and in the demonstration.
const EXAMPLE: &str = "es-verifactu";
/// What is not the host at work: tests, benchmarks and the tools that build it.
const SKIPPED_NAMES: [&str; 4] = ["tests", "tests.rs", "benches", "xtask"];
/// From here on a file tests itself.
const TESTS: &str = "#[cfg(test)]\nmod tests {";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The keys of the tax systems: folders of plugins that begin with a country or union.
fn keys() -> Vec<String> {
    let folders = fs::read_dir(root().join("plugins")).unwrap();
    let names = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.find('-') == Some(2) && name != EXAMPLE).collect()
}

/// Files of Rust below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let (path, name) = (entry.path(), entry.file_name().into_string().unwrap());
        if SKIPPED_NAMES.contains(&name.as_str()) {
            continue;
        }
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn no_line_of_the_host_is_about_one_tax_system() {
    let (keys, mut files) = (keys(), Vec::new());
    assert!(keys.len() >= 8, "{keys:?}");
    sources(&root().join("host"), &mut files);
    let mut lines = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.split(TESTS).next().unwrap_or_default();
        let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
        let about = code.filter(|line| keys.iter().any(|key| line.contains(key.as_str())));
        lines.extend(about.map(|line| format!("{}: {}", file.display(), line.trim())));
    }
    assert!(lines.is_empty(), "{} lines of the host name a tax system:\n{}", lines.len(), lines.join("\n"));
}
