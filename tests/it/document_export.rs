//! The export over HTTP.

use gateway_tests::{Document, Options, World, fresh_uuid, on_both};
use serde_json::{Value, json};

const EXPORT: &str = "/invoicing/rpc/documents/export";

fn lines(text: &str) -> Vec<Value> {
    assert!(text.is_empty() || text.ends_with('\n'), "every line is whole");
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

async fn issue(world: &World, document: &Document) -> Value {
    let uuid = world.draft(document).await;
    world.rpc(&uuid, "issue").await.expect(200);
    world.read(&uuid).await
}

#[tokio::test]
async fn every_issued_document_is_a_line_as_returned_by_get() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let dated = |day: &str| world.document().with("issue_date", json!(day));
        let (old, new) =
            (issue(&world, &dated("2026-10-31")).await, issue(&world, &dated("2026-11-20")).await);
        world.draft(&world.document()).await;
        let issuing = world.draft(&world.document()).await;
        world.rpc(&issuing, "issuing").await.expect(200);
        let rejected = world.draft(&world.document()).await;
        world.rpc(&rejected, "issuing").await.expect(200);
        world.rpc(&rejected, "reject").await.expect(200);

        let workspace = world.workspace;
        let answer = world.api.get(&format!("{EXPORT}?workspace_id={workspace}")).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, "application/x-ndjson"));
        assert_eq!(lines(&answer.text), [old.clone(), new.clone()]);
        let within = |query: &'static str| {
            let (api, path) = (world.api.clone(), format!("{EXPORT}?workspace_id={workspace}&{query}"));
            async move { lines(&api.get(&path).await.text) }
        };
        assert_eq!(within("from=2026-11-01").await, std::slice::from_ref(&new));
        assert_eq!(within("to=2026-10-31").await, std::slice::from_ref(&old));
        assert_eq!(within("from=2026-10-31&to=2026-11-20").await, [old, new]);
        assert_eq!(within("from=2027-01-01").await, Vec::<Value>::new());
    })
    .await;
}

#[tokio::test]
async fn an_export_with_wrong_parameters_is_refused_and_other_workspaces_are_left_out() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        issue(&world, &world.document()).await;
        for (query, field) in [
            ("from=yesterday", "from"),
            ("to=2026-02-30", "to"),
            ("from=2026-11-20T00:00:00Z", "from"),
            ("from=2026-11-20&to=2026-11-19", "to"),
            ("workspace_id=one", "workspace_id"),
            ("status=draft", "status"),
        ] {
            assert_eq!(world.api.get(&format!("{EXPORT}?{query}")).await.fields(422), [field], "{query}");
        }
        let other = world.another_workspace(&["--tax-id", "A58818501"]).await;
        let stranger = world.as_client(&["invoicing.rpc"], &[&other.to_string()]).await;
        for query in
            [String::new(), format!("?workspace_id={}", world.workspace), "?workspace_id=4711".to_owned()]
        {
            let answer = stranger.get(&format!("{EXPORT}{query}")).await;
            assert_eq!((answer.status, answer.text.as_str()), (200, ""), "{query}");
        }
        assert_eq!(world.as_client(&["finance.rpc"], &["*"]).await.get(EXPORT).await.status, 403);
        assert_eq!(world.gateway.internal().get(EXPORT).await.status, 401);
        assert_eq!(world.gateway.public().get(EXPORT).await.status, 404);
        assert_eq!(world.api.get(&format!("/invoicing/rpc/documents/{}", fresh_uuid())).await.status, 410);
    })
    .await;
}
