//! Whoever gave no answer is not waited for again and again.

use jiff::Timestamp;
use std::sync::{Mutex, PoisonError};

/// Until when nobody who issues waits for somebody who gave no answer.
#[derive(Debug, Default)]
pub(crate) struct Silence(Mutex<Option<Timestamp>>);

impl Silence {
    /// Whether somebody may be waited for again.
    pub(crate) fn is_over(&self, now: Timestamp) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_none_or(|until| until <= now)
    }

    pub(crate) fn begin(&self, until: Timestamp) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
    }

    /// An answer came.
    pub(crate) fn end(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}
