//! The catalog: product groups, and the products in them.

mod change;

pub(crate) use change::CatalogMutation;

use crate::costs;
use crate::errors::Refusal;
use crate::pages::{self, Connection, ListSelection};
use crate::scalars::{self, IsoDate, IsoDateTime, parse_id};
use crate::session::{found_or_null, or_null, reference, session};
use crate::spaces::Unit;
use async_graphql::{Context, Enum, ID, InputObject, Object, SimpleObject};
use gateway_domain::ErrorCode;
use gateway_domain::access::Permission;
use gateway_domain::ids::ProductGroupId;
use gateway_domain_lists::{Page, Stamped};
use gateway_domain_platform::catalog::{self, ProductGroupFilter};
use gateway_graphql_compliance::eager::Eager;

pub(crate) const GROUPS: &str = "productGroups";

/// Which product groups a list shows: those that fit everything that is given. An empty list of ids finds nothing.
#[derive(Debug, Clone, Default, InputObject)]
pub(crate) struct ProductGroupsFiltersInput {
    /// Only in this state.
    state: Option<ActivationState>,
    /// Only those that are published today (ONGOING), or only those that are not.
    published: Option<bool>,
    /// Only of this workspace, its number.
    workspace_id: Option<ID>,
    /// Only of this academic year.
    academic_year: Option<String>,
    /// Only for this part of the academic year.
    product_segment: Option<ProductSegment>,
    /// Only with exactly this internal reference.
    internal_reference: Option<String>,
    /// Only these.
    ids: Option<Vec<ID>>,
}

impl ProductGroupsFiltersInput {
    fn filter(self) -> Result<ProductGroupFilter, Refusal> {
        let workspace = |id: &ID| scalars::parse_workspace_id(id, "filters.workspaceId");
        let year = |text: String| {
            text.parse().map_err(|error| {
                Refusal::input("filters.academicYear", ErrorCode::InvalidFormat, format!("{error}"))
            })
        };
        Ok(ProductGroupFilter {
            workspace: self.workspace_id.as_ref().map(workspace).transpose()?,
            state: self.state.map(Into::into),
            published: self.published,
            academic_year: self.academic_year.map(year).transpose()?,
            product_segment: self.product_segment.map(Into::into),
            internal_reference: self.internal_reference,
            ids: scalars::parse_ids(self.ids.as_deref()),
        })
    }
}

/// The catalog. Reading needs the permission catalog.read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct CatalogQuery;

/// The catalog. Reading needs the permission catalog.read.
#[Object]
impl CatalogQuery {
    /// A product group; null when there is none.
    async fn product_group(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which one.")] id: ID,
    ) -> Option<ProductGroup> {
        let group = async {
            let session = session(ctx).require(Permission::CatalogRead)?;
            let Some(id) = parse_id(&id) else { return Ok(None) };
            Ok(session.product_group(id).await?.map(ProductGroup))
        };
        found_or_null(ctx, group.await)
    }

    /// Product groups, the oldest first.
    #[graphql(complexity = "pages::page_cost(first, child_complexity)")]
    async fn product_groups(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which ones; all unless given.")] filters: Option<ProductGroupsFiltersInput>,
        #[graphql(desc = "Nodes of a page: 25 unless given, and at most.")] first: Option<i32>,
        #[graphql(desc = "The endCursor of the page before; none, or an empty one, for the first.")]
        after: Option<String>,
    ) -> Option<Connection<ProductGroup>> {
        let page = async {
            let session = session(ctx).require(Permission::CatalogRead)?;
            let filter = filters.unwrap_or_default().filter()?;
            let request = pages::page_request(GROUPS, first, after.as_deref())?;
            let (services, acting) = (&session.services, &session.acting);
            let page = services.platform.catalog.product_groups(acting, &filter, request);
            let count = services.platform.catalog.product_groups_count(acting, &filter);
            pages::read_connection(ctx, GROUPS, page, count, ProductGroup).await
        };
        or_null(ctx, page.await)
    }
}

/// Whether products of a group may be sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(
    name = "CatalogProductGroupStateEnum",
    remote = "gateway_domain_platform::catalog::ActivationState"
)]
pub(crate) enum ActivationState {
    /// They may.
    Active,
    /// They may not.
    Inactive,
}

/// The part of an academic year that a student product covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "CatalogProductSegmentEnum", remote = "gateway_domain_platform::catalog::ProductSegment")]
pub(crate) enum ProductSegment {
    /// Full calendar year including summer.
    #[graphql(name = "FULL_YEAR")]
    FullYear,
    /// Full academic year excluding summer.
    #[graphql(name = "ACADEMIC_YEAR")]
    AcademicYear,
    /// First semester only.
    #[graphql(name = "SEMESTER_1")]
    Semester1,
    /// Second semester only.
    #[graphql(name = "SEMESTER_2")]
    Semester2,
}

/// Where a publishing window stands today (UTC).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "CatalogPublishStateEnum", remote = "gateway_domain_platform::catalog::PublishState")]
pub(crate) enum PublishState {
    /// Publishing has not started, or has no start; and it has not ended.
    Scheduled,
    /// Publishing is active.
    Ongoing,
    /// The window ended.
    Finished,
}

/// When a product group is published, both days included.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct Publishing {
    /// The first day; without one it is never published.
    start_date: Option<IsoDate>,
    /// The last day; without one it does not end.
    end_date: Option<IsoDate>,
    /// Where the window stands today (UTC).
    state: PublishState,
}

/// A set of related products that share contract date windows, an activation state, a publishing window and
/// booking-expiry settings.
#[derive(Debug, Clone)]
pub(crate) struct ProductGroup(pub(crate) Stamped<catalog::ProductGroup>);

/// A set of related products that share contract date windows, an activation state, a publishing window and
/// booking-expiry settings.
#[Object]
impl ProductGroup {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// How the workspace calls it.
    async fn internal_reference(&self) -> &str {
        &self.0.internal_reference
    }

    /// The workspace it belongs to.
    async fn workspace_id(&self) -> i64 {
        self.0.workspace.0
    }

    /// Outer lower bound: no booking starts before this day.
    async fn contract_earliest_start_date(&self) -> String {
        self.0.window.earliest_start().to_string()
    }

    /// Inner upper bound: no booking starts after this day.
    async fn contract_latest_start_date(&self) -> String {
        self.0.window.latest_start().to_string()
    }

    /// Inner lower bound: no booking ends before this day.
    async fn contract_earliest_end_date(&self) -> String {
        self.0.window.earliest_end().to_string()
    }

    /// Outer upper bound: no booking ends after this day.
    async fn contract_latest_end_date(&self) -> String {
        self.0.window.latest_end().to_string()
    }

    /// Default booking expiry duration, seconds.
    async fn default_expiry_duration_in_seconds(&self) -> Option<i32> {
        self.0.default_expiry_duration_in_seconds
    }

    /// Whether the booking expiry timer is enabled.
    async fn allow_booking_expiry_timer(&self) -> Option<bool> {
        self.0.allow_booking_expiry_timer
    }

    /// The academic year it is for, `YYYY/YYYY`.
    async fn academic_year(&self) -> Option<String> {
        self.0.academic_year.map(|year| year.to_string())
    }

    /// The part of the academic year; student product groups only.
    async fn product_segment(&self) -> Option<ProductSegment> {
        self.0.product_segment.map(ProductSegment::from)
    }

    /// Whether its products may be sold.
    async fn state(&self) -> ActivationState {
        self.0.state.into()
    }

    /// When it is published, and where that stands.
    async fn publishing(&self, ctx: &Context<'_>) -> Eager<Publishing> {
        let publishing = self.0.publishing;
        Eager(Publishing {
            start_date: publishing.start_date.map(IsoDate),
            end_date: publishing.end_date.map(IsoDate),
            state: publishing.state(session(ctx).services.platform.catalog.today_utc()).into(),
        })
    }

    /// Whether a cancelation policy is required.
    async fn requires_cancelation_policy(&self) -> bool {
        self.0.requires_cancelation_policy
    }

    /// The cancelation policy, kept elsewhere.
    async fn cancelation_policy_id(&self) -> Option<ID> {
        self.0.cancelation_policy_id.as_ref().map(|id| id.to_string().into())
    }

    /// External contract template identifier.
    async fn contract_template_external_id(&self) -> Option<&str> {
        self.0.contract_template_external_id.as_deref()
    }

    /// When it was made.
    async fn created_at(&self) -> IsoDateTime {
        self.0.created_at.into()
    }

    /// When it changed last.
    async fn updated_at(&self) -> IsoDateTime {
        self.0.updated_at.into()
    }

    /// The products of the group.
    #[graphql(complexity = "pages::page_cost(first, child_complexity)")]
    async fn products(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Nodes of a page: 25 unless given, and at most.")] first: Option<i32>,
        #[graphql(desc = "The endCursor of the page before; none, or an empty one, for the first.")]
        after: Option<String>,
    ) -> Option<Connection<Product>> {
        or_null(ctx, products_of(ctx, self.0.id, first, after.as_deref()).await)
    }
}

/// A page of the products of a group. First pages are read for all groups at once.
async fn products_of(
    ctx: &Context<'_>,
    group: ProductGroupId,
    first: Option<i32>,
    after: Option<&str>,
) -> Result<Connection<Product>, Refusal> {
    let session = session(ctx);
    let list = format!("products:{group}");
    let request = pages::page_request(&list, first, after)?;
    let ListSelection { page, total } = pages::list_selection(ctx);
    let total = if total { Some(session.product_count(group).await?.unwrap_or_default()) } else { None };
    let page = match (page, request.after) {
        (false, _) => None,
        (true, None) => session.product_page((group, request.first)).await?,
        (true, Some(_)) => {
            let page =
                session.services.platform.catalog.products_of_group(&session.acting, group, request).await;
            Some(page.map_err(Refusal::internal)?)
        }
    };
    let page = page.unwrap_or(Page { nodes: Vec::new(), has_next: false });
    let nodes = page.nodes.into_iter().map(|product| (product.page_key(), Product(product)));
    Ok(Connection::new(list, nodes, page.has_next, total))
}

/// What is sold under a product group: some units, under a name.
#[derive(Debug, Clone)]
pub(crate) struct Product(pub(crate) Stamped<catalog::Product>);

/// What is sold under a product group: some units, under a name.
#[Object]
impl Product {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// For people.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// The workspace it belongs to.
    async fn workspace_id(&self) -> i64 {
        self.0.workspace.0
    }

    /// The group it belongs to.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn product_group(&self, ctx: &Context<'_>) -> Option<ProductGroup> {
        or_null(ctx, session(ctx).group(self.0.group).await.map(ProductGroup))
    }

    /// The units that are sold under it. What tells more than their code needs the permission spaces.read.
    #[graphql(complexity = "pages::unpaged_list_cost(child_complexity)")]
    async fn units(&self, ctx: &Context<'_>) -> Option<Vec<Unit>> {
        let units = async {
            let session = reference(ctx, Permission::SpacesRead, &["id", "code"])?;
            let units = session.units(&self.0.units).await?;
            Ok(units.into_iter().map(Unit).collect())
        };
        or_null(ctx, units.await)
    }

    /// When it was made.
    async fn created_at(&self) -> IsoDateTime {
        self.0.created_at.into()
    }

    /// When it changed last.
    async fn updated_at(&self) -> IsoDateTime {
        self.0.updated_at.into()
    }
}
