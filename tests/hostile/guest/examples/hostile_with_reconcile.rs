//! The component that reads its authority's own list, and plays it.

#[cfg(target_family = "wasm")]
use hostile_plugin::Hostile;

einvoice_plugin::export!(Hostile with sandbox, reconcile, sandbox_listing);
