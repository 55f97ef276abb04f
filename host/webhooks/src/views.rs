//! Webhooks and deliveries as their owners and operators see them, on the command line and over HTTP alike.

use crate::{Delivery, Endpoint};
use serde_json::{Value, json};

/// A webhook of a customer, without its secret.
pub fn webhook(endpoint: &Endpoint) -> Value {
    let (why, since) = endpoint.disabled.unzip();
    json!({
        "id": endpoint.id,
        "notification_url": endpoint.url,
        "events": endpoint.events.names(),
        "enabled": endpoint.disabled.is_none(),
        "disabled_reason": why,
        "disabled_at": since,
        "failing_since": endpoint.health.failing_since,
        "last_success_at": endpoint.succeeded_at,
        "old_secret_until": endpoint.old_secret.as_ref().map(|(_, until)| until),
        "created_at": endpoint.created_at,
        "updated_at": endpoint.updated_at,
    })
}

/// The same as operators see it.
pub fn operated(endpoint: &Endpoint, backlog: i64) -> Value {
    let mut shown = webhook(endpoint);
    if let Value::Object(members) = &mut shown {
        members.insert("workspace_id".to_owned(), json!(endpoint.workspace));
        members.insert("failures".to_owned(), json!(endpoint.health.failures));
        members.insert("backlog".to_owned(), json!(backlog));
    }
    shown
}

/// A delivery with every try.
pub fn delivery(delivery: &Delivery) -> Value {
    let tries = delivery.attempts.iter().map(|attempt| {
        json!({
            "at": attempt.at,
            "duration_ms": attempt.duration_ms,
            "status": attempt.status,
            "error": attempt.error,
            "answer": attempt.detail,
        })
    });
    json!({
        "id": delivery.id,
        "webhook_id": delivery.message,
        "type": delivery.event,
        "sequence": delivery.position,
        "occurred_at": delivery.time,
        "status": delivery.state,
        "next_attempt_at": delivery.due_at,
        "done_at": delivery.done_at,
        "created_at": delivery.created_at,
        "attempts": tries.collect::<Vec<_>>(),
    })
}
