//! Verdicts by hand at the same moment, wherever documents are kept.

use crate::world::both;
use gateway_domain::invoicing::Status;
use gateway_domain_finance::{AcceptanceForm, CommandForm, RejectionForm};
use gateway_finance::CommandError;

#[tokio::test]
async fn two_verdicts_by_hand_at_once_are_told_once() {
    for world in both().await {
        let id = world.waiting().await;
        let reject = || {
            world.gateway.command(
                &world.acting,
                id,
                CommandForm::Reject(RejectionForm::because("by hand")),
                None,
            )
        };
        let (one, other) = tokio::join!(reject(), reject());
        assert!(one.is_ok() || other.is_ok());
        assert_eq!(world.events(id).await, ["Issuing", "RejectedByTaxAuthority"]);
    }
}

#[tokio::test]
async fn of_two_opposite_verdicts_by_hand_at_once_one_wins_and_the_other_is_refused() {
    for world in both().await {
        let id = world.waiting().await;
        let command = |form| world.gateway.command(&world.acting, id, form, None);
        let (accepted, rejected) = tokio::join!(
            command(CommandForm::Accept(AcceptanceForm::WITHOUT_PROOF)),
            command(CommandForm::Reject(RejectionForm::because("by hand"))),
        );
        let (status, events): (_, &[&str]) = match (&accepted, &rejected) {
            (Ok(_), Err(CommandError::Refused(_))) => {
                (Status::Issued, &["Issuing", "AcceptedByTaxAuthority", "Issued"])
            }
            (Err(CommandError::Refused(_)), Ok(_)) => {
                (Status::Rejected, &["Issuing", "RejectedByTaxAuthority"])
            }
            both => panic!("{both:?}"),
        };
        assert_eq!(world.document(id).await.state.status(), status);
        assert_eq!(world.events(id).await, events);
    }
}

#[tokio::test]
async fn two_acceptances_by_hand_at_once_are_told_once() {
    for world in both().await {
        let id = world.waiting().await;
        let accept = || {
            let form = CommandForm::Accept(AcceptanceForm::WITHOUT_PROOF);
            world.gateway.command(&world.acting, id, form, None)
        };
        let (one, other) = tokio::join!(accept(), accept());
        let winner = match (&one, &other) {
            (Ok(winner), Err(CommandError::Refused(_))) | (Err(CommandError::Refused(_)), Ok(winner)) => {
                winner
            }
            both => panic!("{both:?}"),
        };
        assert_eq!(winner.document.state.status(), Status::Issued);
        assert_eq!(world.events(id).await, ["Issuing", "AcceptedByTaxAuthority", "Issued"]);
    }
}
