//! Which documents were held against the format's schemas, by their digests: where the schemas are not at hand, a document
//! that is not among them is a failure.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// The list beside the golden cases, as `sha256sum` writes it and checks it.
pub(super) struct CheckedDocuments {
    file: PathBuf,
}

impl CheckedDocuments {
    pub(super) fn of(folder: &Path) -> Self {
        Self { file: folder.join("schema-checked.sha256") }
    }

    /// Writes down that these documents, by name, fitted the schemas.
    pub(super) fn write(&self, documents: &BTreeMap<String, String>) -> Result<(), String> {
        let lines: String = documents.iter().map(|(name, document)| line(name, document)).collect();
        std::fs::write(&self.file, lines).map_err(|error| format!("{}: {error}", self.file.display()))
    }

    /// Each of these documents is on the list as it is, and nothing else is.
    pub(super) fn names_all(&self, documents: &BTreeMap<String, String>) -> Result<(), String> {
        let listed = std::fs::read_to_string(&self.file).unwrap_or_default();
        let mut listed: Vec<&str> = listed.split_inclusive('\n').collect();
        let mut unchecked = Vec::new();
        for (name, document) in documents {
            let line = line(name, document);
            match listed.iter().position(|known| *known == line) {
                Some(at) => drop(listed.remove(at)),
                None => unchecked.push(name.as_str()),
            }
        }
        if unchecked.is_empty() && listed.is_empty() {
            return Ok(());
        }
        Err(format!(
            "never held against the format's schemas as they are now: {unchecked:?}; no longer made, but named by {}: {listed:?}. \
             Run the tests with UPDATE_GOLDEN=1 and GOBL_SCHEMAS, the folder of the schemas",
            self.file.display()
        ))
    }
}

fn line(name: &str, document: &str) -> String {
    let digest = Sha256::digest(document.as_bytes());
    let mut line = digest.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a text does not fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    });
    let _ = writeln!(line, "  expected/{name}.json");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_was_not_checked_as_it_is_is_named() {
        let list =
            CheckedDocuments { file: std::env::temp_dir().join(format!("checked-{}", std::process::id())) };
        let documents = |text: &str| {
            BTreeMap::from([("one".to_owned(), "{}\n".to_owned()), ("two".to_owned(), text.to_owned())])
        };
        list.write(&documents("{}\n")).unwrap();
        assert_eq!(list.names_all(&documents("{}\n")), Ok(()));
        let changed = list.names_all(&documents("{ }\n")).unwrap_err();
        assert!(changed.contains("now: [\"two\"]"), "{changed}");
        let removed = list.names_all(&BTreeMap::from([("one".to_owned(), "{}\n".to_owned())])).unwrap_err();
        assert!(removed.contains("now: []") && removed.contains("expected/two.json"), "{removed}");
        std::fs::remove_file(&list.file).unwrap();
        let missing = list.names_all(&documents("{}\n")).unwrap_err();
        assert!(missing.contains("now: [\"one\", \"two\"]"), "{missing}");
    }
}
