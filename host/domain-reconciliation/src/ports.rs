//! What a run needs from outside to read an authority's own list.

use crate::listing::{ListingAnswer, ListingPage, ListingProblem, ListingQuery, ListingRequest};
use async_trait::async_trait;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{RegimeContext, RegimeKey};

/// The plugins that read their authority's list (release 1.9 of the contract).
#[async_trait]
pub trait AuthorityListings: Send + Sync + std::fmt::Debug {
    /// Whether the plugin that serves the regime there does.
    fn reads(&self, workspace: WorkspaceId, regime: &RegimeKey) -> bool;

    /// What the authority is asked for a page, within its bounds; or why there is no question.
    ///
    /// # Errors
    /// The plugin misbehaved, or is busy.
    async fn question(
        &self,
        workspace: WorkspaceId,
        regime: &RegimeKey,
        query: &ListingQuery,
        context: &RegimeContext,
    ) -> Result<Result<ListingRequest, ListingProblem>, ConverterError>;

    /// What the answer to that question lists, within its bounds; or why it lists nothing.
    ///
    /// # Errors
    /// The plugin misbehaved, or is busy.
    async fn read_answer(
        &self,
        workspace: WorkspaceId,
        regime: &RegimeKey,
        query: (&ListingQuery, &RegimeContext),
        answer: &ListingAnswer,
    ) -> Result<Result<ListingPage, ListingProblem>, ConverterError>;
}

/// Why an authority gave no answer that anybody could read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuthorityError {
    /// It is away, or has too much to do.
    #[error("the tax authority does not answer ({detail})")]
    Unavailable {
        /// What happened.
        detail: String,
        /// As it asks for it, seconds.
        retry_after_s: Option<u64>,
    },
    /// Nothing will come of asking again.
    #[error("the tax authority's list cannot be read ({detail})")]
    Unusable {
        /// What happened.
        detail: String,
    },
}

/// The ways to the authorities, as an operator set them.
#[async_trait]
pub trait AuthorityCalls: Send + Sync + std::fmt::Debug {
    /// Whether the authority of a regime is asked; whether the stand-in plays it.
    fn is_stand_in(&self, regime: &RegimeKey) -> Option<bool>;

    /// Sends a question and receives the answer; never one that says that the authority is away.
    ///
    /// # Errors
    /// Why there is none.
    async fn ask(
        &self,
        regime: &RegimeKey,
        request: &ListingRequest,
    ) -> Result<ListingAnswer, AuthorityError>;
}
