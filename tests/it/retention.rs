//! What is old enough leaves the database at the command line.

use gateway_tests::{Gateway, Options, on_both};
use serde_json::json;

#[tokio::test]
async fn old_entries_are_counted_and_removed_at_the_command_line_and_young_ones_stay() {
    on_both(|engine| async move {
        let gateway = Gateway::start(engine, Options::default()).await;
        let make = ["client", "create", "--name", "ERP", "--permission", "admin", "--workspace", "*"];
        gateway.cli(&make).await.succeeded();
        for arguments in [&["retention", "run", "--dry-run", "--json"][..], &["retention", "run", "--json"]] {
            let report = gateway.cli(arguments).await.json();
            for (kind, entries) in
                report["kinds"].as_array().unwrap().iter().zip(["audit", "events", "messages"])
            {
                assert_eq!((&kind["kind"], &kind["entries"]), (&json!(entries), &json!(0)), "{report}");
            }
            assert_eq!(report["dry_run"], json!(arguments.contains(&"--dry-run")), "{report}");
        }
        let text = gateway.cli(&["retention", "run", "--dry-run"]).await.succeeded().stdout.clone();
        assert!(text.starts_with("Old enough, and still there: audit from before "), "{text}");
        let refused =
            gateway.cli_with(&["retention", "run"], &[("GATEWAY_RETENTION__AUDIT_DAYS", "0")], "").await;
        assert!(refused.code == 2 && refused.stderr.contains("retention.audit_days"), "{refused:?}");
    })
    .await;
}
