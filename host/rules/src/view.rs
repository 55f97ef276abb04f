//! What is told of a draft, on the command line and over HTTP alike.

use gateway_domain::fault::Fault;
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain_rules::ports::ComingRules;
use gateway_domain_rules::{Draft, rules_begun};
use jiff::Zoned;
use serde::Serialize;
use utoipa::ToSchema;

/// Faults told of one draft.
pub const FAULTS_MAX: usize = 50;

/// How a draft was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CheckedOutcome {
    /// Something will stop it that does not stop it today.
    Refused,
    /// Nobody could say.
    Unchecked,
}

impl CheckedOutcome {
    /// As written in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Unchecked => "unchecked",
        }
    }
}

/// A draft that will be refused and is not today, or that could not be checked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct CheckedDraft {
    /// The document.
    #[schema(value_type = String, format = Uuid, examples("0197f4f2-0000-7000-8000-000000000001"))]
    pub document_id: InvoiceId,
    /// Its supplier.
    #[schema(value_type = i64, examples(1))]
    pub workspace_id: WorkspaceId,
    /// What became of it.
    pub outcome: CheckedOutcome,
    /// The version that serves it then, `KEY@VERSION`; null where none does, or it cannot be loaded.
    #[schema(required, examples("es-verifactu@0.1.0"))]
    pub plugin: Option<String>,
    /// Ids of the rule sets of that version that apply to it then and do not today.
    pub rules: Vec<String>,
    /// What stops it then and does not today; empty where it could not be checked.
    #[schema(max_items = 50)]
    pub faults: Vec<Fault>,
    /// Faults beyond those told.
    #[schema(examples(0))]
    pub more_faults: usize,
    /// Why it could not be checked, one sentence; null where it was.
    #[schema(required)]
    pub reason: Option<String>,
}

impl CheckedDraft {
    /// One that is stopped by these.
    pub(crate) fn refused(rules: &dyn ComingRules, then: (&Draft, &Zoned), mut faults: Vec<Fault>) -> Self {
        let more_faults = faults.len().saturating_sub(FAULTS_MAX);
        faults.truncate(FAULTS_MAX);
        let draft_now = Self::of(rules, then, CheckedOutcome::Refused);
        Self { faults, more_faults, ..draft_now }
    }

    /// One of which nobody could say, and why.
    pub(crate) fn unchecked(rules: &dyn ComingRules, then: (&Draft, &Zoned), why: String) -> Self {
        Self { reason: Some(why), ..Self::of(rules, then, CheckedOutcome::Unchecked) }
    }

    fn of(rules: &dyn ComingRules, (draft, at): (&Draft, &Zoned), outcome: CheckedOutcome) -> Self {
        let version = rules.version_at(&draft.document, &draft.regime, at.timestamp());
        Self {
            document_id: draft.document.id,
            workspace_id: draft.document.workspace,
            outcome,
            rules: version.as_ref().map(|version| rules_begun(version, draft, at)).unwrap_or_default(),
            plugin: version.map(|version| format!("{}@{}", version.plugin.key, version.plugin.version)),
            faults: Vec::new(),
            more_faults: 0,
            reason: None,
        }
    }
}
