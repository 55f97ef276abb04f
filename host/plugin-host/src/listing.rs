//! The authority's own list: what a plugin asks, what it reads in the answer, and how it plays the authority.

use crate::defect::Failure;
use crate::guest::{CallTrace, Guest};
use crate::host::PluginHost;
use crate::load::Plugin;
use crate::options::Function;
use crate::serving::Scope;
use async_trait::async_trait;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{RegimeContext, RegimeKey};
use gateway_domain_reconciliation::ports::AuthorityListings;
use gateway_domain_reconciliation::{
    FiledRecord, ListingAnswer, ListingPage, ListingProblem, ListingQuery, ListingQuestion, ListingRequest,
};
use std::sync::Arc;
use wasmtime::Store;

impl PluginHost {
    /// A call that nobody counts: what an authority answers never blocks a plugin that serves.
    pub(crate) async fn call_uncounted<T, A: Future<Output = Result<T, Failure>>>(
        &self,
        plugin: &Arc<Plugin>,
        function: Function,
        ask: impl FnOnce(Arc<Plugin>, Store<Guest>) -> A,
    ) -> Result<T, ConverterError> {
        let _permits = self.permits_for(plugin).await?;
        let trace = CallTrace::default();
        let answer = self.within_deadline(ask(Arc::clone(plugin), self.trial_store(trace.clone()))).await;
        answer.map_err(|failure| failure.explain(&plugin.name(), function, &self.limits, &trace))
    }

    fn listing_plugin(&self, workspace: WorkspaceId, key: &RegimeKey) -> Result<Arc<Plugin>, ConverterError> {
        let plugin = self.plugin_for(key, &Scope::Workspace(workspace));
        plugin.ok_or_else(|| ConverterError::UnknownRegime(key.clone()))
    }

    /// Whether the active plugin of this regime plays its authority's list.
    pub fn has_listing(&self, key: &RegimeKey) -> bool {
        self.serving().any(key).is_some_and(|plugin| plugin.abi.has_sandbox_listing())
    }

    /// What the stand-in's authority answers to a question of `question`.
    ///
    /// # Errors
    /// No plugin plays it, or it misbehaved.
    pub async fn listing(
        &self,
        key: &RegimeKey,
        question: &ListingQuestion,
        filed: &[FiledRecord],
    ) -> Result<Vec<u8>, ConverterError> {
        let plugin = self.serving().any(key).cloned();
        let plugin = plugin.ok_or_else(|| ConverterError::UnknownRegime(key.clone()))?;
        self.call_uncounted(&plugin, Function::Listing, |plugin, store| async move {
            plugin.abi.sandbox_listing(store, question, filed).await
        })
        .await
    }
}

#[async_trait]
impl AuthorityListings for PluginHost {
    fn reads(&self, workspace: WorkspaceId, regime: &RegimeKey) -> bool {
        self.listing_plugin(workspace, regime).is_ok_and(|plugin| plugin.abi.has_reconcile())
    }

    async fn question(
        &self,
        workspace: WorkspaceId,
        regime: &RegimeKey,
        query: &ListingQuery,
        context: &RegimeContext,
    ) -> Result<Result<ListingRequest, ListingProblem>, ConverterError> {
        let plugin = self.listing_plugin(workspace, regime)?;
        self.call_uncounted(&plugin, Function::Question, |plugin, store| async move {
            plugin.abi.listing_question(store, query, context).await
        })
        .await
    }

    async fn read_answer(
        &self,
        workspace: WorkspaceId,
        regime: &RegimeKey,
        query: (&ListingQuery, &RegimeContext),
        answer: &ListingAnswer,
    ) -> Result<Result<ListingPage, ListingProblem>, ConverterError> {
        let plugin = self.listing_plugin(workspace, regime)?;
        self.call_uncounted(&plugin, Function::ReadAnswer, |plugin, store| async move {
            plugin.abi.listing_page(store, query, answer).await
        })
        .await
    }
}
