//! The kinds that have to fit in with what is there: no night of a plan has two prices, no booking has two
//! conversations, no picture belongs to two units. Bookings are in `booking`.

use super::batch_events::BatchEvents;
use super::kind::{Kind, Reference, each_once, members, sound, typed, untyped};
use gateway_domain::StoreError;
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{BookingId, ConversationId, MediaItemId, RatePlanId, UnitId, WorkspaceId};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::{Faults, sentence};
use gateway_domain_lists::Stamped;
use gateway_domain_platform::conversations::Conversation;
use gateway_domain_platform::pricing::{OTHER_DECIMALS, RatePlan, Tariff};
use gateway_domain_platform::spaces::Unit;
use gateway_domain_platform::webhooks::How;
use gateway_storage::references::ReferenceTarget;
use gateway_storage::{Tx, conversations, rates, units};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use std::hash::Hash;
use uuid::Uuid;

pub(super) const ALL: Workspaces = Workspaces::All;

/// Lists of values without their times.
pub(super) fn values<I: Eq + Hash, T>(found: HashMap<I, Vec<Stamped<T>>>) -> HashMap<I, Vec<T>> {
    let value = |stamped: Stamped<T>| stamped.value;
    found.into_iter().map(|(id, list)| (id, list.into_iter().map(value).collect())).collect()
}

/// Puts a value in the place of what was stored before under its id.
pub(super) fn replaced<I: Eq + Hash, T: Clone>(
    lists: &mut HashMap<I, Vec<T>>,
    before: Option<I>,
    now: Option<I>,
    value: &T,
    same: impl Fn(&T) -> bool,
) {
    if let Some(list) = before.and_then(|key| lists.get_mut(&key)) {
        list.retain(|other| !same(other));
    }
    if let Some(key) = now {
        lists.entry(key).or_default().push(value.clone());
    }
}

impl Kind for Unit {
    const NAME: &'static str = "unit";
    const MEMBERS: &'static [&'static str] = &[
        "id",
        "workspace_id",
        "unit_type_id",
        "code",
        "status",
        "number_of_bedrooms",
        "number_of_bathrooms",
        "size_in_sqm",
        "amenity_ids",
        "features",
        "media_items",
    ];
    /// The unit that each media item belongs to already: no other may have it.
    type Constraints = HashMap<MediaItemId, UnitId>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        Some(self.workspace)
    }

    fn references(&self) -> Vec<Reference> {
        let mut all = vec![Reference::new("unit_type_id", ReferenceTarget::UnitType, self.unit_type)];
        all.extend(Reference::list("amenity_ids", ReferenceTarget::Amenity, &self.amenities));
        all
    }

    fn read(line: &Value) -> Result<Self, Vec<FieldError>> {
        sound(members(line)?, Self::check)
    }

    fn tidy(&mut self) {
        each_once(&mut self.amenities);
    }

    async fn find_stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
        Ok(untyped(units::by_ids(tx, &ALL, &typed(ids)).await?))
    }

    fn append_events(&self, before: Option<&Self>, events: &mut BatchEvents) {
        events.dependents.units.add(self.id, before, self);
    }

    async fn put(tx: &mut Tx, lines: &[&Self], now: Timestamp) -> Result<(), StoreError> {
        units::put(tx, lines, now).await
    }

    async fn constraints(tx: &mut Tx, lines: &[&Self]) -> Result<Self::Constraints, StoreError> {
        let media_item_ids: Vec<MediaItemId> =
            lines.iter().flat_map(|unit| unit.media_items.iter().map(|item| item.id)).collect();
        units::of_media_items(tx, &media_item_ids).await
    }

    fn validate(&mut self, _before: Option<&Self>, constraints: &Self::Constraints) -> Result<(), String> {
        let mut faults = Faults::default();
        for (index, item) in self.media_items.iter().enumerate() {
            if let Some(unit) = constraints.get(&item.id).filter(|unit| **unit != self.id) {
                faults.refuse(
                    &format!("media_items[{index}].id"),
                    ErrorCode::AlreadyExists,
                    format!("{} belongs to unit {unit}", item.id),
                );
            }
        }
        faults.or(()).map_err(|faults| sentence(&faults))
    }

    fn include_in(&self, _before: Option<&Self>, constraints: &mut Self::Constraints) {
        constraints.retain(|_, unit| *unit != self.id);
        constraints.extend(self.media_items.iter().map(|item| (item.id, self.id)));
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
    type Constraints = Plans;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        Some(self.workspace)
    }

    fn references(&self) -> Vec<Reference> {
        vec![Reference::new("unit_id", ReferenceTarget::Unit, self.unit)]
    }

    fn read(line: &Value) -> Result<Self, Vec<FieldError>> {
        sound(members(line)?, Self::check)
    }

    async fn find_stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
        Ok(untyped(rates::plans(tx, &ALL, &typed(ids)).await?))
    }

    fn append_events(&self, before: Option<&Self>, events: &mut BatchEvents) {
        events.rate_plan(self.id, How::after(before));
    }

    async fn put(tx: &mut Tx, lines: &[&Self], now: Timestamp) -> Result<(), StoreError> {
        rates::put_plans(tx, lines, now).await
    }

    async fn constraints(tx: &mut Tx, lines: &[&Self]) -> Result<Self::Constraints, StoreError> {
        let plan_ids: Vec<RatePlanId> = lines.iter().map(|plan| plan.id).collect();
        let plans = rates::lock_plans(tx, &ALL, &plan_ids).await?;
        let moves = |plan: &&&Self| plans.get(&plan.id).is_some_and(|stored| !plan.is_written_as(stored));
        let moving: Vec<RatePlanId> = lines.iter().filter(moves).map(|plan| plan.id).collect();
        let tariffs = match moving.as_slice() {
            [] => HashMap::new(),
            some => values(rates::tariffs_of_plans(tx, some, None, None).await?),
        };
        Ok(Plans { plans, tariffs })
    }

    fn validate(&mut self, _before: Option<&Self>, constraints: &Self::Constraints) -> Result<(), String> {
        let moves = constraints.plans.get(&self.id).is_some_and(|stored| !self.is_written_as(stored));
        if moves && constraints.tariffs.contains_key(&self.id) {
            return Err(format!("currency: {OTHER_DECIMALS}"));
        }
        Ok(())
    }
}

impl Kind for Tariff {
    const NAME: &'static str = "tariff";
    const MEMBERS: &'static [&'static str] =
        &["id", "rate_plan_id", "start_date", "end_date", "price", "min_stay"];
    type Constraints = Plans;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        None
    }

    fn references(&self) -> Vec<Reference> {
        vec![Reference::new("rate_plan_id", ReferenceTarget::RatePlan, self.rate_plan)]
    }

    fn read(line: &Value) -> Result<Self, Vec<FieldError>> {
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

    async fn find_stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
        Ok(untyped(rates::tariffs(tx, &ALL, &typed(ids)).await?))
    }

    fn append_events(&self, before: Option<&Self>, events: &mut BatchEvents) {
        for plan in before.map(|before| before.rate_plan).into_iter().chain([self.rate_plan]) {
            events.rate_plan(plan, How::Updated);
        }
    }

    async fn put(tx: &mut Tx, lines: &[&Self], now: Timestamp) -> Result<(), StoreError> {
        rates::put_tariffs(tx, lines, now).await
    }

    async fn constraints(tx: &mut Tx, lines: &[&Self]) -> Result<Self::Constraints, StoreError> {
        let mut plan_ids: Vec<RatePlanId> = lines.iter().map(|tariff| tariff.rate_plan).collect();
        plan_ids.sort_unstable();
        plan_ids.dedup();
        let first = lines.iter().map(|tariff| tariff.start_date).min();
        let last = lines.iter().map(|tariff| tariff.end_date).max();
        let plans = rates::lock_plans(tx, &ALL, &plan_ids).await?;
        let tariffs = values(rates::tariffs_of_plans(tx, &plan_ids, first, last).await?);
        Ok(Plans { plans, tariffs })
    }

    fn validate(&mut self, _before: Option<&Self>, constraints: &Self::Constraints) -> Result<(), String> {
        if let Some(plan) = constraints.plans.get(&self.rate_plan) {
            self.price = plan.priced(self.price).map_err(|message| format!("price: {message}"))?;
        }
        let others = constraints.tariffs.get(&self.rate_plan).map(Vec::as_slice).unwrap_or_default();
        match others.iter().find(|other| other.id != self.id && other.overlaps(self)) {
            None => Ok(()),
            Some(other) => Err(format!(
                "start_date: tariff {} of the plan has a price from {} to {}",
                other.id, other.start_date, other.end_date
            )),
        }
    }

    fn include_in(&self, before: Option<&Self>, constraints: &mut Self::Constraints) {
        let before = before.map(|tariff| tariff.rate_plan);
        replaced(&mut constraints.tariffs, before, Some(self.rate_plan), self, |other| other.id == self.id);
    }
}

impl Kind for Conversation {
    const NAME: &'static str = "conversation";
    const MEMBERS: &'static [&'static str] = &["id", "workspace_id", "booking_id"];
    /// The conversation of each booking.
    type Constraints = HashMap<BookingId, ConversationId>;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        Some(self.workspace)
    }

    fn references(&self) -> Vec<Reference> {
        vec![Reference::new("booking_id", ReferenceTarget::Booking, self.booking)]
    }

    fn read(line: &Value) -> Result<Self, Vec<FieldError>> {
        members(line)
    }

    async fn find_stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
        Ok(untyped(conversations::by_ids(tx, &ALL, &typed(ids)).await?))
    }

    async fn put(tx: &mut Tx, lines: &[&Self], now: Timestamp) -> Result<(), StoreError> {
        conversations::put(tx, lines, now).await
    }

    async fn constraints(tx: &mut Tx, lines: &[&Self]) -> Result<Self::Constraints, StoreError> {
        let booking_ids: Vec<BookingId> = lines.iter().map(|conversation| conversation.booking).collect();
        let found = conversations::of_bookings(tx, &ALL, &booking_ids).await?;
        Ok(found.into_iter().map(|(booking, conversation)| (booking, conversation.id)).collect())
    }

    fn validate(&mut self, _before: Option<&Self>, constraints: &Self::Constraints) -> Result<(), String> {
        match constraints.get(&self.booking).filter(|other| **other != self.id) {
            None => Ok(()),
            Some(other) => Err(format!("booking_id: the booking has conversation {other}")),
        }
    }

    fn include_in(&self, before: Option<&Self>, constraints: &mut Self::Constraints) {
        if let Some(before) = before {
            constraints.remove(&before.booking);
        }
        constraints.insert(self.booking, self.id);
    }
}
