//! The fenced blocks of a guide.

use std::path::{Path, PathBuf};

/// Languages whose blocks are typed into a terminal.
const SHELLS: [&str; 4] = ["sh", "shell", "console", "bash"];
/// Follows the language of a block that is not run.
const NO_RUN: &str = "no-run";
/// The language of blocks that are only read.
const TEXT: &str = "text";
/// Programs of ours that are typed into a terminal.
const OURS: [&str; 3] = ["cargo", "gateway", "gatewayctl"];
/// Programs of the system that blocks use which are not run.
pub(crate) const OF_THE_SYSTEM: [&str; 11] = [
    "apt",
    "docker",
    "editor",
    "helm",
    "install",
    "kubectl",
    "ln",
    "pg_basebackup",
    "systemctl",
    "tar",
    "touch",
];
/// Folders of the tree that hold nothing of ours.
const FOLDERS_SKIPPED: [&str; 4] = [".git", ".venv", "node_modules", "target"];

/// A block that is typed into a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Block {
    /// The heading it stands below.
    pub(crate) section: String,
    /// The line of its first command, from 1.
    pub(crate) line: usize,
    /// Whether it says that it is not run.
    pub(crate) no_run: bool,
    /// What is typed.
    pub(crate) lines: Vec<String>,
}

impl Block {
    pub(crate) fn first_line(&self) -> &str {
        self.lines.first().map_or("", String::as_str)
    }
}

/// The words of a command, without variables before it and the comment behind it.
pub(crate) fn words(line: &str) -> Vec<&str> {
    let command = line.split_once('#').map_or(line, |(command, _)| command);
    command.split_whitespace().skip_while(|word| word.contains('=')).collect()
}

/// Whether a line is a command, by its program.
fn is_typed(line: &str) -> bool {
    words(line).first().is_some_and(|program| OURS.contains(program) || OF_THE_SYSTEM.contains(program))
}

/// The blocks of a guide that are typed into a terminal, in order.
pub(crate) fn shell_blocks(guide: &str, text: &str) -> Vec<Block> {
    let (mut blocks, mut section, mut is_text) = (Vec::new(), String::new(), false);
    // None inside a block that is not typed.
    let mut open: Option<Option<Block>> = None;
    for (at, line) in text.lines().enumerate() {
        let fence = line.trim_start().strip_prefix("```");
        match (&mut open, fence) {
            (Some(_), Some(_)) => blocks.extend(open.take().flatten()),
            (Some(Some(block)), None) => block.lines.push(line.to_owned()),
            (Some(None), None) => assert!(
                !is_text || !is_typed(line),
                "{guide}:{}: what is typed into a terminal stands in a block of {SHELLS:?}: {line}",
                at + 1
            ),
            (None, Some(info)) => {
                let mut words = info.split_whitespace();
                let language = words.next().unwrap_or_default();
                let rest: Vec<_> = words.collect();
                let is_shell = SHELLS.contains(&language);
                is_text = language == TEXT;
                assert!(
                    rest.is_empty() || (is_shell && rest == [NO_RUN]),
                    "{guide}:{}: behind the language only {NO_RUN} may stand: {info}",
                    at + 1
                );
                let (section, no_run) = (section.clone(), !rest.is_empty());
                let block = Block { section, line: at + 2, no_run, lines: Vec::new() };
                open = Some(is_shell.then_some(block));
            }
            (None, None) => {
                if let Some(heading) = line.strip_prefix("## ") {
                    heading.clone_into(&mut section);
                }
            }
        }
    }
    assert!(open.is_none(), "{guide}: its last block does not end");
    blocks
}

/// The root of the tree.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

pub(crate) fn read(guide: &str) -> String {
    std::fs::read_to_string(root().join(guide)).unwrap_or_else(|error| panic!("{guide}: {error}"))
}

/// Every Markdown file of the tree, by its path from the root.
pub(crate) fn markdown_files() -> Vec<String> {
    let (root, mut found) = (root(), Vec::new());
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let (kind, path) = (entry.file_type().unwrap(), entry.path());
            if kind.is_dir() && !FOLDERS_SKIPPED.iter().any(|name| entry.file_name() == *name) {
                folders.push(path);
            } else if kind.is_file() && path.extension().is_some_and(|extension| extension == "md") {
                found.push(path.strip_prefix(&root).unwrap().display().to_string());
            }
        }
    }
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_with_section_line_and_marker() {
        let text = "# Title\n```text\n## no heading\n```\n## One\n```sh\nfirst\n\nlast\n```\n```console no-run\nnever\n```\n";
        let block = |line, no_run, lines: &[&str]| Block {
            section: "One".to_owned(),
            line,
            no_run,
            lines: lines.iter().map(|line| (*line).to_owned()).collect(),
        };
        assert_eq!(
            shell_blocks("guide.md", text),
            [block(7, false, &["first", "", "last"]), block(12, true, &["never"])]
        );
    }

    #[test]
    #[should_panic(expected = "guide.md:1: behind the language only no-run may stand")]
    fn a_marker_that_nobody_knows_is_refused() {
        shell_blocks("guide.md", "```sh norun\nx\n```\n");
    }

    #[test]
    #[should_panic(expected = "guide.md:3: what is typed into a terminal")]
    fn a_command_in_a_block_that_is_only_read_is_refused() {
        shell_blocks(
            "guide.md",
            "```text\n15 3 * * *  gateway backup\nPASSWORD=x docker build .   # an image\n```\n",
        );
    }

    #[test]
    #[should_panic(expected = "its last block does not end")]
    fn a_block_that_does_not_end_is_refused() {
        shell_blocks("guide.md", "```sh\nx\n");
    }
}
