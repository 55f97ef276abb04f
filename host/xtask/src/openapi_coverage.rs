//! Whether every documented answer occurs: what the tests noted during a whole run against what the OpenAPI documents
//! promise.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::workspace;

/// Tells the tests where to note what occurred.
pub(crate) const VARIABLE: &str = "GATEWAY_OPENAPI_SEEN";

/// Statuses that no test provokes on every operation, because one place in the code answers them for all.
const STATUSES_EXEMPT: [(&str, &str); 4] = [
    ("408", "a body that does not come in time: one place waits for all of them"),
    ("500", "only a fault of the gateway itself"),
    ("502", "a remote invoice data service that speaks nonsense: one translation for all operations"),
    ("503", "a database or service that is away: one translation for all operations"),
];

/// Single answers that no test provokes for certain, and why. The list only shrinks.
const ANSWERS_EXEMPT: [(&str, &str); 4] = [
    ("patch /api/dev/bookings/{id}/guest_verification 409", "two changes of one booking at the same moment"),
    ("post /api/dev/bookings/{id}/messages 409", "two first messages about one booking at the same moment"),
    ("post /api/dev/properties/{id}/rates 409", "two changes of one rate plan at the same moment"),
    ("post /finance/rpc/submissions/{uuid}/retry 409", "a retry at the moment at which a step is taken"),
];

/// An empty folder for the notes of a run.
pub(crate) fn prepare() -> Result<PathBuf> {
    let folder = workspace::root().join("target/openapi-seen");
    if folder.exists() {
        fs::remove_dir_all(&folder).with_context(|| format!("could not remove {}", folder.display()))?;
    }
    fs::create_dir_all(&folder).with_context(|| format!("could not create {}", folder.display()))?;
    Ok(folder)
}

/// Fails with the documented answers that never occurred.
pub(crate) fn check(folder: &Path) -> Result<()> {
    let (mut documented, mut occurred) = (BTreeSet::new(), BTreeSet::new());
    for entry in fs::read_dir(folder).with_context(|| format!("could not list {}", folder.display()))? {
        let path = entry?.path();
        let text = fs::read_to_string(&path).with_context(|| format!("could not read {}", path.display()))?;
        if path.extension().is_some_and(|extension| extension == "json") {
            documented.extend(answers(&serde_json::from_str(&text).context("a document is no JSON")?));
        } else {
            occurred.extend(text.lines().map(str::to_owned));
        }
    }
    ensure!(!documented.is_empty(), "no test noted anything: run all of them");
    let missing = missing(&documented, &occurred);
    let list = missing.join("\n  ");
    ensure!(
        missing.is_empty(),
        "documented answers that never occurred (provoke them in a test, or take them out of the document):\n  {list}"
    );
    eprintln!("{} documented answers occurred", documented.intersection(&occurred).count());
    Ok(())
}

/// `get /openapi.json 200` of every answer that a document promises.
fn answers(document: &Value) -> Vec<String> {
    let object = |value: &Value| value.as_object().cloned().unwrap_or_default();
    let mut all = Vec::new();
    for (path, methods) in object(document.get("paths").unwrap_or(&Value::Null)) {
        for (method, operation) in object(&methods) {
            let responses = object(operation.get("responses").unwrap_or(&Value::Null));
            all.extend(responses.keys().map(|status| format!("{method} {path} {status}")));
        }
    }
    all
}

fn missing(documented: &BTreeSet<String>, occurred: &BTreeSet<String>) -> Vec<String> {
    let excused = |answer: &&&String| {
        let status = answer.rsplit(' ').next().unwrap_or_default();
        STATUSES_EXEMPT.iter().any(|(known, _)| *known == status)
            || ANSWERS_EXEMPT.iter().any(|(known, _)| known == **answer)
    };
    let never = documented.difference(occurred).collect::<Vec<_>>();
    let missing = never.iter().filter(|answer| !excused(answer));
    let missing = missing.map(|answer| (*answer).clone());
    missing.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_never_occurred_is_named_unless_it_cannot_be_provoked() {
        let document = json!({"paths": {"/a": {"get": {"responses": {"200": {}, "404": {}, "500": {}}}}}});
        let documented: BTreeSet<_> = answers(&document).into_iter().collect();
        let occurred = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(missing(&documented, &occurred(&["get /a 200"])), ["get /a 404"]);
        assert!(missing(&documented, &occurred(&["get /a 200", "get /a 404", "put /b 200"])).is_empty());
    }

    #[test]
    fn a_run_without_notes_is_a_failure() {
        let folder = std::env::temp_dir().join(format!("openapi-seen-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        assert!(check(&folder).is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
