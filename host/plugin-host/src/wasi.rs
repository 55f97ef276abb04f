//! WASI with nothing granted, for components whose toolchain carries it unasked (Python, JavaScript, `wasm32-wasip2`).
//!
//! A plugin stays a pure function: no files, no environment, no arguments, input is closed and output vanishes, but
//! for the end of what goes to standard error, which its author reads when the call fails; every clock stands still at the
//! beginning of 1970, and what is random elsewhere is the same bytes in every call. What would reach outside (sockets,
//! names of hosts, waiting) stops the call with a sentence.

use crate::stderr::Stderr;
use std::fmt;
use std::time::Duration;
use wasmtime::StoreContextMut;
use wasmtime::component::{Linker, ResourceTable};
use wasmtime_wasi::p2::bindings::random::insecure::Host as _;
use wasmtime_wasi::p2::bindings::random::random::Host as _;
use wasmtime_wasi::random::WasiRandomCtx;
use wasmtime_wasi::{Deterministic, HostMonotonicClock, HostWallClock, WasiCtx, WasiCtxView, WasiView, p2};

/// The interfaces that are linked, in any version 0.2; every other import is refused by name.
const LINKED_INTERFACES: [&str; 25] = [
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
    "wasi:sockets/instance-network",
    "wasi:sockets/ip-name-lookup",
    "wasi:sockets/network",
    "wasi:sockets/tcp",
    "wasi:sockets/tcp-create-socket",
];
/// Those for datagrams, under the same rule.
const UDP_INTERFACES: [&str; 2] = ["wasi:sockets/udp", "wasi:sockets/udp-create-socket"];

/// Interface and function that would reach outside, and what it wants, as people read it.
const FORBIDDEN: [(&str, &str, &str); 5] = [
    ("wasi:sockets/tcp-create-socket@0.2.12", "create-tcp-socket", "the network"),
    ("wasi:sockets/udp-create-socket@0.2.12", "create-udp-socket", "the network"),
    ("wasi:sockets/ip-name-lookup@0.2.12", "resolve-addresses", "the network"),
    ("wasi:clocks/monotonic-clock@0.2.12", "subscribe-duration", "a timer"),
    ("wasi:clocks/monotonic-clock@0.2.12", "subscribe-instant", "a timer"),
];

/// Gives as many random bytes as are asked for.
type RandomBytes = fn(&mut WasiRandomCtx, u64) -> wasmtime::Result<Vec<u8>>;

/// Interface and function that give bytes for randomness.
const RANDOM_SOURCES: [(&str, &str, RandomBytes); 2] = [
    ("wasi:random/random@0.2.12", "get-random-bytes", |random, length| random.get_random_bytes(length)),
    ("wasi:random/insecure@0.2.12", "get-insecure-random-bytes", |random, length| {
        random.get_insecure_random_bytes(length)
    }),
];

/// Handles a guest may hold at a time: streams and pollables, since there is nothing else.
const HANDLES_MAX: usize = 1000;
/// Random bytes of one request.
const RANDOM_BYTES_MAX: u64 = 64 << 10;
/// What a guest gets for randomness, over and over: a plugin has no secrets, and its output has to be repeatable.
const RANDOM: &[u8] = b"a plugin is a pure function: the same input gives the same bytes";

/// The guest reached for something outside: what, as people read it.
#[derive(Debug, thiserror::Error)]
#[error("a plugin may not use {0}")]
pub(crate) struct Forbidden(pub(crate) &'static str);

/// The guest asked for more random bytes at once than it may have.
#[derive(Debug, thiserror::Error)]
#[error("more random bytes than a plugin may have")]
pub(crate) struct OverRandom;

/// Whether an import is one that is linked to nothing.
pub(crate) fn links(import: &str) -> bool {
    import.split_once('@').is_some_and(|(interface, version)| {
        version.starts_with("0.2.")
            && (LINKED_INTERFACES.contains(&interface) || UDP_INTERFACES.contains(&interface))
    })
}

/// Links WASI with nothing granted.
pub(crate) fn link<T: WasiView>(linker: &mut Linker<T>) -> wasmtime::Result<()> {
    p2::add_to_linker_async(linker)?;
    linker.allow_shadowing(true);
    for (interface, function, what) in FORBIDDEN {
        linker.instance(interface)?.func_new(function, move |_, _, _, _| Err(Forbidden(what).into()))?;
    }
    // Wasmtime's own limit fails with a sentence alone.
    for (interface, function, bytes) in RANDOM_SOURCES {
        let limited = move |mut store: StoreContextMut<'_, T>, (length,): (u64,)| {
            if length > RANDOM_BYTES_MAX {
                return Err(OverRandom.into());
            }
            Ok((bytes(store.data_mut().ctx().ctx.random(), length)?,))
        };
        linker.instance(interface)?.func_wrap(function, limited)?;
    }
    Ok(())
}

/// What a guest holds of a world in which there is nothing. Made at its first call of WASI.
pub(crate) struct EmptyWasi {
    context: WasiCtx,
    table: ResourceTable,
}

impl fmt::Debug for EmptyWasi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmptyWasi").finish_non_exhaustive()
    }
}

impl EmptyWasi {
    /// With a place for what the guest writes to standard error.
    pub(crate) fn new(stderr: Stderr) -> Self {
        let mut table = ResourceTable::new();
        table.set_max_capacity(HANDLES_MAX);
        let random = || Deterministic::new(RANDOM.to_vec());
        let context = WasiCtx::builder()
            .allow_tcp(false)
            .allow_udp(false)
            .allow_ip_name_lookup(false)
            .secure_random(random())
            .insecure_random(random())
            .insecure_random_seed(0)
            .wall_clock(StoppedClock)
            .monotonic_clock(StoppedClock)
            .stderr(stderr)
            .build();
        Self { context, table }
    }
}

/// A clock that stands still.
struct StoppedClock;

impl HostWallClock for StoppedClock {
    fn resolution(&self) -> Duration {
        Duration::from_secs(1)
    }
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

impl HostMonotonicClock for StoppedClock {
    fn resolution(&self) -> u64 {
        1
    }
    fn now(&self) -> u64 {
        0
    }
}

impl EmptyWasi {
    /// What a store lends to the functions of WASI.
    pub(crate) fn view(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.context, table: &mut self.table }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::guest::Guest;
    use wasmtime::Engine;

    #[test]
    fn what_is_linked_is_recognised_by_name_and_version() {
        assert!(links("wasi:cli/environment@0.2.0"));
        assert!(links("wasi:sockets/udp@0.2.6"));
        for other in
            ["wasi:http/outgoing-handler@0.2.0", "wasi:cli/environment@0.3.0", "wasi:cli/environment", "x"]
        {
            assert!(!links(other), "{other}");
        }
    }

    #[test]
    fn everything_that_is_recognised_is_linked() {
        let engine = Engine::default();
        let mut linker = Linker::<Guest>::new(&engine);
        link(&mut linker).unwrap();
        for interface in LINKED_INTERFACES.iter().chain(&UDP_INTERFACES) {
            let import = format!("{interface}@0.2.0");
            let text = format!(r#"(component (import "{import}" (instance)))"#);
            let component =
                wasmtime::component::Component::new(&engine, wat::parse_str(text).unwrap()).unwrap();
            linker.instantiate_pre(&component).map(drop).unwrap();
        }
    }
}
