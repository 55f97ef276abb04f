//! The release before and this one, side by side on one database.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use gateway_test_postgres::URL_VARIABLE;

use super::{Environment, SuiteOutcome};
use crate::postgres::Postgres;
use crate::scratch::Scratch;
use crate::workspace::{self, TEST_FEATURES};

/// Names another revision of git to upgrade from than the newest release.
const REVISION_VARIABLE: &str = "GATEWAY_PREVIOUS_RELEASE";
/// What the tests read.
const BINARY_VARIABLE: &str = "GATEWAY_PREVIOUS_BINARY";
/// Tags of releases.
const TAGS: &str = "v[0-9]*";

pub(super) fn rolling(environment: &Environment) -> Result<SuiteOutcome> {
    if !workspace::root().join(".git").exists() {
        return Ok(SuiteOutcome::NotRun(
            "this is no checkout of git, so there is no release before this one",
        ));
    }
    let Some(revision) =
        environment(REVISION_VARIABLE).map_or_else(newest_release, |given| Ok(Some(given)))?
    else {
        return Ok(SuiteOutcome::NotRun(
            "nothing was released yet: no tag is named v0.1.0 or the like; GATEWAY_PREVIOUS_RELEASE names another revision",
        ));
    };
    let binary = build(&revision)?;
    let scratch = Scratch::find()?;
    let postgres = Postgres::start(&scratch)?;
    let mut cargo = workspace::cargo();
    cargo.args(["test", "--workspace", "--test", "it"]).args(TEST_FEATURES).args(["--", "rolling_upgrade::"]);
    cargo.env(URL_VARIABLE, postgres.url()).env(BINARY_VARIABLE, binary);
    scratch.serve(&mut cargo)?;
    workspace::succeed(&mut cargo)?;
    Ok(SuiteOutcome::Checked)
}

fn git() -> Command {
    let mut git = Command::new("git");
    git.args(["-c", "safe.directory=*"]).current_dir(workspace::root());
    git
}

fn answer(git: &mut Command) -> Result<String> {
    let output = git.output().context("could not start git")?;
    ensure!(output.status.success(), "git failed: {}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout).context("git wrote no text")?.trim().to_owned())
}

/// The tag of the newest release, unless that is what is checked out.
fn newest_release() -> Result<Option<OsString>> {
    let tags =
        answer(git().args(["tag", "--list", TAGS, "--sort=-version:refname", "--no-contains", "HEAD"]))?;
    Ok(tags.lines().next().map(OsString::from))
}

/// Builds the gateway of a revision, once.
fn build(revision: &OsString) -> Result<PathBuf> {
    let mut commit = revision.clone();
    commit.push("^{commit}");
    let commit = answer(git().args(["rev-parse", "--verify", "--end-of-options"]).arg(commit))?;
    let folder = workspace::members()?.target_directory.into_std_path_buf().join("releases").join(&commit);
    let binary = folder.join("gateway");
    if !binary.is_file() {
        let source = folder.join("source");
        unpack(&commit, &source)?;
        let mut cargo = workspace::cargo();
        cargo.current_dir(&source).env("CARGO_TARGET_DIR", folder.join("target"));
        workspace::succeed(cargo.args(["build", "--locked", "--package", "gateway", "--bin", "gateway"]))?;
        let built = folder.join("target/debug").join(format!("gateway{}", env::consts::EXE_SUFFIX));
        fs::copy(&built, &binary).with_context(|| format!("could not copy {}", built.display()))?;
        // Many times larger than what is needed of it.
        fs::remove_dir_all(folder.join("target")).context("could not remove what the build left")?;
    }
    Ok(binary)
}

fn unpack(commit: &str, source: &Path) -> Result<()> {
    if source.exists() {
        fs::remove_dir_all(source).with_context(|| format!("could not remove {}", source.display()))?;
    }
    fs::create_dir_all(source).with_context(|| format!("could not create {}", source.display()))?;
    let archive = source.with_extension("tar");
    workspace::succeed(git().args(["archive", "--format=tar", "--output"]).arg(&archive).arg(commit))?;
    workspace::succeed(Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(source))?;
    fs::remove_file(&archive).with_context(|| format!("could not remove {}", archive.display()))
}
