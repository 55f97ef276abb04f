//! Answers of a remote invoice data service that are lost, late or refusals: every command is carried out once, or
//! not at all.

use crate::service::{Rpc, Service, Trouble, unavailable};
use crate::world::{World, remote_worlds};
use gateway_access::{Repeat, request_key};
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::{ClientId, InvoiceId};
use gateway_domain::invoicing::DocumentFilter;
use gateway_domain::invoicing::Status;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_events::EventSelection;
use gateway_domain_finance::ports::InvoiceDataError;
use gateway_domain_finance::{AcceptanceForm, AttemptOutcome, CommandForm, Edit, RejectionForm, Stage};
use gateway_domain_input::document::LineForm;
use gateway_finance::{CommandError, Outcome};
use gateway_storage::Sql;
use jiff::Timestamp;
use serde_json::json;

pub(crate) fn at() -> Timestamp {
    "2026-11-20T08:00:00Z".parse().unwrap()
}

pub(crate) fn line() -> LineForm {
    serde_json::from_value(json!({"description": "Extra", "quantity": "1", "unit_price": "5.00",
        "tax": {"category": "VAT", "rate": "10.0"}}))
    .unwrap()
}

/// The commands that write documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Act {
    IssueStandard,
    Edit,
    Delete,
    Credit,
    Reverse,
    Accept,
    Reject,
}

impl Act {
    /// The one that changes the workspace comes last.
    pub(crate) const ALL: [Self; 7] = [
        Self::Edit,
        Self::Delete,
        Self::Credit,
        Self::Reverse,
        Self::Accept,
        Self::Reject,
        Self::IssueStandard,
    ];

    /// What the service is asked first to carry it out.
    pub(crate) fn rpc(self) -> Rpc {
        match self {
            Self::IssueStandard | Self::Accept => Rpc::Issue,
            Self::Edit | Self::Credit | Self::Reverse => Rpc::Save,
            Self::Delete => Rpc::Delete,
            Self::Reject => Rpc::Reject,
        }
    }

    /// A document that takes the command.
    pub(crate) async fn document(self, world: &World) -> InvoiceId {
        match self {
            Self::IssueStandard => {
                world
                    .gateway
                    .workspaces()
                    .clear_e_invoicing(&world.acting.actor, world.workspace)
                    .await
                    .unwrap();
                world.draft().await
            }
            Self::Edit | Self::Delete => world.draft().await,
            Self::Credit | Self::Reverse => {
                world.provider.accepts();
                let id = world.waiting().await;
                world.notified(id).await;
                id
            }
            Self::Accept | Self::Reject => world.waiting().await,
        }
    }

    pub(crate) async fn give(
        self,
        world: &World,
        acting: &Acting,
        id: InvoiceId,
    ) -> Result<Outcome, CommandError> {
        world.gateway.command(acting, id, self.form(), None).await
    }

    async fn try_out(self, world: &World, id: InvoiceId) -> Result<Outcome, CommandError> {
        world.gateway.dry_run(&world.acting, id, self.form()).await
    }

    fn form(self) -> CommandForm {
        match self {
            Self::IssueStandard => CommandForm::Issue { at: None },
            Self::Edit => CommandForm::Edit(Box::new(Edit::Add("t1".to_owned(), line()))),
            Self::Delete => CommandForm::Delete,
            Self::Credit => CommandForm::Credit { at: at(), lines: None },
            Self::Reverse => CommandForm::Reverse { at: at() },
            Self::Accept => CommandForm::Accept(AcceptanceForm::WITHOUT_PROOF),
            Self::Reject => CommandForm::Reject(RejectionForm::because("by hand")),
        }
    }

    /// What finance tells of the document of the command, behind what it told before.
    fn events(self) -> &'static [&'static str] {
        match self {
            Self::IssueStandard => &["Issued"],
            Self::Edit => &["TransactionAdded"],
            Self::Delete => &["Deleted"],
            Self::Credit => &["Issuing", "AcceptedByTaxAuthority", "Issued", "Credited"],
            Self::Reverse => &["Issuing", "AcceptedByTaxAuthority", "Issued", "Reversed"],
            Self::Accept => &["Issuing", "AcceptedByTaxAuthority", "Issued"],
            Self::Reject => &["Issuing", "RejectedByTaxAuthority"],
        }
    }
}

pub(crate) fn service(world: &World) -> &Service {
    world.service.as_deref().unwrap()
}

/// Works until the intents of dead requests and the repeated calls are through.
async fn until_quiet(world: &World) {
    for _ in 0..6 {
        world.pass(40);
        world.work().await;
    }
}

/// The credit notes of a document at the invoice data service.
async fn notes(world: &World, id: InvoiceId) -> usize {
    let page =
        world.keeper.documents().page(&world.acting, &DocumentFilter::default(), None, 25).await.unwrap();
    page.nodes.iter().filter(|found| found.content.referenced_document_ids == [id]).count()
}

async fn carried_out_once(world: &World, act: Act, id: InvoiceId) {
    assert_eq!(world.events(id).await, act.events(), "{act:?}");
    let found = world.gateway.invoice(&world.acting, id).await.unwrap();
    let status = found.as_ref().map(|found| found.state.status());
    match act {
        Act::IssueStandard | Act::Accept => assert_eq!(status, Some(Status::Issued)),
        Act::Edit => assert_eq!(found.unwrap().content.lines.len(), 2),
        Act::Delete => assert_eq!(status, None),
        Act::Reject => assert_eq!(status, Some(Status::Rejected)),
        Act::Credit | Act::Reverse => {
            assert_eq!(notes(world, id).await, 1, "{act:?}");
            let by_name = world.gateway.finance_events(&world.acting, id).await.unwrap();
            let data: serde_json::Value = serde_json::from_str(&by_name.last().unwrap().data).unwrap();
            let note = world.document(data["credit_note_id"].as_str().unwrap().parse().unwrap()).await;
            let expected = if act == Act::Credit { Status::Draft } else { Status::Issued };
            assert_eq!(note.state.status(), expected);
            let expected_events: &[&str] = if act == Act::Credit { &[] } else { &["Issued"] };
            assert_eq!(world.events(note.id).await, expected_events);
        }
    }
}

#[tokio::test]
async fn a_command_whose_answer_is_lost_is_carried_out_once_and_answered() {
    for world in remote_worlds().await {
        for act in Act::ALL {
            let id = act.document(&world).await;
            service(&world).has(act.rpc(), Trouble::Lost);
            act.give(&world, &world.acting, id).await.unwrap();
            carried_out_once(&world, act, id).await;
            until_quiet(&world).await;
            carried_out_once(&world, act, id).await;
        }
    }
}

#[tokio::test]
async fn a_command_that_finds_nobody_goes_on_in_the_background_and_no_other_one_meanwhile() {
    for world in remote_worlds().await {
        for act in Act::ALL {
            let id = act.document(&world).await;
            for _ in 0..2 {
                service(&world).has(act.rpc(), Trouble::Fails(unavailable()));
            }
            let silent = act.give(&world, &world.acting, id).await;
            assert!(matches!(silent, Err(CommandError::InvoiceData(_))), "{act:?}: {silent:?}");
            let meanwhile = act.give(&world, &world.acting, id).await;
            assert!(matches!(meanwhile, Err(CommandError::InProgress)), "{act:?}: {meanwhile:?}");
            until_quiet(&world).await;
            carried_out_once(&world, act, id).await;
        }
    }
}

#[tokio::test]
async fn a_credit_note_that_is_not_written_yet_is_not_taken_for_nothing() {
    for world in remote_worlds().await {
        let id = Act::Credit.document(&world).await;
        for _ in 0..2 {
            service(&world).has(Rpc::Save, Trouble::Fails(unavailable()));
        }
        assert!(Act::Credit.give(&world, &world.acting, id).await.is_err(), "it is on its way");
        // A dry run commits to nothing, so what it decides on is all that can stop it.
        for act in [Act::Credit, Act::Reverse] {
            let meanwhile = act.try_out(&world, id).await;
            assert!(matches!(meanwhile, Err(CommandError::InProgress)), "{act:?}: {meanwhile:?}");
        }
        until_quiet(&world).await;
        for act in [Act::Credit, Act::Reverse] {
            let after = act.try_out(&world, id).await;
            assert!(
                matches!(after, Err(CommandError::Rule(FieldError { code: ErrorCode::CreditRefused, .. }))),
                "{act:?}: {after:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_call_whose_outcome_cannot_be_read_is_looked_at_later() {
    for world in remote_worlds().await {
        for act in Act::ALL {
            let id = act.document(&world).await;
            // The command reads its document, and a credit note is not read before it is written.
            service(&world).has(Rpc::Document, Trouble::Passes);
            service(&world).has(Rpc::Document, Trouble::Fails(unavailable()));
            let silent = act.give(&world, &world.acting, id).await;
            assert!(matches!(silent, Err(CommandError::InvoiceData(_))), "{act:?}: {silent:?}");
            until_quiet(&world).await;
            carried_out_once(&world, act, id).await;
        }
    }
}

#[tokio::test]
async fn a_refused_command_leaves_nothing_behind() {
    let refusals =
        [InvoiceDataError::Stale, InvoiceDataError::Gone, InvoiceDataError::Unauthorised { status: 403 }];
    for world in remote_worlds().await {
        for (round, refusal) in refusals.iter().enumerate() {
            let id = world.draft().await;
            let request = request_key(ClientId(uuid::Uuid::from_u128(1)), &format!("k{round}"), "edit");
            let named = Acting { request: Some(request.clone()), ..world.acting.clone() };
            service(&world).has(Rpc::Save, Trouble::Fails(refusal.clone()));
            let refused = Act::Edit.give(&world, &named, id).await;
            let as_expected = match refusal {
                InvoiceDataError::Stale => matches!(refused, Err(CommandError::Stale { current: 1 })),
                InvoiceDataError::Gone => matches!(refused, Err(CommandError::Gone)),
                _ => matches!(refused, Err(CommandError::InvoiceData(_))),
            };
            assert!(as_expected, "{refusal:?}: {refused:?}");
            assert_eq!(world.gateway.requests().repeated(&request).await.unwrap(), Repeat::New);
            until_quiet(&world).await;
            assert!(world.events(id).await.is_empty());
            Act::Edit.give(&world, &named, id).await.unwrap();
            assert_eq!(world.events(id).await, ["TransactionAdded"]);
        }
    }
}

#[tokio::test]
async fn the_refusal_of_a_new_document_says_why() {
    let complaint = || vec![FieldError::new("lines[0].tax", ErrorCode::NotOneOf, "is no tax of the regime")];
    for world in remote_worlds().await {
        for act in [Act::Credit, Act::Reverse] {
            let id = act.document(&world).await;
            service(&world).has(Rpc::Save, Trouble::Fails(InvoiceDataError::Refused(complaint())));
            let refused = act.give(&world, &world.acting, id).await;
            assert!(
                matches!(&refused, Err(CommandError::Invalid(errors)) if *errors == complaint()),
                "{act:?}: {refused:?}"
            );
            act.give(&world, &world.acting, id).await.unwrap();
            carried_out_once(&world, act, id).await;
        }
    }
}

#[tokio::test]
async fn an_issue_whose_answer_is_lost_uses_one_number() {
    for world in remote_worlds().await {
        let id = world.draft().await;
        service(&world).has(Rpc::Issuing, Trouble::Lost);
        let outcome = world.issue(id).await.unwrap();
        assert_eq!(outcome.document.state.status(), Status::Issuing);
        let other = world.draft().await;
        service(&world).has(Rpc::Issuing, Trouble::Fails(unavailable()));
        assert!(matches!(world.issue(other).await, Err(CommandError::InvoiceData(_))));
        world.provider.accepts();
        until_quiet(&world).await;
        until_quiet(&world).await;
        for (id, number) in [(id, "F-2026-000001"), (other, "F-2026-000002")] {
            assert_eq!(world.number(id).await, number);
            assert_eq!(world.events(id).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
        }
    }
}

#[tokio::test]
async fn a_verdict_whose_answer_is_lost_is_recorded_once() {
    for trouble in [Trouble::Lost, Trouble::Fails(unavailable())] {
        for world in remote_worlds().await {
            world.provider.accepts();
            let accepted = world.waiting().await;
            service(&world).has(Rpc::Issue, trouble.clone());
            world.notified(accepted).await;
            until_quiet(&world).await;
            assert_eq!(world.events(accepted).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
            assert_eq!(world.submission(accepted).await.submission.stage(), Stage::Accepted);
            world.provider.rejects("1110", "no");
            let rejected = world.waiting().await;
            service(&world).has(Rpc::Reject, trouble.clone());
            world.notified(rejected).await;
            until_quiet(&world).await;
            assert_eq!(world.events(rejected).await, ["Issuing", "RejectedByTaxAuthority"]);
            let view = world.submission(rejected).await;
            assert_eq!(view.submission.stage(), Stage::Rejected);
            assert_eq!(view.attempts[0].outcome.map(AttemptOutcome::as_str), Some("rejected"));
        }
    }
}

#[tokio::test]
async fn a_verdict_by_hand_on_its_way_comes_before_the_authoritys() {
    for world in remote_worlds().await {
        let id = world.waiting().await;
        service(&world).has(Rpc::Reject, Trouble::Fails(unavailable()));
        assert!(Act::Reject.give(&world, &world.acting, id).await.is_err());
        world.provider.accepts();
        world.notified(id).await;
        assert_eq!(world.document(id).await.state.status(), Status::Issuing, "it waits for the other one");
        until_quiet(&world).await;
        assert_eq!(world.rejection(id).await, "by hand");
        assert_eq!(world.events(id).await, ["Issuing", "RejectedByTaxAuthority"]);
        assert_eq!(world.submission(id).await.submission.stage(), Stage::Superseded);
    }
}

#[tokio::test]
async fn a_service_that_stays_away_or_refuses_the_gateway_raises_an_alert_that_heals() {
    let troubles = [
        (unavailable(), 5, "invoicingUnavailable"),
        (InvoiceDataError::Unauthorised { status: 401 }, 1, "invoicingUnauthorised"),
        (InvoiceDataError::Protocol { detail: "no JSON".to_owned() }, 1, "invoicingProtocol"),
    ];
    for world in remote_worlds().await {
        world.provider.accepts();
        for (error, times, alert) in &troubles {
            let id = world.waiting().await;
            for _ in 0..*times {
                service(&world).has(Rpc::Issue, Trouble::Fails(error.clone()));
            }
            world.notified(id).await;
            for _ in 1..*times {
                world.pass(9);
                world.work().await;
            }
            assert_eq!(world.alert(id).await, Some(*alert));
            assert!(world.submission(id).await.next_step_at.is_some());
            until_quiet(&world).await;
            assert_eq!(world.events(id).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
            assert_eq!(world.alert(id).await, None);
        }
    }
}

#[tokio::test]
async fn documents_of_other_workspaces_do_not_exist_and_nothing_is_asked_for_them() {
    for world in remote_worlds().await {
        let stranger = Acting { workspaces: Workspaces::Only(Vec::new()), ..world.acting.clone() };
        for act in Act::ALL.into_iter().filter(|act| *act != Act::IssueStandard) {
            let id = act.document(&world).await;
            let before = service(&world).callers(act.rpc()).len();
            let refused = act.give(&world, &stranger, id).await;
            assert!(matches!(refused, Err(CommandError::Gone)), "{act:?}: {refused:?}");
            assert_eq!(service(&world).callers(act.rpc()).len(), before);
        }
    }
}

#[tokio::test]
async fn the_invoice_data_service_hears_who_acts() {
    for world in remote_worlds().await {
        world.provider.accepts();
        let id = world.waiting().await;
        world.notified(id).await;
        assert_eq!(service(&world).callers(Rpc::Issuing), ["jane"]);
        assert_eq!(service(&world).callers(Rpc::Issue), ["gateway"]);
        Act::Credit.give(&world, &world.acting, id).await.unwrap();
        assert_eq!(service(&world).callers(Rpc::Save), ["jane"]);
    }
}

#[tokio::test]
async fn of_many_issue_commands_at_once_one_submits() {
    for world in remote_worlds().await {
        let id = world.draft().await;
        let (one, two, three, four) =
            tokio::join!(world.issue(id), world.issue(id), world.issue(id), world.issue(id));
        let carried_out = [one, two, three, four].iter().filter(|outcome| outcome.is_ok()).count();
        assert_eq!(carried_out, 1);
        assert_eq!(world.events(id).await, ["Issuing"]);
        let late = world.issue(id).await;
        assert!(matches!(late, Err(CommandError::Refused(_))), "{late:?}");
    }
}

#[tokio::test]
async fn a_document_read_before_it_moved_is_not_submitted_twice() {
    for world in remote_worlds().await {
        let id = world.draft().await;
        let stale = world.document(id).await;
        world.issue(id).await.unwrap();
        world.work().await;
        // As a request does that read the draft and was then left behind.
        service(&world).shows(stale);
        let late = world.issue(id).await;
        assert!(matches!(late, Err(CommandError::Refused(_))), "{late:?}");
        assert_eq!(world.submission(id).await.submission.stage(), Stage::Waiting);
        assert_eq!(world.submission(id).await.attempts.len(), 1);
    }
}

#[tokio::test]
async fn a_service_that_forgot_an_issuing_document_raises_an_alert() {
    for world in remote_worlds().await {
        let id = world.waiting().await;
        world.provider.accepts();
        service(&world).has(Rpc::Issue, Trouble::Fails(unavailable()));
        service(&world).forgets();
        world.notified(id).await;
        assert_eq!(world.alert(id).await, Some("invoicingProtocol"));
        until_quiet(&world).await;
        assert_eq!(world.events(id).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
    }
}

#[tokio::test]
async fn the_remote_feed_is_kept_once_however_often_it_is_read_and_whoever_reads_it() {
    for world in remote_worlds().await {
        let ids = [world.draft().await, world.draft().await];
        world.issue(ids[0]).await.unwrap();
        service(&world).has(Rpc::Events, Trouble::Fails(unavailable()));
        world.gateway.feed().keep_next().await.unwrap_err();
        let readers = (0..4).map(|_| async {
            let mut kept = 0;
            while let Some(new) = world.gateway.feed().keep_next().await.unwrap() {
                kept += new;
            }
            kept
        });
        let kept: usize = futures::future::join_all(readers).await.into_iter().sum();
        assert_eq!(kept, 3, "two drafts, and one that is issuing");
        // A service that was moved to another address tells the same again.
        world.sql(Sql::both("DELETE FROM finance_feed")).await;
        world.settled().await;
        let feed = world
            .gateway
            .events()
            .feed(&world.acting, EventSelection::Documents, 0, 100)
            .await
            .unwrap()
            .events;
        let changes: Vec<_> = feed
            .iter()
            .filter(|event| event.source == "/invoicing" && event.subject == ids[0].0)
            .map(|event| (event.sequence, event.kind.as_str()))
            .collect();
        assert_eq!(changes, [(1, "DocumentSaved"), (2, "DocumentIssuing")]);
    }
}

#[tokio::test]
async fn a_feed_that_does_not_move_on_is_said_and_not_read_for_ever() {
    for world in remote_worlds().await {
        world.draft().await;
        world.settled().await;
        let draft = world
            .keeper
            .events()
            .feed(&world.acting, EventSelection::Documents, 0, 1)
            .await
            .unwrap()
            .events
            .remove(0);
        service(&world).stands_still(draft);
        let error = world.gateway.feed().keep_next().await.unwrap_err().to_string();
        assert!(error.ends_with("its event feed does not move on"), "{error}");
        assert_eq!(world.gateway.feed().keep_next().await.unwrap(), None);
    }
}
