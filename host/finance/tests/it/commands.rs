//! Credit, reverse, refund, delete, edits: what is given back and what is changed.

use crate::world::{Mood, World, both, here};
use gateway_access::{Repeat, request_key};
use gateway_domain::access::Acting;
use gateway_domain::fault::Fault;
use gateway_domain::ids::{ClientId, InvoiceId};
use gateway_domain::invoicing::{DocumentKind, IssueError, Line, State, Status};
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::{CommandForm, Edit, Refusal, RejectionForm};
use gateway_domain_input::document::{LineForm, TaxCheck};
use gateway_finance::CommandError;
use jiff::Timestamp;
use serde_json::json;

const AT: &str = "2026-11-20T08:00:00Z";

fn at() -> Timestamp {
    AT.parse().unwrap()
}

pub(crate) fn form(price: &str) -> LineForm {
    serde_json::from_value(json!({"description": "Back", "quantity": "1", "unit_price": price,
        "tax": {"category": "VAT", "rate": "10.0"}}))
    .unwrap()
}

pub(crate) fn line(price: &str) -> Line {
    form(price).check("line", TaxCheck::Syntax).unwrap()
}

impl World {
    /// An invoice of 22.00 that the authority accepted.
    async fn issued(&self) -> InvoiceId {
        self.provider.accepts();
        let id = self.waiting().await;
        self.notified(id).await;
        assert_eq!(self.document(id).await.state.status(), Status::Issued);
        id
    }
}

#[tokio::test]
async fn a_credit_note_is_a_draft_that_refers_to_its_invoice() {
    for world in both().await {
        let id = world.issued().await;
        let outcome = world
            .gateway
            .command(&world.acting, id, CommandForm::Credit { at: at(), lines: None }, None)
            .await
            .unwrap();
        assert_eq!(outcome.events.iter().map(|e| e.kind.as_str()).collect::<Vec<_>>(), ["Credited"]);
        let note = world.document(outcome.document.id).await;
        assert_eq!(note.state, State::Draft);
        assert_eq!(note.content.document_type, DocumentKind::CreditNote);
        assert_eq!(note.content.referenced_document_ids, [id]);
        assert_eq!(note.totals.payable.to_string(), "22.00");
        let again = world
            .gateway
            .command(&world.acting, id, CommandForm::Credit { at: at(), lines: None }, None)
            .await;
        assert!(matches!(again, Err(CommandError::Rule(FieldError { code: ErrorCode::CreditRefused, .. }))));
    }
}

#[tokio::test]
async fn partial_credit_notes_never_exceed_the_invoice_however_they_are_written() {
    for world in both().await {
        let id = world.issued().await;
        let credit = |price: &str| {
            world.gateway.command(
                &world.acting,
                id,
                CommandForm::Credit { at: at(), lines: Some(vec![line(price)]) },
                None,
            )
        };
        let (one, other) = tokio::join!(credit("12.00"), credit("12.00"));
        assert_eq!([one.is_ok(), other.is_ok()].iter().filter(|ok| **ok).count(), 1, "side by side");
        let first = one.or(other).unwrap().document.id;
        assert!(credit("8.01").await.is_err());
        let second = credit("8.00").await.unwrap().document.id;

        // A draft may be edited, but what is issued stays within the invoice.
        world.rewrite_note(first, id, "15.00").await;
        world.issue(first).await.unwrap();
        let beyond = world.issue(second).await;
        assert!(matches!(beyond, Err(CommandError::Issue(_))), "{beyond:?}");
        assert_eq!(world.number(first).await, "R-2026-000001");
        assert_eq!(world.document(second).await.state, State::Draft);
    }
}

impl World {
    async fn rewrite_note(&self, note: InvoiceId, original: InvoiceId, price: &str) {
        let form = serde_json::from_value(json!({"workspace_id": self.workspace, "document_type": "credit_note",
            "currency": "EUR", "prices_include_tax": false, "referenced_document_ids": [original],
            "lines": [{"description": "Back", "quantity": "1", "unit_price": price, "tax": {"category": "VAT", "rate": "10.0"}}]}))
        .unwrap();
        self.keeper.invoicing().save(&self.acting, note, form, None).await.unwrap();
    }
}

#[tokio::test]
async fn reversing_issues_a_full_credit_note_at_once() {
    for world in both().await {
        let id = world.issued().await;
        let outcome =
            world.gateway.command(&world.acting, id, CommandForm::Reverse { at: at() }, None).await.unwrap();
        assert_eq!(outcome.document.state.status(), Status::Issued);
        assert_eq!(outcome.document.state.number().unwrap().0, "R-2026-000001");
        let kinds: Vec<_> = outcome.events.iter().map(|event| event.kind.as_str()).collect();
        assert_eq!(kinds, ["Reversed", "Issued"]);
        let again = world.gateway.command(&world.acting, id, CommandForm::Reverse { at: at() }, None).await;
        assert!(matches!(again, Err(CommandError::Rule(FieldError { code: ErrorCode::CreditRefused, .. }))));
    }
}

#[tokio::test]
async fn where_the_authority_takes_credit_notes_a_reversal_goes_there() {
    for world in both().await {
        world.regime.takes_credit_notes();
        let id = world.issued().await;
        let outcome =
            world.gateway.command(&world.acting, id, CommandForm::Reverse { at: at() }, None).await.unwrap();
        let note = outcome.document.id;
        assert_eq!(outcome.document.state.status(), Status::Issuing);
        world.work().await;
        world.notified(note).await;
        assert_eq!(world.document(note).await.state.status(), Status::Issued);
        assert_eq!(world.events(note).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
    }
}

#[tokio::test]
async fn refunds_are_recorded_up_to_what_was_paid() {
    for world in both().await {
        let id = world.issued().await;
        let refund = |amount: &str| {
            world.gateway.command(
                &world.acting,
                id,
                CommandForm::Refund { at: at(), amount: amount.parse().unwrap(), reference: None },
                None,
            )
        };
        let (one, other) = tokio::join!(refund("12"), refund("12"));
        assert_eq!([one.is_ok(), other.is_ok()].iter().filter(|ok| **ok).count(), 1, "side by side");
        refund("10").await.unwrap();
        let beyond = refund("0.01").await;
        assert!(matches!(beyond, Err(CommandError::Rule(FieldError { code: ErrorCode::RefundRefused, .. }))));
        let events = world.events(id).await;
        assert_eq!(events.iter().filter(|event| *event == "Refunded").count(), 2);
    }
}

#[tokio::test]
async fn a_command_that_carries_a_time_of_the_future_is_refused() {
    for world in both().await {
        let id = world.issued().await;
        let later: Timestamp = "2026-11-20T12:00:00Z".parse().unwrap();
        let refused = world
            .gateway
            .command(&world.acting, id, CommandForm::Credit { at: later, lines: None }, None)
            .await;
        assert!(matches!(refused, Err(CommandError::Invalid(errors)) if errors[0].field == "at"));
    }
}

#[tokio::test]
async fn transactions_become_lines_and_the_recipient_changes_on_drafts_and_rejected_documents() {
    for world in both().await {
        let id = world.draft().await;
        let edit =
            |edit: Edit| world.gateway.command(&world.acting, id, CommandForm::Edit(Box::new(edit)), None);
        let added = edit(Edit::Add("t1".to_owned(), form("5"))).await.unwrap();
        assert_eq!(added.document.totals.payable.to_string(), "27.50");
        assert!(edit(Edit::Add("t1".to_owned(), form("5"))).await.is_err());
        edit(Edit::Update("t1".to_owned(), form("6"))).await.unwrap();
        let removed = edit(Edit::Remove("t1".to_owned())).await.unwrap();
        assert_eq!(removed.document.totals.payable.to_string(), "22.00");
        assert_eq!(world.events(id).await, ["TransactionAdded", "TransactionUpdated", "TransactionRemoved"]);
        let stale = world
            .gateway
            .command(&world.acting, id, CommandForm::Edit(Box::new(Edit::Remove("t1".to_owned()))), Some(1))
            .await;
        assert!(matches!(stale, Err(CommandError::Stale { current: 4 })), "{stale:?}");

        world.issue(id).await.unwrap();
        let locked = edit(Edit::Add("t2".to_owned(), form("5"))).await;
        assert!(matches!(locked, Err(CommandError::Refused(Refusal::LockedWhileIssuing))));
    }
}

#[tokio::test]
async fn only_a_draft_is_deleted() {
    for world in both().await {
        let id = world.draft().await;
        world.gateway.command(&world.acting, id, CommandForm::Delete, None).await.unwrap();
        assert!(world.gateway.invoice(&world.acting, id).await.unwrap().is_none());
        let issued = world.issued().await;
        let refused = world.gateway.command(&world.acting, issued, CommandForm::Delete, None).await;
        assert!(matches!(refused, Err(CommandError::Refused(Refusal::AlreadyIssued))));
    }
}

#[tokio::test]
async fn a_dry_run_shows_everything_and_changes_nothing() {
    for world in both().await {
        let id = world.issued().await;
        let before = world.events(id).await;
        let view = world.gateway.dry_run(&world.acting, id, CommandForm::Reverse { at: at() }).await.unwrap();
        if world.service.is_none() {
            assert_eq!(view.document.state.number().unwrap().0, "R-2026-000001");
            assert_eq!(view.events.len(), 2);
        } else {
            // Which number another service would give is not tried out.
            assert_eq!((view.document.state, view.events.len()), (State::Draft, 1));
        }
        world
            .gateway
            .dry_run(
                &world.acting,
                id,
                CommandForm::Refund { at: at(), amount: "22".parse().unwrap(), reference: None },
            )
            .await
            .unwrap();
        assert_eq!(world.events(id).await, before);
        assert!(world.gateway.invoice(&world.acting, view.document.id).await.unwrap().is_none());
        let real =
            world.gateway.command(&world.acting, id, CommandForm::Reverse { at: at() }, None).await.unwrap();
        assert_eq!(real.document.state.number().unwrap().0, "R-2026-000001", "no number was used");
    }
}

#[tokio::test]
async fn a_repeated_request_is_carried_out_once() {
    for world in both().await {
        let id = world.issued().await;
        let request = request_key(ClientId(uuid::Uuid::from_u128(1)), "k", "refund 5");
        let named = Acting { request: Some(request.clone()), ..world.acting.clone() };
        let refund = || {
            world.gateway.command(
                &named,
                id,
                CommandForm::Refund { at: at(), amount: "5".parse().unwrap(), reference: None },
                None,
            )
        };
        assert_eq!(world.gateway.requests().repeated(&request).await.unwrap(), Repeat::New);
        let (one, other) = tokio::join!(refund(), refund());
        assert_eq!([one.is_ok(), other.is_ok()].iter().filter(|ok| **ok).count(), 1);
        assert_eq!(world.gateway.requests().repeated(&request).await.unwrap(), Repeat::CarriedOut);
        world.gateway.requests().keep_answer(&request, 200, "{}").await.unwrap();
        let answered = Repeat::Answered { status: 200, response: "{}".to_owned() };
        assert_eq!(world.gateway.requests().repeated(&request).await.unwrap(), answered);
        let another = request_key(ClientId(uuid::Uuid::from_u128(1)), "k", "refund 6");
        assert_eq!(world.gateway.requests().repeated(&another).await.unwrap(), Repeat::OtherRequest);
        let events = world.events(id).await;
        assert_eq!(events.iter().filter(|event| *event == "Refunded").count(), 1);
    }
}

#[tokio::test]
async fn a_refused_request_keeps_no_key() {
    for world in both().await {
        let id = world.draft().await;
        let request = request_key(ClientId(uuid::Uuid::from_u128(1)), "k", "refund");
        let named = Acting { request: Some(request.clone()), ..world.acting.clone() };
        assert!(
            world
                .gateway
                .command(
                    &named,
                    id,
                    CommandForm::Refund { at: at(), amount: "5".parse().unwrap(), reference: None },
                    None
                )
                .await
                .is_err()
        );
        assert_eq!(world.gateway.requests().repeated(&request).await.unwrap(), Repeat::New);
    }
}

/// The draft that strategy B made beside a rejected invoice.
async fn corrective(world: &World, id: InvoiceId) -> InvoiceId {
    let events = world.gateway.finance_events(&world.acting, id).await.unwrap();
    let drafted = events.iter().find(|event| event.kind == "CorrectiveDrafted").unwrap();
    let data: serde_json::Value = serde_json::from_str(&drafted.data).unwrap();
    data["corrective_id"].as_str().unwrap().parse().unwrap()
}

#[tokio::test]
async fn strategy_b_drafts_a_corrective_that_waits_until_the_mended_invoice_is_issued_and_credited() {
    for world in both().await {
        world.drafts_correctives().await;
        let id = world.waiting().await;
        world.provider.rejects("1110", "no");
        world.notified(id).await;
        let draft = corrective(&world, id).await;
        assert_eq!(world.document(draft).await.content.lines, world.document(id).await.content.lines);
        let blocked = world.issue(draft).await;
        assert!(matches!(blocked, Err(CommandError::Issue(IssueError::Blocked))), "{blocked:?}");

        world.provider.accepts();
        world.issue(id).await.unwrap();
        world.work().await;
        world.notified(id).await;
        assert_eq!(
            world.events(id).await,
            [
                "Issuing",
                "RejectedByTaxAuthority",
                "CorrectiveDrafted",
                "Issuing",
                "AcceptedByTaxAuthority",
                "Issued",
                "Reversed"
            ]
        );
        assert_eq!(world.events(draft).await, ["CorrectiveReleased"]);
        world.issue(draft).await.unwrap();
        world.work().await;
        world.notified(draft).await;
        assert_eq!(world.document(draft).await.state.status(), Status::Issued);
    }
}

/// An invoice that was rejected, mended and issued under strategy B, where credit notes go to the authority: the gateway
/// credits it by itself.
async fn mended_under_strategy_b(world: &World) -> InvoiceId {
    world.regime.takes_credit_notes();
    world.drafts_correctives().await;
    let id = world.waiting().await;
    world.provider.rejects("1110", "no");
    world.notified(id).await;
    world.provider.accepts();
    world.issue(id).await.unwrap();
    world.work().await;
    world.notified(id).await;
    id
}

#[tokio::test]
async fn under_strategy_b_a_credit_note_at_the_authority_keeps_the_corrective_waiting() {
    for world in both().await {
        let id = mended_under_strategy_b(&world).await;
        let draft = corrective(&world, id).await;
        assert!(world.issue(draft).await.is_err(), "the credit note is not accepted yet");
        world.work().await;
        world.pass(60);
        world.work().await;
        assert_eq!(world.events(draft).await, ["CorrectiveReleased"]);
        world.issue(draft).await.unwrap();
    }
}

#[tokio::test]
async fn what_the_gateway_credits_by_itself_goes_out_although_nobody_checked_it_before() {
    for world in here().await {
        let id = mended_under_strategy_b(&world).await;
        let events = world.gateway.finance_events(&world.acting, id).await.unwrap();
        let data: serde_json::Value = serde_json::from_str(&events.last().unwrap().data).unwrap();
        let note: InvoiceId = data["credit_note_id"].as_str().unwrap().parse().unwrap();
        let faults = vec![Fault::error("NIF-01", "/recipient/tax_number", "is wrong")];
        world.regime.is(Mood::RefusesAll(faults));
        world.work().await;
        let kinds = world.events(note).await;
        assert_eq!(
            kinds,
            ["Issuing", "RejectedByTaxAuthority"],
            "the refusal has a reason that everybody can read"
        );
    }
}

#[tokio::test]
async fn a_rejection_that_changes_nothing_keeps_its_key_too() {
    for world in both().await {
        let id = world.waiting().await;
        world
            .gateway
            .command(&world.acting, id, CommandForm::Reject(RejectionForm::because("first")), None)
            .await
            .unwrap();
        let request = request_key(ClientId(uuid::Uuid::from_u128(1)), "k", "reject");
        let acting = Acting { request: Some(request.clone()), ..world.acting.clone() };
        world
            .gateway
            .command(&acting, id, CommandForm::Reject(RejectionForm::because("again")), None)
            .await
            .unwrap();
        assert_eq!(world.gateway.requests().repeated(&request).await.unwrap(), Repeat::CarriedOut);
    }
}

#[tokio::test]
async fn a_rejected_document_keeps_its_kind() {
    for world in here().await {
        let id = world.waiting().await;
        world.gateway.invoicing().reject(&world.acting, id, "by hand".to_owned()).await.unwrap();
        let mut form = world.form(None, "10.00");
        form.document_type = Some("proforma".to_owned());
        let refused = world.gateway.invoicing().save(&world.acting, id, form, None).await.unwrap_err();
        assert!(refused.to_string().contains("stays a document of the kind invoice"), "{refused}");
    }
}

#[tokio::test]
async fn a_dry_run_of_an_issue_is_refused_for_what_the_issue_would_be() {
    for world in both().await {
        let id = world.waiting().await;
        world.keeper.invoicing().reject(&world.acting, id, "by hand".to_owned()).await.unwrap();
        world.gateway.workspaces().clear_e_invoicing(&world.acting.actor, world.workspace).await.unwrap();
        let trial = world.gateway.issue_dry_run(&world.acting, id, None).await.unwrap_err();
        let issue = world.issue(id).await.unwrap_err();
        assert_eq!(trial.to_string(), issue.to_string());
        assert!(
            matches!(issue, CommandError::Rule(FieldError { code: ErrorCode::EInvoicingNotConfigured, .. })),
            "{issue:?}"
        );
        let tomorrow = world.gateway.now().checked_add(jiff::SignedDuration::from_hours(24)).unwrap();
        let trial = world.gateway.issue_dry_run(&world.acting, world.draft().await, Some(tomorrow)).await;
        assert!(matches!(trial, Err(CommandError::Invalid(_))), "{trial:?}");
    }
}
