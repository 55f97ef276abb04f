//! What goes over the wire to the authority and comes back for golden cases and for the plugin's own samples, as files.

use crate::folder::{self, Folder};
use crate::suite::{TestRunner, without_logs};
use gateway_domain::regime::{AuthorityAnswer, AuthoritySubmission};
use gateway_domain_input::unreadable;
use gateway_registry::{Case, CaseReading, Environment};
use gateway_terminal::Failure;
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};
use tracing::instrument::WithSubscriber;

/// Writes the record of every case of `cases` and of every sample to `<target>/<name>.xml`, or `.json`, and beside it what the
/// authority writes back, to `<target>/<name>.<name of the answer>`; a sample that is called like a case is that case. Returns
/// the files of the records, in that order.
///
/// # Errors
/// The plugin plays no authority or shows nothing of any document, a case cannot be read, or a file cannot be written.
pub(crate) async fn write(
    runner: &TestRunner,
    cases: Option<&Folder>,
    target: &Path,
) -> Result<Vec<PathBuf>, Failure> {
    if !runner.plugin().has_sandbox() {
        return Err(Failure::refused(
            "the plugin plays no authority, so nothing is known of what goes over the wire: export the interface sandbox",
        ));
    }
    let mut named: Vec<(String, Case, Environment)> = Vec::new();
    if let Some(folder) = cases {
        let environment = folder.environment()?;
        for file in folder.cases()? {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            named.push((name, folder::parse(&file)?, environment.clone()));
        }
    }
    for sample in runner.samples().await? {
        if named.iter().all(|(name, ..)| *name != sample.name) {
            let environment = match &sample.context {
                Some(context) => parse(&sample.name, context)?,
                None => Environment::default(),
            };
            let case = parse(&sample.name, &sample.case)?;
            named.push((sample.name, case, environment));
        }
    }
    if named.is_empty() {
        return Err(Failure::refused(
            "there are no cases, and the plugin brings no samples along: name a folder of cases with --cases",
        ));
    }
    let mut files = Vec::new();
    for (name, case, environment) in named {
        if let Some((payload, answers)) =
            exchange(runner, &name, &case, &environment).with_subscriber(without_logs()).await?
        {
            let ending = if payload.trim_start().starts_with('<') { "xml" } else { "json" };
            files.push(write_file(target, &name, ending, &payload)?);
            for answer in answers {
                write_file(target, &name, &answer.name, &answer.body)?;
            }
        }
    }
    if files.is_empty() {
        return Err(Failure::refused(
            "the plugin shows nothing of what goes over the wire: give its outcomes a payload",
        ));
    }
    Ok(files)
}

/// The record with the answers to it. None where the document is refused before an authority sees it, or nothing is shown.
async fn exchange(
    runner: &TestRunner,
    name: &str,
    case: &Case,
    environment: &Environment,
) -> Result<Option<(String, Vec<AuthorityAnswer>)>, Failure> {
    let unreadable = |why: String| Failure::refused(format!("{name}: {why}"));
    let ready = match case.read(environment, runner.plugin().description()).map_err(unreadable)? {
        CaseReading::Ready(ready) => ready,
        CaseReading::Refused(_) | CaseReading::Unsupported(_) => return Ok(None),
    };
    let (invoice, context) = *ready;
    let Ok(document) = runner.structured(&invoice, &context).await else { return Ok(None) };
    let submission = AuthoritySubmission {
        document,
        now: context.now,
        previous: None,
        registered: None,
        amends: None,
        forced_code: None,
    };
    // Whatever the answer is: what is refused went over the wire as well.
    let outcome = runner.submit(&submission).await.map_err(|error| unreadable(error.to_string()))?;
    let answers = runner.answers(&submission, &outcome).await;
    let answers = answers.map_err(|error| unreadable(error.to_string()))?;
    Ok(outcome.payload.map(|payload| (payload, answers)))
}

fn parse<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, Failure> {
    serde_json::from_str(text)
        .map_err(|error| Failure::refused(format!("the sample {name} cannot be read: {error}")))
}

/// Names come from the plugin: what is no plain file name is refused. `ending` is no path: the host refuses answers of such a name.
fn write_file(target: &Path, name: &str, ending: &str, text: &str) -> Result<PathBuf, Failure> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ');
    if name.is_empty() || !name.chars().all(is_plain) {
        return Err(Failure::refused(format!(
            "{name:?} is no name for a file: letters, digits, '_' and '-'"
        )));
    }
    let file = target.join(format!("{name}.{ending}"));
    let refused = |error: std::io::Error| {
        Failure::refused(format!("{} cannot be written ({})", file.display(), unreadable(&error)))
    };
    fs::create_dir_all(target).map_err(refused)?;
    fs::write(&file, text).map_err(refused)?;
    Ok(file)
}
