//! What a process counts of checks.

use gateway_domain_recipients::Outcome;
use gateway_domain_recipients::participant::ParticipantOutcome;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;
use std::marker::PhantomData;

#[derive(Debug, Clone, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CheckLabels {
    outcome: &'static str,
}

/// What a check may come to.
pub(crate) trait OutcomeKind: Copy + 'static {
    /// Each of them.
    const ALL: &'static [Self];

    /// As it is shown.
    fn as_str(self) -> &'static str;
}

impl OutcomeKind for Outcome {
    const ALL: &'static [Self] = Self::ALL;

    fn as_str(self) -> &'static str {
        self.as_str()
    }
}

impl OutcomeKind for ParticipantOutcome {
    const ALL: &'static [Self] = Self::ALL;

    fn as_str(self) -> &'static str {
        self.as_str()
    }
}

/// How often something came to each outcome. Cheap to clone.
#[derive(Debug, Clone)]
pub(crate) struct OutcomeCounts<O>(Family<CheckLabels, Counter>, PhantomData<O>);

impl<O: OutcomeKind> Default for OutcomeCounts<O> {
    /// Every outcome is shown from the start.
    fn default() -> Self {
        let checks = Family::<CheckLabels, Counter>::default();
        for outcome in O::ALL {
            let _: Counter = checks.get_or_create(&CheckLabels { outcome: outcome.as_str() }).clone();
        }
        Self(checks, PhantomData)
    }
}

impl<O: OutcomeKind> OutcomeCounts<O> {
    pub(crate) fn count(&self, outcome: O) {
        self.0.get_or_create(&CheckLabels { outcome: outcome.as_str() }).inc();
    }
}

/// How often recipients were checked, by what came of it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct CheckMetrics {
    pub(crate) numbers: OutcomeCounts<Outcome>,
    pub(crate) participants: OutcomeCounts<ParticipantOutcome>,
}

impl CheckMetrics {
    /// Puts them where they are read.
    pub fn register(&self, registry: &mut Registry) {
        registry.register(
            "einvoicing_recipient_checks",
            "Checks of recipients in this process, those answered from what is kept and those of dry runs too, by outcome",
            self.numbers.0.clone(),
        );
        registry.register(
            "einvoicing_participant_checks",
            "Look-ups of recipients in the delivery network in this process, those answered from what is kept and those of dry runs too, by outcome",
            self.participants.0.clone(),
        );
    }
}
