//! `kill -9` at any moment of the flow: after a restart every invoice ends final, once, and no number is missing.

use futures::StreamExt as _;
use futures::future::join_all;
use futures::stream::{self, FuturesUnordered};
use gateway_tests::{Api, Engine, Options, World, on_both, until_within};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;

/// Longest from a restart until everything is final.
const TIMEOUT: Duration = Duration::from_mins(2);
/// Gateways of one database that die and come back at the same time.
const CONCURRENT_GATEWAYS: usize = 4;
/// Invoices on their way when the process dies; the last one is refused by the authority.
const NAMES: [&str; 4] = ["Jane Roe", "SANDBOX-SLOW-0.4", "SANDBOX-NO-WEBHOOK", "SANDBOX-REJECT-1110"];

/// When the process is killed.
#[derive(Debug, Clone, Copy)]
enum Moment {
    /// As soon as the commands are on their way.
    Sent,
    /// As soon as so many commands are answered.
    Answered(usize),
    /// As soon as a document of this index shows this to whoever looks.
    Reached(usize, Step),
}

/// What whoever looks from outside can see of the flow.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// The intent or more: there is a submission.
    Requested,
    /// The document has its number.
    Numbered,
    /// The structured document can be read.
    Converted,
    /// The provider works, or has worked.
    Waiting,
    /// The verdict is there.
    Final,
}

const MOMENTS: [Moment; 11] = [
    Moment::Sent,
    Moment::Answered(1),
    Moment::Answered(2),
    Moment::Answered(3),
    Moment::Answered(4),
    Moment::Reached(0, Step::Requested),
    Moment::Reached(1, Step::Numbered),
    Moment::Reached(2, Step::Converted),
    Moment::Reached(1, Step::Waiting),
    Moment::Reached(2, Step::Waiting),
    Moment::Reached(0, Step::Final),
];
/// The same, of a gateway that goes on with what it was killed in: no command is on its way.
const MOMENTS_AFTER_A_START: [Option<(usize, Step)>; 5] = [
    None,
    Some((0, Step::Converted)),
    Some((1, Step::Waiting)),
    Some((2, Step::Waiting)),
    Some((0, Step::Final)),
];

async fn has_reached(api: &Api, uuid: &str, step: Step) -> bool {
    let get = |path: String| async move {
        api.try_send("GET", &path, &[], None).await.ok().filter(|answer| answer.status == 200)
    };
    let document = || get(format!("/invoicing/rpc/documents/{uuid}"));
    let submission = || get(format!("/finance/rpc/documents/{uuid}/submission"));
    match step {
        Step::Requested => submission().await.is_some(),
        Step::Numbered => document().await.is_some_and(|answer| answer.json()["status"] != "draft"),
        Step::Converted => get(format!("/finance/rpc/documents/{uuid}/structured")).await.is_some(),
        Step::Waiting => submission().await.is_some_and(|answer| {
            let early = ["requested", "converting", "uploading", "starting"];
            !early.contains(&answer.json()["state"].as_str().unwrap())
        }),
        Step::Final => document().await.is_some_and(|answer| answer.json()["status"] == "issued"),
    }
}

async fn drafts(world: &World) -> Vec<String> {
    join_all(NAMES.map(|name| async move { world.draft(&world.document().named(name)).await })).await
}

/// Gives every issue command and kills the gateway at `moment`, answers or not.
async fn issue_and_kill(world: &mut World, uuids: &[String], moment: Moment) {
    let api = world.api.clone();
    let commands = uuids.iter().map(|uuid| {
        let (api, path) = (api.clone(), format!("/finance/rpc/documents/{uuid}/commands/issue"));
        tokio::task::spawn_local(async move { api.try_send("POST", &path, &[], None).await })
    });
    let mut commands: FuturesUnordered<_> = commands.collect();
    match moment {
        Moment::Sent => tokio::task::yield_now().await,
        Moment::Answered(count) => {
            for _ in 0..count {
                assert!(commands.next().await.unwrap().unwrap().is_ok());
            }
        }
        Moment::Reached(index, step) => until_reached(&api, &uuids[index], step).await,
    }
    world.gateway.kill9();
    // Some got their answer, others never will.
    while commands.next().await.is_some() {}
}

async fn until_reached(api: &Api, uuid: &str, step: Step) {
    let what = format!("{uuid} shows {step:?}");
    until_within(TIMEOUT, &what, || async { has_reached(api, uuid, step).await.then_some(()) }).await;
}

/// What a client does that never got its answer: it looks, and asks again where nothing happened since.
async fn issue_again(world: &World, uuids: &[String]) {
    for uuid in uuids {
        let document = world.read(uuid).await;
        if document["status"] == "draft" {
            let tag = format!("\"{}\"", document["version"]);
            let headers = [("content-type", "application/json"), ("if-match", tag.as_str())];
            let path = format!("/finance/rpc/documents/{uuid}/commands/issue");
            let answer = world.api.send("POST", &path, &headers, Some(b"{}".to_vec())).await;
            // The background goes on with what was begun: it holds the document, or moved it after the look.
            let underway = answer.status == 422 && answer.json()["code"] == "documentLockedWhileIssuing";
            assert!(answer.status == 200 || answer.status == 412 || underway, "{answer:?}");
        }
    }
}

/// Everything that has to hold in the end.
async fn assert_final_and_once(world: &World, uuids: &[String]) {
    let mut positions = BTreeSet::new();
    for (uuid, name) in uuids.iter().zip(NAMES) {
        let refused = name.contains("REJECT");
        let status = if refused { "rejected" } else { "issued" };
        let document = world.until_within(TIMEOUT, uuid, status).await;
        let number = document["display_invoice_number"].as_str().unwrap().to_owned();
        assert!(
            positions.insert(number.rsplit('-').next().unwrap().parse::<u64>().unwrap()),
            "{number} twice"
        );
        assert_eq!(document["issuing_at"], Value::Null);
        let events = world.api.get(&format!("/finance/rpc/documents/{uuid}/events")).await.expect(200);
        let events: Vec<_> = events["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|event| event["type"].as_str().unwrap().to_owned())
            .collect();
        let expected_events: &[&str] = if refused {
            &["Issuing", "RejectedByTaxAuthority"]
        } else {
            &["Issuing", "AcceptedByTaxAuthority", "Issued"]
        };
        assert_eq!(events, expected_events, "{name}");
        let submission = world.submission(uuid).await;
        assert_eq!(submission["attempts"].as_array().unwrap().len(), 1, "{submission}");
        let entry =
            world.gateway.sandbox().get(&format!("/silo/v1/entries/key/{uuid}-{number}")).await.expect(200);
        assert_eq!(entry["id"], submission["entry_id"], "one entry, and it is the one that was kept");
        if !refused {
            // The authority answers a second record of a number with 3000; what it accepted is what we keep.
            let stamps = entry["data"]["head"]["stamps"].to_string();
            assert!(stamps.contains(document["acceptance"]["tax_system_hash"].as_str().unwrap()), "{stamps}");
        }
    }
    assert_eq!(positions, (1..=uuids.len() as u64).collect(), "gapless");
}

/// The feed tells every step of every document once.
async fn assert_each_event_once(world: &World, uuids: &[String]) {
    let mut events_of_subjects = Vec::new();
    let mut next = "0".to_owned();
    let expected_count = uuids.len() * 3;
    until_within(TIMEOUT, "the feed is complete", || {
        let (api, after) = (world.api.clone(), next.clone());
        let page = async move {
            api.get(&format!("/invoicing/rpc/events?after={after}&limit=500")).await.expect(200)
        };
        async move { Some(page.await).filter(|page| page["events"].as_array().unwrap().len() >= expected_count) }
    })
    .await;
    loop {
        let page = world.api.get(&format!("/invoicing/rpc/events?after={next}")).await.expect(200);
        let events = page["events"].as_array().unwrap();
        if events.is_empty() {
            break;
        }
        events_of_subjects
            .extend(events.iter().map(|event| (event["subject"].to_string(), event["type"].to_string())));
        next = page["next"].as_str().unwrap().to_owned();
    }
    let once: BTreeSet<_> = events_of_subjects.iter().collect();
    assert_eq!(once.len(), events_of_subjects.len(), "{events_of_subjects:?}");
}

async fn world(engine: Engine) -> World {
    World::with(engine, Options::sandbox().variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1")).await
}

#[tokio::test]
async fn killed_at_any_moment_every_invoice_ends_final_and_once() {
    on_both(|engine| async move {
        let runs = stream::iter(MOMENTS).map(|moment| async move {
            let mut world = world(engine).await;
            let uuids = drafts(&world).await;
            issue_and_kill(&mut world, &uuids, moment).await;
            world.serve_again().await;
            issue_again(&world, &uuids).await;
            assert_final_and_once(&world, &uuids).await;
            assert_each_event_once(&world, &uuids).await;
        });
        runs.buffer_unordered(CONCURRENT_GATEWAYS).collect::<()>().await;
    })
    .await;
}

#[tokio::test]
async fn killed_again_and_again_every_invoice_still_ends() {
    on_both(|engine| async move {
        let mut world = world(engine).await;
        let uuids = drafts(&world).await;
        issue_and_kill(&mut world, &uuids, Moment::Answered(1)).await;
        for moment in MOMENTS_AFTER_A_START {
            world.serve_again().await;
            issue_again(&world, &uuids).await;
            if let Some((index, step)) = moment {
                until_reached(&world.api, &uuids[index], step).await;
            }
            world.gateway.kill9();
        }
        world.serve_again().await;
        assert_final_and_once(&world, &uuids).await;
    })
    .await;
}

#[tokio::test]
async fn killed_between_many_calls_no_number_is_missing() {
    on_both(|engine| async move {
        let mut world = World::unconfigured(engine, Options::default()).await;
        let document = world.document();
        let uuids = join_all((0..60).map(|_| world.draft(&document))).await;
        let api = world.api.clone();
        let mut calls: FuturesUnordered<_> = uuids
            .iter()
            .map(|uuid| {
                let (api, path) = (api.clone(), format!("/invoicing/rpc/documents/{uuid}/issue"));
                async move { api.try_send("PUT", &path, &[], None).await }
            })
            .collect();
        // A few have their answer, the others are somewhere on their way.
        for _ in 0..5 {
            drop(calls.next().await);
        }
        world.gateway.kill9();
        while calls.next().await.is_some() {}
        world.serve_again().await;
        let mut numbers = BTreeSet::new();
        for uuid in &uuids {
            let document = world.read(uuid).await;
            let number = match document["display_invoice_number"].as_str() {
                Some(number) => number.to_owned(),
                None => world.rpc(uuid, "issue").await.expect(200)["display_invoice_number"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
            };
            assert!(
                numbers.insert(number.rsplit('-').next().unwrap().parse::<usize>().unwrap()),
                "{number} twice"
            );
        }
        assert_eq!(numbers, (1..=uuids.len()).collect());
    })
    .await;
}

#[tokio::test]
async fn a_server_that_is_asked_to_stop_finishes_its_requests_and_resumes_its_jobs_later() {
    on_both(|engine| async move {
        let mut world = world(engine).await;
        let uuids = drafts(&world).await;
        for uuid in &uuids {
            world.command(uuid, "issue", &json!({})).await.expect(200);
        }
        let status = world.gateway.stop().await.expect("it stops within seconds");
        assert!(status.success(), "{status:?}: {}", world.gateway.log());
        world.serve_again().await;
        assert_final_and_once(&world, &uuids).await;
    })
    .await;
}
