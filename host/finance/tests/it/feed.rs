//! The event feed: complete, in order, each event handled once.

use crate::gateway::Gateway;
use crate::world::{World, here};
use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Workspaces};
use gateway_domain::ids::{BookingId, InvoiceId, WorkspaceId};
use gateway_domain::invoicing::DocumentFilter;
use gateway_domain::ports::{BusError, EventSink, Ids, OutgoingEvent, Subscription};
use gateway_domain_events::EventSelection;
use gateway_domain_input::document::DocumentForm;
use gateway_events::Round;
use gateway_read_models::{BookingDocuments, FinanceDocuments};
use gateway_storage::Sql;
use gateway_storage::finance_documents;
use gateway_storage::testing::RandomIds;
use gateway_webhooks::Fanout;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Every consumer, in the order in which they are registered.
pub(crate) const CONSUMERS: [&str; 3] = [FinanceDocuments::NAME, BookingDocuments::NAME, Fanout::NAME];

/// A round of the consumer of this name.
pub(crate) async fn consume(gateway: &Gateway, name: &str) -> Result<Round, StoreError> {
    let consumers = gateway.consumers();
    let consumer = consumers.all().find(|consumer| consumer.name() == name).unwrap();
    consumers.consume(consumer).await
}

impl World {
    /// Creates or edits a document of a booking.
    pub(crate) async fn bill(&self, id: InvoiceId, booking: Option<BookingId>, price: &str) {
        let form = self.form(booking, price);
        self.keeper.invoicing().save(&self.acting, id, form, None).await.unwrap();
    }

    pub(crate) fn form(&self, booking: Option<BookingId>, price: &str) -> DocumentForm {
        serde_json::from_value(json!({"workspace_id": self.workspace, "document_type": "invoice", "booking_id": booking,
            "currency": "EUR", "prices_include_tax": false,
            "recipient": {"type": "company", "name": "Guest", "tax_number": "B1", "country": "ES"},
            "lines": [{"description": "Night", "quantity": "2", "unit_price": price, "tax": {"category": "VAT", "rate": "10.0"}}]}))
        .unwrap()
    }

    /// Everything that happened is in the feed, and no consumer has seen it.
    pub(crate) async fn relayed(&self) {
        while self.gateway.feed().keep_next().await.unwrap().is_some() {}
        while self.gateway.events().relay().await.unwrap() > 0 {}
    }

    /// Every consumer has seen everything that happened.
    pub(crate) async fn settled(&self) {
        self.relayed().await;
        for consumer in CONSUMERS {
            while self.consumed(consumer).await > 0 {}
        }
    }

    /// How many events a round handled.
    pub(crate) async fn consumed(&self, consumer: &str) -> usize {
        match consume(&self.gateway, consumer).await.unwrap() {
            Round::Done { handled, .. } => handled,
            Round::Busy => 0,
        }
    }

    /// Runs a statement that no operation has.
    pub(crate) async fn sql(&self, sql: Sql) -> u64 {
        let mut tx = self.gateway.db().begin().await.unwrap();
        let rows = tx.execute(&sql, Vec::new()).await.unwrap();
        tx.commit().await.unwrap();
        rows
    }

    /// The finance document as finance shows it.
    pub(crate) async fn copy_of(&self, id: InvoiceId) -> Option<Value> {
        let copy_of = self.gateway.finance_document(&self.acting, id).await.unwrap();
        copy_of.map(|text| serde_json::from_str(&text).unwrap())
    }
}

/// Somebody who may see another workspace only.
pub(crate) fn stranger() -> Acting {
    Acting { workspaces: Workspaces::Only(vec![WorkspaceId(99)]), ..Acting::gateway() }
}

pub(crate) fn new_document_id() -> InvoiceId {
    InvoiceId(RandomIds.next())
}

#[tokio::test]
async fn every_change_of_a_document_is_told_once_and_in_order() {
    for world in here().await {
        let id = world.waiting().await;
        world.provider.rejects("3000", "no");
        world.notified(id).await;
        world.write(id, "12.00").await;
        world.issue(id).await.unwrap();
        world.work().await;
        world.provider.accepts();
        world.notified(id).await;
        world.relayed().await;
        let page =
            world.gateway.events().feed(&world.acting, EventSelection::Documents, 0, 500).await.unwrap();
        assert_eq!(page.next, i64::try_from(page.events.len()).unwrap());
        let of = |source: &str| -> Vec<_> {
            let of_source = page.events.iter().filter(|event| event.source == source);
            of_source.map(|event| (event.sequence, event.kind.clone())).collect()
        };
        let numbered =
            |kinds: &[&str]| (1..).zip(kinds.iter().map(|kind| (*kind).to_owned())).collect::<Vec<_>>();
        assert_eq!(
            of("/invoicing"),
            numbered(&[
                "DocumentSaved",
                "DocumentIssuing",
                "DocumentRejected",
                "DocumentSaved",
                "DocumentIssuing",
                "DocumentIssued"
            ])
        );
        assert_eq!(
            of("/finance"),
            numbered(&["Issuing", "RejectedByTaxAuthority", "Issuing", "AcceptedByTaxAuthority", "Issued"])
        );
        let version = world.document(id).await.version;
        assert_eq!(version, 6, "once per change");
    }
}

#[tokio::test]
async fn a_reader_who_follows_while_many_write_gets_every_event_once() {
    const WRITERS: usize = 8;
    const SAVES: i64 = 12;
    for world in here().await {
        let ids: Vec<_> = (0..WRITERS).map(|_| new_document_id()).collect();
        let writers: Vec<_> = ids
            .iter()
            .map(|id| {
                let (gateway, acting, id) = (world.gateway.clone(), world.acting.clone(), *id);
                let form = world.form(None, "10.00");
                tokio::spawn(async move {
                    for _ in 0..SAVES {
                        gateway.invoicing().save(&acting, id, form.clone(), None).await.unwrap();
                        gateway.events().relay().await.unwrap();
                    }
                })
            })
            .collect();
        let (mut after, mut read) = (0, Vec::new());
        let all = WRITERS * usize::try_from(SAVES).unwrap();
        while read.len() < all {
            world.gateway.events().relay().await.unwrap();
            let page = world
                .gateway
                .events()
                .feed(&world.acting, EventSelection::Documents, after, 7)
                .await
                .unwrap();
            assert!(page.next >= after);
            after = page.next;
            read.extend(page.events);
        }
        for writer in writers {
            writer.await.unwrap();
        }
        let positions: Vec<_> = read.iter().filter_map(|event| event.position).collect();
        assert_eq!(positions, (1..=i64::try_from(all).unwrap()).collect::<Vec<_>>());
        let mut sequences: BTreeMap<_, Vec<i64>> = BTreeMap::new();
        for event in &read {
            sequences.entry(event.subject).or_default().push(event.sequence);
        }
        assert_eq!(
            sequences.keys().copied().collect::<BTreeSet<_>>(),
            ids.into_iter().map(|id| id.0).collect()
        );
        assert!(sequences.values().all(|sequence| *sequence == (1..=SAVES).collect::<Vec<_>>()));
    }
}

#[tokio::test]
async fn a_reader_passes_over_what_belongs_to_others_once_and_for_all() {
    for world in here().await {
        for _ in 0..5 {
            world.draft().await;
        }
        world.relayed().await;
        let stranger = stranger();
        let page = world.gateway.events().feed(&stranger, EventSelection::Documents, 0, 2).await.unwrap();
        assert_eq!((page.events.len(), page.next), (0, 5), "what is not for the reader is not read again");
        let page = world.gateway.events().feed(&world.acting, EventSelection::Documents, 0, 2).await.unwrap();
        assert_eq!((page.events.len(), page.next), (2, 2));
        let page = world.gateway.events().feed(&world.acting, EventSelection::Documents, 5, 2).await.unwrap();
        assert_eq!((page.events.len(), page.next), (0, 5));
    }
}

#[tokio::test]
async fn replicas_of_a_consumer_handle_every_event_once() {
    for world in here().await {
        let saves = 120;
        let ids: Vec<_> = (0..6).map(|_| new_document_id()).collect();
        let replicas: Vec<_> = (0..4)
            .map(|_| {
                let gateway = world.gateway.clone();
                tokio::spawn(async move {
                    let mut count = 0;
                    loop {
                        gateway.events().relay().await.unwrap();
                        consume(&gateway, FinanceDocuments::NAME).await.unwrap();
                        match consume(&gateway, BookingDocuments::NAME).await.unwrap() {
                            Round::Done { position, handled } => {
                                count += handled;
                                if position >= saves {
                                    return count;
                                }
                            }
                            Round::Busy => {}
                        }
                        tokio::task::yield_now().await;
                    }
                })
            })
            .collect();
        let booking = BookingId(RandomIds.next());
        for n in 0..saves {
            world
                .bill(ids[usize::try_from(n).unwrap() % ids.len()], Some(booking), &format!("{}.00", n + 1))
                .await;
        }
        let mut handled = 0;
        for replica in replicas {
            handled += replica.await.unwrap();
        }
        assert_eq!(handled, usize::try_from(saves).unwrap(), "each event by one replica");
        world.settled().await;
        let documents = world.gateway.booking_documents(&world.acting, booking).await.unwrap();
        assert_eq!(documents.len(), ids.len());
        for document in documents {
            let invoice = world.document(document.document).await;
            assert_eq!(
                (document.version, document.payable),
                (invoice.version, invoice.totals.payable.to_string())
            );
            assert_eq!(world.copy_of(invoice.id).await.unwrap()["version"], json!(invoice.version));
        }
    }
}

#[tokio::test]
async fn a_process_that_dies_before_its_position_is_kept_has_done_nothing() {
    for world in here().await {
        let booking = BookingId(RandomIds.next());
        let id = new_document_id();
        world.bill(id, Some(booking), "10.00").await;
        world.relayed().await;
        // The last statement of the transaction fails, as if the process had died before it.
        for statement in DEATH {
            world.sql(statement).await;
        }
        for consumer in CONSUMERS {
            consume(&world.gateway, consumer).await.unwrap_err();
        }
        assert!(world.gateway.booking_documents(&world.acting, booking).await.unwrap().is_empty());
        world.sql(Sql { pg: "DROP TRIGGER death ON consumer", sqlite: "DROP TRIGGER death" }).await;
        world.settled().await;
        assert_eq!(world.gateway.booking_documents(&world.acting, booking).await.unwrap().len(), 1);
        for consumer in CONSUMERS {
            assert_eq!(world.consumed(consumer).await, 0);
        }
    }
}

const DEATH: [Sql; 2] = [
    Sql {
        pg: "CREATE FUNCTION death() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'dead'; END $$",
        sqlite: "SELECT 1",
    },
    Sql {
        pg: "CREATE TRIGGER death BEFORE UPDATE ON consumer FOR EACH ROW EXECUTE FUNCTION death()",
        sqlite: "CREATE TRIGGER death BEFORE UPDATE ON consumer BEGIN SELECT RAISE(ABORT, 'dead'); END",
    },
];

#[tokio::test]
async fn the_figures_tell_who_is_how_far_behind() {
    for world in here().await {
        for _ in 0..3 {
            world.draft().await;
        }
        let figures = world.gateway.consumers().stats().await.unwrap();
        assert_eq!((figures.not_relayed, figures.lags[0].1), (3, 0));
        world.relayed().await;
        let figures = world.gateway.consumers().stats().await.unwrap();
        assert_eq!(figures.not_relayed, 0);
        assert_eq!(figures.lags, [("finance-documents", 3), ("booking-documents", 3), ("webhooks", 3)]);
        world.settled().await;
        let figures = world.gateway.consumers().stats().await.unwrap();
        let finance = world.gateway.stats();
        assert!(figures.lags.iter().all(|(_, lag)| *lag == 0));
        assert_eq!((finance.syncs_failed, figures.unreadable, figures.bus_failures), (0, 0, 0));
    }
}

#[tokio::test]
async fn an_event_that_cannot_be_read_is_passed_over_and_counted() {
    for world in here().await {
        let (broken, sound) = (world.draft().await, world.draft().await);
        world.relayed().await;
        world.sql(Sql::both("UPDATE event SET data = 'rubbish' WHERE position = 1")).await;
        world.settled().await;
        assert_eq!(world.gateway.consumers().stats().await.unwrap().unreadable, 2, "once for each consumer");
        assert!(world.copy_of(broken).await.is_some(), "read through");
        assert_eq!(world.copy_of(sound).await.unwrap()["status"], "draft");
    }
}

/// A bus that is away: whoever subscribes waits, and hears nothing.
#[derive(Debug)]
struct SilentBus;

#[async_trait]
impl EventSink for SilentBus {
    fn cursor_name(&self) -> Option<&'static str> {
        None
    }

    async fn publish(&self, _: &[OutgoingEvent]) -> Result<(), BusError> {
        Ok(())
    }

    async fn subscribe(&self, _: &str) -> Result<Box<dyn Subscription>, BusError> {
        std::future::pending().await
    }
}

async fn is_copied(world: &World, id: InvoiceId) -> bool {
    finance_documents::find(world.gateway.db(), id, &world.acting.workspaces).await.unwrap().is_some()
}

#[tokio::test]
async fn consumers_read_the_log_while_the_bus_does_not_answer() {
    for world in here().await {
        let shutdown = CancellationToken::new();
        let running =
            world.gateway.consumers().clone().run(Arc::new(SilentBus), "owner".to_owned(), shutdown.clone());
        let running = tokio::spawn(running);
        for _ in 0..2 {
            let id = world.draft().await;
            // The copy itself: what finance shows is read through where a copy is missing.
            let copied = async {
                while !is_copied(&world, id).await {
                    tokio::task::yield_now().await;
                }
            };
            tokio::time::timeout(Duration::from_secs(20), copied).await.expect("it is read beside the bus");
        }
        shutdown.cancel();
        running.await.unwrap();
    }
}

#[tokio::test]
async fn who_follows_the_documents_misses_none_that_others_make_meanwhile() {
    for world in here().await {
        let (writers, each) = (8, 12);
        let mut making = tokio::task::JoinSet::new();
        for _ in 0..writers {
            let (keeper, acting, form) =
                (world.keeper.clone(), world.acting.clone(), world.form(None, "10.00"));
            making.spawn(async move {
                for _ in 0..each {
                    keeper.invoicing().save(&acting, new_document_id(), form.clone(), None).await.unwrap();
                }
            });
        }
        let (mut listed, mut after, mut last) = (Vec::new(), None, false);
        loop {
            while making.try_join_next().is_some() {}
            last = last || making.is_empty();
            let page = world
                .keeper
                .documents()
                .page(&world.acting, &DocumentFilter::default(), after, 5)
                .await
                .unwrap();
            listed.extend(page.nodes.iter().map(|document| document.id));
            after = page.end().or(after);
            if last && page.nodes.is_empty() {
                break;
            }
        }
        assert_eq!(listed.len(), writers * each);
        listed.sort_unstable();
        listed.dedup();
        assert_eq!(listed.len(), writers * each, "each once");
    }
}
