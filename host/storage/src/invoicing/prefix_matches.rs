//! How many numbers begin as a search says, which decides how a list finds them.

use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{Sql, params};
use gateway_domain::invoicing::DocumentFilter;

/// Most numbers that are looked up each by itself, and sorted.
const LOOK_UPS_MAX: i64 = 1_000;

/// How many numbers begin so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PrefixMatches {
    /// Each is looked up.
    Few,
    /// The list is read in its order, in which the next of so many is near.
    Many,
}

impl PrefixMatches {
    /// Counts as far as it matters. `beyond` finds a match behind the first `$3` of those from `$1` up to `$2`.
    pub(crate) async fn of(
        on: Executor<'_>,
        beyond: &Sql,
        filter: &DocumentFilter,
    ) -> Result<Self, StoreError> {
        let Some(prefix) = &filter.number_prefix else { return Ok(Self::Few) };
        let end = format!("{prefix}{}", char::MAX);
        let is_beyond = on.exists(beyond, params![prefix.clone(), end, LOOK_UPS_MAX]).await?;
        Ok(if is_beyond { Self::Many } else { Self::Few })
    }
}
