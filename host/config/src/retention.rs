//! `[retention]`.

use gateway_domain_events::{RetentionDays, RetentionPolicy};
use std::path::PathBuf;

/// `[retention]`: what leaves the database, and when.
#[derive(Debug, Clone)]
pub struct Retention {
    /// Age from which entries of the audit trail leave, days.
    pub audit_days: u32,
    /// Age from which events of the platform's own data leave, days.
    pub event_days: u32,
    /// Age from which messages to tax authorities are moved, days.
    pub message_days: u32,
    /// Age from which deliveries of webhooks are deleted, days.
    pub delivery_days: u32,
    /// Where what leaves is written to before; it is deleted unless this is set, but for messages, which stay.
    pub archive_dir: Option<PathBuf>,
    /// How often a gateway that serves looks for what is old, hours; 0: only the command does.
    pub run_every_h: u32,
}

impl Retention {
    /// The age of each kind that the retention looks after.
    pub const fn policy(&self) -> RetentionPolicy {
        RetentionPolicy {
            audit: RetentionDays(self.audit_days),
            events: RetentionDays(self.event_days),
            messages: RetentionDays(self.message_days),
        }
    }
}

impl Default for Retention {
    fn default() -> Self {
        let RetentionPolicy { audit, events, messages } = RetentionPolicy::default();
        Self {
            audit_days: audit.0,
            event_days: events.0,
            message_days: messages.0,
            delivery_days: RetentionDays::DELIVERIES.0,
            archive_dir: None,
            run_every_h: 24,
        }
    }
}
