//! The event feed: CloudEvents, as far as finance reads them.

use gateway_domain::access::Actor;
use gateway_domain::ids::{ClientId, EventId, InvoiceId, WorkspaceId};
use gateway_domain_finance::ports::{FeedEvent, FeedPart, InvoiceDataError};
use gateway_domain_input::json_place;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

/// Of whom events are read that tell of documents.
const SOURCE: &str = "/invoicing";
/// Longest cursor that is kept, bytes.
const CURSOR_BYTES_MAX: usize = 1_000;

#[derive(Deserialize)]
struct FeedIn {
    events: Vec<Value>,
    next: String,
}

#[derive(Deserialize)]
struct EventIn {
    id: EventId,
    subject: InvoiceId,
    #[serde(rename = "type")]
    kind: String,
    time: Timestamp,
    actor: Option<String>,
    /// The client that asked, beside whom it acted for.
    client: Option<ClientId>,
    workspaceid: Option<WorkspaceId>,
    data: Value,
}

/// A part of the feed as the service shows it.
pub(super) fn part(body: &str) -> Result<FeedPart, InvoiceDataError> {
    let protocol = |detail: String| InvoiceDataError::Protocol { detail };
    let FeedIn { events, next } = serde_json::from_str(body)
        .map_err(|error| protocol(format!("its event feed is not as described at {}", json_place(&error))))?;
    if next.is_empty() || next.len() > CURSOR_BYTES_MAX {
        return Err(protocol("its event feed shows no usable next".to_owned()));
    }
    let mut part = FeedPart { next, ..FeedPart::default() };
    for event in events {
        // A gateway tells of its own finance in the same feed.
        if event.get("source").and_then(Value::as_str) != Some(SOURCE) {
            continue;
        }
        let name = event.get("id").and_then(Value::as_str).unwrap_or("without an id").to_owned();
        match feed_event(event) {
            Ok(event) => part.events.push(event),
            Err(error) => part.unreadable.push(format!("{}: {error}", truncate(&name))),
        }
    }
    Ok(part)
}

fn feed_event(event: Value) -> Result<FeedEvent, String> {
    let event: EventIn = serde_path_to_error::deserialize(event).map_err(|error| {
        let member = error.path().to_string();
        if member == "." {
            "it lacks a member".to_owned()
        } else {
            format!("its member '{member}' has another form")
        }
    })?;
    // The document names its workspace too.
    let in_data = || event.data.get("workspace_id").cloned().and_then(|id| serde_json::from_value(id).ok());
    let workspace = event.workspaceid.or_else(in_data).ok_or("it names no workspace")?;
    Ok(FeedEvent {
        id: event.id,
        workspace,
        subject: event.subject,
        kind: event.kind,
        time: event.time,
        actor: actor(event.actor, event.client),
        data: event.data.to_string(),
    })
}

fn actor(name: Option<String>, client: Option<ClientId>) -> Actor {
    match client {
        // A client that acts for nobody is named as itself.
        Some(client) => Actor::of_client(client, name.filter(|name| *name != client.to_string()).as_deref()),
        None => Actor(name.unwrap_or_else(|| "invoicing".to_owned())),
    }
}

fn truncate(text: &str) -> String {
    text.chars().take(100).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn event() -> Value {
        json!({"specversion": "1.0", "id": "0193a1b2-0000-7000-8000-000000000001", "source": "/invoicing",
            "type": "DocumentSaved", "subject": "0193a1b2-0000-4000-8000-00000000c0de", "time": "2026-11-20T09:00:00Z",
            "sequence": 1, "workspaceid": 1, "actor": "jane", "data": {"workspace_id": 1, "version": 1}})
    }

    fn read(events: &Value) -> FeedPart {
        part(&json!({"events": events, "next": "7"}).to_string()).unwrap()
    }

    #[test]
    fn events_of_documents_are_read_and_those_of_a_finance_service_are_not() {
        let mut finance = event();
        finance["source"] = json!("/finance");
        let part = read(&json!([event(), finance]));
        assert_eq!((part.events.len(), part.next.as_str(), part.unreadable.len()), (1, "7", 0));
        let feed_event = &part.events[0];
        assert_eq!(
            (feed_event.kind.as_str(), feed_event.workspace, feed_event.actor.0.as_str()),
            ("DocumentSaved", WorkspaceId(1), "jane")
        );
    }

    #[test]
    fn the_members_that_cloud_events_leaves_open_are_found_in_the_document() {
        let mut bare = event();
        for member in ["workspaceid", "actor"] {
            bare.as_object_mut().unwrap().remove(member);
        }
        let part = read(&json!([bare]));
        assert_eq!(
            (part.events[0].workspace, part.events[0].actor.0.as_str()),
            (WorkspaceId(1), "invoicing")
        );
    }

    #[test]
    fn the_client_that_asked_is_kept_beside_whom_it_acted_for() {
        let client = "0193a1b2-0000-7000-8000-00000000c11e";
        for (name, named) in [(json!("jane"), "jane"), (json!(client), client), (Value::Null, client)] {
            let mut sent = event();
            sent["client"] = json!(client);
            sent["actor"] = name;
            let part = read(&json!([sent]));
            let actor = &part.events[0].actor;
            assert_eq!((actor.name(), actor.client()), (named, Some(client.parse().unwrap())));
        }
        assert_eq!(read(&json!([event()])).events[0].actor.client(), None);
    }

    #[test]
    fn an_event_that_cannot_be_read_is_told_and_holds_nobody_back() {
        let mut broken = event();
        broken["subject"] = json!(7);
        let mut nobodys = event();
        nobodys["data"] = json!({});
        nobodys.as_object_mut().unwrap().remove("workspaceid");
        let part = read(&json!([broken, nobodys, event()]));
        assert_eq!((part.events.len(), part.unreadable.len()), (1, 2), "{:?}", part.unreadable);
        assert!(part.unreadable[1].ends_with("it names no workspace"));
    }

    #[test]
    fn what_is_no_feed_is_refused_whole() {
        for body in
            ["", "[]", "{}", r#"{"events":[]}"#, r#"{"events":[],"next":""}"#, r#"{"events":{},"next":"1"}"#]
        {
            assert!(matches!(part(body), Err(InvoiceDataError::Protocol { .. })), "{body}");
        }
    }
}
