//! Booking documents read model: as specified, and the same when it is built again.

use crate::feed::{CONSUMERS, consume};
use crate::feed::{new_document_id, stranger};
use crate::world::{World, both};
use gateway_domain::ids::{BookingId, InvoiceId};
use gateway_domain::invoicing::Status;
use gateway_domain::ports::Ids;
use gateway_domain_finance::BookingDocument;
use gateway_storage::Sql;
use gateway_storage::testing::RandomIds;

const MODELS: [Sql; 2] = [
    Sql::both(
        "SELECT CAST(document_id AS TEXT) || ' ' || workspace_id || ' ' || CAST(created_at AS TEXT) || ' ' || version
            || ' ' || COALESCE(data, '-') || ' ' || CAST(updated_at AS TEXT)
        FROM finance_document ORDER BY document_id",
    ),
    Sql::both(
        "SELECT CAST(document_id AS TEXT) || ' ' || workspace_id || ' ' || COALESCE(CAST(booking_id AS TEXT), '-') || ' '
            || document_type || ' ' || status || ' ' || COALESCE(number, '-') || ' ' || COALESCE(issue_date, '-') || ' '
            || currency || ' ' || payable || ' ' || COALESCE(CAST(issuing_started_at AS TEXT), '-') || ' '
            || COALESCE(CAST(issued_at AS TEXT), '-') || ' '
            || COALESCE(CAST(rejected_by_tax_authority_at AS TEXT), '-') || ' '
            || COALESCE(rejected_by_tax_authority_reason, '-') || ' ' || version || ' ' || CAST(created_at AS TEXT) || ' '
            || CAST(updated_at AS TEXT)
        FROM booking_document ORDER BY document_id",
    ),
];

impl World {
    async fn one_of(&self, booking: BookingId) -> BookingDocument {
        self.settled().await;
        let mut documents = self.gateway.booking_documents(&self.acting, booking).await.unwrap();
        assert_eq!(documents.len(), 1);
        documents.remove(0)
    }

    /// Everything that consumers keep, as text.
    async fn models(&self) -> Vec<String> {
        let mut rows = Vec::new();
        for model in &MODELS {
            let found: Vec<(String,)> = self.gateway.db().fetch_all(model, Vec::new()).await.unwrap();
            rows.extend(found.into_iter().map(|(row,)| row));
        }
        rows
    }
}

fn fresh_booking() -> BookingId {
    BookingId(RandomIds.next())
}

#[tokio::test]
async fn issuing_sets_its_start_rejection_replaces_it_and_acceptance_clears_both() {
    for world in both().await {
        let (id, booking) = (new_document_id(), fresh_booking());
        world.bill(id, Some(booking), "10.00").await;
        let draft = world.one_of(booking).await;
        assert_eq!((draft.status, draft.number, draft.issuing_started_at), (Status::Draft, None, None));

        world.pass(10);
        let issuing_at = world.gateway.now();
        world.issue(id).await.unwrap();
        let issuing = world.one_of(booking).await;
        assert_eq!((issuing.status, issuing.issuing_started_at), (Status::Issuing, Some(issuing_at)));
        assert_eq!(issuing.rejected_by_tax_authority, None);
        assert_eq!(issuing.payable, "22.00");

        world.work().await;
        world.provider.rejects("3000", "unknown NIF");
        world.pass(10);
        let rejected_at = world.gateway.now();
        world.notified(id).await;
        let rejected = world.one_of(booking).await;
        assert_eq!((rejected.status, rejected.issuing_started_at), (Status::Rejected, None));
        let (at, reason) = rejected.rejected_by_tax_authority.clone().unwrap();
        assert_eq!(at, rejected_at);
        assert!(reason.contains("unknown NIF"), "{reason}");

        world.pass(10);
        world.bill(id, Some(booking), "11.00").await;
        let edited = world.one_of(booking).await;
        assert_eq!(edited.rejected_by_tax_authority, rejected.rejected_by_tax_authority, "edited in place");
        assert_eq!(edited.payable, "24.20");

        world.issue(id).await.unwrap();
        let again = world.one_of(booking).await;
        assert_eq!((again.status, again.rejected_by_tax_authority), (Status::Issuing, None));
        assert!(again.issuing_started_at.is_some());
        assert_ne!(again.number, issuing.number);

        world.work().await;
        world.provider.accepts();
        world.notified(id).await;
        let issued = world.one_of(booking).await;
        assert_eq!((issued.status, issued.issuing_started_at), (Status::Issued, None));
        assert_eq!(issued.rejected_by_tax_authority, None);
        assert!(issued.issued_at.is_some());
    }
}

#[tokio::test]
async fn a_document_follows_its_booking_and_leaves_with_its_deletion() {
    for world in both().await {
        let (id, first, second) = (new_document_id(), fresh_booking(), fresh_booking());
        world.bill(id, Some(first), "10.00").await;
        world.settled().await;
        world.bill(id, Some(second), "10.00").await;
        assert_eq!(world.one_of(second).await.document, id);
        assert!(world.gateway.booking_documents(&world.acting, first).await.unwrap().is_empty());
        world.keeper.invoicing().delete(&world.acting, id, None).await.unwrap();
        world.settled().await;
        assert!(world.gateway.booking_documents(&world.acting, second).await.unwrap().is_empty());
    }
}

#[tokio::test]
async fn the_documents_of_another_workspace_do_not_exist() {
    for world in both().await {
        let booking = fresh_booking();
        world.bill(new_document_id(), Some(booking), "10.00").await;
        world.settled().await;
        let stranger = stranger();
        assert!(world.gateway.booking_documents(&stranger, booking).await.unwrap().is_empty());
    }
}

/// Small, and the same in every run of a seed.
struct Dice(u64);

impl Dice {
    fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % sides as u64).unwrap()
    }
}

/// Does something that may or may not be allowed; what is refused changes nothing.
async fn something_happens(world: &World, dice: &mut Dice, ids: &[InvoiceId], bookings: &[BookingId]) {
    let id = ids[dice.throw(ids.len())];
    let booking = bookings.get(dice.throw(bookings.len() + 1)).copied();
    world.pass(1);
    match dice.throw(10) {
        0..=2 => {
            let form = world.form(booking, &format!("{}.00", dice.throw(90) + 10));
            drop(world.keeper.invoicing().save(&world.acting, id, form, None).await);
        }
        3 => drop(world.keeper.invoicing().delete(&world.acting, id, None).await),
        4..=5 => drop(world.issue(id).await),
        6 => {
            world.provider.accepts();
            world.pass(60);
            world.work().await;
        }
        7 => {
            world.provider.rejects("3000", "no");
            world.pass(60);
            world.work().await;
        }
        8 => drop(world.keeper.invoicing().begin_issuing(&world.acting, id, false, None, None).await),
        _ => drop(world.keeper.invoicing().reject(&world.acting, id, "by hand".to_owned()).await),
    }
    match dice.throw(4) {
        0 => drop(world.gateway.events().relay().await.unwrap()),
        1 => drop(world.consumed(CONSUMERS[dice.throw(2)]).await),
        _ => {}
    }
}

#[tokio::test]
async fn what_is_built_again_is_what_was_kept_up_to_date_after_any_flow() {
    for seed in 1..=4_u64 {
        for world in both().await {
            let mut dice = Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let ids: Vec<_> = (0..60).map(|_| new_document_id()).collect();
            let bookings: Vec<_> = (0..5).map(|_| fresh_booking()).collect();
            for _ in 0..150 {
                something_happens(&world, &mut dice, &ids, &bookings).await;
            }
            world.settled().await;
            let kept = world.models().await;
            assert!(kept.len() > 20, "seed {seed}: {} rows", kept.len());
            world.gateway.consumers().rebuild_read_models().await.unwrap();
            assert_eq!(world.models().await, kept, "seed {seed}, built again from sound rows");
            // Wrong rows, rows too many and rows too few.
            world.sql(Sql::both("UPDATE booking_document SET version = 99, booking_id = NULL")).await;
            world.sql(Sql::both("UPDATE finance_document SET data = '{}', version = 99")).await;
            world
                .sql(Sql::both("DELETE FROM finance_document WHERE workspace_id = 1 AND data IS NULL"))
                .await;
            let bogus = Sql {
                pg: "INSERT INTO finance_document (document_id, workspace_id, created_at, version, updated_at)
                    VALUES ('ffffffff-ffff-ffff-ffff-ffffffffffff', 1, now(), 1, now())",
                sqlite: "INSERT INTO finance_document (document_id, workspace_id, created_at, version, updated_at)
                    VALUES ('ffffffff-ffff-ffff-ffff-ffffffffffff', 1, '2026-11-20T00:00:00.000000Z', 1, '2026-11-20T00:00:00.000000Z')",
            };
            world.sql(bogus).await;
            let rebuilt = world.gateway.consumers().rebuild_read_models().await.unwrap();
            assert_eq!(world.models().await, kept, "seed {seed}, built again from broken rows");
            assert!(rebuilt.iter().all(|model| model.events > 0 && model.documents > 20));
        }
    }
}

#[tokio::test]
async fn building_again_beside_writers_and_consumers_loses_nothing() {
    for world in both().await {
        let booking = fresh_booking();
        let ids: Vec<_> = (0..70).map(|_| new_document_id()).collect();
        for id in &ids {
            world.bill(*id, Some(booking), "10.00").await;
        }
        world.settled().await;
        let (gateway, keeper) = (world.gateway.clone(), world.keeper.clone());
        let (acting, form) = (world.acting.clone(), world.form(Some(booking), "11.00"));
        let writing = tokio::spawn({
            let ids = ids.clone();
            async move {
                for id in ids.iter().rev() {
                    keeper.invoicing().save(&acting, *id, form.clone(), None).await.unwrap();
                    gateway.feed().keep_next().await.unwrap();
                    gateway.events().relay().await.unwrap();
                    for consumer in CONSUMERS {
                        consume(&gateway, consumer).await.unwrap();
                    }
                }
            }
        });
        while !writing.is_finished() {
            world.gateway.consumers().rebuild_read_models().await.unwrap();
            let visible = world.gateway.booking_documents(&world.acting, booking).await.unwrap();
            assert_eq!(visible.len(), ids.len(), "nobody sees the model without a document");
        }
        writing.await.unwrap();
        world.settled().await;
        let documents = world.gateway.booking_documents(&world.acting, booking).await.unwrap();
        assert!(documents.iter().all(|document| document.version == 2 && document.payable == "24.20"));
        let kept = world.models().await;
        world.gateway.consumers().rebuild_read_models().await.unwrap();
        assert_eq!(world.models().await, kept);
    }
}
