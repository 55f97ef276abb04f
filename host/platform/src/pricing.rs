//! Rate plans and tariffs.

use super::{PlatformError, all_found};
use crate::context::Context;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{RatePlanId, TariffId, UnitId};
use gateway_domain::money::Amount;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_lists::Stamped;
use gateway_domain_platform::changes;
use gateway_domain_platform::pricing::{
    NewTariff, OTHER_DECIMALS, RATE_PLANS_MAX, RatePlan, RatePlanChange, TARIFFS_MAX, Tariff, replace,
};
use gateway_domain_platform::webhooks::How;
use gateway_storage::{Tx, rates};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};

/// What the audit trail tells of a rate plan.
#[derive(Serialize)]
pub(super) struct RatePlanData<'a> {
    name: &'a str,
    currency: &'a str,
    min_stay: i32,
}

impl<'a> From<&'a RatePlan> for RatePlanData<'a> {
    fn from(plan: &'a RatePlan) -> Self {
        Self { name: &plan.name, currency: &plan.currency, min_stay: plan.min_stay }
    }
}

/// What it tells of tariffs that were written.
#[derive(Serialize)]
struct TariffsData<'a> {
    tariffs: Vec<TariffData<'a>>,
}

#[derive(Serialize)]
struct TariffData<'a> {
    start_date: Date,
    end_date: Date,
    price: &'a Amount,
    min_stay: Option<i32>,
}

impl<'a> From<&'a Tariff> for TariffData<'a> {
    fn from(tariff: &'a Tariff) -> Self {
        let Tariff { start_date, end_date, price, min_stay, .. } = tariff;
        Self { start_date: *start_date, end_date: *end_date, price, min_stay: *min_stay }
    }
}

/// Rate plans and tariffs. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Pricing {
    pub(crate) context: Context,
}

impl Pricing {
    pub(crate) const fn new(context: Context) -> Self {
        Self { context }
    }

    /// Edits several rate plans, all of them or none. Answers them as they are now, in the order they were named. Each
    /// is named once.
    pub async fn update_rate_plans(
        &self,
        acting: &Acting,
        changes: &[RatePlanChange],
    ) -> Result<Vec<Stamped<RatePlan>>, PlatformError> {
        if changes.len() > RATE_PLANS_MAX {
            return Err(PlatformError::invalid(
                "rate_plans",
                ErrorCode::TooMany,
                format!("give at most {RATE_PLANS_MAX}"),
            ));
        }
        let ids: Vec<RatePlanId> = changes.iter().map(|change| change.id).collect();
        let mut named = HashSet::new();
        if let Some(place) = ids.iter().position(|id| !named.insert(*id)) {
            return Err(PlatformError::invalid(
                &format!("rate_plans[{place}].id"),
                ErrorCode::GivenTwice,
                "name each rate plan once",
            ));
        }
        let mut tx = self.context.db().begin().await?;
        let mut plans = rates::lock_plans(&mut tx, &acting.workspaces, &ids).await?;
        all_found(&ids, |id| plans.contains_key(id), "rate plan", "rate_plans")?;
        let (mut faults, mut edited_ids, now) = (Vec::new(), Vec::new(), self.context.now());
        for (place, change) in changes.iter().enumerate() {
            let Some(plan) = plans.get_mut(&change.id) else { continue };
            match change.over(&plan.value, &format!("rate_plans[{place}].")) {
                Err(found) => faults.extend(found),
                Ok(edited) if edited == plan.value => {}
                Ok(edited) if !edited.is_written_as(plan) && has_tariffs(&mut tx, change.id).await? => {
                    faults.push(FieldError::new(
                        format!("rate_plans[{place}].currency"),
                        ErrorCode::StateConflict,
                        OTHER_DECIMALS,
                    ));
                }
                Ok(edited) => {
                    edited_ids.push(change.id);
                    *plan = Stamped { value: edited, created_at: plan.created_at, updated_at: now };
                }
            }
        }
        if !faults.is_empty() {
            return Err(PlatformError::Invalid(faults));
        }
        let edited: Vec<&RatePlan> =
            edited_ids.iter().filter_map(|id| plans.get(id)).map(|plan| &plan.value).collect();
        rates::put_plans(&mut tx, &edited, now).await?;
        let mut events = Vec::new();
        for plan in edited {
            let data = RatePlanData::from(plan);
            let subject = format!("rate_plan:{}", plan.id);
            self.context.audit().record(&mut tx, &acting.actor, "rate_plan.update", subject, &data).await?;
            events.push(changes::rate_plan(plan, How::Updated));
        }
        self.context.events().append_changes(&mut tx, &acting.actor, &events).await?;
        tx.commit_at("rate-plans-updated").await?;
        Ok(ids.iter().filter_map(|id| plans.get(id).cloned()).collect())
    }

    /// Writes tariffs, all of them or none. Each replaces what it overlaps: tariffs of the same plan are trimmed, split
    /// or taken away, those written before it in the same call included. Answers those that were written and are still
    /// there, in the order they were given.
    pub async fn write_tariffs(
        &self,
        acting: &Acting,
        given: &[NewTariff],
    ) -> Result<Vec<Stamped<Tariff>>, PlatformError> {
        let mut tx = self.context.db().begin().await?;
        let written = self.write_tariffs_in(&mut tx, acting, given, How::Updated).await?;
        tx.commit_at("tariffs-written").await?;
        Ok(written)
    }

    /// The same in a transaction that does more: `how` says whether it made the plans.
    pub(super) async fn write_tariffs_in(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        given: &[NewTariff],
        how: How,
    ) -> Result<Vec<Stamped<Tariff>>, PlatformError> {
        let mut tariffs = self.checked_tariffs(given)?;
        let order: Vec<TariffId> = tariffs.iter().map(|tariff| tariff.id).collect();
        let ids: Vec<RatePlanId> = tariffs.iter().map(|tariff| tariff.rate_plan).collect();
        let plans = rates::lock_plans(tx, &acting.workspaces, &ids).await?;
        all_found(&ids, |id| plans.contains_key(id), "rate plan", "tariffs")?;
        write_prices(&plans, &mut tariffs)?;
        let first = tariffs.iter().map(|tariff| tariff.start_date).min();
        let last = tariffs.iter().map(|tariff| tariff.end_date).max();
        let mut stored = rates::tariffs_of_plans(&mut *tx, &ids, first, last).await?;
        let now = self.context.now();
        let mut of_plan: BTreeMap<RatePlanId, Vec<Tariff>> = BTreeMap::new();
        for tariff in tariffs {
            of_plan.entry(tariff.rate_plan).or_default().push(tariff);
        }
        let mut written: HashMap<TariffId, Stamped<Tariff>> = HashMap::new();
        let mut events = Vec::new();
        for (plan, new) in of_plan {
            let before = stored.remove(&plan).unwrap_or_default();
            let after = self.replaced(tx, &before, &new, now).await?;
            written.extend(after.into_iter().map(|stamped| (stamped.id, stamped)));
            let data = TariffsData { tariffs: new.iter().map(TariffData::from).collect() };
            let subject = format!("rate_plan:{plan}");
            self.context.audit().record(tx, &acting.actor, "tariff.write", subject, &data).await?;
            events.extend(plans.get(&plan).map(|plan| changes::rate_plan(plan, how)));
        }
        self.context.events().append_changes(tx, &acting.actor, &events).await?;
        Ok(order.iter().filter_map(|id| written.remove(id)).collect())
    }

    fn checked_tariffs(&self, given: &[NewTariff]) -> Result<Vec<Tariff>, PlatformError> {
        if given.len() > TARIFFS_MAX {
            return Err(PlatformError::invalid(
                "tariffs",
                ErrorCode::TooMany,
                format!("give at most {TARIFFS_MAX}"),
            ));
        }
        let (mut tariffs, mut faults) = (Vec::new(), Vec::new());
        for (place, tariff) in given.iter().enumerate() {
            match tariff.check(TariffId(self.context.ids().next()), &format!("tariffs[{place}].")) {
                Ok(tariff) => tariffs.push(tariff),
                Err(found) => faults.extend(found),
            }
        }
        if faults.is_empty() { Ok(tariffs) } else { Err(PlatformError::Invalid(faults)) }
    }

    /// Writes the tariffs of one plan over those it had, and answers all that are there now among those dates.
    async fn replaced(
        &self,
        tx: &mut Tx,
        before: &[Stamped<Tariff>],
        new: &[Tariff],
        now: Timestamp,
    ) -> Result<Vec<Stamped<Tariff>>, StoreError> {
        let mut tariffs: Vec<Tariff> = before.iter().map(|stamped| stamped.value.clone()).collect();
        for tariff in new {
            let replaced = replace(&tariffs, tariff, || TariffId(self.context.ids().next()));
            tariffs = replaced.applied(tariffs, tariff.clone());
        }
        let known = |id: TariffId| before.iter().find(|stamped| stamped.id == id);
        let is_there = |id: TariffId| tariffs.iter().any(|tariff| tariff.id == id);
        let gone: Vec<TariffId> = before.iter().map(|old| old.id).filter(|id| !is_there(*id)).collect();
        if !gone.is_empty() {
            rates::remove_tariffs(tx, &gone).await?;
        }
        let stays = |tariff: &Tariff| known(tariff.id).is_some_and(|old| old.value == *tariff);
        let moved: Vec<&Tariff> = tariffs.iter().filter(|tariff| !stays(tariff)).collect();
        rates::put_tariffs(tx, &moved, now).await?;
        let after = tariffs.into_iter().map(|tariff| match known(tariff.id) {
            Some(old) if old.value == tariff => old.clone(),
            old => {
                Stamped { created_at: old.map_or(now, |old| old.created_at), updated_at: now, value: tariff }
            }
        });
        Ok(after.collect())
    }

    /// Rate plans by their ids; those that do not exist for the caller are absent.
    pub async fn rate_plans_by_ids(
        &self,
        acting: &Acting,
        ids: &[RatePlanId],
    ) -> Result<HashMap<RatePlanId, Stamped<RatePlan>>, StoreError> {
        rates::plans(self.context.db(), &acting.workspaces, ids).await
    }

    /// The rate plans of several units, the oldest of each first. A unit without plans is absent.
    pub async fn rate_plans_of_units(
        &self,
        acting: &Acting,
        units: &[UnitId],
    ) -> Result<HashMap<UnitId, Vec<Stamped<RatePlan>>>, StoreError> {
        rates::plans_of_units(self.context.db(), &acting.workspaces, units).await
    }

    /// Tariffs by their ids; those that do not exist for the caller are absent.
    pub async fn tariffs_by_ids(
        &self,
        acting: &Acting,
        ids: &[TariffId],
    ) -> Result<HashMap<TariffId, Stamped<Tariff>>, StoreError> {
        rates::tariffs(self.context.db(), &acting.workspaces, ids).await
    }

    /// The tariffs of plans with a night from `first` to `last` (either may be open), in the order of their nights. Name
    /// only plans that were read for the caller. A plan without tariffs is absent.
    pub async fn tariffs_of_rate_plans(
        &self,
        plans: &[RatePlanId],
        first: Option<Date>,
        last: Option<Date>,
    ) -> Result<HashMap<RatePlanId, Vec<Stamped<Tariff>>>, StoreError> {
        rates::tariffs_of_plans(self.context.db(), plans, first, last).await
    }
}

async fn has_tariffs(tx: &mut Tx, plan: RatePlanId) -> Result<bool, StoreError> {
    Ok(!rates::tariffs_of_plans(tx, &[plan], None, None).await?.is_empty())
}

/// Prices as the currencies of their plans are written.
fn write_prices(
    plans: &HashMap<RatePlanId, Stamped<RatePlan>>,
    tariffs: &mut [Tariff],
) -> Result<(), PlatformError> {
    let mut faults = Vec::new();
    for (place, tariff) in tariffs.iter_mut().enumerate() {
        match plans.get(&tariff.rate_plan).map(|plan| plan.priced(tariff.price)) {
            None => {}
            Some(Ok(price)) => tariff.price = price,
            Some(Err(message)) => faults.push(FieldError::new(
                format!("tariffs[{place}].price"),
                ErrorCode::InvalidFormat,
                message,
            )),
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(PlatformError::Invalid(faults)) }
}
