//! `gateway plugin new NAME`: the template of this tree under the author's name, with SDK and contract beside it.

use crate::args::PluginName;
use crate::{Failure, Out};
use serde::Serialize;
use std::fs;
use std::path::Path;

/// Files of this tree, by their path in a new plugin.
macro_rules! embedded {
    ($($path:literal = $source:literal,)*) => {
        [$(($path, include_str!(concat!("../../../../", $source))),)*]
    };
}

/// The template, as it is compiled and tested in this tree; names are replaced.
const TEMPLATE: [(&str, &str); 17] = embedded![
    "Cargo.toml" = "host/cli/src/author/template/Cargo.toml",
    "rust-toolchain.toml" = "rust-toolchain.toml",
    ".cargo/config.toml" = "host/cli/src/author/template/cargo-config.toml",
    ".gitignore" = "host/cli/src/author/template/gitignore",
    "README.md" = "host/cli/src/author/template/README.md",
    "src/lib.rs" = "plugins/template/src/lib.rs",
    "src/authority.rs" = "plugins/template/src/authority.rs",
    "src/check.rs" = "plugins/template/src/check.rs",
    "src/convert.rs" = "plugins/template/src/convert.rs",
    "src/evidence.rs" = "plugins/template/src/evidence.rs",
    "src/format.rs" = "plugins/template/src/format.rs",
    "src/interpret.rs" = "plugins/template/src/interpret.rs",
    "golden/context.json" = "plugins/template/golden/context.json",
    "golden/cases/person.json" = "plugins/template/golden/cases/person.json",
    "golden/cases/company.json" = "plugins/template/golden/cases/company.json",
    "golden/cases/credit_note.json" = "plugins/template/golden/cases/credit_note.json",
    "golden/cases/refused_company_without_tax_number.json" =
        "plugins/template/golden/cases/refused_company_without_tax_number.json",
];

/// What the golden cases become; names are replaced.
const EXPECTED: [(&str, &str); 4] = embedded![
    "golden/expected/person.json" = "plugins/template/golden/expected/person.json",
    "golden/expected/company.json" = "plugins/template/golden/expected/company.json",
    "golden/expected/credit_note.json" = "plugins/template/golden/expected/credit_note.json",
    "golden/expected/refused_company_without_tax_number.json" =
        "plugins/template/golden/expected/refused_company_without_tax_number.json",
];

/// SDK and contract, in the layout of this tree, so that the paths in the SDK hold.
const VENDORED: [(&str, &str); 12] = embedded![
    "vendor/plugins/sdk/Cargo.toml" = "host/cli/src/author/template/sdk.toml",
    "vendor/plugins/sdk/src/amount.rs" = "plugins/sdk/src/amount.rs",
    "vendor/plugins/sdk/src/bindings.rs" = "plugins/sdk/src/bindings.rs",
    "vendor/plugins/sdk/src/build.rs" = "plugins/sdk/src/build.rs",
    "vendor/plugins/sdk/src/glue.rs" = "plugins/sdk/src/glue.rs",
    "vendor/plugins/sdk/src/harness/evidence.rs" = "plugins/sdk/src/harness/evidence.rs",
    "vendor/plugins/sdk/src/harness/figures.rs" = "plugins/sdk/src/harness/figures.rs",
    "vendor/plugins/sdk/src/harness/mod.rs" = "plugins/sdk/src/harness/mod.rs",
    "vendor/plugins/sdk/src/lib.rs" = "plugins/sdk/src/lib.rs",
    "vendor/wit/v1/regime.wit" = "wit/v1/regime.wit",
    "vendor/wit/v1.1/samples.wit" = "wit/v1.1/samples.wit",
    "vendor/wit/v1.2/evidence.wit" = "wit/v1.2/evidence.wit",
];

/// A plugin that was begun.
#[derive(Serialize)]
struct NewPlugin<'a> {
    key: &'a str,
    folder: &'a Path,
}

pub(super) fn run(name: &PluginName, out: Out) -> Result<(), Failure> {
    let folder = Path::new(name.kebab());
    write(folder, name)?;
    out.data(&NewPlugin { key: name.kebab(), folder }, || {
        let name = name.kebab();
        format!(
            "The plugin {name} stands in the folder {name}. Next:\n  cd {name}\n  gateway plugin build\n  \
             gateway plugin test {name}.wasm\nIts README.md tells where to write what."
        )
    });
    Ok(())
}

/// Writes everything, or nothing when the folder is there already.
fn write(folder: &Path, name: &PluginName) -> Result<(), Failure> {
    let not_made = |error: std::io::Error| {
        let hint = "choose another name, or work where you may write";
        Failure::refused(format!("the folder {} cannot be made ({error}): {hint}", folder.display()))
    };
    fs::create_dir(folder).map_err(not_made)?;
    let named = TEMPLATE.iter().chain(&EXPECTED).map(|(path, text)| (*path, with_names_of(text, name)));
    let vendored = VENDORED.iter().map(|(path, text)| (*path, (*text).to_owned()));
    for (path, text) in named.chain(vendored) {
        let file = folder.join(path);
        let parent = file.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(not_made)?;
        fs::write(&file, text)
            .map_err(|error| Failure::refused(format!("{} cannot be written ({error})", file.display())))?;
    }
    Ok(())
}

/// A text of the template under the author's name.
fn with_names_of(text: &str, name: &PluginName) -> String {
    text.replace("xx-template", name.kebab())
        .replace("xx_template", &name.snake())
        .replace("XxTemplate", &name.pascal())
        .replace("XX-TEMPLATE", &name.capitals())
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
        assert_eq!(embedded("vendor/wit/"), below(&root().join("wit")));
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
        assert_eq!(entry(vendored, "wit-bindgen"), entry(&workspace, "wit-bindgen"));
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
        write(&folder, &"pt-saft".parse().unwrap()).unwrap();
        for path in below(&folder) {
            let text = fs::read_to_string(folder.join(&path)).unwrap().to_lowercase();
            assert!(!text.contains("template"), "{path}");
            assert!(!text.contains("workspace = true"), "{path}");
        }
        let again = write(&folder, &"pt-saft".parse().unwrap()).unwrap_err();
        assert!(again.to_string().contains("another name"), "{again}");
    }
}
