//! Circles between the modules of a crate: two that name each other can only be read together.
//!
//! What is compared are siblings: the children of one module. A module may name what its ancestors hold, and they name
//! their children; that is how a folder is put together. A name that an ancestor only hands on belongs to the module that
//! it comes from. Tests may name anything.

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::files::Source;
use super::sources::product_code;

/// Circles that are accepted: the module whose children they join, and these. There is none.
const CIRCLES_ACCEPTED: [(&str, &[&str]); 0] = [];

type Path = Vec<String>;
/// The children of a module that name each other: from, to.
type Edges = BTreeMap<Path, BTreeSet<(String, String)>>;

/// Every circle that is not known, and every known one that is gone.
pub(super) fn circles(files: &[Source]) -> Vec<Violation> {
    unknown_circles(files, &CIRCLES_ACCEPTED)
}

fn unknown_circles(files: &[Source], known: &[(&str, &[&str])]) -> Vec<Violation> {
    let mut known: BTreeSet<(String, Vec<String>)> = known
        .iter()
        .map(|(parent, names)| ((*parent).to_owned(), names.iter().map(|name| (*name).to_owned()).collect()))
        .collect();
    let mut found = Vec::new();
    for (parent, edges) in edges(files) {
        let parent = parent.join("::");
        for names in strongly_connected(&edges) {
            if !known.remove(&(parent.clone(), names.clone())) {
                found.push(Violation {
                    file: file_of(files, &parent),
                    line: 1,
                    what: format!("the modules {} of {parent} name each other in a circle", names.join(", ")),
                    remedy: "move what both need below them, or turn one call around".to_owned(),
                });
            }
        }
    }
    found.extend(known.into_iter().map(|(parent, names)| Violation {
        file: "host/house-rules/src/modules.rs".to_owned(),
        line: 1,
        what: format!("the modules {} of {parent} are no circle any more", names.join(", ")),
        remedy: "take them off the list of known circles".to_owned(),
    }));
    found
}

/// The file that holds a module, as far as it can be told from its name.
fn file_of(files: &[Source], module: &str) -> String {
    let named = files.iter().find(|file| module_of(&file.path).is_some_and(|path| path.join("::") == module));
    named.map_or_else(|| module.to_owned(), |file| file.path.clone())
}

/// `host/finance/src/commands/mod.rs` is `[host/finance, commands]`; none for what is no module of a library or program.
fn module_of(file: &str) -> Option<Path> {
    let (folder, inside) = file.split_once("/src/")?;
    let inside = inside.strip_suffix(".rs")?;
    let mut path = vec![folder.to_owned()];
    path.extend(inside.split('/').map(str::to_owned));
    match path.last().map(String::as_str) {
        Some("mod") => {
            path.pop();
        }
        Some("lib" | "main") if path.len() == 2 => {
            path.pop();
        }
        _ => {}
    }
    Some(path)
}

fn edges(files: &[Source]) -> Edges {
    let code: BTreeMap<Path, String> = files
        .iter()
        .filter(|file| file.is_rust() && !file.path.contains("/tests"))
        .filter_map(|file| Some((module_of(&file.path)?, product_code(&file.text))))
        .collect();
    let modules: BTreeSet<&Path> = code.keys().collect();
    let re_exported: BTreeMap<Path, ReExport> =
        code.iter().flat_map(|(module, code)| re_exports(module, code, &modules)).collect();
    let mut edges = Edges::new();
    for (module, code) in &code {
        for named in named_paths(code).into_iter().filter_map(|named| absolute(module, named)) {
            let named = origin(named, module, &re_exported);
            // The longest part of it that is a module; the rest are items.
            let known = (1..=named.len()).rev().filter_map(|length| named.get(..length));
            let Some(target) = known.into_iter().find(|part| modules.contains(&part.to_vec())) else {
                continue;
            };
            let shared = module.iter().zip(target).take_while(|(one, other)| one == other).count();
            if let (Some(from), Some(to), Some(parent)) =
                (module.get(shared), target.get(shared), module.get(..shared))
            {
                edges.entry(parent.to_vec()).or_default().insert((from.clone(), to.clone()));
            }
        }
    }
    edges
}

/// A name that a module has from another one.
struct ReExport {
    from: Path,
    /// What a plain `use` brings in only the module itself and those below it can name.
    within: Option<Path>,
}

/// What a module hands on under its own name: the name there, and where it comes from.
fn re_exports(module: &Path, code: &str, modules: &BTreeSet<&Path>) -> Vec<(Path, ReExport)> {
    let origin_of = |path: Path| {
        let child: Path = module.iter().chain(path.first()).cloned().collect();
        if modules.contains(&child) {
            return Some(module.iter().cloned().chain(path).collect());
        }
        absolute(module, path)
    };
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ") {
        let before = code.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default().trim();
        if !before.is_empty() && !before.starts_with("pub") {
            continue;
        }
        let mut named = Vec::new();
        tree(code.get(at + "use ".len()..).unwrap_or_default(), &[], &mut named);
        for path in named {
            let here = module.iter().chain(path.last()).cloned().collect();
            let Some(from) = origin_of(path).filter(|from| *from != here) else { continue };
            let within = before.is_empty().then(|| module.clone());
            found.push((here, ReExport { from, within }));
        }
    }
    found
}

/// Where a name comes from that modules hand on to `module`.
fn origin(mut named: Path, module: &Path, re_exported: &BTreeMap<Path, ReExport>) -> Path {
    // Each step leaves one module; a name that leads back to itself would be no program.
    for _ in 0..16 {
        let step = (1..=named.len()).find_map(|length| {
            let ReExport { from, within } = re_exported.get(named.get(..length)?)?;
            let is_visible = within.as_ref().is_none_or(|within| module.starts_with(within));
            let rest = named.get(length..).filter(|_| is_visible)?;
            Some([from, rest].concat())
        });
        match step {
            Some(next) if next != named => named = next,
            _ => break,
        }
    }
    named
}

/// `crate::a` and `super::a` seen from a module; none for a path into another crate.
fn absolute(module: &[String], named: Path) -> Option<Path> {
    let mut at: Path = match named.first()?.as_str() {
        "crate" => module.get(..1)?.to_vec(),
        "super" | "self" => module.to_vec(),
        _ => return None,
    };
    for segment in named.into_iter().skip_while(|segment| segment == "crate" || segment == "self") {
        if segment == "super" {
            at.pop()?;
        } else {
            at.push(segment);
        }
    }
    (!at.is_empty()).then_some(at)
}

/// Every path in `code` that begins with `crate`, `super` or `self`, groups in braces taken apart.
fn named_paths(code: &str) -> Vec<Path> {
    let mut found = Vec::new();
    for start in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(start) {
            let before = code.get(..at).and_then(|text| text.chars().next_back());
            if before.is_some_and(|character| character.is_alphanumeric() || "_:".contains(character)) {
                continue;
            }
            tree(code.get(at..).unwrap_or_default(), &[], &mut found);
        }
    }
    found
}

/// Reads one tree of a `use` at the beginning of `text`, and answers how much of it that was.
pub(super) fn tree(text: &str, above: &[String], found: &mut Vec<Path>) -> usize {
    let mut path = above.to_vec();
    let mut at = text.len() - text.trim_start().len();
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let name: String =
            rest.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect();
        if name.is_empty() {
            break;
        }
        at += name.len();
        path.push(name);
        let rest = text.get(at..).unwrap_or_default();
        let Some(after) = rest.strip_prefix("::") else { break };
        at += 2;
        if after.starts_with('{') {
            at += 1;
            return at + group(text.get(at..).unwrap_or_default(), &path, found);
        }
    }
    found.push(path);
    at
}

/// The inside of braces, up to the one that closes them.
fn group(text: &str, above: &[String], found: &mut Vec<Path>) -> usize {
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with('}') {
            return at + 1;
        }
        let used = if rest.starts_with(|first: char| first.is_alphabetic() || first == '_') {
            tree(rest, above, found)
        } else {
            rest.chars().next().map_or(1, char::len_utf8)
        };
        at += used.max(1);
    }
    at
}

/// The sets of names that reach each other, each sorted.
fn strongly_connected(edges: &BTreeSet<(String, String)>) -> BTreeSet<Vec<String>> {
    let reached = |from: &str| {
        let mut open = vec![from.to_owned()];
        let mut names = BTreeSet::new();
        while let Some(name) = open.pop() {
            let next = edges.iter().filter(|(one, _)| *one == name).map(|(_, other)| other.clone());
            open.extend(next.filter(|other| names.insert(other.clone())).collect::<Vec<_>>());
        }
        names
    };
    let names: BTreeSet<&String> = edges.iter().flat_map(|(from, to)| [from, to]).collect();
    let below: BTreeMap<&String, BTreeSet<String>> =
        names.iter().map(|name| (*name, reached(name))).collect();
    let circle = |name: &String| -> Vec<String> {
        let both = |other: &&&String| {
            below.get(name).is_some_and(|reached| reached.contains(**other))
                && below.get(**other).is_some_and(|reached| reached.contains(name))
        };
        names.iter().filter(both).map(|other| (*other).clone()).collect()
    };
    names.iter().map(|name| circle(name)).filter(|circle| circle.len() > 1).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(path: &str, text: &str) -> Source {
        Source { path: path.to_owned(), text: text.to_owned() }
    }

    fn found(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<_> = files.iter().map(|(path, text)| source(path, text)).collect();
        unknown_circles(&files, &[]).into_iter().map(|violation| violation.what).collect()
    }

    #[test]
    fn two_modules_that_name_each_other_are_a_circle() {
        let files = [
            ("host/finance/src/lib.rs", "mod a;\nmod b;\n"),
            ("host/finance/src/a.rs", "use crate::{\n    b::{self, B},\n    c,\n};\n"),
            ("host/finance/src/b/mod.rs", "fn b() -> super::c::C {}\n"),
            ("host/finance/src/c.rs", "fn c() {\n    crate::a::c();\n}\n"),
        ];
        assert_eq!(found(&files), ["the modules a, b, c of host/finance name each other in a circle"]);
        assert_eq!(found(&files[..3]), [""; 0], "without c nothing leads back to a");
    }

    #[test]
    fn a_module_its_ancestors_and_its_tests_are_no_circle() {
        let files = [
            ("host/finance/src/lib.rs", "mod a;\npub struct Thing(a::Part);\n"),
            ("host/finance/src/a/mod.rs", "mod deep;\nuse crate::Thing;\nuse deep::Deep;\n"),
            ("host/finance/src/a/deep.rs", "use super::A;\nuse crate::b;\n"),
            ("host/finance/src/b.rs", "#[cfg(test)]\nmod tests {\n    use crate::a;\n}\n"),
        ];
        assert_eq!(found(&files), [""; 0]);
    }

    #[test]
    fn names_that_the_parent_hands_on_belong_to_where_they_come_from() {
        let files = [
            (
                "host/finance/src/lib.rs",
                "mod a;\nmod b;\npub use a::{A, Other};\npub(crate) use b::inner::B;\n",
            ),
            ("host/finance/src/a.rs", "use super::B;\n"),
            ("host/finance/src/b/mod.rs", "pub mod inner;\n"),
            ("host/finance/src/b/inner.rs", "use crate::A;\n"),
        ];
        assert_eq!(found(&files), ["the modules a, b of host/finance name each other in a circle"]);
        assert_eq!(found(&files[..3]), [""; 0]);
    }

    #[test]
    fn circles_are_found_below_the_top_too() {
        let files = [
            ("host/finance/src/http/mod.rs", ""),
            ("host/finance/src/http/one.rs", "use super::two::Two;\n"),
            ("host/finance/src/http/two/mod.rs", ""),
            ("host/finance/src/http/two/deep.rs", "use super::super::one;\n"),
        ];
        assert_eq!(found(&files), ["the modules one, two of host/finance::http name each other in a circle"]);
    }

    #[test]
    fn a_known_circle_is_passed_over_until_it_is_gone() {
        let files = [
            source("host/finance/src/a.rs", "use crate::b;\n"),
            source("host/finance/src/b.rs", "use crate::a;\n"),
        ];
        let known: [(&str, &[&str]); 1] = [("host/finance", &["a", "b"])];
        assert_eq!(unknown_circles(&files, &known), []);
        assert_eq!(unknown_circles(&files[..1], &known).len(), 1);
    }

    #[test]
    fn a_path_into_another_crate_is_of_no_module() {
        assert_eq!(named_paths("use other::crate_name::x; my_super::y()"), [[""; 0]; 0]);
    }
}
