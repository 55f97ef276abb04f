//! Surfaces do not reach storage: they call the service that owns what they show.

use std::collections::BTreeSet;

use super::Violation;
use super::files::Source;
use super::modules::tree;
use super::sources::product_code;

/// Where the surfaces are.
const SURFACES: [&str; 5] =
    ["host/api-internal/", "host/api-public/", "host/cli/", "host/graphql/", "host/http/"];

/// What a surface still names of storage: its folder, and these. The list only shrinks.
const KNOWN: [(&str, &str); 3] =
    [("host/api-internal/", "StoreError"), ("host/api-public/", "StoreError"), ("host/http/", "StoreError")];

/// Every name of storage that is not known, and every known one that is gone.
pub(super) fn storage(files: &[Source]) -> Vec<Violation> {
    unknown_names(files, &KNOWN)
}

fn unknown_names(files: &[Source], known: &[(&str, &str)]) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for file in files.iter().filter(|file| file.is_rust()) {
        let Some(surface) = SURFACES.iter().find(|surface| file.path.starts_with(**surface)) else {
            continue;
        };
        for name in names(&product_code(&file.text)) {
            if known.contains(&(*surface, &name)) {
                seen.insert((*surface, name));
                continue;
            }
            found.push(Violation {
                file: file.path.clone(),
                line: 1,
                what: format!("a surface names {name} of gateway-storage"),
                remedy: "call the service that owns it, or give that service a type of its own".to_owned(),
            });
        }
    }
    let gone = known.iter().filter(|(surface, name)| !seen.contains(&(*surface, (*name).to_owned())));
    found.extend(gone.map(|(surface, name)| Violation {
        file: "host/xtask/src/tidy/surfaces.rs".to_owned(),
        line: 1,
        what: format!("{surface} names {name} of gateway-storage no more"),
        remedy: "take it off the list of known names".to_owned(),
    }));
    found
}

/// What `code` names of storage, with its module.
fn names(code: &str) -> BTreeSet<String> {
    let mut paths = Vec::new();
    for (at, _) in code.match_indices("gateway_storage::") {
        tree(code.get(at..).unwrap_or_default(), &[], &mut paths);
    }
    paths.iter().filter_map(|path| Some(path.get(1..)?.join("::"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &str)], known: &[(&str, &str)]) -> Vec<String> {
        let source =
            |(path, text): &(&str, &str)| Source { path: (*path).to_owned(), text: (*text).to_owned() };
        let files: Vec<_> = files.iter().map(source).collect();
        unknown_names(&files, known).into_iter().map(|violation| violation.what).collect()
    }

    #[test]
    fn a_surface_that_names_storage_is_found_with_every_name() {
        let files = [
            ("host/http/src/a.rs", "use gateway_storage::{Db, invoices::{Filter, Place}};\n"),
            ("host/finance/src/a.rs", "use gateway_storage::Db;\n"),
        ];
        assert_eq!(
            found(&files, &[]),
            ["Db", "invoices::Filter", "invoices::Place"]
                .map(|name| format!("a surface names {name} of gateway-storage"))
        );
    }

    #[test]
    fn a_known_name_is_passed_over_until_it_is_gone() {
        let known = [("host/http/", "Db")];
        assert_eq!(found(&[("host/http/src/a.rs", "fn a(db: &gateway_storage::Db) {}\n")], &known), [""; 0]);
        assert_eq!(found(&[("host/cli/src/a.rs", "\n")], &known).len(), 1);
    }
}
