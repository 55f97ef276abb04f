//! Operators see who still has to move.

use super::client::Legacy;
use crate::platform::{Platform, unit};
use gateway_tests::{on_both, until};
use serde_json::Value;

fn routes(client: &Value) -> Vec<String> {
    let uses = client["legacy"].as_array().unwrap().iter();
    uses.map(|used| {
        let time = |name: &str| used[name].as_str().unwrap().to_owned();
        assert!(time("first_used_at") <= time("last_used_at"));
        format!("{} {}", used["requests"], used["route"].as_str().unwrap())
    })
    .collect()
}

#[tokio::test]
async fn what_a_client_used_is_shown_with_counts_and_survives_a_stop() {
    on_both(|engine| async move {
        let mut platform = Platform::start(engine).await;
        let (legacy, modern) = (Legacy::on(&platform).await, Legacy::on(&platform).await);
        for _ in 0..3 {
            legacy.get("/users?perPage=1").await.expect(200);
        }
        legacy.get(&format!("/properties/{}", unit(0))).await.expect(200);
        legacy.get("/properties/nothing").await.expect(400);
        let path = format!("/admin/clients/{}", legacy.client);
        let admin = platform.gateway.internal().with_token(platform.api.token());
        let expected = ["2 GET /api/dev/properties/{id}", "3 GET /api/dev/users"];
        until("the uses are written down", || async {
            (routes(&admin.get(&path).await.expect(200)) == expected).then_some(())
        })
        .await;
        let unused = admin.get(&format!("/admin/clients/{}", modern.client)).await.expect(200);
        assert_eq!((routes(&unused).len(), &unused["name"]), (0, &Value::from("older")));
        let metrics = platform.gateway.internal().get("/metrics").await.text;
        assert!(
            metrics.contains("legacy_api_requests_total{method=\"GET\",route=\"/api/dev/users\"} 3"),
            "{metrics}"
        );
        assert!(!metrics.contains(&legacy.client), "clients are no labels");
        legacy.get("/account").await.expect(200);
        assert!(platform.gateway.stop().await.is_some_and(|status| status.success()));
        let client = platform.gateway.cli(&["client", "show", &legacy.client, "--json"]).await.json();
        assert_eq!(
            routes(&client),
            [&["1 GET /api/dev/account"][..], &expected].concat(),
            "written down at the end"
        );
        let text = platform.gateway.cli(&["client", "show", &legacy.client]).await.succeeded().stdout.clone();
        assert!(text.contains("GET /api/dev/users") && text.contains("LAST USED"), "{text}");
        let never =
            platform.gateway.cli(&["client", "show", &modern.client]).await.succeeded().stdout.clone();
        assert!(never.contains("never used the legacy API"), "{never}");
        let unknown = platform.gateway.cli(&["client", "show", &unit(0)]).await;
        assert_eq!(unknown.code, 1, "{unknown:?}");
    })
    .await;
}
