//! Rate plans of units, and their tariffs.

use crate::db::Tx;
use crate::dispatch::On;
use crate::error::{Corrupt, StoreError};
use crate::lists::{self, At, by_id, grouped, of_ids, stamped};
use crate::sql::{among, ids, params, statements};
use crate::value::{Day, Id, Ts};
use gateway_domain::Stamped;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{RatePlanId, TariffId, UnitId, WorkspaceId};
use gateway_domain::pricing::{RatePlan, Tariff};
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::HashMap;

macro_rules! plan_columns {
    () => {
        "id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at"
    };
}
macro_rules! plans {
    ($e:tt) => {
        of_ids!($e, plan_columns!(), "rate_plan")
    };
}
macro_rules! lock_plans {
    (pg) => {
        concat!(plans!(pg), " ORDER BY id FOR UPDATE")
    };
    (lite) => {
        concat!(plans!(lite), " ORDER BY id")
    };
}
macro_rules! plans_of_units {
    ($e:tt) => {
        concat!("SELECT ", plan_columns!(), " FROM rate_plan WHERE ", among!($e "unit_id", "$1"), " AND (",
            among!($e "workspace_id", "$2"), " OR $2 IS NULL) ORDER BY created_at, id")
    };
}
macro_rules! tariffs_of_plans {
    ($e:tt) => {
        concat!("SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE ",
            among!($e "rate_plan_id", "$1"), " AND (end_date >= $2 OR $2 IS NULL) AND (start_date <= $3 OR $3 IS NULL) \
            ORDER BY rate_plan_id, start_date")
    };
}
macro_rules! tariffs {
    ($e:tt) => {
        concat!("SELECT id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at FROM tariff WHERE ",
            among!($e "id", "$1"), " AND EXISTS (SELECT 1 FROM rate_plan p WHERE p.id = tariff.rate_plan_id AND (",
            among!($e "p.workspace_id", "$2"), " OR $2 IS NULL))")
    };
}
macro_rules! remove_tariffs {
    ($e:tt) => { concat!("DELETE FROM tariff WHERE ", among!($e "id", "$1")) };
}

statements! {
    PLANS = each plans;
    CURRENCIES = "SELECT DISTINCT currency FROM rate_plan WHERE workspace_id = $1 ORDER BY currency LIMIT 2";
    LOCK_PLANS = each lock_plans;
    PLANS_OF_UNITS = each plans_of_units;
    TARIFFS_OF_PLANS = each tariffs_of_plans;
    TARIFFS = each tariffs;
    REMOVE_TARIFFS = each remove_tariffs;
    PUT_PLAN = "INSERT INTO rate_plan (id, workspace_id, unit_id, name, currency, min_stay, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
        ON CONFLICT (id) DO UPDATE SET unit_id = excluded.unit_id, name = excluded.name, currency = excluded.currency,
            min_stay = excluded.min_stay, updated_at = excluded.updated_at";
    PUT_TARIFF = "INSERT INTO tariff (id, rate_plan_id, start_date, end_date, price, min_stay, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $7)
        ON CONFLICT (id) DO UPDATE SET rate_plan_id = excluded.rate_plan_id, start_date = excluded.start_date,
            end_date = excluded.end_date, price = excluded.price, min_stay = excluded.min_stay,
            updated_at = excluded.updated_at";
}

#[derive(sqlx::FromRow)]
struct PlanRow {
    id: Id,
    workspace_id: i64,
    unit_id: Id,
    name: String,
    currency: String,
    min_stay: i64,
    created_at: Ts,
    updated_at: Ts,
}

impl TryFrom<PlanRow> for Stamped<RatePlan> {
    type Error = Corrupt;

    fn try_from(row: PlanRow) -> Result<Self, Corrupt> {
        let id = RatePlanId(row.id.0);
        let plan = RatePlan {
            id,
            workspace: WorkspaceId(row.workspace_id),
            unit: UnitId(row.unit_id.0),
            name: row.name,
            currency: row.currency,
            min_stay: At { table: "rate_plan", id }.int("min_stay", row.min_stay)?,
        };
        Ok(stamped(plan, row.created_at, row.updated_at))
    }
}

#[derive(sqlx::FromRow)]
struct TariffRow {
    id: Id,
    rate_plan_id: Id,
    start_date: Day,
    end_date: Day,
    price: String,
    min_stay: Option<i64>,
    created_at: Ts,
    updated_at: Ts,
}

impl TryFrom<TariffRow> for Stamped<Tariff> {
    type Error = Corrupt;

    fn try_from(row: TariffRow) -> Result<Self, Corrupt> {
        let id = TariffId(row.id.0);
        let at = At { table: "tariff", id };
        let tariff = Tariff {
            id,
            rate_plan: RatePlanId(row.rate_plan_id.0),
            start_date: row.start_date.0,
            end_date: row.end_date.0,
            price: at.text("price", &row.price)?,
            min_stay: at.optional_int("min_stay", row.min_stay)?,
        };
        Ok(stamped(tariff, row.created_at, row.updated_at))
    }
}

/// Rate plans by their ids; those that do not exist or are not visible are absent.
pub async fn plans(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    wanted: &[RatePlanId],
) -> Result<HashMap<RatePlanId, Stamped<RatePlan>>, StoreError> {
    let rows: Vec<PlanRow> = on.into().all(&PLANS, vec![ids(wanted), lists::visible(visible)]).await?;
    Ok(by_id(lists::parsed(rows)?, |plan: &RatePlan| plan.id))
}

/// The same, held until the transaction ends: whoever writes tariffs of a plan holds it.
pub async fn lock_plans(
    tx: &mut Tx,
    visible: &Workspaces,
    wanted: &[RatePlanId],
) -> Result<HashMap<RatePlanId, Stamped<RatePlan>>, StoreError> {
    let rows: Vec<PlanRow> = tx.fetch_all(&LOCK_PLANS, vec![ids(wanted), lists::visible(visible)]).await?;
    Ok(by_id(lists::parsed(rows)?, |plan: &RatePlan| plan.id))
}

/// The rate plans of several units, the oldest of each first. A unit without plans is absent.
pub async fn plans_of_units(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    units: &[UnitId],
) -> Result<HashMap<UnitId, Vec<Stamped<RatePlan>>>, StoreError> {
    let rows: Vec<PlanRow> =
        on.into().all(&PLANS_OF_UNITS, vec![ids(units), lists::visible(visible)]).await?;
    Ok(grouped(lists::parsed(rows)?, |plan: &RatePlan| plan.unit))
}

/// The tariffs of plans that have a night from `first` to `last`, in the order of their nights; both ends may be open.
/// The plans are known to be visible. A plan without tariffs is absent.
pub async fn tariffs_of_plans(
    on: impl Into<On<'_>>,
    plans: &[RatePlanId],
    first: Option<Date>,
    last: Option<Date>,
) -> Result<HashMap<RatePlanId, Vec<Stamped<Tariff>>>, StoreError> {
    let mut arguments = vec![ids(plans)];
    arguments.extend(params![first, last]);
    let rows: Vec<TariffRow> = on.into().all(&TARIFFS_OF_PLANS, arguments).await?;
    Ok(grouped(lists::parsed(rows)?, |tariff: &Tariff| tariff.rate_plan))
}

/// Tariffs by their ids; those that do not exist or are not visible are absent.
pub async fn tariffs(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    wanted: &[TariffId],
) -> Result<HashMap<TariffId, Stamped<Tariff>>, StoreError> {
    let rows: Vec<TariffRow> = on.into().all(&TARIFFS, vec![ids(wanted), lists::visible(visible)]).await?;
    Ok(by_id(lists::parsed(rows)?, |tariff: &Tariff| tariff.id))
}

/// The currencies of the rate plans of a workspace; two at most.
pub async fn currencies(on: impl Into<On<'_>>, workspace: WorkspaceId) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = on.into().all(&CURRENCIES, params![workspace]).await?;
    Ok(rows.into_iter().map(|(currency,)| currency).collect())
}

/// Stores a rate plan: a new one, or the new content of one that is there. Its workspace stays.
pub async fn put_plan(tx: &mut Tx, plan: &RatePlan, now: Timestamp) -> Result<(), StoreError> {
    let RatePlan { id, workspace, unit, name, currency, min_stay } = plan;
    tx.execute(&PUT_PLAN, params![*id, *workspace, *unit, name, currency, *min_stay, now]).await?;
    Ok(())
}

/// Stores a tariff: a new one, or the new content of one that is there. Whoever calls holds the plan and made sure that
/// it has no night in common with another.
pub async fn put_tariff(tx: &mut Tx, tariff: &Tariff, now: Timestamp) -> Result<(), StoreError> {
    let Tariff { id, rate_plan, start_date, end_date, price, min_stay } = tariff;
    tx.execute(&PUT_TARIFF, params![*id, *rate_plan, *start_date, *end_date, *price, *min_stay, now]).await?;
    Ok(())
}

/// Takes tariffs away.
pub async fn remove_tariffs(tx: &mut Tx, gone: &[TariffId]) -> Result<u64, StoreError> {
    tx.execute(&REMOVE_TARIFFS, vec![ids(gone)]).await
}
