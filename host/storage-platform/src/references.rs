//! Whether what something refers to is there, and in which workspace: for whoever stores much at once.

use crate::profiles;
use gateway_database::dispatch::Executor;
use gateway_database::error::StoreError;
use gateway_database::lists::ListQuery;
use gateway_database::select::{Part, Table};
use gateway_database::sql::Sql;
use gateway_database::value::Id;
use gateway_domain::ids::WorkspaceId;
use std::collections::{HashMap, HashSet};
use uuid::Uuid;

/// What can be referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each variant is named after the thing")]
pub enum ReferenceTarget {
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

/// Workspaces, only to know of them.
pub const WORKSPACES: Table =
    Table { name: "workspace", key: "id", columns: Sql::both("id"), order: "id", has_workspace: false };

impl ReferenceTarget {
    /// Each of them.
    #[cfg(any(test, feature = "testing"))]
    pub const ALL: [Self; 10] = [
        Self::Building,
        Self::UnitType,
        Self::Amenity,
        Self::Unit,
        Self::ProductGroup,
        Self::Product,
        Self::RatePlan,
        Self::Booking,
        Self::Conversation,
        Self::Team,
    ];

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

    /// The table that has them, each with its workspace; it is called as they are.
    pub const fn table(self) -> Table {
        let columns = if self.has_workspace() { "id, workspace_id" } else { "id, CAST(0 AS BIGINT)" };
        let has_workspace = self.has_workspace();
        Table { name: self.as_str(), key: "id", columns: Sql::both(columns), order: "id", has_workspace }
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
pub async fn workspaces_of(
    on: impl Into<Executor<'_>>,
    what: ReferenceTarget,
    ids: &[Uuid],
) -> Result<HashMap<Uuid, WorkspaceId>, StoreError> {
    let Some(select) = ListQuery::anything().with_ids(ids).select(what.table()) else {
        return Ok(HashMap::new());
    };
    let rows: Vec<(Id, i64)> = on.into().rows(&select, Part::All).await?;
    Ok(rows.into_iter().map(|(id, workspace)| (id.0, WorkspaceId(workspace))).collect())
}

/// Those of `ids` that are workspaces.
pub async fn workspaces(
    on: impl Into<Executor<'_>>,
    ids: &[WorkspaceId],
) -> Result<HashSet<WorkspaceId>, StoreError> {
    let Some(select) = profiles::of_workspaces(ids).select(WORKSPACES) else { return Ok(HashSet::new()) };
    let rows: Vec<(i64,)> = on.into().rows(&select, Part::All).await?;
    Ok(rows.into_iter().map(|(id,)| WorkspaceId(id)).collect())
}
