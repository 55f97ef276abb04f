//! What the rules need from outside. A trait only where a second implementation exists.

use crate::fault::Fault;
use crate::ids::{EventId, InvoiceId, WorkspaceId};
use crate::invoicing::Recipient;
use crate::regime::{
    AmendDescription, EvidenceDescription, FilingFacts, FilingMark, FilingTerms, Identity, PluginRef,
    PrintingDescription, ProviderReport, RegimeAmendment, RegimeContext, RegimeDescription, RegimeInvoice,
    RegimeKey, StructuredDocument, Verdict,
};
use async_trait::async_trait;
use jiff::Timestamp;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use uuid::Uuid;

/// The time. Tests stand still or jump.
pub trait Clock: Send + Sync + std::fmt::Debug {
    /// The present instant, microsecond precision.
    fn now(&self) -> Timestamp;
}

/// Fresh identifiers, time-ordered (UUID version 7).
pub trait Ids: Send + Sync + std::fmt::Debug {
    /// An identifier that was never given before.
    fn next(&self) -> Uuid;
}

/// Why a regime gave no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConverterError {
    /// No plugin with this key is active: an operator has to install one.
    #[error("no plugin for the tax regime '{0}' is active: install or activate it")]
    UnknownRegime(RegimeKey),
    /// The document cannot be expressed: the plugin says why. Never empty.
    #[error("the tax regime refuses the document")]
    Faults(Vec<Fault>),
    /// The plugin misbehaved: it trapped, ran out of time or memory, or returned what cannot be used. One clear fault.
    #[error("{}", .0.message)]
    Broken(Fault),
    /// Too many conversions are running: try again.
    #[error("the plugin host is busy: try again in a moment")]
    Busy,
}

/// The code of the fault of a plugin that is called no more because it kept misbehaving: no document causes it, and it
/// ends when an operator activates a version.
pub const PLUGIN_BLOCKED: &str = "PLUGIN-BLOCKED";
/// The code of the notice that a version of a plugin was due to come in force and did not.
pub const PLUGIN_NOT_ACTIVATED: &str = "PLUGIN-NOT-ACTIVATED";

/// What a regime produced, and which plugin it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PluginOutput<T> {
    /// As the plugin answered, within the bounds of the plugin host.
    pub value: T,
    /// Key, version and digest of the plugin that answered.
    pub plugin: PluginRef,
}

/// A document, as far as it decides which version of a plugin serves it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServedDocument {
    /// The supplier of the document.
    pub workspace: WorkspaceId,
    /// The document itself, for the share of a canary.
    pub id: InvoiceId,
    /// The version that converted it, once one did: it explains what became of its own work while it serves anybody there.
    pub converted_by: Option<PluginRef>,
}

/// The tax regimes in force, workspace by workspace: one may have another version of a plugin than the rest.
pub trait Regimes: Send + Sync + std::fmt::Debug {
    /// The regimes as `workspace` has them where no document is concerned. A version of its own goes before the one for
    /// everybody.
    fn within(self: Arc<Self>, workspace: WorkspaceId) -> Arc<dyn Converter>;

    /// The regimes as a document has them: a canary goes before the version in force where its share includes the document.
    /// The same as [`within`](Self::within) where there are no canaries.
    fn for_document(self: Arc<Self>, document: ServedDocument) -> Arc<dyn Converter> {
        self.within(document.workspace)
    }
}

/// The tax regimes in force for one workspace, or for one of its documents.
#[async_trait]
pub trait Converter: Send + Sync + std::fmt::Debug {
    /// Every active regime, by key.
    fn regimes(&self) -> Vec<(Arc<RegimeDescription>, PluginRef)>;

    /// One active regime.
    fn describe(&self, key: &RegimeKey) -> Option<(Arc<RegimeDescription>, PluginRef)>;

    /// What the gateway checks by itself of the proofs of a regime's authority. None when no plugin is active for the
    /// regime, or when it leaves this to itself.
    fn evidence(&self, key: &RegimeKey) -> Option<Arc<EvidenceDescription>>;

    /// What documents that people read show. None when no plugin is active for the regime, or when it does not say.
    fn printing(&self, _key: &RegimeKey) -> Option<Arc<PrintingDescription>> {
        None
    }

    /// What of an accepted document may be amended. None when no plugin is active for the regime, or when its system takes no
    /// record again.
    fn amendable(&self, _key: &RegimeKey) -> Option<Arc<AmendDescription>> {
        None
    }

    /// The structured document of an amendment; [`ConverterError::Faults`] when the plugin refuses it,
    /// [`ConverterError::UnknownRegime`] also where [`amendable`](Self::amendable) says nothing.
    async fn convert_amendment(
        &self,
        key: &RegimeKey,
        _amendment: &RegimeAmendment,
        _context: &RegimeContext,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        Err(ConverterError::UnknownRegime(key.clone()))
    }

    /// Until when the law wants the document filed, and what a filing made now carries. None when no plugin is active for the
    /// regime, or when it keeps no legal clock.
    async fn filing_terms(
        &self,
        _key: &RegimeKey,
        _invoice: &RegimeInvoice,
        _context: &RegimeContext,
        _facts: &FilingFacts,
    ) -> Result<Option<FilingTerms>, ConverterError> {
        Ok(None)
    }

    /// The structured document with a mark of [`filing_terms`](Self::filing_terms) put on, and the same amount due;
    /// [`ConverterError::UnknownRegime`] also where that says nothing.
    async fn marked(
        &self,
        key: &RegimeKey,
        _document: &StructuredDocument,
        _mark: &FilingMark,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        Err(ConverterError::UnknownRegime(key.clone()))
    }

    /// Everything that would make the authority refuse the document.
    async fn check(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<PluginOutput<Vec<Fault>>, ConverterError>;

    /// What is uploaded to the provider; [`ConverterError::Faults`] when the plugin refuses the document.
    async fn convert(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError>;

    /// A recipient's identity in the terms of the tax system.
    async fn map_identity(
        &self,
        key: &RegimeKey,
        recipient: &Recipient,
    ) -> Result<PluginOutput<Identity>, ConverterError>;

    /// What the provider's report means.
    async fn interpret(
        &self,
        key: &RegimeKey,
        report: &ProviderReport,
    ) -> Result<PluginOutput<Verdict>, ConverterError>;
}

/// The renderer in force, as far as it says what a workspace may set.
#[async_trait]
pub trait TemplateSchema: Send + Sync + std::fmt::Debug {
    /// JSON Schema of a template. None while no renderer can be asked.
    async fn template_schema(&self) -> Option<Value>;
}

/// An event of the log on its way to the message bus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutgoingEvent {
    /// Its place in the feed, from 1 without gaps.
    pub position: i64,
    /// Consumers deduplicate by it.
    pub id: EventId,
    /// CloudEvents source: `/invoicing`, `/finance` or `/platform`.
    pub source: String,
    /// CloudEvents type.
    pub kind: String,
    /// Who may not see it is not shown the event.
    pub workspace: WorkspaceId,
    /// What it happened to.
    pub subject: Uuid,
    /// The whole event as CloudEvents 1.0 JSON.
    pub body: String,
}

/// Why the bus did not take or give events. The log keeps them, so the call is repeated.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the event bus did not answer ({detail}): it is asked again")]
pub struct BusError {
    /// What happened, without secrets.
    pub detail: String,
}

/// Where relayed events go. The event log stays the truth: whoever consumes reads the log, and hears from the bus
/// that there is something to read, so what a bus loses, doubles or reorders changes nothing inside the gateway.
#[async_trait]
pub trait EventSink: Send + Sync + std::fmt::Debug {
    /// The name under which the relay remembers how far the sink has taken the feed. None for a sink that keeps
    /// nothing: it is only given the newest event of each round.
    fn cursor_name(&self) -> Option<&'static str>;

    /// Takes events, in the order of the feed. Those that it has taken before are not kept twice. When the call
    /// fails, some of the first ones may have been taken.
    async fn publish(&self, events: &[OutgoingEvent]) -> Result<(), BusError>;

    /// Opens the subscription of a consumer; all processes of one consumer share it.
    async fn subscribe(&self, consumer: &str) -> Result<Box<dyn Subscription>, BusError>;
}

/// What a consumer hears from the bus.
#[async_trait]
pub trait Subscription: Send + std::fmt::Debug {
    /// Waits for news, at most `timeout`, and says up to which position of the feed there are any. None is no
    /// promise that there are none.
    async fn next_position(&mut self, timeout: Duration) -> Result<Option<i64>, BusError>;

    /// The consumer is done, durably, with everything up to this position.
    async fn done(&mut self, position: i64) -> Result<(), BusError>;
}
