use super::*;
use crate::bookings::{BookingStatus, Guests, VettingStatus};
use gateway_domain::ids::{BookingId, RatePlanId, TariffId, UnitId, WorkspaceId};
use jiff::civil::date;
use uuid::Uuid;

const TODAY: Date = date(2026, 12, 1);

const fn id(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

fn booking(status: BookingStatus, check_in: Date, check_out: Date) -> Booking {
    Booking {
        id: BookingId(id(1)),
        workspace: WorkspaceId(1),
        unit: UnitId(id(1)),
        product: None,
        confirmation_code: "A1".to_owned(),
        status,
        check_in,
        check_out,
        guests: Guests::default(),
        contacts: Vec::new(),
        platform: None,
        payment_status: None,
        vetting: VettingStatus::Unvetted,
    }
}

fn plan(n: u128, min_stay: i32) -> RatePlan {
    RatePlan {
        id: RatePlanId(id(n)),
        workspace: WorkspaceId(1),
        unit: UnitId(id(1)),
        name: "Flexible".to_owned(),
        currency: "EUR".to_owned(),
        min_stay,
    }
}

fn tariff(plan: u128, start_date: Date, end_date: Date, price: &str) -> Tariff {
    Tariff {
        id: TariffId(id(plan)),
        rate_plan: RatePlanId(id(plan)),
        start_date,
        end_date,
        price: price.parse().unwrap(),
        min_stay: None,
    }
}

fn window() -> ContractWindow {
    ContractWindow::new(date(2026, 9, 1), date(2027, 1, 31), date(2026, 9, 2), date(2027, 8, 31)).unwrap()
}

#[test]
fn the_nights_of_a_stay_are_taken_and_the_day_of_departure_is_free() {
    let bookings = [
        booking(BookingStatus::Confirmed, date(2026, 12, 2), date(2026, 12, 4)),
        booking(BookingStatus::Cancelled, date(2026, 12, 4), date(2026, 12, 6)),
    ];
    let plans = [plan(1, 2), plan(2, 5)];
    let tariffs = [
        tariff(2, date(2026, 12, 1), date(2026, 12, 5), "70.00"),
        tariff(1, date(2026, 12, 3), date(2026, 12, 3), "89.90"),
    ];
    let unit = UnitCalendar {
        status: UnitStatus::Active,
        today: TODAY,
        bookings: &bookings,
        rate_plans: &plans,
        tariffs: &tariffs,
    };
    let days: Vec<String> = calendar(&unit, date(2026, 12, 1), date(2026, 12, 6))
        .iter()
        .map(|day| {
            let price = day.price.map_or_else(|| "-".to_owned(), |price| price.to_string());
            format!("{} {} {} {price}", day.date, if day.available { "free" } else { "taken" }, day.min_stay)
        })
        .collect();
    insta::assert_snapshot!(days.join("\n"), @r"
    2026-12-01 free 5 70.00
    2026-12-02 taken 5 70.00
    2026-12-03 taken 2 89.90
    2026-12-04 free 5 70.00
    2026-12-05 free 5 70.00
    2026-12-06 free 2 -
    ");
    let closed = UnitCalendar { status: UnitStatus::Inactive, ..unit };
    assert!(calendar(&closed, date(2026, 12, 1), date(2026, 12, 6)).iter().all(|day| !day.available));
    assert!(calendar(&unit, date(2026, 12, 6), date(2026, 12, 1)).is_empty());
}

#[test]
fn a_night_that_is_over_cannot_be_booked_and_keeps_its_price() {
    let (plans, tariffs) = ([plan(1, 2)], [tariff(1, date(2026, 12, 1), date(2026, 12, 5), "70.00")]);
    let unit = UnitCalendar {
        status: UnitStatus::Active,
        today: date(2026, 12, 3),
        bookings: &[],
        rate_plans: &plans,
        tariffs: &tariffs,
    };
    let days = calendar(&unit, date(2026, 12, 1), date(2026, 12, 4));
    let available: Vec<_> = days.iter().map(|day| day.available).collect();
    assert_eq!(available, [false, false, true, true], "the night of today begins this evening");
    assert!(days.iter().all(|day| day.price.is_some() && day.min_stay == 2));
    let check = StayCheck { unit, state: ActivationState::Active, window: window() };
    let stay = |day| CheckedStay { start_date: date(2026, 12, day), end_date: date(2026, 12, 9) };
    assert_eq!(check_stay(&check, stay(2)), StayStatus::OutsideContractWindow);
    assert_eq!(check_stay(&check, stay(3)), StayStatus::Available);
}

#[test]
fn an_enquiry_a_cancelled_and_an_expired_booking_take_no_night() {
    let blocking: Vec<_> =
        BookingStatus::ALL.iter().filter(|status| status.blocks()).map(|s| s.as_str()).collect();
    assert_eq!(blocking, ["PENDING", "CONFIRMED", "CHECKED_IN", "CHECKED_OUT"]);
}

#[test]
fn the_first_obstacle_in_the_order_of_the_contract_is_answered() {
    let booked = [booking(BookingStatus::Pending, date(2026, 12, 2), date(2026, 12, 4))];
    let plans = [plan(1, 3)];
    let stay = |from: Date, to: Date| CheckedStay { start_date: from, end_date: to };
    let unit = UnitCalendar {
        status: UnitStatus::Active,
        today: TODAY,
        bookings: &booked,
        rate_plans: &plans,
        tariffs: &[],
    };
    let open = StayCheck { unit, state: ActivationState::Active, window: window() };
    let closed = StayCheck { state: ActivationState::Inactive, ..open };
    let archived = StayCheck { unit: UnitCalendar { status: UnitStatus::Archived, ..unit }, ..open };
    let free = stay(date(2026, 12, 4), date(2026, 12, 7));
    assert_eq!(check_stay(&open, free), StayStatus::Available);
    assert_eq!(check_stay(&archived, free), StayStatus::ProductInactive);
    assert_eq!(check_stay(&closed, stay(date(2026, 12, 3), date(2026, 12, 7))), StayStatus::Booked);
    assert_eq!(
        check_stay(&closed, stay(date(2027, 2, 1), date(2027, 2, 2))),
        StayStatus::OutsideContractWindow
    );
    assert_eq!(check_stay(&closed, stay(date(2026, 12, 4), date(2026, 12, 5))), StayStatus::ProductInactive);
    assert_eq!(check_stay(&open, stay(date(2026, 12, 4), date(2026, 12, 6))), StayStatus::MinStay);
}

#[test]
fn days_are_counted_over_the_ends_of_months_and_years() {
    assert_eq!(days_between(date(2026, 12, 31), date(2027, 1, 1)), 1);
    assert_eq!(days_between(date(2028, 2, 1), date(2028, 3, 1)), 29);
    assert_eq!(days_between(date(2027, 1, 1), date(2026, 12, 31)), -1);
}

proptest::proptest! {
    #[test]
    fn a_stay_is_booked_exactly_when_one_of_its_nights_is_taken(
        stays in proptest::collection::vec((0_i32..40, 1_i32..9, 0_usize..7), 0..8),
        from in 0_i32..40,
        nights in 1_i32..12,
    ) {
        let first = date(2026, 12, 1);
        let day = |n: i32| first.checked_add(n.days()).unwrap();
        let bookings: Vec<Booking> = stays
            .into_iter()
            .map(|(from, nights, status)| booking(BookingStatus::ALL[status], day(from), day(from + nights)))
            .collect();
        let unit =
            UnitCalendar { status: UnitStatus::Active, today: TODAY, bookings: &bookings, rate_plans: &[], tariffs: &[] };
        let taken = calendar(&unit, day(from), day(from + nights - 1)).iter().any(|night| !night.available);
        proptest::prop_assert_eq!(unit.is_booked(day(from), day(from + nights)), taken);
    }
}
