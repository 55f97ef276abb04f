//! Whether two patterns can ever give the same text, and what a text says that a pattern may have given.
//!
//! A number has the digits its pattern asks for, or more without a leading zero, and is never 0; a year has four digits.
//! For one length of the whole text everything stands at a known place, so it is decided place by place. From some length
//! on, the places where both have digits of their numbers only grow more, and nothing is decided differently.

use super::{NumberPattern, Piece, YEAR_DIGITS};
use std::collections::BTreeMap;

/// Which of two patterns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Left,
    Right,
}

/// What stands at one place of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Slot {
    /// This character.
    Literal(char),
    /// This digit of the year, the same wherever the pattern shows it.
    Year(Side, usize),
    /// This digit of the number.
    Digit(Side, usize),
}

impl Slot {
    fn known(self, digits: &BTreeMap<Self, char>) -> Option<char> {
        match self {
            Self::Literal(character) => Some(character),
            Self::Year(..) | Self::Digit(..) => digits.get(&self).copied(),
        }
    }
}

impl NumberPattern {
    /// Whether some year and number of this pattern and some year and number of another make the same text.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.common_text(other).is_some()
    }

    /// A text that both can give.
    fn common_text(&self, other: &Self) -> Option<String> {
        let (left, right) = (Form::of(self), Form::of(other));
        let shortest = left.shortest().max(right.shortest());
        let settled = (left.before.max(right.before) + left.after.max(right.after) + 2).max(shortest + 1);
        (shortest..=settled)
            .find_map(|length| common_text(self, other, length - left.fixed(), length - right.fixed()))
    }

    /// The year and the position that this pattern shows as `text`; none when it never gives it.
    pub fn read(&self, text: &str) -> Option<(i16, i64)> {
        let digits = text.len().checked_sub(Form::of(self).fixed())?;
        let (mut year, mut position, mut rest) = (None, None, text);
        for piece in &self.0 {
            let length = match piece {
                Piece::Text(literal) => literal.len(),
                Piece::Year => YEAR_DIGITS,
                Piece::Number { .. } => digits,
            };
            let (part, tail) = rest.split_at_checked(length)?;
            match piece {
                Piece::Text(literal) if part != literal => return None,
                Piece::Text(_) => {}
                Piece::Year => {
                    let value = number(part)?;
                    if year.replace(value).is_some_and(|before| before != value) {
                        return None;
                    }
                }
                Piece::Number { width } => {
                    let led = digits > *width && part.starts_with('0');
                    if digits < *width || led {
                        return None;
                    }
                    position = number(part).filter(|position| *position > 0);
                }
            }
            rest = tail;
        }
        Some((i16::try_from(year?).ok()?, position?))
    }

    /// What every number of this pattern starts with.
    pub fn prefix(&self) -> &str {
        match self.0.first() {
            Some(Piece::Text(literal)) => literal,
            Some(Piece::Year | Piece::Number { .. }) | None => "",
        }
    }

    /// The places of a text whose number has so many digits.
    fn slots(&self, side: Side, digits: usize) -> impl Iterator<Item = Slot> {
        self.0.iter().flat_map(move |piece| -> Vec<Slot> {
            match piece {
                Piece::Text(literal) => literal.chars().map(Slot::Literal).collect(),
                Piece::Year => (0..YEAR_DIGITS).map(|place| Slot::Year(side, place)).collect(),
                Piece::Number { .. } => (0..digits).map(|place| Slot::Digit(side, place)).collect(),
            }
        })
    }
}

fn number(digits: &str) -> Option<i64> {
    if digits.bytes().all(|byte| byte.is_ascii_digit()) { digits.parse().ok() } else { None }
}

/// How long the parts of a pattern are, in characters.
struct Form {
    before: usize,
    width: usize,
    after: usize,
}

impl Form {
    fn of(pattern: &NumberPattern) -> Self {
        let mut form = Self { before: 0, width: 0, after: 0 };
        for piece in &pattern.0 {
            let length = match piece {
                Piece::Text(literal) => literal.len(),
                Piece::Year => YEAR_DIGITS,
                Piece::Number { width } => {
                    form.width = *width;
                    continue;
                }
            };
            if form.width == 0 {
                form.before += length;
            } else {
                form.after += length;
            }
        }
        form
    }

    const fn fixed(&self) -> usize {
        self.before + self.after
    }

    const fn shortest(&self) -> usize {
        self.fixed() + self.width
    }
}

/// A text that both give, in which their numbers have so many digits.
fn common_text(
    left: &NumberPattern,
    right: &NumberPattern,
    left_digits: usize,
    right_digits: usize,
) -> Option<String> {
    let columns: Vec<(Slot, Slot)> =
        left.slots(Side::Left, left_digits).zip(right.slots(Side::Right, right_digits)).collect();
    let mut digits = BTreeMap::new();
    loop {
        let known = digits.len();
        for (one, other) in &columns {
            match (one.known(&digits), other.known(&digits)) {
                (Some(one), Some(other)) if one != other => return None,
                (Some(_), Some(_)) | (None, None) => {}
                (Some(character), None) if character.is_ascii_digit() => {
                    digits.insert(*other, character);
                }
                (None, Some(character)) if character.is_ascii_digit() => {
                    digits.insert(*one, character);
                }
                (Some(_), None) | (None, Some(_)) => return None,
            }
        }
        if digits.len() == known {
            break;
        }
    }
    let given = |side: Side, digit_count: usize, width: usize| {
        let zero = |place: usize| digits.get(&Slot::Digit(side, place)) == Some(&'0');
        let led = digit_count > width && zero(0);
        !led && !(0..digit_count).all(zero)
    };
    let both = given(Side::Left, left_digits, Form::of(left).width)
        && given(Side::Right, right_digits, Form::of(right).width);
    // What is not known by now may be any digit that is no zero.
    both.then(|| columns.iter().map(|(place, _)| place.known(&digits).unwrap_or('1')).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pattern(text: &str) -> NumberPattern {
        text.parse().unwrap()
    }

    #[test]
    fn patterns_that_can_give_one_text_meet() {
        for (one, other) in [
            ("F-{year}-{number:06}", "F-{year}-{number:06}"),
            ("F-{year}-{number:06}", "F-{year}-0{number:05}"),
            ("F-{year}-{number:06}", "F-{year}-00{number:04}"),
            ("F-{year}-{number:06}", "F-{year}-{number:05}"),
            ("F-{year}-{number}", "F-{year}-1{number}"),
            ("F-{year}-{number:06}", "F-2026-{number}{year}"),
            ("{year}{number}", "{number}{year}"),
            ("{number}/{year}", "{number:04}/{year}"),
            ("F-{year}-{number}", "F-2{number:03}-{year}"),
            ("{year}-{number:08}", "{year}-{year}{number:04}"),
            ("{year}{number:012}", "{number:012}{year}"),
        ] {
            assert!(pattern(one).overlaps(&pattern(other)), "{one} {other}");
            assert!(pattern(other).overlaps(&pattern(one)), "{other} {one}");
        }
    }

    #[test]
    fn patterns_that_never_give_one_text_do_not_meet() {
        for (one, other) in [
            ("F-{year}-{number:06}", "R-{year}-{number:06}"),
            ("F-{year}-{number:06}", "F2-{year}-{number:06}"),
            ("F-{year}-{number:06}", "F-{year}-{number:06}-B"),
            ("F-{year}-{number:06}", "F-{year}-A{number:05}"),
            // More digits than asked for have no leading zero.
            ("F-{year}-{number}", "F-{year}-0{number:06}"),
            ("F-{year}-0{number}", "F-{year}-{number}"),
            ("f-{year}-{number}", "F-{year}-{number}"),
            ("{year}/{number}", "{number}-{year}"),
        ] {
            assert!(!pattern(one).overlaps(&pattern(other)), "{one} {other}");
            assert!(!pattern(other).overlaps(&pattern(one)), "{other} {one}");
        }
    }

    #[test]
    fn a_year_that_is_shown_twice_is_one_year() {
        let twice = pattern("{year}-{year}/{number}");
        assert!(twice.overlaps(&pattern("202{number}-2025/{year}")));
        assert!(!twice.overlaps(&pattern("202{number:01}5-2026/{year}")));
    }

    #[test]
    fn a_number_tells_its_year_and_its_position_to_the_pattern_that_gives_it() {
        let usual = pattern("F-{year}-{number:06}");
        assert_eq!(usual.read("F-2026-000042"), Some((2026, 42)));
        assert_eq!(usual.read("F-2026-1000042"), Some((2026, 1_000_042)));
        assert_eq!(pattern("{year}/{number}/{year}").read("2026/7/2026"), Some((2026, 7)));
        for text in [
            "F-2026-00042",
            "F-2026-0000042",
            "F-2026-000000",
            "R-2026-000042",
            "F-202a-000042",
            "F-2026-",
            "",
        ] {
            assert_eq!(usual.read(text), None, "{text}");
        }
        assert_eq!(pattern("{year}/{number}/{year}").read("2026/7/2027"), None);
        assert_eq!(usual.read("F-2026-ñññ"), None);
    }

    /// Texts of few characters, so that patterns often meet.
    fn patterns() -> impl Strategy<Value = NumberPattern> {
        let text = || "[-A012]{0,3}";
        let number =
            prop_oneof![Just("{number}".to_owned()), (1..5).prop_map(|w| format!("{{number:0{w}}}"))];
        (text(), text(), text(), number, any::<bool>(), any::<bool>()).prop_map(
            |(head, middle, tail, number, year_first, twice)| {
                let again = if twice { "{year}" } else { "" };
                let text = if year_first {
                    format!("{head}{{year}}{middle}{number}{tail}{again}")
                } else {
                    format!("{head}{again}{number}{middle}{{year}}{tail}")
                };
                text.parse().unwrap()
            },
        )
    }

    proptest! {
        #[test]
        fn what_a_pattern_gives_it_reads(pattern in patterns(), year in 1000..9999_i16, position in 1..2_000_000_i64) {
            prop_assert_eq!(pattern.read(&pattern.format(year, position).0), Some((year, position)));
        }

        #[test]
        fn patterns_meet_when_one_reads_what_the_other_gives(
            one in patterns(), other in patterns(), year in 0..=9999_i16, position in 1..200_000_i64,
        ) {
            let meets = other.read(&one.format(year, position).0).is_some();
            prop_assert!(!meets || one.overlaps(&other), "{} {}", one, other);
        }

        #[test]
        fn patterns_that_meet_give_one_text(one in patterns(), other in patterns()) {
            prop_assert!(one.overlaps(&one));
            prop_assert_eq!(one.overlaps(&other), other.overlaps(&one));
            if let Some(text) = one.common_text(&other) {
                for pattern in [&one, &other] {
                    let (year, position) = pattern.read(&text).unwrap();
                    prop_assert_eq!(&pattern.format(year, position).0, &text);
                }
            }
        }
    }
}
