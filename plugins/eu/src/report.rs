//! The provider's report on the current attempt as a verdict.
//!
//! Stamps can appear before the authority answered, so a failure wins over stamps; a remark is no failure.

use einvoice_gobl::text::given;
use einvoice_plugin::{Acceptance, Fault, ProviderFault, ProviderResult, Rejection, Remark, Stamp, Verdict};
use serde::Deserialize;

/// What one system says in its reports.
#[derive(Debug, Clone, Copy)]
pub struct System {
    /// Who accepts and rejects, in a sentence: `SdI`.
    pub authority: &'static str,
    /// The stamp without which nothing was accepted.
    pub required_stamp: Option<&'static str>,
    /// The stamp that carries the address where anybody verifies the document.
    pub qr_stamp: Option<&'static str>,
    /// The stamp that carries the authority's number or fingerprint of the document.
    pub hash_stamp: Option<&'static str>,
    /// Whether a code comes with an accepted document.
    pub is_remark: fn(&str) -> bool,
    /// What a code means, with what to do next.
    pub meaning: fn(&str) -> Option<&'static str>,
}

/// What the report means.
pub fn interpret(report: &ProviderResult, system: &System) -> Verdict {
    let of_job;
    let faults = if report.succeeded || !report.faults.is_empty() {
        &report.faults
    } else {
        of_job = faults_of_job(&report.job);
        &of_job
    };
    let (remarks, complaints): (Vec<_>, Vec<_>) =
        faults.iter().partition(|fault| code(fault).is_some_and(system.is_remark));
    if !complaints.is_empty() {
        return Verdict::Rejected(rejection(&complaints, system));
    }
    let stamp = |name: Option<&str>| name.and_then(|name| stamp(&report.stamps, name));
    let proven = system.required_stamp.is_none() || stamp(system.required_stamp).is_some();
    match (report.succeeded || !remarks.is_empty(), proven) {
        (true, true) => Verdict::Accepted(Acceptance {
            qr_url: stamp(system.qr_stamp),
            tax_system_hash: stamp(system.hash_stamp),
            warnings: remarks
                .into_iter()
                .map(|fault| Remark::new(code(fault).unwrap_or_default(), message(fault, system)))
                .collect(),
        }),
        (true, false) => Verdict::Undecided(format!(
            "The provider reports success but no stamp of {}; look at the entry at the provider.",
            system.authority
        )),
        (false, _) => Verdict::Undecided(
            "The provider's job failed without saying why; look at the job at the provider and retry."
                .to_owned(),
        ),
    }
}

fn code(fault: &ProviderFault) -> Option<&str> {
    given(fault.code.as_deref())
}

fn message(fault: &ProviderFault, system: &System) -> String {
    let known = code(fault).and_then(system.meaning);
    let told = given(fault.message.as_deref());
    known.or(told).map_or_else(|| format!("{} gave no reason.", system.authority), str::to_owned)
}

fn rejection(complaints: &[&ProviderFault], system: &System) -> Rejection {
    let first = complaints.first().copied();
    Rejection {
        code: first.and_then(code).map(str::to_owned),
        reason: first.map_or_else(String::new, |first| {
            let at = if first.paths.is_empty() {
                String::new()
            } else {
                format!(" at {}", first.paths.join(", "))
            };
            let message = message(first, system);
            code(first).map_or_else(|| message.clone(), |code| format!("{message}{at} ({code})"))
        }),
        faults: complaints.iter().flat_map(|complaint| faults(complaint, system)).collect(),
    }
}

/// Code, path and message as they came: one fault per path.
fn faults(complaint: &ProviderFault, system: &System) -> Vec<Fault> {
    let code = code(complaint).unwrap_or_default();
    let message = message(complaint, system);
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

#[cfg(test)]
mod tests {
    use super::*;

    const SYSTEM: System = System {
        authority: "The office",
        required_stamp: Some("office-number"),
        qr_stamp: Some("office-qr"),
        hash_stamp: Some("office-number"),
        is_remark: |code| code == "MC",
        meaning: |code| (code == "00404").then_some("The office has this document already."),
    };

    fn report(succeeded: bool, codes: &[&str], stamps: &[(&str, &str)]) -> ProviderResult {
        let fault = |code: &&str| ProviderFault {
            provider: None,
            code: Some((*code).to_owned()),
            message: Some("so it is".to_owned()),
            paths: vec!["$.doc.code".to_owned()],
        };
        let stamp = |(provider, value): &(&str, &str)| Stamp {
            provider: (*provider).to_owned(),
            value: (*value).to_owned(),
        };
        ProviderResult {
            succeeded,
            faults: codes.iter().map(fault).collect(),
            stamps: stamps.iter().map(stamp).collect(),
            job: "{}".to_owned(),
            entry: "{}".to_owned(),
        }
    }

    const STAMPED: &[(&str, &str)] = &[("office-number", "17"), ("office-qr", "https://office.example/17")];

    #[test]
    fn success_with_the_stamp_is_acceptance() {
        let Verdict::Accepted(acceptance) = interpret(&report(true, &[], STAMPED), &SYSTEM) else { panic!() };
        assert_eq!(acceptance.tax_system_hash.as_deref(), Some("17"));
        assert_eq!(acceptance.qr_url.as_deref(), Some("https://office.example/17"));
    }

    #[test]
    fn a_remark_is_acceptance_with_a_warning() {
        let Verdict::Accepted(acceptance) = interpret(&report(false, &["MC"], STAMPED), &SYSTEM) else {
            panic!()
        };
        assert_eq!(acceptance.warnings, [Remark::new("MC", "so it is")]);
    }

    #[test]
    fn a_failure_wins_over_stamps_and_is_explained() {
        let Verdict::Rejected(rejection) = interpret(&report(true, &["00404"], STAMPED), &SYSTEM) else {
            panic!()
        };
        assert_eq!(rejection.reason, "The office has this document already. at $.doc.code (00404)");
        assert_eq!(rejection.faults[0].path, "$.doc.code");
    }

    #[test]
    fn without_stamp_or_reason_nothing_is_decided() {
        for report in [report(true, &[], &[]), report(false, &[], STAMPED)] {
            assert!(matches!(interpret(&report, &SYSTEM), Verdict::Undecided(_)));
        }
    }

    #[test]
    fn a_failed_event_of_the_job_tells_the_code() {
        let mut report = report(false, &[], &[]);
        report.job =
            r#"{"intents":[{"events":[{"status":"RUN"},{"status":"KO","code":"00404"}]}]}"#.to_owned();
        assert!(matches!(interpret(&report, &SYSTEM), Verdict::Rejected(_)));
    }
}
