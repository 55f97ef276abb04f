//! How large a crate may become, so that one person holds it in the head.

use std::collections::{BTreeMap, BTreeSet};

use super::Violation;
use super::files::Source;
use super::sources::product_code;

/// Lines of a crate below `host/`, tests aside.
const LINES_MAX: usize = 6_000;
/// Above a module that only tests have, in the root of its crate.
const FOR_TESTS: &str = "#[cfg(any(test, feature = \"testing\"))]";

pub(super) fn crates(files: &[Source]) -> Vec<Violation> {
    let mut lines = BTreeMap::<&str, usize>::new();
    for (name, inside, file) in files.iter().filter_map(product) {
        if !for_tests(files, name).contains(top(inside)) {
            *lines.entry(name).or_default() += product_code(&file.text).lines().count();
        }
    }
    let too_large =
        lines.into_iter().filter(|(_, lines)| *lines > LINES_MAX).map(|(name, lines)| Violation {
            file: format!("host/{name}/src/lib.rs"),
            line: 1,
            what: format!("the crate has {lines} lines besides tests, where {LINES_MAX} are allowed"),
            remedy: "move rules to a domain crate, or what two areas share to one of its own".to_owned(),
        });
    too_large.collect()
}

/// A source file of a crate that is not a file of tests: the crate's folder, the path inside its sources, the file.
fn product(file: &Source) -> Option<(&str, &str, &Source)> {
    let (name, inside) = file.path.strip_prefix("host/")?.split_once("/src/")?;
    let of_tests = inside.split('/').any(|part| matches!(part, "tests" | "tests.rs"));
    (file.is_rust() && !of_tests).then_some((name, inside, file))
}

/// The modules of a crate that only tests have.
fn for_tests<'f>(files: &'f [Source], name: &str) -> BTreeSet<&'f str> {
    let root = format!("host/{name}/src/lib.rs");
    let text = files.iter().find(|file| file.path == root).map_or("", |file| file.text.as_str());
    let lines: Vec<&str> = text.lines().collect();
    let modules = lines.windows(2).filter(|pair| pair.first() == Some(&FOR_TESTS)).filter_map(|pair| {
        let declared = pair.last()?.trim_start_matches("pub ").strip_prefix("mod ")?;
        declared.strip_suffix(';')
    });
    modules.collect()
}

/// The module directly below the root that a file belongs to.
fn top(inside: &str) -> &str {
    let first = inside.split('/').next().unwrap_or(inside);
    first.strip_suffix(".rs").unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, String)]) -> Vec<String> {
        let source = |(path, text): &(&str, String)| Source { path: (*path).to_owned(), text: text.clone() };
        let files: Vec<_> = files.iter().map(source).collect();
        crates(&files).into_iter().map(|violation| violation.what).collect()
    }

    #[test]
    fn a_crate_above_the_limit_is_found_and_tests_do_not_count() {
        let half = "//\n".repeat(LINES_MAX / 2);
        let root = format!("{half}{FOR_TESTS}\nmod testing;\n#[cfg(test)]\nmod tests {{\n{half}}}\n");
        let small = [
            ("host/a/src/lib.rs", root.clone()),
            ("host/a/src/testing/world.rs", half.clone()),
            ("host/a/src/b/tests.rs", half.clone()),
            ("host/b/src/lib.rs", half.clone()),
        ];
        assert_eq!(found(&small), Vec::<String>::new());
        let large = [("host/a/src/lib.rs", root), ("host/a/src/b.rs", half)];
        assert_eq!(found(&large), ["the crate has 6002 lines besides tests, where 6000 are allowed"]);
    }
}
