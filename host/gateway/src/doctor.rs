//! `gateway doctor`: looks at everything the gateway needs, and says what to do about what is missing.

mod certificates;
pub(crate) mod chain;
mod clock;
mod waiting;

use crate::clock::SystemClock;
use crate::services::Readers;
use crate::{keys, wiring};
use gateway_access::MasterKeys;
use gateway_cli::args::DoctorArgs;
use gateway_config::{Config, Events, ProviderAddress};
use gateway_domain::ports::Clock;
use gateway_outbound::CallMetrics;
use gateway_provider::JsonClient;
use gateway_registry::DropFolder;
use gateway_registry::Plugins;
use gateway_registry::{ListedVersion, PluginName, PluginState, Replica};
use gateway_terminal::{Failure, Out, table};
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use std::fmt::Display;
use std::time::Duration;
use url::Url;

/// How long another service may take to answer.
const TIMEOUT: Duration = Duration::from_secs(5);

/// How a check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Sound,
    /// Works, and somebody should know.
    Remark,
    Broken,
}

impl Verdict {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Sound => "ok",
            Self::Remark => "note",
            Self::Broken => "broken",
        }
    }
}

/// What was looked at, and what came of it.
struct Finding {
    what: &'static str,
    verdict: Verdict,
    message: String,
}

#[derive(Default)]
pub(crate) struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, what: &'static str, verdict: Verdict, message: impl Display) {
        self.0.push(Finding { what, verdict, message: message.to_string() });
    }

    /// As people and programs read them.
    pub(crate) fn views(&self) -> Vec<FindingView<'_>> {
        self.0.iter().map(FindingView::from).collect()
    }

    /// Fails when something is broken.
    pub(crate) fn ensure_sound(&self) -> Result<(), Failure> {
        match self.0.iter().filter(|finding| finding.verdict == Verdict::Broken).count() {
            0 => Ok(()),
            1 => Err(Failure::refused("one check failed: see the line marked broken")),
            broken => Err(Failure::refused(format!("{broken} checks failed: see the lines marked broken"))),
        }
    }

    /// Keeps the value, or says why there is none.
    fn take<T>(&mut self, what: &'static str, sound: &str, value: Result<T, Failure>) -> Option<T> {
        match value {
            Ok(value) => {
                self.add(what, Verdict::Sound, sound);
                Some(value)
            }
            Err(error) => {
                self.add(what, Verdict::Broken, error);
                None
            }
        }
    }
}

pub(crate) async fn run(args: DoctorArgs, config: &Config, out: Out) -> Result<(), Failure> {
    let mut findings = Findings::default();
    if args.chain {
        let db = wiring::connect_migrated(config).await?;
        let found = (wiring::readers(&db), wiring::registry(config, &db));
        chain::prove(&mut findings, found, args.workspace).await?;
        show(&findings, out);
        return findings.ensure_sound();
    }
    findings.add("configuration", Verdict::Sound, "every key is known and has a value that fits");
    let db = wiring::connect_migrated(config).await.map_err(Failure::from);
    let db = findings.take("database", "answers, and is up to date", db);
    let readers = db.as_ref().map(wiring::readers);
    if let Some(db) = &db {
        let keyring = wiring::keyring(config, db).await.map_err(Failure::from);
        if let Some(keyring) = findings.take("keys", "the master keys open what is stored", keyring) {
            master_keys(&mut findings, &wiring::master_keys(db, &keyring), config).await?;
        }
    }
    let runtime = wiring::plugin_runtime(config, None).map_err(Failure::from);
    let runtime = findings.take("plugin host", "runs sandboxed components", runtime);
    if let (Some(db), Some(runtime)) = (&db, &runtime) {
        let registry = wiring::plugins(db, runtime);
        plugins(&mut findings, &registry, config).await?;
        regimes(&mut findings, &wiring::readers(db), &registry).await?;
    }
    certificates::listeners(&mut findings, config);
    provider(&mut findings, config).await;
    invoicing(&mut findings, config, readers.as_ref()).await;
    bus(&mut findings, config).await;
    if let Some(readers) = &readers {
        waiting::alerts(&mut findings, readers).await?;
        waiting::webhooks(&mut findings, readers).await?;
    }
    show(&findings, out);
    findings.ensure_sound()
}

/// What depends on each master key, so that nobody deletes one too early.
async fn master_keys(findings: &mut Findings, keys: &MasterKeys, config: &Config) -> Result<(), Failure> {
    let file = config.master_key_file().display().to_string();
    for key in keys.list().await? {
        let (good, message) = keys::sentence(&key, &file);
        findings.add("keys", if good { Verdict::Sound } else { Verdict::Remark }, message);
    }
    Ok(())
}

/// The registry, the drop folder file by file, and the processes that follow.
async fn plugins(findings: &mut Findings, plugins: &Plugins, config: &Config) -> Result<(), Failure> {
    let folder = config.plugins_dir();
    if let Some(folder) = folder.filter(|folder| folder.is_dir()) {
        for skipped in DropFolder::new(folder, plugins.clone()).unusable().await {
            findings.add("plugins", Verdict::Broken, skipped.message);
        }
    } else {
        findings.add("plugins", Verdict::Remark, "there is no plugins folder: set plugins.dir to have one");
    }
    let listing = plugins.list().await?;
    for listed in &listing.plugins {
        let name = PluginName::from(&listed.plugin);
        match (listed.state, &listed.blocked) {
            (PluginState::Active, _) => match plugins.examine(&listed.plugin).await {
                Ok(()) if listed.serves.is_empty() => {
                    let message = format!("{name} serves a share of the documents, as a canary");
                    findings.add("plugins", Verdict::Sound, message);
                }
                Ok(()) => findings.add("plugins", Verdict::Sound, format!("{name} is active")),
                Err(error) => {
                    let message = format!("{name} is active and serves nobody here: {error}");
                    findings.add("plugins", Verdict::Broken, message);
                }
            },
            (_, Some((_, reason))) => {
                let message = format!("{name} is blocked ({reason}): activate it again, or another version");
                findings.add("plugins", Verdict::Broken, message);
            }
            (PluginState::Installed | PluginState::Retired | PluginState::Blocked, None) => {}
        }
    }
    for waiting in listing.waiting() {
        findings.add("plugins", Verdict::Remark, waiting);
    }
    if !listing.plugins.iter().any(|listed| listed.state == PluginState::Active) {
        let message = "no plugin is active: 'gateway serve' activates those of the plugins folder, 'gateway plugin activate' one that is installed";
        findings.add("plugins", Verdict::Remark, message);
    }
    for replica in &listing.replicas {
        let (verdict, message) = version_of(replica);
        findings.add("replicas", verdict, message);
        if let Some(problem) = &replica.problem {
            let message = format!("{} does not serve everything: {problem}", replica.address);
            findings.add("replicas", Verdict::Broken, message);
        }
    }
    Ok(())
}

/// Which version a process runs. Another one than this is fine during an upgrade, and somebody should know.
fn version_of(replica: &Replica) -> (Verdict, String) {
    let (address, here) = (&replica.address, env!("CARGO_PKG_VERSION"));
    match replica.version.as_deref() {
        Some(version) if version == here => (Verdict::Sound, format!("{address} runs version {version}")),
        Some(version) => (
            Verdict::Remark,
            format!("{address} runs version {version}, and this is {here}: finish the upgrade"),
        ),
        None => (Verdict::Remark, format!("{address} runs a version before {here}: finish the upgrade")),
    }
}

/// Every workspace that sends invoices has an active regime.
async fn regimes(findings: &mut Findings, readers: &Readers, plugins: &Plugins) -> Result<(), Failure> {
    let listing = plugins.list().await?;
    let regimes = readers.workspaces.regimes().await?;
    for workspace in readers.workspaces.list().await? {
        let Some(regime) = regimes.get(&workspace.id) else { continue };
        let id = workspace.id;
        let serves = |listed: &ListedVersion| {
            listed.state == PluginState::Active
                && listed.plugin.key == *regime
                && (listed.serves.contains(&Some(id)) || listed.serves.contains(&None))
        };
        if let Some(listed) = listing.plugins.iter().find(|listed| serves(listed)) {
            let required = match required_fields(listed) {
                Ok(required) => required,
                Err(error) => {
                    let message =
                        format!("what {regime} says of itself cannot be read ({error}): install it again");
                    findings.add("workspaces", Verdict::Broken, message);
                    continue;
                }
            };
            let missing = workspace.supplier.lacks(&required);
            if missing.is_empty() {
                findings.add("workspaces", Verdict::Sound, format!("workspace {id} sends through {regime}"));
            } else {
                let missing = missing.join(", ");
                let message = format!(
                    "{regime} refuses the documents of workspace {id}, which lacks {missing}: add it with 'gateway workspace set'"
                );
                findings.add("workspaces", Verdict::Broken, message);
            }
        } else {
            let message = format!(
                "workspace {id} sends through {regime}, which no plugin serves: install and activate one"
            );
            findings.add("workspaces", Verdict::Broken, message);
        }
    }
    Ok(())
}

/// What a plugin needs of a workspace, as it said when it was installed.
fn required_fields(listed: &ListedVersion) -> serde_json::Result<Vec<String>> {
    #[derive(Deserialize)]
    struct Description {
        #[serde(default)]
        required_workspace_fields: Vec<String>,
    }
    let description: Description = serde_json::from_str(&listed.description)?;
    Ok(description.required_workspace_fields)
}

async fn provider(findings: &mut Findings, config: &Config) {
    match &config.provider.base_url {
        None => {
            let message = "none is configured, so submissions wait: set provider.base_url";
            findings.add("provider", Verdict::Remark, message);
        }
        Some(ProviderAddress::Sandbox) => {
            let message = "the built-in sandbox: what it accepts is no tax authority's";
            findings.add("provider", Verdict::Remark, message);
        }
        Some(ProviderAddress::Url(url)) => {
            let client = match JsonClient::new(url.clone()) {
                Ok(client) => client,
                Err(error) => return findings.add("provider", Verdict::Broken, error),
            };
            let sent = SystemClock.now();
            match client.get("utils/v1/ping").await {
                Ok(answer) if answer.status < 500 => {
                    findings.add("provider", Verdict::Sound, "answers");
                    clock::compare(findings, &answer, sent, SystemClock.now());
                }
                Ok(answer) => {
                    findings.add("provider", Verdict::Broken, format!("answers with HTTP {}", answer.status));
                }
                Err(error) => findings.add("provider", Verdict::Broken, error),
            }
        }
    }
}

/// The remote invoice data service shows its feed, which takes the address, the credentials and their permission.
async fn invoicing(findings: &mut Findings, config: &Config, readers: Option<&Readers>) {
    const SUBJECT: &str = "invoicing";
    let service = match wiring::invoicing_client(config, &CallMetrics::default()) {
        Ok(Some(service)) => service,
        Ok(None) => return findings.add(SUBJECT, Verdict::Sound, "documents are kept here"),
        Err(error) => return findings.add(SUBJECT, Verdict::Broken, Failure::from(error)),
    };
    let name = service.name();
    let after = match readers {
        // From its beginning when nobody knows how far it was read: the first part is as good.
        Some(readers) => readers.feeds.of(name).await.unwrap_or_default(),
        None => None,
    };
    match tokio::time::timeout(TIMEOUT, service.events(after.as_deref())).await {
        Ok(Ok(_)) => findings.add(SUBJECT, Verdict::Sound, format!("the service at {name} shows its feed")),
        Ok(Err(error)) => {
            let message = format!("the service at {name}, finance.invoicing_url: {error}");
            findings.add(SUBJECT, Verdict::Broken, message);
        }
        Err(_) => {
            let message = format!(
                "the service at {name} does not answer within {} s: start it, or set finance.invoicing_url",
                TIMEOUT.as_secs()
            );
            findings.add(SUBJECT, Verdict::Broken, message);
        }
    }
}

/// Where events go. A bus that is away costs nothing inside the gateway, and whoever subscribes there hears nothing.
async fn bus(findings: &mut Findings, config: &Config) {
    const SUBJECT: &str = "events";
    if config.events.bus.expose_secret() == Events::EMBEDDED {
        return findings.add(SUBJECT, Verdict::Sound, "the embedded bus: events stay in the gateway");
    }
    let sink = match wiring::event_sink(config).await {
        Ok(sink) => sink,
        Err(error) => return findings.add(SUBJECT, Verdict::Broken, Failure::from(error)),
    };
    // The address may hold a password.
    let at = Url::parse(config.events.bus.expose_secret()).ok();
    let at = at.as_ref().and_then(Url::host_str).unwrap_or_default();
    // Nothing to take: it answers all the same.
    if let Ok(Ok(())) = tokio::time::timeout(TIMEOUT, sink.publish(&[])).await {
        findings.add(SUBJECT, Verdict::Sound, format!("the message bus at {at} answers"));
    } else {
        let message = format!("the message bus at {at} does not answer: start it, or set events.bus");
        findings.add(SUBJECT, Verdict::Broken, message);
    }
}

/// What was looked at, and what was found.
#[derive(Serialize)]
pub(crate) struct FindingView<'a> {
    check: &'a str,
    result: &'static str,
    message: &'a str,
}

impl FindingView<'_> {
    /// How it ended, what was looked at, and what came of it.
    pub(crate) fn cells(&self) -> Vec<String> {
        [self.result, self.check, self.message].map(str::to_owned).to_vec()
    }
}

impl<'a> From<&'a Finding> for FindingView<'a> {
    fn from(finding: &'a Finding) -> Self {
        Self { check: finding.what, result: finding.verdict.as_str(), message: &finding.message }
    }
}

fn show(findings: &Findings, out: Out) {
    let views = findings.views();
    out.data(&views, || table(&views.iter().map(FindingView::cells).collect::<Vec<_>>()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpListener;

    /// The one thing that a check found.
    pub(super) fn found(findings: &Findings) -> (Verdict, &str) {
        assert_eq!(findings.0.len(), 1);
        (findings.0[0].verdict, &findings.0[0].message)
    }

    fn remote(url: &str) -> Config {
        let mut config = Config::default();
        config.finance.invoicing_url = Some(url.parse().unwrap());
        config
    }

    /// The address of a service that gives one answer.
    fn answers(answer: &'static str) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let _ = stream.read(&mut [0; 4096]).unwrap();
            stream.write_all(answer.as_bytes()).unwrap();
        });
        url
    }

    #[tokio::test]
    async fn a_remote_service_is_asked_for_its_feed() {
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut without_secret = remote(&format!("http://{nobody}/"));
        without_secret.finance.invoicing_client_id = Some("me".to_owned());
        without_secret.finance.invoicing_client_secret_file = Some("/nowhere/secret".into());
        let feed = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 26\r\nconnection: close\r\n\r\n\
                    {\"events\":[],\"next\":\"abc\"}";
        let refusal = "HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        for (config, verdict, says) in [
            (Config::default(), Verdict::Sound, "kept here"),
            (remote(&answers(feed)), Verdict::Sound, "shows its feed"),
            (remote(&answers(refusal)), Verdict::Broken, "finance.invoicing_client_id"),
            (remote(&format!("http://{nobody}/")), Verdict::Broken, "finance.invoicing_url"),
            (without_secret, Verdict::Broken, "finance.invoicing_client_secret_file"),
        ] {
            let mut findings = Findings::default();
            invoicing(&mut findings, &config, None).await;
            let (found, message) = found(&findings);
            assert!(found == verdict && message.contains(says), "{found:?}: {message}");
        }
    }

    #[tokio::test]
    async fn the_bus_is_named_and_asked() {
        let mut findings = Findings::default();
        bus(&mut findings, &Config::default()).await;
        assert_eq!(found(&findings), (Verdict::Sound, "the embedded bus: events stay in the gateway"));
    }

    #[cfg(feature = "nats")]
    #[tokio::test]
    async fn a_bus_that_is_away_is_said_without_its_password() {
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut config = Config::default();
        config.events.bus = format!("nats://user:hidden@{nobody}").into();
        let mut findings = Findings::default();
        bus(&mut findings, &config).await;
        let (found, message) = found(&findings);
        assert!(
            found == Verdict::Broken && message.contains("127.0.0.1 does not answer"),
            "{found:?}: {message}"
        );
        assert!(!message.contains("hidden"), "{message}");
    }
}
