//! The chained record and the QR address of an invoice, as the tax agency defines them.

use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

/// Which of the agency's two systems answers the QR address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Environment {
    /// For tests: nothing here has legal effect.
    Test,
    /// The real one.
    Production,
}

impl Environment {
    const fn verification_url(self) -> &'static str {
        match self {
            Self::Test => "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR",
            Self::Production => "https://www2.agenciatributaria.gob.es/wlpl/TIKE-CONT/ValidarQR",
        }
    }
}

/// What the fingerprint of an invoice record covers (`RegistroAlta`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record<'a> {
    /// The issuer's NIF.
    pub issuer: &'a str,
    /// Series and number as printed on the invoice.
    pub number: &'a str,
    /// Day of issue, `DD-MM-YYYY`.
    pub issue_date: &'a str,
    /// The agency's document type: `F1`.
    pub document_type: &'a str,
    /// Tax, surcharges included.
    pub tax: &'a str,
    /// Net and tax.
    pub total: &'a str,
    /// Fingerprint of the record before it in the issuer's chain; empty for the first.
    pub previous: &'a str,
    /// When the record was made, RFC 3339 with the offset of the place of issue, no fraction.
    pub generated_at: &'a str,
}

impl Record<'_> {
    /// The text the fingerprint is taken of.
    pub fn canonical(&self) -> String {
        canonical(&[
            ("IDEmisorFactura", self.issuer),
            ("NumSerieFactura", self.number),
            ("FechaExpedicionFactura", self.issue_date),
            ("TipoFactura", self.document_type),
            ("CuotaTotal", self.tax),
            ("ImporteTotal", self.total),
            ("Huella", self.previous),
            ("FechaHoraHusoGenRegistro", self.generated_at),
        ])
    }

    /// The fingerprint (`Huella`): SHA-256 of [`Self::canonical`], 64 upper-case hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.canonical())
    }

    /// Where anybody verifies the invoice; the content of its QR code.
    pub fn qr_url(&self, environment: Environment) -> String {
        format!(
            "{}?nif={}&numserie={}&fecha={}&importe={}",
            environment.verification_url(),
            percent_encode(self.issuer.trim()),
            percent_encode(self.number.trim()),
            percent_encode(self.issue_date),
            percent_encode(self.total),
        )
    }
}

/// What the fingerprint of a cancellation record covers (`RegistroAnulacion`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cancellation<'a> {
    /// The issuer's NIF.
    pub issuer: &'a str,
    /// Series and number of the cancelled invoice.
    pub number: &'a str,
    /// Day the cancelled invoice was issued, `DD-MM-YYYY`.
    pub issue_date: &'a str,
    /// Fingerprint of the record before it in the issuer's chain; empty for the first.
    pub previous: &'a str,
    /// When the record was made, as in [`Record::generated_at`].
    pub generated_at: &'a str,
}

impl Cancellation<'_> {
    /// The text the fingerprint is taken of.
    pub fn canonical(&self) -> String {
        canonical(&[
            ("IDEmisorFacturaAnulada", self.issuer),
            ("NumSerieFacturaAnulada", self.number),
            ("FechaExpedicionFacturaAnulada", self.issue_date),
            ("Huella", self.previous),
            ("FechaHoraHusoGenRegistro", self.generated_at),
        ])
    }

    /// The fingerprint, in the form of [`Record::fingerprint`].
    pub fn fingerprint(&self) -> String {
        fingerprint(&self.canonical())
    }
}

fn canonical(fields: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(256);
    for (name, value) in fields {
        if !text.is_empty() {
            text.push('&');
        }
        text.push_str(name);
        text.push('=');
        text.push_str(value.trim());
    }
    text
}

fn fingerprint(canonical: &str) -> String {
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(canonical.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02X}");
    }
    hex
}

/// RFC 3986: everything but unreserved characters as `%XX` of its UTF-8 bytes.
fn percent_encode(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Record<'_> = Record {
        issuer: "89890001K",
        number: "12345678/G33",
        issue_date: "01-01-2024",
        document_type: "F1",
        tax: "12.35",
        total: "123.45",
        previous: "",
        generated_at: "2024-01-01T19:20:30+01:00",
    };

    #[test]
    fn the_first_record_of_the_agencys_example_has_its_fingerprint() {
        assert_eq!(
            FIRST.canonical(),
            "IDEmisorFactura=89890001K&NumSerieFactura=12345678/G33&FechaExpedicionFactura=01-01-2024\
             &TipoFactura=F1&CuotaTotal=12.35&ImporteTotal=123.45&Huella=&FechaHoraHusoGenRegistro=2024-01-01T19:20:30+01:00"
        );
        assert_eq!(FIRST.fingerprint(), "3C464DAF61ACB827C65FDA19F352A4E3BDC2C640E9E9FC4CC058073F38F12F60");
    }

    #[test]
    fn the_next_record_of_the_agencys_example_chains_to_it() {
        let first = FIRST.fingerprint();
        let next = Record {
            number: "12345679/G34",
            previous: &first,
            generated_at: "2024-01-01T19:20:35+01:00",
            ..FIRST
        };
        assert_eq!(next.fingerprint(), "F7B94CFD8924EDFF273501B01EE5153E4CE8F259766F88CF6ACB8935802A2B97");
    }

    #[test]
    fn the_cancellation_of_the_agencys_example_chains_to_the_record_before_it() {
        let cancellation = Cancellation {
            issuer: "89890001K",
            number: "12345679/G34",
            issue_date: "01-01-2024",
            previous: "F7B94CFD8924EDFF273501B01EE5153E4CE8F259766F88CF6ACB8935802A2B97",
            generated_at: "2024-01-01T19:20:40+01:00",
        };
        assert_eq!(
            cancellation.fingerprint(),
            "177547C0D57AC74748561D054A9CEC14B4C4EA23D1BEFD6F2E69E3A388F90C68"
        );
    }

    #[test]
    fn the_qr_address_of_the_agencys_example_encodes_the_number() {
        let of_the_agency =
            Record { number: "12345678&G33", issue_date: "01-09-2024", total: "241.4", ..FIRST };
        assert_eq!(
            of_the_agency.qr_url(Environment::Test),
            "https://prewww2.aeat.es/wlpl/TIKE-CONT/ValidarQR?nif=89890001K&numserie=12345678%26G33&fecha=01-09-2024&importe=241.4"
        );
        assert!(
            FIRST.qr_url(Environment::Production).starts_with("https://www2.agenciatributaria.gob.es/wlpl/")
        );
    }
}
