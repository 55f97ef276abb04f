//! Properties: what the platform calls units.

use super::caller::Portal;
use super::errors::ApiError;
use super::pages::Listing;
use super::read;
use crate::PublicApi;
use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use axum::{Json, Router};
use gateway_domain::Stamped;
use gateway_domain::access::Acting;
use gateway_domain::ids::{AmenityId, BuildingId, UnitTypeId};
use gateway_domain::money::Amount;
use gateway_domain_platform::spaces::{Amenity, Building, Unit, UnitType};
use gateway_http::Params;
use gateway_platform::Platform;
use gateway_platform::{PageRequest, UnitFilter};
use serde_json::{Value, json};
use std::collections::HashMap;

/// The kind of a unit and its amenities are always shown, the others only where they are asked for.
const INCLUDED: &[&str] = &["amenities", "unit_type", BUILDING, FEATURES, MEDIA_ITEMS];
const BUILDING: &str = "building";
const FEATURES: &str = "features";
const MEDIA_ITEMS: &str = "media_items";

pub(super) fn router() -> Router<PublicApi> {
    Router::new()
        .route("/api/dev/properties", get(properties))
        .route("/api/dev/properties/{id}", get(property))
        .route("/api/dev/properties/{id}/details", get(property))
        .route("/api/dev/properties/{id}/calendar", get(calendar))
}

async fn properties(
    State(platform): State<Platform>,
    portal: Portal,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&["last_modified", "include"]);
    let include = listing.include(INCLUDED);
    let has = |name: &str| include.iter().any(|included| included == name);
    let more = More { address: has(BUILDING), features: has(FEATURES), media_items: has(MEDIA_ITEMS) };
    let filter = UnitFilter { updated_since: listing.last_modified(), ..UnitFilter::default() };
    let (platform, Portal { workspace, acting, .. }) = (&platform, portal);
    let found = platform.units_window(&acting, workspace, &filter, listing.window()?).await?;
    let around = Around::of(platform, &acting, &found.nodes).await?;
    let shown = found.nodes.iter().map(|unit| around.shape(unit, more));
    Ok(listing.answer(json!({"properties": shown.collect::<Vec<_>>()}), found.total))
}

/// One property with everything.
async fn property(
    State(platform): State<Platform>,
    portal: Portal,
    Path(id): Path<String>,
    params: Params,
) -> Result<Json<Value>, ApiError> {
    params.only(&[])?;
    let found = platform.unit(&portal.acting, read::id("id", &id)?).await?;
    let unit = found.ok_or_else(|| read::unknown("id", "property"))?;
    let around = Around::of(&platform, &portal.acting, std::slice::from_ref(&unit)).await?;
    let everything = More { address: true, features: true, media_items: true };
    Ok(Json(json!({"property": around.shape(&unit, everything)})))
}

/// The nights from `start_date` to `end_date`, both included.
async fn calendar(
    State(platform): State<Platform>,
    portal: Portal,
    Path(id): Path<String>,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&["start_date", "end_date"]);
    let days = listing.both_days();
    let window = listing.window()?;
    let days = days.ok_or_else(ApiError::fault)?;
    let id = read::id("property_id", &id)?;
    let found = platform.units_availability(&portal.acting, &[id], days, PageRequest::default()).await?;
    let node = found.nodes.into_iter().next().ok_or_else(|| read::unknown("property_id", "property"))?;
    let shown = window.of(&node.days).iter().map(|day| {
        json!({"date": day.date, "available": day.available, "min_night_stay": day.min_stay,
            "price": day.price.map(|price| price.to_string())})
    });
    let total = i64::try_from(node.days.len()).unwrap_or(i64::MAX);
    Ok(listing.answer(json!({"calendar": shown.collect::<Vec<_>>()}), total))
}

/// What is shown of a unit beside what always is.
#[derive(Debug, Clone, Copy)]
struct More {
    address: bool,
    features: bool,
    media_items: bool,
}

/// What units refer to, read once for all of them.
#[derive(Debug)]
struct Around {
    unit_types: HashMap<UnitTypeId, Stamped<UnitType>>,
    buildings: HashMap<BuildingId, Stamped<Building>>,
    amenities: HashMap<AmenityId, Stamped<Amenity>>,
}

impl Around {
    async fn of(platform: &Platform, acting: &Acting, units: &[Stamped<Unit>]) -> Result<Self, ApiError> {
        let types = each_once(units.iter().map(|unit| unit.unit_type));
        let unit_types = platform.unit_types_by_ids(acting, &types).await?;
        let buildings = each_once(unit_types.values().map(|unit_type| unit_type.building));
        let amenities = each_once(units.iter().flat_map(|unit| unit.amenities.iter().copied()));
        Ok(Self {
            buildings: platform.buildings_by_ids(acting, &buildings).await?,
            amenities: platform.amenities_by_ids(&amenities).await?,
            unit_types,
        })
    }

    fn shape(&self, unit: &Stamped<Unit>, more: More) -> Value {
        let amenities = unit.amenities.iter().filter_map(|id| self.amenities.get(id));
        let amenities = amenities.map(|amenity| json!({"id": amenity.id, "name": amenity.name}));
        let mut shown = json!({
            "id": unit.id,
            "code": unit.code,
            "status": unit.status,
            "number_of_bedrooms": unit.number_of_bedrooms,
            "number_of_bathrooms": unit.number_of_bathrooms,
            "size_in_sqm": unit.size_in_sqm.and_then(measure),
            "unit_type": self.unit_types.get(&unit.unit_type).map(|unit_type| self.unit_type(unit_type, more)),
            "amenities": amenities.collect::<Vec<_>>(),
            "created_at": unit.created_at,
            "updated_at": unit.updated_at,
        });
        if let Value::Object(members) = &mut shown {
            if more.features {
                members.insert(FEATURES.to_owned(), json!(unit.features));
            }
            if more.media_items {
                let items = unit.media_items.iter().map(|item| json!({"id": item.id, "url": item.url}));
                members.insert(MEDIA_ITEMS.to_owned(), items.collect());
            }
        }
        shown
    }

    fn unit_type(&self, unit_type: &UnitType, more: More) -> Value {
        let building = self.buildings.get(&unit_type.building).map(|building| {
            let mut shown = json!({"id": building.id, "name": building.name});
            if let (true, Value::Object(members)) = (more.address, &mut shown) {
                members.insert("address".to_owned(), json!(building.address));
            }
            shown
        });
        json!({"id": unit_type.id, "code": unit_type.code, "name": unit_type.name, "building": building})
    }
}

fn each_once<I: Ord>(ids: impl Iterator<Item = I>) -> Vec<I> {
    let mut ids: Vec<I> = ids.collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// A measure for people, such as square metres or hours. Money is never a float.
pub(super) fn measure(amount: Amount) -> Option<f64> {
    amount.to_string().parse().ok()
}
