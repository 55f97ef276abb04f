//! Webhooks out beside submissions: what is told of an invoice, and that neither holds up the other.

use crate::provider::Op;
use crate::world::{World, here};
use async_trait::async_trait;
use gateway_domain_finance::Stage;
use gateway_domain_platform::catalog::ProductGroupForm;
use gateway_domain_platform::webhooks::{DeliveryState, NoticeAccess};
use gateway_jobs::Pool;
use gateway_storage::webhooks;
use gateway_webhooks::{Endpoint, Fanout, WebhookRequest, WebhookResponse, WebhookSendError, WebhookSender};
use jiff::SignedDuration;
use serde_json::{Value, json};
use std::future;
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::Duration;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

const URL: &str = "https://hooks.example/";

/// What becomes of webhooks.
#[derive(Debug, Clone, Copy, Default)]
enum Answers {
    Status(u16),
    Hang,
    #[default]
    Arrive,
}

/// A webhook sender that keeps what it was given.
#[derive(Debug, Default)]
pub(crate) struct KeepingWebhookSender {
    answers: Mutex<Answers>,
    carried: Mutex<Vec<WebhookRequest>>,
    /// Notified of every request.
    requested: Notify,
}

impl KeepingWebhookSender {
    fn answers(&self, answers: Answers) {
        *self.answers.lock().unwrap() = answers;
    }

    /// What was carried since the last time, in order.
    fn carried(&self) -> Vec<WebhookRequest> {
        std::mem::take(&mut *self.carried.lock().unwrap())
    }

    /// Waits until something is carried that was not taken yet, and takes it.
    async fn until_carried(&self) -> Vec<WebhookRequest> {
        loop {
            let next_request = self.requested.notified();
            let carried = self.carried();
            if !carried.is_empty() {
                return carried;
            }
            next_request.await;
        }
    }
}

#[async_trait]
impl WebhookSender for KeepingWebhookSender {
    async fn deliver(&self, request: WebhookRequest) -> Result<WebhookResponse, WebhookSendError> {
        self.carried.lock().unwrap().push(request);
        self.requested.notify_waiters();
        let answers = *self.answers.lock().unwrap();
        match answers {
            Answers::Arrive => Ok(WebhookResponse { status: 204, ..WebhookResponse::default() }),
            Answers::Status(status) => Ok(WebhookResponse { status, ..WebhookResponse::default() }),
            Answers::Hang => future::pending().await,
        }
    }

    async fn look_up(&self, _: &str) -> Result<Vec<IpAddr>, WebhookSendError> {
        Err(WebhookSendError::TimedOut { seconds: 2 })
    }
}

impl World {
    async fn registered(&self) -> Endpoint {
        let events = (&[][..], NoticeAccess::Granted);
        self.gateway.webhooks().register(&self.acting, self.workspace, URL, events).await.unwrap().0
    }

    /// A change of the workspace that customers are told of.
    async fn changes(&self) {
        let form: ProductGroupForm = serde_json::from_value(json!({"workspace_id": self.workspace,
            "internal_reference": "A", "contract_earliest_start_date": "2026-09-01",
            "contract_latest_start_date": "2026-10-01", "contract_earliest_end_date": "2027-06-01",
            "contract_latest_end_date": "2027-08-31"}))
        .unwrap();
        self.gateway.platform().catalog.create_product_group(&self.acting, form).await.unwrap();
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
}

#[tokio::test]
async fn the_life_of_an_invoice_is_told_in_its_order() {
    for world in here().await {
        world.registered().await;
        let id = world.waiting().await;
        world.provider.rejects("3000", "no");
        world.notified(id).await;
        world.write(id, "12.00").await;
        world.issue(id).await.unwrap();
        world.work().await;
        world.provider.accepts();
        world.notified(id).await;
        world.fanned_out().await;
        world.delivered().await;
        let mut deliveries_of: Vec<Value> = world
            .webhook_sender
            .carried()
            .iter()
            .map(|request| serde_json::from_str(&request.body).unwrap())
            .collect();
        deliveries_of.sort_by_key(|body| body["data"]["sequence"].as_i64());
        let deliveries_of: Vec<_> = deliveries_of
            .iter()
            .map(|body| (body["type"].as_str().unwrap(), body["data"]["status"].as_str().unwrap()))
            .collect();
        assert_eq!(
            deliveries_of,
            [
                ("invoice.issuing", "issuing"),
                ("invoice.rejected", "rejected"),
                ("invoice.issuing", "issuing"),
                ("invoice.issued", "issued"),
                ("invoice.accepted", "issued"),
            ]
        );
    }
}

#[tokio::test]
async fn what_was_put_off_while_the_clock_was_ahead_is_sent_when_it_is_back() {
    const AHEAD: i64 = 400 * 86_400;
    for world in here().await {
        let endpoint = world.registered().await;
        world.pass(AHEAD);
        world.webhook_sender.answers(Answers::Status(503));
        world.changes().await;
        world.fanned_out().await;
        assert_eq!(world.delivered().await, 1);
        world.pass(-AHEAD);
        assert_eq!(world.delivered().await, 0, "due in a year");
        assert_eq!(world.gateway.watchdog().watch("one").await.unwrap().unwrap().recalled, 1);
        world.webhook_sender.answers(Answers::Status(200));
        assert_eq!(world.delivered().await, 1);
        let log = world.gateway.webhooks().deliveries(&world.acting.workspaces, endpoint.id, None, 100, 0);
        let states: Vec<_> =
            log.await.unwrap().nodes.iter().map(|one| (one.state, one.attempts.len())).collect();
        assert_eq!(states, [(DeliveryState::Delivered, 2)]);
        assert_eq!(world.gateway.watchdog().watch("one").await.unwrap().unwrap().recalled, 0);
    }
}

#[tokio::test]
async fn an_endpoint_that_hangs_holds_up_no_submission_and_is_given_back_when_the_process_stops() {
    let runs = here().await.into_iter().map(|world| async move {
        let endpoint = world.registered().await;
        world.webhook_sender.answers(Answers::Hang);
        world.changes().await;
        world.fanned_out().await;
        let shutdown = CancellationToken::new();
        let dispatcher = world.gateway.webhooks().dispatcher().unwrap();
        let pool = Pool::new(world.db.db().clone()).with(world.gateway.job_queue().clone()).with(dispatcher);
        let running = tokio::spawn(pool.run("one".to_owned(), shutdown.clone()));
        world.webhook_sender.until_carried().await;
        let id = world.draft().await;
        world.issue(id).await.unwrap();
        let submitted = world.provider.until_called(Op::PutJob);
        tokio::time::timeout(Duration::from_secs(20), submitted).await.expect("it is submitted meanwhile");
        let claim = || {
            let (db, now) = (world.db.db(), world.gateway.now());
            webhooks::claim(db, "two", now, SignedDuration::from_secs(60), 9)
        };
        assert_eq!(claim().await.unwrap(), [], "another process leaves it alone");
        shutdown.cancel();
        running.await.unwrap();
        assert_eq!(world.submission(id).await.submission.stage(), Stage::Waiting);
        let claimed: Vec<_> = claim().await.unwrap().into_iter().map(|endpoint| endpoint.id).collect();
        assert_eq!(claimed, [endpoint.id], "it goes on at once");
    });
    futures::future::join_all(runs).await;
}
