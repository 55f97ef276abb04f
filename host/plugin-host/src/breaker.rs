//! A plugin that is stopped again and again is blocked, until an operator activates it anew: it would cost every
//! document the full deadline, and the machine the time of the others.

use crate::options::{Function, Limits};
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

/// Counts how often a plugin is stopped. An answer of the same function clears that function's count, so that one bad
/// document does not block a plugin that serves the others.
#[derive(Debug, Default)]
pub(crate) struct Breaker(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// When each function was stopped since it last answered.
    stops: BTreeMap<Function, VecDeque<Instant>>,
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
    pub(crate) fn record_stop(&self, function: Function, now: Instant, what: &str, limits: &Limits) -> bool {
        let mut state = self.state();
        let stops = state.stops.entry(function).or_default();
        stops.push_back(now);
        while stops.front().is_some_and(|first| now.duration_since(*first) > limits.breaker_window) {
            stops.pop_front();
        }
        let many = usize::try_from(limits.breaker_stops.max(1)).unwrap_or(usize::MAX);
        if stops.len() < many || state.blocked.is_some() {
            return false;
        }
        let reason = format!(
            "it is blocked because '{function}' was stopped {many} times within {} s without an answer in between, \
             the last time because it {what}: activate it again to try once more, or activate another version",
            limits.breaker_window.as_secs(),
        );
        state.blocked = Some((now, reason));
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
        breaker.record_stop(function, at, "crashed", &limits())
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
        assert!(reason.contains("'convert' was stopped 3 times within 10 s"), "{reason}");
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
