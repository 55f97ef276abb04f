//! What the numbers of another system mean to the series of the workspace that takes its documents over.

use super::{DocumentKind, InvoiceNumber, NumberPattern, SeriesKey};
use crate::ids::WorkspaceId;
use crate::{ErrorCode, FieldError};

/// The greatest position that a series is told to go on from: nine digits.
pub const SERIES_START_MAX: i64 = 999_999_999;

/// How a series of the workspace stands before a number is taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesStand {
    /// What it gives next; none where it gave nothing and nobody told it where to start.
    pub next: Option<i64>,
    /// Whether it gave a number here.
    pub has_given: bool,
}

/// Why a number of another system is not taken over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotImportable {
    /// Numbers before it would be missing for ever.
    #[error(
        "{number} leaves a gap: {next} comes next in this series; import what stands between them first, or say with \"skips_unused\": \
         true that those numbers were never used"
    )]
    Gap {
        /// Of the document.
        number: InvoiceNumber,
        /// The next of its series.
        next: InvoiceNumber,
    },
    /// The series gave numbers here, and would give this one itself.
    #[error("{number} is to be given here: this series has given numbers already, and {next} comes next")]
    MovedOn {
        /// Of the document.
        number: InvoiceNumber,
        /// The next of its series.
        next: InvoiceNumber,
    },
    /// A series of another kind or year would come to it.
    #[error("{number} is a number that {} of {} are to be given: the kind and the issue date have to go with it", kind.as_str(), year)]
    OfAnotherSeries {
        /// Of the document.
        number: InvoiceNumber,
        /// What that series counts.
        kind: DocumentKind,
        /// In this year.
        year: i16,
    },
}

impl NotImportable {
    /// What a program tells it by.
    pub const fn code(&self) -> ErrorCode {
        match self {
            Self::Gap { .. } => ErrorCode::InvoiceNumberLeavesGap,
            Self::MovedOn { .. } => ErrorCode::SeriesMovedOn,
            Self::OfAnotherSeries { .. } => ErrorCode::SeriesConflict,
        }
    }
}

/// The member that is refused, and why.
impl From<NotImportable> for FieldError {
    fn from(error: NotImportable) -> Self {
        Self::new("number", error.code(), error.to_string())
    }
}

/// A number as one of the series of a workspace would give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesNumber {
    /// The series.
    pub series: SeriesKey,
    /// Its position there.
    pub position: i64,
}

impl SeriesNumber {
    /// A number as the patterns of a workspace read it; none of one that its series never give.
    pub fn read(
        workspace: WorkspaceId,
        patterns: [(DocumentKind, &NumberPattern); 2],
        number: &InvoiceNumber,
    ) -> Option<Self> {
        patterns.into_iter().find_map(|(kind, pattern)| {
            let (year, position) = pattern.read(&number.0)?;
            // No series comes that far.
            (position <= SERIES_START_MAX)
                .then_some(Self { series: SeriesKey { workspace, kind, year }, position })
        })
    }

    /// What the series of the number gives next once a document of `document`'s series has it; none where that stays as it is.
    /// With `skips_unused` the numbers before it that are missing were never used.
    ///
    /// # Errors
    /// The series would come to this number, or never to one before it.
    pub fn taken_over(
        self,
        number: &InvoiceNumber,
        document: SeriesKey,
        pattern: &NumberPattern,
        stand: SeriesStand,
        skips_unused: bool,
    ) -> Result<Option<i64>, NotImportable> {
        let Self { series, position } = self;
        let number = || number.clone();
        match stand.next {
            Some(next) if position < next => Ok(None),
            _ if series != document => {
                Err(NotImportable::OfAnotherSeries { number: number(), kind: series.kind, year: series.year })
            }
            Some(next) if stand.has_given => {
                Err(NotImportable::MovedOn { number: number(), next: pattern.format(series.year, next) })
            }
            Some(next) if position > next && !skips_unused => {
                Err(NotImportable::Gap { number: number(), next: pattern.format(series.year, next) })
            }
            Some(_) | None => Ok(Some(position.saturating_add(1))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERIES: SeriesKey =
        SeriesKey { workspace: WorkspaceId(1), kind: DocumentKind::Invoice, year: 2026 };

    fn read(number: &str) -> Option<SeriesNumber> {
        let (invoices, credits) = (NumberPattern::default_invoice(), NumberPattern::default_credit());
        let patterns = [(DocumentKind::Invoice, &invoices), (DocumentKind::CreditNote, &credits)];
        SeriesNumber::read(SERIES.workspace, patterns, &InvoiceNumber(number.to_owned()))
    }

    /// What the series gives after `number`, or the code of the refusal.
    fn taken_over(number: &str, next: Option<i64>, has_given: bool) -> Result<Option<i64>, ErrorCode> {
        let found = read(number).unwrap();
        let number = InvoiceNumber(number.to_owned());
        let stand = SeriesStand { next, has_given };
        let pattern = NumberPattern::default_invoice();
        found.taken_over(&number, SERIES, &pattern, stand, false).map_err(|error| error.code())
    }

    #[test]
    fn numbers_of_other_patterns_are_outside_of_every_series() {
        for number in ["2026/17", "F-2026-17", "A-2026-000017", "F-2026-000000", "F-2026-1000000000", ""] {
            assert_eq!(read(number), None, "{number}");
        }
    }

    #[test]
    fn the_series_goes_on_after_the_greatest_number() {
        assert_eq!(taken_over("F-2026-000412", None, false), Ok(Some(413)));
        assert_eq!(taken_over("F-2026-000413", Some(413), false), Ok(Some(414)));
        assert_eq!(
            taken_over("F-2026-000001", Some(413), false),
            Ok(None),
            "what lies behind it may have gaps"
        );
        assert_eq!(taken_over("F-2026-000001", Some(413), true), Ok(None));
    }

    #[test]
    fn a_number_that_leaves_a_gap_or_is_to_be_given_here_is_refused() {
        assert_eq!(taken_over("F-2026-000415", Some(413), false), Err(ErrorCode::InvoiceNumberLeavesGap));
        assert_eq!(taken_over("F-2026-000413", Some(413), true), Err(ErrorCode::SeriesMovedOn));
        let (later, pattern) = ("F-2026-000415", NumberPattern::default_invoice());
        let skipping = |has_given| {
            let stand = SeriesStand { next: Some(413), has_given };
            let number = InvoiceNumber(later.to_owned());
            read(later)
                .unwrap()
                .taken_over(&number, SERIES, &pattern, stand, true)
                .map_err(|error| error.code())
        };
        assert_eq!(skipping(false), Ok(Some(416)), "the numbers in between were never used");
        assert_eq!(skipping(true), Err(ErrorCode::SeriesMovedOn));
        assert_eq!(taken_over("F-2025-000001", None, false), Err(ErrorCode::SeriesConflict));
        assert_eq!(taken_over("R-2026-000001", None, false), Err(ErrorCode::SeriesConflict));
        assert_eq!(taken_over("R-2026-000001", Some(9), true), Ok(None), "it is behind what is given");
    }
}
