//! Units and what belongs to them.

use crate::context::Context;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{AmenityId, BuildingId, MediaItemId, UnitId, UnitTypeId, WorkspaceId};
use gateway_domain_lists::{NumberedPage, Page, PageRequest, Stamped, Window};
use gateway_domain_platform::spaces::{Amenity, Building, MediaItem, Unit, UnitFilter, UnitType};
use gateway_domain_platform::workspaces::Profile;
use gateway_storage::{profiles, spaces, units};
use std::collections::HashMap;

/// Units with their types, buildings, amenities and pictures, and the profiles of workspaces. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Spaces {
    context: Context,
}

impl Spaces {
    pub(crate) const fn new(context: Context) -> Self {
        Self { context }
    }

    /// A unit, if the caller may see it.
    pub async fn unit(&self, acting: &Acting, id: UnitId) -> Result<Option<Stamped<Unit>>, StoreError> {
        Ok(self.units_by_ids(acting, &[id]).await?.remove(&id))
    }

    /// A page of units.
    pub async fn units(
        &self,
        acting: &Acting,
        filter: &UnitFilter,
        page: PageRequest,
    ) -> Result<Page<Unit>, StoreError> {
        Ok(page.page(
            units::page(self.context.db(), &acting.workspaces, filter, page.after, page.limit()).await?,
        ))
    }

    /// A window of the units of a workspace.
    pub async fn units_window(
        &self,
        acting: &Acting,
        workspace: WorkspaceId,
        filter: &UnitFilter,
        window: Window,
    ) -> Result<NumberedPage<Stamped<Unit>>, StoreError> {
        Ok(units::window(self.context.db(), &acting.workspaces, workspace, filter, window).await?.into())
    }

    /// How many units all pages have together.
    pub async fn units_count(&self, acting: &Acting, filter: &UnitFilter) -> Result<i64, StoreError> {
        units::count(self.context.db(), &acting.workspaces, filter).await
    }

    /// Units by their ids; those that do not exist for the caller are absent.
    pub async fn units_by_ids(
        &self,
        acting: &Acting,
        ids: &[UnitId],
    ) -> Result<HashMap<UnitId, Stamped<Unit>>, StoreError> {
        units::by_ids(self.context.db(), &acting.workspaces, ids).await
    }

    /// Kinds of unit by their ids; those that do not exist for the caller are absent.
    pub async fn unit_types_by_ids(
        &self,
        acting: &Acting,
        ids: &[UnitTypeId],
    ) -> Result<HashMap<UnitTypeId, Stamped<UnitType>>, StoreError> {
        spaces::unit_types(self.context.db(), &acting.workspaces, ids).await
    }

    /// Buildings by their ids; those that do not exist for the caller are absent.
    pub async fn buildings_by_ids(
        &self,
        acting: &Acting,
        ids: &[BuildingId],
    ) -> Result<HashMap<BuildingId, Stamped<Building>>, StoreError> {
        spaces::buildings(self.context.db(), &acting.workspaces, ids).await
    }

    /// Amenities by their ids; they are the same for every caller.
    pub async fn amenities_by_ids(
        &self,
        ids: &[AmenityId],
    ) -> Result<HashMap<AmenityId, Stamped<Amenity>>, StoreError> {
        spaces::amenities(self.context.db(), ids).await
    }

    /// Pictures of units by their ids; those of units that do not exist for the caller are absent.
    pub async fn media_items_by_ids(
        &self,
        acting: &Acting,
        ids: &[MediaItemId],
    ) -> Result<HashMap<MediaItemId, MediaItem>, StoreError> {
        spaces::media_items(self.context.db(), &acting.workspaces, ids).await
    }

    /// Workspaces as integrators see them, by their ids; those that do not exist for the caller are absent.
    pub async fn profiles_by_ids(
        &self,
        acting: &Acting,
        ids: &[WorkspaceId],
    ) -> Result<HashMap<WorkspaceId, Profile>, StoreError> {
        profiles::by_ids(self.context.db(), &acting.workspaces, ids).await
    }
}
