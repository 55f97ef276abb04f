//! What a command did, or would do.

use super::identity::{self, IdentityView};
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::Invoice;
use gateway_domain_finance::Route;
use gateway_events::CloudEvent;
use gateway_finance::{DryRun, Outcome};
use gateway_invoicing::DocumentView;
use serde::{Serialize, Serializer};
use utoipa::ToSchema;

/// What the command `issue` did, or would do.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "describes an answer")]
pub(super) enum IssueAnswer<'a> {
    Done(CommandResult<'a>),
    Trial(IssueTrial<'a>),
}

/// What a command did; a dry run says so.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CommandResult<'a> {
    /// The document as it is after it.
    document: DocumentView<'a>,
    /// Finance's events of it, in order.
    events: Vec<CloudEvent<'a>>,
    /// Warnings.
    #[serde(skip_serializing_if = "<[Fault]>::is_empty")]
    faults: &'a [Fault],
    /// True: nothing was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<bool>)]
    dry_run: Option<True>,
}

/// What issuing a document would do.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct IssueTrial<'a> {
    /// True: nothing was done.
    #[schema(value_type = bool, examples(true))]
    dry_run: True,
    /// Where the document would go.
    route: RouteView,
    /// Whether it would be issued.
    would_issue: bool,
    /// Every fault that the authority would object to.
    faults: &'a [Fault],
    /// How the tax authority would know the recipient; null for a document that no tax authority hears of.
    #[schema(required)]
    identity: Option<IdentityView>,
    /// The document as it is.
    document: DocumentView<'a>,
    /// None: nothing was done.
    #[schema(value_type = Vec<CloudEvent<'a>>, max_items = 0)]
    events: [CloudEvent<'a>; 0],
}

/// Always true.
#[derive(Debug, Clone, Copy)]
struct True;

impl Serialize for True {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(true)
    }
}

/// Where a document goes when it is issued.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum RouteView {
    /// Straight to issued.
    Standard,
    /// To the tax authority first.
    TaxAuthority,
}

impl From<Route> for RouteView {
    fn from(route: Route) -> Self {
        match route {
            Route::Standard => Self::Standard,
            Route::TaxAuthority => Self::TaxAuthority,
        }
    }
}

impl<'a> CommandResult<'a> {
    /// How a document stands, after a command whose answer was lost.
    pub(super) fn of(document: &'a Invoice) -> Self {
        Self { document: DocumentView::from(document), events: Vec::new(), faults: &[], dry_run: None }
    }

    /// What was not done.
    pub(super) fn of_a_trial(self) -> Self {
        Self { dry_run: Some(True), ..self }
    }
}

impl<'a> From<&'a Outcome> for CommandResult<'a> {
    fn from(outcome: &'a Outcome) -> Self {
        Self {
            document: DocumentView::from(&outcome.document),
            events: outcome.events.iter().map(CloudEvent::from).collect(),
            faults: &outcome.warnings,
            dry_run: None,
        }
    }
}

impl<'a> From<&'a DryRun> for IssueTrial<'a> {
    fn from(trial: &'a DryRun) -> Self {
        Self {
            dry_run: True,
            route: trial.route.into(),
            would_issue: !trial.faults.iter().any(Fault::stops),
            faults: &trial.faults,
            identity: trial.identity.clone().map(identity::view),
            document: DocumentView::from(&trial.document),
            events: [],
        }
    }
}
