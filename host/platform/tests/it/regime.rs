//! A tax regime that takes no tax id with an X at its end.

use async_trait::async_trait;
use gateway_domain::fault::Fault;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::Recipient;
use gateway_domain::ports::{Converter, ConverterError, PluginOutput, Regimes};
use gateway_domain::regime::{
    EvidenceDescription, Identity, PluginRef, ProviderReport, RegimeContext, RegimeDescription,
    RegimeInvoice, RegimeKey, Rounding, StructuredDocument, Verdict,
};
use serde_json::json;
use std::sync::Arc;

/// The regime, under every key.
#[derive(Debug)]
pub(crate) struct StrictRegime;

fn plugin(key: &RegimeKey) -> PluginRef {
    PluginRef { key: key.clone(), version: "1.0.0".to_owned(), digest: "d".repeat(64) }
}

impl Regimes for StrictRegime {
    fn within(self: Arc<Self>, _: WorkspaceId) -> Arc<dyn Converter> {
        self
    }
}

#[async_trait]
impl Converter for StrictRegime {
    fn regimes(&self) -> Vec<(Arc<RegimeDescription>, PluginRef)> {
        Vec::new()
    }

    fn describe(&self, key: &RegimeKey) -> Option<(Arc<RegimeDescription>, PluginRef)> {
        let description = RegimeDescription {
            key: key.clone(),
            title: "Strict".to_owned(),
            country: "ES".to_owned(),
            tax_system: "strict".to_owned(),
            version: "1.0.0".to_owned(),
            kinds: Vec::new(),
            categories: Vec::new(),
            exemptions: Vec::new(),
            retentions: Vec::new(),
            rounding: Rounding::Precise,
            settings_schema: json!({}),
            required_workspace_fields: Vec::new(),
            ext: Vec::new(),
        };
        Some((Arc::new(description), plugin(key)))
    }

    fn evidence(&self, _: &RegimeKey) -> Option<Arc<EvidenceDescription>> {
        None
    }

    async fn check(
        &self,
        key: &RegimeKey,
        _: &RegimeInvoice,
        context: &RegimeContext,
    ) -> Result<PluginOutput<Vec<Fault>>, ConverterError> {
        let wrong = context.supplier.tax_id.ends_with('X');
        let fault = Fault::error("XX-01", "/supplier/tax_id", "It ends with another letter; correct it.");
        let value = if wrong { vec![fault] } else { Vec::new() };
        Ok(PluginOutput { value, plugin: plugin(key) })
    }

    async fn convert(
        &self,
        key: &RegimeKey,
        _: &RegimeInvoice,
        _: &RegimeContext,
    ) -> Result<PluginOutput<StructuredDocument>, ConverterError> {
        Err(ConverterError::UnknownRegime(key.clone()))
    }

    async fn map_identity(
        &self,
        key: &RegimeKey,
        _: &Recipient,
    ) -> Result<PluginOutput<Identity>, ConverterError> {
        Err(ConverterError::UnknownRegime(key.clone()))
    }

    async fn interpret(
        &self,
        key: &RegimeKey,
        _: &ProviderReport,
    ) -> Result<PluginOutput<Verdict>, ConverterError> {
        Err(ConverterError::UnknownRegime(key.clone()))
    }
}
