//! The way of an amendment to the authority: one call of the provider and one transaction at a time.

use crate::Amendments;
use crate::record::RecordError;
use gateway_domain::StoreError;
use gateway_domain::ids::InvoiceId;
use gateway_domain::workspace::EInvoicing;
use gateway_domain_amendment::{Amendment, AmendmentStage, SETTLED_BY_HAND};
use gateway_domain_finance::ports::{JobProgress, Provider, ProviderAccess, ProviderError};
use gateway_domain_finance::{RejectedVerdict, complaints, entry_differs, entry_digest, retry_wait};
use gateway_jobs::Outcome;
use gateway_storage::{Corrupt, amendments};
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;
use std::sync::Arc;

/// With whom a step speaks.
pub(crate) struct Peer {
    pub(crate) provider: Arc<dyn Provider>,
    pub(crate) access: ProviderAccess,
    pub(crate) configuration: EInvoicing,
}

impl Amendments {
    /// Takes the next step of a document's amendment.
    pub(crate) async fn advance(&self, document: InvoiceId) -> Result<Outcome, RecordError> {
        let Some(amendment) = amendments::open(&self.0.db, document).await? else {
            return Ok(Outcome::Done);
        };
        let Some(stage) = amendment.open().map(|open| open.stage) else { return Ok(Outcome::Done) };
        let peer = match self.peer(&amendment).await? {
            Ok(peer) => peer,
            Err(problem) => return Ok(self.later(amendment, problem.to_owned(), None).await?),
        };
        match stage {
            AmendmentStage::Uploading => self.upload(amendment, &peer).await,
            AmendmentStage::Starting => self.start(amendment, &peer).await,
            AmendmentStage::Waiting { taken_at } => Box::pin(self.poll(amendment, taken_at, &peer)).await,
        }
    }

    async fn peer(&self, amendment: &Amendment) -> Result<Result<Peer, &'static str>, StoreError> {
        let Some(provider) = self.0.provider.clone() else {
            return Ok(Err("no provider is configured: set GATEWAY_PROVIDER__BASE_URL and restart"));
        };
        let found = self.0.workspaces.with_provider_access(amendment.workspace).await?;
        let configured = found.and_then(|found| found.e_invoicing);
        Ok(configured.map(|(configuration, access)| Peer { provider, access, configuration }).ok_or(
            "the workspace has no e-invoicing configuration: set it with 'gateway workspace e-invoicing set'",
        ))
    }

    /// The document takes the place of the accepted one: the provider knows by the entry what it amends.
    async fn upload(&self, amendment: Amendment, peer: &Peer) -> Result<Outcome, RecordError> {
        let filing = &amendment.filing;
        let sent = structured(&amendment)?;
        let entry = match peer.provider.replace_entry(&peer.access, filing.entry, &filing.structured).await {
            Ok(entry) => entry,
            Err(ProviderError::Refused { faults, .. }) => {
                let verdict = RejectedVerdict::of("provider", complaints(faults));
                return self.refuse(amendment, verdict, None).await;
            }
            Err(error) => return Ok(self.failed(amendment, &error).await?),
        };
        if let Some(at) = entry_differs(&sent, &entry.document) {
            let problem = format!(
                "the provider shows another document under entry {} than the amended one, which differs at {at}: {SETTLED_BY_HAND}",
                entry.id
            );
            return Ok(self.later(amendment, problem, None).await?);
        }
        let digest = entry_digest(&entry.document);
        self.store(&amendment.uploaded(digest, self.now())).await?;
        Ok(Outcome::Continue)
    }

    async fn start(&self, amendment: Amendment, peer: &Peer) -> Result<Outcome, RecordError> {
        let (filing, key) = (&amendment.filing, amendment.upload_key());
        let workflow = peer.configuration.workflow_id;
        match peer.provider.put_job(&peer.access, filing.job, workflow, filing.entry, &key).await {
            // Started by this very call whose answer was lost.
            Ok(_) | Err(ProviderError::Conflict) => {
                let now = self.now();
                self.store(&amendment.reached(AmendmentStage::Waiting { taken_at: now }, now)).await?;
                Ok(Outcome::Again(
                    self.after(self.0.settings.verdict_timeouts().next_poll(SignedDuration::ZERO)),
                ))
            }
            Err(error) => Ok(self.failed(amendment, &error).await?),
        }
    }

    async fn poll(
        &self,
        amendment: Amendment,
        taken_at: Timestamp,
        peer: &Peer,
    ) -> Result<Outcome, RecordError> {
        let job = match peer.provider.get_job(&peer.access, amendment.filing.job).await {
            Ok(job) => job,
            // It lost the job: the same call starts it again.
            Err(ProviderError::NotFound) => {
                self.store(&amendment.reached(AmendmentStage::Starting, self.now())).await?;
                return Ok(Outcome::Continue);
            }
            Err(error) => return Ok(self.failed(amendment, &error).await?),
        };
        match job.progress {
            JobProgress::Running => {
                let timeouts = self.0.settings.verdict_timeouts();
                let waited = self.now().duration_since(taken_at);
                if timeouts.is_overdue(waited) {
                    let problem = format!(
                        "the provider took job {} at {taken_at:.0} and has not ended it: {SETTLED_BY_HAND}",
                        job.id
                    );
                    return Ok(self.later(amendment, problem, Some(timeouts.next_poll(waited))).await?);
                }
                Ok(Outcome::Again(self.after(timeouts.next_poll(waited))))
            }
            JobProgress::Succeeded | JobProgress::Failed => {
                match peer.provider.get_entry(&peer.access, amendment.filing.entry).await {
                    Ok(entry) => self.read_verdict(amendment, peer, &job, &entry).await,
                    Err(error) => Ok(self.failed(amendment, &error).await?),
                }
            }
        }
    }

    /// A call gave no result: it is made again, ever later, and somebody sees why.
    async fn failed(&self, amendment: Amendment, error: &ProviderError) -> Result<Outcome, StoreError> {
        let retry_after_s = match error {
            ProviderError::Unavailable { retry_after_s, .. } => *retry_after_s,
            ProviderError::Unauthorised { .. }
            | ProviderError::Conflict
            | ProviderError::NotFound
            | ProviderError::Refused { .. }
            | ProviderError::Protocol { .. } => None,
        };
        let retries = amendment.open().map(|open| open.retries).unwrap_or_default();
        self.later(amendment, error.to_string(), Some(retry_wait(retry_after_s, retries))).await
    }

    /// The step is taken again; why it was not taken stands in the amendment.
    pub(crate) async fn later(
        &self,
        amendment: Amendment,
        problem: String,
        wait: Option<SignedDuration>,
    ) -> Result<Outcome, StoreError> {
        let retries = amendment.open().map(|open| open.retries).unwrap_or_default();
        let wait = wait.unwrap_or_else(|| retry_wait(None, retries));
        tracing::warn!(document.id = %amendment.document, "The amendment of {} waits: {problem}", amendment.document);
        self.store(&amendment.delayed(problem, self.now())).await?;
        Ok(Outcome::Again(self.after(wait)))
    }
}

/// What is filed.
pub(crate) fn structured(amendment: &Amendment) -> Result<Value, StoreError> {
    serde_json::from_str(&amendment.filing.structured)
        .map_err(|error| Corrupt::new("amendment", amendment.id.0, "structured", error).into())
}
