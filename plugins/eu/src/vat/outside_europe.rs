//! Numbers of countries outside Europe.

use super::digits::{all_digits, each, ends_with_check, last, value_in, weighted};

/// Check characters of modulo 36.
const DIGITS_AND_LETTERS: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// TRN of the United Arab Emirates.
pub(super) fn is_emirati(code: &str) -> bool {
    code.len() == 15 && all_digits(code)
}

/// VAT number of Saudi Arabia: fifteen digits between two threes.
pub(super) fn is_saudi(code: &str) -> bool {
    code.len() == 15 && all_digits(code) && code.starts_with('3') && code.ends_with('3')
}

/// CUIT.
pub(super) fn argentine(code: &str) -> bool {
    let check = match weighted(code, &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11 {
        0 => 0,
        1 => 9,
        rest => 11 - rest,
    };
    last(code) == check
}

/// CPF of a person or CNPJ of a company: each of the last two digits checks all before it.
pub(super) fn brazilian(code: &str) -> bool {
    let sound = |at: usize| {
        let Some(before) = code.get(..at) else { return false };
        // From the right: 2 to 9 and again for companies, 2 to 11 for persons.
        let weights = if code.len() == 14 { 8 } else { 10 };
        let sum: u32 =
            each(before).rev().zip((2..2 + weights).cycle()).map(|(digit, weight)| digit * weight).sum();
        let check = if sum % 11 < 2 { 0 } else { 11 - sum % 11 };
        each(code).nth(at) == Some(check)
    };
    sound(code.len() - 2) && sound(code.len() - 1)
}

/// NIT, whose weights count from the right.
pub(super) fn colombian(code: &str) -> bool {
    const WEIGHTS: [u32; 9] = [3, 7, 13, 17, 19, 23, 29, 37, 41];
    let sum: u32 = each(code).rev().skip(1).zip(WEIGHTS).map(|(digit, weight)| digit * weight).sum();
    last(code) == if sum % 11 < 2 { sum % 11 } else { 11 - sum % 11 }
}

/// GSTIN: two digits of the state, the PAN (five letters, four digits, a letter), a digit or letter, Z and a check character.
pub(super) fn is_indian(code: &str) -> bool {
    let is = |at: usize, c: char| match at {
        0 | 1 | 7..=10 => c.is_ascii_digit(),
        2..=6 | 11 => c.is_ascii_uppercase(),
        12 => c != '0' && (c.is_ascii_digit() || c.is_ascii_uppercase()),
        13 => c == 'Z',
        _ => c.is_ascii_digit() || c.is_ascii_uppercase(),
    };
    code.len() == 15 && code.chars().enumerate().all(|(at, c)| is(at, c))
}

/// Every other character counts twice; a product counts both its digits (modulo 36).
pub(super) fn indian(code: &str) -> bool {
    let mut products = code.chars().take(14).zip([1, 2].into_iter().cycle());
    let sum = products.try_fold(0, |sum, (c, weight)| {
        let product = value_in(DIGITS_AND_LETTERS, c)? * weight;
        Some(sum + product / 36 + product % 36)
    });
    sum.is_some_and(|sum| ends_with_check(code, DIGITS_AND_LETTERS, (36 - sum % 36) % 36))
}

/// Three letters of a company or four of a person, a date, three characters.
pub(super) fn is_mexican(code: &str) -> bool {
    let characters: Vec<char> = code.chars().collect();
    let Some(letters) = characters.len().checked_sub(9).filter(|letters| matches!(letters, 3 | 4)) else {
        return false;
    };
    characters.iter().enumerate().all(|(at, c)| {
        if at < letters {
            c.is_ascii_uppercase() || matches!(c, 'Ñ' | '&')
        } else if at < letters + 6 {
            c.is_ascii_digit()
        } else {
            c.is_ascii_uppercase() || c.is_ascii_digit()
        }
    })
}

/// A number of Singapore: what the tax authority assigns (GST), or what the entity has anyway (UEN).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Singaporean {
    /// `M91234567X`: nobody publishes how it is checked.
    Gst,
    /// Eight digits and a letter.
    Business,
    /// The year, five digits and a letter.
    Company,
    /// `T01FC6132D`: a letter and two digits of the year, two letters of the sort, four digits and a letter.
    Other,
}

/// Which number it looks like.
pub(super) fn singaporean(code: &str) -> Option<Singaporean> {
    let shape: String = code
        .chars()
        .map(|c| {
            if c.is_ascii_digit() {
                '9'
            } else if c.is_ascii_uppercase() {
                'A'
            } else {
                '-'
            }
        })
        .collect();
    let is_gst = code.starts_with('M') && shape.get(2..9) == Some("9999999") && shape.len() == 10;
    match shape.as_str() {
        _ if is_gst && !shape.contains('-') => Some(Singaporean::Gst),
        "99999999A" => Some(Singaporean::Business),
        "999999999A" if code.starts_with("19") || code.starts_with("20") => Some(Singaporean::Company),
        "A99AA9999A" if code.starts_with(['R', 'S', 'T']) => Some(Singaporean::Other),
        _ => None,
    }
}

impl Singaporean {
    /// Whether the check letter of a number of this sort is right.
    pub(super) fn is_sound(self, code: &str) -> bool {
        /// Letters and digits that other entities' numbers are made of.
        const CHARACTERS: &str = "ABCDEFGHJKLMNPQRSTUVWX0123456789";
        /// Sorts of other entities.
        const SORTS: &str = "CC CD CH CL CM CP CS CX DP FB FC FM FN GA GB GS HS LL LP MB MC MD MH MM MQ NB NR PA PB PF RF \
                             RP SM SS TC TU VH XL";
        match self {
            Self::Gst => true,
            Self::Business => {
                ends_with_check(code, "XMKECAWLJDB", weighted(code, &[10, 4, 9, 3, 8, 2, 7, 1]) % 11)
            }
            Self::Company => {
                ends_with_check(code, "ZKCMDNERGWH", weighted(code, &[10, 8, 6, 4, 9, 7, 5, 3, 1]) % 11)
            }
            Self::Other => {
                let weights = [4, 3, 5, 3, 10, 2, 2, 5, 7];
                let sum = code
                    .chars()
                    .zip(weights)
                    .try_fold(0, |sum, (c, weight)| Some(sum + value_in(CHARACTERS, c)? * weight));
                // Five less, modulo eleven.
                let sort = code.get(3..5).unwrap_or_default();
                SORTS.split(' ').any(|known| known == sort)
                    && sum.is_some_and(|sum| ends_with_check(code, CHARACTERS, (sum + 6) % 11))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_singapore_are_of_four_sorts() {
        for (code, sort) in [
            ("M91234567X", Singaporean::Gst),
            ("M201189853", Singaporean::Gst),
            ("00192200M", Singaporean::Business),
            ("197401143C", Singaporean::Company),
            ("S16FC0121D", Singaporean::Other),
            ("T01FC6132D", Singaporean::Other),
        ] {
            assert_eq!(
                singaporean(code).map(|found| (found, found.is_sound(code))),
                Some((sort, true)),
                "{code}"
            );
        }
        for code in ["00192200X", "197401143D", "S16FC0121E", "T01ZZ6132D"] {
            assert_eq!(singaporean(code).map(|sort| sort.is_sound(code)), Some(false), "{code}");
        }
        for code in ["S1234567A", "1234567A", "219912345A", "T12A1234A", "", "M9123456éX"] {
            assert_eq!(singaporean(code), None, "{code}");
        }
    }
}
