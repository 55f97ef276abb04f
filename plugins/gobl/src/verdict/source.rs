//! Who complains: the authority's own step of the provider's workflow, the provider's validation of the format, or
//! another step, such as the one that prints.

use einvoice_plugin::ProviderFault;
use serde_json::Value;

use super::{Answers, code};
use crate::text::non_blank;

/// How the provider names its validation of the format.
pub(super) const VALIDATION: &str = "gobl";

/// Who complains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FaultSource {
    Authority,
    Validation,
    /// Another step, or one of the authority that ended without an answer.
    Step(String),
}

/// The steps of a job (`intents`), as far as they ended.
pub(super) struct Steps(Vec<Step>);

#[derive(Debug)]
struct Step {
    provider: Option<String>,
    /// A label for people.
    name: Option<String>,
    status: String,
    code: Option<String>,
    message: Option<String>,
}

impl Steps {
    /// The steps of a job as the provider sent it; a job that lists none has none.
    pub(super) fn of(job: &str) -> Result<Self, serde_json::Error> {
        if job.is_empty() {
            return Ok(Self(Vec::new()));
        }
        let job: Value = serde_json::from_str(job)?;
        let intents = job.get("intents").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        Ok(Self(intents.iter().filter_map(Step::read).collect()))
    }

    /// What the failed steps say.
    pub(super) fn faults(&self) -> Vec<ProviderFault> {
        let telling = self.failed().filter(|step| step.code.is_some() || step.message.is_some());
        telling.map(Step::fault).collect()
    }

    /// Who complains. A fault that names nobody is that of the failed step with its code or message, or else of the last
    /// one that failed; where no step is named it is the authority's.
    pub(super) fn source(&self, answers: &impl Answers, fault: &ProviderFault) -> FaultSource {
        let own = code(fault).is_some_and(|code| answers.is_code(code));
        let named = non_blank(fault.provider.as_deref());
        let step = self.step_of(answers, fault, own);
        let speaker = match (named, step.map(|step| (step.provider.as_deref(), step.named()))) {
            (Some(name), _) => of_name(answers, name),
            // A label for people names nobody whom a code of the authority's own does not.
            (None, Some((None, Some(_)))) if own => FaultSource::Authority,
            (None, Some((_, Some(name)))) => of_name(answers, name),
            (None, Some((_, None)) | None) => FaultSource::Authority,
        };
        // A step that timed out or was cancelled brought no answer, unless with a code that only the authority has.
        let unanswered = step.filter(|step| !own && !step.is_refused()).and_then(Step::named);
        match (speaker, unanswered) {
            (FaultSource::Authority, Some(step)) => FaultSource::Step(step.to_owned()),
            (speaker, _) => speaker,
        }
    }

    /// The failed step that a fault is about.
    fn step_of(&self, answers: &impl Answers, fault: &ProviderFault, own: bool) -> Option<&Step> {
        let named = non_blank(fault.provider.as_deref());
        let (code, message) = (code(fault), non_blank(fault.message.as_deref()));
        let failed = || self.failed().filter(|step| named.is_none_or(|name| step.is_named(name)));
        // Without a code, a copy of what a step says is recognised by being the same.
        let says = |step: &&Step| match code {
            Some(_) => step.code.as_deref() == code,
            None => message.is_some() && step.message.as_deref() == message,
        };
        let of_authority = |step: &&Step| own && step.named().is_some_and(|name| is_authority(answers, name));
        let said = failed().find(says).or_else(|| failed().find(of_authority));
        said.or_else(|| failed().rfind(|step| step.named().is_some()))
    }

    /// The last failed step that is not the authority's, or that it did not answer; with what it says.
    pub(super) fn failed_outside_authority(&self, answers: &impl Answers) -> Option<(String, ProviderFault)> {
        let elsewhere = |name: &str, step: &Step| !step.is_refused() || !is_authority(answers, name);
        self.failed().rev().find_map(|step| {
            let name = step.named().filter(|name| elsewhere(name, step))?;
            Some((name.to_owned(), step.fault()))
        })
    }

    /// The authority's step with what it says, when it failed and nothing of the authority came after it: the job went
    /// well only because its workflow deals with failures.
    pub(super) fn rescued_failure(&self, answers: &impl Answers) -> Option<(String, ProviderFault)> {
        let of_authority = |step: &Step| {
            let name = step.named().filter(|name| is_authority(answers, name))?;
            Some((name.to_owned(), step.failed().then(|| step.fault())))
        };
        let (name, failure) = self.0.iter().rev().find_map(of_authority)?;
        Some((name, failure?))
    }

    fn failed(&self) -> impl DoubleEndedIterator<Item = &Step> {
        self.0.iter().filter(|step| step.failed())
    }
}

impl Step {
    /// A step with its last event.
    fn read(intent: &Value) -> Option<Self> {
        let last = intent.get("events")?.as_array()?.last()?;
        let text = |of: &Value, member: &str| {
            let value = of.get(member)?;
            let text = value.as_str().map(str::to_owned).or_else(|| Some(value.as_number()?.to_string()));
            non_blank(text.as_deref()).map(str::to_owned)
        };
        Some(Self {
            provider: text(intent, "provider"),
            name: text(intent, "name"),
            status: text(last, "status").unwrap_or_default(),
            code: text(last, "code"),
            message: text(last, "message"),
        })
    }

    fn fault(&self) -> ProviderFault {
        let (provider, code, message) = (self.provider.clone(), self.code.clone(), self.message.clone());
        ProviderFault { provider, code, message, paths: Vec::new() }
    }

    fn failed(&self) -> bool {
        ["KO", "TIMEOUT", "CANCEL", "CANCELED", "CANCELLED", "ERR"].contains(&self.status.as_str())
    }

    /// Whether the step ended with an answer that is no.
    fn is_refused(&self) -> bool {
        self.status == "KO"
    }

    fn named(&self) -> Option<&str> {
        self.provider.as_deref().or(self.name.as_deref())
    }

    /// Whether a fault's provider is this step: `verifactu` complains about what happens in `verifactu.send`.
    fn is_named(&self, name: &str) -> bool {
        self.named().is_some_and(|own| is_of(own, name) || is_of(name, own))
    }
}

fn of_name(answers: &impl Answers, name: &str) -> FaultSource {
    if is_authority(answers, name) {
        FaultSource::Authority
    } else if is_of(name, VALIDATION) {
        FaultSource::Validation
    } else {
        FaultSource::Step(name.to_owned())
    }
}

fn is_authority(answers: &impl Answers, name: &str) -> bool {
    answers.names().iter().any(|own| is_of(name, own))
}

/// Whether `name` is `whole` or a part of it, as `verifactu.send` is of `verifactu`; in letters of any case.
fn is_of(name: &str, whole: &str) -> bool {
    let (name, whole) = (name.to_ascii_lowercase(), whole.to_ascii_lowercase());
    name.strip_prefix(&whole).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
