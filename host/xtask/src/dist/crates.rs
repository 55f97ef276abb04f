//! Which crates are in what is shipped, in the binary and in the components, and what is known of them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use cargo_metadata::{DependencyKind, Metadata, Package, PackageId};

use crate::workspace;
use house_rules::lock::packages;

/// What ends up in a file that is shipped; code that only runs while it is built is left out.
const LINKED: &str = "normal,no-proc-macro";
/// That code besides: build scripts, macros.
const COMPILED: &str = "normal,build";

/// Packages that are built together for one target.
pub(super) struct Build {
    pub(super) packages: Vec<String>,
    pub(super) target: String,
}

/// A crate of a build, the builds together.
pub(super) struct Crate<'m> {
    pub(super) package: &'m Package,
    /// In a file that is shipped; else it only runs while those are built.
    pub(super) linked: bool,
    /// The SHA-256 of what was downloaded; none for ours.
    pub(super) checksum: Option<String>,
    /// The crates of the builds that it uses.
    pub(super) uses: Vec<&'m Package>,
}

impl Crate<'_> {
    /// The expression of SPDX; a slash is how OR was written once.
    pub(super) fn licence(&self) -> String {
        self.package.license.as_deref().unwrap_or_default().replace('/', " OR ")
    }

    /// Where its sources are.
    pub(super) fn folder(&self) -> PathBuf {
        let manifest = self.package.manifest_path.as_std_path();
        manifest.parent().unwrap_or(manifest).to_owned()
    }

    /// Whether it comes from a registry.
    pub(super) fn is_foreign(&self) -> bool {
        self.package.source.is_some()
    }
}

/// Every crate of the builds, by name and version.
pub(super) fn of<'m>(graph: &'m Metadata, lock: &str, builds: &[Build]) -> Result<Vec<Crate<'m>>> {
    let mut linked = BTreeSet::new();
    let mut compiled = BTreeSet::new();
    for build in builds {
        linked.extend(tree(build, LINKED)?);
        compiled.extend(tree(build, COMPILED)?);
    }
    compiled.extend(linked.iter().cloned());
    let checksums: BTreeMap<(&str, &str), &str> = packages(lock)
        .filter_map(|package| Some(((package.name, package.version), package.checksum?)))
        .collect();
    let by_id: BTreeMap<&PackageId, &Package> =
        graph.packages.iter().map(|package| (&package.id, package)).collect();
    let edges = edges(graph)?;
    let mut crates: Vec<Crate<'_>> = graph
        .packages
        .iter()
        .filter(|package| compiled.contains(&key(package)))
        .map(|package| {
            let used = edges.get(&package.id).into_iter().flatten();
            let used = used.filter_map(|id| by_id.get(id).copied());
            let mut used: Vec<&Package> = used.filter(|used| compiled.contains(&key(used))).collect();
            used.sort_by_key(|used| key(used));
            let version = package.version.to_string();
            let checksum = checksums.get(&(package.name.as_str(), version.as_str()));
            Crate {
                package,
                linked: linked.contains(&key(package)),
                checksum: checksum.map(|text| (*text).to_owned()),
                uses: used,
            }
        })
        .collect();
    crates.sort_by_key(|one| key(one.package));
    ensure!(crates.len() == compiled.len(), "`cargo tree` and `cargo metadata` name different crates");
    Ok(crates)
}

fn key(package: &Package) -> (String, String) {
    (package.name.to_string(), package.version.to_string())
}

/// What each package uses to run or to be built, whatever the features.
fn edges(graph: &Metadata) -> Result<BTreeMap<&PackageId, Vec<&PackageId>>> {
    let resolve = graph.resolve.as_ref().context("cargo metadata gave no graph")?;
    Ok(resolve
        .nodes
        .iter()
        .map(|node| {
            let built = node
                .deps
                .iter()
                .filter(|used| used.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development));
            (&node.id, built.map(|used| &used.pkg).collect())
        })
        .collect())
}

/// The names and versions of what a build compiles along edges of these kinds. `cargo tree` knows the features of this build;
/// `cargo metadata` knows those of the whole workspace, tests included.
fn tree(build: &Build, edges: &str) -> Result<Vec<(String, String)>> {
    let mut cargo = workspace::cargo();
    cargo.args(["tree", "--locked", "--prefix", "none", "--edges", edges, "--target", &build.target]);
    for package in &build.packages {
        cargo.args(["--package", package]);
    }
    let output = cargo.output().context("could not start cargo")?;
    ensure!(
        output.status.success(),
        "`cargo tree` failed: {}",
        String::from_utf8_lossy(&output.stderr).trim()
    );
    Ok(listed(&String::from_utf8_lossy(&output.stdout)))
}

/// `NAME vVERSION …` on each line.
fn listed(tree: &str) -> Vec<(String, String)> {
    let named = tree.lines().filter_map(|line| {
        let mut words = line.split(' ');
        Some((words.next()?.to_owned(), words.next()?.strip_prefix('v')?.to_owned()))
    });
    named.collect()
}

/// The target of this machine.
pub(super) fn host() -> Result<String> {
    let output = rustc(&["-vV"])?;
    let host = output.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc names no host")?.to_owned())
}

/// The version of the compiler, whose standard library is in every file.
pub(super) fn compiler() -> Result<String> {
    let output = rustc(&["--version"])?;
    Ok(output.split(' ').nth(1).context("rustc names no version")?.to_owned())
}

fn rustc(arguments: &[&str]) -> Result<String> {
    let mut rustc = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| Path::new("rustc").into()));
    let output = rustc.current_dir(workspace::root()).args(arguments).output();
    let output = output.context("could not start rustc: install Rust with rustup")?;
    String::from_utf8(output.stdout).context("rustc does not write UTF-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_read_line_by_line() {
        let tree = "gateway v0.1.0 (/sources/host/gateway)\nserde v1.0.228\nserde_derive v1.0.228 (proc-macro) (*)\n\n";
        let expected = [("gateway", "0.1.0"), ("serde", "1.0.228"), ("serde_derive", "1.0.228")];
        assert_eq!(listed(tree), expected.map(|(name, version)| (name.to_owned(), version.to_owned())));
    }

    #[test]
    fn what_only_runs_while_a_crate_is_built_is_told_apart_from_what_is_linked() {
        let graph = workspace::graph().unwrap();
        let build = Build { packages: vec!["xtask".to_owned()], target: host().unwrap() };
        let crates = of(&graph, "", &[build]).unwrap();
        let find = |name: &str| crates.iter().find(|one| one.package.name == name);
        assert!(find("semver").is_some_and(|one| one.linked && one.is_foreign()));
        assert!(find("serde_derive").is_some_and(|one| !one.linked));
        assert!(find("tempfile").is_none(), "needed by tests alone");
        let own = find("xtask").unwrap();
        assert!(own.uses.iter().any(|used| used.name == "anyhow") && !own.is_foreign());
    }
}
