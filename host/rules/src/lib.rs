//! Drafts, checked as of a later day: which of them will be refused then and are not today, page by page.
//!
//! Every draft of the workspaces that send invoices to a tax authority is looked at, and only a page of them at a time: whoever goes on
//! asks with the end of the page before. A version of a plugin that fails costs a line of the answer and nothing else.
//!
//! Here: [`RuleChecks`]. Not here: what is refused when (`gateway-domain-rules`), the dry run of an issue (`gateway-finance`), plugins
//! (`gateway-plugin-host`, behind [`ComingRules`]), HTTP, the command line.

#![deny(missing_docs)]
#![deny(clippy::wildcard_enum_match_arm)]

mod view;

pub use view::{CheckedDraft, CheckedOutcome, FAULTS_MAX};

use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{DocumentFilter, DocumentPageKey, Invoice, Status};
use gateway_domain::ports::Clock;
use gateway_domain_rules::ports::ComingRules;
use gateway_domain_rules::{Draft, DraftOutcome, outcome_at};
use gateway_finance::{DocumentLists, Finance, ReadError};
use gateway_workspaces::Workspaces;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use std::sync::Arc;

/// The last second of a day.
const LAST_SECOND: (i8, i8, i8, i32) = (23, 59, 59, 0);

/// Hours behind UTC where a day ends last.
const LAST_OFFSET: Offset = Offset::constant(-12);

/// What it works with.
#[derive(Debug)]
pub struct Parts {
    /// Where drafts are found.
    pub lists: DocumentLists,
    /// Makes of a draft what its regime receives.
    pub finance: Finance,
    /// The workspaces with their time zones.
    pub workspaces: Workspaces,
    /// The versions of plugins in force now and later.
    pub rules: Arc<dyn ComingRules>,
    /// Tells which days are over.
    pub clock: Arc<dyn Clock>,
}

/// Checks drafts as of a later day. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RuleChecks(Arc<Parts>);

/// As of which day, and whose drafts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RuleCheck {
    /// The day, in the time zone of each workspace. What comes in force in the course of it counts.
    pub at: Date,
    /// Of this workspace; none: of every one that whoever asks may see.
    pub workspace: Option<WorkspaceId>,
}

/// A page of drafts, and what came of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckedPage {
    /// Drafts that a tax authority would be sent.
    pub checked: usize,
    /// Those that will be refused and are not today, and those that could not be checked, the oldest first.
    pub found: Vec<CheckedDraft>,
    /// Where the next page begins; none behind the last one.
    pub next: Option<DocumentPageKey>,
}

/// Why drafts are not checked.
#[derive(Debug, thiserror::Error)]
pub enum RuleCheckError {
    /// The day is over.
    #[error("{0} is over: name today or a later day")]
    PastDay(Date),
    /// No clock shows the day.
    #[error("{0} is too far away to be checked: name an earlier day")]
    DayOutOfRange(Date),
    /// There is no such workspace, or whoever asks may not see it.
    #[error("there is no workspace {0}: list them with 'gateway workspace list'")]
    UnknownWorkspace(WorkspaceId),
    /// A document could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

impl From<StoreError> for RuleCheckError {
    fn from(error: StoreError) -> Self {
        Self::Read(ReadError::Store(error))
    }
}

impl RuleChecks {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    /// The next drafts behind the end of the page before: at most `first`, and at most as many as [`DocumentLists::page`] has.
    ///
    /// # Errors
    /// The day or the workspace is none that can be checked; a document cannot be read.
    pub async fn page(
        &self,
        acting: &Acting,
        check: RuleCheck,
        after: Option<DocumentPageKey>,
        first: usize,
    ) -> Result<CheckedPage, RuleCheckError> {
        self.ensure_checkable(acting, check).await?;
        let filter = DocumentFilter {
            workspace: check.workspace,
            status: Some(Status::Draft),
            ..DocumentFilter::default()
        };
        let page = self.0.lists.page(acting, &filter, after, first).await?;
        let next = page.end().filter(|_| page.has_next);
        let (mut checked, mut found) = (0_usize, Vec::new());
        for document in &page.nodes {
            let Some(draft) = self.draft(document).await? else { continue };
            checked = checked.saturating_add(1);
            found.extend(self.check(&draft, check.at).await?);
        }
        Ok(CheckedPage { checked, found, next })
    }

    async fn ensure_checkable(&self, acting: &Acting, check: RuleCheck) -> Result<(), RuleCheckError> {
        let zone = match check.workspace {
            // Where days end last: each draft is compared with its own workspace's day.
            None => TimeZone::fixed(LAST_OFFSET),
            Some(id) => {
                let visible = acting.workspaces.contain(id);
                let found = self.0.workspaces.find(id).await?.filter(|_| visible);
                found.ok_or(RuleCheckError::UnknownWorkspace(id))?.time_zone
            }
        };
        if check.at < self.0.clock.now().to_zoned(zone).date() {
            return Err(RuleCheckError::PastDay(check.at));
        }
        Ok(())
    }

    /// A draft as its regime receives it; none of one that goes to no tax authority.
    async fn draft(&self, document: &Invoice) -> Result<Option<Draft>, RuleCheckError> {
        let input = self.0.finance.regime_input(document, None).await?;
        Ok(input.map(|input| Draft::of(document, input)))
    }

    /// What is worth telling of a draft.
    async fn check(&self, draft: &Draft, day: Date) -> Result<Option<CheckedDraft>, RuleCheckError> {
        if day < draft.now().date() {
            let why = format!("{day} is over in the time zone of workspace {}", draft.document.workspace);
            return Ok(Some(CheckedDraft::unchecked(self.0.rules.as_ref(), (draft, draft.now()), why)));
        }
        let (hour, minute, second, nanosecond) = LAST_SECOND;
        let end = day.at(hour, minute, second, nanosecond).to_zoned(draft.now().time_zone().clone());
        let end = end.map_err(|_| RuleCheckError::DayOutOfRange(day))?;
        let rules = self.0.rules.as_ref();
        Ok(match outcome_at(rules, draft, &end).await {
            DraftOutcome::Unchanged => None,
            DraftOutcome::Refused(faults) => Some(CheckedDraft::refused(rules, (draft, &end), faults)),
            DraftOutcome::Unchecked(why) => Some(CheckedDraft::unchecked(rules, (draft, &end), why)),
        })
    }
}
