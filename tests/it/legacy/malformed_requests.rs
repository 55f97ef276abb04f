//! What nobody should send is refused with an errors list, never with a failure of the gateway.

use super::client::Legacy;
use crate::platform::{Platform, booking, unit};
use gateway_tests::on_both;
use serde_json::json;

const NASTY: [&str; 12] = [
    "%00",
    "%FF",
    "%27%20OR%201=1--",
    "..%2F..%2Fetc",
    "%F0%9F%92%A9",
    "%0d%0aX:1",
    "-1",
    "1e9",
    "null",
    "[]",
    "00000000-0000-0000-0000-000000000000",
    "{0197f4f2-0000-7000-8000-000000000001}",
];

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "one list of what is sent")]
async fn malformed_requests_are_refused_and_never_answered_with_a_server_error() {
    on_both(|engine| async move {
        let platform = Platform::start(engine).await;
        let legacy = Legacy::on(&platform).await;
        let names = [
            "perPage",
            "page",
            "limit",
            "last_modified",
            "include",
            "status",
            "property_id",
            "start_date",
            "end_date",
        ];
        let mut paths = Vec::new();
        for nasty in NASTY {
            for list in ["/properties", "/bookings", "/users", "/tasks"] {
                paths.extend(names.map(|name| format!("{list}?{name}={nasty}")));
            }
            let path = |tail: &str| format!("/properties/{nasty}{tail}");
            paths.extend([
                path(""),
                path("/details"),
                path("/calendar?start_date=2026-12-01&end_date=2026-12-02"),
            ]);
            paths.push(format!("/properties/{}/calendar?start_date={nasty}&end_date={nasty}", unit(0)));
        }
        paths.push(format!("/users?perPage={}", "9".repeat(5_000)));
        paths.push("/users?%zz=1&&&=".to_owned());
        for path in paths {
            let answer = legacy.get(&path).await;
            assert!(answer.status < 500, "{path}: {answer:?}");
            if answer.status >= 400 {
                answer.errors(answer.status);
            }
        }
        for (path, method) in [
            (format!("/properties/{}/rates", unit(0)), "POST"),
            (format!("/bookings/{}/messages", booking(0)), "POST"),
            (format!("/bookings/{}/guest_verification", booking(0)), "PATCH"),
        ] {
            for (media, body, status) in [
                ("application/json", "", 400),
                ("application/json", "{", 400),
                ("application/json", "nul", 400),
                ("application/json", "null", 422),
                ("application/json", "\"x\"", 422),
                ("application/json", "[[]]", 422),
                ("application/json", "{\"guest_verification\":{\"guest\":1}}", 422),
                ("text/plain", "{}", 415),
                ("application/x-www-form-urlencoded", "body=x", 415),
            ] {
                let answer = legacy.send_bytes(method, &path, media, Some(body.as_bytes().to_vec())).await;
                answer.errors(status);
            }
            legacy.send(method, &path, None).await.errors(400);
            let deep = "[".repeat(100_000);
            legacy.send_bytes(method, &path, "application/json", Some(deep.into_bytes())).await.errors(400);
            assert_eq!(legacy.get(&path).await.status, 405);
        }
        let large = b"{\"guest_verification\":{\"guest\":{\"b\":12345678901234567890123456789}}}".to_vec();
        let path = format!("/bookings/{}/guest_verification", booking(1));
        let answer = legacy.send_bytes("PATCH", &path, "application/json", Some(large)).await;
        assert_eq!(answer.fields(422), ["guest_verification.guest.b"], "it would be rounded");
        let zero = json!({"guest": {"name": "a\u{0}b", "\u{0}": "\u{ffff}"}, "source": "x"});
        assert_eq!(
            legacy.verify(&booking(1), &zero).await.expect(200)["guest_verification"]["guest"],
            zero["guest"]
        );
        assert_eq!(
            legacy.verify(&booking(1), &zero).await.expect(200)["guest_verification"]["guest"],
            zero["guest"]
        );
    })
    .await;
}
