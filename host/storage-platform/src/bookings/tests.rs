use super::*;
use crate::{spaces, units};
use gateway_domain::ids::{BuildingId, UnitTypeId};
use gateway_domain_platform::bookings::{BookingStatus, VettingStatus};
use gateway_domain_platform::spaces::{Building, Unit, UnitStatus, UnitType};
use gateway_storage::testing::{self, samples::at, samples::stored_workspace};
use jiff::civil::date;
use uuid::Uuid;

const fn id(n: u128) -> Uuid {
    Uuid::from_u128(n)
}

async fn stored_unit(db: &gateway_database::Db) {
    stored_workspace(db, 1).await;
    let workspace = WorkspaceId(1);
    let mut tx = db.begin().await.unwrap();
    let building = Building { id: BuildingId(id(1)), workspace, name: "B".to_owned(), address: None };
    spaces::put_buildings(&mut tx, &[&building], at(0)).await.unwrap();
    let kind = UnitType {
        id: UnitTypeId(id(1)),
        workspace,
        building: building.id,
        code: "S".to_owned(),
        name: None,
    };
    spaces::put_unit_types(&mut tx, &[&kind], at(0)).await.unwrap();
    let unit = Unit {
        id: UnitId(id(1)),
        workspace,
        unit_type: kind.id,
        code: "1A".to_owned(),
        status: UnitStatus::Active,
        number_of_bedrooms: None,
        number_of_bathrooms: None,
        size_in_sqm: None,
        amenities: Vec::new(),
        features: Vec::new(),
        media_items: Vec::new(),
    };
    units::put(&mut tx, &[&unit], at(0)).await.unwrap();
    tx.commit().await.unwrap();
}

fn booking(n: u128, status: BookingStatus, check_in: Date, check_out: Date) -> Booking {
    Booking {
        id: BookingId(id(n)),
        workspace: WorkspaceId(1),
        unit: UnitId(id(1)),
        product: None,
        confirmation_code: format!("C{n}"),
        status,
        check_in,
        check_out,
        guests: Guests { adults: 2, children: 1 },
        contacts: Vec::new(),
        platform: None,
        payment_status: None,
        vetting: VettingStatus::Unvetted,
    }
}

#[tokio::test]
async fn the_schema_refuses_to_book_a_night_twice() {
    let (confirmed, first, second, third) =
        (BookingStatus::Confirmed, date(2026, 12, 1), date(2026, 12, 5), date(2026, 12, 9));
    for db in testing::both().await {
        stored_unit(&db).await;
        let mut tx = db.begin().await.unwrap();
        put(&mut tx, &[&booking(1, confirmed, first, second)], at(0)).await.unwrap();
        put(&mut tx, &[&booking(2, confirmed, second, third)], at(0)).await.unwrap();
        put(&mut tx, &[&booking(3, BookingStatus::Enquiry, first, third)], at(0)).await.unwrap();
        put(&mut tx, &[&booking(1, BookingStatus::CheckedIn, first, second)], at(1)).await.unwrap();
        tx.commit().await.unwrap();
        for twice in [
            booking(4, BookingStatus::Pending, first, third),
            booking(3, confirmed, first, third),
            booking(1, confirmed, first, third),
        ] {
            let mut tx = db.begin().await.unwrap();
            let refused = put(&mut tx, &[&twice], at(2)).await.unwrap_err();
            assert!(refused.is_refused(), "{refused:?}");
        }
        let found = blocking(db.db(), &[UnitId(id(1))], date(2026, 12, 4), second).await.unwrap();
        assert_eq!(
            found[&UnitId(id(1))].iter().map(|found| found.id).collect::<Vec<_>>(),
            [BookingId(id(1))]
        );
        assert!(blocking(db.db(), &[UnitId(id(1))], third, date(2027, 1, 1)).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn of_many_who_book_one_night_at_once_one_gets_it() {
    for db in testing::both().await {
        stored_unit(&db).await;
        let all = (1..=8).map(|n| {
            let db = db.db().clone();
            tokio::spawn(async move {
                let mut tx = db.begin().await.unwrap();
                let overlapping = booking(n, BookingStatus::Confirmed, date(2026, 12, 1), date(2026, 12, 5));
                match put(&mut tx, &[&overlapping], at(0)).await {
                    Ok(()) => tx.commit().await.map(|()| true).unwrap(),
                    Err(error) if error.is_refused() => false,
                    Err(error) => panic!("{error:?}"),
                }
            })
        });
        let mut got = 0;
        for one in all.collect::<Vec<_>>() {
            got += usize::from(one.await.unwrap());
        }
        assert_eq!(got, 1);
        assert_eq!(count(db.db(), &Workspaces::All, &BookingFilter::default()).await.unwrap(), 1);
    }
}

#[tokio::test]
async fn a_window_shows_its_part_and_counts_all_whatever_is_asked_for() {
    for db in testing::both().await {
        stored_unit(db.db()).await;
        let mut tx = db.begin().await.unwrap();
        for n in 1..=5 {
            let day = date(2026, 12, 1);
            let stay = booking(n, BookingStatus::Enquiry, day, day.tomorrow().unwrap());
            put(&mut tx, &[&stay], at(i64::try_from(n).unwrap())).await.unwrap();
        }
        tx.commit().await.unwrap();
        let own = Workspaces::Only(vec![WorkspaceId(1)]);
        let one = BookingFilter { workspace: Some(WorkspaceId(1)), ..BookingFilter::default() };
        let later = BookingFilter { updated_since: Some(at(3)), ..one.clone() };
        let named = BookingFilter { ids: Some(vec![BookingId(id(2)), BookingId(id(9))]), ..one.clone() };
        for (filter, offset, size, expected, total) in [
            (&one, 0, 2, &[1, 2][..], 5),
            (&one, 4, 2, &[5], 5),
            (&one, 5, 2, &[], 5),
            (&one, 0, 0, &[], 5),
            (&one, 0, 9, &[1, 2, 3, 4, 5], 5),
            (&later, 1, 1, &[4], 3),
            (&later, 9, 1, &[], 3),
            (&named, 0, 5, &[2], 1),
        ] {
            let found = window(db.db(), &own, WorkspaceId(1), filter, Window { offset, size }).await.unwrap();
            let ids: Vec<u128> = found.0.iter().map(|booking| booking.id.0.as_u128()).collect();
            assert_eq!((ids.as_slice(), found.1), (expected, total), "{filter:?} {offset} {size}");
        }
        let everything = Window { offset: 0, size: 9 };
        let hidden = Workspaces::Only(vec![WorkspaceId(2)]);
        let found = window(db.db(), &hidden, WorkspaceId(1), &one, everything).await.unwrap();
        assert_eq!(found, (Vec::new(), 0));
        let several = Workspaces::Only(vec![WorkspaceId(1), WorkspaceId(2)]);
        for visible in [&Workspaces::All, &own, &several] {
            assert_eq!(count(db.db(), visible, &BookingFilter::default()).await.unwrap(), 5, "{visible:?}");
            assert_eq!(count(db.db(), visible, &later).await.unwrap(), 3, "{visible:?}");
            assert_eq!(page(db.db(), visible, &BookingFilter::default(), None, 3).await.unwrap().len(), 3);
        }
        assert_eq!(count(db.db(), &hidden, &BookingFilter::default()).await.unwrap(), 0);
    }
}
