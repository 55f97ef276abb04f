//! Nobody reaches storage through a service: the manifests keep surfaces from naming it, and this keeps services from
//! handing its types on.

use super::Violation;
use super::files::Source;
use super::sources::product_code;

/// Who may hand on what storage has: storage itself, and the binary that wires everything.
const MAY: [&str; 2] = ["host/storage/", "host/gateway/"];

/// Every public re-export of storage.
pub(super) fn storage(files: &[Source]) -> Vec<Violation> {
    let services = files.iter().filter(|file| {
        file.is_rust() && file.path.starts_with("host/") && !MAY.iter().any(|may| file.path.starts_with(may))
    });
    services.flat_map(reexports).collect()
}

fn reexports(file: &Source) -> Vec<Violation> {
    let code = product_code(&file.text);
    let lines =
        code.lines().enumerate().filter(|(_, line)| line.trim().starts_with("pub use gateway_storage"));
    lines
        .map(|(at, line)| Violation {
            file: file.path.clone(),
            line: at.saturating_add(1),
            what: format!("a service hands on a type of storage: {}", line.trim()),
            remedy: "give it a type of the rules, or of the service".to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> usize {
        storage(&[Source { path: path.to_owned(), text: text.to_owned() }]).len()
    }

    #[test]
    fn a_service_that_hands_on_storage_is_found() {
        assert_eq!(
            found("host/finance/src/a.rs", "use gateway_storage::Db;\npub use gateway_storage::Tx;\n"),
            1
        );
        assert_eq!(found("host/finance/src/a.rs", "use gateway_storage::Db;\n"), 0);
        assert_eq!(found("host/gateway/src/a.rs", "pub use gateway_storage::Tx;\n"), 0);
    }
}
