//! The steps of a run at the tax authority: the pages of its own list, then what it accepted and does not list.
//!
//! The plugin writes the question and reads the answer; the list gives no verdict, and a plugin that fails on it ends the run
//! without what the run has found at the provider being lost.

use crate::Reconciliations;
use crate::records::Authority;
use crate::run::Retry;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::EntryId;
use gateway_domain::ports::ConverterError;
use gateway_domain::regime::RegimeContext;
use gateway_domain_reconciliation::ports::AuthorityError;
use gateway_domain_reconciliation::{
    ListedDays, ListingPage, ListingProblem, ListingQuery, Reconciliation, ReconciliationProgress,
    next_cursor,
};
use gateway_jobs::Outcome;
use gateway_storage::reconciliations;
use jiff::{SignedDuration, Timestamp};

/// Entries of ours that one step looks at.
const LOOKED_AT: i64 = 100;
const PEER: &str = "the tax authority";

/// Why a page was not read.
enum NoPage {
    Plugin(ConverterError),
    Problem(ListingProblem),
    Call(AuthorityError),
}

impl Reconciliations {
    /// Goes on with the authority's own list, where it is set how that is reached and the plugin reads it; else the run ends.
    pub(crate) async fn go_on_with_authority(&self, run: Reconciliation) -> Result<Outcome, StoreError> {
        if self.authority(&run).await?.is_none() {
            return self.end(run).await;
        }
        let progress = ReconciliationProgress::AuthorityListing { cursor: None, pages: 0 };
        self.advance(run, &[], progress, 0).await
    }

    /// The authority that a run asks for its list; none where nobody is asked.
    async fn authority(&self, run: &Reconciliation) -> Result<Option<Authority>, StoreError> {
        let Some(authorities) = &self.0.authorities else { return Ok(None) };
        let Some(found) = self.0.workspaces.with_provider_access(run.workspace).await? else {
            return Ok(None);
        };
        let Some((configuration, _)) = found.e_invoicing else { return Ok(None) };
        let Some(is_stand_in) = authorities.calls.is_stand_in(&configuration.regime) else { return Ok(None) };
        if !authorities.listings.reads(run.workspace, &configuration.regime) {
            tracing::warn!(
                workspace.id = %run.workspace,
                "It is set how the tax authority of {} is reached, and the plugin in force does not read its list: install a version that does, or unset reconciliation.authority_urls for it",
                configuration.regime
            );
            return Ok(None);
        }
        let zone = &found.workspace.time_zone;
        let day = |instant: Timestamp| instant.to_zoned(zone.clone()).date();
        let last = run.to.checked_sub(SignedDuration::from_micros(1)).unwrap_or(run.to);
        let days = ListedDays { from: day(run.from), until: day(last), accepted_before: run.to, is_stand_in };
        let context = RegimeContext {
            now: self.0.clock.now().to_zoned(zone.clone()),
            settings: configuration.settings,
            supplier: found.workspace.supplier.clone(),
            company_id: configuration.company_id.to_string(),
        };
        let (regime, workspace) = (configuration.regime, found.workspace);
        Ok(Some(Authority { access: authorities.clone(), regime, workspace, context, days }))
    }

    /// The next page of the authority's list.
    pub(crate) async fn list_records(
        &self,
        run: Reconciliation,
        cursor: Option<String>,
        pages: u32,
    ) -> Result<Outcome, StoreError> {
        // What an operator took away meanwhile is not asked any more.
        let Some(authority) = self.authority(&run).await? else { return self.end(run).await };
        let page = match authority.page(cursor.clone()).await {
            Ok(page) => page,
            Err(error) => return self.without_page(run, error).await,
        };
        let pages = pages.saturating_add(1);
        let next = match next_cursor(cursor.as_deref(), page.next, pages) {
            Ok(next) => next,
            Err(endless) => {
                let requests = run.requests.saturating_add(1);
                return self.fail(Reconciliation { requests, ..run }, endless.to_string()).await;
            }
        };
        let found = self.found_records(&run, &authority, page.records).await?;
        let progress = match next {
            Some(next) => ReconciliationProgress::AuthorityListing { cursor: Some(next), pages },
            None => ReconciliationProgress::AuthorityMissing { after: None },
        };
        self.advance(run, &found, progress, 1).await
    }

    /// The next entries of documents that the authority accepted and of which its list had no record.
    pub(crate) async fn look_for_unlisted(
        &self,
        run: Reconciliation,
        after: Option<(Timestamp, EntryId)>,
    ) -> Result<Outcome, StoreError> {
        let Some(authority) = self.authority(&run).await? else { return self.end(run).await };
        let filed = reconciliations::unlisted(&self.0.db, &run, after, LOOKED_AT).await?;
        let Some((at, entry, _)) = filed.last().copied() else { return self.end(run).await };
        let ids: Vec<_> = filed.iter().map(|(_, _, document)| *document).collect();
        let documents = self.0.documents.by_ids(&Acting::gateway(), &ids).await?;
        let missing = documents.values().filter(|document| authority.days.have_to_show(document));
        let found: Vec<_> = missing.map(|document| Self::unlisted(&run, document)).collect();
        let progress = ReconciliationProgress::AuthorityMissing { after: Some((at, entry)) };
        self.advance(run, &found, progress, 0).await
    }

    async fn without_page(&self, run: Reconciliation, error: NoPage) -> Result<Outcome, StoreError> {
        let (error, retry) = match error {
            NoPage::Call(error) => {
                let retry = match &error {
                    AuthorityError::Unavailable { retry_after_s, .. } => Retry::After(*retry_after_s),
                    AuthorityError::Unusable { .. } => Retry::Never,
                };
                (error.to_string(), retry)
            }
            NoPage::Problem(ListingProblem { message, temporary }) => {
                let retry = if temporary { Retry::After(None) } else { Retry::Never };
                (message.trim_end_matches('.').to_owned(), retry)
            }
            NoPage::Plugin(error) => {
                let retry = match &error {
                    ConverterError::Busy => Retry::After(None),
                    ConverterError::UnknownRegime(_)
                    | ConverterError::Faults(_)
                    | ConverterError::Broken(_) => Retry::Never,
                };
                (error.to_string().trim_end_matches('.').to_owned(), retry)
            }
        };
        self.without_result(run, PEER, &error, retry).await
    }
}

impl Authority {
    /// Asks for the page behind `after`.
    async fn page(&self, after: Option<String>) -> Result<ListingPage, NoPage> {
        let query = ListingQuery { from: self.days.from, until: self.days.until, after };
        let (listings, workspace) = (&self.access.listings, self.workspace.id);
        let request = listings.question(workspace, &self.regime, &query, &self.context).await;
        let request = request.map_err(NoPage::Plugin)?.map_err(NoPage::Problem)?;
        let answer = self.access.calls.ask(&self.regime, &request).await.map_err(NoPage::Call)?;
        let page = listings.read_answer(workspace, &self.regime, (&query, &self.context), &answer).await;
        page.map_err(NoPage::Plugin)?.map_err(NoPage::Problem)
    }
}
