//! The services of finance, put together once in a process.

use crate::Parts;
use crate::commands::Finance;
use crate::context::Context;
use crate::documents::DocumentLists;
use crate::invoice_data;
use crate::jobs::{ResumeIntent, SubmitDocument, WatchAttempts};
use crate::record::Recorder;
use crate::regime::TaxRegimes;
use crate::submission::{SubmissionQueue, SubmissionSteps, Submissions};
use gateway_invoicing::FollowUps;
use gateway_jobs::Registry;
use gateway_read_models::RemoteFeed;
use std::sync::Arc;

/// The services of finance. Whoever serves takes the one it needs.
#[derive(Debug)]
pub struct Services {
    /// Commands on documents, and documents as finance shows them.
    pub finance: Finance,
    /// Documents in lists, wherever they are kept.
    pub lists: DocumentLists,
    /// Submissions: what operators see of them and do about them.
    pub submissions: Submissions,
    /// Where submissions wait for their next steps.
    pub queue: SubmissionQueue,
    /// The event feed of a remote invoice data service.
    pub feed: RemoteFeed,
    /// What an issue or a rejection by the invoice data service in this process leads to.
    pub follow_ups: Arc<dyn FollowUps>,
    /// The jobs of finance, for a queue.
    pub registry: Registry,
}

impl Services {
    /// Puts the services together.
    pub fn new(parts: Parts) -> Self {
        let Parts { db, clock, events, invoicing, .. } = &parts;
        let feed = RemoteFeed::new(db.clone(), Arc::clone(clock), events.clone(), invoicing.clone());
        let context = Context::new(parts);
        let recorder = Recorder::new(context.clone());
        let regimes = TaxRegimes::new(context.clone());
        let invoice_data = invoice_data::of(&recorder, &regimes);
        let finance = Finance::new(context.clone(), Arc::clone(&invoice_data), regimes.clone(), feed.clone());
        let steps = SubmissionSteps::new(recorder.clone(), finance.clone());
        let registry = Registry::default()
            .with::<SubmitDocument>(steps.clone())
            .with::<WatchAttempts>(steps.clone())
            .with::<ResumeIntent>(Arc::clone(&invoice_data));
        Self {
            lists: DocumentLists::new(context.documents().clone(), invoice_data),
            finance,
            submissions: Submissions::new(recorder.clone(), steps.gate()),
            queue: SubmissionQueue::new(recorder.clone()),
            feed,
            follow_ups: invoice_data::follow_ups(recorder, regimes),
            registry,
        }
    }
}
