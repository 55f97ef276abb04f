//! The folder with the golden cases of a plugin.

use gateway_domain_input::{sentence, unreadable};
use gateway_plugin_host::JsonError;
use gateway_registry::Environment;
use gateway_terminal::Failure;
use std::path::{Path, PathBuf};

/// Where the cases of a plugin lie, and what is expected of them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Folder {
    /// Holds `context.json` and the folders.
    root: PathBuf,
    cases: PathBuf,
}

impl Folder {
    /// The folder that was named, or else `golden` beside the component or where we are. A folder of cases alone stands
    /// for the one around it.
    pub(crate) fn find(component: &Path, named: Option<&Path>) -> Result<Self, Failure> {
        let default = component.parent().unwrap_or_else(|| Path::new("")).join("golden");
        let root = match named {
            Some(named) => named.to_owned(),
            None if default.is_dir() => default,
            None => PathBuf::from("golden"),
        };
        let cases = root.join("cases");
        if cases.is_dir() {
            return Ok(Self { root, cases });
        }
        if named.is_some() && root.is_dir() {
            let parent = root.join("..");
            return Ok(Self { root: parent, cases: root });
        }
        let advice = "name the folder that holds cases/ and expected/ with --cases";
        Err(Failure::refused(format!("there are no cases in {}: {advice}", root.display())))
    }

    /// Files with cases, in the order of their names.
    pub(crate) fn cases(&self) -> Result<Vec<PathBuf>, Failure> {
        files(&self.cases)
    }

    /// Files with provider's reports; a plugin may have none.
    pub(crate) fn reports(&self) -> Result<Vec<PathBuf>, Failure> {
        let folder = self.root.join("reports");
        if folder.is_dir() { files(&folder) } else { Ok(Vec::new()) }
    }

    /// What is expected of cases.
    pub(crate) fn expected(&self) -> PathBuf {
        self.root.join("expected")
    }

    /// What is expected of reports.
    pub(crate) fn verdicts(&self) -> PathBuf {
        self.root.join("verdicts")
    }

    /// Environment of every case here that says nothing else.
    pub(crate) fn environment(&self) -> Result<Environment, Failure> {
        let file = self.root.join("context.json");
        if file.is_file() { parse(&file) } else { Ok(Environment::default()) }
    }
}

/// The JSON files of a folder, in the order of their names.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let refused = |error: std::io::Error| {
        Failure::refused(format!("{} cannot be read ({})", folder.display(), unreadable(&error)))
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(refused)? {
        let path = entry.map_err(refused)?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Reads a file of JSON.
pub(crate) fn parse<T: serde::de::DeserializeOwned>(file: &Path) -> Result<T, Failure> {
    let refused = |why: String| Failure::refused(format!("{}: {why}", file.display()));
    let text = std::fs::read_to_string(file).map_err(|error| refused(unreadable(&error)))?;
    let value = serde_json::from_str(&text)
        .map_err(|error| refused(format!("it is no JSON: {}", JsonError::new(&text, &error))))?;
    gateway_domain_input::read(&value).map_err(|mistakes| refused(sentence(&mistakes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_found_by_the_folder_around_them_or_by_their_own() {
        let place = tempfile::tempdir().unwrap();
        let golden = place.path().join("golden");
        std::fs::create_dir_all(golden.join("cases")).unwrap();
        let component = place.path().join("es.wasm");
        let found = Folder::find(&component, None).unwrap();
        assert_eq!(found.cases, golden.join("cases"));
        let own = Folder::find(&component, Some(&golden.join("cases"))).unwrap();
        assert_eq!(own.expected(), golden.join("cases/../expected"));
        let failure = Folder::find(&component, Some(&place.path().join("nowhere"))).unwrap_err();
        assert!(failure.to_string().contains("--cases"), "{failure}");
    }
}
