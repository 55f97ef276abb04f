//! Commands on one document of a remote invoice data service: each waits for its turn, and is decided anew then.

use crate::remote::{Act, at, line, service};
use crate::service::{Rpc, Trouble};
use crate::world::{World, remote_worlds};
use gateway_domain::ids::InvoiceId;
use gateway_domain::{ErrorCode, FieldError};
use gateway_domain_finance::{CommandForm, Edit};
use gateway_finance::{CommandError, Outcome};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

/// Long enough for a command that does not wait to be through.
const A_MOMENT: Duration = Duration::from_millis(150);

type Answer = Result<Outcome, CommandError>;

/// Gives a command whose call is held, and another one meanwhile, which has to wait until the first one is through.
async fn one_after_the_other(
    world: &World,
    rpc: Rpc,
    first: impl Future<Output = Answer>,
    second: impl Future<Output = Answer>,
) -> (Answer, Answer) {
    let gate = Arc::new(Notify::new());
    let before = service(world).callers(rpc).len();
    service(world).has(rpc, Trouble::Held(Arc::clone(&gate)));
    let (mut first, mut second) = (pin!(first), pin!(second));
    while service(world).callers(rpc).len() == before {
        tokio::select! {
            early = &mut first => panic!("{early:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
    if let Ok(early) = tokio::time::timeout(A_MOMENT, &mut second).await {
        panic!("it did not wait: {early:?}");
    }
    gate.notify_one();
    tokio::join!(first, second)
}

/// What a command comes to that was given just after the same one.
fn is_right(act: Act, late: &Answer) -> bool {
    match act {
        Act::Edit => matches!(late, Err(CommandError::Invalid(_) | CommandError::Rule(..))),
        Act::Delete => matches!(late, Err(CommandError::Gone)),
        Act::Credit | Act::Reverse => {
            matches!(late, Err(CommandError::Rule(FieldError { code: ErrorCode::CreditRefused, .. })))
        }
        Act::Accept | Act::IssueStandard => matches!(late, Err(CommandError::Refused(_))),
        Act::Reject => late.as_ref().is_ok_and(|outcome| outcome.events.is_empty()),
    }
}

#[tokio::test]
async fn a_command_waits_for_the_one_before_it_and_is_decided_anew() {
    for world in remote_worlds().await {
        for act in Act::ALL {
            let id = act.document(&world).await;
            let give = || Box::pin(act.give(&world, &world.acting, id));
            let (one, late) = one_after_the_other(&world, act.rpc(), give(), give()).await;
            one.unwrap();
            assert!(is_right(act, &late), "{act:?}: {late:?}");
        }
    }
}

#[tokio::test]
async fn two_edits_at_once_are_both_carried_out() {
    for world in remote_worlds().await {
        let id = world.draft().await;
        let edit = |name: &str| {
            let edit = Edit::Add(name.to_owned(), line());
            Box::pin(world.gateway.command(&world.acting, id, CommandForm::Edit(Box::new(edit)), None))
        };
        let (one, other) = one_after_the_other(&world, Rpc::Save, edit("a"), edit("b")).await;
        assert_eq!((one.unwrap().events.len(), other.unwrap().events.len()), (1, 1));
        assert_eq!(world.document(id).await.content.lines.len(), 3);
        assert_eq!(world.events(id).await, ["TransactionAdded", "TransactionAdded"]);
    }
}

fn refund(world: &World, id: InvoiceId) -> impl Future<Output = Answer> {
    world.gateway.command(
        &world.acting,
        id,
        CommandForm::Refund { at: at(), amount: "1.00".parse().unwrap(), reference: None },
        None,
    )
}

#[tokio::test]
async fn a_refund_waits_for_a_credit_note() {
    for world in remote_worlds().await {
        let id = Act::Credit.document(&world).await;
        let credit = Box::pin(Act::Credit.give(&world, &world.acting, id));
        let refund = Box::pin(refund(&world, id));
        let (one, late) = one_after_the_other(&world, Rpc::Save, credit, refund).await;
        one.unwrap();
        assert_eq!(late.unwrap().events.len(), 1);
    }
}

#[tokio::test]
async fn a_command_does_not_wait_for_ever() {
    let worlds = remote_worlds().await;
    futures::future::join_all(worlds.iter().map(|world| async {
        let id = world.draft().await;
        service(world).has(Rpc::Save, Trouble::Held(Arc::default()));
        let mut held = pin!(Act::Edit.give(world, &world.acting, id));
        while service(world).callers(Rpc::Save).is_empty() {
            tokio::select! {
                early = &mut held => panic!("{early:?}"),
                () = tokio::task::yield_now() => {}
            }
        }
        let late = Act::Delete.give(world, &world.acting, id).await;
        assert!(matches!(late, Err(CommandError::InProgress)), "{late:?}");
    }))
    .await;
}
