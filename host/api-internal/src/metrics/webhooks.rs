//! How webhooks to customers fare.

use gateway_webhooks::WebhookStats;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::sync::atomic::Ordering;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: String,
}

/// How webhooks fare, as of the last sample.
#[derive(Debug, Clone, Default)]
pub(super) struct WebhookMetrics {
    tries: Family<OutcomeLabels, Counter>,
    backlog: Gauge,
    oldest_due: Gauge,
}

impl WebhookMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "webhook_deliveries",
            "Tries of this process to deliver a webhook, by what came of them",
            self.tries.clone(),
        );
        registry.register(
            "webhook_backlog",
            "Deliveries that wait for webhooks that are not disabled",
            self.backlog.clone(),
        );
        registry.register(
            "webhook_oldest_due_seconds",
            "How long the longest waiting delivery is due",
            self.oldest_due.clone(),
        );
    }

    pub(super) fn set(&self, stats: &WebhookStats) {
        for (outcome, count) in &stats.tries {
            let labels = OutcomeLabels { outcome: outcome.clone() };
            self.tries.get_or_create(&labels).inner().store(*count, Ordering::Relaxed);
        }
        self.backlog.set(stats.backlog);
        self.oldest_due.set(stats.oldest_due_s);
    }
}
