use super::*;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::ports::{Converter, Regimes};
use gateway_domain_recipients::Outcome;
use gateway_domain_recipients::participant::{DocumentType, LookupDoubt, Participant, Reception};
use gateway_domain_recipients::ports::{ParticipantDirectory, RegisterAnswer};
use gateway_storage::testing::{self, RandomIds, TestClock, TestDb};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

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
            network: None,
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

/// Answers what it was given, in order, and then that the locator is silent.
#[derive(Debug, Default)]
struct NetworkScript {
    answers: Mutex<VecDeque<Result<Reception, LookupDoubt>>>,
    calls: Mutex<usize>,
    has_one_publisher: AtomicBool,
}

#[async_trait]
impl ParticipantDirectory for NetworkScript {
    async fn look_up(
        &self,
        _: &Participant,
        _: DocumentType,
        _: Timestamp,
    ) -> Result<Reception, LookupDoubt> {
        *self.calls.lock().unwrap() += 1;
        self.answers.lock().unwrap().pop_front().unwrap_or(Err(LookupDoubt::LocatorNoAnswer))
    }

    fn has_one_publisher(&self) -> bool {
        self.has_one_publisher.load(Ordering::Relaxed)
    }
}

#[derive(Debug)]
struct NoRegimes;

impl Regimes for NoRegimes {
    fn within(self: Arc<Self>, _: WorkspaceId) -> Arc<dyn Converter> {
        unreachable!("no document is converted here")
    }
}

struct NetworkStage {
    _db: TestDb,
    clock: Arc<TestClock>,
    script: Arc<NetworkScript>,
    recipients: Recipients,
}

impl NetworkStage {
    fn set(db: TestDb, answers: &[Result<Reception, LookupDoubt>]) -> Self {
        let (clock, script) = (Arc::new(TestClock::default()), Arc::new(NetworkScript::default()));
        script.answers.lock().unwrap().extend(answers.iter().copied());
        let recipients = Recipients::new(Parts {
            db: db.db().clone(),
            clock: clock.clone(),
            ids: Arc::new(RandomIds),
            register: None,
            network: Some(Network {
                directory: script.clone(),
                regimes: Arc::new(NoRegimes),
                keys: Vec::new(),
            }),
            settings: Settings { cached_for: CACHED_FOR, retry_after: SignedDuration::from_mins(5) },
        });
        Self { _db: db, clock, script, recipients }
    }

    /// What whoever issues is told of a participant, and how often the network was asked so far.
    async fn look_up(&self, participant: &str) -> (ParticipantOutcome, Option<LookupDoubt>, usize) {
        let participant = Participant::parse(participant).unwrap();
        let network = self.recipients.network().unwrap();
        let check = self.recipients.look_participant_up(network, &participant, DocumentType::Invoice);
        let check = check.await.unwrap();
        (check.outcome, check.doubt, *self.script.calls.lock().unwrap())
    }
}

#[tokio::test]
async fn what_the_network_answered_is_good_as_long_as_is_configured() {
    for db in testing::both().await {
        let stage = NetworkStage::set(db, &[Ok(Reception::NotRegistered), Ok(Reception::Receives)]);
        assert_eq!(stage.look_up("0192:1").await, (ParticipantOutcome::NotRegistered, None, 1));
        stage.clock.advance(CACHED_FOR - SignedDuration::from_secs(1));
        assert_eq!(stage.look_up("0192:1").await, (ParticipantOutcome::NotRegistered, None, 1), "still good");
        stage.clock.advance(SignedDuration::from_secs(1));
        assert_eq!(stage.look_up("0192:1").await, (ParticipantOutcome::CanReceive, None, 2), "asked again");
    }
}

#[tokio::test]
async fn a_silent_locator_is_left_alone_and_a_silent_publisher_stands_for_itself() {
    for db in testing::both().await {
        let (smp, sml) = (LookupDoubt::NoAnswer, LookupDoubt::LocatorNoAnswer);
        let stage = NetworkStage::set(db, &[Err(smp), Ok(Reception::Receives), Err(sml), Err(smp)]);
        assert_eq!(stage.look_up("0192:1").await, (ParticipantOutcome::Unknown, Some(smp), 1));
        assert_eq!(stage.look_up("0192:2").await, (ParticipantOutcome::CanReceive, None, 2));
        assert_eq!(stage.look_up("0192:3").await, (ParticipantOutcome::Unknown, Some(sml), 3));
        assert_eq!(stage.look_up("0192:4").await, (ParticipantOutcome::Unknown, Some(sml), 3), "left alone");
        stage.clock.advance(SILENCE);
        assert_eq!(stage.look_up("0192:4").await, (ParticipantOutcome::Unknown, Some(smp), 4));
    }
}

#[tokio::test]
async fn the_only_publisher_is_left_alone_while_it_gives_no_answer() {
    for db in testing::both().await {
        let stage = NetworkStage::set(db, &[Err(LookupDoubt::NoAnswer), Ok(Reception::Receives)]);
        stage.script.has_one_publisher.store(true, Ordering::Relaxed);
        stage.look_up("0192:1").await;
        let (outcome, _, calls) = stage.look_up("0192:2").await;
        assert_eq!((outcome, calls), (ParticipantOutcome::Unknown, 1), "nobody waits for it again");
        stage.clock.advance(SILENCE);
        assert_eq!(stage.look_up("0192:2").await, (ParticipantOutcome::CanReceive, None, 2));
    }
}

#[tokio::test]
async fn what_was_answered_before_is_shown_while_the_network_is_away_with_the_doubt() {
    for db in testing::both().await {
        let stage = NetworkStage::set(db, &[Ok(Reception::Receives)]);
        stage.look_up("0192:1").await;
        stage.clock.advance(CACHED_FOR);
        let participant = Participant::parse("0192:1").unwrap();
        let found = stage.recipients.participant(&participant).await.unwrap().unwrap();
        let outcomes: Vec<_> = found.iter().map(|(check, doubt)| (check.outcome, *doubt)).collect();
        let away = Some(LookupDoubt::LocatorNoAnswer);
        assert_eq!(outcomes, [(ParticipantOutcome::CanReceive, away), (ParticipantOutcome::Unknown, away)]);
    }
}
