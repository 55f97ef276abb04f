//! `cargo xtask bench`: measurements of what is shipped. The server's run on databases whose commits are on disk.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, Result, ensure};
use gateway_test_postgres::URL_VARIABLE;

use crate::postgres::{self, Postgres};
use crate::suites::node;
use crate::workspace::TEST_FEATURES;
use crate::{Outcome, package, plugins, workspace};

/// The profile that the gateway is shipped with, linked as a whole.
const SHIPPED: &str = "dist";
/// The profile that tries a benchmark and measures nothing.
const TRIED: &str = "dev";
/// Where benchmarks of the server look for PostgreSQL.
const POSTGRES: &str = "GATEWAY_BENCH_POSTGRES";
/// Where the benchmark of GraphQL looks for the program that sends bare queries.
const PGBENCH: &str = "GATEWAY_BENCH_PGBENCH";
/// Where the benchmarks of import and export look for the program that sends `COPY`.
const PSQL: &str = "GATEWAY_BENCH_PSQL";
/// Where benchmarks look for servers of others, and what those are made of.
const PEERS: &str = "GATEWAY_BENCH_PEERS";
const PEER_FILES: [&str; 6] =
    ["package.json", "workers.js", "tokens.js", "mercurius.js", "postgraphile.js", "oidc.js"];
/// Where the benchmark of conversions looks for the plugin.
const PLUGIN: &str = "GATEWAY_BENCH_PLUGIN";
/// Where benchmarks that issue documents look for their plugin, which one that is, and which benchmarks these are.
const PLUGINS: &str = "GATEWAY_BENCH_PLUGINS";
const PLUGIN_OF_FLOW: &str = "es-verifactu";
const FLOW_USERS: [&str; 2] = ["flow", "scale"];
/// Where the benchmark of PDFs looks for the renderer.
const RENDERER: &str = "GATEWAY_BENCH_RENDERER";

/// Benchmarks of the server.
const SERVER: [&str; 7] = ["flow", "graphql", "issuing", "pages", "scale", "token", "webhooks"];
/// Benchmarks of the program as it is started.
const PROGRAM: [&str; 4] = ["export", "import", "rest", "start"];
/// Those of them that measure what plugins cost.
const PLUGIN_USERS: [&str; 2] = ["rest", "start"];
/// Where benchmarks of the program look for it; whoever names one measures that.
const BINARY: &str = "GATEWAY_BIN";
/// Benchmarks of a component.
const COMPONENTS: [&str; 2] = ["convert", "pdf"];
/// What the benchmark of pages may be asked for besides: plans of the slowest statements, and to fail where a page is too slow.
const PAGES_OPTIONS: [&str; 2] = ["--plans", "--check"];
/// Measures servers of others in the same rounds.
const PEERS_OPTION: &str = "--peers";

pub(crate) fn run(arguments: &[String]) -> Result<Outcome> {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match Request::parse(&arguments) {
        Some(Request { name, profile, options }) if SERVER.contains(&name) => {
            served(name, profile, &options)?;
        }
        Some(Request { name, profile, .. }) if PROGRAM.contains(&name) => program(name, profile)?,
        Some(Request { name, profile, .. }) => component(name, profile)?,
        None => return Ok(Outcome::Misuse),
    }
    Ok(Outcome::Done)
}

/// What is asked for on the command line.
#[derive(Debug, PartialEq, Eq)]
struct Request<'a> {
    name: &'a str,
    profile: &'a str,
    /// Handed on to the benchmark.
    options: Vec<&'a str>,
}

impl<'a> Request<'a> {
    fn parse(arguments: &[&'a str]) -> Option<Self> {
        let (name, mut rest) = arguments.split_first()?;
        if ![&SERVER[..], &PROGRAM, &COMPONENTS].concat().contains(name) {
            return None;
        }
        let mut request = Self { name, profile: SHIPPED, options: Vec::new() };
        while let Some((first, others)) = rest.split_first() {
            rest = match (*first, others) {
                ("--profile", [profile, others @ ..]) => {
                    request.profile = profile;
                    others
                }
                (option, others) if options_of(name).contains(&option) => {
                    request.options.push(option);
                    others
                }
                _ => return None,
            };
        }
        Some(request)
    }
}

/// What a benchmark may be asked for besides.
fn options_of(name: &str) -> &'static [&'static str] {
    match name {
        "pages" => &PAGES_OPTIONS,
        "graphql" | "token" => &[PEERS_OPTION],
        _ => &[],
    }
}

/// A benchmark of the server with a PostgreSQL beside it.
fn served(name: &str, profile: &str, options: &[&str]) -> Result<()> {
    // Before the server starts, so that nothing disturbs it.
    let peers = if options.contains(&PEERS_OPTION) { Some(install_peers()?) } else { None };
    let build = benchmark(name, "gateway", profile);
    eprintln!("building with the profile {profile} (the first time takes some minutes)");
    workspace::succeed(workspace::cargo().args(&build).arg("--no-run"))?;
    let postgres = Postgres::start_durable()?;
    let mut run = workspace::cargo();
    if FLOW_USERS.contains(&name) {
        plugins::build_only("plugin", &[PLUGIN_OF_FLOW])?;
        run.env(PLUGINS, workspace::members()?.target_directory.join("plugins"));
    }
    run.args(&build).env(POSTGRES, postgres.url()).arg("--").args(options);
    if let Some(peers) = peers {
        run.env(PEERS, peers);
    }
    if let Some(pgbench) = postgres::program("pgbench") {
        run.env(PGBENCH, pgbench);
    }
    workspace::succeed(&mut run)
}

/// A benchmark of the program, with a PostgreSQL beside it. What is measured is built with `profile`; what measures it is built for
/// development.
fn program(name: &str, profile: &str) -> Result<()> {
    if PLUGIN_USERS.contains(&name) {
        plugins::build("plugin")?;
    }
    let binary = if let Some(given) = std::env::var_os(BINARY) {
        PathBuf::from(given)
    } else {
        eprintln!("building with the profile {profile} (the first time takes some minutes)");
        let mut build = vec!["build", "--bin", "gateway", "--profile", profile];
        build.extend(selection("gateway", profile));
        workspace::succeed(workspace::cargo().args(build))?;
        let target = workspace::members()?.target_directory;
        target.join(workspace::profile_folder(profile)).join("gateway").into_std_path_buf()
    };
    let bench = benchmark(name, "gateway-bench", TRIED);
    workspace::succeed(workspace::cargo().args(&bench).arg("--no-run"))?;
    let postgres = Postgres::start_durable()?;
    let mut run = workspace::cargo();
    run.args(&bench).env(BINARY, binary).env(URL_VARIABLE, postgres.url());
    if let Some(psql) = postgres::program("psql") {
        run.env(PSQL, psql);
    }
    workspace::succeed(&mut run)
}

/// Installs servers of others from npm, in a folder that the next run finds again.
fn install_peers() -> Result<PathBuf> {
    for program in ["node", "npm"] {
        ensure!(
            package::in_path(program),
            "{PEERS_OPTION} needs {program}, which was not found: install Node.js 20 or later"
        );
    }
    let folder = workspace::members()?.target_directory.join("bench/peers").into_std_path_buf();
    fs::create_dir_all(&folder).with_context(|| format!("could not create {}", folder.display()))?;
    eprintln!("installing servers of others from npm");
    node::install(&folder, &workspace::root().join("tests/bench/peers"), &PEER_FILES)?;
    Ok(folder)
}

/// A benchmark of a component, which is always built as it is installed; `profile` is how the host and the native code are
/// built.
fn component(name: &str, profile: &str) -> Result<()> {
    let (key, folder, variable) = match name {
        "pdf" => ("render-pdf", "plugins/render", RENDERER),
        _ => ("es-verifactu", "plugins", PLUGIN),
    };
    plugins::build_only("plugin", &[key])?;
    let file = workspace::members()?.target_directory.join(folder).join(format!("{key}.wasm"));
    eprintln!("building with the profile {profile} (the first time takes some minutes)");
    let bench = benchmark(name, "gateway-bench", profile);
    workspace::succeed(workspace::cargo().args(bench).env(variable, file))
}

/// The arguments of cargo that build and run a benchmark.
fn benchmark<'a>(name: &'a str, package: &'a str, profile: &'a str) -> Vec<&'a str> {
    let mut arguments = vec!["bench", "--bench", name, "--profile", profile];
    arguments.extend(selection(package, profile));
    arguments
}

/// What is built, and with which features: one package as it is shipped, or, where nothing is measured, all of them as the tests
/// build them, which then are there already.
fn selection<'a>(package: &'a str, profile: &str) -> Vec<&'a str> {
    if profile == TRIED {
        [&["--workspace"], &TEST_FEATURES[..]].concat()
    } else {
        vec!["--package", package]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_measured_is_built_without_what_only_tests_need() {
        let shipped = benchmark("flow", "gateway", SHIPPED);
        assert_eq!(shipped, ["bench", "--bench", "flow", "--profile", "dist", "--package", "gateway"]);
        let tried = benchmark("flow", "gateway", TRIED);
        assert!(tried.ends_with(&["--workspace", "--features", "gateway/fail-points"]), "{tried:?}");
    }

    #[test]
    fn options_of_a_benchmark_and_the_profile_come_in_any_order() {
        let pages = |profile, options| Some(Request { name: "pages", profile, options });
        assert_eq!(Request::parse(&["pages"]), pages(SHIPPED, vec![]));
        let expected = pages("dev", vec!["--check", "--plans"]);
        assert_eq!(Request::parse(&["pages", "--check", "--profile", "dev", "--plans"]), expected);
        let peers = |name, profile| Some(Request { name, profile, options: vec!["--peers"] });
        assert_eq!(Request::parse(&["graphql", "--peers"]), peers("graphql", SHIPPED));
        assert_eq!(Request::parse(&["token", "--profile", "dev", "--peers"]), peers("token", "dev"));
        for misuse in [
            &["token", "--check"][..],
            &["pages", "--peers"],
            &["issuing", "--peers"],
            &["pages", "--profile"],
            &["pages", "--quick"],
            &["nothing"],
            &[],
        ] {
            assert_eq!(Request::parse(misuse), None, "{misuse:?}");
        }
    }
}
