use super::*;
use gateway_domain_recipients::Outcome;
use gateway_domain_recipients::ports::RegisterAnswer;
use gateway_storage::testing::{self, RandomIds, TestClock, TestDb};
use std::collections::VecDeque;

const CACHED_FOR: SignedDuration = SignedDuration::from_hours(24);

/// Answers what it was given, in order, and then nothing.
#[derive(Debug, Default)]
struct Script {
    answers: Mutex<VecDeque<Result<bool, Doubt>>>,
    calls: Mutex<usize>,
}

#[async_trait]
impl VatRegister for Script {
    async fn look_up(&self, _: &VatNumber, requester: Option<&VatNumber>) -> Result<RegisterAnswer, Doubt> {
        *self.calls.lock().unwrap() += 1;
        let answer = self.answers.lock().unwrap().pop_front().unwrap_or(Err(Doubt::NoAnswer));
        answer.map(|is_valid| RegisterAnswer {
            is_valid,
            request_date: "2026-11-20T08:00:00.000Z".to_owned(),
            consultation_number: requester.map(|_| "WAPIAAAAZCuZ0Tql".to_owned()),
            name: None,
            address: None,
        })
    }
}

struct Stage {
    db: TestDb,
    clock: Arc<TestClock>,
    script: Arc<Script>,
    recipients: Recipients,
}

impl Stage {
    fn set(db: TestDb, answers: &[Result<bool, Doubt>]) -> Self {
        let (clock, script) = (Arc::new(TestClock::default()), Arc::new(Script::default()));
        script.answers.lock().unwrap().extend(answers.iter().copied());
        let recipients = Recipients::new(Parts {
            db: db.db().clone(),
            clock: clock.clone(),
            ids: Arc::new(RandomIds),
            register: Some(script.clone()),
            settings: Settings { cached_for: CACHED_FOR, retry_after: SignedDuration::from_mins(5) },
        });
        Self { db, clock, script, recipients }
    }

    /// What whoever issues is told of a number, and how often the register was asked so far.
    async fn look_up(&self, number: &str) -> (Outcome, usize) {
        let number = VatNumber::parse(number).unwrap();
        let requester = VatNumber::parse("ESB98602642").ok();
        let check = self.recipients.look_up(&number, requester.as_ref()).await.unwrap();
        (check.outcome, *self.script.calls.lock().unwrap())
    }
}

#[tokio::test]
async fn an_answer_is_good_as_long_as_is_configured_and_then_the_register_is_asked_again() {
    for db in testing::both().await {
        let stage = Stage::set(db, &[Ok(true), Ok(false)]);
        assert_eq!(stage.look_up("DE123456789").await, (Outcome::Valid, 1));
        stage.clock.advance(CACHED_FOR - SignedDuration::from_secs(1));
        assert_eq!(stage.look_up("DE123456789").await, (Outcome::Valid, 1), "still good");
        stage.clock.advance(SignedDuration::from_secs(1));
        assert_eq!(stage.look_up("DE123456789").await, (Outcome::Invalid, 2), "asked again");
        let kept = VatNumber::parse("DE123456789").unwrap();
        let requester = VatNumber::parse("ESB98602642").ok();
        let kept = recipient_checks::evidence(&*stage.db, &kept, requester.as_ref()).await.unwrap().unwrap();
        assert!(!kept.is_valid, "the newest answer is the evidence");
        assert_eq!(kept.consultation_number.as_deref(), Some("WAPIAAAAZCuZ0Tql"));
    }
}

#[tokio::test]
async fn nobody_who_issues_waits_again_and_again_for_a_register_that_gave_no_answer() {
    for db in testing::both().await {
        let stage = Stage::set(db, &[Err(Doubt::NoAnswer), Ok(true)]);
        assert_eq!(stage.look_up("DE123456789").await, (Outcome::Unknown, 1));
        assert_eq!(stage.look_up("FR12345678901").await, (Outcome::Unknown, 1), "it is left alone");
        stage.clock.advance(SILENCE);
        assert_eq!(stage.look_up("DE123456789").await, (Outcome::Valid, 2));
    }
}

#[tokio::test]
async fn a_member_state_that_does_not_answer_keeps_nobody_from_asking_about_others() {
    for db in testing::both().await {
        let stage = Stage::set(db, &[Err(Doubt::MsUnavailable), Ok(true)]);
        assert_eq!(stage.look_up("DE123456789").await, (Outcome::Unknown, 1));
        assert_eq!(stage.look_up("FR12345678901").await, (Outcome::Valid, 2));
    }
}

#[tokio::test]
async fn evidence_that_is_old_is_shown_while_the_register_is_away_with_the_doubt() {
    for db in testing::both().await {
        let stage = Stage::set(db, &[Ok(true), Err(Doubt::ServiceUnavailable)]);
        stage.look_up("DE123456789").await;
        stage.clock.advance(CACHED_FOR);
        let number = VatNumber::parse("DE123456789").unwrap();
        let supplier = Supplier {
            legal_name: "Casa S.L.".to_owned(),
            tax_id: "B98602642".to_owned(),
            country: "ES".to_owned(),
            address: None,
            email: None,
        };
        let (evidence, doubt) = stage.recipients.evidence(&number, Some(&supplier)).await.unwrap();
        assert_eq!(doubt, Some(Doubt::ServiceUnavailable));
        assert!(evidence.unwrap().is_valid);
    }
}
