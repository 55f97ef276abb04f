//! The stages of a run, each with its time and verdict.

use std::time::{Duration, Instant};

use anyhow::Result;

use crate::Outcome;

/// What ran, how long it took and whether it succeeded.
#[derive(Default)]
pub(crate) struct Stages(Vec<(&'static str, Duration, bool)>);

impl Stages {
    /// Runs one stage and says so. `None`: it failed, and its error has been printed.
    pub(crate) fn run<T>(&mut self, name: &'static str, stage: impl FnOnce() -> Result<T>) -> Option<T> {
        eprintln!("\n=== {name}");
        let start = Instant::now();
        let result = stage();
        let elapsed = start.elapsed();
        if let Err(error) = &result {
            eprintln!("error: {error:#}");
        }
        let verdict = if result.is_ok() { "ok" } else { "FAILED" };
        eprintln!("=== {name}: {verdict} in {:.1} s", elapsed.as_secs_f64());
        self.0.push((name, elapsed, result.is_ok()));
        result.ok()
    }

    pub(crate) fn report(&self) -> Outcome {
        eprintln!("\n=== summary");
        for (name, elapsed, succeeded) in &self.0 {
            let verdict = if *succeeded { "ok" } else { "FAILED" };
            eprintln!("{name:<10} {:>7.1} s  {verdict}", elapsed.as_secs_f64());
        }
        let total: Duration = self.0.iter().map(|(_, elapsed, _)| *elapsed).sum();
        eprintln!("{:<10} {:>7.1} s", "total", total.as_secs_f64());
        if self.0.iter().all(|(_, _, succeeded)| *succeeded) { Outcome::Done } else { Outcome::Failed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failed_stage_fails_the_run_and_the_next_still_runs() {
        let mut stages = Stages::default();
        assert_eq!(stages.run::<()>("first", || Err(anyhow::anyhow!("broken"))), None);
        assert_eq!(stages.run("second", || Ok(7)), Some(7));
        assert_eq!(stages.report(), Outcome::Failed);
    }

    #[test]
    fn only_good_stages_make_a_good_run() {
        let mut stages = Stages::default();
        stages.run("only", || Ok(()));
        assert_eq!(stages.report(), Outcome::Done);
    }
}
