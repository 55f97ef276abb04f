//! How calls of plugins fare in this process: how many, how long, how many broke.

use gateway_domain::regime::PluginRef;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Upper ends of the classes of durations, microseconds; a longer call is in the last class.
const CLASSES_US: [u64; 18] = [
    50, 100, 200, 400, 700, 1_000, 1_500, 2_000, 3_000, 5_000, 7_000, 10_000, 20_000, 50_000, 100_000,
    500_000, 2_000_000, 10_000_000,
];

/// The calls of one version.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CallStats {
    /// How many.
    pub calls: u64,
    /// Those in which the plugin trapped, ran into a limit, or answered what cannot be used.
    pub broken: u64,
    /// How many of each class of durations.
    classes: [u64; CLASSES_US.len()],
}

impl CallStats {
    /// At most so long took 99 of 100 calls; none before the first.
    pub fn p99(&self) -> Option<Duration> {
        let threshold = self.calls.saturating_mul(99).div_ceil(100);
        let mut so_far = 0_u64;
        let class = self.classes.iter().zip(CLASSES_US).find(|(calls, _)| {
            so_far = so_far.saturating_add(**calls);
            so_far >= threshold
        });
        class.filter(|_| self.calls > 0).map(|(_, end)| Duration::from_micros(end))
    }
}

/// The calls of every version since the process started. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct PluginCalls(Arc<Mutex<BTreeMap<(String, String), CallStats>>>);

impl PluginCalls {
    /// Counts a call.
    pub fn observe(&self, plugin: &PluginRef, took: Duration, is_broken: bool) {
        let took = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let class = CLASSES_US.iter().position(|end| took <= *end).unwrap_or(CLASSES_US.len() - 1);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let figures = all.entry((plugin.key.to_string(), plugin.version.clone())).or_default();
        figures.calls = figures.calls.saturating_add(1);
        figures.broken = figures.broken.saturating_add(u64::from(is_broken));
        if let Some(count) = figures.classes.get_mut(class) {
            *count = count.saturating_add(1);
        }
    }

    /// The calls of one version.
    pub fn of(&self, plugin: &PluginRef) -> CallStats {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(&(plugin.key.to_string(), plugin.version.clone())).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ninety_nine_of_a_hundred_calls_are_no_longer() {
        let plugin = PluginRef {
            key: "es-verifactu".parse().unwrap(),
            version: "1.0.0".to_owned(),
            digest: String::new(),
        };
        let calls = PluginCalls::default();
        assert_eq!(calls.of(&plugin).p99(), None);
        for _ in 0..99 {
            calls.observe(&plugin, Duration::from_micros(80), false);
        }
        calls.observe(&plugin, Duration::from_mins(1), true);
        let figures = calls.of(&plugin);
        assert_eq!((figures.calls, figures.broken), (100, 1));
        assert_eq!(figures.p99(), Some(Duration::from_micros(100)));
        calls.observe(&plugin, Duration::from_mins(1), true);
        assert_eq!(calls.of(&plugin).p99(), Some(Duration::from_secs(10)));
    }
}
