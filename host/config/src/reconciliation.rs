//! `[reconciliation]`.

use jiff::civil::Time;

/// `[reconciliation]`: when what was filed is compared with what the provider holds, and how fast.
#[derive(Debug, Clone)]
pub struct Reconciliation {
    /// The time of the day in UTC at which a run of every workspace begins; none: only the command begins one.
    pub nightly_at: Option<Time>,
    /// How far back a nightly run looks, days.
    pub days: u16,
    /// Requests to the provider within a minute, of one run.
    pub requests_per_min: u32,
}

impl Reconciliation {
    /// What stands for no nightly run.
    pub(crate) const OFF: &str = "off";
}

impl Default for Reconciliation {
    fn default() -> Self {
        Self { nightly_at: Some(Time::constant(3, 30, 0, 0)), days: 35, requests_per_min: 120 }
    }
}
