//! Drafts tried on what is to come: a version that is scheduled, and rules that a plugin says will change.

use gateway_tests::{
    Browser, COMPANY, Document, Engine, Gateway, Options, PROVIDER_TOKEN, WORKFLOW, World,
    another_hostile_component, hostile_component, hostile_component_with_rules, on_both, until,
};
use jiff::civil::Date;
use jiff::{Timestamp, ToSpan};
use serde_json::{Value, json};

#[expect(clippy::disallowed_methods, reason = "the program that is tested has the system's clock")]
fn in_days(days: i64) -> Date {
    let today = Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).date();
    today.checked_add(days.days()).unwrap()
}

async fn install(world: &World, component: Vec<u8>, activate: bool) -> String {
    let wasm = [("content-type", "application/wasm")];
    let path = format!("/admin/plugins?activate={activate}");
    let answer = world.api.send("POST", &path, &wasm, Some(component)).await;
    answer.expect(201)["id"].as_str().unwrap().to_owned()
}

/// A world with another workspace, whose regime is the plugin that does as the notes say.
async fn world(engine: Engine, component: Vec<u8>) -> (World, i64) {
    let world = World::with(engine, Options::sandbox()).await;
    install(&world, component, true).await;
    let workspace = world.another_workspace(&["--tax-id", "B12345674"]).await;
    let id = workspace.to_string();
    let mut set = vec!["workspace", "e-invoicing", "set", "--workspace", &id, "--regime", "hostile"];
    set.extend(["--company-id", COMPANY, "--workflow-id", WORKFLOW, "--token-file", "-", "--json"]);
    world.gateway.cli_with(&set, &[], PROVIDER_TOKEN).await.json();
    (world, workspace)
}

fn document(workspace: i64, notes: &str) -> Document {
    let tax = json!({"category": "VAT", "rate": "21.0"});
    let line = json!({"description": "Night", "quantity": "1", "unit_price": "121.00", "tax": tax});
    Document::of(workspace).with("lines", json!([line])).with("notes", json!(notes))
}

/// Code, path and message of each warning of a dry run, which says that the document would be issued.
async fn warned(world: &World, uuid: &str) -> Vec<(String, String, String)> {
    let path = format!("/finance/rpc/documents/{uuid}/commands/issue?dry_run=true");
    let trial = world.api.post(&path, &json!({})).await.expect(200);
    assert_eq!(trial["would_issue"], json!(true), "{trial}");
    let text = |fault: &Value, member: &str| fault[member].as_str().unwrap().to_owned();
    let faults = trial["faults"].as_array().unwrap().iter();
    faults
        .map(|fault| {
            assert_eq!(fault["severity"], json!("warning"), "{trial}");
            (text(fault, "code"), text(fault, "path"), text(fault, "message"))
        })
        .collect()
}

/// What the check of a day prints, and how it ends.
async fn checked(gateway: &Gateway, at: Date, code: i32) -> Value {
    let ran = gateway.cli(&["--json", "rules", "check", "--at", &at.to_string()]).await;
    assert_eq!(ran.code, code, "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

fn ids(drafts: &Value, outcome: &str) -> Vec<String> {
    let of_outcome = drafts.as_array().unwrap().iter().filter(|draft| draft["outcome"] == outcome);
    of_outcome.map(|draft| draft["document_id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn what_a_scheduled_version_will_refuse_is_a_warning_now_and_found_by_the_check_of_its_day() {
    on_both(|engine| async move {
        let (world, workspace) = world(engine, hostile_component()).await;
        let new = install(&world, another_hostile_component(), false).await;
        let draft = async |notes: &str| world.draft(&document(workspace, notes)).await;
        let fine = draft("SOUND").await;
        let refused = draft("REFUSED-BY OTHER-VERSION").await;
        let trapping = draft("TRAP-BY OTHER-VERSION").await;
        assert_eq!(warned(&world, &refused).await, [], "nothing is scheduled");

        let day = in_days(30);
        let at = day.to_string();
        world.gateway.cli(&["plugin", "activate", &new, "--at", &at]).await.succeeded();
        // It is loaded beside everything else; until then nobody can say.
        until("the gateway has loaded what is scheduled", async || {
            warned(&world, &refused).await.iter().any(|(code, _, _)| code == "RULES-COMING").then_some(())
        })
        .await;
        let coming = format!(
            "It will be refused from {day} on, when {new} comes in force (HOSTILE-05): As told; write other notes."
        );
        let warning = ("RULES-COMING".to_owned(), "/notes".to_owned(), coming);
        assert_eq!(warned(&world, &refused).await, [warning]);
        assert_eq!(warned(&world, &fine).await, []);
        for _ in 0..12 {
            let warnings = warned(&world, &trapping).await;
            let [(code, _, message)] = &warnings[..] else { panic!("{warnings:?}") };
            assert_eq!(code, "RULES-UNCHECKED");
            assert!(message.contains(&format!("from {day} on, when {new} comes in force: ")), "{message}");
        }
        let listed = world.api.get("/admin/plugins").await.expect(200);
        assert!(listed["plugins"].as_array().unwrap().iter().all(|plugin| plugin["blocked"].is_null()));

        let report = checked(&world.gateway, day, 1).await;
        assert_eq!((&report["refused"], &report["unchecked"]), (&json!(1), &json!(1)), "{report}");
        assert_eq!(ids(&report["drafts"], "refused"), std::slice::from_ref(&refused));
        assert_eq!(ids(&report["drafts"], "unchecked"), std::slice::from_ref(&trapping));
        let found = report["drafts"].as_array().unwrap();
        let found = found.iter().find(|draft| draft["outcome"] == "refused").unwrap();
        assert_eq!((&found["plugin"], &found["workspace_id"]), (&json!(new), &json!(workspace)));
        assert_eq!(found["faults"][0]["code"], json!("HOSTILE-05"));
        let before = checked(&world.gateway, in_days(28), 0).await;
        assert_eq!((&before["checked"], &before["drafts"]), (&json!(3), &json!([])), "{before}");

        world.gateway.cli(&["plugin", "unschedule", &new]).await.succeeded();
        assert_eq!(checked(&world.gateway, day, 0).await["refused"], json!(0));
        assert_eq!(world.read(&refused).await["status"], "draft", "nothing was done");
    })
    .await;
}

#[tokio::test]
async fn what_rules_will_refuse_is_a_warning_for_the_documents_that_they_apply_to() {
    on_both(|engine| async move {
        let (day, today) = (in_days(10), in_days(0));
        let (world, workspace) = world(engine, hostile_component_with_rules(&day.to_string())).await;
        let listed = world.api.get("/admin/plugins").await.expect(200);
        let listed = listed["plugins"].as_array().unwrap().iter().find(|plugin| plugin["key"] == "hostile");
        let rules = &listed.unwrap()["description"]["rules"];
        assert_eq!((&rules[0]["id"], &rules[0]["from"]), (&json!("notes"), &json!(day.to_string())));

        let document = document(workspace, &format!("REFUSED-FROM {day}"));
        let draft = world.draft(&document).await;
        let coming = format!(
            "It will be refused from {day} on, when the rules notes begin (HOSTILE-05): As told; write other notes."
        );
        assert_eq!(
            warned(&world, &draft).await,
            [("RULES-COMING".to_owned(), "/notes".to_owned(), coming)]
        );
        let browser = Browser::signed_in(world.gateway.internal().base(), &world.client).await;
        let page = browser.get(&format!("/console/invoices/{draft}/dry-run")).await;
        assert!(page.text.contains("RULES-COMING"), "{}", page.text);

        // The law goes by the operation, which was before.
        let before = world.draft(&document.clone().with("operation_date", json!(today.to_string()))).await;
        assert_eq!(warned(&world, &before).await, []);

        let report = checked(&world.gateway, day, 1).await;
        let found = report["drafts"].as_array().unwrap();
        let rules_of = |id: &str| found.iter().find(|found| found["document_id"] == id).unwrap()["rules"].clone();
        assert_eq!((rules_of(&draft), rules_of(&before)), (json!(["notes"]), json!([])), "{report}");
        let eve = day.yesterday().unwrap();
        assert_eq!(checked(&world.gateway, eve, 0).await["refused"], json!(0));
    })
    .await;
}

#[tokio::test]
async fn drafts_are_checked_page_by_page_and_each_once_over_http() {
    on_both(|engine| async move {
        let day = in_days(90);
        let (world, workspace) = world(engine, hostile_component_with_rules(&day.to_string())).await;
        let refused = document(workspace, &format!("REFUSED-FROM {day}"));
        let mut expected = Vec::new();
        for place in 0..4 {
            let draft =
                world.draft(&if place == 2 { document(workspace, "SOUND") } else { refused.clone() }).await;
            expected.extend((place != 2).then_some(draft));
        }
        assert_eq!(warned(&world, &expected[0]).await, [], "too far away for a dry run");

        let (mut found, mut pages, mut checked, mut after) = (Vec::new(), 0, 0, String::new());
        loop {
            let path = format!("/admin/rules/check?at={day}&workspace_id={workspace}&first=1{after}");
            let page = world.api.get(&path).await.expect(200);
            found.extend(ids(&page["nodes"], "refused"));
            (pages, checked) = (pages + 1, checked + page["checked"].as_i64().unwrap());
            if page["page_info"]["has_next_page"] == json!(false) {
                break;
            }
            after = format!("&after={}", page["page_info"]["end_cursor"].as_str().unwrap());
        }
        assert_eq!((found, pages, checked), (expected, 4, 4));
    })
    .await;
}

#[tokio::test]
async fn a_check_that_makes_no_sense_is_refused_and_one_without_a_plugin_says_so() {
    on_both(|engine| async move {
        let (world, workspace) = world(engine, hostile_component()).await;
        let someday = in_days(30);
        for (query, field) in [
            (String::new(), "at"),
            ("at=".to_owned(), "at"),
            ("at=tomorrow".to_owned(), "at"),
            ("at=2027-02-29".to_owned(), "at"),
            ("at=2027-01-01T00:00:00Z".to_owned(), "at"),
            ("at=2020-01-01".to_owned(), "at"),
            (format!("at={someday}&workspace_id=999999"), "workspace_id"),
            (format!("at={someday}&workspace_id=x"), "workspace_id"),
            (format!("at={someday}&after=x"), "after"),
            (format!("at={someday}&first=0"), "first"),
            (format!("at={someday}&sometime=x"), "sometime"),
        ] {
            let refused = world.api.get(&format!("/admin/rules/check?{query}")).await;
            assert_eq!(refused.fields(422), [field], "{query}");
        }
        for (arguments, code, sentence) in [
            (vec!["--at", "tomorrow"], 2, "give a day such as 2027-01-01"),
            (vec!["--at", "2020-01-01"], 1, "2020-01-01 is over: name today or a later day"),
            (vec!["--at", "2999-01-01", "--workspace", "999999"], 1, "there is no workspace 999999"),
        ] {
            let ran = world.gateway.cli(&[&["rules", "check"], &arguments[..]].concat()).await;
            assert_eq!(ran.code, code, "{ran:?}");
            assert!(ran.stderr.contains(sentence), "{ran:?}");
        }

        let draft = world.draft(&document(workspace, "SOUND")).await;
        assert_eq!(checked(&world.gateway, someday, 0).await["checked"], json!(1));
        world.gateway.cli(&["plugin", "disable", "hostile"]).await.succeeded();
        let report = checked(&world.gateway, someday, 1).await;
        assert_eq!(ids(&report["drafts"], "unchecked"), [draft]);
        let reason = report["drafts"][0]["reason"].as_str().unwrap();
        assert!(reason.contains("no plugin for the tax regime 'hostile' is active"), "{reason}");
    })
    .await;
}
