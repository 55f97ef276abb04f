//! A plugin that is stopped again and again is blocked, until an operator activates it anew: it would cost every
//! document the full deadline, and the machine the time of the others.

use crate::options::{Function, Limits};
use gateway_domain::ids::InvoiceId;
use gateway_domain::regime::PluginRef;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A plugin that is called no more.
#[derive(Debug, Clone)]
pub struct BlockedPlugin {
    /// The version that misbehaved.
    pub plugin: PluginRef,
    /// Since when.
    pub since: Instant,
    /// One sentence for an operator: how often it was stopped, what the last time was about, and what to do.
    pub reason: String,
}

/// A call that ended without an answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stop {
    pub(crate) at: Instant,
    /// What the call was about; none where it was about no document, or none that the gateway knows.
    pub(crate) document: Option<InvoiceId>,
}

impl Stop {
    fn is_of(&self, document: Option<InvoiceId>) -> bool {
        document.is_some() && self.document == document
    }
}

/// Counts over how many documents a plugin is stopped. A document that stops it again and again counts once, and an answer of the
/// same function clears that function's count: one bad document does not block a plugin that serves the others, also where it is
/// tried more often than all of them.
#[derive(Debug, Default)]
pub(crate) struct Breaker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Where each function was stopped since it last answered: each document once, the last one last.
    stops: BTreeMap<Function, VecDeque<Stop>>,
    blocked: Option<(Instant, String)>,
}

impl Breaker {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Since when it is blocked, and why.
    pub(crate) fn blocked(&self) -> Option<(Instant, String)> {
        self.state().blocked.clone()
    }

    pub(crate) fn is_blocked(&self) -> bool {
        self.state().blocked.is_some()
    }

    /// Starts anew; whether it was blocked.
    pub(crate) fn reset(&self) -> bool {
        std::mem::take(&mut *self.state()).blocked.is_some()
    }

    /// The function returned, with whatever.
    pub(crate) fn answered(&self, function: Function) {
        self.state().stops.remove(&function);
    }

    /// The function was stopped; `what` is what it did, as a clause that follows "it". Whether that blocks the plugin from now on.
    pub(crate) fn record_stop(&self, function: Function, stop: Stop, what: &str, limits: &Limits) -> bool {
        let mut state = self.state();
        let stops = state.stops.entry(function).or_default();
        stops.retain(|before| {
            !before.is_of(stop.document) && stop.at.duration_since(before.at) <= limits.breaker_window
        });
        stops.push_back(stop);
        let many = usize::try_from(limits.breaker_stops.max(1)).unwrap_or(usize::MAX);
        if stops.len() < many || state.blocked.is_some() {
            return false;
        }
        let reason = format!(
            "it is blocked because '{function}' was stopped over {many} documents within {} s without an answer in \
             between, the last time because it {what}: activate it again to try once more, or activate another version",
            limits.breaker_window.as_secs(),
        );
        state.blocked = Some((stop.at, reason));
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn limits() -> Limits {
        Limits { breaker_stops: 3, breaker_window: Duration::from_secs(10), ..Limits::default() }
    }

    fn stop(breaker: &Breaker, function: Function, at: Instant) -> bool {
        breaker.record_stop(function, Stop { at, document: None }, "crashed", &limits())
    }

    fn stop_over(breaker: &Breaker, document: u128, at: Instant) -> bool {
        let document = Some(InvoiceId(uuid::Uuid::from_u128(document)));
        breaker.record_stop(Function::Convert, Stop { at, document }, "crashed", &limits())
    }

    #[test]
    fn one_document_that_is_tried_again_and_again_counts_once() {
        let (breaker, start) = (Breaker::default(), Instant::now());
        for _ in 0..20 {
            assert!(!stop_over(&breaker, 1, start));
        }
        assert!(!stop_over(&breaker, 2, start));
        // The first one's last time is long ago when the third one comes.
        assert!(!stop_over(&breaker, 3, start + Duration::from_secs(11)));
        assert!(!stop_over(&breaker, 1, start + Duration::from_secs(12)));
        assert!(stop_over(&breaker, 4, start + Duration::from_secs(12)));
    }

    #[test]
    fn the_third_stop_in_a_row_blocks_and_says_so_once() {
        let (breaker, start) = (Breaker::default(), Instant::now());
        assert!(!stop(&breaker, Function::Convert, start));
        assert!(!stop(&breaker, Function::Convert, start));
        assert!(!breaker.is_blocked());
        assert!(stop(&breaker, Function::Convert, start));
        assert!(!stop(&breaker, Function::Convert, start));
        let (_, reason) = breaker.blocked().unwrap();
        assert!(reason.contains("'convert' was stopped over 3 documents within 10 s"), "{reason}");
        assert!(reason.contains("the last time because it crashed: activate"), "{reason}");
        assert!(breaker.reset());
        assert!(!breaker.reset());
        assert!(!stop(&breaker, Function::Convert, start));
    }

    #[test]
    fn an_answer_in_between_and_a_stop_long_ago_do_not_count() {
        let (breaker, start) = (Breaker::default(), Instant::now());
        for _ in 0..5 {
            assert!(!stop(&breaker, Function::Convert, start));
            assert!(!stop(&breaker, Function::Convert, start));
            breaker.answered(Function::Convert);
        }
        for turn in 0..5_u32 {
            assert!(!stop(&breaker, Function::Check, start + Duration::from_secs(6) * turn));
        }
    }

    #[test]
    fn functions_are_counted_apart() {
        let (breaker, start) = (Breaker::default(), Instant::now());
        for _ in 0..2 {
            assert!(!stop(&breaker, Function::Convert, start));
            assert!(!stop(&breaker, Function::Check, start));
        }
        breaker.answered(Function::Check);
        assert!(stop(&breaker, Function::Convert, start));
    }
}
