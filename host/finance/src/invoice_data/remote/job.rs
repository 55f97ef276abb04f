//! The job that goes on with calls to a remote invoice data service.

use crate::Finance;
use async_trait::async_trait;
use gateway_domain::ids::InvoiceId;
use gateway_jobs::{Attempt, Job, Outcome};

/// Goes on with the intent of a document, which a request or a process left.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ResumeIntent(pub(crate) InvoiceId);

#[async_trait]
impl Job for ResumeIntent {
    const NAME: &'static str = "intent";
    const AT_ONCE: usize = 32;
    type Context = Finance;

    fn subject(&self) -> String {
        self.0.to_string()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        subject.parse().ok().map(Self)
    }

    async fn run(self, finance: &Finance, _: Attempt) -> Outcome {
        Box::pin(finance.invoice_data().resume(self.0)).await
    }
}
