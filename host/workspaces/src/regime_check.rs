//! What is refused at set-up rather than at the first invoice: a regime that nobody serves, and a supplier that the regime's
//! plugin does not take for one of its country.
//!
//! Which regimes there are is asked of the plugins: those in force, and every version that is installed. While there is none
//! at all, a configuration may come before its plugin, and any key is taken. What a tax id looks like is the plugin's
//! business too: its `check` is given a document with nothing but the supplier to object to.

use super::draft::Draft;
use super::{WorkspaceChange, WorkspaceError, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Content, DocumentKind, Ext, Line, LineTax, Totals};
use gateway_domain::money::Amount;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::{RegimeContext, RegimeDescription, RegimeInvoice, RegimeKey};
use gateway_domain::workspace::{EInvoicing, Workspace};
use gateway_domain::{ErrorCode, FieldError, StoreError};
use gateway_domain_input::nearest;
use gateway_storage::{plugins, workspaces as store};
use jiff::civil::Date;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::sync::Arc;
use uuid::Uuid;

/// Members of the supplier that are always there: what a regime objects to in them is wrong, and not only missing as yet.
const REQUIRED_MEMBERS: [(&str, &str); 2] =
    [("/supplier/tax_id", "tax_id"), ("/supplier/country", "country")];
/// Most known regimes that a refusal lists.
const LISTED_MAX: usize = 20;

impl Workspaces {
    /// Refuses a regime that no plugin serves, unless there are no plugins yet or the workspace has it already.
    ///
    /// # Errors
    /// No plugin serves it; the sentence suggests one.
    pub async fn check_regime(
        &self,
        workspace: WorkspaceId,
        regime: &RegimeKey,
    ) -> Result<(), WorkspaceError> {
        let known = self.known_regimes(workspace).await?;
        if known.is_empty() || known.contains(regime.as_str()) {
            return Ok(());
        }
        // Its plugin was taken away: whoever changes a token has not chosen a regime.
        let stored = store::e_invoicing(self.db(), workspace).await?;
        if stored.is_some_and(|stored| stored.configuration.regime == *regime) {
            return Ok(());
        }
        let message = unknown_regime(regime.as_str(), &known);
        Err(WorkspaceError::invalid("regime", ErrorCode::RegimeUnknown, message))
    }

    /// Reads the key of a regime that was typed.
    ///
    /// # Errors
    /// No plugin serves it, or it is no key; the sentence suggests one.
    pub async fn typed_regime(
        &self,
        workspace: WorkspaceId,
        typed: &str,
    ) -> Result<RegimeKey, WorkspaceError> {
        if let Ok(regime) = typed.parse() {
            self.check_regime(workspace, &regime).await?;
            return Ok(regime);
        }
        let message = unknown_regime(typed, &self.known_regimes(workspace).await?);
        Err(WorkspaceError::invalid("regime", ErrorCode::RegimeUnknown, message))
    }

    /// Every regime that has a plugin, in force or only installed.
    async fn known_regimes(&self, workspace: WorkspaceId) -> Result<BTreeSet<String>, StoreError> {
        let serving = Arc::clone(&self.parts.regimes).within(workspace).regimes();
        let serving = serving.into_iter().map(|(description, _)| description.key.to_string());
        let installed = plugins::versions(self.db(), None).await?;
        Ok(serving.chain(installed.into_iter().map(|version| version.plugin.key.to_string())).collect())
    }

    /// What the plugin of the regime objects to in the supplier's tax id and country. Nothing while no plugin serves the
    /// regime, or when it gives no answer: it is asked again before every invoice.
    pub(super) async fn objections(
        &self,
        workspace: &Workspace,
        configuration: &EInvoicing,
        prefix: &str,
    ) -> Vec<FieldError> {
        let regimes = Arc::clone(&self.parts.regimes).within(workspace.id);
        let Some((description, _)) = regimes.describe(&configuration.regime) else { return Vec::new() };
        let now = self.now().to_zoned(workspace.time_zone.clone());
        let id = InvoiceId(self.parts.ids.next());
        let Some(invoice) = blank(id, &description, now.date()) else { return Vec::new() };
        let context = RegimeContext {
            now,
            settings: configuration.settings.clone(),
            supplier: workspace.supplier.clone(),
            company_id: configuration.company_id.to_string(),
        };
        let faults = match regimes.check(&configuration.regime, &invoice, &context).await {
            Ok(output) => output.value,
            Err(ConverterError::Faults(faults)) => faults,
            Err(error) => {
                tracing::warn!(workspace.id = %workspace.id, "The supplier was not checked at set-up: {error}");
                return Vec::new();
            }
        };
        faults.iter().filter(|fault| fault.stops()).filter_map(|fault| objection(fault, prefix)).collect()
    }

    /// What the only regime in force of a workspace's country objects to in its tax id and country, before it is configured.
    pub async fn remarks(&self, workspace: &Workspace) -> Vec<FieldError> {
        let serving = Arc::clone(&self.parts.regimes).within(workspace.id).regimes();
        let country = &workspace.supplier.country;
        let of_country: Vec<_> = serving.iter().filter(|(known, _)| known.country == *country).collect();
        let [(description, _)] = of_country.as_slice() else { return Vec::new() };
        let configuration = EInvoicing {
            regime: description.key.clone(),
            company_id: Uuid::nil(),
            workflow_id: Uuid::nil(),
            settings: Value::Object(Map::new()),
        };
        self.objections(workspace, &configuration, "").await
    }

    /// The same for a stored workspace that is to be configured like this.
    pub(super) async fn check_supplier(
        &self,
        workspace: WorkspaceId,
        configuration: &EInvoicing,
    ) -> Result<(), WorkspaceError> {
        let found = store::find(self.db(), workspace).await?.ok_or(WorkspaceError::Unknown(workspace))?;
        if found.supplier.tax_id.trim().is_empty() {
            return Ok(());
        }
        let objections = self.objections(&found, configuration, "supplier.").await;
        if objections.is_empty() { Ok(()) } else { Err(WorkspaceError::Invalid(objections)) }
    }

    /// The same for a change of a configured workspace. Who changes something else is not held up by what is stored.
    pub(super) async fn check_change(
        &self,
        id: WorkspaceId,
        change: &WorkspaceChange,
    ) -> Result<(), WorkspaceError> {
        if change.tax_id.is_none() && change.country.is_none() {
            return Ok(());
        }
        let Some(stored) = store::find(self.db(), id).await? else { return Ok(()) };
        let workspace = Draft::check(&change.over(&stored))?.into_workspace(id, false)?;
        let objections = self.supplier_objections(&workspace).await?;
        if objections.is_empty() { Ok(()) } else { Err(WorkspaceError::Invalid(objections)) }
    }

    /// What the plugin of a configured workspace would object to in its tax id and country, were they these. Nothing while
    /// the workspace is not configured.
    pub async fn supplier_objections(&self, workspace: &Workspace) -> Result<Vec<FieldError>, StoreError> {
        let Some(sealed) = store::e_invoicing(self.db(), workspace.id).await? else { return Ok(Vec::new()) };
        Ok(self.objections(workspace, &sealed.configuration, "").await)
    }
}

/// A fault of the supplier as a mistake of what was sent; none where it is about something else.
fn objection(fault: &Fault, prefix: &str) -> Option<FieldError> {
    let (_, member) = REQUIRED_MEMBERS.iter().find(|(path, _)| *path == fault.path)?;
    let message = format!("{} ({})", fault.message.trim_end_matches('.'), fault.code);
    Some(FieldError::new(format!("{prefix}{member}"), ErrorCode::SupplierRefused, message))
}

fn unknown_regime(regime: &str, known: &BTreeSet<String>) -> String {
    if let Some(near) = nearest(regime, known.iter().map(String::as_str)) {
        return format!("no plugin serves the tax regime '{regime}': did you mean '{near}'?");
    }
    let listed = known.iter().take(LISTED_MAX).cloned().collect::<Vec<_>>().join(", ");
    format!("no plugin serves the tax regime '{regime}': install its plugin first, or use one of {listed}")
}

/// A document for nobody, with one line that costs nothing; none where the regime's first rate cannot be computed with.
fn blank(id: InvoiceId, description: &RegimeDescription, today: Date) -> Option<RegimeInvoice> {
    let category = description.categories.first();
    let rate = category.and_then(|category| category.rates.first()).map(|rate| rate.percent);
    let tax = |category: String| LineTax { category, rate, surcharge: None, exemption: None };
    let line = category.map(|category| Line {
        transaction_id: None,
        description: "Set-up".to_owned(),
        quantity: Amount::new(1, 0).unwrap_or(Amount::zero(0)),
        unit_price: Amount::zero(2),
        tax: tax(category.key.clone()),
        period: None,
        ext: Ext::new(),
    });
    let content = Content {
        document_type: DocumentKind::Invoice,
        currency: "EUR".to_owned(),
        booking_id: None,
        issue_date: Some(today),
        operation_date: None,
        prices_include_tax: false,
        recipient: None,
        lines: line.into_iter().collect(),
        retentions: Vec::new(),
        referenced_document_ids: Vec::new(),
        notes: None,
        payment: None,
        ext: Ext::new(),
    };
    let totals = Totals::rounded(&content, description.rounding).ok()?;
    RegimeInvoice::of(id, &content, &totals, None, Vec::new(), today)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(keys: &[&str]) -> BTreeSet<String> {
        keys.iter().map(|key| (*key).to_owned()).collect()
    }

    #[test]
    fn a_misspelt_regime_is_told_the_one_that_was_meant() {
        let keys = known(&["es-sii", "es-tbai", "es-verifactu"]);
        let message = |regime: &str| unknown_regime(regime, &keys);
        assert_eq!(
            message("es-verifactoo"),
            "no plugin serves the tax regime 'es-verifactoo': did you mean 'es-verifactu'?"
        );
        assert_eq!(message("es-si"), "no plugin serves the tax regime 'es-si': did you mean 'es-sii'?");
        assert_eq!(
            message("pt-saft"),
            "no plugin serves the tax regime 'pt-saft': install its plugin first, or use one of es-sii, es-tbai, es-verifactu"
        );
    }

    #[test]
    fn only_what_is_wrong_with_tax_id_and_country_is_refused_at_set_up() {
        let refusal =
            |path: &str| objection(&Fault::error("XX-01", path, "It is wrong; correct it."), "supplier.");
        let refused = refusal("/supplier/tax_id").unwrap();
        assert_eq!((refused.field.as_str(), refused.code), ("supplier.tax_id", ErrorCode::SupplierRefused));
        assert_eq!(refused.message, "It is wrong; correct it (XX-01)");
        for path in ["/supplier/address", "/supplier/email", "/recipient", "/lines/0/tax", ""] {
            assert_eq!(refusal(path), None, "{path}");
        }
    }
}
