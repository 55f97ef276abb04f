//! Numbers of a scheme (EAS, ISO/IEC 6523) and the form that a scheme demands, check digits included.

use einvoice_eu::vat::luhn;

/// What a scheme demands of its numbers, by a rule of OpenPEPPOL.
#[derive(Debug, Clone, Copy)]
pub struct SchemeRule {
    /// The scheme.
    pub scheme: &'static str,
    /// The rule: `PEPPOL-COMMON-R040`.
    pub id: &'static str,
    /// Whether an access point refuses a number that breaks it.
    pub is_fatal: bool,
    /// What the number is, in a sentence.
    pub name: &'static str,
    /// Whether a number, without white space around it, has the form.
    pub is_sound: fn(&str) -> bool,
}

const fn fatal(
    scheme: &'static str,
    id: &'static str,
    name: &'static str,
    is_sound: fn(&str) -> bool,
) -> SchemeRule {
    SchemeRule { scheme, id, is_fatal: true, name, is_sound }
}

const fn remark(
    scheme: &'static str,
    id: &'static str,
    name: &'static str,
    is_sound: fn(&str) -> bool,
) -> SchemeRule {
    SchemeRule { scheme, id, is_fatal: false, name, is_sound }
}

/// Every rule about the numbers of a scheme.
pub const RULES: &[SchemeRule] = &[
    fatal("0088", "PEPPOL-COMMON-R040", "GLN", |id| digits(id) && gln(id)),
    fatal("0192", "PEPPOL-COMMON-R041", "organisation number of Norway", |id| {
        digits_of(id, 9) && modulo_11(id)
    }),
    fatal("0184", "PEPPOL-COMMON-R042", "CVR number of Denmark", |id| {
        digits_of(id, 8) || id.strip_prefix("DK").is_some_and(|rest| digits_of(rest, 8))
    }),
    fatal("0096", "PEPPOL-COMMON-R052", "P number of Denmark", |id| digits_of(id, 10)),
    fatal("0198", "PEPPOL-COMMON-R053", "SE number of Denmark", |id| {
        id.strip_prefix("DK").is_some_and(|rest| digits_of(rest, 8))
    }),
    fatal("0208", "PEPPOL-COMMON-R043", "enterprise number of Belgium", |id| {
        digits_of(id, 10) && belgian(id)
    }),
    fatal("0007", "PEPPOL-COMMON-R049", "organisation number of Sweden", |id| digits_of(id, 10) && luhn(id)),
    fatal("0151", "PEPPOL-COMMON-R050", "business number of Australia", |id| {
        digits_of(id, 11) && australian(id)
    }),
    remark("0201", "PEPPOL-COMMON-R044", "code of the index of administrations of Italy", |id| {
        id.len() == 6 && id.bytes().all(|b| b.is_ascii_alphanumeric())
    }),
    remark("0210", "PEPPOL-COMMON-R045", "fiscal code of Italy", italian_fiscal_code),
    remark("0211", "PEPPOL-COMMON-R047", "VAT number of Italy", italian_vat_number),
    remark("0106", "PEPPOL-COMMON-R054", "KVK number of the Netherlands", |id| digits_of(id, 8)),
    remark("0190", "PEPPOL-COMMON-R055", "OIN number of the Netherlands", |id| digits_of(id, 20)),
    remark("9944", "PEPPOL-COMMON-R056-1", "VAT number of the Netherlands", |id| {
        let parts = id.strip_prefix("NL").and_then(|rest| rest.split_once('B'));
        parts.is_some_and(|(number, branch)| digits_of(number, 9) && digits_of(branch, 2))
    }),
];

/// The rule that a number of a scheme breaks.
pub fn broken(scheme: &str, id: &str) -> Option<&'static SchemeRule> {
    RULES.iter().find(|rule| rule.scheme == scheme && !(rule.is_sound)(id.trim()))
}

/// Whether a number has the form that an access point demands.
pub fn is_sound(scheme: &str, id: &str) -> bool {
    broken(scheme, id).is_none_or(|rule| !rule.is_fatal)
}

/// Whether a text is digits, and at least one.
pub(crate) fn digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// Whether a text is so many digits.
pub(crate) fn digits_of(text: &str, count: usize) -> bool {
    text.len() == count && digits(text)
}

fn each(digits: &str) -> impl DoubleEndedIterator<Item = u32> + '_ {
    digits.chars().filter_map(|c| c.to_digit(10))
}

/// The weights 3 and 1, from the right of the check digit on (GS1). The rule says nothing of the length.
fn gln(id: &str) -> bool {
    let mut reversed = each(id).rev();
    let check = reversed.next().unwrap_or_default();
    let sum: u32 =
        reversed.zip([3, 1].into_iter().cycle()).fold(0, |sum, (digit, weight)| (sum + digit * weight) % 10);
    (10 - sum) % 10 == check
}

/// The weights 2 to 7, from the right of the check digit on.
fn modulo_11(id: &str) -> bool {
    let mut reversed = each(id).rev();
    let check = reversed.next().unwrap_or_default();
    let sum: u32 = reversed.zip((2..=7).cycle()).map(|(digit, weight)| digit * weight).sum();
    each(id).any(|digit| digit > 0) && (11 - sum % 11) % 11 == check
}

fn belgian(id: &str) -> bool {
    let (head, check) = id.split_at(8);
    let number = |text: &str| text.parse::<u64>().unwrap_or_default();
    number(check) == 97 - number(head) % 97
}

/// The first digit less one, weights 10, 1, 3, 5 and so on, in all a multiple of 89.
fn australian(id: &str) -> bool {
    const WEIGHTS: [i64; 11] = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19];
    let sum: i64 = each(id).map(i64::from).zip(WEIGHTS).map(|(digit, weight)| digit * weight).sum();
    (sum - 10) % 89 == 0
}

/// Eleven digits, or the sixteen characters of a person.
fn italian_fiscal_code(id: &str) -> bool {
    let shape = |at: usize, b: u8| match at {
        0..=5 | 8 | 15 => b.is_ascii_alphabetic(),
        6 | 7 | 9 | 10 | 14 => b.is_ascii_digit(),
        _ => true,
    };
    digits_of(id, 11) || (id.len() == 16 && id.bytes().enumerate().all(|(at, b)| shape(at, b)))
}

/// The rule looks at numbers with the prefix of Italy alone.
fn italian_vat_number(id: &str) -> bool {
    let number = id.strip_prefix("IT").or_else(|| id.strip_prefix("it"));
    number.is_none_or(|number| digits_of(number, 11) && luhn(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_sound_as_they_stand_in_registers() {
        for (scheme, id) in [
            ("0088", "7300010000001"),
            ("0088", "9482348239847239874"),
            ("0192", "923609016"),
            ("0184", "DK88146328"),
            ("0184", "88146328"),
            ("0096", "1003403803"),
            ("0198", "DK88146328"),
            ("0208", "0403019261"),
            ("0007", "5567037485"),
            ("0151", "51824753556"),
            ("0201", "UFY9MH"),
            ("0210", "RSSGNN60R30H501U"),
            ("0211", "IT12345678903"),
            ("0106", "12345678"),
            ("0190", "00000001003214345000"),
            ("9944", "NL004495445B01"),
            ("9930", "anything"),
        ] {
            assert!(broken(scheme, id).is_none(), "{scheme}:{id}");
        }
    }

    #[test]
    fn a_changed_digit_or_another_form_breaks_the_rule_of_its_scheme() {
        for (scheme, id, rule) in [
            ("0088", "7300010000002", "PEPPOL-COMMON-R040"),
            ("0088", "GLN", "PEPPOL-COMMON-R040"),
            ("0192", "923609017", "PEPPOL-COMMON-R041"),
            ("0192", "000000000", "PEPPOL-COMMON-R041"),
            ("0184", "DK8814632", "PEPPOL-COMMON-R042"),
            ("0096", "100340380", "PEPPOL-COMMON-R052"),
            ("0198", "88146328", "PEPPOL-COMMON-R053"),
            ("0208", "0403019262", "PEPPOL-COMMON-R043"),
            ("0208", "é03019262", "PEPPOL-COMMON-R043"),
            ("0007", "5567037486", "PEPPOL-COMMON-R049"),
            ("0151", "51824753557", "PEPPOL-COMMON-R050"),
            ("0201", "UFY9M", "PEPPOL-COMMON-R044"),
            ("0210", "RSSGNN60R30H5019", "PEPPOL-COMMON-R045"),
            ("0211", "IT12345678904", "PEPPOL-COMMON-R047"),
            ("0106", "1234567", "PEPPOL-COMMON-R054"),
            ("0190", "1", "PEPPOL-COMMON-R055"),
            ("9944", "004495445B01", "PEPPOL-COMMON-R056-1"),
        ] {
            assert_eq!(broken(scheme, id).map(|rule| rule.id), Some(rule), "{scheme}:{id}");
        }
    }
}
