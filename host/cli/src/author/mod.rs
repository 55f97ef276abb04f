//! What a plugin's author types: `gateway plugin new | build | test | watch`. Nothing here opens the database, but for
//! `watch --install`.

mod build;
mod difference;
mod folder;
mod new;
mod progress;
mod report;
mod suite;
mod template;
mod trace;
mod watch;

use crate::Program;
use crate::args::AuthorCommand;
use folder::Folder;
use gateway_config::Config;
use gateway_terminal::{Failure, Out};
use std::path::Path;
use suite::TestRunner;

/// Carries out an author's command.
pub async fn run(command: AuthorCommand, config: &Config, program: Program, out: Out) -> Result<(), Failure> {
    match command {
        AuthorCommand::New { name, lang } => new::run(&name, lang, out),
        AuthorCommand::Build { manifest_path } => build::run(manifest_path.as_deref(), config, out).await,
        AuthorCommand::Test { file, cases, update } => test(&file, cases.as_deref(), update, out).await,
        AuthorCommand::Watch(args) => watch::run(args, config, program, out).await,
    }
}

/// `gateway plugin test FILE`.
async fn test(file: &Path, cases: Option<&Path>, update: bool, out: Out) -> Result<(), Failure> {
    let folder = Folder::find(file, cases)?;
    let runner = TestRunner::open(file).await?;
    let results = runner.check(&folder, update).await?;
    out.data(&report::Report::new(runner.plugin(), &results), || report::text(runner.plugin(), &results));
    let failed = results.iter().filter(|result| result.verdict.failed()).count();
    match failed {
        0 => Ok(()),
        1 => Err(Failure::refused("one case failed: mend the plugin, or write what is made with --update")),
        _ => Err(Failure::refused(format!(
            "{failed} cases failed: mend the plugin, or write what is made with --update"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use crate::args::Cli;
    use clap::Parser;

    #[test]
    fn what_an_author_types_is_understood_and_nonsense_is_misuse() {
        for line in [
            "gateway plugin new es-tbai",
            "gateway plugin new es-tbai --lang python",
            "gateway plugin build --manifest-path x/Cargo.toml",
            "gateway plugin test x.wasm --cases golden --update --json",
            "gateway plugin watch",
            "gateway plugin watch --install",
            "gateway plugin watch --into http://127.0.0.1:8081 --token-file token",
            "gateway plugin watch --drop plugins --cases golden",
        ] {
            assert!(Cli::try_parse_from(line.split(' ')).is_ok(), "{line}");
        }
        for line in [
            "gateway plugin new",
            "gateway plugin new EsTbai",
            "gateway plugin new es-tbai --lang cobol",
            "gateway plugin test",
            "gateway plugin watch --into http://127.0.0.1:8081",
            "gateway plugin watch --install --drop plugins",
        ] {
            assert_eq!(
                Cli::try_parse_from(line.split(' ')).map(|_| ()).unwrap_err().exit_code(),
                2,
                "{line}"
            );
        }
    }
}
