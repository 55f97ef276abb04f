//! Credit notes and refunds never give back more than was billed.

use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{
    BeforeIssue, Content, CreditNoteTotals, DocumentKind, ImportOrigin, Invoice, InvoiceNumber, Line,
    NotCreditable, NotRefundable, State, Status, Totals, add_line, credit_date, credit_note, refundable,
    remove_line, update_line, within_originals,
};
use gateway_domain::regime::{Preceding, Stamp};
use jiff::Timestamp;
use jiff::civil::date;
use proptest::prelude::*;
use serde_json::{Value, json};

fn line_json(price: &str, rate: &str) -> Value {
    json!({"description": "Night", "quantity": "1", "unit_price": price, "tax": {"category": "VAT", "rate": rate}})
}

fn line(price: &str, rate: &str) -> Line {
    serde_json::from_value(line_json(price, rate)).unwrap()
}

fn issued(lines: &[Value]) -> Invoice {
    let content: Content = serde_json::from_value(json!({"document_type": "invoice", "currency": "EUR",
        "prices_include_tax": true, "lines": lines, "retentions": [], "referenced_document_ids": []}))
    .unwrap();
    Invoice {
        id: InvoiceId(uuid::Uuid::from_u128(7)),
        workspace: WorkspaceId(1),
        totals: Totals::of(&content).unwrap(),
        content,
        state: State::Issued {
            number: InvoiceNumber("F-1".to_owned()),
            at: Timestamp::UNIX_EPOCH,
            acceptance: None,
            imported: None,
        },
        send_to_tax_authority: true,
        version: 3,
        created_at: Timestamp::UNIX_EPOCH,
        updated_at: Timestamp::UNIX_EPOCH,
    }
}

fn credited(totals: &Totals) -> CreditNoteTotals {
    CreditNoteTotals { id: InvoiceId(uuid::Uuid::nil()), status: Status::Issued, totals: totals.clone() }
}

const DAY: jiff::civil::Date = date(2026, 11, 20);

#[test]
fn a_credit_note_of_an_imported_document_refers_to_its_number_its_date_and_its_stamps() {
    let mut invoice = issued(&[line_json("110", "10")]);
    let (number, stamps) = (
        InvoiceNumber("2019/17".to_owned()),
        vec![Stamp { provider: "sat-uuid".to_owned(), value: "0B6A".to_owned() }],
    );
    let imported = Some(Box::new(ImportOrigin { stamps: stamps.clone(), ..ImportOrigin::default() }));
    invoice.state =
        State::Issued { number: number.clone(), at: Timestamp::UNIX_EPOCH, acceptance: None, imported };
    invoice.content.issue_date = Some(DAY);
    let preceding = Preceding::of(&invoice).unwrap();
    assert_eq!((preceding.number, preceding.issue_date, preceding.stamps), (number.0, DAY, stamps));
}

#[test]
fn a_full_credit_note_mirrors_the_invoice_and_refers_to_it() {
    let invoice = issued(&[line_json("110", "10"), line_json("121", "21")]);
    let (content, totals) = credit_note(&invoice, &[], None, DAY).unwrap();
    assert_eq!(content.document_type, DocumentKind::CreditNote);
    assert_eq!(content.referenced_document_ids, [invoice.id]);
    assert_eq!(content.issue_date, Some(DAY));
    assert_eq!(totals, invoice.totals);
}

#[test]
fn after_a_full_credit_note_nothing_is_left() {
    let invoice = issued(&[line_json("110", "10")]);
    let note = credited(&invoice.totals);
    let again = credit_note(&invoice, std::slice::from_ref(&note), None, DAY);
    assert_eq!(again.unwrap_err().to_string(), "the invoice is credited already: 110.00 of 110.00");
    let more = credit_note(&invoice, &[note], Some(vec![line("0.01", "10")]), DAY);
    assert!(matches!(more, Err(NotCreditable::Exceeds { .. })));
}

#[test]
fn a_credit_note_that_nobody_issued_is_named_where_it_holds_the_rest_back() {
    let invoice = issued(&[line_json("110", "10")]);
    let unissued = |status| CreditNoteTotals { status, ..credited(&invoice.totals) };
    let held_back = "; the unissued credit note 00000000-0000-0000-0000-000000000000 holds 110.00 back: issue it or delete it";
    for status in [Status::Draft, Status::Rejected] {
        let all = credit_note(&invoice, &[unissued(status)], None, DAY).unwrap_err().to_string();
        assert_eq!(all, format!("the invoice is credited already: 110.00 of 110.00{held_back}"));
        let part = credit_note(&invoice, &[unissued(status)], Some(vec![line("1", "10")]), DAY);
        let part = part.unwrap_err().to_string();
        assert!(part.ends_with(&format!("credit at most 0.00{held_back}")), "{part}");
    }
    let all = credit_note(&invoice, &[unissued(Status::Issuing)], None, DAY).unwrap_err().to_string();
    assert!(!all.contains("unissued"), "{all}");
}

#[test]
fn after_a_part_was_credited_the_rest_is_told() {
    let invoice = issued(&[line_json("110", "10")]);
    let (_, part) = credit_note(&invoice, &[], Some(vec![line("10", "10")]), DAY).unwrap();
    let all = credit_note(&invoice, &[credited(&part)], None, DAY).unwrap_err().to_string();
    let gross = part.gross;
    assert!(
        all.starts_with(&format!("the invoice is credited already: {gross} of 110.00; credit lines")),
        "{all}"
    );
    assert!(all.ends_with(" at most"), "{all}");
}

#[test]
fn a_credit_note_takes_no_tax_the_invoice_does_not_have_and_no_negative_whole() {
    let invoice = issued(&[line_json("110", "10")]);
    let other = credit_note(&invoice, &[], Some(vec![line("1", "21")]), DAY);
    assert_eq!(other, Err(NotCreditable::UnknownTax { line: 0 }));
    let negative = credit_note(&invoice, &[], Some(vec![line("-1", "10")]), DAY);
    assert_eq!(
        negative.unwrap_err().to_string(),
        "a credit note must not come to less than 0, this one comes to -1.00: change its lines"
    );
    let exchanged = credit_note(&invoice, &[], Some(vec![line("1", "10"), line("-1", "10")]), DAY);
    assert!(exchanged.is_ok(), "it moves an amount from one line to another: {exchanged:?}");
    assert_eq!(credit_note(&invoice, &[], Some(Vec::new()), DAY), Err(NotCreditable::NoLines));
}

#[test]
fn a_draft_and_a_credit_note_are_not_credited() {
    let mut invoice = issued(&[line_json("110", "10")]);
    invoice.content.document_type = DocumentKind::CreditNote;
    assert!(matches!(credit_note(&invoice, &[], None, DAY), Err(NotCreditable::WrongDocument { .. })));
    invoice.content.document_type = DocumentKind::Invoice;
    invoice.state = State::Draft;
    assert!(matches!(credit_note(&invoice, &[], None, DAY), Err(NotCreditable::WrongDocument { .. })));
}

#[test]
fn no_rate_is_credited_beyond_what_was_billed_at_it() {
    let invoice = issued(&[line_json("100", "10"), line_json("500", "21")]);
    let beyond = credit_note(&invoice, &[], Some(vec![line("200", "10")]), DAY);
    assert!(matches!(beyond, Err(NotCreditable::Exceeds { .. })), "{beyond:?}");
    let (_, first) = credit_note(&invoice, &[], Some(vec![line("60", "10")]), DAY).unwrap();
    let second = credit_note(&invoice, &[credited(&first)], Some(vec![line("60", "10")]), DAY);
    assert!(matches!(second, Err(NotCreditable::Exceeds { .. })), "{second:?}");
    credit_note(&invoice, &[credited(&first)], Some(vec![line("40", "10"), line("500", "21")]), DAY).unwrap();
}

#[test]
fn an_invoice_of_nothing_is_credited_once() {
    let invoice = issued(&[line_json("100", "10"), line_json("-100", "10")]);
    let (_, note) = credit_note(&invoice, &[], None, DAY).unwrap();
    let again = credit_note(&invoice, &[credited(&note)], None, DAY);
    assert!(matches!(again, Err(NotCreditable::CreditedAlready { .. })), "{again:?}");
}

#[test]
fn a_credit_note_for_several_invoices_stays_within_their_sum_and_their_currency() {
    let [one, two] = [issued(&[line_json("100", "10")]), issued(&[line_json("100", "10")])];
    let (content, totals) = credit_note(&issued(&[line_json("150", "10")]), &[], None, DAY).unwrap();
    let note = Invoice { content, totals, ..one.clone() };
    within_originals(&note, &[one.clone(), two.clone()], &[]).unwrap();
    assert!(matches!(
        within_originals(&note, std::slice::from_ref(&one), &[]),
        Err(NotCreditable::Exceeds { .. })
    ));
    let mut dollars = two;
    dollars.content.currency = "USD".to_owned();
    assert!(matches!(
        within_originals(&note, &[one, dollars], &[]),
        Err(NotCreditable::OtherCurrency { .. })
    ));
}

#[test]
fn refunds_stay_within_what_was_paid() {
    let invoice = issued(&[line_json("110", "10")]);
    let amount = |text: &str| text.parse().unwrap();
    assert_eq!(refundable(&invoice, amount("0"), amount("110"), DAY).unwrap().to_string(), "110.00");
    assert_eq!(refundable(&invoice, amount("0"), amount("0"), DAY), Err(NotRefundable::NotPositive));
    assert_eq!(refundable(&invoice, amount("0"), amount("-1"), DAY), Err(NotRefundable::NotPositive));
    assert_eq!(refundable(&invoice, amount("0"), amount("1.001"), DAY), Err(NotRefundable::TooFine));
    assert!(matches!(
        refundable(&invoice, amount("100"), amount("10.01"), DAY),
        Err(NotRefundable::Exceeds { .. })
    ));
}

#[test]
fn nothing_is_given_back_before_the_document_was_issued() {
    let mut invoice = issued(&[line_json("110", "10")]);
    let amount = |text: &str| text.parse().unwrap();
    invoice.content.issue_date = Some(DAY);
    let before = DAY.yesterday().unwrap();
    let refused = BeforeIssue { issued: DAY };
    assert_eq!(credit_note(&invoice, &[], None, before), Err(NotCreditable::BeforeIssue(refused)));
    let refund = refundable(&invoice, amount("0"), amount("1"), before);
    assert_eq!(refund, Err(NotRefundable::BeforeIssue(refused)));
    assert!(credit_note(&invoice, &[], None, DAY).is_ok());
    assert!(refundable(&invoice, amount("0"), amount("1"), DAY).is_ok());
    for (today, day) in [(before, DAY), (DAY, DAY), (DAY.tomorrow().unwrap(), DAY.tomorrow().unwrap())] {
        assert_eq!(credit_date(&invoice, today), day, "by itself, {today}");
    }
}

#[test]
fn a_transaction_is_added_once_changed_in_place_and_removed() {
    let content = issued(&[line_json("110", "10")]).content;
    let content = add_line(content, "t1".to_owned(), line("5", "10")).unwrap();
    assert!(add_line(content.clone(), "t1".to_owned(), line("5", "10")).is_err());
    let content = update_line(content, "t1".to_owned(), line("6", "10")).unwrap();
    assert_eq!(content.lines[1].unit_price.to_string(), "6");
    assert_eq!(content.lines[1].transaction_id.as_deref(), Some("t1"));
    assert!(update_line(content.clone(), "t2".to_owned(), line("6", "10")).is_err());
    let content = remove_line(content, "t1").unwrap();
    assert_eq!(content.lines.len(), 1);
    assert!(remove_line(content, "t1").is_err());
}

proptest! {
    #[test]
    fn partial_credit_notes_never_exceed_the_invoice(prices in prop::collection::vec(1_i64..20_000, 1..12)) {
        let invoice = issued(&[line_json("300.00", "10")]);
        let mut notes = Vec::new();
        for cents in prices {
            let price = format!("{}.{:02}", cents / 100, cents % 100);
            if let Ok((_, totals)) = credit_note(&invoice, &notes, Some(vec![line(&price, "10")]), DAY) {
                notes.push(credited(&totals));
            }
        }
        let sum: i64 = notes.iter().map(|note| note.totals.gross.units()).sum();
        prop_assert!(sum <= invoice.totals.gross.units());
    }
}
