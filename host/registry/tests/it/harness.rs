//! The registry with a plugin host that does as it is told.

use async_trait::async_trait;
use gateway_domain::access::Actor;
use gateway_domain::fault::Fault;
use gateway_domain::ports::{Clock, ConverterError};
use gateway_domain::regime::PluginComponent;
use gateway_domain::regime::{
    EvidenceDescription, PluginRef, RegimeContext, RegimeDescription, RegimeInvoice, RegimeKey, Rounding,
    Sample,
};
use gateway_domain_rules::RuleSet;
use gateway_plugin_host::{ComponentKind, LoadError, Refusal, SignatureError};
use gateway_registry::{
    Assignment, ComingVersion, Order, PluginError, PluginName, PluginState, Plugins, Runtime, Trial,
};
use gateway_storage::Db;
use gateway_storage::testing::{PresentTime, RandomIds};
use serde_json::json;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::Notify;

/// A plugin host whose components are texts: the version.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub(crate) serving: Mutex<Vec<Assignment<String>>>,
    pub(crate) coming: Mutex<Vec<ComingVersion<String>>>,
    /// Notified whenever those are given anew.
    pub(crate) served: Notify,
    pub(crate) broken: Mutex<BTreeSet<String>>,
    pub(crate) blocked: Mutex<BTreeSet<String>>,
}

pub(crate) fn key() -> RegimeKey {
    "plain".parse().unwrap()
}

pub(crate) fn plugin(version: &str) -> PluginRef {
    PluginRef { key: key(), version: version.to_owned(), digest: format!("{version:0>64}") }
}

/// What every version says of every document.
pub(crate) fn refusal() -> Fault {
    Fault::error("PLAIN-1", "/lines", "It is plain: write something.")
}

#[async_trait]
impl Runtime for Texts {
    type Plugin = String;

    fn verify_signature(&self, _: &[u8], signature: Option<&str>) -> Result<(), SignatureError> {
        if signature == Some("forged") { Err(SignatureError::Tampered) } else { Ok(()) }
    }

    async fn load(&self, origin: &str, component: Vec<u8>) -> Result<String, LoadError> {
        let version = String::from_utf8(component).unwrap();
        let broken = self.broken.lock().unwrap().contains(&version);
        if broken {
            Err(LoadError {
                kind: ComponentKind::Plugin,
                file: origin.to_owned(),
                refusal: Refusal::Describe("it does not load: build it again".to_owned()),
            })
        } else {
            Ok(version)
        }
    }

    fn identify(&self, version: &String) -> (PluginRef, Arc<RegimeDescription>) {
        let description = RegimeDescription {
            key: key(),
            title: "Plain".to_owned(),
            country: "ES".to_owned(),
            tax_system: "plain".to_owned(),
            version: version.clone(),
            kinds: Vec::new(),
            categories: Vec::new(),
            exemptions: Vec::new(),
            retentions: Vec::new(),
            rounding: Rounding::Precise,
            settings_schema: json!({}),
            required_workspace_fields: Vec::new(),
            ext: Vec::new(),
        };
        (plugin(version), Arc::new(description))
    }

    fn evidence(&self, _: &String) -> Option<Arc<EvidenceDescription>> {
        None
    }

    fn rule_sets(&self, _: &String) -> Arc<[RuleSet]> {
        Arc::from([])
    }

    fn serve(&self, places: Vec<Assignment<String>>, coming: Vec<ComingVersion<String>>) {
        *self.coming.lock().unwrap() = coming;
        *self.serving.lock().unwrap() = places;
        self.served.notify_waiters();
    }

    async fn trial(&self, _: &String, _: &RegimeInvoice, _: &RegimeContext) -> Result<Trial, ConverterError> {
        Ok(Trial { faults: Vec::new(), document: Err(vec![refusal()]) })
    }

    async fn samples(&self, version: &String) -> Result<Vec<Sample>, ConverterError> {
        let stated = match version.as_str() {
            "true" => json!({"faults": [refusal()]}),
            "false" => json!({"faults": []}),
            _ => return Ok(Vec::new()),
        };
        let case = json!({"document": {"issue_date": "2026-11-20", "lines": []}});
        let (name, case, expected) = ("empty".to_owned(), case.to_string(), stated.to_string());
        Ok(vec![Sample { name, case, context: None, expected }])
    }

    fn blocked(&self) -> Vec<(PluginRef, String)> {
        let serving = self.serving.lock().unwrap();
        let blocked = self.blocked.lock().unwrap();
        let versions = serving.iter().map(|place| &place.plugin).filter(|version| blocked.contains(*version));
        versions.map(|version| (plugin(version), "it trapped ten times".to_owned())).collect()
    }

    fn unblock(&self, version: &String) {
        self.blocked.lock().unwrap().remove(version);
    }
}

pub(crate) fn registry(db: &Db) -> Plugins<Texts> {
    registry_at(db, Arc::new(PresentTime))
}

pub(crate) fn registry_at(db: &Db, clock: Arc<dyn Clock>) -> Plugins<Texts> {
    Plugins::new(db.clone(), clock, Arc::new(RandomIds), Arc::default())
}

pub(crate) fn component(version: &str) -> PluginComponent {
    PluginComponent { bytes: version.as_bytes().to_vec(), signature: None }
}

pub(crate) fn order(version: &str) -> Order {
    let name = PluginName { key: key(), version: version.to_owned() };
    Order { name, workspace: None, share: None, force: false }
}

pub(crate) async fn install(plugins: &Plugins<Texts>, versions: &[&str]) {
    for version in versions {
        plugins.install(&Actor::operator(), "a test", component(version)).await.unwrap();
    }
}

pub(crate) async fn activate(plugins: &Plugins<Texts>, version: &str) -> Result<(), PluginError> {
    plugins.activate(&Actor::operator(), &order(version), None).await.map(drop)
}

pub(crate) fn serving(plugins: &Plugins<Texts>) -> Vec<String> {
    let serving = plugins.runtime().serving.lock().unwrap();
    let versions = serving.iter().map(|place| match place.share {
        Some(share) => format!("{} {share}", place.plugin),
        None => place.plugin.clone(),
    });
    versions.collect()
}

pub(crate) async fn states(plugins: &Plugins<Texts>) -> Vec<PluginState> {
    plugins.list().await.unwrap().plugins.iter().map(|listed| listed.state).collect()
}

pub(crate) async fn until_serving(plugins: &Plugins<Texts>, versions: &[&str]) {
    let waiting = async {
        loop {
            let next = plugins.runtime().served.notified();
            if serving(plugins) == versions {
                return;
            }
            next.await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waiting).await.unwrap();
}
