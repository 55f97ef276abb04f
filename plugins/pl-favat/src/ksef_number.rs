//! The number KSeF gives an invoice ("Numer KSeF", structure and validation): NIP, day of receipt, twelve hexadecimal digits of
//! the system, and two that check all before them.

use einvoice_eu::register::hexadecimal;
use einvoice_gobl::date::Date;

/// Characters of a number.
const CHARS: usize = 35;
/// Characters that the last two check.
const CHECKED_CHARS: usize = 32;

/// The number of an invoice that KSeF received on `day`. `technical` is the system's own part.
pub fn ksef_number(nip: &str, day: Date, technical: [u8; 6]) -> String {
    let day: String = day.to_string().chars().filter(char::is_ascii_digit).collect();
    let technical = hexadecimal(&technical).to_uppercase();
    let head = format!("{nip}-{day}-{technical}");
    format!("{head}-{:02X}", crc8(head.as_bytes()))
}

/// Whether a text is such a number, by its form and its check digits.
pub fn is_ksef_number(text: &str) -> bool {
    let mut parts = text.split('-');
    let (Some(nip), Some(day), Some(technical), Some(check), None) =
        (parts.next(), parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let is_upper_hex = |b: u8| b.is_ascii_digit() || (b'A'..=b'F').contains(&b);
    let is_form = text.len() == CHARS
        && nip.len() == 10
        && nip.bytes().all(|b| b.is_ascii_digit())
        && !nip.starts_with('0')
        && nip.get(1..3) != Some("00")
        && is_day(day)
        && technical.len() == 12
        && technical.bytes().chain(check.bytes()).all(is_upper_hex);
    let expected = text.get(..CHECKED_CHARS).map(|checked| format!("{:02X}", crc8(checked.as_bytes())));
    is_form && expected.as_deref() == Some(check)
}

/// `YYYYMMDD`, of this century from its third decade on.
fn is_day(text: &str) -> bool {
    let (Some(year), Some(month), Some(day)) = (text.get(..4), text.get(4..6), text.get(6..)) else {
        return false;
    };
    let day: Option<Date> = format!("{year}-{month}-{day}").parse().ok();
    day.is_some_and(|day| day >= Date::new(2020, 1, 1))
}

/// CRC-8 with the polynomial 0x07, from nought.
fn crc8(bytes: &[u8]) -> u8 {
    bytes.iter().fold(0, |crc, byte| {
        (0..8).fold(crc ^ byte, |crc: u8, _| if crc & 0x80 == 0 { crc << 1 } else { (crc << 1) ^ 0x07 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of KSeF's documentation.
    const NUMBERS: [&str; 5] = [
        "5265877635-20250826-0100001AF629-AF",
        "5265877635-20250626-010080DD2B5E-26",
        "5265877635-20250916-0100C002FF3E-D5",
        "5265877635-20250916-02000009FF3E-FB",
        "5555555555-20250828-010080615740-E4",
    ];

    #[test]
    fn the_numbers_of_the_documentation_are_right_and_none_with_another_character_is() {
        for number in NUMBERS {
            assert!(is_ksef_number(number), "{number}");
            for at in 0..number.len() {
                let mut changed = number.as_bytes().to_vec();
                changed[at] = if changed[at] == b'9' { b'8' } else { b'9' };
                let changed = String::from_utf8(changed).unwrap();
                assert!(!is_ksef_number(&changed), "{changed}");
            }
        }
        for wrong in ["", "5265877635-20250826-0100001af629-AF", "5265877635-20250826-0100001AF629", "é"] {
            assert!(!is_ksef_number(wrong), "{wrong}");
        }
        assert_eq!(crc8(b"123456789"), 0xf4);
    }

    #[test]
    fn a_number_is_made_as_ksef_makes_it() {
        let made = ksef_number("5265877635", Date::new(2025, 8, 26), [0x01, 0x00, 0x00, 0x1a, 0xf6, 0x29]);
        assert_eq!(made, NUMBERS[0]);
    }
}
