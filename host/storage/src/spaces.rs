//! Buildings, kinds of unit, amenities, and the pictures of units by their ids.

use crate::db::Tx;
use crate::dispatch::On;
use crate::error::{Corrupt, StoreError};
use crate::lists::{self, At, by_id, of_ids, stamped};
use crate::sql::{among, ids, params, statements};
use crate::value::{Id, Ts};
use gateway_domain::Stamped;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{AmenityId, BuildingId, MediaItemId, UnitTypeId, WorkspaceId};
use gateway_domain::spaces::{Amenity, Building, MediaItem, UnitType};
use jiff::Timestamp;
use std::collections::HashMap;

macro_rules! buildings {
    ($e:tt) => {
        of_ids!($e, "id, workspace_id, name, address, created_at, updated_at", "building")
    };
}
macro_rules! unit_types {
    ($e:tt) => {
        of_ids!($e, "id, workspace_id, building_id, code, name, created_at, updated_at", "unit_type")
    };
}
macro_rules! amenities {
    ($e:tt) => {
        concat!("SELECT id, name, created_at, updated_at FROM amenity WHERE ", among!($e "id", "$1"))
    };
}
macro_rules! media_items {
    ($e:tt) => {
        concat!("SELECT id, url FROM media_item WHERE ", among!($e "id", "$1"),
            " AND EXISTS (SELECT 1 FROM unit u WHERE u.id = media_item.unit_id AND (", among!($e "u.workspace_id", "$2"),
            " OR $2 IS NULL))")
    };
}

statements! {
    BUILDINGS = each buildings;
    UNIT_TYPES = each unit_types;
    AMENITIES = each amenities;
    MEDIA_ITEMS = each media_items;
    PUT_BUILDING = "INSERT INTO building (id, workspace_id, name, address, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $5)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, address = excluded.address, updated_at = excluded.updated_at";
    PUT_UNIT_TYPE = "INSERT INTO unit_type (id, workspace_id, building_id, code, name, created_at, updated_at)
        VALUES ($1, $2, $3, $4, $5, $6, $6)
        ON CONFLICT (id) DO UPDATE SET building_id = excluded.building_id, code = excluded.code, name = excluded.name,
            updated_at = excluded.updated_at";
    PUT_AMENITY = "INSERT INTO amenity (id, name, created_at, updated_at) VALUES ($1, $2, $3, $3)
        ON CONFLICT (id) DO UPDATE SET name = excluded.name, updated_at = excluded.updated_at";
}

#[derive(sqlx::FromRow)]
struct BuildingRow {
    id: Id,
    workspace_id: i64,
    name: String,
    address: Option<String>,
    created_at: Ts,
    updated_at: Ts,
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

#[derive(sqlx::FromRow)]
struct UnitTypeRow {
    id: Id,
    workspace_id: i64,
    building_id: Id,
    code: String,
    name: Option<String>,
    created_at: Ts,
    updated_at: Ts,
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

#[derive(sqlx::FromRow)]
struct AmenityRow {
    id: Id,
    name: String,
    created_at: Ts,
    updated_at: Ts,
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
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    wanted: &[BuildingId],
) -> Result<HashMap<BuildingId, Stamped<Building>>, StoreError> {
    let rows: Vec<BuildingRow> =
        on.into().all(&BUILDINGS, vec![ids(wanted), lists::visible(visible)]).await?;
    Ok(by_id(lists::parsed(rows)?, |building: &Building| building.id))
}

/// Kinds of unit by their ids; those that do not exist or are not visible are absent.
pub async fn unit_types(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    wanted: &[UnitTypeId],
) -> Result<HashMap<UnitTypeId, Stamped<UnitType>>, StoreError> {
    let rows: Vec<UnitTypeRow> =
        on.into().all(&UNIT_TYPES, vec![ids(wanted), lists::visible(visible)]).await?;
    Ok(by_id(lists::parsed(rows)?, |unit_type: &UnitType| unit_type.id))
}

/// Amenities by their ids; they are the same in every workspace.
pub async fn amenities(
    on: impl Into<On<'_>>,
    wanted: &[AmenityId],
) -> Result<HashMap<AmenityId, Stamped<Amenity>>, StoreError> {
    let rows: Vec<AmenityRow> = on.into().all(&AMENITIES, vec![ids(wanted)]).await?;
    Ok(by_id(lists::parsed(rows)?, |amenity: &Amenity| amenity.id))
}

/// Pictures of units by their ids; those of units that are not visible are absent.
pub async fn media_items(
    on: impl Into<On<'_>>,
    visible: &Workspaces,
    wanted: &[MediaItemId],
) -> Result<HashMap<MediaItemId, MediaItem>, StoreError> {
    let rows: Vec<(Id, String)> =
        on.into().all(&MEDIA_ITEMS, vec![ids(wanted), lists::visible(visible)]).await?;
    let items = rows.into_iter().map(|(id, url)| MediaItem { id: MediaItemId(id.0), url });
    Ok(items.map(|item| (item.id, item)).collect())
}

/// Stores a building: a new one, or the new content of one that is there. Its workspace stays.
pub async fn put_building(tx: &mut Tx, building: &Building, now: Timestamp) -> Result<(), StoreError> {
    let address = building.address.as_ref().map(StoreError::json).transpose()?;
    let arguments = params![building.id, building.workspace, &building.name, address, now];
    tx.execute(&PUT_BUILDING, arguments).await?;
    Ok(())
}

/// Stores a kind of unit: a new one, or the new content of one that is there. Its workspace stays.
pub async fn put_unit_type(tx: &mut Tx, unit_type: &UnitType, now: Timestamp) -> Result<(), StoreError> {
    let UnitType { id, workspace, building, code, name } = unit_type;
    let arguments = params![*id, *workspace, *building, code, name.clone(), now];
    tx.execute(&PUT_UNIT_TYPE, arguments).await?;
    Ok(())
}

/// Stores an amenity: a new one, or the new name of one that is there.
pub async fn put_amenity(tx: &mut Tx, amenity: &Amenity, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(&PUT_AMENITY, params![amenity.id, &amenity.name, now]).await?;
    Ok(())
}
