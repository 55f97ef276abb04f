//! What lists of documents are narrowed by.

use super::{DocumentKind, RecipientSearch, Status};
use crate::ids::{BookingId, InvoiceId, WorkspaceId};
use crate::money::Amount;
use jiff::Timestamp;
use jiff::civil::Date;

/// Where a page of documents ended: the time at which its last document was made, then the document's id.
pub type DocumentPageKey = (Timestamp, InvoiceId);

/// In which order a list of documents stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DocumentOrder {
    /// What was made first comes first: a list that others add to keeps its pages.
    #[default]
    OldestFirst,
    /// What was made last comes first.
    NewestFirst,
}

impl DocumentOrder {
    /// As requests write it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OldestFirst => "created",
            Self::NewestFirst => "-created",
        }
    }

    /// The other one: what comes before a place in this order comes behind it in that.
    #[must_use]
    pub const fn reversed(self) -> Self {
        match self {
            Self::OldestFirst => Self::NewestFirst,
            Self::NewestFirst => Self::OldestFirst,
        }
    }

    /// What a request wrote.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::OldestFirst, Self::NewestFirst].into_iter().find(|order| order.as_str() == text)
    }
}

/// Which documents a page shows, and in which order.
#[derive(Debug, Clone, Default)]
pub struct DocumentFilter {
    /// Only of this workspace.
    pub workspace: Option<WorkspaceId>,
    /// Only in this state.
    pub status: Option<Status>,
    /// Only of this booking.
    pub booking: Option<BookingId>,
    /// Only this number.
    pub number: Option<String>,
    /// Only numbers that begin so.
    pub number_prefix: Option<String>,
    /// Only changed after this instant.
    pub updated_after: Option<Timestamp>,
    /// Only of this kind.
    pub document_type: Option<DocumentKind>,
    /// Only issued in this period, by the issue date.
    pub issued: IssuePeriod,
    /// Only with such a gross, whatever the currency.
    pub gross: GrossRange,
    /// Only for such a recipient.
    pub recipient: Option<RecipientSearch>,
    /// Only those that the tax authority accepted with remarks: what it calls errors, and has to be amended where its rules say so.
    pub accepted_with_errors: bool,
    /// Which come first.
    pub order: DocumentOrder,
}

impl DocumentFilter {
    /// The names of two ends that are the wrong way round, the first and the last; none where all are right.
    pub fn backwards(&self) -> Option<(&'static str, &'static str)> {
        if self.issued.is_backwards() {
            return Some(("issued_from", "issued_to"));
        }
        self.gross.is_backwards().then_some(("gross_from", "gross_to"))
    }
}

/// Issue dates, both ends included; an end that is none is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct IssuePeriod {
    /// Included; none: from the oldest issue date on.
    pub from: Option<Date>,
    /// Included; none: up to the newest issue date.
    pub to: Option<Date>,
}

impl IssuePeriod {
    /// Whether it ends before it begins.
    pub fn is_backwards(self) -> bool {
        self.from.zip(self.to).is_some_and(|(from, to)| from > to)
    }
}

/// Gross amounts, both ends included; an end that is none is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GrossRange {
    /// Included.
    pub from: Option<Amount>,
    /// Included.
    pub to: Option<Amount>,
}

impl GrossRange {
    /// Whether it ends below where it begins.
    pub fn is_backwards(self) -> bool {
        self.from.zip(self.to).is_some_and(|(from, to)| from.cmp_value(to).is_gt())
    }

    /// An end that was typed; none of a text that is no amount, or has more decimals than any currency.
    pub fn parse_end(text: &str) -> Option<Amount> {
        text.parse().ok().filter(|amount: &Amount| amount.scale() <= GROSS_DECIMALS_MAX)
    }
}

/// Most decimals that a currency has (ISO 4217: CLF and UYW), and that an end of a [`GrossRange`] may have.
pub(super) const GROSS_DECIMALS_MAX: u8 = 4;

/// An amount as a whole number, so that those of any currency compare and add up as they are: in ten-thousandths. Beyond 922
/// trillion all amounts are taken for equal.
pub fn in_ten_thousandths(amount: Amount) -> i64 {
    let beyond = if amount.is_negative() { i64::MIN } else { i64::MAX };
    amount.rescale(GROSS_DECIMALS_MAX).map_or(beyond, Amount::units)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_of_every_currency_compare_by_their_value() {
        let of = |text: &str| in_ten_thousandths(text.parse().unwrap());
        assert_eq!(of("12.5"), of("12.5000"));
        assert!(of("-1.00") < of("0"));
        assert!(of("999") < of("999.001"));
        assert_eq!(of("1000000000000000"), i64::MAX);
        assert_eq!(of("-1000000000000000"), i64::MIN);
    }
}
