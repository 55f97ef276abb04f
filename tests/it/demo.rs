//! The first thing a stranger types.

use gateway_tests::{Gateway, Options, on_both};

#[tokio::test]
async fn the_demo_drives_a_dozen_invoices_and_ends_well_however_often() {
    on_both(|engine| async move {
        let gateway = Gateway::prepared(engine, Options::default()).await;
        for _ in 0..2 {
            let ran = gateway.cli(&["demo", "--once"]).await;
            let shown = &ran.succeeded().stdout;
            assert!(shown.matches(" issued ").count() >= 12, "{shown}");
            for word in ["rejected", "qr", "hash", "curl", "/v1/oauth2/token", "/commands/issue"] {
                assert!(shown.to_lowercase().contains(word), "{word}: {shown}");
            }
            assert!(!format!("{shown}{}", ran.stderr).contains("panicked"), "{ran:?}");
        }
    })
    .await;
}
