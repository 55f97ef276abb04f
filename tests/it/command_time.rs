//! The caller's own time of a command: its day decides the issue date and the year of the number, nothing is given back
//! before the issue date, and how long a document waits is not counted from it.

use gateway_tests::{
    Document, Options, Outcome, ScriptedProvider, World, fresh_uuid, is_remote, on_both, on_every, until,
    with_fail_points,
};
use serde_json::{Value, json};

/// The workspace of a world sends its invoices to the authority; the other one does not.
async fn workspaces_with_and_without_authority(world: &World) -> [i64; 2] {
    [world.workspace, world.another_workspace(&[]).await]
}

/// The present year, as the gateway knows it.
async fn this_year(world: &World) -> i32 {
    let uuid = world.draft(&world.document()).await;
    let created = world.read(&uuid).await["created_at"].as_str().unwrap().to_owned();
    created.split('-').next().unwrap().parse().unwrap()
}

async fn last_december(world: &World) -> String {
    format!("{}-12-30T10:00:00Z", this_year(world).await - 1)
}

/// What an issued document says of its day and its number, without the prefix of its workspace.
fn day_and_number(document: &Value) -> (&str, &str) {
    let text = |name: &str| document[name].as_str().unwrap_or_default();
    let (_, number) = text("display_invoice_number").split_once('-').unwrap();
    (text("issue_date"), number)
}

/// A refusal of a command: its code, and what it says of the time.
async fn refusal_of(world: &World, uuid: &str, command: &str, body: &Value) -> (String, String) {
    let failure = world.command(uuid, command, body).await.expect(422);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    (text(&failure["code"]), text(&failure["errors"]["at"][0]))
}

#[tokio::test]
async fn a_document_is_issued_on_the_day_of_the_command_and_numbered_in_its_year() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let (at, year) = (last_december(&world).await, this_year(&world).await);
        for workspace in workspaces_with_and_without_authority(&world).await {
            for position in 1..=2 {
                let uuid = world.draft(&Document::of(workspace)).await;
                world.command(&uuid, "issue", &json!({"at": at})).await.expect(200);
                let issued = world.until(&uuid, "issued").await;
                let (date, number) = (format!("{}-12-30", year - 1), format!("{}-{position:06}", year - 1));
                assert_eq!(day_and_number(&issued), (date.as_str(), number.as_str()));
            }
            // The date that the document names counts, and without a time it is today.
            let named = Document::of(workspace).with("issue_date", json!(format!("{year}-01-01")));
            let uuid = world.draft(&named).await;
            world.command(&uuid, "issue", &json!({"at": at})).await.expect(200);
            let issued = world.until(&uuid, "issued").await;
            assert_eq!(day_and_number(&issued).1, format!("{year}-000001"));
            let today = world.until(&world.issue(&Document::of(workspace)).await, "issued").await;
            assert_eq!(day_and_number(&today).1, format!("{year}-000002"));
        }
    })
    .await;
}

#[tokio::test]
async fn the_day_is_the_one_of_the_workspace() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let year = this_year(&world).await;
        // Madrid is an hour ahead of UTC in winter.
        for workspace in workspaces_with_and_without_authority(&world).await {
            for (at, date, number) in [
                ("12-30T22:30:00Z", format!("{}-12-30", year - 1), format!("{}-000001", year - 1)),
                ("12-30T23:30:00Z", format!("{}-12-31", year - 1), format!("{}-000002", year - 1)),
                ("12-31T23:30:00Z", format!("{year}-01-01"), format!("{year}-000001")),
            ] {
                let uuid = world.draft(&Document::of(workspace)).await;
                let at = format!("{}-{at}", year - 1);
                world.command(&uuid, "issue", &json!({"at": at})).await.expect(200);
                assert_eq!(
                    day_and_number(&world.until(&uuid, "issued").await),
                    (date.as_str(), number.as_str())
                );
            }
        }
    })
    .await;
}

#[tokio::test]
async fn a_year_takes_no_number_by_the_time_of_a_command_once_a_later_one_has_numbers() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let (at, year) = (last_december(&world).await, this_year(&world).await);
        for workspace in workspaces_with_and_without_authority(&world).await {
            let first = world.draft(&Document::of(workspace)).await;
            let late = world.draft(&Document::of(workspace)).await;
            world.command(&first, "issue", &json!({})).await.expect(200);
            world.until(&first, "issued").await;
            let before = world.read(&late).await;
            let (code, says) = refusal_of(&world, &late, "issue", &json!({"at": at})).await;
            assert_eq!(code, "seriesMovedOn");
            assert!(says.contains("issue_date") && says.contains("later time"), "{says}");
            if !is_remote() {
                let path = format!("/finance/rpc/documents/{late}/commands/issue?dry_run=true");
                let trial = world.api.post(&path, &json!({"at": at})).await;
                if workspace == world.workspace {
                    assert_eq!(
                        world.api.get(&format!("/finance/rpc/documents/{late}/submission")).await.status,
                        410
                    );
                }
                assert_eq!(trial.expect(422)["code"], "seriesMovedOn");
            }
            assert_eq!(world.read(&late).await, before, "nothing changed");
            // No number was taken: who names the day gets the first one.
            let named = Document::of(workspace).with("issue_date", json!(format!("{}-12-30", year - 1)));
            world.put_draft(&late, &named).await.expect(200);
            world.command(&late, "issue", &json!({"at": at})).await.expect(200);
            let issued = world.until(&late, "issued").await;
            assert_eq!(day_and_number(&issued).1, format!("{}-000001", year - 1));
        }
        let call = world.draft(&Document::of(world.workspace)).await;
        let path = format!("/invoicing/rpc/documents/{call}/issuing");
        assert_eq!(world.api.put(&path, &json!({"at": at})).await.fields(422), ["at"]);
        assert_eq!(world.read(&call).await["status"], "draft");
    })
    .await;
}

#[tokio::test]
async fn the_check_before_the_issue_knows_the_day_that_the_document_will_have() {
    on_every(|engine| async move {
        let world = World::start(engine).await;
        let uuid = world.draft(&world.document()).await;
        // The first day of which the authority takes invoices is 2024-10-28.
        for (at, fit) in [("2024-10-27T21:59:00Z", false), ("2024-10-27T23:30:00Z", true)] {
            let path = format!("/finance/rpc/documents/{uuid}/commands/issue?dry_run=true");
            let trial = world.api.post(&path, &json!({"at": at})).await.expect(200);
            assert_eq!(trial["would_issue"], fit, "{at}: {trial}");
        }
        let early = world.command(&uuid, "issue", &json!({"at": "2024-10-27T21:59:00Z"})).await.expect(422);
        assert_eq!(early["code"], "preflightFailed");
        world.command(&uuid, "issue", &json!({"at": "2024-10-27T23:30:00Z"})).await.expect(200);
        assert_eq!(day_and_number(&world.until(&uuid, "issued").await), ("2024-10-28", "2024-000001"));
    })
    .await;
}

#[tokio::test]
async fn a_command_that_died_is_carried_on_at_its_own_time() {
    with_fail_points();
    on_every(|engine| async move {
        let mut world = World::start(engine).await;
        let at = last_december(&world).await;
        let uuid = world.draft(&world.document()).await;
        world.gateway.kill9();
        // A remote service is called once the wish is committed; here both are one commit.
        world.gateway.die_at(Some(if is_remote() { "after-requested" } else { "after-issuing" }));
        world.serve_again().await;
        let path = format!("/finance/rpc/documents/{uuid}/commands/issue");
        let body = json!({"at": at}).to_string().into_bytes();
        let json = [("content-type", "application/json")];
        assert!(world.api.try_send("POST", &path, &json, Some(body)).await.is_err(), "it died");
        world.gateway.kill9();
        world.gateway.die_at(None);
        world.serve_again().await;
        let issued = world.until(&uuid, "issued").await;
        assert_eq!(day_and_number(&issued).0, &at[..10]);
    })
    .await;
}

#[tokio::test]
async fn how_long_a_document_waits_is_counted_from_when_it_began() {
    on_every(|engine| async move {
        let provider = ScriptedProvider::start().await;
        provider.outcome(Outcome::Running);
        let world = World::with(engine, Options::provider(&provider.url())).await;
        let at = last_december(&world).await;
        let uuid = world.draft(&world.document()).await;
        world.command(&uuid, "issue", &json!({"at": at})).await.expect(200);
        assert!(world.read(&uuid).await["issuing_at"].as_str().unwrap().starts_with(&at[..19]));
        let age = until("the document is counted", || async {
            let metrics = world.gateway.internal().get("/metrics").await.text;
            let value = |name: &str| {
                let row = metrics.lines().find(|line| line.starts_with(name))?;
                row.rsplit(' ').next()?.parse::<f64>().ok()
            };
            value("einvoicing_issuing_age_seconds").filter(|age| *age > 0.0)
        })
        .await;
        assert!(age < 300.0, "{age} s");
    })
    .await;
}

#[tokio::test]
async fn a_document_that_just_began_is_not_overdue_whatever_time_its_caller_gives() {
    on_both(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let at = last_december(&world).await;
        let uuid = fresh_uuid();
        world.put_draft(&uuid, &world.document()).await.expect(201);
        let path = format!("/invoicing/rpc/documents/{uuid}/issuing");
        world.api.put(&path, &json!({"at": at})).await.expect(200);
        let found = world.gateway.cli(&["doctor", "--json"]).await;
        assert!(found.stdout.contains("submissions"), "{}{}", found.stdout, found.stderr);
        assert!(!found.stdout.contains("issuingWithoutSubmission"), "{}", found.stdout);
    })
    .await;
}

#[tokio::test]
async fn no_credit_and_no_refund_is_dated_before_the_issue_date() {
    on_every(|engine| async move {
        let world = World::unconfigured(engine, Options::default()).await;
        let year = this_year(&world).await;
        let uuid = world.draft(&world.document()).await;
        // The 30th of December in Madrid.
        let at = format!("{}-12-29T23:30:00Z", year - 1);
        world.command(&uuid, "issue", &json!({"at": at})).await.expect(200);
        let before = format!("{}-12-29T22:59:00Z", year - 1);
        let give_backs = |at: &str| {
            [
                ("credit", "creditRefused", json!({"at": at})),
                ("reverse", "creditRefused", json!({"at": at})),
                ("refund", "refundRefused", json!({"at": at, "amount": "1.00"})),
            ]
        };
        let issued = world.read(&uuid).await;
        for (command, code, body) in give_backs(&before) {
            let (refusal, message) = refusal_of(&world, &uuid, command, &body).await;
            assert_eq!(refusal, code);
            assert!(message.contains(&format!("{}-12-30", year - 1)), "{message}");
            let path = format!("/finance/rpc/documents/{uuid}/commands/{command}?dry_run=true");
            assert_eq!(world.api.post(&path, &body).await.expect(422)["code"], code, "{command}");
        }
        assert_eq!(world.read(&uuid).await, issued);
        let listed = world.api.get("/invoicing/rpc/documents").await.expect(200);
        let notes = listed["nodes"].as_array().unwrap().iter();
        assert_eq!(notes.filter(|node| node["document_type"] == "credit_note").count(), 0, "{listed}");
        // From the day itself on it is taken.
        for (command, _, body) in give_backs(&at) {
            world.command(&uuid, command, &body).await.expect(if command == "reverse" { 422 } else { 200 });
        }
    })
    .await;
}
