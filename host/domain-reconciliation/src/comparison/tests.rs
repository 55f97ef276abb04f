//! What a document and its entry come to, for each way in which they may differ.

use super::*;
use gateway_domain::fault::Fault;
use gateway_domain::ids::{EntryId, ProviderJobId, WorkspaceId};
use gateway_domain::invoicing::{Content, Totals};
use gateway_domain::regime::Stamp;
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use uuid::uuid;

const NOW: Timestamp = Timestamp::constant(1_795_161_600, 0);
const QR: &str = "https://authority.example/verify?n=F-1";

fn document(status: Status, number: &str) -> Invoice {
    let form: DocumentForm = serde_json::from_value(json!({"workspace_id": 1, "document_type": "invoice",
        "currency": "EUR", "prices_include_tax": true, "lines": [{"description": "Night", "quantity": "1",
        "unit_price": "10", "tax": {"category": "VAT", "rate": "10"}}]}))
    .unwrap();
    let content: Content = form.check(TaxCheck::Syntax).unwrap();
    let number = InvoiceNumber(number.to_owned());
    let acceptance = Some(Acceptance {
        qr_url: Some(QR.to_owned()),
        tax_system_hash: None,
        accepted_at: NOW,
        warnings: Vec::new(),
        sandbox: false,
    });
    let state = match status {
        Status::Draft => State::Draft,
        Status::Issuing => State::Issuing { number, since: NOW },
        Status::Issued => State::Issued { number, at: NOW, acceptance, imported: None },
        Status::Rejected => State::Rejected { number, at: NOW, reason: "because".to_owned() },
    };
    Invoice {
        id: InvoiceId(Uuid::from_u128(1)),
        workspace: WorkspaceId(1),
        totals: Totals::of(&content).unwrap(),
        content,
        state,
        send_to_tax_authority: true,
        version: 1,
        created_at: NOW,
        updated_at: NOW,
    }
}

fn attempt(number: &str) -> Attempt {
    Attempt {
        job: ProviderJobId::try_from(uuid!("0197f4f2-0000-7000-8000-0000000000a1")).unwrap(),
        number: Some(InvoiceNumber(number.to_owned())),
        entry: Some(EntryId::try_from(uuid!("0197f4f2-0000-7000-8000-0000000000a2")).unwrap()),
        plugin: None,
        started_at: NOW,
        ended_at: None,
        outcome: None,
        faults: Vec::<Fault>::new(),
        authority_record: None,
        acceptance: None,
        entry_digest: Some("same".to_owned()),
    }
}

fn stored() -> Value {
    json!({"uuid": Uuid::from_u128(1), "code": "F-1", "totals": {"payable": "10.00"}})
}

/// A document, the state of its entry and what that holds, with the digest of `digest`.
fn compared(status: Status, state: &str, holds: Value, digest: &str, stamps: &[&str]) -> Comparison {
    let entry = Entry {
        id: Uuid::nil(),
        key: None,
        document: holds,
        signed: true,
        stamps: stamps
            .iter()
            .map(|value| Stamp { provider: "qr".to_owned(), value: (*value).to_owned() })
            .collect(),
        faults: Vec::new(),
        files: Vec::new(),
        raw: String::new(),
    };
    let (document, attempt) = (document(status, "F-1"), attempt("F-1"));
    compare(
        Filed { document: &document, attempt: &attempt, sent: None },
        ListedAs { state, entry: &entry, digest },
    )
}

fn members(comparison: Comparison) -> Vec<String> {
    match comparison {
        Comparison::Matching | Comparison::Settling => Vec::new(),
        Comparison::Different(found) => found.into_iter().map(|found| found.member).collect(),
    }
}

#[test]
fn an_issued_document_matches_what_was_stored_and_stamped() {
    assert_eq!(compared(Status::Issued, "sent", stored(), "same", &[QR]), Comparison::Matching);
    assert_eq!(compared(Status::Issued, "processing", stored(), "same", &[]), Comparison::Matching);
}

#[test]
fn a_document_that_was_made_void_there_while_it_is_issued_here_is_different() {
    for state in ["void", "error", "rejected", "invalid"] {
        assert_eq!(members(compared(Status::Issued, state, stored(), "same", &[QR])), ["state"], "{state}");
    }
}

#[test]
fn a_document_that_was_done_there_while_it_is_rejected_here_is_different() {
    assert_eq!(members(compared(Status::Rejected, "sent", stored(), "same", &[])), ["state"]);
    assert_eq!(compared(Status::Rejected, "error", stored(), "same", &[]), Comparison::Matching);
}

#[test]
fn only_an_exact_match_that_is_done_settles_a_document_that_waits() {
    assert_eq!(compared(Status::Issuing, "sent", stored(), "same", &[]), Comparison::Settling);
    assert_eq!(compared(Status::Issuing, "processing", stored(), "same", &[]), Comparison::Matching);
    assert_eq!(members(compared(Status::Issuing, "sent", stored(), "other", &[])), [""]);
    let another = json!({"uuid": Uuid::from_u128(1), "code": "F-2", "totals": {"payable": "11.00"}});
    assert_eq!(
        members(compared(Status::Issuing, "sent", another, "same", &[])),
        ["/code", "/totals/payable"]
    );
}

#[test]
fn what_another_sale_filed_under_the_entry_is_named() {
    let mut another = stored();
    another["uuid"] = json!(Uuid::from_u128(2));
    assert_eq!(members(compared(Status::Issued, "sent", another, "same", &[QR])), ["/uuid"]);
}

#[test]
fn stamps_of_another_record_are_no_proof_of_this_one() {
    let other = ["https://authority.example/verify?n=F-9"];
    assert_eq!(members(compared(Status::Issued, "sent", stored(), "same", &other)), ["stamps"]);
}

#[test]
fn members_that_the_provider_added_are_no_difference_where_what_was_sent_is_at_hand() {
    let (document, attempt) = (document(Status::Issued, "F-1"), attempt("F-1"));
    let mut holds = stored();
    holds["regime"] = json!("XX");
    let entry = Entry {
        id: Uuid::nil(),
        key: None,
        document: holds,
        signed: true,
        stamps: Vec::new(),
        faults: Vec::new(),
        files: Vec::new(),
        raw: String::new(),
    };
    let sent = stored();
    let there = ListedAs { state: "sent", entry: &entry, digest: "other" };
    let found = compare(Filed { document: &document, attempt: &attempt, sent: Some(&sent) }, there);
    assert_eq!(found, Comparison::Matching);
    let changed =
        json!({"uuid": Uuid::from_u128(1), "code": "F-1", "totals": {"payable": "10.00"}, "notes": "x"});
    let found = compare(Filed { document: &document, attempt: &attempt, sent: Some(&changed) }, there);
    assert_eq!(members(found), ["/notes"]);
}

proptest! {
    #[test]
    fn nothing_settles_whose_total_or_number_is_another(code in "[A-Z]-[0-9]{1,3}", cents in 0_u32..3_000) {
        let payable = format!("{}.{:02}", cents / 100, cents % 100);
        let is_ours = code == "F-1" && cents == 1_000;
        let holds = json!({"uuid": Uuid::from_u128(1), "code": code, "totals": {"payable": payable}});
        let settles = compared(Status::Issuing, "sent", holds, "same", &[]) == Comparison::Settling;
        prop_assert_eq!(settles, is_ours);
    }
}
