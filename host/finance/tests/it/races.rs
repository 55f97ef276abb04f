//! What is read before a transaction and decided upon in it, while somebody else commits in between.

use crate::commands::{form, line};
use crate::remote::{Act, at, service};
use crate::service::{Rpc, Trouble, unavailable};
use crate::world::{World, here, remote_worlds};
use gateway_access::{Repeat, request_key};
use gateway_domain::access::{Acting, Actor};
use gateway_domain::ids::{ClientId, EventId, InvoiceId};
use gateway_domain::invoicing::{DocumentKind, Invoice, InvoiceNumber, SeriesKey, Status};
use gateway_domain::ports::Ids;
use gateway_domain::workspace::RejectionStrategy;
use gateway_domain_finance::{AcceptanceForm, CommandForm, Destination, Edit, NotForDemonstration, Stage};
use gateway_finance::CommandError;
use gateway_storage::events::{self, NewEvent};
use gateway_storage::testing;
use gateway_storage::testing::RandomIds;
use gateway_storage::workspaces::SealedProviderToken;
use gateway_storage::{Engine, Sql, Tx, destination, intents, invoices, numbers, workspaces};
use gateway_workspaces::{EInvoicingForm, WorkspaceChange};
use serde_json::json;
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use uuid::Uuid;

impl World {
    /// Rejected invoices get a corrective draft beside them.
    pub(crate) async fn drafts_correctives(&self) {
        let change =
            WorkspaceChange { rejection_strategy: Some(RejectionStrategy::B), ..WorkspaceChange::default() };
        self.gateway.workspaces().set(&self.acting.actor, self.workspace, &change).await.unwrap();
    }

    /// The provider says that it has news of a document; nobody has looked yet.
    async fn woken(&self, id: InvoiceId) {
        let entry = self.submission(id).await.submission.entry().unwrap();
        self.gateway.submissions().provider_notified(entry.uuid(), None).await.unwrap();
    }
}

/// Goes on with something until it comes to where it is held.
async fn until<T: Debug>(held: &mut (impl Future<Output = T> + Unpin), there: impl Fn() -> bool) {
    while !there() {
        tokio::select! {
            early = &mut *held => panic!("{early:?}"),
            () = tokio::task::yield_now() => {}
        }
    }
}

#[tokio::test]
async fn a_credit_note_beside_the_one_that_follows_by_itself_leaves_nothing_on_its_way() {
    for world in remote_worlds().await {
        world.drafts_correctives().await;
        let id = world.submitted_again().await;
        // The verdict is told, and finance has not heard so.
        world.woken(id).await;
        service(&world).has(Rpc::Document, Trouble::Passes);
        service(&world).has(Rpc::Document, Trouble::Fails(unavailable()));
        world.work().await;
        assert_eq!(world.document(id).await.state.status(), Status::Issued);
        assert_eq!(world.submission(id).await.submission.stage(), Stage::Settling);
        let credit = |prices: &[&str]| {
            let lines = prices.iter().map(|price| line(price)).collect();
            world.gateway.command(
                &world.acting,
                id,
                CommandForm::Credit { at: at(), lines: Some(lines) },
                None,
            )
        };
        credit(&["1.00", "-1.00"]).await.unwrap();

        // Finance reads that credit note to count it, and somebody writes another one.
        let gate = Arc::new(Notify::new());
        for trouble in [Trouble::Passes, Trouble::Passes, Trouble::Held(Arc::clone(&gate))] {
            service(&world).has(Rpc::Document, trouble);
        }
        world.pass(60);
        let before = service(&world).callers(Rpc::Document).len();
        let mut settling = Box::pin(world.work());
        until(&mut settling, || service(&world).callers(Rpc::Document).len() == before + 3).await;
        credit(&["5.00"]).await.unwrap();
        gate.notify_one();
        settling.await;
        world.pass(5);
        world.work().await;

        assert_eq!(world.submission(id).await.submission.stage(), Stage::Accepted);
        assert_eq!(intents::find(world.db.db(), id).await.unwrap(), None, "nothing is on its way");
        credit(&["2.00"]).await.unwrap();
    }
}

#[tokio::test]
async fn a_command_beside_a_rejection_does_not_cost_the_corrective_draft() {
    for world in remote_worlds().await {
        world.drafts_correctives().await;
        let id = world.waiting().await;
        world.provider.rejects("1110", "no");
        world.woken(id).await;
        let [held, edited] = [(); 2].map(|()| Arc::new(Notify::new()));
        service(&world).has(Rpc::Document, Trouble::Passes);
        service(&world).has(Rpc::Document, Trouble::Held(Arc::clone(&held)));
        service(&world).has(Rpc::Save, Trouble::Held(Arc::clone(&edited)));
        let before = service(&world).callers(Rpc::Document).len();
        let mut settling = Box::pin(world.work());
        until(&mut settling, || service(&world).callers(Rpc::Document).len() == before + 2).await;
        // The document is rejected there, finance does not know yet, and somebody edits it.
        let mut editing = Box::pin(Act::Edit.give(&world, &world.acting, id));
        until(&mut editing, || !service(&world).callers(Rpc::Save).is_empty()).await;
        held.notify_one();
        settling.await;
        edited.notify_one();
        editing.await.unwrap();
        world.pass(5);
        world.work().await;
        let events = world.events(id).await;
        assert!(
            events.ends_with(&["RejectedByTaxAuthority".to_owned(), "CorrectiveDrafted".to_owned()]),
            "{events:?}"
        );
    }
}

/// Gives a command while `held` holds what it decides on; `then` goes on when the command waits.
async fn concurrently<T: Debug>(
    world: &World,
    command: impl Future<Output = T>,
    mut held: Tx,
    then: impl AsyncFnOnce(&mut Tx),
) -> T {
    let mut command = Box::pin(command);
    tokio::select! {
        early = &mut command => panic!("it did not wait: {early:?}"),
        () = testing::until_somebody_waits(world.kept()) => {}
    }
    then(&mut held).await;
    // What is committed to a file becomes durable together with what waits for its turn.
    let (committed, answer) = tokio::join!(held.commit(), command);
    committed.unwrap();
    answer
}

impl World {
    async fn credit_note(&self) -> InvoiceId {
        let id = InvoiceId(RandomIds.next());
        let mut form = self.form(None, "10.00");
        form.document_type = Some("credit_note".to_owned());
        self.keeper.invoicing().save(&self.acting, id, form, None).await.unwrap();
        id
    }
}

/// The document as an invoice of another price.
fn as_invoice(found: &Invoice) -> Invoice {
    let mut edited = found.clone();
    edited.content.document_type = DocumentKind::Invoice;
    edited.version += 1;
    edited
}

#[tokio::test]
async fn a_draft_that_becomes_an_invoice_meanwhile_goes_to_the_tax_authority() {
    for world in here().await {
        let id = world.credit_note().await;
        let version = world.document(id).await.version;
        for expected in [Some(version), None] {
            let mut tx = world.db.begin().await.unwrap();
            let found = invoices::lock(&mut tx, id, &world.acting.workspaces).await.unwrap().unwrap();
            let issue = world.gateway.command(&world.acting, id, CommandForm::Issue { at: None }, expected);
            let answer = concurrently(&world, issue, tx, async |tx| {
                assert!(invoices::update(tx, &as_invoice(&found), found.version).await.unwrap());
            })
            .await;
            if expected.is_some() {
                assert!(matches!(answer, Err(CommandError::Stale { .. })), "{answer:?}");
                let mut form = world.form(None, "10.00");
                form.document_type = Some("credit_note".to_owned());
                world.keeper.invoicing().save(&world.acting, id, form, None).await.unwrap();
            } else {
                assert_eq!(answer.unwrap().document.state.status(), Status::Issuing);
            }
        }
    }
    for world in remote_worlds().await {
        let id = world.credit_note().await;
        let gate = Arc::new(Notify::new());
        service(&world).has(Rpc::Issue, Trouble::Held(Arc::clone(&gate)));
        let mut issue = Box::pin(world.issue(id));
        until(&mut issue, || !service(&world).callers(Rpc::Issue).is_empty()).await;
        world.write(id, "33.00").await;
        gate.notify_one();
        assert_eq!(issue.await.unwrap().document.state.status(), Status::Issuing);
    }
}

#[tokio::test]
async fn a_command_answers_with_its_own_events_and_with_nobody_elses() {
    for world in here().await {
        let id = Act::Credit.document(&world).await;
        let credit = |price: &str| {
            world.gateway.command(
                &world.acting,
                id,
                CommandForm::Credit { at: at(), lines: Some(vec![line(price)]) },
                None,
            )
        };
        let mut tx = world.db.begin().await.unwrap();
        invoices::lock(&mut tx, id, &world.acting.workspaces).await.unwrap().unwrap();
        let actor = Actor("somebody".to_owned());
        let answer = concurrently(&world, credit("5.00"), tx, async |tx| {
            let event = NewEvent {
                id: EventId(RandomIds.next()),
                source: "/finance",
                workspace: world.workspace,
                subject: id,
                kind: "Refunded",
                time: at(),
                actor: &actor,
                data: "{}".to_owned(),
            };
            events::append(tx, event).await.unwrap();
        })
        .await;
        let kinds: Vec<_> = answer.unwrap().events.into_iter().map(|event| event.kind).collect();
        assert_eq!(kinds, ["Credited"]);
    }
}

#[tokio::test]
async fn what_follows_from_an_acceptance_takes_one_connection() {
    let db = testing::database(Engine::Postgres).await;
    let world = World::on(db, true).await;
    world.drafts_correctives().await;
    let id = world.waiting().await;
    world.provider.rejects("1110", "no");
    world.notified(id).await;
    world.provider.accepts();
    world.issue(id).await.unwrap();
    world.work().await;
    // As when all others are taken by those who do the same.
    let mut taken = Vec::new();
    while taken.len() < 11 {
        taken.push(world.db.begin().await.unwrap());
    }
    let form = AcceptanceForm::WITHOUT_PROOF;
    let accepted = world.gateway.command(&world.acting, id, CommandForm::Accept(form), None);
    let accepted = tokio::time::timeout(Duration::from_secs(10), accepted).await;
    drop(taken);
    accepted.expect("it waits for a second connection").unwrap();
}

/// A workspace that issues to another supplier from now on.
fn of_another_supplier() -> WorkspaceChange {
    WorkspaceChange { tax_id: Some("A58818501".to_owned()), ..WorkspaceChange::default() }
}

#[tokio::test]
async fn a_number_counts_for_the_supplier_that_a_workspace_gets_while_it_is_given() {
    for is_given_first in [true, false] {
        let world = World::on(testing::database(Engine::Postgres).await, true).await;
        let set = || async {
            let (operator, change) = (Actor::operator(), of_another_supplier());
            world.gateway.workspaces().set(&operator, world.workspace, &change).await.unwrap()
        };
        let id = world.draft().await;
        let series = SeriesKey { workspace: world.workspace, kind: DocumentKind::Invoice, year: 2026 };
        let invoicing = world.gateway.invoicing();
        let issue = invoicing.begin_issuing(&world.acting, id, true, None, None);
        if is_given_first {
            // What follows a number in its transaction takes long.
            let mut tx = world.db.begin().await.unwrap();
            let position = numbers::reserve(&mut tx, series).await.unwrap();
            let workspace = workspaces::hold(&mut tx, world.workspace).await.unwrap().unwrap();
            let (issuer, number) = (workspace.issuer(), InvoiceNumber("F-2026-000001".to_owned()));
            concurrently(&world, set(), tx, async |tx| {
                assert!(numbers::give(tx, &issuer, series, position, &number, id, at()).await.unwrap());
            })
            .await;
        } else {
            // The supplier changes while another document has the series.
            let mut tx = world.db.begin().await.unwrap();
            numbers::start_at(&mut tx, series, 1).await.unwrap();
            concurrently(&world, issue, tx, async |_| {
                set().await;
            })
            .await
            .unwrap();
        }
        let workspace = workspaces::find(world.db.db(), world.workspace).await.unwrap().unwrap();
        let number = InvoiceNumber("F-2026-000001".to_owned());
        assert!(
            numbers::is_given(world.db.db(), &workspace.issuer(), &number).await.unwrap(),
            "{is_given_first}"
        );
    }
}

#[tokio::test]
async fn credit_notes_of_the_same_invoices_hold_them_in_one_order() {
    let world = World::on(testing::database(Engine::Postgres).await, true).await;
    let mut originals = [Act::Credit.document(&world).await, Act::Credit.document(&world).await];
    originals.sort_unstable();
    let [first, last] = originals;
    let note = InvoiceId(RandomIds.next());
    let form = serde_json::from_value(json!({"workspace_id": world.workspace, "document_type": "credit_note",
        "currency": "EUR", "prices_include_tax": false, "referenced_document_ids": [last, first],
        "recipient": {"type": "company", "name": "Guest", "tax_number": "B1", "country": "ES"},
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "1", "tax": {"category": "VAT", "rate": "10.0"}}]}))
    .unwrap();
    world.gateway.invoicing().save(&world.acting, note, form, None).await.unwrap();

    let mut tx = world.db.begin().await.unwrap();
    invoices::lock(&mut tx, first, &world.acting.workspaces).await.unwrap().unwrap();
    let issue = world.issue(note);
    let issued = concurrently(&world, issue, tx, async |tx| {
        invoices::lock(tx, last, &world.acting.workspaces).await.unwrap().unwrap();
    })
    .await;
    assert_eq!(issued.unwrap().document.state.status(), Status::Issued);
}

#[tokio::test]
async fn a_credit_note_that_is_written_twice_keeps_what_was_edited_in_between() {
    for world in remote_worlds().await {
        let id = Act::Credit.document(&world).await;
        let [slow, again] = [(); 2].map(|()| Arc::new(Notify::new()));
        for gate in [&slow, &again] {
            service(&world).has(Rpc::Save, Trouble::Held(Arc::clone(gate)));
        }
        let mut credit = Box::pin(Act::Credit.give(&world, &world.acting, id));
        until(&mut credit, || service(&world).callers(Rpc::Save).len() == 1).await;
        // The background takes the request for dead: the note is not there yet, so it is written again.
        world.pass(20);
        service(&world).forgets();
        let mut working = Box::pin(world.work());
        until(&mut working, || service(&world).callers(Rpc::Save).len() == 2).await;
        slow.notify_one();
        let note = credit.await.unwrap().document.id;
        let edited = Edit::Add("more".to_owned(), form("-3.00"));
        world.gateway.command(&world.acting, note, CommandForm::Edit(Box::new(edited)), None).await.unwrap();
        again.notify_one();
        working.await;
        assert_eq!(world.document(note).await.content.lines.len(), 2);
        assert_eq!(world.events(id).await.last().unwrap(), "Credited");
    }
}

#[tokio::test]
async fn a_token_that_is_kept_is_the_one_that_somebody_sets_meanwhile() {
    for world in here().await {
        let operator = Actor::operator();
        let stored = workspaces::e_invoicing(world.db.db(), world.workspace).await.unwrap().unwrap();
        let mut tx = world.db.begin().await.unwrap();
        let (workspace, configuration) = (world.workspace, stored.configuration.clone());
        let token = SealedProviderToken { sealed: b"another".to_vec(), expires_at: Some(at()) };
        workspaces::put_e_invoicing(&mut tx, workspace, &configuration, &token, None, at()).await.unwrap();
        let kept = EInvoicingForm { configuration, token: None, webhook_token: None };
        let set = world.gateway.workspaces().set_e_invoicing(&operator, workspace, &kept);
        concurrently(&world, set, tx, async |_| {}).await.unwrap();
        let stored = workspaces::e_invoicing(world.db.db(), workspace).await.unwrap().unwrap();
        assert_eq!(stored.token, token);
    }
}

#[tokio::test]
async fn a_request_that_is_refused_loses_its_key_in_the_step_that_withdraws_it() {
    // Where the wish to submit is committed before the document is asked for.
    let remote = remote_worlds().await.into_iter().find(|world| world.db.engine() == Engine::Postgres);
    let world = remote.unwrap();
    let id = world.draft().await;
    let request = request_key(ClientId(Uuid::from_u128(1)), "k", "issue");
    let named = Acting { request: Some(request.clone()), ..world.acting.clone() };
    let mut tx = world.db.begin().await.unwrap();
    // As if the process ended when it was about to free the key.
    for sql in [
        "CREATE FUNCTION ended() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''ended''; END'",
        "CREATE TRIGGER ended BEFORE DELETE ON idempotency FOR EACH ROW EXECUTE FUNCTION ended()",
    ] {
        tx.execute(&Sql::both(sql), Vec::new()).await.unwrap();
    }
    tx.commit().await.unwrap();
    // Somebody edits the document behind the intent.
    let version = world.document(id).await.version;
    let gate = Arc::new(Notify::new());
    service(&world).has(Rpc::Issuing, Trouble::Held(Arc::clone(&gate)));
    let form = CommandForm::Issue { at: None };
    let mut issue = Box::pin(world.gateway.command(&named, id, form, Some(version)));
    until(&mut issue, || !service(&world).callers(Rpc::Issuing).is_empty()).await;
    world.write(id, "33.00").await;
    gate.notify_one();
    let answer = issue.await;
    assert!(matches!(answer, Err(CommandError::Store(_))), "{answer:?}");
    assert_eq!(world.gateway.requests().repeated(&request).await.unwrap(), Repeat::CarriedOut);
    assert_eq!(world.submission(id).await.submission.stage(), Stage::Requested, "the background goes on");
    world.pass(10);
    world.work().await;
    assert_eq!(world.document(id).await.state.status(), Status::Issuing);
}

#[tokio::test]
async fn a_demonstration_and_a_gateway_with_a_provider_hear_of_each_other() {
    for world in here().await {
        let gateway = &world.gateway;
        // Who serves with a provider waits until a demonstration that began just before has ended.
        let mut tx = world.db.begin().await.unwrap();
        destination::hold(&mut tx).await.unwrap();
        let destinations = gateway.destinations();
        let served = destinations.submissions_go_to(Destination::Provider);
        let before = concurrently(&world, served, tx, async |tx| {
            destination::write(tx, Destination::Sandbox).await.unwrap();
        })
        .await;
        assert_eq!(before.unwrap(), Some(Destination::Sandbox));
    }
    for world in here().await {
        let gateway = &world.gateway;
        let mut tx = world.db.begin().await.unwrap();
        destination::hold(&mut tx).await.unwrap();
        let allowed = concurrently(&world, gateway.destinations().demonstrates_here(), tx, async |tx| {
            destination::write(tx, Destination::Provider).await.unwrap();
        })
        .await;
        assert_eq!(allowed.unwrap(), Err(NotForDemonstration::Provider));
    }
}
