//! The one engine: Cranelift, components, epochs, a pool of memories.

use crate::options::{Limits, StartError};
use crate::ticker::Ticker;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

/// Core instances a component may be made of: one made from Python has more than 30.
const CORE_INSTANCES_MAX: u32 = 50;
/// Linear memories of a component: one made from JavaScript has three.
const MEMORIES_MAX: u32 = 4;
/// Tables of a component.
const TABLES_MAX: u32 = 20;
/// Memory a pool slot keeps mapped between calls: with `pagemap_scan` only touched pages are reset. Resetting more costs as much as
/// mapping it anew, and a load of long documents would leave as much behind in every slot.
const KEEP_RESIDENT: usize = 1 << 20;
/// The same where the kernel has no `pagemap_scan` and every resident byte is reset by hand.
const KEEP_RESIDENT_WITHOUT_SCAN: usize = 1 << 20;
/// Frames of a guest's backtrace in the log.
const FRAMES_MAX: std::num::NonZeroUsize = std::num::NonZeroUsize::MIN.saturating_add(19);

/// Starts the engine and the clock of its guests. An older kernel resets memories by hand; where the
/// address space does not hold the pool (a strict `ulimit -v`), every call maps its own memory: slower and as safe.
pub(crate) fn start(limits: &Limits) -> Result<(Engine, Ticker), StartError> {
    let scanning = pool(limits, Enabled::Yes, KEEP_RESIDENT);
    let plain = pool(limits, Enabled::No, KEEP_RESIDENT_WITHOUT_SCAN);
    let engine = Engine::new(&config(InstanceAllocationStrategy::Pooling(scanning)))
        .or_else(|_no_scan| Engine::new(&config(InstanceAllocationStrategy::Pooling(plain))))
        .or_else(|error| {
            tracing::warn!(%error, "no pool of memories for plugins: every call maps its own");
            Engine::new(&config(InstanceAllocationStrategy::OnDemand))
        })
        .map_err(|error| StartError::Engine { detail: format!("{error:#}") })?;
    let ticker = Ticker::start(&engine).map_err(StartError::Ticker)?;
    Ok((engine, ticker))
}

/// An engine that compiles for the one above and runs nothing: no pool, no ticker.
pub(crate) fn compiling() -> wasmtime::Result<Engine> {
    Engine::new(&config(InstanceAllocationStrategy::OnDemand))
}

/// The same input gives the same bytes: what WebAssembly leaves open is pinned down, and threads are off.
fn config(strategy: InstanceAllocationStrategy) -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .cranelift_nan_canonicalization(true)
        .relaxed_simd_deterministic(true)
        .epoch_interruption(true)
        .wasm_backtrace_max_frames(Some(FRAMES_MAX))
        .allocation_strategy(strategy);
    config
}

fn pool(limits: &Limits, scan: Enabled, keep_resident: usize) -> PoolingAllocationConfig {
    let calls = limits.calls;
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(calls)
        .total_core_instances(calls.saturating_mul(CORE_INSTANCES_MAX))
        .total_memories(calls.saturating_mul(MEMORIES_MAX))
        .total_tables(calls.saturating_mul(TABLES_MAX))
        .total_stacks(calls)
        .max_core_instances_per_component(CORE_INSTANCES_MAX)
        .max_memories_per_component(MEMORIES_MAX)
        .max_tables_per_component(TABLES_MAX)
        .table_elements(limits.table_elements)
        .max_memory_size(limits.memory_bytes)
        .linear_memory_keep_resident(keep_resident)
        .table_keep_resident(KEEP_RESIDENT_WITHOUT_SCAN)
        .pagemap_scan(scan);
    pool
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_compiling_engine_makes_runs_in_the_other() {
        let code =
            compiling().unwrap().precompile_component(&wat::parse_str("(component)").unwrap()).unwrap();
        crate::cache::deserialize(&start(&Limits::default()).unwrap().0, &code).map(drop).unwrap();
    }
}
