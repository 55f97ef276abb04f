//! What waits becomes one message for each group of recipients, by one process at a time.

use crate::NoticeMail;
use crate::message::{MailMessage, message_id};
use gateway_domain::StoreError;
use gateway_domain::ids::{EventId, WorkspaceId};
use gateway_domain_events::notices::{Digest, MailAddress, Mailing, NoticeEvent};
use gateway_events::notice;
use gateway_storage::{leases, mail, workspaces};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The duty of a process.
const LEASE_NAME: &str = "mail";
/// How long the duty stays with a process that says nothing more: longer than one message takes.
const LEASE: SignedDuration = SignedDuration::from_secs(120);
/// How often it is looked what waits.
const ROUND_INTERVAL: Duration = Duration::from_secs(10);
/// Notices of one round.
const BATCH: i64 = 10_000;

/// A notice that waits.
#[derive(Debug)]
struct WaitingNotice {
    id: EventId,
    event: NoticeEvent,
}

/// What a round came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MailRound {
    /// Messages that left.
    pub sent: usize,
    /// Messages that did not, and are tried again.
    pub failed: usize,
}

impl NoticeMail {
    /// Writes to people until `shutdown`, whenever no other process does.
    pub async fn run(self, owner: String, shutdown: CancellationToken) {
        while !shutdown.is_cancelled() {
            if let Err(error) = self.mail_due(&owner, &shutdown).await {
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "Notices wait for the next look before they are mailed: {error}"
                );
            }
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = tokio::time::sleep(ROUND_INTERVAL) => {}
            }
        }
    }

    /// Writes to everybody who may be written to now.
    ///
    /// # Errors
    /// The database; whoever was not written to yet is so in the next round.
    pub async fn mail_due(&self, owner: &str, shutdown: &CancellationToken) -> Result<MailRound, StoreError> {
        let mut round = MailRound::default();
        for (recipients, waiting) in self.groups().await? {
            if shutdown.is_cancelled() {
                break;
            }
            match self.mail_group(owner, &recipients, &waiting).await? {
                Some(true) => round.sent += 1,
                Some(false) => round.failed += 1,
                None => {}
            }
        }
        Ok(round)
    }

    /// What waits, by who is to have it, but for workspaces that have quiet hours now.
    async fn groups(&self) -> Result<BTreeMap<Vec<MailAddress>, Vec<WaitingNotice>>, StoreError> {
        let waiting = mail::waiting(self.db(), BATCH).await?;
        let mut events = Vec::new();
        for stored in &waiting {
            events.extend(notice(stored)?.map(|event| WaitingNotice { id: stored.id, event }));
        }
        let zones = self.zones_of_quiet_hours(&events).await?;
        let (settings, utc, now) = (self.settings(), TimeZone::UTC, self.0.clock.now());
        let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for waiting in events {
            let workspace = waiting.event.workspace;
            let zone = workspace.and_then(|workspace| zones.get(&workspace)).unwrap_or(&utc);
            if settings.quiet_hours.of(workspace).iter().any(|hours| hours.contain(now, zone)) {
                continue;
            }
            let mut recipients = settings.to.of(workspace).to_vec();
            recipients.sort();
            recipients.dedup();
            groups.entry(recipients).or_default().push(waiting);
        }
        Ok(groups)
    }

    /// The time zones of those workspaces that have quiet hours; one that is gone has none.
    async fn zones_of_quiet_hours(
        &self,
        waiting: &[WaitingNotice],
    ) -> Result<HashMap<WorkspaceId, TimeZone>, StoreError> {
        let workspaces = waiting.iter().filter_map(|waiting| waiting.event.workspace);
        let hours = &self.settings().quiet_hours;
        let with_hours: BTreeSet<_> =
            workspaces.filter(|workspace| !hours.of(Some(*workspace)).is_empty()).collect();
        if with_hours.is_empty() {
            return Ok(HashMap::new());
        }
        workspaces::time_zones(self.db(), &with_hours.into_iter().collect::<Vec<_>>()).await
    }

    /// Writes to recipients, unless it is too soon or another process has the duty: whether the message left.
    async fn mail_group(
        &self,
        owner: &str,
        recipients: &[MailAddress],
        waiting: &[WaitingNotice],
    ) -> Result<Option<bool>, StoreError> {
        let key = recipients.iter().map(MailAddress::as_str).collect::<Vec<_>>().join(",");
        let now = self.0.clock.now();
        if !mail::mailing(self.db(), &key).await?.is_due(now, self.settings().every) {
            return Ok(None);
        }
        let mut tx = self.db().begin().await?;
        let fence = leases::take(&mut tx, LEASE_NAME, owner, LEASE).await?;
        // Whoever had the duty before may have written to them meanwhile.
        let mailing = mail::mailing(&mut tx, &key).await?;
        tx.commit_at("mail-leased").await?;
        let Some(fence) = fence.filter(|_| mailing.is_due(now, self.settings().every)) else {
            return Ok(None);
        };
        let ids: Vec<EventId> = waiting.iter().map(|waiting| waiting.id).collect();
        // Who was to be written to when it happened is nobody now.
        let sent = if recipients.is_empty() {
            Ok(())
        } else {
            self.0.transport.send(&self.message(recipients, waiting, &ids, now)).await
        };
        let mut tx = self.db().begin().await?;
        if !leases::hold(&mut tx, LEASE_NAME, owner, fence, LEASE).await? {
            return Ok(None);
        }
        let mailing = if sent.is_ok() { Mailing::sent(now) } else { mailing.failed(now) };
        if sent.is_ok() {
            mail::remove(&mut tx, &ids).await?;
        }
        mail::put_mailing(&mut tx, &key, mailing).await?;
        tx.commit_at("mailed").await?;
        match &sent {
            Ok(()) => tracing::info!("Mailed {} notices to {} recipients", ids.len(), recipients.len()),
            Err(error) => tracing::error!(
                error = error as &dyn std::error::Error,
                "{} notices wait to be mailed, after {} tries: {error}",
                ids.len(),
                mailing.failures
            ),
        }
        Ok(Some(sent.is_ok()))
    }

    fn message(
        &self,
        recipients: &[MailAddress],
        waiting: &[WaitingNotice],
        ids: &[EventId],
        now: Timestamp,
    ) -> MailMessage {
        let settings = self.settings();
        let digest = Digest::of(waiting.iter().map(|waiting| waiting.event.clone()));
        MailMessage {
            from: settings.from.clone(),
            to: recipients.to_vec(),
            subject: digest.subject(),
            body: digest.body(now, settings.console_url.as_deref()),
            at: now,
            id: message_id(ids, &settings.from),
        }
    }
}
