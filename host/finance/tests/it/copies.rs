//! Finance's own copy of each document: late, twice, out of order, and never in the way of issuing.

use crate::feed::{new_document_id, stranger};
use crate::world::{World, both};
use gateway_domain::ids::InvoiceId;
use gateway_domain::invoicing::{DocumentFilter, State, Status};
use gateway_domain_finance::CommandForm;
use gateway_read_models::FinanceDocuments;
use gateway_storage::{Sql, finance_documents};
use serde_json::json;

impl World {
    /// Version and content of the copy; no content of a deleted document.
    async fn copy(&self, id: InvoiceId) -> Option<(i64, Option<String>)> {
        let copy = finance_documents::find(self.gateway.db(), id, &self.acting.workspaces).await.unwrap();
        copy.map(|((_, version), data)| (version, data))
    }

    async fn copied_version(&self, id: InvoiceId) -> Option<i64> {
        self.copy(id).await.map(|(version, _)| version)
    }
}

#[tokio::test]
async fn the_copy_is_what_the_invoice_data_service_shows() {
    for world in both().await {
        let id = world.waiting().await;
        world.settled().await;
        let (version, data) = world.copy(id).await.unwrap();
        let document = world.document(id).await;
        assert_eq!(version, document.version);
        let copy_of = serde_json::to_string(&gateway_invoicing::DocumentView::from(&document)).unwrap();
        assert_eq!(data, Some(copy_of));
    }
}

#[tokio::test]
async fn a_document_whose_events_are_late_is_read_through_and_kept() {
    for world in both().await {
        let id = world.draft().await;
        assert_eq!(world.copy(id).await, None);
        assert_eq!(world.copy_of(id).await.unwrap()["version"], json!(1));
        assert_eq!(world.copied_version(id).await, Some(1));
        world.write(id, "11.00").await;
        assert_eq!(world.copy_of(id).await.unwrap()["version"], json!(1), "the copy may be stale");
        world.settled().await;
        assert_eq!(world.copy_of(id).await.unwrap()["version"], json!(2));
    }
}

#[tokio::test]
async fn finance_never_shows_less_than_it_has_told() {
    for world in both().await {
        let id = world.draft().await;
        world.settled().await;
        world.issue(id).await.unwrap();
        assert_eq!(world.copy_of(id).await.unwrap()["status"], "issuing", "no event was relayed since");
        world.work().await;
        world.provider.accepts();
        world.notified(id).await;
        assert_eq!(world.copy_of(id).await.unwrap()["status"], "issued");
    }
}

#[tokio::test]
async fn the_issue_command_brings_a_copy_that_is_missing_or_older_up_to_date() {
    for world in both().await {
        let (missing, older) = (world.draft().await, world.draft().await);
        world.settled().await;
        world.sql(Sql::both("DELETE FROM finance_document WHERE version = 1")).await;
        assert!(world.copy_of(older).await.is_some());
        world.write(older, "11.00").await;
        for (id, version) in [(missing, 1), (older, 2)] {
            world.issue(id).await.unwrap();
            assert_eq!(world.copied_version(id).await, Some(version), "as it was before it was issued");
        }
    }
}

#[tokio::test]
async fn a_copy_that_cannot_be_kept_does_not_block_issuing_and_is_counted() {
    for world in both().await {
        let id = world.draft().await;
        world.sql(Sql::both("ALTER TABLE finance_document RENAME TO away")).await;
        let outcome = world.issue(id).await.unwrap();
        assert_eq!(outcome.document.state.status(), Status::Issuing);
        assert_eq!(world.gateway.stats().syncs_failed, 1);
        world.sql(Sql::both("ALTER TABLE away RENAME TO finance_document")).await;
        world.settled().await;
        assert_eq!(world.copied_version(id).await, Some(2), "the feed makes up for it");
    }
}

#[tokio::test]
async fn events_that_come_again_change_nothing() {
    for world in both().await {
        let id = world.waiting().await;
        world.settled().await;
        let before = world.copy(id).await;
        world.sql(Sql::both("UPDATE consumer SET position = 0")).await;
        assert!(world.consumed(FinanceDocuments::NAME).await > 1);
        assert_eq!(world.copy(id).await, before);
    }
}

#[tokio::test]
async fn events_that_come_out_of_order_end_in_the_newest_state() {
    for world in both().await {
        let (edited, deleted) = (world.draft().await, world.draft().await);
        world.write(edited, "11.00").await;
        world.write(edited, "12.00").await;
        world.keeper.invoicing().delete(&world.acting, deleted, None).await.unwrap();
        world.relayed().await;
        // The feed turned round.
        world.sql(Sql::both("UPDATE event SET position = -position")).await;
        world.sql(Sql::both("UPDATE event SET position = position + 6")).await;
        world.settled().await;
        assert_eq!(world.copied_version(edited).await, Some(3));
        assert_eq!(world.copy(deleted).await, Some((2, None)), "a late event does not bring it back");
        assert_eq!(world.copy_of(deleted).await, None);
    }
}

#[tokio::test]
async fn an_id_that_is_used_again_is_another_document() {
    for world in both().await {
        let id = new_document_id();
        for version in 1..=3 {
            world.write(id, "10.00").await;
            assert_eq!(world.document(id).await.version, version);
        }
        world.keeper.invoicing().delete(&world.acting, id, None).await.unwrap();
        world.settled().await;
        assert_eq!(world.copy_of(id).await, None);
        world.pass(1);
        world.write(id, "11.00").await;
        world.settled().await;
        assert_eq!(world.copy_of(id).await.unwrap()["version"], json!(1));
    }
}

#[tokio::test]
async fn the_copy_of_another_workspace_looks_like_none() {
    for world in both().await {
        let id = world.draft().await;
        world.settled().await;
        let stranger = stranger();
        assert_eq!(world.gateway.finance_document(&stranger, id).await.unwrap(), None);
    }
}

#[tokio::test]
async fn documents_are_counted_wherever_they_are_kept_and_deleted_ones_are_not() {
    for world in both().await {
        world.draft().await;
        let issuing = world.waiting().await;
        let deleted = world.draft().await;
        world.settled().await;
        world.gateway.command(&world.acting, deleted, CommandForm::Delete, None).await.unwrap();
        world.settled().await;
        let State::Issuing { since, .. } = world.document(issuing).await.state else {
            panic!("it is at the tax authority")
        };
        let mut counts_by_status = world.gateway.documents().counts_by_status().await.unwrap();
        counts_by_status.sort_by(|one, other| one.status.cmp(&other.status));
        let counted: Vec<_> = counts_by_status
            .iter()
            .map(|row| (row.status.as_str(), row.documents, row.issuing_since))
            .collect();
        assert_eq!(counted, [("draft", 1, None), ("issuing", 1, Some(since))]);
    }
}

#[tokio::test]
async fn a_copy_that_an_older_release_kept_is_found_by_lists_again() {
    for world in both().await {
        let id = world.waiting().await;
        world.settled().await;
        let by_status = || async {
            let filter = DocumentFilter { status: Some(Status::Issuing), ..DocumentFilter::default() };
            let db = world.gateway.db();
            let found =
                finance_documents::page(db, &world.acting.workspaces, &filter, None, 9).await.unwrap();
            found.into_iter().map(|copy| copy.key.1).collect::<Vec<_>>()
        };
        assert_eq!(by_status().await, [id]);
        world.sql(Sql::both("UPDATE finance_document SET status = 'draft', filters_version = 1")).await;
        assert_eq!(by_status().await, []);
        world.gateway.watchdog().watch("a test").await.unwrap();
        assert_eq!(by_status().await, [id]);
    }
}
