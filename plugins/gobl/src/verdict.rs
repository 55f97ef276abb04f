//! The provider's report on the current attempt as a verdict.
//!
//! Stamps can appear before the authority answered, so a failure wins over stamps; a remark is no failure. What codes
//! mean and how it is said differs by country: [`Answers`].

use einvoice_plugin::{Acceptance, Fault, ProviderFault, ProviderResult, Rejection, Remark, Stamp, Verdict};
use serde::Deserialize;

use crate::text::given;

/// How a system's authority answers.
pub trait Answers {
    /// The stamp without which nothing was accepted.
    fn required_stamp(&self) -> Option<&str>;

    /// The stamp that carries the address where anybody verifies the document.
    fn qr_stamp(&self) -> Option<&str>;

    /// The stamp that carries the authority's number or fingerprint of the document.
    fn hash_stamp(&self) -> Option<&str>;

    /// Whether a fault comes with an accepted document.
    fn is_remark(&self, fault: &ProviderFault) -> bool;

    /// One sentence for a person about a remark.
    fn remark(&self, fault: &ProviderFault) -> String;

    /// One sentence for a person about the first complaint.
    fn reason(&self, complaint: &ProviderFault) -> String;

    /// What a complaint says of each path it names.
    fn message(&self, complaint: &ProviderFault) -> String;

    /// What to do about a success without the required stamp.
    fn unproven(&self) -> String;
}

/// What the report means.
pub fn interpret(answers: &impl Answers, report: &ProviderResult) -> Verdict {
    let of_job;
    let faults = if report.succeeded || !report.faults.is_empty() {
        &report.faults
    } else {
        of_job = faults_of_job(&report.job);
        &of_job
    };
    let (remarks, complaints): (Vec<_>, Vec<_>) = faults.iter().partition(|fault| answers.is_remark(fault));
    if let Some(first) = complaints.first() {
        return Verdict::Rejected(Rejection {
            code: code(first).map(str::to_owned),
            reason: answers.reason(first),
            faults: complaints.iter().flat_map(|complaint| by_path(answers, complaint)).collect(),
        });
    }
    let stamp = |name: Option<&str>| name.and_then(|name| stamp(&report.stamps, name));
    let proven = answers.required_stamp().is_none() || stamp(answers.required_stamp()).is_some();
    match (report.succeeded || !remarks.is_empty(), proven) {
        (true, true) => Verdict::Accepted(Acceptance {
            qr_url: stamp(answers.qr_stamp()),
            tax_system_hash: stamp(answers.hash_stamp()),
            warnings: remarks
                .into_iter()
                .map(|fault| Remark::new(code(fault).unwrap_or_default(), answers.remark(fault)))
                .collect(),
        }),
        (true, false) => Verdict::Undecided(answers.unproven()),
        (false, _) => Verdict::Undecided(
            "The provider's job failed without saying why; look at the job at the provider and retry."
                .to_owned(),
        ),
    }
}

/// The code of a fault, without white space around it.
pub fn code(fault: &ProviderFault) -> Option<&str> {
    given(fault.code.as_deref())
}

/// Code, path and message as they came: one fault per path.
fn by_path(answers: &impl Answers, complaint: &ProviderFault) -> Vec<Fault> {
    let code = code(complaint).unwrap_or_default();
    let message = answers.message(complaint);
    if complaint.paths.is_empty() {
        return vec![Fault::error(code, "", message)];
    }
    complaint.paths.iter().map(|path| Fault::error(code, path.as_str(), message.as_str())).collect()
}

fn stamp(stamps: &[Stamp], provider: &str) -> Option<String> {
    let found = stamps.iter().find(|stamp| stamp.provider == provider)?;
    given(Some(&found.value)).map(str::to_owned)
}

/// The part of a job that tells why a step failed.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Job {
    intents: Vec<Intent>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Intent {
    provider: Option<String>,
    events: Vec<Event>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Event {
    status: Option<String>,
    code: Option<String>,
    message: Option<String>,
}

/// Some steps give their code in the failed event only.
fn faults_of_job(job: &str) -> Vec<ProviderFault> {
    let job: Job = serde_json::from_str(job).unwrap_or_default();
    let failed = job.intents.into_iter().flat_map(|Intent { provider, events }| {
        events.into_iter().filter_map(move |event| {
            let failed = event.status.as_deref() == Some("KO") && given(event.code.as_deref()).is_some();
            failed.then(|| ProviderFault {
                provider: provider.clone(),
                code: event.code,
                message: event.message,
                paths: Vec::new(),
            })
        })
    });
    failed.collect()
}
