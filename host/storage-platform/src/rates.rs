//! Rate plans of units, and their tariffs.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, At, ListQuery, OLDEST_FIRST, by_id, grouped, stamped};
use gateway_database::select::{Conditions, Part, Table};
use gateway_database::sql::{Sql, ids, params, row, statements};
use gateway_database::stored::stored;
use gateway_database::value::{Day, Id};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{RatePlanId, TariffId, UnitId, WorkspaceId};
use gateway_domain_lists::Stamped;
use gateway_domain_platform::pricing::{RatePlan, Tariff};
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::HashMap;

stored! {
    struct PlanRow of rate_plan, plan_columns!, put_plan_rows! {
        id: Id;
        workspace_id: i64;
        unit_id: Id,
        name: String,
        currency: String,
        min_stay: i64,
    }
}

stored! {
    struct TariffRow of tariff, tariff_columns!, put_tariff_rows! {
        id: Id;
        ;
        rate_plan_id: Id,
        start_date: Day,
        end_date: Day,
        price: String,
        min_stay: Option<i64>,
    }
}

/// Rate plans as they are read.
pub const PLANS: Table = Table {
    name: "rate_plan",
    key: "id",
    columns: Sql::both(plan_columns!()),
    order: OLDEST_FIRST,
    has_workspace: true,
};
/// Tariffs as they are read. Those of a plan have no night in common.
pub const TARIFFS: Table = Table {
    name: "tariff",
    key: "id",
    columns: Sql::both(tariff_columns!()),
    order: "rate_plan_id, start_date",
    has_workspace: false,
};
/// Tariffs belong to the workspace of their plan.
pub const OF_TARIFFS: &str =
    "EXISTS (SELECT 1 FROM rate_plan p WHERE p.id = tariff.rate_plan_id AND p.workspace_id";

statements! {
    CURRENCIES = "SELECT DISTINCT currency FROM rate_plan WHERE workspace_id = $1 ORDER BY currency LIMIT 2";
    REMOVE_TARIFFS = each ["DELETE FROM tariff WHERE ", (among "id", "$1")];
    PUT_PLANS = each [(put_plan_rows! engine)];
    PUT_TARIFFS = each [(put_tariff_rows! engine)];
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
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[RatePlanId],
) -> Result<HashMap<RatePlanId, Stamped<RatePlan>>, StoreError> {
    let found = lists::by_ids::<PlanRow, _>(on.into(), PLANS, visible, ids).await?;
    Ok(by_id(found, |plan: &RatePlan| plan.id))
}

/// The same, held until the transaction ends: whoever writes tariffs of a plan holds it.
pub async fn lock_plans(
    tx: &mut Tx,
    visible: &Workspaces,
    ids: &[RatePlanId],
) -> Result<HashMap<RatePlanId, Stamped<RatePlan>>, StoreError> {
    let found = lists::lock::<PlanRow, _>(tx, PLANS, visible, ids).await?;
    Ok(by_id(found, |plan: &RatePlan| plan.id))
}

/// The rate plans of several units, the oldest of each first. A unit without plans is absent.
pub async fn plans_of_units(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    units: &[UnitId],
) -> Result<HashMap<UnitId, Vec<Stamped<RatePlan>>>, StoreError> {
    let query = ListQuery::new(visible).of_any("unit_id", units);
    let found = lists::part::<PlanRow, _>(on.into(), PLANS, query, Part::Ordered).await?;
    Ok(grouped(found, |plan: &RatePlan| plan.unit))
}

pub fn nights_of_plans(plans: &[RatePlanId], first: Option<Date>, last: Option<Date>) -> ListQuery<'static> {
    let conditions = Conditions::default().and("end_date >= ?", first).and("start_date <= ?", last);
    ListQuery { conditions, ..ListQuery::anything() }.of_any("rate_plan_id", plans)
}

/// The tariffs of plans that have a night from `first` to `last`, in the order of their nights; both ends may be open.
/// The plans are known to be visible. A plan without tariffs is absent.
pub async fn tariffs_of_plans(
    on: impl Into<Executor<'_>>,
    plans: &[RatePlanId],
    first: Option<Date>,
    last: Option<Date>,
) -> Result<HashMap<RatePlanId, Vec<Stamped<Tariff>>>, StoreError> {
    let query = nights_of_plans(plans, first, last);
    let found = lists::part::<TariffRow, _>(on.into(), TARIFFS, query, Part::Ordered).await?;
    Ok(grouped(found, |tariff: &Tariff| tariff.rate_plan))
}

/// Tariffs by their ids; those that do not exist or are not visible are absent.
pub async fn tariffs(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[TariffId],
) -> Result<HashMap<TariffId, Stamped<Tariff>>, StoreError> {
    let query = ListQuery::through(visible, OF_TARIFFS).with_ids(ids);
    let found = lists::part::<TariffRow, _>(on.into(), TARIFFS, query, Part::All).await?;
    Ok(by_id(found, |tariff: &Tariff| tariff.id))
}

/// The currencies of the rate plans of a workspace; two at most.
pub async fn currencies(
    on: impl Into<Executor<'_>>,
    workspace: WorkspaceId,
) -> Result<Vec<String>, StoreError> {
    let rows: Vec<(String,)> = on.into().all(&CURRENCIES, params![workspace]).await?;
    Ok(rows.into_iter().map(|(currency,)| currency).collect())
}

/// Stores rate plans, each once: new ones, or the new content of those that are there. Their workspaces stay.
pub async fn put_plans(tx: &mut Tx, plans: &[&RatePlan], now: Timestamp) -> Result<(), StoreError> {
    let rows = plans.iter().map(|plan| {
        let RatePlan { id, workspace, unit, name, currency, min_stay } = plan;
        Ok(row![*id, *workspace, *unit, name, currency, *min_stay])
    });
    tx.execute(&PUT_PLANS, params![PlanRow::put(rows)?, now]).await?;
    Ok(())
}

/// Stores tariffs, each once: new ones, or the new content of those that are there. Whoever calls holds the plans and made
/// sure that no two of a plan have a night in common.
pub async fn put_tariffs(tx: &mut Tx, tariffs: &[&Tariff], now: Timestamp) -> Result<(), StoreError> {
    let rows = tariffs.iter().map(|tariff| {
        let Tariff { id, rate_plan, start_date, end_date, price, min_stay } = tariff;
        Ok(row![*id, *rate_plan, *start_date, *end_date, *price, *min_stay])
    });
    tx.execute(&PUT_TARIFFS, params![TariffRow::put(rows)?, now]).await?;
    Ok(())
}

/// Takes tariffs away.
pub async fn remove_tariffs(tx: &mut Tx, gone: &[TariffId]) -> Result<u64, StoreError> {
    tx.execute(&REMOVE_TARIFFS, vec![ids(gone)]).await
}
