//! Why nobody knows what a participant receives.

use serde::{Serialize, Serializer};

/// Why a look-up came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LookupDoubt {
    /// The locator (SML, DNS) gave no answer in time, or could not be reached.
    LocatorNoAnswer,
    /// The locator's answer names no publisher in a way that anybody understands.
    LocatorUnreadable,
    /// The publisher (SMP) gave no answer in time, or could not be reached.
    NoAnswer,
    /// The publisher is at an address that is not called: inside, or not encrypted.
    AddressRefused,
    /// The publisher answered with a status that says nothing.
    PublisherError,
    /// The publisher answered what nobody here understands.
    Unreadable,
}

impl LookupDoubt {
    /// Each of them.
    pub const ALL: &'static [Self] = &[
        Self::LocatorNoAnswer,
        Self::LocatorUnreadable,
        Self::NoAnswer,
        Self::AddressRefused,
        Self::PublisherError,
        Self::Unreadable,
    ];

    /// As it is stored and told.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::LocatorNoAnswer => "SML_NO_ANSWER",
            Self::LocatorUnreadable => "SML_UNREADABLE",
            Self::NoAnswer => "SMP_NO_ANSWER",
            Self::AddressRefused => "SMP_ADDRESS_REFUSED",
            Self::PublisherError => "SMP_ERROR",
            Self::Unreadable => "SMP_UNREADABLE",
        }
    }

    /// By its code, as it is stored.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|doubt| doubt.as_str() == code)
    }
}

/// By its code.
impl Serialize for LookupDoubt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_read_as_it_is_written() {
        for &doubt in LookupDoubt::ALL {
            assert_eq!(LookupDoubt::parse(doubt.as_str()), Some(doubt));
        }
        assert_eq!(LookupDoubt::parse("NO_ANSWER"), None);
    }
}
