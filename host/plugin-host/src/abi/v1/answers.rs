//! What a stand-in authority writes back: asked with what `submit` was asked and said, and read.

use super::{ask, wit_answers as wit};
use crate::defect::{Failure, unusable};
use gateway_domain::regime::{AuthorityAnswer, AuthorityOutcome, AuthoritySubmission};
use std::collections::BTreeSet;

/// Messages about one submission.
const ANSWERS_MAX: usize = 10;
/// Characters of a name, and of a media type.
const TEXT_CHARS_MAX: usize = 200;
/// Bytes of one message.
const BODY_BYTES_MAX: usize = 1 << 20;

pub(super) fn submission(submission: &AuthoritySubmission) -> wit::Submission {
    let super::sandbox::Submission { document, now, previous, registered, amends, forced_code } =
        ask::submission(submission);
    wit::Submission { document, now, previous, registered, amends, forced_code }
}

pub(super) fn outcome(outcome: &AuthorityOutcome) -> wit::Outcome {
    wit::Outcome {
        accepted: outcome.accepted,
        stamps: outcome.stamps.iter().map(ask::stamp).collect(),
        faults: outcome.faults.iter().map(ask::provider_fault).collect(),
        record: outcome.record.clone(),
        payload: outcome.payload.clone(),
    }
}

pub(super) fn read(answers: Vec<wit::Answer>) -> Result<Vec<AuthorityAnswer>, Failure> {
    if answers.len() > ANSWERS_MAX {
        return Err(Failure::Oversize("too many answers of the authority", ANSWERS_MAX));
    }
    let mut names = BTreeSet::new();
    for wit::Answer { name, media_type, body } in &answers {
        check(name)?;
        check(media_type)?;
        if name.contains(['/', '\\']) {
            return Err(unusable(format!(
                "an answer of the authority called '{name}', which is no name of a file"
            )));
        }
        if !names.insert(name) {
            return Err(unusable(format!("two answers of the authority called '{name}'")));
        }
        if body.len() > BODY_BYTES_MAX {
            return Err(Failure::Oversize("an answer of the authority of too many bytes", BODY_BYTES_MAX));
        }
    }
    let answer = |wit::Answer { name, media_type, body }| AuthorityAnswer { name, media_type, body };
    Ok(answers.into_iter().map(answer).collect())
}

/// Whether a text may name a file, or a media type in a header.
fn check(text: &str) -> Result<(), Failure> {
    if text.chars().count() > TEXT_CHARS_MAX {
        return Err(Failure::Oversize("a text beside an answer of too many characters", TEXT_CHARS_MAX));
    }
    if text.trim().is_empty() || text.chars().any(char::is_control) {
        let quoted = text.escape_debug();
        return Err(unusable(format!(
            "the text '{quoted}' beside an answer, which is empty or has control characters"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(name: &str) -> wit::Answer {
        let (name, media_type) = (name.to_owned(), "application/xml".to_owned());
        wit::Answer { name, media_type, body: "<answer/>".to_owned() }
    }

    fn numbered(count: usize) -> Vec<wit::Answer> {
        (0..count).map(|number| answer(&format!("{number}.xml"))).collect()
    }

    #[test]
    fn what_an_authority_writes_back_is_bounded() {
        assert_eq!(read(numbered(ANSWERS_MAX)).unwrap().len(), ANSWERS_MAX);
        let longest = wit::Answer { body: "x".repeat(BODY_BYTES_MAX), ..answer("a.xml") };
        assert!(read(vec![longest.clone()]).is_ok());
        for wrong in [
            numbered(ANSWERS_MAX + 1),
            vec![answer("a.xml"), answer("a.xml")],
            vec![answer("")],
            vec![answer("../a.xml")],
            vec![answer("a\\b.xml")],
            vec![answer("a\n.xml")],
            vec![answer(&"x".repeat(TEXT_CHARS_MAX + 1))],
            vec![wit::Answer { media_type: " ".to_owned(), ..answer("a.xml") }],
            vec![wit::Answer { body: longest.body + "x", ..answer("a.xml") }],
        ] {
            let names: Vec<_> = wrong.iter().map(|answer| answer.name.clone()).collect();
            assert!(read(wrong).is_err(), "{names:?}");
        }
    }
}
