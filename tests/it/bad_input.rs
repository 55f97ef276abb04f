//! Bad input: the documented status with the field named; never a 5xx, a burnt number or a half-written row.

use gateway_tests::{Answer, World, fresh_uuid, line, on_both};
use serde_json::{Value, json};

const JSON: (&str, &str) = ("content-type", "application/json");

async fn put(world: &World, headers: &[(&str, &str)], body: impl Into<Vec<u8>>) -> Answer {
    let path = format!("/invoicing/rpc/documents/{}", fresh_uuid());
    world.api.send("PUT", &path, headers, Some(body.into())).await
}

async fn is_empty(world: &World) -> bool {
    world.api.get("/invoicing/rpc/documents").await.expect(200)["nodes"] == json!([])
}

#[tokio::test]
async fn a_body_that_is_no_json_is_a_bad_request() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let good = world.document().json().to_string();
        for body in [
            "",
            "{",
            "nonsense",
            "{\"workspace_id\":1,}",
            "{'a':1}",
            "\u{feff}{}",
            "NaN",
            &good[..good.len() - 1],
            &format!("{good}x"),
        ] {
            put(&world, &[JSON], body).await.errors(400);
        }
        put(&world, &[JSON], vec![b'"', 0xff, b'"']).await.errors(400);
        put(&world, &[JSON], vec![0; 64]).await.errors(400);
        let deep = format!("{{\"notes\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        put(&world, &[JSON], deep).await.errors(400);
        let deep = format!("{}{}", "{\"a\":".repeat(50_000), "}".repeat(50_000));
        put(&world, &[JSON], deep).await.errors(400);
        assert!(is_empty(&world).await);
    })
    .await;
}

#[tokio::test]
async fn a_uuid_that_is_none_is_a_bad_request() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let good = world.document();
        for uuid in [
            "x",
            "123",
            "0193a1b2-0000-7000-8000-00000000c0d",
            "%00",
            "0193a1b2-0000-7000-8000-00000000c0dg",
            "%F0%9F%92%A9",
            "..%2f..%2fetc",
        ] {
            let document = format!("/invoicing/rpc/documents/{uuid}");
            assert_eq!(world.api.put(&document, good.json()).await.fields(400), ["uuid"], "{uuid}");
            assert_eq!(world.api.get(&document).await.fields(400), ["uuid"], "{uuid}");
            assert_eq!(world.api.delete(&document).await.fields(400), ["uuid"], "{uuid}");
            for call in ["issuing", "issue", "reject"] {
                assert_eq!(
                    world.api.put_empty(&format!("{document}/{call}")).await.fields(400),
                    ["uuid"],
                    "{uuid}"
                );
            }
            let finance = format!("/finance/rpc/documents/{uuid}");
            assert_eq!(world.api.get(&finance).await.fields(400), ["uuid"], "{uuid}");
            assert_eq!(
                world.api.post(&format!("{finance}/commands/issue"), &json!({})).await.fields(400),
                ["uuid"]
            );
            assert_eq!(
                world
                    .api
                    .post(&format!("/finance/rpc/submissions/{uuid}/retry"), &json!({}))
                    .await
                    .fields(400),
                ["uuid"]
            );
        }
    })
    .await;
}

#[tokio::test]
async fn another_media_type_is_unsupported_and_a_large_body_too_large() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let good = world.document().json().to_string();
        for kind in [
            "text/plain",
            "application/x-www-form-urlencoded",
            "multipart/form-data",
            "application/xml",
            "application/merge-patch+json",
            "application/json-patch+json",
            "json",
            "",
        ] {
            put(&world, &[("content-type", kind)], good.clone()).await.errors(415);
        }
        put(&world, &[], good.clone()).await.errors(415);
        put(&world, &[JSON, ("content-encoding", "gzip")], good.clone()).await.errors(415);
        let twice = good.replacen('{', "{\"currency\":\"EUR\",", 1);
        assert_eq!(put(&world, &[JSON], twice).await.fields(422), ["currency"]);
        let twice = good.replacen("\"recipient\":{", "\"recipient\":{\"name\":\"Jane\",", 1);
        assert_eq!(put(&world, &[JSON], twice).await.fields(422), ["recipient.name"]);
        for kind in ["application/json; charset=utf-8", "APPLICATION/JSON", "application/vnd.einvoice+json"] {
            put(&world, &[("content-type", kind)], good.clone()).await.expect(201);
        }
        // Only announced: an answer that comes before the body was read may never reach a client that still writes.
        for call in ["", "/issuing", "/reject"] {
            let path = format!("/invoicing/rpc/documents/{}{call}", fresh_uuid());
            let more = "content-type: application/json\r\ncontent-length: 50000000\r\n";
            let answer = world.api.announced("PUT", &path, more).await;
            assert!(
                answer.starts_with("HTTP/1.1 413 ") && answer.contains("{\"errors\":[{\"field\":"),
                "{answer}"
            );
        }
    })
    .await;
}

#[tokio::test]
async fn every_wrong_member_is_named() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let mut wrong = 0;
        for (pointer, value, field) in members().into_iter().chain(nested_members()) {
            let mut body = world.document().json().clone();
            set(&mut body, pointer, value.clone());
            let answer = put(&world, &[JSON], body.to_string()).await;
            assert!(answer.status == 422, "{pointer} = {value}: {answer:?}");
            let fields = answer.fields(422);
            assert!(
                fields.iter().any(|named| named == field),
                "{pointer} = {value} names {fields:?}, not {field}"
            );
            wrong += 1;
        }
        for body in [
            json!([]),
            json!([world.workspace, "invoice", "EUR", null, null, null, true]),
            json!("x"),
            json!(7),
            json!(null),
        ] {
            put(&world, &[JSON], body.to_string()).await.errors(422);
        }
        assert!(wrong > 60 && is_empty(&world).await);
    })
    .await;
}

fn set(body: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    body.pointer_mut(parent).unwrap()[name] = value;
}

/// What is put where, and the field that the answer names.
fn members() -> Vec<(&'static str, Value, &'static str)> {
    let nul = || json!("a\u{0}b");
    let long = |chars: usize| json!("x".repeat(chars));
    vec![
        ("/surprise", json!(1), "surprise"),
        ("/uuid", json!(fresh_uuid()), "uuid"),
        ("/status", json!("issued"), "status"),
        ("/totals", json!({}), "totals"),
        ("/display_invoice_number", json!("F-1"), "display_invoice_number"),
        ("/send_to_tax_authority", json!(true), "send_to_tax_authority"),
        ("/workspace_id", json!("1"), "workspace_id"),
        ("/workspace_id", Value::Null, "workspace_id"),
        ("/workspace_id", json!(0), "workspace_id"),
        ("/workspace_id", json!(-1), "workspace_id"),
        ("/workspace_id", json!(1.5), "workspace_id"),
        ("/workspace_id", json!(999_999), "workspace_id"),
        ("/workspace_id", json!(u64::MAX), "workspace_id"),
        ("/document_type", json!("bill"), "document_type"),
        ("/document_type", json!("Invoice"), "document_type"),
        ("/document_type", json!(7), "document_type"),
        ("/document_type", Value::Null, "document_type"),
        ("/currency", json!("euro"), "currency"),
        ("/currency", json!("eur"), "currency"),
        ("/currency", json!("XXZ"), "currency"),
        ("/currency", Value::Null, "currency"),
        ("/booking_id", json!("7"), "booking_id"),
        ("/issue_date", json!("2026-13-01"), "issue_date"),
        ("/issue_date", json!("2026-02-30"), "issue_date"),
        ("/issue_date", json!("20.11.2026"), "issue_date"),
        ("/issue_date", json!("2026-11-20T00:00:00Z"), "issue_date"),
        ("/issue_date", json!("-2026-11-20"), "issue_date"),
        ("/issue_date", json!("9999-12-31"), "issue_date"),
        ("/issue_date", json!(20_261_120), "issue_date"),
        ("/operation_date", json!("tomorrow"), "operation_date"),
        ("/prices_include_tax", json!("yes"), "prices_include_tax"),
        ("/prices_include_tax", Value::Null, "prices_include_tax"),
        ("/notes", nul(), "notes"),
        ("/notes", long(5_001), "notes"),
        ("/notes", json!(["x"]), "notes"),
    ]
}

/// The same below the first level.
fn nested_members() -> Vec<(&'static str, Value, &'static str)> {
    let nul = || json!("a\u{0}b");
    let many = |count: usize| Value::Array(vec![line("x", "1", "1.00", "10.0"); count]);
    vec![
        ("/recipient", json!("Jane"), "recipient"),
        ("/recipient", json!(["individual", "Jane"]), "recipient"),
        ("/recipient/type", json!("person"), "recipient.type"),
        ("/recipient/type", Value::Null, "recipient.type"),
        ("/recipient/name", json!(""), "recipient.name"),
        ("/recipient/name", json!("  "), "recipient.name"),
        ("/recipient/name", Value::Null, "recipient.name"),
        ("/recipient/name", nul(), "recipient.name"),
        ("/recipient/name", json!("x".repeat(501)), "recipient.name"),
        ("/recipient/name", json!("two\nlines"), "recipient.name"),
        ("/recipient/email", json!("no address"), "recipient.email"),
        ("/recipient/shoe_size", json!(43), "recipient.shoe_size"),
        ("/recipient/tax_number", json!("B98602642"), "recipient.tax_number"),
        ("/recipient/identity_document/type", json!("library_card"), "recipient.identity_document.type"),
        ("/recipient/identity_document/number", Value::Null, "recipient.identity_document.number"),
        ("/recipient/identity_document/number", nul(), "recipient.identity_document.number"),
        ("/recipient/identity_document/country", json!("Spain"), "recipient.identity_document.country"),
        ("/recipient/identity_document/country", json!("es"), "recipient.identity_document.country"),
        ("/recipient/identity_document/country", json!("ZZ"), "recipient.identity_document.country"),
        ("/recipient/identity_document/issuer", json!("x"), "recipient.identity_document.issuer"),
        ("/recipient/address/country", json!("UK!"), "recipient.address.country"),
        ("/recipient/address/street", nul(), "recipient.address.street"),
        ("/recipient/address/planet", json!("Mars"), "recipient.address.planet"),
        ("/lines", json!({}), "lines"),
        ("/lines", json!([7]), "lines[0]"),
        ("/lines", json!([["Studio", "1", "1.00", ["VAT", "10.0"]]]), "lines[0]"),
        ("/lines", many(1_001), "lines"),
        ("/lines/0/description", json!(""), "lines[0].description"),
        ("/lines/0/description", nul(), "lines[0].description"),
        ("/lines/0/quantity", json!(1), "lines[0].quantity"),
        ("/lines/0/quantity", json!("1,5"), "lines[0].quantity"),
        ("/lines/0/quantity", json!("1e3"), "lines[0].quantity"),
        ("/lines/0/quantity", json!(""), "lines[0].quantity"),
        ("/lines/0/quantity", json!("NaN"), "lines[0].quantity"),
        ("/lines/0/quantity", json!("--1"), "lines[0].quantity"),
        ("/lines/0/quantity", json!("9".repeat(40)), "lines[0].quantity"),
        ("/lines/0/unit_price", json!(110.0), "lines[0].unit_price"),
        ("/lines/0/unit_price", json!("0x10"), "lines[0].unit_price"),
        ("/lines/0/unit_price", json!("1".repeat(2_000)), "lines[0].unit_price"),
        ("/lines/0/unit_price", json!("∞"), "lines[0].unit_price"),
        ("/lines/0/unit_price", Value::Null, "lines[0].unit_price"),
        ("/lines/0/tax", Value::Null, "lines[0].tax"),
        ("/lines/0/tax", json!({"category": "VAT"}), "lines[0].tax"),
        (
            "/lines/0/tax",
            json!({"category": "VAT", "rate": "10.0", "exemption": "article_20"}),
            "lines[0].tax",
        ),
        ("/lines/0/tax/category", json!("GST"), "lines[0].tax.category"),
        ("/lines/0/tax/rate", json!("-1"), "lines[0].tax.rate"),
        ("/lines/0/tax/rate", json!("101"), "lines[0].tax.rate"),
        ("/lines/0/tax/rate", json!("10%"), "lines[0].tax.rate"),
        ("/lines/0/tax/rate", json!(10), "lines[0].tax.rate"),
        ("/lines/0/tax", json!({"category": "VAT", "exemption": "article_99"}), "lines[0].tax.exemption"),
        (
            "/lines/0/tax",
            json!({"category": "VAT", "exemption": "article_20", "surcharge": "5.2"}),
            "lines[0].tax.surcharge",
        ),
        ("/lines/0/discount", json!("10"), "lines[0].discount"),
        ("/retentions", json!([{"category": "IRPF"}]), "retentions[0].rate"),
        ("/retentions", json!([{"category": "TITHE", "rate": "10.0"}]), "retentions[0].category"),
        ("/referenced_document_ids", json!(["x"]), "referenced_document_ids[0]"),
        ("/payment", json!({"due_date": "soon"}), "payment.due_date"),
        ("/ext", json!({"regime": ""}), "ext.regime"),
        ("/lines/0/period", json!({"start": "2026-11-19", "end": "2026-11-17"}), "lines[0].period.end"),
    ]
}

#[tokio::test]
async fn all_mistakes_are_named_at_once() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let mut body = world.document().json().clone();
        for (pointer, value) in [
            ("/currency", json!("x")),
            ("/recipient/name", json!("")),
            ("/lines/0/quantity", json!("many")),
            ("/issue_date", json!("now")),
        ] {
            set(&mut body, pointer, value);
        }
        let mut fields = put(&world, &[JSON], body.to_string()).await.fields(422);
        fields.sort();
        assert_eq!(fields, ["currency", "issue_date", "lines[0].quantity", "recipient.name"]);
    })
    .await;
}

#[tokio::test]
async fn figures_that_overflow_are_refused_and_large_ones_are_exact() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let nines = "9".repeat(18);
        for lines in [
            json!([line("x", &nines, &nines, "21.0")]),
            Value::Array(vec![line("x", "1", &nines, "21.0"); 50]),
        ] {
            let answer = put(&world, &[JSON], world.document().with("lines", lines).json().to_string()).await;
            let fields = answer.fields(422);
            assert!(
                fields.iter().all(|field| field.starts_with("lines") || field.starts_with("totals")),
                "{fields:?}"
            );
        }
        let large = world
            .document()
            .with("prices_include_tax", json!(false))
            .with("lines", json!([line("x", "1", "999999999.99", "21.0")]));
        let made = put(&world, &[JSON], large.json().to_string()).await.expect(201);
        assert_eq!(made["totals"]["gross"], "1209999999.99");
    })
    .await;
}

#[tokio::test]
async fn unicode_survives_unchanged() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        for name in [
            "Łukasz Żółć",
            "名前",
            "Ünïcödé 𝄞 👩‍👩‍👧",
            "O'Brien \\ \"x\" <b>&amp;</b>",
            "مرحبا",
            "'; DROP TABLE invoice; --",
            "{{7*7}} ${x} %s",
        ] {
            let made =
                put(&world, &[JSON], world.document().named(name).json().to_string()).await.expect(201);
            assert_eq!(made["recipient"]["name"], name);
        }
    })
    .await;
}

#[tokio::test]
async fn bodies_of_the_calls_are_checked_too() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let document = format!("/invoicing/rpc/documents/{uuid}");
        for call in ["issuing", "issue", "reject"] {
            let path = format!("{document}/{call}");
            world.api.send("PUT", &path, &[JSON], Some(b"{".to_vec())).await.errors(400);
            assert_eq!(
                world.api.put(&path, &json!({"surprise": 1})).await.fields(422),
                ["surprise"],
                "{call}"
            );
            world.api.put(&path, &json!([])).await.errors(422);
            world
                .api
                .send("PUT", &path, &[("content-type", "text/plain")], Some(b"{}".to_vec()))
                .await
                .errors(415);
        }
        let reject = format!("{document}/reject");
        assert_eq!(world.api.put(&reject, &json!({"reason": 7})).await.fields(422), ["reason"]);
        assert_eq!(world.api.put(&reject, &json!({"reason": "a\u{0}b"})).await.fields(422), ["reason"]);
        assert_eq!(
            world.api.put(&reject, &json!({"reason": "x".repeat(100_000)})).await.fields(422),
            ["reason"]
        );
        for (body, field) in [
            (json!({"at": "yesterday"}), "at"),
            (json!({"at": 7}), "at"),
            (json!({"at": "2999-01-01T00:00:00Z"}), "at"),
            (json!({"surprise": 1}), "surprise"),
        ] {
            let failure = world.command(&uuid, "issue", &body).await.expect(422);
            assert!(failure["errors"].get(field).is_some(), "{body}: {failure}");
        }
        let commands = format!("/finance/rpc/documents/{uuid}/commands");
        world.api.send("POST", &format!("{commands}/issue"), &[JSON], Some(b"[".to_vec())).await.errors(400);
        for flag in ["perhaps", "", "1"] {
            world.api.post(&format!("{commands}/issue?dry_run={flag}"), &json!({})).await.expect(422);
        }
        assert_eq!(world.api.post(&format!("{commands}/explode"), &json!({})).await.status, 404);
        // Nothing of all this used a number.
        let issuing = world.rpc(&uuid, "issuing").await.expect(200);
        assert!(issuing["display_invoice_number"].as_str().unwrap().ends_with("-000001"), "{issuing}");
    })
    .await;
}

#[tokio::test]
async fn unknown_paths_and_methods_are_answered_in_json() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        for listener in [world.api.clone(), world.gateway.public()] {
            for path in
                ["/", "/nothing", "/invoicing", "/invoicing/rpc/documents/x/y/z", "//", "/%2e%2e/%2e%2e"]
            {
                let answer = listener.get(path).await;
                assert_eq!(answer.status, 404, "{path}: {answer:?}");
                answer.errors(404);
            }
        }
        for (method, path) in [
            ("POST", format!("/invoicing/rpc/documents/{uuid}")),
            ("GET", format!("/invoicing/rpc/documents/{uuid}/issue")),
            ("PATCH", format!("/invoicing/rpc/documents/{uuid}")),
        ] {
            let answer = world.api.send(method, &path, &[], None).await;
            assert_eq!(answer.status, 405, "{method} {path}");
            answer.errors(405);
        }
    })
    .await;
}
