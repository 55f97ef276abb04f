//! How many rows match what is searched for, which decides how a list finds them.

use super::match_count::MatchCount;
use super::recipients::Owner;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::sql::{Sql, params};
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{DocumentFilter, RecipientSearch};

/// Most matches that are looked up each by itself, and sorted. Of a million documents, the fifty of a page among more matches than this
/// are found by reading ten thousand in the order of the list.
const LOOK_UPS_MAX: i64 = 5_000;

/// How many rows match each text of a filter; a text that is not counted has few.
#[derive(Debug, Clone, Default)]
pub(crate) struct SearchMatches {
    /// The beginning of a number.
    pub(crate) number_prefix: MatchCount,
    /// Each word of the recipient.
    pub(crate) recipient: Vec<MatchCount>,
}

impl SearchMatches {
    /// Counts as far as it matters. `numbers_beyond` finds a match behind the first `$3` of the numbers from `$1` up to `$2`;
    /// `workspace` is the only one that is asked for, if it is one.
    pub(crate) async fn of(
        mut on: Executor<'_>,
        (owner, numbers_beyond): (Owner, &Sql),
        filter: &DocumentFilter,
        workspace: Option<WorkspaceId>,
    ) -> Result<Self, StoreError> {
        let mut matches = Self::default();
        if let Some(prefix) = &filter.number_prefix {
            let end = format!("{prefix}{}", char::MAX);
            let arguments = params![prefix.clone(), end, LOOK_UPS_MAX];
            matches.number_prefix = MatchCount::of(on.reborrow().exists(numbers_beyond, arguments).await?);
        }
        for (from, to) in filter.recipient.iter().flat_map(RecipientSearch::ranges) {
            let is_beyond = owner.has_beyond(on.reborrow(), workspace, (from, to), LOOK_UPS_MAX).await?;
            matches.recipient.push(MatchCount::of(is_beyond));
        }
        Ok(matches)
    }
}
