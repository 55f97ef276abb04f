//! Whether what something refers to is there, and in which workspace: for whoever stores much at once.

use crate::dispatch::On;
use crate::error::StoreError;
use crate::sql::{Param, among, statements};
use crate::value::Id;
use gateway_domain::ids::WorkspaceId;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// What can be referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each variant is named after the thing")]
pub enum Referred {
    Building,
    UnitType,
    Amenity,
    Unit,
    ProductGroup,
    Product,
    RatePlan,
    Booking,
    Conversation,
    Team,
}

macro_rules! of_workspace {
    ($e:tt, $table:literal) => {
        concat!("SELECT id, workspace_id FROM ", $table, " WHERE ", among!($e "id", "$1"))
    };
}
macro_rules! of_all {
    ($e:tt, $table:literal) => {
        concat!("SELECT id, CAST(0 AS BIGINT) FROM ", $table, " WHERE ", among!($e "id", "$1"))
    };
}
macro_rules! workspaces {
    ($e:tt) => { concat!("SELECT id FROM workspace WHERE ", among!($e "id", "$1")) };
}

statements! {
    WORKSPACES = each workspaces;
    BUILDINGS = pg of_workspace!(pg, "building"), lite of_workspace!(lite, "building");
    UNIT_TYPES = pg of_workspace!(pg, "unit_type"), lite of_workspace!(lite, "unit_type");
    AMENITIES = pg of_all!(pg, "amenity"), lite of_all!(lite, "amenity");
    UNITS = pg of_workspace!(pg, "unit"), lite of_workspace!(lite, "unit");
    PRODUCT_GROUPS = pg of_workspace!(pg, "product_group"), lite of_workspace!(lite, "product_group");
    PRODUCTS = pg of_workspace!(pg, "product"), lite of_workspace!(lite, "product");
    RATE_PLANS = pg of_workspace!(pg, "rate_plan"), lite of_workspace!(lite, "rate_plan");
    BOOKINGS = pg of_workspace!(pg, "booking"), lite of_workspace!(lite, "booking");
    CONVERSATIONS = pg of_workspace!(pg, "conversation"), lite of_workspace!(lite, "conversation");
    TEAMS = pg of_all!(pg, "team"), lite of_all!(lite, "team");
}

impl Referred {
    /// For people.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Building => "building",
            Self::UnitType => "unit_type",
            Self::Amenity => "amenity",
            Self::Unit => "unit",
            Self::ProductGroup => "product_group",
            Self::Product => "product",
            Self::RatePlan => "rate_plan",
            Self::Booking => "booking",
            Self::Conversation => "conversation",
            Self::Team => "team",
        }
    }

    /// Whether such things belong to a workspace.
    pub const fn has_workspace(self) -> bool {
        match self {
            Self::Amenity | Self::Team => false,
            Self::Building
            | Self::UnitType
            | Self::Unit
            | Self::ProductGroup
            | Self::Product
            | Self::RatePlan
            | Self::Booking
            | Self::Conversation => true,
        }
    }
}

/// Those of `ids` that are there, with their workspaces; 0 for what belongs to none.
pub async fn known(
    on: impl Into<On<'_>>,
    what: Referred,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, WorkspaceId>, StoreError> {
    let sql = match what {
        Referred::Building => &BUILDINGS,
        Referred::UnitType => &UNIT_TYPES,
        Referred::Amenity => &AMENITIES,
        Referred::Unit => &UNITS,
        Referred::ProductGroup => &PRODUCT_GROUPS,
        Referred::Product => &PRODUCTS,
        Referred::RatePlan => &RATE_PLANS,
        Referred::Booking => &BOOKINGS,
        Referred::Conversation => &CONVERSATIONS,
        Referred::Team => &TEAMS,
    };
    let rows: Vec<(Id, i64)> = on.into().all(sql, vec![crate::sql::ids(ids)]).await?;
    Ok(rows.into_iter().map(|(id, workspace)| (id.0, WorkspaceId(workspace))).collect())
}

/// Those of `ids` that are workspaces.
pub async fn workspaces(
    on: impl Into<On<'_>>,
    ids: &[WorkspaceId],
) -> Result<HashSet<WorkspaceId>, StoreError> {
    let list = Param::Ints(Some(ids.iter().map(|id| id.0).collect()));
    let rows: Vec<(i64,)> = on.into().all(&WORKSPACES, vec![list]).await?;
    Ok(rows.into_iter().map(|(id,)| WorkspaceId(id)).collect())
}
