//! What there is of documents, submissions and jobs, as of the last sample.

use super::AlertLabels;
use super::sample::Sample;
use gateway_domain::invoicing::Status;
use gateway_domain_finance::AlertCode;
use gateway_jobs::DueJobs;
use jiff::Timestamp;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::sync::atomic::AtomicU64;

/// Name and help of what has no rows at first.
pub(super) const DOCUMENTS: (&str, &str) = ("einvoicing_documents", "Documents by workspace and state");
pub(super) const UNKNOWN_JOBS: (&str, &str) =
    ("einvoicing_jobs_unknown", "Jobs that wait for a version that knows their kind");

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DocumentLabels {
    workspace: String,
    status: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct JobLabels {
    kind: String,
}

/// What there is of documents, submissions and jobs.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentMetrics {
    documents: Family<DocumentLabels, Gauge>,
    issuing_age: Gauge<f64, AtomicU64>,
    alerts: Family<AlertLabels, Gauge>,
    unknown_jobs: Family<JobLabels, Gauge>,
    due_jobs: Family<JobLabels, Gauge>,
    due_age: Family<JobLabels, Gauge<f64, AtomicU64>>,
}

impl DocumentMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(DOCUMENTS.0, DOCUMENTS.1, self.documents.clone());
        registry.register(
            "einvoicing_issuing_age_seconds",
            "Age of the document that waits longest for the tax authority",
            self.issuing_age.clone(),
        );
        registry.register(
            "einvoicing_alerts",
            "Submissions that wait for somebody, by alert",
            self.alerts.clone(),
        );
        registry.register(UNKNOWN_JOBS.0, UNKNOWN_JOBS.1, self.unknown_jobs.clone());
        registry.register(
            "einvoicing_jobs_due",
            "Jobs that are due, those that run included",
            self.due_jobs.clone(),
        );
        registry.register(
            "einvoicing_jobs_due_age_seconds",
            "How long the longest waiting job is due",
            self.due_age.clone(),
        );
    }

    pub(super) fn set(&self, sample: &Sample, now: Timestamp) {
        self.documents.clear();
        let having = sample.documents.iter().map(|count| count.workspace);
        // A state without documents reads 0 instead of disappearing.
        for workspace in sample.workspaces.iter().copied().chain(having) {
            for status in Status::ALL.iter().map(|status| status.as_str()) {
                let labels = DocumentLabels { workspace: workspace.to_string(), status: status.to_owned() };
                drop(self.documents.get_or_create(&labels));
            }
        }
        for count in &sample.documents {
            let labels =
                DocumentLabels { workspace: count.workspace.to_string(), status: count.status.clone() };
            self.documents.get_or_create(&labels).set(count.documents);
        }
        let oldest = sample.documents.iter().filter_map(|count| count.issuing_since).min();
        let age = oldest.map_or(0.0, |since| now.duration_since(since).as_secs_f64());
        self.issuing_age.set(age.max(0.0));
        self.alerts.clear();
        for code in AlertCode::ALL {
            drop(self.alerts.get_or_create(&AlertLabels { code: code.as_str().to_owned() }));
        }
        for (code, count) in &sample.alerts {
            self.alerts.get_or_create(&AlertLabels { code: code.clone() }).set(*count);
        }
        self.unknown_jobs.clear();
        for (kind, count) in &sample.unknown_jobs {
            self.unknown_jobs.get_or_create(&JobLabels { kind: kind.clone() }).set(*count);
        }
        self.due_jobs.clear();
        self.due_age.clear();
        for DueJobs { kind, jobs, since } in &sample.due_jobs {
            let labels = JobLabels { kind: kind.clone() };
            self.due_jobs.get_or_create(&labels).set(*jobs);
            self.due_age.get_or_create(&labels).set(now.duration_since(*since).as_secs_f64().max(0.0));
        }
    }
}
