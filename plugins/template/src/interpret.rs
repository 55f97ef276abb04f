//! The provider's report on the current attempt as a verdict.

use einvoice_plugin::{Acceptance, Fault, ProviderFault, ProviderResult, Rejection, Remark, Verdict};

/// The stamp that carries the address where anybody verifies the document.
pub const STAMP_QR: &str = "xx-template-qr";

/// What the provider calls the authority. Its steps have the name as their first part: `xx-template.send`.
const AUTHORITY: [&str; 1] = ["xx-template"];

/// What the report means. Stamps can appear before the authority answered, so a complaint of the authority wins over them;
/// a fault of another step of the provider, such as the one that prints, says nothing about the document. The gateway
/// adds to an undecided report what to do.
pub fn interpret(report: &ProviderResult) -> Verdict {
    let (complaints, others): (Vec<_>, Vec<_>) =
        report.faults.iter().partition(|fault| is_of_authority(fault));
    if let Some(first) = complaints.first() {
        return Verdict::Rejected(Rejection {
            code: first.code.clone(),
            reason: reason(first),
            faults: complaints.iter().flat_map(|complaint| faults(complaint)).collect(),
        });
    }
    let qr_url = report.stamps.iter().find(|stamp| stamp.provider == STAMP_QR);
    match (report.succeeded, qr_url, others.first()) {
        (true, Some(stamp), _) => Verdict::Accepted(Acceptance {
            qr_url: Some(stamp.value.clone()),
            tax_system_hash: None,
            warnings: others.iter().map(|fault| warning(fault)).collect(),
        }),
        (_, _, Some(fault)) => Verdict::Undecided(failure(fault)),
        (true, None, None) => {
            Verdict::Undecided("The provider reports success but no verification address".to_owned())
        }
        (false, _, None) => Verdict::Undecided("The provider's job failed without saying why".to_owned()),
    }
}

/// A fault that names nobody is taken for the authority's.
fn is_of_authority(fault: &ProviderFault) -> bool {
    let named = fault.provider.as_deref().unwrap_or_default().to_ascii_lowercase();
    let app = named.split('.').next().unwrap_or_default();
    app.is_empty() || AUTHORITY.contains(&app)
}

fn step(fault: &ProviderFault) -> &str {
    fault.provider.as_deref().unwrap_or_default()
}

fn warning(fault: &ProviderFault) -> Remark {
    Remark::new(fault.code.as_deref().unwrap_or_else(|| step(fault)), failure(fault))
}

fn failure(fault: &ProviderFault) -> String {
    let why = fault.message.as_deref().unwrap_or("it does not say why");
    let code = fault.code.as_deref().map(|code| format!(" ({code})")).unwrap_or_default();
    format!("The provider's step {} failed: {why}{code}", step(fault))
}

fn reason(complaint: &ProviderFault) -> String {
    let message =
        complaint.message.as_deref().unwrap_or("The authority refused the document without a reason.");
    match &complaint.code {
        Some(code) => format!("{message} ({code})"),
        None => message.to_owned(),
    }
}

/// One fault for each path. Every fault needs a code.
fn faults(complaint: &ProviderFault) -> Vec<Fault> {
    let code = complaint.code.as_deref().unwrap_or("AUTHORITY");
    if complaint.paths.is_empty() {
        return vec![Fault::error(code, "", reason(complaint))];
    }
    complaint.paths.iter().map(|path| Fault::error(code, path.as_str(), reason(complaint))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::Stamp;

    fn report(succeeded: bool, faults: Vec<ProviderFault>) -> ProviderResult {
        let stamps = vec![Stamp { provider: STAMP_QR.to_owned(), value: "https://example.com/1".to_owned() }];
        ProviderResult { succeeded, faults, stamps, job: "{}".to_owned(), entry: "{}".to_owned() }
    }

    #[test]
    fn a_complaint_wins_over_a_stamp() {
        let complaint = ProviderFault {
            provider: None,
            code: Some("17".to_owned()),
            message: Some("The number is taken.".to_owned()),
            paths: vec!["$.code".to_owned()],
        };
        let Verdict::Rejected(rejection) = interpret(&report(true, vec![complaint])) else {
            panic!("accepted")
        };
        assert_eq!(rejection.reason, "The number is taken. (17)");
        assert_eq!(rejection.faults[0].path, "$.code");
    }

    #[test]
    fn success_with_a_verification_address_is_an_acceptance() {
        let Verdict::Accepted(acceptance) = interpret(&report(true, Vec::new())) else { panic!("refused") };
        assert_eq!(acceptance.qr_url.as_deref(), Some("https://example.com/1"));
        assert!(matches!(interpret(&report(false, Vec::new())), Verdict::Undecided(_)));
    }

    fn fault(provider: Option<&str>, code: Option<&str>) -> ProviderFault {
        ProviderFault {
            provider: provider.map(str::to_owned),
            code: code.map(str::to_owned),
            message: Some("It went wrong.".to_owned()),
            paths: Vec::new(),
        }
    }

    #[test]
    fn only_the_authority_rejects() {
        for provider in [None, Some("xx-template"), Some("XX-TEMPLATE.send")] {
            let sentence = report(false, vec![fault(Some("pdf"), Some("PDF-1")), fault(provider, None)]);
            let Verdict::Rejected(rejection) = interpret(&sentence) else { panic!("{provider:?}") };
            assert_eq!((rejection.code, rejection.reason.as_str()), (None, "It went wrong."));
            let codes: Vec<_> = rejection.faults.iter().map(|fault| fault.code.as_str()).collect();
            assert_eq!(codes, ["AUTHORITY"]);
        }
    }

    #[test]
    fn another_steps_fault_is_a_warning_or_somebodys_to_look_at() {
        let printer = || vec![fault(Some("pdf"), Some("PDF-1"))];
        let sentence = "The provider's step pdf failed: It went wrong. (PDF-1)";
        assert_eq!(interpret(&report(false, printer())), Verdict::Undecided(sentence.to_owned()));
        let Verdict::Accepted(acceptance) = interpret(&report(true, printer())) else {
            panic!("not accepted")
        };
        assert_eq!(acceptance.warnings, [Remark::new("PDF-1", sentence)]);
    }
}
