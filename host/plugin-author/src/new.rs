//! `gateway plugin new NAME`: the template of this tree under the author's name, with what it is built against beside it.

use crate::PackageName;
use crate::template::{CONTRACT, EXAMPLE_CASES, EXPECTED, JAVASCRIPT, PYTHON, TEMPLATE, VENDORED};
use gateway_domain_input::unreadable;
use gateway_terminal::{Failure, Out, note};
use serde::Serialize;
use std::fs;
use std::path::Path;

/// What a new plugin is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Language {
    /// With the SDK of this gateway, built by cargo.
    Rust,
    /// Built by componentize-py.
    Python,
    /// Built by jco.
    Javascript,
}

/// What `plugin new --json` prints.
#[derive(Serialize)]
struct NewPluginView<'a> {
    key: &'a str,
    folder: &'a Path,
    language: Language,
}

/// The keys of the plugins that come with the gateway, between commas.
const SHIPPED_KEYS: &str = env!("SHIPPED_KEYS");

/// Writes a working plugin into a folder of its name, below the one we are in, and says how to go on.
///
/// # Errors
/// There is such a folder already, or it cannot be written.
pub fn run(name: &PackageName, language: Language, out: Out) -> Result<(), Failure> {
    let folder = Path::new(name.kebab());
    write(folder, name, language)?;
    if let Some(warning) = warning(name) {
        note(&warning);
    }
    out.data(&NewPluginView { key: name.kebab(), folder, language }, || {
        let name = name.kebab();
        let build = match language {
            Language::Rust => "gateway plugin build",
            Language::Python | Language::Javascript => "sh build.sh",
        };
        format!(
            "The plugin {name} stands in the folder {name}. Next:\n  cd {name}\n  {build}\n  gateway plugin test \
             {name}.wasm\nIts README.md tells where to write what."
        )
    });
    Ok(())
}

/// What to know of a name that is taken elsewhere.
fn warning(name: &PackageName) -> Option<String> {
    SHIPPED_KEYS.split(',').any(|key| key == name.kebab()).then(|| {
        format!(
            "warning: {} is the key of a plugin that comes with the gateway: put in force, yours serves in its place; take \
             another name unless that is what you want",
            name.kebab()
        )
    })
}

/// Writes everything, or nothing when the folder is there already.
fn write(folder: &Path, name: &PackageName, language: Language) -> Result<(), Failure> {
    let not_made = |error: std::io::Error| {
        let hint = "choose another name, or work where you may write";
        Failure::refused(format!(
            "the folder {} cannot be made ({}): {hint}",
            folder.display(),
            unreadable(&error)
        ))
    };
    fs::create_dir(folder).map_err(not_made)?;
    for (path, text) in files(name, language) {
        let file = folder.join(path);
        let parent = file.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(not_made)?;
        fs::write(&file, text).map_err(|error| {
            Failure::refused(format!("{} cannot be written ({})", file.display(), unreadable(&error)))
        })?;
    }
    Ok(())
}

/// Every file of a new plugin, by its path in the folder.
fn files(name: &PackageName, language: Language) -> Vec<(&'static str, String)> {
    let owned = |files: &[(&'static str, &str)]| -> Vec<(&'static str, String)> {
        files.iter().map(|(path, text)| (*path, (*text).to_owned())).collect()
    };
    let (named, as_they_are) = match language {
        Language::Rust => ([owned(&TEMPLATE), owned(&EXPECTED)], owned(&VENDORED)),
        Language::Python => ([owned(&PYTHON), owned(&EXAMPLE_CASES)], owned(&CONTRACT)),
        Language::Javascript => ([owned(&JAVASCRIPT), owned(&EXAMPLE_CASES)], owned(&CONTRACT)),
    };
    let named = named.into_iter().flatten().map(|(path, text)| match language {
        Language::Rust => (path, with_names_of(&text, name)),
        Language::Python | Language::Javascript => (path, example_with_names_of(&text, name)),
    });
    named.chain(as_they_are).collect()
}

/// A text of the template under the author's name.
fn with_names_of(text: &str, name: &PackageName) -> String {
    text.replace("xx-template", name.kebab())
        .replace("xx_template", &name.snake())
        .replace("XxTemplate", &name.pascal())
        .replace("XX-TEMPLATE", &name.capitals())
}

/// A text of an example under the author's name. Two examples share their golden cases and the name of their authority.
fn example_with_names_of(text: &str, name: &PackageName) -> String {
    text.replace("\"xx-demo\", \"xx-demo-py\"", "\"xx-demo\"")
        .replace("\"xx-demo\", \"xx-demo-js\"", "\"xx-demo\"")
        .replace("xx-demo-py", name.kebab())
        .replace("xx-demo-js", name.kebab())
        .replace("xx-demo", name.kebab())
        .replace("XX-DEMO", &name.capitals())
        .replace("../../../wit/v1", "wit")
        .replace("the contract in wit/v1", "the contract in wit")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::path::PathBuf;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// Every file below a folder, relative to it.
    fn below(folder: &Path) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![folder.to_owned()];
        while let Some(next) = waiting.pop() {
            for entry in fs::read_dir(next).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    waiting.push(path);
                } else {
                    found.insert(path.strip_prefix(folder).unwrap().display().to_string());
                }
            }
        }
        found
    }

    fn embedded(prefix: &str) -> BTreeSet<String> {
        let all = TEMPLATE.iter().chain(&EXPECTED).chain(&VENDORED);
        all.filter_map(|(path, _)| path.strip_prefix(prefix)).map(str::to_owned).collect()
    }

    #[test]
    fn every_source_of_the_sdk_and_of_the_contract_is_embedded() {
        assert_eq!(embedded("vendor/plugins/sdk/src/"), below(&root().join("plugins/sdk/src")));
        // The contract of renderers is nothing to a tax regime.
        let mut contract = below(&root().join("wit"));
        contract.retain(|file| !file.starts_with("render-"));
        assert_eq!(embedded("vendor/wit/"), contract);
    }

    #[test]
    fn every_file_of_the_template_is_embedded() {
        for folder in ["src/", "golden/"] {
            assert_eq!(embedded(folder), below(&root().join("plugins/template").join(folder)));
        }
    }

    /// The entry of a dependency in a manifest.
    fn entry<'a>(manifest: &'a str, name: &str) -> &'a str {
        let prefix = format!("{name} = ");
        manifest.lines().find_map(|line| line.strip_prefix(&prefix)).unwrap_or_default()
    }

    #[test]
    fn the_versions_of_a_new_plugin_are_those_of_this_tree() {
        let workspace = fs::read_to_string(root().join("Cargo.toml")).unwrap();
        let sdk = fs::read_to_string(root().join("plugins/sdk/Cargo.toml")).unwrap();
        let [(_, plugin), ..] = TEMPLATE;
        let [(_, vendored), ..] = VENDORED;
        for name in ["wit-bindgen", "talc"] {
            assert_eq!(entry(vendored, name), entry(&workspace, name));
        }
        let json = entry(&workspace, "serde_json");
        assert_eq!(entry(plugin, "serde_json"), json);
        assert_eq!(entry(vendored, "serde_json").replace(", optional = true", ""), json);
        for member in ["version", "edition", "rust-version", "license"] {
            assert_eq!(entry(vendored, member), entry(&workspace, member), "{member}");
        }
        for member in ["edition", "rust-version"] {
            assert_eq!(entry(plugin, member), entry(&workspace, member), "{member}");
        }
        assert_eq!(entry(vendored, "harness"), entry(&sdk, "harness"));
        let needed = sdk.split("[dependencies]").nth(1).unwrap().split("\n[").next().unwrap();
        for line in needed.lines().filter(|line| line.contains("workspace")) {
            let name = line.split([' ', '.']).next().unwrap();
            assert!(!entry(vendored, name).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_new_plugin_has_its_own_name_everywhere_and_is_never_written_twice() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("pt-saft");
        write(&folder, &"pt-saft".parse().unwrap(), Language::Rust).unwrap();
        for path in below(&folder) {
            let text = fs::read_to_string(folder.join(&path)).unwrap().to_lowercase();
            assert!(!text.contains("template"), "{path}");
            assert!(!text.contains("workspace = true"), "{path}");
        }
        let again = write(&folder, &"pt-saft".parse().unwrap(), Language::Rust).unwrap_err();
        assert!(again.to_string().contains("another name"), "{again}");
    }
    #[test]
    fn every_source_of_the_examples_is_embedded() {
        let examples = root().join("plugins/examples");
        let paths = |table: &[(&str, &str)], prefix: &str| -> BTreeSet<String> {
            table.iter().filter_map(|(path, _)| path.strip_prefix(prefix)).map(str::to_owned).collect()
        };
        assert_eq!(paths(&EXAMPLE_CASES, "golden/"), below(&examples.join("golden")));
        let tracked = |folder: &str| -> BTreeSet<String> {
            let entries = fs::read_dir(examples.join(folder)).unwrap();
            let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
            // What a build leaves there is in .gitignore.
            let made = [".venv", "build", "node_modules", "__pycache__"];
            names.filter(|name| !made.contains(&name.as_str()) && !name.contains(".wasm")).collect()
        };
        for (table, folder) in [(&PYTHON[..], "python"), (&JAVASCRIPT[..], "javascript")] {
            let mut embedded = paths(table, "");
            embedded.remove("README.md");
            embedded.remove(".gitignore");
            assert_eq!(embedded, tracked(folder), "{folder}");
        }
    }

    #[test]
    fn a_new_plugin_in_another_language_has_its_own_name_and_its_contract_beside_it() {
        for language in [Language::Python, Language::Javascript] {
            let place = tempfile::tempdir().unwrap();
            let folder = place.path().join("pt-saft");
            write(&folder, &"pt-saft".parse().unwrap(), language).unwrap();
            for path in below(&folder) {
                let text = fs::read_to_string(folder.join(&path)).unwrap();
                assert!(!text.to_lowercase().contains("xx-demo"), "{path}");
                assert!(!text.contains("../.."), "{path}");
            }
            let build = fs::read_to_string(folder.join("build.sh")).unwrap();
            assert!(build.contains("pt-saft.wasm") && build.contains("EINVOICE_WIT:-wit"), "{build}");
            let contract = fs::read_to_string(folder.join("wit/regime.wit")).unwrap();
            assert_eq!(contract, fs::read_to_string(root().join("wit/v1/regime.wit")).unwrap());
        }
    }

    #[test]
    fn the_key_of_a_shipped_plugin_is_warned_of_and_of_no_other() {
        let mut shipped = Vec::new();
        for folder in fs::read_dir(root().join("plugins")).unwrap() {
            let manifest = fs::read_to_string(folder.unwrap().path().join("Cargo.toml")).unwrap_or_default();
            if manifest.contains("component = true") {
                shipped.push(entry(&manifest, "key").trim_matches('"').to_owned());
            }
        }
        shipped.sort();
        assert_eq!(shipped, SHIPPED_KEYS.split(',').collect::<Vec<_>>());
        let warning = |key: &str| warning(&key.parse().unwrap());
        assert!(warning("es-verifactu").unwrap().contains("comes with the gateway"));
        assert_eq!(warning("pt-saft"), None);
    }
}
