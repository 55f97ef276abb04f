//! The guards in the statements hold by themselves, also without the locks that their callers take.

use crate::finance::{attempts, correctives, submissions};
use crate::invoicing::invoices;
use crate::testing::{self, samples::at, samples::stored_workspace};
use gateway_domain::access::Workspaces;
use gateway_domain::ids::{InvoiceId, ProviderJobId, WorkspaceId};
use gateway_domain::invoicing::{Invoice, InvoiceNumber, State, Totals};
use gateway_domain_finance::{
    AttemptEnd, AttemptOutcome, AuthorityRecord, EndedStage, Requested, Stage, Submission,
};
use gateway_domain_input::document::{DocumentForm, TaxCheck};
use serde_json::json;
use uuid::Uuid;

mod catalogue;
mod creation_clock;
mod numbers;
mod plans;
mod previous;
mod reports;
mod upgrade;
mod wakeups;

fn draft(id: u128) -> Invoice {
    let form: DocumentForm = serde_json::from_value(json!({"workspace_id": 1, "document_type": "invoice",
        "currency": "EUR", "prices_include_tax": false, "lines": [{"description": "Night", "quantity": "1",
        "unit_price": "10.00", "tax": {"category": "VAT", "rate": "10.0"}}]}))
    .unwrap();
    let content = form.check(TaxCheck::Syntax).unwrap();
    let totals = Totals::of(&content).unwrap();
    Invoice {
        id: InvoiceId(Uuid::from_u128(id)),
        workspace: WorkspaceId(1),
        content,
        totals,
        state: State::Draft,
        send_to_tax_authority: false,
        version: 1,
        created_at: at(0),
        updated_at: at(0),
    }
}

#[tokio::test]
async fn a_document_at_another_version_is_neither_changed_nor_deleted() {
    for db in testing::both().await {
        stored_workspace(&db, 1).await;
        let mut tx = db.begin().await.unwrap();
        let first = draft(1);
        assert!(invoices::insert(&mut tx, &first).await.unwrap());
        assert!(!invoices::insert(&mut tx, &first).await.unwrap(), "an id is used once");
        let second = Invoice { version: 2, updated_at: at(1), ..first.clone() };
        assert!(invoices::update(&mut tx, &second, 1).await.unwrap());
        let late = Invoice { version: 2, updated_at: at(2), ..first.clone() };
        assert!(!invoices::update(&mut tx, &late, 1).await.unwrap());
        assert!(!invoices::delete(&mut tx, first.id, 1).await.unwrap());
        let found = invoices::find(&mut tx, first.id, &Workspaces::All).await.unwrap();
        assert_eq!(found, Some(second));
        assert!(invoices::delete(&mut tx, first.id, 2).await.unwrap());
    }
}

#[tokio::test]
async fn only_a_draft_is_deleted() {
    for db in testing::both().await {
        stored_workspace(&db, 1).await;
        let mut tx = db.begin().await.unwrap();
        let first = draft(1);
        invoices::insert(&mut tx, &first).await.unwrap();
        let number = InvoiceNumber("F-1".to_owned());
        let issuing = Invoice { state: State::Issuing { number, since: at(1) }, version: 2, ..first.clone() };
        assert!(invoices::update(&mut tx, &issuing, 1).await.unwrap());
        assert!(!invoices::delete(&mut tx, first.id, 2).await.unwrap());
        assert!(invoices::find(&mut tx, first.id, &Workspaces::All).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn a_submission_at_another_version_is_not_moved() {
    for db in testing::both().await {
        stored_workspace(&db, 1).await;
        let mut tx = db.begin().await.unwrap();
        let document = draft(1);
        invoices::insert(&mut tx, &document).await.unwrap();
        let first = Submission::requested(document.id, document.workspace, "jane".to_owned(), at(0));
        assert!(submissions::insert(&mut tx, &first).await.unwrap());
        assert!(!submissions::insert(&mut tx, &first).await.unwrap(), "one submission a document");
        let open = first.into_open().unwrap();
        let withdrawn = open.clone().end(|_| EndedStage::Withdrawn { check_earlier_attempts: false });
        let number = InvoiceNumber("F-1".to_owned());
        let converting = open.step(|_| Requested { check_earlier_attempts: false }.numbered(number));
        assert!(submissions::update(&mut tx, &converting.into()).await.unwrap());
        assert!(!submissions::update(&mut tx, &withdrawn.into()).await.unwrap());
        let found = submissions::find(&mut tx, document.id, &Workspaces::All).await.unwrap().unwrap();
        assert_eq!((found.stage(), found.version), (Stage::Converting, 1));
    }
}

#[tokio::test]
async fn an_attempt_ends_once() {
    for db in testing::both().await {
        stored_workspace(&db, 1).await;
        let mut tx = db.begin().await.unwrap();
        let document = draft(1);
        invoices::insert(&mut tx, &document).await.unwrap();
        let submission = Submission::requested(document.id, document.workspace, "jane".to_owned(), at(0));
        submissions::insert(&mut tx, &submission).await.unwrap();
        let job = ProviderJobId::try_from(Uuid::from_u128(0x7000_8000_0000_0000_0001)).unwrap();
        attempts::start(&mut tx, &submission, job, at(1));
        let (outcome, record) = (AttemptOutcome::Accepted, Some(AuthorityRecord::Accepted));
        let accepted = AttemptEnd { job, outcome, faults: Vec::new(), record };
        attempts::end(&mut tx, &accepted, at(2)).unwrap();
        attempts::end(&mut tx, &AttemptEnd::superseded(job, None), at(3)).unwrap();
        let ended = attempts::of_document(&mut tx, document.id).await.unwrap();
        assert_eq!(
            (ended[0].outcome.map(AttemptOutcome::as_str), ended[0].ended_at),
            (Some("accepted"), Some(at(2)))
        );
        assert_eq!(ended[0].authority_record, Some(AuthorityRecord::Accepted));
    }
}

#[tokio::test]
async fn a_corrective_draft_is_released_once() {
    for db in testing::both().await {
        stored_workspace(&db, 1).await;
        let mut tx = db.begin().await.unwrap();
        let [original, corrective] = [draft(1), draft(2)];
        for document in [&original, &corrective] {
            invoices::insert(&mut tx, document).await.unwrap();
        }
        correctives::LOCAL.keep(&mut tx, corrective.id, original.id).await.unwrap();
        assert!(correctives::LOCAL.is_blocked(&mut tx, corrective.id).await.unwrap());
        assert!(correctives::LOCAL.release(&mut tx, original.id, at(1)).await.unwrap());
        assert!(!correctives::LOCAL.release(&mut tx, original.id, at(2)).await.unwrap());
        assert!(!correctives::LOCAL.is_blocked(&mut tx, corrective.id).await.unwrap());
    }
}
