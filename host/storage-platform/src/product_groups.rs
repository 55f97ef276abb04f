//! Product groups of the catalog.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, At, ListQuery, OLDEST_FIRST, by_id, stamped};
use gateway_database::select::{Condition, Conditions, Table};
use gateway_database::sql::{Sql, ids, params, row, statements};
use gateway_database::stored::stored;
use gateway_database::value::{Day, Id};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{CancelationPolicyId, ProductGroupId, WorkspaceId};
use gateway_domain_lists::{PageKey, Stamped};
use gateway_domain_platform::catalog::{
    ActivationState, ContractWindow, ProductGroup, ProductGroupFilter, ProductSegment, Publishing,
};
use jiff::Timestamp;
use jiff::civil::Date;
use std::collections::HashMap;

stored! {
    struct Row of product_group, columns!, put_rows! {
        id: Id;
        workspace_id: i64;
        internal_reference: String,
        contract_earliest_start_date: Day,
        contract_latest_start_date: Day,
        contract_earliest_end_date: Day,
        contract_latest_end_date: Day,
        default_expiry_duration_in_seconds: Option<i64>,
        allow_booking_expiry_timer: Option<bool>,
        academic_year: Option<String>,
        product_segment: Option<String>,
        state: String,
        publishing_start_date: Option<Day>,
        publishing_end_date: Option<Day>,
        requires_cancelation_policy: bool,
        cancelation_policy_id: Option<String>,
        contract_template_external_id: Option<String>,
    }
}

/// That a group is published: ONGOING, started and not ended. The arguments are today, twice.
const IS_PUBLISHED: &str = "(publishing_start_date IS NOT NULL AND publishing_start_date <= ? \
    AND (publishing_end_date IS NULL OR publishing_end_date >= ?))";

pub const TABLE: Table = Table {
    name: "product_group",
    key: "id",
    columns: Sql::both(columns!()),
    order: OLDEST_FIRST,
    has_workspace: true,
};

statements! {
    SET_STATE = each ["UPDATE product_group SET state = $2, updated_at = $3 WHERE ", (among "id", "$1"), " AND state <> $2"];
    PUT = each [(put_rows! engine)];
}

impl TryFrom<Row> for Stamped<ProductGroup> {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = ProductGroupId(row.id.0);
        let at = At { table: "product_group", id };
        let window = ContractWindow::new(
            row.contract_earliest_start_date.0,
            row.contract_latest_start_date.0,
            row.contract_earliest_end_date.0,
            row.contract_latest_end_date.0,
        );
        let group = ProductGroup {
            id,
            workspace: WorkspaceId(row.workspace_id),
            internal_reference: row.internal_reference,
            window: window.map_err(|faults| {
                Corrupt::new("product_group", id, "contract window", gateway_domain_input::sentence(&faults))
            })?,
            default_expiry_duration_in_seconds: at
                .optional_int("default_expiry_duration_in_seconds", row.default_expiry_duration_in_seconds)?,
            allow_booking_expiry_timer: row.allow_booking_expiry_timer,
            academic_year: at.optional("academic_year", row.academic_year)?,
            product_segment: at.optional("product_segment", row.product_segment)?,
            state: at.text("state", &row.state)?,
            publishing: Publishing {
                start_date: row.publishing_start_date.map(|day| day.0),
                end_date: row.publishing_end_date.map(|day| day.0),
            },
            requires_cancelation_policy: row.requires_cancelation_policy,
            cancelation_policy_id: row.cancelation_policy_id.map(CancelationPolicyId),
            contract_template_external_id: row.contract_template_external_id,
        };
        Ok(stamped(group, row.created_at, row.updated_at))
    }
}

pub fn query<'a>(visible: &'a Workspaces, filter: &ProductGroupFilter, today: Date) -> ListQuery<'a> {
    ListQuery {
        visible,
        workspace: filter.workspace,
        ids: filter.ids.as_ref().map(|ids| ids.iter().map(|id| Id(id.0)).collect()),
        conditions: Conditions::default()
            .word("state", filter.state.map(ActivationState::as_str))
            .and("academic_year = ?", filter.academic_year.map(|year| year.to_string()))
            .word("product_segment", filter.product_segment.map(ProductSegment::as_str))
            .finding("internal_reference = ?", filter.internal_reference.clone())
            .and_where(filter.published.map(|published| {
                let is_published = Condition::new(IS_PUBLISHED, params![today, today]);
                if published { is_published } else { is_published.negated() }
            })),
    }
}

/// Product groups after a place, the oldest first; `today` decides what is published.
pub async fn page(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &ProductGroupFilter,
    today: Date,
    after: Option<PageKey>,
    limit: i64,
) -> Result<Vec<Stamped<ProductGroup>>, StoreError> {
    lists::page::<Row, _>(on.into(), TABLE, query(visible, filter, today), after, limit).await
}

/// How many product groups all pages have together.
pub async fn count(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &ProductGroupFilter,
    today: Date,
) -> Result<i64, StoreError> {
    lists::count(on.into(), TABLE, query(visible, filter, today)).await
}

/// Product groups by their ids; those that do not exist or are not visible are absent.
pub async fn by_ids(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[ProductGroupId],
) -> Result<HashMap<ProductGroupId, Stamped<ProductGroup>>, StoreError> {
    let found = lists::by_ids::<Row, _>(on.into(), TABLE, visible, ids).await?;
    Ok(by_id(found, |group: &ProductGroup| group.id))
}

/// The same, held until the transaction ends.
pub async fn lock(
    tx: &mut Tx,
    visible: &Workspaces,
    ids: &[ProductGroupId],
) -> Result<HashMap<ProductGroupId, Stamped<ProductGroup>>, StoreError> {
    let found = lists::lock::<Row, _>(tx, TABLE, visible, ids).await?;
    Ok(by_id(found, |group: &ProductGroup| group.id))
}

/// Stores product groups, each once: new ones, or the new content of those that are there. Their workspaces stay.
pub async fn put(tx: &mut Tx, groups: &[&ProductGroup], now: Timestamp) -> Result<(), StoreError> {
    let rows = groups.iter().map(|group| {
        let window = group.window;
        Ok(row![
            group.id,
            group.workspace,
            &group.internal_reference,
            window.earliest_start(),
            window.latest_start(),
            window.earliest_end(),
            window.latest_end(),
            group.default_expiry_duration_in_seconds,
            group.allow_booking_expiry_timer,
            group.academic_year.map(|year| year.to_string()),
            group.product_segment.map(|segment| segment.as_str().to_owned()),
            group.state.as_str(),
            group.publishing.start_date,
            group.publishing.end_date,
            group.requires_cancelation_policy,
            group.cancelation_policy_id.clone(),
            group.contract_template_external_id.clone(),
        ])
    });
    tx.execute(&PUT, params![Row::put(rows)?, now]).await?;
    Ok(())
}

/// Sets the activation state of those that are in another; says how many those were.
pub async fn set_state(
    tx: &mut Tx,
    groups: &[ProductGroupId],
    state: ActivationState,
    now: Timestamp,
) -> Result<u64, StoreError> {
    let mut arguments = vec![ids(groups)];
    arguments.extend(params![state.as_str(), now]);
    tx.execute(&SET_STATE, arguments).await
}

#[cfg(test)]
mod tests;
