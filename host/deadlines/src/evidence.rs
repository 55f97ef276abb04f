//! The evidence of outages: written when calls fail and when one is answered again, sealed, and compared on reading.

use crate::LegalClock;
use gateway_access::secrets::{KeyedHash, Purpose};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::regime::OutageSide;
use gateway_domain_deadline::{Declaration, KeptOutage, NotDeclared, Outage, OutageBody, OutageCall};
use gateway_storage::Tx;
use gateway_storage::outages::{self, SealedOutage};
use jiff::Timestamp;
use std::sync::atomic::Ordering;
use uuid::Uuid;

/// How long it holds that no failing calls were seen: another process may see some, milliseconds.
const QUIET_MS: i64 = 1000;

/// Why an outage is not declared, or not ended.
#[derive(Debug, thiserror::Error)]
pub enum DeclareError {
    /// The rules.
    #[error(transparent)]
    Rules(#[from] NotDeclared),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl LegalClock {
    /// Somebody declares an outage of which calls tell nothing.
    pub async fn declare(&self, actor: &Actor, declaration: Declaration) -> Result<Outage, DeclareError> {
        let outage = Outage::of(self.parts.ids.next(), declaration)?;
        let mut tx = self.db().begin().await?;
        if !outages::insert(&mut tx, &self.sealed(outage.clone())).await? {
            return Err(NotDeclared::Lasts.into());
        }
        self.record(&mut tx, actor, "outage.declare", outage.clone()).await?;
        tx.commit_at("outage-declared").await?;
        Ok(outage)
    }

    /// Somebody says when an outage ended that was declared; now, unless they do.
    pub async fn end_declared(
        &self,
        actor: &Actor,
        id: Uuid,
        until: Option<Timestamp>,
    ) -> Result<Outage, DeclareError> {
        let mut tx = self.db().begin().await?;
        let mut found = None;
        for side in OutageSide::ALL {
            let open = outages::open(&mut tx, *side).await?;
            found = found.or_else(|| open.into_iter().find(|open| open.outage.id == id));
        }
        let SealedOutage { outage, .. } = found.ok_or(NotDeclared::Unknown)?;
        let before = outage.failures;
        let sealed = self.sealed(outage.declared_over(until.unwrap_or_else(|| self.now()))?);
        if !outages::update(&mut tx, &sealed, before).await? {
            return Err(NotDeclared::Unknown.into());
        }
        self.record(&mut tx, actor, "outage.end", sealed.outage.clone()).await?;
        tx.commit_at("outage-ended").await?;
        Ok(sealed.outage)
    }

    /// A call to the provider got no answer.
    pub async fn call_failed(&self, call: OutageCall, error: &str) {
        self.quiet_at_ms.store(0, Ordering::Relaxed);
        if let Err(cause) = self.note_failure(call, error).await {
            tracing::error!(
                error = &cause as &dyn std::error::Error,
                "A failed call ({}) is missing from the evidence of an outage: {cause}",
                call.as_str()
            );
        }
    }

    /// A call to the provider got an answer.
    pub async fn call_answered(&self, call: OutageCall) {
        let now_ms = self.now().as_millisecond();
        let age = now_ms.saturating_sub(self.quiet_at_ms.load(Ordering::Relaxed));
        if (0..QUIET_MS).contains(&age) {
            return;
        }
        match self.end_outages(call).await {
            Ok(true) => self.quiet_at_ms.store(now_ms, Ordering::Relaxed),
            Ok(false) => {}
            Err(cause) => tracing::error!(
                error = &cause as &dyn std::error::Error,
                "The end of an outage is not in its evidence yet: {cause}"
            ),
        }
    }

    async fn note_failure(&self, call: OutageCall, error: &str) -> Result<(), StoreError> {
        let now = self.now();
        let mut tx = self.db().begin().await?;
        let open = outages::open(&mut tx, OutageSide::Provider).await?;
        if let Some(SealedOutage { outage, .. }) = open.into_iter().find(|open| open.outage.call == call) {
            let (before, counted) = (outage.failures, outage.counts_since.is_some());
            let sealed = self.sealed(outage.failed_again(error.to_owned(), now, self.parts.outage_after));
            // Where somebody else counted a failure at the same moment, the next one counts.
            if outages::update(&mut tx, &sealed, before).await?
                && !counted
                && sealed.outage.counts_since.is_some()
            {
                self.record(&mut tx, &Actor::gateway(), "outage.begin", sealed.outage).await?;
            }
        } else {
            let (id, side) = (self.parts.ids.next(), OutageSide::Provider);
            outages::insert(&mut tx, &self.sealed(Outage::began(id, side, call, error.to_owned(), now)))
                .await?;
        }
        tx.commit_at("outage-noted").await
    }

    /// Whether no calls fail any more.
    async fn end_outages(&self, answered: OutageCall) -> Result<bool, StoreError> {
        let open = outages::open(self.db(), OutageSide::Provider).await?;
        if !open.iter().any(|open| open.outage.is_ended_by(answered)) {
            return Ok(open.iter().all(|open| open.outage.call == OutageCall::Declared));
        }
        let mut tx = self.db().begin().await?;
        let mut is_quiet = true;
        for SealedOutage { outage, .. } in outages::open(&mut tx, OutageSide::Provider).await? {
            is_quiet &= self.end(&mut tx, outage, answered).await?;
        }
        tx.commit_at("outage-ended").await?;
        Ok(is_quiet)
    }

    /// Ends or forgets calls that failed; `false` when somebody else changed them, or another kind was answered.
    async fn end(&self, tx: &mut Tx, outage: Outage, answered: OutageCall) -> Result<bool, StoreError> {
        if !outage.is_ended_by(answered) {
            return Ok(false);
        }
        let before = outage.failures;
        let Some(ended) = outage.clone().ended(self.now()) else {
            return outages::forget(tx, &outage).await;
        };
        let sealed = self.sealed(ended);
        let is_ended = outages::update(tx, &sealed, before).await?;
        if is_ended {
            self.record(tx, &Actor::gateway(), "outage.end", sealed.outage).await?;
        }
        Ok(is_ended)
    }

    /// The trail has what was sealed, so that neither can be changed without the other.
    async fn record(
        &self,
        tx: &mut Tx,
        actor: &Actor,
        action: &str,
        outage: Outage,
    ) -> Result<(), StoreError> {
        let subject = format!("outage:{}", outage.id);
        let body = OutageBody::from(&KeptOutage { outage, is_intact: true });
        self.audit().record(tx, actor, action, subject, &body).await
    }

    fn sealed(&self, outage: Outage) -> SealedOutage {
        let KeyedHash { key_id, bytes } =
            self.parts.keyring.hash(Purpose::OutageEvidence, &outage.evidence());
        SealedOutage { outage, seal_key: key_id, seal: bytes }
    }

    /// The newest outages, each with whether its row is as it was written.
    pub async fn outages(&self, limit: i64) -> Result<Vec<KeptOutage>, StoreError> {
        let found = outages::newest(self.db(), limit).await?;
        let kept = |SealedOutage { outage, seal_key, seal }| {
            let stored = KeyedHash { key_id: seal_key, bytes: seal };
            let is_intact = self.parts.keyring.matches(Purpose::OutageEvidence, &outage.evidence(), &stored);
            KeptOutage { outage, is_intact }
        };
        Ok(found.into_iter().map(kept).collect())
    }
}
