//! What of a draft is refused later and is not today.

use crate::draft::Draft;
use crate::moment::{Moment, moments};
use crate::ports::ComingRules;
use gateway_domain::fault::Fault;
use gateway_domain::ports::ConverterError;
use jiff::Zoned;

/// The code of the warning that something will be refused.
pub const RULES_COMING: &str = "RULES-COMING";
/// The code of the warning that nobody could say whether something will be refused.
pub const RULES_UNCHECKED: &str = "RULES-UNCHECKED";
/// Warnings of one dry run.
pub const WARNINGS_MAX: usize = 20;

/// What comes of a draft on another day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DraftOutcome {
    /// Nothing stops it then that does not stop it today.
    Unchanged,
    /// These stop it then and do not today; never empty.
    Refused(Vec<Fault>),
    /// Nobody could say; one sentence why.
    Unchecked(String),
}

/// What comes of a draft that is issued at `at` and not now.
pub async fn outcome_at(rules: &dyn ComingRules, draft: &Draft, at: &Zoned) -> DraftOutcome {
    let today = match faults_at(rules, draft, draft.now()).await {
        Ok(today) => today,
        Err(error) => return DraftOutcome::Unchecked(sentence(error)),
    };
    match faults_at(rules, draft, at).await {
        Ok(then) => {
            let refused = newly_refused(&today, then);
            if refused.is_empty() { DraftOutcome::Unchanged } else { DraftOutcome::Refused(refused) }
        }
        Err(error) => DraftOutcome::Unchecked(sentence(error)),
    }
}

/// What a dry run tells of the rules to come: a warning for each fault that will stop the draft and does not today, by the first
/// moment at which it does; at most [`WARNINGS_MAX`]. `today` is what the version in force says now. A version that fails ends the
/// look ahead with a warning that says so.
pub async fn warnings_ahead(rules: &dyn ComingRules, draft: &Draft, today: &[Fault]) -> Vec<Fault> {
    let (mut known, mut warnings) = (today.to_vec(), Vec::new());
    for moment in moments(rules, draft) {
        let then = match faults_at(rules, draft, &moment.at).await {
            Ok(then) => then,
            Err(error) => {
                warnings.push(unchecked(&moment, error));
                break;
            }
        };
        let refused = newly_refused(&known, then);
        warnings.extend(refused.iter().map(|fault| coming(&moment, fault)));
        known.extend(refused);
    }
    warnings.truncate(WARNINGS_MAX);
    warnings
}

/// Those that stop a document and are not among those that stopped it before: code and place decide.
pub fn newly_refused(before: &[Fault], then: Vec<Fault>) -> Vec<Fault> {
    let is_known = |fault: &Fault| {
        before.iter().any(|known| known.stops() && (&known.code, &known.path) == (&fault.code, &fault.path))
    };
    then.into_iter().filter(|fault| fault.stops() && !is_known(fault)).collect()
}

/// What the version of that moment says of the draft; nothing of a kind of document that it does not take.
async fn faults_at(rules: &dyn ComingRules, draft: &Draft, at: &Zoned) -> Result<Vec<Fault>, ConverterError> {
    let (invoice, context) = draft.issued_at(at);
    let key = (&draft.regime, at.timestamp());
    let version = rules.version_at(&draft.document, key.0, key.1);
    if version.is_some_and(|version| !version.kinds.contains(&invoice.kind)) {
        return Ok(Vec::new());
    }
    match rules.check_at(&draft.document, key, &invoice, &context).await {
        Err(ConverterError::Faults(faults)) => Ok(faults),
        checked => checked,
    }
}

fn coming(Moment { at, causes }: &Moment, Fault { code, path, message, severity: _ }: &Fault) -> Fault {
    let (day, causes) = (at.date(), causes.join(" and "));
    let message = format!("It will be refused from {day} on, when {causes} ({code}): {message}");
    Fault::warning(RULES_COMING, path, message)
}

fn unchecked(Moment { at, causes }: &Moment, error: ConverterError) -> Fault {
    let (day, causes) = (at.date(), causes.join(" and "));
    let message =
        format!("Nobody could say what will be refused from {day} on, when {causes}: {}", sentence(error));
    Fault::warning(RULES_UNCHECKED, "", message)
}

fn sentence(error: ConverterError) -> String {
    match error {
        ConverterError::Broken(fault) => fault.message,
        error @ (ConverterError::UnknownRegime(_) | ConverterError::Faults(_) | ConverterError::Busy) => {
            error.to_string()
        }
    }
}
