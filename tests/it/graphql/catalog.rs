//! Product groups: read, made, changed, and every rule of them.

use super::requests::{ask, codes};
use crate::platform::{Platform, group, product};
use gateway_tests::on_both;
use serde_json::{Value, json};

const DATES: &str = "contractEarliestStartDate: \"2026-09-01\", contractLatestStartDate: \"2026-10-01\", \
                     contractEarliestEndDate: \"2027-06-01\", contractLatestEndDate: \"2027-08-31\"";

fn create(members: &str) -> String {
    format!(
        "mutation {{ catalog {{ productGroup {{ create(input: {{productGroup: {{internalReference: \"A\", \
         workspaceId: \"1\", academicYear: \"2026/2027\", {members}}}}}) {{ id workspaceId state \
         requiresCancelationPolicy publishing {{ startDate endDate state }} }} }} }} }}"
    )
}

#[tokio::test]
async fn a_product_group_is_made_changed_and_activated_and_the_audit_trail_says_by_whom() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let api = platform.acting_for("ana@example.test").await;
        let made = super::requests::data_of(&api, &create(DATES)).await["catalog"]["productGroup"]["create"].clone();
        assert_eq!(
            (&made["workspaceId"], &made["state"], &made["requiresCancelationPolicy"]),
            (&json!(1), &json!("INACTIVE"), &json!(false))
        );
        assert_eq!(made["publishing"], json!({"startDate": null, "endDate": null, "state": "SCHEDULED"}));
        let id = made["id"].as_str().unwrap();

        let update = format!(
            "mutation {{ catalog {{ productGroup {{ update(input: {{productGroupId: \"{id}\", productGroup: \
             {{internalReference: \"B\", productSegment: SEMESTER_1, publishing: {{startDate: \"2020-01-01\"}}}}}}) \
             {{ internalReference productSegment contractLatestEndDate publishing {{ startDate state }} }} }} }} }}"
        );
        let updated = super::requests::data_of(&api, &update).await["catalog"]["productGroup"]["update"].clone();
        assert_eq!(
            updated,
            json!({"internalReference": "B", "productSegment": "SEMESTER_1", "contractLatestEndDate": "2027-08-31",
                "publishing": {"startDate": "2020-01-01", "state": "ONGOING"}})
        );

        // A document that names every member, and variables for one of them: the others stay.
        let document = "mutation($id: ID!, $segment: CatalogProductSegmentEnum, $publishing: PublishingInput, $name: String) {
            catalog { productGroup { update(input: {productGroupId: $id, productGroup: {internalReference: $name,
            productSegment: $segment, publishing: $publishing}}) { internalReference productSegment publishing { startDate } } } } }";
        let body = json!({"query": document, "variables": {"id": id, "name": "C"}});
        let kept = api.post("/v1", &body).await.expect(200)["data"]["catalog"]["productGroup"]["update"].clone();
        assert_eq!(
            kept,
            json!({"internalReference": "C", "productSegment": "SEMESTER_1", "publishing": {"startDate": "2020-01-01"}})
        );

        let activate = format!(
            "mutation {{ catalog {{ productGroup {{ updateState(input: {{productGroupIds: [\"{id}\"], state: ACTIVE}}) \
             {{ updatedCount productGroupIds }} }} }} }}"
        );
        let moved = super::requests::data_of(&api, &activate).await["catalog"]["productGroup"]["updateState"].clone();
        assert_eq!(moved, json!({"updatedCount": 1, "productGroupIds": [id]}));

        let trail = platform.gateway.internal().with_token(platform.api.token()).get("/admin/audit").await;
        let entries = trail.expect(200)["nodes"].as_array().unwrap().clone();
        let of_group = |entry: &&Value| entry["subject"].as_str().is_some_and(|subject| subject.contains(id));
        let actors: Vec<_> = entries.iter().filter(of_group).map(|entry| entry["actor"].clone()).collect();
        assert_eq!(actors, vec![json!("ana@example.test"); 4]);
        let names_its_client = |entry: &Value| entry["client"].as_str().is_some_and(|client| client.len() == 36);
        assert!(entries.iter().filter(of_group).all(names_its_client), "the client stands beside whom it acts for");
    })
    .await;
}

#[tokio::test]
async fn every_rule_of_a_product_group_names_its_fields() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let late = DATES.replace("2026-10-01", "2026-08-01");
        let body = ask(&platform.api, &create(&late)).await.expect(200);
        assert_eq!(codes(&body), ["BAD_USER_INPUT catalog.productGroup.create"]);
        let fields: Vec<_> = body["errors"][0]["extensions"]["fields"]
            .as_array()
            .unwrap()
            .iter()
            .map(|fault| fault["field"].as_str().unwrap())
            .collect();
        assert_eq!(
            fields,
            ["productGroup.contractEarliestStartDate", "productGroup.contractLatestStartDate"]
        );
        for (wrong, right) in [("2026/2028", "2026/2027"), ("2026", "2026/2027"), ("\"one\"", "\"1\"")] {
            let query = create(DATES).replace(right, wrong);
            assert_eq!(
                platform.codes(&query).await,
                ["BAD_USER_INPUT catalog.productGroup.create"],
                "{query}"
            );
        }
        // A date that does not exist never runs.
        let body = ask(&platform.api, &create(&DATES.replace("2026-09-01", "2026-02-30"))).await.expect(200);
        assert_eq!(codes(&body), ["BAD_USER_INPUT"]);
        assert!(body.get("data").is_none(), "{body}");
        assert_eq!(
            body["errors"][0]["extensions"]["fields"][0]["field"],
            "productGroup.contractEarliestStartDate"
        );
        let unknown = create(DATES).replace("workspaceId: \"1\"", "workspaceId: \"99\"");
        assert_eq!(platform.codes(&unknown).await, ["NOT_FOUND catalog.productGroup.create"]);
        let count = platform.data("{ catalog { productGroups { totalCount } } }").await;
        assert_eq!(count["catalog"]["productGroups"]["totalCount"], 31, "nothing of it was stored");
    })
    .await;
}

#[tokio::test]
async fn states_change_all_or_none() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let (known, unknown) = (group(0), crate::platform::id(1, 999));
        let query = format!(
            "mutation {{ catalog {{ productGroup {{ updateState(input: {{productGroupIds: [\"{known}\", \"{unknown}\"], \
             state: INACTIVE}}) {{ updatedCount }} }} }} }}"
        );
        let body = ask(&platform.api, &query).await.expect(200);
        assert_eq!(codes(&body), ["NOT_FOUND catalog.productGroup.updateState"]);
        assert_eq!(body["errors"][0]["extensions"]["ids"], json!([unknown]));
        let kept = platform.data(&format!("{{ catalog {{ productGroup(id: \"{known}\") {{ state }} }} }}")).await;
        assert_eq!(kept["catalog"]["productGroup"]["state"], "ACTIVE");
    })
    .await;
}

#[tokio::test]
async fn product_groups_are_filtered_and_show_their_products() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let count = async |filters: &str| {
            let query = format!("{{ catalog {{ productGroups(filters: {filters}) {{ totalCount }} }} }}");
            platform.data(&query).await["catalog"]["productGroups"]["totalCount"].as_i64().unwrap()
        };
        for (filters, expected) in [
            ("{}", 31),
            ("{state: ACTIVE, published: true}", 30),
            ("{published: false}", 0),
            ("{workspaceId: \"2\"}", 1),
            ("{academicYear: \"2026/2027\", internalReference: \"G03\"}", 1),
            ("{productSegment: FULL_YEAR}", 0),
            ("{ids: []}", 0),
            ("{ids: null}", 31),
            ("{ids: [\"nothing\"]}", 0),
        ] {
            assert_eq!(count(filters).await, expected, "{filters}");
        }
        let query = format!(
            "{{ catalog {{ productGroup(id: \"{}\") {{ id internalReference publishing {{ startDate endDate state }} \
             products(first: 1) {{ nodes {{ id name units {{ id code }} }} edges {{ cursor }} totalCount pageInfo \
             {{ hasNextPage }} }} createdAt updatedAt }} none: productGroup(id: \"none\") {{ id }} }} }}",
            group(3)
        );
        let catalog = platform.data(&query).await["catalog"].clone();
        assert_eq!(catalog["none"], Value::Null);
        let products = &catalog["productGroup"]["products"];
        assert_eq!((&products["totalCount"], &products["nodes"][0]["id"]), (&json!(1), &json!(product(3))));
        assert_eq!(products["nodes"][0]["units"][0]["code"], "U03");
    })
    .await;
}
