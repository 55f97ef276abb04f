//! The signature that chains the documents of a series, as far as it needs no key.
//!
//! A certified program signs `date;time of entry;number;total;signature before` with RSA-SHA1 and its private key of 1024
//! bits (Portaria 363/2010). That key is the provider's, whose program the AT certified: no plugin has one. The stand-in puts
//! 128 bytes in the signature's place that [`stand_in`] derives of the signed text with SHA-256. They have its form (172
//! characters of base64) and change with every member and with the document before, but nobody can verify them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// Bytes of a signature by a key of 1024 bits.
const SIGNATURE_BYTES: usize = 128;
/// Which characters of it are printed, from 0.
const PRINTED: [usize; 4] = [0, 10, 20, 30];

/// What a program signs of a document. The first of a series has no signature before it.
pub fn signed_text(date: &str, entered: &str, number: &str, gross: &str, before: &str) -> String {
    [date, entered, number, gross, before].join(";")
}

/// What stands in the place of the signature.
pub fn stand_in(signed_text: &str) -> String {
    let blocks =
        (0_u8..).flat_map(|block| Sha256::new().chain_update([block]).chain_update(signed_text).finalize());
    STANDARD.encode(blocks.take(SIGNATURE_BYTES).collect::<Vec<u8>>())
}

/// The four characters of a signature that stand on the document.
pub fn printed(signature: &str) -> String {
    PRINTED.iter().filter_map(|at| signature.chars().nth(*at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signed_text_is_that_of_the_authoritys_rule() {
        let text = signed_text("2010-05-18", "2010-05-18T11:22:19", "FAC 001/14", "3.12", "");
        assert_eq!(text, "2010-05-18;2010-05-18T11:22:19;FAC 001/14;3.12;");
    }

    #[test]
    fn what_stands_for_a_signature_has_its_form_and_depends_on_all_of_the_text() {
        let (one, other) = (stand_in("a;b"), stand_in("a;c"));
        assert_eq!((one.len(), other.len()), (172, 172));
        assert_ne!(one, other);
        assert_eq!(one, stand_in("a;b"));
    }

    #[test]
    fn the_first_and_every_tenth_character_behind_it_are_printed() {
        assert_eq!(printed("Y123456789h123456789G123456789V123"), "YhGV");
    }
}
