//! What is known about a guest, and how that may change.

gateway_domain::words! {
    /// What is known about a guest (`vetting.status`).
    VettingStatus {
        /// Nobody looked.
        Unvetted = "UNVETTED",
        /// Somebody is looking.
        Pending = "PENDING",
        /// A person has to look.
        NeedsReview = "NEEDS_REVIEW",
        /// Found good.
        Approved = "APPROVED",
        /// Found wanting.
        Failed = "FAILED",
    }
}

impl VettingStatus {
    /// What holds before anybody looked.
    pub const fn unvetted() -> Self {
        Self::Unvetted
    }
}

/// A vetting cannot go this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a vetting that is {from} cannot become {to}")]
pub struct NotATransition {
    /// Where it is.
    pub from: VettingStatus,
    /// Where it was to go.
    pub to: VettingStatus,
}

impl VettingStatus {
    /// Moves on; staying where it is is no move and always possible.
    pub fn becomes(self, to: Self) -> Result<Self, NotATransition> {
        use VettingStatus::{Approved, Failed, NeedsReview, Pending, Unvetted};
        let allowed = match (self, to) {
            (Unvetted, Pending) => true,
            (Pending, NeedsReview | Approved | Failed) => true,
            (NeedsReview, Approved | Failed) => true,
            (Failed, Pending) => true,
            (Unvetted | Pending | NeedsReview | Approved | Failed, _) => self == to,
        };
        if allowed { Ok(to) } else { Err(NotATransition { from: self, to }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_vetting_moves_as_the_table_says() {
        let table: Vec<String> = VettingStatus::ALL
            .iter()
            .map(|from| {
                let allowed =
                    VettingStatus::ALL.iter().filter(|to| *to != from && from.becomes(**to).is_ok());
                let words: Vec<_> = allowed.map(|to| to.as_str()).collect();
                format!("{from} -> {}", words.join(" "))
            })
            .collect();
        insta::assert_snapshot!(table.join("\n"), @r"
        UNVETTED -> PENDING
        PENDING -> NEEDS_REVIEW APPROVED FAILED
        NEEDS_REVIEW -> APPROVED FAILED
        APPROVED -> 
        FAILED -> PENDING
        ");
        for status in VettingStatus::ALL {
            assert_eq!(status.becomes(*status), Ok(*status));
        }
        let refused = VettingStatus::Unvetted.becomes(VettingStatus::Approved).unwrap_err();
        assert_eq!(refused.to_string(), "a vetting that is UNVETTED cannot become APPROVED");
    }
}
