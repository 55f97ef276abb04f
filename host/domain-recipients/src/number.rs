//! VAT numbers as the register takes them.

use crate::state::{MemberState, compact};
use std::fmt;

/// A VAT number that looks like one of its member state. Whether it is anybody's, only the register knows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct VatNumber {
    state: MemberState,
    number: String,
}

/// A text that no VAT number of a member state looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoVatNumber {
    /// It does not begin with the code of a member state.
    #[error(
        "it does not begin with the code of a member state, such as DE, EL for Greece or XI for Northern Ireland"
    )]
    State,
    /// Numbers of the state look otherwise.
    #[error("no VAT number of {} looks like this", .0.code())]
    Format(MemberState),
}

impl VatNumber {
    /// A number of a member state, with or without its code, as people write it.
    ///
    /// # Errors
    /// Where none of that state looks like this.
    pub fn of(state: MemberState, text: &str) -> Result<Self, NoVatNumber> {
        let text = compact(text);
        let number = match text.strip_prefix(state.code()) {
            Some(rest) if looks_like(state, rest) => rest,
            Some(_) | None => text.as_str(),
        };
        if looks_like(state, number) {
            Ok(Self { state, number: number.to_owned() })
        } else {
            Err(NoVatNumber::Format(state))
        }
    }

    /// A number with the code of its state in front: `ESB17002288`.
    ///
    /// # Errors
    /// Where no number of any member state looks like this.
    pub fn parse(text: &str) -> Result<Self, NoVatNumber> {
        let text = compact(text);
        let (code, rest) = text.split_at_checked(2).ok_or(NoVatNumber::State)?;
        Self::of(MemberState::parse(code).ok_or(NoVatNumber::State)?, rest)
    }

    /// Whose it is.
    pub const fn state(&self) -> MemberState {
        self.state
    }

    /// Without the code of its state.
    pub fn number(&self) -> &str {
        &self.number
    }
}

/// The code of the state and the number: `ESB17002288`.
impl fmt::Display for VatNumber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.state.code(), self.number)
    }
}

fn looks_like(state: MemberState, number: &str) -> bool {
    state.formats().iter().any(|format| {
        format.len() == number.len()
            && format.chars().zip(number.chars()).all(|(expected, found)| match expected {
                '9' => found.is_ascii_digit(),
                '@' => found.is_ascii_uppercase(),
                '?' => found.is_ascii_alphanumeric(),
                literal => found == literal,
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_however_people_write_it() {
        for text in ["DE 123 456 789", "de123456789", "DE-123.456.789"] {
            assert_eq!(VatNumber::parse(text).unwrap().to_string(), "DE123456789", "{text}");
        }
        assert_eq!(VatNumber::of(MemberState::De, "123 456 789").unwrap().number(), "123456789");
        assert_eq!(VatNumber::of(MemberState::El, "EL094019245").unwrap().to_string(), "EL094019245");
        assert_eq!(VatNumber::of(MemberState::Xi, "XI123456789").unwrap().to_string(), "XI123456789");
    }

    #[test]
    fn numbers_of_every_member_state_are_told_by_their_look() {
        for text in [
            "ATU12345678",
            "BE0123456789",
            "BG123456789",
            "CY12345678X",
            "CZ12345678",
            "DK12345678",
            "EE123456789",
            "ESB17002288",
            "ES12345678Z",
            "ESX1234567L",
            "FI12345678",
            "FRAB123456789",
            "FR12123456789",
            "HR12345678901",
            "HU12345678",
            "IE1234567A",
            "IE1234567AB",
            "IE1A23456B",
            "IT12345678901",
            "LT123456789",
            "LU12345678",
            "LV12345678901",
            "MT12345678",
            "NL123456789B01",
            "PL1234567890",
            "PT123456789",
            "RO12",
            "SE123456789012",
            "SI12345678",
            "SK1234567890",
            "XIGD123",
        ] {
            assert_eq!(VatNumber::parse(text).map(|number| number.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn what_no_number_looks_like_is_told_with_why() {
        assert_eq!(VatNumber::parse("CHE123456789"), Err(NoVatNumber::State));
        for text in ["", "D", "Ñ1", "GR094019245"] {
            assert_eq!(VatNumber::parse(text), Err(NoVatNumber::State), "{text}");
        }
        for text in ["DE12345678", "DE1234567890", "ATU1234567", "ES123456789", "NL123456789C01", "DE"] {
            assert!(matches!(VatNumber::parse(text), Err(NoVatNumber::Format(_))), "{text}");
        }
        // A German tax number, which is no VAT number.
        assert!(VatNumber::of(MemberState::De, "151/815/08156").is_err());
    }
}
