//! Days that nobody means: before and after the years that are counted with, and ranges that run backwards. A night that is
//! over is priced and asked for like any other, and is not available.

use super::requests::ask;
use crate::platform::{Platform, plan, product, unit};
use gateway_tests::on_both;

fn tariff(start: &str, end: &str) -> String {
    format!(
        "mutation {{ spaces {{ batchUpdateTariffs(input: {{tariffs: [{{ratePlanId: \"{}\", startDate: \"{start}\", endDate: \"{end}\", price: \"89.90\"}}]}}) {{ updatedCount }} }} }}",
        plan(0)
    )
}

fn stay(start: &str, end: &str) -> String {
    format!(
        "{{ bookings {{ checkUnitAvailability(unitId: \"{}\", productId: \"{}\", startDate: \"{start}\", endDate: \"{end}\") {{ status }} }} }}",
        unit(0),
        product(0)
    )
}

fn nights(start: &str, end: &str) -> String {
    format!(
        "{{ availability {{ unitsAvailability(q: {{ids: [\"{}\"], startDate: \"{start}\", endDate: \"{end}\"}}) {{ nodes {{ availability {{ date available }} }} }} }} }}",
        unit(0)
    )
}

fn group(academic_year: &str) -> String {
    format!(
        "mutation {{ catalog {{ productGroup {{ create(input: {{productGroup: {{internalReference: \"A\", workspaceId: \"1\", academicYear: \"{academic_year}\", contractEarliestStartDate: \"2026-09-01\", contractLatestStartDate: \"2026-10-01\", contractEarliestEndDate: \"2027-06-01\", contractLatestEndDate: \"2027-08-31\"}}}}) {{ id }} }} }} }}"
    )
}

/// What a request is refused for: each member, with its sentence.
async fn refusals_of(platform: &Platform, query: &str) -> Vec<String> {
    let body = ask(&platform.api, query).await.expect(200);
    let extensions = &body["errors"][0]["extensions"];
    assert_eq!(extensions["code"], "BAD_USER_INPUT", "{query}: {body}");
    let fields = extensions["fields"].as_array().unwrap().iter();
    let text = |field: &serde_json::Value, member: &str| field[member].as_str().unwrap().to_owned();
    fields.map(|field| format!("{} {}", text(field, "field"), text(field, "message"))).collect()
}

#[tokio::test]
async fn nights_outside_the_supported_years_and_ranges_that_run_backwards_are_refused() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        for request in [tariff, stay, nights] {
            for (start, end, field, says) in [
                ("0001-01-01", "0001-01-05", "startDate", "use a year from 1900 to 9998"),
                ("1899-12-30", "1900-01-02", "startDate", "use a year from 1900 to 9998"),
                ("2026-12-30", "9999-12-31", "endDate", "use a year from 1900 to 9998"),
                ("2026-12-30", "2026-12-29", "endDate", "the start date"),
            ] {
                let query = request(start, end);
                let faults = refusals_of(&platform, &query).await;
                let named = faults.iter().any(|fault| fault.contains(field) && fault.contains(says));
                assert!(named, "{query}: {faults:?}");
            }
            platform.data(&request("2020-02-01", "2020-02-03")).await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_night_that_is_over_is_shown_and_is_not_available() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let data = platform.data(&nights("2020-02-01", "2020-02-03")).await;
        let days = data["availability"]["unitsAvailability"]["nodes"][0]["availability"].as_array().unwrap();
        assert!(days.len() == 3 && days.iter().all(|day| day["available"] == false), "{data}");
        let data = platform.data(&stay("2020-02-01", "2020-02-03")).await;
        assert_eq!(data["bookings"]["checkUnitAvailability"]["status"], "OUTSIDE_CONTRACT_WINDOW");
    })
    .await;
}

#[tokio::test]
async fn an_academic_year_is_two_consecutive_supported_years() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        for (year, says) in [
            ("2026/2031", "two consecutive years"),
            ("2027/2026", "two consecutive years"),
            ("2026-2027", "two consecutive years"),
            ("26/27", "two consecutive years"),
            ("0001/0002", "use a year from 1900 to 9998"),
            ("9998/9999", "use a year from 1900 to 9998"),
        ] {
            let faults = refusals_of(&platform, &group(year)).await;
            assert!(faults.len() == 1 && faults[0].contains("academicYear"), "{year}: {faults:?}");
            assert!(faults[0].contains(says), "{year}: {faults:?}");
        }
        platform.data(&group("2026/2027")).await;
    })
    .await;
}
