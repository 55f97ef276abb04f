//! The provider's report on the current attempt as a verdict.
//!
//! Only the authority's own step rejects a document, or the provider's validation of the format before the authority saw
//! it. A fault of any other step of the provider's workflow says nothing about the document: an operator has to look.
//! Stamps can appear before the authority answered, so a failure wins over stamps; a remark is no failure. What codes
//! mean and how it is said differs by country: [`Answers`].

mod source;
#[cfg(test)]
mod tests;

use einvoice_plugin::{Acceptance, Fault, ProviderFault, ProviderResult, Rejection, Remark, Stamp, Verdict};

use crate::text::non_blank;
use source::{FaultSource, Steps, VALIDATION};

/// The code of a complaint of the authority that has none.
const UNCODED: &str = "AUTHORITY";
/// Faults of other steps that a text for an operator quotes.
const QUOTED_MAX: usize = 3;

/// How a system's authority answers.
pub trait Answers {
    /// What the provider calls the authority, and the steps of its workflow that speak to it: `verifactu` is also
    /// `verifactu.send` and `VERIFACTU`.
    fn names(&self) -> &[&str];

    /// Whether a code is one of the authority's own.
    fn is_code(&self, code: &str) -> bool;

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

    /// What proves an acceptance, without an article: `verification address`.
    fn proof(&self) -> String;
}

/// What the report means. A text that leaves it undecided is one sentence without advice: the gateway says what to do.
pub fn interpret(answers: &impl Answers, report: &ProviderResult) -> Verdict {
    let steps = match Steps::of(&report.job) {
        Ok(steps) => steps,
        Err(error) => return Verdict::Undecided(format!("The provider's job is no JSON ({error})")),
    };
    let of_job;
    let faults = if report.succeeded || !report.faults.is_empty() {
        &report.faults
    } else {
        of_job = steps.faults();
        &of_job
    };
    let sorted = SortedFaults::of(answers, &steps, faults);
    let stamps = Stamps::of(answers, report);
    if let Some(first) = sorted.of_validation.first().filter(|_| sorted.complaints.is_empty() && stamps.any())
    {
        let (said, proof) = (sentence(VALIDATION, first), answers.proof());
        return Verdict::Undecided(format!("{said}, and yet there is a {proof}"));
    }
    let against: Vec<_> = sorted.complaints.iter().chain(&sorted.of_validation).copied().collect();
    if let Some(first) = against.first() {
        return Verdict::Rejected(Rejection {
            code: code(first).map(str::to_owned),
            reason: answers.reason(first),
            faults: against.iter().flat_map(|complaint| by_path(answers, complaint)).collect(),
        });
    }
    let went_well = report.succeeded && stamps.proven;
    if !sorted.of_steps.is_empty() && !went_well {
        let quoted = sorted.of_steps.iter().take(QUOTED_MAX).map(|(step, fault)| sentence(step, fault));
        return Verdict::Undecided(quoted.collect::<Vec<_>>().join("; "));
    }
    match doubt(answers, report.succeeded, &steps, &sorted, &stamps) {
        Some(why) => Verdict::Undecided(why),
        None => acceptance(answers, sorted, stamps),
    }
}

/// Why a document that nobody complains about is not accepted yet.
fn doubt(
    answers: &impl Answers,
    succeeded: bool,
    steps: &Steps,
    sorted: &SortedFaults<'_>,
    stamps: &Stamps,
) -> Option<String> {
    let proof = answers.proof();
    let failed = |(step, fault): (String, ProviderFault)| sentence(&step, &fault);
    match (sorted.remarks.first(), succeeded) {
        (_, true) if !stamps.proven => Some(format!("The provider reports success but no {proof}")),
        (None, true) => steps.rescued_failure(answers).map(failed),
        (Some(_), true) => None,
        (Some(remark), false) if !stamps.proven => {
            let (code, said) = (code(remark).unwrap_or_default(), answers.remark(remark));
            let said = said.trim_end_matches('.');
            Some(format!("The provider's job failed with the remark {code} ({said}) and there is no {proof}"))
        }
        (Some(_), false) => steps.failed_outside_authority(answers).map(failed),
        (None, false) => {
            let why = steps.failed_outside_authority(answers).map(failed);
            Some(why.unwrap_or_else(|| "The provider's job failed without saying why".to_owned()))
        }
    }
}

/// The faults of a report by who complains.
struct SortedFaults<'a> {
    /// Of the authority, those with a code first: they are why it refused.
    complaints: Vec<&'a ProviderFault>,
    /// Of the authority, which took the document all the same.
    remarks: Vec<&'a ProviderFault>,
    of_validation: Vec<&'a ProviderFault>,
    /// Of other steps, or saying nothing.
    of_steps: Vec<(String, &'a ProviderFault)>,
}

impl<'a> SortedFaults<'a> {
    fn of(answers: &impl Answers, steps: &Steps, faults: &'a [ProviderFault]) -> Self {
        let (complaints, remarks, of_validation, of_steps) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut sorted = Self { complaints, remarks, of_validation, of_steps };
        for fault in faults {
            let silent = code(fault).is_none() && non_blank(fault.message.as_deref()).is_none();
            match steps.source(answers, fault) {
                FaultSource::Authority | FaultSource::Validation if silent => {
                    let step = non_blank(fault.provider.as_deref()).unwrap_or("of an unknown name");
                    sorted.of_steps.push((step.to_owned(), fault));
                }
                FaultSource::Authority if answers.is_remark(fault) => sorted.remarks.push(fault),
                FaultSource::Authority => sorted.complaints.push(fault),
                FaultSource::Validation => sorted.of_validation.push(fault),
                FaultSource::Step(step) => sorted.of_steps.push((step, fault)),
            }
        }
        // Words without a code beside a remark are the remark's.
        if !sorted.remarks.is_empty() {
            sorted.complaints.retain(|complaint| code(complaint).is_some());
        }
        sorted.complaints.sort_by_key(|complaint| code(complaint).is_none());
        sorted
    }
}

/// The stamps of an entry that the authority's answer is about.
struct Stamps {
    qr: Option<String>,
    hash: Option<String>,
    /// The required stamp is there, or none is required.
    proven: bool,
    required: bool,
}

impl Stamps {
    fn of(answers: &impl Answers, report: &ProviderResult) -> Self {
        let stamp = |name: Option<&str>| name.and_then(|name| stamp(&report.stamps, name));
        let required = stamp(answers.required_stamp()).is_some();
        Self {
            qr: stamp(answers.qr_stamp()),
            hash: stamp(answers.hash_stamp()),
            proven: required || answers.required_stamp().is_none(),
            required,
        }
    }

    /// Whether the authority's part of the workflow left anything.
    const fn any(&self) -> bool {
        self.required || self.qr.is_some() || self.hash.is_some()
    }
}

fn acceptance(answers: &impl Answers, sorted: SortedFaults<'_>, stamps: Stamps) -> Verdict {
    let remarks = sorted.remarks.into_iter();
    let remarks = remarks.map(|fault| Remark::new(code(fault).unwrap_or_default(), answers.remark(fault)));
    let of_steps = sorted.of_steps.into_iter();
    let of_steps =
        of_steps.map(|(step, fault)| Remark::new(code(fault).unwrap_or(&step), sentence(&step, fault)));
    Verdict::Accepted(Acceptance {
        qr_url: stamps.qr,
        tax_system_hash: stamps.hash,
        warnings: remarks.chain(of_steps).collect(),
    })
}

/// What a step says of its failure, without a full stop.
fn sentence(step: &str, fault: &ProviderFault) -> String {
    let message = non_blank(fault.message.as_deref()).map(|message| message.trim_end_matches('.'));
    match (message, code(fault)) {
        (Some(message), Some(code)) => format!("The provider's step {step} failed: {message} ({code})"),
        (Some(message), None) => format!("The provider's step {step} failed: {message}"),
        (None, Some(code)) => format!("The provider's step {step} failed with the code {code}"),
        (None, None) => format!("The provider's step {step} failed without saying why"),
    }
}

/// The code of a fault, without white space around it.
pub fn code(fault: &ProviderFault) -> Option<&str> {
    non_blank(fault.code.as_deref())
}

/// Code, path and message as they came: one fault per path. Every fault needs a code.
fn by_path(answers: &impl Answers, complaint: &ProviderFault) -> Vec<Fault> {
    let code = code(complaint).unwrap_or(UNCODED);
    let message = answers.message(complaint);
    if complaint.paths.is_empty() {
        return vec![Fault::error(code, "", message)];
    }
    complaint.paths.iter().map(|path| Fault::error(code, path.as_str(), message.as_str())).collect()
}

fn stamp(stamps: &[Stamp], provider: &str) -> Option<String> {
    let found = stamps.iter().find(|stamp| stamp.provider == provider)?;
    non_blank(Some(&found.value)).map(str::to_owned)
}
