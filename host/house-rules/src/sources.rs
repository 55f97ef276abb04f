//! What the text of a file must not hold.

use super::Violation;
use super::files::Source;

/// Lines of a file of Rust, tests included: more are more than one subject.
const LINES_MAX: usize = 500;

/// In two halves, so that this table does not find itself. A mirror of a registry belongs to a machine, not here.
const REGISTRIES: [(&str, &str); 5] = [
    ("static.", "crates.io"),
    ("index.", "crates.io"),
    ("registry.", "npmjs.org"),
    ("pypi", ".org"),
    ("deb.", "debian.org"),
];
const SHARED_FOLDER: (&str, &str) = ("../", "shared");
/// The one file that may point at data beside the checkout.
const MAY_NAME_SHARED: &str = ".ci/run";

/// Forbidden in code, and what to write instead.
const FORBIDDEN: [(&str, &str); 5] = [
    ("#[allow(", "use `#[expect(…, reason = \"…\")]`, which reports itself when it is needless"),
    ("#![allow(", "use `#![expect(…, reason = \"…\")]`, which reports itself when it is needless"),
    ("todo!(", "write the code or leave the function out"),
    ("unimplemented!(", "write the code or leave the function out"),
    ("dbg!(", "remove it or use `tracing::debug!`"),
];
/// Forbidden where a failure reaches a user; a lint that is expected with a reason lifts it for its file.
const PANICKING: [(&str, &str); 2] =
    [(".unwrap()", "clippy::unwrap_used"), (".expect(", "clippy::expect_used")];

/// Forbidden in what runs, beside tests and what tests a plugin: JSON that no type describes.
const UNTYPED: (&str, &str) = ("json!(", "write a type that is serialised");
/// What a failed reading or writing of JSON must not become, unless the comment above says why nothing is lost.
const DISCARDING_CALLS: [&str; 2] = [".ok()", "unwrap_or_default()"];

pub(super) fn check(files: &[Source]) -> Vec<Violation> {
    files
        .iter()
        .flat_map(|file| {
            let mut found = words(file);
            if file.is_rust() {
                found.extend(length(file));
                found.extend(code(file));
            }
            found
        })
        .collect()
}

fn length(file: &Source) -> Option<Violation> {
    let lines = file.text.lines().count();
    let what = format!("{lines} lines, where fewer than {LINES_MAX} are allowed");
    (lines >= LINES_MAX).then(|| file.violation(lines, what, "split it along its headings"))
}

fn words(file: &Source) -> Vec<Violation> {
    let registries = REGISTRIES.map(|(head, tail)| (format!("{head}{tail}"), "the address of a registry"));
    let beside = (format!("{}{}", SHARED_FOLDER.0, SHARED_FOLDER.1), "a folder beside the checkout");
    let may_look = file.path == MAY_NAME_SHARED;
    let forbidden: Vec<_> = registries.into_iter().chain((!may_look).then_some(beside)).collect();
    let lines = file.text.lines().enumerate();
    lines
        .flat_map(|(index, line)| {
            forbidden.iter().filter(|(word, _)| line.contains(word)).map(move |(word, what)| {
                let remedy = "leave it to the environment of whoever runs this";
                file.violation(index + 1, format!("`{word}` is {what}"), remedy)
            })
        })
        .collect()
}

fn code(file: &Source) -> Vec<Violation> {
    let product = ["host/", "plugins/"].iter().any(|folder| file.path.starts_with(folder))
        && !["/tests/", "/benches/"].iter().any(|folder| file.path.contains(folder))
        && !file.path.ends_with("/tests.rs");
    let mut of_product: Vec<_> = PANICKING
        .iter()
        .filter(|(_, lint)| product && !file.text.contains(lint))
        .map(|(text, _)| (*text, "handle the failure, or return it"))
        .collect();
    of_product.extend((product && !file.path.contains("/harness/")).then_some(UNTYPED));
    let mut found = Vec::new();
    let mut in_tests = InTests::default();
    let mut explained = false;
    for (index, line) in file.text.lines().enumerate() {
        let testing = in_tests.next(line);
        let code = without_text(line);
        let silencing =
            DISCARDING_CALLS.map(|text| (text, "return the error, or say above why nothing is lost"));
        let silences = product && !testing && !explained && code.contains("serde_json::");
        explained = line.trim_start().starts_with("//");
        let forbidden = FORBIDDEN.iter().chain(if testing { &[] } else { of_product.as_slice() });
        let forbidden = forbidden.chain(if silences { silencing.as_slice() } else { &[] });
        for (text, remedy) in forbidden.filter(|(text, _)| code.contains(text)) {
            found.push(file.violation(index + 1, format!("`{text}` is not used here"), remedy));
        }
    }
    found
}

/// What of a file reaches a user: without tests, comments and the inside of strings.
pub(super) fn product_code(text: &str) -> String {
    product_lines(text).into_iter().flat_map(|(_, line)| [line, "\n".to_owned()]).collect()
}

/// The same by lines, which are numbered as in the file, from 1.
pub(super) fn product_lines(text: &str) -> Vec<(usize, String)> {
    let mut in_tests = InTests::default();
    let lines = text.lines().enumerate().filter(|(_, line)| !in_tests.next(line));
    lines.map(|(at, line)| (at.saturating_add(1), without_text(line))).collect()
}

/// Whether the reader is inside an item under `#[cfg(test)]`. rustfmt closes an item at the indentation of its
/// attribute, which is all the syntax this needs to know.
#[derive(Default)]
struct InTests {
    indentation: Option<usize>,
}

impl InTests {
    fn next(&mut self, line: &str) -> bool {
        let indentation = line.len() - line.trim_start().len();
        if self.indentation.is_none() && line.trim_start().starts_with("#[cfg(test)]") {
            self.indentation = Some(indentation);
            return true;
        }
        let inside = self.indentation.is_some();
        let code = line.trim();
        let closes = code.starts_with('}') || code.ends_with(';');
        if self.indentation == Some(indentation) && closes {
            self.indentation = None;
        }
        inside
    }
}

/// The line without comments and without the inside of string literals that end on it.
pub(super) fn without_text(line: &str) -> String {
    let mut code = String::with_capacity(line.len());
    let mut in_string = false;
    let mut characters = line.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' if in_string => {
                characters.next();
            }
            // The character literal of a quote opens no string.
            '\'' if !in_string && characters.peek() == Some(&'"') => {
                characters.next();
            }
            '"' => in_string = !in_string,
            '/' if !in_string && characters.peek() == Some(&'/') => break,
            _ if !in_string => code.push(character),
            _ => {}
        }
    }
    code
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: [usize; 0] = [];

    fn found(path: &str, text: &str) -> Vec<usize> {
        let file = Source { path: path.to_owned(), text: text.to_owned() };
        check(&[file]).into_iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn a_long_file_is_found_also_among_tests() {
        let long = "//\n".repeat(LINES_MAX);
        assert_eq!(found("host/finance/src/lib.rs", &long), [LINES_MAX]);
        assert_eq!(found("host/finance/src/lib.rs", &"//\n".repeat(LINES_MAX - 1)), NOTHING);
        assert_eq!(found("tests/it/issuing.rs", &long), [LINES_MAX]);
    }

    #[test]
    fn every_forbidden_word_is_found_in_code_and_none_in_comments_and_strings() {
        for (text, _) in FORBIDDEN {
            assert_eq!(
                found("host/finance/src/lib.rs", &format!("fn f() {{\n    {text}\n}}\n")),
                [2],
                "{text}"
            );
            assert_eq!(
                found("host/finance/src/lib.rs", &format!("// {text}\nlet a = \"\\\" {text}\";\n")),
                NOTHING
            );
        }
        for (text, _) in PANICKING {
            assert_eq!(found("plugins/es/src/nif.rs", &format!("a{text};\n")), [1], "{text}");
            assert_eq!(found("tests/src/lib.rs", &format!("a{text};\n")), NOTHING);
            assert_eq!(found("host/finance/src/rules/tests.rs", &format!("a{text};\n")), NOTHING);
        }
    }

    #[test]
    fn json_without_a_type_is_found_outside_of_tests() {
        let text = "fn f() {\n    json!({});\n}\n";
        assert_eq!(found("plugins/template/src/convert.rs", text), [2]);
        for path in ["plugins/es/src/harness/faulty.rs", "host/finance/tests/it/main.rs", "tests/it/main.rs"]
        {
            assert_eq!(found(path, text), NOTHING, "{path}");
        }
    }

    #[test]
    fn json_that_cannot_be_read_is_no_nothing_unless_a_comment_says_why() {
        for end in DISCARDING_CALLS {
            let line = format!("    let a = serde_json::from_str(b){end};\n");
            assert_eq!(found("host/finance/src/lib.rs", &line), [1], "{end}");
            assert_eq!(found("host/finance/src/lib.rs", &format!("    // Why.\n{line}")), NOTHING, "{end}");
            assert_eq!(found("tests/it/main.rs", &line), NOTHING, "{end}");
        }
    }

    #[test]
    fn tests_may_unwrap_and_what_follows_them_may_not() {
        let text = "#[cfg(test)]\nmod tests {\n    fn f() {\n        a.unwrap();\n    }\n}\n\nfn g() {\n    a.unwrap();\n}\n";
        assert_eq!(found("host/finance/src/lib.rs", text), [9]);
        let elsewhere = "#[cfg(test)]\nmod tests;\n\nfn g() {\n    a.unwrap();\n}\n";
        assert_eq!(found("host/finance/src/lib.rs", elsewhere), [5]);
    }

    #[test]
    fn a_lint_expected_with_a_reason_lifts_the_rule_for_its_file() {
        let text =
            "#[expect(clippy::expect_used, reason = \"a constant\")]\nfn f() {\n    a.expect(\"b\");\n}\n";
        assert_eq!(found("host/finance/src/lib.rs", text), NOTHING);
    }

    #[test]
    fn registries_and_folders_beside_the_checkout_are_found_in_any_file() {
        for (head, tail) in REGISTRIES {
            assert_eq!(found("README.md", &format!("see\nhttps://{head}{tail}/x\n")), [2]);
        }
        let beside = format!("cat {}{}/x\n", SHARED_FOLDER.0, SHARED_FOLDER.1);
        assert_eq!(found("tests/run.sh", &beside), [1]);
        assert_eq!(found(MAY_NAME_SHARED, &beside), NOTHING);
    }
}
