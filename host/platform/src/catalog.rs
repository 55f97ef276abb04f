//! The catalog: product groups made, edited, switched on and off; the products in them.

use super::{NotFound, PlatformError, all_found};
use crate::context::Context;
use gateway_domain::ErrorCode;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{CancelationPolicyId, ProductGroupId, ProductId, WorkspaceId};
use gateway_domain_lists::{Page, PageRequest, Stamped};
use gateway_domain_platform::catalog::{
    AcademicYear, ActivationState, Product, ProductGroup, ProductGroupChange, ProductGroupFilter,
    ProductGroupForm, ProductSegment, Publishing, STATE_IDS_MAX,
};
use gateway_domain_platform::changes;
use gateway_domain_platform::webhooks::How;
use gateway_storage::{Tx, creation_clock, product_groups, products, workspaces};
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;
use std::collections::HashMap;

/// A product group as the audit trail keeps it.
#[derive(Serialize)]
struct ProductGroupData<'a> {
    workspace_id: WorkspaceId,
    internal_reference: &'a str,
    contract_earliest_start_date: Date,
    contract_latest_start_date: Date,
    contract_earliest_end_date: Date,
    contract_latest_end_date: Date,
    academic_year: Option<&'a AcademicYear>,
    product_segment: Option<ProductSegment>,
    state: ActivationState,
    publishing: &'a Publishing,
    default_expiry_duration_in_seconds: Option<i32>,
    allow_booking_expiry_timer: Option<bool>,
    requires_cancelation_policy: bool,
    cancelation_policy_id: Option<&'a CancelationPolicyId>,
    contract_template_external_id: Option<&'a str>,
}

impl<'a> From<&'a ProductGroup> for ProductGroupData<'a> {
    fn from(group: &'a ProductGroup) -> Self {
        let window = group.window;
        Self {
            workspace_id: group.workspace,
            internal_reference: &group.internal_reference,
            contract_earliest_start_date: window.earliest_start(),
            contract_latest_start_date: window.latest_start(),
            contract_earliest_end_date: window.earliest_end(),
            contract_latest_end_date: window.latest_end(),
            academic_year: group.academic_year.as_ref(),
            product_segment: group.product_segment,
            state: group.state,
            publishing: &group.publishing,
            default_expiry_duration_in_seconds: group.default_expiry_duration_in_seconds,
            allow_booking_expiry_timer: group.allow_booking_expiry_timer,
            requires_cancelation_policy: group.requires_cancelation_policy,
            cancelation_policy_id: group.cancelation_policy_id.as_ref(),
            contract_template_external_id: group.contract_template_external_id.as_deref(),
        }
    }
}

/// What it keeps of one that was switched on or off.
#[derive(Serialize)]
struct StateData {
    state: ActivationState,
}

/// Product groups and products. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Catalog {
    context: Context,
}

impl Catalog {
    pub(crate) const fn new(context: Context) -> Self {
        Self { context }
    }

    /// Today in UTC, where publishing windows are decided.
    pub fn today_utc(&self) -> Date {
        TimeZone::UTC.to_datetime(self.context.now()).date()
    }

    /// Creates a product group; INACTIVE unless the form says otherwise. A workspace that the caller may not see is not
    /// found.
    pub async fn create_product_group(
        &self,
        acting: &Acting,
        form: ProductGroupForm,
    ) -> Result<Stamped<ProductGroup>, PlatformError> {
        let workspace = form.workspace_id;
        let group = form.check(ProductGroupId(self.context.ids().next()))?;
        let mut tx = self.context.db().begin().await?;
        let now = creation_clock::next(&mut tx, self.context.now()).await?;
        visible_workspace(&mut tx, acting, workspace).await?;
        product_groups::put(&mut tx, &[&group], now).await?;
        let subject = format!("product_group:{}", group.id);
        self.context
            .audit()
            .record(&mut tx, &acting.actor, "product_group.create", subject, &ProductGroupData::from(&group))
            .await?;
        self.context
            .events()
            .append_changes(&mut tx, &acting.actor, &[changes::product_group(&group, How::Created)])
            .await?;
        tx.commit_at("product-group-created").await?;
        tracing::info!(product_group.id = %group.id, "Created product group {}", group.id);
        Ok(Stamped { value: group, created_at: now, updated_at: now })
    }

    /// Edits a product group. An edit that changes nothing leaves no trace.
    pub async fn update_product_group(
        &self,
        acting: &Acting,
        id: ProductGroupId,
        change: &ProductGroupChange,
    ) -> Result<Stamped<ProductGroup>, PlatformError> {
        let mut tx = self.context.db().begin().await?;
        let stored = product_groups::lock(&mut tx, &acting.workspaces, &[id]).await?.remove(&id);
        let stored = stored.ok_or_else(|| NotFound::one("product group", "product_group_id", id))?;
        let edited = change.over(&stored)?;
        if edited == stored.value {
            return Ok(stored);
        }
        let now = self.context.now();
        product_groups::put(&mut tx, &[&edited], now).await?;
        let subject = format!("product_group:{id}");
        self.context
            .audit()
            .record(&mut tx, &acting.actor, "product_group.update", subject, &ProductGroupData::from(&edited))
            .await?;
        self.context
            .events()
            .append_changes(&mut tx, &acting.actor, &[changes::product_group(&edited, How::Updated)])
            .await?;
        tx.commit_at("product-group-updated").await?;
        tracing::info!(product_group.id = %id, "Changed product group {id}");
        Ok(Stamped { value: edited, created_at: stored.created_at, updated_at: now })
    }

    /// Sets the activation state of several product groups, of all of them or of none. Answers those that were listed,
    /// each once; one that was in that state before keeps the time of its last change.
    pub async fn set_product_groups_state(
        &self,
        acting: &Acting,
        ids: &[ProductGroupId],
        state: ActivationState,
    ) -> Result<Vec<ProductGroupId>, PlatformError> {
        let mut listed: Vec<ProductGroupId> = Vec::new();
        for id in ids {
            if !listed.contains(id) {
                listed.push(*id);
            }
            if listed.len() > STATE_IDS_MAX {
                return Err(PlatformError::invalid(
                    "product_group_ids",
                    ErrorCode::TooMany,
                    format!("list at most {STATE_IDS_MAX} product groups"),
                ));
            }
        }
        let mut tx = self.context.db().begin().await?;
        let stored = product_groups::lock(&mut tx, &acting.workspaces, &listed).await?;
        all_found(&listed, |id| stored.contains_key(id), "product group", "product_group_ids")?;
        product_groups::set_state(&mut tx, &listed, state, self.context.now()).await?;
        let mut changes = Vec::new();
        for (id, group) in listed.iter().filter_map(|id| stored.get(id).map(|group| (id, group))) {
            if group.state == state {
                continue;
            }
            let switched = ProductGroup { state, ..group.value.clone() };
            changes.push(changes::product_group(&switched, How::Updated));
            let subject = format!("product_group:{id}");
            let data = StateData { state };
            self.context
                .audit()
                .record(&mut tx, &acting.actor, "product_group.update_state", subject, &data)
                .await?;
        }
        self.context.events().append_changes(&mut tx, &acting.actor, &changes).await?;
        tx.commit_at("product-group-states-set").await?;
        tracing::info!("Set {} product groups {state}", listed.len());
        Ok(listed)
    }

    /// A product group, if the caller may see it.
    pub async fn product_group(
        &self,
        acting: &Acting,
        id: ProductGroupId,
    ) -> Result<Option<Stamped<ProductGroup>>, StoreError> {
        Ok(self.product_groups_by_ids(acting, &[id]).await?.remove(&id))
    }

    /// A page of product groups.
    pub async fn product_groups(
        &self,
        acting: &Acting,
        filter: &ProductGroupFilter,
        page: PageRequest,
    ) -> Result<Page<ProductGroup>, StoreError> {
        let today = self.today_utc();
        let found = product_groups::page(
            self.context.db(),
            &acting.workspaces,
            filter,
            today,
            page.after,
            page.limit(),
        )
        .await?;
        Ok(page.page(found))
    }

    /// How many product groups all pages have together.
    pub async fn product_groups_count(
        &self,
        acting: &Acting,
        filter: &ProductGroupFilter,
    ) -> Result<i64, StoreError> {
        product_groups::count(self.context.db(), &acting.workspaces, filter, self.today_utc()).await
    }

    /// Product groups by their ids; those that do not exist for the caller are absent.
    pub async fn product_groups_by_ids(
        &self,
        acting: &Acting,
        ids: &[ProductGroupId],
    ) -> Result<HashMap<ProductGroupId, Stamped<ProductGroup>>, StoreError> {
        product_groups::by_ids(self.context.db(), &acting.workspaces, ids).await
    }

    /// A page of the products of a group.
    pub async fn products_of_group(
        &self,
        acting: &Acting,
        group: ProductGroupId,
        page: PageRequest,
    ) -> Result<Page<Product>, StoreError> {
        let found =
            products::of_group(self.context.db(), &acting.workspaces, group, page.after, page.limit())
                .await?;
        Ok(page.page(found))
    }

    /// The first page of the products of each of several groups. A group without products is absent.
    pub async fn first_products_of_groups(
        &self,
        acting: &Acting,
        groups: &[ProductGroupId],
        first: usize,
    ) -> Result<HashMap<ProductGroupId, Page<Product>>, StoreError> {
        let page = PageRequest { first, after: None };
        let found =
            products::first_of_groups(self.context.db(), &acting.workspaces, groups, page.limit()).await?;
        Ok(found.into_iter().map(|(group, nodes)| (group, page.page(nodes))).collect())
    }

    /// How many products each of several groups has. A group without products is absent.
    pub async fn products_counts(
        &self,
        acting: &Acting,
        groups: &[ProductGroupId],
    ) -> Result<HashMap<ProductGroupId, i64>, StoreError> {
        products::counts(self.context.db(), &acting.workspaces, groups).await
    }

    /// Products by their ids; those that do not exist for the caller are absent.
    pub async fn products_by_ids(
        &self,
        acting: &Acting,
        ids: &[ProductId],
    ) -> Result<HashMap<ProductId, Stamped<Product>>, StoreError> {
        products::by_ids(self.context.db(), &acting.workspaces, ids).await
    }
}

/// A workspace that exists, for whoever acts.
async fn visible_workspace(tx: &mut Tx, acting: &Acting, id: WorkspaceId) -> Result<(), PlatformError> {
    let exists = acting.workspaces.contain(id) && workspaces::find(tx, id).await?.is_some();
    if exists { Ok(()) } else { Err(NotFound::one("workspace", "workspace_id", id).into()) }
}
