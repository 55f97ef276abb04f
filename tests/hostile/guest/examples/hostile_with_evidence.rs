//! The component with every optional interface of release 1.2.

#[cfg(target_family = "wasm")]
use hostile_plugin::Hostile;

einvoice_plugin::export!(Hostile with sandbox, samples, evidence);
