//! The kinds that have to fit in with others of their kind: no unit is booked twice for a night, no night of a plan has
//! two prices, no booking has two conversations.

use super::kind::{Kind, Reference, members, sound, typed, untyped};
use gateway_domain::Stamped;
use gateway_domain::access::Workspaces;
use gateway_domain::bookings::Booking;
use gateway_domain::conversations::Conversation;
use gateway_domain::ids::{BookingId, ConversationId, RatePlanId, UnitId, WorkspaceId};
use gateway_domain::invoicing::FieldError;
use gateway_domain::pricing::{OTHER_DECIMALS, RatePlan, Tariff};
use gateway_domain::webhooks::Change;
use gateway_storage::references::Referred;
use gateway_storage::{StoreError, Tx, bookings, conversations, rates, units};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use std::hash::Hash;
use uuid::Uuid;

const ALL: Workspaces = Workspaces::All;

fn values<I: Eq + Hash, T>(found: HashMap<I, Vec<Stamped<T>>>) -> HashMap<I, Vec<T>> {
    let value = |stamped: Stamped<T>| stamped.value;
    found.into_iter().map(|(id, list)| (id, list.into_iter().map(value).collect())).collect()
}

/// Puts a value in the place of what was stored before under its id.
fn replaced<I: Eq + Hash, T: Clone>(
    lists: &mut HashMap<I, Vec<T>>,
    before: Option<I>,
    now: Option<I>,
    value: &T,
    same: impl Fn(&T) -> bool,
) {
    if let Some(list) = before.and_then(|place| lists.get_mut(&place)) {
        list.retain(|other| !same(other));
    }
    if let Some(place) = now {
        lists.entry(place).or_default().push(value.clone());
    }
}

impl Kind for Booking {
    const NAME: &'static str = "booking";
    const MEMBERS: &'static [&'static str] = &[
        "id",
        "workspace_id",
        "unit_id",
        "product_id",
        "confirmation_code",
        "status",
        "check_in",
        "check_out",
        "guests",
        "contacts",
        "platform",
        "payment_status",
        "vetting_status",
    ];
    /// The bookings that take nights, by unit.
    type Beside = HashMap<UnitId, Vec<Booking>>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        Some(self.workspace)
    }

    fn references(&self) -> Vec<Reference> {
        let product = self.product.map(|id| Reference::new("product_id", Referred::Product, id));
        std::iter::once(Reference::new("unit_id", Referred::Unit, self.unit)).chain(product).collect()
    }

    fn read(line: Value) -> Result<Self, Vec<FieldError>> {
        sound(members(line)?, Self::check)
    }

    fn keep(&mut self, stored: &Self, omitted: &dyn Fn(&str) -> bool) {
        if omitted("vetting_status") {
            self.vetting = stored.vetting;
        }
    }

    async fn stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
        Ok(untyped(bookings::by_ids(tx, &ALL, &typed(ids)).await?))
    }

    fn changes(&self, before: Option<&Self>) -> Vec<Change> {
        Change::imported_booking(self, before)
    }

    async fn put(&self, tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
        bookings::put(tx, self, now).await
    }

    async fn beside(tx: &mut Tx, lines: &[&Self]) -> Result<Self::Beside, StoreError> {
        let mut wanted: Vec<UnitId> = lines.iter().map(|booking| booking.unit).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let first = lines.iter().map(|booking| booking.check_in).min();
        let end = lines.iter().map(|booking| booking.check_out).max();
        let (Some(first), Some(end)) = (first, end) else { return Ok(HashMap::new()) };
        units::hold(tx, &wanted).await?;
        Ok(values(bookings::blocking(tx, &wanted, first, end).await?))
    }

    fn fits(&mut self, beside: &Self::Beside) -> Result<(), String> {
        let others = beside.get(&self.unit).map(Vec::as_slice).unwrap_or_default();
        let taken = others
            .iter()
            .find(|other| self.blocks() && other.id != self.id && other.meets(self.check_in, self.check_out));
        match taken {
            None => Ok(()),
            Some(other) => Err(format!(
                "unit_id: booking {} takes the unit from {} to {}",
                other.id, other.check_in, other.check_out
            )),
        }
    }

    fn placed(&self, before: Option<&Self>, beside: &mut Self::Beside) {
        let (before, now) = (before.map(|booking| booking.unit), self.blocks().then_some(self.unit));
        replaced(beside, before, now, self, |other| other.id == self.id);
    }
}

/// Rate plans with their tariffs.
#[derive(Debug, Default)]
pub(super) struct Plans {
    plans: HashMap<RatePlanId, Stamped<RatePlan>>,
    tariffs: HashMap<RatePlanId, Vec<Tariff>>,
}

impl Kind for RatePlan {
    const NAME: &'static str = "rate_plan";
    const MEMBERS: &'static [&'static str] =
        &["id", "workspace_id", "unit_id", "name", "currency", "min_stay"];
    type Beside = Plans;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        Some(self.workspace)
    }

    fn references(&self) -> Vec<Reference> {
        vec![Reference::new("unit_id", Referred::Unit, self.unit)]
    }

    fn read(line: Value) -> Result<Self, Vec<FieldError>> {
        sound(members(line)?, Self::check)
    }

    async fn stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
        Ok(untyped(rates::plans(tx, &ALL, &typed(ids)).await?))
    }

    async fn put(&self, tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
        rates::put_plan(tx, self, now).await
    }

    async fn beside(tx: &mut Tx, lines: &[&Self]) -> Result<Self::Beside, StoreError> {
        let wanted: Vec<RatePlanId> = lines.iter().map(|plan| plan.id).collect();
        let plans = rates::lock_plans(tx, &ALL, &wanted).await?;
        let moves = |plan: &&&Self| plans.get(&plan.id).is_some_and(|stored| !plan.is_written_as(stored));
        let moving: Vec<RatePlanId> = lines.iter().filter(moves).map(|plan| plan.id).collect();
        let tariffs = match moving.as_slice() {
            [] => HashMap::new(),
            some => values(rates::tariffs_of_plans(tx, some, None, None).await?),
        };
        Ok(Plans { plans, tariffs })
    }

    fn fits(&mut self, beside: &Self::Beside) -> Result<(), String> {
        let moves = beside.plans.get(&self.id).is_some_and(|stored| !self.is_written_as(stored));
        if moves && beside.tariffs.contains_key(&self.id) {
            return Err(format!("currency: {OTHER_DECIMALS}"));
        }
        Ok(())
    }
}

impl Kind for Tariff {
    const NAME: &'static str = "tariff";
    const MEMBERS: &'static [&'static str] =
        &["id", "rate_plan_id", "start_date", "end_date", "price", "min_stay"];
    type Beside = Plans;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        None
    }

    fn references(&self) -> Vec<Reference> {
        vec![Reference::new("rate_plan_id", Referred::RatePlan, self.rate_plan)]
    }

    fn read(line: Value) -> Result<Self, Vec<FieldError>> {
        sound(members(line)?, Self::check)
    }

    fn keep(&mut self, stored: &Self, omitted: &dyn Fn(&str) -> bool) {
        if omitted("min_stay") {
            self.min_stay = stored.min_stay;
        }
        if self.price.same_value(stored.price) {
            self.price = stored.price;
        }
    }

    async fn stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
        Ok(untyped(rates::tariffs(tx, &ALL, &typed(ids)).await?))
    }

    async fn put(&self, tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
        rates::put_tariff(tx, self, now).await
    }

    async fn beside(tx: &mut Tx, lines: &[&Self]) -> Result<Self::Beside, StoreError> {
        let mut wanted: Vec<RatePlanId> = lines.iter().map(|tariff| tariff.rate_plan).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let first = lines.iter().map(|tariff| tariff.start_date).min();
        let last = lines.iter().map(|tariff| tariff.end_date).max();
        let plans = rates::lock_plans(tx, &ALL, &wanted).await?;
        let tariffs = values(rates::tariffs_of_plans(tx, &wanted, first, last).await?);
        Ok(Plans { plans, tariffs })
    }

    fn fits(&mut self, beside: &Self::Beside) -> Result<(), String> {
        if let Some(plan) = beside.plans.get(&self.rate_plan) {
            self.price = plan.priced(self.price).map_err(|message| format!("price: {message}"))?;
        }
        let others = beside.tariffs.get(&self.rate_plan).map(Vec::as_slice).unwrap_or_default();
        match others.iter().find(|other| other.id != self.id && other.meets(self)) {
            None => Ok(()),
            Some(other) => Err(format!(
                "start_date: tariff {} of the plan has a price from {} to {}",
                other.id, other.start_date, other.end_date
            )),
        }
    }

    fn placed(&self, before: Option<&Self>, beside: &mut Self::Beside) {
        let before = before.map(|tariff| tariff.rate_plan);
        replaced(&mut beside.tariffs, before, Some(self.rate_plan), self, |other| other.id == self.id);
    }
}

impl Kind for Conversation {
    const NAME: &'static str = "conversation";
    const MEMBERS: &'static [&'static str] = &["id", "workspace_id", "booking_id"];
    /// The conversation of each booking.
    type Beside = HashMap<BookingId, ConversationId>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        Some(self.workspace)
    }

    fn references(&self) -> Vec<Reference> {
        vec![Reference::new("booking_id", Referred::Booking, self.booking)]
    }

    fn read(line: Value) -> Result<Self, Vec<FieldError>> {
        members(line)
    }

    async fn stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
        Ok(untyped(conversations::by_ids(tx, &ALL, &typed(ids)).await?))
    }

    async fn put(&self, tx: &mut Tx, now: Timestamp) -> Result<(), StoreError> {
        conversations::put(tx, self, now).await
    }

    async fn beside(tx: &mut Tx, lines: &[&Self]) -> Result<Self::Beside, StoreError> {
        let wanted: Vec<BookingId> = lines.iter().map(|conversation| conversation.booking).collect();
        let found = conversations::of_bookings(tx, &ALL, &wanted).await?;
        Ok(found.into_iter().map(|(booking, conversation)| (booking, conversation.id)).collect())
    }

    fn fits(&mut self, beside: &Self::Beside) -> Result<(), String> {
        match beside.get(&self.booking).filter(|other| **other != self.id) {
            None => Ok(()),
            Some(other) => Err(format!("booking_id: the booking has conversation {other}")),
        }
    }

    fn placed(&self, before: Option<&Self>, beside: &mut Self::Beside) {
        if let Some(before) = before {
            beside.remove(&before.booking);
        }
        beside.insert(self.booking, self.id);
    }
}
