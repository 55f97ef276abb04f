//! A person who asks for the erasure of their data, at the command line and as integrators read what is left.

use crate::platform::{Platform, UNITS, booking, user};
use gateway_tests::on_both;
use serde_json::json;

const JANE: &str = "Jane@Example.test";

#[tokio::test]
async fn a_person_is_erased_everywhere_and_what_is_left_can_be_read() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let gateway = &platform.gateway;
        let bookings = UNITS + 1;
        let looked = gateway.cli(&["person", "erase", JANE, "--dry-run", "--json"]).await.json();
        let counts = json!({"erased": false, "bookings": bookings, "contacts": bookings, "guest_verifications": 0,
            "messages": 0, "users": 0});
        assert_eq!(looked, counts);
        let refused = gateway.cli(&["person", "erase", JANE]).await;
        assert_eq!(refused.code, 1, "{refused:?}");
        assert!(refused.stdout.contains("Invoices and what was sent to the tax authority stay"), "{refused:?}");
        assert!(refused.stderr.contains("nothing was erased yet: give the command again with --yes"), "{refused:?}");

        let query = format!("{{ bookings {{ booking(bookingId: \"{}\") {{ confirmationCode contacts {{ email }} }} }} }}", booking(0));
        let before = platform.data(&query).await["bookings"]["booking"].clone();
        assert_eq!(before["contacts"], json!([{"email": "jane@example.test"}]));
        let erased = gateway.cli(&["--as", "dpo", "person", "erase", JANE, "--yes", "--json"]).await.json();
        assert_eq!((&erased["erased"], &erased["contacts"]), (&json!(true), &json!(bookings)), "{erased}");
        let after = platform.data(&query).await["bookings"]["booking"].clone();
        assert_eq!(after, json!({"confirmationCode": before["confirmationCode"], "contacts": []}));

        // Users are erased by their id; roles go, so nobody sees them any more.
        let text = gateway.cli(&["person", "erase", &user(0), "--yes"]).await.succeeded().stdout.clone();
        assert!(text.starts_with("Erased: ") && text.contains("users 1"), "{text}");
        let again = gateway.cli(&["person", "erase", &user(0), "--yes"]).await.succeeded().stdout.clone();
        assert_eq!(again, "Nobody has this id or address: there is nothing to erase.\n");
        let trail = platform.internal(&["admin"]).await.get("/admin/audit?subject=user:").await.expect(200);
        assert_eq!(trail["nodes"][0]["action"], json!("person.erase"), "{trail}");
        let trail = platform.internal(&["admin"]).await.get("/admin/audit?actor=operator:dpo").await.expect(200);
        let text = trail.to_string().to_lowercase();
        assert!(text.contains("person.erase") && !text.contains("jane"), "{trail}");

        let misuse = gateway.cli(&["person", "erase", "jane"]).await;
        assert_eq!(misuse.code, 2, "{misuse:?}");
        assert!(misuse.stderr.contains("the id of a user, or a mail address"), "{misuse:?}");
    })
    .await;
}
