//! Links of Markdown files to other files of the workspace, and to headings in them.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use super::Violation;
use super::files::Source;

/// Links that lead to no file or folder, or to no heading.
pub(super) fn broken(files: &[Source], exists: impl Fn(&str) -> bool) -> Vec<Violation> {
    let headings: BTreeMap<&str, Vec<String>> = files
        .iter()
        .filter(|file| is_markdown(&file.path))
        .map(|file| (file.path.as_str(), file.text.lines().filter_map(heading).collect()))
        .collect();
    let mut found = Vec::new();
    for file in files.iter().filter(|file| is_markdown(&file.path)) {
        for (line, text) in file.text.lines().enumerate() {
            for link in links(text) {
                let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
                let target = if path.is_empty() { file.path.clone() } else { resolved(&file.path, path) };
                let is_there = path.is_empty() || exists(&target);
                let has_heading = anchor.is_empty()
                    || headings
                        .get(target.as_str())
                        .is_none_or(|known| known.iter().any(|name| name == anchor));
                if !is_there || !has_heading {
                    let what = format!("the link {link} leads nowhere");
                    let remedy =
                        "name a file of the workspace, relative to this one, and a heading that it has";
                    found.push(file.violation(line.saturating_add(1), what, remedy));
                }
            }
        }
    }
    found
}

fn is_markdown(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "md")
}

/// The targets of `[text](target)` that are no addresses.
fn links(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split(')').next()).filter(|target| {
        !target.is_empty()
            && !target.contains("://")
            && !target.starts_with("mailto:")
            && !target.contains(' ')
    })
}

/// A heading as links name it: lower case, hyphens for spaces, without other punctuation.
fn heading(line: &str) -> Option<String> {
    let text = line.strip_prefix('#')?.trim_start_matches('#').trim();
    let kept = text.to_lowercase();
    let kept = kept.chars().filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    Some(kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect())
}

/// A path relative to a file, from the root of the workspace.
fn resolved(from: &str, path: &str) -> String {
    let mut whole = PathBuf::from(from);
    whole.pop();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => drop(whole.pop()),
            Component::Normal(name) => whole.push(name),
            Component::CurDir | Component::RootDir | Component::Prefix(_) => {}
        }
    }
    whole.to_string_lossy().replace('\\', "/")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<usize> {
        let file = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
        let files = [file("docs/guide.md", text), file("README.md", "# One\n## Run it: now\n")];
        let violations = broken(&files, |path| ["README.md", "docs", "docs/guide.md"].contains(&path));
        violations.into_iter().map(|violation| violation.line).collect()
    }

    #[test]
    fn a_link_to_a_file_that_is_not_there_is_named() {
        assert_eq!(found("[a](../README.md)\n[b](b.md) and [c](guide.md)\n[d](../docs)"), [2]);
    }

    #[test]
    fn a_link_to_a_heading_that_is_not_there_is_named() {
        assert_eq!(
            found("[a](../README.md#run-it-now)\n[b](../README.md#run)\n## Here\n[c](#here) [d](#there)"),
            [2, 4]
        );
    }

    #[test]
    fn addresses_are_left_alone() {
        assert_eq!(found("[a](https://example.com/b.md) [b](mailto:a@example.com)"), Vec::<usize>::new());
    }
}
