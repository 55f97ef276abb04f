//! An event as CloudEvents 1.0 JSON.

use crate::Source;
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::{ClientId, EventId, WorkspaceId};
use gateway_domain_events::StoredEvent;
use gateway_storage::events;
use jiff::Timestamp;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use uuid::Uuid;

/// CloudEvents 1.0. Delivered at least once: deduplicate by `id`.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[schema(as = Event)]
pub struct CloudEvent<'a> {
    /// The version of CloudEvents.
    specversion: SpecVersion,
    /// Consumers deduplicate by it.
    #[schema(value_type = Uuid, examples("0197f4f2-0000-7000-8000-0000000000f1"))]
    id: EventId,
    /// The service it happened in.
    #[schema(schema_with = sources)]
    source: &'a str,
    /// What happened.
    #[serde(rename = "type")]
    #[schema(examples("Issued"))]
    kind: &'a str,
    /// What it happened to: the document; of the platform's own data the unit, the booking and so on; what a notice is about.
    #[schema(examples("0197f4f2-0000-7000-8000-000000000001"))]
    subject: Uuid,
    /// When.
    #[schema(value_type = String, format = DateTime, examples("2026-11-20T09:00:00Z"))]
    time: Timestamp,
    /// Order of the events of a source about a subject.
    #[schema(minimum = 1, examples(2))]
    sequence: i64,
    /// Whose subject; 0: of no workspace.
    #[schema(value_type = i64, examples(1))]
    workspaceid: WorkspaceId,
    /// Who did it: an end user (`act.sub`), a client, or `gateway`.
    #[schema(value_type = String, examples("gateway"))]
    actor: &'a Actor,
    /// The media type of `data`.
    datacontenttype: DataContentType,
    /// The document as it is after the event, and what the event tells besides; of the platform's own data ids and states; what a
    /// notice says.
    #[schema(value_type = Object)]
    data: Value,
    /// The client that asked; absent for what the gateway did by itself.
    // An attribute of a CloudEvent is there or not; it is never null.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    client: Option<ClientId>,
    /// The trace of what made it happen (W3C Trace Context, the extension "Distributed Tracing" of CloudEvents); absent where
    /// no traces are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, examples("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"))]
    traceparent: Option<&'a str>,
}

/// The version of CloudEvents that events are written in.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
enum SpecVersion {
    /// CloudEvents 1.0.
    #[serde(rename = "1.0")]
    One,
}

/// The media type of what an event tells.
#[derive(Debug, Clone, Copy, Serialize, ToSchema)]
enum DataContentType {
    /// JSON.
    #[serde(rename = "application/json")]
    Json,
}

/// The sources of events.
fn sources() -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .description(Some("The service it happened in."))
        .enum_values(Some(Source::ALL.map(Source::as_str)))
        .into()
}

impl<'a> TryFrom<&'a StoredEvent> for CloudEvent<'a> {
    type Error = StoreError;

    /// Fails when what is stored is no JSON.
    fn try_from(event: &'a StoredEvent) -> Result<Self, StoreError> {
        Ok(Self {
            specversion: SpecVersion::One,
            id: event.id,
            source: &event.source,
            kind: &event.kind,
            subject: event.subject,
            time: event.time,
            sequence: event.sequence,
            workspaceid: event.workspace,
            actor: &event.actor,
            datacontenttype: DataContentType::Json,
            data: events::data(event)?,
            client: event.actor.client(),
            traceparent: event.traceparent.as_deref(),
        })
    }
}
