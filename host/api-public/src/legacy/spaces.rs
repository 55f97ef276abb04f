//! Properties: what the platform calls units.

use super::listing::{LastModifiedQuery, Listing, PageParams};
use super::paths::{self, PropertyPath};
use super::{ApiError, LegacyCaller, NamedReference};
use crate::PublicState;
use axum::Json;
use axum::extract::{Path, State};
use axum::response::Response;
use gateway_domain::access::Acting;
use gateway_domain::ids::{AmenityId, BuildingId, MediaItemId, UnitId, UnitTypeId};
use gateway_domain::invoicing::Address;
use gateway_domain::money::Amount;
use gateway_domain_lists::{PageRequest, Stamped};
use gateway_domain_platform::spaces::{Amenity, Building, Unit, UnitFilter, UnitStatus, UnitType};
use gateway_http::Params;
use gateway_http::openapi::{BadRequest, NotFound, Unprocessable};
use gateway_platform::{Bookings, Spaces};
use jiff::Timestamp;
use jiff::civil::Date;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::HashMap;
use utoipa::openapi::schema::{ObjectBuilder, OneOfBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{IntoParams, PartialSchema, ToSchema};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

/// The kind of a unit and its amenities are always shown, the others only where they are asked for.
const INCLUDABLE_MEMBERS: &[&str] = &["amenities", "unit_type", BUILDING, FEATURES, MEDIA_ITEMS];
const BUILDING: &str = "building";
const FEATURES: &str = "features";
const MEDIA_ITEMS: &str = "media_items";

pub(super) fn router() -> OpenApiRouter<PublicState> {
    OpenApiRouter::new()
        .routes(routes!(properties))
        .routes(routes!(property))
        .routes(routes!(property_details))
        .routes(routes!(calendar))
}

/// A unit.
#[derive(Debug, Serialize, ToSchema)]
struct Property {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000a1"))]
    id: UnitId,
    #[schema(examples("A-101"))]
    code: String,
    status: UnitStatus,
    #[schema(required, examples(1))]
    number_of_bedrooms: Option<i32>,
    #[schema(required, examples(1))]
    number_of_bathrooms: Option<i32>,
    #[schema(required, examples(32.5))]
    size_in_sqm: Option<f64>,
    #[schema(required)]
    unit_type: Option<UnitTypeView>,
    amenities: Vec<NamedReference>,
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    created_at: Timestamp,
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    updated_at: Timestamp,
    /// With `include=features`, and of one property.
    #[serde(skip_serializing_if = "Option::is_none")]
    features: Option<Vec<String>>,
    /// With `include=media_items`, and of one property.
    #[serde(skip_serializing_if = "Option::is_none")]
    media_items: Option<Vec<MediaItemView>>,
}

/// A kind of unit.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LegacyUnitType)]
struct UnitTypeView {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000a2"))]
    id: UnitTypeId,
    #[schema(examples("STUDIO"))]
    code: String,
    #[schema(required, examples("Studio"))]
    name: Option<String>,
    #[schema(required)]
    building: Option<BuildingView>,
}

/// A building with units.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LegacyBuilding)]
struct BuildingView {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000a3"))]
    id: BuildingId,
    #[schema(examples("Casa Azul"))]
    name: String,
    /// With `include=building`, and of one property; null when it is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = NullableAddress, required = false)]
    #[expect(clippy::option_option, reason = "not asked for, not known, or there")]
    address: Option<Option<Address>>,
}

/// An address, or null.
struct NullableAddress;

impl PartialSchema for NullableAddress {
    fn schema() -> RefOr<Schema> {
        let null = ObjectBuilder::new().schema_type(Type::Null);
        OneOfBuilder::new().item(Ref::from_schema_name(Address::name())).item(null).into()
    }
}

impl ToSchema for NullableAddress {
    fn name() -> Cow<'static, str> {
        "LegacyAddress".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Address::name().into_owned(), Address::schema()));
        Address::schemas(schemas);
    }
}

/// A picture or film.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = LegacyMediaItem)]
struct MediaItemView {
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000a5"))]
    id: MediaItemId,
    #[schema(examples("https://media.example/a-101.jpg"))]
    url: String,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PropertiesPage)]
struct Properties {
    properties: Vec<Property>,
}

#[derive(Debug, Serialize, ToSchema)]
struct PropertyAnswer {
    property: Property,
}

/// A night.
#[derive(Debug, Serialize, ToSchema)]
struct CalendarDay {
    #[schema(value_type = String, format = Date, examples("2026-12-01"))]
    date: Date,
    #[schema(examples(true))]
    available: bool,
    #[schema(examples(2))]
    min_night_stay: i32,
    /// Of the night; null when no tariff covers it.
    #[schema(required)]
    price: Option<Amount>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CalendarPage)]
struct Calendar {
    calendar: Vec<CalendarDay>,
}

/// What else of properties is asked for.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes a parameter")]
struct Include {
    /// More members, with commas between them; `amenities` and `unit_type` are there anyway.
    #[param(inline, style = Form, explode = false, value_type = Vec<PropertyMember>, required = false, min_items = 1)]
    include: Option<Vec<PropertyMember>>,
}

/// What may be asked for beside a property.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes a parameter")]
enum PropertyMember {
    Amenities,
    UnitType,
    Building,
    Features,
    MediaItems,
}

/// Which nights.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[expect(dead_code, reason = "describes parameters")]
struct Nights {
    /// The first night.
    #[param(format = Date, example = "2026-12-01")]
    start_date: String,
    /// The last night.
    #[param(format = Date, example = "2026-12-31")]
    end_date: String,
}

/// The properties of the workspace
///
/// Properties are units.
#[utoipa::path(
    get,
    path = "/api/dev/properties",
    operation_id = "listProperties",
    params(PageParams, LastModifiedQuery, Include),
    responses(
        (status = 200, description = "The page.", body = Properties),
        (status = 422, response = Unprocessable),
    )
)]
async fn properties(
    State(spaces): State<Spaces>,
    caller: LegacyCaller,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&["last_modified", "include"]);
    let include = listing.include(INCLUDABLE_MEMBERS);
    let has = |name: &str| include.iter().any(|included| included == name);
    let more =
        OptionalMembers { address: has(BUILDING), features: has(FEATURES), media_items: has(MEDIA_ITEMS) };
    let filter = UnitFilter { updated_since: listing.last_modified(), ..UnitFilter::default() };
    let LegacyCaller { workspace, acting, .. } = caller;
    let found = spaces.units_window(&acting, workspace, &filter, listing.window()?).await?;
    let around = UnitContext::of(&spaces, &acting, &found.nodes).await?;
    let properties = found.nodes.iter().map(|unit| around.view(unit, more));
    Ok(listing.answer(&Properties { properties: properties.collect() }, found.total))
}

/// A property
///
/// With features, media items and the address of its building.
#[utoipa::path(
    get,
    path = "/api/dev/properties/{id}",
    operation_id = "getProperty",
    params(PropertyPath),
    responses(
        (status = 200, description = "The property.", body = PropertyAnswer),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn property(
    State(spaces): State<Spaces>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    params: Params,
) -> Result<Json<PropertyAnswer>, ApiError> {
    params.only(&[])?;
    let found = spaces.unit(&caller.acting, paths::id("id", &id)?).await?;
    let unit = found.ok_or_else(|| paths::unknown("id", "property"))?;
    let around = UnitContext::of(&spaces, &caller.acting, std::slice::from_ref(&unit)).await?;
    let everything = OptionalMembers { address: true, features: true, media_items: true };
    Ok(Json(PropertyAnswer { property: around.view(&unit, everything) }))
}

/// The details of a property
///
/// The same as the property itself.
#[utoipa::path(
    get,
    path = "/api/dev/properties/{id}/details",
    operation_id = "getPropertyDetails",
    params(PropertyPath),
    responses(
        (status = 200, description = "The property.", body = PropertyAnswer),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn property_details(
    spaces: State<Spaces>,
    caller: LegacyCaller,
    id: Path<String>,
    params: Params,
) -> Result<Json<PropertyAnswer>, ApiError> {
    property(spaces, caller, id, params).await
}

/// The calendar of a property
///
/// The nights from `start_date` to `end_date`, both included, at most 400.
#[utoipa::path(
    get,
    path = "/api/dev/properties/{id}/calendar",
    operation_id = "getCalendar",
    params(PropertyPath, Nights, PageParams),
    responses(
        (status = 200, description = "The page.", body = Calendar),
        (status = 400, response = BadRequest),
        (status = 404, response = NotFound),
        (status = 422, response = Unprocessable),
    )
)]
async fn calendar(
    State(bookings): State<Bookings>,
    caller: LegacyCaller,
    Path(id): Path<String>,
    mut listing: Listing,
) -> Result<Response, ApiError> {
    listing.only(&["start_date", "end_date"]);
    let days = listing.both_days();
    let window = listing.window()?;
    let days = days.ok_or_else(ApiError::fault)?;
    let id = paths::id("property_id", &id)?;
    let found = bookings.units_availability(&caller.acting, &[id], days, PageRequest::default()).await?;
    let node = found.nodes.into_iter().next().ok_or_else(|| paths::unknown("property_id", "property"))?;
    let calendar = window.of(&node.days).iter().map(|day| CalendarDay {
        date: day.date,
        available: day.available,
        min_night_stay: day.min_stay,
        price: day.price,
    });
    let total = i64::try_from(node.days.len()).unwrap_or(i64::MAX);
    Ok(listing.answer(&Calendar { calendar: calendar.collect() }, total))
}

/// What is shown of a unit beside what always is.
#[derive(Debug, Clone, Copy)]
struct OptionalMembers {
    address: bool,
    features: bool,
    media_items: bool,
}

/// What units refer to, read once for all of them.
#[derive(Debug)]
struct UnitContext {
    unit_types: HashMap<UnitTypeId, Stamped<UnitType>>,
    buildings: HashMap<BuildingId, Stamped<Building>>,
    amenities: HashMap<AmenityId, Stamped<Amenity>>,
}

impl UnitContext {
    async fn of(spaces: &Spaces, acting: &Acting, units: &[Stamped<Unit>]) -> Result<Self, ApiError> {
        let types = each_once(units.iter().map(|unit| unit.unit_type));
        let unit_types = spaces.unit_types_by_ids(acting, &types).await?;
        let buildings = each_once(unit_types.values().map(|unit_type| unit_type.building));
        let amenities = each_once(units.iter().flat_map(|unit| unit.amenities.iter().copied()));
        Ok(Self {
            buildings: spaces.buildings_by_ids(acting, &buildings).await?,
            amenities: spaces.amenities_by_ids(&amenities).await?,
            unit_types,
        })
    }

    fn view(&self, unit: &Stamped<Unit>, more: OptionalMembers) -> Property {
        let amenities = unit.amenities.iter().filter_map(|id| self.amenities.get(id));
        let media =
            || unit.media_items.iter().map(|item| MediaItemView { id: item.id, url: item.url.clone() });
        Property {
            id: unit.id,
            code: unit.code.clone(),
            status: unit.status,
            number_of_bedrooms: unit.number_of_bedrooms,
            number_of_bathrooms: unit.number_of_bathrooms,
            size_in_sqm: unit.size_in_sqm.and_then(measure),
            unit_type: self.unit_types.get(&unit.unit_type).map(|unit_type| self.unit_type(unit_type, more)),
            amenities: amenities
                .map(|amenity| NamedReference { id: amenity.id.into(), name: amenity.name.clone() })
                .collect(),
            created_at: unit.created_at,
            updated_at: unit.updated_at,
            features: more.features.then(|| unit.features.clone()),
            media_items: more.media_items.then(|| media().collect()),
        }
    }

    fn unit_type(&self, unit_type: &UnitType, more: OptionalMembers) -> UnitTypeView {
        let building = self.buildings.get(&unit_type.building).map(|building| BuildingView {
            id: building.id,
            name: building.name.clone(),
            address: more.address.then(|| building.address.clone()),
        });
        UnitTypeView {
            id: unit_type.id,
            code: unit_type.code.clone(),
            name: unit_type.name.clone(),
            building,
        }
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
