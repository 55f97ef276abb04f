//! The component without the `sandbox` interface.

#[cfg(target_family = "wasm")]
use hostile_plugin::Hostile;

einvoice_plugin::export!(Hostile);
