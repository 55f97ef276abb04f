//! Products: what is sold under a product group.

use crate::db::Tx;
use crate::dispatch::On;
use crate::error::{Corrupt, StoreError};
use crate::lists::{self, Ask, At, OLDEST_FIRST, Place, by_id, stamped};
use crate::select::{Conditions, Table};
use crate::sql::{Sql, among, ids, params, statements};
use crate::value::{Id, Ts};
use gateway_domain::Stamped;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{ProductGroupId, ProductId, WorkspaceId};
use gateway_domain_platform::catalog::Product;
use jiff::Timestamp;
use std::collections::HashMap;

macro_rules! columns {
    (pg) => {
        "id, workspace_id, product_group_id, name, created_at, updated_at, \
         (SELECT COALESCE(json_agg(s.unit_id ORDER BY s.unit_id), '[]')::text FROM product_unit s \
          WHERE s.product_id = product.id) AS units"
    };
    (lite) => {
        "id, workspace_id, product_group_id, name, created_at, updated_at, \
         (SELECT json_group_array(s.unit_id ORDER BY s.unit_id) FROM product_unit s \
          WHERE s.product_id = product.id) AS units"
    };
}
macro_rules! of_groups {
    ($e:tt) => {
        concat!("SELECT ", columns!($e), " FROM product WHERE id IN (SELECT id FROM (SELECT id, ROW_NUMBER() OVER \
            (PARTITION BY product_group_id ORDER BY created_at, id) AS place FROM product WHERE ",
            among!($e "product_group_id", "$1"), " AND (", among!($e "workspace_id", "$2"),
            " OR $2 IS NULL)) AS ranked WHERE place <= $3) ORDER BY created_at, id")
    };
}
macro_rules! counts {
    ($e:tt) => {
        concat!("SELECT product_group_id, COUNT(*) FROM product WHERE ", among!($e "product_group_id", "$1"), " AND (",
            among!($e "workspace_id", "$2"), " OR $2 IS NULL) GROUP BY product_group_id")
    };
}

/// Products as they are listed.
pub(crate) const TABLE: Table = Table {
    name: "product",
    key: "id",
    columns: Sql { pg: columns!(pg), lite: columns!(lite) },
    order: OLDEST_FIRST,
    has_workspace: true,
};

statements! {
    OF_GROUPS = each of_groups;
    COUNTS = each counts;
    PUT = "INSERT INTO product (id, workspace_id, product_group_id, name, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $5)
        ON CONFLICT (id) DO UPDATE SET product_group_id = excluded.product_group_id, name = excluded.name,
            updated_at = excluded.updated_at";
    CLEAR_UNITS = "DELETE FROM product_unit WHERE product_id = $1";
    ADD_UNITS = pg "INSERT INTO product_unit (product_id, unit_id) SELECT $1, unnest($2::uuid[])",
        lite "INSERT INTO product_unit (product_id, unit_id) SELECT $1, value FROM json_each($2)";
}

#[derive(sqlx::FromRow)]
struct Row {
    id: Id,
    workspace_id: i64,
    product_group_id: Id,
    name: String,
    units: String,
    created_at: Ts,
    updated_at: Ts,
}

impl TryFrom<Row> for Stamped<Product> {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = ProductId(row.id.0);
        let product = Product {
            id,
            workspace: WorkspaceId(row.workspace_id),
            group: ProductGroupId(row.product_group_id.0),
            name: row.name,
            units: At { table: "product", id }.json("units", &row.units)?,
        };
        Ok(stamped(product, row.created_at, row.updated_at))
    }
}

/// Products by their ids; those that do not exist or are not visible are absent.
pub async fn by_ids(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    wanted: &[ProductId],
) -> Result<HashMap<ProductId, Stamped<Product>>, StoreError> {
    let found = lists::by_ids::<Row, _>(on.into(), TABLE, visible, wanted).await?;
    Ok(by_id(found, |product: &Product| product.id))
}

pub(crate) fn ask(visible: &Workspaces, group: ProductGroupId) -> Ask<'_> {
    let conditions = Conditions::default().finding("product_group_id = ?", Some(group));
    Ask { visible, wanted: None, ids: None, conditions }
}

/// Products of a group after a place, the oldest first.
pub async fn of_group(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    group: ProductGroupId,
    after: Option<Place>,
    limit: i64,
) -> Result<Vec<Stamped<Product>>, StoreError> {
    lists::page::<Row, _>(on.into(), TABLE, ask(visible, group), after, limit).await
}

/// The first `limit` products of each of several groups, the oldest first. A group without products is absent.
pub async fn first_of_groups(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    groups: &[ProductGroupId],
    limit: i64,
) -> Result<HashMap<ProductGroupId, Vec<Stamped<Product>>>, StoreError> {
    let arguments = vec![ids(groups), lists::visible(visible), limit.into()];
    let rows: Vec<Row> = on.into().all(&OF_GROUPS, arguments).await?;
    Ok(lists::grouped(lists::parsed(rows)?, |product: &Product| product.group))
}

/// How many products each of several groups has. A group without products is absent.
pub async fn counts(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    groups: &[ProductGroupId],
) -> Result<HashMap<ProductGroupId, i64>, StoreError> {
    let rows: Vec<(Id, i64)> = on.into().all(&COUNTS, vec![ids(groups), lists::visible(visible)]).await?;
    Ok(rows.into_iter().map(|(group, count)| (ProductGroupId(group.0), count)).collect())
}

/// Stores a product with its units: a new one, or the new content of one that is there. Its workspace stays.
pub async fn put(tx: &mut Tx, product: &Product, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(&PUT, params![product.id, product.workspace, product.group, &product.name, now]).await?;
    tx.execute(&CLEAR_UNITS, params![product.id]).await?;
    if !product.units.is_empty() {
        tx.execute(&ADD_UNITS, vec![product.id.into(), ids(&product.units)]).await?;
    }
    Ok(())
}
