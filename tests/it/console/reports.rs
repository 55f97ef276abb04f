//! What the documents of a workspace come to, as a page.

use super::{READ, browser};
use gateway_tests::{Browser, World, on_both};
use serde_json::json;

#[tokio::test]
async fn reports_add_up_by_month_tax_and_state_as_the_api_does() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let reader = browser(&world, READ).await;
        let address = format!("/console/reports?workspace_id={}", world.workspace);
        let empty = reader.get(&address).await.text;
        assert!(empty.contains("No document of this workspace was issued in this period."), "{empty}");
        for (day, currency) in [("2026-10-31", "EUR"), ("2026-11-01", "EUR"), ("2026-11-02", "JPY")] {
            let document = world.document().with("issue_date", json!(day)).with("currency", json!(currency));
            let lines = json!([gateway_tests::line("Studio", "1", "1100", "10.0")]);
            let uuid = world.draft(&document.with("lines", lines)).await;
            world.rpc(&uuid, "issue").await.expect(200);
        }
        world.draft(&world.document()).await;

        let row = |key: &str, currency: &str, documents: u8, figures: &[&str]| {
            let cell = |figure: &&str| format!("<td class=\"amount\">{figure}</td>");
            let figures = figures.iter().map(cell).collect::<Vec<_>>().concat();
            format!(
                "<tr><td>{key}</td><td>Invoice</td><td>{currency}</td><td class=\"amount\">{documents}</td>{figures}</tr>"
            )
        };
        let euros = ["1000.00", "100.00", "1100.00", "0.00", "1100.00"];
        let yen = ["1000", "100", "1100", "0", "1100"];
        for (query, rows) in [
            ("", vec![row("2026-10", "EUR", 1, &euros), row("2026-11", "JPY", 1, &yen)]),
            ("&group=month&to=2026-10-31", vec![row("2026-10", "EUR", 1, &euros)]),
            ("&group=rate", vec![row("VAT 10.0 %", "EUR", 2, &["2000.00", "200.00"])]),
            ("&group=status", vec![row("Draft", "EUR", 1, &["100.00", "10.00", "110.00", "0.00", "110.00"])]),
        ] {
            let page = reader.get(&format!("{address}{query}")).await;
            assert_eq!(page.status, 200, "{query}");
            for row in rows {
                assert!(page.text.contains(&row), "{query}: {row}: {}", page.text);
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_report_is_of_a_workspace_that_the_client_may_see_and_of_a_period_that_makes_sense() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let another = world.another_workspace(&["--tax-id", "A58818501"]).await;
        let uuid = world.draft(&world.document()).await;
        world.rpc(&uuid, "issue").await.expect(200);
        let credentials = world.another_client(READ, &[&another.to_string()]).await;
        let stranger = Browser::signed_in(world.gateway.internal().base(), &credentials).await;
        let address = format!("/console/reports?workspace_id={}", world.workspace);
        let hidden = stranger.get(&address).await.text;
        assert!(!hidden.contains("<tbody>"), "{hidden}");

        let reader = browser(&world, READ).await;
        let form = reader.get("/console/reports").await.text;
        assert!(form.contains("Choose a workspace") && !form.contains("<tbody>"), "{form}");
        let backwards = reader.get(&format!("{address}&from=2026-11-02&to=2026-11-01")).await.text;
        for part in ["the period ends before it begins", "value=\"2026-11-02\"", "value=\"2026-11-01\""] {
            assert!(backwards.contains(part), "{part}: {backwards}");
        }
    })
    .await;
}
