//! What keeps documents from getting stuck: the watchdog, the reconciliation, and the breaker in front of the provider.

use super::AlertLabels;
use gateway_domain_amendment::AmendmentState;
use gateway_domain_finance::BreakerState;
use gateway_domain_reconciliation::{ReconciliationCounts, ReconciliationOutcome};
use gateway_watchdog::WatchdogStats;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use std::sync::atomic::Ordering;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct BreakerLabels {
    state: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct AmendmentLabels {
    state: &'static str,
}

/// What keeps documents from getting stuck.
#[derive(Debug, Clone, Default)]
pub(super) struct CareMetrics {
    rounds: Counter,
    repaired: Counter,
    recalled: Counter,
    unattended: Family<AlertLabels, Gauge>,
    with_errors: Gauge,
    unreconciled: Family<OutcomeLabels, Gauge>,
    amendments: Family<AmendmentLabels, Gauge>,
    breaker: Family<BreakerLabels, Gauge>,
    opened: Counter,
}

impl CareMetrics {
    pub(super) fn register(&self, registry: &mut Registry) {
        registry.register(
            "einvoicing_watchdog_rounds",
            "Rounds of the watchdog in this process; one process watches at a time",
            self.rounds.clone(),
        );
        registry.register(
            "einvoicing_watchdog_repaired",
            "Submissions without a next step that the watchdog of this process gave one",
            self.repaired.clone(),
        );
        registry.register(
            "einvoicing_watchdog_recalled",
            "Jobs and webhook deliveries that the watchdog of this process made due now because the clock had stepped",
            self.recalled.clone(),
        );
        registry.register(
            "einvoicing_watchdog_alerts",
            "Issuing documents that no submission will move, by alert: somebody has to end them",
            self.unattended.clone(),
        );
        registry.register(
            "einvoicing_documents_accepted_with_errors",
            "Documents that the tax authority accepted with remarks, which it calls errors",
            self.with_errors.clone(),
        );
        registry.register(
            "einvoicing_reconciliation_open",
            "Entries of the newest reconciliations that somebody has to settle, by outcome",
            self.unreconciled.clone(),
        );
        registry.register(
            "einvoicing_amendments_open",
            "Amendments of issued documents that are under way, by how far they are",
            self.amendments.clone(),
        );
        registry.register(
            "einvoicing_provider_breaker",
            "How the breaker of this process stands: 1 for its present state",
            self.breaker.clone(),
        );
        registry.register(
            "einvoicing_provider_breaker_opened",
            "Times calls to the provider were held back because it answered nobody",
            self.opened.clone(),
        );
    }

    pub(super) fn set(&self, watched: &WatchdogStats) {
        self.rounds.inner().store(watched.rounds, Ordering::Relaxed);
        self.repaired.inner().store(watched.repaired, Ordering::Relaxed);
        self.recalled.inner().store(watched.recalled, Ordering::Relaxed);
        for (code, documents) in &watched.alerts {
            self.unattended.get_or_create(&AlertLabels { code: code.clone() }).set(*documents);
        }
    }

    pub(super) fn set_accepted_with_errors(&self, documents: i64) {
        self.with_errors.set(documents);
    }

    pub(super) fn set_reconciled(&self, counts: &ReconciliationCounts) {
        let open = [
            (ReconciliationOutcome::Different, counts.different),
            (ReconciliationOutcome::OnlyHere, counts.only_here),
            (ReconciliationOutcome::OnlyThere, counts.only_there),
        ];
        for (outcome, count) in open {
            let labels = OutcomeLabels { outcome: outcome.as_str() };
            self.unreconciled.get_or_create(&labels).set(i64::try_from(count).unwrap_or(i64::MAX));
        }
    }

    /// A state that nothing is in reads 0 instead of disappearing.
    pub(super) fn set_amendments(&self, open: &[(String, i64)]) {
        for state in [AmendmentState::Uploading, AmendmentState::Starting, AmendmentState::Waiting] {
            let count = open.iter().find(|(name, _)| name == state.as_str()).map_or(0, |(_, count)| *count);
            self.amendments.get_or_create(&AmendmentLabels { state: state.as_str() }).set(count);
        }
    }

    pub(super) fn set_breaker(&self, (state, opened): (BreakerState, u64)) {
        for &each in BreakerState::ALL {
            let labels = BreakerLabels { state: each.as_str() };
            self.breaker.get_or_create(&labels).set(i64::from(each == state));
        }
        self.opened.inner().store(opened, Ordering::Relaxed);
    }
}
