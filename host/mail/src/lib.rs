//! Notices by mail: whoever is to hear of them is written to, not for each but once in a while.
//!
//! A consumer of the event feed (`queue`) keeps each notice until it is mailed, in the transaction of its position. One process
//! at a time (`digests`) makes one message of what waits for the same recipients and hands it to the server (`smtp`); only then
//! the notices go, so one that could not be sent waits for the next try. A process that dies in between sends again, under the same
//! `Message-ID` where nothing came in between.
//!
//! Not here: which notices there are, how they are merged, when recipients are left in peace
//! (`gateway_domain_events::notices`); their causes; SQL.
//!
//! To send by other means: another [`MailTransport`].

mod digests;
mod message;
mod queue;
mod smtp;

pub use digests::MailRound;
pub use message::MailMessage;
pub use queue::NoticeQueue;
pub use smtp::{InvalidMailServer, MailError, MailTransport, SmtpTransport};

use gateway_domain::ports::Clock;
use gateway_domain_events::notices::{MailAddress, PerWorkspace, QuietHours};
use gateway_storage::Db;
use jiff::SignedDuration;
use std::sync::Arc;

/// Who is written to, when, and by whom.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// Who writes.
    pub from: MailAddress,
    /// Who is written to.
    pub to: PerWorkspace<MailAddress>,
    /// The least time between two messages to the same recipients.
    pub every: SignedDuration,
    /// When nobody is written to, by the time zone of the workspace; of the gateway's own notices UTC.
    pub quiet_hours: PerWorkspace<QuietHours>,
    /// Below it are the pages of the console; no links without it.
    pub console_url: Option<String>,
}

/// What mail works with.
#[derive(Debug, Clone)]
pub struct Parts {
    pub db: Db,
    pub clock: Arc<dyn Clock>,
    /// How messages leave.
    pub transport: Arc<dyn MailTransport>,
    /// Who is written to, and when.
    pub settings: MailSettings,
}

/// Writes to people. Cheap to clone.
#[derive(Debug, Clone)]
pub struct NoticeMail(Arc<Parts>);

impl NoticeMail {
    /// Puts the parts together.
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }

    fn db(&self) -> &Db {
        &self.0.db
    }

    fn settings(&self) -> &MailSettings {
        &self.0.settings
    }
}
