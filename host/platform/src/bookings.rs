//! Bookings, and what can still be booked.

use super::PlatformError;
use crate::context::Context;
use crate::spaces::Spaces;
use gateway_domain::ErrorCode;
use gateway_domain::StoreError;
use gateway_domain::access::Acting;
use gateway_domain::ids::{BookingId, ConversationId, ProductId, RatePlanId, UnitId, WorkspaceId};
use gateway_domain_input::Faults;
use gateway_domain_lists::{NumberedPage, Page, PageKey, PageRequest, Stamped, Window};
use gateway_domain_platform::bookings::{
    Booking, BookingFilter, CheckedStay, DAYS_MAX, Day, StayCheck, StayStatus, UnitCalendar, calendar,
    check_stay, days_between,
};
use gateway_domain_platform::catalog::Product;
use gateway_domain_platform::pricing::{RatePlan, Tariff};
use gateway_domain_platform::spaces::{Unit, UnitFilter};
use gateway_storage::{bookings, conversations, product_groups, products, rates, workspaces};
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use std::collections::HashMap;

/// A booking in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedBooking {
    /// As stored.
    pub booking: Stamped<Booking>,
    /// What was sold; none where that is not known, or not visible.
    pub product: Option<Product>,
    /// With the guests; none where nobody wrote yet.
    pub conversation: Option<ConversationId>,
}

/// A unit with its calendar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitAvailability {
    /// As stored, in use or not.
    pub unit: Stamped<Unit>,
    /// The nights that were asked for, in order.
    pub days: Vec<Day>,
}

/// Units with their calendars, and whether there are more behind them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AvailabilityPage {
    /// Those of the units that exist for the caller, the oldest first.
    pub nodes: Vec<UnitAvailability>,
    /// Whether another page follows.
    pub has_next: bool,
}

impl AvailabilityPage {
    /// Where the next page starts.
    pub fn end(&self) -> Option<PageKey> {
        self.nodes.last().map(|node| node.unit.page_key())
    }
}

/// What calendars of several units are computed from.
#[derive(Debug)]
struct Occupancy {
    bookings: HashMap<UnitId, Vec<Booking>>,
    plans: HashMap<UnitId, Vec<RatePlan>>,
    tariffs: HashMap<RatePlanId, Vec<Tariff>>,
}

fn values<I: Eq + std::hash::Hash, T>(stamped: HashMap<I, Vec<Stamped<T>>>) -> HashMap<I, Vec<T>> {
    let value = |stamped: Stamped<T>| stamped.value;
    stamped.into_iter().map(|(id, list)| (id, list.into_iter().map(value).collect())).collect()
}

impl Occupancy {
    fn plans(&self, unit: UnitId) -> &[RatePlan] {
        self.plans.get(&unit).map(Vec::as_slice).unwrap_or_default()
    }

    /// The tariffs of all plans of a unit.
    fn tariffs(&self, unit: UnitId) -> Vec<Tariff> {
        let of_plans = self.plans(unit).iter().filter_map(|plan| self.tariffs.get(&plan.id));
        of_plans.flatten().cloned().collect()
    }

    fn bookings(&self, unit: UnitId) -> &[Booking] {
        self.bookings.get(&unit).map(Vec::as_slice).unwrap_or_default()
    }

    fn calendar<'a>(&'a self, unit: &Unit, tariffs: &'a [Tariff], today: Date) -> UnitCalendar<'a> {
        UnitCalendar {
            status: unit.status,
            today,
            bookings: self.bookings(unit.id),
            rate_plans: self.plans(unit.id),
            tariffs,
        }
    }
}

/// An instant in the time zones of workspaces.
#[derive(Debug)]
struct Days {
    now: Timestamp,
    zones: HashMap<WorkspaceId, TimeZone>,
}

impl Days {
    /// The day that it is in a workspace; in UTC where the workspace is gone.
    fn today(&self, workspace: WorkspaceId) -> Date {
        self.zones.get(&workspace).unwrap_or(&TimeZone::UTC).to_datetime(self.now).date()
    }
}

/// Bookings, what is free for them, and the vetting of their guests. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Bookings {
    pub(crate) context: Context,
    /// What availability is shown for.
    spaces: Spaces,
}

impl Bookings {
    pub(crate) const fn new(context: Context, spaces: Spaces) -> Self {
        Self { context, spaces }
    }

    /// A booking, if the caller may see it.
    pub async fn booking(
        &self,
        acting: &Acting,
        id: BookingId,
    ) -> Result<Option<Stamped<Booking>>, StoreError> {
        Ok(self.bookings_by_ids(acting, &[id]).await?.remove(&id))
    }

    /// A page of bookings.
    pub async fn bookings(
        &self,
        acting: &Acting,
        filter: &BookingFilter,
        page: PageRequest,
    ) -> Result<Page<Booking>, StoreError> {
        Ok(page.page(
            bookings::page(self.context.db(), &acting.workspaces, filter, page.after, page.limit()).await?,
        ))
    }

    /// A window of the bookings of a workspace, each with what stands beside it. Three statements.
    pub async fn bookings_window(
        &self,
        acting: &Acting,
        workspace: WorkspaceId,
        filter: &BookingFilter,
        window: Window,
    ) -> Result<NumberedPage<ListedBooking>, StoreError> {
        let (db, visible) = (self.context.db(), &acting.workspaces);
        let (found, total) = bookings::window(db, visible, workspace, filter, window).await?;
        let ids: Vec<BookingId> = found.iter().map(|booking| booking.id).collect();
        let product_ids: Vec<ProductId> = found.iter().filter_map(|booking| booking.product).collect();
        let products = products::by_ids(db, visible, &product_ids).await?;
        let conversations = conversations::of_bookings(db, visible, &ids).await?;
        let listed = found.into_iter().map(|booking| ListedBooking {
            product: booking.product.and_then(|id| products.get(&id)).map(|found| found.value.clone()),
            conversation: conversations.get(&booking.id).map(|found| found.id),
            booking,
        });
        Ok(NumberedPage { nodes: listed.collect(), total })
    }

    /// How many bookings all pages have together.
    pub async fn bookings_count(&self, acting: &Acting, filter: &BookingFilter) -> Result<i64, StoreError> {
        bookings::count(self.context.db(), &acting.workspaces, filter).await
    }

    /// Bookings by their ids; those that do not exist for the caller are absent.
    pub async fn bookings_by_ids(
        &self,
        acting: &Acting,
        ids: &[BookingId],
    ) -> Result<HashMap<BookingId, Stamped<Booking>>, StoreError> {
        bookings::by_ids(self.context.db(), &acting.workspaces, ids).await
    }

    /// A page of units with their calendars: the nights from `first` to `last`, both included. Five statements, however
    /// many units.
    pub async fn units_availability(
        &self,
        acting: &Acting,
        ids: &[UnitId],
        (first, last): (Date, Date),
        page: PageRequest,
    ) -> Result<AvailabilityPage, PlatformError> {
        let mut faults = dates_of(first, last);
        if first > last {
            faults.refuse("end_date", ErrorCode::EndBeforeStart, "must not be before the start date");
        } else if days_between(first, last) >= DAYS_MAX {
            faults.refuse("end_date", ErrorCode::OutOfRange, format!("ask for at most {DAYS_MAX} days"));
        }
        let end = last.tomorrow().unwrap_or(last);
        faults.or(())?;
        let filter = UnitFilter { ids: Some(ids.to_vec()), ..UnitFilter::default() };
        let found = self.spaces.units(acting, &filter, page).await?;
        let unit_ids: Vec<UnitId> = found.nodes.iter().map(|unit| unit.id).collect();
        let occupancy = self.occupancy(acting, &unit_ids, first, end).await?;
        let days = self.days(&found.nodes).await?;
        let nodes = found.nodes.into_iter().map(|unit| {
            let tariffs = occupancy.tariffs(unit.id);
            let unit_calendar = occupancy.calendar(&unit, &tariffs, days.today(unit.workspace));
            UnitAvailability { days: calendar(&unit_calendar, first, last), unit }
        });
        Ok(AvailabilityPage { nodes: nodes.collect(), has_next: found.has_next })
    }

    /// Whether a product could be sold for a stay in a unit. Nothing when unit or product do not exist for the caller, or
    /// the product is not sold in that unit. What stands in the way is answered in the order of [`StayStatus`].
    pub async fn check_unit_availability(
        &self,
        acting: &Acting,
        unit: UnitId,
        product: ProductId,
        stay: CheckedStay,
    ) -> Result<Option<StayStatus>, PlatformError> {
        let CheckedStay { start_date, end_date } = stay;
        let mut faults = dates_of(start_date, end_date);
        if start_date >= end_date {
            faults.refuse("end_date", ErrorCode::EndBeforeStart, "must be after the start date");
        }
        faults.or(())?;
        let visible = &acting.workspaces;
        let found = products::by_ids(self.context.db(), visible, &[product]).await?.remove(&product);
        let Some(product) = found.filter(|product| product.units.contains(&unit)) else { return Ok(None) };
        let group = product_groups::by_ids(self.context.db(), visible, &[product.group])
            .await?
            .remove(&product.group);
        let (Some(group), Some(found)) = (group, self.spaces.unit(acting, unit).await?) else {
            return Ok(None);
        };
        let occupancy = self.occupancy(acting, &[unit], start_date, end_date).await?;
        let days = self.days(std::slice::from_ref(&found)).await?;
        let tariffs = occupancy.tariffs(unit);
        let unit = occupancy.calendar(&found, &tariffs, days.today(found.workspace));
        Ok(Some(check_stay(&StayCheck { unit, state: group.state, window: group.window }, stay)))
    }

    /// Which day it is where these units are.
    async fn days(&self, units: &[Stamped<Unit>]) -> Result<Days, StoreError> {
        let mut ids: Vec<WorkspaceId> = units.iter().map(|unit| unit.workspace).collect();
        ids.sort_unstable();
        ids.dedup();
        let zones = if ids.is_empty() {
            HashMap::new()
        } else {
            workspaces::time_zones(self.context.db(), &ids).await?
        };
        Ok(Days { now: self.context.now(), zones })
    }

    /// What is known of units for the nights from `first` up to, and without, `end`.
    async fn occupancy(
        &self,
        acting: &Acting,
        units: &[UnitId],
        first: Date,
        end: Date,
    ) -> Result<Occupancy, StoreError> {
        if units.is_empty() {
            return Ok(Occupancy {
                bookings: HashMap::new(),
                plans: HashMap::new(),
                tariffs: HashMap::new(),
            });
        }
        let bookings = values(bookings::blocking(self.context.db(), units, first, end).await?);
        let plans = values(rates::plans_of_units(self.context.db(), &acting.workspaces, units).await?);
        let ids: Vec<RatePlanId> = plans.values().flatten().map(|plan| plan.id).collect();
        let tariffs = values(rates::tariffs_of_plans(self.context.db(), &ids, Some(first), Some(end)).await?);
        Ok(Occupancy { bookings, plans, tariffs })
    }
}

fn dates_of(start: Date, end: Date) -> Faults {
    let mut faults = Faults::default();
    faults.date("start_date", start);
    faults.date("end_date", end);
    faults
}
