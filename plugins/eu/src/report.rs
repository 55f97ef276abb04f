//! The provider's report on the current attempt as a verdict, in the words of the European systems.

use einvoice_gobl::text::non_blank;
use einvoice_gobl::verdict::{self, Answers, code};
use einvoice_plugin::{ProviderFault, ProviderResult, Verdict};

/// What one system says in its reports.
#[derive(Debug, Clone, Copy)]
pub struct System {
    /// Who accepts and rejects, in a sentence: `SdI`.
    pub authority: &'static str,
    /// What the provider and the sandbox call the authority and its steps, in lower case: `sdi`, for `sdi.send` too.
    pub names: &'static [&'static str],
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
    verdict::interpret(system, report)
}

impl Answers for System {
    fn names(&self) -> &[&str] {
        self.names
    }

    fn is_code(&self, code: &str) -> bool {
        (self.meaning)(code).is_some() || (self.is_remark)(code)
    }

    fn required_stamp(&self) -> Option<&str> {
        self.required_stamp
    }

    fn qr_stamp(&self) -> Option<&str> {
        self.qr_stamp
    }

    fn hash_stamp(&self) -> Option<&str> {
        self.hash_stamp
    }

    fn is_remark(&self, fault: &ProviderFault) -> bool {
        code(fault).is_some_and(self.is_remark)
    }

    fn remark(&self, fault: &ProviderFault) -> String {
        self.message(fault)
    }

    fn reason(&self, complaint: &ProviderFault) -> String {
        let message = self.message(complaint);
        let paths = complaint.paths.join(", ");
        match code(complaint) {
            None => message,
            Some(code) if complaint.paths.is_empty() => format!("{message} ({code})"),
            Some(code) => format!("{message} at {paths} ({code})"),
        }
    }

    fn message(&self, complaint: &ProviderFault) -> String {
        let known = code(complaint).and_then(self.meaning);
        let quoted = non_blank(complaint.message.as_deref());
        known.or(quoted).map_or_else(|| format!("{} gave no reason.", self.authority), str::to_owned)
    }

    fn proof(&self) -> String {
        format!("stamp of {}", self.authority)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::{Remark, Stamp};

    const SYSTEM: System = System {
        authority: "The office",
        names: &["office", "xx-office"],
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

    fn report_of(provider: &str, code: Option<&str>) -> ProviderResult {
        let mut quoted = report(false, &["X-1"], STAMPED);
        for fault in &mut quoted.faults {
            fault.provider = Some(provider.to_owned());
            fault.code = code.map(str::to_owned);
        }
        quoted
    }

    #[test]
    fn only_the_office_and_its_steps_reject() {
        for name in ["office", "Office.send", "xx-office"] {
            assert!(
                matches!(interpret(&report_of(name, Some("X-1")), &SYSTEM), Verdict::Rejected(_)),
                "{name}"
            );
        }
        let why = "The provider's step pdf failed: so it is (00404)".to_owned();
        assert_eq!(interpret(&report_of("pdf", Some("00404")), &SYSTEM), Verdict::Undecided(why));
    }

    #[test]
    fn a_complaint_without_a_code_is_rejected_in_its_own_words() {
        let Verdict::Rejected(rejection) = interpret(&report_of("office", None), &SYSTEM) else { panic!() };
        assert_eq!((rejection.code, rejection.reason.as_str()), (None, "so it is"));
        assert_eq!(rejection.faults[0].code, "AUTHORITY");
    }

    #[test]
    fn a_code_of_the_table_is_the_offices_when_its_step_failed_too() {
        let mut report = report(false, &["00404"], &[]);
        report.job = r#"{"intents":[{"provider":"office","events":[{"status":"KO"}]},
            {"provider":"pdf","events":[{"status":"KO"}]}]}"#
            .to_owned();
        assert!(matches!(interpret(&report, &SYSTEM), Verdict::Rejected(_)));
    }

    #[test]
    fn a_remark_of_a_failed_job_without_the_stamp_is_quoted() {
        let why =
            "The provider's job failed with the remark MC (so it is) and there is no stamp of The office";
        assert_eq!(interpret(&report(false, &["MC"], &[]), &SYSTEM), Verdict::Undecided(why.to_owned()));
    }
}
