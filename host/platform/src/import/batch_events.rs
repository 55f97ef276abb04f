//! What a batch tells, each thing once: a rate plan for all its tariffs, a unit for all its nights, units and users for
//! everything that they show.

use super::dependents::Dependents;
use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{ConversationId, RatePlanId};
use gateway_domain_events::Change;
use gateway_domain_platform::bookings::{Booking, NightChanges};
use gateway_domain_platform::changes;
use gateway_domain_platform::conversations::Message;
use gateway_domain_platform::webhooks::How;
use gateway_storage::{Tx, conversations, rates};
use std::collections::BTreeMap;

const ALL: Workspaces = Workspaces::All;

/// Collects what happens in a batch.
#[derive(Debug, Default)]
pub(super) struct BatchEvents {
    changes: Vec<Change>,
    pub(super) dependents: Dependents,
    rate_plans: BTreeMap<RatePlanId, How>,
    nights: NightChanges,
    messages: Vec<Message>,
}

impl BatchEvents {
    pub(super) fn push(&mut self, change: Change) {
        self.changes.push(change);
    }

    pub(super) fn extend(&mut self, changes: Vec<Change>) {
        self.changes.extend(changes);
    }

    /// A plan, or tariffs of it; what the batch made stays new whatever else happens to it.
    pub(super) fn rate_plan(&mut self, plan: RatePlanId, how: How) {
        self.rate_plans.entry(plan).or_insert(how);
    }

    pub(super) fn nights(&mut self, before: Option<&Booking>, now: &Booking) {
        self.nights.replace(before, now);
    }

    pub(super) fn message(&mut self, message: &Message) {
        self.messages.push(message.clone());
    }

    /// All of it. Plans and conversations are looked up as the batch leaves them.
    pub(super) async fn changes(self, tx: &mut Tx) -> Result<Vec<Change>, StoreError> {
        let Self { changes, dependents, rate_plans, nights, messages } = self;
        let mut all = dependents.changes(&mut *tx).await?;
        all.extend(changes);
        if !rate_plans.is_empty() {
            let ids: Vec<RatePlanId> = rate_plans.keys().copied().collect();
            let plans = rates::plans(&mut *tx, &ALL, &ids).await?;
            let events = rate_plans.iter().filter_map(|(id, how)| Some((plans.get(id)?, *how)));
            all.extend(events.map(|(plan, how)| changes::rate_plan(plan, how)));
        }
        all.extend(nights.units().iter().map(changes::availability));
        if !messages.is_empty() {
            let mut ids: Vec<ConversationId> = messages.iter().map(|message| message.conversation).collect();
            ids.sort_unstable();
            ids.dedup();
            let written_in = conversations::by_ids(&mut *tx, &ALL, &ids).await?;
            let events = messages.iter().filter_map(|message| {
                written_in.get(&message.conversation).map(|conversation| (message, conversation))
            });
            all.extend(events.map(|(message, conversation)| changes::message(message, conversation)));
        }
        Ok(all)
    }
}
