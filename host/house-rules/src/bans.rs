//! Crates that `deny.toml` bans, or gives to some of our crates only: what `cargo deny check bans` refuses, from `Cargo.lock`
//! and our manifests alone.

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::crates::Member;
use super::directions::HOMES;
use super::supply_chain::violation;
use crate::lock::{LockedPackage, packages};

/// A crate that nobody may use but its wrappers.
#[derive(Debug, PartialEq, Eq)]
struct Ban<'d> {
    name: &'d str,
    wrappers: BTreeSet<&'d str>,
}

/// Every crate of the lock that is banned, with who uses it. As for `cargo deny`, what only our tests need is not built in.
pub(super) fn check(deny: &str, lock: &str, members: &[Member]) -> Vec<Violation> {
    let dependents = dependents(lock, members);
    let mut found: Vec<_> = unread(deny).collect();
    for ban in bans(deny) {
        let Some(users) = dependents.get(ban.name) else { continue };
        let others: Vec<_> = users.difference(&ban.wrappers).copied().collect();
        // Whoever is not used by anybody has no place in a lock, and is not let through either.
        let what = match (others.as_slice(), users.is_empty()) {
            ([], false) => continue,
            ([], true) => format!("{} is banned in deny.toml", ban.name),
            (others, _) => format!("{} is banned in deny.toml, and used by {}", ban.name, others.join(", ")),
        };
        found.push(violation(what, "do without it, or name who may use it as a wrapper in deny.toml"));
    }
    found
}

/// Every locked crate that a build compiles, with the crates that use it.
fn dependents<'l>(lock: &'l str, members: &[Member]) -> BTreeMap<&'l str, BTreeSet<&'l str>> {
    let locked: Vec<LockedPackage<'_>> = packages(lock).collect();
    let needed: Vec<&str> = locked.iter().flat_map(|package| package.dependencies.iter().copied()).collect();
    let is_root = |package: &LockedPackage<'_>| {
        members.iter().any(|member| member.name == package.name)
            || !needed.iter().any(|needed| is_named(package, needed))
    };
    let mut open: Vec<&LockedPackage<'_>> = locked.iter().filter(|package| is_root(package)).collect();
    let mut reached: BTreeSet<_> = open.iter().map(|package| (package.name, package.version)).collect();
    let mut dependents: BTreeMap<_, _> = open.iter().map(|package| (package.name, BTreeSet::new())).collect();
    while let Some(package) = open.pop() {
        for needed in package.dependencies.iter().filter(|needed| is_built(members, package.name, needed)) {
            let Some(needed) = locked.iter().find(|one| is_named(one, needed)) else { continue };
            dependents.entry(needed.name).or_default().insert(package.name);
            if reached.insert((needed.name, needed.version)) {
                open.push(needed);
            }
        }
    }
    dependents
}

/// Whether a line of `dependencies` names the package.
fn is_named(package: &LockedPackage<'_>, needed: &str) -> bool {
    let mut words = needed.split(' ');
    words.next() == Some(package.name) && words.next().is_none_or(|version| version == package.version)
}

/// Whether the crate `name` needs another one for more than its tests.
fn is_built(members: &[Member], name: &str, needed: &str) -> bool {
    let needed = needed.split(' ').next();
    let Some(member) = members.iter().find(|member| member.name == name) else { return true };
    let mut uses = member.dependencies.iter().filter(|one| Some(one.name.as_str()) == needed).peekable();
    uses.peek().is_none() || uses.any(|one| !one.for_tests)
}

/// The lines between the brackets of `deny` in `[bans]`.
fn denied(deny: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = deny.lines().map(str::trim).enumerate().skip_while(|(_, line)| *line != "[bans]").skip(1);
    let lines =
        lines.take_while(|(_, line)| !line.starts_with('[')).skip_while(|(_, line)| *line != "deny = [");
    let lines = lines.skip(1).take_while(|(_, line)| *line != "]");
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

fn bans(deny: &str) -> impl Iterator<Item = Ban<'_>> {
    denied(deny).filter_map(|(_, line)| ban(line))
}

/// Lines that this does not read as `cargo deny` does: what they ban would be let through.
fn unread(deny: &str) -> impl Iterator<Item = Violation> {
    denied(deny).filter(|(_, line)| ban(line).is_none()).map(|(index, line)| Violation {
        file: "deny.toml".to_owned(),
        line: index + 1,
        what: format!("`{line}` is no line that tidy can read"),
        remedy: "write `{ crate = \"NAME\", wrappers = [\"CRATE\"] },` on one line, without a version"
            .to_owned(),
    })
}

/// One line `{ crate = "NAME", wrappers = ["CRATE", …] },` or `{ crate = "NAME", reason = "…" },`.
fn ban(line: &str) -> Option<Ban<'_>> {
    let (name, rest) = line.strip_prefix("{ crate = \"")?.strip_suffix(" },")?.split_once('"')?;
    let wrappers = match rest.split_once("wrappers = [") {
        Some((_, wrappers)) => wrappers.split_once(']')?.0,
        None if rest.is_empty() || rest.starts_with(", reason = \"") => "",
        None => return None,
    };
    let wrappers = wrappers.split('"').skip(1).step_by(2).collect();
    (!name.contains([':', '@', ' '])).then_some(Ban { name, wrappers })
}

/// Every dependency whose home `deny.toml` and our own table tell differently. Crates of others that bring it along stand in
/// `deny.toml` alone.
pub(super) fn homes(deny: &str) -> Vec<Violation> {
    differing_homes(deny, &HOMES)
}

/// The program that builds us is ours too.
fn is_ours(name: &str) -> bool {
    name.starts_with("gateway") || name == "xtask"
}

fn differing_homes(deny: &str, homes: &[(&str, &[&str])]) -> Vec<Violation> {
    let bans: BTreeMap<&str, BTreeSet<&str>> = bans(deny)
        .filter(|ban| !ban.wrappers.is_empty())
        .map(|ban| (ban.name, ban.wrappers.into_iter().filter(|name| is_ours(name)).collect()))
        .collect();
    let ours: BTreeMap<&str, BTreeSet<&str>> =
        homes.iter().map(|(name, homes)| (*name, homes.iter().copied().collect())).collect();
    let names: BTreeSet<&str> = bans.keys().chain(ours.keys()).copied().collect();
    let listed = |homes: Option<&BTreeSet<&str>>| {
        homes
            .map_or_else(|| "nobody".to_owned(), |homes| homes.iter().copied().collect::<Vec<_>>().join(", "))
    };
    let differing = names.into_iter().filter(|name| bans.get(name) != ours.get(name));
    differing
        .map(|name| Violation {
            file: "deny.toml".to_owned(),
            line: 1,
            what: format!(
                "{name} may be used by {} here, and by {} in directions.rs",
                listed(bans.get(name)),
                listed(ours.get(name))
            ),
            remedy: "name the same crates of ours in both".to_owned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::crates::Dependency;
    use super::*;

    const DENY: &str = concat!(
        "[bans]\n",
        "deny = [\n",
        "  # A comment.\n",
        "  { crate = \"openssl\", reason = \"TLS is rustls\" },\n",
        "  { crate = \"sqlx\", wrappers = [\"gateway-storage\", \"other-sqlx\"] },\n",
        "  { crate = \"axum\", wrappers = [\"gateway\", \"gateway-http\"] },\n",
        "]\n",
        "[licenses]\n",
        "allow = [\n",
        "  \"MIT\",\n",
        "]\n",
    );

    fn package(name: &str, version: &str, dependencies: &[&str]) -> String {
        let lines: Vec<_> = dependencies.iter().map(|needed| format!(" \"{needed}\",\n")).collect();
        let lines = lines.concat();
        format!("[[package]]\nname = \"{name}\"\nversion = \"{version}\"\ndependencies = [\n{lines}]\n")
    }

    /// One of ours, which needs the second of each pair for its tests alone where the first says so.
    fn member(name: &str, dependencies: &[(bool, &str)]) -> Member {
        let dependencies = dependencies.iter().map(|(for_tests, needed)| Dependency {
            name: (*needed).to_owned(),
            for_tests: *for_tests,
            ours: false,
        });
        Member {
            name: name.to_owned(),
            manifest: String::new(),
            text: String::new(),
            dependencies: dependencies.collect(),
            dynamic: false,
            component: None,
        }
    }

    fn found(lock: &[String], members: &[Member]) -> Vec<String> {
        check(DENY, &lock.concat(), members).into_iter().map(|violation| violation.what).collect()
    }

    #[test]
    fn a_lock_with_a_banned_crate_is_refused_however_deep_it_is() {
        let members = [member("gateway", &[(false, "client")])];
        let lock = [
            package("gateway", "0.1.0", &["client"]),
            package("client", "1.0.0", &["native 2.0.0"]),
            package("native", "1.0.0", &[]),
            package("native", "2.0.0", &["openssl"]),
            package("openssl", "0.10.0", &[]),
        ];
        assert_eq!(found(&lock, &members), ["openssl is banned in deny.toml, and used by native"]);
        assert_eq!(found(&lock[4..], &members), ["openssl is banned in deny.toml"]);
        let tests_alone = [member("gateway", &[(true, "client")])];
        assert!(found(&lock, &tests_alone).is_empty());
    }

    #[test]
    fn a_crate_with_a_home_is_used_by_nobody_outside_but_by_tests() {
        let lock = [
            package("gateway-storage", "0.1.0", &["sqlx"]),
            package("gateway-finance", "0.1.0", &["mock", "sqlx"]),
            package("mock", "1.0.0", &["sqlx"]),
            package("sqlx", "0.9.0", &[]),
        ];
        let storage = || member("gateway-storage", &[(false, "sqlx")]);
        let tests = member("gateway-finance", &[(true, "mock"), (true, "sqlx")]);
        assert!(found(&lock, &[storage(), tests]).is_empty());
        let product = member("gateway-finance", &[(true, "mock"), (true, "sqlx"), (false, "sqlx")]);
        assert_eq!(
            found(&lock, &[storage(), product]),
            ["sqlx is banned in deny.toml, and used by gateway-finance"]
        );
    }

    #[test]
    fn a_ban_that_cannot_be_read_is_a_violation_and_no_permission() {
        for line in [
            "\"openssl\",",
            "{ crate = \"openssl@1\" },",
            "{ name = \"openssl\" },",
            "{ crate = \"a\", version = \"1\" },",
        ] {
            let deny = format!("[bans]\ndeny = [\n  {line}\n]\n");
            let found = check(&deny, "", &[]);
            assert_eq!((found.len(), found[0].line), (1, 3), "{line}");
        }
    }

    #[test]
    fn a_home_is_told_alike_in_both_places() {
        assert_eq!(bans(DENY).map(|ban| ban.name).collect::<Vec<_>>(), ["openssl", "sqlx", "axum"]);
        let alike: [(&str, &[&str]); 2] =
            [("axum", &["gateway-http", "gateway"]), ("sqlx", &["gateway-storage"])];
        assert!(differing_homes(DENY, &alike).is_empty());
        let other: [(&str, &[&str]); 2] = [("axum", &["gateway-http"]), ("clap", &["gateway-cli"])];
        let found: Vec<_> =
            differing_homes(DENY, &other).into_iter().map(|violation| violation.what).collect();
        assert_eq!(
            found,
            [
                "axum may be used by gateway, gateway-http here, and by gateway-http in directions.rs",
                "clap may be used by nobody here, and by gateway-cli in directions.rs",
                "sqlx may be used by gateway-storage here, and by nobody in directions.rs",
            ]
        );
    }

    #[test]
    fn our_own_table_and_deny_toml_agree() {
        let found = homes(include_str!("../../../deny.toml"));
        assert!(found.is_empty(), "{:?}", found.iter().map(|violation| &violation.what).collect::<Vec<_>>());
    }
}
