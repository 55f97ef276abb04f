use super::testing::{NOW, next_steps, requested};
use super::*;
use crate::{AuthorityRecord, CallFailure};
use proptest::prelude::*;
use proptest::sample::Index;

/// The word for how far a submission is, whatever is known of its type.
fn word(submission: impl Into<Submission>) -> Stage {
    let submission: Submission = submission.into();
    submission.stage()
}

/// The first submission on the way that `matches` finds, breadth first, where no call failed.
fn reached(matches: impl Fn(&Submission) -> bool) -> Submission {
    let mut visited = vec![requested(1)];
    let mut at = 0;
    while let Some(submission) = visited.get(at).cloned() {
        if matches(&submission) {
            return submission;
        }
        for next in next_steps(&submission) {
            let is_plain = next.retries() == 0 && (next.alert.is_none() || next.number().is_some());
            if is_plain
                && next.calls().is_none_or(|calls| *calls == CallHistory::default())
                && !visited.contains(&next)
            {
                visited.push(next);
            }
        }
        at += 1;
    }
    panic!("no submission comes there")
}

fn is_at(stage: Stage) -> impl Fn(&Submission) -> bool {
    move |submission| submission.stage() == stage
}

fn open(submission: Submission) -> Submission<Open> {
    submission.into_open().unwrap()
}

#[test]
fn every_stage_is_reached() {
    for &stage in Stage::ALL {
        assert_eq!(reached(is_at(stage)).stage(), stage);
    }
    let ended = Stage::ALL.iter().map(|stage| reached(is_at(*stage)).has_ended());
    assert!(ended.eq(Stage::ALL.iter().map(|stage| stage.ended())));
}

#[test]
fn a_step_forgets_the_failures_of_the_one_before() {
    let error = CallError { class: CallFailure::Unavailable, message: "no answer".to_owned(), at: NOW };
    let alert = Alert { code: AlertCode::RetriesExhausted, message: "look".to_owned() };
    let tried = open(requested(1)).call_failed(error).repeated().hold_until(NOW);
    let failed = open(Submission { alert: Some(alert), ..tried }.into());
    let next = failed.step(|stage| stage);
    assert_eq!((next.alert, next.progress.calls), (None, CallHistory::default()));
}

#[test]
fn an_alert_that_the_verdict_is_overdue_outlives_a_repeated_call_and_no_other_does() {
    for (code, stays) in [(AlertCode::VerdictOverdue, true), (AlertCode::ProviderProtocol, false)] {
        let alert = Alert { code, message: "look".to_owned() };
        let waiting = open(reached(is_at(Stage::Waiting)).alerted(alert)).repeated();
        assert_eq!((waiting.alert.is_some(), waiting.progress.calls.retries), (stays, 1), "{code:?}");
    }
}

#[test]
fn a_job_that_sent_nothing_is_shown_as_waiting_and_the_retry_begins_another_one_under_the_same_entry() {
    let unsent = reached(|submission| {
        matches!(submission.progress, Progress::Open(Open { stage: OpenStage::Unsent(_), .. }))
    });
    assert_eq!((unsent.stage(), unsent.job()), (Stage::Waiting, None));
    let retried = open(unsent.clone()).retried();
    assert_eq!(word(retried.clone()), Stage::Waiting, "the next step converts");
    let OpenStage::Unsent(stage) = retried.progress.stage else { panic!("{retried:?}") };
    let converting = stage.retried();
    assert!(
        converting.check_earlier_attempts,
        "nothing is sent before it is known what became of the others"
    );
    assert_eq!(converting.entry(), unsent.entry());
}

#[test]
fn a_retry_begins_another_job_only_where_the_job_failed_without_a_reason() {
    for (code, stage) in
        [(AlertCode::FailedWithoutReason, Stage::Converting), (AlertCode::VerdictUndecided, Stage::Waiting)]
    {
        let waiting = reached(is_at(Stage::Waiting)).alerted(Alert { code, message: "look".to_owned() });
        assert_eq!(word(open(waiting).retried()), stage, "{code:?}");
    }
}

#[test]
fn a_verdict_by_hand_before_the_job_is_started_leaves_nothing_at_the_authority() {
    let nothing = Some(AuthorityRecord::Nothing);
    for (stage, record) in [
        (Stage::Requested, None),
        (Stage::Converting, None),
        (Stage::Uploading, Some(nothing)),
        (Stage::Starting, Some(None)),
        (Stage::Waiting, Some(None)),
        (Stage::Settling, Some(None)),
    ] {
        let ending = open(reached(is_at(stage))).superseded_by_hand();
        assert_eq!(ending.attempt.map(|end| end.record), record, "{stage:?}");
        assert_eq!(word(ending.submission), Stage::Superseded);
    }
}

#[test]
fn a_rejection_of_what_the_provider_never_took_leaves_nothing_at_the_authority() {
    for (taken, record) in [(false, AuthorityRecord::Nothing), (true, AuthorityRecord::Refused)] {
        let settling = reached(|submission| {
            let data = submission.data();
            let is_rejected = matches!(data.verdict, Some(VerdictRef::Reject(_)));
            data.stage == Stage::Settling && is_rejected && data.taken_at.is_some() == taken
        });
        let (Progress::Open(Open { stage: OpenStage::Settling(stage), calls }), rest) = settling.split()
        else {
            panic!("it settles")
        };
        let ending = rest.at(Open { stage, calls }).settled();
        assert_eq!(ending.attempt.unwrap().record, Some(record));
    }
}

#[test]
fn what_is_requested_again_keeps_its_stamps_and_looks_at_its_attempts() {
    let stamp = Stamp { provider: "verifactu-qr".to_owned(), value: "x".to_owned() };
    let rejected = Submission { stamps: vec![stamp.clone()], version: 7, ..reached(is_at(Stage::Rejected)) };
    let again = rejected.requested_again("john".to_owned(), NOW);
    assert_eq!((&again.stamps, again.version, again.actor.as_str()), (&vec![stamp], 7, "john"));
    assert!(again.open_stage().check_earlier_attempts);
    let withdrawn = reached(is_at(Stage::Withdrawn)).requested_again("john".to_owned(), NOW);
    assert!(!withdrawn.open_stage().check_earlier_attempts, "there is no attempt");
}

proptest! {
    #[test]
    fn whatever_happens_nothing_is_sent_before_earlier_attempts_are_looked_at(
        picks in prop::collection::vec(any::<Index>(), 0..60),
    ) {
        let (mut submission, mut had_jobs) = (requested(1), Vec::new());
        for pick in picks {
            let next = pick.get(&next_steps(&submission)).clone();
            let (before, after) = (submission.data(), next.data());
            if before.number.is_some() && after.number.is_some() {
                prop_assert_eq!(before.number, after.number, "a number stays until it is requested again");
            }
            if let (Stage::Starting | Stage::Waiting, Some(job)) = (after.stage, after.job) {
                prop_assert!(!after.check_earlier_attempts, "{:?}", next);
                prop_assert!(after.document.is_some() && after.plugin.is_some(), "{:?}: {}", next, job);
            }
            if after.stage == Stage::Requested && !had_jobs.is_empty() && before.job.is_some() {
                prop_assert!(after.check_earlier_attempts, "{:?}", next);
            }
            prop_assert!(next.calls().is_some() != next.has_ended());
            had_jobs.extend(after.job);
            submission = next;
        }
    }
}
