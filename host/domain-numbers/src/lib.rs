//! What series of numbers have given, and whether it goes on without a gap or a number that was given twice.
//!
//! Not here: how a number is given and taken over (`gateway_domain::invoicing`), what is stored beside it (`gateway-recovery`).

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::SeriesKey;
use std::fmt;

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

/// A number that a series gave, and the document that it was given to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberLink {
    /// Its position in the series.
    pub position: i64,
    /// As it stands on the document.
    pub number: String,
    /// Whose it is for ever, also where that document was rejected and issued under another number.
    pub document: InvoiceId,
}

impl fmt::Display for NumberLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (document {})", self.number, self.document)
    }
}

/// A series, and from where to where its numbers go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesExtent {
    /// Which one.
    pub key: SeriesKey,
    /// The position that it was to begin at; none where a release wrote it that did not note that.
    pub start: Option<i64>,
    /// What it gives next.
    pub next: i64,
}

/// A number of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainedNumber {
    /// The series that gave it.
    pub series: SeriesKey,
    /// The number, its position and its document.
    pub link: NumberLink,
    /// Whether the document carries a number: this one, or one that it was given later.
    pub is_carried: bool,
}

/// Where the numbers of a workspace do not hold together, and what is to be done.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NumberBreak {
    /// A series begins somewhere else than it was to.
    #[error(
        "the first number is {found} at position {}, and the series was to begin at position {expected}: look for what is missing in the last backup and at the provider, before anybody issues", .found.position
    )]
    Start {
        /// Where it was to begin.
        expected: i64,
        /// The first number that is there.
        found: NumberLink,
    },
    /// Positions were passed over.
    #[error("{0}: look for what is missing in the last backup and at the provider, before anybody issues")]
    Gap(NumberGap),
    /// A position was given twice.
    #[error(
        "position {} was given twice, as {first} and as {second}: find out which of them the tax authority holds, and correct the other one", .first.position
    )]
    Twin {
        /// The one that came first.
        first: NumberLink,
        /// The other one.
        second: NumberLink,
    },
    /// The series would give a position again.
    #[error(
        "position {next} is to be given next, and {last} has position {} already: restore the series from the last backup, before anybody issues", .last.position
    )]
    Repeats {
        /// What the series would give.
        next: i64,
        /// The last number that it gave.
        last: NumberLink,
    },
    /// A document carries a number that was given to another one.
    #[error(
        "document {document} carries {number}, which was given to document {given_to}: find out which of them the tax authority holds under it, and restore the other one from the last backup"
    )]
    OfAnother {
        /// Who carries it.
        document: InvoiceId,
        /// The number.
        number: String,
        /// Whose it is.
        given_to: InvoiceId,
    },
    /// A document carries a number that no series gave.
    #[error(
        "document {document} carries {number}, which no series gave: compare it with the last backup and with what the provider holds"
    )]
    NotGiven {
        /// Who carries it.
        document: InvoiceId,
        /// The number.
        number: String,
    },
    /// A number was given, and its document carries none.
    #[error("{0} was issued, and carries no number now: restore the document from the last backup")]
    NotCarried(NumberLink),
}

impl NumberBreak {
    /// What is wrong with the number that a document carries. It was given to `given_to`; none: no series gave it.
    pub fn of_carried(document: InvoiceId, number: &str, given_to: Option<InvoiceId>) -> Option<Self> {
        let number = number.to_owned();
        match given_to {
            Some(given_to) if given_to == document => None,
            Some(given_to) => Some(Self::OfAnother { document, number, given_to }),
            None => Some(Self::NotGiven { document, number }),
        }
    }
}

/// Positions that were passed over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberGap {
    /// The first position that is missing.
    pub expected: i64,
    /// The position that is there instead, or the one that is to be given next.
    pub found: i64,
    /// The number before the gap.
    pub before: Option<NumberLink>,
}

impl fmt::Display for NumberGap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expected, found, before } = self;
        match found - expected {
            1 => write!(f, "position {expected} is missing")?,
            _ => write!(f, "positions {expected} to {} are missing", found - 1)?,
        }
        match before {
            Some(before) => write!(f, " after {before}"),
            None => Ok(()),
        }
    }
}

/// Follows the numbers of one series in the order of their positions, and finds where the chain is broken.
#[derive(Debug)]
pub struct SeriesCheck {
    expected: Option<i64>,
    last: Option<NumberLink>,
}

impl SeriesCheck {
    /// A series that was to begin at `start`; none where nobody remembers.
    pub const fn new(start: Option<i64>) -> Self {
        Self { expected: start, last: None }
    }

    /// Takes the next number, and says what is wrong between it and those before.
    pub fn take(&mut self, link: NumberLink) -> Option<NumberBreak> {
        let broken = match (self.expected, &self.last) {
            (None, _) => None,
            (Some(expected), _) if link.position == expected => None,
            (Some(expected), None) => Some(NumberBreak::Start { expected, found: link.clone() }),
            (Some(expected), Some(last)) if link.position > expected => {
                let before = Some(last.clone());
                Some(NumberBreak::Gap(NumberGap { expected, found: link.position, before }))
            }
            (Some(_), Some(last)) => {
                return Some(NumberBreak::Twin { first: last.clone(), second: link });
            }
        };
        self.expected = Some(link.position.saturating_add(1));
        self.last = Some(link);
        broken
    }

    /// The end of the series. `next` is what it was to give before its numbers were read; `next_now` what it is to give
    /// after that, while documents were issued.
    pub fn finish(self, next: i64, next_now: i64) -> Option<NumberBreak> {
        let expected = self.expected?;
        if expected < next {
            return Some(NumberBreak::Gap(NumberGap { expected, found: next, before: self.last }));
        }
        let last = self.last.filter(|last| last.position >= next_now)?;
        Some(NumberBreak::Repeats { next: next_now, last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

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
    fn link(position: i64) -> NumberLink {
        let document = InvoiceId(Uuid::from_u128(position.unsigned_abs().into()));
        NumberLink { position, number: format!("F-{position}"), document }
    }

    /// Everything that is wrong with a series.
    fn broken(start: Option<i64>, positions: &[i64], next: i64) -> Vec<NumberBreak> {
        let mut check = SeriesCheck::new(start);
        let mut found: Vec<_> = positions.iter().filter_map(|at| check.take(link(*at))).collect();
        found.extend(check.finish(next, next));
        found
    }

    #[test]
    fn a_series_that_gave_every_position_from_its_start_on_is_whole() {
        for (start, positions, next) in [
            (Some(1), &[1, 2, 3][..], 4),
            (Some(500), &[500], 501),
            (None, &[7, 8], 9),
            (Some(40), &[], 40),
            (None, &[], 3),
        ] {
            assert_eq!(broken(start, positions, next), [], "{start:?} {positions:?}");
        }
    }

    #[test]
    fn what_breaks_a_series_is_named_with_what_was_expected() {
        let gap = |expected, found, before| NumberBreak::Gap(NumberGap { expected, found, before });
        let inner = gap(2, 4, Some(link(1)));
        assert_eq!(broken(Some(1), &[1, 4], 5), std::slice::from_ref(&inner));
        let said = inner.to_string();
        assert!(said.starts_with("positions 2 to 3 are missing after F-1 (document "), "{said}");
        let doubled = NumberBreak::Twin { first: link(2), second: link(2) };
        assert_eq!(broken(Some(1), &[1, 2, 2, 3], 4), [doubled]);
        assert_eq!(broken(Some(1), &[3], 4), [NumberBreak::Start { expected: 1, found: link(3) }]);
        assert_eq!(broken(Some(1), &[1, 2], 4), [gap(3, 4, Some(link(2)))]);
        assert_eq!(broken(Some(1), &[1, 2], 2), [NumberBreak::Repeats { next: 2, last: link(2) }]);
        let lost = gap(5, 6, None);
        assert_eq!(broken(Some(5), &[], 6), std::slice::from_ref(&lost));
        assert!(lost.to_string().starts_with("position 5 is missing: "), "{lost}");
    }

    #[test]
    fn a_document_carries_a_number_that_was_given_to_it() {
        let (own, other) = (link(1).document, link(2).document);
        let number = || "F-1".to_owned();
        for (given_to, expected) in [
            (Some(own), None),
            (Some(other), Some(NumberBreak::OfAnother { document: own, number: number(), given_to: other })),
            (None, Some(NumberBreak::NotGiven { document: own, number: number() })),
        ] {
            assert_eq!(NumberBreak::of_carried(own, "F-1", given_to), expected);
        }
    }

    #[test]
    fn numbers_that_are_given_while_a_series_is_read_do_not_break_it() {
        let mut check = SeriesCheck::new(Some(1));
        assert_eq!([1, 2, 3].map(|at| check.take(link(at))), [None, None, None]);
        assert_eq!(check.finish(2, 5), None);
    }

    proptest! {
        #[test]
        fn one_position_that_is_missing_or_doubled_is_found_wherever_it_is(
            start in 1_i64..1000, given in 1_i64..60, at in 0_i64..60, doubled: bool
        ) {
            let at = start + at % given;
            let mut positions: Vec<i64> = (start..start + given).collect();
            prop_assert_eq!(broken(Some(start), &positions, start + given), []);
            let index = positions.iter().position(|position| *position == at).unwrap();
            if doubled {
                positions.insert(index, at);
            } else {
                positions.remove(index);
            }
            let found = broken(Some(start), &positions, start + given);
            prop_assert_eq!(found.len(), 1);
            let named = match &found[0] {
                NumberBreak::Start { expected, .. } | NumberBreak::Gap(NumberGap { expected, .. }) => *expected,
                NumberBreak::Twin { second, .. } => second.position,
                other @ (NumberBreak::Repeats { .. }
                | NumberBreak::OfAnother { .. }
                | NumberBreak::NotGiven { .. }
                | NumberBreak::NotCarried(_)) => panic!("{other}"),
            };
            prop_assert_eq!(named, at);
        }
    }
}
