use crate::world::{here, id, import, sampled, seeing};
use gateway_domain::ids::{BookingId, TariffId, UnitId, WorkspaceId};
use gateway_domain_lists::PageRequest;
use gateway_domain_platform::bookings::{BookingFilter, VettingStatus};
use gateway_platform::import::KindCounts;
use gateway_platform::sample;
use gateway_storage::workspaces;
use serde_json::{Value, json};

const W: i64 = 7;

fn u(n: u64) -> String {
    format!("00000000-0000-7000-8000-{n:012x}")
}

/// A workspace with one unit.
fn house() -> Vec<Value> {
    vec![
        json!({"kind": "workspace", "id": W, "name": "Casa Roja"}),
        json!({"kind": "building", "id": u(1), "workspace_id": W, "name": "Mayor", "address": {"locality": "Madrid"}}),
        json!({"kind": "unit_type", "id": u(2), "workspace_id": W, "building_id": u(1), "code": "S"}),
        json!({"kind": "amenity", "id": u(3), "name": "Wi-Fi"}),
        json!({"kind": "unit", "id": u(4), "workspace_id": W, "unit_type_id": u(2), "code": "1A", "status": "active",
            "amenity_ids": [u(3), u(3)], "media_items": [{"id": u(5), "url": "https://x.example/1"}]}),
    ]
}

fn booking(n: u64, status: &str, check_in: &str, check_out: &str) -> Value {
    json!({"kind": "booking", "id": u(n), "workspace_id": W, "unit_id": u(4), "confirmation_code": format!("C{n}"),
        "status": status, "check_in": check_in, "check_out": check_out})
}

#[tokio::test]
async fn the_sample_data_is_stored_once_and_unchanged_the_second_time() {
    for world in here().await {
        let lines = sample::few_lines().collect::<Result<Vec<String>, _>>().unwrap();
        let (imported, _) = import(&world, &lines).await;
        assert_eq!((imported.refused(), imported.kinds["unit"].created), (0, 20));
        let (imported, recorded) = import(&world, &lines).await;
        assert_eq!(recorded, Vec::<String>::new());
        assert_eq!(imported.written(), 0);
        assert_eq!(imported.kinds["unit"], KindCounts { unchanged: 20, ..KindCounts::default() });
        assert!(imported.unknown_members.is_empty(), "{:?}", imported.unknown_members);
    }
}

#[tokio::test]
async fn only_what_changed_is_written_and_only_then_its_time_moves() {
    for world in here().await {
        import(&world, &house()).await;
        let unit: UnitId = u(4).parse().unwrap();
        let before = world.platform.spaces.unit(&seeing(&[W]), unit).await.unwrap().unwrap();
        assert_eq!((before.amenities.len(), before.media_items.len()), (1, 1));
        world.pass(60);
        let mut lines = house();
        let (imported, _) = import(&world, &lines).await;
        assert_eq!(imported.written(), 0);
        lines[4]["amenity_ids"] = json!([]);
        lines[0]["name"] = json!("Casa Verde");
        let (imported, refused) = import(&world, &lines).await;
        assert!(refused.is_empty());
        assert_eq!(imported.kinds["unit"], KindCounts { changed: 1, ..KindCounts::default() });
        assert_eq!(imported.kinds["workspace"], KindCounts { changed: 1, ..KindCounts::default() });
        let after = world.platform.spaces.unit(&seeing(&[W]), unit).await.unwrap().unwrap();
        assert_eq!((after.amenities.len(), after.created_at), (0, before.created_at));
        assert!(after.updated_at > before.updated_at);
        let profile = world.platform.spaces.profiles_by_ids(&seeing(&[W]), &[WorkspaceId(W)]).await.unwrap();
        assert_eq!(profile[&WorkspaceId(W)].slug, "casa-verde");
    }
}

#[tokio::test]
async fn a_broken_line_is_told_with_its_number_and_nothing_else_is_lost() {
    for world in here().await {
        let mut lines: Vec<String> = house().iter().map(ToString::to_string).collect();
        lines.extend([
            "{not json".to_owned(),
            "[]".to_owned(),
            json!({"id": u(9)}).to_string(),
            json!({"kind": "castle", "id": u(9)}).to_string(),
            json!({"kind": "unit", "id": u(9), "workspace_id": W, "unit_type_id": u(99), "code": "1B", "status": "ACTIVE"})
                .to_string(),
            json!({"kind": "unit", "id": u(9), "workspace_id": 99, "unit_type_id": u(2), "code": "1B", "status": "ACTIVE"})
                .to_string(),
            json!({"kind": "unit", "id": u(9), "workspace_id": W, "unit_type_id": u(2), "code": " ", "status": "ACTIVE",
                "number_of_bedrooms": -1})
            .to_string(),
            json!({"kind": "unit", "id": u(9), "workspace_id": W, "unit_type_id": u(2), "code": "1B", "status": "gone"})
                .to_string(),
            json!({"kind": "unit", "id": u(9), "workspace_id": world.workspace, "unit_type_id": u(2), "code": "1B",
                "status": "ACTIVE"})
            .to_string(),
            json!({"kind": "unit", "id": u(4), "workspace_id": world.workspace, "unit_type_id": u(2), "code": "1B",
                "status": "ACTIVE"})
            .to_string(),
            json!({"kind": "unit", "id": u(9), "workspace_id": W, "unit_type_id": u(2), "code": "1B", "status": "ACTIVE",
                "media_items": [{"id": u(5), "url": "https://x.example/2"}]})
            .to_string(),
            json!({"kind": "unit", "id": u(10), "workspace_id": W, "unit_type_id": u(2), "code": "1C", "status": "ACTIVE",
                "colour": "red"})
            .to_string(),
        ]);
        let (imported, refused) = import(&world, &lines).await;
        let expected = [
            "6: the line is no JSON from column 2 on".to_owned(),
            "7: the line is no JSON object".to_owned(),
            "8: kind: say what the line is, such as \"unit\"".to_owned(),
            "9: kind: 'castle' is not known here: use one of workspace, building, unit_type, amenity, unit, product_group, \
             product, rate_plan, tariff, booking, conversation, message, team, user, task, issued_document"
                .to_owned(),
            format!("10: unit_type_id: there is no unit_type {}", u(99)),
            "11: workspace_id: there is no workspace 99".to_owned(),
            "12: code: is empty; number_of_bedrooms: must be 0 or more".to_owned(),
            "13: status: 'gone' is not known here: use one of ACTIVE, INACTIVE, ARCHIVED".to_owned(),
            format!("14: unit_type_id: there is no unit_type {}", u(2)),
            "15: workspace_id: the unit belongs to another workspace".to_owned(),
            format!("16: media_items[0].id: {} belongs to unit {}", u(5), u(4)),
        ];
        assert_eq!(refused, expected);
        assert_eq!((imported.refused(), imported.unreadable), (11, 4));
        assert_eq!(imported.kinds["unit"], KindCounts { created: 2, refused: 7, ..KindCounts::default() });
        assert_eq!(imported.unknown_members.iter().next(), Some(&("unit", "colour".to_owned())));
        assert!(world.platform.spaces.unit(&seeing(&[W]), u(10).parse().unwrap()).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_unit_is_not_booked_twice_for_a_night() {
    for world in here().await {
        let mut lines = house();
        lines.extend([
            booking(20, "CONFIRMED", "2026-12-01", "2026-12-05"),
            booking(21, "PENDING", "2026-12-05", "2026-12-07"),
            booking(22, "CONFIRMED", "2026-12-04", "2026-12-06"),
            booking(23, "ENQUIRY", "2026-12-01", "2026-12-20"),
            booking(24, "CONFIRMED", "2026-12-09", "2026-12-09"),
        ]);
        let (imported, refused) = import(&world, &lines).await;
        assert_eq!(
            refused,
            [
                format!("8: unit_id: booking {} takes the unit from 2026-12-01 to 2026-12-05", u(20)),
                "10: check_out: must be after check-in".to_owned()
            ]
        );
        assert_eq!(imported.kinds["booking"], KindCounts { created: 3, refused: 2, ..KindCounts::default() });
        // The first gives its nights back, so that another may have them; then it cannot come back.
        let (imported, refused) = import(
            &world,
            &[
                booking(20, "CANCELLED", "2026-12-01", "2026-12-05"),
                booking(22, "CONFIRMED", "2026-12-04", "2026-12-05"),
                booking(20, "CONFIRMED", "2026-12-01", "2026-12-05"),
                booking(23, "CONFIRMED", "2026-12-07", "2026-12-20"),
            ],
        )
        .await;
        assert_eq!(
            refused,
            [format!("3: unit_id: booking {} takes the unit from 2026-12-04 to 2026-12-05", u(22))]
        );
        assert_eq!(
            imported.kinds["booking"],
            KindCounts { created: 1, changed: 2, refused: 1, ..KindCounts::default() }
        );
    }
}

/// A second unit, and two products of a group for students: one is sold in the first unit, one wherever it is.
fn students() -> Vec<Value> {
    vec![
        json!({"kind": "unit", "id": u(14), "workspace_id": W, "unit_type_id": u(2), "code": "1B"}),
        json!({"kind": "product_group", "id": u(50), "workspace_id": W, "internal_reference": "STU",
            "contract_earliest_start_date": "2026-09-01", "contract_latest_start_date": "2026-10-01",
            "contract_earliest_end_date": "2027-06-01", "contract_latest_end_date": "2027-08-31"}),
        json!({"kind": "product", "id": u(51), "workspace_id": W, "product_group_id": u(50), "name": "One",
            "unit_ids": [u(4)]}),
        json!({"kind": "product", "id": u(52), "workspace_id": W, "product_group_id": u(50), "name": "Any"}),
    ]
}

fn with_product(mut booking: Value, product: u64, unit: u64) -> Value {
    booking["product_id"] = json!(u(product));
    booking["unit_id"] = json!(u(unit));
    booking
}

#[tokio::test]
async fn a_booking_outside_its_contract_window_or_in_a_unit_of_another_product_is_stored_and_told() {
    for world in here().await {
        let mut lines = house();
        lines.extend(students());
        let (first, last) =
            ("must be from 2026-09-01 to 2026-10-01", "must be from 2027-06-01 to 2027-08-31");
        let window = "the contract window of the product's group";
        let unsold = "the product is not sold in this unit: use one of its unit_ids";
        lines.extend([
            with_product(booking(20, "CONFIRMED", "2026-08-31", "2027-06-30"), 51, 4),
            // They take no nights: nobody comes.
            with_product(booking(23, "CANCELLED", "2026-09-01", "2027-05-31"), 51, 4),
            with_product(booking(24, "ENQUIRY", "2026-09-01", "2027-09-01"), 51, 4),
            with_product(booking(25, "CONFIRMED", "2025-12-01", "2025-12-05"), 51, 14),
            with_product(booking(21, "CONFIRMED", "2026-10-01", "2027-08-31"), 52, 14),
            // Nothing is sold, so nothing is kept.
            booking(22, "CONFIRMED", "2035-12-01", "2035-12-05"),
        ]);
        let (imported, recorded) = import(&world, &lines).await;
        let expected = [
            format!("10 stored: check_in: {first}: {window}"),
            format!("13 stored: unit_id: {unsold}; check_in: {first}: {window}; check_out: {last}: {window}"),
        ];
        assert_eq!(recorded, expected);
        assert_eq!(imported.kinds["booking"], KindCounts { created: 6, ..KindCounts::default() });
        assert_eq!((imported.remarked, imported.refused()), (2, 0));
        let (_, again) = import(&world, &lines).await;
        assert_eq!(again, Vec::<String>::new(), "what is stored already is not told again");
    }
}

#[tokio::test]
async fn a_workspace_that_issues_as_somebody_else_from_now_on_is_told() {
    for world in here().await {
        let line = |legal_name: &str, tax_id: &str| json!({"kind": "workspace", "id": 7, "name": "Casa", "legal_name": legal_name, "tax_id": tax_id, "country": "ES"});
        let bare = json!({"kind": "workspace", "id": 7, "name": "Casa"});
        for quiet in [bare.clone(), line("Casa SL", "B12345674"), line("Casa SL", "B12345674"), bare] {
            let (_, recorded) = import(&world, &[quiet]).await;
            assert_eq!(recorded, Vec::<String>::new());
        }
        let (imported, recorded) = import(&world, &[line("Ejemplo SL", "B00000000")]).await;
        let message = "its invoices are issued by Ejemplo SL, B00000000 (ES) from now on, \
            and no longer by Casa SL, B12345674 (ES)";
        assert_eq!(recorded, [format!("1 stored: tax_id: {message}")]);
        assert_eq!((imported.remarked, imported.kinds["workspace"].changed), (1, 1));
        for nothing in ["-", " . "] {
            let (imported, recorded) = import(&world, &[line("Ejemplo SL", nothing)]).await;
            assert_eq!((imported.refused(), imported.written()), (1, 0), "{nothing}: {recorded:?}");
        }
        let stored = workspaces::find(world.db.db(), WorkspaceId(7)).await.unwrap().unwrap();
        assert_eq!(stored.supplier.tax_id, "B00000000");
    }
}

#[tokio::test]
async fn a_stay_is_told_once_and_again_when_it_changes() {
    for world in here().await {
        let mut lines = house();
        lines.extend(students());
        lines.push(with_product(booking(20, "CONFIRMED", "2026-09-01", "2027-06-01"), 51, 4));
        import(&world, &lines).await;
        let mut group = students().remove(1);
        group["contract_earliest_start_date"] = json!("2026-09-15");
        let (imported, recorded) = import(
            &world,
            &[
                group,
                with_product(booking(20, "CHECKED_IN", "2026-09-01", "2027-06-01"), 51, 4),
                with_product(booking(20, "CHECKED_IN", "2026-09-02", "2027-06-01"), 51, 4),
            ],
        )
        .await;
        let sentence = "must be from 2026-09-15 to 2026-10-01: the contract window of the product's group";
        assert_eq!(recorded, [format!("3 stored: check_in: {sentence}")]);
        assert_eq!(imported.kinds["booking"], KindCounts { changed: 2, ..KindCounts::default() });
    }
}

#[tokio::test]
async fn what_is_wrong_in_a_list_is_named_with_its_place_in_the_line() {
    for world in here().await {
        let mut lines = house();
        let mut crowd = booking(20, "CONFIRMED", "2026-12-01", "2026-12-05");
        crowd["guests"] = json!({"adults": 600, "children": 401});
        let binding = |workspace: i64| json!({"workspace_id": workspace, "roles": ["agent"]});
        lines.extend([
            json!({"kind": "user", "id": u(60), "email": "a@x.example", "role_bindings": [binding(99), binding(W)]}),
            json!({"kind": "user", "id": u(60), "email": "a@x.example", "role_bindings": [binding(W), binding(3)]}),
            json!({"kind": "user", "id": u(60), "email": "a@x.example", "team_ids": [u(61)]}),
            json!({"kind": "unit", "id": u(14), "workspace_id": W, "unit_type_id": u(2), "code": "1B",
                "amenity_ids": [u(3), u(1)]}),
            json!({"kind": "unit", "id": u(14), "workspace_id": W, "unit_type_id": u(2), "code": "1B",
                "media_items": [{"id": u(15), "url": "https://x.example/2"}, {"id": u(5), "url": "https://x.example/1"}]}),
            crowd,
        ]);
        let (_, refused) = import(&world, &lines).await;
        let expected = [
            "6: role_bindings[0].workspace_id: there is no workspace 99".to_owned(),
            "7: role_bindings[1].workspace_id: there is no workspace 3".to_owned(),
            format!("8: team_ids[0]: there is no team {}", u(61)),
            format!("9: amenity_ids[1]: there is no amenity {}", u(1)),
            format!("10: media_items[1].id: {} belongs to unit {}", u(5), u(4)),
            "11: guests: must be at most 1000, adults and children together".to_owned(),
        ];
        assert_eq!(refused, expected);
    }
}

#[tokio::test]
async fn what_a_line_omits_and_others_change_stays() {
    for world in here().await {
        let mut lines = house();
        let mut vetted = booking(20, "CONFIRMED", "2026-12-01", "2026-12-05");
        vetted["vetting_status"] = json!("APPROVED");
        lines.push(vetted);
        import(&world, &lines).await;
        let (imported, _) = import(&world, &[booking(20, "CHECKED_IN", "2026-12-01", "2026-12-05")]).await;
        assert_eq!(imported.kinds["booking"], KindCounts { changed: 1, ..KindCounts::default() });
        let id: BookingId = u(20).parse().unwrap();
        let found = world.platform.bookings.booking(&seeing(&[W]), id).await.unwrap().unwrap();
        assert_eq!(found.vetting, VettingStatus::Approved);
    }
}

#[tokio::test]
async fn a_price_has_at_most_the_decimals_of_its_currency_and_one_form() {
    for world in here().await {
        let plan = |n: u64, currency: &str| json!({"kind": "rate_plan", "id": u(n), "workspace_id": W, "unit_id": u(4), "name": "Flexible", "currency": currency});
        let tariff = |n: u64, plan: u64, price: serde_json::Value| json!({"kind": "tariff", "id": u(n), "rate_plan_id": u(plan), "start_date": "2026-12-01", "end_date": "2026-12-02", "price": price});
        let mut lines = house();
        lines.extend([plan(30, "EUR"), plan(31, "JPY"), plan(32, "EUR")]);
        lines.extend([
            tariff(40, 30, json!("30")),
            tariff(41, 31, json!(30)),
            tariff(42, 32, json!("1.005")),
            tariff(43, 31, json!("30.00")),
        ]);
        let (_, refused) = import(&world, &lines).await;
        let place = lines.len();
        let expected = [
            format!("{}: price: use at most 2 decimals: EUR has no more", place - 1),
            format!("{place}: price: use no decimals: JPY has none"),
        ];
        assert_eq!(refused, expected);
        let ids: Vec<TariffId> = [40, 41].map(|n| u(n).parse().unwrap()).to_vec();
        let found = world.platform.pricing.tariffs_by_ids(&seeing(&[W]), &ids).await.unwrap();
        assert_eq!(ids.iter().map(|id| found[id].price.to_string()).collect::<Vec<_>>(), ["30.00", "30"]);
        // Written otherwise it is the same price, and with prices a plan keeps the decimals of its currency.
        let (sums, refused) =
            import(&world, &[tariff(40, 30, json!(30)), plan(30, "JPY"), plan(32, "JPY")]).await;
        assert_eq!(
            refused,
            [
                "2: currency: the plan has tariffs, whose prices have other decimals: use another plan for this currency"
            ]
        );
        assert!(format!("{sums:?}").contains("unchanged: 1"), "{sums:?}");
    }
}

#[tokio::test]
async fn a_night_of_a_plan_has_one_price_and_a_booking_one_conversation() {
    for world in here().await {
        let tariff = |n: u64, from: &str, to: &str| json!({"kind": "tariff", "id": u(n), "rate_plan_id": u(30), "start_date": from, "end_date": to, "price": "10.00"});
        let conversation =
            |n: u64| json!({"kind": "conversation", "id": u(n), "workspace_id": W, "booking_id": u(20)});
        let mut lines = house();
        lines.extend([
            json!({"kind": "rate_plan", "id": u(30), "workspace_id": W, "unit_id": u(4), "name": "Flexible", "currency": "EUR"}),
            tariff(31, "2026-12-01", "2026-12-10"),
            tariff(32, "2026-12-10", "2026-12-12"),
            booking(20, "CONFIRMED", "2026-12-01", "2026-12-05"),
            conversation(40),
            conversation(41),
        ]);
        let (_, refused) = import(&world, &lines).await;
        let expected = [
            format!("8: start_date: tariff {} of the plan has a price from 2026-12-01 to 2026-12-10", u(31)),
            format!("11: booking_id: the booking has conversation {}", u(40)),
        ];
        assert_eq!(refused, expected);
        let (_, refused) =
            import(&world, &[tariff(31, "2026-12-01", "2026-12-09"), tariff(32, "2026-12-10", "2026-12-12")])
                .await;
        assert!(refused.is_empty(), "{refused:?}");
        let tariff: TariffId = u(32).parse().unwrap();
        assert_eq!(world.platform.pricing.tariffs_by_ids(&seeing(&[W]), &[tariff]).await.unwrap().len(), 1);
        assert!(world.platform.pricing.tariffs_by_ids(&seeing(&[1]), &[tariff]).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn pages_show_every_booking_once() {
    for world in sampled().await {
        let acting = seeing(&[1]);
        let filter = BookingFilter { unit: Some(id(6, 3)), ..BookingFilter::default() };
        let expected = world.platform.bookings.bookings_count(&acting, &filter).await.unwrap();
        let mut after = None;
        let mut listed = Vec::new();
        loop {
            let request = PageRequest { first: 4, after };
            let page = world.platform.bookings.bookings(&acting, &filter, request).await.unwrap();
            listed.extend(page.nodes.iter().map(|booking| booking.id));
            after = page.end();
            if !page.has_next {
                break;
            }
        }
        assert_eq!(i64::try_from(listed.len()).unwrap(), expected);
        let mut unique = listed.clone();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), listed.len());
        assert_eq!(world.platform.bookings.bookings_count(&seeing(&[2]), &filter).await.unwrap(), 0);
    }
}

#[tokio::test]
async fn a_workspace_number_that_clients_cannot_read_is_refused_and_one_that_is_stored_harms_nobody() {
    for world in here().await {
        let lines = [i64::MAX, 2_147_483_648, 2_147_483_000]
            .map(|number| json!({"kind": "workspace", "id": number, "name": "Far"}));
        let (imported, refused) = import(&world, &lines).await;
        let sentence = "id: use a number from 1 to 2147483647";
        assert_eq!(refused, [format!("1: {sentence}"), format!("2: {sentence}")]);
        assert_eq!(imported.kinds["workspace"].created, 1);
        let mut tx = world.db.db().begin().await.unwrap();
        let mut stored = workspaces::find(&mut tx, WorkspaceId(2_147_483_000)).await.unwrap().unwrap();
        stored.id = WorkspaceId(i64::MAX);
        workspaces::insert(&mut tx, &stored, world.now()).await.unwrap();
        tx.commit().await.unwrap();
        let (imported, refused) = import(&world, &house()).await;
        assert_eq!(refused, Vec::<String>::new());
        assert_eq!(imported.kinds["unit"].created, 1);
        let mut tx = world.db.db().begin().await.unwrap();
        let free = workspaces::free_id(&mut tx).await.unwrap();
        assert_eq!(free, WorkspaceId(2_147_483_001));
    }
}
