//! The states of a document, driven at random, never break what the specification promises.

use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    Content, Invoice, InvoiceNumber, IssueDay, IssueError, NotEditable, Rejection, State, Status, Totals,
};
use jiff::Timestamp;
use jiff::civil::date;
use jiff::tz::TimeZone;
use proptest::prelude::*;
use serde_json::json;

fn draft(kind: &str, lines: usize) -> Invoice {
    let line = json!({"description": "Night", "quantity": "1", "unit_price": "10",
                      "tax": {"category": "VAT", "rate": "10"}});
    let content: Content = serde_json::from_value(json!({"document_type": kind, "currency": "EUR",
        "prices_include_tax": true, "lines": vec![line; lines], "retentions": [], "referenced_document_ids": []}))
    .unwrap();
    let totals = Totals::of(&content).unwrap();
    Invoice {
        id: InvoiceId(uuid::Uuid::nil()),
        workspace: WorkspaceId(1),
        content,
        totals,
        state: State::Draft,
        send_to_tax_authority: false,
        version: 1,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

const NOW: Timestamp = Timestamp::constant(1_800_000_000, 0);

fn number(text: &str) -> InvoiceNumber {
    InvoiceNumber(text.to_owned())
}

fn issuing(invoice: Invoice, text: &str) -> Invoice {
    invoice
        .ready_to_issue(IssueDay::today(date(2026, 11, 20)))
        .unwrap()
        .begin_issuing(number(text), true, NOW, NOW)
        .invoice
}

fn rejected(invoice: Invoice) -> Invoice {
    match invoice.reject("because".to_owned(), NOW).unwrap() {
        Rejection::Now(rejected) => rejected.invoice,
        Rejection::Before => panic!("was rejected before"),
    }
}

#[test]
fn a_draft_goes_to_issuing_and_from_there_to_issued_with_the_same_number() {
    let invoice = issuing(draft("invoice", 1), "F-1");
    assert_eq!(invoice.state, State::Issuing { number: number("F-1"), since: NOW });
    assert_eq!(invoice.content.issue_date, Some(date(2026, 11, 20)));
    let issued = invoice.accept(None, NOW).unwrap().invoice;
    assert_eq!(
        issued.state,
        State::Issued { number: number("F-1"), at: NOW, acceptance: None, imported: None }
    );
}

#[test]
fn a_rejected_document_is_resubmitted_under_another_number() {
    let invoice = issuing(rejected(issuing(draft("invoice", 1), "F-1")), "F-2");
    assert_eq!(invoice.state.number(), Some(&number("F-2")));
}

#[test]
fn a_past_year_is_taken_when_the_command_says_so_and_not_when_the_document_does() {
    let now = "2027-02-03T09:00:00Z".parse().unwrap();
    let december = IssueDay::of(Some("2026-12-30T09:00:00Z".parse().unwrap()), now, &TimeZone::UTC);
    let ready = draft("invoice", 1).ready_to_issue(december).unwrap();
    assert!(ready.takes_past_year() && ready.series().year == 2026);
    let issued = ready.issue(number("F-1"), NOW, NOW).invoice;
    assert_eq!(issued.content.issue_date, Some(date(2026, 12, 30)));
    let mut dated = draft("invoice", 1);
    dated.content.issue_date = Some(date(2026, 12, 30));
    assert!(!dated.ready_to_issue(december).unwrap().takes_past_year());
    let today = IssueDay::of(None, now, &TimeZone::UTC);
    assert!(!draft("invoice", 1).ready_for_standard_issue(today).unwrap().takes_past_year());
}

#[test]
fn a_document_without_series_or_lines_never_gets_ready() {
    let today = IssueDay::today(date(2026, 11, 20));
    assert_eq!(draft("proforma", 1).ready_to_issue(today), Err(IssueError::WrongKind));
    assert_eq!(draft("receipt", 1).ready_for_standard_issue(today), Err(IssueError::WrongKind));
    assert_eq!(draft("invoice", 0).ready_to_issue(today), Err(IssueError::NoLines));
    assert_eq!(draft("invoice", 0).ready_for_standard_issue(today), Err(IssueError::NoLines));
}

#[test]
fn a_second_rejection_changes_nothing() {
    let invoice = rejected(issuing(draft("invoice", 1), "F-1"));
    assert_eq!(invoice.reject("again".to_owned(), NOW), Ok(Rejection::Before));
}

#[test]
fn an_issuing_document_is_locked_and_an_issued_one_final() {
    let invoice = issuing(draft("invoice", 1), "F-1");
    let (content, totals) = (invoice.content.clone(), invoice.totals.clone());
    let edited = invoice.clone().edit(content.clone(), totals.clone(), NOW);
    assert_eq!(edited, Err(NotEditable::Locked));
    assert!(invoice.deletable().is_err());
    let issued = invoice.accept(None, NOW).unwrap().invoice;
    assert_eq!(issued.clone().edit(content, totals, NOW), Err(NotEditable::Issued));
    assert!(issued.ready_to_issue(IssueDay::today(date(2026, 1, 1))).is_err());
}

#[test]
fn a_rejected_document_stays_rejected_when_it_is_edited_and_is_never_deleted() {
    let invoice = rejected(issuing(draft("invoice", 1), "F-1"));
    let (content, totals) = (invoice.content.clone(), invoice.totals.clone());
    let edited = invoice.edit(content, totals, NOW).unwrap().invoice;
    assert_eq!(edited.state.status(), Status::Rejected);
    assert!(edited.deletable().is_err());
    assert!(edited.ready_for_standard_issue(IssueDay::today(date(2026, 1, 1))).is_err());
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Edit,
    Issuing,
    StandardIssue,
    Accept,
    Reject,
}

fn step() -> impl Strategy<Value = Step> {
    prop::sample::select(vec![Step::Edit, Step::Issuing, Step::StandardIssue, Step::Accept, Step::Reject])
}

/// The document after a step, or as it was when the step is refused.
fn take(invoice: Invoice, step: Step, next: &mut u32) -> Invoice {
    let before = invoice.clone();
    let today = IssueDay::today(date(2026, 11, 20));
    let mut fresh = || {
        *next += 1;
        number(&format!("F-{next}"))
    };
    match step {
        Step::Edit => {
            let (content, totals) = (invoice.content.clone(), invoice.totals.clone());
            invoice.edit(content, totals, NOW).map_or(before, |edited| edited.invoice)
        }
        Step::Issuing => match invoice.ready_to_issue(today) {
            Ok(ready) => ready.begin_issuing(fresh(), true, NOW, NOW).invoice,
            Err(_) => before,
        },
        Step::StandardIssue => match invoice.ready_for_standard_issue(today) {
            Ok(ready) => ready.issue(fresh(), NOW, NOW).invoice,
            Err(_) => before,
        },
        Step::Accept => invoice.accept(None, NOW).map_or(before, |issued| issued.invoice),
        Step::Reject => match invoice.reject("no".to_owned(), NOW) {
            Ok(Rejection::Now(rejected)) => rejected.invoice,
            Ok(Rejection::Before) | Err(_) => before,
        },
    }
}

proptest! {
    #[test]
    fn random_steps_never_reuse_a_number_never_leave_issued_and_never_return_to_draft(steps in prop::collection::vec(step(), 0..40)) {
        let mut invoice = draft("invoice", 1);
        let (mut next, mut used) = (0, Vec::new());
        for step in steps {
            let before = invoice.clone();
            invoice = take(invoice, step, &mut next);
            let (was, is) = (before.state.status(), invoice.state.status());
            prop_assert!(was != Status::Issued || is == Status::Issued);
            prop_assert!(is != Status::Draft || was == Status::Draft);
            prop_assert_eq!(invoice.version > before.version, invoice != before, "a change grows the version");
            if is == Status::Issuing && was != Status::Issuing {
                let number = invoice.state.number().cloned();
                prop_assert!(!used.contains(&number));
                used.push(number);
            }
        }
    }
}
