//! The catalog: product groups, and the products in them.

mod change;
mod types;

pub(crate) use change::CatalogMutation;
pub(crate) use types::{Product, ProductGroup};

use crate::errors::Refusal;
use crate::pages::{self, Connection};
use crate::scalars::{self, parse_id};
use crate::session::{found_or_null, or_null, session};
use async_graphql::{Context, ID, InputObject, Object};
use gateway_domain::ErrorCode;
use gateway_domain::access::Permission;
use gateway_domain_platform::catalog::ProductGroupFilter;
use types::{ActivationState, ProductSegment};

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
