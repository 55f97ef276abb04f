//! Samples, and the table they become.

use std::time::Duration;

pub(crate) const SUBJECT: &str = "`PUT …/issuing` over HTTP, the operation without HTTP, and its SQL bare, \
     in turns on one pool; every commit is on disk.\nClient, gateway and database share the machine.";
pub(crate) const TABLE_HEAD: &str = "clients   SQL/s  operation/s  HTTP/s   HTTP to SQL   operation to SQL   \
     SQL p50  p99   HTTP p50  p99 (ms)";

/// One way to issue a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Way {
    /// What the database is asked, without the gateway.
    Sql,
    /// What the gateway does, without HTTP.
    Operation,
    /// As clients do it.
    Http,
}

impl Way {
    /// Every way once, another one first each time.
    pub(crate) fn in_turns(round: usize) -> [Self; 3] {
        let mut ways = [Self::Sql, Self::Operation, Self::Http];
        ways.rotate_left(round % 3);
        ways
    }
}

/// What one way did in one round.
#[derive(Debug)]
pub(crate) struct Sample {
    pub(crate) way: Way,
    pub(crate) elapsed: Duration,
    /// One for each document.
    pub(crate) latencies: Vec<Duration>,
}

impl Sample {
    fn a_second(&self) -> f64 {
        f64::from(u32::try_from(self.latencies.len()).unwrap_or(u32::MAX)) / self.elapsed.as_secs_f64()
    }
}

/// Prints one row of the table.
pub(crate) fn report(clients: usize, samples: &[Sample]) {
    let of = |way| samples.iter().filter(move |sample| sample.way == way);
    let rate = |way| median(of(way).map(Sample::a_second).collect());
    // Neighbours in time are compared, and then the median is taken.
    let ratio = |way| {
        let pairs = of(way).zip(of(Way::Sql));
        100.0 * median(pairs.map(|(sample, sql)| sample.a_second() / sql.a_second()).collect())
    };
    let at = |way, percent: usize| {
        let mut all: Vec<Duration> = of(way).flat_map(|sample| sample.latencies.iter().copied()).collect();
        all.sort_unstable();
        let place = (all.len() * percent / 100).min(all.len().saturating_sub(1));
        all.get(place).map_or(0.0, |latency| latency.as_secs_f64() * 1000.0)
    };
    println!(
        "{clients:>7} {:>7.0} {:>12.0} {:>7.0} {:>11.0} % {:>16.0} % {:>9.2} {:>5.2} {:>9.2} {:>5.2}",
        rate(Way::Sql),
        rate(Way::Operation),
        rate(Way::Http),
        ratio(Way::Http),
        ratio(Way::Operation),
        at(Way::Sql, 50),
        at(Way::Sql, 99),
        at(Way::Http, 50),
        at(Way::Http, 99),
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
