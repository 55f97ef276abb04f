//! Calling: one method per function of the contract, and the domain's `Converter` port.

use crate::breaker::Stop;
use crate::defect::{Failure, functions_of_trap, stopped};
use crate::guest::{CallTrace, Guest, store};
use crate::host::PluginHost;
use crate::load::Plugin;
use crate::options::{CallOutcome, CallReport, Function};
use crate::serving::{Callee, Scope};
use async_trait::async_trait;
use gateway_domain::fault::Fault;
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::Recipient;
use gateway_domain::money::Amount;
use gateway_domain::ports::{Converter, ConverterError, PluginOutput};
use gateway_domain::regime::{
    AmendDescription, AuthorityAnswer, AuthorityOutcome, AuthoritySubmission, EvidenceDescription, Filing,
    FilingFacts, FilingMark, FilingTerms, Identity, PluginRef, PrintingDescription, ProviderReport,
    RegimeAmendment, RegimeContext, RegimeDescription, RegimeInvoice, RegimeKey, StructuredDocument, Verdict,
};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, SemaphorePermit};
use tokio::time::timeout;
use tracing::{Instrument, info_span};
use wasmtime::Store;

/// A call that has its permit.
struct PluginCall<'h> {
    host: &'h PluginHost,
    plugin: Arc<Plugin>,
    function: Function,
    document: Option<InvoiceId>,
    started: Instant,
    trace: CallTrace,
    _permits: (OwnedSemaphorePermit, SemaphorePermit<'h>),
}

impl PluginCall<'_> {
    /// A fresh store: dropped with everything in it when the answer is there.
    fn store(&self) -> Store<Guest> {
        let limits = &self.host.limits;
        store((&self.host.engine, &self.host.ticker), limits, limits.deadline, self.trace.clone())
    }

    /// Waits for the answer, counts and reports the call and explains a failure.
    async fn finish<T>(
        self,
        answer: impl Future<Output = Result<T, Failure>>,
    ) -> Result<PluginOutput<T>, ConverterError> {
        let span = info_span!(
            "plugin",
            otel.name = %format_args!("plugin {}", self.function.as_str()),
            plugin = %self.plugin.name(),
            function = self.function.as_str()
        );
        let answer = self.host.within_deadline(answer).instrument(span).await;
        let outcome = answer.as_ref().map_or_else(Failure::outcome, |_| CallOutcome::Answered);
        let mut functions = Vec::new();
        match &answer {
            Err(Failure::Stopped(error)) => {
                functions = functions_of_trap(error);
                self.count(&stopped(error, self.function, &self.host.limits).what);
            }
            Err(Failure::Starved | Failure::Input(_)) => {}
            Ok(_) | Err(_) => self.plugin.breaker.answered(self.function),
        }
        let (name, limits) = (self.plugin.name(), &self.host.limits);
        let failure = answer.as_ref().err();
        let said = failure.and_then(|failure| failure.for_author(&name, self.function, limits, &self.trace));
        let answer = answer.map_err(|failure| failure.explain(&name, self.function, limits, &self.trace));
        self.host.report(&CallReport {
            plugin: self.plugin.identity().clone(),
            function: self.function,
            duration: self.started.elapsed(),
            outcome,
            memory_peak_bytes: self.trace.peak.bytes(),
            blocked: self.plugin.breaker.is_blocked(),
            stopped_in: functions,
            for_author: said,
            stderr: self.trace.stderr.text(),
        });
        answer.map(|value| PluginOutput { value, plugin: self.plugin.identity().clone() })
    }

    /// Counts that the plugin was stopped, and tells the operator when that blocks it.
    fn count(&self, what: &str) {
        let breaker = &self.plugin.breaker;
        let stop = Stop { at: Instant::now(), document: self.document };
        if breaker.record_stop(self.function, stop, what, &self.host.limits)
            && let Some((_, reason)) = breaker.blocked()
        {
            tracing::error!(plugin = self.plugin.name(), reason, "a plugin is blocked");
        }
    }
}

impl PluginHost {
    /// Waits for one of the engine's slots; busy when none is free within `limits.queue`.
    pub(crate) async fn acquire_permit(&self) -> Result<SemaphorePermit<'_>, ConverterError> {
        match timeout(self.limits.queue, self.permits.acquire()).await {
            Ok(Ok(permit)) => Ok(permit),
            Ok(Err(_)) | Err(_) => Err(ConverterError::Busy),
        }
    }

    /// A permit of this plugin, then one of the host: who waits for the plugin takes nothing from others.
    pub(crate) async fn permits_for(
        &self,
        plugin: &Plugin,
    ) -> Result<(OwnedSemaphorePermit, SemaphorePermit<'_>), ConverterError> {
        let both = async {
            let own = Arc::clone(&plugin.permits).acquire_owned().await.ok()?;
            Some((own, self.permits.acquire().await.ok()?))
        };
        timeout(self.limits.queue, both).await.ok().flatten().ok_or(ConverterError::Busy)
    }

    /// The plugin's own deadline counts the time in which it ran; this one ends a call that never gets to run.
    pub(crate) async fn within_deadline<T>(
        &self,
        answer: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        timeout(self.limits.answer_timeout, answer).await.unwrap_or(Err(Failure::Starved))
    }

    /// A call of the plugin that serves, or of the one in force where a canary misbehaves: no document suffers from a canary.
    async fn call<T, A: Future<Output = Result<T, Failure>>>(
        &self,
        (key, document): (&RegimeKey, Option<InvoiceId>),
        callee: Option<Callee>,
        function: Function,
        ask: impl Fn(Arc<Plugin>, Store<Guest>) -> A,
    ) -> Result<PluginOutput<T>, ConverterError> {
        let callee = callee.ok_or_else(|| ConverterError::UnknownRegime(key.clone()))?;
        match (self.call_one(&callee.plugin, (function, document), &ask).await, &callee.in_force) {
            (Err(ConverterError::Broken(fault)), Some(in_force)) => {
                let (name, takes_over) = (callee.plugin.name(), in_force.name());
                tracing::warn!(
                    plugin = name,
                    function = function.as_str(),
                    "The canary {name} leaves a document to {takes_over}: {}",
                    fault.message
                );
                self.call_one(in_force, (function, document), &ask).await
            }
            (answer, _) => answer,
        }
    }

    async fn call_one<T, A: Future<Output = Result<T, Failure>>>(
        &self,
        plugin: &Arc<Plugin>,
        (function, document): (Function, Option<InvoiceId>),
        ask: &impl Fn(Arc<Plugin>, Store<Guest>) -> A,
    ) -> Result<PluginOutput<T>, ConverterError> {
        let call = self.begin(plugin, function, document).await?;
        let answer = ask(Arc::clone(plugin), call.store());
        call.finish(answer).await
    }

    /// A call for whom the plugin serves.
    async fn call_for<T, A: Future<Output = Result<T, Failure>>>(
        &self,
        (key, scope): (&RegimeKey, &Scope),
        function: Function,
        ask: impl Fn(Arc<Plugin>, Store<Guest>) -> A,
    ) -> Result<PluginOutput<T>, ConverterError> {
        let callee = self.serving.look().callee(key, scope);
        self.call((key, scope.document()), callee, function, ask).await
    }

    async fn begin(
        &self,
        plugin: &Arc<Plugin>,
        function: Function,
        document: Option<InvoiceId>,
    ) -> Result<PluginCall<'_>, ConverterError> {
        let permits = self.permits_for(plugin).await?;
        if let Some((_, reason)) = plugin.breaker.blocked() {
            self.report(&CallReport {
                plugin: plugin.identity().clone(),
                function,
                duration: Duration::ZERO,
                outcome: CallOutcome::Blocked,
                memory_peak_bytes: 0,
                blocked: true,
                stopped_in: Vec::new(),
                for_author: None,
                stderr: None,
            });
            let trace = CallTrace::default();
            return Err(Failure::Blocked(reason).explain(&plugin.name(), function, &self.limits, &trace));
        }
        let (started, trace) = (Instant::now(), CallTrace::default());
        let plugin = Arc::clone(plugin);
        Ok(PluginCall { host: self, plugin, function, document, started, trace, _permits: permits })
    }

    fn report(&self, report: &CallReport) {
        if let Some(observer) = &self.observer {
            observer(report);
        }
    }

    /// What a sound plugin of any contract keeps: the size, and the invoice's own amount due.
    pub(crate) fn examine(
        &self,
        document: StructuredDocument,
        invoice: &RegimeInvoice,
    ) -> Result<StructuredDocument, Failure> {
        self.compare(document, invoice.totals.payable)
    }

    /// The same where only the amount due is at hand.
    fn compare(&self, document: StructuredDocument, payable: Amount) -> Result<StructuredDocument, Failure> {
        if document.body.len() > self.limits.document_bytes {
            return Err(Failure::Oversize("a document of too many bytes", self.limits.document_bytes));
        }
        if !document.payable.same_value(payable) {
            return Err(Failure::Payable(document.payable.to_string(), payable.to_string()));
        }
        Ok(document)
    }
}

/// The functions of the contract, on the plugin that serves a workspace or one of its documents (or, for neither, on the
/// default).
impl PluginHost {
    /// Every regime that serves there, by key.
    pub fn regimes_for(&self, scope: &Scope) -> Vec<(Arc<RegimeDescription>, PluginRef)> {
        self.serving.look().of(scope).map(|plugin| introduce(plugin)).collect()
    }

    /// What the gateway checks by itself of the proofs of the regime's authority; none without a plugin, or when it does
    /// not say.
    pub fn evidence_for(&self, key: &RegimeKey, scope: &Scope) -> Option<Arc<EvidenceDescription>> {
        self.plugin_for(key, scope)?.evidence().cloned()
    }

    /// What documents of the regime show; none without a plugin, or when it does not say.
    pub fn printing_for(&self, key: &RegimeKey, scope: &Scope) -> Option<Arc<PrintingDescription>> {
        self.plugin_for(key, scope)?.printing().cloned()
    }

    /// What of an accepted document may be amended; none without a plugin, or when its system takes no record again.
    pub fn amendable_for(&self, key: &RegimeKey, scope: &Scope) -> Option<Arc<AmendDescription>> {
        self.plugin_for(key, scope)?.amendable().cloned()
    }

    /// What is stored at the provider for an amendment, after its payable amount was compared with the host's own.
    pub async fn convert_amendment_for(
        &self,
        key: &RegimeKey,
        scope: &Scope,
        amendment: &RegimeAmendment,
        context: &RegimeContext,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        self.call_for((key, scope), Function::ConvertAmendment, |plugin, store| async move {
            let document = plugin.abi.convert_amendment(store, amendment, context).await?;
            self.examine(document, &amendment.amended)
        })
        .await
    }

    /// Until when the law wants the document filed; none without a plugin, or when it keeps no legal clock.
    pub async fn filing_terms_for(
        &self,
        key: &RegimeKey,
        scope: &Scope,
        (invoice, context): (&RegimeInvoice, &RegimeContext),
        facts: &FilingFacts,
    ) -> Result<Option<FilingTerms>, ConverterError> {
        if !self.plugin_for(key, scope).is_some_and(|plugin| plugin.abi.has_deadline()) {
            return Ok(None);
        }
        let answer = self
            .call_for((key, scope), Function::Due, |plugin, store| async move {
                plugin.abi.filing_terms(store, (invoice, context), facts).await
            })
            .await?;
        Ok(Some(answer.value))
    }

    /// The structured document with a mark put on, after its amount due was compared with that of the document before.
    pub async fn marked_for(
        &self,
        key: &RegimeKey,
        scope: &Scope,
        document: &StructuredDocument,
        mark: &FilingMark,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        self.call_for((key, scope), Function::Marked, |plugin, store| async move {
            let marked = plugin.abi.marked(store, document, mark).await?;
            self.compare(marked, document.payable)
        })
        .await
    }

    /// Everything that would make the authority refuse the document.
    pub async fn check_for(
        &self,
        key: &RegimeKey,
        scope: &Scope,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<PluginOutput<Vec<Fault>>, ConverterError> {
        self.call_for((key, scope), Function::Check, |plugin, store| async move {
            plugin.abi.check(store, invoice, context).await
        })
        .await
    }

    /// What is stored at the provider, after its payable amount was compared with the host's own.
    pub async fn convert_for(
        &self,
        key: &RegimeKey,
        scope: &Scope,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        self.call_for((key, scope), Function::Convert, |plugin, store| async move {
            let document = plugin.abi.convert(store, invoice, context).await?;
            self.examine(document, invoice)
        })
        .await
    }

    /// A recipient's identity in the terms of the tax system.
    pub async fn map_identity_for(
        &self,
        key: &RegimeKey,
        scope: &Scope,
        recipient: &Recipient,
    ) -> Result<PluginOutput<Identity>, ConverterError> {
        self.call_for((key, scope), Function::MapIdentity, |plugin, store| async move {
            plugin.abi.map_identity(store, recipient).await
        })
        .await
    }

    /// What the provider's report means.
    pub async fn interpret_for(
        &self,
        key: &RegimeKey,
        scope: &Scope,
        report: &ProviderReport,
    ) -> Result<PluginOutput<Verdict>, ConverterError> {
        self.call_for((key, scope), Function::Interpret, |plugin, store| async move {
            plugin.abi.interpret(store, report).await
        })
        .await
    }
}

/// The functions that serve no workspace.
impl PluginHost {
    /// Whether the active plugin of this regime can play its authority.
    pub fn has_sandbox(&self, key: &RegimeKey) -> bool {
        self.serving.look().any(key).is_some_and(|plugin| plugin.has_sandbox())
    }

    /// Under which names the authority files a structured document (JSON); `id` is the gateway's, where the document has it.
    pub async fn file(
        &self,
        key: &RegimeKey,
        id: Option<InvoiceId>,
        document: &str,
    ) -> Result<Filing, ConverterError> {
        let callee = self.serving.look().callee_of_any(key, id);
        let ask = |plugin: Arc<Plugin>, store| async move { plugin.abi.file(store, document).await };
        self.call((key, id), callee, Function::File, ask).await.map(|made| made.value)
    }

    /// What the authority does with a document; `id` is the gateway's, where the document has it.
    pub async fn submit(
        &self,
        key: &RegimeKey,
        id: Option<InvoiceId>,
        submission: &AuthoritySubmission,
    ) -> Result<AuthorityOutcome, ConverterError> {
        let callee = self.serving.look().callee_of_any(key, id);
        let ask = |plugin: Arc<Plugin>, store| async move { plugin.abi.submit(store, submission).await };
        self.call((key, id), callee, Function::Submit, ask).await.map(|made| made.value)
    }

    /// What the authority writes back about a document that [`submit`](Self::submit) handed to it; none at all of a plugin that
    /// does not say.
    pub async fn answers(
        &self,
        key: &RegimeKey,
        id: Option<InvoiceId>,
        submission: &AuthoritySubmission,
        outcome: &AuthorityOutcome,
    ) -> Result<Vec<AuthorityAnswer>, ConverterError> {
        let callee = self.serving.look().callee_of_any(key, id);
        if callee.as_ref().is_some_and(|callee| !callee.plugin.abi.has_answers()) {
            return Ok(Vec::new());
        }
        let ask =
            |plugin: Arc<Plugin>, store| async move { plugin.abi.answers(store, submission, outcome).await };
        self.call((key, id), callee, Function::Answers, ask).await.map(|made| made.value)
    }
}

fn introduce(plugin: &Plugin) -> (Arc<RegimeDescription>, PluginRef) {
    (Arc::clone(plugin.description()), plugin.identity().clone())
}

#[async_trait]
impl Converter for PluginHost {
    fn regimes(&self) -> Vec<(Arc<RegimeDescription>, PluginRef)> {
        self.regimes_for(&Scope::Default)
    }

    fn describe(&self, key: &RegimeKey) -> Option<(Arc<RegimeDescription>, PluginRef)> {
        self.plugin_for(key, &Scope::Default).map(|plugin| introduce(&plugin))
    }

    fn evidence(&self, key: &RegimeKey) -> Option<Arc<EvidenceDescription>> {
        self.evidence_for(key, &Scope::Default)
    }

    fn printing(&self, key: &RegimeKey) -> Option<Arc<PrintingDescription>> {
        self.printing_for(key, &Scope::Default)
    }

    fn amendable(&self, key: &RegimeKey) -> Option<Arc<AmendDescription>> {
        self.amendable_for(key, &Scope::Default)
    }

    async fn convert_amendment(
        &self,
        key: &RegimeKey,
        amendment: &RegimeAmendment,
        context: &RegimeContext,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        self.convert_amendment_for(key, &Scope::Default, amendment, context).await
    }

    async fn filing_terms(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
        facts: &FilingFacts,
    ) -> Result<Option<FilingTerms>, ConverterError> {
        self.filing_terms_for(key, &Scope::Default, (invoice, context), facts).await
    }

    async fn marked(
        &self,
        key: &RegimeKey,
        document: &StructuredDocument,
        mark: &FilingMark,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        self.marked_for(key, &Scope::Default, document, mark).await
    }

    async fn check(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<PluginOutput<Vec<Fault>>, ConverterError> {
        self.check_for(key, &Scope::Default, invoice, context).await
    }

    async fn convert(
        &self,
        key: &RegimeKey,
        invoice: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        self.convert_for(key, &Scope::Default, invoice, context).await
    }

    async fn map_identity(
        &self,
        key: &RegimeKey,
        recipient: &Recipient,
    ) -> Result<PluginOutput<Identity>, ConverterError> {
        self.map_identity_for(key, &Scope::Default, recipient).await
    }

    async fn interpret(
        &self,
        key: &RegimeKey,
        report: &ProviderReport,
    ) -> Result<PluginOutput<Verdict>, ConverterError> {
        self.interpret_for(key, &Scope::Default, report).await
    }
}
