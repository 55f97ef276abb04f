//! Nothing stays stuck: the breaker in front of the provider, the watchdog, retries, and processes that stop.

use crate::provider::Jobs;
use crate::world::{Mood, OVERDUE_AFTER_S, Op, POLL_AFTER_S, World, both, here};
use gateway_domain::access::{Actor, Workspaces};
use gateway_domain::fault::Fault;
use gateway_domain::ids::{InvoiceId, JobId, WorkspaceId};
use gateway_domain::invoicing::Status;
use gateway_domain::ports::Ids;
use gateway_domain_finance::ports::{JobProgress, ProviderError};
use gateway_domain_finance::{
    AcceptanceForm, BREAKER_DOCUMENTS, BREAKER_PAUSE_S, BreakerState, CallFailure, CommandForm,
    RejectionForm, Stage, Submission,
};
use gateway_jobs::Pool;
use gateway_storage::testing::RandomIds;
use gateway_storage::{Sql, jobs, submissions, testing};
use gateway_watchdog::{self as watchdog, Round};
use tokio_util::sync::CancellationToken;

async fn issued(world: &World) -> InvoiceId {
    let id = world.draft().await;
    world.issue(id).await.unwrap();
    id
}

async fn forget_job(world: &World, id: InvoiceId) {
    let mut tx = world.db.begin().await.unwrap();
    assert!(jobs::remove(&mut tx, "submission", &id.to_string()).await.unwrap());
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn a_dead_provider_is_not_hammered_and_every_document_says_when_it_goes_on() {
    for world in both().await {
        let mut ids = Vec::new();
        for _ in 0..BREAKER_DOCUMENTS + 7 {
            ids.push(issued(&world).await);
        }
        world.provider.is_dead(true);
        world.work().await;
        assert_eq!(world.provider.calls().len(), BREAKER_DOCUMENTS, "the others were held back");
        assert_eq!(world.gateway.submissions().breaker_state(), (BreakerState::Open, 1));
        for id in &ids {
            let view = world.submission(*id).await;
            let submission = &view.submission;
            assert!(view.next_step_at.is_some_and(|at| at > world.gateway.now()), "{view:?}");
            assert_eq!(
                submission.calls().is_some_and(|calls| calls.held_until.is_some()),
                submission.retries() == 0,
                "a held call is no failed try"
            );
        }
        world.pass(BREAKER_PAUSE_S + 3);
        let before = world.provider.calls().len();
        world.work().await;
        assert_eq!(world.provider.calls().len(), before + 1, "one document tries");

        world.provider.is_dead(false);
        world.provider.accepts();
        for _ in 0..20 {
            world.pass(60);
            world.work().await;
        }
        for id in ids {
            assert_eq!(world.document(id).await.state.status(), Status::Issued);
        }
        assert_eq!(world.gateway.submissions().breaker_state().0, BreakerState::Closed);
    }
}

#[tokio::test]
async fn one_document_that_nobody_can_store_delays_no_other() {
    for world in both().await {
        world.provider.accepts();
        let bad = world.draft().await;
        world.provider.chokes_on(bad);
        world.issue(bad).await.unwrap();
        for _ in 0..10 {
            let good = issued(&world).await;
            world.work().await;
            world.notified(good).await;
            assert_eq!(world.document(good).await.state.status(), Status::Issued, "at once");
            world.pass(30);
        }
        assert_eq!(world.gateway.submissions().breaker_state(), (BreakerState::Closed, 0));
        assert_eq!(world.alert(bad).await, Some("retriesExhausted"));
    }
}

#[tokio::test]
async fn refusals_are_answers_and_hold_nobody_back() {
    for world in both().await {
        for _ in 0..BREAKER_DOCUMENTS + 2 {
            world.provider.fails(Op::PutEntry, ProviderError::Unauthorised { status: 401 });
            issued(&world).await;
            world.work().await;
        }
        assert_eq!(world.gateway.submissions().breaker_state(), (BreakerState::Closed, 0));
    }
}

#[tokio::test]
async fn the_schedule_of_retries_is_shown_with_the_last_error() {
    for world in both().await {
        let id = issued(&world).await;
        world.provider.is_away(Op::PutEntry, 2);
        world.work().await;
        let view = world.submission(id).await;
        let error = view.submission.calls().unwrap().last_error.clone().unwrap();
        assert_eq!(error.class, CallFailure::Unavailable);
        assert!(error.message.contains("connection reset"), "{error:?}");
        let body = serde_json::to_value(gateway_domain_finance::SubmissionBody::from(&view)).unwrap();
        assert_eq!((&body["retries"], &body["retries_max"]), (&1.into(), &3.into()));
        assert_eq!(body["last_error"]["class"], "unavailable");
        assert!(body["next_step_at"].is_string() && body["held_back_until"].is_null());

        world.pass(10);
        world.work().await;
        assert_eq!(world.submission(id).await.submission.retries(), 2);
        world.pass(10);
        world.work().await;
        let view = world.submission(id).await;
        let last_error = view.submission.calls().unwrap().last_error.clone();
        assert_eq!((view.submission.stage(), last_error), (Stage::Waiting, None), "it went on");
    }
}

#[tokio::test]
async fn everything_of_a_workspace_that_waits_for_somebody_is_retried_at_once() {
    for world in both().await {
        let mut ids = Vec::new();
        for _ in 0..3 {
            let id = issued(&world).await;
            world.provider.fails(Op::PutEntry, ProviderError::Protocol { detail: "no JSON".to_owned() });
            world.work().await;
            assert_eq!(world.alert(id).await, Some("providerProtocol"));
            ids.push(id);
        }
        let waiting = world.waiting().await;
        world.provider.accepts();
        let (submissions, operator) = (world.gateway.submissions(), Actor::operator());
        let retried = async || submissions.retry_workspace(&operator, world.workspace).await.unwrap();
        assert_eq!(retried().await, 3);
        assert_eq!(retried().await, 0, "nobody waits any more");
        world.work().await;
        for id in ids {
            world.notified(id).await;
            assert_eq!(world.document(id).await.state.status(), Status::Issued);
        }
        assert_eq!(world.submission(waiting).await.submission.stage(), Stage::Waiting, "left alone");
    }
}

/// A document whose job the provider took, and does not end.
async fn silent(world: &World, jobs: Jobs) -> InvoiceId {
    world.provider.jobs_are(jobs);
    world.waiting().await
}

/// Lets the time pass until the next step of a document is due, and takes it; says how long that was.
async fn next_step(world: &World, id: InvoiceId) -> i64 {
    let due = world.submission(id).await.next_step_at.unwrap();
    let wait = due.duration_since(world.gateway.now()).as_secs();
    world.pass(wait);
    world.work().await;
    wait
}

/// What a provider may do with a job that it took, for ever.
const SILENCES: [Jobs; 3] = [Jobs::Shown, Jobs::Hidden, Jobs::HiddenAndTakenAgain];

#[tokio::test]
async fn a_verdict_that_does_not_come_is_an_alert_until_the_provider_answers() {
    for jobs in SILENCES {
        for world in here().await {
            let id = silent(&world, jobs).await;
            let mut waited = 0;
            while waited < OVERDUE_AFTER_S {
                assert_eq!(world.alert(id).await, None, "{jobs:?} after {waited} s");
                let wait = next_step(&world, id).await;
                assert_eq!(wait, POLL_AFTER_S, "{jobs:?} after {waited} s");
                waited += wait;
            }
            let alert = world.submission(id).await.submission.alert.unwrap();
            assert_eq!(alert.code.as_str(), "verdictOverdue", "{jobs:?}");
            let says = if jobs == Jobs::Shown { "has not ended it" } else { "does not show it" };
            let job = world.provider.ids(Op::PutJob)[0].to_string();
            assert!(alert.message.contains(says) && alert.message.contains(&job), "{}", alert.message);
            assert_eq!(world.document(id).await.state.status(), Status::Issuing);

            let mut waits = Vec::new();
            for _ in 0..8 {
                waits.push(next_step(&world, id).await);
                assert_eq!(world.alert(id).await, Some("verdictOverdue"), "{jobs:?} {waits:?}");
            }
            assert_eq!(waits, [60, 60, 120, 240, 480, 600, 600, 600], "asked ever less often");

            world.provider.jobs_are(Jobs::Shown);
            world.provider.accepts();
            next_step(&world, id).await;
            assert_eq!(world.document(id).await.state.status(), Status::Issued, "{jobs:?}");
            assert_eq!(world.alert(id).await, None);
            let ids: std::collections::BTreeSet<_> = world.provider.ids(Op::PutJob).into_iter().collect();
            assert_eq!(ids.len(), 1, "it is one job all the time");
        }
    }
}

#[tokio::test]
async fn a_verdict_stays_overdue_while_the_provider_is_away_and_comes_with_its_webhook_at_once() {
    for jobs in SILENCES {
        for world in here().await {
            let id = silent(&world, jobs).await;
            world.pass(OVERDUE_AFTER_S);
            world.work().await;
            assert_eq!(world.alert(id).await, Some("verdictOverdue"), "{jobs:?}");
            world.provider.is_away(Op::GetJob, 1);
            next_step(&world, id).await;
            assert_eq!(world.alert(id).await, Some("verdictOverdue"), "{jobs:?}");
            assert_eq!(world.submission(id).await.submission.retries(), 1);
            let retried = world.gateway.submissions().retry(&world.acting, id).await.unwrap();
            assert_eq!(retried.submission.alert, None, "somebody looked");
            world.work().await;
            assert_eq!(world.alert(id).await, Some("verdictOverdue"), "and it is as it was: {jobs:?}");
            world.provider.jobs_are(Jobs::Shown);
            world.provider.accepts();
            world.notified(id).await;
            assert_eq!(world.document(id).await.state.status(), Status::Issued, "{jobs:?}");
        }
    }
}

#[tokio::test]
async fn another_job_of_the_same_document_has_its_time_too() {
    for world in here().await {
        let id = silent(&world, Jobs::Shown).await;
        world.pass(OVERDUE_AFTER_S);
        world.work().await;
        assert_eq!(world.alert(id).await, Some("verdictOverdue"));
        world.provider.rejects("1110", "no");
        world.notified(id).await;
        assert_eq!(world.document(id).await.state.status(), Status::Rejected);
        world.provider.ends(JobProgress::Running, Vec::new());
        world.issue(id).await.unwrap();
        world.work().await;
        assert_eq!((next_step(&world, id).await, world.alert(id).await), (POLL_AFTER_S, None));
    }
}

#[tokio::test]
async fn a_submission_that_lost_its_job_gets_it_back() {
    for world in both().await {
        let (lost, healing) = (world.waiting().await, issued(&world).await);
        world.provider.fails(Op::PutEntry, ProviderError::Unauthorised { status: 401 });
        world.work().await;
        let somebody = issued(&world).await;
        world.provider.fails(Op::PutEntry, ProviderError::Protocol { detail: "no JSON".to_owned() });
        world.work().await;
        assert_eq!(
            world.gateway.watchdog().watch("one").await.unwrap(),
            Some(Round::default()),
            "all is well"
        );
        forget_job(&world, lost).await;
        forget_job(&world, healing).await;
        assert_eq!(
            world.gateway.watchdog().watch("one").await.unwrap(),
            Some(Round::default()),
            "it may be in between"
        );
        world.pass(61);
        assert_eq!(
            world.gateway.watchdog().watch("one").await.unwrap(),
            Some(Round { repaired: 2, raised: 0, recalled: 0 })
        );
        assert_eq!(world.gateway.watchdog().watched().await.unwrap().repaired, 2);
        assert_eq!(world.gateway.watchdog().watch("one").await.unwrap(), Some(Round::default()));
        world.provider.accepts();
        world.work().await;
        assert_eq!(world.document(lost).await.state.status(), Status::Issued);
        assert_eq!(world.submission(somebody).await.next_step_at, None, "an operator was asked");
    }
}

#[tokio::test]
async fn an_issuing_document_that_nobody_submits_is_told_once_an_hour_until_it_is_ended() {
    for world in both().await {
        let id = world.draft().await;
        world.keeper.invoicing().begin_issuing(&world.acting, id, false, None, None).await.unwrap();
        let submitted = world.waiting().await;
        world.settled().await;
        let alerts = async || world.gateway.watchdog().watched().await.unwrap().alerts;
        let counted = |documents| vec![("issuingWithoutSubmission".to_owned(), documents)];
        assert_eq!(
            world.gateway.watchdog().watch("one").await.unwrap(),
            Some(Round::default()),
            "it may be ended soon"
        );
        world.pass(61);
        assert_eq!(
            world.gateway.watchdog().watch("one").await.unwrap(),
            Some(Round { repaired: 0, raised: 1, recalled: 0 })
        );
        assert_eq!(alerts().await, counted(1));
        world.pass(3_000);
        assert_eq!(
            world.gateway.watchdog().watch("one").await.unwrap(),
            Some(Round::default()),
            "said within the hour"
        );
        world.pass(601);
        assert_eq!(
            world.gateway.watchdog().watch("one").await.unwrap(),
            Some(Round { repaired: 0, raised: 1, recalled: 0 })
        );
        world.keeper.invoicing().reject(&world.acting, id, "by hand".to_owned()).await.unwrap();
        world.settled().await;
        assert_eq!(alerts().await, counted(0));
        world.gateway.watchdog().watch("one").await.unwrap();
        world.keeper.invoicing().begin_issuing(&world.acting, id, false, None, None).await.unwrap();
        world.settled().await;
        world.pass(61);
        assert_eq!(
            world.gateway.watchdog().watch("one").await.unwrap(),
            Some(Round { repaired: 0, raised: 1, recalled: 0 }),
            "it is new"
        );
        assert_eq!(world.submission(submitted).await.submission.stage(), Stage::Waiting);
    }
}

#[tokio::test]
async fn every_issuing_document_that_nobody_submits_is_told_however_many_there_are() {
    for world in here().await {
        let many = 203;
        for _ in 0..many {
            let id = world.draft().await;
            world.keeper.invoicing().begin_issuing(&world.acting, id, false, None, None).await.unwrap();
        }
        let all = Workspaces::All;
        assert_eq!(world.gateway.watchdog().unsubmitted(&all, 500).await.unwrap(), []);
        world.pass(61);
        let mut said = Vec::new();
        for _ in 0..3 {
            said.push(world.gateway.watchdog().watch("one").await.unwrap().unwrap().raised);
        }
        assert_eq!(said, [200, 3, 0]);
        let counted = vec![("issuingWithoutSubmission".to_owned(), many)];
        assert_eq!(world.gateway.watchdog().watched().await.unwrap().alerts, counted);
        let found = world.gateway.watchdog().unsubmitted(&all, 500).await.unwrap();
        assert_eq!(found.len(), 203);
        let others = Workspaces::Only(vec![WorkspaceId(99)]);
        assert_eq!(world.gateway.watchdog().unsubmitted(&others, 500).await.unwrap(), []);
        assert!(watchdog::sentence(&found[0]).contains("F-2026-000001"), "{:?}", found[0]);
    }
}

#[tokio::test]
async fn a_document_that_was_edited_after_a_crash_is_checked_again_before_it_is_submitted() {
    for world in both().await {
        for (code, stage) in [
            ("ES-VERIFACTU-IDENTITY-01", Stage::Withdrawn),
            ("PLUGIN-TRAP", Stage::Waiting),
            ("", Stage::Waiting),
        ] {
            // The process died between the intent and the call.
            let id = world.draft().await;
            let now = world.gateway.now();
            let mut tx = world.db.begin().await.unwrap();
            let intent = Submission::requested(id, world.workspace, "jane".to_owned(), now);
            assert!(submissions::insert(&mut tx, &intent).await.unwrap());
            let job = JobId(RandomIds.next());
            jobs::enqueue(&mut tx, job, "submission", &id.to_string(), now);
            tx.commit().await.unwrap();
            world.regime.is(match code {
                "" => Mood::Sound,
                "PLUGIN-TRAP" => Mood::BrokenCheck,
                fault => Mood::Finds(vec![Fault::error(fault, "/recipient", "is nobody")]),
            });
            world.work().await;
            assert_eq!(world.submission(id).await.submission.stage(), stage, "{code}");
            let status = if stage == Stage::Withdrawn { Status::Draft } else { Status::Issuing };
            assert_eq!(world.document(id).await.state.status(), status, "{code}");
        }
    }
}

#[tokio::test]
async fn one_process_watches_at_a_time() {
    for world in both().await {
        assert!(world.gateway.watchdog().watch("one").await.unwrap().is_some());
        assert_eq!(world.gateway.watchdog().watch("two").await.unwrap(), None);
        testing::expire_leases(&world.db).await;
        assert!(world.gateway.watchdog().watch("two").await.unwrap().is_some());
        assert_eq!(world.gateway.watchdog().watch("one").await.unwrap(), None);
    }
}

#[tokio::test]
async fn a_process_that_stops_returns_what_it_cannot_finish() {
    let runs = both().await.into_iter().map(|world| async move {
        let id = issued(&world).await;
        world.provider.hangs();
        let shutdown = CancellationToken::new();
        let pool = Pool::new(world.db.db().clone()).with(world.gateway.job_queue().clone());
        let running = tokio::spawn(pool.run("one".to_owned(), shutdown.clone()));
        while world.provider.calls().is_empty() {
            tokio::task::yield_now().await;
        }
        assert_eq!(world.work().await, 0, "another process leaves the job alone");
        shutdown.cancel();
        running.await.unwrap();
        let claimed = jobs::claim(
            &world.db,
            "two",
            world.gateway.now(),
            jiff::SignedDuration::from_secs(60),
            &[("submission", 9)],
        );
        let subjects: Vec<_> = claimed.await.unwrap().into_iter().map(|job| job.subject).collect();
        assert_eq!(subjects, [id.to_string()], "it goes on at once");
    });
    futures::future::join_all(runs).await;
}

#[tokio::test]
async fn a_verdict_about_one_number_says_nothing_about_another() {
    for world in both().await {
        for accepted in [true, false] {
            let id = world.waiting().await;
            world.keeper.invoicing().reject(&world.acting, id, "by hand".to_owned()).await.unwrap();
            world.keeper.invoicing().begin_issuing(&world.acting, id, false, None, None).await.unwrap();
            let number = world.number(id).await;
            if accepted {
                world.provider.accepts();
            } else {
                world.provider.rejects("1110", "no");
            }
            world.notified(id).await;
            assert_eq!(world.document(id).await.state.status(), Status::Issuing, "under {number}");
            assert_eq!(world.submission(id).await.submission.stage(), Stage::Superseded);
            assert_eq!(world.events(id).await, ["Issuing"]);
        }
    }
}

#[tokio::test]
async fn what_a_remote_finance_service_submits_is_told_when_it_is_not_ended_for_a_day() {
    for world in both().await.into_iter().filter(|world| world.service.is_some()) {
        let id = world.waiting().await;
        let watch = async || world.keeper.watchdog().watch("one").await.unwrap().unwrap().raised;
        world.pass(3_600);
        assert_eq!(watch().await, 0, "finance is at it");
        world.pass(24 * 3_600);
        assert_eq!(watch().await, 1);
        world.provider.accepts();
        world.notified(id).await;
        assert_eq!(
            world.keeper.watchdog().watched().await.unwrap().alerts,
            vec![("issuingWithoutSubmission".to_owned(), 0)]
        );
    }
}

#[tokio::test]
async fn a_verdict_by_hand_after_a_crash_tells_first_that_the_document_was_issuing() {
    for world in both().await {
        for accepted in [true, false] {
            let id = world.draft().await;
            // The process that issued it died before it told: the submission is as it was before.
            world.issue(id).await.unwrap();
            world.sql(Sql::both("UPDATE submission SET stage = 'requested', number = NULL")).await;
            world.sql(Sql::both("DELETE FROM event WHERE source = '/finance' AND type = 'Issuing'")).await;
            let verdict = if accepted {
                world
                    .gateway
                    .command(&world.acting, id, CommandForm::Accept(AcceptanceForm::WITHOUT_PROOF), None)
                    .await
            } else {
                world
                    .gateway
                    .command(&world.acting, id, CommandForm::Reject(RejectionForm::because("by hand")), None)
                    .await
            };
            verdict.unwrap();
            let expected: &[_] = if accepted {
                &["Issuing", "AcceptedByTaxAuthority", "Issued"]
            } else {
                &["Issuing", "RejectedByTaxAuthority"]
            };
            assert_eq!(world.events(id).await, expected);
        }
    }
}
