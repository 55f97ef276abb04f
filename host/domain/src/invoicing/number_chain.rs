//! What a series of numbers has given.

use crate::ids::WorkspaceId;

/// A number that a series gave, and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GivenNumber {
    /// Its position in the series.
    pub position: i64,
    /// As it stands on the document.
    pub number: String,
}

/// What a series has given: the proof that no number is missing, and none was given twice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberChain {
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// `invoice` or `credit_note`.
    pub kind: String,
    /// The year that it is of.
    pub year: i64,
    /// What it gives next.
    pub next: i64,
    /// The first and the last that it gave; none when it gave none.
    pub ends: Option<(GivenNumber, GivenNumber)>,
    /// How many it gave.
    pub given: i64,
}

impl NumberChain {
    /// Whether every position from the first to the last was given, and the next one follows it.
    pub fn is_whole(&self) -> bool {
        match &self.ends {
            None => self.given == 0,
            Some((first, last)) => {
                last.position - first.position + 1 == self.given && self.next == last.position + 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(first: i64, last: i64, given: i64, next: i64) -> NumberChain {
        let end = |position| GivenNumber { position, number: format!("F-{position}") };
        let ends = Some((end(first), end(last)));
        NumberChain { workspace: WorkspaceId(1), kind: "invoice".to_owned(), year: 2026, next, ends, given }
    }

    #[test]
    fn a_chain_is_whole_when_every_position_was_given_and_the_next_one_follows() {
        assert!(chain(1, 3, 3, 4).is_whole());
        assert!(chain(500, 501, 2, 502).is_whole());
        assert!(!chain(1, 3, 2, 4).is_whole(), "one is missing");
        assert!(!chain(1, 3, 3, 3).is_whole(), "the last one would be given again");
        assert!(!chain(1, 3, 3, 5).is_whole(), "one would be passed over");
        let unused = NumberChain { ends: None, given: 0, ..chain(1, 1, 0, 40) };
        assert!(unused.is_whole());
    }
}
