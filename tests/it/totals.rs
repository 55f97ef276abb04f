//! The figures of the reference sample, through HTTP.

use futures::stream::{self, StreamExt};
use gateway_tests::{Options, World, fresh_uuid, on_both};
use serde_json::{Value, json};
use std::sync::Arc;

/// Documents on their way at once.
const AT_ONCE: usize = 8;

#[tokio::test]
async fn every_document_of_the_reference_sample_agrees_to_the_cent() {
    let Ok(path) = std::env::var("GATEWAY_TOTALS_SAMPLE") else {
        eprintln!("did not run: GATEWAY_TOTALS_SAMPLE names no file with reference documents");
        return;
    };
    let sample = std::fs::read_to_string(path).unwrap();
    let cases: Arc<Vec<Value>> =
        Arc::new(sample.lines().map(|line| serde_json::from_str(line).unwrap()).collect());
    assert!(!cases.is_empty(), "the sample is empty");
    on_both(move |engine| {
        let cases = Arc::clone(&cases);
        async move {
            let world = &World::with(engine, Options::sandbox()).await;
            let compared = cases.iter().map(|case| compare(world, case));
            stream::iter(compared).buffer_unordered(AT_ONCE).collect::<()>().await;
            // And the whole way for some of them: the sandbox computes every figure again.
            let submitted = cases.iter().step_by(10).map(|case| async move {
                let uuid = save(world, case).await;
                world.command(&uuid, "issue", &json!({})).await.expect(200);
                world.until(&uuid, "issued").await;
            });
            stream::iter(submitted).buffer_unordered(AT_ONCE).collect::<()>().await;
        }
    })
    .await;
}

async fn save(world: &World, case: &Value) -> String {
    let (uuid, mut document) = (fresh_uuid(), case["doc"].clone());
    document["workspace_id"] = json!(world.workspace);
    world.api.put(&format!("/invoicing/rpc/documents/{uuid}"), &document).await.expect(201);
    uuid
}

async fn compare(world: &World, case: &Value) {
    let uuid = save(world, case).await;
    let (ours, theirs) = (world.read(&uuid).await["totals"].clone(), &case["expect"]["totals"]);
    for name in ["net", "tax", "gross", "payable"] {
        assert_eq!(ours[name], theirs[name], "{name} of {case}");
    }
    let rows: Vec<Value> = ours["rates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            // The reference writes no decimals where there is nothing to tax.
            let percent = row["rate"]
                .as_str()
                .map(|rate| if rate == "0.0" { "0%".to_owned() } else { format!("{rate}%") });
            json!({"percent": percent, "base": row["base"], "amount": row["amount"]})
        })
        .collect();
    assert_eq!(Value::Array(rows), theirs["rates"], "rates of {case}");
}
