//! How many lines one place of the code may log: whoever makes the gateway complain as fast as they can must not fill the disk
//! with it. What is left out is counted, and said once a minute.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tracing::callsite::Identifier;
use tracing::{Event, Level, Metadata};
use tracing_subscriber::layer::{Context, Filter};

/// Lines of one place within [`WINDOW`].
pub(super) const LINES_MAX: u32 = 300;
/// How long lines are counted together.
pub(super) const WINDOW: Duration = Duration::from_mins(1);

/// Counts the lines of every place. Cheap to clone; clones count together.
#[derive(Debug, Clone, Default)]
pub(super) struct LineBudget(Arc<Mutex<HashMap<Identifier, LineCount>>>);

#[derive(Debug)]
struct LineCount {
    place: String,
    since: Instant,
    lines: u32,
    suppressed: u64,
}

/// Lines that nobody saw.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SuppressedLines {
    /// File and line in the code.
    pub(super) place: String,
    pub(super) lines: u64,
}

impl LineBudget {
    /// Whether one more line of this place is written.
    fn take(&self, metadata: &Metadata<'_>, now: Instant) -> bool {
        // Whoever asks for these wants all of them.
        if *metadata.level() > Level::INFO {
            return true;
        }
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry(metadata.callsite()).or_insert_with(|| LineCount {
            place: format!(
                "{}:{}",
                metadata.file().unwrap_or(metadata.target()),
                metadata.line().unwrap_or_default()
            ),
            since: now,
            lines: 0,
            suppressed: 0,
        });
        if now.saturating_duration_since(count.since) >= WINDOW {
            (count.since, count.lines) = (now, 0);
        }
        let is_within = count.lines < LINES_MAX;
        if is_within {
            count.lines += 1;
        } else {
            count.suppressed += 1;
        }
        is_within
    }

    /// What was left out since this was asked last.
    pub(super) fn take_suppressed(&self) -> Vec<SuppressedLines> {
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let suppressed = counts.values_mut().filter(|count| count.suppressed > 0);
        suppressed
            .map(|count| SuppressedLines {
                place: count.place.clone(),
                lines: std::mem::take(&mut count.suppressed),
            })
            .collect()
    }
}

impl<S> Filter<S> for LineBudget {
    fn enabled(&self, _: &Metadata<'_>, _: &Context<'_, S>) -> bool {
        true
    }

    fn event_enabled(&self, event: &Event<'_>, _: &Context<'_, S>) -> bool {
        self.take(event.metadata(), Instant::now())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use tracing_subscriber::Layer;
    use tracing_subscriber::layer::SubscriberExt;

    /// Keeps what is written.
    #[derive(Debug, Clone, Default)]
    struct LogBuffer(Arc<Mutex<Vec<u8>>>);

    impl io::Write for LogBuffer {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_place_that_never_stops_is_cut_off_and_others_are_not() {
        let (buffer, budget) = (LogBuffer::default(), LineBudget::default());
        let writer = buffer.clone();
        let lines = tracing_subscriber::fmt::layer().with_writer(move || writer.clone());
        let subscriber = tracing_subscriber::registry().with(lines.with_filter(budget.clone()));
        tracing::subscriber::with_default(subscriber, || {
            for _ in 0..1_000 {
                tracing::warn!("again");
                tracing::debug!("asked for");
            }
            tracing::warn!("once");
        });
        let text = String::from_utf8(buffer.0.lock().unwrap().clone()).unwrap();
        let count = |word: &str| text.lines().filter(|line| line.ends_with(word)).count();
        assert_eq!((count("again"), count("asked for"), count("once")), (300, 1_000, 1));
        let suppressed = budget.take_suppressed();
        assert_eq!(suppressed.iter().map(|suppressed| suppressed.lines).collect::<Vec<_>>(), [700]);
        assert!(suppressed[0].place.contains("line_budget.rs:"), "{suppressed:?}");
        assert_eq!(budget.take_suppressed(), []);
    }
}
