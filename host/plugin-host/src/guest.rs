//! What a guest's store carries: how much memory it has left, and how long it may still run.

use crate::options::Limits;
use crate::stderr::Stderr;
use crate::ticker::{RunningGuest, TICK, Ticker};
use crate::wasi::EmptyWasi;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use wasmtime::{Engine, ResourceLimiter, Store, UpdateDeadline};
use wasmtime_wasi::{WasiCtxView, WasiView};

/// The guest asked for more memory or table than it may have.
#[derive(Debug, thiserror::Error)]
#[error("more memory than a plugin may use")]
pub(crate) struct OverMemory;

/// The guest ran for longer than it may.
#[derive(Debug, thiserror::Error)]
#[error("longer than a plugin may run")]
pub(crate) struct OverDeadline;

/// How much memory a guest had at its peak: linear memory is never given back, so it is what it had in the end.
#[derive(Debug, Clone, Default)]
pub(crate) struct Peak(Arc<AtomicUsize>);

impl Peak {
    /// Of linear memory, all memories of the guest together.
    pub(crate) fn bytes(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }

    fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// What is known of a call when its store is gone.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallTrace {
    /// How much memory it took.
    pub(crate) peak: Peak,
    /// What it said of itself, last words included.
    pub(crate) stderr: Stderr,
}

/// The data of a guest's store: what it has left.
#[derive(Debug)]
pub(crate) struct Guest {
    /// Bytes of linear memory.
    memory: usize,
    /// What outlives the store.
    trace: CallTrace,
    /// Elements of tables.
    elements: usize,
    /// Ticks of running time.
    ticks: u128,
    wasi: Option<Box<EmptyWasi>>,
    /// Keeps the clock going.
    _running: RunningGuest,
}

impl WasiView for Guest {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        let stderr = &self.trace.stderr;
        self.wasi.get_or_insert_with(|| Box::new(EmptyWasi::new(stderr.clone()))).view()
    }
}

/// A store for one call: capped, timed, with nothing granted.
pub(crate) fn store(
    (engine, ticker): (&Engine, &Ticker),
    limits: &Limits,
    deadline: Duration,
    trace: CallTrace,
) -> Store<Guest> {
    let guest = Guest {
        memory: limits.memory_bytes,
        trace,
        elements: limits.table_elements,
        ticks: deadline.as_millis().div_ceil(TICK.as_millis()),
        wasi: None,
        _running: ticker.run_guest(),
    };
    let mut store = Store::new(engine, guest);
    store.limiter(|guest| guest);
    store.set_hostcall_fuel(limits.transfer_bytes);
    store.set_epoch_deadline(1);
    // Yielding at every tick keeps the executor's other tasks alive, and counts only ticks in which the guest ran.
    store.epoch_deadline_callback(|mut store| {
        let guest = store.data_mut();
        guest.ticks = guest.ticks.checked_sub(1).ok_or(OverDeadline)?;
        Ok(UpdateDeadline::Yield(1))
    });
    store
}

/// Takes the growth from what is left. Failing with an error, rather than refusing, gives a clear cause.
fn take(left: &mut usize, current: usize, desired: usize) -> wasmtime::Result<()> {
    *left = left.checked_sub(desired.saturating_sub(current)).ok_or(OverMemory)?;
    Ok(())
}

impl ResourceLimiter for Guest {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        take(&mut self.memory, current, desired)?;
        self.trace.peak.add(desired.saturating_sub(current));
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _maximum: Option<usize>,
    ) -> wasmtime::Result<bool> {
        take(&mut self.elements, current, desired)?;
        Ok(true)
    }
}
