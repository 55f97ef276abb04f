//! Units with what they offer and their pictures.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, At, ListQuery, OLDEST_FIRST, by_id, stamped};
use gateway_database::select::{Conditions, Table};
use gateway_database::sql::{Param, Sql, ids, params, row, statements};
use gateway_database::stored::{rows, stored};
use gateway_database::value::Id;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{AmenityId, BuildingId, MediaItemId, UnitId, UnitTypeId, WorkspaceId};
use gateway_domain_lists::{PageKey, Stamped, Window};
use gateway_domain_platform::spaces::{MediaItem, Unit, UnitFilter, UnitStatus};
use jiff::Timestamp;
use std::collections::HashMap;

stored! {
    struct Row of unit, own_columns!, put_rows! {
        id: Id;
        workspace_id: i64;
        unit_type_id: Id,
        code: String,
        status: String,
        number_of_bedrooms: Option<i64>,
        number_of_bathrooms: Option<i64>,
        size_in_sqm: Option<String>,
        features: String;
        amenities: String, media_items: String,
    }
}

macro_rules! columns {
    (pg) => {
        concat!(own_columns!(), ", \
         (SELECT COALESCE(json_agg(a.amenity_id ORDER BY a.amenity_id), '[]')::text FROM unit_amenity a \
          WHERE a.unit_id = unit.id) AS amenities, \
         (SELECT COALESCE(json_agg(json_build_object('id', m.id, 'url', m.url) ORDER BY m.position), '[]')::text \
          FROM media_item m WHERE m.unit_id = unit.id) AS media_items")
    };
    (sqlite) => {
        concat!(own_columns!(), ", \
         (SELECT json_group_array(a.amenity_id ORDER BY a.amenity_id) FROM unit_amenity a \
          WHERE a.unit_id = unit.id) AS amenities, \
         (SELECT json_group_array(json_object('id', m.id, 'url', m.url) ORDER BY m.position) \
          FROM media_item m WHERE m.unit_id = unit.id) AS media_items")
    };
}

pub const TABLE: Table = Table {
    name: "unit",
    key: "id",
    columns: Sql { pg: columns!(pg), sqlite: columns!(sqlite) },
    order: OLDEST_FIRST,
    has_workspace: true,
};

statements! {
    HOLD = each ["SELECT id FROM unit WHERE ", (among "id", "$1"), " ORDER BY id", (lock " FOR NO KEY UPDATE")];
    PUT = each [(put_rows! engine)];
    CLEAR_AMENITIES = each ["DELETE FROM unit_amenity WHERE ", (among "unit_id", "$1")];
    ADD_AMENITIES = each ["INSERT INTO unit_amenity (unit_id, amenity_id) SELECT unit_id, amenity_id FROM ",
        (rows "$1" as offered: unit_id UUID, amenity_id UUID)];
    OF_MEDIA = each ["SELECT id, unit_id FROM media_item WHERE ", (among "id", "$1")];
    OF_BUILDINGS = each ["SELECT u.id FROM unit u JOIN unit_type t ON t.id = u.unit_type_id WHERE ",
        (among "t.building_id", "$1")];
    OF_TYPES = each ["SELECT id FROM unit WHERE ", (among "unit_type_id", "$1")];
    WITH_AMENITIES = each ["SELECT DISTINCT unit_id FROM unit_amenity WHERE ", (among "amenity_id", "$1")];
    CLEAR_MEDIA = each ["DELETE FROM media_item WHERE ", (among "unit_id", "$1")];
    ADD_MEDIA = each ["INSERT INTO media_item (id, unit_id, position, url) SELECT id, unit_id, position, url FROM ",
        (rows "$1" as shown: id UUID, unit_id UUID, position BIGINT, url TEXT)];
}

impl TryFrom<Row> for Stamped<Unit> {
    type Error = Corrupt;

    fn try_from(row: Row) -> Result<Self, Corrupt> {
        let id = UnitId(row.id.0);
        let at = At { table: "unit", id };
        let unit = Unit {
            id,
            workspace: WorkspaceId(row.workspace_id),
            unit_type: UnitTypeId(row.unit_type_id.0),
            code: row.code,
            status: at.text("status", &row.status)?,
            number_of_bedrooms: at.optional_int("number_of_bedrooms", row.number_of_bedrooms)?,
            number_of_bathrooms: at.optional_int("number_of_bathrooms", row.number_of_bathrooms)?,
            size_in_sqm: at.optional("size_in_sqm", row.size_in_sqm)?,
            amenities: at.json("amenities", &row.amenities)?,
            features: at.json("features", &row.features)?,
            media_items: at.json("media_items", &row.media_items)?,
        };
        Ok(stamped(unit, row.created_at, row.updated_at))
    }
}

pub fn query<'a>(visible: &'a Workspaces, filter: &UnitFilter) -> ListQuery<'a> {
    ListQuery {
        visible,
        workspace: filter.workspace,
        ids: filter.ids.as_ref().map(|ids| ids.iter().map(|id| Id(id.0)).collect()),
        conditions: Conditions::default()
            .word("status", filter.status.map(UnitStatus::as_str))
            .and("updated_at >= ?", filter.updated_since),
    }
}

/// Units after a place, the oldest first.
pub async fn page(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &UnitFilter,
    after: Option<PageKey>,
    limit: i64,
) -> Result<Vec<Stamped<Unit>>, StoreError> {
    lists::page::<Row, _>(on.into(), TABLE, query(visible, filter), after, limit).await
}

/// Units of one workspace in a window, the oldest first, and how many there are altogether.
pub async fn window(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    workspace: WorkspaceId,
    filter: &UnitFilter,
    window: Window,
) -> Result<(Vec<Stamped<Unit>>, i64), StoreError> {
    lists::window::<Row, _>(on.into(), TABLE, query(visible, filter).of_workspace(workspace), window).await
}

/// How many units all pages have together.
pub async fn count(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    filter: &UnitFilter,
) -> Result<i64, StoreError> {
    lists::count(on.into(), TABLE, query(visible, filter)).await
}

/// Units by their ids; those that do not exist or are not visible are absent.
pub async fn by_ids(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[UnitId],
) -> Result<HashMap<UnitId, Stamped<Unit>>, StoreError> {
    let found = lists::by_ids::<Row, _>(on.into(), TABLE, visible, ids).await?;
    Ok(by_id(found, |unit: &Unit| unit.id))
}

/// Holds the rows of units until the transaction ends: whoever books one holds it, so that nobody else books it
/// meanwhile.
pub async fn hold(tx: &mut Tx, units: &[UnitId]) -> Result<(), StoreError> {
    let _: Vec<(Id,)> = tx.fetch_all(&HOLD, vec![ids(units)]).await?;
    Ok(())
}

/// The unit of each of these pictures and films; one that is not stored is absent.
pub async fn of_media_items(
    on: impl Into<Executor<'_>>,
    items: &[MediaItemId],
) -> Result<HashMap<MediaItemId, UnitId>, StoreError> {
    let rows: Vec<(Id, Id)> = on.into().all(&OF_MEDIA, vec![ids(items)]).await?;
    Ok(rows.into_iter().map(|(item, unit)| (MediaItemId(item.0), UnitId(unit.0))).collect())
}

/// The units that a statement finds by some ids.
async fn select_ids(on: Executor<'_>, statement: &Sql, owners: Param) -> Result<Vec<UnitId>, StoreError> {
    let rows: Vec<(Id,)> = on.all(statement, vec![owners]).await?;
    Ok(rows.into_iter().map(|(id,)| UnitId(id.0)).collect())
}

/// The units in these buildings.
pub async fn of_buildings(
    on: impl Into<Executor<'_>>,
    buildings: &[BuildingId],
) -> Result<Vec<UnitId>, StoreError> {
    select_ids(on.into(), &OF_BUILDINGS, ids(buildings)).await
}

/// The units of these kinds.
pub async fn of_types(
    on: impl Into<Executor<'_>>,
    unit_types: &[UnitTypeId],
) -> Result<Vec<UnitId>, StoreError> {
    select_ids(on.into(), &OF_TYPES, ids(unit_types)).await
}

/// The units with one of these amenities.
pub async fn with_amenities(
    on: impl Into<Executor<'_>>,
    amenities: &[AmenityId],
) -> Result<Vec<UnitId>, StoreError> {
    select_ids(on.into(), &WITH_AMENITIES, ids(amenities)).await
}

/// Stores units with their amenities and pictures, each once: new ones, or the new content of those that are there. Their
/// workspaces stay. A unique violation means that a picture belongs to a unit that is not among them.
pub async fn put(tx: &mut Tx, units: &[&Unit], now: Timestamp) -> Result<(), StoreError> {
    let own = units.iter().map(|unit| {
        Ok(row![
            unit.id,
            unit.workspace,
            unit.unit_type,
            &unit.code,
            unit.status.as_str(),
            unit.number_of_bedrooms,
            unit.number_of_bathrooms,
            unit.size_in_sqm,
            StoreError::json(&unit.features)?,
        ])
    });
    tx.execute(&PUT, params![Row::put(own)?, now]).await?;
    let cleared: Vec<UnitId> = units.iter().map(|unit| unit.id).collect();
    tx.execute(&CLEAR_AMENITIES, vec![ids(&cleared)]).await?;
    let amenities =
        units.iter().flat_map(|unit| unit.amenities.iter().map(|amenity| Ok(row![unit.id, *amenity])));
    tx.execute(&ADD_AMENITIES, vec![rows(&["unit_id", "amenity_id"], amenities)?]).await?;
    tx.execute(&CLEAR_MEDIA, vec![ids(&cleared)]).await?;
    let media = units.iter().flat_map(|unit| {
        let of_unit = |(place, item): (i64, &MediaItem)| Ok(row![item.id, unit.id, place, &item.url]);
        (0_i64..).zip(&unit.media_items).map(of_unit)
    });
    tx.execute(&ADD_MEDIA, vec![rows(&["id", "unit_id", "position", "url"], media)?]).await?;
    Ok(())
}
