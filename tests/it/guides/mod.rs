//! What the papers tell people to type works as it stands there.
//!
//! The blocks below one heading are one session at one terminal: what a block sets, the next one has. Blocks that cannot be
//! run say `no-run`, and why is said in [`preparations`]; what they name is held all the same.

mod preparations;
mod shell_blocks;

use gateway_tests::{Engine, Gateway, Options, Receiver, Session, Terminal};
use preparations::{APIS, CONTRIBUTING, GIVEN, NOT_RUN, OPERATING, PAPERS, PLUGINS, README, REPLACED};
use shell_blocks::{Block, papers, read, shell_blocks};

/// The ports of the papers: the public listener, the internal one, the stand-in.
const PORTS: [&str; 3] = [":8080", ":8081", ":8089"];
/// How a session begins: the first command that fails ends it, and says where it stands.
const BEGIN: &str = r#"set -Eeuo pipefail
trap 'echo "FAILED at ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND"' ERR
"#;

/// What stands in for what a paper says.
struct Stage<'a> {
    paper: &'a str,
    ports: [u16; 4],
    receiver: &'a str,
}

impl Stage<'_> {
    /// A text as it is typed here.
    fn typed(&self, text: &str) -> String {
        let [public, internal, sandbox, other] = self.ports;
        let mut text = text.to_owned();
        for (_, from, to) in REPLACED.iter().filter(|(paper, ..)| paper.is_empty() || *paper == self.paper) {
            text = text.replace(from, to);
        }
        for (from, to) in PORTS.into_iter().zip([public, internal, sandbox]) {
            text = text.replace(from, &format!(":{to}"));
        }
        text = text.replace("{other}", &other.to_string()).replace("{receiver}", self.receiver);
        let answers =
            format!("until curl -so /dev/null http://127.0.0.1:{internal}/healthz; do sleep 0.1; done");
        let lines = text.lines().map(|line| match line.strip_suffix("gateway serve") {
            Some(before) => format!("{before}gateway serve & {answers}\n"),
            None => format!("{line}\n"),
        });
        lines.collect()
    }
}

/// The entry of a table that is about a block.
fn entry<T>(table: &[(&str, &str, T)], paper: &str, block: &Block) -> Option<usize> {
    table.iter().position(|(of, first, _)| *of == paper && block.first_line().starts_with(first))
}

/// Runs a session of a paper.
async fn session(paper: &str, blocks: &[Block]) -> Session {
    let (terminal, receiver) = (Terminal::open(), Receiver::start().await);
    let stage = Stage { paper, ports: terminal.ports(), receiver: &receiver.url("/hooks") };
    let (name, mut script) = (paper.replace('/', "_"), vec![BEGIN.to_owned()]);
    for block in blocks {
        let mut part = |kind: &str, blank: usize, text: &str| {
            // The lines of what is typed are those of the paper.
            let text = format!("{}{text}", "\n".repeat(blank));
            let path = terminal.write(&block.line.to_string(), &format!("{name}{kind}"), &text);
            script.push(format!("echo '== {paper}:{}{kind}'\n. '{}'\n", block.line, path.display()));
        };
        if let Some((_, _, given)) = entry(&GIVEN, paper, block).and_then(|at| GIVEN.get(at)) {
            part(".given", 0, &stage.typed(&given.concat()));
        }
        part("", block.line - 1, &stage.typed(&block.lines.join("\n")));
    }
    terminal.run(&script.concat()).await
}

/// Runs what is to be run of a paper, section by section.
async fn works(paper: &str) {
    let blocks = shell_blocks(paper, &read(paper));
    let mut run: Vec<_> = blocks.into_iter().filter(|block| !block.no_run).collect();
    assert!(!run.is_empty(), "{paper} has blocks to run");
    while let Some(first) = run.first().cloned() {
        let (section, rest) = run.into_iter().partition::<Vec<_>, _>(|block| block.section == first.section);
        run = rest;
        let Session { succeeded, output } = session(paper, &section).await;
        let last = output.lines().rev().find(|line| line.starts_with("== ")).unwrap_or_default();
        assert!(succeeded, "{paper}, '{}': the block {last} failed:\n{output}", first.section);
        // GraphQL refuses with 200.
        assert!(!output.contains("\"errors\":[{"), "{paper}, '{}': refused:\n{output}", first.section);
    }
}

#[tokio::test]
async fn what_the_readme_says_works() {
    works(README).await;
}

#[tokio::test]
async fn what_operators_are_told_works() {
    works(OPERATING).await;
}

#[tokio::test]
async fn what_users_of_the_apis_are_told_works() {
    works(APIS).await;
}

#[tokio::test]
async fn what_authors_of_plugins_are_told_works() {
    works(PLUGINS).await;
}

#[test]
fn every_block_is_run_or_says_why_not() {
    let (mut unused, mut found) = ((NOT_RUN.map(Some), GIVEN.map(Some)), Vec::new());
    for paper in papers() {
        let blocks = shell_blocks(&paper, &read(&paper));
        for block in &blocks {
            let place = format!("{paper}:{}", block.line);
            let excused = entry(&NOT_RUN, &paper, block);
            assert_eq!(
                block.no_run,
                excused.is_some(),
                "{place}: 'no-run' and a reason in NOT_RUN belong together"
            );
            excused.and_then(|at| unused.0.get_mut(at)).map(Option::take);
            let given = entry(&GIVEN, &paper, block);
            given.and_then(|at| unused.1.get_mut(at)).map(Option::take);
        }
        if !blocks.is_empty() {
            found.push(paper);
        }
    }
    assert_eq!(found, PAPERS, "a test of its own runs the blocks of each paper");
    assert!(
        shell_blocks(CONTRIBUTING, &read(CONTRIBUTING)).iter().all(|block| block.no_run),
        "no test runs them"
    );
    let stale: Vec<_> = unused.0.iter().flatten().map(|(paper, first, _)| (paper, first)).collect();
    assert!(stale.is_empty(), "NOT_RUN names blocks that are not there: {stale:?}");
    let stale: Vec<_> = unused.1.iter().flatten().map(|(paper, first, _)| (paper, first)).collect();
    assert!(stale.is_empty(), "GIVEN names blocks that are not there: {stale:?}");
    let unread = |(paper, from, _): &&(&str, &str, &str)| {
        let mut papers = PAPERS.iter().filter(|known| paper.is_empty() || *known == paper);
        !papers.any(|paper| read(paper).contains(from))
    };
    let stale: Vec<_> = REPLACED.iter().filter(unread).collect();
    assert!(stale.is_empty(), "REPLACED names what is not there: {stale:?}");
}

/// The words of a command, without variables before it and the comment behind it.
fn words(line: &str) -> Vec<&str> {
    let command = line.split_once('#').map_or(line, |(command, _)| command);
    command.split_whitespace().skip_while(|word| word.contains('=')).collect()
}

/// Whether cargo would know what it is asked for: the crate, the command of `cargo xtask`.
fn is_known_to_cargo(arguments: &[&str]) -> bool {
    let declared = |file: &str, what: &str| read(file).contains(what);
    let packages = arguments.iter().zip(arguments.iter().skip(1)).filter(|(flag, _)| **flag == "-p");
    let mut crates = packages.map(|(_, name)| *name);
    match arguments {
        ["xtask", name, ..] => declared("host/xtask/src/main.rs", &format!("name: \"{name}\",")),
        ["build" | "check" | "clippy" | "fmt" | "nextest" | "test", ..] => {
            let lock = read("Cargo.lock");
            crates.all(|name| lock.contains(&format!("\nname = \"{name}\"\nversion")))
        }
        _ => false,
    }
}

#[tokio::test]
async fn what_is_not_run_names_commands_and_crates_that_there_are() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let mut held = 0;
    for paper in PAPERS {
        for block in shell_blocks(paper, &read(paper)).iter().filter(|block| block.no_run) {
            for line in &block.lines {
                match words(line).as_slice() {
                    [] | ["cd", _] => {}
                    // What `gateway plugin new` writes for the other languages.
                    ["sh", script] => {
                        for language in ["python", "javascript"] {
                            assert!(!read(&format!("plugins/examples/{language}/{script}")).is_empty());
                        }
                    }
                    ["cargo", arguments @ ..] => assert!(is_known_to_cargo(arguments), "{paper}: {line}"),
                    ["gateway", arguments @ ..] => {
                        let arguments: Vec<_> = arguments.iter().copied().chain(["--help"]).collect();
                        gateway.cli(&arguments).await.succeeded();
                    }
                    _ => panic!("{paper}: nothing holds '{line}'"),
                }
                held += 1;
            }
        }
    }
    assert!(held > 10, "{held}");
    assert!(!is_known_to_cargo(&["xtask", "nothing"]) && !is_known_to_cargo(&["check", "-p", "nothing"]));
    assert_ne!(gateway.cli(&["plugin", "nothing", "--help"]).await.code, 0);
}

#[tokio::test]
async fn a_block_that_fails_is_told_with_its_line() {
    for (command, message) in [
        ("false", "FAILED at paper.md:4: false"),
        ("false | cat", "FAILED at paper.md:4"),
        ("echo $UNSET_VARIABLE", "UNSET_VARIABLE"),
        ("gateway no-such-command", "FAILED at paper.md:4: gateway no-such-command"),
        ("gateway serve\ncurl -s http://127.0.0.1:8081/nowhere", "FAILED at paper.md:5: curl"),
    ] {
        let text = format!("## One\n```sh\nVALUE=kept\n{command}\necho never $VALUE\n```\n");
        let Session { succeeded, output } = session("paper.md", &shell_blocks("paper.md", &text)).await;
        assert!(
            !succeeded && output.contains(message) && !output.contains("never kept"),
            "{command}: {output}"
        );
    }
}
