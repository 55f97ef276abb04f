//! The provider's report on the current attempt as a verdict, in the words of the Spanish systems. A remark of the agency
//! (2xxx) is no failure.

use einvoice_gobl::text::non_blank;
use einvoice_gobl::verdict::{self, code};
use einvoice_plugin::{ProviderFault, ProviderResult, Verdict};

use crate::authority;

/// Who complains about what the sandbox accepts and the agency refuses. From anybody else such a code is a refusal.
pub const SANDBOX: &str = "verifactu-sandbox";
/// The same for the books of the SII.
pub const SII_SANDBOX: &str = "sii-sandbox";

fn is_of_sandbox(fault: &ProviderFault) -> bool {
    fault.provider.as_deref().is_some_and(|provider| [SANDBOX, SII_SANDBOX].contains(&provider))
}

/// How a system's authority answers.
#[derive(Debug)]
pub struct Answers {
    /// The authority's short name, beside its codes: `AEAT`.
    pub authority: &'static str,
    /// What the provider and the sandbox call the authority and its steps, in lower case: `verifactu`, for
    /// `verifactu.send` too.
    pub names: &'static [&'static str],
    /// The stamp that carries the address where anybody verifies the invoice. A system that has one accepts no invoice
    /// without it.
    pub qr: Option<&'static str>,
    /// The stamp that carries the record's fingerprint.
    pub hash: Option<&'static str>,
    /// Whether a code is one of the authority's own.
    pub is_code: fn(&str) -> bool,
    /// Whether the authority accepted the record despite a code.
    pub accepts: fn(&str) -> bool,
    /// What the authority objects to.
    pub meaning: fn(&str) -> Option<&'static str>,
}

impl Answers {
    /// One sentence for a person, for any code.
    pub fn explain(&self, code: &str) -> &'static str {
        (self.meaning)(code).unwrap_or(if (self.accepts)(code) {
            "The tax agency accepted the invoice with a remark."
        } else {
            "The tax agency refused the invoice."
        })
    }

    /// What the stand-in for the authority says with a code. Nothing with one of the authority's own that nobody documented: it
    /// has no words but those that the verdict begins with anyway.
    pub fn message_of_stand_in(&self, code: &str) -> Option<&'static str> {
        let is_undocumented = (self.is_code)(code) && (self.meaning)(code).is_none();
        (!is_undocumented).then(|| self.explain(code))
    }
}

/// How the agency answers to VERI*FACTU records.
pub const VERIFACTU: Answers = Answers {
    authority: "AEAT",
    names: &["verifactu", "es-verifactu", SANDBOX, "aeat"],
    qr: Some("verifactu-qr"),
    hash: Some("verifactu-hash"),
    is_code: authority::is_code,
    accepts: authority::accepts,
    meaning: authority::meaning,
};

/// What the report means.
pub fn interpret(answers: &Answers, report: &ProviderResult) -> Verdict {
    verdict::interpret(answers, report)
}

impl verdict::Answers for Answers {
    fn names(&self) -> &[&str] {
        self.names
    }

    fn is_code(&self, code: &str) -> bool {
        (self.is_code)(code)
    }

    fn required_stamp(&self) -> Option<&str> {
        self.qr
    }

    fn qr_stamp(&self) -> Option<&str> {
        self.qr
    }

    fn hash_stamp(&self) -> Option<&str> {
        self.hash
    }

    fn is_remark(&self, fault: &ProviderFault) -> bool {
        code(fault).is_some_and(|code| is_of_sandbox(fault) || (self.accepts)(code))
    }

    /// The sandbox says of its own remarks that another authority would refuse, which the code's meaning does not.
    fn remark(&self, fault: &ProviderFault) -> String {
        let explained = self.explain(code(fault).unwrap_or_default());
        let own = non_blank(fault.message.as_deref()).filter(|_| is_of_sandbox(fault));
        own.unwrap_or(explained).to_owned()
    }

    /// The agency's codes have our wording, the format's faults bring their own.
    fn reason(&self, complaint: &ProviderFault) -> String {
        let authority = self.authority;
        let message = non_blank(complaint.message.as_deref());
        let paths = complaint.paths.join(", ");
        match code(complaint) {
            Some(code) if (self.is_code)(code) => match ((self.meaning)(code), message) {
                (Some(meaning), _) => format!("{meaning} ({authority} {code})"),
                (None, Some(words)) => format!("{} {words} ({authority} {code})", self.explain(code)),
                (None, None) => format!("{} ({authority} {code})", self.explain(code)),
            },
            Some(code) if paths.is_empty() => format!("{} ({code})", message.unwrap_or(UNEXPLAINED)),
            Some(code) => format!("{} at {paths} ({code})", message.unwrap_or(UNEXPLAINED)),
            None => message.unwrap_or(UNEXPLAINED).to_owned(),
        }
    }

    fn message(&self, complaint: &ProviderFault) -> String {
        let code = code(complaint).unwrap_or_default();
        match non_blank(complaint.message.as_deref()) {
            Some(message) => message.to_owned(),
            None if (self.is_code)(code) => self.explain(code).to_owned(),
            None => UNEXPLAINED.to_owned(),
        }
    }

    fn proof(&self) -> String {
        "verification address".to_owned()
    }
}

const UNEXPLAINED: &str = "The provider refused the invoice without a reason.";

#[cfg(test)]
mod tests {
    use super::*;
    use einvoice_plugin::{Acceptance, Fault, Remark, Stamp};

    fn fault(code: &str, message: Option<&str>, paths: &[&str]) -> ProviderFault {
        ProviderFault {
            provider: Some("verifactu".to_owned()),
            code: Some(code.to_owned()),
            message: message.map(str::to_owned),
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        }
    }

    fn stamps() -> Vec<Stamp> {
        [("verifactu-qr", "https://qr.example/1"), ("verifactu-hash", "ABC")]
            .map(|(provider, value)| Stamp { provider: provider.to_owned(), value: value.to_owned() })
            .to_vec()
    }

    fn report(succeeded: bool, faults: Vec<ProviderFault>, stamps: Vec<Stamp>) -> ProviderResult {
        ProviderResult { succeeded, faults, stamps, job: "{}".to_owned(), entry: "{}".to_owned() }
    }

    fn reason_of(report: &ProviderResult) -> String {
        match interpret(&VERIFACTU, report) {
            Verdict::Rejected(rejection) => rejection.reason,
            other => panic!("not rejected: {other:?}"),
        }
    }

    #[test]
    fn success_with_stamps_is_acceptance() {
        let acceptance = Acceptance {
            qr_url: Some("https://qr.example/1".to_owned()),
            tax_system_hash: Some("ABC".to_owned()),
            warnings: Vec::new(),
        };
        assert_eq!(interpret(&VERIFACTU, &report(true, Vec::new(), stamps())), Verdict::Accepted(acceptance));
    }

    #[test]
    fn success_without_verification_address_is_undecided() {
        assert!(matches!(
            interpret(&VERIFACTU, &report(true, Vec::new(), Vec::new())),
            Verdict::Undecided(_)
        ));
    }

    #[test]
    fn a_remark_of_the_agency_is_acceptance_with_a_warning() {
        for succeeded in [true, false] {
            let Verdict::Accepted(acceptance) =
                interpret(&VERIFACTU, &report(succeeded, vec![fault("2001", None, &[])], stamps()))
            else {
                panic!("not accepted");
            };
            assert_eq!(
                acceptance.warnings,
                [Remark::new("2001", "The recipient's NIF is not in the agency's census.")]
            );
        }
    }

    #[test]
    fn a_failure_wins_over_stamps() {
        let report = report(false, vec![fault("1110", Some("NIF no censado"), &[])], stamps());
        assert_eq!(
            reason_of(&report),
            "The NIF is not in the agency's census; check it together with the name. (AEAT 1110)"
        );
    }

    #[test]
    fn an_accepted_invoice_that_changed_is_rejected_with_the_way_out() {
        let report = report(false, vec![fault("3002", Some("No existe el registro"), &[])], stamps());
        assert_eq!(
            reason_of(&report),
            "The agency has no such record: an accepted invoice cannot be changed; issue a credit note (R4) and then \
             a new invoice (F1). (AEAT 3002)"
        );
    }

    #[test]
    fn an_unknown_code_keeps_the_authoritys_words() {
        let report = report(false, vec![fault("1998", Some("algo va mal"), &[])], Vec::new());
        assert_eq!(reason_of(&report), "The tax agency refused the invoice. algo va mal (AEAT 1998)");
    }

    #[test]
    fn what_the_sandbox_only_repeats_is_said_once() {
        for (code, reason) in [
            ("9999", "The tax agency refused the invoice. (AEAT 9999)"),
            ("1104", "The invoice number is wrong. (AEAT 1104)"),
            ("abc", "The tax agency refused the invoice. (abc)"),
        ] {
            let message = VERIFACTU.message_of_stand_in(code);
            assert_eq!(reason_of(&report(false, vec![fault(code, message, &[])], Vec::new())), reason);
        }
    }

    #[test]
    fn a_refusal_that_the_sandbox_spares_is_a_warning_and_the_agencys_own_is_none() {
        let sentence = "Accepted here only.";
        let complaint = fault("1126", Some(sentence), &[]);
        let of_sandbox = ProviderFault { provider: Some(SANDBOX.to_owned()), ..complaint.clone() };
        let Verdict::Accepted(acceptance) = interpret(&VERIFACTU, &report(true, vec![of_sandbox], stamps()))
        else {
            panic!("not accepted");
        };
        assert_eq!(acceptance.warnings, [Remark::new("1126", sentence)]);
        for succeeded in [true, false] {
            let verdict = interpret(&VERIFACTU, &report(succeeded, vec![complaint.clone()], stamps()));
            assert!(matches!(verdict, Verdict::Rejected(_)));
        }
    }

    #[test]
    fn a_fault_of_the_format_keeps_code_path_and_message() {
        let code = "GOBL-ES-VERIFACTU-BILL-INVOICE-07";
        let paths = ["$.doc.customer", "$.doc.customer.tax_id"];
        let Verdict::Rejected(rejection) = interpret(
            &VERIFACTU,
            &report(false, vec![fault(code, Some("must have a tax_id"), &paths)], Vec::new()),
        ) else {
            panic!("not rejected");
        };
        assert_eq!(rejection.code.as_deref(), Some(code));
        assert_eq!(rejection.faults, paths.map(|path| Fault::error(code, path, "must have a tax_id")));
        assert!(rejection.reason.contains("$.doc.customer.tax_id") && rejection.reason.contains(code));
    }

    #[test]
    fn a_failure_without_faults_is_undecided() {
        assert!(matches!(interpret(&VERIFACTU, &report(false, Vec::new(), stamps())), Verdict::Undecided(_)));
    }

    #[test]
    fn a_failed_event_of_the_job_tells_the_code() {
        let mut report = report(false, Vec::new(), Vec::new());
        report.job = r#"{"intents":[{"provider":"verifactu.send","events":[{"status":"RUN"},{"status":"KO","code":"4104","message":"x"}]}]}"#.to_owned();
        assert!(reason_of(&report).ends_with("(AEAT 4104)"));
    }

    #[test]
    fn a_step_that_prints_says_nothing_about_the_invoice() {
        let printer = ProviderFault {
            provider: Some("pdf".to_owned()),
            ..fault("PDF-1", Some("render failed"), &["$.doc.customer"])
        };
        for stamps in [stamps(), Vec::new()] {
            let verdict = interpret(&VERIFACTU, &report(false, vec![printer.clone()], stamps));
            let sentence = "The provider's step pdf failed: render failed (PDF-1)";
            assert_eq!(verdict, Verdict::Undecided(sentence.to_owned()));
        }
        let mixed = vec![printer, fault("1110", None, &[])];
        assert!(reason_of(&report(false, mixed, stamps())).ends_with("(AEAT 1110)"));
    }

    #[test]
    fn the_agency_speaks_under_several_names() {
        for name in ["verifactu", "verifactu.send", "VERIFACTU.generate", "es-verifactu", "AEAT"] {
            let complaint = ProviderFault { provider: Some(name.to_owned()), ..fault("17", Some("no"), &[]) };
            let rejected = report(false, vec![complaint], Vec::new());
            assert_eq!(reason_of(&rejected), "no (17)", "{name}");
        }
    }

    #[test]
    fn a_complaint_without_a_code_is_the_agencys_words() {
        let complaint = fault(" ", Some("El NIF no está identificado"), &[]);
        let rejected = interpret(&VERIFACTU, &report(false, vec![complaint], stamps()));
        let Verdict::Rejected(rejection) = rejected else { panic!("{rejected:?}") };
        assert_eq!((rejection.code, rejection.reason.as_str()), (None, "El NIF no está identificado"));
        assert_eq!(rejection.faults, [Fault::error("AUTHORITY", "", "El NIF no está identificado")]);
    }

    #[test]
    fn a_remark_of_a_failed_job_without_a_verification_address_is_quoted() {
        let sentence = "The provider's job failed with the remark 2001 (The recipient's NIF is not in the agency's census) \
                    and there is no verification address";
        let remarked = report(false, vec![fault("2001", None, &[])], Vec::new());
        assert_eq!(interpret(&VERIFACTU, &remarked), Verdict::Undecided(sentence.to_owned()));
    }
}
