//! A line of the data: the members of what `gateway import` takes, in the order in which they are written.

use jiff::civil::Date;
use serde::Serialize;
use uuid::Uuid;

/// One thing.
#[derive(Debug, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Line {
    Workspace {
        id: i64,
        name: &'static str,
        slug: &'static str,
        status: &'static str,
        logo_url: &'static str,
        legal_name: &'static str,
        tax_id: &'static str,
        country: &'static str,
        time_zone: &'static str,
        address: Address,
    },
    Amenity {
        id: Uuid,
        name: &'static str,
    },
    Building {
        id: Uuid,
        workspace_id: i64,
        name: String,
        address: Address,
    },
    UnitType {
        id: Uuid,
        workspace_id: i64,
        building_id: Uuid,
        code: String,
        name: &'static str,
    },
    Unit {
        id: Uuid,
        workspace_id: i64,
        unit_type_id: Uuid,
        code: String,
        status: &'static str,
        number_of_bedrooms: u64,
        number_of_bathrooms: u64,
        size_in_sqm: u64,
        amenity_ids: Vec<Uuid>,
        features: &'static [&'static str],
        media_items: Vec<MediaItem>,
    },
    ProductGroup {
        id: Uuid,
        workspace_id: i64,
        internal_reference: String,
        contract_earliest_start_date: Date,
        contract_latest_start_date: Date,
        contract_earliest_end_date: Date,
        contract_latest_end_date: Date,
        academic_year: String,
        product_segment: Option<&'static str>,
        state: &'static str,
        publishing: Publishing,
        default_expiry_duration_in_seconds: u32,
        allow_booking_expiry_timer: bool,
        requires_cancelation_policy: bool,
    },
    Product {
        id: Uuid,
        workspace_id: i64,
        product_group_id: Uuid,
        name: String,
        unit_ids: Vec<Uuid>,
    },
    RatePlan {
        id: Uuid,
        workspace_id: i64,
        unit_id: Uuid,
        name: &'static str,
        currency: &'static str,
        min_stay: u64,
    },
    Tariff {
        id: Uuid,
        rate_plan_id: Uuid,
        start_date: Date,
        end_date: Date,
        price: String,
    },
    Conversation {
        id: Uuid,
        workspace_id: i64,
        booking_id: Uuid,
    },
    Message {
        id: Uuid,
        conversation_id: Uuid,
        body: &'static str,
        content_type: &'static str,
        source: &'static str,
        sent_at: String,
    },
    Booking {
        id: Uuid,
        workspace_id: i64,
        unit_id: Uuid,
        product_id: Uuid,
        confirmation_code: String,
        status: &'static str,
        check_in: Date,
        check_out: Date,
        guests: Guests,
        contacts: [Contact; 1],
        platform: Option<&'static str>,
        payment_status: Option<&'static str>,
        vetting_status: Option<&'static str>,
    },
    Team {
        id: Uuid,
        name: &'static str,
    },
    User {
        id: Uuid,
        email: String,
        name: &'static str,
        nickname: &'static str,
        status: &'static str,
        joined_at: String,
        role_bindings: Vec<RoleBinding>,
        team_ids: [Uuid; 1],
    },
    Task {
        id: Uuid,
        workspace_id: i64,
        title: &'static str,
        r#type: &'static str,
        due_date: Date,
        start_time: String,
        estimated_duration_hours: &'static str,
        notes: Option<&'static str>,
        unit_id: Uuid,
        booking_id: Option<Uuid>,
    },
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Address {
    pub(super) street: String,
    pub(super) locality: &'static str,
    pub(super) region: &'static str,
    pub(super) postcode: &'static str,
    pub(super) country: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct MediaItem {
    pub(super) id: Uuid,
    pub(super) url: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Publishing {
    pub(super) start_date: Date,
    pub(super) end_date: Option<Date>,
}

#[derive(Debug, Serialize)]
pub(super) struct Guests {
    pub(super) adults: u64,
    pub(super) children: u64,
}

#[derive(Debug, Serialize)]
pub(super) struct Contact {
    pub(super) name: &'static str,
    pub(super) email: String,
    pub(super) phone: String,
}

#[derive(Debug, Serialize)]
pub(super) struct RoleBinding {
    pub(super) workspace_id: i64,
    pub(super) roles: [Option<&'static str>; 1],
}
