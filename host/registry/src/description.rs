//! What a plugin says of itself, as operators see it.

use gateway_domain::regime::{
    CategoryChoice, Choice, EvidenceDescription, RegimeDescription, RegimeDocumentKind, RegimeKey, Rounding,
};
use gateway_domain_rules::RuleSet;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

/// What a plugin says of itself: title, kinds of document, categories with rates, exemptions, retentions, keys of `ext`,
/// the JSON Schema of its settings, what the gateway checks of the proofs of its authority, and which rules change on a day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct PluginDescription {
    /// The key workspaces are configured with.
    #[schema(value_type = String, examples("es-verifactu"))]
    pub key: RegimeKey,
    /// For people.
    #[schema(examples("Spain: VERI*FACTU"))]
    pub title: String,
    /// ISO 3166-1 alpha-2.
    #[schema(examples("ES"))]
    pub country: String,
    /// What the authority's system is called.
    #[schema(examples("VERI*FACTU"))]
    pub tax_system: String,
    /// Semantic version of the plugin.
    #[schema(examples("0.1.0"))]
    pub version: String,
    /// Kinds of document it converts.
    pub kinds: Vec<RegimeDocumentKind>,
    /// Tax categories.
    pub categories: Vec<CategoryChoice>,
    /// Exemptions.
    pub exemptions: Vec<Choice>,
    /// Taxes a recipient may withhold.
    pub retentions: Vec<CategoryChoice>,
    /// How its format rounds.
    pub rounding: Rounding,
    /// JSON Schema of a workspace's settings.
    pub settings_schema: Value,
    /// Members of the supplier that a workspace has to fill.
    pub required_workspace_fields: Vec<String>,
    /// What `ext` of a document or of a line may say, by key. Only where there is something.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ext: Vec<Choice>,
    /// What the gateway checks by itself of the authority's proofs and answers; null where the plugin does not say.
    #[schema(required)]
    pub evidence: Option<EvidenceDescription>,
    /// Rules that change on a day; empty where the plugin names none.
    #[schema(max_items = 200)]
    pub rules: Vec<RuleSet>,
}

impl PluginDescription {
    /// What a plugin says.
    pub fn new(
        description: &RegimeDescription,
        evidence: Option<&EvidenceDescription>,
        rules: &[RuleSet],
    ) -> Self {
        let RegimeDescription {
            key,
            title,
            country,
            tax_system,
            version,
            kinds,
            categories,
            exemptions,
            retentions,
            rounding,
            settings_schema,
            required_workspace_fields,
            ext,
        } = description.clone();
        Self {
            key,
            title,
            country,
            tax_system,
            version,
            kinds,
            categories,
            exemptions,
            retentions,
            rounding,
            settings_schema,
            required_workspace_fields,
            ext,
            evidence: evidence.cloned(),
            rules: rules.to_vec(),
        }
    }
}
