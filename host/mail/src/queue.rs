//! A consumer of the feed: each notice waits until it is mailed.
//!
//! It follows the feed also where nothing is mailed: whoever begins to mail hears of what happens from then on.

use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain_events::notices::{MailAddress, PerWorkspace};
use gateway_domain_events::{EventSelection, StoredEvent};
use gateway_events::{Consumer, Source, notice};
use gateway_storage::{Tx, mail};

/// Keeps notices for those who are written to.
#[derive(Debug, Default)]
pub struct NoticeQueue {
    to: PerWorkspace<MailAddress>,
}

impl NoticeQueue {
    /// Under which its position is kept.
    pub const NAME: &'static str = "mail";

    /// For these recipients; without any, notices are passed by.
    pub const fn new(to: PerWorkspace<MailAddress>) -> Self {
        Self { to }
    }
}

#[async_trait]
impl Consumer for NoticeQueue {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn selection(&self) -> EventSelection {
        EventSelection::Source(Source::Notices.as_str())
    }

    async fn handle(&self, tx: &mut Tx, events: &[StoredEvent]) -> Result<(), StoreError> {
        for event in events {
            let Some(notice) = notice(event)? else { continue };
            if !self.to.of(notice.workspace).is_empty() {
                mail::put(tx, event.id).await?;
            }
        }
        Ok(())
    }
}
