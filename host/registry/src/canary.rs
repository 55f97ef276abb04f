//! What the plugin in force and the one that is to replace it make of the last real invoices, before anybody depends on it.

use super::{CanaryResult, Difference, PluginError, PluginName, Plugins, Runtime, SampleResult};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{Invoice, InvoiceNumber, State};
use gateway_domain::regime::{PluginRef, RegimeContext, RegimeInvoice, RegimeKey};
use gateway_finance::{Finance, ReadError};
use gateway_storage::plugins as store;
use std::collections::BTreeSet;

/// Documents tried.
const DOCUMENTS_MAX: usize = 5;
/// Workspaces looked into for them, those configured last.
const WORKSPACES_MAX: i64 = 20;

/// One document through both.
#[derive(Debug, Clone, PartialEq)]
pub struct CanaryDocument {
    /// The supplier of the document.
    pub workspace: WorkspaceId,
    /// The real document that was tried.
    pub document: InvoiceId,
    /// Of the invoice that is tried; nothing is sent under it.
    pub number: String,
    /// What the version in force makes of it; none when there is none.
    pub old: Option<CanaryResult>,
    /// What the new one makes of it.
    pub new: CanaryResult,
    /// What differs.
    pub differences: Vec<Difference>,
}

/// Every document that was tried.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CanaryCheck {
    /// The last invoices of whom the version is to serve, newest first.
    pub documents: Vec<CanaryDocument>,
    /// The version in force; none when there is none.
    pub against: Option<String>,
    /// The golden cases that the new version brings along.
    pub samples: Vec<SampleResult>,
}

impl CanaryCheck {
    /// Why the new version must not replace the old one; with `force`, only because it breaks.
    pub fn objection(&self, force: bool) -> Option<String> {
        let sample = self.samples.iter().find_map(|sample| {
            let why = sample.failure.as_ref()?;
            Some(format!("its own sample '{}' fails ({why}): mend it and build it again", sample.name))
        });
        sample.or_else(|| self.documents.iter().find_map(|document| document.objection(force)))
    }

    /// Documents that come out differently.
    pub fn differing(&self) -> usize {
        self.documents.iter().filter(|document| !document.differences.is_empty()).count()
    }
}

impl CanaryDocument {
    fn objection(&self, force: bool) -> Option<String> {
        let number = &self.number;
        match (&self.old, &self.new) {
            (Some(CanaryResult::Broken(_)), _) | (_, CanaryResult::Converted { .. }) => None,
            (_, CanaryResult::Broken(fault)) => Some(format!(
                "it breaks on invoice {number} ({}): the version in force goes on",
                fault.message
            )),
            (Some(CanaryResult::Converted { .. }), CanaryResult::Refused(faults)) if !force => {
                let fault = faults.first().map(|fault| format!("{}: {}", fault.code, fault.message));
                Some(format!(
                    "it refuses invoice {number}, which the version in force accepts ({}): force it if that is right",
                    fault.unwrap_or_default()
                ))
            }
            (_, CanaryResult::Refused(_)) => None,
        }
    }
}

/// A document as its regime receives it.
struct Case {
    document: Invoice,
    number: InvoiceNumber,
    invoice: RegimeInvoice,
    context: RegimeContext,
}

impl<R: Runtime> Plugins<R> {
    /// Runs the last documents of whom the plugin is to serve through it and through the version in force.
    pub(super) async fn check_canary(
        &self,
        finance: &Finance,
        new: &PluginRef,
        workspace: Option<WorkspaceId>,
        plugin: &R::Plugin,
    ) -> Result<CanaryCheck, PluginError> {
        let in_force = store::in_force(self.db()).await?;
        let of_key: Vec<_> = in_force.iter().filter(|row| row.plugin.key == new.key).collect();
        let at = |workspace| of_key.iter().find(|row| row.workspace == workspace && !row.blocked);
        let old = workspace.and_then(|id| at(Some(id))).or_else(|| at(None));
        let old = old.map(|row| &row.plugin).filter(|old| *old != new);
        let old_plugin = match old {
            // A version in force that does not load any more is no reason against another one.
            Some(old) => self.load_stored(old).await.ok(),
            None => None,
        };
        let own: BTreeSet<_> = of_key.iter().filter_map(|row| row.workspace).collect();
        let mut documents = Vec::new();
        for case in self.cases(finance, &new.key, workspace, &own).await? {
            let old = match &old_plugin {
                Some(old) => Some(self.run_case(old, &case).await?),
                None => None,
            };
            let new = self.run_case(plugin, &case).await?;
            let differences = old.as_ref().map(|old| old.differences(&new)).transpose()?.unwrap_or_default();
            let (workspace, document) = (case.document.workspace, case.document.id);
            documents.push(CanaryDocument {
                workspace,
                document,
                number: case.number.0,
                old,
                new,
                differences,
            });
        }
        let against = old.filter(|_| old_plugin.is_some()).map(|old| PluginName::from(old).version);
        Ok(CanaryCheck { documents, against, samples: Vec::new() })
    }

    async fn run_case(&self, plugin: &R::Plugin, case: &Case) -> Result<CanaryResult, PluginError> {
        CanaryResult::of(
            self.0.runtime.trial(plugin, &case.invoice, &case.context).await,
            &case.document.totals,
        )
    }

    async fn cases(
        &self,
        finance: &Finance,
        key: &RegimeKey,
        workspace: Option<WorkspaceId>,
        own: &BTreeSet<WorkspaceId>,
    ) -> Result<Vec<Case>, PluginError> {
        let workspaces = match workspace {
            Some(workspace) => vec![workspace],
            None => store::workspaces(self.db(), key, WORKSPACES_MAX).await?,
        };
        let mut documents = Vec::new();
        let most = i64::try_from(DOCUMENTS_MAX).unwrap_or(i64::MAX);
        for id in workspaces.into_iter().filter(|id| workspace.is_some() || !own.contains(id)) {
            documents.extend(finance.last_numbered(id, most).await?);
        }
        documents.sort_by_key(|document| std::cmp::Reverse((document.created_at, document.id)));
        documents.truncate(DOCUMENTS_MAX);
        let mut cases = Vec::new();
        for document in documents {
            let Some(number) = number_of(&document) else { continue };
            match finance.regime_input(&document, Some(number.clone())).await? {
                Some((regime, invoice, context)) if regime == *key => {
                    cases.push(Case { document, number, invoice, context });
                }
                Some(_) | None => {}
            }
        }
        Ok(cases)
    }
}

fn number_of(document: &Invoice) -> Option<InvoiceNumber> {
    match &document.state {
        State::Draft => None,
        State::Issuing { number, .. } | State::Issued { number, .. } | State::Rejected { number, .. } => {
            Some(number.clone())
        }
    }
}

impl From<ReadError> for PluginError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::Store(error) => Self::Store(error),
            ReadError::InvoiceData(error) => Self::Documents(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway_domain::fault::Fault;
    use serde_json::json;

    fn canary_of(old: Option<CanaryResult>, new: CanaryResult) -> CanaryCheck {
        let (workspace, document) = (WorkspaceId(1), InvoiceId(uuid::Uuid::nil()));
        let number = "F-1".to_owned();
        let document = CanaryDocument { workspace, document, number, old, new, differences: Vec::new() };
        CanaryCheck { documents: vec![document], ..CanaryCheck::default() }
    }

    #[test]
    fn a_version_that_does_not_keep_its_own_samples_is_never_put_in_force() {
        let failing = |failure: Option<&str>| CanaryCheck {
            samples: vec![SampleResult { name: "person".to_owned(), failure: failure.map(str::to_owned) }],
            ..CanaryCheck::default()
        };
        assert_eq!(failing(None).objection(false), None);
        for force in [false, true] {
            let sentence = failing(Some("it traps")).objection(force).unwrap();
            assert_eq!(sentence, "its own sample 'person' fails (it traps): mend it and build it again");
        }
    }

    #[test]
    fn a_new_version_may_not_break_nor_refuse_what_the_old_one_accepts() {
        let converted = || CanaryResult::Converted { document: json!({}), faults: Vec::new() };
        let fault = || Fault::error("X-1", "/notes", "no notes");
        let (refused, broken) = (|| CanaryResult::Refused(vec![fault()]), || CanaryResult::Broken(fault()));
        for (old, new, force, objects) in [
            (Some(converted()), converted(), false, false),
            (Some(converted()), refused(), false, true),
            (Some(converted()), refused(), true, false),
            (Some(converted()), broken(), true, true),
            (Some(refused()), refused(), false, false),
            (Some(refused()), broken(), false, true),
            (Some(broken()), broken(), false, false),
            (None, refused(), false, false),
            (None, broken(), false, true),
        ] {
            let canary = canary_of(old, new);
            assert_eq!(canary.objection(force).is_some(), objects, "{canary:?} {force}");
        }
    }
}
