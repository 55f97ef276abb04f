//! Where guests stay: buildings, kinds of unit, units and what they offer.

use gateway_domain::ErrorCode;
use gateway_domain::ids::{AmenityId, BuildingId, MediaItemId, UnitId, UnitTypeId, WorkspaceId};
use gateway_domain::invoicing::{Address, country_hint, is_country};
use gateway_domain::money::Amount;
use gateway_domain_input::Faults;
use gateway_domain_lists::Keyed;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

gateway_domain::words! {
    /// Whether a unit is in use.
    UnitStatus {
        /// It can be booked.
        Active = "ACTIVE",
        /// It cannot be booked for now.
        Inactive = "INACTIVE",
        /// It is kept for its history only.
        Archived = "ARCHIVED",
    }
}

impl UnitStatus {
    /// What holds unless it is said otherwise.
    pub const fn active() -> Self {
        Self::Active
    }
}

/// A building.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Building {
    /// Given by the import.
    pub id: BuildingId,
    /// Whose.
    #[serde(rename = "workspace_id")]
    pub workspace: WorkspaceId,
    /// For people.
    pub name: String,
    /// Where it stands.
    #[serde(default)]
    pub address: Option<Address>,
}

/// A kind of unit in a building.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitType {
    /// Given by the import.
    pub id: UnitTypeId,
    /// Whose.
    #[serde(rename = "workspace_id")]
    pub workspace: WorkspaceId,
    /// Where every unit of this type stands.
    #[serde(rename = "building_id")]
    pub building: BuildingId,
    /// Short, for people.
    pub code: String,
    /// For people.
    #[serde(default)]
    pub name: Option<String>,
}

/// Something a unit may offer. Amenities are the same in every workspace.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Amenity {
    /// Given by the import.
    pub id: AmenityId,
    /// For people.
    pub name: String,
}

/// A picture or film of a unit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MediaItem {
    /// Given by the import.
    pub id: MediaItemId,
    /// Where it is.
    pub url: String,
}

/// A unit: a flat, a studio, a room. The legacy API calls it a property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unit {
    /// Given by the import; the legacy API calls it `property_id`.
    pub id: UnitId,
    /// Whose.
    #[serde(rename = "workspace_id")]
    pub workspace: WorkspaceId,
    /// Says in which building the unit is, too.
    #[serde(rename = "unit_type_id")]
    pub unit_type: UnitTypeId,
    /// Short, for people.
    pub code: String,
    /// Whether it is in use; ACTIVE unless given.
    #[serde(default = "UnitStatus::active")]
    pub status: UnitStatus,
    /// Bedrooms.
    #[serde(default)]
    pub number_of_bedrooms: Option<i32>,
    /// Bathrooms.
    #[serde(default)]
    pub number_of_bathrooms: Option<i32>,
    /// Square metres; read from a number or a decimal string.
    #[serde(default, deserialize_with = "gateway_domain_input::decimal")]
    pub size_in_sqm: Option<Amount>,
    /// What it offers, each once, in the order of their ids.
    #[serde(rename = "amenity_ids", default)]
    pub amenities: Vec<AmenityId>,
    /// What else is to be said about it.
    #[serde(default)]
    pub features: Vec<String>,
    /// Pictures and films, in the order they are shown.
    #[serde(default)]
    pub media_items: Vec<MediaItem>,
}

impl Keyed for Building {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl Keyed for UnitType {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl Keyed for Amenity {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl Keyed for Unit {
    fn key(&self) -> Uuid {
        self.id.0
    }
}

impl Building {
    /// Everything that is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        faults.text("name", &self.name);
        if let Some(address) = &self.address {
            check_address(address, faults);
        }
    }
}

/// Everything that is wrong with an address.
pub fn check_address(address: &Address, faults: &mut Faults) {
    faults.optional_text("address.street", address.street.as_deref());
    faults.optional_text("address.locality", address.locality.as_deref());
    faults.optional_text("address.region", address.region.as_deref());
    faults.optional_text("address.postcode", address.postcode.as_deref());
    if let Some(code) = address.country.as_deref().filter(|code| !is_country(code)) {
        faults.refuse("address.country", ErrorCode::InvalidFormat, country_hint(code));
    }
}

impl UnitType {
    /// Everything that is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        faults.text("code", &self.code);
        faults.optional_text("name", self.name.as_deref());
    }
}

impl Amenity {
    /// Everything that is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        faults.text("name", &self.name);
    }
}

impl Unit {
    /// Everything that is wrong with it.
    pub fn check(&self, faults: &mut Faults) {
        faults.text("code", &self.code);
        for (field, number) in [
            ("number_of_bedrooms", self.number_of_bedrooms),
            ("number_of_bathrooms", self.number_of_bathrooms),
        ] {
            if let Some(number) = number {
                faults.at_least(field, number, 0);
            }
        }
        if self.size_in_sqm.is_some_and(Amount::is_negative) {
            faults.refuse("size_in_sqm", ErrorCode::OutOfRange, "must be 0 or more");
        }
        faults.list("amenity_ids", &self.amenities);
        faults.list("features", &self.features);
        for (place, feature) in self.features.iter().enumerate() {
            faults.text(&format!("features[{place}]"), feature);
        }
        faults.list("media_items", &self.media_items);
        for (place, item) in self.media_items.iter().enumerate() {
            faults.text(&format!("media_items[{place}].url"), &item.url);
        }
        let mut ids: Vec<_> = self.media_items.iter().map(|item| item.id).collect();
        ids.sort_unstable();
        ids.dedup();
        if ids.len() != self.media_items.len() {
            faults.refuse("media_items", ErrorCode::GivenTwice, "the same id stands twice");
        }
    }
}

/// Which units a page shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitFilter {
    /// Only of this workspace.
    pub workspace: Option<WorkspaceId>,
    /// Only in this status.
    pub status: Option<UnitStatus>,
    /// Only these.
    pub ids: Option<Vec<UnitId>>,
    /// Only those that changed at this instant or later.
    pub updated_since: Option<Timestamp>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_size_is_a_number_or_a_decimal_text() {
        let unit = |size| {
            let id = Uuid::from_u128(1);
            serde_json::from_value::<Unit>(
                json!({"id": id, "workspace_id": 1, "unit_type_id": id, "code": "1A",
                "status": "active", "size_in_sqm": size}),
            )
        };
        for (written, read) in [(json!(32), "32"), (json!(32.5), "32.5"), (json!("32.50"), "32.50")] {
            assert_eq!(unit(written).unwrap().size_in_sqm.unwrap().to_string(), read);
        }
        assert_eq!(unit(json!(null)).unwrap().size_in_sqm, None);
        assert!(unit(json!(true)).is_err());
    }
}
