//! `gateway doctor`: looks at everything the gateway needs, and says what to do about what is missing.

use super::{Failure, Out, table};
use crate::config::{Config, ProviderAt};
use crate::wiring;
use gateway_plugin_host::PluginHost;
use gateway_provider::JsonClient;
use gateway_storage::Db;
use gateway_storage::workspaces;
use serde_json::{Value, json};
use std::fmt::Display;

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
struct Findings(Vec<Finding>);

impl Findings {
    fn add(&mut self, what: &'static str, verdict: Verdict, message: impl Display) {
        self.0.push(Finding { what, verdict, message: message.to_string() });
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

pub(super) async fn run(config: &Config, out: Out) -> Result<(), Failure> {
    let mut findings = Findings::default();
    findings.add("configuration", Verdict::Sound, "every key is known and has a value that fits");
    let db = wiring::connect_migrated(config).await.map_err(Failure::from);
    let db = findings.take("database", "answers, and is up to date", db);
    if let Some(db) = &db {
        let keyring = wiring::keyring(config, db).await.map_err(Failure::from);
        findings.take("keys", "the master key opens what is stored", keyring);
    }
    let plugins = plugins(&mut findings, config).await;
    if let (Some(db), Some(plugins)) = (&db, &plugins) {
        regimes(&mut findings, db, plugins).await?;
    }
    provider(&mut findings, config).await;
    show(&findings.0, out);
    match findings.0.iter().filter(|finding| finding.verdict == Verdict::Broken).count() {
        0 => Ok(()),
        broken => Err(Failure::refused(format!("{broken} checks failed: see the lines marked broken"))),
    }
}

/// The plugins folder, file by file.
async fn plugins(findings: &mut Findings, config: &Config) -> Option<PluginHost> {
    let host = wiring::plugin_host(config, None).map_err(Failure::from);
    let host = findings.take("plugin host", "runs sandboxed components", host)?;
    let Some(folder) = config.plugins_dir().filter(|folder| folder.is_dir()) else {
        findings.add("plugins", Verdict::Broken, "there is no plugins folder: set plugins.dir");
        return Some(host);
    };
    let report = host.load_folder(&folder).await;
    for error in &report.refused {
        findings.add("plugins", Verdict::Broken, error);
    }
    if report.active.is_empty() {
        findings.add("plugins", Verdict::Broken, format!("{} holds none that loads", folder.display()));
    }
    for plugin in &report.active {
        let description = plugin.description();
        findings.add("plugins", Verdict::Sound, format!("{} {}", description.key, description.version));
    }
    Some(host)
}

/// Every workspace that sends invoices has an active regime.
async fn regimes(findings: &mut Findings, db: &Db, plugins: &PluginHost) -> Result<(), Failure> {
    for workspace in workspaces::list(db, gateway_domain::ids::WorkspaceId(0), 10_000).await? {
        let Some(sealed) = workspaces::e_invoicing(db, workspace.id).await? else { continue };
        let regime = sealed.configuration.regime;
        let active = plugins.active().iter().any(|plugin| plugin.description().key == regime);
        let id = workspace.id;
        if active {
            findings.add("workspaces", Verdict::Sound, format!("workspace {id} sends through {regime}"));
        } else {
            let message = format!(
                "workspace {id} sends through {regime}, which no plugin serves: put it in the folder"
            );
            findings.add("workspaces", Verdict::Broken, message);
        }
    }
    Ok(())
}

async fn provider(findings: &mut Findings, config: &Config) {
    match &config.provider.base_url {
        None => {
            let message = "none is configured, so submissions wait: set provider.base_url";
            findings.add("provider", Verdict::Remark, message);
        }
        Some(ProviderAt::Sandbox) => {
            let message = "the built-in sandbox: what it accepts is no tax authority's";
            findings.add("provider", Verdict::Remark, message);
        }
        Some(ProviderAt::Url(url)) => {
            let client = match JsonClient::new(url.clone()) {
                Ok(client) => client,
                Err(error) => return findings.add("provider", Verdict::Broken, error),
            };
            match client.get("utils/v1/ping").await {
                Ok(answer) if answer.status < 500 => findings.add("provider", Verdict::Sound, "answers"),
                Ok(answer) => {
                    findings.add("provider", Verdict::Broken, format!("answers with HTTP {}", answer.status));
                }
                Err(error) => findings.add("provider", Verdict::Broken, error),
            }
        }
    }
}

fn show(findings: &[Finding], out: Out) {
    let json: Vec<Value> = findings
        .iter()
        .map(|finding| {
            json!({"check": finding.what, "result": finding.verdict.as_str(), "message": finding.message})
        })
        .collect();
    out.data(&Value::Array(json), || {
        let rows: Vec<Vec<String>> = findings
            .iter()
            .map(|finding| {
                vec![finding.verdict.as_str().to_owned(), finding.what.to_owned(), finding.message.clone()]
            })
            .collect();
        table(&rows)
    });
}
