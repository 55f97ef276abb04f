//! The independent checker: holds the database against the provider's log and against what clients were told. It knows
//! the rules, not the code.

use super::clients::ClientLog;
use super::provider::Line;
use gateway_storage::testing::ledger::Ledger;
use std::collections::{BTreeMap, BTreeSet};

/// Everything that is wrong, one sentence each; nothing in a good run.
pub(super) fn violations(ledger: &Ledger, log: &[Line], client_log: &ClientLog) -> Vec<String> {
    let checks = [
        lost_documents_and_numbers,
        numbers,
        authority,
        one_number_at_a_time,
        events,
        each_event_once,
        at_rest,
        ids,
        credits,
    ];
    checks.iter().flat_map(|check| check(ledger, log, client_log)).collect()
}

fn is_final(stage: &str) -> bool {
    ["accepted", "rejected", "superseded", "withdrawn"].contains(&stage)
}

/// No document and no number that was confirmed is missing.
fn lost_documents_and_numbers(ledger: &Ledger, _: &[Line], client_log: &ClientLog) -> Vec<String> {
    let there: BTreeSet<String> = ledger.invoices.iter().map(|row| row.id.0.to_string()).collect();
    let numbers: BTreeSet<(String, String)> =
        ledger.numbers.iter().map(|row| (row.invoice_id.0.to_string(), row.number.clone())).collect();
    let saved = client_log.saved.iter().chain(&client_log.credited);
    let mut wrong: Vec<String> = saved
        .filter(|id| !there.contains(*id) && !client_log.deleted.contains(*id))
        .map(|id| format!("{id} was confirmed and is lost"))
        .collect();
    let lost = client_log.numbers.iter().filter(|given| !numbers.contains(*given));
    wrong.extend(lost.map(|(id, number)| format!("{number} of {id} was confirmed and is lost")));
    wrong
}

/// Every series counts from 1 without a gap, and no number was given twice.
fn numbers(ledger: &Ledger, _: &[Line], _: &ClientLog) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut series: BTreeMap<(i64, &str, i64), Vec<i64>> = BTreeMap::new();
    let mut given = BTreeSet::new();
    for row in &ledger.numbers {
        series.entry((row.workspace_id, &row.kind, row.year)).or_default().push(row.no);
        if !given.insert((row.workspace_id, &row.number)) {
            wrong.push(format!("{} was given twice in workspace {}", row.number, row.workspace_id));
        }
    }
    for (key, mut positions) in series {
        positions.sort_unstable();
        if positions.iter().zip(1..).any(|(position, expected)| *position != expected) {
            wrong.push(format!("the series {key:?} has a gap: {positions:?}"));
        }
        let next = ledger.series.iter().find(|row| (row.workspace_id, row.kind.as_str(), row.year) == key);
        let end = positions.last().map_or(1, |last| last + 1);
        if next.is_none_or(|row| row.next_no != end) {
            wrong.push(format!("the series {key:?} goes on at {next:?} and not at {end}"));
        }
    }
    for row in &ledger.invoices {
        // Numbers are given in the order of their series, so the last one is the present one.
        let mut own: Vec<_> = ledger.numbers.iter().filter(|number| number.invoice_id == row.id).collect();
        own.sort_by_key(|number| (number.year, number.no));
        if own.last().map(|number| &number.number) != row.number.as_ref() {
            wrong.push(format!("{} shows {:?} and was given {own:?}", row.id.0, row.number));
        }
    }
    wrong
}

/// What the authority took is what the database shows, and no number or document was taken twice.
fn authority(ledger: &Ledger, log: &[Line], client_log: &ClientLog) -> Vec<String> {
    let mut wrong = Vec::new();
    let (mut numbers, mut documents) = (BTreeSet::new(), BTreeMap::new());
    for line in log {
        let Line::Accepted { document, number, .. } = line else { continue };
        if !numbers.insert(number) {
            wrong.push(format!("the authority took {number} twice"));
        }
        let before = documents.insert(document, number);
        if let Some(before) = before.filter(|_| !client_log.by_hand.contains(document)) {
            wrong.push(format!("the authority took {document} as {before} and as {number}"));
        }
    }
    for row in &ledger.invoices {
        let id = row.id.0.to_string();
        if client_log.by_hand.contains(&id) || !row.send_to_tax_authority {
            continue;
        }
        let taken = documents.get(&id).copied();
        match row.status.as_str() {
            "issued" if taken != row.number.as_ref() => {
                wrong.push(format!("{id} is issued as {:?}, and the authority took {taken:?}", row.number));
            }
            "rejected" | "draft" if taken.is_some() => {
                wrong.push(format!("{id} is {}, and the authority took {taken:?}", row.status));
            }
            _ => {}
        }
    }
    wrong
}

/// A workflow of a document begins only after the one before it ended without the authority having taken it, and on
/// a number that was given to the document.
fn one_number_at_a_time(ledger: &Ledger, log: &[Line], client_log: &ClientLog) -> Vec<String> {
    let mut wrong = Vec::new();
    let given: BTreeSet<(String, &str)> =
        ledger.numbers.iter().map(|row| (row.invoice_id.0.to_string(), row.number.as_str())).collect();
    let mut running: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
    let mut jobs: BTreeMap<&str, &str> = BTreeMap::new();
    for line in log {
        match line {
            Line::Started { job, document, number, .. } => {
                if !given.contains(&(document.clone(), number.as_str())) {
                    wrong.push(format!("{document} was submitted as {number}, which it was never given"));
                }
                jobs.insert(job, document);
                let before = running.insert(document, (job, number));
                if let Some((_, other)) = before.filter(|_| !client_log.by_hand.contains(document)) {
                    wrong.push(format!("{document} was submitted as {number} while {other} was on its way"));
                }
            }
            Line::Refused { job, .. } | Line::Failed { job } => {
                if let Some(document) = jobs.get(job.as_str())
                    && running.get(document).is_some_and(|(current, _)| current == job)
                {
                    running.remove(document);
                }
            }
            // What was taken stays: nothing of the document may follow.
            Line::Accepted { .. } | Line::Stored { .. } => {}
        }
    }
    wrong
}

/// An event of a document: its sequence, its place in the feed, what it tells.
type Chapter<'a> = (i64, Option<i64>, &'a str);

/// The events of a document are numbered without a gap, stand in the feed in their order, once, and tell a story
/// that the specification allows.
fn events(ledger: &Ledger, _: &[Line], client_log: &ClientLog) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut stories: BTreeMap<(&str, String), Vec<Chapter<'_>>> = BTreeMap::new();
    let mut positions = Vec::new();
    for row in &ledger.events {
        let story = stories.entry((&row.source, row.subject.0.to_string())).or_default();
        story.push((row.sequence, row.position, &row.r#type));
        positions.extend(row.position);
    }
    positions.sort_unstable();
    if positions.len() != ledger.events.len() {
        wrong.push(format!("{} of {} events are in the feed", positions.len(), ledger.events.len()));
    }
    if positions.iter().zip(1..).any(|(position, expected)| *position != expected) {
        wrong.push("the feed has a gap".to_owned());
    }
    if positions.last().copied().unwrap_or(0) != ledger.feed {
        wrong.push(format!("the feed ends at {:?}, not at {}", positions.last(), ledger.feed));
    }
    for ((source, subject), mut story) in stories {
        story.sort_unstable();
        if story.iter().zip(1..).any(|((sequence, ..), expected)| *sequence != expected) {
            wrong.push(format!("{source} counts the events of {subject} with a gap: {story:?}"));
        }
        if !story.is_sorted_by_key(|(_, position, _)| *position) {
            wrong.push(format!("the feed tells the events of {subject} in another order: {story:?}"));
        }
        let kinds: Vec<&str> = story.iter().map(|(_, _, kind)| *kind).collect();
        let status = ledger.invoices.iter().find(|row| row.id.0.to_string() == subject);
        let status = status.map_or("deleted", |row| row.status.as_str());
        // Notices tell what needs somebody, and end nowhere.
        let elsewhere =
            source == "/notices" || (source == "/finance" && client_log.direct.contains(&subject));
        if !elsewhere && story_ends(source, &kinds).is_none_or(|end| end != status) {
            wrong.push(format!("{source} tells of {subject}, which is {status}: {kinds:?}"));
        }
    }
    wrong
}

/// The status in which a document is after these events; none when they cannot follow each other.
fn story_ends(source: &str, kinds: &[&str]) -> Option<&'static str> {
    let mut status = if source == "/finance" { "draft" } else { "nothing" };
    for kind in kinds {
        status = match (status, *kind) {
            ("nothing" | "draft", "DocumentSaved") => "draft",
            ("rejected", "DocumentSaved") => "rejected",
            ("draft", "DocumentDeleted" | "Deleted") => "deleted",
            ("draft" | "rejected", "DocumentIssuing" | "Issuing") => "issuing",
            ("draft" | "issuing", "DocumentIssued") | ("draft" | "accepted", "Issued") => "issued",
            ("issuing", "AcceptedByTaxAuthority") => "accepted",
            ("issuing", "DocumentRejected" | "RejectedByTaxAuthority") => "rejected",
            ("issued", "Credited" | "Reversed" | "Refunded") => "issued",
            (
                "draft",
                "RecipientUpdated" | "TransactionAdded" | "TransactionUpdated" | "TransactionRemoved",
            ) => "draft",
            _ => return None,
        };
    }
    Some(status)
}

/// Both services tell of the same verdicts: an event of one for every event of the other.
fn each_event_once(ledger: &Ledger, _: &[Line], client_log: &ClientLog) -> Vec<String> {
    let count = |id: &str, source: &str, kind: &str| {
        let same = |row: &&gateway_storage::testing::ledger::EventRow| {
            row.source == source && row.r#type == kind && row.subject.0.to_string() == id
        };
        ledger.events.iter().filter(same).count()
    };
    let pairs = [
        ("DocumentIssuing", "Issuing"),
        ("DocumentIssued", "Issued"),
        ("DocumentRejected", "RejectedByTaxAuthority"),
    ];
    let mut wrong = Vec::new();
    for row in &ledger.invoices {
        let id = row.id.0.to_string();
        if client_log.direct.contains(&id) {
            continue;
        }
        for (theirs, ours) in pairs {
            let counts = (count(&id, "/invoicing", theirs), count(&id, "/finance", ours));
            if counts.0 != counts.1 {
                wrong.push(format!("{id}: {theirs} and {ours} were told {counts:?} times"));
            }
        }
        let given = ledger.numbers.iter().filter(|number| number.invoice_id == row.id).count();
        let issued = count(&id, "/invoicing", "DocumentIssuing")
            + usize::from(count(&id, "/finance", "Issuing") == 0 && row.status == "issued");
        if given != issued {
            wrong.push(format!("{id} was given {given} numbers and went out {issued} times"));
        }
    }
    wrong
}

/// Every document is final or somebody was told; nothing waits that nobody will do.
fn at_rest(ledger: &Ledger, _: &[Line], _: &ClientLog) -> Vec<String> {
    let mut wrong = Vec::new();
    for row in &ledger.invoices {
        let alerted = ledger.submissions.iter().any(|s| s.document_id == row.id && s.alert_code.is_some())
            || ledger.watched.iter().any(|(id,)| *id == row.id);
        if row.status == "issuing" && !alerted {
            wrong.push(format!("{} is issuing and nobody was told", row.id.0));
        }
    }
    for row in &ledger.submissions {
        if !is_final(&row.stage) && row.alert_code.is_none() {
            wrong.push(format!("the submission of {} stayed {}", row.document_id.0, row.stage));
        }
    }
    let open = ledger.attempts.iter().filter(|attempt| attempt.outcome.is_none());
    for attempt in open {
        let submission = ledger.submissions.iter().find(|s| s.document_id == attempt.document_id);
        if submission.is_none_or(|submission| is_final(&submission.stage)) {
            wrong.push(format!("an attempt of {} never ended", attempt.document_id.0));
        }
    }
    wrong.extend(unattended(ledger));
    wrong
}

/// Documents in Issuing, and open submissions, without a next step and without an alert: stuck, at any time.
pub(super) fn unattended(ledger: &Ledger) -> Vec<String> {
    let scheduled: BTreeSet<&str> = ledger.jobs.iter().map(|job| job.subject.as_str()).collect();
    let open = ledger.submissions.iter().filter(|row| !is_final(&row.stage) && row.alert_code.is_none());
    open.filter(|row| !scheduled.contains(row.document_id.0.to_string().as_str()))
        .map(|row| format!("the submission of {} has neither a next step nor an alert", row.document_id.0))
        .collect()
}

/// Everything the provider knows, the database knew before.
fn ids(ledger: &Ledger, log: &[Line], _: &ClientLog) -> Vec<String> {
    let entries: BTreeMap<String, String> = ledger
        .entries
        .iter()
        .map(|row| (row.entry_id.0.to_string(), row.document_id.0.to_string()))
        .collect();
    let attempts: BTreeMap<String, (String, Option<String>)> = ledger
        .attempts
        .iter()
        .map(|row| (row.job_id.0.to_string(), (row.document_id.0.to_string(), row.number.clone())))
        .collect();
    let mut wrong = Vec::new();
    for line in log {
        match line {
            Line::Stored { entry, document, .. } if entries.get(entry) != Some(document) => {
                wrong.push(format!(
                    "the entry {entry} of {document} is {:?} to the gateway",
                    entries.get(entry)
                ));
            }
            Line::Started { job, document, number, .. }
                if attempts.get(job) != Some(&(document.clone(), Some(number.clone()))) =>
            {
                wrong.push(format!(
                    "the job {job} of {document} as {number} is {:?} to the gateway",
                    attempts.get(job)
                ));
            }
            Line::Stored { .. }
            | Line::Started { .. }
            | Line::Accepted { .. }
            | Line::Refused { .. }
            | Line::Failed { .. } => {}
        }
    }
    wrong
}

/// A command that was repeated under its key made one credit note.
fn credits(ledger: &Ledger, _: &[Line], client_log: &ClientLog) -> Vec<String> {
    let mut wrong = Vec::new();
    for (original, requests) in &client_log.credits {
        let made =
            ledger.references.iter().filter(|row| row.referenced_id.0.to_string() == *original).count();
        if u64::try_from(made).unwrap_or(u64::MAX) > *requests {
            wrong.push(format!("{original} was credited {made} times, and asked {requests} times"));
        }
    }
    wrong
}
