//! A field that is selected several times is executed once: composed fragments double no change.

use super::requests::data_of;
use crate::platform::{Platform, conversation};
use gateway_tests::on_both;
use serde_json::json;

pub(super) const CREATE: &str = "create(input: {productGroup: {internalReference: \"NAME\", workspaceId: \"1\", academicYear: \"2026/2027\",
    contractEarliestStartDate: \"2026-09-01\", contractLatestStartDate: \"2026-10-01\",
    contractEarliestEndDate: \"2027-06-01\", contractLatestEndDate: \"2027-08-31\"}})";

#[tokio::test]
async fn a_change_is_made_once_however_often_it_is_selected() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let spellings = [
            "mutation { catalog { productGroup { C { id } C { internalReference } } } }",
            "mutation { catalog { productGroup { C { id } } } catalog { productGroup { C { internalReference } } } }",
            "mutation { catalog { productGroup { C { id } } productGroup { C { internalReference } } } }",
            "mutation { ...F ...F } fragment F on Mutation { catalog { productGroup { C { id internalReference } } } }",
            "mutation { ...F ...G } fragment F on Mutation { catalog { productGroup { C { id } } } }
             fragment G on Mutation { catalog { ...H } } fragment H on CatalogMutation { productGroup { C { internalReference } } }",
            "mutation { catalog { productGroup { ... on ProductGroupMutation { C { id } } ... { C { internalReference } } } } }",
            "mutation M($yes: Boolean!) { catalog { productGroup { C @include(if: $yes) { id } ...F @skip(if: false) C @skip(if: $yes) { state } } } }
             fragment F on ProductGroupMutation { C { internalReference } }",
        ];
        for (n, query) in spellings.iter().enumerate() {
            let name = format!("ONCE-{n}");
            let query = query.replace("C {", &format!("{CREATE} {{")).replace("C @", &format!("{CREATE} @")).replace("NAME", &name);
            let body = json!({"query": query, "variables": {"yes": true}});
            let answer = platform.api.post("/v1", &body).await.expect(200);
            assert_eq!(answer.get("errors"), None, "{query}");
            let made = &answer["data"]["catalog"]["productGroup"]["create"];
            assert_eq!(made["internalReference"], name, "{query}");
            let stored = format!("{{ catalog {{ productGroups(filters: {{internalReference: \"{name}\"}}) {{ totalCount nodes {{ id }} }} }} }}");
            let stored = platform.data(&stored).await["catalog"]["productGroups"].clone();
            assert_eq!(stored, json!({"totalCount": 1, "nodes": [{"id": made["id"]}]}), "{query}");
        }
        let of = |name: &str| format!("catalog {{ productGroup {{ {} {{ id }} }} }}", CREATE.replace("NAME", name));
        let different = format!("mutation {{ {} {} }}", of("ONE"), of("TWO"));
        assert_eq!(platform.codes(&different).await, ["BAD_USER_INPUT"]);
        let none = "{ catalog { one: productGroups(filters: {internalReference: \"ONE\"}) { totalCount }
            two: productGroups(filters: {internalReference: \"TWO\"}) { totalCount } } }";
        assert_eq!(
            platform.data(none).await["catalog"],
            json!({"one": {"totalCount": 0}, "two": {"totalCount": 0}}),
            "nothing of it ran"
        );
    })
    .await;
}

#[tokio::test]
async fn a_message_is_sent_once_and_read_later_only_with_bookings_read() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let writer = platform.client(&["conversations.write"], &["1"]).await;
        let send = format!("sendMessage(input: {{conversationId: \"{}\", message: \"Hello\"}})", conversation(0));
        let query = format!(
            "mutation {{ conversations {{ {send} {{ message {{ id }} }} {send} {{ message {{ body source }} }} }} }}"
        );
        let message = data_of(&writer, &query).await["conversations"]["sendMessage"]["message"].clone();
        assert_eq!((&message["body"], &message["source"]), (&json!("Hello"), &json!("api")));
        let read = json!({"query": "query($r: [_Any!]!) { _entities(representations: $r) { ... on Message { id body } } }",
            "variables": {"r": [{"__typename": "Message", "id": message["id"]}]}});
        let refused = writer.post("/v1", &read).await.expect(200);
        assert_eq!(super::requests::codes(&refused), ["FORBIDDEN _entities.0"]);
        assert!(!refused.to_string().contains("Hello"), "{refused}");
        let reader = platform.client(&["bookings.read"], &["1"]).await;
        let found = reader.post("/v1", &read).await.expect(200);
        assert_eq!(found["data"]["_entities"], json!([{"id": message["id"], "body": "Hello"}]));
    })
    .await;
}
