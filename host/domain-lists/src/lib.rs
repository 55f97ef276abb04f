//! What lists of stored things are made of, from the database to the surfaces: values with their times, pages that begin
//! behind a key, and pages that are found by counting.
//!
//! No I/O, no async runtime, no clock, no floats; and nothing of what is listed.
//!
//! Not here: cursors and parameters as clients write them (the surfaces), statements (`gateway-database`), pages of documents,
//! whose order has more keys (`gateway_domain::invoicing`).

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm, clippy::float_arithmetic, clippy::as_conversions)]

use jiff::Timestamp;
use std::ops::Deref;
use uuid::Uuid;

/// Most nodes of a page that a client may ask for through the public API (specification, Limits).
pub const PAGE_MAX: usize = 25;
/// Most nodes of any page; the statements read one more at most.
const ANY_PAGE_MAX: usize = 100;

/// Where a page ended: the time at which its last item was made, then the item's id.
pub type PageKey = (Timestamp, Uuid);

/// Something with an identifier of its own.
pub trait Keyed {
    /// The identifier, whatever it identifies.
    fn key(&self) -> Uuid;
}

/// A value as stored, with the times of its making and of its last change of content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamped<T> {
    /// What was written; only a change of it moves `updated_at`.
    pub value: T,
    /// When it was stored first.
    pub created_at: Timestamp,
    /// When its content changed last.
    pub updated_at: Timestamp,
}

impl<T> Deref for Stamped<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: Keyed> Stamped<T> {
    /// Where a page ends whose last item this is.
    pub fn page_key(&self) -> PageKey {
        (self.created_at, self.value.key())
    }
}

/// A page by its size and the key of the node before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PageRequest {
    /// How many nodes at most.
    pub first: usize,
    /// Behind which place.
    pub after: Option<PageKey>,
}

impl Default for PageRequest {
    fn default() -> Self {
        Self { first: PAGE_MAX, after: None }
    }
}

impl PageRequest {
    fn size(self) -> usize {
        self.first.clamp(1, ANY_PAGE_MAX)
    }

    /// How many rows to read. One more than is shown tells whether another page follows.
    pub fn limit(self) -> i64 {
        i64::try_from(self.size()).unwrap_or(i64::MAX).saturating_add(1)
    }

    /// The page of so many rows that were read.
    pub fn page<T>(self, mut nodes: Vec<Stamped<T>>) -> Page<T> {
        let has_next = nodes.len() > self.size();
        nodes.truncate(self.size());
        Page { nodes, has_next }
    }
}

/// Nodes of a page, the oldest first, and whether there are more behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page<T> {
    /// At most as many as [`PageRequest::first`] says.
    pub nodes: Vec<Stamped<T>>,
    /// Whether another page follows.
    pub has_next: bool,
}

impl<T: Keyed> Page<T> {
    /// Where the next page starts.
    pub fn end(&self) -> Option<PageKey> {
        self.nodes.last().map(Stamped::page_key)
    }
}

/// Which rows of a list a page shows that is found by counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// How many rows stand before it.
    pub offset: i64,
    /// How many rows it has at most.
    pub size: i64,
}

impl Window {
    /// The part of a list that is at hand.
    pub fn of<T>(self, all: &[T]) -> &[T] {
        let place = |n: i64| usize::try_from(n).unwrap_or(usize::MAX).min(all.len());
        let (start, end) = (place(self.offset), place(self.offset.saturating_add(self.size)));
        all.get(start..end).unwrap_or_default()
    }
}

/// A page by number, for surfaces whose pages have numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedPage<T> {
    /// The part that was asked for, in the order of the list.
    pub nodes: Vec<T>,
    /// How many there are in all pages.
    pub total: i64,
}

impl<T> From<(Vec<T>, i64)> for NumberedPage<T> {
    fn from((nodes, total): (Vec<T>, i64)) -> Self {
        Self { nodes, total }
    }
}
