//! Which nights of units are free, and what they cost.

use crate::errors::Refusal;
use crate::pages::{self, Connection, ListSelection};
use crate::scalars::{IsoDate, parse_id};
use crate::session::{or_null, reference, session};
use crate::spaces::Unit;
use async_graphql::{Context, ID, InputObject, Object, SimpleObject};
use gateway_domain::access::Permission;
use gateway_domain::ids::UnitId;
use gateway_domain_platform::bookings;
use gateway_domain_platform::spaces::UnitFilter;

const AVAILABILITY: &str = "unitsAvailability";

/// One night of a unit.
#[derive(Debug, Clone, SimpleObject)]
pub(crate) struct AvailabilityDay {
    /// The day on whose evening the night begins.
    date: IsoDate,
    /// Whether it can be booked; a night that is over cannot.
    available: bool,
    /// Fewest nights of a stay that begins here.
    min_stay: i32,
    /// What it costs, a decimal; null when no tariff covers it.
    price: Option<String>,
}

impl From<&bookings::Day> for AvailabilityDay {
    fn from(day: &bookings::Day) -> Self {
        Self {
            date: day.date.into(),
            available: day.available,
            min_stay: day.min_stay,
            price: day.price.map(|price| price.to_string()),
        }
    }
}

/// The nights of a unit.
#[derive(Debug, Clone)]
pub(crate) struct UnitAvailability(gateway_platform::UnitAvailability);

/// The nights of a unit.
#[Object]
impl UnitAvailability {
    /// Which unit. What tells more than its code needs the permission spaces.read.
    async fn unit(&self, ctx: &Context<'_>) -> Option<Unit> {
        let unit = reference(ctx, Permission::SpacesRead, &["id", "code"]);
        or_null(ctx, unit.map(|_| Unit(self.0.unit.clone())))
    }

    /// Every night that was asked for, in order.
    #[graphql(complexity = "pages::unpaged_list_cost(child_complexity)")]
    async fn availability(&self) -> Vec<AvailabilityDay> {
        self.0.days.iter().map(AvailabilityDay::from).collect()
    }
}

/// Which units, and which nights. An empty list of ids finds nothing.
#[derive(Debug, Clone, InputObject)]
pub(crate) struct UnitsAvailabilityInput {
    /// Which units.
    ids: Vec<ID>,
    /// The first night.
    start_date: IsoDate,
    /// The last night, included; at most 400 nights.
    end_date: IsoDate,
}

/// Availability. Reading needs the permission availability.read.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct AvailabilityQuery;

/// Availability. Reading needs the permission availability.read.
#[Object]
impl AvailabilityQuery {
    /// The nights of units: free or not, fewest nights of a stay, and price.
    #[graphql(complexity = "pages::page_cost(first, child_complexity)")]
    async fn units_availability(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Which units, and which nights.")] q: UnitsAvailabilityInput,
        #[graphql(desc = "Nodes of a page: 25 unless given, and at most.")] first: Option<i32>,
        #[graphql(desc = "The endCursor of the page before; none, or an empty one, for the first.")]
        after: Option<String>,
    ) -> Option<Connection<UnitAvailability>> {
        let page = async {
            let session = session(ctx).require(Permission::AvailabilityRead)?;
            let ids: Vec<UnitId> = q.ids.iter().filter_map(parse_id).collect();
            let request = pages::page_request(AVAILABILITY, first, after.as_deref())?;
            let (services, acting) = (&session.services, &session.acting);
            let ListSelection { total, .. } = pages::list_selection(ctx);
            let total = if total {
                let filter = UnitFilter { ids: Some(ids.clone()), ..UnitFilter::default() };
                Some(services.platform.spaces.units_count(acting, &filter).await.map_err(Refusal::internal)?)
            } else {
                None
            };
            let days = (q.start_date.0, q.end_date.0);
            let page = services.platform.bookings.units_availability(acting, &ids, days, request).await;
            let page = page.map_err(|error| Refusal::change("q", error))?;
            let nodes = page.nodes.into_iter().map(|node| (node.unit.page_key(), UnitAvailability(node)));
            Ok(Connection::new(AVAILABILITY, nodes, page.has_next, total))
        };
        or_null(ctx, page.await)
    }
}
