//! The component whose authority writes back.

#[cfg(target_family = "wasm")]
use hostile_plugin::Hostile;

einvoice_plugin::export!(Hostile with answers, sandbox);
