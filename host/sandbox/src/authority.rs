//! The tax authority behind the stand-in provider: the tax regime itself says what it does, so that nothing here
//! knows a country.

use async_trait::async_trait;
use gateway_domain::ids::InvoiceId;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{AuthorityAnswer, AuthorityOutcome, AuthoritySubmission, Filing, RegimeKey};
use gateway_domain_reconciliation::{FiledRecord, ListingQuestion};
use gateway_plugin_host::PluginHost;
use std::fmt::Debug;

/// What the tax regimes know of their authorities (the `sandbox` interface of a plugin).
#[async_trait]
pub trait Authority: Send + Sync + Debug {
    /// Whether an authority stands behind this regime.
    fn serves(&self, regime: &RegimeKey) -> bool;

    /// Under which names the authority files `document`, JSON. `id` is the gateway's own, where the document has it: the version
    /// of a plugin that converted it stands behind it here too.
    async fn file(
        &self,
        regime: &RegimeKey,
        id: Option<InvoiceId>,
        document: &str,
    ) -> Result<Filing, ConverterError>;

    /// What the authority does with a document.
    async fn submit(
        &self,
        regime: &RegimeKey,
        id: Option<InvoiceId>,
        submission: &AuthoritySubmission,
    ) -> Result<AuthorityOutcome, ConverterError>;

    /// What the authority answers to a question for its own list, of what it accepted.
    async fn listing(
        &self,
        regime: &RegimeKey,
        _question: &ListingQuestion,
        _filed: &[FiledRecord],
    ) -> Result<Vec<u8>, ConverterError> {
        Err(ConverterError::UnknownRegime(regime.clone()))
    }

    /// What the authority writes back about a document that it was handed.
    async fn answers(
        &self,
        regime: &RegimeKey,
        id: Option<InvoiceId>,
        submission: &AuthoritySubmission,
        outcome: &AuthorityOutcome,
    ) -> Result<Vec<AuthorityAnswer>, ConverterError>;
}

#[async_trait]
impl Authority for PluginHost {
    fn serves(&self, regime: &RegimeKey) -> bool {
        self.has_sandbox(regime)
    }

    async fn file(
        &self,
        regime: &RegimeKey,
        id: Option<InvoiceId>,
        document: &str,
    ) -> Result<Filing, ConverterError> {
        Self::file(self, regime, id, document).await
    }

    async fn submit(
        &self,
        regime: &RegimeKey,
        id: Option<InvoiceId>,
        submission: &AuthoritySubmission,
    ) -> Result<AuthorityOutcome, ConverterError> {
        Self::submit(self, regime, id, submission).await
    }

    async fn answers(
        &self,
        regime: &RegimeKey,
        id: Option<InvoiceId>,
        submission: &AuthoritySubmission,
        outcome: &AuthorityOutcome,
    ) -> Result<Vec<AuthorityAnswer>, ConverterError> {
        Self::answers(self, regime, id, submission, outcome).await
    }

    async fn listing(
        &self,
        regime: &RegimeKey,
        question: &ListingQuestion,
        filed: &[FiledRecord],
    ) -> Result<Vec<u8>, ConverterError> {
        if self.has_listing(regime) {
            Self::listing(self, regime, question, filed).await
        } else {
            Err(ConverterError::UnknownRegime(regime.clone()))
        }
    }
}
