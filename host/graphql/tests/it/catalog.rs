//! Product groups: what is read below them, and when they are published.

use crate::world::{World, here};
use serde_json::{Value, json};

const DATES: &str = "contractEarliestStartDate: \"2026-09-01\", contractLatestStartDate: \"2026-10-01\", \
                     contractEarliestEndDate: \"2027-06-01\", contractLatestEndDate: \"2027-08-31\"";
const PUBLISHING: &str = "publishing { startDate endDate state }";

/// Makes a product group that is published then: its id and its window.
async fn create(world: &World, publishing: &str) -> (String, Value) {
    let query = format!(
        "mutation {{ catalog {{ productGroup {{ create(input: {{productGroup: {{internalReference: \"A\", workspaceId: \"1\", \
         academicYear: \"2026/2027\", {DATES}, publishing: {publishing}}}}}) {{ id {PUBLISHING} }} }} }} }}"
    );
    let data = world.data(&query).await;
    let group = &data["catalog"]["productGroup"]["create"];
    (group["id"].as_str().unwrap().to_owned(), group["publishing"].clone())
}

#[tokio::test]
async fn a_publishing_window_that_ended_is_finished_also_without_a_start() {
    for world in here().await {
        let (_, ended) = create(&world, "{endDate: \"2026-01-31\"}").await;
        assert_eq!(ended, json!({"startDate": null, "endDate": "2026-01-31", "state": "FINISHED"}));
        let (_, open) = create(&world, "{endDate: \"2099-01-31\"}").await;
        assert_eq!(open["state"], "SCHEDULED");
        let (_, none) = create(&world, "{startDate: null}").await;
        assert_eq!(none["state"], "SCHEDULED");
    }
}

#[tokio::test]
async fn an_update_of_publishing_changes_what_it_names_and_null_takes_away() {
    for world in here().await {
        let (id, first) = create(&world, "{startDate: \"2026-01-01\", endDate: \"2027-06-30\"}").await;
        assert_eq!(first, json!({"startDate": "2026-01-01", "endDate": "2027-06-30", "state": "ONGOING"}));
        let update = async |publishing: &str| {
            let query = format!(
                "mutation {{ catalog {{ productGroup {{ update(input: {{productGroupId: \"{id}\", productGroup: {{publishing: \
                 {publishing}}}}}) {{ {PUBLISHING} }} }} }} }}"
            );
            world.data(&query).await["catalog"]["productGroup"]["update"]["publishing"].clone()
        };
        let later = json!({"startDate": "2026-01-01", "endDate": "2027-07-31", "state": "ONGOING"});
        assert_eq!(update("{endDate: \"2027-07-31\"}").await, later);
        assert_eq!(update("{}").await, later);
        let endless = json!({"startDate": "2026-01-01", "endDate": null, "state": "ONGOING"});
        assert_eq!(update("{endDate: null}").await, endless);
        let moved = json!({"startDate": "2027-01-01", "endDate": null, "state": "SCHEDULED"});
        assert_eq!(update("{startDate: \"2027-01-01\"}").await, moved);
        let open = json!({"startDate": null, "endDate": null, "state": "SCHEDULED"});
        assert_eq!(update("null").await, open);
    }
}

#[tokio::test]
async fn groups_their_products_and_their_units_are_read_with_pages_of_their_usual_size() {
    for world in here().await {
        let query = "{ catalog { productGroups { totalCount nodes { id internalReference products { totalCount nodes { id name units { \
                     id code status } } } } } } }";
        let groups = world.data(query).await["catalog"]["productGroups"]["nodes"].clone();
        let groups = groups.as_array().unwrap();
        let products = groups.iter().flat_map(|group| group["products"]["nodes"].as_array().unwrap());
        let units = products.flat_map(|product| product["units"].as_array().unwrap());
        assert_eq!((groups.len(), units.clone().count() > 25), (25, true));
        assert!(units.into_iter().all(|unit| unit["status"].is_string()));
    }
}
