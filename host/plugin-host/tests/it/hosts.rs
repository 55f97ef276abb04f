//! Plugin hosts that share one cache of compiled code.

use crate::components::{hostile_component, target};
use crate::documents::{context, invoice};
use gateway_domain::fault::Fault;
use gateway_domain::ports::{Converter, ConverterError};
use gateway_domain::regime::RegimeKey;
use gateway_plugin_host::{Limits, Options, Plugin, PluginHost, ServingTable};
use std::sync::Arc;
use std::time::Duration;

/// Options with tight limits, so that misbehaviour shows quickly.
pub(crate) fn options() -> Options {
    let limits = Limits { deadline: Duration::from_millis(400), calls: 8, ..Limits::default() };
    Options { cache_dir: Some(target().join("plugin-cache")), limits, ..Options::default() }
}

/// The same with time for whatever ends by itself, or is ended by another limit than the deadline.
pub(crate) fn patient() -> Options {
    let mut options = options();
    options.limits.deadline = Duration::from_secs(20);
    options.limits.describe_deadline = Duration::from_secs(20);
    options
}

/// The document a plugin makes, whatever it is.
pub(crate) async fn text(host: &PluginHost, key: &str, notes: &str) -> String {
    host.convert(&key.parse().unwrap(), &invoice(notes), &context()).await.unwrap().value.body
}

/// A host without plugins.
pub(crate) fn host() -> PluginHost {
    PluginHost::new(options()).unwrap()
}

/// A host in which the plugin that misbehaves on demand is active.
pub(crate) async fn hostile_host() -> PluginHost {
    hostile_host_with(options()).await
}

pub(crate) async fn hostile_host_with(options: Options) -> PluginHost {
    let host = PluginHost::new(options).unwrap();
    load(&host, hostile_component()).await;
    host
}

/// Takes the default plugin of the regime out of force.
pub(crate) fn deactivate(host: &PluginHost) -> Option<Arc<Plugin>> {
    let mut table = ServingTable::clone(&host.serving());
    let before = table.remove(&key(), None);
    host.serve(table);
    before
}

/// Loads and activates.
pub(crate) async fn load(host: &PluginHost, bytes: Vec<u8>) -> Arc<Plugin> {
    let plugin = host.load_bytes("test.wasm", bytes).await.unwrap();
    host.activate(&plugin);
    plugin
}

pub(crate) fn key() -> RegimeKey {
    "hostile".parse().unwrap()
}

/// The fault of a plugin that misbehaved.
pub(crate) fn defect<T: std::fmt::Debug>(answer: Result<T, ConverterError>) -> Fault {
    match answer {
        Err(ConverterError::Broken(fault)) => fault,
        other => panic!("expected a broken plugin, found {other:?}"),
    }
}
