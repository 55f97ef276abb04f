//! The component that names the days on which its rules change.

#[cfg(target_family = "wasm")]
use hostile_plugin::Hostile;

einvoice_plugin::export!(Hostile with sandbox, rules);
