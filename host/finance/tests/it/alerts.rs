//! Trouble that is nobody's document: the submission waits, an alert says what to do, and nothing is lost.

use crate::world::{Mood, Op, POLL_AFTER_S, RETRIES_MAX, World, both, here};
use gateway_domain::invoicing::Status;
use gateway_domain_finance::Stage;
use gateway_domain_finance::ports::{JobProgress, ProviderError};
use gateway_finance::RetryError;
use gateway_storage::testing;

/// Works until nothing is scheduled within the next hours.
async fn until_quiet(world: &World) {
    for _ in 0..30 {
        world.work().await;
        world.pass(900);
    }
}

#[tokio::test]
async fn a_provider_that_is_away_for_a_while_is_called_again() {
    for world in both().await {
        let id = world.draft().await;
        world.provider.is_away(Op::PutEntry, RETRIES_MAX);
        world.provider.accepts();
        world.issue(id).await.unwrap();
        until_quiet(&world).await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
    }
}

#[tokio::test]
async fn a_provider_that_stays_away_raises_an_alert_until_the_operator_retries() {
    for world in both().await {
        let id = world.draft().await;
        world.provider.is_away(Op::PutEntry, RETRIES_MAX + 1);
        world.provider.accepts();
        world.issue(id).await.unwrap();
        until_quiet(&world).await;
        let view = world.submission(id).await;
        assert_eq!(view.submission.alert.unwrap().code.as_str(), "retriesExhausted");
        assert_eq!(view.next_step_at, None);
        assert_eq!(world.document(id).await.state.status(), Status::Issuing);

        world.gateway.submissions().retry(&world.acting, id).await.unwrap();
        world.work().await;
        world.notified(id).await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
        let again = world.gateway.submissions().retry(&world.acting, id).await;
        assert!(matches!(again, Err(RetryError::Ended(Stage::Accepted))));
    }
}

#[tokio::test]
async fn a_refused_token_and_an_unknown_workflow_heal_when_they_are_mended() {
    let unknown = ProviderError::NotFound;
    let cases = [
        (Op::PutEntry, ProviderError::Unauthorised { status: 401 }, "providerUnauthorised"),
        (Op::PutJob, ProviderError::Unauthorised { status: 403 }, "providerUnauthorised"),
        (Op::PutJob, unknown, "workflowUnknown"),
    ];
    for world in both().await {
        world.provider.accepts();
        for (op, error, alert) in &cases {
            let id = world.draft().await;
            world.provider.fails(*op, error.clone());
            world.issue(id).await.unwrap();
            world.work().await;
            assert_eq!(world.alert(id).await, Some(*alert));
            assert_eq!(world.document(id).await.state.status(), Status::Issuing);
            world.pass(30);
            world.work().await;
            world.notified(id).await;
            assert_eq!(world.document(id).await.state.status(), Status::Issued);
            assert_eq!(world.alert(id).await, None);
        }
    }
}

#[tokio::test]
async fn an_answer_that_says_nothing_about_the_workflow_is_not_told_as_if_it_did() {
    let refused = ProviderError::Refused { status: 422, faults: Vec::new() };
    let missing = || ProviderError::NotFound;
    let cases = [
        (vec![(Op::PutEntry, missing())], "providerProtocol", "provider.base_url"),
        (vec![(Op::PutJob, ProviderError::Conflict), (Op::GetJob, refused)], "providerProtocol", "HTTP 422"),
        (
            vec![
                (Op::PutEntry, ProviderError::Conflict),
                (Op::GetEntry, missing()),
                (Op::PutEntry, ProviderError::Conflict),
                (Op::GetEntry, missing()),
            ],
            "entryConflict",
            "says that it has the entry and does not show it, with a second entry too: look",
        ),
    ];
    for (answers, code, says) in cases {
        for world in here().await {
            for (op, error) in &answers {
                world.provider.fails(*op, error.clone());
            }
            let id = world.draft().await;
            world.issue(id).await.unwrap();
            world.work().await;
            let alert = world.submission(id).await.submission.alert.unwrap();
            assert_eq!(alert.code.as_str(), code, "{answers:?}: {}", alert.message);
            assert!(alert.message.contains(says), "{}", alert.message);
        }
    }
}

#[tokio::test]
async fn a_job_that_failed_without_a_reason_is_followed_by_another_one() {
    for world in both().await {
        let id = world.waiting().await;
        world.provider.ends(JobProgress::Failed, Vec::new());
        world.notified(id).await;
        assert_eq!(world.alert(id).await, Some("failedWithoutReason"));
        assert_eq!(world.document(id).await.state.status(), Status::Issuing);
        world.pass(86_400);
        assert_eq!(world.work().await, 0, "somebody has to look");

        world.provider.accepts();
        world.gateway.submissions().retry(&world.acting, id).await.unwrap();
        world.work().await;
        world.notified(id).await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
        assert_eq!(world.number(id).await, "F-2026-000001");
        let jobs = world.provider.ids(Op::PutJob);
        assert_eq!(jobs.len(), 2);
        assert_ne!(jobs[0], jobs[1]);
        assert_eq!(world.provider.entries(), 1, "the entry is the same");
        let outcomes: Vec<_> =
            world.submission(id).await.attempts.into_iter().map(|a| a.outcome.unwrap().as_str()).collect();
        assert_eq!(outcomes, ["failed", "accepted"]);
    }
}

#[tokio::test]
async fn a_verdict_that_cannot_be_read_is_asked_for_again_on_retry() {
    for world in both().await {
        let id = world.waiting().await;
        world.provider.ends(JobProgress::Succeeded, Vec::new());
        world.notified(id).await;
        assert_eq!(world.alert(id).await, Some("verdictUndecided"));
        world.provider.accepts();
        world.gateway.submissions().retry(&world.acting, id).await.unwrap();
        world.work().await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
        assert_eq!(world.provider.ids(Op::PutJob).len(), 1, "no second job");
    }
}

#[tokio::test]
async fn a_regime_that_is_not_active_waits_until_it_is() {
    for world in both().await {
        world.regime.is(Mood::Inactive);
        let id = world.waiting().await;
        assert_eq!(world.alert(id).await, Some("regimeNotActive"));
        world.regime.is(Mood::Sound);
        world.provider.accepts();
        world.pass(30);
        world.work().await;
        world.notified(id).await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
    }
}

#[tokio::test]
async fn without_a_provider_a_submission_waits_and_says_so() {
    for db in testing::both().await {
        let world = World::on(db, false).await;
        let id = world.waiting().await;
        assert_eq!(world.alert(id).await, Some("providerNotConfigured"));
        assert!(world.submission(id).await.next_step_at.is_some());
    }
}

#[tokio::test]
async fn a_job_that_the_provider_lost_is_started_again_under_its_id() {
    for world in both().await {
        let id = world.waiting().await;
        world.provider.fails(Op::GetJob, ProviderError::NotFound);
        world.provider.accepts();
        world.pass(POLL_AFTER_S);
        until_quiet(&world).await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
        let jobs = world.provider.ids(Op::PutJob);
        assert_eq!(jobs.iter().collect::<std::collections::BTreeSet<_>>().len(), 1);
    }
}

#[tokio::test]
async fn every_issuing_document_has_a_next_step_or_an_alert() {
    for world in both().await {
        let errors = [
            ProviderError::Unauthorised { status: 401 },
            ProviderError::Protocol { detail: "no JSON".to_owned() },
            ProviderError::Unavailable { detail: "503".to_owned(), retry_after_s: Some(7) },
        ];
        for error in errors {
            for op in [Op::PutEntry, Op::PutJob] {
                let id = world.draft().await;
                world.provider.fails(op, error.clone());
                world.issue(id).await.unwrap();
                world.work().await;
                let view = world.submission(id).await;
                assert!(view.next_step_at.is_some() || view.submission.alert.is_some(), "{op:?} {error:?}");
            }
        }
    }
}
