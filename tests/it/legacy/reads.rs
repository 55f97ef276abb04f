//! Every row of the mapping that reads, with its parameters.

use super::client::{Legacy, ids};
use crate::platform::{Platform, UNITS, booking, conversation, id, product, task, unit, user};
use gateway_tests::{Engine, on_both};
use serde_json::{Value, json};

const LISTS: [&str; 4] = ["/properties", "/bookings", "/users", "/tasks"];

#[tokio::test]
async fn every_list_shows_the_members_of_its_successor() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let legacy = Legacy::on(&platform).await;
        let without_times = |list: Vec<Value>| {
            let mut first = list.into_iter().next().unwrap();
            for time in ["created_at", "updated_at"] {
                first.as_object_mut().unwrap().remove(time);
            }
            first
        };
        let building = json!({"id": id(11, 1), "name": "Casa"});
        let address =
            json!({"street": "Calle 1", "locality": "Madrid", "region": null, "postcode": "28001", "country": "ES"});
        let mut property = json!({"id": unit(0), "code": "U00", "status": "ACTIVE", "number_of_bedrooms": 1,
            "number_of_bathrooms": null, "size_in_sqm": 32.5,
            "unit_type": {"id": id(12, 1), "code": "STUDIO", "name": null, "building": building},
            "amenities": [{"id": id(9, 1), "name": "Wifi"}]});
        assert_eq!(without_times(legacy.list("/properties?perPage=1").await), property);
        let include = "include=amenities,unit_type,features,%20media_items,building";
        let included = without_times(legacy.list(&format!("/properties?perPage=1&{include}")).await);
        property["features"] = json!(["balcony"]);
        property["media_items"] = json!([{"id": id(13, 0), "url": "https://example.test/1.jpg"}]);
        property["unit_type"]["building"]["address"] = address;
        assert_eq!(included, property);
        for path in [format!("/properties/{}", unit(0)), format!("/properties/{}/details", unit(0))] {
            let one = legacy.get(&path).await.expect(200);
            assert_eq!(without_times(vec![one["property"].clone()]), property, "{path}");
        }
        assert_eq!(
            without_times(legacy.list("/bookings?perPage=1").await),
            json!({"id": booking(0), "confirmation_code": "B00", "status": "CONFIRMED", "check_in": "2026-12-05",
                "check_out": "2026-12-08", "guests": {"adults": 2, "children": 1, "total": 3}, "guests_count": 3,
                "nights_count": 3, "contacts": [{"name": "Jane", "email": "jane@example.test", "phone": "+34 600"}],
                "platform": "direct", "product": {"id": product(0), "name": "Product 0"}, "payment_status": "paid",
                "unit": {"id": unit(0)}, "vetting": {"status": "UNVETTED"}, "conversation": {"id": conversation(0)}})
        );
        assert_eq!(
            legacy.list("/users?perPage=1&include=role_bindings,teams").await,
            [json!({"id": user(0), "email": "u0@example.test", "name": "User 0", "nickname": null, "status": "ACTIVE",
                "joined_at": "2026-01-01T00:00:00Z", "role_bindings": [{"workspace": {"id": 1}, "roles": ["manager"]}],
                "teams": [{"id": id(10, 1), "name": "Reception"}]})]
        );
        assert_eq!(
            legacy.list("/tasks?perPage=1").await,
            [json!({"id": task(0), "title": "Clean 0", "type": "cleaning", "due_date": "2026-12-08",
                "start_time": "11:00:00", "estimated_duration_hours": 1.5, "notes": null,
                "unit": {"id": unit(0), "code": "U00"}, "booking": {"id": booking(0)}})]
        );
        let account = legacy.get("/account").await.expect(200);
        let expected = json!({"id": 1, "name": "Casa Azul", "slug": "casa-azul", "status": "ACTIVE", "logo_url": null});
        assert_eq!(account, json!({"account": expected}));
    })
    .await;
}

#[tokio::test]
async fn pages_are_counted_and_linked() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let legacy = Legacy::on(&platform).await;
        for list in LISTS {
            let all = ids(&legacy.list(&format!("{list}?perPage=100")).await);
            assert_eq!(all.len(), UNITS, "only those of the own workspace: {list}");
            let first = legacy.get(list).await;
            assert_eq!(first.header("x-total-count"), UNITS.to_string(), "{list}");
            assert_eq!(ids(&legacy.list(list).await), all[..25], "{list}");
            let url = format!("{}/api/dev{list}?page=", platform.gateway.public().base());
            let link = |page, rel| format!("<{url}{page}>; rel=\"{rel}\"");
            let expected = [link(1, "first"), link(2, "next"), link(2, "last")].join(", ");
            assert!(first.header("link").starts_with(&expected), "{}", first.header("link"));
            let mut walked = Vec::new();
            for page in 1..=5 {
                walked.extend(ids(&legacy.list(&format!("{list}?perPage=7&page={page}")).await));
            }
            assert_eq!(walked, all, "{list}");
            let beyond = legacy.get(&format!("{list}?perPage=7&page=6")).await;
            assert_eq!(beyond.header("x-total-count"), UNITS.to_string());
            assert_eq!(legacy.list(&format!("{list}?perPage=7&page=6")).await, [Value::Null; 0]);
            assert!(!beyond.header("link").contains("next"));
            let limited = legacy.get(&format!("{list}?perPage=7&page=2&limit=10")).await;
            assert_eq!(limited.header("x-total-count"), "10");
            assert!(limited.header("link").contains("perPage=7&limit=10&page=1>; rel=\"prev\""));
            assert_eq!(ids(&legacy.list(&format!("{list}?perPage=7&page=2&limit=10")).await), all[7..10]);
            assert_eq!(legacy.list(&format!("{list}?perPage=7&page=3&limit=10")).await.len(), 0);
            assert_eq!(legacy.list(&format!("{list}?perPage=5000")).await.len(), UNITS, "at most 100 a page");
            for wrong in
                ["perPage=0", "perPage=-1", "perPage=x", "page=0", "page=1.5", "page=99999999999", "limit=0"]
            {
                let name = wrong.split('=').next().unwrap();
                assert_eq!(
                    legacy.get(&format!("{list}?{wrong}")).await.fields(422),
                    [name],
                    "{list} {wrong}"
                );
            }
            assert_eq!(legacy.get(&format!("{list}?colour=red")).await.fields(422), ["colour"]);
        }
    })
    .await;
}

#[tokio::test]
async fn a_calendar_outside_the_supported_range_is_refused_and_one_of_the_past_is_shown() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let legacy = Legacy::on(&platform).await;
        let calendar = |start: &str, end: &str| {
            format!("/properties/{}/calendar?start_date={start}&end_date={end}", unit(0))
        };
        for (start, end, field) in [
            ("0001-01-01", "2026-12-05", "start_date"),
            ("1899-12-31", "1900-01-02", "start_date"),
            ("2026-12-05", "2026-12-01", "end_date"),
            ("2026-12-05", "10000-12-01", "end_date"),
            ("2026-12-01", "2028-12-01", "end_date"),
        ] {
            assert_eq!(legacy.get(&calendar(start, end)).await.fields(422), [field], "{start} {end}");
        }
        let past = legacy.list(&calendar("2020-02-01", "2020-02-03")).await;
        assert_eq!(past.len(), 3, "{past:?}");
        assert!(past.iter().all(|night| night["available"] == false), "{past:?}");
    })
    .await;
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one list of filters")]
async fn lists_are_filtered_by_the_parameters_of_the_mapping() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let legacy = Legacy::on(&platform).await;
        let total = async |path: &str| {
            let answer = legacy.get(path).await;
            answer.expect(200);
            answer.header("x-total-count").parse::<usize>().unwrap()
        };
        for list in ["/bookings", "/tasks"] {
            assert_eq!(
                ids(&legacy.list(&format!("{list}?property_id={}", unit(3))).await).len(),
                1,
                "{list}"
            );
            assert_eq!(
                total(&format!("{list}?property_id={}", unit(UNITS))).await,
                0,
                "of another workspace"
            );
            assert_eq!(total(&format!("{list}?property_id={}", id(3, 999))).await, 0);
        }
        // The stay takes the nights of 5, 6 and 7; departure on 8.
        for (days, found) in [
            ("start_date=2026-12-07", UNITS),
            ("start_date=2026-12-08", 0),
            ("end_date=2026-12-05", UNITS),
            ("end_date=2026-12-04", 0),
            ("start_date=2026-12-06&end_date=2026-12-06", UNITS),
            ("start_date=2026-12-08&end_date=2026-12-20", 0),
        ] {
            assert_eq!(total(&format!("/bookings?{days}")).await, found, "{days}");
        }
        for (days, found) in [
            ("start_date=2026-12-08&end_date=2026-12-08", UNITS),
            ("start_date=2026-12-09", 0),
            ("end_date=2026-12-07", 0),
        ] {
            assert_eq!(total(&format!("/tasks?{days}")).await, found, "{days}");
        }
        assert_eq!(total("/users?status=active").await, UNITS);
        assert_eq!(total("/users?status=SUSPENDED").await, 0);
        assert_eq!(legacy.get("/users?status=gone").await.fields(422), ["status"]);
        for list in ["/properties", "/bookings"] {
            let newest = legacy.list(&format!("{list}?perPage=100")).await;
            let newest = newest.iter().map(|item| item["updated_at"].as_str().unwrap()).max().unwrap();
            let newest = newest.to_owned();
            assert!(total(&format!("{list}?last_modified={newest}")).await >= 1, "the bound is included");
            assert_eq!(total(&format!("{list}?last_modified=2020-01-01")).await, UNITS);
            assert_eq!(total(&format!("{list}?last_modified=2099-01-01T00:00:00%2B01:00")).await, 0);
            assert_eq!(
                legacy.get(&format!("{list}?last_modified=soon")).await.fields(422),
                ["last_modified"]
            );
        }
        for (path, field) in [
            ("/properties?include=price", "include"),
            ("/properties?include=amenities,", "include"),
            ("/users?include=password", "include"),
            ("/bookings?start_date=tomorrow", "start_date"),
            ("/bookings?start_date=2026-02-30", "start_date"),
            ("/bookings?start_date=2026-12-02&end_date=2026-12-01", "end_date"),
            ("/bookings?end_date=0000-01-01", "end_date"),
            ("/bookings?property_id=1", "property_id"),
            ("/bookings?property_id=", "property_id"),
            ("/tasks?property_id=", "property_id"),
            ("/tasks?end_date=20261201", "end_date"),
        ] {
            let errors = legacy.get(path).await.errors(422);
            assert!(errors.len() == 1 && errors[0].starts_with(field), "{path}: {errors:?}");
        }
        let message = legacy.get("/properties?include=price").await.errors(422).join("");
        assert!(message.contains("amenities, unit_type, building, features, media_items"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn a_calendar_lists_the_nights_of_both_days_and_between() {
    on_both(|engine| async move {
        let platform = Platform::before_its_bookings(engine).await;
        let legacy = Legacy::on(&platform).await;
        let path = format!("/properties/{}/calendar", unit(0));
        let nights = legacy.list(&format!("{path}?start_date=2026-12-04&end_date=2026-12-08")).await;
        let nights_as_text: Vec<String> = nights
            .iter()
            .map(|night| format!("{} {}", night["date"].as_str().unwrap(), night["available"]))
            .collect();
        assert_eq!(
            nights_as_text,
            [
                "2026-12-04 true",
                "2026-12-05 false",
                "2026-12-06 false",
                "2026-12-07 false",
                "2026-12-08 true"
            ]
        );
        let expected =
            json!({"date": "2026-12-04", "available": true, "min_night_stay": 2, "price": "80.00"});
        assert_eq!(nights[0], expected);
        let month = format!("{path}?start_date=2026-12-01&end_date=2026-12-31");
        assert_eq!(legacy.get(&month).await.header("x-total-count"), "31");
        assert_eq!(legacy.list(&month).await.len(), 25);
        let rest = legacy.list(&format!("{month}&page=2")).await;
        assert_eq!((rest.len(), rest[0]["date"].as_str().unwrap()), (6, "2026-12-26"));
        assert_eq!(legacy.list(&format!("{month}&perPage=100&limit=30")).await.len(), 30);
        let dates = "start_date=2026-12-01&end_date=2026-12-02";
        for (path, status, field) in [
            (format!("{path}?end_date=2026-12-08"), 422, "start_date"),
            (format!("{path}?start_date=2026-12-08"), 422, "end_date"),
            (format!("{path}?start_date=2026-12-08&end_date=2026-12-07"), 422, "end_date"),
            (format!("{path}?start_date=2026-01-01&end_date=2029-01-01"), 422, "end_date"),
            (format!("/properties/{}/calendar?{dates}", unit(UNITS)), 404, "property_id"),
            (format!("/properties/{}/calendar?{dates}", id(3, 999)), 404, "property_id"),
            (format!("/properties/x/calendar?{dates}"), 400, "property_id"),
            (format!("/properties/{}", unit(UNITS)), 404, "id"),
            (format!("/properties/{}/details", unit(UNITS)), 404, "id"),
            ("/properties/1".to_owned(), 400, "id"),
        ] {
            assert_eq!(legacy.get(&path).await.fields(status), [field], "{path}");
        }
    })
    .await;
}

#[tokio::test]
async fn every_wrong_parameter_is_named_in_one_answer() {
    let platform = Platform::start(Engine::Sqlite).await;
    let legacy = Legacy::on(&platform).await;
    let calendar = format!("/properties/{}/calendar", unit(0));
    for (path, fields) in [
        (calendar.clone(), vec!["end_date", "start_date"]),
        (format!("{calendar}?start_date=x&end_date=y&page=0"), vec!["end_date", "page", "start_date"]),
        (format!("{calendar}?perPage=0&page=0"), vec!["end_date", "page", "perPage", "start_date"]),
        ("/properties?include=features&include=media_items&colour=red".to_owned(), vec!["colour", "include"]),
        ("/bookings?perPage=1&perPage=1&property_id=1".to_owned(), vec!["perPage", "property_id"]),
        ("/users?status=gone&include=x".to_owned(), vec!["include", "status"]),
        ("/tasks?start_date=x&property_id=1&limit=0".to_owned(), vec!["limit", "property_id", "start_date"]),
        ("/account?a=1&b=2".to_owned(), vec!["a", "b"]),
    ] {
        let mut found = legacy.get(&path).await.fields(422);
        found.sort();
        assert_eq!(found, fields, "{path}");
    }
    let all = legacy.list("/bookings").await.len();
    assert_eq!(legacy.list("/bookings?start_date=2000-01-01&end_date=9999-12-31").await.len(), all);
    assert_eq!(legacy.list("/bookings?last_modified=2020-01-01T00:00Z").await.len(), all);
    assert_eq!(legacy.list("/bookings?last_modified=9999-12-31").await.len(), 0);
}
