//! The fault harness: real gateway processes that are killed at any time and at named points of the code, a provider on
//! bad days, clients that go on as if nothing had happened, and a checker that trusts none of them.
//!
//! `cargo xtask chaos` runs it for as long as one likes; the suite runs it for a moment. Decisions come from a seed;
//! what the operating system makes of them does not. A pause is the pace of a client, of the provider or of the deaths, and
//! part of what is tried; what waits for something looks for it again and again.

mod check;
mod clients;
mod provider;
mod random;
mod replicas;

use crate::binary;
use crate::gateway::{Gateway, Options};
use crate::world::World;
use clients::{Client, ClientLog, Memory, Targets};
use gateway_storage::testing::ledger::{self, Ledger};
use gateway_storage::{Db, Engine};
use provider::{ChaosProvider, Faults, Line};
use random::Random;
use replicas::{Addresses, Endpoints, Replica};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// A run with fewer documents or faults says little: it goes on, on a slow machine.
const DOCUMENTS_AND_FAULTS_MIN: (usize, u64) = (5, 3);
/// How much longer a run may take for that.
const EXTENSION_MAX: Duration = Duration::from_mins(1);
/// Longest from the end of the faults until everything is at rest.
const SETTLE_TIMEOUT: Duration = Duration::from_secs(90);
/// How often an operator looks at what is not at rest yet.
const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// What to do to a gateway.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Which database.
    pub engine: Engine,
    /// Every decision comes from it.
    pub seed: u64,
    /// Processes on one database; SQLite takes one.
    pub replicas: usize,
    /// Clients at once.
    pub clients: u64,
    /// How long things go wrong, once every process serves; longer when too little happened.
    pub length: Duration,
}

/// What came of it.
#[derive(Debug, Clone)]
pub struct Report {
    plan: Plan,
    took: Duration,
    faults: Faults,
    ends: Endpoints,
    client_log: ClientLog,
    statuses: BTreeMap<String, usize>,
    numbers: usize,
    events: usize,
    verdicts: (usize, usize, usize),
    /// Everything that is wrong; nothing in a good run.
    pub violations: Vec<String>,
}

impl Report {
    /// Kills of every kind.
    pub fn kills(&self) -> u64 {
        self.ends.killed + u64::try_from(self.ends.at_points.len()).unwrap_or(0)
    }

    /// Documents there are in the end.
    pub fn documents(&self) -> usize {
        self.statuses.values().sum()
    }

    /// Everything that went wrong on purpose.
    pub const fn faults(&self) -> u64 {
        self.faults.injected()
    }

    /// The figures, for people.
    pub fn text(&self) -> String {
        let Self { plan, faults, ends, client_log, verdicts: (accepted, refused, failed), .. } = self;
        let mut text = format!(
            "{:?}, seed {}, {} processes, {} clients, {:.1} s: {}\n",
            plan.engine,
            plan.seed,
            plan.replicas,
            plan.clients,
            self.took.as_secs_f64(),
            if self.violations.is_empty() { "nothing lost, doubled or left behind" } else { "VIOLATIONS" }
        );
        let mut add = |line: String| {
            let _ = writeln!(text, "  {line}");
        };
        add(format!(
            "documents {} {:?}, numbers {}, events {}",
            self.documents(),
            self.statuses,
            self.numbers,
            self.events
        ));
        add(format!(
            "commands {}, unanswered calls {}, resubmissions {}, authority: accepted {accepted}, refused {refused}, silent {failed}",
            client_log.commands, client_log.unanswered, client_log.resubmissions
        ));
        add(format!(
            "ends: killed {}, at named points {}, stopped {}, stuck {}",
            ends.killed,
            ends.at_points.len(),
            ends.stopped,
            ends.stuck
        ));
        let mut points: BTreeMap<&str, usize> = BTreeMap::new();
        for point in &ends.at_points {
            *points.entry(point.split(':').next().unwrap_or_default()).or_default() += 1;
        }
        add(format!("points: {points:?}"));
        add(format!("provider: {faults:?}"));
        for violation in &self.violations {
            add(format!("VIOLATION {violation}"));
        }
        text
    }
}

/// Runs a plan.
///
/// # Panics
/// When the gateway, the provider or the database cannot be started at all.
pub async fn run(plan: Plan) -> Report {
    let began = Instant::now();
    binary::with_fail_points();
    let random = Random::new(plan.seed);
    let addresses = Addresses::default();
    let provider = ChaosProvider::start(random.branch("provider", 0), addresses.clone()).await;
    let world = World::with(plan.engine, options(&provider.url())).await;
    let places = Targets {
        configured: world.workspace,
        standard: world.another_workspace(&["--tax-id", "A58818501"]).await,
    };
    let memory = Memory::new(Mutex::default());
    let credentials = world.client.clone();
    let replicas = start(&plan, world.gateway, &random, &addresses).await;
    let until = Until::after(plan.length);
    let clients = (0..plan.clients).map(|number| {
        let random = random.branch("client", number);
        let memory = Arc::clone(&memory);
        Client::new(random, addresses.clone(), credentials.clone(), places, memory, until.clone())
    });
    let clients: Vec<_> = clients.map(|client| tokio::spawn(client.work())).collect();
    let lives = replicas.into_iter().map(|replica| tokio::spawn(replica.live(until.clone())));
    let lives: Vec<_> = lives.collect();
    extend_until_enough_happened(&until, &memory, &provider).await;
    for client in clients {
        client.await.expect("a client ends well");
    }
    let mut replicas = Vec::new();
    for life in lives {
        replicas.push(life.await.expect("a replica can be started in the end"));
    }
    provider.stop_faults();

    let db = db(replicas.first().map(|replica| &replica.gateway)).await;
    let caretaker = Client::new(
        random.branch("operator", 0),
        addresses,
        credentials,
        places,
        Arc::clone(&memory),
        Until::after(SETTLE_TIMEOUT),
    );
    let client_log = clients::locked(&memory).clone();
    let mut violations = settle(&db, caretaker, &client_log).await;
    let mut ends = Endpoints::default();
    let mut logs = Vec::new();
    for mut replica in replicas {
        if replica.gateway.stop().await.is_none() {
            ends.stuck += 1;
        }
        ends.killed += replica.ends.killed;
        ends.stopped += replica.ends.stopped;
        ends.stuck += replica.ends.stuck;
        ends.at_points.append(&mut replica.ends.at_points);
        logs.push(replica);
    }
    let ledger = ledger::ledger(&db).await.expect("the database can be read");
    db.close().await;
    let (client_log, log) = (clients::locked(&memory).clone(), provider.log());
    violations.extend(check::violations(&ledger, &log, &client_log));
    violations.extend(misbehaviour(&ends, &client_log, &logs));
    let report =
        report(plan, began.elapsed(), ends, client_log, &ledger, &log, provider.faults(), violations);
    if !report.violations.is_empty() {
        write_report(&report, &log, &ledger, &logs);
    }
    report
}

/// When everybody ends; it may be put off.
#[derive(Debug, Clone)]
struct Until(Arc<Mutex<Instant>>);

impl Until {
    fn after(length: Duration) -> Self {
        Self(Arc::new(Mutex::new(Instant::now() + length)))
    }

    fn at(&self) -> Instant {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn put_off(&self, at: Instant) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = at;
    }

    fn is_over(&self) -> bool {
        Instant::now() >= self.at()
    }
}

/// Puts the end off until enough happened for the checks to mean something.
async fn extend_until_enough_happened(until: &Until, memory: &Memory, provider: &ChaosProvider) {
    let last = until.at() + EXTENSION_MAX;
    loop {
        let made = {
            let client_log = clients::locked(memory);
            client_log.saved.difference(&client_log.deleted).count()
        };
        if (made >= DOCUMENTS_AND_FAULTS_MIN.0 && provider.faults().injected() >= DOCUMENTS_AND_FAULTS_MIN.1)
            || Instant::now() >= last
        {
            return;
        }
        until.put_off(until.at().max((Instant::now() + POLL_INTERVAL + POLL_INTERVAL).min(last)));
        tokio::time::sleep(POLL_INTERVAL).await;
    }
}

fn options(provider: &str) -> Options {
    Options::provider(provider)
        .variable("GATEWAY_PROVIDER__POLL_AFTER_S", "2")
        .variable("GATEWAY_PROVIDER__TIMEOUT_S", "2")
        .variable("GATEWAY_PROVIDER__RETRY_MAX", "4")
        // Tokens are good at every process.
        .variable("GATEWAY_SERVER__PUBLIC_URL", "http://gateway.test")
}

async fn start(plan: &Plan, first: Gateway, random: &Random, addresses: &Addresses) -> Vec<Replica> {
    let processes = if plan.engine == Engine::Sqlite { 1 } else { plan.replicas.max(1) };
    let others: Vec<_> = (1..processes).map(|_| first.replica()).collect();
    let mut replicas = Vec::new();
    for (index, gateway) in std::iter::once(first).chain(others).enumerate() {
        let mut replica = Replica::new(gateway, index, random, addresses.clone());
        if replica.gateway.runs() {
            replica.announce();
        } else {
            replica.start_well().await;
        }
        replicas.push(replica);
    }
    replicas
}

async fn db(gateway: Option<&Gateway>) -> Db {
    let url = gateway.map(Gateway::database_url).unwrap_or_default();
    Db::connect(&url, &gateway_storage::Options::default()).await.expect("the database is there")
}

/// Waits until everything is at rest, and does what an operator does: retries what waits, ends what nobody submits.
/// Gives what was stuck without anybody knowing.
async fn settle(db: &Db, mut operator: Client, client_log: &ClientLog) -> Vec<String> {
    let end = Instant::now() + SETTLE_TIMEOUT;
    let mut stuck: Vec<String> = Vec::new();
    let mut times_by_alert: BTreeMap<String, u32> = BTreeMap::new();
    while Instant::now() < end {
        let book = ledger::ledger(db).await.expect("the database can be read");
        let unattended = check::unattended(&book);
        times_by_alert.retain(|sentence, _| unattended.contains(sentence));
        for sentence in unattended {
            // The tables are read one after another, so once is no proof.
            let times = times_by_alert.entry(sentence.clone()).or_default();
            *times += 1;
            if *times == 3 {
                stuck.push(sentence);
            }
        }
        let waiting: Vec<String> = book
            .invoices
            .iter()
            .filter(|row| row.status == "issuing")
            .map(|row| row.id.0.to_string())
            .collect();
        let told_all = book.events.iter().all(|event| event.position.is_some());
        if waiting.is_empty() && book.jobs.is_empty() && told_all {
            break;
        }
        for uuid in waiting {
            if client_log.direct.contains(&uuid) {
                let path = format!("{}/reject", clients::document_path(&uuid));
                let _ = operator.call("PUT", &path, None, None).await;
            } else {
                let path = format!("/finance/rpc/submissions/{uuid}/retry");
                let _ = operator.call("POST", &path, None, None).await;
            }
        }
        tokio::time::sleep(POLL_INTERVAL).await;
    }
    stuck
}

/// What no process may do, whatever was done to it.
fn misbehaviour(ends: &Endpoints, client_log: &ClientLog, replicas: &[Replica]) -> Vec<String> {
    let mut wrong = client_log.failures.clone();
    if ends.stuck > 0 {
        wrong.push(format!("{} processes did not stop when they were asked to", ends.stuck));
    }
    if ends.at_points.iter().any(|point| point == "nowhere") {
        wrong.push("a process ended by itself".to_owned());
    }
    for replica in replicas {
        let log = replica.gateway.log();
        let panics = log.lines().filter(|line| line.contains("panicked at"));
        wrong.extend(panics.map(|line| format!("a process panicked: {line}")));
        let faults =
            log.lines().filter(|line| line.contains("is damaged") || line.contains("had no next step"));
        wrong.extend(faults.map(|line| format!("a process reported: {line}")));
    }
    wrong
}

#[expect(clippy::too_many_arguments, reason = "the parts of one report, put together in one place")]
fn report(
    plan: Plan,
    took: Duration,
    ends: Endpoints,
    client_log: ClientLog,
    ledger: &Ledger,
    log: &[Line],
    faults: Faults,
    violations: Vec<String>,
) -> Report {
    let mut statuses = BTreeMap::new();
    for row in &ledger.invoices {
        *statuses.entry(row.status.clone()).or_default() += 1;
    }
    let count = |is_counted: fn(&Line) -> bool| log.iter().filter(|line| is_counted(line)).count();
    let verdicts = (
        count(|line| matches!(line, Line::Accepted { .. })),
        count(|line| matches!(line, Line::Refused { .. })),
        count(|line| matches!(line, Line::Failed { .. })),
    );
    let (numbers, events) = (ledger.numbers.len(), ledger.events.len());
    Report { plan, took, faults, ends, client_log, statuses, numbers, events, verdicts, violations }
}

/// Keeps what is needed to understand a bad run.
fn write_report(report: &Report, log: &[Line], ledger: &Ledger, replicas: &[Replica]) {
    let folder = folder(report);
    if std::fs::create_dir_all(&folder).is_err() {
        return;
    }
    let lines: String = log.iter().fold(String::new(), |mut text, line| {
        let _ = writeln!(text, "{line:?}");
        text
    });
    // A folder that cannot be written hides nothing: the violations are shown anyway.
    let _ = std::fs::write(folder.join("provider.log"), lines);
    let _ = std::fs::write(folder.join("ledger.txt"), format!("{ledger:#?}"));
    let _ = std::fs::write(folder.join("report.txt"), report.text());
    for (index, replica) in replicas.iter().enumerate() {
        let _ = std::fs::write(folder.join(format!("gateway-{index}.log")), replica.gateway.log());
    }
    eprintln!("kept in {}", folder.display());
}

fn folder(report: &Report) -> PathBuf {
    let name = format!("{:?}-{}", report.plan.engine, report.plan.seed).to_lowercase();
    binary::target_folder().join("chaos").join(name)
}
