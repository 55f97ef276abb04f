//! What of a provider's answer is trusted: the report within its bounds, and the proof of an acceptance.

use crate::ports::{Entry, Job, JobProgress};
use crate::{BoundedReport, TEXT_BYTES_MAX, bounded, bounded_text, is_bounded};
use gateway_domain::invoicing::Acceptance;
use gateway_domain::regime::{AddressProblem, EvidenceDescription, ProviderReport, Verdict, plain_address};

/// The proof of an acceptance as far as it can be trusted, and what was left out of it; else the other number that its
/// address states.
pub fn trusted(
    acceptance: Acceptance,
    evidence: Option<&EvidenceDescription>,
    number: Option<&str>,
    left_out: &mut Vec<String>,
) -> Result<Acceptance, String> {
    let Acceptance { qr_url, tax_system_hash, mut warnings, .. } = acceptance;
    let qr_url = match qr_url.as_deref().map(|address| wrong_address(address, evidence, number)) {
        Some(Some(AddressProblem::AnotherNumber { found })) => return Err(bounded_text(&found)),
        Some(Some(problem)) => {
            left_out.push(problem.to_string());
            None
        }
        Some(None) | None => qr_url,
    };
    let tax_system_hash = tax_system_hash.filter(|hash| {
        let kept = is_bounded(hash, TEXT_BYTES_MAX);
        if !kept {
            left_out.push("a hash that is too long or has control characters was left out".to_owned());
        }
        kept
    });
    for warning in &mut warnings {
        warning.code = bounded_text(&warning.code);
        warning.message = bounded_text(&warning.message);
    }
    Ok(Acceptance { qr_url, tax_system_hash, warnings, ..acceptance })
}

/// Whether the authority refused because it holds a record under this number.
pub fn is_duplicate(verdict: &Verdict, evidence: Option<&EvidenceDescription>) -> bool {
    match (verdict, evidence) {
        (Verdict::Rejected { code: Some(code), .. }, Some(evidence)) => evidence.is_duplicate(code),
        (Verdict::Accepted { .. } | Verdict::Rejected { .. } | Verdict::Undecided { .. }, _) => false,
    }
}

/// What is wrong with an address where anybody verifies the document, if anything. That it states another number is said
/// before anything else.
fn wrong_address(
    address: &str,
    evidence: Option<&EvidenceDescription>,
    number: Option<&str>,
) -> Option<AddressProblem> {
    match evidence {
        None => plain_address(address).err(),
        Some(evidence) => match evidence.another_number(address, number) {
            Some(found) => Some(AddressProblem::AnotherNumber { found }),
            None => evidence.verification_address(address, number).err(),
        },
    }
}

/// What the provider reports of a finished job, within its bounds, and what was left out or cut of it.
pub fn report(job: &Job, entry: &Entry) -> (ProviderReport, Vec<String>) {
    // Job and entry may carry the same complaint; it counts once.
    let mut faults = job.faults.clone();
    for fault in &entry.faults {
        if !faults.iter().any(|known| known.repeats(fault)) {
            faults.push(fault.clone());
        }
    }
    let BoundedReport { faults, stamps, changes } = bounded(faults, entry.stamps.clone());
    let report = ProviderReport {
        succeeded: job.progress == JobProgress::Succeeded,
        faults,
        stamps,
        job: job.raw.clone(),
        entry: entry.raw.clone(),
    };
    (report, changes.into_iter().map(str::to_owned).collect())
}
