//! Which crate may use what: heavy dependencies have one home, and our crates point one way.

use std::collections::{BTreeSet, HashMap};
use std::fs;

use anyhow::{Context as _, Result};
use cargo_metadata::{DependencyKind, Metadata, PackageId};

use super::Violation;
use super::directions::{DIRECTIONS, FOLDERS, HOMES, RULES, TEST_DEPENDENCIES, TEST_HELPERS, Uses};

/// Where the rules say what they need of the outside world. The crates whose names begin so hold rules, and nothing in their trees
/// is of that world.
const PORTS: &str = "gateway-domain";
const NEVER_IN_PURE: [&str; 5] = ["axum", "reqwest", "sqlx", "tokio", "wasmtime"];

/// One of our crates, as its manifest tells it.
pub(super) struct Member {
    pub(super) name: String,
    /// Relative to the root of the workspace.
    pub(super) manifest: String,
    pub(super) text: String,
    pub(super) dependencies: Vec<Dependency>,
    /// Builds a `cdylib`.
    pub(super) dynamic: bool,
    /// `package.metadata.einvoicing.component`, true or false.
    pub(super) component: Option<bool>,
}

pub(super) struct Dependency {
    pub(super) name: String,
    /// Only tests need it: a dev-dependency, or the starter of a server behind a feature.
    pub(super) for_tests: bool,
    /// One of our crates.
    pub(super) ours: bool,
}

pub(super) fn members(graph: &Metadata) -> Result<Vec<Member>> {
    let packages = graph.workspace_packages();
    let names: BTreeSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let member = |package: &&cargo_metadata::Package| {
        let path = &package.manifest_path;
        let manifest = path.strip_prefix(&graph.workspace_root).unwrap_or(path);
        let dependencies = package.dependencies.iter().map(|needed| Dependency {
            name: needed.name.clone(),
            for_tests: needed.kind == DependencyKind::Development
                || (needed.optional && TEST_HELPERS.contains(&needed.name.as_str())),
            ours: needed.path.is_some() && names.contains(needed.name.as_str()),
        });
        Ok(Member {
            name: package.name.to_string(),
            manifest: manifest.to_string(),
            text: fs::read_to_string(path).with_context(|| format!("could not read {path}"))?,
            dependencies: dependencies.collect(),
            dynamic: package.targets.iter().any(cargo_metadata::Target::is_cdylib),
            component: package.metadata.get("einvoicing").and_then(|own| own.get("component")?.as_bool()),
        })
    };
    packages.iter().map(member).collect()
}

impl Member {
    /// At the line of the manifest that names `word`, else at the first.
    fn violation(&self, word: &str, what: String, remedy: String) -> Violation {
        let names = |line: &str| {
            let line = line.trim_start();
            line.strip_prefix(word).is_some_and(|rest| rest.starts_with([' ', '.', '=']))
        };
        let line = self.text.lines().position(names).map_or(1, |index| index + 1);
        Violation { file: self.manifest.clone(), line, what, remedy }
    }
}

/// A dependency outside its home. What only tests need is free: it reaches no user.
pub(super) fn homes(members: &[Member]) -> Vec<Violation> {
    let mut found = Vec::new();
    for member in members {
        for needed in member.dependencies.iter().filter(|needed| !needed.for_tests) {
            let home = HOMES.iter().find(|(name, _)| *name == needed.name);
            if let Some((name, homes)) = home.filter(|(_, homes)| !homes.contains(&member.name.as_str())) {
                let homes = homes.join(" and ");
                found.push(member.violation(
                    name,
                    format!("{} uses {name}, whose home is {homes}", member.name),
                    format!("move the code there, or call it through a port of {PORTS}"),
                ));
            }
        }
    }
    found
}

/// What the table allows a crate and its manifest does not name: the table says what is, not what could be.
pub(super) fn idle_permissions(members: &[Member]) -> Vec<Violation> {
    let mut found = Vec::new();
    for member in members {
        let own = DIRECTIONS.iter().find(|(name, _)| *name == member.name);
        let names = match own.map(|(_, uses)| uses) {
            Some(Uses::Only(names) | Uses::Rules(names)) => *names,
            Some(Uses::EveryHostCrate | Uses::Everything) | None => &[],
        };
        for name in names.iter().filter(|name| member.dependencies.iter().all(|one| one.name != **name)) {
            found.push(member.violation(
                "name",
                format!("{} may use {name} and does not", member.name),
                "take it off DIRECTIONS in host/house-rules/src/directions.rs".to_owned(),
            ));
        }
    }
    found
}

/// One of our crates that uses another against the table; its tests are held to the table too, except that they
/// may start servers.
pub(super) fn directions(members: &[Member]) -> Vec<Violation> {
    let mut found = Vec::new();
    let folder: HashMap<&str, &str> =
        members.iter().map(|member| (member.name.as_str(), member.manifest.as_str())).collect();
    for member in members {
        let own = DIRECTIONS.iter().find(|(name, _)| *name == member.name);
        let folders = || FOLDERS.iter().find(|(folder, _)| member.manifest.starts_with(folder));
        let Some((_, uses)) = own.or_else(folders) else {
            found.push(member.violation(
                "name",
                format!("nothing says which of our crates {} may use", member.name),
                "add it to DIRECTIONS in host/house-rules/src/directions.rs".to_owned(),
            ));
            continue;
        };
        for needed in member.dependencies.iter().filter(|needed| needed.ours) {
            let allowed = match uses {
                Uses::Only(names) => names.contains(&needed.name.as_str()),
                Uses::Rules(names) => {
                    [names, &RULES[..]].iter().any(|names| names.contains(&needed.name.as_str()))
                }
                Uses::EveryHostCrate => {
                    needed.name != "xtask"
                        && folder.get(needed.name.as_str()).is_some_and(|folder| folder.starts_with("host/"))
                }
                Uses::Everything => true,
            };
            // A crate that names itself switches on its own features for its tests.
            let name = needed.name.as_str();
            let joined =
                TEST_DEPENDENCIES.iter().any(|(own, with)| *own == member.name && with.contains(&name));
            let for_tests =
                needed.for_tests && (joined || TEST_HELPERS.contains(&name) || name == member.name);
            if !(allowed || for_tests) {
                found.push(member.violation(
                    &needed.name,
                    format!(
                        "{} uses {}, which is against the direction of the crates",
                        member.name, needed.name
                    ),
                    "turn the call around, or let the binary connect the two".to_owned(),
                ));
            }
        }
    }
    found
}

/// A crate that does not take the workspace's lints, and so escapes clippy's half of the rules.
pub(super) fn strict_lints(members: &[Member]) -> Vec<Violation> {
    let takes_them = |member: &&Member| {
        let mut lines = member.text.lines().map(str::trim);
        lines.any(|line| line == "[lints]") && lines.next() == Some("workspace = true")
    };
    members
        .iter()
        .filter(|member| !takes_them(member))
        .map(|member| {
            let what = format!("{} does not take the lints of the workspace", member.name);
            member.violation("[lints]", what, "write `[lints]` and below it `workspace = true`".to_owned())
        })
        .collect()
}

/// A plugin that `cargo xtask plugins` would leave out because it does not say what it is.
pub(super) fn plugins(members: &[Member]) -> Vec<Violation> {
    members
        .iter()
        .filter(|member| {
            member.manifest.starts_with("plugins/") && member.dynamic && member.component.is_none()
        })
        .map(|member| {
            let what = format!("{} builds a cdylib but does not say whether it is a plugin", member.name);
            let remedy = "write `[package.metadata.einvoicing]` and below it `component = true`";
            member.violation("crate-type", what, remedy.to_owned())
        })
        .collect()
}

/// What the trees of the crates with rules hold of the outside world.
pub(super) fn purity(graph: &Metadata, members: &[Member]) -> Result<Vec<Violation>> {
    let pure = members.iter().filter(|member| member.name.starts_with(PORTS));
    let found = pure.map(|member| Ok(impurities(member, &names_below(graph, &member.name)?)));
    Ok(found.collect::<Result<Vec<_>>>()?.concat())
}

fn impurities(member: &Member, names: &BTreeSet<String>) -> Vec<Violation> {
    let held = NEVER_IN_PURE.iter().filter(|name| names.contains(**name));
    held.map(|name| {
        let remedy = format!("find the way with `cargo tree -p {} -i {name}` and cut it", member.name);
        member.violation(name, format!("{name} is in the dependency tree of {}", member.name), remedy)
    })
    .collect()
}

/// The names of all packages that a build of `package` compiles, without its tests.
fn names_below(graph: &Metadata, package: &str) -> Result<BTreeSet<String>> {
    let resolve = graph.resolve.as_ref().context("cargo metadata gave no graph")?;
    let nodes: HashMap<&PackageId, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let members = graph.workspace_packages();
    let root = members.iter().find(|member| member.name == package);
    let mut open = vec![&root.with_context(|| format!("there is no crate {package}"))?.id];
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !reached.insert(id) {
            continue;
        }
        let node = nodes.get(id).context("cargo metadata gave half a graph")?;
        let built = node.deps.iter().filter(|dependency| {
            dependency.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development)
        });
        open.extend(built.map(|dependency| &dependency.pkg));
    }
    let packages = graph.packages.iter().filter(|package| reached.contains(&package.id));
    Ok(packages.map(|package| package.name.to_string()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cargo_metadata::MetadataCommand;

    fn member(folder: &str, name: &str, needs: &[&str]) -> Member {
        let lines: Vec<String> = needs.iter().map(|needed| format!("{needed}.workspace = true\n")).collect();
        let lines = lines.concat();
        Member {
            name: name.to_owned(),
            manifest: format!("{folder}/Cargo.toml"),
            text: format!("[package]\nname = \"{name}\"\n[lints]\nworkspace = true\n[dependencies]\n{lines}"),
            dependencies: needs
                .iter()
                .map(|needed| Dependency {
                    name: (*needed).to_owned(),
                    for_tests: false,
                    ours: needed.starts_with("gateway") || needed.starts_with("einvoice-"),
                })
                .collect(),
            dynamic: false,
            component: None,
        }
    }

    fn to_lines(found: &[Violation]) -> Vec<String> {
        found.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_dependency_outside_its_home_is_found_at_its_line() {
        let members = [
            member("host/storage", "gateway-storage", &["sqlx"]),
            member("host/finance", "gateway-finance", &["serde", "sqlx"]),
        ];
        assert_eq!(
            to_lines(&homes(&members)),
            [
                "host/finance/Cargo.toml:7: gateway-finance uses sqlx, whose home is gateway-database and gateway-storage and gateway-storage-access and gateway-storage-documents and gateway-storage-platform and gateway-storage-plugins and gateway-storage-provider and gateway-storage-tables — \
              move the code there, or call it through a port of gateway-domain"
            ]
        );
    }

    #[test]
    fn what_only_tests_need_has_no_home() {
        let mut tested = member("host/finance", "gateway-finance", &["axum"]);
        tested.dependencies[0].for_tests = true;
        assert_eq!(homes(&[tested]), []);
    }

    #[test]
    fn the_domain_uses_none_of_our_crates_and_a_plugin_none_of_the_host() {
        let members = [
            member("host/domain", "gateway-domain", &["gateway-storage"]),
            member("host/storage", "gateway-storage", &["gateway-domain"]),
            member("plugins/pt", "pt-saft", &["einvoice-plugin", "gateway-domain"]),
        ];
        let found = directions(&members);
        let files: Vec<&str> = found.iter().map(|violation| violation.file.as_str()).collect();
        assert_eq!(files, ["host/domain/Cargo.toml", "plugins/pt/Cargo.toml"]);
    }

    #[test]
    fn the_binary_uses_every_host_crate_but_neither_tests_nor_plugins() {
        let binary = ["gateway-finance", "gateway-domain", "gateway-tests", "einvoice-es"];
        let members = [
            member("host/finance", "gateway-finance", &[]),
            member("host/domain", "gateway-domain", &[]),
            member("tests", "gateway-tests", &["gateway", "einvoice-es"]),
            member("plugins/es", "einvoice-es", &[]),
            member("host/gateway", "gateway", &binary),
        ];
        assert_eq!(directions(&members).len(), 2);
    }

    #[test]
    fn a_permission_that_no_manifest_uses_is_found() {
        let events = member("host/events", "gateway-events", &["gateway-domain", "gateway-storage"]);
        assert_eq!(idle_permissions(std::slice::from_ref(&events)), []);
        let found = idle_permissions(&[member("host/events", "gateway-events", &["gateway-domain"])]);
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_crate_that_the_table_does_not_know_is_found() {
        let found = directions(&[member("host/utils", "gateway-utils", &[])]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].line, 2);
    }

    #[test]
    fn only_tests_may_start_postgresql() {
        let mut storage = member("host/storage", "gateway-storage", &["gateway-test-postgres"]);
        assert_eq!(
            directions(&[member("host/storage", "gateway-storage", &["gateway-test-postgres"])]).len(),
            1
        );
        storage.dependencies[0].for_tests = true;
        assert_eq!(directions(&[storage]), []);
    }

    #[test]
    fn what_the_tests_of_a_crate_join_is_not_what_it_ships() {
        let mut finance = member("host/finance", "gateway-finance", &["gateway-webhooks"]);
        assert_eq!(directions(&[member("host/finance", "gateway-finance", &["gateway-webhooks"])]).len(), 1);
        finance.dependencies[0].for_tests = true;
        assert_eq!(directions(&[finance]), []);
    }

    #[test]
    fn a_crate_may_name_itself_to_switch_on_features_for_its_tests() {
        let mut sdk = member("plugins/sdk", "einvoice-plugin", &["einvoice-plugin"]);
        assert_eq!(directions(&[member("plugins/sdk", "einvoice-plugin", &["einvoice-plugin"])]).len(), 1);
        sdk.dependencies[0].for_tests = true;
        assert_eq!(directions(&[sdk]), []);
    }

    #[test]
    fn a_crate_without_the_lints_of_the_workspace_is_found() {
        let mut lax = member("host/finance", "gateway-finance", &[]);
        assert_eq!(strict_lints(&[member("host/finance", "gateway-finance", &[])]), []);
        lax.text = lax.text.replace("[lints]\nworkspace = true\n", "");
        assert_eq!(strict_lints(&[lax]).len(), 1);
    }

    #[test]
    fn a_plugin_that_does_not_say_so_is_found() {
        let mut plugin = member("plugins/pt", "pt-saft", &[]);
        assert_eq!(plugins(&[member("plugins/es", "einvoice-es", &[])]), [], "a library is no plugin");
        plugin.dynamic = true;
        plugin.component = Some(true);
        assert_eq!(plugins(std::slice::from_ref(&plugin)), []);
        plugin.component = None;
        assert_eq!(plugins(&[plugin]).len(), 1);
    }

    #[test]
    fn the_outside_world_in_the_tree_of_the_domain_is_found() {
        let domain = member("host/domain-lists", "gateway-domain-lists", &[]);
        let tree = ["gateway-domain", "serde", "tokio", "wasmtime"].map(str::to_owned).into();
        assert_eq!(impurities(&domain, &tree).len(), 2);
    }

    #[test]
    fn the_tree_of_a_crate_holds_what_its_dependencies_need_but_not_what_tests_need() {
        let tree = names_below(&MetadataCommand::new().exec().unwrap(), "xtask").unwrap();
        assert!(tree.contains("semver"), "needed by cargo_metadata");
        assert!(!tree.contains("tempfile"), "needed by tests alone");
    }
}
