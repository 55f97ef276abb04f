//! The TicketBAI identifier and the address where anybody verifies an invoice.

use einvoice_es::date::Date;

use crate::codes::Region;

/// Characters of the signature that the identifier carries.
pub const SIGNATURE_CHARS: usize = 13;

/// `TBAI-B98602642-201126-btFpwP8dcLGAF-237`: issuer, day, start of the signature, check digits.
pub fn identifier(issuer: &str, day: Date, signature: &str) -> String {
    let day = day.agency();
    let (day_month, year) = (day.get(..5).unwrap_or_default(), day.get(8..).unwrap_or_default());
    let start: String = signature.chars().take(SIGNATURE_CHARS).collect();
    let body = format!("TBAI-{issuer}-{}{year}-{start}-", day_month.replace('-', ""));
    format!("{body}{:03}", check_digits(&body))
}

/// A document's number. Those of this plugin have no series, others may.
#[derive(Debug, Clone, Copy)]
pub struct Number<'a> {
    /// Empty when there is none.
    pub series: &'a str,
    /// Inside its series.
    pub number: &'a str,
}

/// The address at the treasury's test service.
pub fn qr_url(region: Region, identifier: &str, number: Number<'_>, total: &str) -> String {
    let service = match region {
        Region::Araba => "https://pruebas-ticketbai.araba.eus/tbai/qrtbai/",
        Region::Bizkaia => "https://batuz.eus/QRTBAI/",
        Region::Gipuzkoa => "https://tbai.prep.gipuzkoa.eus/qr/",
    };
    let Number { series, number } = number;
    let body =
        format!("{service}?id={}&s={}&nf={}&i={total}", encode(identifier), encode(series), encode(number));
    format!("{body}&cr={:03}", check_digits(&body))
}

/// CRC-8 of the bytes: polynomial 0x07, from nought.
fn check_digits(text: &str) -> u8 {
    text.bytes().fold(0, |crc, byte| {
        (0..8).fold(crc ^ byte, |crc, _| if crc & 0x80 == 0 { crc << 1 } else { (crc << 1) ^ 0x07 })
    })
}

/// Everything but letters, digits and `-._~` as `%XX`.
fn encode(text: &str) -> String {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
            encoded.push(char::from(byte));
        } else {
            encoded.push('%');
            encoded.extend(
                [byte >> 4, byte & 15]
                    .map(|digit| char::from(HEX.get(usize::from(digit)).copied().unwrap_or(b'0'))),
            );
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_identifier_is_the_one_of_the_specification() {
        let made = identifier("00000006Y", Date::new(2019, 10, 25), "btFpwP8dcLGAF56l");
        assert_eq!(made, "TBAI-00000006Y-251019-btFpwP8dcLGAF-237");
    }

    #[test]
    fn the_address_is_the_one_of_the_specification() {
        let number = Number { series: "T", number: "27174" };
        assert_eq!(
            qr_url(Region::Bizkaia, "TBAI-00000006Y-251019-btFpwP8dcLGAF-237", number, "4.70"),
            "https://batuz.eus/QRTBAI/?id=TBAI-00000006Y-251019-btFpwP8dcLGAF-237&s=T&nf=27174&i=4.70&cr=007"
        );
    }

    #[test]
    fn an_address_ends_in_its_own_check_digits() {
        let number = Number { series: "", number: "F/1" };
        let url = qr_url(Region::Bizkaia, "TBAI-00000006Y-251019-btFpwP8dcLGAF-237", number, "4.70");
        let (body, digits) = url.rsplit_once("&cr=").unwrap();
        assert_eq!(
            body,
            "https://batuz.eus/QRTBAI/?id=TBAI-00000006Y-251019-btFpwP8dcLGAF-237&s=&nf=F%2F1&i=4.70"
        );
        assert_eq!(digits, format!("{:03}", check_digits(body)));
    }

    #[test]
    fn a_slash_of_base64_is_encoded() {
        assert_eq!(encode("a/b+c=ñ"), "a%2Fb%2Bc%3D%C3%B1");
    }
}
