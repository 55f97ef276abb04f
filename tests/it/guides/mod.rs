//! What the guides tell people to type works as it stands there.
//!
//! The blocks below one heading are one session at one terminal: what a block sets, the next one has. Blocks that cannot be
//! run say `no-run`, and why is said in [`preparations`]; what they name is checked all the same.

mod preparations;
mod shell_blocks;

use gateway_tests::{Engine, Gateway, Options, Receiver, Session, Terminal};
use preparations::{
    APIS, CONTRIBUTING, GUIDES, NOT_RUN, OPERATING, PACKAGING, PLUGINS, PREPARATIONS, README, REPLACEMENTS,
    RUNBOOK,
};
use shell_blocks::{Block, OF_THE_SYSTEM, markdown_files, read, root, shell_blocks, words};

/// The ports of the guides: the public listener, the internal one, the stand-in.
const PORTS: [&str; 3] = [":8080", ":8081", ":8089"];
/// How a session begins: the first command that fails ends it, and says where it stands.
const SESSION_PREAMBLE: &str = r#"set -Eeuo pipefail
trap 'echo "FAILED at ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND"' ERR
"#;

/// What stands in for what a guide says.
struct Substitutions<'a> {
    guide: &'a str,
    ports: [u16; 4],
    receiver: &'a str,
}

impl Substitutions<'_> {
    /// A text as it is typed here.
    fn for_terminal(&self, text: &str) -> String {
        let [public, internal, sandbox, other] = self.ports;
        let mut text = text.to_owned();
        for (_, from, to) in
            REPLACEMENTS.iter().filter(|(guide, ..)| guide.is_empty() || *guide == self.guide)
        {
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
fn entry<T>(table: &[(&str, &str, T)], guide: &str, block: &Block) -> Option<usize> {
    table.iter().position(|(of, first, _)| *of == guide && block.first_line().starts_with(first))
}

/// Runs a session of a guide.
async fn session(guide: &str, blocks: &[Block]) -> Session {
    let (terminal, receiver) = (Terminal::open(), Receiver::start().await);
    let substitutions = Substitutions { guide, ports: terminal.ports(), receiver: &receiver.url("/hooks") };
    let (name, mut script) = (guide.replace('/', "_"), vec![SESSION_PREAMBLE.to_owned()]);
    for block in blocks {
        let mut part = |kind: &str, blank: usize, text: &str| {
            // The lines of what is typed are those of the guide.
            let text = format!("{}{text}", "\n".repeat(blank));
            let path = terminal.write(&block.line.to_string(), &format!("{name}{kind}"), &text);
            script.push(format!("echo '== {guide}:{}{kind}'\n. '{}'\n", block.line, path.display()));
        };
        if let Some((_, _, preparation)) =
            entry(&PREPARATIONS, guide, block).and_then(|at| PREPARATIONS.get(at))
        {
            part(".prepared", 0, &substitutions.for_terminal(&preparation.concat()));
        }
        part("", block.line - 1, &substitutions.for_terminal(&block.lines.join("\n")));
    }
    terminal.run(&script.concat()).await
}

/// Runs what is to be run of a guide, section by section.
async fn assert_blocks_work(guide: &str) {
    let blocks = shell_blocks(guide, &read(guide));
    let mut run: Vec<_> = blocks.into_iter().filter(|block| !block.no_run).collect();
    assert!(!run.is_empty(), "{guide} has blocks to run");
    while let Some(first) = run.first().cloned() {
        let (section, rest) = run.into_iter().partition::<Vec<_>, _>(|block| block.section == first.section);
        run = rest;
        let Session { succeeded, output } = session(guide, &section).await;
        let last = output.lines().rev().find(|line| line.starts_with("== ")).unwrap_or_default();
        assert!(succeeded, "{guide}, '{}': the block {last} failed:\n{output}", first.section);
        // GraphQL refuses with 200.
        assert!(!output.contains("\"errors\":[{"), "{guide}, '{}': refused:\n{output}", first.section);
    }
}

#[tokio::test]
async fn the_commands_of_the_readme_work() {
    assert_blocks_work(README).await;
}

#[tokio::test]
async fn the_commands_of_the_operators_guide_work() {
    assert_blocks_work(OPERATING).await;
}

#[tokio::test]
async fn the_commands_of_the_guide_to_the_apis_work() {
    assert_blocks_work(APIS).await;
}

#[tokio::test]
async fn the_commands_of_the_guide_for_plugin_authors_work() {
    assert_blocks_work(PLUGINS).await;
}

#[tokio::test]
async fn the_commands_of_the_runbook_work() {
    assert_blocks_work(RUNBOOK).await;
}

#[tokio::test]
async fn the_commands_of_the_guide_to_packages_work() {
    assert_blocks_work(PACKAGING).await;
}

#[test]
fn every_alert_has_a_section_in_the_runbook_with_commands_that_are_run() {
    let rules = read("host/gateway/ops/alerts.yml");
    let alerts = rules.lines().filter_map(|line| line.trim().strip_prefix("- alert: "));
    let blocks = shell_blocks(RUNBOOK, &read(RUNBOOK));
    let sections: Vec<_> = blocks.iter().filter(|block| !block.no_run).map(|block| &block.section).collect();
    let untried: Vec<_> = alerts.filter(|alert| sections.iter().all(|section| section != alert)).collect();
    assert!(untried.is_empty(), "no command is run for {untried:?}");
}

#[test]
fn every_block_is_run_or_says_why_not() {
    let (mut unused, mut found) = ((NOT_RUN.map(Some), PREPARATIONS.map(Some)), Vec::new());
    for guide in markdown_files() {
        let blocks = shell_blocks(&guide, &read(&guide));
        for block in &blocks {
            let place = format!("{guide}:{}", block.line);
            let excused = entry(&NOT_RUN, &guide, block);
            assert_eq!(
                block.no_run,
                excused.is_some(),
                "{place}: 'no-run' and a reason in NOT_RUN belong together"
            );
            excused.and_then(|at| unused.0.get_mut(at)).map(Option::take);
            let preparation = entry(&PREPARATIONS, &guide, block);
            preparation.and_then(|at| unused.1.get_mut(at)).map(Option::take);
        }
        if !blocks.is_empty() {
            found.push(guide);
        }
    }
    assert_eq!(found, GUIDES, "a test of its own runs the blocks of each guide");
    assert!(
        shell_blocks(CONTRIBUTING, &read(CONTRIBUTING)).iter().all(|block| block.no_run),
        "no test runs them"
    );
    let stale: Vec<_> = unused.0.iter().flatten().map(|(guide, first, _)| (guide, first)).collect();
    assert!(stale.is_empty(), "NOT_RUN names blocks that are not there: {stale:?}");
    let stale: Vec<_> = unused.1.iter().flatten().map(|(guide, first, _)| (guide, first)).collect();
    assert!(stale.is_empty(), "PREPARATIONS names blocks that are not there: {stale:?}");
    let unread = |(guide, from, _): &&(&str, &str, &str)| {
        let mut guides = GUIDES.iter().filter(|known| guide.is_empty() || *known == guide);
        !guides.any(|guide| read(guide).contains(from))
    };
    let stale: Vec<_> = REPLACEMENTS.iter().filter(unread).collect();
    assert!(stale.is_empty(), "REPLACEMENTS names what is not there: {stale:?}");
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

/// Where the packages put what people may run besides.
const SHARED: &str = "/usr/share/gateway/";

/// Whether a word names no file of ours, or one that is in the tree, in the archive of a release, or a value of the chart.
fn is_there(word: &str) -> bool {
    let is_shipped = || read("host/xtask/src/dist/layout.rs").contains(&format!("\"{word}\""));
    let is_value = |path: &str| {
        let values = read("host/gateway/packaging/helm/gateway/values.yaml");
        path.split('.').all(|member| values.contains(&format!("{member}:")))
    };
    match word.split_once("=gateway-") {
        Some((value, _)) => is_value(value),
        None if word.starts_with("host/") => root().join(word).exists(),
        None => !(word.starts_with("etc/") || word.starts_with("lib/")) || is_shipped(),
    }
}

#[tokio::test]
async fn blocks_that_are_not_run_name_commands_and_crates_that_exist() {
    let gateway = Gateway::prepared(Engine::Sqlite, Options::default()).await;
    let mut checked = 0;
    for guide in GUIDES {
        for block in shell_blocks(guide, &read(guide)).iter().filter(|block| block.no_run) {
            for line in &block.lines {
                match words(line).as_slice() {
                    [] | ["cd", _] => {}
                    // What `gateway plugin new` writes for the other languages.
                    ["sh", script] => {
                        for language in ["python", "javascript"] {
                            assert!(!read(&format!("plugins/examples/{language}/{script}")).is_empty());
                        }
                    }
                    ["cargo", arguments @ ..] => assert!(is_known_to_cargo(arguments), "{guide}: {line}"),
                    ["gateway", arguments @ ..] => {
                        let arguments: Vec<_> = arguments.iter().copied().chain(["--help"]).collect();
                        gateway.cli(&arguments).await.succeeded();
                    }
                    // The same command with the same options, as the user of the service.
                    ["gatewayctl", arguments @ ..] => {
                        let command = arguments.iter().take_while(|word| !word.starts_with('-'));
                        let command: Vec<_> = command.copied().chain(["--help"]).collect();
                        let help = gateway.cli(&command).await.succeeded().stdout.clone();
                        let mut options = arguments.iter().filter(|word| word.starts_with("--"));
                        assert!(options.all(|option| help.contains(*option)), "{guide}: {line}");
                    }
                    [program, arguments @ ..] if OF_THE_SYSTEM.contains(program) => {
                        assert!(arguments.iter().all(|word| is_there(word)), "{guide}: {line}");
                    }
                    [program] if program.starts_with(SHARED) => {
                        let name = program.strip_prefix(SHARED).unwrap_or_default();
                        assert!(root().join("host/gateway/packaging").join(name).exists(), "{guide}: {line}");
                    }
                    _ => panic!("{guide}: nothing checks '{line}'"),
                }
                checked += 1;
            }
        }
    }
    assert!(checked > 10, "{checked}");
    assert!(!is_known_to_cargo(&["xtask", "nothing"]) && !is_known_to_cargo(&["check", "-p", "nothing"]));
    assert_ne!(gateway.cli(&["plugin", "nothing", "--help"]).await.code, 0);
}

#[tokio::test]
async fn a_block_that_fails_is_reported_with_its_line() {
    for (command, message) in [
        ("false", "FAILED at guide.md:4: false"),
        ("false | cat", "FAILED at guide.md:4"),
        ("echo $UNSET_VARIABLE", "UNSET_VARIABLE"),
        ("gateway no-such-command", "FAILED at guide.md:4: gateway no-such-command"),
        ("gateway serve\ncurl -s http://127.0.0.1:8081/nowhere", "FAILED at guide.md:5: curl"),
    ] {
        let text = format!("## One\n```sh\nVALUE=kept\n{command}\necho never $VALUE\n```\n");
        let Session { succeeded, output } = session("guide.md", &shell_blocks("guide.md", &text)).await;
        assert!(
            !succeeded && output.contains(message) && !output.contains("never kept"),
            "{command}: {output}"
        );
    }
}
