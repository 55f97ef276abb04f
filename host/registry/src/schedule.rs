//! Versions that come in force at a time, because a law does: proved when they are ordered, activated when they are due.

use super::activation::Order;
use super::blocked::append_missed_notices;
use super::change::Scheduled;
use super::follow::REPORT_INTERVAL;
use super::{CanaryCheck, PluginError, PluginName, Plugins, Runtime};
use gateway_domain::StoreError;
use gateway_domain::access::Actor;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::regime::{PluginRef, RegimeKey};
use gateway_finance::Finance;
use gateway_storage::plugins::schedules::{self, Schedule};
use gateway_storage::plugins::{self as store};
use gateway_storage::workspaces;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use serde::Serialize;
use std::str::FromStr;

/// When a version is to come in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DueTime {
    /// At an instant.
    At(Timestamp),
    /// As a day begins where the workspaces are that the version is for.
    Day(Date),
}

/// A text is neither a day nor a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("use a day such as 2027-01-01, or a time as RFC 3339, such as 2027-01-01T00:00:00+01:00")]
pub struct InvalidDueTime;

impl FromStr for DueTime {
    type Err = InvalidDueTime;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        // A time would be read as its day.
        if text.len() == "2027-01-01".len() {
            return text.parse().map(Self::Day).map_err(|_| InvalidDueTime);
        }
        text.parse().map(Self::At).map_err(|_| InvalidDueTime)
    }
}

/// A version that comes in force at a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledVersion {
    /// Key, version and digest.
    pub plugin: PluginRef,
    /// For whom; none: every workspace without a version of its own.
    pub workspace: Option<WorkspaceId>,
    /// When.
    pub due_at: Timestamp,
    /// When somebody ordered it.
    pub ordered_at: Timestamp,
    /// Who did.
    pub ordered_by: Actor,
    /// What kept it from coming in force when it was due, one sentence.
    pub problem: Option<String>,
}

impl From<Schedule> for ScheduledVersion {
    fn from(schedule: Schedule) -> Self {
        let Schedule { plugin, workspace, due_at, at: ordered_at, actor: ordered_by, problem } = schedule;
        Self { plugin, workspace, due_at, ordered_at, ordered_by, problem }
    }
}

/// An activation that was ordered for later.
#[derive(Debug, Clone)]
pub struct ScheduleReport {
    /// What comes in force, for whom and when.
    pub scheduled: ScheduledVersion,
    /// The version's own samples, and the last invoices through it and the version in force.
    pub canary: CanaryCheck,
}

/// What the audit trail tells of a version that comes in force at a time, or does not any more.
#[derive(Serialize)]
struct ScheduleData {
    workspace_id: Option<WorkspaceId>,
    due_at: Option<Timestamp>,
}

impl<R: Runtime> Plugins<R> {
    /// Lets a version come in force at a time. It has to prove itself now as in an activation; when it is due, only what can have
    /// changed since is looked at again: that it is not blocked, trusted, and true to its own samples. The last invoices are not,
    /// since they were made under the rules that end then.
    pub async fn schedule(
        &self,
        actor: &Actor,
        (order, due): (&Order, DueTime),
        finance: Option<&Finance>,
    ) -> Result<ScheduleReport, PluginError> {
        let Order { name, workspace, .. } = order;
        let (version, canary) = self.proved(order, finance).await?;
        let due_at = self.instant_of(due, &name.key, *workspace).await?;
        let now = self.0.clock.now();
        if due_at <= now {
            return Err(PluginError::DueInThePast(due_at));
        }
        let (plugin, workspace, actor) = (version.plugin, *workspace, actor.clone());
        let schedule = Schedule { plugin, workspace, due_at, at: now, actor, problem: None };

        let mut tx = self.db().begin().await?;
        // The lock of every change: whoever carries out what is due meanwhile sees the one or the other.
        store::next_generation(&mut tx).await?;
        schedules::put(&mut tx, &schedule).await?;
        let data = ScheduleData { workspace_id: workspace, due_at: Some(due_at) };
        self.record(&mut tx, &schedule.actor, "plugin.schedule", name, &data).await?;
        tx.commit_at("plugin-scheduled").await?;
        tracing::info!(plugin = %name, %due_at, "Scheduled {name}");
        Ok(ScheduleReport { scheduled: schedule.into(), canary })
    }

    /// Takes back every time at which a version was to come in force there.
    pub async fn unschedule(
        &self,
        actor: &Actor,
        name: &PluginName,
        workspace: Option<WorkspaceId>,
    ) -> Result<(), PluginError> {
        let mut tx = self.db().begin().await?;
        store::next_generation(&mut tx).await?;
        if schedules::remove_version(&mut tx, &name.key, &name.version, workspace).await? == 0 {
            drop(tx);
            self.version(name).await?;
            return Err(PluginError::NotScheduled(name.clone()));
        }
        let data = ScheduleData { workspace_id: workspace, due_at: None };
        self.record(&mut tx, actor, "plugin.unschedule", name, &data).await?;
        tx.commit_at("plugin-unscheduled").await?;
        tracing::info!(plugin = %name, "{name} does not come in force by itself any more");
        Ok(())
    }

    /// Activates what is due, the earliest first. What cannot be activated stays, says why, and is tried again as often as this
    /// process reports.
    pub(super) async fn activate_due(&self, retried_at: &mut Option<Timestamp>) -> Result<(), StoreError> {
        let now = self.0.clock.now();
        let retries = retried_at.is_none_or(|at| now.duration_since(at) >= REPORT_INTERVAL);
        if retries {
            *retried_at = Some(now);
        }
        let due = schedules::due(self.db(), now).await?;
        for schedule in due.into_iter().filter(|schedule| retries || schedule.problem.is_none()) {
            match self.activate_scheduled(&schedule).await {
                // Another process was faster, or somebody changed the same: what is left of it is looked at in a moment.
                Ok(()) | Err(PluginError::ConcurrentChange(_)) => {}
                Err(PluginError::Store(error)) => return Err(error),
                Err(error) => self.miss(&schedule, &error).await?,
            }
        }
        Ok(())
    }

    async fn activate_scheduled(&self, schedule: &Schedule) -> Result<(), PluginError> {
        let Schedule { plugin, workspace, actor, .. } = schedule;
        let name = PluginName::from(plugin);
        if self.version(&name).await?.blocked.is_some() {
            return Err(PluginError::ScheduledBlocked(name));
        }
        let before = store::newest(self.db(), &plugin.key, *workspace).await?;
        let order = Order { name, workspace: *workspace, share: None, force: true };
        self.activate_over(actor, &order, before, Scheduled::Due(schedule)).await.map(drop)
    }

    async fn miss(&self, schedule: &Schedule, error: &PluginError) -> Result<(), StoreError> {
        let (name, problem) = (PluginName::from(&schedule.plugin), error.to_string());
        let mut tx = self.db().begin().await?;
        if !schedules::hinder(&mut tx, schedule, &problem).await? {
            return Ok(());
        }
        append_missed_notices(&mut tx, self.0.ids.as_ref(), schedule, &problem, self.0.clock.now()).await?;
        tx.commit_at("plugin-schedule-missed").await?;
        tracing::error!(plugin = %name, "{name} was due at {} and is not in force: {problem}", schedule.due_at);
        Ok(())
    }

    /// The instant that is meant. A day begins where the workspaces are that are configured for the tax system; where nobody is
    /// yet, at UTC.
    async fn instant_of(
        &self,
        due: DueTime,
        key: &RegimeKey,
        workspace: Option<WorkspaceId>,
    ) -> Result<Timestamp, PluginError> {
        let day = match due {
            DueTime::At(instant) => return Ok(instant),
            DueTime::Day(day) => day,
        };
        let those = match workspace {
            Some(workspace) => vec![workspace],
            None => store::workspaces(self.db(), key, i64::MAX).await?,
        };
        let mut midnight = None;
        for zone in workspaces::time_zones(self.db(), &those).await?.into_values() {
            let there = begin_of(day, zone)?;
            if *midnight.get_or_insert(there) != there {
                return Err(PluginError::AmbiguousDay(day));
            }
        }
        match midnight {
            Some(instant) => Ok(instant),
            None => begin_of(day, TimeZone::UTC),
        }
    }
}

fn begin_of(day: Date, zone: TimeZone) -> Result<Timestamp, PluginError> {
    day.to_zoned(zone).map(|begin| begin.timestamp()).map_err(|_| PluginError::DayOutOfRange(day))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_and_a_time_are_told_apart() {
        assert_eq!("2027-01-01".parse(), Ok(DueTime::Day(jiff::civil::date(2027, 1, 1))));
        let instant = "2026-12-31T23:00:00Z".parse().unwrap();
        assert_eq!("2027-01-01T00:00:00+01:00".parse(), Ok(DueTime::At(instant)));
        for text in ["", "tomorrow", "2027-13-01", "2027-01-01T00:00:00", "01.01.2027"] {
            assert_eq!(text.parse::<DueTime>(), Err(InvalidDueTime), "{text}");
        }
    }
}
