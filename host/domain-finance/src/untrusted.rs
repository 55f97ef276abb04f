//! What a provider sends is not trusted: texts are cut to a length, control characters are taken out, lists are
//! shortened. What was changed is said, so that nobody takes it for what came.

use gateway_domain::fault::Fault;
use gateway_domain::regime::{ProviderFault, Stamp};

/// Longest text of a stamp, a reason or a message that is kept, bytes.
pub const TEXT_BYTES_MAX: usize = 4 * 1024;
/// Longest path of a fault that is kept, bytes.
const PATH_BYTES_MAX: usize = 512;
/// Longest name of a step, a code or a stamp, bytes.
const NAME_BYTES_MAX: usize = 128;
/// Stamps of an entry that are kept.
const STAMPS_MAX: usize = 32;
/// Faults of a report that are kept.
const FAULTS_MAX: usize = 100;
/// Paths of a fault that are kept.
const PATHS_MAX: usize = 20;

/// The report of a provider within its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BoundedReport {
    /// At most 100, their texts cut to a length and without control characters.
    pub faults: Vec<ProviderFault>,
    /// At most 32, each as it came: what is too long or has control characters is left out whole.
    pub stamps: Vec<Stamp>,
    /// What was left out or cut, one phrase each.
    pub changes: Vec<&'static str>,
}

/// Faults and stamps as far as they stay within their bounds. A stamp that does not is left out whole: half a proof is
/// none.
pub fn bounded(faults: Vec<ProviderFault>, stamps: Vec<Stamp>) -> BoundedReport {
    let mut changes = Changes::default();
    changes.note(faults.len() > FAULTS_MAX, "faults beyond the first hundred were left out");
    changes.note(stamps.len() > STAMPS_MAX, "stamps beyond the first 32 were left out");
    let faults =
        faults.into_iter().take(FAULTS_MAX).map(|fault| bounded_fault(fault, &mut changes)).collect();
    let sound = |stamp: &Stamp| {
        is_bounded(&stamp.provider, NAME_BYTES_MAX) && is_bounded(&stamp.value, TEXT_BYTES_MAX)
    };
    let (kept, left): (Vec<_>, Vec<_>) = stamps.into_iter().take(STAMPS_MAX).partition(sound);
    changes.note(!left.is_empty(), "a stamp that is too long or has control characters was left out");
    BoundedReport { faults, stamps: kept, changes: changes.0 }
}

/// The provider's complaints as faults of the document, within their bounds.
pub fn complaints(faults: Vec<ProviderFault>) -> Vec<Fault> {
    let BoundedReport { faults, .. } = bounded(faults, Vec::new());
    let as_fault = |fault: ProviderFault| {
        let code = fault.code.unwrap_or_else(|| "PROVIDER-REFUSED".to_owned());
        let message = fault.message.unwrap_or_else(|| "the provider refused the content".to_owned());
        Fault::error(code, fault.paths.join(", "), message)
    };
    faults.into_iter().map(as_fault).collect()
}

/// A sentence within its bounds, for whoever reads a reason.
pub fn bounded_text(text: &str) -> String {
    clean(text, TEXT_BYTES_MAX)
}

fn bounded_fault(fault: ProviderFault, changes: &mut Changes) -> ProviderFault {
    let ProviderFault { provider, code, message, paths } = fault;
    let mut kept = |text: Option<String>, bytes_max: usize| {
        text.map(|text| {
            let clean = clean(&text, bytes_max);
            changes.note(clean != text, "a text of a fault was cut or had control characters");
            clean
        })
    };
    let (provider, code) = (kept(provider, NAME_BYTES_MAX), kept(code, NAME_BYTES_MAX));
    let message = kept(message, TEXT_BYTES_MAX);
    let more = paths.len() > PATHS_MAX;
    let paths =
        paths.into_iter().take(PATHS_MAX).filter_map(|path| kept(Some(path), PATH_BYTES_MAX)).collect();
    changes.note(more, "paths of a fault beyond the first 20 were left out");
    ProviderFault { provider, code, message, paths }
}

#[derive(Default)]
struct Changes(Vec<&'static str>);

impl Changes {
    fn note(&mut self, happened: bool, what: &'static str) {
        if happened && !self.0.contains(&what) {
            self.0.push(what);
        }
    }
}

/// Whether a text may be kept as it is: short, and no control characters in it.
pub fn is_bounded(text: &str, bytes_max: usize) -> bool {
    text.len() <= bytes_max && !text.chars().any(char::is_control)
}

fn clean(text: &str, bytes_max: usize) -> String {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    let cut = text.get(..end).unwrap_or_default();
    let printable = |c: char| if c.is_control() { ' ' } else { c };
    let ended = cut.len() < text.len();
    let mut clean: String = cut.chars().map(printable).collect();
    if ended {
        clean.push('…');
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(value: &str) -> Stamp {
        Stamp { provider: "verifactu-qr".to_owned(), value: value.to_owned() }
    }

    fn fault(message: &str, paths: &[&str]) -> ProviderFault {
        ProviderFault {
            provider: Some("verifactu".to_owned()),
            code: Some("1110".to_owned()),
            message: Some(message.to_owned()),
            paths: paths.iter().map(|path| (*path).to_owned()).collect(),
        }
    }

    #[test]
    fn what_is_within_its_bounds_stays_as_it_came() {
        let (faults, stamps) = (vec![fault("unknown NIF", &["$.doc.customer"])], vec![stamp("https://x")]);
        let bounded = bounded(faults.clone(), stamps.clone());
        assert_eq!(bounded, BoundedReport { faults, stamps, changes: Vec::new() });
    }

    #[test]
    fn half_a_stamp_is_none() {
        for value in ["x".repeat(TEXT_BYTES_MAX + 1), "a\nb".to_owned(), "a\u{9b}b".to_owned()] {
            let bounded = bounded(Vec::new(), vec![stamp(&value), stamp("kept")]);
            assert_eq!((bounded.stamps.as_slice(), bounded.changes.len()), ([stamp("kept")].as_slice(), 1));
        }
    }

    #[test]
    fn texts_of_faults_are_cut_between_characters_and_lose_control_characters() {
        let long = "ñ".repeat(TEXT_BYTES_MAX);
        let faults = vec![fault(&long, &["$.a\u{1b}[2J"]), fault("fine", &["x"; 30])];
        let BoundedReport { faults, changes, .. } = bounded(faults, Vec::new());
        let message = faults[0].message.as_deref().unwrap();
        assert!(message.len() <= TEXT_BYTES_MAX + '…'.len_utf8() && message.ends_with('…'));
        assert_eq!(faults[0].paths, ["$.a [2J"]);
        assert_eq!((faults[1].paths.len(), changes.len()), (PATHS_MAX, 2));
    }

    #[test]
    fn lists_are_shortened() {
        let bounded = bounded(vec![fault("x", &[]); 500], vec![stamp("x"); 500]);
        assert_eq!((bounded.faults.len(), bounded.stamps.len()), (FAULTS_MAX, STAMPS_MAX));
        assert_eq!(bounded.changes.len(), 2);
    }
}
