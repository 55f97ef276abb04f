//! Which documents meet a version of a plugin that serves a share of them, beside the version in force.

use crate::ids::InvoiceId;
use sha2::{Digest, Sha256};
use std::fmt;
use std::str::FromStr;

/// The share of documents that a version of a plugin serves as a canary: 1 to 99 percent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct CanaryShare(u8);

/// A number or a text is no share of a canary.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no share of documents: give a percent from 1 to 99, or no share at all to put a version in force for every document"
)]
pub struct NotACanaryShare(pub String);

impl CanaryShare {
    /// Percent, 1 to 99.
    pub const fn percent(self) -> u8 {
        self.0
    }

    /// Whether the canary serves this document. The digest of the id decides: the id itself is ordered by time, and nothing is
    /// kept, so every process gives the same answer at any time. A greater share includes what a smaller one does.
    pub fn includes(self, document: InvoiceId) -> bool {
        let digest = Sha256::digest(document.0.as_bytes());
        let number = digest.iter().take(8).fold(0_u64, |number, byte| (number << 8) | u64::from(*byte));
        // Of 2^64 numbers, the remainders below 16 have one more each: no share is off by more than 10^-17.
        number % 100 < u64::from(self.0)
    }
}

impl fmt::Display for CanaryShare {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} %", self.0)
    }
}

impl TryFrom<i64> for CanaryShare {
    type Error = NotACanaryShare;

    fn try_from(percent: i64) -> Result<Self, NotACanaryShare> {
        let share = u8::try_from(percent).ok().filter(|share| (1..=99).contains(share));
        share.map(Self).ok_or_else(|| NotACanaryShare(percent.to_string()))
    }
}

impl FromStr for CanaryShare {
    type Err = NotACanaryShare;

    fn from_str(text: &str) -> Result<Self, NotACanaryShare> {
        let percent = text.parse::<i64>().map_err(|_| NotACanaryShare(text.to_owned()))?;
        Self::try_from(percent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn share(percent: i64) -> CanaryShare {
        CanaryShare::try_from(percent).unwrap()
    }

    fn id(text: &str) -> InvoiceId {
        text.parse().unwrap()
    }

    #[test]
    fn a_share_is_a_percent_that_leaves_something_to_both_versions() {
        for percent in [i64::MIN, -1, 0, 100, 256 + 50, i64::MAX] {
            assert_eq!(CanaryShare::try_from(percent), Err(NotACanaryShare(percent.to_string())));
        }
        assert_eq!("7".parse().map(CanaryShare::percent), Ok(7));
        for text in ["", "7%", "7.5", "all"] {
            let refused = text.parse::<CanaryShare>().unwrap_err().to_string();
            assert!(refused.starts_with(&format!("'{text}' is no share of documents: give")), "{refused}");
        }
        assert_eq!(share(99).to_string(), "99 %");
    }

    #[test]
    fn every_machine_and_every_release_has_the_same_documents_in_a_share() {
        for (document, first) in [
            ("00000000-0000-0000-0000-000000000000", 70),
            ("0197f4f2-0000-7000-8000-0000000000a1", 80),
            ("01930c5c-f1f0-7000-8000-000000000001", 30),
            ("01930c5c-f1f0-7000-8000-000000000035", 63),
        ] {
            assert!(share(first).includes(id(document)), "{document} at {first}");
            assert!(!share(first - 1).includes(id(document)), "{document} below {first}");
        }
    }

    #[test]
    fn documents_that_were_made_one_after_another_are_spread_evenly() {
        const DOCUMENTS: u32 = 100_000;
        let first = Uuid::parse_str("01930c5c-f1f0-7000-8000-000000000000").unwrap().as_u128();
        for percent in [1, 50, 90] {
            let ids = (0..DOCUMENTS).map(|number| InvoiceId(Uuid::from_u128(first + u128::from(number))));
            let included = ids.filter(|id| share(percent).includes(*id)).count();
            let expected = usize::try_from(percent).unwrap() * 1_000;
            assert!(included.abs_diff(expected) <= 2_000, "{included} documents at {percent} %");
        }
    }

    proptest! {
        #[test]
        fn a_growing_share_only_adds_documents(
            id in any::<u128>(), smaller in 1..=98_i64, more in 1..=98_i64,
        ) {
            let (document, greater) = (InvoiceId(Uuid::from_u128(id)), (smaller + more).min(99));
            prop_assert!(!share(smaller).includes(document) || share(greater).includes(document));
        }
    }
}
