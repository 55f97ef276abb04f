//! The finance flow with the built-in provider: from the issue command to the authority's verdict.

use futures::StreamExt as _;
use futures::future::join_all;
use futures::stream;
use gateway_tests::{Document, Options, World, line, on_both, on_every};
use serde_json::{Value, json};

/// The names of the finance events of a document, in order.
async fn events(world: &World, uuid: &str) -> Vec<String> {
    let body = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
    let events = body["events"].as_array().unwrap();
    events.iter().map(|event| event["type"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_accepted_invoice_has_its_proof_and_its_events_in_order() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let answer = world.command(&uuid, "issue", &json!({})).await.expect(200);
        assert_eq!(answer["document"]["status"], "issuing");
        assert_eq!(answer["document"]["send_to_tax_authority"], json!(true));
        let event_types: Vec<_> =
            answer["events"].as_array().unwrap().iter().map(|event| event["type"].clone()).collect();
        assert_eq!(event_types, [json!("Issuing")], "an Issuing event and no Issued");
        let issued = world.until(&uuid, "issued").await;
        assert_eq!(issued["issuing_at"], Value::Null);
        assert!(issued["issued_at"].is_string());
        let acceptance = &issued["acceptance"];
        assert!(acceptance["qr_url"].as_str().unwrap().starts_with("https://"), "{acceptance}");
        let hash = acceptance["tax_system_hash"].as_str().unwrap();
        assert!(hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()), "{hash}");
        assert!(acceptance["accepted_at"].is_string());
        assert_eq!((&acceptance["sandbox"], &acceptance["warnings"]), (&json!(true), &json!([])));
        assert_eq!(events(&world, &uuid).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
        let copy = world.api.get(&format!("/finance/rpc/documents/{uuid}")).await.expect(200);
        assert_eq!((&copy["status"], &copy["acceptance"]), (&json!("issued"), acceptance));
    })
    .await;
}

#[tokio::test]
async fn the_submission_shows_its_attempt_and_the_document_as_sent() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let [submission, structured] =
            ["submission", "structured"].map(|view| format!("/finance/rpc/documents/{uuid}/{view}"));
        assert_eq!(world.api.get(&submission).await.fields(410), ["uuid"]);
        assert_eq!(world.api.get(&structured).await.fields(410), ["uuid"]);
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        let issued = world.until(&uuid, "issued").await;
        let submission = gateway_tests::until("the submission ended", || async {
            Some(world.submission(&uuid).await).filter(|submission| submission["state"] == "accepted")
        })
        .await;
        assert_eq!((&submission["next_step_at"], &submission["alert"]), (&Value::Null, &Value::Null));
        assert_eq!(submission["entry_id"].as_str().unwrap().as_bytes()[14], b'7', "UUID v7");
        let attempts = submission["attempts"].as_array().unwrap();
        assert_eq!(attempts.len(), 1);
        let attempt = &attempts[0];
        assert_eq!(attempt["job_id"].as_str().unwrap().as_bytes()[14], b'7', "UUID v7");
        assert_eq!(
            (&attempt["plugin"], &attempt["outcome"], &attempt["faults"]),
            (&json!("es-verifactu"), &json!("accepted"), &json!([]))
        );
        assert_eq!(attempt["plugin_digest"].as_str().unwrap().len(), 64);
        assert!(
            attempt["plugin_version"].is_string()
                && attempt["started_at"].is_string()
                && attempt["ended_at"].is_string()
        );
        let sent = world.api.get(&structured).await.expect(200);
        let sent = sent.get("doc").unwrap_or(&sent);
        assert_eq!((&sent["uuid"], &sent["code"]), (&json!(uuid), &issued["display_invoice_number"]));
        assert_eq!(sent["totals"]["payable"], issued["totals"]["payable"]);
        assert_eq!(sent["supplier"]["uuid"], gateway_tests::COMPANY);
        assert!(!sent.to_string().contains("bypass"), "{sent}");
    })
    .await;
}

#[tokio::test]
async fn optional_members_of_a_document_are_sent_and_members_that_nothing_reads_are_refused() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let line = |ext: Value| json!({"description": "Night", "quantity": "1", "unit_price": "110.00", "ext": ext,
            "tax": {"category": "VAT", "rate": "10.0"}, "period": {"start": "2026-11-18", "end": "2026-11-19"}});
        let lines = json!([line(json!({"regime": "05"})), line(json!({}))]);
        let payment = json!({"due_date": "2030-01-31", "note": "By transfer"});
        let uuid = world.issue(&world.document().with("lines", lines).with("payment", payment)).await;
        world.until(&uuid, "issued").await;
        let sent = world.api.get(&format!("/finance/rpc/documents/{uuid}/structured")).await.expect(200);
        let sent = sent.get("doc").unwrap_or(&sent);
        let terms = &sent["payment"]["terms"];
        assert_eq!((&terms["due_dates"][0]["date"], &terms["notes"]), (&json!("2030-01-31"), &json!("By transfer")));
        assert_eq!(sent["lines"][1]["period"], json!({"start": "2026-11-18", "end": "2026-11-19"}));
        let rows = sent["totals"]["taxes"]["categories"][0]["rates"].as_array().unwrap();
        let regimes: Vec<_> = rows.iter().map(|row| &row["ext"]["es-verifactu-regime"]).collect();
        assert_eq!(regimes, ["05", "01"], "a row for each regime: {rows:?}");
        let copy = world.api.get(&format!("/finance/rpc/documents/{uuid}")).await.expect(200);
        assert_eq!((&copy["payment"]["note"], &copy["lines"][0]["ext"]), (&json!("By transfer"), &json!({"regime": "05"})));

        let strange = world.draft(&world.document().with("ext", json!({"colour": "red"}))).await;
        let refused = world.command(&strange, "issue", &json!({})).await.expect(422);
        assert!(refused.to_string().contains("colour"), "{refused}");
    })
    .await;
}

#[tokio::test]
async fn every_recipient_of_the_table_is_mapped_and_accepted() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let person = |kind: &str, number: &str, country: Option<&str>| {
            world.document().identified(kind, number, country)
        };
        let company = |number: &str, country: &str| {
            world.document().with(
                "recipient",
                json!({"type": "company", "name": "Client", "tax_number": number, "country": country}),
            )
        };
        let es = json!({"country": "ES"});
        let kind = |code: &str| json!({"ext": {"es-verifactu-identity-type": code}});
        let rows = [
            (person("id_card", "54387763P", Some("ES")), "tax_id", es.clone()),
            (person("id_card", "54387763P", None), "tax_id", es.clone()),
            (person("spanish_resident_permit", "X1234567L", Some("ES")), "tax_id", es.clone()),
            (person("spanish_resident_permit", "X1234567L", Some("MA")), "tax_id", es.clone()),
            (person("passport", "123456789", Some("GB")), "identities", kind("03")),
            (person("passport", "123456789", None), "identities", kind("03")),
            (person("foreign_national_id", "AB123456", Some("DE")), "identities", kind("04")),
            (person("id_card", "AB123456", Some("DE")), "identities", kind("04")),
            (person("driving_license", "D1234567", Some("GB")), "identities", kind("06")),
            (person("driving_license", "D1234567", Some("ES")), "identities", kind("06")),
            (person("student_id", "S-1234", Some("FR")), "identities", kind("06")),
            (person("other", "X-1", Some("US")), "identities", kind("06")),
            (company("A58818501", "ES"), "tax_id", es),
            (company("DE123456789", "DE"), "identities", kind("04")),
        ];
        let runs = rows.iter().map(|(document, member, expected)| {
            let world = &world;
            async move {
                let uuid = world.issue(document).await;
                world.until(&uuid, "issued").await;
                let sent =
                    world.api.get(&format!("/finance/rpc/documents/{uuid}/structured")).await.expect(200);
                let customer = sent.get("doc").unwrap_or(&sent)["customer"].clone();
                let found =
                    if *member == "identities" { &customer["identities"][0] } else { &customer["tax_id"] };
                for (name, value) in expected.as_object().unwrap() {
                    assert_eq!(&found[name], value, "{document:?}: {customer}");
                }
                assert!(found["code"].is_string(), "{customer}");
            }
        });
        join_all(runs).await;
    })
    .await;
}

#[tokio::test]
async fn negative_lines_exemptions_and_net_prices_arrive_to_the_cent() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let exempt = json!({"description": "Rent", "quantity": "1", "unit_price": "500.00", "tax": {"category": "VAT", "exemption": "article_20"}});
        let other = |category: &str, rate: &str| json!({"description": "Stay", "quantity": "2", "unit_price": "33.335", "tax": {"category": category, "rate": rate}});
        let documents = [
            world.document().with("lines", json!([line("Stay", "3", "89.90", "10.0"), line("Loyalty", "1", "-10.00", "10.0"), exempt])),
            world.document().with("prices_include_tax", json!(false)).with("lines", json!([line("A", "7", "14.2857", "21.0"), line("B", "0.333", "9.99", "4.0"), line("C", "1", "12.00", "0.0")])),
            world.document().with("lines", json!([other("IGIC", "7.0")])),
            world.document().with("lines", json!([other("IPSI", "4.0")])),
            world.document().with("retentions", json!([{"category": "IRPF", "rate": "15.0"}])).with("prices_include_tax", json!(false)),
        ];
        let runs = documents.iter().map(|document| {
            let world = &world;
            async move {
                let uuid = world.issue(document).await;
                let issued = world.until(&uuid, "issued").await;
                let sent = world.api.get(&format!("/finance/rpc/documents/{uuid}/structured")).await.expect(200);
                let totals = &sent.get("doc").unwrap_or(&sent)["totals"];
                assert_eq!(totals["payable"], issued["totals"]["payable"], "{sent}");
                assert_eq!(totals["total"], issued["totals"]["net"], "{sent}");
            }
        });
        join_all(runs).await;
    })
    .await;
}

#[tokio::test]
async fn a_rejected_invoice_is_edited_in_place_and_accepted_under_a_new_number() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.issue(&world.document().named("Jane SANDBOX-REJECT-1110")).await;
        let rejected = world.until(&uuid, "rejected").await;
        let first = rejected["display_invoice_number"].clone();
        assert!(rejected["rejection_reason"].as_str().unwrap().contains("1110"), "{rejected}");
        assert_eq!((&rejected["issuing_at"], &rejected["acceptance"]), (&Value::Null, &Value::Null));
        assert!(rejected["rejected_by_tax_authority_at"].is_string());
        assert_eq!(events(&world, &uuid).await, ["Issuing", "RejectedByTaxAuthority"]);
        let entry = world.submission(&uuid).await["entry_id"].clone();
        world.put_draft(&uuid, &world.document().named("Jane Roe")).await.expect(200);
        world.command(&uuid, "issue", &json!({})).await.expect(200);
        let issued = world.until(&uuid, "issued").await;
        assert_ne!(issued["display_invoice_number"], first);
        assert_eq!(issued["rejection_reason"], Value::Null);
        assert_eq!(
            events(&world, &uuid).await,
            ["Issuing", "RejectedByTaxAuthority", "Issuing", "AcceptedByTaxAuthority", "Issued"]
        );
        let submission = world.submission(&uuid).await;
        let outcomes: Vec<_> = submission["attempts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|attempt| attempt["outcome"].clone())
            .collect();
        assert_eq!(outcomes, ["rejected", "accepted"]);
        assert_eq!(submission["attempts"][0]["faults"][0]["code"], "1110", "{submission}");
        assert_ne!(submission["attempts"][0]["job_id"], submission["attempts"][1]["job_id"]);
        assert!(entry.is_string());
    })
    .await;
}

#[tokio::test]
async fn a_rejected_invoice_may_be_rejected_again_and_again() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let bad = world.document().named("Jane SANDBOX-REJECT-4104");
        let uuid = world.issue(&bad).await;
        let mut numbers = Vec::new();
        for _ in 0..3 {
            let rejected = world.until(&uuid, "rejected").await;
            numbers.push(rejected["display_invoice_number"].as_str().unwrap().to_owned());
            world.command(&uuid, "issue", &json!({})).await.expect(200);
            gateway_tests::until("it moved on", || async {
                let now = world.read(&uuid).await;
                (now["display_invoice_number"].as_str() != numbers.last().map(String::as_str)).then_some(())
            })
            .await;
        }
        let tails: Vec<_> = numbers.iter().map(|number| number.rsplit('-').next().unwrap()).collect();
        assert_eq!(tails, ["000001", "000002", "000003"]);
    })
    .await;
}

#[tokio::test]
async fn remarks_of_the_authority_are_warnings_of_an_acceptance() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.issue(&world.document().named("Jane SANDBOX-REJECT-2001")).await;
        let issued = world.until(&uuid, "issued").await;
        let warnings = issued["acceptance"]["warnings"].as_array().unwrap();
        assert!(warnings.len() == 1 && warnings[0]["code"] == "2001", "{issued}");
        assert!(!warnings[0]["message"].as_str().unwrap().is_empty());
        assert!(issued["acceptance"]["qr_url"].is_string());
    })
    .await;
}

#[tokio::test]
async fn faults_before_a_number_leave_a_draft() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let nobody = world.document().with("recipient", json!({"type": "individual", "name": "Jane"}));
        let cases = [
            (world.document().identified("id_card", "54387763A", Some("ES")), "recipient"),
            (
                world.document().with(
                    "recipient",
                    json!({"type": "company", "name": "X", "tax_number": "B98602643", "country": "ES"}),
                ),
                "recipient",
            ),
            (world.document().identified("foreign_national_id", "<X1>", Some("DE")), "recipient"),
            (nobody, "recipient"),
            (world.document().with("issue_date", json!("2024-10-27")), "issue_date"),
            (world.document().with("issue_date", json!("2031-01-01")), "issue_date"),
            (world.document().with("currency", json!("USD")), "currency"),
            (world.document().with("lines", json!([line("x", "1", "10.00", "19.0")])), "lines"),
        ];
        for (document, field) in cases {
            let uuid = world.draft(&document).await;
            let failure = world.command(&uuid, "issue", &json!({})).await.expect(422);
            assert_eq!(
                (&failure["result"], &failure["tag"]),
                (&json!("failure"), &json!("validation_error")),
                "{failure}"
            );
            assert!(failure["code"].is_string() && failure["message"].is_string(), "{failure}");
            let errors = failure["errors"].as_object().unwrap();
            assert!(errors.keys().any(|name| name.starts_with(field)), "{field}: {failure}");
            assert!(
                errors.values().all(|messages| messages.as_array().is_some_and(|list| !list.is_empty())),
                "{failure}"
            );
            let document = world.read(&uuid).await;
            assert_eq!(
                (&document["status"], &document["display_invoice_number"]),
                (&json!("draft"), &Value::Null)
            );
            assert_eq!(world.api.get(&format!("/finance/rpc/documents/{uuid}/submission")).await.status, 410);
        }
        let good = world.issue(&world.document()).await;
        let number = world.until(&good, "issued").await["display_invoice_number"].clone();
        assert!(number.as_str().unwrap().ends_with("-000001"), "no number was burnt: {number}");
    })
    .await;
}

#[tokio::test]
async fn a_dry_run_answers_what_would_happen_and_changes_nothing() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let dry = |uuid: &str| {
            let (api, path) =
                (world.api.clone(), format!("/finance/rpc/documents/{uuid}/commands/issue?dry_run=true"));
            async move { api.post(&path, &json!({})).await.expect(200) }
        };
        let good = world.draft(&world.document()).await;
        let preview = dry(&good).await;
        assert_eq!(
            (&preview["faults"], &preview["events"], &preview["document"]["status"]),
            (&json!([]), &json!([]), &json!("draft"))
        );
        let bad = world.draft(&world.document().identified("id_card", "54387763A", Some("ES"))).await;
        let preview = dry(&bad).await;
        let fault = &preview["faults"][0];
        assert!(
            fault["code"].is_string() && fault["path"].is_string() && fault["message"].is_string(),
            "{preview}"
        );
        assert_eq!(fault["severity"], "error");
        let warned =
            world.draft(&world.document().identified("driving_license", "D1234567", Some("ES"))).await;
        let preview = dry(&warned).await;
        assert_eq!(preview["faults"][0]["severity"], "warning", "{preview}");
        for uuid in [&good, &bad, &warned] {
            let document = world.read(uuid).await;
            assert_eq!((&document["status"], &document["version"]), (&json!("draft"), &json!(1)));
            assert_eq!(events(&world, uuid).await, Vec::<String>::new());
        }
    })
    .await;
}

#[tokio::test]
async fn warnings_stop_a_document_only_where_the_workspace_says_so() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let strict = world.another_workspace(&["--tax-id", "A58818501"]).await;
        let settings = world.gateway.folder().join("strict.json");
        std::fs::write(&settings, r#"{"refuse_warnings": true}"#).unwrap();
        world.configure(strict, &["--settings", settings.to_str().unwrap()]).await;
        let of =
            |workspace: i64| Document::of(workspace).identified("driving_license", "D1234567", Some("ES"));
        let lenient = world.issue(&of(world.workspace)).await;
        let refused = world.draft(&of(strict)).await;
        world.command(&refused, "issue", &json!({})).await.expect(422);
        world.until(&lenient, "issued").await;
    })
    .await;
}

#[tokio::test]
async fn without_configuration_the_standard_flow_issues_at_once() {
    on_every(|engine| async move {
        let world = World::unconfigured(engine, Options::sandbox()).await;
        let uuid = world.draft(&world.document()).await;
        let answer = world.command(&uuid, "issue", &json!({})).await.expect(200);
        assert_eq!(
            (&answer["document"]["status"], &answer["document"]["send_to_tax_authority"]),
            (&json!("issued"), &json!(false))
        );
        assert_eq!(answer["events"][0]["type"], "Issued");
        assert_eq!(events(&world, &uuid).await, ["Issued"]);
        assert_eq!(world.api.get(&format!("/finance/rpc/documents/{uuid}/submission")).await.status, 410);
        assert_eq!(world.read(&uuid).await["acceptance"], Value::Null);
    })
    .await;
}

#[tokio::test]
async fn a_credit_note_of_an_issued_invoice_ends_issued_in_its_own_series() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let original = world.issue(&world.document()).await;
        world.until(&original, "issued").await;
        let note = world
            .document()
            .with("document_type", json!("credit_note"))
            .with("referenced_document_ids", json!([original]));
        let uuid = world.issue(&note).await;
        let issued = world.until(&uuid, "issued").await;
        assert_eq!(issued["referenced_document_ids"], json!([original]));
        let number = issued["display_invoice_number"].as_str().unwrap();
        assert!(number.starts_with("R-") && number.ends_with("-000001"), "{issued}");
    })
    .await;
}

#[tokio::test]
async fn the_time_of_the_command_is_the_time_of_the_document() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let answer = world.command(&uuid, "issue", &json!({"at": "2026-01-02T03:04:05Z"})).await.expect(200);
        assert!(
            answer["document"]["issuing_at"].as_str().unwrap().starts_with("2026-01-02T03:04:05"),
            "{answer}"
        );
        world.until(&uuid, "issued").await;
    })
    .await;
}

#[tokio::test]
async fn one_of_many_concurrent_issue_commands_submits() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let empty = json!({});
        let answers = join_all((0..12).map(|_| world.command(&uuid, "issue", &empty))).await;
        assert_eq!(answers.iter().filter(|answer| answer.status == 200).count(), 1);
        let lost = answers.iter().filter(|answer| answer.status != 200);
        // Who waited long for its turn is told to repeat the command.
        for lost in lost.filter(|answer| answer.status != 409 || answer.header("retry-after").is_empty()) {
            assert_eq!(lost.expect(422)["code"], "documentLockedWhileIssuing");
        }
        let issued = world.until(&uuid, "issued").await;
        assert!(issued["display_invoice_number"].as_str().unwrap().ends_with("-000001"));
        assert_eq!(events(&world, &uuid).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
    })
    .await;
}

#[tokio::test]
async fn fifty_invoices_at_once_are_all_accepted_once() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let document = world.document();
        // As many at once as a gateway with its service elsewhere answers in time on two cores.
        let issued = stream::iter(0..50).map(|_| world.issue(&document));
        let uuids: Vec<_> = issued.buffer_unordered(16).collect().await;
        let mut numbers = Vec::new();
        for uuid in &uuids {
            let issued = world.until(uuid, "issued").await;
            numbers.push(
                issued["display_invoice_number"]
                    .as_str()
                    .unwrap()
                    .rsplit('-')
                    .next()
                    .unwrap()
                    .parse::<u64>()
                    .unwrap(),
            );
            assert_eq!(world.submission(uuid).await["attempts"].as_array().unwrap().len(), 1);
        }
        numbers.sort_unstable();
        assert_eq!(numbers, (1..=50).collect::<Vec<_>>());
    })
    .await;
}

#[tokio::test]
async fn a_line_is_added_changed_and_removed_by_its_transaction() {
    on_both(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        let payable = async |command: &str, body: Value| {
            let answer = world.command(&uuid, command, &body).await.expect(200);
            answer["document"]["totals"]["payable"].as_str().unwrap().to_owned()
        };
        let cleaning = |quantity: &str| json!({"transaction_id": "t1", "line": line("Cleaning", quantity, "50.00", "10.0")});
        assert_eq!(payable("add_transaction", cleaning("1")).await, "160.00");
        assert_eq!(payable("update_transaction", cleaning("2")).await, "210.00");
        assert_eq!(payable("remove_transaction", json!({"transaction_id": "t1"})).await, "110.00");
        let failure = world.command(&uuid, "update_transaction", &cleaning("3")).await.expect(422);
        assert_eq!(failure["errors"]["transaction_id"].as_array().map(Vec::len), Some(1), "{failure}");
    })
    .await;
}
