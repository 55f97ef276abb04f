//! The two QR codes of an invoice ("Kody QR"): addresses that lead whoever scans them to KSeF.
//!
//! | code | on | leads to | caption |
//! |---|---|---|---|
//! | I | every invoice | the invoice, by the digest of its file | [its number](caption), or OFFLINE until there is one |
//! | II | invoices issued offline | whose certificate vouches for the issuer | [`CERTIFICATE_CAPTION`] |
//!
//! Code II is signed with the private key of an offline certificate, which no plugin has: [`Certificate::signed_text`] is
//! what has to be signed, [`Certificate::address`] puts the signature where it belongs.

use einvoice_gobl::date::Date;

/// What stands below QR code I of an invoice without number.
pub const OFFLINE_CAPTION: &str = "OFFLINE";
/// What stands below QR code II.
pub const CERTIFICATE_CAPTION: &str = "CERTYFIKAT";

/// A system of KSeF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Environment {
    /// Where invoices count.
    Production,
    /// Where production is tried out.
    Demonstration,
    /// Where developers work.
    Test,
}

impl Environment {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Production, Self::Demonstration, Self::Test];

    /// The host of its QR codes.
    pub const fn host(self) -> &'static str {
        match self {
            Self::Production => "qr.ksef.mf.gov.pl",
            Self::Demonstration => "qr-demo.ksef.mf.gov.pl",
            Self::Test => "qr-test.ksef.mf.gov.pl",
        }
    }
}

/// QR code I. `digest` is the SHA-256 of the very file, `issued` its `P_1`.
pub fn invoice_address(environment: Environment, nip: &str, issued: Date, digest: &[u8; 32]) -> String {
    format!("https://{}/invoice/{nip}/{}/{}", environment.host(), issued.agency(), base64_url(digest))
}

/// What stands below QR code I: KSeF's number of the invoice, if it is known.
pub fn caption(ksef_number: Option<&str>) -> &str {
    ksef_number.unwrap_or(OFFLINE_CAPTION)
}

/// In whose context the issuer was logged in at KSeF.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginContext<'a> {
    /// A NIP.
    Nip(&'a str),
    /// A unit of a taxpayer.
    InternalId(&'a str),
    /// A Polish and a European number.
    NipVatUe(&'a str),
    /// A service of Peppol.
    PeppolId(&'a str),
}

impl<'a> LoginContext<'a> {
    const fn parts(self) -> (&'static str, &'a str) {
        match self {
            Self::Nip(value) => ("Nip", value),
            Self::InternalId(value) => ("InternalId", value),
            Self::NipVatUe(value) => ("NipVatUe", value),
            Self::PeppolId(value) => ("PeppolId", value),
        }
    }
}

/// QR code II: the issuer's certificate for an invoice that was issued offline.
#[derive(Debug, Clone, Copy)]
pub struct Certificate<'a> {
    /// The system of the certificate.
    pub environment: Environment,
    /// In whose context it was issued.
    pub context: LoginContext<'a>,
    /// The seller's NIP.
    pub nip: &'a str,
    /// The certificate's serial number, in capital hexadecimal digits.
    pub serial: &'a str,
    /// SHA-256 of the very file.
    pub digest: &'a [u8; 32],
}

impl Certificate<'_> {
    /// The text to sign, UTF-8: the address without scheme. RSASSA-PSS (SHA-256, salt of 32 bytes), or ECDSA (P-256,
    /// SHA-256; R and S, 32 bytes each).
    pub fn signed_text(&self) -> String {
        let (kind, value) = self.context.parts();
        let digest = base64_url(self.digest);
        format!(
            "{}/certificate/{kind}/{value}/{}/{}/{digest}",
            self.environment.host(),
            self.nip,
            self.serial
        )
    }

    /// The address with the signature of [`signed_text`](Self::signed_text).
    pub fn address(&self, signature: &[u8]) -> String {
        format!("https://{}/{}", self.signed_text(), base64_url(signature))
    }
}

/// Base 64 with the alphabet of addresses, without padding.
pub(crate) fn base64_url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().chain([&0, &0]).take(3).fold(0_usize, |group, byte| group << 8 | usize::from(*byte));
        let sextets = [group >> 18, group >> 12, group >> 6, group].into_iter().take(chunk.len() + 1);
        text.extend(sextets.filter_map(|sextet| ALPHABET.get(sextet & 63)).map(|byte| char::from(*byte)));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The digest of KSeF's documentation, whose file is not published.
    const DIGEST: &str = "UtQp9Gpc51y-u3xApZjIjgkpZ01js-J8KflSPW8WzIE";
    /// The signature of its example.
    const SIGNATURE: &str = "mSkm_XmM9fq7PgAJwiL32L9ujhyguOEV48cDB0ncemD2r9TMGa3lr0iRoFk588agCi8QPsOuscUY1rZ7ff76STbGquO-gZtQys5_fHdf2HUfDqPqVTnUS6HknBu0zLkyf9ygoW7WbH06Ty_8BgQTlOmJFzNWSt9WZa7tAGuAE9JOooNps-KG2PYkkIP4q4jPMp3FKypAygHVnXtS0RDGgOxhhM7LWtFP7D-dWINbh5yXD8Lr-JVbeOpyQjHa6WmMYavCDQJ3X_Z-iS01LZu2s1B3xuOykl1h0sLObCdADrbxOONsXrvQa61Xt_rxyprVraj2Uf9pANQgR4-12HEcMw";

    fn decoded(text: &str) -> Vec<u8> {
        let sextet = |c: u8| match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'-' => 62,
            _ => 63,
        };
        let bits = text.bytes().flat_map(|c| (0..6).rev().map(move |bit| sextet(c) >> bit & 1));
        let bits: Vec<u8> = bits.collect();
        bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |byte, bit| byte << 1 | bit)).collect()
    }

    #[test]
    fn both_addresses_are_those_of_the_documentation() {
        let digest: [u8; 32] = decoded(DIGEST).try_into().unwrap();
        assert_eq!(
            invoice_address(Environment::Test, "1111111111", Date::new(2026, 2, 1), &digest),
            format!("https://qr-test.ksef.mf.gov.pl/invoice/1111111111/01-02-2026/{DIGEST}")
        );
        let certificate = Certificate {
            environment: Environment::Test,
            context: LoginContext::Nip("1111111111"),
            nip: "1111111111",
            serial: "01F20A5D352AE590",
            digest: &digest,
        };
        let signed =
            format!("qr-test.ksef.mf.gov.pl/certificate/Nip/1111111111/1111111111/01F20A5D352AE590/{DIGEST}");
        assert_eq!(certificate.signed_text(), signed);
        assert_eq!(certificate.address(&decoded(SIGNATURE)), format!("https://{signed}/{SIGNATURE}"));
    }

    #[test]
    fn the_captions_are_those_of_the_documentation() {
        assert_eq!((caption(None), CERTIFICATE_CAPTION), ("OFFLINE", "CERTYFIKAT"));
        assert_eq!(
            caption(Some("5265877635-20250826-0100001AF629-AF")),
            "5265877635-20250826-0100001AF629-AF"
        );
    }

    #[test]
    fn bytes_are_written_as_addresses_take_them() {
        assert_eq!(base64_url(b"any carnal pleas"), "YW55IGNhcm5hbCBwbGVhcw");
        assert_eq!(base64_url(&[0xfb, 0xff]), "-_8");
    }
}
