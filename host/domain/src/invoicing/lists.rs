//! What lists of documents are narrowed by.

use super::Status;
use crate::ids::{BookingId, InvoiceId, WorkspaceId};
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
    /// Only changed after this instant.
    pub updated_after: Option<Timestamp>,
    /// Which come first.
    pub order: DocumentOrder,
}

/// Issue dates, both ends included; an end that is none is open.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ExportPeriod {
    /// Included; none: from the oldest issue date on.
    pub from: Option<Date>,
    /// Included; none: up to the newest issue date.
    pub to: Option<Date>,
}
