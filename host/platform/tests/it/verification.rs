//! What is told of guests is an event, and what older integrations write goes with the rest of the change or not at all.

use crate::world::{World, id, sampled, seeing};
use gateway_domain::access::{Client, Workspaces};
use gateway_domain::ids::{BookingId, ClientId, UnitId, WorkspaceId};
use gateway_domain_events::EventSelection;
use gateway_domain_events::LegacyUse;
use gateway_domain_input::Patch;
use gateway_domain_platform::bookings::{BookingFilter, VerificationChange, VettingStatus};
use gateway_domain_platform::spaces::UnitFilter;
use gateway_platform::{NewRate, PlatformError, RatesError};
use gateway_storage::events;
use gateway_storage::{bookings, clients, units};
use jiff::civil::date;
use serde_json::{Value, json};

async fn recorded(world: &World) -> Vec<Value> {
    world.relayed().await;
    let all = events::feed(world.db.db(), &Workspaces::All, EventSelection::All, 0, 10_000).await.unwrap();
    let verified = all.into_iter().filter(|event| event.kind == "GuestVerificationChanged");
    verified.map(|event| serde_json::from_str(&event.data).unwrap()).collect()
}

/// A booking of the first workspace that nobody vetted yet, and its unit.
async fn unvetted(world: &World) -> (BookingId, UnitId) {
    let filter = BookingFilter { workspace: Some(WorkspaceId(1)), ..BookingFilter::default() };
    let all = bookings::page(world.db.db(), &Workspaces::All, &filter, None, 100).await.unwrap();
    let found = all.iter().find(|booking| booking.vetting == VettingStatus::Unvetted).unwrap();
    (found.id, found.unit)
}

#[tokio::test]
async fn a_guest_verification_is_told_when_something_changed() {
    for world in sampled().await {
        let (acting, (booking, _)) = (seeing(&[1]), unvetted(&world).await);
        let before = recorded(&world).await.len();
        let change = VerificationChange {
            source: Patch::Set("vetter".to_owned()),
            status: Some(VettingStatus::Pending),
            ..VerificationChange::default()
        };
        let first = world.platform.bookings.verify_guest(&acting, booking, &change).await.unwrap();
        let again = world.platform.bookings.verify_guest(&acting, booking, &change).await.unwrap();
        assert_eq!(first, again);
        let skipped =
            VerificationChange { status: Some(VettingStatus::Unvetted), ..VerificationChange::default() };
        let refused = world.platform.bookings.verify_guest(&acting, booking, &skipped).await.unwrap_err();
        assert!(
            matches!(refused, PlatformError::Invalid(faults) if faults[0].field == "guest_verification.status")
        );
        let hidden = world.platform.bookings.verify_guest(&seeing(&[2]), booking, &change).await.unwrap_err();
        assert!(matches!(hidden, PlatformError::NotFound(_)));
        let events = recorded(&world).await.split_off(before);
        assert_eq!(
            events,
            [
                json!({"id": booking, "change": "updated", "booking_id": booking, "guest_verification": {"status": "PENDING"}})
            ]
        );
    }
}

#[tokio::test]
async fn changes_side_by_side_have_times_in_the_order_in_which_they_can_be_seen() {
    for world in sampled().await {
        let platform = &world.platform;
        let filter = BookingFilter { workspace: Some(WorkspaceId(1)), ..BookingFilter::default() };
        let all = bookings::page(world.db.db(), &Workspaces::All, &filter, None, 100).await.unwrap();
        let unvetted = all.iter().filter(|booking| booking.vetting == VettingStatus::Unvetted).take(8);
        let mut changing = tokio::task::JoinSet::new();
        for booking in unvetted.map(|booking| booking.id) {
            let (platform, acting) = (platform.clone(), seeing(&[1]));
            changing.spawn(async move {
                let mut times = Vec::new();
                for status in [VettingStatus::Pending, VettingStatus::Failed, VettingStatus::Pending] {
                    let change = VerificationChange { status: Some(status), ..VerificationChange::default() };
                    times.push(
                        platform.bookings.verify_guest(&acting, booking, &change).await.unwrap().updated_at,
                    );
                }
                times
            });
        }
        let mut times = changing.join_all().await.concat();
        assert_eq!(times.len(), 24);
        times.sort_unstable();
        times.dedup();
        assert_eq!(times.len(), 24, "the clock stands, and still no two changes have one time");
    }
}

#[tokio::test]
async fn a_refused_rate_uses_up_no_turn_and_uses_are_added_up() {
    for world in sampled().await {
        let (platform, acting) = (&world.platform, seeing(&[1]));
        let client = ClientId(id::<BookingId>(9, 9).0);
        let known = Client {
            id: client,
            name: "older".to_owned(),
            permissions: Vec::new(),
            workspaces: Workspaces::All,
            disabled: false,
        };
        let mut tx = world.db.db().begin().await.unwrap();
        clients::insert(&mut tx, &known, world.now()).await.unwrap();
        tx.commit().await.unwrap();
        let filter = UnitFilter { workspace: Some(WorkspaceId(1)), ..UnitFilter::default() };
        let all = units::page(world.db.db(), &Workspaces::All, &filter, None, 1).await.unwrap();
        let unit = all[0].id;
        let rate = |price: &str| NewRate {
            start_date: date(2031, 1, 1),
            end_date: date(2031, 1, 5),
            min_stay: Some(2),
            price: price.parse().unwrap(),
        };
        let refused =
            platform.pricing.write_rates(&acting, client, unit, &[rate("1.00001")]).await.unwrap_err();
        assert!(matches!(refused, RatesError::Platform(PlatformError::Invalid(_))));
        assert_eq!(
            platform
                .pricing
                .write_rates(&acting, client, unit, &[rate("70.00")])
                .await
                .unwrap()
                .tariffs
                .len(),
            1
        );
        let soon = platform.pricing.write_rates(&acting, client, unit, &[rate("70.00")]).await.unwrap_err();
        assert!(matches!(soon, RatesError::TooSoon { retry_after_s: 1..=60 }), "{soon}");

        for _ in 0..2 {
            world.legacy_uses.count(client, "GET /api/dev/users".to_owned());
            world.legacy_uses.count(client, "GET /api/dev/users".to_owned());
            world.legacy_uses.flush().await.unwrap();
        }
        world.legacy_uses.flush().await.unwrap();
        let uses = world.legacy_uses.of_client(client).await.unwrap();
        assert!(matches!(uses.as_slice(), [LegacyUse { requests: 4, .. }]), "{uses:?}");
    }
}
