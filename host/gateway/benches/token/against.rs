//! What the gateway did against a bare rate: samples of many clients, and the table they become.

use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// What the clients got in one sample.
#[derive(Debug)]
pub(crate) struct Sample {
    elapsed: Duration,
    /// One for each answer.
    latencies: Vec<Duration>,
}

impl Sample {
    /// Waits for clients that began at an instant.
    pub(crate) async fn of<E: From<tokio::task::JoinError>>(
        started: Instant,
        running: Vec<JoinHandle<Result<Vec<Duration>, E>>>,
    ) -> Result<Self, E> {
        let mut latencies = Vec::new();
        for client in running {
            latencies.extend(client.await??);
        }
        Ok(Self { elapsed: started.elapsed(), latencies })
    }

    fn a_second(&self) -> f64 {
        f64::from(u32::try_from(self.latencies.len()).unwrap_or(u32::MAX)) / self.elapsed.as_secs_f64()
    }
}

/// The heading over the rows: what is bare, what the gateway does.
pub(crate) fn head(bare: &str, whole: &str) -> String {
    format!(
        "clients {:>14} {:>12} {:>24}   p50   p99 (ms)",
        format!("{bare}/s"),
        format!("{whole}/s"),
        format!("{whole} to {bare}")
    )
}

/// Prints one row: bare rates, each with the sample taken beside it. Neighbours in time are compared, and then the
/// median is taken.
pub(crate) fn report(clients: usize, pairs: &[(f64, Sample)]) {
    let bare = median(pairs.iter().map(|(rate, _)| *rate).collect());
    let whole = median(pairs.iter().map(|(_, sample)| sample.a_second()).collect());
    let ratio = median(pairs.iter().map(|(rate, sample)| sample.a_second() / rate).collect());
    let mut latencies: Vec<_> =
        pairs.iter().flat_map(|(_, sample)| sample.latencies.iter().copied()).collect();
    latencies.sort_unstable();
    let at = |percent: usize| {
        let place = (latencies.len() * percent / 100).min(latencies.len().saturating_sub(1));
        latencies.get(place).map_or(0.0, |latency| latency.as_secs_f64() * 1000.0)
    };
    println!(
        "{clients:>7} {bare:>14.0} {whole:>12.0} {:>22.1} % {:>5.2} {:>5.2}",
        100.0 * ratio,
        at(50),
        at(99)
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
