//! The invoice data service with a clock that stands still, and nobody who follows up.

use async_trait::async_trait;
use gateway_domain::StoreError;
use gateway_domain::access::{Acting, Actor, Workspaces};
use gateway_domain::ids::{InvoiceId, WorkspaceId};
use gateway_domain::invoicing::Invoice;
use gateway_domain::ports::{Converter, Ids, Regimes};
use gateway_events::Events;
use gateway_invoicing::{Documents, FollowUps, Invoicing, Parts, StepError};
use gateway_storage::Tx;
use gateway_storage::testing::{self, RandomIds, TestClock, TestDb, samples};
use serde_json::{Value, json};
use std::sync::Arc;

/// No workspace of these tests sends anything to a tax authority.
#[derive(Debug)]
struct NoRegimes;

impl Regimes for NoRegimes {
    fn within(self: Arc<Self>, workspace: WorkspaceId) -> Arc<dyn Converter> {
        panic!("workspace {workspace} has no regime")
    }
}

#[derive(Debug)]
struct NoFollowUps;

#[async_trait]
impl FollowUps for NoFollowUps {
    async fn after_issue(&self, _: &mut Tx, _: &Invoice) -> Result<(), StepError> {
        Ok(())
    }

    async fn after_rejection(&self, _: &mut Tx, _: &Invoice) -> Result<(), StoreError> {
        Ok(())
    }
}

/// The service in a database of its own, with one workspace, and somebody who sees it.
pub(crate) struct World {
    pub(crate) db: TestDb,
    pub(crate) invoicing: Invoicing,
    pub(crate) workspace: WorkspaceId,
    pub(crate) acting: Acting,
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
        let documents = Documents::new(Parts {
            db: db.db().clone(),
            clock: clock.clone(),
            events: Events::new(db.db().clone(), clock, Arc::new(RandomIds)),
            regimes: Arc::new(NoRegimes),
        });
        let acting = Acting {
            workspaces: Workspaces::Only(vec![workspace]),
            actor: Actor("jane".to_owned()),
            request: None,
        };
        Self { db, invoicing: Invoicing::new(documents, Arc::new(NoFollowUps)), workspace, acting }
    }

    pub(crate) async fn draft(&self) -> InvoiceId {
        self.saved(json!({"workspace_id": self.workspace, "document_type": "invoice",
            "currency": "EUR", "prices_include_tax": false,
            "recipient": {"type": "company", "name": "Guest", "tax_number": "B1", "country": "ES"},
            "lines": [{"description": "Night", "quantity": "2", "unit_price": "10.00", "tax": {"category": "VAT", "rate": "10.0"}}]}))
            .await
    }

    /// A document that waits for the authority's verdict.
    pub(crate) async fn issuing(&self) -> InvoiceId {
        let id = self.draft().await;
        self.invoicing.begin_issuing(&self.acting, id, true, None, None).await.unwrap();
        id
    }

    pub(crate) async fn saved(&self, form: Value) -> InvoiceId {
        let id = InvoiceId(RandomIds.next());
        let form = serde_json::from_value(form).unwrap();
        self.invoicing.save(&self.acting, id, form, None).await.unwrap();
        id
    }
}
