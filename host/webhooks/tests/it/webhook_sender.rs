//! A webhook sender that follows a script and keeps what it was given.

use async_trait::async_trait;
use gateway_outbound::UnknownName;
use gateway_webhooks::{WebhookRequest, WebhookResponse, WebhookSendError, WebhookSender};
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Mutex;
use tokio::sync::Notify;

/// What comes back.
pub(crate) type Answer = Result<WebhookResponse, WebhookSendError>;

#[derive(Debug, Default)]
pub(crate) struct ScriptedWebhookSender {
    /// By the beginning of the address; everything else arrives.
    answers: Mutex<HashMap<String, Answer>>,
    carried: Mutex<Vec<WebhookRequest>>,
    /// Notified of every request.
    requested: Notify,
    names: Mutex<HashMap<String, IpAddr>>,
}

/// An answer with a status and nothing else.
#[expect(clippy::unnecessary_wraps, reason = "an answer is what a webhook sender comes back with")]
pub(crate) fn status(status: u16) -> Answer {
    Ok(WebhookResponse { status, ..WebhookResponse::default() })
}

impl ScriptedWebhookSender {
    pub(crate) fn answers(&self, url: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(url.to_owned(), answer);
    }

    pub(crate) fn leads(&self, name: &str, address: &str) {
        self.names.lock().unwrap().insert(name.to_owned(), address.parse().unwrap());
    }

    /// What was carried since the last time, in order.
    pub(crate) fn carried(&self) -> Vec<WebhookRequest> {
        std::mem::take(&mut *self.carried.lock().unwrap())
    }

    /// Waits until something is carried that was not taken yet, and takes it.
    pub(crate) async fn until_carried(&self) -> Vec<WebhookRequest> {
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
impl WebhookSender for ScriptedWebhookSender {
    async fn deliver(&self, request: WebhookRequest) -> Answer {
        let url = request.target.to_string();
        self.carried.lock().unwrap().push(request);
        self.requested.notify_waiters();
        let answers = self.answers.lock().unwrap();
        let answer = answers.iter().find(|(beginning, _)| url.starts_with(beginning.as_str()));
        answer.map_or_else(|| status(204), |(_, answer)| answer.clone())
    }

    async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, WebhookSendError> {
        let found = self.names.lock().unwrap().get(name).copied();
        found.map(|address| vec![address]).ok_or(WebhookSendError::Unknown(UnknownName::NotFound))
    }
}
