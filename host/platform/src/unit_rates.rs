//! Rates of a unit as older integrations write them: date ranges with a price, no rate plans.

use super::pricing::RatePlanData;
use super::{NotFound, PlatformError};
use crate::pricing::Pricing;
use gateway_domain::ErrorCode;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{ClientId, RatePlanId, UnitId};
use gateway_domain::money::Amount;
use gateway_domain_lists::Stamped;
use gateway_domain_platform::pricing::{NewTariff, RatePlan, Tariff};
use gateway_domain_platform::spaces::Unit;
use gateway_domain_platform::webhooks::How;
use gateway_storage::{Tx, rate_writes, rates, units};
use jiff::SignedDuration;
use jiff::civil::Date;

/// How long a client waits between two writes of a unit's rates (specification, Limits).
const WRITE_INTERVAL: SignedDuration = SignedDuration::from_mins(1);
/// What a rate plan is called that is made for a unit without one.
const PLAN: &str = "Standard";

/// A price for some nights of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRate {
    /// The night that begins on this day is the first one priced.
    pub start_date: Date,
    /// The night that begins on this day is priced too, unlike on a day of departure.
    pub end_date: Date,
    /// Fewest nights of a stay that begins in one of these nights; the rate plan says it unless given.
    pub min_stay: Option<i32>,
    /// Of each night, in the currency of the rate plan.
    pub price: Amount,
}

/// Tariffs, and the plan they were written to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenRates {
    /// The oldest one of the unit, or one that was made because it had none.
    pub plan: RatePlan,
    /// Those that were written and are still there, in the order they were given.
    pub tariffs: Vec<Stamped<Tariff>>,
}

/// Why rates were not written. Nothing was changed, and the turn of the client is not used up.
#[derive(Debug, thiserror::Error)]
pub enum RatesError {
    /// The client wrote rates of this unit a moment ago.
    #[error("rates of a property are written once a minute: wait {retry_after_s} s, and send many at once")]
    TooSoon {
        /// Seconds until the next turn.
        retry_after_s: i64,
    },
    /// What holds of every change.
    #[error(transparent)]
    Platform(#[from] PlatformError),
}

impl From<StoreError> for RatesError {
    fn from(cause: StoreError) -> Self {
        Self::Platform(cause.into())
    }
}

impl Pricing {
    /// Writes rates of a unit as tariffs of its rate plan, the oldest one where it has several: that is the one whose
    /// prices its calendar shows. A unit without one gets a plan in the currency of the workspace's others. Once a
    /// minute for each client and unit, on all replicas together. Mistakes are named as of `tariffs`.
    pub async fn write_rates(
        &self,
        acting: &Acting,
        client: ClientId,
        unit: UnitId,
        given: &[NewRate],
    ) -> Result<WrittenRates, RatesError> {
        if given.is_empty() {
            return Err(
                PlatformError::invalid("tariffs", ErrorCode::Required, "give at least one rate").into()
            );
        }
        let mut tx = self.context.db().begin().await?;
        let found = units::by_ids(&mut tx, &acting.workspaces, &[unit]).await?.remove(&unit);
        let found = found
            .ok_or_else(|| NotFound::one("property", "property_id", unit))
            .map_err(PlatformError::from)?;
        let now = self.context.now();
        if let Err(last) = rate_writes::take(&mut tx, client, unit, now, WRITE_INTERVAL).await? {
            let left = WRITE_INTERVAL
                .saturating_sub(now.duration_since(last))
                .clamp(SignedDuration::ZERO, WRITE_INTERVAL);
            let retry_after_s = left.as_secs().saturating_add(i64::from(left.subsec_nanos() > 0)).max(1);
            return Err(RatesError::TooSoon { retry_after_s });
        }
        let (plan, how) = match self.plan_of(&mut tx, acting, unit).await? {
            Some(plan) => (plan, How::Updated),
            None => self.make_plan(&mut tx, acting, &found).await?,
        };
        let tariffs: Vec<NewTariff> = given
            .iter()
            .map(|rate| NewTariff {
                rate_plan: plan.id,
                start_date: rate.start_date,
                end_date: rate.end_date,
                price: rate.price,
                min_stay: rate.min_stay,
            })
            .collect();
        let tariffs = self.write_tariffs_in(&mut tx, acting, &tariffs, how).await?;
        tx.commit_at("unit-rates-written").await?;
        Ok(WrittenRates { plan, tariffs })
    }

    /// The oldest plan of a unit.
    async fn plan_of(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        unit: UnitId,
    ) -> Result<Option<RatePlan>, StoreError> {
        let plans = rates::plans_of_units(tx, &acting.workspaces, &[unit]).await?.remove(&unit);
        Ok(plans.into_iter().flatten().next().map(|stamped| stamped.value))
    }

    /// A plan for a unit that has none; whoever makes one holds the unit. Somebody else may have made it meanwhile.
    async fn make_plan(
        &self,
        tx: &mut Tx,
        acting: &Acting,
        unit: &Unit,
    ) -> Result<(RatePlan, How), PlatformError> {
        units::hold(tx, &[unit.id]).await?;
        if let Some(made) = self.plan_of(tx, acting, unit.id).await? {
            return Ok((made, How::Updated));
        }
        let currencies = rates::currencies(&mut *tx, unit.workspace).await?;
        let [currency] = currencies.as_slice() else {
            let message = "the property has no rate plan, and the others of the workspace do not say in which currency it \
                           is priced: have one made for it";
            return Err(PlatformError::invalid("property_id", ErrorCode::StateConflict, message));
        };
        let plan = RatePlan {
            id: RatePlanId(self.context.ids().next()),
            workspace: unit.workspace,
            unit: unit.id,
            name: PLAN.to_owned(),
            currency: currency.clone(),
            min_stay: 1,
        };
        rates::put_plans(tx, &[&plan], self.context.now()).await?;
        let data = RatePlanData::from(&plan);
        let subject = format!("rate_plan:{}", plan.id);
        self.context.audit().record(tx, &acting.actor, "rate_plan.create", subject, &data).await?;
        Ok((plan, How::Created))
    }
}
