//! What the gateway checks of an authority's evidence, out of the guest's own account of it.

use super::wit_evidence as wit;
use crate::defect::{Failure, unusable};
use gateway_domain::regime::EvidenceDescription;

/// Entries of a description, all its lists together.
const ENTRIES_MAX: usize = 300;
/// UTF-8 bytes of one entry of a list.
const ENTRY_BYTES_MAX: usize = 255;
/// Bytes of a host name, and of each of its labels (RFC 1035, section 2.3.4).
const HOST_BYTES_MAX: usize = 253;
const LABEL_BYTES_MAX: usize = 63;

pub(super) fn description(description: wit::Description) -> Result<EvidenceDescription, Failure> {
    let wit::Description { verification_hosts, verification_number, duplicate_codes } = description;
    let lists = verification_hosts.len().saturating_add(duplicate_codes.len());
    if lists.saturating_add(usize::from(verification_number.is_some())) > ENTRIES_MAX {
        return Err(Failure::Oversize("evidence of too many entries", ENTRIES_MAX));
    }
    for entry in verification_hosts.iter().chain(&verification_number).chain(&duplicate_codes) {
        if entry.len() > ENTRY_BYTES_MAX {
            return Err(Failure::Oversize("evidence with an entry of too many bytes", ENTRY_BYTES_MAX));
        }
    }
    if let Some(wrong) = verification_hosts.iter().find(|host| !is_host(host)) {
        let said = wrong.escape_debug();
        return Err(unusable(format!(
            "the host '{said}' for verifying documents, which is no host name in lower case such as www.example.com"
        )));
    }
    for (what, entry) in verification_number
        .iter()
        .map(|name| ("query parameter", name))
        .chain(duplicate_codes.iter().map(|code| ("code for a duplicate", code)))
    {
        if !is_word(entry) {
            let said = entry.escape_debug();
            return Err(unusable(format!(
                "the {what} '{said}', which is empty or has blanks around it or control characters"
            )));
        }
    }
    Ok(EvidenceDescription { verification_hosts, verification_number, duplicate_codes })
}

/// Labels of lower-case letters, digits and inner hyphens; at least two, and the last one no number: no address.
fn is_host(text: &str) -> bool {
    let label = |label: &str| {
        (1..=LABEL_BYTES_MAX).contains(&label.len())
            && label.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let named =
        text.rsplit_once('.').is_some_and(|(_, last)| last.bytes().any(|byte| byte.is_ascii_lowercase()));
    text.len() <= HOST_BYTES_MAX && named && text.split('.').all(label)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.chars().any(char::is_control)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_host(host: &str) -> wit::Description {
        let verification_hosts = vec![host.to_owned()];
        wit::Description { verification_hosts, verification_number: None, duplicate_codes: Vec::new() }
    }

    fn error_of(said: wit::Description) -> String {
        match description(said) {
            Err(Failure::Unusable(what)) => what,
            Err(Failure::Oversize(what, most)) => format!("{what}: {most}"),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_host_is_a_name_in_lower_case() {
        let long = format!("{}.example", "x".repeat(LABEL_BYTES_MAX));
        for right in ["www2.agenciatributaria.gob.es", "qr-test.ksef.mf.gov.pl", "4711.example", &long] {
            assert!(description(with_host(right)).is_ok(), "{right}");
        }
        let long = format!("{}.example", "x".repeat(LABEL_BYTES_MAX + 1));
        let longer = format!("{}example", "x.".repeat(124));
        for wrong in [
            "",
            "localhost",
            "not a host",
            "WWW.example.com",
            "www.example.com.",
            ".example.com",
            "www..com",
            "-www.example.com",
            "www-.example.com",
            "www.example.com:443",
            "https://www.example.com",
            "*.example.com",
            "127.0.0.1",
            "[::1]",
            "bücher.example",
            &long,
            &longer,
        ] {
            let said = error_of(with_host(wrong));
            assert!(
                said.ends_with("which is no host name in lower case such as www.example.com"),
                "{wrong}: {said}"
            );
        }
    }

    #[test]
    fn evidence_is_bounded() {
        let codes = |count| wit::Description {
            duplicate_codes: vec!["3000".to_owned(); count],
            ..with_host("www.example.com")
        };
        assert!(description(codes(ENTRIES_MAX - 1)).is_ok());
        assert_eq!(error_of(codes(ENTRIES_MAX)), "evidence of too many entries: 300");
        let code = |bytes| wit::Description {
            duplicate_codes: vec!["x".repeat(bytes)],
            ..with_host("www.example.com")
        };
        assert!(description(code(ENTRY_BYTES_MAX)).is_ok());
        assert_eq!(error_of(code(ENTRY_BYTES_MAX + 1)), "evidence with an entry of too many bytes: 255");
    }

    #[test]
    fn a_parameter_and_a_code_say_something() {
        for wrong in ["", " ", " 3000", "3000\n", "3\u{0}00"] {
            let verification_number = Some(wrong.to_owned());
            let parameter = wit::Description { verification_number, ..with_host("www.example.com") };
            assert!(error_of(parameter).starts_with("the query parameter '"), "{wrong:?}");
            let duplicate_codes = vec![wrong.to_owned()];
            let code = wit::Description { duplicate_codes, ..with_host("www.example.com") };
            assert!(error_of(code).starts_with("the code for a duplicate '"), "{wrong:?}");
        }
    }
}
