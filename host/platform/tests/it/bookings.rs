use crate::world::{World, here, id, import, sampled, seeing};
use gateway_domain::ids::{ProductId, UnitId};
use gateway_domain_lists::PageRequest;
use gateway_domain_platform::bookings::{BookingFilter, CheckedStay, StayStatus};
use gateway_platform::PlatformError;
use jiff::civil::{Date, date};
use serde_json::json;

const W: i64 = 7;

fn u(n: u64) -> String {
    format!("00000000-0000-7000-8000-{n:012x}")
}

/// A unit with a booking, a plan of three nights at least and a product in an open group; and a second product in a
/// closed one.
async fn house(world: &World) {
    let group = |n: u64, state: &str| {
        json!({"kind": "product_group", "id": u(n), "workspace_id": W, "internal_reference": "G", "state": state,
            "contract_earliest_start_date": "2026-09-01", "contract_latest_start_date": "2027-01-31",
            "contract_earliest_end_date": "2026-09-02", "contract_latest_end_date": "2027-08-31"})
    };
    let product = |n: u64, group: u64, units: &[String]| json!({"kind": "product", "id": u(n), "workspace_id": W, "product_group_id": u(group), "name": "P", "unit_ids": units});
    let unit = |n: u64| json!({"kind": "unit", "id": u(n), "workspace_id": W, "unit_type_id": u(2), "code": "1A", "status": "ACTIVE"});
    let lines = [
        json!({"kind": "workspace", "id": W, "name": "Casa Roja"}),
        json!({"kind": "building", "id": u(1), "workspace_id": W, "name": "Mayor"}),
        json!({"kind": "unit_type", "id": u(2), "workspace_id": W, "building_id": u(1), "code": "S"}),
        unit(4),
        unit(5),
        group(10, "ACTIVE"),
        group(11, "INACTIVE"),
        product(12, 10, &[u(4)]),
        product(13, 11, &[u(4)]),
        json!({"kind": "rate_plan", "id": u(30), "workspace_id": W, "unit_id": u(4), "name": "Flexible", "currency": "EUR",
            "min_stay": 3}),
        json!({"kind": "tariff", "id": u(31), "rate_plan_id": u(30), "start_date": "2026-12-02", "end_date": "2026-12-03",
            "price": "89.90"}),
        json!({"kind": "booking", "id": u(20), "workspace_id": W, "unit_id": u(4), "confirmation_code": "C", "status": "CONFIRMED",
            "check_in": "2026-12-02", "check_out": "2026-12-04"}),
    ];
    let (_, refused) = import(world, &lines).await;
    assert!(refused.is_empty(), "{refused:?}");
}

#[tokio::test]
async fn a_calendar_shows_each_night_once() {
    for world in here().await {
        house(&world).await;
        let (platform, acting, days) =
            (&world.platform, seeing(&[W]), (date(2026, 12, 1), date(2026, 12, 4)));
        let units: [UnitId; 2] = [u(4).parse().unwrap(), u(5).parse().unwrap()];
        let page = platform
            .bookings
            .units_availability(&acting, &units, days, PageRequest::default())
            .await
            .unwrap();
        assert_eq!((page.nodes.len(), page.has_next), (2, false));
        let first = page.nodes.iter().find(|node| node.unit.id == units[0]).unwrap();
        let summary: Vec<_> = first
            .days
            .iter()
            .map(|day| {
                (day.date.day(), day.available, day.min_stay, day.price.map(|price| price.to_string()))
            })
            .collect();
        let price = Some("89.90".to_owned());
        assert_eq!(
            summary,
            [(1, true, 3, None), (2, false, 3, price.clone()), (3, false, 3, price), (4, true, 3, None)]
        );
        let second = page.nodes.iter().find(|node| node.unit.id == units[1]).unwrap();
        assert!(second.days.iter().all(|day| day.available && day.min_stay == 1));
        let one = PageRequest { first: 1, after: None };
        let page = platform.bookings.units_availability(&acting, &units, days, one).await.unwrap();
        assert!(page.has_next);
        let next = PageRequest { first: 1, after: page.end() };
        let rest = platform.bookings.units_availability(&acting, &units, days, next).await.unwrap();
        assert_ne!(rest.nodes[0].unit.id, page.nodes[0].unit.id);
        let hidden = platform
            .bookings
            .units_availability(&seeing(&[1]), &units, days, PageRequest::default())
            .await
            .unwrap();
        assert!(hidden.nodes.is_empty());
        for wrong in [(days.1, days.0), (days.0, date(2028, 12, 1)), (date(-5, 1, 1), days.1)] {
            let refused =
                platform.bookings.units_availability(&acting, &units, wrong, PageRequest::default()).await;
            assert!(matches!(refused, Err(PlatformError::Invalid(_))), "{wrong:?}");
        }
    }
}

#[tokio::test]
async fn a_night_that_is_over_where_the_unit_is_cannot_be_booked_and_is_imported_all_the_same() {
    for world in here().await {
        house(&world).await;
        // It is nine in the morning of 20 November in UTC, and the evening before it on Midway.
        let zone = json!({"kind": "workspace", "id": W, "name": "Casa Roja", "time_zone": "Pacific/Midway"});
        let (unit, product): (UnitId, ProductId) = (u(4).parse().unwrap(), u(12).parse().unwrap());
        let acting = seeing(&[W]);
        let nights = (date(2026, 11, 18), date(2026, 11, 21));
        let available = async || {
            let page = PageRequest::default();
            let found =
                world.platform.bookings.units_availability(&acting, &[unit], nights, page).await.unwrap();
            found.nodes[0].days.iter().map(|day| day.available).collect::<Vec<_>>()
        };
        let check = async |start_date: Date| {
            let stay = CheckedStay { start_date, end_date: date(2026, 11, 25) };
            world.platform.bookings.check_unit_availability(&acting, unit, product, stay).await.unwrap()
        };
        assert_eq!(available().await, [false, false, true, true], "the night of today begins this evening");
        assert_eq!(check(date(2026, 11, 19)).await, Some(StayStatus::OutsideContractWindow));
        assert_eq!(check(date(2026, 11, 20)).await, Some(StayStatus::Available));
        import(&world, &[zone]).await;
        assert_eq!(available().await, [false, true, true, true]);
        assert_eq!(check(date(2026, 11, 19)).await, Some(StayStatus::Available));
        let past = json!({"kind": "booking", "id": u(21), "workspace_id": W, "unit_id": u(4), "confirmation_code": "P",
            "status": "CHECKED_OUT", "check_in": "2026-10-01", "check_out": "2026-10-05"});
        let (imported, refused) = import(&world, &[past]).await;
        assert!(refused.is_empty() && imported.written() == 1, "{refused:?}");
    }
}

#[tokio::test]
async fn a_stay_is_checked_against_bookings_window_state_and_minimum() {
    for world in here().await {
        house(&world).await;
        let (unit, other): (UnitId, UnitId) = (u(4).parse().unwrap(), u(5).parse().unwrap());
        let (open, closed): (ProductId, ProductId) = (u(12).parse().unwrap(), u(13).parse().unwrap());
        let check =
            async |workspace: i64, unit: UnitId, product: ProductId, start_date: Date, end_date: Date| {
                let stay = CheckedStay { start_date, end_date };
                world
                    .platform
                    .bookings
                    .check_unit_availability(&seeing(&[workspace]), unit, product, stay)
                    .await
                    .unwrap()
            };
        let december = |day: i8| date(2026, 12, day);
        assert_eq!(check(W, unit, open, december(4), december(7)).await, Some(StayStatus::Available));
        assert_eq!(check(W, unit, open, december(3), december(7)).await, Some(StayStatus::Booked));
        assert_eq!(check(W, unit, open, december(4), december(6)).await, Some(StayStatus::MinStay));
        assert_eq!(check(W, unit, closed, december(4), december(7)).await, Some(StayStatus::ProductInactive));
        let late = check(W, unit, open, date(2027, 2, 1), date(2027, 2, 9)).await;
        assert_eq!(late, Some(StayStatus::OutsideContractWindow));
        assert_eq!(check(W, other, open, december(4), december(7)).await, None, "not sold in that unit");
        assert_eq!(check(1, unit, open, december(4), december(7)).await, None, "another workspace");
        assert_eq!(check(W, unit, id(9, 0), december(4), december(7)).await, None, "no such product");
        let backwards = CheckedStay { start_date: december(7), end_date: december(7) };
        let refused =
            world.platform.bookings.check_unit_availability(&seeing(&[W]), unit, open, backwards).await;
        assert!(matches!(refused, Err(PlatformError::Invalid(_))));
    }
}

#[tokio::test]
async fn bookings_are_found_by_ids_unit_nights_and_change() {
    for world in sampled().await {
        let (platform, acting) = (&world.platform, seeing(&[1]));
        let all = platform.bookings.bookings_count(&acting, &BookingFilter::default()).await.unwrap();
        let both =
            platform.bookings.bookings_count(&seeing(&[1, 2]), &BookingFilter::default()).await.unwrap();
        assert!(all > 50 && both > all);
        let named = BookingFilter { ids: Some(vec![id(0xc, 0), id(0xc, 9_999)]), ..BookingFilter::default() };
        let page = platform.bookings.bookings(&acting, &named, PageRequest::default()).await.unwrap();
        assert_eq!(page.nodes.len(), 1);
        let unit = page.nodes[0].unit;
        let (from, to) = (date(2027, 1, 1), date(2027, 1, 31));
        let nights =
            BookingFilter { unit: Some(unit), from: Some(from), to: Some(to), ..BookingFilter::default() };
        let page = platform.bookings.bookings(&acting, &nights, PageRequest::default()).await.unwrap();
        assert!(!page.nodes.is_empty());
        assert!(
            page.nodes
                .iter()
                .all(|booking| booking.unit == unit && booking.check_out > from && booking.check_in <= to)
        );
        let since = BookingFilter { updated_since: Some(world.now()), ..BookingFilter::default() };
        world.pass(1);
        let later = BookingFilter { updated_since: Some(world.now()), ..BookingFilter::default() };
        assert_eq!(platform.bookings.bookings_count(&acting, &since).await.unwrap(), all);
        assert_eq!(platform.bookings.bookings_count(&acting, &later).await.unwrap(), 0);
        let booking: gateway_domain::ids::BookingId = id(0xc, 0);
        assert!(platform.bookings.booking(&seeing(&[2]), booking).await.unwrap().is_none());
    }
}
