//! Who speaks in a provider's fault: a rejection names them.
//!
//! The gateway knows no authority by name; it knows what a regime is called and what the provider does by itself. Everybody
//! else whose complaint a plugin takes for a refusal speaks for the authority.

use gateway_domain::regime::{ProviderFault, RegimeKey};

/// How the provider names the step that validates the structured format.
const VALIDATION: &str = "gobl";
/// Steps that the provider's workflows take by themselves, and the built-in provider's when no authority answered: they
/// speak for nobody.
const OWN_STEPS: [&str; 6] = ["silo", "sequence", "pdf", "email", "webhook", "sandbox"];

/// In the order in which they are believed where several say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Speaker<'a> {
    Authority,
    Validation,
    Step(&'a str),
}

/// Who said what a rejection gives as its reason, by the faults that carry its `code`.
pub(super) fn source(regime: &RegimeKey, code: Option<&str>, told: &[ProviderFault]) -> String {
    let code = code.map(str::trim);
    let coded =
        |fault: &&ProviderFault| fault.code.as_deref().map(str::trim).filter(|code| !code.is_empty()) == code;
    match told.iter().filter(coded).map(|fault| speaker(regime, fault)).min() {
        None | Some(Speaker::Authority) => "tax authority".to_owned(),
        Some(Speaker::Validation) => "provider's validation".to_owned(),
        Some(Speaker::Step(step)) => format!("provider's step {step}"),
    }
}

/// Whether a fault neither says why a job failed nor, as far as the gateway knows, that another step than the
/// authority's did.
pub(super) fn gives_no_reason(regime: &RegimeKey, fault: &ProviderFault) -> bool {
    fault.is_silent() && fault.provider.as_deref().is_none_or(|name| is_of_regime(regime, name))
}

fn speaker<'a>(regime: &RegimeKey, fault: &'a ProviderFault) -> Speaker<'a> {
    let Some(name) = fault.provider.as_deref().map(str::trim).filter(|name| !name.is_empty()) else {
        return Speaker::Authority;
    };
    let is = |own: &str| app(name).eq_ignore_ascii_case(own);
    if is_of_regime(regime, name) {
        Speaker::Authority
    } else if is(VALIDATION) {
        Speaker::Validation
    } else if OWN_STEPS.into_iter().any(is) {
        Speaker::Step(name)
    } else {
        Speaker::Authority
    }
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
        let told = [
            fault("Gobl", "GOBL-TAX-01", "x"),
            fault("verifactu", " 1110", "x"),
            fault("pdf", "PDF-1", "x"),
            fault("silo.close", "S-1", "x"),
            fault("aeat", "4104", "x"),
            fault("", "17", "x"),
        ];
        let of = |code| source(&regime("es-verifactu"), code, &told);
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
        assert_eq!(source(&regime("xx-pdf"), Some("PDF-1"), &told), "tax authority");
    }

    #[test]
    fn where_several_say_the_same_the_authority_is_believed_first() {
        let [pdf, format, office] =
            ["pdf", "gobl.validate", "verifactu.send"].map(|who| fault(who, "", "no"));
        let of = |told: &[ProviderFault]| source(&regime("es-verifactu"), None, told);
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
}
