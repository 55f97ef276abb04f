//! Products: what is sold under a product group.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, At, ListQuery, OLDEST_FIRST, by_id, stamped};
use gateway_database::select::{Conditions, Part, Table};
use gateway_database::sql::{Sql, ids, params, row, statements};
use gateway_database::stored::{rows, stored};
use gateway_database::value::Id;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{ProductGroupId, ProductId, WorkspaceId};
use gateway_domain_lists::{PageKey, Stamped};
use gateway_domain_platform::catalog::Product;
use jiff::Timestamp;
use std::collections::HashMap;

stored! {
    struct Row of product, own_columns!, put_rows! {
        id: Id;
        workspace_id: i64;
        product_group_id: Id,
        name: String;
        units: String,
    }
}

macro_rules! columns {
    (pg) => {
        concat!(
            own_columns!(),
            ", \
         (SELECT COALESCE(json_agg(s.unit_id ORDER BY s.unit_id), '[]')::text FROM product_unit s \
          WHERE s.product_id = product.id) AS units"
        )
    };
    (sqlite) => {
        concat!(
            own_columns!(),
            ", \
         (SELECT json_group_array(s.unit_id ORDER BY s.unit_id) FROM product_unit s \
          WHERE s.product_id = product.id) AS units"
        )
    };
}
/// The column of the group that a product is sold under.
pub const GROUP: &str = "product_group_id";

/// Products as they are listed.
pub const TABLE: Table = Table {
    name: "product",
    key: "id",
    columns: Sql { pg: columns!(pg), sqlite: columns!(sqlite) },
    order: OLDEST_FIRST,
    has_workspace: true,
};

statements! {
    PUT = each [(put_rows! engine)];
    CLEAR_UNITS = each ["DELETE FROM product_unit WHERE ", (among "product_id", "$1")];
    ADD_UNITS = each ["INSERT INTO product_unit (product_id, unit_id) SELECT product_id, unit_id FROM ",
        (rows "$1" as sold: product_id UUID, unit_id UUID)];
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
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[ProductId],
) -> Result<HashMap<ProductId, Stamped<Product>>, StoreError> {
    let found = lists::by_ids::<Row, _>(on.into(), TABLE, visible, ids).await?;
    Ok(by_id(found, |product: &Product| product.id))
}

pub fn query(visible: &Workspaces, group: ProductGroupId) -> ListQuery<'_> {
    let conditions = Conditions::default().finding("product_group_id = ?", Some(group));
    ListQuery { visible, workspace: None, ids: None, conditions }
}

/// Products of a group after a place, the oldest first.
pub async fn of_group(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    group: ProductGroupId,
    after: Option<PageKey>,
    limit: i64,
) -> Result<Vec<Stamped<Product>>, StoreError> {
    lists::page::<Row, _>(on.into(), TABLE, query(visible, group), after, limit).await
}

/// Products of several groups.
pub fn of_groups<'a>(visible: &'a Workspaces, groups: &[ProductGroupId]) -> ListQuery<'a> {
    ListQuery::new(visible).of_any(GROUP, groups)
}

/// The first `limit` products of each of several groups, the oldest first. A group without products is absent.
pub async fn first_of_groups(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    groups: &[ProductGroupId],
    limit: i64,
) -> Result<HashMap<ProductGroupId, Vec<Stamped<Product>>>, StoreError> {
    let part = Part::FirstOfEach { column: GROUP, limit };
    let found = lists::part::<Row, _>(on.into(), TABLE, of_groups(visible, groups), part).await?;
    Ok(lists::grouped(found, |product: &Product| product.group))
}

/// How many products each of several groups has. A group without products is absent.
pub async fn counts(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    groups: &[ProductGroupId],
) -> Result<HashMap<ProductGroupId, i64>, StoreError> {
    let Some(select) = of_groups(visible, groups).select(TABLE) else { return Ok(HashMap::new()) };
    let rows: Vec<(Id, i64)> = on.into().rows(&select, Part::CountOfEach { column: GROUP }).await?;
    Ok(rows.into_iter().map(|(group, count)| (ProductGroupId(group.0), count)).collect())
}

/// Stores products with their units, each once: new ones, or the new content of those that are there. Their workspaces
/// stay.
pub async fn put(tx: &mut Tx, products: &[&Product], now: Timestamp) -> Result<(), StoreError> {
    let own = products.iter().map(|product| {
        let Product { id, workspace, group, name, units: _ } = product;
        Ok(row![*id, *workspace, *group, name])
    });
    tx.execute(&PUT, params![Row::put(own)?, now]).await?;
    let cleared: Vec<ProductId> = products.iter().map(|product| product.id).collect();
    tx.execute(&CLEAR_UNITS, vec![ids(&cleared)]).await?;
    let units =
        products.iter().flat_map(|product| product.units.iter().map(|unit| Ok(row![product.id, *unit])));
    tx.execute(&ADD_UNITS, vec![rows(&["product_id", "unit_id"], units)?]).await?;
    Ok(())
}
