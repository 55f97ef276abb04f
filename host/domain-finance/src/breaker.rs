//! The circuit breaker in front of the provider: a provider that answers nobody is left alone for a growing pause,
//! and one document that fails again and again delays no other.
//!
//! Pure: it is told what happened and when, and says whether a call may be made. One per process.

use gateway_domain::ids::InvoiceId;
use jiff::{SignedDuration, Timestamp};

/// Different documents that fail in a row, without any answer in between, until calls are held back. A document
/// counts once however often it fails, so that one bad document cannot do this alone.
pub const BREAKER_DOCUMENTS: usize = 5;
/// First pause, seconds; doubled with every probe that fails.
pub const BREAKER_PAUSE_S: i64 = 5;
/// Longest pause, seconds.
pub const BREAKER_PAUSE_MAX_S: i64 = 300;
/// How long the document whose probe failed leaves the next probe to others, seconds.
const YIELD_S: i64 = 3;
/// How long the others wait for the outcome of a probe before they ask again, seconds.
const RECHECK_S: i64 = 2;
/// How long a probe may stay without an outcome until another document becomes the probe, seconds. Longer than
/// any call may take.
const PROBE_TIMEOUT_S: i64 = 45;

/// Whether a call may be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// Now.
    Go,
    /// Not before this instant; then ask again.
    HoldUntil(Timestamp),
}

/// How the breaker stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum BreakerState {
    /// Calls are made.
    Closed,
    /// One call is made to see whether the provider is back.
    HalfOpen,
    /// Calls are held back.
    Open,
}

impl BreakerState {
    /// Every state.
    pub const ALL: &'static [Self] = <Self as strum::VariantArray>::VARIANTS;

    /// As written in JSON and metrics.
    pub fn as_str(self) -> &'static str {
        self.into()
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// Documents that failed since the last answer, each once.
    Closed { failed: Vec<InvoiceId> },
    /// No calls before `until`; `probed` failed the last probe.
    Open { until: Timestamp, pause: SignedDuration, probed: Option<InvoiceId> },
    /// `probe` is calling since `since`; when it fails, the next pause is longer than `pause`.
    HalfOpen { probe: InvoiceId, since: Timestamp, pause: SignedDuration },
}

/// The breaker. See the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breaker {
    state: State,
    opened: u64,
}

impl Default for Breaker {
    fn default() -> Self {
        Self { state: State::Closed { failed: Vec::new() }, opened: 0 }
    }
}

impl Breaker {
    /// Whether a call for `document` may be made at `now`. Whoever may go reports what came of it.
    pub fn ask(&mut self, document: InvoiceId, now: Timestamp) -> Permit {
        match &self.state {
            State::Closed { .. } => Permit::Go,
            State::Open { until, .. } if now < *until && is_plausible(*until, now) => {
                Permit::HoldUntil(*until)
            }
            State::Open { until, probed, .. }
                if *probed == Some(document) && now < later(*until, YIELD_S) && is_plausible(*until, now) =>
            {
                Permit::HoldUntil(later(*until, YIELD_S))
            }
            State::Open { pause, .. } => self.probe(document, now, *pause),
            State::HalfOpen { probe, .. } if *probe == document => Permit::Go,
            State::HalfOpen { since, pause, .. } if now < *since || now >= later(*since, PROBE_TIMEOUT_S) => {
                self.probe(document, now, *pause)
            }
            State::HalfOpen { .. } => Permit::HoldUntil(later(now, RECHECK_S)),
        }
    }

    fn probe(&mut self, document: InvoiceId, now: Timestamp, pause: SignedDuration) -> Permit {
        self.state = State::HalfOpen { probe: document, since: now, pause };
        Permit::Go
    }

    /// The provider answered, whatever it said: it lives.
    pub fn answered(&mut self) {
        self.state = State::Closed { failed: Vec::new() };
    }

    /// The provider was unavailable to a call for `document`. Late failures of calls that were made before the
    /// breaker opened change nothing.
    pub fn unavailable(&mut self, document: InvoiceId, now: Timestamp) {
        match &mut self.state {
            State::Closed { failed } => {
                if !failed.contains(&document) {
                    failed.push(document);
                }
                if failed.len() >= BREAKER_DOCUMENTS {
                    self.open(SignedDuration::from_secs(BREAKER_PAUSE_S), None, now);
                }
            }
            State::HalfOpen { probe, pause, .. } if *probe == document => {
                let longest = SignedDuration::from_secs(BREAKER_PAUSE_MAX_S);
                let longer = pause.saturating_add(*pause).min(longest);
                self.open(longer, Some(document), now);
            }
            State::HalfOpen { .. } | State::Open { .. } => {}
        }
    }

    fn open(&mut self, pause: SignedDuration, probed: Option<InvoiceId>, now: Timestamp) {
        let until = now.checked_add(pause).unwrap_or(Timestamp::MAX);
        self.state = State::Open { until, pause, probed };
        self.opened = self.opened.saturating_add(1);
    }

    /// How it stands.
    pub const fn state(&self) -> BreakerState {
        match self.state {
            State::Closed { .. } => BreakerState::Closed,
            State::Open { .. } => BreakerState::Open,
            State::HalfOpen { .. } => BreakerState::HalfOpen,
        }
    }

    /// How often it opened, a longer pause after a failed probe included.
    pub const fn opened(&self) -> u64 {
        self.opened
    }
}

/// Whether a pause may end then: one that would end later than the longest began while the clock was ahead.
fn is_plausible(until: Timestamp, now: Timestamp) -> bool {
    until <= later(now, BREAKER_PAUSE_MAX_S)
}

fn later(at: Timestamp, seconds: i64) -> Timestamp {
    at.checked_add(SignedDuration::from_secs(seconds)).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn document(number: usize) -> InvoiceId {
        InvoiceId(Uuid::from_u128(u128::try_from(number).unwrap()))
    }

    /// A breaker that opened at second 0.
    fn open() -> Breaker {
        let mut breaker = Breaker::default();
        for number in 0..BREAKER_DOCUMENTS {
            assert_eq!(breaker.ask(document(number), at(0)), Permit::Go);
            breaker.unavailable(document(number), at(0));
        }
        assert_eq!((breaker.state(), breaker.opened()), (BreakerState::Open, 1));
        breaker
    }

    #[test]
    fn one_document_that_fails_for_ever_opens_nothing() {
        let mut breaker = Breaker::default();
        for second in 0..1000 {
            assert_eq!(breaker.ask(document(0), at(second)), Permit::Go);
            breaker.unavailable(document(0), at(second));
        }
        assert_eq!(breaker.state(), BreakerState::Closed);
    }

    #[test]
    fn an_answer_to_anybody_starts_the_count_afresh() {
        let mut breaker = Breaker::default();
        for round in 0..10 {
            for number in 1..BREAKER_DOCUMENTS {
                breaker.unavailable(document(round * BREAKER_DOCUMENTS + number), at(0));
            }
            breaker.answered();
        }
        assert_eq!((breaker.state(), breaker.opened()), (BreakerState::Closed, 0));
    }

    #[test]
    fn a_dead_provider_is_left_alone_until_the_pause_ends_and_then_one_document_tries() {
        let mut breaker = open();
        for number in 0..100 {
            assert_eq!(breaker.ask(document(number), at(4)), Permit::HoldUntil(at(BREAKER_PAUSE_S)));
        }
        assert_eq!(breaker.ask(document(70), at(BREAKER_PAUSE_S)), Permit::Go);
        assert_eq!(breaker.state(), BreakerState::HalfOpen);
        assert_eq!(breaker.ask(document(71), at(6)), Permit::HoldUntil(at(6 + RECHECK_S)));
        assert_eq!(breaker.ask(document(70), at(6)), Permit::Go, "the probe's second call");
        breaker.answered();
        assert_eq!(breaker.ask(document(71), at(6)), Permit::Go);
    }

    #[test]
    fn every_failed_probe_doubles_the_pause_up_to_the_longest() {
        let mut breaker = open();
        let (mut now, mut pauses) = (BREAKER_PAUSE_S, Vec::new());
        for number in 100..110 {
            assert_eq!(breaker.ask(document(number), at(now)), Permit::Go);
            breaker.unavailable(document(number), at(now));
            let Permit::HoldUntil(until) = breaker.ask(document(0), at(now)) else { panic!("not held") };
            pauses.push(until.as_second() - now);
            now = until.as_second();
        }
        assert_eq!(pauses, [10, 20, 40, 80, 160, 300, 300, 300, 300, 300]);
        assert_eq!(breaker.opened(), 11);
        breaker.answered();
        for number in 0..BREAKER_DOCUMENTS {
            breaker.unavailable(document(number), at(now));
        }
        assert_eq!(
            breaker.ask(document(0), at(now)),
            Permit::HoldUntil(at(now + BREAKER_PAUSE_S)),
            "from the start"
        );
    }

    #[test]
    fn the_document_that_failed_the_probe_lets_another_one_try() {
        let mut breaker = open();
        assert_eq!(breaker.ask(document(7), at(5)), Permit::Go);
        breaker.unavailable(document(7), at(5));
        assert_eq!(breaker.ask(document(7), at(15)), Permit::HoldUntil(at(15 + YIELD_S)));
        let mut alone = breaker.clone();
        assert_eq!(breaker.ask(document(8), at(16)), Permit::Go);
        breaker.answered();
        assert_eq!(breaker.ask(document(7), at(16)), Permit::Go);
        assert_eq!(alone.ask(document(7), at(15 + YIELD_S)), Permit::Go, "nobody else came");
    }

    #[test]
    fn failures_of_calls_that_were_on_their_way_prolong_nothing() {
        let mut breaker = open();
        breaker.unavailable(document(50), at(3));
        assert_eq!(breaker.ask(document(0), at(3)), Permit::HoldUntil(at(BREAKER_PAUSE_S)));
        assert_eq!(breaker.ask(document(60), at(5)), Permit::Go);
        breaker.unavailable(document(51), at(5));
        assert_eq!((breaker.state(), breaker.opened()), (BreakerState::HalfOpen, 1));
    }

    #[test]
    fn an_answer_that_was_on_its_way_shows_that_the_provider_lives() {
        let mut breaker = open();
        breaker.answered();
        assert_eq!(breaker.ask(document(0), at(1)), Permit::Go);
    }

    #[test]
    fn a_probe_that_never_reports_is_replaced() {
        let mut breaker = open();
        assert_eq!(breaker.ask(document(1), at(5)), Permit::Go);
        let end = 5 + PROBE_TIMEOUT_S;
        assert_eq!(breaker.ask(document(2), at(end - 1)), Permit::HoldUntil(at(end - 1 + RECHECK_S)));
        assert_eq!(breaker.ask(document(2), at(end)), Permit::Go);
        assert_eq!(breaker.ask(document(3), at(end)), Permit::HoldUntil(at(end + RECHECK_S)));
        breaker.unavailable(document(1), at(end));
        assert_eq!(breaker.state(), BreakerState::HalfOpen, "the first probe counts no more");
    }

    #[test]
    fn a_pause_that_began_while_the_clock_was_ahead_holds_nobody() {
        const AHEAD: i64 = 400 * 86_400;
        let ahead = at(AHEAD);
        let mut breaker = Breaker::default();
        for number in 0..BREAKER_DOCUMENTS {
            breaker.unavailable(document(number), ahead);
        }
        assert_eq!(breaker.ask(document(9), ahead), Permit::HoldUntil(at(AHEAD + BREAKER_PAUSE_S)));
        let mut probed = breaker.clone();
        assert_eq!(breaker.ask(document(9), at(0)), Permit::Go, "the clock came back");
        breaker.unavailable(document(9), at(0));
        assert_eq!(breaker.ask(document(8), at(1)), Permit::HoldUntil(at(2 * BREAKER_PAUSE_S)));

        // The probe went out, or failed, while the clock was ahead.
        assert_eq!(probed.ask(document(9), at(AHEAD + BREAKER_PAUSE_S)), Permit::Go);
        let mut failed = probed.clone();
        assert_eq!(probed.ask(document(8), at(0)), Permit::Go, "another probe");
        failed.unavailable(document(9), at(AHEAD + BREAKER_PAUSE_S));
        assert_eq!(failed.ask(document(9), at(0)), Permit::Go);
    }

    /// Every sequence of events up to a length, for few documents: calls are held only after enough different
    /// documents failed in a row, and somebody may always try again within the longest pause.
    #[test]
    fn in_every_short_history_nobody_is_held_for_longer_than_the_longest_pause() {
        fn explore(breaker: &Breaker, now: i64, depth: usize, failed: &[usize]) {
            assert!(breaker.state() == BreakerState::Closed || breaker.opened() > 0);
            if breaker.opened() == 0 {
                assert!(failed.len() < BREAKER_DOCUMENTS);
            }
            if depth == 0 {
                let mut patient = breaker.clone();
                let far = now + BREAKER_PAUSE_MAX_S + PROBE_TIMEOUT_S + YIELD_S;
                assert_eq!(patient.ask(document(99), at(far)), Permit::Go);
                return;
            }
            for number in 0..BREAKER_DOCUMENTS {
                let mut next = breaker.clone();
                match next.ask(document(number), at(now)) {
                    Permit::Go => {
                        next.unavailable(document(number), at(now));
                        let mut failed = failed.to_vec();
                        if !failed.contains(&number) {
                            failed.push(number);
                        }
                        explore(&next, now + 1, depth - 1, &failed);
                    }
                    Permit::HoldUntil(until) => {
                        assert!(until > at(now) && until <= at(now + BREAKER_PAUSE_MAX_S));
                        explore(&next, until.as_second(), depth - 1, failed);
                    }
                }
            }
            let mut next = breaker.clone();
            next.answered();
            explore(&next, now + 1, depth - 1, &[]);
        }
        explore(&Breaker::default(), 0, 7, &[]);
    }
}
