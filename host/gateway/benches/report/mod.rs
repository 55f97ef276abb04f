//! What a benchmark reports: sides that are sampled in turns, a table of their medians, and the same figures as JSON.
//!
//! In each round every side is sampled, another one first each time. The bare side is sampled twice, and what it differs
//! from itself is the noise. Neighbours in time are compared, and then the median and the quartiles of the rounds are taken.

use crate::stage::BenchError;
use serde::Serialize;
use std::path::Path;
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// What is measured.
pub(crate) trait Side {
    /// As it stands in the table.
    fn name(&self) -> &str;

    /// What so many clients at once get, over as long as a sample takes.
    async fn sample(&self, clients: usize) -> Result<Sample, BenchError>;
}

/// What is measured in turns.
pub(crate) struct Sides<S> {
    pub(crate) gateway: S,
    /// The part of the work that nobody is spared, and nothing around it.
    pub(crate) bare: S,
    /// Servers of others that do the same work.
    pub(crate) peers: Vec<S>,
}

/// What a side did in one round.
#[derive(Debug)]
pub(crate) struct Sample {
    a_second: f64,
    /// One for each answer, where somebody measured them.
    latencies: Vec<Duration>,
}

impl Sample {
    /// Waits for clients that began at an instant.
    pub(crate) async fn of_clients(
        started: Instant,
        running: Vec<JoinHandle<Result<Vec<Duration>, BenchError>>>,
    ) -> Result<Self, BenchError> {
        let mut latencies = Vec::new();
        for client in running {
            latencies.extend(client.await??);
        }
        Ok(Self {
            a_second: f64::from(u32::try_from(latencies.len())?) / started.elapsed().as_secs_f64(),
            latencies,
        })
    }

    /// Of a side that is only known to have done so much a second.
    pub(crate) fn of_rate(a_second: f64) -> Self {
        Self { a_second, latencies: Vec::new() }
    }
}

/// The figures of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    bench: &'static str,
    /// Besides one to warm up.
    rounds: usize,
    cores: usize,
    /// Such figures say nothing about what is shipped.
    built_for_development: bool,
    loads: Vec<Load>,
}

/// What was measured at so many clients.
#[derive(Debug, Serialize)]
struct Load {
    database: String,
    clients: usize,
    sides: Vec<SideStats>,
}

#[derive(Debug, Serialize)]
struct SideStats {
    name: String,
    /// The median of the rounds.
    a_second: f64,
    a_second_by_round: Vec<f64>,
    p50_ms: Option<f64>,
    p99_ms: Option<f64>,
    /// The gateway to this side; of the bare side's second samples: to the first ones.
    ratio: Option<Quartiles>,
}

#[derive(Debug, Clone, Copy, Serialize)]
struct Quartiles {
    lower: f64,
    median: f64,
    upper: f64,
}

impl Report {
    /// Of so many rounds, unless `GATEWAY_BENCH_ROUNDS` names another number.
    pub(crate) fn new(bench: &'static str, rounds: usize) -> Self {
        let configured = std::env::var("GATEWAY_BENCH_ROUNDS").ok().and_then(|text| text.parse().ok());
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let built_for_development = cfg!(debug_assertions);
        Self { bench, rounds: configured.unwrap_or(rounds), cores, built_for_development, loads: Vec::new() }
    }

    /// Measures the sides under each load, and prints a table of them.
    pub(crate) async fn measure<S: Side>(
        &mut self,
        database: &str,
        sides: &Sides<S>,
        loads: &[usize],
    ) -> Result<(), BenchError> {
        println!("\n{database}, {} rounds after one to warm up", self.rounds);
        println!("clients  side                       a second    p50    p99 (ms)    ratio   quartiles");
        for clients in loads.iter().copied() {
            let sides = self.sample(sides, clients).await?;
            for (row, side) in sides.iter().enumerate() {
                print_row(&if row == 0 { clients.to_string() } else { String::new() }, side);
            }
            self.loads.push(Load { database: database.to_owned(), clients, sides });
        }
        println!(
            "ratio: the gateway to that side; of `again`, which is the same side sampled twice: the noise"
        );
        Ok(())
    }

    async fn sample<S: Side>(&self, sides: &Sides<S>, clients: usize) -> Result<Vec<SideStats>, BenchError> {
        let mut gateway = Series::of(&sides.gateway);
        let (mut bare, mut again) = (Series::of(&sides.bare), Series::of(&sides.bare));
        let mut peers: Vec<_> = sides.peers.iter().map(Series::of).collect();
        for round in 0..=self.rounds {
            let mut order: Vec<_> =
                [&mut gateway, &mut bare, &mut again].into_iter().chain(&mut peers).collect();
            let first = round % order.len();
            order.rotate_left(first);
            for series in order {
                let sample = series.side.sample(clients).await?;
                // The first round only warms up.
                if round > 0 {
                    series.samples.push(sample);
                }
            }
        }
        let noise =
            SideStats { name: format!("{} again", bare.side.name()), ..again.stats(Some(&again.to(&bare))) };
        let mut all = vec![gateway.stats(None), bare.stats(Some(&gateway.to(&bare))), noise];
        all.extend(peers.iter().map(|peer| peer.stats(Some(&gateway.to(peer)))));
        Ok(all)
    }

    /// Writes the figures to `target/bench`, beside the table that was printed.
    pub(crate) fn write(&self) -> Result<(), BenchError> {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("bench");
        std::fs::create_dir_all(&folder)?;
        let file = folder.join(format!("{}.json", self.bench));
        std::fs::write(&file, serde_json::to_vec_pretty(self)?)?;
        println!("\nThe figures as JSON: {}", file.display());
        Ok(())
    }
}

/// The samples of one side, one for each round.
struct Series<'a, S> {
    side: &'a S,
    samples: Vec<Sample>,
}

impl<'a, S: Side> Series<'a, S> {
    fn of(side: &'a S) -> Self {
        Self { side, samples: Vec::new() }
    }

    /// The ratio of each round.
    fn to(&self, other: &Self) -> Vec<f64> {
        let rounds = self.samples.iter().zip(&other.samples);
        rounds.map(|(own, other)| own.a_second / other.a_second).collect()
    }

    fn stats(&self, ratios: Option<&[f64]>) -> SideStats {
        let a_second_by_round: Vec<_> = self.samples.iter().map(|sample| sample.a_second).collect();
        let mut latencies: Vec<_> = self.samples.iter().flat_map(|sample| &sample.latencies).collect();
        latencies.sort_unstable();
        let at = |percent: usize| {
            let latency =
                latencies.get((latencies.len() * percent / 100).min(latencies.len().saturating_sub(1)));
            latency.map(|latency| latency.as_secs_f64() * 1000.0)
        };
        SideStats {
            name: self.side.name().to_owned(),
            a_second: Quartiles::of(&a_second_by_round).median,
            p50_ms: at(50),
            p99_ms: at(99),
            ratio: ratios.map(Quartiles::of),
            a_second_by_round,
        }
    }
}

impl Quartiles {
    /// Between two values where none stands at the place.
    fn of(values: &[f64]) -> Self {
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |quarters: usize| {
            let place = sorted.len().saturating_sub(1) * quarters;
            let value = |index: usize| sorted.get(index).copied().unwrap_or_default();
            let part = u8::try_from(place % 4).map_or(0.0, f64::from) / 4.0;
            value(place / 4) * (1.0 - part) + value(place.div_ceil(4)) * part
        };
        Self { lower: at(1), median: at(2), upper: at(3) }
    }
}

fn print_row(clients: &str, side: &SideStats) {
    let latency = |ms: Option<f64>| ms.map_or_else(String::new, |ms| format!("{ms:.2}"));
    let ratio = side.ratio.map_or_else(String::new, |Quartiles { lower, median, upper }| {
        format!("{median:>7.3}   {lower:.3} – {upper:.3}")
    });
    let (p50, p99) = (latency(side.p50_ms), latency(side.p99_ms));
    println!("{clients:>7}  {:<24} {:>10.0} {p50:>6} {p99:>6}       {ratio}", side.name, side.a_second);
}
