//! Clients that do not know that anything is wrong: they write, issue, mend what was rejected, credit, give verdicts by
//! hand, and repeat a request that got no answer. They remember what they were told.

use super::Until;
use super::random::Random;
use super::replicas::Addresses;
use crate::api::{Answer, Api};
use crate::credentials::Credentials;
use crate::document::{Document, line};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// What clients were told, and what they did that no flow does.
#[derive(Debug, Clone, Default)]
pub(super) struct ClientLog {
    /// Documents whose making was confirmed.
    pub(super) saved: BTreeSet<String>,
    /// Documents somebody tried to delete.
    pub(super) deleted: BTreeSet<String>,
    /// Numbers that were confirmed, with their documents.
    pub(super) numbers: BTreeSet<(String, String)>,
    /// Documents that got a verdict by hand, or calls without finance.
    pub(super) by_hand: BTreeSet<String>,
    /// Documents moved by the invoice data service's own calls.
    pub(super) direct: BTreeSet<String>,
    /// Credit notes that were asked for, by original: how many.
    pub(super) credits: BTreeMap<String, u64>,
    /// Credit notes that were confirmed.
    pub(super) credited: BTreeSet<String>,
    /// Answers that nobody should get.
    pub(super) failures: Vec<String>,
    pub(super) commands: u64,
    pub(super) unanswered: u64,
    pub(super) resubmissions: u64,
}

/// Clients share what they were told.
pub(super) type Memory = Arc<Mutex<ClientLog>>;

pub(super) fn locked(memory: &Memory) -> MutexGuard<'_, ClientLog> {
    memory.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Workspaces of a run.
#[derive(Debug, Clone, Copy)]
pub(super) struct Targets {
    /// Sends its invoices to the authority.
    pub(super) configured: i64,
    /// Does not.
    pub(super) standard: i64,
}

pub(super) struct Client {
    random: Random,
    addresses: Addresses,
    credentials: Credentials,
    token: String,
    places: Targets,
    memory: Memory,
    until: Until,
}

/// Longest a client follows one document.
const TIMEOUT: Duration = Duration::from_secs(12);

impl Client {
    pub(super) fn new(
        random: Random,
        addresses: Addresses,
        credentials: Credentials,
        places: Targets,
        memory: Memory,
        until: Until,
    ) -> Self {
        Self { random, addresses, credentials, token: String::new(), places, memory, until }
    }

    /// Works until it is enough.
    pub(super) async fn work(mut self) {
        while !self.until.is_over() {
            // Nothing when the time is up in the middle of it.
            let _ = self.some_document().await;
            tokio::time::sleep(self.random.between(0, 60)).await;
        }
    }

    async fn some_document(&mut self) -> Option<()> {
        match self.random.below(100) {
            0..50 => {
                let uuid = self.draft(self.places.configured).await?;
                self.issue_and_mend(&uuid).await
            }
            50..60 => self.verdict_by_hand().await,
            60..68 => self.without_finance().await,
            68..74 => {
                let uuid = self.draft(self.places.configured).await?;
                locked(&self.memory).deleted.insert(uuid.clone());
                self.call("DELETE", &document_path(&uuid), None, None).await.map(drop)
            }
            74..82 => {
                let uuid = self.draft(self.places.standard).await?;
                self.issue(&uuid).await.map(drop)
            }
            82..95 => self.credit().await,
            _ => self.twice_at_once().await,
        }
    }

    async fn draft(&mut self, workspace: i64) -> Option<String> {
        let uuid = self.random.uuid();
        self.save(&uuid, workspace).await?;
        locked(&self.memory).saved.insert(uuid.clone());
        Some(uuid)
    }

    async fn save(&mut self, uuid: &str, workspace: i64) -> Option<Answer> {
        let price = format!("{}.{:02}", 1 + self.random.below(900), self.random.below(100));
        let quantity = (1 + self.random.below(5)).to_string();
        let lines = json!([line("Studio, 1 night", &quantity, &price, "10.0")]);
        let document = Document::of(workspace).with("lines", lines);
        self.call("PUT", &document_path(uuid), Some(document.json().clone()), None).await
    }

    /// The issue command, whose repetition under the same key is answered alike.
    async fn issue(&mut self, uuid: &str) -> Option<Answer> {
        let key = self.random.uuid();
        let answer = self.command(uuid, "issue", json!({}), Some(&key)).await?;
        self.remember_number(&answer, uuid);
        Some(answer)
    }

    fn remember_number(&self, answer: &Answer, uuid: &str) {
        if answer.status != 200 {
            return;
        }
        let body = answer.json();
        let document = body.get("document").unwrap_or(&body);
        if let Some(number) = document.get("display_invoice_number").and_then(Value::as_str)
            && document.get("uuid").and_then(Value::as_str) == Some(uuid)
        {
            locked(&self.memory).numbers.insert((uuid.to_owned(), number.to_owned()));
        }
    }

    /// Issues, and edits and issues again as long as the authority refuses.
    async fn issue_and_mend(&mut self, uuid: &str) -> Option<()> {
        for _ in 0..4 {
            self.issue(uuid).await?;
            let status = self.follow(uuid).await?;
            if status != "rejected" {
                return Some(());
            }
            self.save(uuid, self.places.configured).await?;
            locked(&self.memory).resubmissions += 1;
        }
        Some(())
    }

    /// The status in which the document comes to rest.
    async fn follow(&mut self, uuid: &str) -> Option<String> {
        let end = (Instant::now() + TIMEOUT).min(self.until.at());
        loop {
            let answer = self.call("GET", &document_path(uuid), None, None).await?;
            let status = answer.json().get("status").and_then(Value::as_str).unwrap_or_default().to_owned();
            if status != "issuing" {
                return Some(status);
            }
            if Instant::now() >= end {
                return None;
            }
            tokio::time::sleep(Duration::from_millis(80)).await;
        }
    }

    async fn verdict_by_hand(&mut self) -> Option<()> {
        let uuid = self.draft(self.places.configured).await?;
        locked(&self.memory).by_hand.insert(uuid.clone());
        self.issue(&uuid).await?;
        tokio::time::sleep(self.random.between(0, 700)).await;
        let (command, body) = if self.random.chance(500) {
            (
                "mark_as_accepted_by_tax_authority",
                json!({"qr_url": "https://by.hand", "tax_system_hash": null}),
            )
        } else {
            ("mark_as_rejected_by_tax_authority", json!({"reason": "by hand"}))
        };
        let key = self.random.uuid();
        self.command(&uuid, command, body, Some(&key)).await.map(drop)
    }

    /// The calls of the invoice data service, as somebody else's finance service makes them.
    async fn without_finance(&mut self) -> Option<()> {
        let uuid = self.draft(self.places.configured).await?;
        {
            let mut client_log = locked(&self.memory);
            client_log.direct.insert(uuid.clone());
            client_log.by_hand.insert(uuid.clone());
        }
        let path = |call: &str| format!("{}/{call}", document_path(&uuid));
        let key = self.random.uuid();
        let answer = self.call("PUT", &path("issuing"), None, Some(&key)).await?;
        self.remember_number(&answer, &uuid);
        tokio::time::sleep(self.random.between(0, 200)).await;
        let end = if self.random.chance(500) { "issue" } else { "reject" };
        if self.random.chance(200) {
            // Left alone: somebody has to be told.
            return Some(());
        }
        let key = self.random.uuid();
        self.call("PUT", &path(end), None, Some(&key)).await.map(drop)
    }

    async fn credit(&mut self) -> Option<()> {
        let place = if self.random.chance(500) { self.places.configured } else { self.places.standard };
        let uuid = self.draft(place).await?;
        self.issue(&uuid).await?;
        if self.follow(&uuid).await? != "issued" {
            return Some(());
        }
        let reverse = self.random.chance(300);
        let (command, key) = (if reverse { "reverse" } else { "credit" }, self.random.uuid());
        *locked(&self.memory).credits.entry(uuid.clone()).or_default() += 1;
        let invoice = self.call("GET", &document_path(&uuid), None, None).await?;
        let body = json!({"at": invoice.json().get("issued_at")});
        let answer = self.command(&uuid, command, body, Some(&key)).await?;
        let note = answer.json().pointer("/document/uuid").and_then(Value::as_str).map(str::to_owned);
        let note = note.filter(|note| answer.status == 200 && *note != uuid)?;
        locked(&self.memory).credited.insert(note.clone());
        if reverse {
            return Some(());
        }
        self.issue(&note).await.map(drop)
    }

    /// Two commands for one document, through different processes if there are.
    async fn twice_at_once(&mut self) -> Option<()> {
        let uuid = self.draft(self.places.configured).await?;
        let mut other = Self {
            random: self.random.branch("other", 1),
            addresses: self.addresses.clone(),
            credentials: self.credentials.clone(),
            token: self.token.clone(),
            memory: Arc::clone(&self.memory),
            until: self.until.clone(),
            ..*self
        };
        let (one, two) = tokio::join!(self.issue(&uuid), other.issue(&uuid));
        one.or(two).map(drop)
    }

    async fn command(&mut self, uuid: &str, name: &str, body: Value, key: Option<&str>) -> Option<Answer> {
        locked(&self.memory).commands += 1;
        self.call("POST", &format!("/finance/rpc/documents/{uuid}/commands/{name}"), Some(body), key).await
    }

    /// A request that is repeated until somebody answers; none when the time is up.
    pub(super) async fn call(
        &mut self,
        method: &str,
        path: &str,
        body: Option<Value>,
        key: Option<&str>,
    ) -> Option<Answer> {
        let end = self.until.at() + Duration::from_secs(3);
        while Instant::now() < end {
            let internal = self.addresses.internal();
            if let Some(base) = self.random.pick(&internal).cloned()
                && let Some(answer) = self.try_call(&base, method, path, body.as_ref(), key).await
            {
                return Some(answer);
            }
            tokio::time::sleep(Duration::from_millis(60)).await;
        }
        None
    }

    async fn try_call(
        &mut self,
        base: &str,
        method: &str,
        path: &str,
        body: Option<&Value>,
        key: Option<&str>,
    ) -> Option<Answer> {
        if self.token.is_empty() {
            let grant = json!({"grant_type": "client_credentials", "client_id": self.credentials.id,
                "client_secret": self.credentials.secret});
            let bytes = Some(grant.to_string().into_bytes());
            let answer = Api::new(base).try_send("POST", "/v1/oauth2/token", &[JSON], bytes).await.ok()?;
            let token = answer.json().get("access_token").and_then(Value::as_str).map(str::to_owned);
            self.token = token?;
        }
        let mut headers = Vec::new();
        headers.extend(body.map(|_| JSON));
        headers.extend(key.map(|key| ("idempotency-key", key)));
        let api = Api::new(base).with_token(&self.token);
        let bytes = body.map(|body| body.to_string().into_bytes());
        let Ok(answer) = api.try_send(method, path, &headers, bytes).await else {
            locked(&self.memory).unanswered += 1;
            return None;
        };
        match answer.status {
            401 => {
                self.token.clear();
                None
            }
            // The same key is carried out at this moment by a process that has not ended yet.
            409 => None,
            500.. => {
                let failure = format!("{method} {path} answered {} {}", answer.status, answer.text);
                locked(&self.memory).failures.push(failure);
                None
            }
            _ => Some(answer),
        }
    }
}

const JSON: (&str, &str) = ("content-type", "application/json");

pub(super) fn document_path(uuid: &str) -> String {
    format!("/invoicing/rpc/documents/{uuid}")
}
