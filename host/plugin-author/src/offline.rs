//! Plugins outside of a gateway.

use gateway_plugin_host::{Limits, Observer, Options, PluginHost, StartError};

/// A plugin host that keeps nothing on disk.
pub(crate) fn plugin_host(observer: Option<Observer>) -> Result<PluginHost, StartError> {
    // Every case is tried, however many of them stop the plugin.
    let limits = Limits { breaker_stops: u32::MAX, ..Limits::default() };
    PluginHost::new(Options { cache_dir: None, limits, observer, ..Options::default() })
}
