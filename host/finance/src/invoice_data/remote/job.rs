//! The job that goes on with calls to a remote invoice data service.

use crate::invoice_data::InvoiceData;
use crate::jobs::ResumeIntent;
use async_trait::async_trait;
use gateway_jobs::{Attempt, Job, Outcome};
use std::sync::Arc;

#[async_trait]
impl Job for ResumeIntent {
    const NAME: &'static str = "intent";
    const AT_ONCE: usize = 32;
    type Context = Arc<dyn InvoiceData>;

    fn subject(&self) -> String {
        self.0.to_string()
    }

    fn of_subject(subject: &str) -> Option<Self> {
        subject.parse().ok().map(Self)
    }

    async fn run(self, invoice_data: &Arc<dyn InvoiceData>, _: Attempt) -> Outcome {
        Box::pin(invoice_data.resume(self.0)).await
    }
}
