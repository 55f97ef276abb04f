//! The plans of the slowest statements: what a page sends to the database, and how the database reads it.
//!
//! Statements are taken from what sqlx logs of them. Plans are made without the values that were sent: SQLite takes what is
//! not bound for NULL, and PostgreSQL is asked for the plan that serves all values.

use gateway_domain::StoreError;
use gateway_storage::{Db, Engine, Sql};
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tracing::field::{Field, Visit};
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::util::{SubscriberInitExt as _, TryInitError};

/// Where sqlx logs statements.
const TARGET: &str = "sqlx::query";

/// The statements that read while it records, each with the longest time that it took.
#[derive(Debug, Clone, Default)]
pub(crate) struct StatementLog(Arc<Recorder>);

#[derive(Debug, Default)]
struct Recorder {
    is_recording: AtomicBool,
    longest: Mutex<BTreeMap<String, Duration>>,
}

impl StatementLog {
    /// Listens from now on and records nothing yet. It takes the place of the gateway's own log.
    ///
    /// # Errors
    /// Something logs in this process already.
    pub(crate) fn start() -> Result<Self, TryInitError> {
        let log = Self::default();
        let layer = log.clone().with_filter(Targets::new().with_target(TARGET, Level::DEBUG));
        tracing_subscriber::registry().with(layer).try_init()?;
        Ok(log)
    }

    /// Whether statements are recorded from now on.
    pub(crate) fn record(&self, is_recording: bool) {
        self.0.is_recording.store(is_recording, Ordering::Relaxed);
    }

    /// The slowest statements so far, the slowest first; what was recorded is forgotten.
    pub(crate) fn take_slowest(&self, count: usize) -> Vec<(String, Duration)> {
        let longest = std::mem::take(&mut *self.0.longest.lock().unwrap_or_else(PoisonError::into_inner));
        let mut slowest: Vec<_> = longest.into_iter().collect();
        slowest.sort_by(|(_, one), (_, other)| other.cmp(one));
        slowest.truncate(count);
        slowest
    }
}

impl<S: Subscriber> Layer<S> for StatementLog {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if !self.0.is_recording.load(Ordering::Relaxed) {
            return;
        }
        let mut fields = StatementFields::default();
        event.record(&mut fields);
        let StatementFields { summary, statement, elapsed } = fields;
        // A statement that is no longer than its summary is logged as that alone.
        let text = if statement.is_empty() { summary } else { statement };
        if ["SELECT", "WITH"].iter().any(|verb| text.starts_with(verb)) {
            let mut longest = self.0.longest.lock().unwrap_or_else(PoisonError::into_inner);
            let known = longest.entry(text).or_default();
            *known = elapsed.max(*known);
        }
    }
}

/// What sqlx logs of a statement.
#[derive(Default)]
struct StatementFields {
    summary: String,
    statement: String,
    elapsed: Duration,
}

impl Visit for StatementFields {
    fn record_str(&mut self, field: &Field, value: &str) {
        match field.name() {
            "summary" => value.clone_into(&mut self.summary),
            "db.statement" => value.trim().clone_into(&mut self.statement),
            _ => {}
        }
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        if field.name() == "elapsed_secs" {
            self.elapsed = Duration::try_from_secs_f64(value).unwrap_or_default();
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn Debug) {}
}

/// How the database reads what a statement asks for, line by line.
///
/// # Errors
/// The database makes no plan of it.
pub(crate) async fn plan(db: &Db, statement: &str) -> Result<Vec<String>, StoreError> {
    match db.engine() {
        Engine::Sqlite => {
            let explain = text(format!("EXPLAIN QUERY PLAN {statement}"));
            let steps: Vec<(i64, i64, i64, String)> = db.fetch_all(&explain, Vec::new()).await?;
            Ok(steps.into_iter().map(|(.., step)| step).collect())
        }
        Engine::Postgres => {
            let nulls = vec!["NULL"; parameters(statement)].join(", ");
            let arguments = if nulls.is_empty() { nulls } else { format!("({nulls})") };
            let mut tx = db.begin().await?;
            for command in [
                "SET LOCAL plan_cache_mode = force_generic_plan".to_owned(),
                format!("PREPARE slow AS {statement}"),
            ] {
                tx.execute(&text(command), Vec::new()).await?;
            }
            let explain = text(format!("EXPLAIN EXECUTE slow{arguments}"));
            let lines: Vec<(String,)> = tx.fetch_all(&explain, Vec::new()).await?;
            tx.execute(&text("DEALLOCATE slow".to_owned()), Vec::new()).await?;
            Ok(lines.into_iter().map(|(line,)| line).collect())
        }
    }
}

/// How many parameters a statement of PostgreSQL has: the highest number behind a dollar sign.
fn parameters(statement: &str) -> usize {
    let number = |rest: &str| {
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or_default();
        digits.parse::<usize>().ok()
    };
    statement.split('$').skip(1).filter_map(number).max().unwrap_or(0)
}

/// A statement that lives as long as the benchmark: there are few.
fn text(statement: String) -> Sql {
    Sql::both(statement.leak())
}
