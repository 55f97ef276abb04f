//! The steps of a job's workflow (`intents`): which of them failed, and what they say about it.

use crate::refusal;
use gateway_domain::regime::ProviderFault;
use gateway_domain_finance::ports::JobProgress;
use serde::Deserialize;
use serde_json::Value;

/// A step with everything that happened to it, oldest first.
#[derive(Deserialize)]
pub(crate) struct Intent {
    provider: Option<String>,
    events: Option<Vec<Event>>,
}

/// Something that happened to a step.
#[derive(Deserialize)]
pub(crate) struct Event {
    status: Option<String>,
    code: Option<Value>,
    message: Option<String>,
}

impl Intent {
    /// Of the newest event; none when nothing happened yet or that one names none.
    pub(crate) fn status(&self) -> Option<&str> {
        self.events.as_deref().unwrap_or_default().last()?.status.as_deref()
    }

    /// Who takes it; empty when nobody is named.
    pub(crate) fn provider(&self) -> String {
        self.provider.clone().unwrap_or_default()
    }

    pub(crate) fn ended_badly(&self) -> bool {
        is_final_failure(self.status())
    }

    /// What it says about its failure, perhaps nothing; none when it did not fail.
    fn fault(&self) -> Option<ProviderFault> {
        let event = self.events.as_deref().unwrap_or_default().last().filter(|_| self.ended_badly())?;
        Some(ProviderFault {
            provider: refusal::some(self.provider.clone()),
            code: refusal::code(event.code.clone()),
            message: refusal::some(event.message.clone()),
            paths: Vec::new(),
        })
    }
}

/// Whether nothing happens after this status.
pub(crate) fn is_final_failure(status: Option<&str>) -> bool {
    matches!(status, Some("KO" | "TIMEOUT" | "CANCEL" | "CANCELED" | "CANCELLED" | "ERR"))
}

/// Names the step that speaks in each fault that names nobody: the failed one with the fault's code, or for a fault
/// without one the only failed one that says something without a code and for which nobody else speaks, or else the only
/// one that failed. Where that does not tell, the fault stays as it is.
pub(crate) fn attribute_faults(faults: &mut [ProviderFault], intents: &[Intent]) {
    let failed: Vec<_> = intents.iter().filter_map(Intent::fault).collect();
    let unheard = |step: &&ProviderFault| {
        step.code.is_none() && step.message.is_some() && !faults.iter().any(|known| is_same_step(known, step))
    };
    let without_code = only(failed.iter().filter(unheard));
    let only_failed = only(failed.iter());
    for fault in faults.iter_mut().filter(|fault| fault.provider.is_none()) {
        let same_code = |step: &&ProviderFault| has_same_code(step, fault);
        let speaker = if fault.code.is_some() { failed.iter().find(same_code) } else { without_code };
        if let Some(step) = speaker.or(only_failed) {
            fault.provider.clone_from(&step.provider);
        }
    }
}

/// The only one; none where there are several.
fn only<T>(mut all: impl Iterator<Item = T>) -> Option<T> {
    all.next().filter(|_| all.next().is_none())
}

/// Adds what the failed steps say and no fault tells yet. A message without a code tells why the job failed; in a job
/// that went well it is a failure that the workflow dealt with.
pub(crate) fn add_faults(faults: &mut Vec<ProviderFault>, intents: &[Intent], progress: JobProgress) {
    let failed = progress == JobProgress::Failed;
    for step in intents.iter().filter_map(Intent::fault) {
        let tells = step.code.is_some() || (failed && step.message.is_some());
        if tells && !faults.iter().any(|known| covers(known, &step)) {
            faults.push(step);
        }
    }
}

/// Whether a fault tells what a failed step says: with its code it is the same complaint unless another step has more to
/// say; without one, any complaint of this step says why it failed. The provider has no id that its faults and steps share, so where
/// neither code nor step decides, the same text is the same complaint; nothing is read out of it.
fn covers(known: &ProviderFault, step: &ProviderFault) -> bool {
    let same_step = is_same_step(known, step);
    let is_copy = known.message == step.message;
    if step.code.is_none() {
        return same_step || is_copy;
    }
    let unnamed = known.provider.is_none() || step.provider.is_none();
    has_same_code(known, step) && (same_step || unnamed || step.message.is_none() || is_copy)
}

/// Whether both have a code, and the same one.
fn has_same_code(one: &ProviderFault, other: &ProviderFault) -> bool {
    let (one, other) = (one.code.as_deref().map(str::trim), other.code.as_deref().map(str::trim));
    one.is_some() && one == other
}

fn is_same_step(one: &ProviderFault, other: &ProviderFault) -> bool {
    match (&one.provider, &other.provider) {
        (Some(one), Some(other)) => is_of_step(one, other) || is_of_step(other, one),
        (None, _) | (_, None) => false,
    }
}

/// Whether `name` is `step` or one of its parts, as `verifactu.send` is of `verifactu`.
fn is_of_step(name: &str, step: &str) -> bool {
    let (name, step) = (name.trim().to_ascii_lowercase(), step.trim().to_ascii_lowercase());
    name.strip_prefix(&step).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    /// Provider, code and message of each fault of a failed job.
    fn faults_of(faults: &[(&str, &str, &str)], steps: Value) -> Vec<(String, String, String)> {
        faults_of_in(JobProgress::Failed, faults, steps)
    }

    fn faults_of_in(
        progress: JobProgress,
        faults: &[(&str, &str, &str)],
        steps: Value,
    ) -> Vec<(String, String, String)> {
        let given = |text: &str| refusal::some(Some(text.to_owned()));
        let fault = |(provider, code, message): &(&str, &str, &str)| ProviderFault {
            provider: given(provider),
            code: given(code),
            message: given(message),
            paths: Vec::new(),
        };
        let mut faults: Vec<_> = faults.iter().map(fault).collect();
        let intents: Vec<Intent> = serde_json::from_value(steps).unwrap();
        add_faults(&mut faults, &intents, progress);
        attribute_faults(&mut faults, &intents);
        let text = |text: Option<String>| text.unwrap_or_default();
        faults
            .into_iter()
            .map(|fault| (text(fault.provider), text(fault.code), text(fault.message)))
            .collect()
    }

    fn step(provider: &str, status: &str, code: &str, message: &str) -> Value {
        json!({"provider": provider, "events": [{"status": "RUN"}, {"status": status, "code": code, "message": message}]})
    }

    fn row(provider: &str, code: &str, message: &str) -> (String, String, String) {
        (provider.to_owned(), code.to_owned(), message.to_owned())
    }

    #[test]
    fn a_failed_step_with_only_a_message_is_a_fault_of_that_step() {
        for blank in ["", " "] {
            let steps =
                json!([step("verifactu.send", "OK", "", ""), step("pdf", "KO", blank, "render failed")]);
            assert_eq!(faults_of(&[], steps), [row("pdf", "", "render failed")], "{blank:?}");
        }
        let silent = json!([step("pdf", "KO", "", " ")]);
        assert_eq!(faults_of(&[], silent), []);
    }

    #[test]
    fn a_code_may_be_a_number() {
        let steps = json!([{"provider": "verifactu", "events": [{"status": "KO", "code": 4104}]}]);
        assert_eq!(faults_of(&[], steps), [row("verifactu", "4104", "")]);
    }

    #[test]
    fn a_message_of_a_step_that_failed_in_a_job_that_went_well_is_none() {
        let steps = json!([step("lookup", "KO", "", "not found"), step("verifactu.send", "OK", "", "")]);
        assert_eq!(faults_of_in(JobProgress::Succeeded, &[], steps), []);
    }

    #[test]
    fn what_a_fault_tells_already_is_told_once() {
        let steps = || json!([step("verifactu.send", "KO", "1110", "unknown NIF")]);
        for known in [
            ("verifactu", "1110", "unknown"),
            ("VERIFACTU.send", " 1110", "unknown NIF"),
            ("", "1110", "unknown"),
        ] {
            assert_eq!(faults_of(&[known], steps()).len(), 1, "{known:?}");
        }
        let wordy = || json!([step("verifactu.send", "KO", "", "accepted with errors")]);
        for known in [("verifactu", "2001", "remark"), ("aeat", "", "accepted with errors")] {
            assert_eq!(faults_of(&[known], wordy()).len(), 1, "{known:?}");
        }
        let pdf = json!([step("pdf", "KO", "1110", "render failed")]);
        assert_eq!(faults_of(&[("verifactu", "1110", "unknown NIF")], pdf).len(), 2);
        assert_eq!(
            faults_of(&[("", "2001", "remark")], json!([step("pdf", "KO", "", "render failed")])).len(),
            2
        );
    }

    #[test]
    fn a_fault_of_nobody_is_that_of_the_failed_step_that_says_it() {
        let steps =
            || json!([step("verifactu.send", "KO", "1110", "no"), step("pdf", "KO", "", "render failed")]);
        let named = |fault| faults_of(&[fault], steps()).remove(0).0;
        assert_eq!(named(("", "1110", "unknown")), "verifactu.send");
        assert_eq!(named(("", "", "render failed")), "pdf");
        assert_eq!(named(("", "17", "what")), "", "two steps failed, and neither says so");
        let only = json!([step("pdf", "TIMEOUT", "", "")]);
        assert_eq!(faults_of(&[("", "17", "what")], only), [row("pdf", "17", "what")]);
    }
}
