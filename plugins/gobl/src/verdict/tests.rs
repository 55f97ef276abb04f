use super::*;
use serde_json::{Value, json};

/// An authority that says 1xxx for no and 2xxx for a remark.
struct FilingAuthority {
    required: bool,
}

impl Answers for FilingAuthority {
    fn names(&self) -> &[&str] {
        &["office", "xx-office"]
    }

    fn is_code(&self, code: &str) -> bool {
        code.len() == 4 && code.starts_with(['1', '2'])
    }

    fn required_stamp(&self) -> Option<&str> {
        self.required.then_some("office-qr")
    }

    fn qr_stamp(&self) -> Option<&str> {
        Some("office-qr")
    }

    fn hash_stamp(&self) -> Option<&str> {
        None
    }

    fn is_remark(&self, fault: &ProviderFault) -> bool {
        code(fault).is_some_and(|code| code.starts_with('2'))
    }

    fn remark(&self, fault: &ProviderFault) -> String {
        self.message(fault)
    }

    fn reason(&self, complaint: &ProviderFault) -> String {
        self.message(complaint)
    }

    fn message(&self, complaint: &ProviderFault) -> String {
        complaint.message.clone().unwrap_or_else(|| "no reason".to_owned())
    }

    fn proof(&self) -> String {
        "stamp".to_owned()
    }
}

/// Provider, code and message; empty is absent.
type FaultParts<'a> = (&'a str, &'a str, &'a str);

fn report(
    succeeded: bool,
    faults: &[FaultParts<'_>],
    stamped: bool,
    steps: impl Into<Value>,
) -> ProviderResult {
    let steps: Value = steps.into();
    let non_empty = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let fault = |(provider, code, message): &FaultParts<'_>| ProviderFault {
        provider: non_empty(provider),
        code: non_empty(code),
        message: non_empty(message),
        paths: Vec::new(),
    };
    let stamp = Stamp { provider: "office-qr".to_owned(), value: "https://office.example/1".to_owned() };
    ProviderResult {
        succeeded,
        faults: faults.iter().map(fault).collect(),
        stamps: if stamped { vec![stamp] } else { Vec::new() },
        job: json!({ "intents": steps }).to_string(),
        entry: "{}".to_owned(),
    }
}

fn verdict(report: &ProviderResult) -> Verdict {
    interpret(&FilingAuthority { required: true }, report)
}

/// A failed job without stamps.
fn failed(faults: &[FaultParts<'_>], steps: Value) -> Verdict {
    verdict(&report(false, faults, false, steps))
}

fn step(provider: &str, status: &str, code: &str, message: &str) -> Value {
    json!({"provider": provider, "events": [{"status": "RUN"}, {"status": status, "code": code, "message": message}]})
}

#[track_caller]
fn assert_rejected(verdict: &Verdict, code: Option<&str>, reason: &str) {
    let Verdict::Rejected(rejection) = verdict else { panic!("{verdict:?}") };
    assert_eq!((rejection.code.as_deref(), rejection.reason.as_str()), (code, reason));
    assert!(rejection.faults.iter().all(|fault| !fault.code.is_empty()), "{rejection:?}");
}

#[track_caller]
fn assert_undecided(verdict: &Verdict, why: &str) {
    let Verdict::Undecided(reason) = verdict else { panic!("{verdict:?}") };
    assert_eq!(reason, why);
}

const PDF: FaultParts<'static> = ("pdf", "PDF-1", "render failed");
const PDF_FAILED: &str = "The provider's step pdf failed: render failed (PDF-1)";

#[test]
fn a_fault_of_another_step_decides_nothing() {
    for stamped in [false, true] {
        assert_undecided(&verdict(&report(false, &[PDF], stamped, json!([]))), PDF_FAILED);
    }
    assert_undecided(&verdict(&report(true, &[PDF], false, json!([]))), PDF_FAILED);
    for (fault, why) in [
        (("pdf", "", "render failed."), "The provider's step pdf failed: render failed"),
        (("pdf", " ", "render failed"), "The provider's step pdf failed: render failed"),
        (("pdf", "PDF-1", ""), "The provider's step pdf failed with the code PDF-1"),
        (("pdf", "", ""), "The provider's step pdf failed without saying why"),
        (("pdf", "2001", "paper is low"), "The provider's step pdf failed: paper is low (2001)"),
    ] {
        assert_undecided(&failed(&[fault], json!([])), why);
    }
}

#[test]
fn a_fault_of_another_step_of_a_job_that_went_well_is_a_warning() {
    let Verdict::Accepted(acceptance) = verdict(&report(true, &[PDF], true, json!([]))) else { panic!() };
    assert_eq!(acceptance.warnings, [Remark::new("PDF-1", PDF_FAILED)]);
    let uncoded = ("pdf", "", "render failed");
    let Verdict::Accepted(acceptance) = verdict(&report(true, &[uncoded], true, json!([]))) else { panic!() };
    assert_eq!(acceptance.warnings, [Remark::new("pdf", "The provider's step pdf failed: render failed")]);
}

#[test]
fn the_authority_has_several_names_in_any_case_and_its_steps_are_its_own() {
    for name in ["office", "OFFICE", "xx-office", "Office.Send", "office.generate"] {
        assert_rejected(&failed(&[(name, "17", "no")], json!([])), Some("17"), "no");
    }
    for name in ["officer", "post.office", "office-printer"] {
        assert!(matches!(failed(&[(name, "17", "no")], json!([])), Verdict::Undecided(_)), "{name}");
    }
}

#[test]
fn of_several_faults_the_authoritys_decides_then_the_formats() {
    let (format, office) = (("gobl", "GOBL-1", "no customer"), ("office.send", "1110", "unknown"));
    let both = failed(&[PDF, format, office], json!([]));
    assert_rejected(&both, Some("1110"), "unknown");
    let Verdict::Rejected(rejection) = both else { panic!() };
    let codes: Vec<_> = rejection.faults.iter().map(|fault| fault.code.as_str()).collect();
    assert_eq!(codes, ["1110", "GOBL-1"], "the document has no part in what the printer says");
    assert_rejected(&failed(&[PDF, format], json!([])), Some("GOBL-1"), "no customer");
    assert_rejected(&failed(&[("GOBL.validate", "", "no customer")], json!([])), None, "no customer");
}

#[test]
fn a_fault_of_the_format_rejects_nothing_that_the_authority_stamped() {
    let fault = ("gobl", "GOBL-1", "no customer");
    let why = "The provider's step gobl failed: no customer (GOBL-1), and yet there is a stamp";
    for succeeded in [true, false] {
        assert_undecided(&verdict(&report(succeeded, &[fault], true, json!([]))), why);
        let unrequired = report(succeeded, &[fault], true, json!([]));
        assert_undecided(&interpret(&FilingAuthority { required: false }, &unrequired), why);
    }
    let stamped = report(false, &[fault, ("office", "1110", "unknown")], true, json!([]));
    assert_rejected(&verdict(&stamped), Some("1110"), "unknown");
}

#[test]
fn a_complaint_of_the_authority_needs_no_code() {
    for code in ["", " "] {
        let verdict = failed(&[("office.send", code, "the name is unknown")], json!([]));
        assert_rejected(&verdict, None, "the name is unknown");
        let Verdict::Rejected(rejection) = verdict else { panic!() };
        assert_eq!(rejection.faults, [Fault::error("AUTHORITY", "", "the name is unknown")]);
    }
    let explained = failed(&[("office", "", "no"), ("office.send", "1110", "unknown")], json!([]));
    assert_rejected(&explained, Some("1110"), "unknown");
    let silent = "The provider's step office failed without saying why";
    assert_undecided(&failed(&[("office", "", "")], json!([])), silent);
}

#[test]
fn a_fault_of_nobody_is_that_of_the_failed_step_that_says_it() {
    let steps =
        || json!([step("office.send", "KO", "1110", "no"), step("pdf", "KO", "PDF-1", "render failed")]);
    assert_rejected(&failed(&[("", "1110", "unknown")], steps()), Some("1110"), "unknown");
    assert_undecided(&failed(&[("", "PDF-1", "render failed")], steps()), PDF_FAILED);
    let why = "The provider's step pdf failed: render failed";
    assert_undecided(&failed(&[("", "", "render failed")], steps()), why);
    assert_rejected(&failed(&[("", "", "no")], steps()), None, "no");
    let why = "The provider's step pdf failed: what (X-1)";
    assert_undecided(&failed(&[("", "X-1", "what")], steps()), why);
    // A code that only the authority has is not the printer's, as long as the authority's step failed too.
    assert_rejected(&failed(&[("", "1999", "what")], steps()), Some("1999"), "what");
    for status in ["KO", "TIMEOUT", "CANCEL", "ERR"] {
        let only = json!([step("office.send", "OK", "", ""), step("pdf", status, "", "")]);
        assert_undecided(
            &failed(&[("", "1110", "unknown")], only),
            "The provider's step pdf failed: unknown (1110)",
        );
    }
}

#[test]
fn a_fault_of_nobody_in_a_job_that_names_nobody_is_the_authoritys() {
    for fault in [("", "1110", "no"), ("", "X-1", "no"), ("", "", "no")] {
        for steps in [json!([]), json!([{"events": [{"status": "KO"}]}]), json!([step("silo", "OK", "", "")])]
        {
            assert_rejected(&failed(&[fault], steps), Some(fault.1).filter(|code| !code.is_empty()), "no");
        }
    }
    let labelled = || json!([{"name": "Submit", "events": [{"status": "KO"}]}]);
    assert_rejected(&failed(&[("", "1110", "no")], labelled()), Some("1110"), "no");
    assert_undecided(
        &failed(&[("", "X-1", "no")], labelled()),
        "The provider's step Submit failed: no (X-1)",
    );
}

#[test]
fn a_step_of_the_authority_that_brought_no_answer_decides_nothing() {
    let steps = || json!([step("office.send", "TIMEOUT", "", "took too long")]);
    let why = "The provider's step office.send failed: took too long";
    assert_undecided(&failed(&[("office.send", "", "took too long")], steps()), why);
    assert_undecided(&failed(&[], steps()), why);
    assert_rejected(&failed(&[("office", "1110", "unknown")], steps()), Some("1110"), "unknown");
}

#[test]
fn a_job_that_failed_with_a_remark_says_what_is_missing() {
    let remark = ("office", "2001", "The census knows nobody.");
    let why =
        "The provider's job failed with the remark 2001 (The census knows nobody) and there is no stamp";
    assert_undecided(&failed(&[remark], json!([])), why);
    assert_undecided(&failed(&[remark], json!([step("office.send", "KO", "", "")])), why);
    assert_undecided(
        &verdict(&report(true, &[], false, json!([]))),
        "The provider reports success but no stamp",
    );
}

#[test]
fn a_remark_is_an_acceptance_unless_another_step_failed() {
    let remark = ("office", "2001", "remark");
    let of = |faults: &[FaultParts<'_>], steps| verdict(&report(false, faults, true, steps));
    let sent = || json!([step("office.send", "KO", "", "accepted with errors")]);
    for faults in [&[remark][..], &[remark, ("office.send", "", "accepted with errors")]] {
        let Verdict::Accepted(acceptance) = of(faults, sent()) else { panic!("{faults:?}") };
        assert_eq!(acceptance.warnings, [Remark::new("2001", "remark")]);
    }
    assert_undecided(&of(&[remark, PDF], json!([])), PDF_FAILED);
    let silent = json!([step("office.send", "OK", "", ""), step("pdf", "KO", "", "")]);
    assert_undecided(&of(&[remark], silent), "The provider's step pdf failed without saying why");
}

#[test]
fn a_failure_of_the_authoritys_step_that_the_workflow_deals_with_is_no_acceptance() {
    let rescued = json!([step("office.send", "KO", "", "no"), step("silo", "OK", "", "")]);
    let why = "The provider's step office.send failed: no";
    assert_undecided(&verdict(&report(true, &[], true, rescued)), why);
    let repeated = json!([step("office.send", "KO", "", "busy"), step("office.send", "OK", "", "")]);
    assert!(matches!(verdict(&report(true, &[], true, repeated)), Verdict::Accepted(_)));
}

#[test]
fn a_job_without_faults_is_asked_what_its_steps_say() {
    let pdf = json!([step("office.send", "OK", "", ""), step("pdf", "KO", "", "render failed")]);
    assert_undecided(&failed(&[], pdf), "The provider's step pdf failed: render failed");
    let office = json!([step("office.send", "KO", " ", "no")]);
    assert_rejected(&failed(&[], office), None, "no");
    let numbered =
        json!([{"provider": "office", "events": [{"status": "KO", "code": 1110, "message": "no"}]}]);
    assert_rejected(&failed(&[], numbered), Some("1110"), "no");
    assert_undecided(&failed(&[], json!([])), "The provider's job failed without saying why");
    assert_undecided(
        &failed(&[], json!([step("pdf", "KO", "", "")])),
        "The provider's step pdf failed without saying why",
    );
}

#[test]
fn a_job_that_is_no_json_names_nobody() {
    let mut unreadable = report(false, &[("", "1110", "no")], false, json!([]));
    for job in ["", "null", "[]", r#"{"intents":7}"#, r#"{"intents":[7,{},{"events":[]},{"events":[null]}]}"#]
    {
        job.clone_into(&mut unreadable.job);
        assert_rejected(&verdict(&unreadable), Some("1110"), "no");
    }
}

#[test]
fn an_operator_reads_a_few_faults_and_not_all() {
    let faults = [PDF; 50];
    let Verdict::Undecided(why) = failed(&faults, json!([])) else { panic!() };
    assert_eq!(why.matches("PDF-1").count(), QUOTED_MAX);
}
