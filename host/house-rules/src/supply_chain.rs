//! What is built in from others: from one registry, as it was locked, under licences that ours goes with, and each crate
//! once unless it is said why not. `deny.toml` says the same to `cargo deny`, which knows of advisories besides.

use std::collections::{BTreeMap, BTreeSet};

use cargo_metadata::Metadata;

use super::Violation;
use crate::lock::packages;

/// Licences under which a crate may be used in a program under Apache-2.0, by their SPDX identifiers.
const LICENCES: [&str; 14] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Crates that are there in several versions, and what holds the older one.
const DUPLICATES: [(&str, &str); 32] = [
    ("allocator-api2", "hashbrown holds 0.2"),
    ("base64", "async-graphql, async-nats, jsonwebtoken and sqlx hold 0.22"),
    ("block-buffer", "comes with digest"),
    ("cpufeatures", "comes with sha2"),
    ("crypto-common", "comes with digest"),
    ("darling", "derive_builder of oci-client holds 0.20"),
    ("darling_core", "comes with darling"),
    ("darling_macro", "comes with darling"),
    ("digest", "comes with sha2"),
    ("embedded-io", "postcard of Wasmtime names two, and uses neither"),
    ("getrandom", "jsonwebtoken holds 0.2, jsonschema 0.3"),
    ("hashbrown", "governor, gimli of Wasmtime and sqlx hold 0.16"),
    ("io-lifetimes", "fs-set-times of wasmtime-wasi holds 2"),
    ("miniz_oxide", "png of the renderer holds 0.8"),
    ("nom", "x509-parser holds 7"),
    ("r-efi", "comes with getrandom"),
    ("rand", "opentelemetry_sdk holds 0.9"),
    ("rand_core", "signature of jsonwebtoken holds 0.6"),
    ("sha2", "Cranelift, Wasmtime and sqlx hold 0.10"),
    ("strum", "async-graphql-derive holds 0.27"),
    ("strum_macros", "comes with strum"),
    ("syn", "half of the derive macros hold 2"),
    ("synstructure", "asn1-rs-derive of x509-parser holds 0.13"),
    ("tower-http", "reqwest holds 0.6"),
    ("untrusted", "aws-lc-rs holds 0.7"),
    ("wasm-encoder", "Wasmtime and wit-bindgen follow different releases of wasm-tools"),
    ("wasm-metadata", "as wasm-encoder"),
    ("wasmparser", "as wasm-encoder"),
    ("windows-sys", "never built for what the gateway runs on"),
    ("wit-bindgen", "wasip2 holds 0.57, for a target that nothing here is built for"),
    ("wit-component", "as wasm-encoder"),
    ("wit-parser", "as wasm-encoder"),
];

/// Every crate of another licence or source, and every one in more versions than is explained.
pub(super) fn check(graph: &Metadata, lock: &str) -> Vec<Violation> {
    let strange = graph.packages.iter().filter(|package| package.source.is_some()).filter_map(|package| {
        let licence = package.license.as_deref().unwrap_or_default();
        let what = match package.source.as_ref() {
            Some(source) if !source.is_crates_io() => format!("{} comes from {source}", package.name),
            _ if !is_allowed(licence) => {
                format!("{} {} is under '{licence}'", package.name, package.version)
            }
            _ => return None,
        };
        Some(violation(what, "use another crate, or have the licence looked at and add it to the list"))
    });
    let unlocked = packages(lock).filter(|package| package.from_elsewhere && package.checksum.is_none());
    let unlocked = unlocked.map(|package| {
        violation(
            format!("{} is locked without a checksum", package.name),
            "lock it again: `cargo update -p`",
        )
    });
    strange.chain(unlocked).chain(duplicates(lock)).collect()
}

pub(super) fn violation(what: String, remedy: &str) -> Violation {
    Violation { file: "Cargo.lock".to_owned(), line: 1, what, remedy: remedy.to_owned() }
}

fn duplicates(lock: &str) -> Vec<Violation> {
    let mut versions: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for package in packages(lock) {
        versions.entry(package.name).or_default().insert(package.version);
    }
    let several: BTreeMap<_, _> = versions.into_iter().filter(|(_, versions)| versions.len() > 1).collect();
    let explained: BTreeSet<&str> = DUPLICATES.iter().map(|(name, _)| *name).collect();
    let unexplained =
        several.iter().filter(|(name, _)| !explained.contains(*name)).map(|(name, versions)| {
            let versions: Vec<_> = versions.iter().copied().collect();
            violation(
                format!("{name} is there as {}", versions.join(" and ")),
                "use the version that is there, or say who holds the other one",
            )
        });
    let gone = explained
        .iter()
        .filter(|name| !several.contains_key(*name))
        .map(|name| violation(format!("{name} is there once"), "take it off the list of duplicates"));
    unexplained.chain(gone).collect()
}

/// Whether an SPDX expression leaves a choice that is allowed: one side of each OR, both of each AND.
fn is_allowed(expression: &str) -> bool {
    // A slash is how OR was written once.
    let expression = expression.replace('/', " OR ");
    split(&expression, " AND ").iter().all(|part| {
        let part = part.trim();
        match part.strip_prefix('(').and_then(|part| part.strip_suffix(')')) {
            Some(inner) => is_allowed(inner),
            None => split(part, " OR ").iter().any(|licence| LICENCES.contains(&licence.trim())),
        }
    })
}

/// Splits where no parenthesis is open.
fn split<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let (mut parts, mut start, mut depth) = (Vec::new(), 0, 0_usize);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 && at >= start && text.get(at..).is_some_and(|rest| rest.starts_with(separator)) {
            parts.extend(text.get(start..at));
            start = at + separator.len();
        }
    }
    parts.extend(text.get(start..));
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_licence_is_allowed_when_it_leaves_an_allowed_choice() {
        for allowed in [
            "MIT",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "ISC AND (Apache-2.0 OR GPL-2.0)",
            "Apache-2.0 WITH LLVM-exception",
        ] {
            assert!(is_allowed(allowed), "{allowed}");
        }
        for refused in
            ["", "GPL-3.0", "MIT AND GPL-3.0", "(MIT OR Apache-2.0) AND GPL-2.0", "AGPL-3.0 OR SSPL-1.0"]
        {
            assert!(!is_allowed(refused), "{refused}");
        }
    }

    #[test]
    fn a_second_version_needs_an_explanation_and_an_explanation_a_second_version() {
        let package =
            |name: &str, version: &str| format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\n");
        let lock = [package("axum", "0.8.9"), package("axum", "0.7.0"), package("syn", "2.0.0")].concat();
        let found: Vec<_> = duplicates(&lock).into_iter().map(|violation| violation.what).collect();
        assert_eq!(found[0], "axum is there as 0.7.0 and 0.8.9");
        assert!(found.contains(&"syn is there once".to_owned()), "{found:?}");
    }
}
