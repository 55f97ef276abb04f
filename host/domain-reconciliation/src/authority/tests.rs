//! What a document and the authority's record of it come to, for each way in which they may differ.

use super::*;
use gateway_domain::ids::WorkspaceId;
use gateway_domain::invoicing::{Acceptance, Content, Totals};
use gateway_domain::money::Amount;
use gateway_domain::regime::Remark;
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use jiff::SignedDuration;
use proptest::prelude::*;
use serde_json::json;

const NOW: Timestamp = Timestamp::constant(1_795_161_600, 0);
const HASH: &str = "3C464DAF61ACB827C65FDA19F352A4E3BDC2C640E9E9FC4CC058073F38F12F60";

fn acceptance() -> Acceptance {
    Acceptance {
        qr_url: None,
        tax_system_hash: Some(HASH.to_owned()),
        accepted_at: NOW,
        warnings: Vec::new(),
        sandbox: false,
    }
}

fn issued(number: &str, acceptance: Acceptance) -> State {
    let number = InvoiceNumber(number.to_owned());
    State::Issued { number, at: NOW, acceptance: Some(acceptance), imported: None }
}

fn document(state: State) -> Invoice {
    let form: DocumentForm = serde_json::from_value(json!({"workspace_id": 1, "document_type": "invoice",
        "currency": "EUR", "prices_include_tax": true, "issue_date": "2026-11-20",
        "lines": [{"description": "Night", "quantity": "1", "unit_price": "10",
        "tax": {"category": "VAT", "rate": "10"}}]}))
    .unwrap();
    let content: Content = form.check(TaxCheck::Syntax).unwrap();
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

fn record() -> ListedRecord {
    ListedRecord {
        number: "F-1".to_owned(),
        issue_date: "2026-11-20".parse().unwrap(),
        state: RecordState::Accepted,
        total: Some("10.00".parse().unwrap()),
        fingerprint: Some(HASH.to_owned()),
    }
}

fn later() -> Timestamp {
    NOW + SignedDuration::from_secs(1)
}

fn members(state: State, record: &ListedRecord) -> Vec<String> {
    match compare_record(&document(state), record, later()) {
        Comparison::Matching => Vec::new(),
        Comparison::Settling => panic!("the authority's list settles nothing"),
        Comparison::Different(found) => found.into_iter().map(|found| found.member).collect(),
    }
}

#[test]
fn an_issued_document_matches_its_record() {
    assert!(members(issued("F-1", acceptance()), &record()).is_empty());
    let sparse = ListedRecord { total: None, fingerprint: None, ..record() };
    assert!(members(issued("F-1", acceptance()), &sparse).is_empty(), "what is not listed is no difference");
}

#[test]
fn each_member_that_differs_is_named() {
    let here = || issued("F-1", acceptance());
    let total: Amount = "10.01".parse().unwrap();
    for (there, member) in [
        (ListedRecord { issue_date: "2026-11-21".parse().unwrap(), ..record() }, "issue_date"),
        (ListedRecord { total: Some(total), ..record() }, "total"),
        (ListedRecord { fingerprint: Some("other".to_owned()), ..record() }, "fingerprint"),
        (ListedRecord { state: RecordState::Cancelled, ..record() }, "state"),
        (ListedRecord { state: RecordState::AcceptedWithErrors, ..record() }, "state"),
    ] {
        assert_eq!(members(here(), &there), [member]);
    }
}

#[test]
fn errors_that_are_known_here_are_no_difference() {
    let remark = Remark { code: "2001".to_owned(), message: "unknown".to_owned() };
    let known = Acceptance { warnings: vec![remark], ..acceptance() };
    let there = ListedRecord { state: RecordState::AcceptedWithErrors, ..record() };
    assert!(members(issued("F-1", known.clone()), &there).is_empty());
    assert!(members(issued("F-1", known), &record()).is_empty(), "the provider may have remarks of its own");
}

#[test]
fn a_document_that_waits_is_told_and_never_settled() {
    let number = InvoiceNumber("F-1".to_owned());
    let waiting = |since| State::Issuing { number: number.clone(), since };
    assert_eq!(members(waiting(NOW), &record()), ["state"]);
    assert!(members(waiting(later()), &record()).is_empty(), "it was filed after the run began");
}

#[test]
fn a_record_in_force_of_a_number_that_was_refused_or_given_up_is_told() {
    let number = InvoiceNumber("F-1".to_owned());
    let rejected = || State::Rejected { number: number.clone(), at: NOW, reason: "x".to_owned() };
    let cancelled = ListedRecord { state: RecordState::Cancelled, ..record() };
    assert_eq!(members(rejected(), &record()), ["state"]);
    assert!(members(rejected(), &cancelled).is_empty());
    for other in [issued("F-2", acceptance()), State::Draft] {
        assert_eq!(members(other.clone(), &record()), ["number"], "one sale, two records");
        assert!(members(other, &cancelled).is_empty());
    }
}

#[test]
fn the_list_has_to_show_what_the_same_authority_accepted_before_it_was_read() {
    let day = |text: &str| text.parse::<Date>().unwrap();
    let days = ListedDays {
        from: day("2026-11-01"),
        until: day("2026-11-30"),
        accepted_before: later(),
        is_stand_in: false,
    };
    let accepted = document(issued("F-1", acceptance()));
    assert!(days.have_to_show(&accepted));
    assert!(!ListedDays { accepted_before: NOW, ..days }.have_to_show(&accepted), "it is too young");
    assert!(
        !ListedDays { is_stand_in: true, ..days }.have_to_show(&accepted),
        "another authority accepted it"
    );
    assert!(!ListedDays { from: day("2026-11-21"), ..days }.have_to_show(&accepted));
    let mut earlier = accepted.clone();
    earlier.content.operation_date = Some(day("2026-10-31"));
    assert!(!days.have_to_show(&earlier), "it may stand in another month of the authority's");
    let mut unsent = accepted;
    unsent.send_to_tax_authority = false;
    assert!(!days.have_to_show(&unsent));
    assert!(!days.have_to_show(&document(State::Draft)));
}

#[test]
fn the_key_of_a_record_is_the_same_in_the_same_run_and_no_id_of_an_entry() {
    let run = |id| ReconciliationId(Uuid::from_u128(id));
    let day = Some("2026-11-20".parse().unwrap());
    let key = record_key(run(1), "F-1", day);
    assert_eq!(key, record_key(run(1), "F-1", day));
    assert_eq!(key.get_version_num(), 8);
    for other in
        [record_key(run(2), "F-1", day), record_key(run(1), "F-2", day), record_key(run(1), "F-1", None)]
    {
        assert_ne!(key, other);
    }
}

proptest! {
    #[test]
    fn a_document_matches_its_own_record_alone(
        number in "F-[12]", cents in 999_i64..1_002, day in 19_i8..22, same_hash: bool, state in 0_u8..3,
    ) {
        let there = ListedRecord {
            number: number.clone(),
            issue_date: Date::new(2026, 11, day).unwrap(),
            state: match state {
                0 => RecordState::Accepted,
                1 => RecordState::AcceptedWithErrors,
                _ => RecordState::Cancelled,
            },
            total: Some(Amount::new(cents, 2).unwrap()),
            fingerprint: Some(if same_hash { HASH.to_owned() } else { "other".to_owned() }),
        };
        let matches = members(issued("F-1", acceptance()), &there).is_empty();
        let is_same = there == record();
        let is_given_up = number == "F-2" && there.state == RecordState::Cancelled;
        prop_assert_eq!(matches, is_same || is_given_up);
    }
}
