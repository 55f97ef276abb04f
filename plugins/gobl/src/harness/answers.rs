//! What the authority writes back, against golden files and against what a gateway takes.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use einvoice_plugin::{Answers, Authority, Submission};

/// Most answers about one submission, bytes of one, and characters of its name (`wit/v1.5`).
const ANSWERS_MAX: usize = 10;
const BYTES_MAX: usize = 1 << 20;
const NAME_CHARS_MAX: usize = 200;

/// The authority answers a submission that it can read by documents that a gateway takes, the same every time.
///
/// # Errors
/// Says what no gateway takes.
pub fn writes_back<P: Authority + Answers>(submission: &Submission) -> Result<(), String> {
    let Ok(outcome) = P::submit(submission) else { return Ok(()) };
    let answers = P::answers(submission, &outcome);
    if answers != P::answers(submission, &outcome) {
        return Err("other answers the second time".to_owned());
    }
    let names: BTreeSet<_> = answers.iter().map(|answer| answer.name.as_str()).collect();
    if answers.len() > ANSWERS_MAX || names.len() < answers.len() {
        return Err(format!("{} answers of the names {names:?}", answers.len()));
    }
    let is_name = |name: &str| {
        let chars = name.chars().count();
        chars > 0 && chars <= NAME_CHARS_MAX && !name.contains(['/', '\\'])
    };
    let unfit = answers.iter().find(|answer| !is_name(&answer.name) || answer.body.len() > BYTES_MAX);
    unfit.map_or(Ok(()), |answer| Err(format!("{:?} of {} bytes", answer.name, answer.body.len())))
}

/// Compares every answer to each submission with `<folder>/<title>.<name>`, and says which differ, or are left over. With
/// `UPDATE_GOLDEN` set, writes them instead.
///
/// # Errors
/// A submission cannot be read, or a file cannot be written.
pub fn differing_answers<P: Authority + Answers>(
    folder: &Path,
    submissions: &[(&str, Submission)],
) -> Result<Vec<String>, String> {
    let mut found = BTreeMap::new();
    for (title, submission) in submissions {
        let outcome = P::submit(submission).map_err(|faults| format!("{title}: {faults:?}"))?;
        for answer in P::answers(submission, &outcome) {
            found.insert(format!("{title}.{}", answer.name), answer.body);
        }
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        fs::create_dir_all(folder).map_err(|error| error.to_string())?;
        for (name, body) in &found {
            fs::write(folder.join(name), body).map_err(|error| format!("{name}: {error}"))?;
        }
    }
    let differs =
        |(name, body): &(&String, &String)| fs::read_to_string(folder.join(name)).ok().as_ref() != Some(body);
    let differing = found.iter().filter(differs).map(|(name, _)| name.clone());
    let listed = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let listed = listed.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned());
    Ok(differing.chain(listed.filter(|name| !found.contains_key(name))).collect())
}
