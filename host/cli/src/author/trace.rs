//! Where a plugin was stopped. The plugin host writes the guest's backtrace to the log; an author reads it beside the
//! case that caused it.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use tracing::field::{Field, Visit};
use tracing::{Dispatch, Event, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt};

/// How many functions of a backtrace are shown.
const FUNCTIONS_SHOWN: usize = 8;

/// How functions begin that only carry a panic out: an author wants to know who panicked.
const MACHINERY: [&str; 5] = ["__rust", "rust_", "std::", "core::panicking", "core::result"];

/// Listens instead of the log to what the plugin host says.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace(Arc<Mutex<Vec<String>>>);

impl Trace {
    /// Where the events of a case go.
    pub(super) fn dispatch(&self) -> Dispatch {
        tracing_subscriber::registry().with(self.clone()).into()
    }

    /// The functions in which the plugin was stopped since the last look, innermost first.
    pub(super) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<S: Subscriber> Layer<S> for Trace {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target().starts_with("gateway_plugin_host") {
            let mut found = Backtrace::default();
            event.record(&mut found);
            let functions = functions(&found.0);
            if !functions.is_empty() {
                *self.0.lock().unwrap_or_else(PoisonError::into_inner) = functions;
            }
        }
    }
}

/// The error of an event, with its backtrace.
#[derive(Default)]
struct Backtrace(String);

impl Visit for Backtrace {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "error" {
            self.0 = format!("{value:?}");
        }
    }
}

/// The names of a backtrace such as `    0: 0x1a2b - es.wasm!es::convert::line`.
fn functions(backtrace: &str) -> Vec<String> {
    let frames = backtrace.lines().filter_map(|line| {
        let (number, rest) = line.trim().split_once(':')?;
        let (address, name) = rest.trim_start().split_once(" - ")?;
        let frame = address.starts_with("0x") && number.bytes().all(|byte| byte.is_ascii_digit());
        let name = name.split_once('!').map_or(name, |(_, name)| name);
        frame.then(|| without_hashes(name.trim()))
    });
    let all: Vec<String> = frames.collect();
    let own = all.iter().position(|name| !MACHINERY.iter().any(|machinery| name.starts_with(machinery)));
    all.into_iter().skip(own.unwrap_or(0)).take(FUNCTIONS_SHOWN).collect()
}

/// A name without the compiler's hashes: `core[c5930c85a12de822]::fmt` is `core::fmt`, and so is
/// `core::fmt::h16562ef86d57dfb1`.
fn without_hashes(name: &str) -> String {
    let mut parts = name.split('[');
    let mut cleaned = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((hash, rest)) if hash.len() >= 12 && hash.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                cleaned.push_str(rest);
            }
            _ => {
                cleaned.push('[');
                cleaned.push_str(part);
            }
        }
    }
    let hash = |tail: &str| tail.len() == 16 && tail.bytes().all(|byte| byte.is_ascii_hexdigit());
    match cleaned.rsplit_once("::h") {
        Some((name, tail)) if hash(tail) => name.to_owned(),
        _ => cleaned,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backtrace_is_read_from_the_innermost_function() {
        let text = "error while executing at wasm backtrace:\n    0:  0x1f2 - xx.wasm!xx_hello::convert::line\n    \
                    1: 0x2ab3 - <unknown>!<wasm function 17>\n\nCaused by:\n    wasm trap: `unreachable`";
        assert_eq!(functions(text), ["xx_hello::convert::line", "<wasm function 17>"]);
        assert_eq!(functions("no backtrace at all"), [""; 0]);
    }

    #[test]
    fn who_panicked_comes_first_and_by_name() {
        let text = "  0: 0x1 - xx.wasm!__rustc[b7974e8690430dd9]::__rust_abort\n  1: 0x2 - xx.wasm!std[a543996e6e7dbf1e]::a\n  \
                    2: 0x3 - xx.wasm!xx_hello[0123456789abcdef]::convert::line::<[u8]>\n  \
                    3: 0x4 - xx_hello::convert::h16562ef86d57dfb1";
        assert_eq!(functions(text), ["xx_hello::convert::line::<[u8]>", "xx_hello::convert"]);
        assert_eq!(functions("0: 0x1 - a!std[a543996e6e7dbf1e]::a"), ["std::a"]);
    }

    #[test]
    fn the_error_of_an_event_is_heard() {
        let trace = Trace::default();
        tracing::dispatcher::with_default(&trace.dispatch(), || {
            tracing::warn!(target: "gateway_plugin_host::defect", error = ?DebugText("0: 0x1 - a!b"), "a plugin was stopped");
            tracing::warn!(target: "elsewhere", error = ?DebugText("0: 0x1 - a!c"), "something else");
        });
        assert_eq!(trace.take(), ["b"]);
        assert!(trace.take().is_empty());
    }

    struct DebugText(&'static str);

    impl fmt::Debug for DebugText {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }
}
