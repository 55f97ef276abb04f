//! Lists of documents are the same wherever the documents are kept; of a remote service finance lists its copies.

use crate::world::{World, both, remote_worlds};
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::{DocumentFilter, Invoice, Status};
use gateway_domain_finance::CommandForm;
use gateway_storage::Sql;
use jiff::{Timestamp, ToSpan};
use serde_json::json;
use uuid::Uuid;

const BOOKING: BookingId = BookingId(Uuid::from_u128(0xb0));

impl World {
    /// Two drafts, one of them of a booking, a document that waits, an accepted one and one that was deleted.
    async fn stocked(&self) -> [InvoiceId; 4] {
        let (draft, booked) = (self.draft().await, InvoiceId(Uuid::from_u128(0xd0)));
        let form = json!({"workspace_id": self.workspace, "document_type": "proforma", "currency": "EUR",
            "prices_include_tax": true, "booking_id": BOOKING, "lines": [{"description": "Night", "quantity": "1", "unit_price": "10.00",
            "tax": {"category": "VAT", "rate": "10.0"}}]});
        let form = serde_json::from_value(form).unwrap();
        self.keeper.invoicing().save(&self.acting, booked, form, None).await.unwrap();
        self.provider.accepts();
        let accepted = self.waiting().await;
        self.notified(accepted).await;
        let waiting = self.waiting().await;
        let deleted = self.draft().await;
        self.gateway.command(&self.acting, deleted, CommandForm::Delete, None).await.unwrap();
        self.settled().await;
        [draft, booked, accepted, waiting]
    }

    async fn listed(&self, acting: &Acting, filter: &DocumentFilter) -> Vec<InvoiceId> {
        let page = self.gateway.lists().page(acting, filter, None, 25).await.unwrap();
        let count = self.gateway.lists().count(acting, filter).await.unwrap();
        assert_eq!(usize::try_from(count).unwrap(), page.nodes.len(), "{filter:?}");
        page.nodes.iter().map(|document| document.id).collect()
    }
}

#[tokio::test]
async fn every_filter_leaves_the_same_documents_wherever_they_are_kept() {
    for world in both().await {
        let [draft, booked, accepted, waiting] = world.stocked().await;
        let none = DocumentFilter::default;
        let status = |status| DocumentFilter { status: Some(status), ..none() };
        let number = Some(world.number(accepted).await);
        let (mut first, mut last) = (Timestamp::MAX, Timestamp::MIN);
        for id in [draft, booked, accepted, waiting] {
            let changed = world.document(id).await.updated_at;
            (first, last) = (first.min(changed), last.max(changed));
        }
        let cases = [
            (none(), vec![draft, booked, accepted, waiting]),
            (
                DocumentFilter { workspace: Some(world.workspace), ..none() },
                vec![draft, booked, accepted, waiting],
            ),
            (DocumentFilter { workspace: Some(WorkspaceId(99)), ..none() }, vec![]),
            (status(Status::Draft), vec![draft, booked]),
            (status(Status::Issuing), vec![waiting]),
            (status(Status::Issued), vec![accepted]),
            (status(Status::Rejected), vec![]),
            (DocumentFilter { booking: Some(BOOKING), ..none() }, vec![booked]),
            (DocumentFilter { booking: Some(BOOKING), ..status(Status::Issued) }, vec![]),
            (DocumentFilter { number, ..none() }, vec![accepted]),
            (DocumentFilter { updated_after: Some(last), ..none() }, vec![]),
            (
                DocumentFilter { updated_after: Some(first - 1.second()), ..none() },
                vec![draft, booked, accepted, waiting],
            ),
        ];
        for acting in [world.acting.clone(), Acting::gateway()] {
            for (filter, expected) in &cases {
                let mut found = world.listed(&acting, filter).await;
                let mut expected = expected.clone();
                found.sort();
                expected.sort();
                assert_eq!(found, expected, "{filter:?}");
            }
        }
        let stranger = Acting { workspaces: Workspaces::Only(vec![WorkspaceId(99)]), ..world.acting.clone() };
        assert_eq!(world.listed(&stranger, &none()).await, []);
    }
}

#[tokio::test]
async fn pages_follow_each_other_without_a_gap_and_show_documents_whole() {
    for world in both().await {
        let [.., accepted, _] = world.stocked().await;
        let lists = world.gateway.lists();
        let (mut found, mut after): (Vec<Invoice>, _) = (Vec::new(), None);
        loop {
            let page = lists.page(&world.acting, &DocumentFilter::default(), after, 1).await.unwrap();
            after = page.end();
            found.extend(page.nodes);
            if !page.has_next {
                break;
            }
        }
        assert_eq!(found.len(), 4);
        assert!(found.is_sorted_by_key(|document| (document.created_at, document.id)));
        let ids: Vec<InvoiceId> = found.iter().map(|document| document.id).collect();
        let by_ids = lists.by_ids(&world.acting, &ids).await.unwrap();
        for document in found {
            assert_eq!(document, world.document(document.id).await);
            assert_eq!(Some(&document), by_ids.get(&document.id));
        }
        let timelines = lists.timelines(&world.acting, &[accepted]).await.unwrap();
        let kinds: Vec<&str> = timelines[&accepted].iter().map(|entry| entry.event.as_str()).collect();
        for kind in ["DocumentSaved", "DocumentIssuing", "DocumentIssued", "AcceptedByTaxAuthority"] {
            assert!(kinds.contains(&kind), "{kinds:?}");
        }
    }
}

#[tokio::test]
async fn a_copy_that_is_no_document_hides_none_behind_it() {
    for world in remote_worlds().await {
        world.stocked().await;
        world
            .sql(Sql::both(
                "UPDATE finance_document SET data = '{}' WHERE number IS NULL AND booking_id IS NULL",
            ))
            .await;
        let page =
            world.gateway.lists().page(&world.acting, &DocumentFilter::default(), None, 2).await.unwrap();
        assert_eq!((page.nodes.len(), page.has_next), (2, true));
        let rest = world.gateway.lists().page(&world.acting, &DocumentFilter::default(), page.end(), 2).await;
        let rest = rest.unwrap();
        assert_eq!((rest.nodes.len(), rest.has_next), (1, false));
    }
}
