//! Electronic addresses: those of the annuaire under scheme 0225, of other schemes, and for electronic mail.

use einvoice_en16931::codes::is_scheme;
use einvoice_eu::Findings;
use einvoice_eu::parties::contact;
use einvoice_gobl::email::is_email;
use einvoice_gobl::format;
use einvoice_gobl::text::non_blank;
use einvoice_plugin::Recipient;

use crate::faults::INBOX_OF_RECIPIENT;
use crate::identity::Buyer;
use crate::treatment::Treatment;

/// EAS: the annuaire of France. Its addresses begin with a SIREN.
pub const SCHEME_DIRECTORY: &str = "0225";
/// Characters of a code in the format; a platform takes 125 (BR-FR-25).
const CODE_CHARS_MAX: usize = 64;

/// An electronic address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Address<'a> {
    Of { scheme: &'a str, code: &'a str },
    Mail(&'a str),
}

impl<'a> Address<'a> {
    /// As the format has it.
    pub(crate) fn written(self) -> format::Inbox<'a> {
        match self {
            Self::Of { scheme, code } => format::Inbox {
                scheme: Some(scheme.into()),
                code: Some(code.into()),
                ..format::Inbox::default()
            },
            Self::Mail(mail) => format::Inbox { email: Some(mail.into()), ..format::Inbox::default() },
        }
    }
}

/// Whether a code may stand under scheme 0225 (BR-FR-23).
pub fn is_directory_code(code: &str) -> bool {
    let known = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'_' | b'.');
    (1..=CODE_CHARS_MAX).contains(&code.len()) && code.bytes().all(known)
}

/// Reads `0225:732829320_SERVICE`, or an address for electronic mail.
fn parse(text: &str) -> Option<Address<'_>> {
    let Some((scheme, code)) = text.split_once(':') else {
        return is_email(text).then_some(Address::Mail(text));
    };
    let code = code.trim();
    let printable = (1..=CODE_CHARS_MAX).contains(&code.chars().count()) && !code.contains(char::is_control);
    let fits = if scheme == SCHEME_DIRECTORY { is_directory_code(code) } else { printable };
    let four = scheme.len() == 4 && scheme.bytes().all(|b| b.is_ascii_digit());
    (fits && four && is_scheme(scheme)).then_some(Address::Of { scheme, code })
}

/// Where a recipient is reached: as it is said, else under its SIREN, else by electronic mail.
pub(crate) fn of_recipient<'a>(
    recipient: &'a Recipient,
    said: Option<&'a str>,
    buyer: Option<&'a Buyer>,
) -> Option<Address<'a>> {
    match (said, buyer) {
        (Some(said), _) => parse(said),
        (None, Some(Buyer::French(number))) => {
            Some(Address::Of { scheme: SCHEME_DIRECTORY, code: number.siren() })
        }
        (None, Some(Buyer::Foreign(_)) | None) => {
            non_blank(contact(recipient).2.map(String::as_str)).map(Address::Mail)
        }
    }
}

/// Reports an address that is missing or does not fit (BR-FR-12, BR-FR-21).
pub(crate) fn check_recipient(
    recipient: &Recipient,
    said: Option<(&str, String)>,
    treatment: Treatment,
    buyer: Option<&Buyer>,
    findings: &mut Findings,
) {
    let Some((text, path)) = said else {
        // Without a SIREN something else is wrong with a French company.
        if treatment != Treatment::B2b && of_recipient(recipient, None, buyer).is_none() {
            let message = "An invoice names an electronic address of the recipient; add the email, or inbox to its ext.";
            findings.error(INBOX_OF_RECIPIENT, "/recipient/email", message);
        }
        return;
    };
    let siren = match buyer {
        Some(Buyer::French(number)) if treatment == Treatment::B2b => Some(number.siren()),
        _ => None,
    };
    match (parse(text), siren) {
        (None, _) => {
            let message = "The recipient's electronic address is neither scheme (of the list EAS) and code (0225:732829320) nor an address \
                           for electronic mail; correct it.";
            findings.error(INBOX_OF_RECIPIENT, path, message);
        }
        (Some(Address::Of { scheme: SCHEME_DIRECTORY, code }), Some(siren)) if code.starts_with(siren) => {}
        (Some(_), Some(siren)) => {
            let message = format!(
                "The recipient's electronic address is not one of the annuaire (0225:{siren}…); correct it or leave it out."
            );
            findings.error(INBOX_OF_RECIPIENT, path, message);
        }
        (Some(_), None) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_a_scheme_or_is_for_electronic_mail() {
        let of = |scheme, code| Some(Address::Of { scheme, code });
        assert_eq!(parse("0225:732829320_A.B"), of("0225", "732829320_A.B"));
        assert_eq!(parse("0204:991-12345-73"), of("0204", "991-12345-73"));
        assert_eq!(parse("a@b.fr"), Some(Address::Mail("a@b.fr")));
        for wrong in ["0225:732 829", "0225:", "9999:1", "EM:a@b.fr", "a@b", ""] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
