//! The allocator of a plugin.

/// An instance serves one call and takes and gives back memory for every text of a document: faster than the allocator that Rust
/// links for WebAssembly, and half as large. A plugin has no threads.
#[global_allocator]
static ALLOCATOR: talc::wasm::WasmDynamicTalc = talc::wasm::new_wasm_dynamic_allocator();
