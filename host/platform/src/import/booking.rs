//! Bookings: no unit is booked twice for a night. Those that are outside the contract window of their product's group, or
//! in a unit of another product, were taken all the same, under older windows or by exception: they are stored, and told.

use super::batch_events::BatchEvents;
use super::constraints::{ALL, replaced, values};
use super::kind::{Kind, Reference, each_once, members, sound, typed, untyped};
use gateway_domain::StoreError;
use gateway_domain::ids::{ProductGroupId, ProductId, UnitId, WorkspaceId};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_input::{Faults, sentence};
use gateway_domain_platform::bookings::Booking;
use gateway_domain_platform::catalog::ContractWindow;
use gateway_domain_platform::changes;
use gateway_storage::references::ReferenceTarget;
use gateway_storage::{Tx, bookings, product_groups, products, units};
use jiff::Timestamp;
use serde_json::Value;
use std::collections::HashMap;
use uuid::Uuid;

/// What bookings have to fit in with.
#[derive(Debug, Default)]
pub(super) struct Constraints {
    /// The bookings that take nights, by unit.
    nights: HashMap<UnitId, Vec<Booking>>,
    products: HashMap<ProductId, ProductConstraints>,
}

/// What a product says about the bookings of it.
#[derive(Debug)]
struct ProductConstraints {
    /// None are listed: it may be any.
    units: Vec<UnitId>,
    window: ContractWindow,
}

impl ProductConstraints {
    fn check(&self, booking: &Booking, faults: &mut Faults) {
        if !self.units.is_empty() && !self.units.contains(&booking.unit) {
            faults.refuse(
                "unit_id",
                ErrorCode::NotTogether,
                "the product is not sold in this unit: use one of its unit_ids",
            );
        }
        self.window.check(booking.check_in, booking.check_out, faults);
    }
}

/// Whether two bookings sell the same nights as the same product.
fn same_stay(one: &Booking, other: &Booking) -> bool {
    let stay = |booking: &Booking| (booking.product, booking.unit, booking.check_in, booking.check_out);
    stay(one) == stay(other)
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
    type Constraints = Constraints;

    fn id(&self) -> Uuid {
        self.id.0
    }

    fn workspace(&self) -> Option<WorkspaceId> {
        Some(self.workspace)
    }

    fn references(&self) -> Vec<Reference> {
        let product = self.product.map(|id| Reference::new("product_id", ReferenceTarget::Product, id));
        std::iter::once(Reference::new("unit_id", ReferenceTarget::Unit, self.unit)).chain(product).collect()
    }

    fn read(line: &Value) -> Result<Self, Vec<FieldError>> {
        sound(members(line)?, Self::check)
    }

    fn keep(&mut self, stored: &Self, omitted: &dyn Fn(&str) -> bool) {
        if omitted("vetting_status") {
            self.vetting = stored.vetting;
        }
    }

    async fn find_stored(tx: &mut Tx, ids: &[Uuid]) -> Result<HashMap<Uuid, Self>, StoreError> {
        Ok(untyped(bookings::by_ids(tx, &ALL, &typed(ids)).await?))
    }

    fn append_events(&self, before: Option<&Self>, events: &mut BatchEvents) {
        events.extend(changes::imported_booking(self, before));
        events.nights(before, self);
    }

    async fn put(tx: &mut Tx, lines: &[&Self], now: Timestamp) -> Result<(), StoreError> {
        bookings::put(tx, lines, now).await
    }

    async fn constraints(tx: &mut Tx, lines: &[&Self]) -> Result<Self::Constraints, StoreError> {
        let mut unit_ids: Vec<UnitId> = lines.iter().map(|booking| booking.unit).collect();
        each_once(&mut unit_ids);
        let first = lines.iter().map(|booking| booking.check_in).min();
        let end = lines.iter().map(|booking| booking.check_out).max();
        let (Some(first), Some(end)) = (first, end) else { return Ok(Constraints::default()) };
        let mut product_ids: Vec<ProductId> = lines.iter().filter_map(|booking| booking.product).collect();
        each_once(&mut product_ids);
        let products = products::by_ids(&mut *tx, &ALL, &product_ids).await?;
        let mut groups: Vec<ProductGroupId> = products.values().map(|product| product.value.group).collect();
        each_once(&mut groups);
        let windows = product_groups::by_ids(&mut *tx, &ALL, &groups).await?;
        units::hold(tx, &unit_ids).await?;
        let nights = values(bookings::blocking(tx, &unit_ids, first, end).await?);
        let products = products.into_iter().filter_map(|(id, product)| {
            let window = windows.get(&product.value.group)?.value.window;
            Some((id, ProductConstraints { units: product.value.units, window }))
        });
        Ok(Constraints { nights, products: products.collect() })
    }

    fn validate(&mut self, _before: Option<&Self>, constraints: &Self::Constraints) -> Result<(), String> {
        let others = constraints.nights.get(&self.unit).map(Vec::as_slice).unwrap_or_default();
        let taken = others.iter().find(|other| {
            self.blocks() && other.id != self.id && other.overlaps(self.check_in, self.check_out)
        });
        match taken {
            None => Ok(()),
            Some(Self { id, check_in, check_out, .. }) => {
                Err(format!("unit_id: booking {id} takes the unit from {check_in} to {check_out}"))
            }
        }
    }

    fn remark(&self, before: Option<&Self>, constraints: &Self::Constraints) -> Option<String> {
        // What was told of a stay is not told again when only something else about the booking changes.
        let remarked_before = before.is_some_and(|before| before.blocks() && same_stay(self, before));
        let product =
            constraints.products.get(&self.product?).filter(|_| self.blocks() && !remarked_before)?;
        let mut faults = Faults::default();
        product.check(self, &mut faults);
        faults.or(()).err().map(|faults| sentence(&faults))
    }

    fn include_in(&self, before: Option<&Self>, constraints: &mut Self::Constraints) {
        let (before, now) = (before.map(|booking| booking.unit), self.blocks().then_some(self.unit));
        replaced(&mut constraints.nights, before, now, self, |other| other.id == self.id);
    }
}
