//! What the authority writes back, against golden files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use einvoice_plugin::{Answers, Authority, Submission};

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
