//! The provider's report on the current attempt as a verdict.

use einvoice_plugin::{Acceptance, Fault, ProviderFault, ProviderResult, Rejection, Verdict};

/// The stamp that carries the address where anybody verifies the document.
pub const STAMP_QR: &str = "xx-template-qr";

/// What the report means. Stamps can appear before the authority answered, so a complaint wins over them.
pub fn interpret(report: &ProviderResult) -> Verdict {
    if let Some(first) = report.faults.first() {
        return Verdict::Rejected(Rejection {
            code: first.code.clone(),
            reason: reason(first),
            faults: report.faults.iter().flat_map(faults).collect(),
        });
    }
    if !report.succeeded {
        let why = "The provider's job failed without saying why; look at the job at the provider and retry.";
        return Verdict::Undecided(why.to_owned());
    }
    let qr_url = report.stamps.iter().find(|stamp| stamp.provider == STAMP_QR);
    match qr_url {
        Some(stamp) => Verdict::Accepted(Acceptance {
            qr_url: Some(stamp.value.clone()),
            tax_system_hash: None,
            warnings: Vec::new(),
        }),
        None => Verdict::Undecided(
            "The provider reports success but no verification address; look at the entry at the provider."
                .to_owned(),
        ),
    }
}

fn reason(complaint: &ProviderFault) -> String {
    let message =
        complaint.message.as_deref().unwrap_or("The authority refused the document without a reason.");
    match &complaint.code {
        Some(code) => format!("{message} ({code})"),
        None => message.to_owned(),
    }
}

/// One fault for each path.
fn faults(complaint: &ProviderFault) -> Vec<Fault> {
    let code = complaint.code.clone().unwrap_or_default();
    if complaint.paths.is_empty() {
        return vec![Fault::error(code, "", reason(complaint))];
    }
    complaint.paths.iter().map(|path| Fault::error(code.as_str(), path.as_str(), reason(complaint))).collect()
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
}
