//! Buildings, kinds of unit, amenities, and the pictures of units by their ids.

use gateway_database::Tx;
use gateway_database::dispatch::Executor;
use gateway_database::error::{Corrupt, StoreError};
use gateway_database::lists::{self, At, ListQuery, OLDEST_FIRST, by_id, stamped};
use gateway_database::select::{Part, Table};
use gateway_database::sql::{Sql, params, row, statements};
use gateway_database::stored::stored;
use gateway_database::value::Id;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{AmenityId, BuildingId, MediaItemId, UnitTypeId, WorkspaceId};
use gateway_domain_lists::Stamped;
use gateway_domain_platform::spaces::{Amenity, Building, MediaItem, UnitType};
use jiff::Timestamp;
use std::collections::HashMap;

stored! {
    struct BuildingRow of building, building_columns!, put_building_rows! {
        id: Id;
        workspace_id: i64;
        name: String,
        address: Option<String>,
    }
}

stored! {
    struct UnitTypeRow of unit_type, unit_type_columns!, put_unit_type_rows! {
        id: Id;
        workspace_id: i64;
        building_id: Id,
        code: String,
        name: Option<String>,
    }
}

stored! {
    struct AmenityRow of amenity, amenity_columns!, put_amenity_rows! {
        id: Id;
        ;
        name: String,
    }
}

/// Buildings as they are read.
pub const BUILDINGS: Table = Table {
    name: "building",
    key: "id",
    columns: Sql::both(building_columns!()),
    order: OLDEST_FIRST,
    has_workspace: true,
};
/// Kinds of unit as they are read.
pub const UNIT_TYPES: Table = Table {
    name: "unit_type",
    key: "id",
    columns: Sql::both(unit_type_columns!()),
    order: OLDEST_FIRST,
    has_workspace: true,
};
/// Amenities as they are read.
pub const AMENITIES: Table = Table {
    name: "amenity",
    key: "id",
    columns: Sql::both(amenity_columns!()),
    order: OLDEST_FIRST,
    has_workspace: false,
};
/// Pictures as they are read.
pub const MEDIA_ITEMS: Table = Table {
    name: "media_item",
    key: "id",
    columns: Sql::both("id, url"),
    order: "unit_id, position",
    has_workspace: false,
};
/// Pictures belong to the workspace of their unit.
pub const OF_MEDIA_ITEMS: &str =
    "EXISTS (SELECT 1 FROM unit u WHERE u.id = media_item.unit_id AND u.workspace_id";

statements! {
    PUT_BUILDINGS = each [(put_building_rows! engine)];
    PUT_UNIT_TYPES = each [(put_unit_type_rows! engine)];
    PUT_AMENITIES = each [(put_amenity_rows! engine)];
}

impl TryFrom<BuildingRow> for Stamped<Building> {
    type Error = Corrupt;

    fn try_from(row: BuildingRow) -> Result<Self, Corrupt> {
        let id = BuildingId(row.id.0);
        let at = At { table: "building", id };
        let building = Building {
            id,
            workspace: WorkspaceId(row.workspace_id),
            name: row.name,
            address: row.address.map(|text| at.json("address", &text)).transpose()?,
        };
        Ok(stamped(building, row.created_at, row.updated_at))
    }
}

impl TryFrom<UnitTypeRow> for Stamped<UnitType> {
    type Error = Corrupt;

    fn try_from(row: UnitTypeRow) -> Result<Self, Corrupt> {
        let unit_type = UnitType {
            id: UnitTypeId(row.id.0),
            workspace: WorkspaceId(row.workspace_id),
            building: BuildingId(row.building_id.0),
            code: row.code,
            name: row.name,
        };
        Ok(stamped(unit_type, row.created_at, row.updated_at))
    }
}

impl TryFrom<AmenityRow> for Stamped<Amenity> {
    type Error = Corrupt;

    fn try_from(row: AmenityRow) -> Result<Self, Corrupt> {
        let amenity = Amenity { id: AmenityId(row.id.0), name: row.name };
        Ok(stamped(amenity, row.created_at, row.updated_at))
    }
}

/// Buildings by their ids; those that do not exist or are not visible are absent.
pub async fn buildings(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[BuildingId],
) -> Result<HashMap<BuildingId, Stamped<Building>>, StoreError> {
    let found = lists::by_ids::<BuildingRow, _>(on.into(), BUILDINGS, visible, ids).await?;
    Ok(by_id(found, |building: &Building| building.id))
}

/// Kinds of unit by their ids; those that do not exist or are not visible are absent.
pub async fn unit_types(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[UnitTypeId],
) -> Result<HashMap<UnitTypeId, Stamped<UnitType>>, StoreError> {
    let found = lists::by_ids::<UnitTypeRow, _>(on.into(), UNIT_TYPES, visible, ids).await?;
    Ok(by_id(found, |unit_type: &UnitType| unit_type.id))
}

/// Amenities by their ids; they are the same in every workspace.
pub async fn amenities(
    on: impl Into<Executor<'_>>,
    ids: &[AmenityId],
) -> Result<HashMap<AmenityId, Stamped<Amenity>>, StoreError> {
    let query = ListQuery::anything().with_ids(ids);
    let found = lists::part::<AmenityRow, _>(on.into(), AMENITIES, query, Part::All).await?;
    Ok(by_id(found, |amenity: &Amenity| amenity.id))
}

/// Pictures of units by their ids; those of units that are not visible are absent.
pub async fn media_items(
    on: impl Into<Executor<'_>>,
    visible: &Workspaces,
    ids: &[MediaItemId],
) -> Result<HashMap<MediaItemId, MediaItem>, StoreError> {
    let query = ListQuery::through(visible, OF_MEDIA_ITEMS).with_ids(ids);
    let Some(select) = query.select(MEDIA_ITEMS) else { return Ok(HashMap::new()) };
    let rows: Vec<(Id, String)> = on.into().rows(&select, Part::All).await?;
    let items = rows.into_iter().map(|(id, url)| MediaItem { id: MediaItemId(id.0), url });
    Ok(items.map(|item| (item.id, item)).collect())
}

/// Stores buildings, each once: new ones, or the new content of those that are there. Their workspaces stay.
pub async fn put_buildings(tx: &mut Tx, buildings: &[&Building], now: Timestamp) -> Result<(), StoreError> {
    let rows = buildings.iter().map(|building| {
        let address = building.address.as_ref().map(StoreError::json).transpose()?;
        Ok(row![building.id, building.workspace, &building.name, address])
    });
    tx.execute(&PUT_BUILDINGS, params![BuildingRow::put(rows)?, now]).await?;
    Ok(())
}

/// Stores kinds of unit, each once: new ones, or the new content of those that are there. Their workspaces stay.
pub async fn put_unit_types(tx: &mut Tx, unit_types: &[&UnitType], now: Timestamp) -> Result<(), StoreError> {
    let rows = unit_types.iter().map(|unit_type| {
        let UnitType { id, workspace, building, code, name } = unit_type;
        Ok(row![*id, *workspace, *building, code, name.clone()])
    });
    tx.execute(&PUT_UNIT_TYPES, params![UnitTypeRow::put(rows)?, now]).await?;
    Ok(())
}

/// Stores amenities, each once: new ones, or the new names of those that are there.
pub async fn put_amenities(tx: &mut Tx, amenities: &[&Amenity], now: Timestamp) -> Result<(), StoreError> {
    let rows = amenities.iter().map(|amenity| Ok(row![amenity.id, &amenity.name]));
    tx.execute(&PUT_AMENITIES, params![AmenityRow::put(rows)?, now]).await?;
    Ok(())
}
