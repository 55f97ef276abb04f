//! What a command comes to in each state, for everything that a rule asks about beside the state.

use super::*;
use crate::submission::testing::{NOW, next_steps, requested};
use crate::{
    AcceptanceForm, Alert, AlertCode, AuthorityRecord, CreditNotes, Proof, RejectionForm, SentJob, SentUnder,
    Settlement,
};
use gateway_domain::ids::{ProviderJobId, WorkspaceId};
use gateway_domain::invoicing::{Acceptance, Content, InvoiceNumber, State};
use gateway_domain_input::document::DocumentForm;
use jiff::civil::date;
use serde_json::json;
use std::fmt::Write;
use uuid::Uuid;

const DAY: jiff::civil::Date = date(2026, 11, 20);

/// An invoice in this state under the number `F-2`, sent before under `F-1`.
fn document(status: Status, lines: usize) -> Invoice {
    let line = json!({"description": "Night", "quantity": "1", "unit_price": "10",
                      "tax": {"category": "VAT", "rate": "10"}});
    let form: DocumentForm = serde_json::from_value(json!({"workspace_id": 1, "document_type": "invoice",
        "currency": "EUR", "prices_include_tax": true, "lines": vec![line; lines]}))
    .unwrap();
    let content = Content { issue_date: Some(DAY), ..form.check(TaxCheck::Syntax).unwrap() };
    let number = number("F-2");
    let state = match status {
        Status::Draft => State::Draft,
        Status::Issuing => State::Issuing { number, since: NOW },
        Status::Issued => State::Issued { number, at: NOW, acceptance: None, imported: None },
        Status::Rejected => State::Rejected { number, at: NOW, reason: "because".to_owned() },
    };
    let totals = Totals::of(&content).unwrap();
    let id = InvoiceId(Uuid::from_u128(1));
    Invoice { state, ..follow_up_draft(&model(content.clone(), totals.clone()), id, content, totals, NOW) }
}

fn model(content: Content, totals: Totals) -> Invoice {
    Invoice {
        id: InvoiceId(Uuid::nil()),
        workspace: WorkspaceId(1),
        content,
        totals,
        state: State::Draft,
        send_to_tax_authority: false,
        version: 1,
        created_at: NOW,
        updated_at: NOW,
    }
}

fn number(text: &str) -> InvoiceNumber {
    InvoiceNumber(text.to_owned())
}

/// A submission of the document in this stage, reached as the gateway reaches it.
fn submission(stage: Stage) -> Submission {
    let mut found = vec![requested(1)];
    loop {
        if let Some(reached) = found.iter().find(|submission| submission.stage() == stage) {
            return reached.clone();
        }
        found = found.iter().flat_map(next_steps).filter(|next| next.alert.is_none()).collect();
    }
}

fn accepted_after_all() -> Submission {
    let message = "settle it".to_owned();
    submission(Stage::Rejected).alerted(Alert { code: AlertCode::AcceptedAfterAll, message })
}

fn issue(route: Route, is_blocked: bool, submission: Option<Submission>) -> CommandFacts {
    CommandFacts::Issue { at: None, route, is_blocked, submission }
}

fn sent(record: AuthorityRecord, is_proven: bool, submission: Option<Submission>) -> SentUnder {
    let job = ProviderJobId::try_from(Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0001)).unwrap();
    let acceptance = is_proven.then(|| Acceptance {
        qr_url: None,
        tax_system_hash: None,
        accepted_at: NOW,
        warnings: Vec::new(),
        sandbox: false,
    });
    SentUnder { jobs: vec![SentJob { job, authority_record: Some(record), acceptance }], submission }
}

fn accept(number: Option<&str>, sent: impl Into<Option<SentUnder>>) -> CommandFacts {
    let number = number.map(self::number);
    CommandFacts::Accept {
        form: AcceptanceForm { number, ..AcceptanceForm::WITHOUT_PROOF },
        sent: sent.into(),
    }
}

fn reject(number: Option<&str>, sent: impl Into<Option<SentUnder>>) -> CommandFacts {
    let number = number.map(self::number);
    CommandFacts::Reject {
        form: RejectionForm { number, ..RejectionForm::because("is nobody") },
        sent: sent.into(),
    }
}

fn settle(under: &str, is_verdict: fn(&Settlement) -> bool) -> CommandFacts {
    let mut found = vec![submission(Stage::Waiting)];
    found = found.iter().flat_map(next_steps).collect();
    let settling = found
        .into_iter()
        .find_map(|next| next.into_settling().filter(|settling| is_verdict(&settling.open_stage().verdict)));
    let mut settling = settling.unwrap().open_stage().clone();
    settling.attempt.number = number(under);
    CommandFacts::Settle(Box::new(settling))
}

/// Each form of the commands whose answer depends on more than the state of the document.
fn forms() -> Vec<(&'static str, CommandFacts)> {
    let authority = Route::TaxAuthority;
    let open = Submission::intent(InvoiceId(Uuid::from_u128(1)), WorkspaceId(1), "jane".to_owned(), NOW);
    let unproven = AcceptanceForm { qr_url: Proof::Unsaid, ..AcceptanceForm::WITHOUT_PROOF };
    let credited = CreditNotes::default();
    vec![
        ("issue, standard route", issue(Route::Standard, false, None)),
        ("issue, to the tax authority", issue(authority, false, None)),
        ("issue of a blocked corrective", issue(authority, true, None)),
        ("issue while another request issues", issue(authority, false, Some(submission(Stage::Requested)))),
        ("issue while a verdict is told", issue(authority, false, Some(submission(Stage::Settling)))),
        ("issue after a refusal", issue(authority, false, Some(submission(Stage::Rejected)))),
        ("issue of what was accepted after all", issue(authority, false, Some(accepted_after_all()))),
        ("issue that a command left", CommandFacts::Resume { at: None, submission: Box::new(open) }),
        (
            "credit of nothing credited yet",
            CommandFacts::Credit { lines: None, credit_notes: credited.clone(), day: DAY },
        ),
        (
            "credit before the issue",
            CommandFacts::Credit { lines: None, credit_notes: credited.clone(), day: date(2026, 1, 1) },
        ),
        ("reverse", CommandFacts::Reverse { at: NOW, credit_notes: credited, day: DAY }),
        ("refund of all", refund("10.00", &[])),
        ("refund of more than is left", refund("10.00", &["0.01"])),
        ("delete", CommandFacts::Delete),
        ("send to the tax authority", CommandFacts::SendToTaxAuthority),
        ("accept", accept(None, None)),
        ("accept without saying the proof", CommandFacts::Accept { form: unproven, sent: None }),
        ("accept the present number", accept(Some("F-2"), sent(AuthorityRecord::Nothing, false, None))),
        (
            "accept a number never sent",
            accept(Some("F-9"), Some(SentUnder { jobs: Vec::new(), submission: None })),
        ),
        (
            "accept an earlier number",
            accept(Some("F-1"), sent(AuthorityRecord::Refused, true, Some(submission(Stage::Rejected)))),
        ),
        (
            "accept it while another is waited for",
            accept(Some("F-1"), sent(AuthorityRecord::Refused, true, Some(submission(Stage::Waiting)))),
        ),
        ("reject", reject(None, None)),
        ("reject without a reason", CommandFacts::Reject { form: RejectionForm::default(), sent: None }),
        ("reject the present number", reject(Some("F-2"), sent(AuthorityRecord::Nothing, false, None))),
        (
            "reject a number never sent",
            reject(Some("F-9"), Some(SentUnder { jobs: Vec::new(), submission: None })),
        ),
        (
            "reject an earlier number",
            reject(Some("F-1"), sent(AuthorityRecord::Accepted, false, Some(accepted_after_all()))),
        ),
        (
            "reject what is proven",
            reject(Some("F-1"), sent(AuthorityRecord::Accepted, true, Some(accepted_after_all()))),
        ),
        (
            "reject what nobody asks about",
            reject(Some("F-1"), sent(AuthorityRecord::Accepted, false, Some(submission(Stage::Rejected)))),
        ),
        (
            "reject an earlier number again",
            reject(Some("F-1"), sent(AuthorityRecord::Nothing, false, Some(submission(Stage::Rejected)))),
        ),
        ("the provider's acceptance", settle("F-2", |verdict| matches!(verdict, Settlement::Accept(_)))),
        ("the provider's refusal", settle("F-2", |verdict| matches!(verdict, Settlement::Reject(_)))),
        ("the provider's verdict on F-1", settle("F-1", |verdict| matches!(verdict, Settlement::Accept(_)))),
    ]
}

fn refund(amount: &str, refunded: &[&str]) -> CommandFacts {
    let refunded = refunded.iter().map(|amount| amount.parse().unwrap()).collect();
    CommandFacts::Refund { at: NOW, amount: amount.parse().unwrap(), reference: None, refunded, day: DAY }
}

/// The call and the record of a plan, or the code of the refusal.
fn cell(decided: Result<Plan, CommandRefused>) -> String {
    let tag = |value: serde_json::Value, tag: &str| value[tag].as_str().unwrap().to_owned();
    match decided {
        Ok(plan) => {
            let call = plan.call.map(|call| tag(serde_json::to_value(call).unwrap(), "call"));
            let record = tag(serde_json::to_value(plan.record).unwrap(), "record");
            format!(
                "{} + {record}{}",
                call.as_deref().unwrap_or("-"),
                if plan.then.is_some() { ", then issue" } else { "" }
            )
        }
        Err(CommandRefused::State(refusal)) => refusal.code().as_str().to_owned(),
        Err(CommandRefused::Issue(error)) => error.code().as_str().to_owned(),
        Err(CommandRefused::Invalid(errors)) => errors[0].code.as_str().to_owned(),
        Err(CommandRefused::Rule(error)) => error.code.as_str().to_owned(),
        Err(CommandRefused::Stale { .. }) => panic!("no version was expected"),
    }
}

#[test]
fn every_form_of_a_command_comes_to_one_plan_or_one_code_in_each_state() {
    let mut table = String::new();
    for (form, command) in forms() {
        table.push_str(form);
        table.push('\n');
        for status in Status::ALL {
            let facts = Facts { document: document(*status, 1), now: NOW, command: command.clone() };
            let decided = decide(facts, None, InvoiceId(Uuid::from_u128(2)));
            writeln!(table, "  {:9} {}", status.as_str(), cell(decided)).unwrap();
        }
    }
    insta::assert_snapshot!(table);
}

#[test]
fn a_document_without_lines_is_issued_on_no_route() {
    for command in [issue(Route::Standard, false, None), issue(Route::TaxAuthority, false, None)] {
        let facts = Facts { document: document(Status::Draft, 0), now: NOW, command };
        let refused = decide(facts, None, InvoiceId(Uuid::from_u128(2))).unwrap_err();
        assert_eq!(refused, CommandRefused::Issue(IssueError::NoLines));
    }
}

#[test]
fn a_command_about_another_version_is_refused_after_what_the_state_refuses() {
    let decided = |status| {
        let facts = Facts { document: document(status, 1), now: NOW, command: CommandFacts::Delete };
        decide(facts, Some(7), InvoiceId(Uuid::from_u128(2))).unwrap_err()
    };
    assert_eq!(decided(Status::Draft), CommandRefused::Stale { current: 1 });
    assert_eq!(decided(Status::Issued), CommandRefused::State(Refusal::AlreadyIssued));
}
