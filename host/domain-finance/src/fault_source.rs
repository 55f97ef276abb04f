//! Who speaks in a provider's fault: a rejection names them.
//!
//! The gateway knows no authority by name; it knows what a regime is called and what the provider does by itself. Everybody
//! else whose complaint a plugin takes for a refusal speaks for the authority.

use crate::bounded_text;
use crate::ports::Job;
use gateway_domain::fault::Fault;
use gateway_domain::regime::{ProviderFault, ProviderReport, RegimeKey};

/// How the provider names the step that validates the structured format.
const VALIDATION: &str = "gobl";
/// Steps that the provider's workflows take by themselves, and the built-in provider's when no authority answered: they
/// speak for nobody.
const OWN_STEPS: [&str; 6] = ["silo", "sequence", "pdf", "email", "webhook", "sandbox"];

/// In the order in which they are believed where several say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FaultSource<'a> {
    Authority,
    Validation,
    Step(&'a str),
}

/// Who said what a rejection gives as its reason, by the faults that carry its `code`.
fn source(regime: &RegimeKey, code: Option<&str>, faults: &[ProviderFault]) -> String {
    let code = code.map(str::trim);
    let coded =
        |fault: &&ProviderFault| fault.code.as_deref().map(str::trim).filter(|code| !code.is_empty()) == code;
    match faults.iter().filter(coded).map(|fault| fault_source(regime, fault)).min() {
        None | Some(FaultSource::Authority) => "tax authority".to_owned(),
        Some(FaultSource::Validation) => "provider's validation".to_owned(),
        Some(FaultSource::Step(step)) => format!("provider's step {step}"),
    }
}

/// What is told of a rejection: who refused the document and why, one sentence; and the faults, at least one.
pub fn rejection(
    regime: &RegimeKey,
    code: Option<String>,
    reason: &str,
    mut faults: Vec<Fault>,
    reported: &[ProviderFault],
) -> (String, Vec<Fault>) {
    let code = code.filter(|code| !code.trim().is_empty());
    if faults.is_empty() {
        let code = code.clone().unwrap_or_else(|| "AUTHORITY".to_owned());
        faults.push(Fault::error(code, "", reason));
    }
    let source = source(regime, code.as_deref(), reported);
    // Nothing is decided by this: a sentence that names its code is only not given it twice.
    let reason = match code {
        Some(code) if !reason.contains(&code) => format!("{source}: {code}: {reason}"),
        Some(_) | None => format!("{source}: {reason}"),
    };
    (bounded_text(&reason), faults)
}

/// Whether a fault neither says why a job failed nor, as far as the gateway knows, that another step than the
/// authority's did.
pub fn gives_no_reason(regime: &RegimeKey, fault: &ProviderFault) -> bool {
    fault.is_silent() && fault.provider.as_deref().is_none_or(|name| is_of_regime(regime, name))
}

/// Whether no authority has the document of a job that failed: it took and complains about the provider's own steps alone,
/// and left no stamp. What may have been sent is not sent again.
pub fn never_sent(regime: &RegimeKey, job: &Job, report: &ProviderReport) -> bool {
    let of_workflow = |fault: &ProviderFault| matches!(fault_source(regime, fault), FaultSource::Step(_));
    let own = |step: &String| !is_of_regime(regime, step) && (is_own(step) || is_validation(step));
    !report.succeeded
        && report.stamps.is_empty()
        && report.faults.iter().all(of_workflow)
        && job.sound_steps.iter().all(own)
}

fn fault_source<'a>(regime: &RegimeKey, fault: &'a ProviderFault) -> FaultSource<'a> {
    let Some(name) = fault.provider.as_deref().map(str::trim).filter(|name| !name.is_empty()) else {
        return FaultSource::Authority;
    };
    if is_of_regime(regime, name) {
        FaultSource::Authority
    } else if is_validation(name) {
        FaultSource::Validation
    } else if is_own(name) {
        FaultSource::Step(name)
    } else {
        FaultSource::Authority
    }
}

fn is_validation(name: &str) -> bool {
    app(name).eq_ignore_ascii_case(VALIDATION)
}

fn is_own(name: &str) -> bool {
    OWN_STEPS.into_iter().any(|own| app(name).eq_ignore_ascii_case(own))
}

/// Whether a step is called like its regime, or like one part of that: `verifactu.send` under `es-verifactu`.
fn is_of_regime(regime: &RegimeKey, name: &str) -> bool {
    let app = app(name);
    app.eq_ignore_ascii_case(regime.as_str())
        || regime.as_str().split('-').any(|part| app.eq_ignore_ascii_case(part))
}

/// The part of a step's name that says whose it is: `silo` of `silo.close`.
fn app(name: &str) -> &str {
    name.trim().split('.').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(provider: &str, code: &str, message: &str) -> ProviderFault {
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        ProviderFault {
            provider: given(provider),
            code: given(code),
            message: given(message),
            paths: Vec::new(),
        }
    }

    fn regime(key: &str) -> RegimeKey {
        RegimeKey::try_from(key.to_owned()).unwrap()
    }

    #[test]
    fn a_rejection_names_who_complained() {
        let faults = [
            fault("Gobl", "GOBL-TAX-01", "x"),
            fault("verifactu", " 1110", "x"),
            fault("pdf", "PDF-1", "x"),
            fault("silo.close", "S-1", "x"),
            fault("aeat", "4104", "x"),
            fault("", "17", "x"),
        ];
        let of = |code| source(&regime("es-verifactu"), code, &faults);
        for (code, who) in [
            ("GOBL-TAX-01", "provider's validation"),
            ("1110", "tax authority"),
            ("PDF-1", "provider's step pdf"),
            ("S-1", "provider's step silo.close"),
            ("4104", "tax authority"),
            ("17", "tax authority"),
            ("unheard", "tax authority"),
        ] {
            assert_eq!(of(Some(code)), who, "{code}");
        }
        assert_eq!(source(&regime("es-verifactu"), None, &[]), "tax authority");
        assert_eq!(source(&regime("xx-pdf"), Some("PDF-1"), &faults), "tax authority");
    }

    #[test]
    fn where_several_say_the_same_the_authority_is_believed_first() {
        let [pdf, format, office] =
            ["pdf", "gobl.validate", "verifactu.send"].map(|who| fault(who, "", "no"));
        let of = |faults: &[ProviderFault]| source(&regime("es-verifactu"), None, faults);
        assert_eq!(of(&[pdf.clone(), format.clone(), office]), "tax authority");
        assert_eq!(of(&[pdf.clone(), format]), "provider's validation");
        assert_eq!(of(&[pdf]), "provider's step pdf");
    }

    #[test]
    fn a_fault_gives_no_reason_unless_it_says_something_or_blames_another_step() {
        let none = |who, message| gives_no_reason(&regime("es-verifactu"), &fault(who, "", message));
        assert!(none("verifactu.send", " ") && none("", "") && none("ES-VERIFACTU", ""));
        assert!(!none("verifactu.send", "no") && !none("pdf", "") && !none("", "no"));
    }

    #[test]
    fn a_job_of_the_providers_own_steps_alone_that_left_no_stamp_was_never_sent() {
        let stamp = gateway_domain::regime::Stamp { provider: "verifactu-qr".into(), value: "x".into() };
        let of = |succeeded, providers: &[&str], stamps: &[_]| ProviderReport {
            succeeded,
            faults: providers.iter().map(|provider| fault(provider, "17", "no")).collect(),
            stamps: stamps.to_vec(),
            job: String::new(),
            entry: String::new(),
        };
        let after = |sound: &[&str], report| {
            let job = Job {
                id: uuid::Uuid::nil(),
                progress: crate::ports::JobProgress::Failed,
                created_at: None,
                faults: Vec::new(),
                entry: None,
                sound_steps: sound.iter().map(|&step| step.to_owned()).collect(),
                raw: String::new(),
            };
            never_sent(&regime("es-verifactu"), &job, &report)
        };
        let never = |report| after(&["silo", "gobl"], report);
        for sound in ["verifactu.generate", "aeat", ""] {
            assert!(!after(&["silo", sound], of(false, &["pdf"], &[])), "{sound}");
        }
        assert!(never(of(false, &["pdf", "silo.close"], &[])) && never(of(false, &["sandbox"], &[])));
        assert!(!never(of(false, &["pdf"], &[stamp])) && !never(of(true, &["pdf"], &[])));
        for provider in ["verifactu", "gobl", "archive", ""] {
            assert!(!never(of(false, &["pdf", provider], &[])), "{provider}");
        }
    }
}
