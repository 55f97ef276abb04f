//! Rounds, quartiles, and what a process takes as Linux tells it.

use crate::Failed;
use std::fmt;
use std::future::Future;
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

/// How often each figure is taken, unless it says otherwise.
const ROUNDS: &str = "GATEWAY_BENCH_ROUNDS";
/// How much one run has to do, unless it says otherwise.
const LINES: &str = "GATEWAY_BENCH_LINES";
/// Names the program that sends statements to PostgreSQL, which brings it along.
const PSQL: &str = "GATEWAY_BENCH_PSQL";
/// Of which the system counts the processor time of a process, in every Linux that there is.
const TICKS_A_SECOND: u64 = 100;
/// How often a process is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Rounds to measure, behind one that warms up.
pub fn rounds(usual: usize) -> usize {
    number(ROUNDS, usual)
}

/// Lines, rows or documents of one run.
pub fn lines(usual: usize) -> usize {
    number(LINES, usual)
}

fn number(variable: &str, usual: usize) -> usize {
    std::env::var(variable).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// Where the middle half of some values lies.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Quartiles {
    /// A quarter is not above it.
    low: f64,
    /// Half is not above it.
    median: f64,
    /// Three quarters are not above it.
    high: f64,
}

impl fmt::Display for Quartiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let decimals = f.precision().unwrap_or(0);
        let Self { low, median, high } = self;
        write!(f, "{median:.decimals$} ({low:.decimals$}–{high:.decimals$})")
    }
}

/// The quartiles of some values as they stand in a table, a dash where there are none.
pub fn quartiles_text(values: impl IntoIterator<Item = f64>, decimals: usize) -> String {
    quartiles(values).map_or_else(|| "–".to_owned(), |found| format!("{found:.decimals$}"))
}

/// The quartiles of some values; none of no values.
fn quartiles(values: impl IntoIterator<Item = f64>) -> Option<Quartiles> {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let last = values.len().checked_sub(1)?;
    let at = |part: usize| values.get(last * part / 4).copied();
    Some(Quartiles { low: at(1)?, median: at(2)?, high: at(3)? })
}

/// What a process takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// Memory in use, in MiB.
    pub rss_mib: u64,
    /// The most memory that it ever had in use, in MiB.
    pub peak_mib: u64,
    /// Processor time since its start, its threads added up.
    pub cpu: Duration,
}

/// What a process takes now. Fails when it has ended.
pub fn usage(process: u32) -> Result<Usage, Failed> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let mib = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("the process has ended")?;
        let kib: u64 = line.trim().trim_end_matches(" kB").parse()?;
        Ok::<_, Failed>(kib >> 10)
    };
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // Behind the name, which may hold anything: user and system time are the 12th and 13th.
    let (_, behind_name) = stat.rsplit_once(')').ok_or("no name in the state of the process")?;
    let ticks = behind_name.split_whitespace().skip(11).take(2).map(str::parse::<u64>);
    let ticks = ticks.sum::<Result<u64, _>>()?;
    let cpu = Duration::from_millis(ticks * 1_000 / TICKS_A_SECOND);
    Ok(Usage { rss_mib: mib("VmRSS:")?, peak_mib: mib("VmHWM:")?, cpu })
}

/// The most memory, in MiB, that a process had in use while something was done; as far as somebody who looks now and then sees.
pub async fn peak_while<T>(process: u32, done: impl Future<Output = T>) -> (T, u64) {
    let mut peak = 0;
    let mut done = std::pin::pin!(done);
    loop {
        tokio::select! {
            value = &mut done => return (value, peak),
            () = tokio::time::sleep(LOOK) => {}
        }
        if let Ok(usage) = usage(process) {
            peak = peak.max(usage.rss_mib);
        }
    }
}

/// Sends statements to the PostgreSQL database at `url`, in one connection.
pub fn psql(url: &str, statements: &[&str]) -> Result<(), Failed> {
    let program = std::env::var_os(PSQL).map_or_else(|| PathBuf::from("psql"), PathBuf::from);
    let mut psql = Command::new(program);
    psql.args(["--quiet", "--no-psqlrc", "--set", "ON_ERROR_STOP=1", url]);
    for statement in statements {
        psql.args(["--command", statement]);
    }
    if psql.stdout(std::process::Stdio::null()).status()?.success() {
        Ok(())
    } else {
        Err("psql failed; what it says stands above".into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_of_the_values_in_order() {
        let found = quartiles([5.0, 1.0, 4.0, 2.0, 3.0]);
        assert_eq!(found, Some(Quartiles { low: 2.0, median: 3.0, high: 4.0 }));
        assert_eq!(quartiles([]), None);
        assert_eq!(found.map(|found| format!("{found:.1}")).as_deref(), Some("3.0 (2.0–4.0)"));
    }

    #[test]
    fn a_process_tells_what_it_takes() {
        let own = usage(std::process::id()).unwrap();
        assert!(own.rss_mib > 0 && own.peak_mib >= own.rss_mib, "{own:?}");
    }
}
