//! Webhooks with a clock that stands still and a webhook sender that follows a script.

use crate::webhook_sender::ScriptedWebhookSender;
use gateway_access::secrets::Keyring;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::{ProductGroupId, WebhookId, WorkspaceId};
use gateway_domain::ports::{Clock, Ids};
use gateway_domain_events::EventSelection;
use gateway_domain_events::notices::NoticeEvent;
use gateway_domain_platform::catalog::ProductGroupForm;
use gateway_domain_platform::changes;
use gateway_domain_platform::webhooks::{How, NoticeAccess};
use gateway_events::{Consumers, Events, Round, Source};
use gateway_storage::testing::{self, RandomIds, TestClock, TestDb, samples};
use gateway_webhooks::{Delivery, Endpoint, Parts, WebhookSettings, Webhooks};
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use serde_json::json;
use std::sync::Arc;

pub(crate) const URL: &str = "https://hooks.example/";

/// The webhooks of one workspace in a database of its own, and somebody who sees it.
pub(crate) struct World {
    pub(crate) db: TestDb,
    pub(crate) webhooks: Webhooks,
    pub(crate) webhook_sender: Arc<ScriptedWebhookSender>,
    pub(crate) workspace: WorkspaceId,
    pub(crate) acting: Acting,
    pub(crate) clock: Arc<TestClock>,
    events: Events,
}

/// The same test on both databases.
pub(crate) async fn here() -> Vec<World> {
    let mut worlds = Vec::new();
    for db in testing::both().await {
        worlds.push(World::on(db).await);
    }
    worlds
}

/// Somebody who may see another workspace only.
pub(crate) fn stranger() -> Acting {
    Acting { workspaces: Workspaces::Only(vec![WorkspaceId(99)]), ..Acting::gateway() }
}

impl World {
    async fn on(db: TestDb) -> Self {
        let workspace = WorkspaceId(1);
        samples::stored_workspace(db.db(), workspace.0).await;
        let clock = Arc::new(TestClock::at(samples::at(3600)));
        let webhook_sender = Arc::new(ScriptedWebhookSender::default());
        let webhooks = Webhooks::new(Parts {
            db: db.db().clone(),
            clock: clock.clone(),
            ids: Arc::new(RandomIds),
            keyring: Arc::new(Keyring::ephemeral().unwrap()),
            webhook_sender: Some(webhook_sender.clone()),
            settings: WebhookSettings::default(),
        });
        let events = Events::new(db.db().clone(), clock.clone(), Arc::new(RandomIds));
        let acting = Acting {
            workspaces: Workspaces::Only(vec![workspace]),
            actor: Actor("jane".to_owned()),
            request: None,
        };
        Self { db, webhooks, webhook_sender, workspace, acting, clock, events }
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    pub(crate) fn pass(&self, seconds: i64) {
        self.clock.advance(SignedDuration::from_secs(seconds));
    }

    pub(crate) async fn registered(&self, url: &str, events: &[&str]) -> (Endpoint, SecretString) {
        let events: Vec<String> = events.iter().map(|event| (*event).to_owned()).collect();
        let events = (events.as_slice(), NoticeAccess::Granted);
        self.webhooks.register(&self.acting, self.workspace, url, events).await.unwrap()
    }

    /// A change of the workspace that customers are told of.
    pub(crate) async fn changes(&self) -> ProductGroupId {
        let form: ProductGroupForm = serde_json::from_value(json!({"workspace_id": self.workspace,
            "internal_reference": "A", "contract_earliest_start_date": "2026-09-01",
            "contract_latest_start_date": "2026-10-01", "contract_earliest_end_date": "2027-06-01",
            "contract_latest_end_date": "2027-08-31"}))
        .unwrap();
        let group = form.check(ProductGroupId(RandomIds.next())).unwrap();
        let mut tx = self.db.begin().await.unwrap();
        let change = changes::product_group(&group, How::Created);
        self.events.append_changes(&mut tx, &self.acting.actor, &[change]).await.unwrap();
        tx.commit().await.unwrap();
        group.id
    }

    /// The notices that were written down, the oldest first.
    pub(crate) async fn notices(&self) -> Vec<NoticeEvent> {
        self.relayed().await;
        let selection = EventSelection::Source(Source::Notices.as_str());
        let page = self.events.feed(&self.acting, selection, 0, 100).await.unwrap();
        page.events.iter().filter_map(|event| gateway_events::notice(event).unwrap()).collect()
    }

    /// Everything that happened is in the feed.
    pub(crate) async fn relayed(&self) {
        while self.events.relay().await.unwrap() > 0 {}
    }

    /// Everything that happened is waiting to be sent.
    pub(crate) async fn fanned_out(&self) {
        self.relayed().await;
        let (consumers, fanout) = (Consumers::new(self.events.clone(), []), self.webhooks.fanout());
        while !matches!(consumers.consume(&fanout).await.unwrap(), Round::Done { handled: 0, .. }) {}
    }

    /// Sends until nothing is due; says how many endpoints were looked after.
    pub(crate) async fn delivered(&self) -> usize {
        let mut all = 0;
        loop {
            match self.webhooks.deliver_due("me").await.unwrap() {
                0 => return all,
                count => all += count,
            }
        }
    }

    pub(crate) async fn deliveries_of(&self, id: WebhookId) -> Vec<Delivery> {
        let log = self.webhooks.deliveries(&self.acting.workspaces, id, None, 100, 0).await.unwrap();
        assert_eq!(log.total, i64::try_from(log.nodes.len()).unwrap());
        log.nodes
    }

    pub(crate) async fn endpoint(&self, id: WebhookId) -> Endpoint {
        self.webhooks.find(&self.acting, id).await.unwrap()
    }
}
