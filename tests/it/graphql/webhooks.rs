//! Webhooks, managed through GraphQL as with `/v1/webhooks`.

use super::requests::{ask, codes, data_of};
use crate::platform::Platform;
use gateway_tests::{Engine, Options, on_both};
use serde_json::{Value, json};

async fn platform(engine: Engine) -> Platform {
    Platform::with(engine, Options::default().variable("GATEWAY_WEBHOOKS__ALLOW_PRIVATE", "true")).await
}

fn change(field: &str, input: &str, answer: &str) -> String {
    format!("mutation {{ webhooks {{ {field}(input: {{{input}}}) {{ {answer} }} }} }}")
}

#[tokio::test]
async fn a_client_manages_its_webhooks_and_sees_a_secret_once() {
    on_both(|engine| async move {
        let platform = platform(engine).await;
        let client = platform.client(&["webhooks.write"], &["1"]).await;
        let register = |path: &str| {
            let input = format!("notificationUrl: \"http://127.0.0.1:9/{path}\", events: [\"unit.changed\"]");
            change("register", &input, "secret webhook { id workspaceId notificationUrl events enabled }")
        };
        let mut ids = Vec::new();
        for path in ["a", "b", "c"] {
            let made = data_of(&client, &register(path)).await["webhooks"]["register"].clone();
            assert!(made["secret"].as_str().unwrap().starts_with("whsec_"), "{made}");
            assert_eq!(made["webhook"]["workspaceId"], 1);
            ids.push(made["webhook"]["id"].as_str().unwrap().to_owned());
        }
        let page = |after: &str| {
            format!(
                "{{ webhooks {{ webhooks(first: 2, after: \"{after}\", filters: {{workspaceId: \"1\"}}) \
                 {{ nodes {{ id }} totalCount pageInfo {{ hasNextPage endCursor }} }} }} }}"
            )
        };
        let first = data_of(&client, &page("")).await["webhooks"]["webhooks"].clone();
        assert_eq!((&first["totalCount"], &first["pageInfo"]["hasNextPage"]), (&json!(3), &json!(true)));
        let rest = data_of(&client, &page(first["pageInfo"]["endCursor"].as_str().unwrap())).await;
        let rest = &rest["webhooks"]["webhooks"];
        let listed = [&first["nodes"][0]["id"], &first["nodes"][1]["id"], &rest["nodes"][0]["id"]];
        assert_eq!(listed, [&json!(ids[0]), &json!(ids[1]), &json!(ids[2])]);
        assert_eq!(rest["pageInfo"]["hasNextPage"], false);

        let one = format!("webhookId: \"{}\"", ids[0]);
        for _ in 0..3 {
            let sent = data_of(&client, &change("test", &one, "deliveryId type status")).await;
            assert_eq!(sent["webhooks"]["test"]["type"], "webhook.test");
        }
        let log = |after: &str| {
            format!(
                "{{ webhooks {{ deliveries(webhookId: \"{}\", first: 2, after: \"{after}\") {{ nodes {{ deliveryId }} \
                 totalCount pageInfo {{ hasNextPage endCursor }} }} }} }}",
                ids[0]
            )
        };
        let newest = data_of(&client, &log("")).await["webhooks"]["deliveries"].clone();
        assert_eq!((&newest["totalCount"], newest["nodes"].as_array().unwrap().len()), (&json!(3), 2));
        let oldest = data_of(&client, &log(newest["pageInfo"]["endCursor"].as_str().unwrap())).await;
        let oldest = &oldest["webhooks"]["deliveries"];
        assert_eq!(oldest["nodes"].as_array().unwrap().len(), 1);
        assert_eq!(oldest["pageInfo"]["hasNextPage"], false);
        let again = format!("{one}, deliveryId: {}", oldest["nodes"][0]["deliveryId"]);
        let again = data_of(&client, &change("replay", &again, "replayedCount")).await;
        assert_eq!(again["webhooks"]["replay"]["replayedCount"], 1);

        let rotated = data_of(&client, &change("rotateSecret", &one, "secret webhook { oldSecretUntil }")).await;
        assert!(rotated["webhooks"]["rotateSecret"]["webhook"]["oldSecretUntil"].is_string());
        let off = change("update", &format!("{one}, enabled: false"), "enabled events disabledReason");
        assert_eq!(
            data_of(&client, &off).await["webhooks"]["update"],
            json!({"enabled": false, "events": ["unit.changed"], "disabledReason": "OWNER"})
        );
        data_of(&client, &change("remove", &one, "webhookId")).await;
        let gone = data_of(&client, &format!("{{ webhooks {{ webhook(id: \"{}\") {{ id }} }} }}", ids[0])).await;
        assert_eq!(gone["webhooks"]["webhook"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn mistakes_have_the_codes_of_the_rest_api() {
    on_both(|engine| async move {
        let platform = platform(engine).await;
        let own = platform.client(&["webhooks.write"], &["1"]).await;
        let theirs = platform.client(&["webhooks.write"], &["2"]).await;
        let made = change("register", "notificationUrl: \"http://127.0.0.1:9/\"", "webhook { id }");
        let made = data_of(&own, &made).await["webhooks"]["register"]["webhook"]["id"].clone();
        let reasons = async |client: &gateway_tests::Api, query: String| {
            let body = ask(client, &query).await.expect(200);
            let error = &body["errors"][0];
            let fields = error["extensions"]["fields"].as_array().cloned().unwrap_or_default();
            let named: Vec<Value> = fields.iter().map(|field| field["field"].clone()).collect();
            assert_eq!(codes(&body).len(), 1, "{body}");
            (error["extensions"]["reason"].as_str().unwrap().to_owned(), json!(named))
        };
        let wrong = change("register", "notificationUrl: \"x\", events: [\"unit.changed\", \"y\"]", "secret");
        assert_eq!(
            reasons(&own, wrong).await,
            ("webhookUrlRefused".to_owned(), json!(["notificationUrl", "events[1]"]))
        );
        let unnamed = change("register", "notificationUrl: \"http://127.0.0.1:9/\"", "secret");
        assert_eq!(reasons(&platform.api, unnamed).await, ("required".to_owned(), json!(["workspaceId"])));
        let foreign =
            change("register", "workspaceId: \"2\", notificationUrl: \"http://127.0.0.1:9/\"", "secret");
        assert_eq!(reasons(&own, foreign).await.0, "notFound");
        for (field, answer) in
            [("update", "id"), ("remove", "webhookId"), ("rotateSecret", "secret"), ("test", "deliveryId")]
        {
            let query = change(field, &format!("webhookId: {made}"), answer);
            assert_eq!(reasons(&theirs, query).await.0, "notFound", "{field}");
        }
        let replay = |more: &str| change("replay", &format!("webhookId: {made}{more}"), "replayedCount");
        assert_eq!(reasons(&own, replay("")).await, ("required".to_owned(), json!(["deliveryId"])));
        let both = ", deliveryId: \"x\", from: \"2026-01-01T00:00:00Z\"";
        assert_eq!(reasons(&own, replay(both)).await, ("notTogether".to_owned(), json!(["deliveryId"])));
        assert_eq!(reasons(&own, replay(", deliveryId: \"x\"")).await.0, "notFound");
        let off = change("update", &format!("webhookId: {made}, enabled: false"), "id");
        data_of(&own, &off).await;
        let test = change("test", &format!("webhookId: {made}"), "deliveryId");
        assert_eq!(reasons(&own, test).await, ("webhookDisabled".to_owned(), json!(["enabled"])));
        let hidden = data_of(&theirs, "{ webhooks { webhooks { totalCount } } }").await;
        assert_eq!(hidden["webhooks"]["webhooks"]["totalCount"], 0);
    })
    .await;
}
