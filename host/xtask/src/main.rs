//! The house keeping of the workspace, as `cargo xtask <command>`.
//!
//! Kept small on purpose: it is the first thing a fresh clone compiles. No command-line parser, no async runtime,
//! and nothing of the gateway except the helpers that start servers for tests.
//!
//! To add a command: one module with a `run(args)`, one row in [`COMMANDS`].

mod bench;
mod chaos;
mod demo;
mod dist;
mod drill;
mod nats;
mod openapi_coverage;
mod package;
mod plugins;
mod postgres;
mod scratch;
mod stages;
mod suites;
mod test;
mod tidy;
mod workspace;

use std::env;
use std::process::ExitCode;

use anyhow::Result;

struct Command {
    name: &'static str,
    arguments: &'static str,
    about: &'static str,
    run: fn(&[String]) -> Result<Outcome>,
}

/// How a command ended when nothing unforeseen happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Done,
    /// The command did its work and the answer is no; it has said why.
    Failed,
    /// The arguments make no sense.
    Misuse,
}

const COMMANDS: [Command; 8] = [
    Command {
        name: "demo",
        arguments: "[arguments of `gateway demo`]",
        about: "builds the plugins and the gateway, then runs `gateway demo`",
        run: demo::run,
    },
    Command {
        name: "test",
        arguments: "[--fast] [filter…] | --suites [name…]",
        about: "format, tidy, lints and all tests on both databases; --fast: the tests only; --suites: the rest",
        run: |arguments| Ok(test::run(arguments)),
    },
    Command {
        name: "chaos",
        arguments: "[--runs N] [--database sqlite|postgres] [--seed S] [--replicas K]",
        about: "kills gateways while the provider has bad days, and checks that nothing is lost",
        run: chaos::run,
    },
    Command {
        name: "drill",
        arguments: "[--profile NAME | --table FILE]",
        about: "breaks everything around an optimised gateway once, and prints what it answers meanwhile against its budgets; --table: what an earlier run measured",
        run: drill::run,
    },
    Command {
        name: "plugins",
        arguments: "[--profile NAME]",
        about: "builds every plugin component into target/plugins/<key>.wasm",
        run: plugins::run,
    },
    Command {
        name: "dist",
        arguments: "[--profile NAME] [--out DIR] [--sign KEYFILE]",
        about: "builds what is shipped into target/release-files: archives, Debian package, chart, bill of materials",
        run: dist::run,
    },
    Command {
        name: "bench",
        arguments: "flow | graphql [--peers] | issuing | pages [--plans] [--check] | token [--peers] | webhooks | export | import | rest | start | convert | pdf, [--profile NAME]",
        about: "measures documents from command to verdict, GraphQL against its query run bare, pages with many documents, issuing against its SQL, tokens against signatures, webhooks beside dead endpoints, import and export against COPY, start and rest, or plugins and the renderer against native code",
        run: bench::run,
    },
    Command {
        name: "tidy",
        arguments: "",
        about: "checks the rules of the house that no other tool checks",
        run: tidy::run,
    },
];

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let (name, rest) = match arguments.split_first() {
        None => return help(ExitCode::SUCCESS),
        Some((name, _)) if ["help", "--help", "-h"].contains(&name.as_str()) => {
            return help(ExitCode::SUCCESS);
        }
        Some((compiler, rest)) if dist::compiler::is_called_for(compiler) => {
            eprintln!("error: {:#}", dist::compiler::become_it(compiler, rest));
            return ExitCode::FAILURE;
        }
        Some((name, rest)) => (name, rest),
    };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        eprintln!("error: there is no command `{name}`");
        return help(ExitCode::from(2));
    };
    match (command.run)(rest) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Failed) => ExitCode::FAILURE,
        Ok(Outcome::Misuse) => {
            eprintln!("usage: cargo xtask {} {}", command.name, command.arguments);
            ExitCode::from(2)
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn help(code: ExitCode) -> ExitCode {
    println!("cargo xtask <command>\n");
    for Command { name, arguments, about, .. } in &COMMANDS {
        println!("  {:<42} {about}", format!("{name} {arguments}"));
    }
    code
}
