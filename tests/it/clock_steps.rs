//! The clock of the host steps, far ahead for some seconds or back: every submission goes on all the same.

use gateway_storage::{Db, testing};
use gateway_tests::{
    Engine, Fault, Options, Outcome, Route, ScriptedProvider, World, on_both, until, with_fail_points,
};
use serde_json::{Value, json};
use tempfile::TempDir;

/// How far ahead the clock is for some seconds.
const AHEAD_S: i64 = 400 * 86_400;
/// Different documents that fail until the provider is left alone.
const BREAKER_DOCUMENTS: usize = 5;

/// A gateway whose clock a test steps.
struct WorldWithClock {
    world: World,
    provider: ScriptedProvider,
    clock: TempDir,
}

impl WorldWithClock {
    async fn start(engine: Engine) -> Self {
        with_fail_points();
        let provider = ScriptedProvider::start().await;
        let clock = tempfile::tempdir().unwrap();
        let file = clock.path().join("offset").display().to_string();
        let options = Options::provider(&provider.url())
            .variable("GATEWAY_PROVIDER__POLL_AFTER_S", "1")
            .variable("GATEWAY_TEST_CLOCK_FILE", &file);
        Self { world: World::with(engine, options).await, provider, clock }
    }

    /// The clock is wrong by so many seconds from now on. Tokens of before are good no more, or not yet.
    async fn step_clock(&mut self, seconds: i64) {
        let fresh = self.clock.path().join("fresh");
        std::fs::write(&fresh, seconds.to_string()).unwrap();
        std::fs::rename(fresh, self.clock.path().join("offset")).unwrap();
        self.world.api = self.world.authenticated(&self.world.client).await;
    }

    fn make_provider_unavailable(&self) {
        self.provider.fail(Route::PutEntry, 9_999, Fault::Status(503, json!({})));
    }

    async fn issue(&self) -> String {
        self.world.issue(&self.world.document()).await
    }

    /// Until a document was converted and its next try is due in a later year than this one.
    async fn until_retry_is_due_after_year(&self, uuid: &str, than: i64) {
        until("its next try is due in a year", || async {
            let submission = self.world.submission(uuid).await;
            let converted =
                ["uploading", "starting", "waiting"].contains(&submission["state"].as_str().unwrap());
            let due = year(&submission["next_step_at"]);
            due.is_some_and(|due| due > than && converted).then_some(())
        })
        .await;
    }

    fn assert_clock_step_logged(&self) {
        let log = self.world.gateway.log();
        assert!(log.contains("The clock stepped: "), "{log}");
    }

    async fn has_recalled(&self) -> bool {
        let metrics = self.world.gateway.internal().get("/metrics").await.text;
        let row = metrics.lines().find(|line| line.starts_with("einvoicing_watchdog_recalled_total"));
        row.is_some_and(|row| !row.ends_with(" 0"))
    }
}

fn year(time: &Value) -> Option<i64> {
    time.as_str()?.split('-').next()?.parse().ok()
}

#[tokio::test]
async fn retries_that_were_scheduled_while_the_clock_was_far_ahead_run_when_it_is_back() {
    on_both(|engine| async move {
        let mut gateway = WorldWithClock::start(engine).await;
        gateway.make_provider_unavailable();
        let before = gateway.issue().await;
        let this_year = year(&gateway.world.read(&before).await["created_at"]).unwrap();
        gateway.step_clock(AHEAD_S).await;
        let meanwhile = gateway.issue().await;
        for uuid in [&before, &meanwhile] {
            gateway.until_retry_is_due_after_year(uuid, this_year).await;
        }
        gateway.step_clock(0).await;
        gateway.provider.mend();
        for uuid in [&before, &meanwhile] {
            gateway.world.until(uuid, "issued").await;
        }
        gateway.assert_clock_step_logged();
        assert!(gateway.has_recalled().await);
    })
    .await;
}

#[tokio::test]
async fn submissions_that_wait_when_the_clock_steps_back_for_hours_go_on_at_once() {
    on_both(|engine| async move {
        let mut gateway = WorldWithClock::start(engine).await;
        gateway.make_provider_unavailable();
        let uuid = gateway.issue().await;
        until("the next try is put off for some seconds, by the clock as it is", || async {
            (gateway.world.submission(&uuid).await["retries"].as_i64() >= Some(3)).then_some(())
        })
        .await;
        gateway.step_clock(-2 * 3_600).await;
        gateway.provider.mend();
        gateway.world.until(&uuid, "issued").await;
        gateway.assert_clock_step_logged();
    })
    .await;
}

#[tokio::test]
async fn a_verdict_that_is_awaited_while_the_clock_is_far_ahead_is_polled_for_when_it_is_back() {
    on_both(|engine| async move {
        let mut gateway = WorldWithClock::start(engine).await;
        gateway.provider.outcome(gateway_tests::Outcome::Running);
        let uuid = gateway.issue().await;
        until("the job runs", || async {
            (!gateway.provider.calls_of(Route::GetJob).is_empty()).then_some(())
        })
        .await;
        let this_year = year(&gateway.world.read(&uuid).await["created_at"]).unwrap();
        gateway.step_clock(AHEAD_S).await;
        gateway.world.until_alert(&uuid, "verdictOverdue").await;
        let meanwhile = gateway.issue().await;
        gateway.until_retry_is_due_after_year(&uuid, this_year).await;
        gateway.until_retry_is_due_after_year(&meanwhile, this_year).await;
        gateway.step_clock(0).await;
        until("nothing is overdue any more", || async {
            let alert = gateway.world.submission(&uuid).await["alert"].clone();
            alert.is_null().then_some(())
        })
        .await;
        gateway.provider.outcome(gateway_tests::Outcome::Accepted(json!([])));
        for uuid in [&uuid, &meanwhile] {
            gateway.world.until(uuid, "issued").await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_breaker_that_opened_while_the_clock_was_far_ahead_closes_when_it_is_back() {
    on_both(|engine| async move {
        let mut gateway = WorldWithClock::start(engine).await;
        let draft = gateway.world.draft(&gateway.world.document()).await;
        let this_year = year(&gateway.world.read(&draft).await["created_at"]).unwrap();
        gateway.make_provider_unavailable();
        gateway.step_clock(AHEAD_S).await;
        let mut uuids = Vec::new();
        for _ in 0..BREAKER_DOCUMENTS {
            uuids.push(gateway.issue().await);
        }
        until("the provider is left alone", || async {
            gateway.world.gateway.log().contains("The provider answers nobody").then_some(())
        })
        .await;
        for uuid in &uuids {
            gateway.until_retry_is_due_after_year(uuid, this_year).await;
        }
        gateway.step_clock(0).await;
        gateway.provider.mend();
        for uuid in &uuids {
            gateway.world.until(uuid, "issued").await;
            assert!(gateway.world.submission(uuid).await["held_back_until"].is_null());
        }
    })
    .await;
}

#[tokio::test]
async fn leases_of_a_process_that_was_killed_while_the_clock_was_far_ahead_are_taken_over() {
    on_both(|engine| async move {
        let mut gateway = WorldWithClock::start(engine).await;
        gateway.make_provider_unavailable();
        let uuid = gateway.issue().await;
        let this_year = year(&gateway.world.read(&uuid).await["created_at"]).unwrap();
        gateway.step_clock(AHEAD_S).await;
        gateway.until_retry_is_due_after_year(&uuid, this_year).await;
        gateway.world.gateway.kill9();
        std::fs::remove_file(gateway.clock.path().join("offset")).unwrap();
        let url = gateway.world.gateway.database_url();
        let db = Db::connect(&url, &gateway_storage::Options::default()).await.unwrap();
        testing::leave_to_the_dead(&db, AHEAD_S / 3_600).await;
        db.close().await;
        gateway.provider.mend();
        gateway.world.serve_again().await;
        gateway.world.until(&uuid, "issued").await;
    })
    .await;
}

/// Far ahead, every attempt is older than anybody watches.
#[tokio::test]
async fn an_attempt_is_still_watched_after_the_clock_was_far_ahead() {
    on_both(|engine| async move {
        let mut gateway = WorldWithClock::start(engine).await;
        gateway.provider.outcome(Outcome::Running);
        let uuid = gateway.issue().await;
        until("the provider works", || async {
            (gateway.world.submission(&uuid).await["state"] == "waiting").then_some(())
        })
        .await;
        let reason = json!({"reason": "the provider is silent"});
        gateway.world.command(&uuid, "mark_as_rejected_by_tax_authority", &reason).await.expect(200);
        // Counted before the step: far ahead, the next look is hours after the first.
        let looks = gateway.provider.calls_of(Route::GetJob).len();
        gateway.step_clock(AHEAD_S).await;
        until("the provider is asked again", || async {
            (gateway.provider.calls_of(Route::GetJob).len() > looks).then_some(())
        })
        .await;
        gateway.step_clock(0).await;
        gateway.provider.outcome(Outcome::Accepted(json!([])));
        gateway.world.until_alert(&uuid, "acceptedAfterAll").await;
    })
    .await;
}

/// VERI*FACTU takes a record whose time is more than 240 s off with an error.
#[tokio::test]
async fn a_clock_that_makes_records_five_minutes_off_is_told_beside_what_the_authority_objects_to() {
    on_both(|engine| async move {
        let mut gateway = WorldWithClock::start(engine).await;
        let difference = async |gateway: &WorldWithClock| -> i64 {
            let metrics = gateway.world.gateway.internal().get("/metrics").await.text;
            let mut rows = metrics.lines().filter_map(|line| line.split_once(' '));
            let row = rows.find(|(name, _)| *name == "einvoicing_provider_clock_difference_seconds");
            row.unwrap().1.parse().unwrap()
        };
        for (offset, way) in [(300, "ahead of"), (-300, "behind")] {
            gateway.step_clock(offset).await;
            let remark = json!([{"provider": "verifactu", "code": "2004"}]);
            gateway.provider.outcome(Outcome::Accepted(remark));
            let uuid = gateway.issue().await;
            gateway.world.until(&uuid, "issued").await;
            let warnings = gateway.world.read(&uuid).await["acceptance"]["warnings"].clone();
            assert_eq!(warnings[0]["code"], "2004", "{warnings}");
            let listed = gateway.world.api.get("/invoicing/rpc/documents?accepted_with_errors=true").await;
            assert!(listed.expect(200).to_string().contains(&uuid));

            let measured = difference(&gateway).await;
            let is_of_offset = measured.signum() == i64::signum(offset);
            assert!((295..=305).contains(&measured.abs()) && is_of_offset, "{measured}");
            let doctor = gateway.world.gateway.cli(&["doctor"]).await;
            let line = doctor.stdout.lines().find(|line| line.contains(" clock ")).unwrap_or_default();
            assert!(
                line.contains("broken") && line.contains(way) && line.contains("NTP"),
                "{}",
                doctor.stdout
            );
            let log = gateway.world.gateway.log();
            let lines = log.lines().filter(|line| line.contains("The clock here is") && line.contains(way));
            assert_eq!(lines.count(), 1, "once, not with each call: {log}");

            gateway.step_clock(0).await;
            gateway.provider.outcome(Outcome::Accepted(json!([])));
            let uuid = gateway.issue().await;
            gateway.world.until(&uuid, "issued").await;
            assert_eq!(difference(&gateway).await, 0);
        }
        let doctor = gateway.world.gateway.cli(&["doctor"]).await;
        let line = doctor.stdout.lines().find(|line| line.contains(" clock ")).unwrap_or_default();
        assert!(line.contains("agrees"), "{}", doctor.stdout);
    })
    .await;
}

#[tokio::test]
async fn two_weeks_of_waiting_are_in_the_log_again_and_again() {
    const HOUR_S: i64 = 3_600;
    on_both(|engine| async move {
        let mut gateway = WorldWithClock::start(engine).await;
        gateway.provider.outcome(Outcome::Running);
        let uuid = gateway.issue().await;
        for (lines, later_s) in [(1, 14 * 24 * HOUR_S), (2, 14 * 24 * HOUR_S + HOUR_S)] {
            gateway.step_clock(later_s).await;
            until("the log says that it waits", || async {
                let log = gateway.world.gateway.log();
                let messages = log.lines().filter(|line| line.contains("have waited for their verdict"));
                (messages.filter(|line| line.contains(&uuid)).count() == lines).then_some(())
            })
            .await;
        }
        gateway.provider.outcome(Outcome::Accepted(json!([])));
        gateway.world.until(&uuid, "issued").await;
    })
    .await;
}
