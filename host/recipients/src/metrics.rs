//! What a process counts of checks.

use gateway_domain_recipients::Outcome;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CheckLabels {
    outcome: &'static str,
}

/// How often recipients were checked, by what came of it. Cheap to clone.
#[derive(Debug, Clone)]
pub struct CheckMetrics(Family<CheckLabels, Counter>);

impl Default for CheckMetrics {
    /// Every outcome is shown from the start.
    fn default() -> Self {
        let checks = Family::<CheckLabels, Counter>::default();
        for outcome in Outcome::ALL {
            let _: Counter = checks.get_or_create(&CheckLabels { outcome: outcome.as_str() }).clone();
        }
        Self(checks)
    }
}

impl CheckMetrics {
    /// Puts them where they are read.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "einvoicing_recipient_checks",
            "Checks of recipients in this process, those answered from what is kept and those of dry runs too, by outcome",
            self.0.clone(),
        );
    }

    pub(crate) fn count(&self, outcome: Outcome) {
        self.0.get_or_create(&CheckLabels { outcome: outcome.as_str() }).inc();
    }
}
