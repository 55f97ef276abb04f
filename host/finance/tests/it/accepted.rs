//! Documents that the authority takes.

use crate::world::{Op, POLL_AFTER_S, both, remote_worlds};
use gateway_domain::invoicing::{State, Status};
use gateway_domain_finance::{
    AcceptanceForm, AttemptOutcome, AuthorityMessage, CommandForm, Proof, Refusal, Stage,
};
use gateway_finance::CommandError;

#[tokio::test]
async fn an_invoice_travels_from_draft_to_issued() {
    for world in both().await {
        let id = world.draft().await;
        let outcome = world.issue(id).await.unwrap();
        assert_eq!(outcome.document.state.status(), Status::Issuing);
        assert!(outcome.document.send_to_tax_authority);
        assert_eq!(outcome.events.iter().map(|e| e.kind.as_str()).collect::<Vec<_>>(), ["Issuing"]);
        assert_eq!(world.number(id).await, "F-2026-000001");

        world.work().await;
        assert_eq!(world.provider.calls(), [Op::PutEntry, Op::PutJob]);
        world.provider.accepts();
        world.notified(id).await;

        let State::Issued { acceptance: Some(acceptance), .. } = world.document(id).await.state else {
            panic!("not accepted");
        };
        assert_eq!(acceptance.qr_url.as_deref(), Some("https://authority.example/v"));
        assert_eq!(acceptance.tax_system_hash.as_deref(), Some("ABC"));
        assert_eq!(world.number(id).await, "F-2026-000001");
        assert_eq!(world.events(id).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
        let view = world.submission(id).await;
        assert_eq!((view.submission.stage(), view.next_step_at), (Stage::Accepted, None));
        assert_eq!(view.attempts.len(), 1);
        assert_eq!(view.attempts[0].outcome.map(AttemptOutcome::as_str), Some("accepted"));
    }
}

#[tokio::test]
async fn the_message_to_the_authority_is_kept_with_the_verdict() {
    for world in both().await {
        let id = world.waiting().await;
        let structured =
            async |id| world.gateway.submissions().structured(&world.acting, id).await.unwrap().unwrap();
        assert_eq!(structured(id).await.message, None);
        world.provider.has_sent("text/xml; charset=utf-8", "<record/>");
        world.provider.rejects("1110", "unknown");
        world.notified(id).await;
        assert_eq!(world.document(id).await.state.status(), Status::Rejected);
        let view = structured(id).await;
        let message = AuthorityMessage { media_type: "application/xml".into(), body: "<record/>".into() };
        assert_eq!(view.message, Some(message), "of a refused document too");
        let submission = world.submission(id).await.submission;
        assert_eq!(view.sent, submission.data().document.map(|document| document.structured.to_string()));
    }
}

#[tokio::test]
async fn a_message_that_cannot_be_kept_delays_no_verdict() {
    for world in both().await {
        for unreadable in [true, false] {
            let id = world.waiting().await;
            world.provider.has_sent("application/xml", if unreadable { "<a>\0</a>" } else { "<a/>" });
            if !unreadable {
                world.provider.is_away(Op::GetFile, 1);
            }
            world.provider.accepts();
            world.notified(id).await;
            assert_eq!(world.document(id).await.state.status(), Status::Issued);
            let structured =
                world.gateway.submissions().structured(&world.acting, id).await.unwrap().unwrap();
            assert_eq!(structured.message, None);
            assert_eq!(world.submission(id).await.submission.retries(), 0);
        }
    }
}

#[tokio::test]
async fn a_webhook_that_never_comes_is_replaced_by_asking() {
    for world in both().await {
        let id = world.waiting().await;
        world.provider.accepts();
        assert_eq!(world.work().await, 0, "the webhook is not overdue yet");
        world.pass(POLL_AFTER_S);
        assert_eq!(world.work().await, 1);
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
    }
}

#[tokio::test]
async fn a_webhook_before_the_verdict_changes_nothing() {
    for world in both().await {
        let id = world.waiting().await;
        world.notified(id).await;
        world.notified(id).await;
        assert_eq!(world.document(id).await.state.status(), Status::Issuing);
        world.provider.accepts();
        world.notified(id).await;
        world.notified(id).await;
        assert_eq!(world.events(id).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
    }
}

#[tokio::test]
async fn lost_answers_repeat_the_call_with_the_same_ids() {
    for world in both().await {
        let id = world.draft().await;
        world.provider.loses_answer(Op::PutEntry);
        world.provider.loses_answer(Op::PutJob);
        world.provider.accepts();
        world.issue(id).await.unwrap();
        for _ in 0..6 {
            world.work().await;
            world.pass(POLL_AFTER_S);
        }
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
        assert_eq!(world.provider.entries(), 1);
        for op in [Op::PutEntry, Op::PutJob] {
            let ids = world.provider.ids(op);
            assert_eq!(ids.len(), 2, "{op:?} was repeated");
            assert_eq!(ids[0], ids[1], "{op:?} kept its id");
        }
        assert_eq!(world.submission(id).await.attempts.len(), 1);
    }
}

#[tokio::test]
async fn of_two_issue_commands_at_once_one_wins_and_one_number_is_used() {
    for world in both().await {
        let id = world.draft().await;
        let (one, other) = tokio::join!(world.issue(id), world.issue(id));
        assert_eq!([one.is_ok(), other.is_ok()].iter().filter(|ok| **ok).count(), 1);
        let next = world.draft().await;
        world.issue(next).await.unwrap();
        assert_eq!([world.number(id).await, world.number(next).await], ["F-2026-000001", "F-2026-000002"]);
    }
}

#[tokio::test]
async fn workers_side_by_side_submit_once() {
    for world in both().await {
        let id = world.draft().await;
        world.issue(id).await.unwrap();
        let queue = world.gateway.job_queue().clone();
        let (one, other) = tokio::join!(queue.run_due("one"), queue.run_due("two"));
        assert_eq!(one.unwrap() + other.unwrap(), 1);
        assert_eq!(world.provider.calls(), [Op::PutEntry, Op::PutJob]);
    }
}

#[tokio::test]
async fn a_verdict_by_hand_supersedes_the_submission() {
    for world in both().await {
        let id = world.waiting().await;
        let form = AcceptanceForm {
            qr_url: Proof::Given("https://by.hand".to_owned()),
            ..AcceptanceForm::WITHOUT_PROOF
        };
        let outcome =
            world.gateway.command(&world.acting, id, CommandForm::Accept(form), None).await.unwrap();
        assert_eq!(
            outcome.events.iter().map(|e| e.kind.as_str()).collect::<Vec<_>>(),
            ["AcceptedByTaxAuthority", "Issued"]
        );
        let view = world.submission(id).await;
        assert_eq!(view.submission.stage(), Stage::Superseded);
        assert_eq!(view.attempts[0].outcome.map(AttemptOutcome::as_str), Some("superseded"));
        world.provider.rejects("1110", "too late");
        world.notified(id).await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
        assert_eq!(world.events(id).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
    }
}

#[tokio::test]
async fn while_issuing_nothing_but_a_verdict_is_taken() {
    for world in both().await {
        let id = world.waiting().await;
        let refused = world.issue(id).await.unwrap_err();
        assert!(matches!(refused, CommandError::Refused(Refusal::LockedWhileIssuing)), "{refused:?}");
    }
}

#[tokio::test]
async fn without_configuration_a_document_is_issued_at_once() {
    for world in both().await {
        world.gateway.workspaces().clear_e_invoicing(&world.acting.actor, world.workspace).await.unwrap();
        let id = world.draft().await;
        let outcome = world.issue(id).await.unwrap();
        assert_eq!(outcome.document.state.status(), Status::Issued);
        assert!(!outcome.document.send_to_tax_authority);
        assert_eq!(world.events(id).await, ["Issued"]);
        assert_eq!(world.work().await, 0);
        assert!(world.provider.calls().is_empty());
    }
}

#[tokio::test]
async fn what_a_service_of_the_specification_only_does_not_keep_finance_tells_all_the_same() {
    for world in remote_worlds().await {
        world.service.as_ref().unwrap().is_plain();
        world.provider.accepts();
        let id = world.waiting().await;
        world.notified(id).await;
        world.settled().await;
        let kept = world.keeper.documents().find(&world.acting, id).await.unwrap().unwrap();
        assert!(
            !kept.send_to_tax_authority && matches!(kept.state, State::Issued { acceptance: None, .. }),
            "{kept:?}"
        );

        let events = world.gateway.finance_events(&world.acting, id).await.unwrap();
        for event in &events {
            let data: serde_json::Value = serde_json::from_str(&event.data).unwrap();
            assert_eq!(data["send_to_tax_authority"], true, "{}", event.kind);
            let proof = &data["acceptance"]["qr_url"];
            let expected = if event.kind == "Issuing" { None } else { Some("https://authority.example/v") };
            assert_eq!(proof.as_str(), expected, "{}", event.kind);
        }
        let document = world.gateway.finance_document(&world.acting, id).await.unwrap().unwrap();
        let document: serde_json::Value = serde_json::from_str(&document).unwrap();
        assert_eq!(document["send_to_tax_authority"], true, "{document}");
        assert_eq!(document["acceptance"]["tax_system_hash"], "ABC", "{document}");
    }
}
