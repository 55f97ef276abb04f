//! A moment of everything going wrong at once; `cargo xtask chaos` does it for longer.

use gateway_tests::chaos::{self, Plan};
use gateway_tests::on_both;
use std::time::Duration;

#[tokio::test]
async fn nothing_is_lost_doubled_or_left_behind_whatever_dies() {
    on_both(|engine| async move {
        let plan = Plan { engine, seed: 20_261_120, replicas: 2, clients: 4, length: Duration::from_secs(9) };
        let report = chaos::run(plan).await;
        println!("{}", report.text());
        assert!(report.violations.is_empty(), "{}", report.text());
        // Enough went wrong for the checks to mean something, on a slow machine too.
        assert!(report.documents() >= 5 && report.kills() > 0 && report.faults() >= 3, "{}", report.text());
    })
    .await;
}
