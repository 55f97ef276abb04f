//! Random sequences of everything that can be done to documents, against a reference model that fits on a page.

use crate::world::{POLL_AFTER_S, World};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{DocumentKind, SeriesKey, Status};
use gateway_domain::ports::Ids;
use gateway_domain_finance::{AcceptanceForm, CommandForm, Edit, RejectionForm};
use gateway_domain_input::document::{LineForm, RecipientForm, TaxCheck};
use gateway_invoicing::Issue;
use gateway_storage::testing::{self, RandomIds, ledger};
use gateway_storage::{Engine, numbers};
use jiff::Timestamp;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::json;
use tokio::runtime::Runtime;

/// Cases for each database; each is a sequence.
const CASES: u32 = 32;

/// Something that is done to a document. Prices are whole euros.
#[derive(Debug, Clone)]
enum Op {
    Draft(i64),
    Edit(i64),
    AddTransaction,
    RemoveTransaction,
    UpdateRecipient,
    Issue,
    Credit(i64),
    CreditAll,
    Reverse,
    Refund(i64),
    Delete,
    DeleteCall,
    IssuingCall,
    IssueCall,
    RejectCall,
    AcceptByHand,
    RejectByHand,
    /// The authority decides about everything that is on its way.
    Verdicts(bool),
}

fn ops() -> impl Strategy<Value = Vec<(Op, usize)>> {
    let op = prop_oneof![
        3 => (1..40_i64).prop_map(Op::Draft),
        2 => (1..40_i64).prop_map(Op::Edit),
        1 => Just(Op::AddTransaction),
        1 => Just(Op::RemoveTransaction),
        1 => Just(Op::UpdateRecipient),
        6 => Just(Op::Issue),
        3 => (1..30_i64).prop_map(Op::Credit),
        1 => Just(Op::CreditAll),
        1 => Just(Op::Reverse),
        2 => (1..5_000_i64).prop_map(Op::Refund),
        1 => Just(Op::Delete),
        1 => Just(Op::DeleteCall),
        2 => Just(Op::IssuingCall),
        2 => Just(Op::IssueCall),
        2 => Just(Op::RejectCall),
        1 => Just(Op::AcceptByHand),
        2 => Just(Op::RejectByHand),
        4 => any::<bool>().prop_map(Op::Verdicts),
    ];
    prop::collection::vec((op, any::<usize>()), 1..45)
}

/// A document as the model knows it.
#[derive(Debug, Clone)]
struct Document {
    id: InvoiceId,
    /// The document it credits, when it is a credit note.
    credits: Option<usize>,
    /// None: deleted.
    status: Option<Status>,
    number: Option<String>,
    cents: i64,
    refunded: i64,
    transactions: Vec<String>,
    /// The number that is on its way to the authority.
    on_its_way: Option<String>,
}

impl Document {
    const fn draft(id: InvoiceId, credits: Option<usize>, cents: i64) -> Self {
        let (status, number, on_its_way) = (Some(Status::Draft), None, None);
        Self { id, credits, status, number, cents, refunded: 0, transactions: Vec::new(), on_its_way }
    }

    const fn is_editable(&self) -> bool {
        matches!(self.status, Some(Status::Draft | Status::Rejected)) && self.credits.is_none()
    }

    fn is(&self, status: Status) -> bool {
        self.status == Some(status)
    }
}

/// The reference: what the specification says, and nothing of how it is done.
struct Model {
    documents: Vec<Document>,
    /// The next positions: of invoices, of credit notes.
    next: [i64; 2],
}

impl Model {
    fn give_number(&mut self, at: usize) -> String {
        let note = usize::from(self.documents[at].credits.is_some());
        let number = format!("{}-2026-{:06}", ["F", "R"][note], self.next[note]);
        self.next[note] += 1;
        self.documents[at].number = Some(number.clone());
        number
    }

    /// What credit notes for a document come to, drafts included.
    fn credited(&self, at: usize) -> i64 {
        let notes = self.documents.iter().filter(|note| note.credits == Some(at) && note.status.is_some());
        notes.map(|note| note.cents).sum()
    }

    /// Whether the operation is taken; if so, it is done to the model. A credit note it makes is appended.
    #[expect(clippy::too_many_lines, reason = "one arm for each operation")]
    fn apply(&mut self, op: &Op, at: usize, made: InvoiceId) -> bool {
        let document = self.documents[at].clone();
        let fresh = document.is(Status::Draft) || document.is(Status::Rejected);
        let credited = self.credited(at);
        let creditable = document.credits.is_none() && document.is(Status::Issued);
        match op {
            Op::Draft(price) => {
                self.documents.push(Document::draft(made, None, price * 220));
                true
            }
            Op::Edit(price) if document.is_editable() => {
                self.documents[at].cents = price * 220;
                self.documents[at].transactions.clear();
                true
            }
            Op::AddTransaction if document.is_editable() => {
                self.documents[at].cents += 110;
                self.documents[at].transactions.push(made.to_string());
                true
            }
            Op::RemoveTransaction if document.is_editable() && !document.transactions.is_empty() => {
                self.documents[at].cents -= 110;
                self.documents[at].transactions.pop();
                true
            }
            Op::UpdateRecipient => document.is_editable(),
            Op::Issue if document.credits.is_none() && fresh => {
                let number = self.give_number(at);
                self.documents[at].status = Some(Status::Issuing);
                self.documents[at].on_its_way = Some(number);
                true
            }
            // The regime of this world takes no credit notes: they are issued at once.
            Op::Issue | Op::IssueCall if document.is(Status::Draft) => {
                self.give_number(at);
                self.documents[at].status = Some(Status::Issued);
                true
            }
            Op::Credit(price) if creditable && credited + price * 110 <= document.cents => {
                self.documents.push(Document::draft(made, Some(at), price * 110));
                true
            }
            Op::CreditAll | Op::Reverse if creditable && credited == 0 => {
                self.documents.push(Document::draft(made, Some(at), document.cents));
                if matches!(op, Op::Reverse) {
                    let note = self.documents.len() - 1;
                    self.give_number(note);
                    self.documents[note].status = Some(Status::Issued);
                }
                true
            }
            Op::Refund(cents) if creditable && document.refunded + cents <= document.cents => {
                self.documents[at].refunded += cents;
                true
            }
            Op::Delete | Op::DeleteCall if document.is(Status::Draft) => {
                self.documents[at].status = None;
                true
            }
            Op::IssuingCall if fresh => {
                self.give_number(at);
                self.documents[at].status = Some(Status::Issuing);
                true
            }
            Op::IssueCall | Op::AcceptByHand if document.is(Status::Issuing) => {
                self.documents[at].status = Some(Status::Issued);
                self.close(op, at);
                true
            }
            Op::RejectCall | Op::RejectByHand if document.is(Status::Issuing) => {
                self.documents[at].status = Some(Status::Rejected);
                self.close(op, at);
                true
            }
            Op::RejectCall | Op::RejectByHand => document.is(Status::Rejected),
            Op::Verdicts(accepted) => {
                for document in &mut self.documents {
                    let way = document.on_its_way.take();
                    if way.is_some() && document.is(Status::Issuing) && document.number == way {
                        document.status = Some(if *accepted { Status::Issued } else { Status::Rejected });
                    }
                }
                true
            }
            _ => false,
        }
    }

    /// A verdict by hand ends what is on its way; the calls of the invoice data service know nothing of it.
    fn close(&mut self, op: &Op, at: usize) {
        if matches!(op, Op::AcceptByHand | Op::RejectByHand) {
            self.documents[at].on_its_way = None;
        }
    }
}

fn at() -> Timestamp {
    "2026-11-20T08:00:00Z".parse().unwrap()
}

fn night(price: i64) -> LineForm {
    let line = json!({"description": "Night", "quantity": "1", "unit_price": format!("{price}.00"),
        "tax": {"category": "VAT", "rate": "10.0"}});
    serde_json::from_value(line).unwrap()
}

/// Does it for real; the document that was made, if one was. `fresh` names what is added.
async fn carry_out(
    world: &World,
    op: &Op,
    on: &Document,
    fresh: InvoiceId,
) -> Result<Option<InvoiceId>, String> {
    let (gateway, acting, id) = (&world.gateway, &world.acting, on.id);
    let outcome = match op {
        Op::Draft(price) => {
            return described(world.try_write(fresh, &format!("{price}.00")).await).map(|()| Some(fresh));
        }
        Op::Edit(price) => {
            return described(world.try_write(id, &format!("{price}.00")).await).map(|()| None);
        }
        Op::DeleteCall => {
            return described(gateway.invoicing().delete(acting, id, None).await).map(|()| None);
        }
        Op::IssuingCall => {
            return described(gateway.invoicing().begin_issuing(acting, id, false, None, None).await)
                .map(|_| None);
        }
        Op::IssueCall => {
            return described(gateway.invoicing().issue(acting, id, Issue::default()).await).map(|_| None);
        }
        Op::RejectCall => {
            return described(gateway.invoicing().reject(acting, id, "no".to_owned()).await).map(|_| None);
        }
        Op::Verdicts(accepted) => {
            verdicts(world, *accepted).await;
            return Ok(None);
        }
        Op::AddTransaction => {
            gateway
                .command(
                    acting,
                    id,
                    CommandForm::Edit(Box::new(Edit::Add(fresh.to_string(), night(1)))),
                    None,
                )
                .await
        }
        Op::RemoveTransaction => {
            let last = on.transactions.last().cloned().unwrap_or_default();
            gateway.command(acting, id, CommandForm::Edit(Box::new(Edit::Remove(last))), None).await
        }
        Op::UpdateRecipient => {
            gateway.command(acting, id, CommandForm::Edit(Box::new(somebody())), None).await
        }
        Op::Issue => world.issue(id).await,
        Op::Credit(price) => {
            let line = night(*price).check("line", TaxCheck::Syntax).unwrap();
            gateway.command(acting, id, CommandForm::Credit { at: at(), lines: Some(vec![line]) }, None).await
        }
        Op::CreditAll => {
            gateway.command(acting, id, CommandForm::Credit { at: at(), lines: None }, None).await
        }
        Op::Reverse => gateway.command(acting, id, CommandForm::Reverse { at: at() }, None).await,
        Op::Refund(cents) => {
            let amount = format!("{}.{:02}", cents / 100, cents % 100).parse().unwrap();
            gateway.command(acting, id, CommandForm::Refund { at: at(), amount, reference: None }, None).await
        }
        Op::Delete => gateway.command(acting, id, CommandForm::Delete, None).await,
        Op::AcceptByHand => {
            gateway.command(acting, id, CommandForm::Accept(AcceptanceForm::WITHOUT_PROOF), None).await
        }
        Op::RejectByHand => {
            gateway.command(acting, id, CommandForm::Reject(RejectionForm::because("no")), None).await
        }
    };
    described(outcome).map(|outcome| Some(outcome.document.id).filter(|made| *made != id))
}

fn described<T, E: std::fmt::Debug>(result: Result<T, E>) -> Result<T, String> {
    result.map_err(|error| format!("{error:?}"))
}

fn somebody() -> Edit {
    let company = json!({"type": "company", "name": "Somebody", "tax_number": "B2", "country": "ES"});
    let form: RecipientForm = serde_json::from_value(company).unwrap();
    Edit::Recipient(Box::new(form.check().unwrap()))
}

async fn verdicts(world: &World, accepted: bool) {
    if accepted {
        world.provider.accepts();
    } else {
        world.provider.rejects("1110", "no");
    }
    for _ in 0..5 {
        world.work().await;
        world.pass(POLL_AFTER_S);
    }
}

/// Credit notes are left as they were made, and an id that was deleted is left alone.
fn is_tried(op: &Op, on: &Document) -> bool {
    let edits = matches!(
        op,
        Op::Edit(_) | Op::AddTransaction | Op::RemoveTransaction | Op::UpdateRecipient | Op::Refund(_)
    );
    !(edits && (on.credits.is_some() || on.status.is_none()))
}

/// One sequence, compared step by step.
async fn compare(world: &World, ops: &[(Op, usize)]) -> Result<(), TestCaseError> {
    let series = |kind| SeriesKey { workspace: world.workspace, kind, year: 2026 };
    let invoices = numbers::next_position(world.db.db(), series(DocumentKind::Invoice)).await.unwrap();
    let notes = numbers::next_position(world.db.db(), series(DocumentKind::CreditNote)).await.unwrap();
    let first = InvoiceId(RandomIds.next());
    world.write(first, "10.00").await;
    let mut model = Model { documents: vec![Document::draft(first, None, 2_200)], next: [invoices, notes] };
    for (op, index) in ops {
        let at = index % model.documents.len();
        let before = model.documents[at].clone();
        if !is_tried(op, &before) {
            continue;
        }
        let fresh = InvoiceId(RandomIds.next());
        let done = carry_out(world, op, &before, fresh).await;
        let made = done.clone().ok().flatten().unwrap_or(fresh);
        let expected = model.apply(op, at, made);
        prop_assert_eq!(done.is_ok(), expected, "{:?} on {:?} came to {:?}", op, before, done);
        for document in &model.documents {
            let found = world.gateway.documents().find(&world.acting, document.id).await.unwrap();
            let status = found.as_ref().map(|found| found.state.status());
            prop_assert_eq!(status, document.status, "after {:?} on {:?}", op, before);
            let number = found.as_ref().and_then(|found| found.state.number()).map(ToString::to_string);
            let expected = document.number.clone().filter(|_| document.status.is_some());
            prop_assert_eq!(number, expected, "after {:?} on {:?}", op, before);
            let gross = found.map(|found| found.totals.gross.to_string());
            let expected =
                document.status.map(|_| format!("{}.{:02}", document.cents / 100, document.cents % 100));
            prop_assert_eq!(gross, expected, "after {:?} on {:?}", op, before);
        }
    }
    // Nothing is left on its way for the next sequence.
    verdicts(world, true).await;
    Ok(())
}

/// What holds however the sequences went.
async fn assert_sound(world: &World) {
    let book = ledger::ledger(&world.db).await.unwrap();
    for kind in ["invoice", "credit_note"] {
        let given: Vec<_> = book.numbers.iter().filter(|row| row.kind == kind).map(|row| row.no).collect();
        assert_eq!(given, (1_i64..).take(given.len()).collect::<Vec<_>>(), "{kind}");
    }
    let (mut last, mut sequence) = (None, 0);
    for event in &book.events {
        let story = Some((&event.source, event.subject));
        sequence = if story == last { sequence + 1 } else { 1 };
        assert_eq!(event.sequence, sequence, "{event:?}");
        last = story;
    }
    let ended = ["accepted", "rejected", "superseded", "withdrawn"];
    for submission in &book.submissions {
        assert!(ended.contains(&submission.stage.as_str()), "{submission:?}");
    }
    let open = book.attempts.iter().filter(|attempt| attempt.outcome.is_none());
    assert_eq!(open.count(), 0, "an attempt never ended");
    assert!(book.jobs.is_empty(), "{:?}", book.jobs);
}

fn random_commands_do_what_the_model_says(engine: Engine) {
    let runtime = Runtime::new().unwrap();
    let world = runtime.block_on(async { World::on(testing::database(engine).await, true).await });
    let config =
        Config { cases: CASES, max_shrink_iters: 200, failure_persistence: None, ..Config::default() };
    let run = TestRunner::new(config).run(&ops(), |ops| runtime.block_on(compare(&world, &ops)));
    run.unwrap_or_else(|failure| panic!("{failure}"));
    runtime.block_on(assert_sound(&world));
    let _inside = runtime.enter();
    drop(world);
}

#[test]
fn random_commands_do_what_the_model_says_on_sqlite() {
    random_commands_do_what_the_model_says(Engine::Sqlite);
}

#[test]
fn random_commands_do_what_the_model_says_on_postgres() {
    random_commands_do_what_the_model_says(Engine::Postgres);
}
