//! Sums of digits that check digits are made of.

/// Whether there are digits and nothing else.
pub(super) fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The digits as one number.
pub(super) fn value(digits: &str) -> u64 {
    digits.parse().unwrap_or_default()
}

/// Each digit of a text of digits.
pub(super) fn each(code: &str) -> impl DoubleEndedIterator<Item = u32> + '_ {
    code.bytes().map(|b| u32::from(b.wrapping_sub(b'0')))
}

/// The last digit.
pub(super) fn last(code: &str) -> u32 {
    each(code).next_back().unwrap_or_default()
}

/// Each digit times its weight, added up. Digits without weight do not count.
pub(super) fn weighted(code: &str, weights: &[u32]) -> u32 {
    each(code).zip(weights).map(|(digit, weight)| digit * weight).sum()
}

/// The sum of both digits of a number below a hundred.
pub(super) const fn digit_sum(number: u32) -> u32 {
    number / 10 + number % 10
}

/// Whether the last digit of `code`, which is digits alone, is the Luhn check digit of those before it.
pub fn luhn(code: &str) -> bool {
    let sum: u32 = each(code)
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 1 { digit_sum(digit * 2) } else { digit })
        .sum();
    sum.is_multiple_of(10)
}

/// What a character counts in a list of check characters.
pub(super) fn value_in(characters: &str, character: char) -> Option<u32> {
    u32::try_from(characters.find(character)?).ok()
}

/// Whether the last character is the one at this place of the list.
pub(super) fn ends_with_check(code: &str, characters: &str, place: u32) -> bool {
    let expected = usize::try_from(place).ok().and_then(|at| characters.chars().nth(at));
    expected.is_some() && code.chars().next_back() == expected
}
