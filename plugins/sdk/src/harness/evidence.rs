//! An address for verifying a document, looked at as the gateway does.

use crate::EvidenceDescription;

/// The number that an address for verifying a document states, if it states any; an error when its host or scheme is not
/// what the description says.
///
/// The gateway is stricter: no user, no port, no white space, no other spelling of the host.
pub fn number_in(description: &EvidenceDescription, address: &str) -> Result<Option<String>, String> {
    let rest = address.strip_prefix("https://").ok_or_else(|| format!("{address} is not of https"))?;
    let (rest, _) = rest.split_once('#').unwrap_or((rest, ""));
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let host = place.split('/').next().unwrap_or_default();
    if !description.verification_hosts.iter().any(|known| known == host) {
        return Err(format!("{host} is none of {:?}", description.verification_hosts));
    }
    let Some(parameter) = &description.verification_number else { return Ok(None) };
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut stated = pairs.filter(|(name, _)| name == parameter).map(|(_, value)| decoded(value));
    stated.next().transpose()
}

/// `%2F` is a slash and `+` a blank.
fn decoded(text: &str) -> Result<String, String> {
    let wrong = || format!("{text} is not encoded as an address is");
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [bytes.next(), bytes.next()].map(|digit| digit.and_then(hexadecimal));
                let [Some(high), Some(low)] = digits else { return Err(wrong()) };
                high << 4 | low
            }
            other => other,
        });
    }
    String::from_utf8(decoded).map_err(|_| wrong())
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_states_a_number_at_a_host_that_is_described() {
        let described = EvidenceDescription::at(&["verify.example"], Some("nf"), &[]);
        let stated = |address| number_in(&described, address);
        assert_eq!(stated("https://verify.example/?id=1&nf=F%2F1+%c3%b1#x"), Ok(Some("F/1 ñ".to_owned())));
        assert_eq!(stated("https://verify.example?nf"), Ok(Some(String::new())));
        assert_eq!(stated("https://verify.example/nf=1"), Ok(None));
        for wrong in [
            "http://verify.example/",
            "https://elsewhere.example/",
            "https://verify.example:443/",
            "https://verify.example/?nf=%2",
            "https://verify.example/?nf=%zz",
            "https://verify.example/?nf=%ff",
        ] {
            assert!(stated(wrong).is_err(), "{wrong}");
        }
        let silent = EvidenceDescription::at(&["verify.example"], None, &[]);
        assert_eq!(number_in(&silent, "https://verify.example/?nf=1"), Ok(None));
    }
}
