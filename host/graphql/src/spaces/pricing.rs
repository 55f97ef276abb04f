//! What nights cost: rate plans of units, their tariffs, and the changes of both.

use super::Unit;
use crate::costs;
use crate::errors::{Refusal, require_referenced};
use crate::pages;
use crate::scalars::{IsoDate, parse_id};
use crate::session::{or_null, reference, session};
use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use gateway_domain::access::Permission;
use gateway_domain::money::Amount;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_lists::Stamped;
use gateway_domain_platform::pricing::{self, NewTariff, RatePlanChange};

/// The way a unit is priced.
#[derive(Debug, Clone)]
pub(crate) struct RatePlan(pub(crate) Stamped<pricing::RatePlan>);

/// The way a unit is priced.
#[Object]
impl RatePlan {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// For people.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// ISO 4217, such as EUR.
    async fn currency(&self) -> &str {
        &self.0.currency
    }

    /// Fewest nights of a stay, where a tariff does not say otherwise.
    async fn min_stay(&self) -> i32 {
        self.0.min_stay
    }

    /// What it prices. What tells more than the unit's code needs the permission spaces.read.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn unit(&self, ctx: &Context<'_>) -> Option<Unit> {
        let unit = async {
            let session = reference(ctx, Permission::SpacesRead, &["id", "code"])?;
            require_referenced("unit", self.0.unit, session.unit(self.0.unit).await?).map(Unit)
        };
        or_null(ctx, unit.await)
    }

    /// Its tariffs with a night in the given days, in the order of their nights.
    #[graphql(complexity = "pages::unpaged_list_cost(child_complexity)")]
    async fn tariffs(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The first day; open unless given.")] start_date: Option<IsoDate>,
        #[graphql(desc = "The last day; open unless given.")] end_date: Option<IsoDate>,
    ) -> Option<Vec<Tariff>> {
        let days = (start_date.map(|date| date.0), end_date.map(|date| date.0));
        let tariffs = async { Ok(session(ctx).tariffs_of((self.0.id, days)).await?.unwrap_or_default()) };
        or_null(ctx, tariffs.await).map(|tariffs| tariffs.into_iter().map(Tariff).collect())
    }
}

/// A price for some nights of a rate plan. No two tariffs of a plan share a night.
#[derive(Debug, Clone)]
pub(crate) struct Tariff(pub(crate) Stamped<pricing::Tariff>);

/// A price for some nights of a rate plan. No two tariffs of a plan share a night.
#[Object]
impl Tariff {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// The plan it belongs to.
    async fn rate_plan_id(&self) -> ID {
        self.0.rate_plan.to_string().into()
    }

    /// The first night.
    async fn start_date(&self) -> IsoDate {
        self.0.start_date.into()
    }

    /// The last night.
    async fn end_date(&self) -> IsoDate {
        self.0.end_date.into()
    }

    /// Of each night, in the currency of the plan; a decimal.
    async fn price(&self) -> String {
        self.0.price.to_string()
    }

    /// Fewest nights of a stay that begins in one of these nights, where it differs from the plan's.
    async fn min_stay(&self) -> Option<i32> {
        self.0.min_stay
    }
}

/// What to change of a rate plan; what is null or not given stays.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct RatePlanUpdateInput {
    /// Which one.
    id: ID,
    /// Fewest nights of a stay.
    min_stay: Option<i32>,
    /// For people.
    name: Option<String>,
    /// ISO 4217, such as EUR.
    currency: Option<String>,
}

/// Which rate plans to change: all of them or none.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct UpdateRatePlansMutationInput {
    /// Each once; at most 100.
    rate_plans: Vec<RatePlanUpdateInput>,
}

/// The rate plans as they are now.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct UpdateRatePlansPayload {
    /// In the order they were given.
    rate_plans: Vec<RatePlan>,
}

/// Changes of prices.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PricingMutation;

/// Changes of prices.
#[Object]
impl PricingMutation {
    /// Changes of rate plans.
    async fn rate_plans(&self) -> RatePlansMutation {
        RatePlansMutation
    }
}

/// Changes of rate plans.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct RatePlansMutation;

/// Changes of rate plans. They need the permission pricing.write.
#[Object]
impl RatePlansMutation {
    /// Changes rate plans, all of them or none.
    async fn update_rate_plans(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which ones, and what of them.")] input: UpdateRatePlansMutationInput,
    ) -> Option<UpdateRatePlansPayload> {
        let session = session(ctx);
        let updated = async {
            let given = input.rate_plans;
            let unknown: Vec<&ID> =
                given.iter().map(|plan| &plan.id).filter(|id| parse_id::<uuid::Uuid>(id).is_none()).collect();
            if !unknown.is_empty() {
                return Err(Refusal::unknown("ratePlans", unknown));
            }
            let change = |plan: RatePlanUpdateInput| {
                let RatePlanUpdateInput { id, min_stay, name, currency } = plan;
                parse_id(&id).map(|id| RatePlanChange { id, min_stay, name, currency })
            };
            let changes: Vec<RatePlanChange> = given.into_iter().filter_map(change).collect();
            let updated =
                session.services.platform.pricing.update_rate_plans(&session.acting, &changes).await;
            let updated = updated.map_err(|error| Refusal::change("", error))?;
            Ok(UpdateRatePlansPayload { rate_plans: updated.into_iter().map(RatePlan).collect() })
        };
        or_null(ctx, session.change(Permission::PricingWrite, updated).await)
    }
}

/// A tariff to be written.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct TariffInput {
    /// The plan it belongs to.
    rate_plan_id: ID,
    /// The first night.
    start_date: IsoDate,
    /// The last night.
    end_date: IsoDate,
    /// Of each night, in the currency of the plan; a decimal such as "89.90".
    price: String,
    /// Fewest nights of a stay that begins in one of these nights; the plan says it unless given.
    min_stay: Option<i32>,
}

/// Which tariffs to write: all of them or none. A tariff replaces whatever it overlaps, also an earlier one of the list.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct BatchUpdateTariffsMutationInput {
    /// At most 500.
    tariffs: Vec<TariffInput>,
}

/// The tariffs that were written.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct BatchUpdateTariffsPayload {
    /// How many.
    updated_count: i32,
    /// In the order they were given.
    tariffs: Vec<Tariff>,
}

/// Changes around units.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SpacesMutation;

/// Changes around units.
#[Object]
impl SpacesMutation {
    /// Writes tariffs, all of them or none. Needs the permission pricing.write.
    async fn batch_update_tariffs(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which ones.")] input: BatchUpdateTariffsMutationInput,
    ) -> Option<BatchUpdateTariffsPayload> {
        let session = session(ctx);
        let written = async {
            let tariffs = read_tariffs(&input.tariffs)?;
            let written = session.services.platform.pricing.write_tariffs(&session.acting, &tariffs).await;
            let written = written.map_err(|error| Refusal::change("", error))?;
            Ok(BatchUpdateTariffsPayload {
                updated_count: i32::try_from(written.len()).unwrap_or(i32::MAX),
                tariffs: written.into_iter().map(Tariff).collect(),
            })
        };
        or_null(ctx, session.change(Permission::PricingWrite, written).await)
    }
}

fn read_tariffs(given: &[TariffInput]) -> Result<Vec<NewTariff>, Refusal> {
    let (mut tariffs, mut faults, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for (place, tariff) in given.iter().enumerate() {
        let price = tariff.price.parse::<Amount>().map_err(|error| {
            faults.push(FieldError::new(
                format!("tariffs[{place}].price"),
                ErrorCode::InvalidFormat,
                error.to_string(),
            ));
        });
        let plan = parse_id(&tariff.rate_plan_id).ok_or_else(|| unknown.push(&tariff.rate_plan_id));
        if let (Ok(price), Ok(rate_plan)) = (price, plan) {
            let TariffInput { start_date, end_date, min_stay, .. } = tariff;
            let (start_date, end_date, min_stay) = (start_date.0, end_date.0, *min_stay);
            tariffs.push(NewTariff { rate_plan, start_date, end_date, price, min_stay });
        }
    }
    if !faults.is_empty() {
        return Err(Refusal::BadInput(faults));
    }
    if unknown.is_empty() { Ok(tariffs) } else { Err(Refusal::unknown("tariffs", unknown)) }
}
