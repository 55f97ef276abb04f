//! Where guests stay: units, their kinds, buildings and amenities.

mod pricing;

use crate::costs;
use crate::errors::require_referenced;
use crate::pages::{self, Connection};
use crate::scalars::{self, IsoDateTime, parse_id};
use crate::session::{found_or_null, or_null, session};
use async_graphql::{Context, Enum, ID, InputObject, Object, SimpleObject};
use gateway_domain::access::Permission;
use gateway_domain::invoicing;
use gateway_domain::money::Amount;
use gateway_domain_lists::Stamped;
use gateway_domain_platform::spaces;
use gateway_domain_platform::spaces::UnitFilter;
pub(crate) use pricing::{PricingMutation, RatePlan, SpacesMutation, Tariff};

const UNITS: &str = "units";

/// Whether a unit is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Enum)]
#[graphql(name = "UnitStatusEnum", remote = "gateway_domain_platform::spaces::UnitStatus")]
pub(crate) enum UnitStatus {
    /// It can be booked.
    Active,
    /// It cannot be booked for now.
    Inactive,
    /// It is kept for its history only.
    Archived,
}

/// A measure for people, such as square metres or hours. Money is never a float.
pub(crate) fn measure(amount: Amount) -> Option<f64> {
    amount.to_string().parse().ok()
}

/// A postal address.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct Address {
    /// Street and number.
    street: Option<String>,
    /// Town.
    locality: Option<String>,
    /// Province or state.
    region: Option<String>,
    /// Postal code.
    postcode: Option<String>,
    /// ISO 3166-1 alpha-2, such as ES.
    country: Option<String>,
}

impl From<invoicing::Address> for Address {
    fn from(address: invoicing::Address) -> Self {
        let invoicing::Address { street, locality, region, postcode, country } = address;
        Self { street, locality, region, postcode, country }
    }
}

/// A building.
#[derive(Debug, Clone)]
pub(crate) struct Building(pub(crate) Stamped<spaces::Building>);

/// A building.
#[Object]
impl Building {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// For people.
    async fn name(&self) -> &str {
        &self.0.name
    }

    /// Where it stands.
    async fn address(&self) -> Option<Address> {
        self.0.address.clone().map(Address::from)
    }
}

/// A kind of unit in a building.
#[derive(Debug, Clone)]
pub(crate) struct UnitType(pub(crate) Stamped<spaces::UnitType>);

/// A kind of unit in a building.
#[Object]
impl UnitType {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// Short, for people.
    async fn code(&self) -> &str {
        &self.0.code
    }

    /// For people.
    async fn name(&self) -> Option<&str> {
        self.0.name.as_deref()
    }

    /// The building it is in.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn building(&self, ctx: &Context<'_>) -> Option<Building> {
        let building = async {
            let id = self.0.building;
            require_referenced("building", id, session(ctx).building(id).await?).map(Building)
        };
        or_null(ctx, building.await)
    }
}

/// Something a unit may offer. Amenities are the same in every workspace.
#[derive(Debug, Clone)]
pub(crate) struct Amenity(pub(crate) Stamped<spaces::Amenity>);

/// Something a unit may offer. Amenities are the same in every workspace.
#[Object]
impl Amenity {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// For people.
    async fn name(&self) -> &str {
        &self.0.name
    }
}

/// A picture or film of a unit.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct MediaItem {
    /// Its id.
    id: ID,
    /// Where it is.
    url: String,
}

impl From<spaces::MediaItem> for MediaItem {
    fn from(item: spaces::MediaItem) -> Self {
        Self { id: item.id.to_string().into(), url: item.url }
    }
}

/// A unit: a flat, a studio, a room. The legacy REST API calls it a property.
#[derive(Debug, Clone)]
pub(crate) struct Unit(pub(crate) Stamped<spaces::Unit>);

/// A unit: a flat, a studio, a room. The legacy REST API calls it a property.
#[Object]
impl Unit {
    /// Its id.
    async fn id(&self) -> ID {
        self.0.id.to_string().into()
    }

    /// Short, for people.
    async fn code(&self) -> &str {
        &self.0.code
    }

    /// The workspace it belongs to.
    async fn workspace_id(&self) -> i64 {
        self.0.workspace.0
    }

    /// Whether it is in use.
    async fn status(&self) -> UnitStatus {
        self.0.status.into()
    }

    /// Bedrooms.
    async fn number_of_bedrooms(&self) -> Option<i32> {
        self.0.number_of_bedrooms
    }

    /// Bathrooms.
    async fn number_of_bathrooms(&self) -> Option<i32> {
        self.0.number_of_bathrooms
    }

    /// Square metres.
    async fn size_in_sqm(&self) -> Option<f64> {
        self.0.size_in_sqm.and_then(measure)
    }

    /// Its kind.
    #[graphql(complexity = "costs::reference(child_complexity)")]
    async fn unit_type(&self, ctx: &Context<'_>) -> Option<UnitType> {
        let unit_type = async {
            let id = self.0.unit_type;
            require_referenced("unit type", id, session(ctx).unit_type(id).await?).map(UnitType)
        };
        or_null(ctx, unit_type.await)
    }

    /// What it offers.
    #[graphql(complexity = "pages::unpaged_list_cost(child_complexity)")]
    async fn amenities(&self, ctx: &Context<'_>) -> Option<Vec<Amenity>> {
        let amenities = async {
            let each = self.0.amenities.iter().map(|id| session(ctx).amenity(*id));
            let all = futures::future::try_join_all(each).await?;
            Ok(all.into_iter().flatten().map(Amenity).collect())
        };
        or_null(ctx, amenities.await)
    }

    /// What else is to be said about it.
    async fn features(&self) -> &[String] {
        &self.0.features
    }

    /// Pictures and films, in the order they are shown.
    #[graphql(complexity = "pages::unpaged_list_cost(child_complexity)")]
    async fn media_items(&self) -> Vec<MediaItem> {
        self.0.media_items.iter().cloned().map(MediaItem::from).collect()
    }

    /// The ways it is priced, the oldest first: where a night has a price in several, the oldest counts.
    #[graphql(complexity = "pages::short_list_cost(child_complexity)")]
    async fn rate_plans(&self, ctx: &Context<'_>) -> Option<Vec<RatePlan>> {
        let plans = async { Ok(session(ctx).plans_of(self.0.id).await?.unwrap_or_default()) };
        or_null(ctx, plans.await).map(|plans| plans.into_iter().map(RatePlan).collect())
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

/// Which units a list shows: those that fit everything that is given. An empty list of ids finds nothing.
#[derive(Debug, Clone, Default, InputObject)]
pub(crate) struct UnitsFiltersInput {
    /// Only of this workspace, its number.
    workspace_id: Option<ID>,
    /// Only in this status.
    status: Option<UnitStatus>,
    /// Only these.
    ids: Option<Vec<ID>>,
}

/// Units. Reading needs the permission spaces.read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct SpacesQuery;

/// Units. Reading needs the permission spaces.read.
#[Object]
impl SpacesQuery {
    /// A unit; null when there is none.
    async fn unit(&self, ctx: &Context<'_>, #[graphql(desc = "Which one.")] id: ID) -> Option<Unit> {
        let unit = async {
            let session = session(ctx).require(Permission::SpacesRead)?;
            let Some(id) = parse_id(&id) else { return Ok(None) };
            Ok(session.unit(id).await?.map(Unit))
        };
        found_or_null(ctx, unit.await)
    }

    /// Units, the oldest first.
    #[graphql(complexity = "pages::page_cost(first, child_complexity)")]
    async fn units(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which ones; all unless given.")] filters: Option<UnitsFiltersInput>,
        #[graphql(desc = "Nodes of a page: 25 unless given, and at most.")] first: Option<i32>,
        #[graphql(desc = "The endCursor of the page before; none, or an empty one, for the first.")]
        after: Option<String>,
    ) -> Option<Connection<Unit>> {
        let page = async {
            let session = session(ctx).require(Permission::SpacesRead)?;
            let filters = filters.unwrap_or_default();
            let workspace = |id: &ID| scalars::parse_workspace_id(id, "filters.workspaceId");
            let filter = UnitFilter {
                workspace: filters.workspace_id.as_ref().map(workspace).transpose()?,
                status: filters.status.map(Into::into),
                ids: scalars::parse_ids(filters.ids.as_deref()),
                ..UnitFilter::default()
            };
            let request = pages::page_request(UNITS, first, after.as_deref())?;
            let (services, acting) = (&session.services, &session.acting);
            let (page, count) = (
                services.platform.spaces.units(acting, &filter, request),
                services.platform.spaces.units_count(acting, &filter),
            );
            pages::read_connection(ctx, UNITS, page, count, Unit).await
        };
        or_null(ctx, page.await)
    }
}
