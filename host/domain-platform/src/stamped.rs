//! What every stored thing of the platform has besides its own content.

use jiff::Timestamp;
use std::ops::Deref;
use uuid::Uuid;

/// Where a page of the platform's data ended: the time at which its last item was made, then the item's id.
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
