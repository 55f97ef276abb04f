//! VAT numbers: how they are written and which check digits are right, for the countries whose rules are known here.
//!
//! The rules are those the structured format checks a `tax_id` by. A number of any other country is only normalised.

mod digits;
mod outside_europe;

use std::fmt;

use einvoice_es::nif::Nif;
use einvoice_gobl::text::composed;

use digits::{all_digits, digit_sum, each, ends_with_check, last, value, weighted};
use outside_europe::{
    argentine, brazilian, colombian, indian, is_emirati, is_indian, is_mexican, is_saudi, singaporean,
};

pub use digits::luhn;

/// The country as tax numbers write it: `EL` for Greece.
pub fn tax_country(country: &str) -> &str {
    if country == "GR" { "EL" } else { country }
}

/// Why a text is no VAT number of its country.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAVatNumber {
    /// Nothing is left after normalisation.
    Empty,
    /// Not the country's form.
    Malformed,
    /// The form is right, the check digits are not.
    CheckDigit,
}

impl fmt::Display for NotAVatNumber {
    /// A clause that follows the number: `… is empty`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "is empty",
            Self::Malformed => "has not the form of a tax number of its country",
            Self::CheckDigit => "has wrong check digits",
        })
    }
}

impl std::error::Error for NotAVatNumber {}

/// The number of a company of `country` (ISO code), normalised: upper case, without separators and country.
pub fn parse(country: &str, number: &str) -> Result<String, NotAVatNumber> {
    let code = normalise(country, number);
    if code.is_empty() {
        return Err(NotAVatNumber::Empty);
    }
    if country == "ES" {
        // The same code with leading zeros where the form wants them.
        let nif = Nif::parse(&code).map_err(|_| NotAVatNumber::CheckDigit)?;
        return Ok(nif.as_str().to_owned());
    }
    let Some(form) = form(country, &code) else { return Ok(code) };
    match form {
        Form::Wrong => Err(NotAVatNumber::Malformed),
        Form::Checked(false) => Err(NotAVatNumber::CheckDigit),
        Form::Checked(true) => Ok(code),
    }
}

/// What is left of a number as people write it.
fn normalise(country: &str, number: &str) -> String {
    let letters = |c: &char| c.is_ascii_alphanumeric() || matches!(c, 'Ñ' | '&');
    let upper: String = composed(number).to_uppercase().chars().filter(letters).collect();
    let code = upper
        .strip_prefix(tax_country(country))
        .or_else(|| upper.strip_prefix(country))
        .unwrap_or(&upper)
        .to_owned();
    match country {
        "CH" => {
            ["MWST", "TVA", "IVA"].iter().find_map(|end| code.strip_suffix(end)).unwrap_or(&code).to_owned()
        }
        "FR" => with_french_key(code),
        "NO" => code.strip_suffix("MVA").unwrap_or(&code).to_owned(),
        _ => code,
    }
}

/// SIREN and SIRET become the VAT number they belong to.
fn with_french_key(code: String) -> String {
    let siren = match (code.len(), code.get(..9)) {
        (9 | 14, Some(siren)) if all_digits(&code) && luhn(siren) => siren,
        _ => return code,
    };
    format!("{}{siren}", french_key(siren))
}

fn french_key(siren: &str) -> String {
    format!("{:02}", (value(siren) * 100 + 12) % 97)
}

enum Form {
    Wrong,
    Checked(bool),
}

/// None when the country's rules are not known here.
fn form(country: &str, code: &str) -> Option<Form> {
    let digits = |count: usize| code.len() == count && all_digits(code);
    let checked = |right: bool, check: fn(&str) -> bool| {
        if right { Form::Checked(check(code)) } else { Form::Wrong }
    };
    Some(match country {
        "AE" => Form::Checked(true).when(is_emirati(code)),
        "AR" => checked(digits(11), argentine),
        "AT" => checked(code.len() == 9 && tail(code, "U").is_some_and(all_digits), austrian),
        "BE" => {
            let ten = code.len() == 10 && code.starts_with(['0', '1']);
            checked(all_digits(code) && (code.len() == 9 || ten), belgian)
        }
        "BR" => checked(digits(11) || digits(14), brazilian),
        "CH" => checked(code.len() == 10 && tail(code, "E").is_some_and(all_digits), swiss),
        "CO" => checked(digits(9) || digits(10), colombian),
        "DE" => checked(digits(9) && !code.starts_with('0'), german),
        "DK" => checked(digits(8), |code| weighted(code, &[2, 7, 6, 5, 4, 3, 2, 1]).is_multiple_of(11)),
        "FI" => checked(digits(8) || digits(12) || is_finnish_person(code), finnish),
        "FR" => checked(digits(11), |code| {
            code.get(2..).is_some_and(|siren| code.starts_with(&french_key(siren)))
        }),
        "GB" => british(code),
        "GR" => checked(digits(9), |code| {
            weighted(code, &[256, 128, 64, 32, 16, 8, 4, 2]) % 11 % 10 == last(code)
        }),
        "IE" => checked(is_irish(code), irish),
        "IN" => checked(is_indian(code), indian),
        "IT" => checked(digits(11), luhn),
        "MX" => Form::Checked(true).when(is_mexican(code)),
        "NO" => checked(digits(9), |code| {
            // Ten is no digit.
            last(code) == (11 - weighted(code, &[3, 2, 7, 6, 5, 4, 3, 2]) % 11) % 11
        }),
        "NL" => checked(is_dutch(code), dutch),
        "PL" => checked(digits(10) && is_polish(code), |code| {
            weighted(code, &[6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 == last(code)
        }),
        "PT" => checked(digits(9) && is_portuguese(code), |code| {
            let rest = weighted(code, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11;
            last(code) == if rest < 2 { 0 } else { 11 - rest }
        }),
        "SA" => Form::Checked(true).when(is_saudi(code)),
        "SG" => singaporean(code).map_or(Form::Wrong, |sort| Form::Checked(sort.is_sound(code))),
        "SE" => checked(digits(12) && code.ends_with("01"), |code| code.get(..10).is_some_and(luhn)),
        _ => return None,
    })
}

impl Form {
    fn when(self, right: bool) -> Self {
        if right { self } else { Self::Wrong }
    }
}

fn tail<'a>(code: &'a str, head: &str) -> Option<&'a str> {
    code.strip_prefix(head)
}

fn austrian(code: &str) -> bool {
    let Some(number) = tail(code, "U") else { return false };
    let sum: u32 =
        each(number).zip([1, 2, 1, 2, 1, 2, 1]).map(|(digit, weight)| digit_sum(digit * weight)).sum();
    last(code) == (10 - (sum + 4) % 10) % 10
}

fn belgian(code: &str) -> bool {
    let padded = format!("{code:0>10}");
    let (Some(number), Some(check)) = (padded.get(..8), padded.get(8..)) else { return false };
    value(check) == 97 - value(number) % 97
}

fn swiss(code: &str) -> bool {
    let Some(number) = tail(code, "E") else { return false };
    last(code) == 11 - weighted(number, &[5, 4, 3, 2, 7, 6, 5, 4]) % 11
}

fn german(code: &str) -> bool {
    let product = each(code).take(8).fold(10, |product, digit| {
        let sum = match (digit + product) % 10 {
            0 => 10,
            sum => sum,
        };
        (2 * sum) % 11
    });
    last(code) == (11 - product) % 10
}

fn british(code: &str) -> Form {
    for (head, range) in [("GD", 0..=499), ("HA", 500..=999)] {
        if let Some(number) = tail(code, head).filter(|number| number.len() == 3 && all_digits(number)) {
            return Form::Checked(range.contains(&value(number)));
        }
    }
    if !matches!(code.len(), 9 | 12) || !all_digits(code) {
        return Form::Wrong;
    }
    let (Some(number), Some(check)) = (code.get(..7).map(value), code.get(7..9).map(value)) else {
        return Form::Wrong;
    };
    let sum = u64::from(weighted(code, &[8, 7, 6, 5, 4, 3, 2]));
    let old = sum.div_ceil(97) * 97 - sum;
    let new = if old >= 55 { old - 55 } else { old + 42 };
    let old_range = number < 9_990_001
        && !(100_000..=999_999).contains(&number)
        && !(9_490_001..=9_700_000).contains(&number);
    Form::Checked(value(code) != 0 && ((old == check && old_range) || (new == check && number > 1_000_000)))
}

/// Seven digits, a check letter and perhaps A or H; or the older form with a letter in the second place.
fn is_irish(code: &str) -> bool {
    let shape: String = code.chars().map(|c| if c.is_ascii_digit() { '9' } else { 'A' }).collect();
    matches!(shape.as_str(), "9999999A" | "9A99999A") || (shape == "9999999AA" && code.ends_with(['A', 'H']))
}

/// The older form counts its first digit last; the second letter of the newer one counts too (modulo 23).
fn irish(code: &str) -> bool {
    const CHECK: &str = "WABCDEFGHIJKLMNOPQRSTUV";
    const WEIGHTS: [u32; 7] = [8, 7, 6, 5, 4, 3, 2];
    let (Some(first), Some(middle), Some(check)) = (code.get(..1), code.get(2..7), code.get(..8)) else {
        return false;
    };
    let sum = if code.get(1..2).is_some_and(all_digits) {
        let of_second_letter = match code.get(8..) {
            Some("A") => 9,
            Some("H") => 72,
            _ => 0,
        };
        weighted(code, &WEIGHTS) + of_second_letter
    } else {
        weighted(&format!("0{middle}{first}"), &WEIGHTS)
    };
    ends_with_check(check, CHECK, sum % 23)
}

fn is_dutch(code: &str) -> bool {
    let (Some(number), Some(branch)) = (code.get(..9), code.get(10..)) else { return false };
    code.len() == 12 && code.get(9..10) == Some("B") && all_digits(number) && all_digits(branch)
}

fn dutch(code: &str) -> bool {
    let Some(number) = code.get(..9) else { return false };
    let sum = match weighted(number, &[9, 8, 7, 6, 5, 4, 3, 2]) % 11 {
        10 => 0,
        sum => sum,
    };
    let rest = "NL".chars().chain(code.chars()).filter_map(|c| c.to_digit(36)).fold(0, |rest, value| {
        let shift = if value < 10 { 10 } else { 100 };
        (rest * shift + value) % 97
    });
    sum == last(number) || rest == 1
}

/// Day, month, year, three digits and a check character.
fn is_finnish_person(code: &str) -> bool {
    code.len() == 10 && code.get(..9).is_some_and(all_digits)
}

/// A business, a person, or a foreign worker, whose number has no check digit.
fn finnish(code: &str) -> bool {
    const CHECK: &[u8; 31] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    match code.len() {
        8 => last(code) == (11 - weighted(code, &[7, 9, 10, 5, 8, 4, 2]) % 11) % 11,
        10 => {
            let part = |from: usize, to: usize| code.get(from..to).map(value).unwrap_or_default();
            let check = usize::try_from(part(0, 9) % 31).ok().and_then(|at| CHECK.get(at).copied());
            (1..=31).contains(&part(0, 2))
                && (1..=12).contains(&part(2, 4))
                && check == code.bytes().next_back()
        }
        _ => true,
    }
}

/// The second and third digits are not both nought, the first is not.
fn is_polish(code: &str) -> bool {
    !code.starts_with('0') && code.get(1..3) != Some("00")
}

fn is_portuguese(code: &str) -> bool {
    const HEADS: [&str; 19] = [
        "1", "2", "3", "5", "6", "8", "45", "70", "71", "72", "74", "75", "77", "78", "79", "90", "91", "98",
        "99",
    ];
    HEADS.iter().any(|head| code.starts_with(head))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_with_the_right_check_digits_are_taken_as_people_write_them() {
        for (country, number, code) in [
            ("AT", "ATU10223006", "U10223006"),
            ("BE", "BE 0403.019.261", "0403019261"),
            ("CH", "CHE-100.155.212 MWST", "E100155212"),
            ("DE", "DE 111 111 125", "111111125"),
            ("DE", "282741168", "282741168"),
            ("DK", "DK88146328", "88146328"),
            ("ES", "esb98602642", "B98602642"),
            ("FR", "FR44 732 829 320", "44732829320"),
            ("FR", "732 829 320", "44732829320"),
            ("GB", "GB980780684", "980780684"),
            ("GB", "GD001", "GD001"),
            ("GR", "EL094259216", "094259216"),
            ("IE", "IE6433435F", "6433435F"),
            ("IE", "IE3628739UA", "3628739UA"),
            ("IE", "IE 8Z49289F", "8Z49289F"),
            ("AE", "AE 1002 3456 7890 003", "100234567890003"),
            ("AR", "20-05536168-2", "20055361682"),
            ("CO", "213.123.432-1", "2131234321"),
            ("IN", "27AAPFU0939F1ZV", "27AAPFU0939F1ZV"),
            ("SA", "310122393500003", "310122393500003"),
            ("SG", "SG 197401143C", "197401143C"),
            ("SG", "M2-0118985-3", "M201189853"),
            ("CH", "CHE-109.322.551 TVA", "E109322551"),
            ("XK", "XK 810123456", "810123456"),
            ("MX", "N\u{303}&A010101AAA", "Ñ&A010101AAA"),
            ("IT", "IT12345678903", "12345678903"),
            ("IT", "13029381004", "13029381004"),
            ("NL", "NL000099995B57", "000099995B57"),
            ("NL", "NL004495445B01", "004495445B01"),
            ("PL", "PL 987-654-32-10", "9876543210"),
            ("PT", "PT545259045", "545259045"),
            ("SE", "SE556703748501", "556703748501"),
            ("US", "12-3456789", "123456789"),
            ("BR", "11.222.333/0001-81", "11222333000181"),
            ("BR", "111.444.777-35", "11144477735"),
            ("FI", "FI01120389", "01120389"),
            ("MX", "GODE561231GR8", "GODE561231GR8"),
            ("MX", "Ñ&A010101AAA", "Ñ&A010101AAA"),
            ("NO", "NO 923 609 016 MVA", "923609016"),
        ] {
            assert_eq!(parse(country, number).as_deref(), Ok(code), "{country} {number}");
        }
    }

    #[test]
    fn a_changed_digit_is_noticed() {
        for (country, number) in [
            ("AT", "U10223007"),
            ("BE", "0403019262"),
            ("CH", "E100155213"),
            ("DE", "111111126"),
            ("DK", "88146329"),
            ("ES", "B98602643"),
            ("FR", "45732829320"),
            ("GB", "980780685"),
            ("GB", "HA499"),
            ("GR", "094259217"),
            ("IT", "12345678904"),
            ("NL", "004495446B01"),
            ("PL", "9876543211"),
            ("PT", "545259046"),
            ("SE", "556703748601"),
            ("BR", "11222333000182"),
            ("BR", "11144477734"),
            ("FI", "01120388"),
            ("FI", "3213852457"),
            ("NO", "923609017"),
            ("IE", "6433435G"),
            ("IE", "3628739UH"),
            ("IE", "8Z49289G"),
            ("AR", "20055361683"),
            ("CO", "2131234322"),
            ("IN", "27AAPFU0939F1ZW"),
            ("SG", "197401143D"),
        ] {
            assert_eq!(parse(country, number), Err(NotAVatNumber::CheckDigit), "{country} {number}");
        }
    }

    #[test]
    fn a_number_of_another_form_is_malformed() {
        for (country, number) in [
            ("AT", "10223006"),
            ("BE", "2403019261"),
            ("DE", "011111125"),
            ("FR", "732829321"),
            ("GB", "12345678"),
            ("IE", "123456F"),
            ("IE", "3628739UB"),
            ("AE", "10023456789000"),
            ("AR", "2005536168"),
            ("CO", "21312343"),
            ("IN", "27AAPFU0939F0ZV"),
            ("SA", "310122393500004"),
            ("SG", "S1234567A"),
            ("IT", "1234567890"),
            ("NL", "004495445C01"),
            ("PL", "1002223334"),
            ("PT", "445259045"),
        ] {
            assert_eq!(parse(country, number), Err(NotAVatNumber::Malformed), "{country} {number}");
        }
        assert_eq!(parse("IT", " - "), Err(NotAVatNumber::Empty));
    }

    proptest! {
        #[test]
        fn no_number_panics(country in "[A-Z]{2}", number in ".{0,20}", code in "[A-Z]{0,4}[0-9]{6,14}[A-Z]{0,2}") {
            for country in [country.as_str(), "AT", "BE", "CH", "DE", "DK", "ES", "FR", "GB", "GR", "IE", "IT", "NL", "PL", "PT", "SE", "AE", "AR", "BR", "CO", "FI", "IN", "MX", "NO", "SA", "SG"] {
                let _ = (parse(country, &number), parse(country, &code));
            }
        }
    }
}
