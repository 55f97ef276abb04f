//! Webhooks out: registered, told, tried again, given up, switched on again, replayed.

mod delivering;
mod pooling;
mod registering;
mod replaying;

use crate::world::World;
use gateway_domain::ids::{ProductGroupId, WebhookId};
use gateway_domain_platform::catalog::ProductGroupForm;
use gateway_webhooks::Fanout;
use gateway_webhooks::{Delivery, Endpoint};
use secrecy::SecretString;
use serde_json::json;

const URL: &str = "https://hooks.example/";

impl World {
    async fn registered(&self, url: &str, events: &[&str]) -> (Endpoint, SecretString) {
        let events: Vec<String> = events.iter().map(|event| (*event).to_owned()).collect();
        self.gateway.webhooks().register(&self.acting, self.workspace, url, &events).await.unwrap()
    }

    /// A change of the workspace that customers are told of.
    async fn changes(&self) -> ProductGroupId {
        let form: ProductGroupForm = serde_json::from_value(json!({"workspace_id": self.workspace,
            "internal_reference": "A", "contract_earliest_start_date": "2026-09-01",
            "contract_latest_start_date": "2026-10-01", "contract_earliest_end_date": "2027-06-01",
            "contract_latest_end_date": "2027-08-31"}))
        .unwrap();
        self.gateway.platform().create_product_group(&self.acting, form).await.unwrap().id
    }

    /// Everything that happened is waiting to be sent.
    async fn fanned_out(&self) {
        self.relayed().await;
        while self.consumed(Fanout::NAME).await > 0 {}
    }

    /// Sends until nothing is due; says how many endpoints were looked after.
    async fn delivered(&self) -> usize {
        let mut all = 0;
        loop {
            match self.gateway.webhooks().deliver_due("me").await.unwrap() {
                0 => return all,
                count => all += count,
            }
        }
    }

    async fn deliveries_of(&self, id: WebhookId) -> Vec<Delivery> {
        let log =
            self.gateway.webhooks().deliveries(&self.acting, self.workspace, id, None, 100, 0).await.unwrap();
        assert_eq!(log.total, i64::try_from(log.nodes.len()).unwrap());
        log.nodes
    }

    async fn endpoint(&self, id: WebhookId) -> Endpoint {
        self.gateway.webhooks().find(&self.acting, self.workspace, id).await.unwrap()
    }
}
