//! Documents that are refused: by the check, the plugin, the provider or the authority.

use crate::world::{Mood, Op, both};
use gateway_domain::fault::Fault;
use gateway_domain::invoicing::{State, Status};
use gateway_domain::regime::ProviderFault;
use gateway_domain_finance::ports::ProviderError;
use gateway_domain_finance::{CommandForm, RejectionForm, Stage};
use gateway_finance::CommandError;

#[tokio::test]
async fn a_rejected_invoice_is_edited_in_place_and_resubmitted_under_another_number() {
    for world in both().await {
        let id = world.waiting().await;
        world.provider.rejects("1110", "the NIF is not in the census");
        world.notified(id).await;
        assert_eq!(world.rejection(id).await, "tax authority: 1110: the NIF is not in the census");
        assert_eq!(world.number(id).await, "F-2026-000001");

        world.write(id, "11.00").await;
        assert_eq!(world.document(id).await.state.status(), Status::Rejected);
        world.provider.accepts();
        world.issue(id).await.unwrap();
        world.work().await;
        world.notified(id).await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
        assert_eq!(world.number(id).await, "F-2026-000002");
        let outcomes: Vec<_> =
            world.submission(id).await.attempts.into_iter().map(|a| a.outcome.unwrap().as_str()).collect();
        assert_eq!(outcomes, ["rejected", "accepted"]);
        assert_eq!(
            world.events(id).await,
            ["Issuing", "RejectedByTaxAuthority", "Issuing", "AcceptedByTaxAuthority", "Issued"]
        );
    }
}

/// The document's entry ids at the provider, over a rejection and a resubmission.
async fn entries_of_a_resubmission(world: &crate::world::World) -> Vec<uuid::Uuid> {
    let id = world.submitted_again().await;
    world.notified(id).await;
    assert_eq!(world.document(id).await.state.status(), Status::Issued);
    world.provider.ids(Op::PutEntry)
}

#[tokio::test]
async fn a_resubmission_has_an_entry_of_its_own_whether_or_not_the_provider_replaces_content() {
    for replaces in [false, true] {
        for world in both().await {
            if replaces {
                world.provider.replaces_content();
            }
            let ids = entries_of_a_resubmission(&world).await;
            assert_eq!(ids.len(), 2, "one upload each");
            assert_ne!(ids[0], ids[1]);
            assert_eq!(world.provider.entries(), 2);
        }
    }
}

#[tokio::test]
async fn faults_of_the_check_leave_a_draft_and_use_no_number() {
    for world in both().await {
        let id = world.draft().await;
        world.regime.is(Mood::Finds(vec![Fault::error("NIF-01", "/recipient/tax_number", "is wrong")]));
        let refused = world.issue(id).await.unwrap_err();
        assert!(matches!(refused, CommandError::Preflight(faults) if faults.len() == 1));
        assert_eq!(world.document(id).await.state.status(), Status::Draft);
        assert!(world.gateway.submissions().find(&world.acting, id).await.unwrap().is_none());

        world.regime.is(Mood::Finds(vec![Fault::warning("W-01", "", "may be refused")]));
        let dry_run = world.gateway.issue_dry_run(&world.acting, id, None).await.unwrap();
        assert_eq!(dry_run.faults.len(), 1);
        world.issue(id).await.unwrap();
        assert_eq!(world.number(id).await, "F-2026-000001");
    }
}

#[tokio::test]
async fn what_the_plugin_refuses_or_breaks_on_is_rejected_before_the_provider_hears_of_it() {
    let faults = vec![Fault::error("DOC-01", "/lines/0", "cannot be expressed")];
    let cases = [
        (Mood::RefusesToConvert(faults), "es-verifactu: DOC-01 at /lines/0: cannot be expressed"),
        (Mood::Broken, "es-verifactu: PLUGIN-TRAP: the plugin broke: report it to its author"),
        (
            Mood::Miscalculates,
            "es-verifactu: PLUGIN-TOTALS at /totals/payable: the plugin states 22.01 to be paid, the gateway computed \
             22.00: report it to the plugin's author",
        ),
    ];
    for world in both().await {
        for (mood, reason) in &cases {
            let id = world.draft().await;
            world.regime.is(mood.clone());
            world.issue(id).await.unwrap();
            world.work().await;
            assert_eq!(world.rejection(id).await, *reason);
            let view = world.submission(id).await;
            assert_eq!(view.submission.stage(), Stage::Rejected);
            assert_eq!(view.attempts.len(), 1);
            assert_eq!(view.attempts[0].faults.len(), 1);
        }
        assert!(world.provider.calls().is_empty());
    }
}

#[tokio::test]
async fn what_the_provider_refuses_is_rejected_with_code_and_path() {
    for world in both().await {
        let id = world.draft().await;
        let fault = ProviderFault {
            provider: Some("gobl".to_owned()),
            code: Some("GOBL-07".to_owned()),
            message: Some("needs a customer".to_owned()),
            paths: vec!["$.doc.customer".to_owned()],
        };
        world.provider.fails(Op::PutEntry, ProviderError::Refused { status: 422, faults: vec![fault] });
        world.issue(id).await.unwrap();
        world.work().await;
        assert_eq!(world.rejection(id).await, "provider: GOBL-07 at $.doc.customer: needs a customer");
    }
}

#[tokio::test]
async fn a_provider_that_computes_another_amount_sends_nothing() {
    for world in both().await {
        world.provider.computes("22.01");
        let id = world.waiting().await;
        assert!(world.rejection(id).await.starts_with("provider: PROVIDER-TOTALS at /totals/payable: "));
        assert_eq!(world.provider.calls(), [Op::PutEntry], "no job was started");
    }
}

#[tokio::test]
async fn a_document_that_was_rejected_without_finance_can_be_issued_again() {
    for world in both().await {
        let id = world.waiting().await;
        world.keeper.invoicing().reject(&world.acting, id, "by the RPC".to_owned()).await.unwrap();
        world.provider.rejects("1110", "no");
        world.provider.settles_what_it_has();
        world.provider.accepts();
        world.issue(id).await.unwrap();
        world.work().await;
        world.notified(id).await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
        assert_eq!(world.number(id).await, "F-2026-000002");
        let outcomes: Vec<_> =
            world.submission(id).await.attempts.into_iter().map(|a| a.outcome.unwrap().as_str()).collect();
        assert_eq!(outcomes, ["superseded", "accepted"]);
    }
}

#[tokio::test]
async fn a_rejection_by_hand_needs_a_reason_and_keeps_the_first() {
    for world in both().await {
        let id = world.waiting().await;
        let none = world
            .gateway
            .command(&world.acting, id, CommandForm::Reject(RejectionForm::default()), None)
            .await;
        assert!(matches!(none, Err(CommandError::Invalid(_))));
        let reject = |reason: &str| {
            world.gateway.command(
                &world.acting,
                id,
                CommandForm::Reject(RejectionForm {
                    code: Some("1110".to_owned()),
                    ..RejectionForm::because(reason)
                }),
                None,
            )
        };
        reject("first").await.unwrap();
        let again = reject("second").await.unwrap();
        assert!(again.events.is_empty());
        assert_eq!(world.rejection(id).await, "1110: first");
        assert_eq!(world.events(id).await, ["Issuing", "RejectedByTaxAuthority"]);
    }
}

#[tokio::test]
async fn what_goes_out_is_what_was_checked_also_when_somebody_edits_meanwhile() {
    for world in both().await {
        let id = world.draft().await;
        let (keeper, acting, form) = (world.keeper.clone(), world.acting.clone(), world.form(None, "33.00"));
        let regime = std::sync::Arc::clone(&world.regime);
        let faults = vec![Fault::error("X-1", "/lines", "no")];
        world.regime.meanwhile(async move {
            keeper.invoicing().save(&acting, id, form, None).await.unwrap();
            regime.is(Mood::Finds(faults));
        });
        // The first check finds nothing, and is of a document that is another one now.
        let refused = world.issue(id).await;
        assert!(matches!(refused, Err(CommandError::Preflight(_))), "{refused:?}");
        assert_eq!(world.document(id).await.state, State::Draft, "no number is used");
        world.regime.is(Mood::Sound);
        let version = world.document(id).await.version;
        let issue = |expected| {
            world.gateway.command(&world.acting, id, CommandForm::Issue { at: None }, Some(expected))
        };
        assert!(matches!(issue(version - 1).await, Err(CommandError::Stale { .. })));
        assert_eq!(issue(version).await.unwrap().document.state.status(), Status::Issuing);
    }
}
