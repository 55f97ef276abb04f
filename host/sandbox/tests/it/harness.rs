//! A stand-in with everything around it: a clock to turn, a small authority, somebody who takes notifications.

use async_trait::async_trait;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::post;
use gateway_domain::ids::{EntryId, InvoiceId, ProviderJobId};
use gateway_domain::ports::{Clock, ConverterError, Ids};
use gateway_domain::regime::{
    AuthorityAnswer, AuthorityOutcome, AuthoritySubmission, Filing, ProviderFault, RegimeKey, Stamp,
};
use gateway_domain_finance::ports::{
    Entry, Job, JobProgress, Provider, ProviderAccess, ProviderError, ProviderToken,
};
use gateway_provider::HttpProvider;
use gateway_sandbox::{Authority, Delays, Options, Running, Sandbox, Webhook};
use gateway_storage::{Db, Engine, Id, Sql, sandbox as store, testing};
use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU16, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use uuid::Uuid;

pub(crate) const TOKEN: &str = "token-of-the-workspace";
pub(crate) const WEBHOOK_TOKEN: &str = "token-of-the-webhook";
pub(crate) const WORKFLOW: Uuid = Uuid::max();
/// Longest a test waits for something that has to happen.
const TIMEOUT: Duration = Duration::from_secs(20);
/// 2026-11-20T09:00:00Z.
const START: i64 = 1_795_165_200;

/// A clock that runs and can be put forward.
#[derive(Debug)]
pub(crate) struct TestClock {
    started: Instant,
    forward_s: AtomicI64,
}

impl TestClock {
    pub(crate) fn forward(&self, seconds: i64) {
        self.forward_s.fetch_add(seconds, Ordering::SeqCst);
    }
}

impl Clock for TestClock {
    fn now(&self) -> Timestamp {
        let ran = SignedDuration::try_from(self.started.elapsed()).unwrap();
        let forward = SignedDuration::from_secs(self.forward_s.load(Ordering::SeqCst));
        Timestamp::from_second(START).unwrap() + ran + forward
    }
}

/// Identifiers that carry a time and count up; distinct from those of every other instance.
#[derive(Debug, Default)]
pub(crate) struct TestIds(AtomicU64);

impl Ids for TestIds {
    fn next(&self) -> Uuid {
        let mut random = [0; 10];
        random[2..].copy_from_slice(&self.0.fetch_add(1, Ordering::SeqCst).to_be_bytes());
        uuid::Builder::from_unix_timestamp_millis(u64::try_from(START).unwrap() * 1000, &random).into_uuid()
    }
}

/// Accepts what is new, refuses numbers it knows, and chains records by text; one it refuses with 1999 keeps its place.
#[derive(Debug)]
pub(crate) struct TestAuthority;

#[async_trait]
impl Authority for TestAuthority {
    fn serves(&self, regime: &RegimeKey) -> bool {
        ["test-regime", "test-broken", "test-picky"].contains(&regime.as_str())
    }

    async fn file(
        &self,
        regime: &RegimeKey,
        _: Option<InvoiceId>,
        document: &str,
    ) -> Result<Filing, ConverterError> {
        let fault = gateway_domain::fault::Fault::error("PICKY-01", "/code", "the code is ugly");
        match regime.as_str() {
            "test-broken" => return Err(ConverterError::Broken(fault)),
            "test-picky" => return Err(ConverterError::Faults(vec![fault])),
            _ => {}
        }
        let document: Value = serde_json::from_str(document).unwrap();
        let chain = document["supplier"]["tax_id"]["code"].as_str().unwrap().to_owned();
        let record_key = format!("{chain}/{}", document["code"].as_str().unwrap());
        Ok(Filing { chain, record_key })
    }

    async fn submit(
        &self,
        regime: &RegimeKey,
        id: Option<InvoiceId>,
        submission: &AuthoritySubmission,
    ) -> Result<AuthorityOutcome, ConverterError> {
        let key = self.file(regime, id, &submission.document).await?.record_key;
        let code = match submission {
            AuthoritySubmission { forced_code: Some(code), .. } => Some(code.as_str()),
            AuthoritySubmission { amends: Some(amended), .. } if *amended != key => Some("3002"),
            AuthoritySubmission { registered: Some(_), .. } => Some("3000"),
            _ => None,
        };
        let accepted = code.is_none_or(|code| code.starts_with('2'));
        let record = format!("{key} after {}", submission.previous.as_deref().unwrap_or("nothing"));
        let fault = |code: &str| ProviderFault {
            provider: Some("authority".to_owned()),
            code: Some(code.to_owned()),
            message: Some(format!("the authority says {code}")),
            paths: Vec::new(),
        };
        let stamp = |name: &str, value: String| Stamp { provider: name.to_owned(), value };
        let stamps = vec![stamp("test-qr", format!("https://qr/{key}")), stamp("test-hash", record.clone())];
        Ok(AuthorityOutcome {
            accepted,
            stamps: if accepted { stamps } else { Vec::new() },
            faults: code.map(fault).into_iter().collect(),
            record: (accepted || code == Some("1999")).then_some(record),
            payload: Some(format!("<record at=\"{}\"/>", submission.now.offset())),
        })
    }

    async fn answers(
        &self,
        _: &RegimeKey,
        _: Option<InvoiceId>,
        _: &AuthoritySubmission,
        outcome: &AuthorityOutcome,
    ) -> Result<Vec<AuthorityAnswer>, ConverterError> {
        let body = format!("<answer accepted=\"{}\"/>", outcome.accepted);
        let (name, media_type) = ("answer.xml".to_owned(), "application/xml".to_owned());
        Ok(vec![AuthorityAnswer { name, media_type, body }])
    }
}

/// Somebody who takes notifications.
pub(crate) struct Receiver {
    url: String,
    answer: Arc<AtomicU16>,
    notifications: mpsc::UnboundedReceiver<(Option<String>, Value)>,
}

#[derive(Clone)]
struct Inbox {
    answer: Arc<AtomicU16>,
    sender: mpsc::UnboundedSender<(Option<String>, Value)>,
}

impl Receiver {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/webhooks/provider", listener.local_addr().unwrap());
        let (sender, notifications) = mpsc::unbounded_channel();
        let answer = Arc::new(AtomicU16::new(204));
        let inbox = Inbox { answer: Arc::clone(&answer), sender };
        let routes = Router::new().route("/webhooks/provider", post(take)).with_state(inbox);
        tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
        Self { url, answer, notifications }
    }

    /// What it answers from now on.
    pub(crate) fn answer(&self, status: u16) {
        self.answer.store(status, Ordering::SeqCst);
    }

    /// The next notification, with its `Authorization`.
    pub(crate) async fn next(&mut self) -> (Option<String>, Value) {
        tokio::time::timeout(TIMEOUT, self.notifications.recv()).await.expect("a notification").unwrap()
    }

    pub(crate) fn is_empty(&mut self) -> bool {
        self.notifications.try_recv().is_err()
    }
}

async fn take(State(inbox): State<Inbox>, headers: HeaderMap, body: String) -> StatusCode {
    let bearer = headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
    let _ = inbox.sender.send((bearer, serde_json::from_str(&body).unwrap()));
    StatusCode::from_u16(inbox.answer.load(Ordering::SeqCst)).unwrap()
}

/// A stand-in and its surroundings, which outlive it.
pub(crate) struct World {
    pub(crate) clock: Arc<TestClock>,
    pub(crate) receiver: Receiver,
    pub(crate) ids: Arc<TestIds>,
    pub(crate) webhook_retry: Duration,
    running: Option<Running>,
    db: testing::TestDb,
}

impl World {
    pub(crate) async fn start() -> Self {
        Self::on(Engine::Sqlite).await
    }

    pub(crate) async fn on(engine: Engine) -> Self {
        let mut world = Self {
            clock: Arc::new(TestClock { started: Instant::now(), forward_s: AtomicI64::new(0) }),
            receiver: Receiver::start().await,
            ids: Arc::new(TestIds::default()),
            webhook_retry: Duration::from_millis(1),
            running: None,
            db: testing::database(engine).await,
        };
        world.restart().await;
        world
    }

    /// Kills the stand-in when it runs, and starts it on the same database.
    pub(crate) async fn restart(&mut self) {
        drop(self.running.take());
        let webhook =
            Webhook { url: self.receiver.url.parse().unwrap(), token: Some(WEBHOOK_TOKEN.to_owned()) };
        let listening = Sandbox::listen(Options {
            listener: tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap(),
            token: Some(TOKEN.to_owned()),
            webhook: Some(webhook),
            db: Db::clone(&self.db),
            authority: Arc::new(TestAuthority),
            clock: self.clock.clone(),
            ids: self.ids.clone(),
            time_zone: jiff::tz::TimeZone::UTC,
            delays: Delays {
                job: Duration::ZERO,
                webhook_retry: self.webhook_retry,
                webhook_timeout: Duration::from_secs(5),
            },
        });
        let mut sandbox = listening.unwrap();
        sandbox.run_jobs();
        self.running = Some(sandbox);
    }

    pub(crate) fn kill(&mut self) {
        drop(self.running.take());
    }

    pub(crate) async fn stop(&mut self) {
        self.running.take().unwrap().stop().await;
    }

    pub(crate) fn url(&self) -> String {
        self.running.as_ref().unwrap().url()
    }

    pub(crate) fn client(&self) -> HttpProvider {
        HttpProvider::new(self.url().parse().unwrap(), gateway_provider::Options::default()).unwrap()
    }

    pub(crate) fn entry_id(&self) -> EntryId {
        EntryId::try_from(self.ids.next()).unwrap()
    }

    pub(crate) fn job_id(&self) -> ProviderJobId {
        ProviderJobId::try_from(self.ids.next()).unwrap()
    }

    /// Stores a document under a fresh entry id.
    pub(crate) async fn store(&self, document: &Value) -> EntryId {
        let id = self.entry_id();
        self.put(id, document).await.unwrap();
        id
    }

    pub(crate) async fn put(&self, id: EntryId, document: &Value) -> Result<Entry, ProviderError> {
        let key = format!("{id}-{}", document["code"]);
        self.client().put_entry(&access(), id, &key, &document.to_string()).await
    }

    /// Leaves nothing of an entry that can be read.
    pub(crate) async fn damage(&self, entry: EntryId) {
        let mut tx = self.db.begin().await.unwrap();
        let damage = Sql::both("UPDATE sandbox_entry SET body = '{}' WHERE id = $1");
        tx.execute(&damage, vec![Id(entry.uuid()).into()]).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Starts a job on the entry.
    pub(crate) async fn submit(&self, entry: EntryId) -> ProviderJobId {
        let id = self.job_id();
        self.client().put_job(&access(), id, WORKFLOW, entry, &id.to_string()).await.unwrap();
        id
    }

    pub(crate) async fn job(&self, id: ProviderJobId) -> Job {
        self.client().get_job(&access(), id).await.unwrap()
    }

    pub(crate) async fn entry(&self, id: EntryId) -> Entry {
        self.client().get_entry(&access(), id).await.unwrap()
    }

    pub(crate) async fn file(&self, entry: EntryId, id: Uuid) -> String {
        self.client().get_file(&access(), entry, id, 1 << 20).await.unwrap()
    }

    /// The job, once it is over.
    pub(crate) async fn finished(&self, id: ProviderJobId) -> Job {
        let over = async {
            loop {
                let job = self.job(id).await;
                if job.progress != JobProgress::Running {
                    return job;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(TIMEOUT, over).await.expect("the job ends")
    }

    /// Waits until no notification is owed: the receiver has one before the stand-in has recorded that.
    pub(crate) async fn all_told(&self) {
        let waiting = async {
            while !store::open_deliveries(self.db.db(), 1).await.unwrap().is_empty() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(TIMEOUT, waiting).await.expect("the notification is recorded as taken");
    }

    /// Stores, submits and waits: the way of one document.
    pub(crate) async fn send(&self, document: &Value) -> (EntryId, Job) {
        let entry = self.store(document).await;
        let job = self.submit(entry).await;
        (entry, self.finished(job).await)
    }

    /// Sends a request as it stands and gives status and body.
    pub(crate) async fn raw(&self, head: &str, body: &str) -> (u16, Value) {
        let mut socket = TcpStream::connect(self.url().strip_prefix("http://").unwrap()).await.unwrap();
        let request =
            format!("{head}\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len());
        // A refusal may come before the whole body was taken.
        let _ = socket.write_all(request.as_bytes()).await;
        let mut answer = Vec::new();
        let _ = socket.read_to_end(&mut answer).await;
        let answer = String::from_utf8(answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, serde_json::from_str(body).unwrap_or(Value::Null))
    }

    /// Sends JSON with the token.
    pub(crate) async fn json(&self, line: &str, body: &Value) -> (u16, Value) {
        let head = format!(
            "{line} HTTP/1.1\r\nauthorization: Bearer {TOKEN}\r\ncontent-type: application/json; charset=utf-8"
        );
        self.raw(&head, &body.to_string()).await
    }
}

pub(crate) fn access() -> ProviderAccess {
    ProviderAccess { token: ProviderToken::new(TOKEN) }
}

/// A document with one line, for a recipient of this name.
pub(crate) fn document(code: &str, name: &str) -> Value {
    json!({
        "$schema": "https://gobl.org/draft-0/bill/invoice",
        "$addons": ["test-regime-v1"],
        "uuid": "0190c2a8-0000-7000-8000-000000000000",
        "type": "standard", "code": code, "issue_date": "2026-11-20", "currency": "EUR",
        "supplier": {"uuid": "0190c2a8-0000-7000-8000-00000000000a", "name": "Provide One S.L.",
            "tax_id": {"country": "ES", "code": "B98602642"}},
        "customer": {"name": name},
        "lines": [{"i": 1, "quantity": "2", "item": {"name": "Night", "price": "-50.00"}, "sum": "-100.00", "total": "-100.00",
            "taxes": [{"cat": "VAT", "percent": "10.0%"}]}],
        "totals": {"sum": "-100.00", "total": "-100.00", "tax": "-10.00", "total_with_tax": "-110.00", "payable": "-110.00",
            "taxes": {"sum": "-10.00", "categories": [{"code": "VAT", "amount": "-10.00",
                "rates": [{"base": "-100.00", "percent": "10.0%", "amount": "-10.00"}]}]}},
    })
}
