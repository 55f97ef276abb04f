//! The test cards as integrators read them: each row of the table is sent, and has to do what it says.

use crate::harness::{World, document};
use gateway_domain_finance::ports::{JobProgress, ProviderError};
use std::collections::BTreeSet;

/// Where the table stands, and how its first row begins.
const PAPER: &str = include_str!("../../../api-public/README.md");
const HEADING: &str = "| the recipient's name has |";
/// Where markers are read.
const STEERING: &str = include_str!("../../src/steering.rs");
/// Uploads of one document that are tried.
const UPLOADS_MAX: usize = 5;
/// How late a slow card of the table is, seconds.
const SLOW_SECONDS: i64 = 3600;

/// What the table says of each card, by the name that asks for it.
fn rows() -> Vec<(String, [String; 3])> {
    let table = PAPER.split_once(HEADING).expect("the table of test cards stands in the paper").1;
    let lines = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let row = |line: &str| {
        let cells: Vec<_> = line.trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect();
        let [name, upload, job, webhooks, _end] = &cells[..] else { panic!("{line}") };
        (name.trim_matches('`').to_owned(), [upload.clone(), job.clone(), webhooks.clone()])
    };
    lines.map(row).collect()
}

/// What the stand-in does with a document for a recipient of this name, in the words of the table.
async fn observed(name: &str) -> [String; 3] {
    let mut world = World::start().await;
    let card = document("F-1", name);
    let entry = world.entry_id();
    let mut refused = 0;
    while let Err(error) = world.put(entry, &card).await {
        assert!(matches!(error, ProviderError::Unavailable { .. }), "{error:?}");
        refused += 1;
        assert!(refused < UPLOADS_MAX, "no upload is taken");
    }
    let job = world.submit(entry).await;
    // One that asks for nothing shows whether the card's job is late, or its notification missing.
    let (_, ordinary) = world.send(&document("F-2", "Jane Roe")).await;
    let is_late = world.job(job).await.progress == JobProgress::Running;
    if is_late {
        world.clock.forward(SLOW_SECONDS);
    }
    let done = world.finished(job).await;
    let (_, last) = world.send(&document("F-3", "Jane Roe")).await;
    let mut notifications = 0;
    loop {
        let notification = world.receiver.next().await.1["transform_job_id"].clone();
        if notification == last.id.to_string() {
            break;
        }
        notifications += usize::from(notification != ordinary.id.to_string());
    }
    let upload = match refused {
        0 => "taken".to_owned(),
        refused => format!("503 the first {refused} times, then taken"),
    };
    let mut end = match done.progress {
        JobProgress::Succeeded => "accepted".to_owned(),
        _ => format!("rejected with `{}`", done.faults[0].code.as_deref().unwrap_or_default()),
    };
    if is_late {
        end = format!("{end}, {SLOW_SECONDS} s later");
    }
    [upload, end, ["none", "one", "two"][notifications].to_owned()]
}

#[tokio::test]
async fn every_test_card_does_what_the_paper_says() {
    let rows = rows();
    assert!(rows.len() > 5, "{rows:?}");
    for (name, said) in rows {
        assert_eq!(observed(&name).await, said, "{name}");
    }
}

#[test]
fn the_paper_has_every_marker() {
    let markers = |text: &str| -> BTreeSet<String> {
        let found = text.split("SANDBOX-").skip(1).map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_uppercase() && c != '-').unwrap_or(rest.len());
            rest[..end].trim_end_matches('-').to_owned()
        });
        found.filter(|marker| !marker.is_empty()).collect()
    };
    let product = STEERING.split("#[cfg(test)]").next().unwrap();
    let documented = rows().into_iter().flat_map(|(name, _)| markers(&name)).collect();
    assert_eq!(markers(product), documented);
}
